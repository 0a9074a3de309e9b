// SPDX-License-Identifier: GPL-2.0
/* Sends LAPs, APRs and REJs that ib_cm would not send, for tests of the receiver */
#include <arpa/inet.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../load/cmdline.h"
#include "cm_format.h"
#include "cm_fuzz.h"
#include "cm_send.h"

#define PACE_EVERY	32	/* fuzzed messages between looks at the receiver */
#define PACE_US		200
#define PACE_WAIT_S	10

enum {
	OPT_LOCAL_ID = 256, OPT_REMOTE_ID, OPT_QPN, OPT_TID, OPT_LOCAL_LID,
	OPT_REMOTE_LID, OPT_LOCAL_GID, OPT_REMOTE_GID, OPT_HOP_LIMIT,
	OPT_NOT_LOCAL, OPT_RATE, OPT_SL, OPT_ACK_TIMEOUT, OPT_STATUS, OPT_SEED,
	OPT_PACE, OPT_DGID,
};

static const struct argp_option options[] = {
	{ "device", 'd', "NAME", 0, "Device to send from", 0 },
	{ "port", 'P', "N", 0, "Port to send from (1)", 0 },
	{ "dlid", 'L', "LID", 0, "LID to send to", 0 },
	{ "dgid", OPT_DGID, "GID", 0, "GID to send to, which RoCE needs", 0 },
	{ "messages", 'n', "N", 0, "How many to send (1)", 0 },
	{ "local-id", OPT_LOCAL_ID, "ID", 0, "Communication ID of the sender", 1 },
	{ "remote-id", OPT_REMOTE_ID, "ID", 0, "... of the receiver", 1 },
	{ "qpn", OPT_QPN, "N", 0, "Queue pair of the receiver", 1 },
	{ "tid", OPT_TID, "N", 0, "Transaction (1)", 1 },
	{ "local-lid", OPT_LOCAL_LID, "LID", 0, "Alternate path: sender's LID", 2 },
	{ "remote-lid", OPT_REMOTE_LID, "LID", 0, "... receiver's LID", 2 },
	{ "local-gid", OPT_LOCAL_GID, "GID", 0, "... sender's GID", 2 },
	{ "remote-gid", OPT_REMOTE_GID, "GID", 0, "... receiver's GID", 2 },
	{ "hop-limit", OPT_HOP_LIMIT, "N", 0, "... hop limit (0)", 2 },
	{ "not-local", OPT_NOT_LOCAL, NULL, 0, "... leads out of the subnet", 2 },
	{ "rate", OPT_RATE, "N", 0, "... packet rate (7, 40 Gb/s)", 2 },
	{ "sl", OPT_SL, "N", 0, "... service level (0)", 2 },
	{ "ack-timeout", OPT_ACK_TIMEOUT, "N", 0, "... local ACK time-out (13)", 2 },
	{ "status", OPT_STATUS, "N", 0, "APR: status, REJ: reason (0)", 3 },
	{ "seed", OPT_SEED, "N", 0, "fuzz: seed (1)", 4 },
	{ "pace", OPT_PACE, "DIR", 0,
	  "fuzz: wait for the receiver, whose cm_rx_msgs this is", 4 },
	{ 0 },
};

struct arguments {
	const char *what;
	const char *device;
	int port;
	struct cm_destination to;
	uint64_t messages;
	uint64_t seed;
	const char *pace;
	struct cm_target target;
};

static void parse_gid(const char *option, const char *text, uint8_t *gid)
{
	if (inet_pton(AF_INET6, text, gid) != 1)
		fail_input("%s: '%s' is not a GID", option, text);
}

