// SPDX-License-Identifier: GPL-2.0
/* Symbols of the kernel and its modules, as /proc/kallsyms lists them. */
#include "kallsyms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

#define READ_SIZE (1 << 16)

/* Cut "ffffffffc0a01230 t recv_handler\t[ib_umad]" into its parts */
static int split_line(char *line, struct symbol *symbol)
{
	char *rest, *name, *module;

	symbol->address = strtoull(line, &rest, 16);
	name = strtok_r(rest, " \t\n", &rest);	/* its kind */
	if (!name)
		return -1;
	name = strtok_r(NULL, " \t\n", &rest);
	if (!name || strlen(name) >= sizeof(symbol->name))
		return -1;
	strcpy(symbol->name, name);
	module = strtok_r(NULL, "[] \t\n", &rest);
	if (module && strlen(module) >= sizeof(symbol->module))
		return -1;
	strcpy(symbol->module, module ? module : "");
	return 0;
}

static int is_wanted(const struct symbol *wanted, const struct symbol *found)
{
	if (wanted->address)
		return wanted->address == found->address;
	return !strcmp(wanted->name, found->name) &&
	       !strcmp(wanted->module, found->module);
}

void kallsyms_find_in(const char *path, struct symbol *symbols, size_t count)
{
	FILE *list = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;

	if (!list)
		return;
	setvbuf(list, NULL, _IOFBF, READ_SIZE);
	while (getline(&line, &size, list) > 0) {
		struct symbol found;

		/* All are 0 for those who must not know */
		if (split_line(line, &found) || !found.address)
			continue;
		for (size_t i = 0; i < count; i++) {
			if (is_wanted(&symbols[i], &found))
				symbols[i] = found;
		}
	}
	free(line);
	fclose(list);
}

void kallsyms_find(struct symbol *symbols, size_t count)
{
	kallsyms_find_in("/proc/kallsyms", symbols, count);
}
