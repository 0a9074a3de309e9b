/* SPDX-License-Identifier: GPL-2.0 */
/* Keys and values of the maps that the BPF programs and the tools share. */

#ifndef MADRETRY_H
#define MADRETRY_H

#include <linux/types.h>

/*
 * Bucket b of a histogram counts the values v with 2^b <= v < 2^(b+1);
 * bucket 0 also counts 0, the last one everything above.
 */
#define MR_BUCKETS		32

/* Response times in microseconds: 2^31 us are 35 minutes */
#define MR_RESPONSE_BUCKETS	MR_BUCKETS

/*
 * Waits in milliseconds. The kernel keeps them in an int, so that the last
 * bucket is free for those that last for ever.
 */
#define MR_WAIT_BUCKETS		MR_BUCKETS
#define MR_WAIT_FOREVER		(MR_WAIT_BUCKETS - 1)

/* Retry numbers that are told apart; the last one stands for all above, too */
#define MR_BACKOFF_STEPS	16

/* As long as the kernel's IB_DEVICE_NAME_MAX */
#define MR_DEVICE_NAME_MAX	64

/* Rows that are kept unless the user asks for more or fewer */
#define MR_ROWS_DEFAULT		512

/*
 * The first phase after the start, in which requests are remembered one by
 * one: its shortest duration, and how many may be outstanding during it
 */
#define MR_EARLY_MIN_NS		1000000000LL
#define MR_EARLY_MAX		16384

/* What tells rows apart besides device, port and class */
enum mr_by {
	MR_BY_ATTRIBUTE = 1,
	MR_BY_DESTINATION = 2,
	MR_BY_CLIENT = 4,
};

/* Requests that can be followed at the same time where the kernel does not */
#define MR_FOLLOWED_MAX		32768

/* What a row of numbers is about; what it is not told apart by is 0 */
struct mr_key {
	__u32 dev_index;
	__u32 port;
	__u16 attr_id;
	__u8 mgmt_class;
	__u8 unused;
	__u32 destination;	/* its number in the map destinations */
	__u32 client;		/* its number in the map clients */
};

/* The row of everything for which there was no room: not a port that exists */
#define MR_KEY_OTHER ((struct mr_key){ .dev_index = ~0U, .port = ~0U })

/* A GID, or where there is none a LID */
struct mr_destination {
	__u8 gid[16];
	__u32 lid;
	__u32 unused;
};

#define MR_PROGRAM_NAME_MAX	16

struct mr_program {
	__u32 pid;
	char name[MR_PROGRAM_NAME_MAX];
	__u32 unused;
};

/* Who posts a request: addresses in the kernel, and the program of ib_umad */
struct mr_client {
	__u64 handler;		/* of the agent */
	__u64 sa_client;	/* whoever asked ib_sa to post; else 0 */
	struct mr_program program;
};

/* Agents of ib_umad whose programs are remembered */
#define MR_PROGRAMS_MAX		4096

/* Outstanding requests that are kept one by one */
#define MR_REQUESTS_MAX		8192

/* Ends of waits that end never, or nobody knows when */
#define MR_FOR_EVER		(~0ULL)
#define MR_NOT_KNOWN		(~0ULL - 1)

/* An outstanding request; times are CLOCK_MONOTONIC */
struct mr_request {
	__u64 posted_ns;
	__u64 wait_ends_ns;
	__u64 tid;
	__s64 budget_ms;	/* 0: not limited by time, negative: not known */
	__u32 dev_index;
	__u32 port;
	__u32 sends;
	__s32 retries_left;	/* negative: not limited by their number */
	struct mr_destination destination;
	__u16 attr_id;
	__u8 mgmt_class;
	__u8 is_older;		/* than posted_ns says */
	__u32 client;		/* as in the key of its row */
};

/* Attempts that are told apart; the last one stands for all above, too */
#define MR_ATTEMPTS_MAX		17

/* One row, on one CPU: how requests that completed have got there */
struct mr_completions {
	/* By times sent; 0: answered without being sent */
	__u64 attempts_answered[MR_ATTEMPTS_MAX + 1];
	__u64 attempts_given_up[MR_ATTEMPTS_MAX + 1];
	/* What those that were answered had left: retries, or a time */
	__u64 retries_left[MR_ATTEMPTS_MAX + 1];
	__u64 budget_left_ms[MR_WAIT_BUCKETS];
	__u64 left_unknown;	/* posted before the start, or no room */
};

/* In the order of the enums in ib_mad_trace.h */
enum mr_retry_cause {
	MR_RETRY_TIMEOUT,
	MR_RETRY_BUSY,
	MR_RETRY_RMPP,
	MR_RETRY_CAUSES
};

enum mr_timeout_cause {
	MR_TIMEOUT_RETRIES,
	MR_TIMEOUT_BUDGET,
	MR_TIMEOUT_NOT_SENT,
	MR_TIMEOUT_CAUSES
};

enum mr_reset_cause {
	MR_RESET_MRA,
	MR_RESET_RMPP_ACK,
	MR_RESET_CAUSES
};

/* One row, on one CPU */
struct mr_counters {
	__u64 requests;
	__u64 responses;
	__u64 cancelled;
	__u64 failed;
	__u64 retries[MR_RETRY_CAUSES];
	__u64 busy_dropped;
	__u64 busy_delivered;
	__u64 timeouts[MR_TIMEOUT_CAUSES];
	__u64 resets[MR_RESET_CAUSES];
	__s64 outstanding;	/* of the requests counted above */
	__u64 response_us[MR_RESPONSE_BUCKETS];
	__u64 response_sum_us;
};

/* One row: waits that began with a retry, by the number of the retry */
struct mr_backoff {
	__u64 wait_ms[MR_BACKOFF_STEPS][MR_WAIT_BUCKETS];
	__u64 wait_sum_ms[MR_BACKOFF_STEPS]; /* of those that end */
};

struct mr_device {
	char name[MR_DEVICE_NAME_MAX];
};

/* Where a field is in the record of a trace event */
struct mr_field {
	__u16 offset;
	__u16 size;
};

/* ib_mad:ib_mad_ib_send_mad; ib_mad_send_done_resend has the same record */
struct mr_send_event {
	struct mr_field tid;
	struct mr_field dev_index;
	struct mr_field port_num;
	struct mr_field mgmt_class;
	struct mr_field class_version;
	struct mr_field method;
	struct mr_field attr_id;
	struct mr_field attr_mod;
	struct mr_field dlid;
	struct mr_field agent_priv;
	struct mr_field timeout;
	struct mr_field retries_left;
	struct mr_field max_retries;
};

/* ib_mad:ib_mad_recv_done_handler */
struct mr_recv_event {
	struct mr_field tid;
	struct mr_field dev_index;
	struct mr_field port_num;
	struct mr_field mgmt_class;
	struct mr_field method;
	struct mr_field attr_mod;
	struct mr_field status;
};

#endif /* MADRETRY_H */
