// SPDX-License-Identifier: GPL-2.0
/*
 * madretry-hist - how long MAD requests wait, and how they get their response:
 * histograms of a span of time
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gather.h"
#include "json_line.h"
#include "message.h"
#include "notes.h"
#include "options.h"
#include "output.h"
#include "replace_file.h"
#include "show_histograms.h"
#include "surroundings.h"
#include "wake.h"

/* The first phase of counting ends with the first reading, see gather.c */
#define FIRST_READ_S	1.5

#define WITHOUT_END_S	(100.0 * 365 * 86400)

const char *argp_program_version = "madretry-hist " MADRETRY_VERSION;

static const char doc[] =
	"Show histograms of MAD requests: waits by retry number, response times, attempts per request, and what was left when the response came. Every INTERVAL seconds what was counted in it, COUNT times; without INTERVAL all until Ctrl-C.\n"
	"\v"
	"Examples:\n"
	"  madretry-hist 10 1              ten seconds\n"
	"  madretry-hist -c SA             subnet administration, until Ctrl-C\n"
	"  madretry-hist --by class 60     every minute, by class\n"
	"  madretry-hist --svg storm.svg 10 1   a picture for a report\n"
	"  madretry-hist --json 10 1 | jq '.histograms[]?'   for another program\n"
	"\n"
	"Exit status: 0, 1 if something it needs is missing, 2 for a wrong command line.";

enum { OPTION_BY = 0x300, OPTION_SVG };

static const struct argp_option option_list[] = {
	{ "by", OPTION_BY, "WHAT", 0,
	  "Histograms for each class, attribute (and class; the default) or row (device, port, class and attribute), or for all together; waits by class at most",
	  2 },
	{ "svg", OPTION_SVG, "FILE", 0,
	  "At the end, also write all since the start to FILE, as a picture",
	  2 },
	{ 0 }
};

struct hist {
	struct options options;
	enum histogram_split split;
	const char *svg;

	struct gather *gather;
	struct snapshot now;
	struct histograms before;	/* what the last report has shown */
	struct mr_counters sum_before;
	double shown_until_s;
	unsigned long shown;
};

static enum histogram_split split_option(const char *name)
{
	static const char *const names[] = {
		[SPLIT_NONE] = "all", [SPLIT_CLASS] = "class",
		[SPLIT_ATTRIBUTE] = "attribute", [SPLIT_ROW] = "row",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(names[i], name))
			return (enum histogram_split)i;
	}
	fail_usage("--by '%s' is none of all, class, attribute, row", name);
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct hist *hist = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &hist->options;
		state->child_inputs[1] = &hist->options;
		state->child_inputs[2] = &hist->options;
		break;
	case OPTION_BY:
		hist->split = split_option(arg);
		break;
	case OPTION_SVG:
		hist->svg = arg;
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

static const struct argp hist_argp = {
	.options = option_list,
	.parser = parse,
	.args_doc = "[INTERVAL [COUNT]]",
	.doc = doc,
	.children = children,
};

static void check_surroundings(const struct hist *hist)
{
	require_tracing(&hist->options.filter);
	/* Not after an hour of counting */
	if (hist->svg && !replace_file_try(hist->svg))
		fail_environment("cannot write %s: %s", hist->svg,
				 strerror(errno));
}

static void start_output(const struct hist *hist)
{
	json_object *object;

	if (!hist->options.json) {
		printf("Tracing MAD requests; Ctrl-C ends.\n");
		mode_print(&hist->options.mode);
	} else {
		object = json_start_object(
			mode_name(hist->options.mode.chosen));
		json_add_mode(object, &hist->options.mode);
		json_add(object, "interval_s", hist->options.interval_s ?
			 json_object_new_double(hist->options.interval_s) :
			 NULL);
		json_print_line(object);
	}
	output_flush();
}

static void take_snapshot(struct hist *hist)
{
	struct snapshot before = hist->now;

	gather_read(hist->gather, &before, &hist->now);
	snapshot_free(&before);
}

static struct mr_counters add_up(const struct hist *hist)
{
	struct mr_counters sum = {};

	for (size_t i = 0; i < hist->now.row_count; i++) {
		const struct snapshot_row *row = &hist->now.rows[i];

		if (filter_matches(&hist->options.filter, row))
			counters_add(&sum, &row->total);
	}
	return sum;
}

