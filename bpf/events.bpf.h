/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Head of the programs for a kernel with madretry's events.
 *
 * Hook of all programs: tp_btf on these events of ib_core. Their arguments are
 * read in place and typed, without a copy and without a ring buffer, which
 * makes this the cheapest hook that the events have. A module event's pointers
 * may be NULL as far as the verifier knows, so every program tests them.
 *
 * Cost: what a back does, besides what any program at a trace event costs.
 */

#ifndef EVENTS_BPF_H
#define EVENTS_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "ib_mad_trace.h"
#include "request.h"

#define REQUEST_OF_EVENT(event) {			\
	.dev_name = (event)->dev_name,			\
	.dgid = (event)->dgid,				\
	.agent = (event)->agent,			\
	.send_buf = (__u64)(event)->send_buf,		\
	.tid = (event)->tid,				\
	.dev_index = (event)->dev_index,		\
	.port = (event)->port_num,			\
	.dlid = (event)->dlid,				\
	.attr_mod = (event)->attr_mod,			\
	.attr_id = (event)->attr_id,			\
	.mgmt_class = (event)->mgmt_class,		\
	.class_version = (event)->class_version,	\
	.method = (event)->method,			\
}

/* ib_mad_post: the only event before a request's outcome */
SEC("tp_btf/ib_mad_post")
int BPF_PROG(mr_post, const struct ib_mad_trace_req *event_req,
	     const struct ib_mad_trace_post *event)
{
	if (!event_req || !event)
		return 0;

	struct mr_req req = REQUEST_OF_EVENT(event_req);
	struct mr_post post = {
		.total_ms = event->total_ms,
		.timeout_ms = event->timeout_ms,
		.retries = event->retries,
		.flags = event->flags,
	};

	back_post(&req, &post);
	return 0;
}

/* ib_mad_retry: the only place that knows the wait that begins */
SEC("tp_btf/ib_mad_retry")
int BPF_PROG(mr_retry, const struct ib_mad_trace_req *event_req,
	     const struct ib_mad_trace_retry *event)
{
	if (!event_req || !event)
		return 0;

	struct mr_req req = REQUEST_OF_EVENT(event_req);
	struct mr_retry retry = {
		.budget_left_ms = event->budget_left_ms,
		.retry = event->retry,
		.backoff_step = event->backoff_step,
		.retries_left = event->retries_left,
		.waited_ms = event->waited_ms,
		.wait_ms = event->wait_ms,
		.rand_ms = event->rand_ms,
		.busy_drops = event->busy_drops,
		.cause = event->cause,
	};

	back_retry(&req, &retry);
	return 0;
}

/*
 * ib_mad_busy: tells a BUSY response that is dropped from one that the caller
 * gets to see
 */
SEC("tp_btf/ib_mad_busy")
int BPF_PROG(mr_busy, const struct ib_mad_trace_req *event_req,
	     const struct ib_mad_trace_busy *event)
{
	if (!event_req || !event)
		return 0;

	struct mr_req req = REQUEST_OF_EVENT(event_req);
	struct mr_busy busy = {
		.retry_in_ms = event->retry_in_ms,
		.retry = event->retry,
		.busy_drops = event->busy_drops,
		.mad_status = event->mad_status,
		.dropped = event->dropped,
	};

	back_busy(&req, &busy);
	return 0;
}

/* ib_mad_timeout: tells why a request was given up, which ib_mad_done does not */
SEC("tp_btf/ib_mad_timeout")
int BPF_PROG(mr_timeout, const struct ib_mad_trace_req *event_req,
	     const struct ib_mad_trace_timeout *event)
{
	if (!event_req || !event)
		return 0;

	struct mr_req req = REQUEST_OF_EVENT(event_req);
	struct mr_timeout timeout = {
		.total_ms = event->total_ms,
		.sends = event->sends,
		.busy_drops = event->busy_drops,
		.cause = event->cause,
		.waited_ms = MR_UNKNOWN,
	};

	back_timeout(&req, &timeout);
	return 0;
}

/* ib_mad_done: emitted once for every request, whatever became of it */
SEC("tp_btf/ib_mad_done")
int BPF_PROG(mr_done, const struct ib_mad_trace_req *event_req,
	     const struct ib_mad_trace_done *event)
{
	if (!event_req || !event)
		return 0;

	struct mr_req req = REQUEST_OF_EVENT(event_req);
	struct mr_done done = {
		.duration_us = event->duration_us,
		.status = event->status,
		.sends = event->sends,
		.busy_drops = event->busy_drops,
		.mad_status = event->mad_status,
	};

	back_done(&req, &done);
	return 0;
}

/* ib_mad_backoff_reset: no other event shows it */
SEC("tp_btf/ib_mad_backoff_reset")
int BPF_PROG(mr_reset, const struct ib_mad_trace_req *event_req,
	     const struct ib_mad_trace_reset *event)
{
	if (!event_req || !event)
		return 0;

	struct mr_req req = REQUEST_OF_EVENT(event_req);
	struct mr_reset reset = {
		.retry = event->retry,
		.backoff_step = event->backoff_step,
		.wait_ms = event->wait_ms,
		.cause = event->cause,
	};

	back_reset(&req, &reset);
	return 0;
}

#endif /* EVENTS_BPF_H */
