// SPDX-License-Identifier: GPL-2.0
/*
 * Draws the interactive screen with curses: a title, the table, a pane below
 * it, and a line that names the keys; or a page that covers all of these.
 */
#include "screen_draw.h"

#include <curses.h>
#include <stdio.h>
#include <string.h>

#include "grouping.h"
#include "notes.h"
#include "screen_columns.h"
#include "screen_help.h"
#include "screen_pane.h"
#include "screen_put.h"
#include "table.h"

/* Title, head of the table, total, keys */
#define FIXED_LINES	4
/* Title, head and one line */
#define PANE_MIN	3

/* How long it is said that counting started anew */
#define ANEW_S		10

/* What the title says; a narrow window loses what has the greatest rank first */
struct title_part {
	char text[96];
	int rank;
	bool ends_with_comma;
};

enum { PAUSED, PROGRAM, MODE, TIME, SINCE, EVERY, BY, SORT, FILTER, PARTS };

static void make_title_parts(const struct screen_state *state,
			     struct title_part *parts)
{
	const struct snapshot *snapshot = state->snapshot;
	char by[GROUPING_NAME_MAX];
	struct tm local;

#define PART(part, ...) \
	snprintf(parts[part].text, sizeof(parts[part].text), __VA_ARGS__)
	if (state->paused)
		PART(PAUSED, "PAUSED");
	PART(PROGRAM, "madretry-top");
	PART(MODE, "[%s%s]", mode_name(state->mode),
	     mode_infers_waits(state->mode) ? ", waits inferred" : "");
	localtime_r(&snapshot->time.tv_sec, &local);
	strftime(parts[TIME].text, sizeof(parts[TIME].text), "%H:%M:%S",
		 &local);
	PART(SINCE, "up %.0fs", snapshot->since_start_s);
	PART(EVERY, "every %gs", state->every_s);
	grouping_name(snapshot->by, by, sizeof(by));
	PART(BY, "by %s", by);
	PART(SORT, "sort %s%s", state->order.column->key,
	     state->order.reverse ? " up" : "");
	if (state->filter.text[0])
		PART(FILTER, "filter %s", state->filter.text);
#undef PART
}

static void join_title(const struct title_part *parts, char *text, size_t size)
{
	bool comma = false;
	size_t used = 0;

	text[0] = '\0';
	for (int i = 0; i < PARTS && used < size; i++) {
		if (!parts[i].text[0])
			continue;
		used += (size_t)snprintf(text + used, size - used, "%s%s%s",
					 comma ? "," : "", used ? " " : "",
					 parts[i].text);
		comma = parts[i].ends_with_comma;
	}
}

static void draw_title(const struct screen_state *state)
{
	struct title_part parts[PARTS] = {
		[PROGRAM] = { .rank = 6 },
		[EVERY] = { .rank = 5, .ends_with_comma = true },
		[SINCE] = { .rank = 4, .ends_with_comma = true },
		[BY] = { .rank = 3, .ends_with_comma = true },
		[MODE] = { .rank = 2 },
		[TIME] = { .rank = 1, .ends_with_comma = true },
		[SORT] = { .ends_with_comma = true },
	};
	char text[sizeof(parts)];

	make_title_parts(state, parts);
	join_title(parts, text, sizeof(text));
	for (int rank = 6; rank && (int)strlen(text) > COLS; rank--) {
		for (int i = 0; i < PARTS; i++) {
			if (parts[i].rank == rank)
				parts[i].text[0] = '\0';
		}
		join_title(parts, text, sizeof(text));
	}
	put_line(0, A_BOLD, text);
}

/*
 * Where the selected row is now; its place if it is gone. Until somebody selects
 * one it is the first, which is what the order puts forward.
 */
static void find_selected(struct screen_state *state, const struct view *view)
{
	state->line_count = view->row_count;
	if (!state->has_selected)
		state->selected_line = 0;
	for (size_t i = 0; state->has_selected && i < view->row_count; i++) {
		if (!memcmp(&view->rows[i]->key, &state->selected,
			    sizeof(state->selected))) {
			state->selected_line = i;
			return;
		}
	}
	if (state->selected_line >= view->row_count)
		state->selected_line = view->row_count ? view->row_count - 1 :
							 0;
	if (view->row_count)
		state->selected = view->rows[state->selected_line]->key;
}

