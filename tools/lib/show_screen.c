// SPDX-License-Identifier: GPL-2.0
/* Snapshots on an interactive screen: the terminal and the keys. */
#include "show_screen.h"

#include <ctype.h>
#include <curses.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "grouping.h"
#include "message.h"
#include "screen_columns.h"
#include "screen_draw.h"
#include "screen_help.h"
#include "screen_state.h"

#define KEY_ESCAPE	27
#define KEY_DELETE	127

static struct screen_state state;
static SCREEN *terminal;

static void give_back(void)
{
	if (!terminal)
		return;
	endwin();
	delscreen(terminal);
	terminal = NULL;
}

bool screen_start(const struct options *options, const struct order *order,
		  const struct column_list *list, bool lists_requests)
{
	const char *name = getenv("TERM");

	if (!name || !*name || !isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO))
		return false;
	terminal = newterm(NULL, stdout, stdin);
	if (!terminal)
		return false;
	if (!tigetstr("cup")) {
		give_back();
		return false;
	}
	atexit(give_back);
	message_prepare_with(give_back);
	cbreak();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	set_escdelay(25);
	curs_set(0);

	state.every_s = options->interval_s;
	state.mode = options->mode.chosen;
	state.filter = options->filter;
	state.order = *order;
	state.columns = *list;
	if (lists_requests)
		state.pane = PANE_OLDEST;
	return true;
}

static void draw(void)
{
	if (state.snapshot)
		screen_draw(&state);
}

void screen_show(const struct snapshot *snapshot)
{
	if (!state.snapshot)
		state.by = snapshot->by;
	state.snapshot = snapshot;
	draw();
}

unsigned int screen_by(void)
{
	return state.by;
}

bool screen_lists_requests(void)
{
	return state.pane == PANE_OLDEST;
}

bool screen_is_paused(void)
{
	return state.paused;
}

void screen_resize(void)
{
	struct winsize size;

	if (!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) && size.ws_row &&
	    size.ws_col)
		resizeterm(size.ws_row, size.ws_col);
	draw();
}

/* Another line is selected: remember which row that is */
static void select_line(size_t line)
{
	struct view view;

	view_make(&view, state.snapshot, &state.filter, &state.order,
		  state.span);
	if (view.row_count) {
		if (line >= view.row_count)
			line = view.row_count - 1;
		state.selected_line = line;
		state.selected = view.rows[line]->key;
		state.has_selected = true;
	}
	view_free(&view);
}

static size_t line_up(size_t by)
{
	return state.selected_line > by ? state.selected_line - by : 0;
}

static bool can_sort_by(const struct column *column)
{
	return !column->is_trend &&
	       column_is_known(column, state.snapshot->by);
}

/* Through the columns that are shown; @step is 1 or -1 */
static void sort_by_neighbour(int step)
{
	const struct column_list *list = &state.columns;
	size_t place = 0;

	while (place < list->count &&
	       list->columns[place] != state.order.column)
		place++;
	for (size_t i = 0; i < list->count; i++) {
		/* One that is not shown is left for the first, or the last */
		if (place >= list->count)
			place = step > 0 ? 0 : list->count - 1;
		else
			place = (place + list->count + (size_t)step) %
				list->count;
		if (can_sort_by(list->columns[place]))
			break;
	}
	if (can_sort_by(list->columns[place]))
		state.order.column = list->columns[place];
	state.order.reverse = false;
}

/* Mode kprobe does not know clients */
static unsigned int next_grouping(void)
{
	unsigned int by = grouping_next(state.by);

	while (state.mode == MODE_KPROBE && by & MR_BY_CLIENT)
		by = grouping_next(by);
	return by;
}

/* Counting starts anew, so rows that were selected are no more */
static void tell_apart_by(unsigned int by)
{
	/* What the filter leaves out must be told apart */
	if (state.filter.attr_id >= 0)
		by |= MR_BY_ATTRIBUTE;
	state.by = by;
	state.has_selected = false;
	state.paused = false;
	state.counted_anew = true;
	if (state.order.column->by && !(state.order.column->by & by))
		state.order.column = column_by_key("retries");
}

static void begin_filter(void)
{
	state.editing = true;
	strcpy(state.filter_before, state.filter.text);
}

/* The filter works while it is typed; Escape takes back what was typed */
static void edit_filter(int key)
{
	char *text = state.filter.text;
	size_t length = strlen(text);

	switch (key) {
	case '\r':
	case '\n':
	case KEY_ENTER:
		state.editing = false;
		break;
	case KEY_ESCAPE:
		strcpy(text, state.filter_before);
		state.editing = false;
		break;
	case KEY_BACKSPACE:
	case KEY_DELETE:
	case '\b':
		if (length)
			text[length - 1] = '\0';
		break;
	default:
		if (key < 0x80 && isprint(key) &&
		    length + 1 < sizeof(state.filter.text)) {
			text[length] = (char)key;
			text[length + 1] = '\0';
		}
	}
}

static void select_key(int key)
{
	switch (key) {
	case KEY_UP:
	case 'k':
		select_line(line_up(1));
		break;
	case KEY_DOWN:
	case 'j':
		select_line(state.selected_line + 1);
		break;
	case KEY_PPAGE:
		select_line(line_up(state.page));
		break;
	case KEY_NPAGE:
		select_line(state.selected_line + state.page);
		break;
	case KEY_HOME:
		select_line(0);
		break;
	case KEY_END:
		select_line(state.line_count);
		break;
	}
}

static void table_key(int key)
{
	switch (key) {
	case 's':
		sort_by_neighbour(1);
		break;
	case 'S':
		sort_by_neighbour(-1);
		break;
	case 'r':
		state.order.reverse = !state.order.reverse;
		break;
	case 'f':
	case '/':
		begin_filter();
		break;
	case 'p':
	case ' ':
		state.paused = !state.paused;
		break;
	case 't':
		state.span = state.span == SPAN_TOTAL ? SPAN_INTERVAL :
							SPAN_TOTAL;
		break;
	case 'v':
	case '\t':
		state.pane = (state.pane + 1) % PANES;
		break;
	case 'g':
		tell_apart_by(next_grouping());
		break;
	case 'c':
		chooser_begin(&state);
		state.overlay = OVERLAY_COLUMNS;
		break;
	case 'h':
	case '?':
		help_begin(&state);
		state.overlay = OVERLAY_HELP;
		break;
	default:
		select_key(key);
	}
}

/* Returns false when the page is to be closed */
static bool overlay_key(int key)
{
	return state.overlay == OVERLAY_HELP ? help_key(&state, key) :
					       chooser_key(&state, key);
}

/* Returns false to quit */
static bool obey(int key)
{
	if (state.editing) {
		edit_filter(key);
		return true;
	}
	if (key == 'q' || key == 'Q')
		return false;
	if (state.overlay == OVERLAY_NONE)
		table_key(key);
	else if (!overlay_key(key))
		state.overlay = OVERLAY_NONE;
	return true;
}

bool screen_input(void)
{
	int key = getch();

	/* Woken up for input and none is there: the terminal is gone */
	if (key == ERR)
		return false;
	for (; key != ERR; key = getch()) {
		if (!obey(key))
			return false;
	}
	draw();
	return true;
}
