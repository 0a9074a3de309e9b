// SPDX-License-Identifier: GPL-2.0
/* "sastorm server": answers requests and counts them. */
#include "server.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arrival_log.h"
#include "clock.h"
#include "cmdline.h"
#include "mad_buffer.h"
#include "mad_names.h"
#include "schedule.h"
#include "stop_signal.h"

/*
 * Arrivals taken in a row before answers that are due get their turn. Arrivals
 * wait in umad's queue (200,000 long) at no loss, so this is for fairness.
 */
#define RECEIVE_BATCH	64

struct server {
	struct server_options options;
	struct mad_agent agent;
	struct seen seen;
	struct schedule schedule;	/* of struct pending_answer */
	struct server_counters counters;
	FILE *log;
};

/* An answer that has to wait for its time. */
struct pending_answer {
	struct answer answer;
	bool full;
	struct mad_buffer request;
};

/* Send @length bytes; nobody answers an answer, so nothing is waited for. */
static int post(struct server *server, void *umad, size_t length,
		int timeout_ms, int retries)
{
	umad_get_mad_addr(umad)->qkey = htobe32(UMAD_QKEY);
	return umad_send(server->agent.fd, server->agent.id, umad, (int)length,
			 timeout_ms, retries);
}

static int post_rmpp(struct server *server, const void *request_umad)
{
	const struct server_options *options = &server->options;
	struct mad_buffer message;
	int error;

	rmpp_answer_fill(&message, request_umad, options->segments);
	error = post(server, message.umad, message.length,
		     options->rmpp_timeout_ms, options->rmpp_retries);
	mad_buffer_free(&message);
	return error;
}

static void count_answer(struct server_counters *counters,
			 const struct answer *answer, bool full, bool rmpp)
{
	switch (answer->kind) {
	case ANSWER_GOOD:
		counters->good++;
		counters->rmpp_answers += rmpp;
		break;
	case ANSWER_BUSY:
		*(full ? &counters->full_busy : &counters->busy) += 1;
		break;
	case ANSWER_NOTHING:
		*(full ? &counters->full_dropped : &counters->dropped) += 1;
		break;
	case ANSWER_STATUS:
		counters->other_status++;
		break;
	}
}

static void count_failure(struct server_counters *counters)
{
	/*
	 * umad takes no second answer with the TID of one that it is still
	 * sending, as an RMPP answer of many segments may be.
	 */
	if (errno == EINVAL) {
		counters->refused++;
		return;
	}
	if (!counters->send_errors++)
		warn("cannot send an answer: %m");
}

/* Turn the request in @umad into its answer and send it. */
static void answer_now(struct server *server, void *umad,
		       const struct answer *answer, bool full)
{
	struct umad_hdr *mad = umad_get_mad(umad);
	bool rmpp = answer->kind == ANSWER_GOOD && server->options.segments &&
		    is_table_method(mad->method);
	int error = 0;

	mad->method = response_method(mad->method);
	mad->status = htobe16(answer->status);
	if (rmpp)
		error = post_rmpp(server, umad);
	else if (answer->kind != ANSWER_NOTHING)
		error = post(server, umad, MAD_BYTES, 0, 0);

	if (error)
		count_failure(&server->counters);
	else
		count_answer(&server->counters, answer, full, rmpp);
}

static void answer_later(struct server *server, const void *umad,
			 const struct answer *answer, bool full,
			 uint64_t due_ns)
{
	struct pending_answer *pending = malloc(sizeof(*pending));

	if (!pending)
		fail_running("out of memory");
	pending->answer = *answer;
	pending->full = full;
	mad_buffer_alloc(&pending->request, MAD_BYTES);
	memcpy(pending->request.umad, umad, umad_size() + MAD_BYTES);
	schedule_add(&server->schedule, due_ns, pending);
}

static void free_pending(struct pending_answer *pending)
{
	mad_buffer_free(&pending->request);
	free(pending);
}

static void answer_due(struct server *server)
{
	struct pending_answer *pending;

	while ((pending = schedule_take(&server->schedule, clock_ns()))) {
		answer_now(server, pending->request.umad, &pending->answer,
			   pending->full);
		free_pending(pending);
	}
}

static struct answer full_answer(const struct server_options *options)
{
	if (options->full_is_busy)
		return (struct answer) { .kind = ANSWER_BUSY,
					 .status = UMAD_STATUS_BUSY };
	return (struct answer) { .kind = ANSWER_NOTHING };
}

static unsigned int count_arrival(struct server *server, const void *umad,
				  const struct umad_hdr *mad, uint64_t now_ns)
{
	struct server_counters *counters = &server->counters;
	unsigned int attempt = seen_add(&server->seen, mad,
					umad_get_mad_addr((void *)umad));

	if (!counters->arrivals++)
		counters->first_ns = now_ns;
	counters->last_ns = now_ns;
	*(attempt == 1 ? &counters->first_attempts : &counters->retries) += 1;
	return attempt;
}

