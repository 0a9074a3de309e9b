/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Head of the programs for a kernel whose ib_core has no BTF: follows each
 * request through the stock trace events and the calls between them.
 *
 * Hooks: the classic trace events of ib_mad, whose records are described in
 * tracefs, so that no type of the kernel has to be known; and kprobes on
 * functions of which no more than the first argument, a pointer, is used.
 *
 *   posted     an event of a send, in a task that is in ib_post_send_mad()
 *   retry      such an event with fewer retries left than before
 *   response   an event of a receive, with the TID of a request
 *   completion ib_free_send_mad() by the owner's handler; in timeout_sends()
 *              without a response before it is a time-out
 *
 * A request that finds the send queue full causes its first event later, in
 * another task, and cannot be joined to its buffer: it is followed as far as
 * its response, but what else becomes of it is not seen ("not_joined").
 *
 * Cost: not measured. A kprobe is an exception, or a call if the kernel can
 * make it one, and each send and each completion updates a hash map: more than
 * in any other mode.
 */

#ifndef KPROBE_BPF_H
#define KPROBE_BPF_H

#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "madretry.h"
#include "request.h"

#define MAD_STATUS_BUSY		1
#define WC_LOC_QP_OP_ERR	2

/* The tools fill these in from the events' format files */
const volatile struct mr_send_event send_event;
const volatile struct mr_recv_event recv_event;

struct mad_key {
	__u64 tid;
	__u32 dev_index;
	__u32 port;
	__u64 mgmt_class;	/* as wide as it has to be to leave no gap */
};

struct followed {
	struct mr_req req;
	__u64 posted_ns;	/* 0: before the start */
	__u64 sent_ns;
	__u64 answered_ns;	/* 0: not yet */
	__u32 retries;
	__u32 busy_drops;
	__u16 mad_status;
};

/* LRU: the end of those that are not joined to a buffer may not be seen */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, MR_FOLLOWED_MAX);
	__type(key, struct mad_key);
	__type(value, struct followed);
} followed SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, MR_FOLLOWED_MAX);
	__type(key, __u64);
	__type(value, struct mad_key);
} mad_of_send_buf SEC(".maps");

/* Tasks that are in ib_post_send_mad(), and with what */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 4096);
	__type(key, __u32);
	__type(value, __u64);
} posting SEC(".maps");

/* Tasks that are in timeout_sends() */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, __u32);
	__type(value, __u8);
} in_timer SEC(".maps");

__u64 not_followed;
__u64 not_joined;

static __always_inline __u64 read_field(void *record,
					const volatile struct mr_field *field)
{
	__u32 offset = field->offset, size = field->size;
	__u64 value = 0;

	if (size > sizeof(value))
		return 0;
	bpf_probe_read_kernel(&value, size, record + offset);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	value >>= 64 - 8 * size;
#endif
	return value;
}

static __always_inline int ms_since(__u64 then_ns, __u64 now_ns)
{
	return then_ns ? (now_ns - then_ns) / 1000000 : MR_UNKNOWN;
}

static __always_inline void key_of(struct mad_key *key,
				   const struct mr_req *req)
{
	key->tid = req->tid;
	key->dev_index = req->dev_index;
	key->port = req->port;
	key->mgmt_class = req->mgmt_class;
}

static __noinline void settle_busy(struct followed *entry, bool delivered)
{
	if (!(entry->mad_status & MAD_STATUS_BUSY))
		return;
	entry->busy_drops += !delivered;

	struct mr_busy busy = {
		.retry = entry->retries,
		.busy_drops = entry->busy_drops,
		.mad_status = entry->mad_status,
		.dropped = !delivered,
	};

	back_busy(&entry->req, &busy);
}

static __noinline void complete(struct followed *entry, __u32 status)
{
	__u64 now = entry->answered_ns ? entry->answered_ns :
					 bpf_ktime_get_ns();
	struct mr_done done = {
		.duration_us = entry->posted_ns ?
			       (now - entry->posted_ns) / 1000 : -1,
		.status = status,
		.sends = entry->retries + 1,
		.mad_status = entry->mad_status,
	};

	if (entry->answered_ns)
		settle_busy(entry, true);
	done.busy_drops = entry->busy_drops;
	if (status == WC_RESP_TIMEOUT_ERR) {
		struct mr_timeout timeout = {
			.total_ms = ms_since(entry->posted_ns, now),
			.sends = done.sends,
			.busy_drops = entry->busy_drops,
			.cause = MR_TIMEOUT_RETRIES,
			.waited_ms = ms_since(entry->sent_ns, now),
			.inferred = true,
		};

		back_timeout(&entry->req, &timeout);
	}
	back_done(&entry->req, &done);
}

