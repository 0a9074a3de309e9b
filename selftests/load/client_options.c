// SPDX-License-Identifier: GPL-2.0
/* The command line of "sastorm client". */
#include "client_options.h"

#include <arpa/inet.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <infiniband/umad_sa.h>

#include "clock.h"
#include "cmdline.h"
#include "mad_names.h"

#define REQUESTS_MAX	100000000
#define AGENTS_MAX	4096
#define START_MS_MAX	86400000

enum {
	OPT_CLASS_VERSION = 0x100, OPT_RMPP, OPT_GID_INDEX, OPT_SL, OPT_START,
	OPT_SEED, OPT_FIRST_TID, OPT_FLOOD, OPT_UNTIL_GOOD, OPT_LIMIT, OPT_JSON,
	OPT_FIELDS,
};

static const struct argp_option option_list[] = {
	{ .doc = "From where to where", .group = 1 },
	{ "device", 'd', "DEV", 0, "RDMA device, such as rxe0", 0 },
	{ "port", 'p', "PORT", 0, "Port of the device (1)", 0 },
	{ "gid", 'g', "GID", 0, "Send to this GID, with a GRH", 0 },
	{ "lid", 'l', "LID", 0,
	  "Send to this LID (the port's SM, where there is one)", 0 },
	{ "gid-index", OPT_GID_INDEX, "N", 0, "Source GID index (0)", 0 },
	{ "sl", OPT_SL, "N", 0, "Service level (0)", 0 },
	{ "agents", 'A', "N", 0,
	  "Take turns with N umad agents, to look like many programs (1)", 0 },

	{ .doc = "What to ask", .group = 2 },
	{ "class", 'c', "CLASS", 0, "Management class (0x03, SA)", 0 },
	{ "class-version", OPT_CLASS_VERSION, "N", 0,
	  "Its version (2 for SA and CM, 1 for others)", 0 },
	{ "method", 'M', "METHOD", 0, "Get, Set, GetTable... or 0xNN (Get)",
	  0 },
	{ "attribute", 'a', "LIST", 0,
	  "PathRecord, NodeRecord, MCMemberRecord, ServiceRecord, ClassPortInfo... or 0xNN or 0xNN-0xNN; of several the requests take turns (PathRecord)",
	  0 },
	{ "rmpp", OPT_RMPP, "yes|no", 0,
	  "Have the kernel do RMPP (yes for table methods)", 0 },
	{ "first-tid", OPT_FIRST_TID, "N", 0,
	  "Low half of the first TID; the next follow it (1)", 0 },

	{ .doc = "How hard", .group = 3 },
	{ "requests", 'n', "N", 0, "Requests (1)", 0 },
	{ "outstanding", 'm', "M", 0, "At most so many unanswered (1)", 0 },
	{ "timeout", 'T', "MS", 0,
	  "Any int: 0 expects no answer, negative waits for ever (1000)", 0 },
	{ "retries", 'R', "N", 0, "Any int (3)", 0 },
	{ "start", OPT_START, "PATTERN", 0,
	  "Spread the posting of all requests: even:MS or random:MS", 0 },
	{ "seed", OPT_SEED, "N", 0, "Seed of --start random (1)", 0 },
	{ "flood", OPT_FLOOD, "SECONDS", 0,
	  "Post for so long instead of N requests", 0 },
	{ "until-good", OPT_UNTIL_GOOD, NULL, 0,
	  "Ask again at once, as a new request, whatever fails, until N have a good answer", 0 },
	{ "limit", OPT_LIMIT, "SECONDS", 0,
	  "Give up after so long; what is unanswered is unfinished", 0 },

	{ .doc = "Output", .group = 4 },
	{ "json", OPT_JSON, NULL, 0, "Print the report as JSON", 0 },
	{ "fields", OPT_FIELDS, NULL, 0,
	  "Print the same for shells, a line \"key value\" for each", 0 },
	{ 0 }
};

