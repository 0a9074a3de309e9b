// SPDX-License-Identifier: GPL-2.0
/*
 * madretry-snoop - one line for each event of a MAD request
 *
 * What is not asked for is left out in the kernel. It never sends a MAD.
 */
#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "follow.h"
#include "json_line.h"
#include "log.h"
#include "lost.h"
#include "message.h"
#include "options.h"
#include "output.h"
#include "snoop_json.h"
#include "snoop_text.h"
#include "surroundings.h"
#include "wake.h"

const char *argp_program_version = "madretry-snoop " MADRETRY_VERSION;

static const char doc[] =
	"Print a line for each event of a MAD request: posted, retried, answered BUSY, given up, completed, its backoff started over. Ends after DURATION seconds if that is given.\n"
	"\v"
	"With more than one of --retries, --busy, --timeouts and --slower, an event is printed if one of them names it; with none of them, every event is.\n"
	"\n"
	"Examples:\n"
	"  madretry-snoop                     every event\n"
	"  madretry-snoop -c SA --retries     retries of SA queries\n"
	"  madretry-snoop --slower 500        requests that took more than 0.5 s\n"
	"  madretry-snoop --timeouts --follow-tid   the whole life of each that\n"
	"                                     times out\n"
	"  madretry-snoop --follow-tid=0x1b7 10   one request, for 10 seconds\n"
	"  madretry-snoop --json | jq -r 'select(.event == \"busy\").dlid'\n"
	"\n"
	"Exit status: 0, 1 if something it needs is missing, 2 for a wrong command line.";

enum {
	OPTION_RETRIES = 0x200,
	OPTION_BUSY,
	OPTION_TIMEOUTS,
	OPTION_SLOWER,
	OPTION_FOLLOW_TID,
	OPTION_BUFFER,
};

/* Room for about 5000 events that are yet to be printed */
#define BUFFER_DEFAULT_KB	1024
#define BUFFER_MIN_KB		64
#define BUFFER_MAX_KB		(1 << 20)

static const struct argp_option option_list[] = {
	{ "retries", OPTION_RETRIES, NULL, 0, "Retries only", 1 },
	{ "busy", OPTION_BUSY, NULL, 0, "BUSY responses only", 1 },
	{ "timeouts", OPTION_TIMEOUTS, NULL, 0,
	  "Requests that are given up only", 1 },
	{ "slower", OPTION_SLOWER, "MS", 0,
	  "Requests only that took more than MS milliseconds to complete", 1 },
	{ "follow-tid", OPTION_FOLLOW_TID, "TID", OPTION_ARG_OPTIONAL,
	  "Print all events of a request, from its post, once one of them is one that was asked for; of the requests with this TID only, if given",
	  1 },
	{ "count", 'n', "N", 0, "End after N events", 2 },
	{ "buffer", OPTION_BUFFER, "KB", 0,
	  "Room for events not printed yet, a power of two (default 1024)", 2 },
	{ 0 }
};

struct snoop {
	struct options options;
	struct mr_log_filter wanted;
	bool follow;
	unsigned long count;		/* 0: without end */
	unsigned long buffer_kb;
};

#define LOST_ADVICE "; see --buffer"

struct run {
	const struct snoop *snoop;
	struct log *log;
	struct follow *follow;		/* NULL if not asked for */
	unsigned long shown;
	struct lost lost;
};

/* A number in any base that C knows; 32 bits are the half that a program sets */
static void set_tid(struct mr_log_filter *wanted, const char *text)
{
	char *end;

	errno = 0;
	wanted->tid = strtoull(text, &end, 0);
	if (text[0] < '0' || text[0] > '9' || *end || errno)
		fail_usage("--follow-tid '%s' is not a transaction ID such as 0x1b7",
			   text);
	wanted->tid_mask = wanted->tid > 0xffffffff ? ~0ULL : 0xffffffff;
}

