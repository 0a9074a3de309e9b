// SPDX-License-Identifier: GPL-2.0
/*
 * Subscribes to the SA's notices of ports that go in and out of service (traps 64
 * and 65, IBA vol. 1, 14.2.5.1 and 13.4.11), and prints a line for each:
 *
 *     in fe80::2fa:b000:0:101
 *     out fe80::2fa:b000:0:101
 *
 * which is what apm_peer's debugfs file "notice" takes.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <infiniband/umad_sa.h>

#include "../load/cmdline.h"
#include "../load/mad_port.h"

#define PORTS_MAX		2
#define TRAP_IN_SERVICE		64
#define TRAP_OUT_OF_SERVICE	65
#define METHOD_REPORT		0x06
#define METHOD_REPORT_RESP	0x86
#define ATTR_NOTICE		0x0002
#define ATTR_INFORM_INFO	0x0003
#define SA_DATA_BYTES		200
#define ALL_LIDS		0xffff
#define ALL_TYPES		0xffff
#define ALL_PRODUCERS		0xffffff
#define GSI_QP			1
#define GSI_QKEY		0x80010000
#define ANSWER_MS		1000
#define RETRIES			5
#define LONG_BITS		(8 * sizeof(long))

/* InformInfo (13.4.8.3) */
struct inform_info {
	uint8_t gid[16];
	uint16_t lid_begin;
	uint16_t lid_end;
	uint16_t reserved;
	uint8_t is_generic;
	uint8_t subscribe;
	uint16_t type;
	uint16_t trap;
	uint32_t qpn_response_time;	/* 24 bits, 3 reserved, 5 */
	uint32_t producer;		/* 8 reserved, 24 bits */
} __attribute__((packed));

/* Notice (13.4.8.2), with the details of traps 64 to 67 */
struct notice {
	uint8_t generic_type;
	uint8_t producer[3];
	uint16_t trap;
	uint16_t issuer_lid;
	uint16_t toggle_count;
	uint8_t reserved[6];
	uint8_t gid[16];
} __attribute__((packed));

struct sa_mad {
	struct umad_hdr hdr;
	uint8_t rmpp[12];
	uint64_t sm_key;
	uint16_t attr_offset;
	uint16_t reserved;
	uint64_t comp_mask;
	uint8_t data[SA_DATA_BYTES];
} __attribute__((packed));

_Static_assert(sizeof(struct sa_mad) == MAD_BYTES, "an SA MAD has 256 bytes");
_Static_assert(sizeof(struct inform_info) == 36, "InformInfo has 36 bytes");

struct port {
	int fd;
	int agent;
	uint16_t sm_lid;
	uint8_t sm_sl;
	void *umad;
};

struct arguments {
	const char *device;
	const char *output;
	int ports[PORTS_MAX];
	int count;
};

static const struct argp_option options[] = {
	{ "device", 'd', "NAME", 0, "Device", 0 },
	{ "port", 'P', "N", 0, "Port, whose subnet's SA is asked; may be repeated (1)",
	  0 },
	{ "output", 'o', "FILE", 0, "Write each line to FILE (stdout)", 0 },
	{ 0 },
};

static volatile sig_atomic_t stop;

