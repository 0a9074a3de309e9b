// SPDX-License-Identifier: GPL-2.0
/*
 * madretry-top - MAD requests, retries, BUSY responses and time-outs, live
 *
 * It counts in the kernel and never sends a MAD: a tool that watches a storm
 * must not feed it.
 */
#include <argp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bars.h"
#include "column_list.h"
#include "gather.h"
#include "grouping.h"
#include "history.h"
#include "message.h"
#include "options.h"
#include "output.h"
#include "show_json.h"
#include "show_screen.h"
#include "show_text.h"
#include "surroundings.h"
#include "wake.h"

const char *argp_program_version = "madretry-top " MADRETRY_VERSION;

static const char doc[] =
	"Show MAD requests, retries, BUSY responses and time-outs by device, port, management class and attribute, every INTERVAL seconds (default 1), COUNT times.\n"
	"\v"
	"Examples:\n"
	"  madretry-top                    the interactive screen\n"
	"  madretry-top -c SA              subnet administration only\n"
	"  madretry-top -d mlx5_0 -p 1 5   one port, every 5 seconds\n"
	"  madretry-top -b 10 6            text: six times in one minute\n"
	"  madretry-top --by client        which program or module asks\n"
	"  madretry-top -b --stuck 10 1    what waits longest, and for what\n"
	"  madretry-top --columns device,attribute,retries,p99,trend\n"
	"  madretry-top --json | jq '.sum // empty'   for another program\n"
	"\n"
	"Exit status: 0, 1 if something it needs is missing, 2 for a wrong command line.";

enum { OPTION_COLUMNS = 0x200, OPTION_BY, OPTION_STUCK };

/* Requests that --stuck lists unless it says how many */
#define OLDEST_DEFAULT 10

static const struct argp_option option_list[] = {
	{ "batch", 'b', NULL, 0,
	  "Print plain text, as without a terminal", 2 },
	{ "sort", 's', "COLUMN", 0,
	  "Sort by this column (default retries)", 2 },
	{ "by", OPTION_BY, "WHAT", 0,
	  "One row for each of these: attribute (default), destination, client, or several with commas between them",
	  2 },
	{ "stuck", OPTION_STUCK, "N", OPTION_ARG_OPTIONAL,
	  "List the N (default 10) oldest outstanding requests as well", 2 },
	{ "columns", OPTION_COLUMNS, "LIST", 0,
	  "Show these columns, in this order, with commas between them; +LIST adds to those of default; \"list\" lists all",
	  2 },
	{ 0 }
};

struct top {
	struct options options;
	struct gather_options gathering;
	struct order order;
	const char *columns;		/* NULL: those of default */
	size_t oldest;			/* requests to list, 0: none */
	bool batch;
};

enum mode { MODE_SCREEN, MODE_TEXT, MODE_JSON };

struct run {
	const struct top *top;
	enum mode mode;
	struct gather_options gathering;
	struct gather *gather;
	bool lists_requests;
	struct snapshot now;
	struct snapshot before;
	struct history history;
	struct column_list columns;
	unsigned long shown;
};

