/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Head of the programs for a kernel without madretry's events, but with BTF:
 * follows each request through the functions of ib_core.
 *
 * Hook of all programs: fentry or fexit. It is as cheap as a trace event, has
 * typed arguments, and the stock kernel has no event for most of this: none for
 * a final time-out, none that tells an RMPP segment from a retry. Functions
 * that the compiler inlines (retry_send, ib_mad_complete_recv) cannot be used.
 *
 * A request has an entry in "followed" from its first send until it completes:
 *
 *   posted     first ib_send_mad(); directed-route SMPs may be answered without
 *              being sent, so they are posted at ib_post_send_mad()
 *   retry      ib_send_mad() by timeout_sends(), and the MAD was sent before
 *   response   noted when ib_find_send_mad() matches it; it is what completed
 *              the request if that has been marked as done (timeout 0)
 *   completion ib_mad_complete_send_wr() drops the last reference
 *   given up, cancelled, answered locally
 *              the owner's handler is called through a pointer and frees the
 *              MAD: ib_free_send_mad() before the request was completed
 *
 * What becomes of a request that was posted before the start is seen, too, but
 * not how long it took.
 *
 * Cost: not measured. A request is put into a hash map when it is first sent
 * and taken out when it completes, besides what the back does.
 */

#ifndef STOCK_BPF_H
#define STOCK_BPF_H

#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "ib_mad_core.h"
#include "madretry.h"
#include "request.h"

#define MAD_CLASS_SUBN_DIRECTED_ROUTE	0x81
#define MAD_STATUS_BUSY			1
#define WC_LOC_QP_OP_ERR		2

struct followed {
	struct mr_req req;
	__u64 posted_ns;	/* 0: before the start */
	__u64 sent_ns;		/* the last time; 0: before the start */
	__u32 sends;
	__u32 retries;		/* made, as the kernel counts them */
	__u32 busy_drops;
	__u16 mad_status;
	bool busy;		/* answered so, and not known what came of it */
};

/* By send_buf. Allocated beforehand, as the rows are. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MR_FOLLOWED_MAX);
	__type(key, __u64);
	__type(value, struct followed);
} followed SEC(".maps");

/* Tasks that are in timeout_sends(), and the request that each sends again */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, __u32);
	__type(value, __u64);
} in_timer SEC(".maps");

/* Requests for which "followed" had no room: not counted as requests */
__u64 not_followed;

static __always_inline __u64 *timer_of_task(void)
{
	__u32 task = bpf_get_current_pid_tgid();

	return bpf_map_lookup_elem(&in_timer, &task);
}

static __always_inline void *request_of_send_buf(const void *send_buf)
{
	return (void *)send_buf -
	       bpf_core_field_offset(struct ib_mad_send_wr_private, send_buf);
}

static __noinline void fill_req(struct mr_req *req,
				const struct ib_mad_send_buf *send_buf)
{
	const struct ib_mad_hdr *hdr = BPF_CORE_READ(send_buf, mad);
	const struct ib_mad_agent *agent = BPF_CORE_READ(send_buf, mad_agent);
	const struct ib_device *device = BPF_CORE_READ(agent, device);

	__builtin_memset(req, 0, sizeof(*req));
	req->dev_name = (const char *)device +
			bpf_core_field_offset(struct ib_device, name);
	req->agent = agent;
	req->send_buf = (__u64)send_buf;
	req->tid = bpf_be64_to_cpu(BPF_CORE_READ(hdr, tid));
	req->dev_index = BPF_CORE_READ(device, index);
	req->port = BPF_CORE_READ(agent, port_num);
	req->attr_mod = bpf_ntohl(BPF_CORE_READ(hdr, attr_mod));
	req->attr_id = bpf_ntohs(BPF_CORE_READ(hdr, attr_id));
	req->mgmt_class = BPF_CORE_READ(hdr, mgmt_class);
	req->class_version = BPF_CORE_READ(hdr, class_version);
	req->method = BPF_CORE_READ(hdr, method);
}

/* Follow a request, and say that it was posted if it is new */
static __noinline int follow(const struct ib_mad_send_buf *send_buf,
			     int retries, __u32 sends)
{
	__u64 key = (__u64)send_buf, now = bpf_ktime_get_ns();
	struct followed entry = {};

	fill_req(&entry.req, send_buf);
	if (!is_request(&entry.req))
		return 0;
	entry.posted_ns = now;
	entry.sent_ns = now;
	entry.sends = sends;
	if (bpf_map_update_elem(&followed, &key, &entry, BPF_ANY)) {
		__sync_fetch_and_add(&not_followed, 1);
		return 0;
	}

	struct mr_post post = {
		.timeout_ms = BPF_CORE_READ(send_buf, timeout_ms),
		.retries = retries,
	};

	back_post(&entry.req, &post);
	return 0;
}

/* Of a request posted before the start, or for which there was no room */
static __always_inline bool recall(struct followed *entry,
				   const struct ib_mad_send_buf *send_buf)
{
	__builtin_memset(entry, 0, sizeof(*entry));
	fill_req(&entry->req, send_buf);
	entry->sends = 1;
	return is_request(&entry->req);
}