static void scroll_to_selected(struct screen_state *state, int lines)
{
	size_t page = lines > 0 ? (size_t)lines : 1;

	state->page = page;
	if (state->first_line > state->selected_line)
		state->first_line = state->selected_line;
	if (state->first_line + page <= state->selected_line)
		state->first_line = state->selected_line + 1 - page;
	/* No empty lines at the end as long as there are rows above */
	if (state->first_line + page > state->line_count)
		state->first_line = state->line_count > page ?
					    state->line_count - page : 0;
}

/* The pane gets what the table does not need, and a half if it needs that */
static int pane_lines(int wanted, size_t rows, bool note)
{
	int room = LINES - FIXED_LINES - note;
	int half = room / 2;
	int lines = wanted;

	if (lines > room - (int)rows && lines > half)
		lines = room - (int)rows > half ? room - (int)rows : half;
	return lines < PANE_MIN ? 0 : lines;
}

static int draw_table(struct screen_state *state, const struct view *view,
		      int lines)
{
	struct table table;
	int y = 1;

	table_make(&table, view, &state->columns, (size_t)COLS, false);
	put_line(y++, A_REVERSE, table.head);
	for (size_t i = state->first_line;
	     i < table.line_count && y < lines + 2; i++)
		put_line(y++, i == state->selected_line ? A_STANDOUT | A_BOLD :
							   A_NORMAL,
			 table.lines[i]);
	if (!table.line_count && lines > 0)
		put_line(y++, A_NORMAL, state->snapshot->row_count ?
					"no row passes the filter" :
					"no MAD request seen yet");
	put_line(y++, A_BOLD, table.total);
	table_free(&table);
	return y;
}

static void draw_key_line(const struct screen_state *state)
{
	char text[96];

	if (state->editing) {
		snprintf(text, sizeof(text), "Filter: %s_", state->filter.text);
		put_line(LINES - 1, A_BOLD, text);
	} else {
		help_draw_key_line();
	}
}

/* What is wrong with the numbers comes before what has become of them */
static bool make_note(const struct screen_state *state, char *note,
		      size_t size)
{
	char by[GROUPING_NAME_MAX];

	if (notes_make(state->snapshot, note, size))
		return true;
	if (!state->counted_anew || state->snapshot->since_start_s > ANEW_S)
		return false;
	grouping_name(state->snapshot->by, by, sizeof(by));
	snprintf(note, size, "counting started anew, by %s", by);
	return true;
}

static void draw_rows(struct screen_state *state)
{
	const struct snapshot_row *selected = NULL;
	char note[NOTES_MAX];
	bool has_note = make_note(state, note, sizeof(note));
	struct view view;
	int y, pane;

	view_make(&view, state->snapshot, &state->filter, &state->order,
		  state->span);
	find_selected(state, &view);
	if (view.row_count)
		selected = view.rows[state->selected_line];

	pane = pane_lines(pane_lines_wanted(state, selected), view.row_count,
			  has_note);
	scroll_to_selected(state, LINES - FIXED_LINES - has_note - pane);
	y = draw_table(state, &view, LINES - FIXED_LINES - has_note - pane);
	if (pane) {
		if (y + pane + has_note + 1 < LINES)
			y++;	/* a blank line, if there is room */
		pane_draw(state, selected, y, pane);
	}
	if (has_note)
		put_line(LINES - 2, A_BOLD, note);
	view_free(&view);
}

void screen_draw(struct screen_state *state)
{
	erase();
	switch (state->overlay) {
	case OVERLAY_HELP:
		help_draw(state);
		break;
	case OVERLAY_COLUMNS:
		chooser_draw(state);
		break;
	case OVERLAY_NONE:
		draw_title(state);
		draw_rows(state);
		draw_key_line(state);
	}
	refresh();
}