static const char doc[] =
	"Send requests to a server of a management class, count what becomes of them and measure how long it takes. "
	"Exit status 0 if every request was posted and completed somehow, 1 if not."
	"\v"
	"Examples:\n"
	"  sastorm client -d rxe0 -g fe80::2 -n 10000 -m 64 -T 100 -R 3\n"
	"  sastorm client -d rxe0 -g fe80::2 -M GetTable -a NodeRecord\n"
	"  sastorm client -d rxe0 -g fe80::2 -m 64 --flood 5 --json\n"
	"  sastorm client -d mlx5_0 -a ClassPortInfo    (asks the real SA)\n";

/* What was given, where leaving it out means something of its own. */
struct given {
	struct client_options *options;
	const char *method;
	char *attributes;
	const char *rmpp;
	bool class_version;
	bool requests;
};

static void parse_start(struct client_options *options, const char *text)
{
	const char *time = strchr(text, ':');

	if (time && !strncmp(text, "even:", 5))
		options->start = START_EVEN;
	else if (time && !strncmp(text, "random:", 7))
		options->start = START_RANDOM;
	else
		fail_input("--start: '%s' is neither even:MS nor random:MS",
			   text);
	options->start_ms = (uint32_t)parse_integer("--start", time + 1, 1,
						    START_MS_MAX);
}

static void add_attribute(struct client_options *options, uint16_t attribute)
{
	if (options->attribute_count == ATTRIBUTES_MAX)
		fail_input("--attribute: more than %d", ATTRIBUTES_MAX);
	options->attributes[options->attribute_count++] = attribute;
}

/* "FIRST-LAST", both numbers */
static void parse_range(struct client_options *options, char *first)
{
	uint8_t mgmt_class = options->registration.mgmt_class;
	char *last = strchr(first, '-');
	unsigned int from, to;

	*last++ = '\0';
	from = parse_attribute("--attribute", first, mgmt_class);
	to = parse_attribute("--attribute", last, mgmt_class);
	if (from > to)
		fail_input("--attribute: %s is greater than %s", first, last);
	for (; from <= to; from++)
		add_attribute(options, (uint16_t)from);
}

static void parse_attributes(struct client_options *options, char *list)
{
	char *name;

	while ((name = strsep(&list, ","))) {
		if (name[0] >= '0' && name[0] <= '9' && strchr(name, '-'))
			parse_range(options, name);
		else
			add_attribute(options,
				      parse_attribute("--attribute", name,
						      options->registration.mgmt_class));
	}
}

static void parse_rmpp(struct client_options *options, const char *text)
{
	struct mad_registration *registration = &options->registration;

	if (!text) {
		registration->rmpp = is_table_method(options->method) &&
				     class_has_rmpp(registration->mgmt_class);
		return;
	}
	registration->rmpp = !strcmp(text, "yes");
	if (strcmp(text, "yes") && strcmp(text, "no"))
		fail_input("--rmpp: '%s' is neither yes nor no", text);
	if (registration->rmpp && !class_has_rmpp(registration->mgmt_class))
		fail_input("--rmpp: class 0x%02x has no RMPP",
			   registration->mgmt_class);
}

static void finish(struct given *given)
{
	struct client_options *options = given->options;
	struct mad_registration *registration = &options->registration;
	char path_record[] = "0x35";

	if (!given->class_version)
		registration->class_version =
			default_class_version(registration->mgmt_class);
	options->method = parse_method("--method", given->method,
				       registration->mgmt_class);
	parse_attributes(options, given->attributes ? given->attributes :
						      path_record);
	parse_rmpp(options, given->rmpp);
	if (options->has_gid && options->lid)
		fail_input("--gid and --lid: give one of them");
	if (options->flood_ns && given->requests)
		fail_input("--flood and --requests: give one of them");
	if (options->flood_ns && options->start != START_AT_ONCE)
		fail_input("--flood and --start: give one of them");
	if (options->until_good && options->flood_ns)
		fail_input("--until-good and --flood: give one of them");
	if (options->until_good && options->start != START_AT_ONCE)
		fail_input("--until-good and --start: give one of them");
	if (options->until_good && !options->timeout_ms)
		fail_input("--until-good needs answers: give a --timeout that is not 0");
}

