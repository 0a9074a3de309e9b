// SPDX-License-Identifier: GPL-2.0
/*
 * Draws the interactive screen with curses: a title, the table, below it the
 * backoff of the selected row, and a line that names the keys.
 */
#include "screen_draw.h"

#include <curses.h>
#include <stdio.h>
#include <string.h>

#include "backoff_table.h"
#include "notes.h"
#include "table.h"

/* Lines of the table and of the backoff below it */
struct split {
	int table;
	int backoff;	/* with its title and its head; 0: none */
};

/* Title, head of the table, total, keys */
#define FIXED_LINES	4
/* Title, head and one retry */
#define BACKOFF_MIN	3

static void put_line(int y, attr_t attributes, const char *text)
{
	if (y < 0 || y >= LINES)
		return;
	attrset(attributes);
	mvaddnstr(y, 0, text, COLS);
	if (attributes & A_REVERSE) {
		for (int x = (int)strlen(text); x < COLS; x++)
			addch(' ');
	}
	attrset(A_NORMAL);
}

static void draw_title(const struct screen_state *state)
{
	const struct snapshot *snapshot = state->snapshot;
	char text[256], time[16], filter[96] = "";
	struct tm local;

	localtime_r(&snapshot->time.tv_sec, &local);
	strftime(time, sizeof(time), "%H:%M:%S", &local);
	if (state->filter.text[0])
		snprintf(filter, sizeof(filter), ", filter %s",
			 state->filter.text);
	snprintf(text, sizeof(text), "%s%s %s, up %.0fs, every %gs, sort %s%s%s",
		 state->paused ? "PAUSED " : "",
		 COLS >= 72 ? "madretry-top" : "", time,
		 snapshot->since_start_s, state->every_s,
		 state->order.column->key, state->order.reverse ? " up" : "",
		 filter);
	put_line(0, A_BOLD, text[0] == ' ' ? text + 1 : text);
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

/* The backoff gets what the table does not need, but at most one half */
static struct split split_window(size_t rows, size_t backoff_lines, bool note)
{
	int room = LINES - FIXED_LINES - note;
	struct split split;

	split.backoff = backoff_lines ? (int)backoff_lines + 2 : 0;
	if (split.backoff > room - (int)rows) {
		int half = room / 2;

		if (split.backoff > half)
			split.backoff = room - (int)rows > half ?
						room - (int)rows : half;
	}
	if (split.backoff < BACKOFF_MIN)
		split.backoff = 0;
	split.table = room - split.backoff;
	return split;
}

static int draw_table(struct screen_state *state, const struct view *view,
		      int lines)
{
	struct table table;
	int y = 1;

	table_make(&table, view, (size_t)COLS, false);
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

static void draw_backoff(const struct snapshot_row *row,
			 const struct backoff_table *table, int y, int lines)
{
	char name[ROW_NAME_MAX], text[ROW_NAME_MAX + 64];

	row_name(row, name, sizeof(name));
	snprintf(text, sizeof(text),
		 "%s: retries by the wait that followed, ms", name);
	put_line(y, A_BOLD, text);
	put_line(y + 1, A_REVERSE, table->head);
	for (int i = 0; i + 2 < lines && (size_t)i < table->line_count; i++)
		put_line(y + 2 + i, A_NORMAL, table->lines[i]);
}

static void draw_key_line(const struct screen_state *state)
{
	char text[96];

	if (state->editing) {
		snprintf(text, sizeof(text), "Filter: %s_", state->filter.text);
		put_line(LINES - 1, A_BOLD, text);
	} else if (COLS < 72) {
		put_line(LINES - 1, A_REVERSE,
			 "q quit  h help  s sort  f filter");
	} else {
		put_line(LINES - 1, A_REVERSE,
			 "q quit  h help  up/down select  s sort  r reverse  f filter  p pause  t totals");
	}
}

static void draw_rows(struct screen_state *state)
{
	const struct snapshot_row *selected = NULL;
	struct backoff_table backoff = { 0 };
	char note[NOTES_MAX];
	bool has_note = notes_make(state->snapshot, note, sizeof(note));
	struct split split;
	struct view view;
	int y;

	view_make(&view, state->snapshot, &state->filter, &state->order,
		  state->span);
	find_selected(state, &view);
	if (view.row_count)
		selected = view.rows[state->selected_line];
	if (selected && selected->backoff)
		backoff_table_make(&backoff, selected->backoff, (size_t)COLS);

	split = split_window(view.row_count, backoff.line_count, has_note);
	scroll_to_selected(state, split.table);
	y = draw_table(state, &view, split.table);
	if (split.backoff) {
		if (y + split.backoff + has_note + 1 < LINES)
			y++;	/* a blank line, if there is room */
		draw_backoff(selected, &backoff, y, split.backoff);
	}
	if (has_note)
		put_line(LINES - 2, A_BOLD, note);
	if (backoff.head)
		backoff_table_free(&backoff);
	view_free(&view);
}

static const char *const key_help[] = {
	"q              quit",
	"up, down       select a row (also j, k, Home, End, PgUp, PgDn)",
	"s, S           sort by the next, the previous column",
	"r              reverse the order",
	"f, /           show only rows whose name contains a text",
	"p, space       pause, go on",
	"t              per second, or totals since the start",
	"h, ?           this page; any other key closes it",
	"",
};

#define KEY_HELP_LINES (sizeof(key_help) / sizeof(key_help[0]))

static void draw_help(struct screen_state *state)
{
	int page = LINES - 2;
	char text[128];

	state->help_line_count = KEY_HELP_LINES + column_count;
	put_line(0, A_BOLD, "madretry-top: keys and columns");
	for (int i = 0; i < page; i++) {
		size_t line = state->first_help_line + (size_t)i;

		if (line < KEY_HELP_LINES) {
			put_line(i + 1, A_NORMAL, key_help[line]);
		} else if (line - KEY_HELP_LINES < column_count) {
			const struct column *column =
				&columns[line - KEY_HELP_LINES];

			snprintf(text, sizeof(text), "%-14s %s",
				 column->head_interval, column->meaning);
			put_line(i + 1, A_NORMAL, text);
		}
	}
	put_line(LINES - 1, A_REVERSE, "up/down scroll  q quit  h back");
}

void screen_draw(struct screen_state *state)
{
	erase();
	if (state->help) {
		draw_help(state);
	} else {
		draw_title(state);
		draw_rows(state);
		draw_key_line(state);
	}
	refresh();
}
