/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the trace events of MAD retries carry. BPF programs read these
 * structures directly (raw_tp, tp_btf); the events copy them into their
 * records. tracepoints/README.md of madretry describes every field.
 */

#ifndef TRACE_MISC_IB_MAD_RETRY_H
#define TRACE_MISC_IB_MAD_RETRY_H

#include <linux/types.h>

/* Why a retry is made */
enum ib_mad_retry_cause {
	IB_MAD_RETRY_CAUSE_TIMEOUT,
	IB_MAD_RETRY_CAUSE_BUSY,
	IB_MAD_RETRY_CAUSE_RMPP,
};

/* Why a request is given up */
enum ib_mad_timeout_cause {
	IB_MAD_TIMEOUT_RETRIES,
	IB_MAD_TIMEOUT_BUDGET,
	IB_MAD_TIMEOUT_NOT_SENT,
};

/* Why the backoff starts over */
enum ib_mad_backoff_reset_cause {
	IB_MAD_BACKOFF_RESET_MRA,
	IB_MAD_BACKOFF_RESET_RMPP_ACK,
};

/**
 * struct ib_mad_trace_req - the request that an event is about
 * @dev_name: Device.
 * @send_buf: Identifies the request while it lives.
 * @agent: Identifies the agent that posted it.
 * @tid: Transaction ID, host order.
 * @dev_index: Device, as in "rdma dev".
 * @port_num: Port.
 * @dlid: Destination LID, host order.
 * @dgid: Destination GID, all zero if the request has no GRH.
 * @attr_mod: Attribute modifier, host order.
 * @attr_id: Attribute ID, host order.
 * @mgmt_class: Management class.
 * @class_version: Version of the class.
 * @method: Method.
 */
struct ib_mad_trace_req {
	const char *dev_name;
	const void *send_buf;
	const void *agent;
	u64 tid;
	u32 dev_index;
	u32 port_num;
	u32 dlid;
	u8 dgid[16];
	u32 attr_mod;
	u16 attr_id;
	u8 mgmt_class;
	u8 class_version;
	u8 method;
};

/**
 * struct ib_mad_trace_post - a request is accepted for sending
 * @total_ms: Time limit, 0 if there is none.
 * @timeout_ms: Wait after the first send, negative: for ever.
 * @retries: Retries asked for.
 * @flags: enum ib_mad_retry_flags in force.
 */
struct ib_mad_trace_post {
	s64 total_ms;
	int timeout_ms;
	int retries;
	u32 flags;
};

/**
 * struct ib_mad_trace_retry - a retry is handed to the queue pair
 * @budget_left_ms: Time left, -1 if it is not limited.
 * @retry: Number of the retry, 1 is the first.
 * @backoff_step: The same, but counted from the last start over.
 * @retries_left: Retries that may still follow.
 * @waited_ms: The wait that has just ended.
 * @wait_ms: The wait that begins, negative: for ever.
 * @rand_ms: What chance took off that wait.
 * @busy_drops: BUSY responses dropped so far.
 * @cause: enum ib_mad_retry_cause.
 */
struct ib_mad_trace_retry {
	s64 budget_left_ms;
	u32 retry;
	u32 backoff_step;
	int retries_left;
	int waited_ms;
	int wait_ms;
	u32 rand_ms;
	u32 busy_drops;
	enum ib_mad_retry_cause cause;
};

/**
 * struct ib_mad_trace_busy - a BUSY response has arrived
 * @retry_in_ms: Until the retry, 0 if the response is delivered.
 * @retry: Retries made so far.
 * @busy_drops: BUSY responses dropped so far, with this one if it is.
 * @mad_status: Status of the response, host order.
 * @dropped: It is dropped; otherwise it is delivered.
 */
struct ib_mad_trace_busy {
	u32 retry_in_ms;
	u32 retry;
	u32 busy_drops;
	u16 mad_status;
	bool dropped;
};

/**
 * struct ib_mad_trace_timeout - a request is given up
 * @total_ms: Time since it was posted.
 * @sends: Times that it was sent.
 * @busy_drops: BUSY responses dropped.
 * @cause: enum ib_mad_timeout_cause.
 */
struct ib_mad_trace_timeout {
	s64 total_ms;
	u32 sends;
	u32 busy_drops;
	enum ib_mad_timeout_cause cause;
};

/**
 * struct ib_mad_trace_done - a request completes, however
 * @duration_us: From posting to completion.
 * @status: enum ib_wc_status.
 * @sends: Times that it was sent, 0 if it was answered locally.
 * @busy_drops: BUSY responses dropped.
 * @mad_status: Status of the response, host order; 0 if there was none.
 */
struct ib_mad_trace_done {
	s64 duration_us;
	u32 status;
	u32 sends;
	u32 busy_drops;
	u16 mad_status;
};

/**
 * struct ib_mad_trace_reset - the backoff of a request starts over
 * @retry: Retries made when it did.
 * @backoff_step: The same, but counted from the start over before.
 * @wait_ms: The wait that begins, negative: for ever.
 * @cause: enum ib_mad_backoff_reset_cause.
 */
struct ib_mad_trace_reset {
	u32 retry;
	u32 backoff_step;
	int wait_ms;
	enum ib_mad_backoff_reset_cause cause;
};

#endif /* TRACE_MISC_IB_MAD_RETRY_H */