/* Only now is it known what became of a BUSY response */
static __noinline void settle_busy(struct followed *entry, bool delivered)
{
	if (!entry->busy)
		return;
	entry->busy = false;
	entry->busy_drops += !delivered;

	struct mr_busy busy = {
		.retry = entry->retries,
		.busy_drops = entry->busy_drops,
		.mad_status = entry->mad_status,
		.dropped = !delivered,
	};

	back_busy(&entry->req, &busy);
}

static __always_inline int ms_since(__u64 then_ns, __u64 now_ns)
{
	return then_ns ? (now_ns - then_ns) / 1000000 : MR_UNKNOWN;
}

static __noinline void give_up(struct followed *entry, __u64 request, __u64 now)
{
	const struct ib_mad_send_wr_private *wr = (void *)request;
	__u32 retries = BPF_CORE_READ(wr, send_buf.retries);
	struct mr_timeout timeout = {
		.total_ms = ms_since(entry->posted_ns, now),
		.sends = retries + 1,
		.busy_drops = entry->busy_drops,
		.waited_ms = ms_since(entry->sent_ns, now),
		.inferred = true,
	};

	timeout.cause = MR_TIMEOUT_RETRIES;
	if (entry->posted_ns && retries != entry->retries) {
		/* The last one was counted by the kernel, but not sent */
		timeout.cause = MR_TIMEOUT_NOT_SENT;
		timeout.sends--;
	} else if (BPF_CORE_READ(wr, retries_left) > 0) {
		timeout.cause = MR_TIMEOUT_BUDGET;
	}
	back_timeout(&entry->req, &timeout);
}

static __noinline void complete(struct followed *entry, __u64 request,
				__u32 status)
{
	__u64 now = bpf_ktime_get_ns();

	settle_busy(entry, status == WC_SUCCESS);
	if (status == WC_RESP_TIMEOUT_ERR)
		give_up(entry, request, now);

	struct mr_done done = {
		.duration_us = entry->posted_ns ?
			       (now - entry->posted_ns) / 1000 : -1,
		.status = status,
		.sends = entry->sends ? entry->retries + 1 : 0,
		.busy_drops = entry->busy_drops,
		.mad_status = status == WC_SUCCESS ? entry->mad_status : 0,
	};

	back_done(&entry->req, &done);
	bpf_map_delete_elem(&followed, &entry->req.send_buf);
}

/*
 * They are attached in this order: nothing may be followed before it is seen
 * to end.
 */

SEC("fentry/timeout_sends")
int BPF_PROG(mr_timer, struct work_struct *work)
{
	__u32 task = bpf_get_current_pid_tgid();
	__u64 nothing = 0;

	bpf_map_update_elem(&in_timer, &task, &nothing, BPF_ANY);
	return 0;
}

SEC("fexit/timeout_sends")
int BPF_PROG(mr_timer_end, struct work_struct *work)
{
	__u32 task = bpf_get_current_pid_tgid();

	bpf_map_delete_elem(&in_timer, &task);
	return 0;
}

SEC("fentry/ib_free_send_mad")
int BPF_PROG(mr_free, struct ib_mad_send_buf *send_buf)
{
	const struct ib_mad_send_wr_private *wr = request_of_send_buf(send_buf);
	bool is_timer = timer_of_task() != NULL;
	__u64 key = (__u64)send_buf;
	struct followed *entry, older;
	__u32 status;
	int references;

	/* Or the compiler joins the two tests, which the verifier forbids */
	barrier_var(is_timer);
	entry = bpf_map_lookup_elem(&followed, &key);
	if (!entry && !is_timer)
		return 0;
	status = BPF_CORE_READ(wr, status);
	if (!entry) {
		/* Was it waiting for a response? */
		references = BPF_CORE_READ(wr, refcount);
		if (!BPF_CORE_READ(wr, timeout) || references != !status ||
		    !recall(&older, send_buf))
			return 0;
		entry = &older;
	}
	if (!status && is_timer)
		status = WC_RESP_TIMEOUT_ERR;
	else if (!status && entry->sends)
		status = WC_WR_FLUSH_ERR;
	complete(entry, (__u64)wr, status);
	return 0;
}

/*
 * The queue pair or a response gives its reference back. Both do so from the
 * same work item, one after the other, so this sees the last one.
 */
SEC("fentry/ib_mad_complete_send_wr")
int BPF_PROG(mr_complete, struct ib_mad_send_wr_private *wr,
	     struct ib_mad_send_wc *wc)
{
	__u64 key = (__u64)&wr->send_buf;
	int references = wr->refcount - 1;
	__u32 status = wr->status;
	struct followed *entry, older;

	if (!status && wc->status) {
		status = wc->status;
		references -= wr->timeout > 0;
	}
	if (references > 0)
		return 0;
	entry = bpf_map_lookup_elem(&followed, &key);
	if (!entry) {
		if (!wr->send_buf.timeout_ms || !recall(&older, (void *)key))
			return 0;
		entry = &older;
	}
	complete(entry, (__u64)wr, status);
	return 0;
}

