// SPDX-License-Identifier: GPL-2.0
/* The kernel's trace events, as tracefs describes them. */
#include "trace_event.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

const char *tracefs(void)
{
	static const char *const places[] = {
		"/sys/kernel/tracing", "/sys/kernel/debug/tracing",
	};
	char path[64];

	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		snprintf(path, sizeof(path), "%s/events", places[i]);
		if (!access(path, F_OK))
			return places[i];
	}
	return NULL;
}

static FILE *open_file(const char *event, const char *name)
{
	const char *where = tracefs();
	char path[160];

	if (!where)
		return NULL;
	snprintf(path, sizeof(path), "%s/events/%s/%s", where, event, name);
	return fopen(path, "re");
}

int trace_event_id(const char *event)
{
	FILE *file = open_file(event, "id");
	int id = -1;

	if (!file)
		return -1;
	if (fscanf(file, "%d", &id) != 1)
		id = -1;
	fclose(file);
	return id;
}

/* "	field:u32 dev_index;	offset:8;	size:4;	signed:0;" */
static bool line_describes(const char *line, const char *name,
			   struct mr_field *field)
{
	const char *end = strchr(line, ';');
	size_t length = strlen(name);

	if (!strstr(line, "field:") || !end || end - line <= (long)length ||
	    strncmp(end - length, name, length) || end[-length - 1] != ' ')
		return false;
	return sscanf(end, "; offset:%hu; size:%hu", &field->offset,
		      &field->size) == 2;
}

bool trace_event_field(const char *event, const char *name,
		       struct mr_field *field)
{
	FILE *file = open_file(event, "format");
	bool found = false;
	char line[256];

	if (!file)
		return false;
	while (!found && fgets(line, sizeof(line), file))
		found = line_describes(line, name, field);
	fclose(file);
	return found;
}
