// SPDX-License-Identifier: GPL-2.0
/* What is below the table: histograms, or the oldest requests. */
#include "screen_pane.h"

#include <curses.h>
#include <stdio.h>

#include "backoff_table.h"
#include "histogram.h"
#include "requests_table.h"
#include "response_table.h"
#include "screen_put.h"

#define GAP 3	/* between two histograms */

/* Title and head */
#define ABOVE_LINES 2

static int response_lines(const struct snapshot_row *row)
{
	const __u64 *buckets = row->total.response_us;
	int first = -1, last = -1;

	for (int i = 0; i < MR_RESPONSE_BUCKETS; i++) {
		if (!buckets[i])
			continue;
		if (first < 0)
			first = i;
		last = i;
	}
	return first < 0 ? 0 : last - first + 1;
}

static int backoff_lines(const struct snapshot_row *row)
{
	int lines = 0;

	for (int i = 0; row->backoff && i < MR_BACKOFF_STEPS; i++)
		lines += histogram_count(row->backoff->wait_ms[i],
					 MR_WAIT_BUCKETS) > 0;
	return lines;
}

/* Is there room for both, one beside the other? */
static bool side_by_side(void)
{
	return COLS >= BACKOFF_TABLE_GOOD_WIDTH + GAP +
			       RESPONSE_TABLE_MIN_WIDTH;
}

static int histogram_lines(const struct snapshot_row *row)
{
	int backoff = backoff_lines(row), response = response_lines(row);

	if (!backoff && !response)
		return 0;
	if (!backoff || !response)
		return ABOVE_LINES + backoff + response;
	if (!side_by_side())
		return ABOVE_LINES + backoff + ABOVE_LINES + response;
	return ABOVE_LINES + (backoff > response ? backoff : response);
}

int pane_lines_wanted(const struct screen_state *state,
		      const struct snapshot_row *selected)
{
	switch (state->pane) {
	case PANE_HISTOGRAMS:
		return selected ? histogram_lines(selected) : 0;
	case PANE_OLDEST:
		return ABOVE_LINES + 8;
	default:
		return 0;
	}
}

/* Returns the width that was needed */
static int draw_backoff(const struct snapshot_row *row, int y, int width,
			int lines)
{
	struct backoff_table table;
	int needed;

	backoff_table_make(&table, row->backoff, (size_t)width);
	needed = (int)table.width;
	put_part(y++, 0, width, A_REVERSE, table.head);
	for (int i = 0; i + 1 < lines && (size_t)i < table.line_count; i++)
		put_part(y++, 0, width, A_NORMAL, table.lines[i]);
	backoff_table_free(&table);
	return needed;
}

static void draw_response(const struct snapshot_row *row, int y, int x,
			  int width, int lines)
{
	struct response_table table;

	if (lines < 2)
		return;
	response_table_make(&table, row->total.response_us, (size_t)width,
			    (size_t)lines - 1);
	put_part(y++, x, width, A_REVERSE, table.head);
	for (size_t i = 0; i < table.line_count; i++)
		put_part(y++, x, width, A_NORMAL, table.lines[i]);
	response_table_free(&table);
}

static void put_title(int y, int x, const char *name, const char *what)
{
	char text[ROW_NAME_MAX + 64];

	snprintf(text, sizeof(text), "%s%s", name, what);
	put_part(y, x, COLS - x, A_BOLD, text);
}

static const char backoff_title[] = "retries by the wait that followed, ms";
static const char response_title[] = "response times";

static void draw_stacked(const struct snapshot_row *row, const char *name,
			 int y, int lines)
{
	int backoff = backoff_lines(row), response = response_lines(row);

	if (backoff) {
		int part = ABOVE_LINES + backoff;

		/* Each gets its half before one of them gets more */
		if (response && part > lines - (ABOVE_LINES + 1))
			part = lines >= 2 * (ABOVE_LINES + 1) ? lines / 2 :
								lines;
		put_title(y, 0, name, backoff_title);
		draw_backoff(row, y + 1, COLS, part - 1);
		y += part;
		lines -= part;
	}
	if (response && lines > ABOVE_LINES) {
		put_title(y, 0, backoff ? "" : name, response_title);
		draw_response(row, y + 1, 0, COLS, lines - 1);
	}
}

static void draw_histograms(const struct snapshot_row *row, int y, int lines)
{
	char name[ROW_NAME_MAX], prefix[ROW_NAME_MAX + 2];
	int x;

	row_name(row, name, sizeof(name));
	snprintf(prefix, sizeof(prefix), "%s: ", name);
	if (!side_by_side() || !backoff_lines(row) || !response_lines(row)) {
		draw_stacked(row, prefix, y, lines);
		return;
	}
	put_title(y, 0, prefix, backoff_title);
	x = GAP + draw_backoff(row, y + 1,
			       COLS - GAP - RESPONSE_TABLE_MIN_WIDTH,
			       lines - 1);
	draw_response(row, y + 1, x, COLS - x, lines - 1);
}

static void draw_oldest(const struct screen_state *state, int y, int lines)
{
	struct requests_table table;
	int max = lines - ABOVE_LINES;

	requests_table_make(&table, state->snapshot, &state->filter,
			    (size_t)COLS, max > 0 ? (size_t)max : 0);
	put_line(y++, A_BOLD, table.title);
	put_line(y++, A_REVERSE, table.head);
	for (size_t i = 0; i < table.line_count; i++)
		put_line(y++, A_NORMAL, table.lines[i]);
	requests_table_free(&table);
}

void pane_draw(const struct screen_state *state,
	       const struct snapshot_row *selected, int y, int lines)
{
	if (state->pane == PANE_OLDEST)
		draw_oldest(state, y, lines);
	else
		draw_histograms(selected, y, lines);
}
