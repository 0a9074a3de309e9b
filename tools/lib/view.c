// SPDX-License-Identifier: GPL-2.0
/* The rows of a snapshot that are to be shown, in the order wanted. */
#include "view.h"

#include <stdlib.h>
#include <string.h>

#include "history.h"
#include "message.h"

struct sorting {
	const struct view *view;
	const struct order *order;
};

static int compare_names(const struct column *column,
			 const struct snapshot_row *a,
			 const struct snapshot_row *b)
{
	char name_a[ROW_NAME_MAX], name_b[ROW_NAME_MAX];

	column->name(a, name_a, sizeof(name_a));
	column->name(b, name_b, sizeof(name_b));
	return strcmp(name_a, name_b);
}

static int compare_numbers(const struct sorting *sorting,
			   const struct snapshot_row *a,
			   const struct snapshot_row *b)
{
	const struct view *view = sorting->view;
	double value_a, value_b;

	value_a = column_value(sorting->order->column, a, view->span,
			       view->snapshot->interval_s);
	value_b = column_value(sorting->order->column, b, view->span,
			       view->snapshot->interval_s);
	return (value_a < value_b) - (value_a > value_b);
}

static int compare_rows(const void *left, const void *right, void *context)
{
	const struct snapshot_row *a = *(const struct snapshot_row *const *)left;
	const struct snapshot_row *b = *(const struct snapshot_row *const *)right;
	const struct sorting *sorting = context;
	int result;

	if (sorting->order->column->name)
		result = compare_names(sorting->order->column, a, b);
	else
		result = compare_numbers(sorting, a, b);
	if (sorting->order->reverse)
		result = -result;
	/* Rows that are equal keep their places from one view to the next */
	return result ? result : snapshot_compare_keys(a, b);
}

static void add_histories(struct view *view)
{
	for (size_t i = 0; i < view->row_count; i++) {
		if (!view->rows[i]->history)
			continue;
		if (!view->sum_history)
			view->sum_history = allocate(
				1, sizeof(*view->sum_history));
		history_sum(view->sum_history, view->rows[i]->history);
	}
	view->sum.history = view->sum_history;
}

void view_make(struct view *view, const struct snapshot *snapshot,
	       const struct filter *filter, const struct order *order,
	       enum span span)
{
	struct sorting sorting = { .view = view, .order = order };

	memset(view, 0, sizeof(*view));
	view->snapshot = snapshot;
	view->span = span;
	view->rows = allocate(snapshot->row_count, sizeof(*view->rows));
	for (size_t i = 0; i < snapshot->row_count; i++) {
		const struct snapshot_row *row = &snapshot->rows[i];

		if (!filter_matches(filter, row))
			continue;
		view->rows[view->row_count++] = row;
		counters_add(&view->sum.total, &row->total);
		counters_add(&view->sum.interval, &row->interval);
	}
	if (column_is_number(order->column))
		view->trend_of = order->column;
	else
		view->trend_of = column_by_key("retries");
	add_histories(view);
	qsort_r(view->rows, view->row_count, sizeof(*view->rows),
		compare_rows, &sorting);
}

void view_free(struct view *view)
{
	free(view->sum_history);
	view->sum_history = NULL;
	free(view->rows);
	view->rows = NULL;
	view->row_count = 0;
}
