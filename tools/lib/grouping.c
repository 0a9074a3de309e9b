// SPDX-License-Identifier: GPL-2.0
/* What tells rows apart besides device, port and class: MR_BY_*, by name. */
#include "grouping.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

static const struct {
	unsigned int bit;
	const char *name;
} parts[] = {
	{ MR_BY_ATTRIBUTE, "attribute" },
	{ MR_BY_DESTINATION, "destination" },
	{ MR_BY_CLIENT, "client" },
};

#define PARTS (sizeof(parts) / sizeof(parts[0]))

void grouping_name(unsigned int by, char *buffer, size_t size)
{
	size_t used = 0;

	*buffer = '\0';
	for (size_t i = 0; i < PARTS; i++) {
		if (by & parts[i].bit && used < size)
			used += (size_t)snprintf(buffer + used, size - used,
						 "%s%s", used ? "," : "",
						 parts[i].name);
	}
}

static unsigned int by_name(const char *name)
{
	for (size_t i = 0; i < PARTS; i++) {
		if (!strcmp(name, parts[i].name))
			return parts[i].bit;
	}
	fail_usage("--by '%s' is none of attribute, destination, client",
		   name);
}

unsigned int grouping_parse(const char *text)
{
	char *copy = duplicate(text);
	char *rest = copy, *name;
	unsigned int by = 0;

	while ((name = strsep(&rest, ",")))
		by |= by_name(name);
	free(copy);
	return by;
}

unsigned int grouping_next(unsigned int by)
{
	static const unsigned int order[] = {
		MR_BY_ATTRIBUTE,
		MR_BY_DESTINATION,
		MR_BY_CLIENT,
		MR_BY_ATTRIBUTE | MR_BY_DESTINATION,
		MR_BY_ATTRIBUTE | MR_BY_CLIENT,
		MR_BY_DESTINATION | MR_BY_CLIENT,
		MR_BY_ATTRIBUTE | MR_BY_DESTINATION | MR_BY_CLIENT,
	};
	const size_t count = sizeof(order) / sizeof(order[0]);

	for (size_t i = 0; i < count; i++) {
		if (order[i] == by)
			return order[(i + 1) % count];
	}
	return MR_BY_ATTRIBUTE;
}
