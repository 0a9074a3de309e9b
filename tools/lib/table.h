/* SPDX-License-Identifier: GPL-2.0 */
/* The rows of a view as lines of text. */
#ifndef MR_TABLE_H
#define MR_TABLE_H

#include "column_list.h"
#include "view.h"

struct table {
	char *head;
	char **lines;		/* one for each row of the view */
	size_t line_count;
	char *total;
};

/*
 * @width: what a line may take, 0: as much as it needs. Columns that do not
 * fit are left out, the least important first. @exact: all digits of counts.
 */
void table_make(struct table *table, const struct view *view,
		const struct column_list *list, size_t width, bool exact);

void table_free(struct table *table);

#endif
