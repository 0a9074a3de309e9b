/* SPDX-License-Identifier: GPL-2.0 */
/* What the BPF programs that log hand to the tools, and what they are told. */

#ifndef MADRETRY_LOG_RECORD_H
#define MADRETRY_LOG_RECORD_H

#include <linux/types.h>

#include "madretry.h"
#include "request.h"

enum mr_log_event {
	MR_LOG_POST,
	MR_LOG_RETRY,
	MR_LOG_BUSY,
	MR_LOG_TIMEOUT,
	MR_LOG_DONE,
	MR_LOG_RESET,
	MR_LOG_EVENTS
};

#define MR_LOG_ALL_EVENTS ((1U << MR_LOG_EVENTS) - 1)

/* Which events become records. The tools set this before loading. */
struct mr_log_filter {
	char device[MR_DEVICE_NAME_MAX];	/* empty: any */
	__u64 tid;
	__u64 tid_mask;		/* bits of the TID that matter; 0: any TID */
	__s64 slower_us;	/* besides: completed after more than this; */
				/* negative: none */
	__s32 port;		/* negative: any; so are the next two */
	__s32 mgmt_class;
	__s32 attr_id;
	__u32 events;		/* bit e: those of kind e */
};

struct mr_log_record {
	__u64 time_ns;		/* CLOCK_MONOTONIC */
	__u64 tid;
	__u64 send_buf;		/* identifies the request while it lives */
	__u32 dev_index;
	__u32 port;
	__u32 dlid;
	__u32 attr_mod;
	__u8 dgid[16];
	__u16 attr_id;
	__u8 mgmt_class;
	__u8 method;
	__u8 event;		/* enum mr_log_event */
	__u8 unused[3];
	char device[MR_DEVICE_NAME_MAX];
	union {
		struct mr_post post;
		struct mr_retry retry;
		struct mr_busy busy;
		struct mr_timeout timeout;
		struct mr_done done;
		struct mr_reset reset;
	};
};

#endif /* MADRETRY_LOG_RECORD_H */
