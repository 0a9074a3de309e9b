// SPDX-License-Identifier: GPL-2.0
/* "sastorm client": sends requests and counts what becomes of them. */
#include "client.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "clock.h"
#include "cmdline.h"
#include "mad_buffer.h"
#include "random.h"
#include "stop_signal.h"

/* Drivers may refresh their counters only every 10 ms. */
#define COUNTER_AGE_NS	(20 * NS_PER_MS)

#define FILES_BESIDE_AGENTS	16

struct client {
	struct client_options options;
	struct mad_agent *agents;
	struct pollfd *fds;		/* one for each agent */
	struct mad_buffer request;	/* the next one to post */
	struct mad_buffer received;
	uint64_t *start_ns;		/* of each request, or NULL: at once */
	size_t room;			/* for requests */
	uint64_t end_ns;		/* of the flood or by the limit */
	struct client_results results;
};

static void address_request(struct client *client, const umad_port_t *port)
{
	const struct client_options *options = &client->options;
	uint16_t lid = options->lid;
	ib_mad_addr_t *address;

	if (!options->has_gid && !lid)
		lid = (uint16_t)port->sm_lid;
	if (!options->has_gid && !lid)
		fail_input("%s port %d has no SM to ask: give --gid or --lid",
			   options->registration.device,
			   options->registration.port);

	umad_set_addr(client->request.umad, lid, 1, options->sl,
		      (int)UMAD_QKEY);
	umad_set_pkey(client->request.umad, 0);
	if (!options->has_gid)
		return;
	address = umad_get_mad_addr(client->request.umad);
	address->grh_present = 1;
	address->gid_index = options->gid_index;
	memcpy(address->gid, options->gid, sizeof(address->gid));
}

static void prepare_request(struct client *client, const umad_port_t *port)
{
	const struct mad_registration *registration =
		&client->options.registration;
	struct umad_vendor_packet *mad;

	mad_buffer_alloc(&client->request, MAD_BYTES);
	address_request(client, port);

	mad = umad_get_mad(client->request.umad);
	mad->mad_hdr.base_version = UMAD_BASE_VERSION;
	mad->mad_hdr.mgmt_class = registration->mgmt_class;
	mad->mad_hdr.class_version = registration->class_version;
	mad->mad_hdr.method = client->options.method;
	if (registration->mgmt_class >= UMAD_CLASS_VENDOR_RANGE2_START) {
		/* The OUI that umad_register() registers for. */
		mad->oui[0] = UMAD_OPENIB_OUI >> 16 & 0xff;
		mad->oui[1] = UMAD_OPENIB_OUI >> 8 & 0xff;
		mad->oui[2] = UMAD_OPENIB_OUI & 0xff;
	}
}

/* Each agent is an open file, and limits tend to be 1024 of those. */
static void allow_open_files(unsigned int agents)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) ||
	    limit.rlim_cur >= agents + FILES_BESIDE_AGENTS)
		return;
	limit.rlim_cur = agents + FILES_BESIDE_AGENTS;
	if (limit.rlim_max < limit.rlim_cur)
		limit.rlim_max = limit.rlim_cur;
	if (setrlimit(RLIMIT_NOFILE, &limit))
		fail_input("--agents: cannot open %u files: %m", agents);
}

static void open_agents(struct client *client)
{
	unsigned int count = client->options.agents, i;

	allow_open_files(count);
	client->agents = calloc(count, sizeof(*client->agents));
	client->fds = calloc(count, sizeof(*client->fds));
	if (!client->agents || !client->fds)
		fail_running("out of memory");
	for (i = 0; i < count; i++) {
		client->agents[i] =
			mad_agent_open(&client->options.registration);
		client->fds[i].fd = client->agents[i].fd;
		client->fds[i].events = POLLIN;
	}
}