/* Of what was counted since the start; @notes: of NOTES_MAX */
static struct histogram_report make_report(const struct hist *hist,
					   const struct histograms *histograms,
					   char *notes)
{
	const struct snapshot *now = &hist->now;

	return (struct histogram_report){
		.histograms = histograms,
		.options = &hist->options,
		.end = now->time,
		.seconds = now->since_start_s,
		.since_start_s = now->since_start_s,
		.is_last = now->is_last,
		.lost_events = now->lost_events,
		.mode = mode_name(hist->options.mode.chosen),
		.limits = mode_limits(hist->options.mode.chosen),
		.notes = notes_make(now, notes, NOTES_MAX) ? notes : NULL,
		.sum = add_up(hist),
	};
}

static void write_svg(const struct hist *hist,
		      const struct histogram_report *report)
{
	size_t length;
	char *svg = histograms_make_svg(report, &length);

	if (!replace_file(hist->svg, svg, length))
		fail_environment("cannot write %s: %s", hist->svg,
				 strerror(errno));
	free(svg);
}

/* What was counted since the report before */
static void show_interval(struct hist *hist, struct histogram_report *report,
			  struct histograms *histograms)
{
	struct mr_counters sum = report->sum;

	histograms_subtract(histograms, &hist->before);
	counters_subtract(&report->sum, &hist->sum_before);
	report->seconds -= hist->shown_until_s;
	if (hist->options.json)
		histograms_show_json(report);
	else
		histograms_show_text(report);
	hist->sum_before = sum;
	hist->shown_until_s = report->since_start_s;
}

static void report(struct hist *hist, bool last)
{
	struct histogram_report report;
	struct histograms total, shown;
	char notes[NOTES_MAX];

	if (last)
		gather_stop(hist->gather);
	take_snapshot(hist);
	hist->now.is_last = last;
	histograms_make(&total, &hist->now, &hist->options.filter,
			hist->split);
	report = make_report(hist, &total, notes);
	if (last && hist->svg)
		write_svg(hist, &report);
	histograms_make(&shown, &hist->now, &hist->options.filter,
			hist->split);
	report.histograms = &shown;
	show_interval(hist, &report, &shown);
	histograms_free(&shown);
	histograms_free(&hist->before);
	hist->before = total;
}

static void run_until_end(struct hist *hist)
{
	const struct options *options = &hist->options;
	double interval_s = options->interval_s ? options->interval_s :
						  WITHOUT_END_S;
	struct timespec start, next, early;
	bool is_early = true, last = false;

	clock_gettime(CLOCK_MONOTONIC, &start);
	next = wake_later(&start, interval_s);
	early = wake_later(&start, FIRST_READ_S);
	while (!last) {
		bool waits_for_early = is_early && FIRST_READ_S < interval_s;

		switch (wake_wait(waits_for_early ? &early : &next, -1)) {
		case WAKE_TIME:
			if (waits_for_early) {
				take_snapshot(hist);
				is_early = false;
				break;
			}
			last = options->count &&
			       ++hist->shown == options->count;
			report(hist, last);
			next = wake_later(&next, interval_s);
			break;
		case WAKE_STOP:
			last = true;
			report(hist, last);
			break;
		case WAKE_OUTPUT_CLOSED:
			output_closed();
		case WAKE_RESIZE:
		case WAKE_INPUT:
			break;
		}
	}
}

int main(int argc, char **argv)
{
	struct hist hist = {
		.options = {
			.filter = FILTER_NONE,
			.max_rows = MR_ROWS_DEFAULT,
		},
		.split = SPLIT_ATTRIBUTE,
	};

	output_check();
	options_parse(&hist_argp, argc, argv, &hist);
	check_surroundings(&hist);
	wake_setup();

	hist.gather = gather_start(&(struct gather_options){
		.max_rows = hist.options.max_rows,
		.by = MR_BY_ATTRIBUTE,
		.mode = &hist.options.mode,
		.completions = true,
		.verbose = hist.options.verbose,
	});
	start_output(&hist);
	run_until_end(&hist);

	histograms_free(&hist.before);
	snapshot_free(&hist.now);
	gather_free(hist.gather);
	return EXIT_SUCCESS;
}
