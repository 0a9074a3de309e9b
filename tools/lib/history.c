// SPDX-License-Identifier: GPL-2.0
/* What the last intervals were like, row by row: for trends. */
#include "history.h"

#include <stdlib.h>
#include <string.h>

#include "message.h"

/* Both are in the order of keys, and rows never vanish */
static const struct row_history *find(const struct history *history,
				      const struct snapshot_row *row,
				      size_t *place)
{
	while (*place < history->row_count) {
		const struct row_history *old = &history->rows[(*place)];
		int order = snapshot_compare_key(&old->key, &row->key);

		if (order > 0)
			return NULL;
		(*place)++;
		if (!order)
			return old;
	}
	return NULL;
}

static void append(struct row_history *row, size_t column, float value)
{
	float *values = row->values[column];

	if (row->count == HISTORY_LENGTH) {
		memmove(values, values + 1,
			(HISTORY_LENGTH - 1) * sizeof(*values));
		values[HISTORY_LENGTH - 1] = value;
	} else {
		values[row->count] = value;
	}
}

static void append_interval(struct row_history *history,
			    const struct snapshot_row *row, double interval_s)
{
	for (size_t i = 0; i < column_count; i++) {
		if (column_is_number(&columns[i]))
			append(history, i,
			       (float)column_value(&columns[i], row,
						   SPAN_INTERVAL, interval_s));
	}
	if (history->count < HISTORY_LENGTH)
		history->count++;
}

void history_add(struct history *history, struct snapshot *snapshot)
{
	struct history now = {
		.rows = allocate(snapshot->row_count, sizeof(*now.rows)),
		.row_count = snapshot->row_count,
	};
	size_t place = 0;

	for (size_t i = 0; i < snapshot->row_count; i++) {
		struct snapshot_row *row = &snapshot->rows[i];
		const struct row_history *old = find(history, row, &place);

		if (old)
			now.rows[i] = *old;
		now.rows[i].key = row->key;
		append_interval(&now.rows[i], row, snapshot->interval_s);
		row->history = &now.rows[i];
	}
	history_free(history);
	*history = now;
}

void history_free(struct history *history)
{
	free(history->rows);
	memset(history, 0, sizeof(*history));
}

/* A row that began later has no values for what was before */
void history_sum(struct row_history *sum, const struct row_history *row)
{
	if (sum->count < row->count) {
		size_t more = row->count - sum->count;

		for (size_t i = 0; i < column_count; i++) {
			memmove(sum->values[i] + more, sum->values[i],
				sum->count * sizeof(sum->values[i][0]));
			memset(sum->values[i], 0,
			       more * sizeof(sum->values[i][0]));
		}
		sum->count = row->count;
	}
	for (size_t i = 0; i < column_count; i++) {
		float *values = sum->values[i] + sum->count - row->count;

		for (size_t j = 0; j < row->count; j++)
			values[j] += column_adds_up(&columns[i]) ?
					     row->values[i][j] : 0;
	}
}
