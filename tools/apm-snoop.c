// SPDX-License-Identifier: GPL-2.0
/*
 * apm-snoop - path migration of connections, step by step
 *
 * It watches, and asks the kernel for the state of queue pairs that are to
 * become armed: of that there is no event. It never sends a MAD.
 */
#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "apm_conn.h"
#include "apm_json.h"
#include "apm_log.h"
#include "apm_text.h"
#include "json_line.h"
#include "lost.h"
#include "message.h"
#include "options.h"
#include "output.h"
#include "qp_state.h"
#include "surroundings.h"
#include "wake.h"

const char *argp_program_version = "apm-snoop " MADRETRY_VERSION;

static const char doc[] =
	"Print a line for each step of automatic path migration: a queue pair migrates, a new alternate path is proposed (LAP) and answered (APR), the queue pair is rearmed, and armed. Ends after DURATION seconds if that is given.\n"
	"\v"
	"Examples:\n"
	"  apm-snoop                   every step of every connection\n"
	"  apm-snoop -d mlx5_0 -p 1    those of one port\n"
	"  apm-snoop --summary         until Ctrl-C, then each connection's time\n"
	"                              without protection; stuck ones first\n"
	"  apm-snoop --summary --json 3600 | jq -r 'select(.stuck).qpn'\n"
	"\n"
	"Exit status: 0, 1 if something it needs is missing, 2 for a wrong command line.";

enum { OPTION_SUMMARY = 0x200 };

/* Room for about 6000 events, that is some hundred connections at once */
#define BUFFER_SIZE (1 << 20)

static const struct argp_option option_list[] = {
	{ "summary", OPTION_SUMMARY, NULL, 0,
	  "Print the connections at the end, instead of each step", 2 },
	{ 0 }
};

struct snoop {
	struct options options;
	bool summary;
};

struct run {
	const struct snoop *snoop;
	enum apm_mode mode;
	struct apm_log *log;
	struct apm_table table;
	struct qp_state *queue_pairs;
	__u64 steps;
	struct lost lost;
};

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct snoop *snoop = state->input;

	(void)arg;	/* no option of its own has one */
	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &snoop->options;
		state->child_inputs[1] = &snoop->options;
		state->child_inputs[2] = &snoop->options;
		break;
	case OPTION_SUMMARY:
		snoop->summary = true;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp_child children[] = {
	{ .argp = &device_argp },
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

static __u64 now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (__u64)now.tv_sec * 1000000000 + (__u64)now.tv_nsec;
}

static struct timespec to_timespec(__u64 ns)
{
	return (struct timespec){
		.tv_sec = (time_t)(ns / 1000000000),
		.tv_nsec = (long)(ns % 1000000000),
	};
}

/* Ends the program if it cannot work; says so if it can do less */
static enum apm_mode check_surroundings(const struct options *options)
{
	char why[256];
	enum apm_mode mode = apm_probe(why, sizeof(why));

	require_filtered(&options->filter);
	if (mode != APM_EVENTS)
		message("%s: shows what functions of the kernel tell, which is queue pairs, and LAP and APR when they arrive, but no LAP that is sent and no LAP state",
			why);
	return mode;
}

static void show_start(const struct run *run)
{
	const struct snoop *snoop = run->snoop;
	const struct filter *filter = &snoop->options.filter;

	if (snoop->options.json) {
		json_print_line(json_start_object(apm_mode_name(run->mode)));
	} else {
		printf("Tracing path migration on %s, mode %s; Ctrl-C ends.\n",
		       filter->device ? filter->device : "all devices",
		       apm_mode_name(run->mode));
		if (!snoop->summary)
			apm_text_head();
	}
	output_flush();
}

static bool is_wanted(const struct filter *filter, const struct apm_step *step)
{
	__u32 port = (__u32)filter->port;

	if (filter->port < 0)
		return true;
	return step->conn ? apm_conn_uses_port(step->conn, port) :
			    step->record->port == port;
}

/*
 * All steps of a connection are taken into account: it is known only later on
 * which ports it uses
 */
static void handle(const struct mr_apm_record *record, void *context)
{
	struct run *run = context;
	const struct snoop *snoop = run->snoop;
	const struct filter *filter = &snoop->options.filter;
	struct timespec time;
	struct apm_step step;

	if (filter->device && strcmp(filter->device, record->device))
		return;
	step = apm_table_take(&run->table, record);
	if (!is_wanted(filter, &step))
		return;
	run->steps++;
	if (snoop->summary)
		return;
	time = records_time(apm_log_records(run->log), record->time_ns);
	if (snoop->options.json)
		apm_json_step(&step, &time);
	else
		apm_text_step(&step, &time);
}