static error_t parse_path(int key, char *text, struct cm_target *target)
{
	switch (key) {
	case OPT_LOCAL_LID:
		target->local_lid = parse_integer("--local-lid", text, 0, 65535);
		return 0;
	case OPT_REMOTE_LID:
		target->remote_lid = parse_integer("--remote-lid", text, 0, 65535);
		return 0;
	case OPT_LOCAL_GID:
		parse_gid("--local-gid", text, target->local_gid);
		return 0;
	case OPT_REMOTE_GID:
		parse_gid("--remote-gid", text, target->remote_gid);
		return 0;
	case OPT_HOP_LIMIT:
		target->hop_limit = parse_integer("--hop-limit", text, 0, 255);
		return 0;
	case OPT_NOT_LOCAL:
		target->subnet_local = 0;
		return 0;
	case OPT_RATE:
		target->rate = parse_integer("--rate", text, 0, 63);
		return 0;
	case OPT_SL:
		target->sl = parse_integer("--sl", text, 0, 15);
		return 0;
	case OPT_ACK_TIMEOUT:
		target->ack_timeout = parse_integer("--ack-timeout", text, 0, 31);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t parse_target(int key, char *text, struct cm_target *target)
{
	switch (key) {
	case OPT_LOCAL_ID:
		target->local_id = parse_integer("--local-id", text, 0, UINT32_MAX);
		return 0;
	case OPT_REMOTE_ID:
		target->remote_id = parse_integer("--remote-id", text, 0,
						  UINT32_MAX);
		return 0;
	case OPT_QPN:
		target->qpn = parse_integer("--qpn", text, 0, 0xffffff);
		return 0;
	case OPT_TID:
		target->tid = parse_integer("--tid", text, 0, LLONG_MAX);
		return 0;
	case OPT_STATUS:
		target->status = parse_integer("--status", text, 0, 255);
		return 0;
	default:
		return parse_path(key, text, target);
	}
}

static error_t parse(int key, char *text, struct argp_state *state)
{
	struct arguments *args = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		cmdline_one_line_errors(state);
		return 0;
	case 'd':
		args->device = text;
		return 0;
	case 'P':
		args->port = parse_integer("--port", text, 1, 255);
		return 0;
	case 'L':
		args->to.dlid = parse_integer("--dlid", text, 1, 0xbfff);
		return 0;
	case OPT_DGID:
		parse_gid("--dgid", text, args->to.dgid);
		args->to.has_dgid = true;
		return 0;
	case 'n':
		args->messages = parse_integer("--messages", text, 1, INT_MAX);
		return 0;
	case OPT_SEED:
		args->seed = parse_integer("--seed", text, 0, LLONG_MAX);
		return 0;
	case OPT_PACE:
		args->pace = text;
		return 0;
	case ARGP_KEY_ARG:
		if (args->what)
			return ARGP_ERR_UNKNOWN;
		args->what = text;
		return 0;
	default:
		return parse_target(key, text, &args->target);
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.args_doc = "lap|apr|rej|fuzz",
	.doc = "Sends LAPs, APRs and REJs that ib_cm would not send.",
};

static uint64_t read_count(const char *dir, const char *name)
{
	char path[PATH_MAX];
	uint64_t count;
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	file = fopen(path, "r");
	if (!file || fscanf(file, "%" SCNu64, &count) != 1)
		fail_input("cannot read %s", path);
	fclose(file);
	return count;
}

static uint64_t received(const char *dir)
{
	return read_count(dir, "lap") + read_count(dir, "apr");
}

/* The receiver handles one after the other: do not run ahead of it. */
static void wait_until(const char *dir, uint64_t count)
{
	int waited;

	for (waited = 0; received(dir) < count; waited += PACE_US) {
		if (waited >= PACE_WAIT_S * 1000000)
			fail_running("the receiver takes no more messages");
		usleep(PACE_US);
	}
}

static void send_fuzz(struct cm_sender *sender, const struct arguments *args)
{
	uint64_t i, before = args->pace ? received(args->pace) : 0;
	uint8_t mad[CM_MAD_BYTES];

	for (i = 0; i < args->messages; i++) {
		cm_fuzz(mad, args->seed, i, &args->target);
		cm_sender_send(sender, mad);
		if (args->pace && !((i + 1) % PACE_EVERY))
			wait_until(args->pace, before + i + 1);
	}
	if (args->pace)
		wait_until(args->pace, before + args->messages);
}

static const struct {
	const char *name;
	void (*format)(uint8_t *mad, const struct cm_target *target);
} messages[] = {
	{ "lap", cm_format_lap },
	{ "apr", cm_format_apr },
	{ "rej", cm_format_rej },
	{ "fuzz", NULL },
};

#define MESSAGES (sizeof(messages) / sizeof(messages[0]))

static size_t message_number(const char *name)
{
	size_t i;

	for (i = 0; i < MESSAGES; i++)
		if (name && !strcmp(messages[i].name, name))
			return i;
	fail_input("what to send? lap, apr, rej or fuzz");
}

static void send_same(struct cm_sender *sender, const struct arguments *args,
		      size_t number)
{
	uint8_t mad[CM_MAD_BYTES];
	uint64_t i;

	messages[number].format(mad, &args->target);
	for (i = 0; i < args->messages; i++)
		cm_sender_send(sender, mad);
}

int main(int argc, char **argv)
{
	struct arguments args = {
		.port = 1,
		.messages = 1,
		.seed = 1,
		.target = {
			.tid = 1,
			.subnet_local = 1,
			.rate = 7,
			.ack_timeout = 13,
		},
	};
	struct cm_sender sender;
	size_t number;

	cmdline_parse(&argp, NULL, argc, argv, &args);
	number = message_number(args.what);
	if (!args.device || !(args.to.dlid || args.to.has_dgid))
		fail_input("where from, and where to? Give --device, and --dlid or --dgid");
	cm_sender_open(&sender, args.device, args.port, &args.to);
	if (messages[number].format)
		send_same(&sender, &args, number);
	else
		send_fuzz(&sender, &args);
	/* what has been posted is sent before the agent goes */
	usleep(10000);
	cm_sender_close(&sender);
	return 0;
}
