// SPDX-License-Identifier: GPL-2.0
/* The command line of "sastorm server". */
#include "server_options.h"

#include <limits.h>
#include <string.h>

#include "clock.h"
#include "cmdline.h"
#include "mad_names.h"

#define SEGMENTS_MAX	20000
#define ROUNDING	1e-9	/* 0.1 has no exact double */

enum {
	OPT_CLASS_VERSION = 0x100, OPT_ANSWERS, OPT_GOOD, OPT_BUSY, OPT_DROP,
	OPT_SEED, OPT_DELAY, OPT_RATE, OPT_QUEUE, OPT_FULL, OPT_SEGMENTS,
	OPT_RMPP_TIMEOUT, OPT_RMPP_RETRIES, OPT_REQUESTS, OPT_IDLE, OPT_LOG,
	OPT_PID_FILE, OPT_REMEMBER, OPT_JSON, OPT_FIELDS,
};

static const struct argp_option option_list[] = {
	{ .doc = "Where and what", .group = 1 },
	{ "device", 'd', "DEV", 0, "RDMA device, such as rxe1", 0 },
	{ "port", 'p', "PORT", 0, "Port of the device (1)", 0 },
	{ "class", 'c', "CLASS", 0, "Management class to serve (0x03, SA)", 0 },
	{ "class-version", OPT_CLASS_VERSION, "N", 0,
	  "Its version (2 for SA and CM, 1 for others)", 0 },

	{ .doc = "The answer to each attempt of a request", .group = 2 },
	{ "answers", OPT_ANSWERS, "LIST", 0,
	  "Script: attempt k gets item k, the last item repeats. An item is good, busy, drop or a MAD status (0x000c), then *TIMES, then @DELAY_MS",
	  0 },
	{ "good", OPT_GOOD, "P", 0,
	  "At random: probability of a good answer (what the others leave)", 0 },
	{ "busy", OPT_BUSY, "P", 0, "Probability of BUSY (0)", 0 },
	{ "drop", OPT_DROP, "P", 0, "Probability of no answer (0)", 0 },
	{ "seed", OPT_SEED, "N", 0, "Seed of all random choices (1)", 0 },
	{ "delay", OPT_DELAY, "MS[-MAX]", 0,
	  "Answer so much later; with MAX at random in between", 0 },

	{ .doc = "A queue before it", .group = 3 },
	{ "rate", OPT_RATE, "N", 0, "Serve N requests per second", 0 },
	{ "queue", OPT_QUEUE, "N", 0,
	  "Places in the queue, the one being served included", 0 },
	{ "full", OPT_FULL, "drop|busy", 0,
	  "What a request gets that finds it full (drop)", 0 },

	{ .doc = "RMPP", .group = 4 },
	{ "segments", OPT_SEGMENTS, "K", 0,
	  "Answer table requests in RMPP with K segments of 200 bytes", 0 },
	{ "rmpp-timeout", OPT_RMPP_TIMEOUT, "MS", 0,
	  "Time-out of those answers; 0 leaves it to the kernel (0)", 0 },
	{ "rmpp-retries", OPT_RMPP_RETRIES, "N", 0,
	  "Retries of those answers (3)", 0 },

	{ .doc = "When to end, and what to write", .group = 5 },
	{ "requests", OPT_REQUESTS, "N", 0,
	  "End when N different requests have come and been dealt with", 0 },
	{ "idle", OPT_IDLE, "SECONDS", 0,
	  "End when nothing has come for so long after the first request", 0 },
	{ "log", OPT_LOG, "FILE", 0, "One line for each arrival", 0 },
	{ "pid-file", OPT_PID_FILE, "FILE", 0,
	  "Write the process ID there once ready to answer", 0 },
	{ "remember", OPT_REMEMBER, "N", 0,
	  "Tell retries from first attempts among the last N requests (262144)",
	  0 },
	{ "json", OPT_JSON, NULL, 0, "Print the report as JSON", 0 },
	{ "fields", OPT_FIELDS, NULL, 0,
	  "Print the same for shells, a line \"key value\" for each", 0 },
	{ 0 }
};

static const char doc[] =
	"Answer the requests of a management class on one port, well, badly or not at all, and count them. "
	"Ends on SIGTERM, SIGINT, --requests or --idle and prints its counters."
	"\v"
	"Examples:\n"
	"  sastorm server -d rxe1 --answers 'busy*2,good' --log arrivals\n"
	"  sastorm server -d rxe1 --busy 0.2 --drop 0.1 --seed 7 --json\n"
	"  sastorm server -d rxe1 --rate 500 --queue 50 --full busy\n";

/* The parts of the command line that only make sense together. */
struct given {
	struct server_options *options;
	bool random;
	bool good;
	double good_probability;
	bool class_version;
	bool full;
};

static void parse_full(struct given *given, const char *text)
{
	given->full = true;
	given->options->full_is_busy = !strcmp(text, "busy");
	if (strcmp(text, "busy") && strcmp(text, "drop"))
		fail_input("--full: '%s' is neither drop nor busy", text);
}

