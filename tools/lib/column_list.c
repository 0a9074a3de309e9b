// SPDX-License-Identifier: GPL-2.0
/* Which columns are shown, and in what order. */
#include "column_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "grouping.h"
#include "message.h"

bool column_is_known(const struct column *column, unsigned int by)
{
	return !column->by || column->by & by;
}

bool column_list_has(const struct column_list *list,
		     const struct column *column)
{
	for (size_t i = 0; i < list->count; i++) {
		if (list->columns[i] == column)
			return true;
	}
	return false;
}

void column_list_append(struct column_list *list,
			const struct column *column)
{
	if (list->count < COLUMNS_MAX)
		list->columns[list->count++] = column;
}

void column_list_remove(struct column_list *list,
			const struct column *column)
{
	size_t kept = 0;

	for (size_t i = 0; i < list->count; i++) {
		if (list->columns[i] != column)
			list->columns[kept++] = list->columns[i];
	}
	list->count = kept;
}

void column_list_default(struct column_list *list, bool on_screen)
{
	*list = (struct column_list){ 0 };
	for (size_t i = 0; i < column_count; i++) {
		if (!columns[i].is_extra ||
		    (on_screen && columns[i].on_screen))
			column_list_append(list, &columns[i]);
	}
}

void column_require_known(const struct column *column, unsigned int by)
{
	char names[GROUPING_NAME_MAX];

	if (column_is_known(column, by))
		return;
	grouping_name(column->by, names, sizeof(names));
	fail_usage("column '%s' needs --by %s", column->key, names);
}

static void add_by_key(struct column_list *list, const char *key,
		       unsigned int by)
{
	const struct column *column = column_by_key(key);

	if (!column)
		fail_usage("column '%s' is none of %s", key, column_keys());
	column_require_known(column, by);
	if (!list->is_chosen)
		column_list_remove(list, column);
	else if (column_list_has(list, column))
		fail_usage("column '%s' is named twice", key);
	column_list_append(list, column);
}

void column_list_parse(struct column_list *list, const char *text,
		       unsigned int by, bool on_screen)
{
	bool adds = text[0] == '+';
	char *copy = duplicate(text + adds);
	char *rest = copy, *key;

	column_list_default(list, on_screen);
	if (!adds)
		*list = (struct column_list){ .is_chosen = true };
	while ((key = strsep(&rest, ",")))
		add_by_key(list, key, by);
	free(copy);
}

void column_list_print_all(void)
{
	for (size_t i = 0; i < column_count; i++)
		printf("%-17s %-9s %s%s\n", columns[i].key,
		       columns[i].head_interval, columns[i].meaning,
		       columns[i].is_extra ? "" : " *");
	puts("* shown if not told otherwise; /s is per second");
}
