// SPDX-License-Identifier: GPL-2.0
/* The page that explains keys and columns, and the line that names the keys. */
#include "screen_help.h"

#include <curses.h>
#include <stdio.h>
#include <string.h>

#include "screen_put.h"

static const char *const key_help[] = {
	"q              quit",
	"up, down       select a row (also j, k, Home, End, PgUp, PgDn)",
	"s, S           sort by the next, the previous column",
	"r              reverse the order",
	"f, /           show only rows whose name contains a text",
	"g              rows by attribute, destination, client, and together;",
	"               counting starts anew",
	"c              choose the columns and their order",
	"v              below the table: histograms, oldest requests, nothing",
	"t              per second, or totals since the start",
	"p, space       pause, go on",
	"h, ?           this page; any other key closes it",
	"",
};

#define KEY_HELP_LINES (sizeof(key_help) / sizeof(key_help[0]))

/* The most important first */
static const char *const key_line[] = {
	"q quit", "h help", "s sort", "f filter", "g group by",
	"c columns",
	"v view", "t totals", "p pause", "r reverse", "up/down select",
};

void help_begin(struct screen_state *state)
{
	state->first_help_line = 0;
	state->help_line_count = KEY_HELP_LINES + column_count;
}

bool help_key(struct screen_state *state, int key)
{
	switch (key) {
	case KEY_UP:
	case 'k':
		if (state->first_help_line)
			state->first_help_line--;
		return true;
	case KEY_DOWN:
	case 'j':
		if (state->first_help_line + 1 < state->help_line_count)
			state->first_help_line++;
		return true;
	default:
		return false;
	}
}

void help_draw(struct screen_state *state)
{
	char text[160];

	put_line(0, A_BOLD, "madretry-top: keys and columns");
	for (int i = 0; i < LINES - 2; i++) {
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

void help_draw_key_line(void)
{
	char text[256] = "";
	size_t used = 0;

	for (size_t i = 0; i < sizeof(key_line) / sizeof(key_line[0]); i++) {
		size_t needed = strlen(key_line[i]) + (used ? 2 : 0);

		if (used + needed > (size_t)COLS && used)
			break;
		used += (size_t)snprintf(text + used, sizeof(text) - used,
					 "%s%s", used ? "  " : "",
					 key_line[i]);
	}
	put_line(LINES - 1, A_REVERSE, text);
}