static void handle_any(const void *record, void *context)
{
	handle(record, context);
}

/* Returns true if there may be more to read */
static bool read_log(struct run *run)
{
	bool more = records_read(apm_log_records(run->log), handle_any, run);

	output_flush();
	lost_note(&run->lost, apm_log_lost(run->log), "");
	return more;
}

static void query(struct run *run, bool all)
{
	apm_table_query(&run->table, run->queue_pairs, now_ns(), all, handle,
			run);
	output_flush();
}

/* Those that are armed, or are to be, when it begins */
static void handle_seen(const struct qp_info *info, void *context)
{
	struct run *run = context;
	const struct filter *filter = &run->snoop->options.filter;

	if (filter->device && strcmp(filter->device, info->device))
		return;
	apm_table_seen(&run->table, info, now_ns());
}

static void show_summary(struct run *run)
{
	int port = run->snoop->options.filter.port;
	__u64 end_ns = now_ns();
	struct apm_conn **conns;
	size_t all, count = 0;

	conns = apm_table_sorted(&run->table, &all);
	for (size_t i = 0; i < all; i++) {
		if (port < 0 || apm_conn_uses_port(conns[i], (__u32)port))
			conns[count++] = conns[i];
	}
	if (run->snoop->options.json)
		apm_json_summary(conns, count, end_ns);
	else
		apm_text_summary(conns, count, end_ns);
	free(conns);
}

/* Of JSON the last line, which says whether anything is missing */
static void show_end(struct run *run)
{
	__u64 forgotten = run->table.forgotten;
	json_object *object;

	if (forgotten)
		message("%llu connections were forgotten: there were more than %u",
			forgotten, APM_MAX_CONNS);
	if (run->snoop->summary)
		show_summary(run);
	if (run->snoop->options.json) {
		object = json_object_new_object();
		json_add_text(object, "type", "end");
		json_add_count(object, "steps", run->steps);
		json_add_count(object, "lost_events", run->lost.total);
		json_add_count(object, "forgotten_connections", forgotten);
		json_print_line(object);
	}
	output_flush();
}

/* When to look up again: the end, or a queue pair that is to be asked before */
static struct timespec next_time(const struct run *run, __u64 end_ns)
{
	__u64 query_ns = apm_table_next_query(&run->table);

	return to_timespec(query_ns && query_ns < end_ns ? query_ns : end_ns);
}

static __u64 end_of_run(double duration_s)
{
	struct timespec now = to_timespec(now_ns());

	now = wake_later(&now, duration_s);
	return (__u64)now.tv_sec * 1000000000 + (__u64)now.tv_nsec;
}

static void run_until_end(struct run *run)
{
	double duration_s = run->snoop->options.duration_s;
	__u64 end_ns = duration_s ? end_of_run(duration_s) : ~0ULL >> 1;
	bool going_on = true;

	while (going_on) {
		struct timespec next = next_time(run, end_ns);

		switch (wake_wait(&next,
				  records_file(apm_log_records(run->log)))) {
		case WAKE_INPUT:
			read_log(run);
			break;
		case WAKE_TIME:
			query(run, false);
			going_on = now_ns() < end_ns;
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
	apm_log_stop(run->log);
	while (read_log(run))
		;
	lost_finish(&run->lost, "");
	query(run, true);
	show_end(run);
}

int main(int argc, char **argv)
{
	struct snoop snoop = { .options.filter = FILTER_NONE };
	struct run run = {
		.snoop = &snoop,
		.table.max_conns = APM_MAX_CONNS,
	};

	output_check();
	options_parse(&snoop_argp, argc, argv, &snoop);
	run.mode = check_surroundings(&snoop.options);
	wake_setup();

	run.queue_pairs = qp_state_open();
	run.log = apm_log_start(run.mode, BUFFER_SIZE, snoop.options.verbose);
	qp_state_list(run.queue_pairs, handle_seen, &run);
	show_start(&run);
	run_until_end(&run);

	apm_table_free(&run.table);
	apm_log_free(run.log);
	qp_state_close(run.queue_pairs);
	return EXIT_SUCCESS;
}