static void handle_request(struct server *server, void *umad,
			   const struct umad_hdr *mad)
{
	uint64_t now_ns = clock_ns(), due_ns;
	unsigned int attempt = count_arrival(server, umad, mad, now_ns);
	struct answer answer;
	bool full;

	full = !service_queue_enter(&server->options.queue, now_ns, &due_ns);
	if (full)
		answer = full_answer(&server->options);
	else
		answer = answer_decide(&server->options.policy,
				       be64toh(mad->tid), attempt);
	due_ns += answer.delay_ms * NS_PER_MS;

	arrival_log_write(server->log, now_ns, mad, attempt, &answer, full,
			  due_ns);
	if (due_ns > now_ns)
		answer_later(server, umad, &answer, full, due_ns);
	else
		answer_now(server, umad, &answer, full);
}

static void handle_mad(struct server *server, struct mad_buffer *received)
{
	const struct umad_hdr *mad = umad_get_mad(received->umad);

	/* umad hands back an RMPP answer that was not acknowledged. */
	if (umad_status(received->umad))
		server->counters.rmpp_timeouts++;
	else if (received->length < MAD_BYTES ||
		 mad->method & UMAD_METHOD_RESP_MASK)
		server->counters.ignored++;
	else
		handle_request(server, received->umad, mad);
}

/* Returns whether there may be more to receive. */
static bool receive_batch(struct server *server, struct mad_buffer *received)
{
	int i;

	for (i = 0; i < RECEIVE_BATCH; i++) {
		if (!mad_receive(server->agent.fd, received))
			return false;
		handle_mad(server, received);
	}
	return true;
}

static uint64_t idle_deadline(const struct server *server)
{
	if (!server->options.idle_ns || !server->counters.arrivals ||
	    server->schedule.count)
		return UINT64_MAX;
	return server->counters.last_ns + server->options.idle_ns;
}

static bool is_finished(const struct server *server)
{
	uint64_t requests = server->options.requests;

	if (stop_signal_seen() || clock_ns() >= idle_deadline(server))
		return true;
	return requests && server->counters.first_attempts >= requests &&
	       !server->schedule.count;
}

static void wait_for_work(struct server *server)
{
	struct pollfd fd = { .fd = server->agent.fd, .events = POLLIN };
	uint64_t until_ns = schedule_next_ns(&server->schedule);
	uint64_t idle_ns = idle_deadline(server);

	/* Whoever reads the log while we run sees all arrivals so far. */
	if (server->log)
		fflush(server->log);
	stop_signal_poll(&fd, 1, until_ns < idle_ns ? until_ns : idle_ns);
}

static void serve(struct server *server)
{
	struct mad_buffer received;

	mad_buffer_alloc(&received, MAD_BYTES);
	while (!is_finished(server)) {
		bool more = receive_batch(server, &received);

		answer_due(server);
		if (more)
			stop_signal_poll(NULL, 0, 0);
		else if (!is_finished(server))
			wait_for_work(server);
	}
	mad_buffer_free(&received);
}

static void write_pid_file(const char *path)
{
	FILE *file;

	if (!path)
		return;
	file = fopen(path, "w");
	if (!file)
		fail_input("--pid-file: cannot write %s: %m", path);
	fprintf(file, "%d\n", (int)getpid());
	if (fclose(file))
		fail_input("--pid-file: cannot write %s: %m", path);
}

static void close_server(struct server *server)
{
	struct pending_answer *pending;

	mad_agent_close(&server->agent);
	if (server->log && fclose(server->log))
		fail_running("--log: cannot write %s: %m",
			     server->options.log_path);
	while ((pending = schedule_take(&server->schedule, UINT64_MAX)))
		free_pending(pending);
	free(server->schedule.heap);
	seen_free(&server->seen);
}

int server_main(int argc, char **argv)
{
	struct server server = { 0 };
	umad_port_t port_info;

	server_options_read(&server.options, argc, argv);
	mad_port_check(server.options.registration.device,
		       server.options.registration.port, &port_info);
	umad_release_port(&port_info);
	server.seen.remember = server.options.remember;
	server.log = arrival_log_open(server.options.log_path);
	stop_signal_setup();
	server.agent = mad_agent_open(&server.options.registration);
	write_pid_file(server.options.pid_path);

	serve(&server);

	server.counters.pending = server.schedule.count;
	server_report(&server.options, &server.counters, &server.seen);
	close_server(&server);
	return EXIT_SUCCESS;
}
