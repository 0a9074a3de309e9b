/* SPDX-License-Identifier: GPL-2.0 */
/* The waits that retries began, by number of the retry, as lines of text. */
#ifndef MR_BACKOFF_TABLE_H
#define MR_BACKOFF_TABLE_H

#include <stddef.h>

#include "madretry.h"

struct backoff_table {
	char *head;
	char *lines[MR_BACKOFF_STEPS];	/* retries that were made only */
	size_t line_count;
	size_t width;			/* of the lines */
};

/* Enough for five waits */
#define BACKOFF_TABLE_GOOD_WIDTH 52

/*
 * @width: what a line may take, 0: as much as it needs. The shortest waits
 * share a column if there are more columns than fit.
 */
void backoff_table_make(struct backoff_table *table,
			const struct mr_backoff *backoff, size_t width);

void backoff_table_free(struct backoff_table *table);

#endif