static __noinline void sent_again(struct followed *entry, __u32 retries,
				  __u32 left)
{
	__u64 now = bpf_ktime_get_ns();
	struct mr_retry retry = {
		.budget_left_ms = -1,
		.retry = retries,
		.backoff_step = retries,
		.retries_left = left,
		.waited_ms = ms_since(entry->sent_ns, now),
		.wait_ms = MR_UNKNOWN,
		.cause = MR_RETRY_TIMEOUT,
		.inferred = true,
	};

	if (entry->answered_ns) {
		/* The response was BUSY and has been dropped */
		settle_busy(entry, false);
		retry.cause = MR_RETRY_BUSY;
		entry->answered_ns = 0;
		entry->mad_status = 0;
	}
	retry.busy_drops = entry->busy_drops;
	entry->sent_ns = now;
	entry->retries = retries;
	back_retry(&entry->req, &retry);
}

SEC("kprobe/timeout_sends")
int mr_timer(struct pt_regs *context)
{
	__u32 task = bpf_get_current_pid_tgid();
	__u8 present = 1;

	bpf_map_update_elem(&in_timer, &task, &present, BPF_ANY);
	return 0;
}

SEC("kretprobe/timeout_sends")
int mr_timer_end(struct pt_regs *context)
{
	__u32 task = bpf_get_current_pid_tgid();

	bpf_map_delete_elem(&in_timer, &task);
	return 0;
}

SEC("kprobe/ib_free_send_mad")
int mr_free(struct pt_regs *context)
{
	__u64 send_buf = PT_REGS_PARM1(context);
	__u32 task = bpf_get_current_pid_tgid();
	__u32 status = WC_WR_FLUSH_ERR;
	struct followed *entry;
	struct mad_key *key;

	key = bpf_map_lookup_elem(&mad_of_send_buf, &send_buf);
	if (!key)
		return 0;
	entry = bpf_map_lookup_elem(&followed, key);
	if (entry && entry->req.send_buf == send_buf) {
		if (bpf_map_lookup_elem(&in_timer, &task)) {
			/* A response that arrives meanwhile finds no request */
			status = WC_RESP_TIMEOUT_ERR;
			entry->answered_ns = 0;
			entry->mad_status = 0;
		} else if (entry->answered_ns) {
			status = WC_SUCCESS;
		}
		complete(entry, status);
		bpf_map_delete_elem(&followed, key);
	}
	bpf_map_delete_elem(&mad_of_send_buf, &send_buf);
	return 0;
}

SEC("tp/ib_mad/ib_mad_recv_done_handler")
int mr_response(void *record)
{
	struct mr_req response = {
		.tid = bpf_be64_to_cpu(read_field(record, &recv_event.tid)),
		.dev_index = read_field(record, &recv_event.dev_index),
		.port = read_field(record, &recv_event.port_num),
		.mgmt_class = read_field(record, &recv_event.mgmt_class),
		.method = read_field(record, &recv_event.method),
		.attr_mod = bpf_ntohl(read_field(record, &recv_event.attr_mod)),
	};
	struct followed *entry;
	struct mad_key key;

	if (is_request(&response))
		return 0;
	key_of(&key, &response);
	entry = bpf_map_lookup_elem(&followed, &key);
	if (!entry)
		return 0;
	if (entry->answered_ns) {
		/* The segments of an RMPP response follow its first */
		if (!(entry->mad_status & MAD_STATUS_BUSY))
			return 0;
		settle_busy(entry, false);
	}
	entry->answered_ns = bpf_ktime_get_ns();
	entry->mad_status = bpf_ntohs(read_field(record, &recv_event.status));
	if (!entry->req.send_buf) {
		complete(entry, WC_SUCCESS);
		bpf_map_delete_elem(&followed, &key);
	}
	return 0;
}