static bool parse_destination(int key, const char *text,
			      struct client_options *options)
{
	switch (key) {
	case 'd':
		options->registration.device = text;
		return true;
	case 'p':
		options->registration.port =
			(int)parse_integer("--port", text, 1, 255);
		return true;
	case 'g':
		options->has_gid = true;
		if (inet_pton(AF_INET6, text, options->gid) != 1)
			fail_input("--gid: '%s' is not a GID", text);
		return true;
	case 'l':
		options->lid = (uint16_t)parse_integer("--lid", text, 1,
						       0xbfff);
		return true;
	case OPT_GID_INDEX:
		options->gid_index =
			(uint8_t)parse_integer("--gid-index", text, 0, 255);
		return true;
	case OPT_SL:
		options->sl = (uint8_t)parse_integer("--sl", text, 0, 15);
		return true;
	case 'A':
		options->agents =
			(unsigned int)parse_integer("--agents", text, 1,
						    AGENTS_MAX);
		return true;
	default:
		return false;
	}
}

static bool parse_load(int key, const char *text, struct given *given)
{
	struct client_options *options = given->options;

	switch (key) {
	case 'n':
		given->requests = true;
		options->requests = (uint64_t)parse_integer("--requests", text,
							    1, REQUESTS_MAX);
		return true;
	case 'm':
		options->outstanding =
			(unsigned int)parse_integer("--outstanding", text, 1,
						    REQUESTS_MAX);
		return true;
	case 'T':
		options->timeout_ms = (int)parse_integer("--timeout", text,
							 INT_MIN, INT_MAX);
		return true;
	case 'R':
		options->retries = (int)parse_integer("--retries", text,
						      INT_MIN, INT_MAX);
		return true;
	case OPT_START:
		parse_start(options, text);
		return true;
	case OPT_SEED:
		options->seed = (uint64_t)parse_integer("--seed", text, 0,
							LLONG_MAX);
		return true;
	case OPT_FLOOD:
		options->flood_ns = (uint64_t)
			(parse_real("--flood", text, 0.001, 3600) * NS_PER_SEC);
		return true;
	case OPT_UNTIL_GOOD:
		options->until_good = true;
		return true;
	case OPT_LIMIT:
		options->limit_ns = (uint64_t)
			(parse_real("--limit", text, 0.001, 1e6) * NS_PER_SEC);
		return true;
	default:
		return false;
	}
}

static error_t parse_option(int key, char *text, struct argp_state *state)
{
	struct given *given = state->input;
	struct client_options *options = given->options;

	if (parse_destination(key, text, options) ||
	    parse_load(key, text, given))
		return 0;

	switch (key) {
	case ARGP_KEY_INIT:
		cmdline_one_line_errors(state);
		return 0;
	case 'c':
		options->registration.mgmt_class = parse_class("--class", text);
		return 0;
	case OPT_CLASS_VERSION:
		given->class_version = true;
		options->registration.class_version =
			(uint8_t)parse_integer("--class-version", text, 1, 255);
		return 0;
	case 'M':
		given->method = text;
		return 0;
	case 'a':
		given->attributes = text;
		return 0;
	case OPT_RMPP:
		given->rmpp = text;
		return 0;
	case OPT_FIRST_TID:
		options->first_tid = (uint32_t)parse_integer("--first-tid",
							     text, 0,
							     UINT32_MAX);
		return 0;
	case OPT_JSON:
		options->format = REPORT_JSON;
		return 0;
	case OPT_FIELDS:
		options->format = REPORT_FIELDS;
		return 0;
	case ARGP_KEY_ARG:
		fail_input("'%s': the client takes options only", text);
	case ARGP_KEY_END:
		finish(given);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

void client_options_read(struct client_options *options, int argc, char **argv)
{
	static const struct argp argp = {
		.options = option_list,
		.parser = parse_option,
		.doc = doc,
	};
	struct given given = { .options = options, .method = "Get" };

	*options = (struct client_options) {
		.registration = {
			.port = 1,
			.mgmt_class = UMAD_CLASS_SUBN_ADM,
		},
		.requests = 1,
		.outstanding = 1,
		.timeout_ms = 1000,
		.retries = 3,
		.agents = 1,
		.seed = 1,
		.first_tid = 1,
	};
	cmdline_parse(&argp, "client", argc, argv, &given);
}