static unsigned long buffer_option(const char *text)
{
	unsigned long kb = options_integer("--buffer", text, BUFFER_MIN_KB,
					   BUFFER_MAX_KB);

	if (kb & (kb - 1))
		fail_usage("--buffer '%s' is not a power of two such as 1024", text);
	return kb;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct snoop *snoop = state->input;
	struct mr_log_filter *wanted = &snoop->wanted;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &snoop->options;
		state->child_inputs[1] = &snoop->options;
		state->child_inputs[2] = &snoop->options;
		break;
	case OPTION_RETRIES:
		wanted->events |= 1 << MR_LOG_RETRY;
		break;
	case OPTION_BUSY:
		wanted->events |= 1 << MR_LOG_BUSY;
		break;
	case OPTION_TIMEOUTS:
		wanted->events |= 1 << MR_LOG_TIMEOUT;
		break;
	case OPTION_SLOWER:
		wanted->slower_us = (__s64)(1000 * options_number("--slower",
								  arg, 0, 1e9));
		break;
	case OPTION_FOLLOW_TID:
		snoop->follow = true;
		if (arg)
			set_tid(wanted, arg);
		break;
	case 'n':
		snoop->count = options_integer("--count", arg, 1, 1000000000);
		break;
	case OPTION_BUFFER:
		snoop->buffer_kb = buffer_option(arg);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp_child children[] = {
	{ .argp = &options_argp },
	{ .argp = &json_argp },
	{ .argp = &duration_argp },
	{ 0 }
};

static const struct argp snoop_argp = {
	.options = option_list,
	.parser = parse,
	.args_doc = "[DURATION]",
	.doc = doc,
	.children = children,
};

static void set_wanted(struct snoop *snoop)
{
	const struct filter *filter = &snoop->options.filter;
	struct mr_log_filter *wanted = &snoop->wanted;

	if (!wanted->events && wanted->slower_us < 0)
		wanted->events = MR_LOG_ALL_EVENTS;
	if (filter->device)
		snprintf(wanted->device, sizeof(wanted->device), "%s",
			 filter->device);
	wanted->port = filter->port;
	wanted->mgmt_class = filter->mgmt_class;
	wanted->attr_id = filter->attr_id;
}

static void show_start(const struct snoop *snoop)
{
	const struct mode_choice *mode = &snoop->options.mode;
	const struct filter *filter = &snoop->options.filter;
	json_object *object;

	if (snoop->options.json) {
		object = json_start_object(mode_name(mode->chosen));
		json_add_mode(object, mode);
		json_print_line(object);
	} else {
		printf("Tracing MAD requests on %s; Ctrl-C ends.\n",
		       filter->device ? filter->device : "all devices");
		mode_print(mode);
		snoop_text_head();
	}
	output_flush();
}

static void show(const struct mr_log_record *record, void *context)
{
	struct run *run = context;
	struct timespec time = log_time(run->log, record);

	if (run->snoop->count && run->shown == run->snoop->count)
		return;
	run->shown++;
	if (run->snoop->options.json)
		snoop_json_show(record, &time);
	else
		snoop_text_show(record, &time);
}

static bool is_wanted(const struct mr_log_filter *wanted,
		      const struct mr_log_record *record)
{
	if (wanted->events & 1U << record->event)
		return true;
	return record->event == MR_LOG_DONE && wanted->slower_us >= 0 &&
	       record->done.duration_us > wanted->slower_us;
}

static void handle(const struct mr_log_record *record, void *context)
{
	struct run *run = context;

	if (!filter_wants_attribute(&run->snoop->options.filter,
				    record->mgmt_class, record->attr_id))
		return;
	if (run->follow)
		follow_record(run->follow, record,
			      is_wanted(&run->snoop->wanted, record));
	else
		show(record, run);
}

/* Returns true if there may be more to read */
static bool read_log(struct run *run)
{
	bool more = log_read(run->log, handle, run);

	output_flush();
	lost_note(&run->lost, log_lost(run->log), LOST_ADVICE);
	return more;
}

/* Of JSON the last line, which says whether anything is missing */
static void show_end(struct run *run)
{
	__u64 forgotten = run->follow ? follow_forgotten(run->follow) : 0;
	json_object *object;

	if (forgotten)
		message("%llu requests were outstanding too long among too many others: their first events may be missing",
			forgotten);
	if (!run->snoop->options.json)
		return;
	object = json_object_new_object();
	json_add_text(object, "type", "end");
	json_add_count(object, "events", run->shown);
	json_add_count(object, "lost_events", run->lost.total);
	json_add_count(object, "forgotten_requests", forgotten);
	json_print_line(object);
	output_flush();
}

static bool is_complete(const struct run *run)
{
	return run->snoop->count && run->shown == run->snoop->count;
}

static void run_until_end(struct run *run)
{
	double duration_s = run->snoop->options.duration_s;
	struct timespec end;
	bool going_on = true;

	clock_gettime(CLOCK_MONOTONIC, &end);
	end = wake_later(&end, duration_s ? duration_s : INTERVAL_MAX_S);
	while (going_on) {
		switch (wake_wait(&end, log_file(run->log))) {
		case WAKE_INPUT:
			read_log(run);
			going_on = !is_complete(run);
			break;
		case WAKE_TIME:
			if (duration_s)
				going_on = false;
			else
				end = wake_later(&end, INTERVAL_MAX_S);
			break;
		case WAKE_STOP:
			going_on = false;
			break;
		case WAKE_OUTPUT_CLOSED:
			output_closed();
		case WAKE_RESIZE:
			break;
		}
	}
	/* Nothing that was recorded is lost when a script ends the tool */
	log_stop(run->log);
	while (read_log(run))
		;
	lost_finish(&run->lost, LOST_ADVICE);
	show_end(run);
}

int main(int argc, char **argv)
{
	struct snoop snoop = {
		.options.filter = FILTER_NONE,
		.wanted = { .slower_us = -1, .attr_id = -1 },
		.buffer_kb = BUFFER_DEFAULT_KB,
	};
	struct run run = { .snoop = &snoop };
	struct mr_log_filter recorded;

	output_check();
	options_parse(&snoop_argp, argc, argv, &snoop);
	require_tracing(&snoop.options.filter);
	set_wanted(&snoop);
	wake_setup();

	recorded = snoop.wanted;
	if (snoop.follow) {
		run.follow = follow_start(FOLLOW_MAX_ENTRIES, show, &run);
		recorded.events = MR_LOG_ALL_EVENTS;
	}
	run.log = log_start(&snoop.options, &recorded, snoop.buffer_kb << 10);
	show_start(&snoop);
	run_until_end(&run);

	if (run.follow)
		follow_free(run.follow);
	log_free(run.log);
	return EXIT_SUCCESS;
}