static void on_signal(int signal)
{
	(void)signal;
	stop = 1;
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
		if (args->count == PORTS_MAX)
			fail_input("no more than %d ports", PORTS_MAX);
		args->ports[args->count++] = parse_integer("--port", text, 1, 255);
		return 0;
	case 'o':
		args->output = text;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static const struct argp argp = {
	.options = options,
	.parser = parse,
	.doc = "Prints the SA's notices of ports that go in and out of service.",
};

/* ---- sending ---- */

static struct sa_mad *mad_of(struct port *port)
{
	return umad_get_mad(port->umad);
}

static void send_mad(struct port *port, int timeout_ms, int retries)
{
	if (umad_send(port->fd, port->agent, port->umad, MAD_BYTES, timeout_ms,
		      retries))
		fail_running("cannot send to the SA: %s", strerror(errno));
}

static void ask(struct port *port, uint16_t trap, bool subscribe)
{
	struct inform_info info = {
		.lid_begin = htobe16(ALL_LIDS),
		.is_generic = 1,
		.subscribe = subscribe,
		.type = htobe16(ALL_TYPES),
		.trap = htobe16(trap),
		.qpn_response_time = htobe32(GSI_QP << 8),
		.producer = htobe32(ALL_PRODUCERS),
	};
	struct sa_mad *mad = mad_of(port);
	static uint32_t tid;

	memset(port->umad, 0, umad_size() + MAD_BYTES);
	mad->hdr.base_version = UMAD_BASE_VERSION;
	mad->hdr.mgmt_class = UMAD_CLASS_SUBN_ADM;
	mad->hdr.class_version = UMAD_SA_CLASS_VERSION;
	mad->hdr.method = UMAD_METHOD_SET;
	mad->hdr.attr_id = htobe16(ATTR_INFORM_INFO);
	mad->hdr.tid = htobe64(++tid);
	memcpy(mad->data, &info, sizeof(info));
	umad_set_addr(port->umad, port->sm_lid, GSI_QP, port->sm_sl, GSI_QKEY);
	send_mad(port, ANSWER_MS, RETRIES);
}

/* The same again, with the method of the answer: so the SA stops repeating it */
static void answer_report(struct port *port)
{
	ib_mad_addr_t *from = umad_get_mad_addr(port->umad);
	uint16_t lid = be16toh(from->lid);
	uint8_t sl = from->sl;

	mad_of(port)->hdr.method = METHOD_REPORT_RESP;
	umad_set_addr(port->umad, lid, GSI_QP, sl, GSI_QKEY);
	send_mad(port, 0, 0);
}

/* ---- receiving ---- */

static void print_notice(const struct notice *notice, const char *output)
{
	uint16_t trap = be16toh(notice->trap);
	char gid[INET6_ADDRSTRLEN];
	FILE *file = stdout;

	if (trap != TRAP_IN_SERVICE && trap != TRAP_OUT_OF_SERVICE)
		return;
	inet_ntop(AF_INET6, notice->gid, gid, sizeof(gid));
	if (output)
		file = fopen(output, "w");
	if (!file)
		fail_running("cannot write to %s: %s", output, strerror(errno));
	fprintf(file, "%s %s\n", trap == TRAP_IN_SERVICE ? "in" : "out", gid);
	if (fflush(file))
		fail_running("cannot write: %s", strerror(errno));
	if (output)
		fclose(file);
}

/* Returns true if it was the answer to what this program asked. */
static bool receive(struct port *port, const char *output)
{
	int length = MAD_BYTES;
	struct sa_mad *mad = mad_of(port);

	if (umad_recv(port->fd, port->umad, &length, 0) < 0)
		return false;
	if (umad_status(port->umad))
		fail_running("the SA does not answer");
	if (mad->hdr.method == METHOD_REPORT &&
	    be16toh(mad->hdr.attr_id) == ATTR_NOTICE) {
		answer_report(port);
		print_notice((struct notice *)mad->data, output);
		return false;
	}
	if (be16toh(mad->hdr.attr_id) != ATTR_INFORM_INFO)
		return false;
	if (mad->hdr.status)
		fail_running("the SA refuses: status 0x%04x",
			     be16toh(mad->hdr.status));
	return true;
}

static void wait_readable(struct port *ports, int count)
{
	struct pollfd fds[PORTS_MAX];
	int i;

	for (i = 0; i < count; i++)
		fds[i] = (struct pollfd){ .fd = ports[i].fd, .events = POLLIN };
	if (poll(fds, count, -1) < 0 && errno != EINTR)
		fail_running("poll: %s", strerror(errno));
}

static void ask_and_wait(struct port *port, uint16_t trap, bool subscribe,
			 const char *output)
{
	ask(port, trap, subscribe);
	do
		wait_readable(port, 1);
	while (!receive(port, output));
}

/* ---- a port ---- */

static void open_port(struct port *port, const char *device, int number)
{
	long methods[128 / LONG_BITS] = { [0] = 1L << METHOD_REPORT };
	umad_port_t info;

	mad_port_check(device, number, &info);
	port->sm_lid = info.sm_lid;
	port->sm_sl = info.sm_sl;
	umad_release_port(&info);
	if (!port->sm_lid)
		fail_input("no subnet manager on %s port %d", device, number);
	port->fd = umad_open_port(device, number);
	if (port->fd < 0)
		fail_input("cannot open umad of %s port %d: run as root", device,
			   number);
	/* umad_recv() without a time-out would wait for ever */
	if (fcntl(port->fd, F_SETFL, O_NONBLOCK))
		fail_running("fcntl: %s", strerror(errno));
	port->agent = umad_register(port->fd, UMAD_CLASS_SUBN_ADM,
				    UMAD_SA_CLASS_VERSION, 0, methods);
	if (port->agent < 0)
		fail_input("cannot register for reports on %s port %d: another program does",
			   device, number);
	port->umad = umad_alloc(1, umad_size() + MAD_BYTES);
	if (!port->umad)
		fail_running("no memory");
}

static void subscribe(struct port *port, bool on, const char *output)
{
	ask_and_wait(port, TRAP_IN_SERVICE, on, output);
	ask_and_wait(port, TRAP_OUT_OF_SERVICE, on, output);
}

int main(int argc, char **argv)
{
	struct sigaction action = { .sa_handler = on_signal };
	struct arguments args = { 0 };
	struct port ports[PORTS_MAX];
	int i;

	cmdline_parse(&argp, NULL, argc, argv, &args);
	if (!args.count)
		args.ports[args.count++] = 1;
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	for (i = 0; i < args.count; i++) {
		open_port(&ports[i], args.device, args.ports[i]);
		subscribe(&ports[i], true, args.output);
	}
	fprintf(stderr, "%s: subscribed\n", program_invocation_short_name);
	while (!stop) {
		wait_readable(ports, args.count);
		for (i = 0; i < args.count && !stop; i++)
			receive(&ports[i], args.output);
	}
	for (i = 0; i < args.count; i++)
		subscribe(&ports[i], false, args.output);
	return 0;
}
