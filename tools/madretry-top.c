// SPDX-License-Identifier: GPL-2.0
/*
 * madretry-top - MAD requests, retries, BUSY responses and time-outs, live
 *
 * It counts in the kernel and never sends a MAD: a tool that watches a storm
 * must not feed it.
 */
#include <argp.h>
#include <stdlib.h>
#include <unistd.h>

#include "devices.h"
#include "gather.h"
#include "message.h"
#include "options.h"
#include "output.h"
#include "probe.h"
#include "show_json.h"
#include "show_screen.h"
#include "show_text.h"
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
	"  madretry-top --json | jq '.sum // empty'   for another program\n"
	"\n"
	"Exit status: 0, 1 if something it needs is missing, 2 for a wrong command line.";

static const struct argp_option option_list[] = {
	{ "batch", 'b', NULL, 0,
	  "Print plain text, as without a terminal", 2 },
	{ "sort", 's', "COLUMN", 0,
	  "Sort by this column (default retries); a wrong one lists all", 2 },
	{ 0 }
};

struct top {
	struct options options;
	struct order order;
	bool batch;
};

enum mode { MODE_SCREEN, MODE_TEXT, MODE_JSON };

struct run {
	const struct top *top;
	enum mode mode;
	struct gather *gather;
	struct snapshot now;
	struct snapshot before;
	unsigned long shown;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct top *top = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &top->options;
		state->child_inputs[1] = &top->options;
		break;
	case 'b':
		top->batch = true;
		break;
	case 's':
		top->order.column = column_by_key(arg);
		if (!top->order.column)
			fail_usage("column '%s' is none of %s", arg,
				   column_keys());
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp_child children[] = {
	{ .argp = &options_argp },
	{ .argp = &counting_argp },
	{ 0 }
};

static const struct argp top_argp = {
	.options = option_list,
	.parser = parse,
	.args_doc = "[INTERVAL [COUNT]]",
	.doc = doc,
	.children = children,
};

static void check_surroundings(const struct options *options)
{
	const struct filter *filter = &options->filter;
	char why[256];

	if (!probe_events(why, sizeof(why)))
		fail_environment("%s", why);
	if (filter->device)
		require_device(filter->device);
	if (filter->port >= 0)
		require_port(filter->device, filter->port);
}

/* The screen if there is one; counting has begun already */
static enum mode begin_showing(const struct top *top)
{
	if (top->options.json) {
		json_start(&top->options);
		return MODE_JSON;
	}
	if (!top->batch && screen_start(&top->options, &top->order))
		return MODE_SCREEN;
	text_start(&top->options);
	return MODE_TEXT;
}

static void take_snapshot(struct run *run, bool last)
{
	if (last)
		gather_stop(run->gather);
	snapshot_free(&run->before);
	run->before = run->now;
	gather_read(run->gather, &run->before, &run->now);
	run->now.is_last = last;
}

static void show(struct run *run)
{
	const struct top *top = run->top;

	switch (run->mode) {
	case MODE_SCREEN:
		screen_show(&run->now);
		break;
	case MODE_TEXT:
		text_show(&run->now, &top->options, &top->order);
		break;
	case MODE_JSON:
		json_show(&run->now, &top->options, &top->order);
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
			break;
		case WAKE_OUTPUT_CLOSED:
			output_closed();
		}
	}
}

int main(int argc, char **argv)
{
	struct top top = {
		.options = {
			.filter = FILTER_NONE,
			.interval_s = 1,
			.max_rows = MR_ROWS_DEFAULT,
		},
		.order.column = column_by_key("retries"),
	};
	struct run run = { .top = &top };

	output_check();
	options_parse(&top_argp, argc, argv, &top);
	check_surroundings(&top.options);
	wake_setup();

	run.gather = gather_start(top.options.max_rows, top.options.verbose);
	run.mode = begin_showing(&top);
	run_until_end(&run);

	snapshot_free(&run.before);
	snapshot_free(&run.now);
	gather_free(run.gather);
	return EXIT_SUCCESS;
}