static const struct column *sort_column(const char *key)
{
	const struct column *column = column_by_key(key);

	if (!column)
		fail_usage("column '%s' is none of %s", key, column_keys());
	if (column->is_trend)
		fail_usage("column '%s' cannot be sorted by; choose another", key);
	return column;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct top *top = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &top->options;
		state->child_inputs[1] = &top->options;
		state->child_inputs[2] = &top->options;
		break;
	case 'b':
		top->batch = true;
		break;
	case 's':
		top->order.column = sort_column(arg);
		break;
	case OPTION_BY:
		top->gathering.by = grouping_parse(arg);
		break;
	case OPTION_STUCK:
		top->oldest = OLDEST_DEFAULT;
		if (arg)
			top->oldest = options_integer("--stuck", arg, 1,
						      MR_REQUESTS_MAX);
		break;
	case OPTION_COLUMNS:
		top->columns = arg;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp_child children[] = {
	{ .argp = &options_argp },
	{ .argp = &counting_argp },
	{ .argp = &json_argp },
	{ 0 }
};

static const struct argp top_argp = {
	.options = option_list,
	.parser = parse,
	.args_doc = "[INTERVAL [COUNT]]",
	.doc = doc,
	.children = children,
};

static void choose_columns(struct run *run, bool on_screen)
{
	const struct top *top = run->top;

	if (top->columns)
		column_list_parse(&run->columns, top->columns, top->gathering.by,
				  on_screen);
	else
		column_list_default(&run->columns, on_screen);
}

/* The screen if there is one; counting has begun already */
static void begin_showing(struct run *run)
{
	const struct top *top = run->top;

	if (run->mode == MODE_SCREEN) {
		choose_columns(run, true);
		if (screen_start(&top->options, &top->order, &run->columns,
				 top->oldest))
			return;
		run->mode = MODE_TEXT;
		choose_columns(run, false);
	}
	if (run->mode == MODE_JSON)
		json_start(&top->options, top->gathering.by);
	else
		text_start(&top->options);
}

static void take_snapshot(struct run *run, bool last)
{
	if (last)
		gather_stop(run->gather);
	snapshot_free(&run->before);
	run->before = run->now;
	gather_read(run->gather, &run->before, &run->now);
	run->now.is_last = last;
	if (run->mode != MODE_JSON)
		history_add(&run->history, &run->now);
}

static void show(struct run *run)
{
	const struct top *top = run->top;

	switch (run->mode) {
	case MODE_SCREEN:
		screen_show(&run->now);
		break;
	case MODE_TEXT:
		text_show(&run->now, &top->options, &top->order,
			  &run->columns, top->oldest);
		break;
	case MODE_JSON:
		json_show(&run->now, &top->options, &top->order, top->oldest);
		break;
	}
}

/* Returns false if that was the last one */
static bool tick(struct run *run)
{
	const struct options *options = &run->top->options;
	bool last;

	if (run->mode == MODE_SCREEN && screen_is_paused())
		return true;
	last = options->count && ++run->shown == options->count;
	take_snapshot(run, last);
	show(run);
	return !last;
}

/* Nothing that was counted is lost when a script ends the tool */
static void end_early(struct run *run)
{
	if (run->mode == MODE_SCREEN)
		return;
	take_snapshot(run, true);
	show(run);
}

static void begin_counting(struct run *run)
{
	run->gathering.retried = run->mode == MODE_SCREEN;
	run->gather = gather_start(&run->gathering);
	run->lists_requests = run->top->oldest > 0;
	gather_list_requests(run->gather, run->lists_requests);
}

/* Rows are told apart by something else: nothing that was counted is of use */
static void count_anew(struct run *run)
{
	gather_free(run->gather);
	history_free(&run->history);
	begin_counting(run);
	snapshot_free(&run->before);
	snapshot_free(&run->now);
	take_snapshot(run, false);
}

/* Keys may have asked for what the snapshots do not have */
static void follow_screen(struct run *run)
{
	bool list = screen_lists_requests();

	if (screen_by() != run->gathering.by) {
		run->gathering.by = screen_by();
		count_anew(run);
	} else if (list == run->lists_requests) {
		return;
	}
	if (list != run->lists_requests) {
		run->lists_requests = list;
		gather_list_requests(run->gather, list);
	}
	if (list)
		gather_read_requests(run->gather, &run->now);
	show(run);
}

static void run_until_end(struct run *run)
{
	double interval_s = run->top->options.interval_s;
	int input = run->mode == MODE_SCREEN ? STDIN_FILENO : -1;
	struct timespec next;
	bool going_on = true;

	clock_gettime(CLOCK_MONOTONIC, &next);
	/* A screen is not left empty for the first interval */
	if (run->mode == MODE_SCREEN) {
		take_snapshot(run, false);
		show(run);
	}
	next = wake_later(&next, interval_s);
	while (going_on) {
		switch (wake_wait(&next, input)) {
		case WAKE_TIME:
			going_on = tick(run);
			next = wake_later(&next, interval_s);
			break;
		case WAKE_STOP:
			end_early(run);
			going_on = false;
			break;
		case WAKE_RESIZE:
			if (run->mode == MODE_SCREEN)
				screen_resize();
			break;
		case WAKE_INPUT:
			going_on = screen_input();
			if (going_on)
				follow_screen(run);
			break;
		case WAKE_OUTPUT_CLOSED:
			output_closed();
		}
	}
}

static enum mode wanted_mode(const struct top *top)
{
	if (top->options.json)
		return MODE_JSON;
	return top->batch ? MODE_TEXT : MODE_SCREEN;
}

int main(int argc, char **argv)
{
	struct top top = {
		.options = {
			.filter = FILTER_NONE,
			.interval_s = 1,
			.max_rows = MR_ROWS_DEFAULT,
		},
		.gathering.by = MR_BY_ATTRIBUTE,
		.order.column = column_by_key("retries"),
	};
	struct run run = { .top = &top };

	output_check();
	bars_setup();
	options_parse(&top_argp, argc, argv, &top);
	if (top.columns && !strcmp(top.columns, "list")) {
		column_list_print_all();
		output_flush();
		return EXIT_SUCCESS;
	}
	/* What is to be left out must be told apart */
	if (top.options.filter.attr_id >= 0)
		top.gathering.by |= MR_BY_ATTRIBUTE;
	run.gathering = top.gathering;
	run.gathering.max_rows = top.options.max_rows;
	run.gathering.mode = &top.options.mode;
	run.gathering.verbose = top.options.verbose;
	run.mode = wanted_mode(&top);
	/* Bad names are to be said before anything is loaded */
	column_require_known(top.order.column, top.gathering.by);
	choose_columns(&run, run.mode == MODE_SCREEN);
	require_tracing(&top.options.filter);
	wake_setup();

	begin_counting(&run);
	begin_showing(&run);
	run_until_end(&run);

	history_free(&run.history);
	snapshot_free(&run.before);
	snapshot_free(&run.now);
	gather_free(run.gather);
	return EXIT_SUCCESS;
}
