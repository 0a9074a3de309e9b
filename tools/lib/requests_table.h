/* SPDX-License-Identifier: GPL-2.0 */
/* The oldest outstanding requests as lines of text. */
#ifndef MR_REQUESTS_TABLE_H
#define MR_REQUESTS_TABLE_H

#include "filter.h"
#include "snapshot.h"

struct requests_table {
	char *title;
	char *head;
	char **lines;
	size_t line_count;
};

/*
 * At most @max_lines requests that pass the filter. @width: what a line may
 * take, 0: as much as it needs.
 */
void requests_table_make(struct requests_table *table,
			 const struct snapshot *snapshot,
			 const struct filter *filter, size_t width,
			 size_t max_lines);

void requests_table_free(struct requests_table *table);

#endif