static int compare_times(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static void plan_starts(struct client *client, uint64_t now_ns)
{
	const struct client_options *options = &client->options;
	uint64_t span_ns = options->start_ms * NS_PER_MS;
	uint64_t i;

	if (options->start == START_AT_ONCE)
		return;
	client->start_ns = calloc(options->requests,
				  sizeof(*client->start_ns));
	if (!client->start_ns)
		fail_running("out of memory");
	for (i = 0; i < options->requests; i++) {
		double place = options->start == START_EVEN ?
			(double)i / (double)options->requests :
			random_fraction(random_mix(random_mix(options->seed) ^
						   i));

		client->start_ns[i] = now_ns +
				      (uint64_t)(place * (double)span_ns);
	}
	qsort(client->start_ns, options->requests, sizeof(*client->start_ns),
	      compare_times);
}

static struct request *new_request(struct client *client)
{
	struct client_results *results = &client->results;

	if (results->posted == client->room) {
		client->room = client->room ? 2 * client->room : 1024;
		results->requests = reallocarray(results->requests,
						 client->room,
						 sizeof(*results->requests));
		if (!results->requests)
			fail_running("out of memory");
	}
	return &results->requests[results->posted++];
}

static void complete(struct client *client, struct request *request,
		     enum outcome outcome, uint64_t now_ns)
{
	client->results.counts[OUTCOME_OUTSTANDING]--;
	client->results.counts[outcome]++;
	client->results.last_ns = now_ns;
	request->outcome = (uint8_t)outcome;
	request->taken_ns = now_ns - request->posted_ns;
}

static void post_request(struct client *client)
{
	const struct client_options *options = &client->options;
	size_t number = client->results.posted;
	struct mad_agent *agent = &client->agents[number % options->agents];
	struct umad_hdr *mad = umad_get_mad(client->request.umad);
	struct request *request = new_request(client);

	mad->tid = htobe64((uint32_t)(options->first_tid + number));
	mad->attr_id = htobe16(options->attributes[number %
						   options->attribute_count]);
	*request = (struct request) { .posted_ns = clock_ns() };
	if (!number)
		client->results.first_ns = request->posted_ns;
	client->results.counts[OUTCOME_OUTSTANDING]++;

	if (umad_send(agent->fd, agent->id, client->request.umad, MAD_BYTES,
		      options->timeout_ms, options->retries)) {
		if (!client->results.counts[OUTCOME_SEND_ERROR])
			warn("cannot send: %m");
		complete(client, request, OUTCOME_SEND_ERROR, clock_ns());
	} else if (!options->timeout_ms) {
		/* umad says nothing when it was sent. */
		complete(client, request, OUTCOME_SENT, clock_ns());
	}
}

static bool may_post_more(const struct client *client, uint64_t now_ns)
{
	if (client->options.flood_ns)
		return now_ns < client->results.first_ns +
				client->options.flood_ns ||
		       !client->results.posted;
	/* What cannot even be sent would be tried again without end. */
	if (client->options.until_good)
		return client->results.counts[OUTCOME_GOOD] +
		       client->results.counts[OUTCOME_OUTSTANDING] <
		       client->options.requests &&
		       !client->results.counts[OUTCOME_SEND_ERROR];
	return client->results.posted < client->options.requests;
}

/* When the next request may be posted; UINT64_MAX if none may be now. */
static uint64_t next_post_ns(const struct client *client, uint64_t now_ns)
{
	if (client->results.counts[OUTCOME_OUTSTANDING] >=
	    client->options.outstanding || !may_post_more(client, now_ns))
		return UINT64_MAX;
	return client->start_ns ? client->start_ns[client->results.posted] : 0;
}

static struct request *find_request(struct client *client,
				    const struct umad_hdr *mad)
{
	/* The kernel put the agent's number into the high half of the TID. */
	uint32_t number = (uint32_t)be64toh(mad->tid) -
			  client->options.first_tid;
	struct request *request;

	if (number >= client->results.posted)
		return NULL;
	request = &client->results.requests[number];
	return request->outcome == OUTCOME_OUTSTANDING ? request : NULL;
}

static void check_rmpp(struct client *client)
{
	const struct umad_rmpp_packet *mad =
		umad_get_mad(client->received.umad);

	if (!client->options.registration.rmpp ||
	    !(mad->rmpp_hdr.rmpp_rtime_flags & UMAD_RMPP_FLAG_ACTIVE))
		return;
	client->results.rmpp_answers++;
	client->results.rmpp_bytes += client->received.length;
	if (!rmpp_answer_intact(&client->received))
		client->results.rmpp_corrupt++;
}

static enum outcome outcome_of(uint16_t status)
{
	if (!status)
		return OUTCOME_GOOD;
	return status & UMAD_STATUS_BUSY ? OUTCOME_BUSY : OUTCOME_OTHER_STATUS;
}

static void handle_mad(struct client *client)
{
	const struct umad_hdr *mad = umad_get_mad(client->received.umad);
	struct request *request = find_request(client, mad);
	uint64_t now_ns = clock_ns();

	if (!request) {
		client->results.unexpected++;
		return;
	}
	/* A time-out brings back the header of the request itself. */
	if (umad_status(client->received.umad)) {
		complete(client, request, OUTCOME_TIMEOUT, now_ns);
		return;
	}
	request->status = be16toh(mad->status);
	check_rmpp(client);
	complete(client, request, outcome_of(request->status), now_ns);
}

static void post_due(struct client *client)
{
	uint64_t now_ns = clock_ns();

	while (next_post_ns(client, now_ns) <= now_ns) {
		post_request(client);
		now_ns = clock_ns();
	}
}

/*
 * One MAD from each agent in turn, and then posting, so that neither a fast
 * server nor a fast client starves the other side of this loop.
 */
static bool receive_round(struct client *client)
{
	bool received = false;
	unsigned int i;

	for (i = 0; i < client->options.agents; i++) {
		if (!mad_receive(client->agents[i].fd, &client->received))
			continue;
		received = true;
		handle_mad(client);
	}
	return received;
}

static bool is_finished(const struct client *client)
{
	uint64_t now_ns = clock_ns();

	if (stop_signal_seen() || now_ns >= client->end_ns)
		return true;
	return !client->results.counts[OUTCOME_OUTSTANDING] &&
	       !may_post_more(client, now_ns);
}

static uint64_t earlier(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static void run(struct client *client)
{
	while (!is_finished(client)) {
		uint64_t until_ns;

		post_due(client);
		if (receive_round(client)) {
			stop_signal_poll(NULL, 0, 0);
			continue;
		}
		if (is_finished(client))
			break;
		until_ns = earlier(next_post_ns(client, clock_ns()),
				   client->end_ns);
		stop_signal_poll(client->fds, client->options.agents, until_ns);
	}
}

static void measure(struct client *client)
{
	const struct mad_registration *registration =
		&client->options.registration;
	struct client_results *results = &client->results;
	struct timespec age = ns_to_timespec(COUNTER_AGE_NS);
	uint64_t before = 0, after = 0, now_ns;

	results->knows_packets = mad_port_packets_sent(registration->device,
						       registration->port,
						       &before);
	now_ns = clock_ns();
	plan_starts(client, now_ns);
	client->end_ns = client->options.limit_ns ?
			 now_ns + client->options.limit_ns : UINT64_MAX;
	run(client);

	nanosleep(&age, NULL);
	results->knows_packets &= mad_port_packets_sent(registration->device,
							registration->port,
							&after);
	results->packets_sent = after - before;
}

static void close_client(struct client *client)
{
	unsigned int i;

	for (i = 0; i < client->options.agents; i++)
		mad_agent_close(&client->agents[i]);
	mad_buffer_free(&client->request);
	mad_buffer_free(&client->received);
	free(client->agents);
	free(client->fds);
	free(client->start_ns);
	free(client->results.requests);
}

int client_main(int argc, char **argv)
{
	struct client client = { 0 };
	const uint64_t *counts = client.results.counts;
	umad_port_t port_info;
	bool all_done;

	client_options_read(&client.options, argc, argv);
	mad_port_check(client.options.registration.device,
		       client.options.registration.port, &port_info);
	open_agents(&client);
	prepare_request(&client, &port_info);
	umad_release_port(&port_info);
	mad_buffer_alloc(&client.received, MAD_BYTES);
	stop_signal_setup();

	measure(&client);

	client_report(&client.options, &client.results);
	all_done = !may_post_more(&client, clock_ns()) &&
		   !counts[OUTCOME_OUTSTANDING] && !counts[OUTCOME_SEND_ERROR];
	close_client(&client);
	return all_done ? EXIT_SUCCESS : EXIT_FAILURE;
}
