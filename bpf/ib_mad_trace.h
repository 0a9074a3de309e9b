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
	__u32 dev_index;
	__u32 port_num;
	__u32 attr_mod;
	__u16 attr_id;
	__u8 mgmt_class;
	__u8 method;
};

struct ib_mad_trace_post;

struct ib_mad_trace_retry {
	__u32 backoff_step;
	int wait_ms;
	enum ib_mad_retry_cause cause;
};

struct ib_mad_trace_busy {
	_Bool dropped;
};

struct ib_mad_trace_timeout {
	enum ib_mad_timeout_cause cause;
};

struct ib_mad_trace_done {
	__s64 duration_us;
	__u32 status;
};

struct ib_mad_trace_reset {
	enum ib_mad_backoff_reset_cause cause;
};

#pragma clang attribute pop

/* Values of done->status that matter here, from enum ib_wc_status */
#define WC_SUCCESS		0
#define WC_WR_FLUSH_ERR		5
#define WC_RESP_TIMEOUT_ERR	20

/* MAD methods and classes, InfiniBand specification, volume 1, 13.4 */
#define MAD_METHOD_RESP		0x80
#define MAD_METHOD_TRAP_REPRESS	0x07
#define MAD_CLASS_BM		0x05
#define MAD_BM_ATTR_MOD_RESP	1

#endif /* IB_MAD_TRACE_H */