static __noinline int new_request(struct mr_req *req, struct mad_key *key,
				  int max_retries, int left)
{
	struct followed entry = { .req = *req };

	entry.sent_ns = bpf_ktime_get_ns();
	if (max_retries == left)
		entry.posted_ns = entry.sent_ns;
	else
		entry.retries = max_retries - left - 1;
	if (bpf_map_update_elem(&followed, key, &entry, BPF_ANY)) {
		__sync_fetch_and_add(&not_followed, 1);
		return 0;
	}
	if (req->send_buf)
		bpf_map_update_elem(&mad_of_send_buf, &req->send_buf, key,
				    BPF_ANY);
	else if (entry.posted_ns)
		__sync_fetch_and_add(&not_joined, 1);
	if (!entry.posted_ns)
		return 0;

	struct mr_post post = {
		.timeout_ms = MR_UNKNOWN,
		.retries = max_retries,
	};

	back_post(&entry.req, &post);
	return 0;
}

/* A send, or the first one of a MAD that had to wait for the send queue */
static __noinline int send(void *record)
{
	__u32 task = bpf_get_current_pid_tgid();
	int left = read_field(record, &send_event.retries_left);
	int max_retries = read_field(record, &send_event.max_retries);
	struct mr_req req = {
		.tid = bpf_be64_to_cpu(read_field(record, &send_event.tid)),
		.dev_index = read_field(record, &send_event.dev_index),
		.port = read_field(record, &send_event.port_num),
		.mgmt_class = read_field(record, &send_event.mgmt_class),
		.class_version = read_field(record, &send_event.class_version),
		.method = read_field(record, &send_event.method),
		.attr_id = bpf_ntohs(read_field(record, &send_event.attr_id)),
		.attr_mod = bpf_ntohl(read_field(record, &send_event.attr_mod)),
		.dlid = read_field(record, &send_event.dlid),
		.agent = (void *)read_field(record, &send_event.agent_priv),
	};
	struct followed *entry;
	struct mad_key key;
	__u64 *send_buf;

	/* Without a time-out no response is expected */
	if (!is_request(&req) || !read_field(record, &send_event.timeout))
		return 0;
	key_of(&key, &req);
	send_buf = bpf_map_lookup_elem(&posting, &task);
	if (send_buf)
		req.send_buf = *send_buf;
	entry = bpf_map_lookup_elem(&followed, &key);
	if (!entry || send_buf) {
		new_request(&req, &key, max_retries, left);
		entry = bpf_map_lookup_elem(&followed, &key);
		if (!entry)
			return 0;
	}
	if (max_retries - left > (int)entry->retries)
		sent_again(entry, max_retries - left, left);
	else if (max_retries - left < (int)entry->retries)
		entry->retries = max_retries - left; /* RMPP starts over */
	return 0;
}

SEC("tp/ib_mad/ib_mad_ib_send_mad")
int mr_send(void *record)
{
	return send(record);
}

SEC("tp/ib_mad/ib_mad_send_done_resend")
int mr_send_late(void *record)
{
	return send(record);
}

SEC("kretprobe/ib_post_send_mad")
int mr_post_end(struct pt_regs *context)
{
	__u32 task = bpf_get_current_pid_tgid();
	__u64 *send_buf, key;
	struct followed *entry;
	struct mad_key *mad;

	send_buf = bpf_map_lookup_elem(&posting, &task);
	if (!send_buf)
		return 0;
	key = *send_buf;
	bpf_map_delete_elem(&posting, &task);
	if (!(int)PT_REGS_RC(context))
		return 0;
	mad = bpf_map_lookup_elem(&mad_of_send_buf, &key);
	if (!mad)
		return 0;
	entry = bpf_map_lookup_elem(&followed, mad);
	if (entry && entry->req.send_buf == key) {
		complete(entry, WC_LOC_QP_OP_ERR);
		bpf_map_delete_elem(&followed, mad);
	}
	bpf_map_delete_elem(&mad_of_send_buf, &key);
	return 0;
}

SEC("kprobe/ib_post_send_mad")
int mr_post(struct pt_regs *context)
{
	__u64 send_buf = PT_REGS_PARM1(context);
	__u32 task = bpf_get_current_pid_tgid();

	bpf_map_update_elem(&posting, &task, &send_buf, BPF_ANY);
	return 0;
}

#endif /* KPROBE_BPF_H */
