/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the ib_mad trace events hand to BPF programs, as far as the programs
 * here read it. The full structures, with a description of each field, are in
 * tracepoints/misc/ib_mad_retry.h; libbpf finds the fields in the BTF of the
 * running ib_core, so neither order nor completeness matters here. Types do:
 * an enum has to be one, of the same name.
 */

#ifndef IB_MAD_TRACE_H
#define IB_MAD_TRACE_H

#include <linux/types.h>

enum ib_mad_retry_cause {
	IB_MAD_RETRY_CAUSE_TIMEOUT,
	IB_MAD_RETRY_CAUSE_BUSY,
	IB_MAD_RETRY_CAUSE_RMPP,
};

enum ib_mad_timeout_cause {
	IB_MAD_TIMEOUT_RETRIES,
	IB_MAD_TIMEOUT_BUDGET,
	IB_MAD_TIMEOUT_NOT_SENT,
};

enum ib_mad_backoff_reset_cause {
	IB_MAD_BACKOFF_RESET_MRA,
	IB_MAD_BACKOFF_RESET_RMPP_ACK,
};

#pragma clang attribute push(__attribute__((preserve_access_index)), \
			     apply_to = record)

struct ib_mad_trace_req {
	const char *dev_name;
	const void *send_buf;
	const void *agent;
	__u64 tid;
	__u32 dev_index;
	__u32 port_num;
	__u32 dlid;
	__u8 dgid[16];
	__u32 attr_mod;
	__u16 attr_id;
	__u8 mgmt_class;
	__u8 class_version;
	__u8 method;
};

struct ib_mad_trace_post {
	__s64 total_ms;
	int timeout_ms;
	int retries;
	__u32 flags;
};

struct ib_mad_trace_retry {
	__s64 budget_left_ms;
	__u32 retry;
	__u32 backoff_step;
	int retries_left;
	int waited_ms;
	int wait_ms;
	__u32 rand_ms;
	__u32 busy_drops;
	enum ib_mad_retry_cause cause;
};

struct ib_mad_trace_busy {
	__u32 retry_in_ms;
	__u32 retry;
	__u32 busy_drops;
	__u16 mad_status;
	_Bool dropped;
};

struct ib_mad_trace_timeout {
	__s64 total_ms;
	__u32 sends;
	__u32 busy_drops;
	enum ib_mad_timeout_cause cause;
};

struct ib_mad_trace_done {
	__s64 duration_us;
	__u32 status;
	__u32 sends;
	__u32 busy_drops;
	__u16 mad_status;
};

struct ib_mad_trace_reset {
	__u32 retry;
	__u32 backoff_step;
	int wait_ms;
	enum ib_mad_backoff_reset_cause cause;
};

#pragma clang attribute pop

#endif /* IB_MAD_TRACE_H */
