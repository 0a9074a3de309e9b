/* SPDX-License-Identifier: GPL-2.0 */
/* What the last intervals were like, row by row: for trends. */
#ifndef MR_HISTORY_H
#define MR_HISTORY_H

#include "column.h"
#include "snapshot.h"

/* Intervals that are remembered */
#define HISTORY_LENGTH 20

/* What each column of numbers said, the last interval last */
struct row_history {
	struct mr_key key;
	size_t count;
	float values[COLUMNS_MAX][HISTORY_LENGTH];
};

struct history {
	struct row_history *rows;	/* by key */
	size_t row_count;
};

/*
 * Remember the interval of @snapshot, and let its rows know their past, until
 * the next call.
 */
void history_add(struct history *history, struct snapshot *snapshot);

void history_free(struct history *history);

/* Adds the rates of a row to those of @sum: columns whose sum is a number */
void history_sum(struct row_history *sum, const struct row_history *row);

#endif
