/* SPDX-License-Identifier: GPL-2.0 */
/* Which columns are shown, and in what order. */
#ifndef MR_COLUMN_LIST_H
#define MR_COLUMN_LIST_H

#include "column.h"

struct column_list {
	const struct column *columns[COLUMNS_MAX];
	size_t count;
	/*
	 * The user has chosen them, the most important first: a narrow window
	 * loses the last ones, not those of the greatest rank.
	 */
	bool is_chosen;
};

void column_list_default(struct column_list *list, bool on_screen);

/*
 * The columns named in @text, with commas between them; with a "+" before the
 * first they are added to the default ones. Ends the program with a message
 * if one is unknown, named twice, or not known when rows are told apart by @by.
 */
void column_list_parse(struct column_list *list, const char *text,
		       unsigned int by, bool on_screen);

/* All that there are, with their meaning, on standard output */
void column_list_print_all(void);

bool column_list_has(const struct column_list *list,
		     const struct column *column);
void column_list_append(struct column_list *list,
			const struct column *column);
void column_list_remove(struct column_list *list,
			const struct column *column);

/* Can it say anything when rows are told apart by @by? */
bool column_is_known(const struct column *column, unsigned int by);

/* Ends the program with a message if it can not */
void column_require_known(const struct column *column, unsigned int by);

#endif
