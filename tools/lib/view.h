/* SPDX-License-Identifier: GPL-2.0 */
/* The rows of a snapshot that are to be shown, in the order wanted. */
#ifndef MR_VIEW_H
#define MR_VIEW_H

#include "column.h"
#include "filter.h"
#include "snapshot.h"

struct order {
	const struct column *column;
	bool reverse;		/* names: from Z; numbers: the least first */
};

struct view {
	const struct snapshot *snapshot;
	enum span span;
	const struct snapshot_row **rows;
	size_t row_count;
	struct snapshot_row sum;	/* of these rows; key, names unused */
	struct row_history *sum_history; /* NULL if the rows have none */
	const struct column *trend_of;	/* the one sorted by, or retries */
};

void view_make(struct view *view, const struct snapshot *snapshot,
	       const struct filter *filter, const struct order *order,
	       enum span span);

void view_free(struct view *view);

#endif
