/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What a head hands to a back: a request, and what has happened to it.
 *
 * A head (events.bpf.h, ...) sees what happens in the kernel, one way for each
 * kind of kernel. A back (count.bpf.h, ...) does something with it, and defines
 *
 *   back_post(req, post)       a request is accepted for sending
 *   back_retry(req, retry)     a retry is handed to the queue pair
 *   back_busy(req, busy)       a BUSY response has arrived
 *   back_timeout(req, timeout) a request is given up; back_done() follows
 *   back_done(req, done)       a request completes, however
 *   back_reset(req, reset)     the backoff of a request starts over
 *
 * each "static __always_inline void", and used by a head in one place. What a
 * back does not read costs nothing: the compiler leaves it out.
 */

#ifndef REQUEST_H
#define REQUEST_H

#include <stdbool.h>

#include <linux/types.h>

/* In host byte order, as everything here */
struct mr_req {
	const char *dev_name;	/* kernel memory, for bpf_probe_read_kernel() */
	const __u8 *dgid;	/* the same, 16 bytes; NULL: not known */
	const void *agent;	/* the same, struct ib_mad_agent */
	__u64 send_buf;		/* identifies the request while it lives */
	__u64 tid;
	__u32 dev_index;
	__u32 port;
	__u32 dlid;		/* 0: not known */
	__u32 attr_mod;
	__u16 attr_id;
	__u8 mgmt_class;
	__u8 class_version;
	__u8 method;
};

/*
 * What a head cannot know is MR_UNKNOWN, or 0 where that is no value that can
 * occur. Where "inferred" is set, what is said to be so is concluded from the
 * times of sends.
 */
#define MR_UNKNOWN	(-0x7fffffff - 1)

struct mr_post {
	__s64 total_ms;		/* 0: no limit */
	int timeout_ms;		/* negative: for ever */
	int retries;
	__u32 flags;		/* enum ib_mad_retry_flags */
};

struct mr_retry {
	__s64 budget_left_ms;	/* negative: no limit */
	__u32 retry;		/* 1: the first */
	__u32 backoff_step;	/* the same, from the last start over */
	int retries_left;	/* negative: without end */
	int waited_ms;		/* wait that has ended */
	int wait_ms;		/* wait that begins; negative: for ever */
	__u32 rand_ms;
	__u32 busy_drops;
	__u32 cause;		/* enum mr_retry_cause */
	bool inferred;		/* the waits; wait_ms is then MR_UNKNOWN */
};

struct mr_busy {
	__u32 retry_in_ms;	/* 0: the response is delivered */
	__u32 retry;		/* made so far */
	__u32 busy_drops;	/* so far, with this one if it is */
	__u16 mad_status;
	bool dropped;
};

struct mr_timeout {
	__s64 total_ms;		/* since it was posted */
	__u32 sends;
	__u32 busy_drops;
	__u32 cause;		/* enum mr_timeout_cause */
	int waited_ms;		/* wait that has ended, if inferred */
	bool inferred;
};

struct mr_done {
	__s64 duration_us;	/* since it was posted; negative: not known */
	__u32 status;		/* enum ib_wc_status */
	__u32 sends;
	__u32 busy_drops;
	__u16 mad_status;
};

struct mr_reset {
	__u32 retry;		/* made so far */
	__u32 backoff_step;
	int wait_ms;		/* wait that begins; negative: for ever */
	__u32 cause;		/* enum mr_reset_cause */
};

/* Values of mr_done.status that matter here, from enum ib_wc_status */
#define WC_SUCCESS		0
#define WC_WR_FLUSH_ERR		5
#define WC_RESP_TIMEOUT_ERR	20

/* MAD methods and classes, InfiniBand specification, volume 1, 13.4 */
#define MAD_METHOD_RESP		0x80
#define MAD_METHOD_TRAP_REPRESS	0x07
#define MAD_CLASS_BM		0x05
#define MAD_BM_ATTR_MOD_RESP	1

/* A server's responses are sent and retried through RMPP, too; not our topic */
static __always_inline bool is_request(const struct mr_req *req)
{
	if (req->method & MAD_METHOD_RESP ||
	    req->method == MAD_METHOD_TRAP_REPRESS)
		return false;
	return req->mgmt_class != MAD_CLASS_BM ||
	       !(req->attr_mod & MAD_BM_ATTR_MOD_RESP);
}

#endif /* REQUEST_H */
