// SPDX-License-Identifier: GPL-2.0
/* The page on which columns are chosen and put in order. */
#include "screen_columns.h"

#include <curses.h>
#include <stdio.h>

#include "screen_put.h"

void chooser_begin(struct screen_state *state)
{
	struct column_chooser *chooser = &state->chooser;
	size_t count = 0;

	*chooser = (struct column_chooser){ 0 };
	for (; count < state->columns.count; count++) {
		chooser->all[count] = state->columns.columns[count];
		chooser->shown[count] = true;
	}
	for (size_t i = 0; i < column_count; i++) {
		if (!column_list_has(&state->columns, &columns[i]))
			chooser->all[count++] = &columns[i];
	}
}

static void apply(struct screen_state *state)
{
	const struct column_chooser *chooser = &state->chooser;
	struct column_list list = { .is_chosen = true };

	for (size_t i = 0; i < column_count; i++) {
		if (chooser->shown[i])
			column_list_append(&list, chooser->all[i]);
	}
	/* A table without columns would be an empty screen */
	if (list.count)
		state->columns = list;
	else
		chooser_begin(state);
}

static void move_column(struct column_chooser *chooser, size_t to)
{
	size_t from = chooser->cursor;
	const struct column *column = chooser->all[from];
	bool shown = chooser->shown[from];

	if (to >= column_count)
		return;
	chooser->all[from] = chooser->all[to];
	chooser->shown[from] = chooser->shown[to];
	chooser->all[to] = column;
	chooser->shown[to] = shown;
	chooser->cursor = to;
}

bool chooser_key(struct screen_state *state, int key)
{
	struct column_chooser *chooser = &state->chooser;

	switch (key) {
	case KEY_UP:
	case 'k':
		if (chooser->cursor)
			chooser->cursor--;
		return true;
	case KEY_DOWN:
	case 'j':
		if (chooser->cursor + 1 < column_count)
			chooser->cursor++;
		return true;
	case ' ':
		chooser->shown[chooser->cursor] =
			!chooser->shown[chooser->cursor];
		break;
	case '<':
	case '-':
	case KEY_LEFT:
		move_column(chooser, chooser->cursor - 1);
		break;
	case '>':
	case '+':
	case KEY_RIGHT:
		move_column(chooser, chooser->cursor + 1);
		break;
	case 'd':
		column_list_default(&state->columns, true);
		chooser_begin(state);
		return true;
	default:
		return false;
	}
	apply(state);
	return true;
}

static void draw_entry(const struct screen_state *state, size_t place, int y)
{
	const struct column_chooser *chooser = &state->chooser;
	const struct column *column = chooser->all[place];
	char text[160];

	snprintf(text, sizeof(text), "[%c] %-9s %s%s",
		 chooser->shown[place] ? 'x' : ' ', column->head_interval,
		 column->meaning,
		 column_is_known(column, state->snapshot->by) ?
			 "" : " (not in these rows)");
	put_line(y, place == chooser->cursor ? A_STANDOUT | A_BOLD : A_NORMAL,
		 text);
}

void chooser_draw(struct screen_state *state)
{
	struct column_chooser *chooser = &state->chooser;
	size_t page = LINES > 3 ? (size_t)LINES - 2 : 1;

	if (chooser->first_line > chooser->cursor)
		chooser->first_line = chooser->cursor;
	if (chooser->first_line + page <= chooser->cursor)
		chooser->first_line = chooser->cursor + 1 - page;
	put_line(0, A_BOLD, "Columns, from left to right");
	for (size_t i = 0; i < page && chooser->first_line + i < column_count;
	     i++)
		draw_entry(state, chooser->first_line + i, (int)i + 1);
	put_line(LINES - 1, A_REVERSE,
		 COLS < 64 ? "space show  < > move  d default  c back" :
			     "up/down select  space show or hide  < > move  d default  c back");
}