SEC("fexit/ib_post_send_mad")
int BPF_PROG(mr_post_end, struct ib_mad_send_buf *send_buf,
	     struct ib_mad_send_buf **bad_send_buf, int error)
{
	__u64 key = (__u64)send_buf;
	struct followed *entry;

	if (!error)
		return 0;
	entry = bpf_map_lookup_elem(&followed, &key);
	if (!entry)
		return 0;
	entry->sends = 0;
	complete(entry, (__u64)request_of_send_buf(send_buf), WC_LOC_QP_OP_ERR);
	return 0;
}

/* The timer holds a lock, so a request that it sends again is still there */
SEC("fexit/ib_send_mad")
int BPF_PROG(mr_retry, struct ib_mad_send_wr_private *wr, int error)
{
	__u64 key = (__u64)&wr->send_buf, *timer = timer_of_task(), now;
	struct followed *entry, older;
	bool answered_busy;

	if (!timer || *timer != key)
		return 0;
	*timer = 0;
	if (error)
		return 0;
	entry = bpf_map_lookup_elem(&followed, &key);
	if (!entry) {
		if (!recall(&older, (void *)key))
			return 0;
		bpf_map_update_elem(&followed, &key, &older, BPF_ANY);
		entry = bpf_map_lookup_elem(&followed, &key);
		if (!entry)
			return 0;
	}
	/* Or the compiler reads through it before it is tested */
	barrier_var(entry);
	answered_busy = entry->busy;
	settle_busy(entry, false);
	now = bpf_ktime_get_ns();

	struct mr_retry retry = {
		.budget_left_ms = -1,
		.retry = wr->send_buf.retries,
		.backoff_step = wr->send_buf.retries,
		.retries_left = wr->retries_left,
		.waited_ms = ms_since(entry->sent_ns, now),
		.wait_ms = MR_UNKNOWN,
		.busy_drops = entry->busy_drops,
		.cause = answered_busy ? MR_RETRY_BUSY :
			 wr->seg_num ? MR_RETRY_RMPP : MR_RETRY_TIMEOUT,
		.inferred = true,
	};

	entry->sent_ns = now;
	entry->retries = retry.retry;
	back_retry(&entry->req, &retry);
	return 0;
}

SEC("fexit/ib_find_send_mad")
int BPF_PROG(mr_response, struct ib_mad_agent_private *agent,
	     struct ib_mad_recv_wc *response, struct ib_mad_send_wr_private *wr)
{
	const struct ib_mad_hdr *hdr;
	struct followed *entry, older;
	__u64 key;

	if (!wr)
		return 0;
	key = (__u64)wr +
	      bpf_core_field_offset(struct ib_mad_send_wr_private, send_buf);
	hdr = &response->recv_buf.mad->mad_hdr;
	entry = bpf_map_lookup_elem(&followed, &key);
	if (!entry) {
		if (!(hdr->status & bpf_htons(MAD_STATUS_BUSY)) ||
		    !recall(&older, (void *)key))
			return 0;
		bpf_map_update_elem(&followed, &key, &older, BPF_ANY);
		entry = bpf_map_lookup_elem(&followed, &key);
		if (!entry)
			return 0;
	}
	barrier_var(entry);
	settle_busy(entry, false);
	entry->mad_status = bpf_ntohs(hdr->status);
	entry->busy = entry->mad_status & MAD_STATUS_BUSY;
	return 0;
}

/*
 * The first send of a request that expects a response, or an RMPP ACK. That a
 * send is a retry is said when it has succeeded.
 */
SEC("fentry/ib_send_mad")
int BPF_PROG(mr_send, struct ib_mad_send_wr_private *wr)
{
	__u64 key = (__u64)&wr->send_buf, *timer;
	struct followed *entry;

	if (wr->send_buf.retries) {
		timer = timer_of_task();
		if (timer)
			*timer = key;
		return 0;
	}
	if (!wr->timeout || wr->seg_num > 1)
		return 0;
	entry = bpf_map_lookup_elem(&followed, &key);
	if (entry && !entry->sends) {
		entry->sends = 1;	/* was posted at ib_post_send_mad() */
		entry->sent_ns = bpf_ktime_get_ns();
		return 0;
	}
	follow((void *)key, wr->max_retries, 1);
	return 0;
}

/* Directed-route SMPs that expect a response only */
SEC("fentry/ib_post_send_mad")
int BPF_PROG(mr_post, struct ib_mad_send_buf *send_buf)
{
	const struct ib_mad_hdr *hdr = send_buf->mad;

	if (send_buf->timeout_ms &&
	    BPF_CORE_READ(hdr, mgmt_class) == MAD_CLASS_SUBN_DIRECTED_ROUTE)
		follow(send_buf, send_buf->retries, 0);
	return 0;
}

#endif /* STOCK_BPF_H */
