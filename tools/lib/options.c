// SPDX-License-Identifier: GPL-2.0
/* The part of the command line that all tools have. */
#include "options.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

enum { OPTION_JSON = 0x100, OPTION_MAX_ROWS, OPTION_MODE };

/* As many as attribute numbers of one class, on one port */
#define MAX_ROWS_LIMIT	65536

static const struct argp_option device_list[] = {
	{ "device", 'd', "DEV", 0, "Only this RDMA device, such as mlx5_0", 1 },
	{ "port", 'p', "PORT", 0, "Only ports of this number", 1 },
	{ "verbose", 'v', NULL, 0,
	  "Say on stderr why a mode is not used, and what the kernel says about the BPF programs", 2 },
	{ 0 }
};

static const struct argp_option option_list[] = {
	{ "class", 'c', "CLASS", 0,
	  "Only this management class: SA, CM, SM, PM ... or its number", 1 },
	{ "attribute", 'a', "ATTR", 0,
	  "Only this attribute: PathRecord, NodeInfo ... or its number", 1 },
	{ "mode", OPTION_MODE, "MODE", 0,
	  "How to see MADs: auto (default), events, fentry or kprobe", 2 },
	{ 0 }
};

static const struct argp_option json_list[] = {
	{ "json", OPTION_JSON, NULL, 0, "Print one JSON object a line", 2 },
	{ 0 }
};

static const struct argp_option counting_list[] = {
	{ "max-rows", OPTION_MAX_ROWS, "N", 0,
	  "Keep at most N rows (default 512); the rest is counted in a row (other)",
	  2 },
	{ 0 }
};

double options_number(const char *what, const char *text, double min,
		      double max)
{
	char *end;
	double number = strtod(text, &end);

	if (end == text || *end || !isfinite(number) || number < min ||
	    number > max)
		fail_usage("%s '%s' is not a number from %g to %g", what, text,
			   min, max);
	return number;
}

unsigned long options_integer(const char *what, const char *text,
			      unsigned long min, unsigned long max)
{
	unsigned long number;
	char *end;

	errno = 0;
	number = strtoul(text, &end, 10);
	if (text[0] < '0' || text[0] > '9' || *end || errno || number < min ||
	    number > max)
		fail_usage("%s '%s' is not a whole number from %lu to %lu",
			   what, text, min, max);
	return number;
}

static int class_option(const char *text)
{
	int mgmt_class = class_from_text(text);

	if (mgmt_class < 0)
		fail_usage("class '%s' is none of %s, and no number from 1 to 255",
			   text, class_names());
	return mgmt_class;
}

/* Which one it is depends on the class, that may come later */
static void settle_attribute(struct filter *filter)
{
	char name[CLASS_NAME_MAX] = "any class";

	if (!filter->attribute)
		return;
	filter->attr_id = attribute_from_text(filter->mgmt_class,
					      filter->attribute);
	if (filter->attr_id == ATTRIBUTE_AMBIGUOUS)
		fail_usage("attribute '%s' has different numbers in different classes: say -c as well",
			   filter->attribute);
	if (filter->mgmt_class >= 0)
		class_name((uint8_t)filter->mgmt_class, name, sizeof(name));
	if (filter->attr_id == ATTRIBUTE_UNKNOWN)
		fail_usage("attribute '%s' is none of %s, and no number from 0 to 65535",
			   filter->attribute, name);
	/* A number is the same in all classes */
	if (filter->attribute[0] >= '0' && filter->attribute[0] <= '9')
		filter->attribute = NULL;
}

static void positional(struct options *options, unsigned int place,
		       const char *text)
{
	if (place == 0)
		options->interval_s = options_number("interval", text,
						     INTERVAL_MIN_S,
						     INTERVAL_MAX_S);
	else if (place == 1)
		options->count = options_integer("count", text, 1, 1000000000);
	else
		fail_usage("'%s' is one argument too many; see --help", text);
}

static error_t parse_device(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		/* getopt has named the bad option: no second line of advice */
		state->err_stream = NULL;
		break;
	case 'd':
		options->filter.device = arg;
		break;
	case 'p':
		options->filter.port = (int)options_integer("port", arg, 0,
							    254);
		break;
	case 'v':
		options->verbose = true;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = options;
		break;
	case 'c':
		options->filter.mgmt_class = class_option(arg);
		break;
	case 'a':
		options->filter.attribute = arg;
		break;
	case ARGP_KEY_SUCCESS:
		settle_attribute(&options->filter);
		break;
	case OPTION_MODE:
		options->mode.wanted = mode_from_text(arg);
		if (options->mode.wanted == MODES)
			fail_usage("mode '%s' is none of %s", arg,
				   mode_names());
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static error_t parse_json(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;

	(void)arg;
	if (key != OPTION_JSON)
		return ARGP_ERR_UNKNOWN;
	options->json = true;
	return 0;
}

static error_t parse_duration(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;

	if (key != ARGP_KEY_ARG)
		return ARGP_ERR_UNKNOWN;
	if (state->arg_num)
		fail_usage("'%s' is one argument too many; see --help", arg);
	options->duration_s = options_number("duration", arg, INTERVAL_MIN_S,
					     INTERVAL_MAX_S);
	return 0;
}

static error_t parse_counting(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case OPTION_MAX_ROWS:
		options->max_rows = (unsigned int)options_integer(
			"--max-rows", arg, 1, MAX_ROWS_LIMIT);
		break;
	case ARGP_KEY_ARG:
		positional(options, state->arg_num, arg);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

const struct argp device_argp = {
	.options = device_list,
	.parser = parse_device,
};

static const struct argp_child children[] = {
	{ .argp = &device_argp },
	{ 0 }
};

const struct argp options_argp = {
	.options = option_list,
	.parser = parse,
	.children = children,
};

const struct argp json_argp = {
	.options = json_list,
	.parser = parse_json,
};

const struct argp duration_argp = {
	.parser = parse_duration,
};

const struct argp counting_argp = {
	.options = counting_list,
	.parser = parse_counting,
};

void options_parse(const struct argp *argp, int argc, char **argv,
		   void *input)
{
	argp_err_exit_status = EXIT_USAGE;
	/* getopt begins its messages with this, whatever its path */
	argv[0] = program_invocation_short_name;
	if (argp_parse(argp, argc, argv, 0, NULL, input))
		exit(EXIT_USAGE);
}