static bool parse_answer_option(int key, char *text, struct given *given)
{
	struct answer_policy *policy = &given->options->policy;

	switch (key) {
	case OPT_ANSWERS:
		answer_script_parse("--answers", text, policy);
		return true;
	case OPT_GOOD:
		given->good = true;
		given->good_probability = parse_real("--good", text, 0, 1);
		given->random = true;
		return true;
	case OPT_BUSY:
		policy->busy = parse_real("--busy", text, 0, 1);
		given->random = true;
		return true;
	case OPT_DROP:
		policy->nothing = parse_real("--drop", text, 0, 1);
		given->random = true;
		return true;
	case OPT_SEED:
		policy->seed = (uint64_t)parse_integer("--seed", text, 0,
						       LLONG_MAX);
		return true;
	case OPT_DELAY:
		answer_delay_parse("--delay", text, policy);
		return true;
	default:
		return false;
	}
}

static bool parse_queue_option(int key, const char *text, struct given *given)
{
	struct server_options *options = given->options;

	switch (key) {
	case OPT_RATE:
		options->queue.service_ns = NS_PER_SEC /
			(uint64_t)parse_integer("--rate", text, 1, 1000000);
		return true;
	case OPT_QUEUE:
		options->queue.length =
			(unsigned int)parse_integer("--queue", text, 1,
						    10000000);
		return true;
	case OPT_FULL:
		parse_full(given, text);
		return true;
	case OPT_SEGMENTS:
		options->segments =
			(unsigned int)parse_integer("--segments", text, 1,
						    SEGMENTS_MAX);
		return true;
	case OPT_RMPP_TIMEOUT:
		options->rmpp_timeout_ms =
			(int)parse_integer("--rmpp-timeout", text, 0, INT_MAX);
		return true;
	case OPT_RMPP_RETRIES:
		options->rmpp_retries =
			(int)parse_integer("--rmpp-retries", text, 0, INT_MAX);
		return true;
	default:
		return false;
	}
}

static void check_together(const struct given *given)
{
	const struct server_options *options = given->options;
	double sum = options->policy.busy + options->policy.nothing +
		     given->good_probability;

	if (options->policy.script_steps && given->random)
		fail_input("--answers cannot be given with --good, --busy or --drop");
	if (sum > 1 + ROUNDING || (given->good && sum < 1 - ROUNDING))
		fail_input("the probabilities of good, BUSY and drop add up to %g, not to 1",
			   sum);
	if (!options->queue.service_ns != !options->queue.length)
		fail_input("--rate and --queue go together: give both or neither");
	if (given->full && !options->queue.length)
		fail_input("--full needs --rate and --queue");
	if (options->segments &&
	    options->registration.mgmt_class != UMAD_CLASS_SUBN_ADM)
		fail_input("--segments is for the SA class, 0x03, alone");
}

static void finish(struct given *given)
{
	struct mad_registration *registration = &given->options->registration;

	if (!given->class_version)
		registration->class_version =
			default_class_version(registration->mgmt_class);
	registration->rmpp = given->options->segments > 0;
	check_together(given);
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct given *given = state->input;
	struct server_options *options = given->options;
	struct mad_registration *registration = &options->registration;

	if (parse_answer_option(key, text, given) ||
	    parse_queue_option(key, text, given))
		return 0;

	switch (key) {
	case ARGP_KEY_INIT:
		cmdline_one_line_errors(state);
		return 0;
	case 'd':
		registration->device = text;
		return 0;
	case 'p':
		registration->port = (int)parse_integer("--port", text, 1, 255);
		return 0;
	case 'c':
		registration->mgmt_class = parse_class("--class", text);
		return 0;
	case OPT_CLASS_VERSION:
		given->class_version = true;
		registration->class_version =
			(uint8_t)parse_integer("--class-version", text, 1, 255);
		return 0;
	case OPT_REQUESTS:
		options->requests = (uint64_t)parse_integer("--requests", text,
							    1, LLONG_MAX);
		return 0;
	case OPT_IDLE:
		options->idle_ns = (uint64_t)
			(parse_real("--idle", text, 0.001, 1e6) * NS_PER_SEC);
		return 0;
	case OPT_LOG:
		options->log_path = text;
		return 0;
	case OPT_PID_FILE:
		options->pid_path = text;
		return 0;
	case OPT_REMEMBER:
		options->remember = (unsigned int)
			parse_integer("--remember", text, 1, 100000000);
		return 0;
	case OPT_JSON:
		options->format = REPORT_JSON;
		return 0;
	case OPT_FIELDS:
		options->format = REPORT_FIELDS;
		return 0;
	case ARGP_KEY_ARG:
		fail_input("'%s': the server takes options only", text);
	case ARGP_KEY_END:
		finish(given);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

void server_options_read(struct server_options *options, int argc, char **argv)
{
	static const struct argp argp = {
		.options = option_list,
		.parser = parse_option,
		.doc = doc,
	};
	struct given given = { .options = options };

	*options = (struct server_options) {
		.registration = {
			.port = 1,
			.mgmt_class = UMAD_CLASS_SUBN_ADM,
			.serve = true,
		},
		.policy = { .seed = 1 },
		.rmpp_retries = 3,
		.remember = 262144,
	};
	cmdline_parse(&argp, "server", argc, argv, &given);
}
