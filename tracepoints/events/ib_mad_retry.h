/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Trace events of MAD requests: posted, retried, answered BUSY, given up,
 * completed. All values are in host byte order, times carry their unit.
 */

#undef TRACE_SYSTEM
#define TRACE_SYSTEM ib_mad

#if !defined(_TRACE_IB_MAD_RETRY_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_IB_MAD_RETRY_H

#include <linux/tracepoint.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_mad_retry.h>
#include <rdma/ib_cm.h>
#include <rdma/rdma_cm.h>
#include <trace/misc/rdma.h>
#include <trace/misc/ib_mad_retry.h>

/*
 * enum ib_mad_retry_cause, from include/trace/misc/ib_mad_retry.h
 */
#define IB_MAD_RETRY_CAUSE_LIST						\
	ib_mad_retry_cause(TIMEOUT)					\
	ib_mad_retry_cause(BUSY)					\
	ib_mad_retry_cause_end(RMPP)

#undef ib_mad_retry_cause
#undef ib_mad_retry_cause_end
#define ib_mad_retry_cause(x)	  TRACE_DEFINE_ENUM(IB_MAD_RETRY_CAUSE_##x);
#define ib_mad_retry_cause_end(x) TRACE_DEFINE_ENUM(IB_MAD_RETRY_CAUSE_##x);

IB_MAD_RETRY_CAUSE_LIST

#undef ib_mad_retry_cause
#undef ib_mad_retry_cause_end
#define ib_mad_retry_cause(x)	  { IB_MAD_RETRY_CAUSE_##x, #x },
#define ib_mad_retry_cause_end(x) { IB_MAD_RETRY_CAUSE_##x, #x }

#define show_ib_mad_retry_cause(x) \
		__print_symbolic(x, IB_MAD_RETRY_CAUSE_LIST)

/*
 * enum ib_mad_timeout_cause, from include/trace/misc/ib_mad_retry.h
 */
#define IB_MAD_TIMEOUT_CAUSE_LIST					\
	ib_mad_timeout_cause(RETRIES)					\
	ib_mad_timeout_cause(BUDGET)					\
	ib_mad_timeout_cause_end(NOT_SENT)

#undef ib_mad_timeout_cause
#undef ib_mad_timeout_cause_end
#define ib_mad_timeout_cause(x)	    TRACE_DEFINE_ENUM(IB_MAD_TIMEOUT_##x);
#define ib_mad_timeout_cause_end(x) TRACE_DEFINE_ENUM(IB_MAD_TIMEOUT_##x);

IB_MAD_TIMEOUT_CAUSE_LIST

#undef ib_mad_timeout_cause
#undef ib_mad_timeout_cause_end
#define ib_mad_timeout_cause(x)	    { IB_MAD_TIMEOUT_##x, #x },
#define ib_mad_timeout_cause_end(x) { IB_MAD_TIMEOUT_##x, #x }

#define show_ib_mad_timeout_cause(x) \
		__print_symbolic(x, IB_MAD_TIMEOUT_CAUSE_LIST)

/*
 * enum ib_mad_backoff_reset_cause, from include/trace/misc/ib_mad_retry.h
 */
#define IB_MAD_BACKOFF_RESET_CAUSE_LIST					\
	ib_mad_backoff_reset_cause(MRA)					\
	ib_mad_backoff_reset_cause_end(RMPP_ACK)

#undef ib_mad_backoff_reset_cause
#undef ib_mad_backoff_reset_cause_end
#define ib_mad_backoff_reset_cause(x) \
	TRACE_DEFINE_ENUM(IB_MAD_BACKOFF_RESET_##x);
#define ib_mad_backoff_reset_cause_end(x) \
	TRACE_DEFINE_ENUM(IB_MAD_BACKOFF_RESET_##x);

IB_MAD_BACKOFF_RESET_CAUSE_LIST

#undef ib_mad_backoff_reset_cause
#undef ib_mad_backoff_reset_cause_end
#define ib_mad_backoff_reset_cause(x)	  { IB_MAD_BACKOFF_RESET_##x, #x },
#define ib_mad_backoff_reset_cause_end(x) { IB_MAD_BACKOFF_RESET_##x, #x }

#define show_ib_mad_backoff_reset_cause(x) \
		__print_symbolic(x, IB_MAD_BACKOFF_RESET_CAUSE_LIST)

/*
 * enum ib_mad_retry_flags, from include/rdma/ib_mad_retry.h
 */
TRACE_DEFINE_ENUM(IB_MAD_RETRY_RANDOMIZED);
TRACE_DEFINE_ENUM(IB_MAD_RETRY_BUSY_AS_TIMEOUT);
TRACE_DEFINE_ENUM(IB_MAD_RETRY_BUDGET_TIME);
TRACE_DEFINE_ENUM(IB_MAD_RETRY_KEEP_TIMEOUT);

#define show_ib_mad_retry_flags(x)					\
	__print_flags(x, "|",						\
		{ IB_MAD_RETRY_RANDOMIZED, "RANDOMIZED" },		\
		{ IB_MAD_RETRY_BUSY_AS_TIMEOUT, "BUSY_AS_TIMEOUT" },	\
		{ IB_MAD_RETRY_BUDGET_TIME, "BUDGET_TIME" },		\
		{ IB_MAD_RETRY_KEEP_TIMEOUT, "KEEP_TIMEOUT" })

#define show_ib_mgmt_class(x)						\
	__print_symbolic(x,						\
		{ IB_MGMT_CLASS_SUBN_LID_ROUTED, "SUBN_LID_ROUTED" },	\
		{ IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE, "SUBN_DIRECTED_ROUTE" }, \
		{ IB_MGMT_CLASS_SUBN_ADM, "SUBN_ADM" },			\
		{ IB_MGMT_CLASS_PERF_MGMT, "PERF_MGMT" },		\
		{ IB_MGMT_CLASS_BM, "BM" },				\
		{ IB_MGMT_CLASS_DEVICE_MGMT, "DEVICE_MGMT" },		\
		{ IB_MGMT_CLASS_CM, "CM" },				\
		{ IB_MGMT_CLASS_SNMP, "SNMP" })

/* The request: the same fields first in every event */
#define IB_MAD_REQ_ENTRY						\
		__string(dev_name, req->dev_name)			\
		__field(const void *, send_buf)				\
		__field(const void *, agent)				\
		__field(u64, tid)					\
		__field(u32, dev_index)					\
		__field(u32, port_num)					\
		__field(u32, dlid)					\
		__array(u8, dgid, 16)					\
		__field(u32, attr_mod)					\
		__field(u16, attr_id)					\
		__field(u8, mgmt_class)					\
		__field(u8, class_version)				\
		__field(u8, method)

#define IB_MAD_REQ_ASSIGN						\
		__assign_str(dev_name);					\
		__entry->send_buf = req->send_buf;			\
		__entry->agent = req->agent;				\
		__entry->tid = req->tid;				\
		__entry->dev_index = req->dev_index;			\
		__entry->port_num = req->port_num;			\
		__entry->dlid = req->dlid;				\
		memcpy(__entry->dgid, req->dgid, 16);			\
		__entry->attr_mod = req->attr_mod;			\
		__entry->attr_id = req->attr_id;			\
		__entry->mgmt_class = req->mgmt_class;			\
		__entry->class_version = req->class_version;		\
		__entry->method = req->method

#define IB_MAD_REQ_FMT							\
		"dev=%s port=%u class=%s method=0x%02x attr=0x%04x "	\
		"tid=0x%016llx dlid=%u dgid=%pI6c "

#define IB_MAD_REQ_ARGS							\
		__get_str(dev_name), __entry->port_num,			\
		show_ib_mgmt_class(__entry->mgmt_class),		\
		__entry->method, __entry->attr_id, __entry->tid,	\
		__entry->dlid, __entry->dgid

TRACE_EVENT(ib_mad_post,
	TP_PROTO(
		const struct ib_mad_trace_req *req,
		const struct ib_mad_trace_post *post
	),

	TP_ARGS(req, post),

	TP_STRUCT__entry(
		IB_MAD_REQ_ENTRY
		__field(s64, total_ms)
		__field(int, timeout_ms)
		__field(int, retries)
		__field(unsigned long, flags)
	),

	TP_fast_assign(
		IB_MAD_REQ_ASSIGN;
		__entry->total_ms = post->total_ms;
		__entry->timeout_ms = post->timeout_ms;
		__entry->retries = post->retries;
		__entry->flags = post->flags;
	),

	TP_printk(IB_MAD_REQ_FMT
		"timeout_ms=%d retries=%d total_ms=%lld flags=%s",
		IB_MAD_REQ_ARGS,
		__entry->timeout_ms, __entry->retries, __entry->total_ms,
		show_ib_mad_retry_flags(__entry->flags)
	)
);

TRACE_EVENT(ib_mad_retry,
	TP_PROTO(
		const struct ib_mad_trace_req *req,
		const struct ib_mad_trace_retry *retry
	),

	TP_ARGS(req, retry),

	TP_STRUCT__entry(
		IB_MAD_REQ_ENTRY
		__field(s64, budget_left_ms)
		__field(u32, retry)
		__field(u32, backoff_step)
		__field(int, retries_left)
		__field(int, waited_ms)
		__field(int, wait_ms)
		__field(u32, rand_ms)
		__field(u32, busy_drops)
		__field(unsigned long, cause)
	),

	TP_fast_assign(
		IB_MAD_REQ_ASSIGN;
		__entry->budget_left_ms = retry->budget_left_ms;
		__entry->retry = retry->retry;
		__entry->backoff_step = retry->backoff_step;
		__entry->retries_left = retry->retries_left;
		__entry->waited_ms = retry->waited_ms;
		__entry->wait_ms = retry->wait_ms;
		__entry->rand_ms = retry->rand_ms;
		__entry->busy_drops = retry->busy_drops;
		__entry->cause = retry->cause;
	),

	TP_printk(IB_MAD_REQ_FMT
		"retry=%u backoff_step=%u retries_left=%d waited_ms=%d wait_ms=%d rand_ms=%u budget_left_ms=%lld busy_drops=%u cause=%s",
		IB_MAD_REQ_ARGS,
		__entry->retry, __entry->backoff_step, __entry->retries_left,
		__entry->waited_ms, __entry->wait_ms, __entry->rand_ms,
		__entry->budget_left_ms, __entry->busy_drops,
		show_ib_mad_retry_cause(__entry->cause)
	)
);

TRACE_EVENT(ib_mad_busy,
	TP_PROTO(
		const struct ib_mad_trace_req *req,
		const struct ib_mad_trace_busy *busy
	),

	TP_ARGS(req, busy),

	TP_STRUCT__entry(
		IB_MAD_REQ_ENTRY
		__field(u32, retry_in_ms)
		__field(u32, retry)
		__field(u32, busy_drops)
		__field(u16, mad_status)
		__field(bool, dropped)
	),

	TP_fast_assign(
		IB_MAD_REQ_ASSIGN;
		__entry->retry_in_ms = busy->retry_in_ms;
		__entry->retry = busy->retry;
		__entry->busy_drops = busy->busy_drops;
		__entry->mad_status = busy->mad_status;
		__entry->dropped = busy->dropped;
	),

	TP_printk(IB_MAD_REQ_FMT
		"action=%s retry=%u retry_in_ms=%u busy_drops=%u mad_status=0x%04x",
		IB_MAD_REQ_ARGS,
		__entry->dropped ? "DROPPED" : "DELIVERED", __entry->retry,
		__entry->retry_in_ms, __entry->busy_drops, __entry->mad_status
	)
);

TRACE_EVENT(ib_mad_timeout,
	TP_PROTO(
		const struct ib_mad_trace_req *req,
		const struct ib_mad_trace_timeout *timeout
	),

	TP_ARGS(req, timeout),

	TP_STRUCT__entry(
		IB_MAD_REQ_ENTRY
		__field(s64, total_ms)
		__field(u32, sends)
		__field(u32, busy_drops)
		__field(unsigned long, cause)
	),

	TP_fast_assign(
		IB_MAD_REQ_ASSIGN;
		__entry->total_ms = timeout->total_ms;
		__entry->sends = timeout->sends;
		__entry->busy_drops = timeout->busy_drops;
		__entry->cause = timeout->cause;
	),

	TP_printk(IB_MAD_REQ_FMT
		"sends=%u total_ms=%lld busy_drops=%u cause=%s",
		IB_MAD_REQ_ARGS,
		__entry->sends, __entry->total_ms, __entry->busy_drops,
		show_ib_mad_timeout_cause(__entry->cause)
	)
);

TRACE_EVENT(ib_mad_done,
	TP_PROTO(
		const struct ib_mad_trace_req *req,
		const struct ib_mad_trace_done *done
	),

	TP_ARGS(req, done),

	TP_STRUCT__entry(
		IB_MAD_REQ_ENTRY
		__field(s64, duration_us)
		__field(unsigned long, status)
		__field(u32, sends)
		__field(u32, busy_drops)
		__field(u16, mad_status)
	),

	TP_fast_assign(
		IB_MAD_REQ_ASSIGN;
		__entry->duration_us = done->duration_us;
		__entry->status = done->status;
		__entry->sends = done->sends;
		__entry->busy_drops = done->busy_drops;
		__entry->mad_status = done->mad_status;
	),

	TP_printk(IB_MAD_REQ_FMT
		"status=%s mad_status=0x%04x sends=%u busy_drops=%u duration_us=%lld",
		IB_MAD_REQ_ARGS,
		rdma_show_wc_status(__entry->status), __entry->mad_status,
		__entry->sends, __entry->busy_drops, __entry->duration_us
	)
);

TRACE_EVENT(ib_mad_backoff_reset,
	TP_PROTO(
		const struct ib_mad_trace_req *req,
		const struct ib_mad_trace_reset *reset
	),

	TP_ARGS(req, reset),

	TP_STRUCT__entry(
		IB_MAD_REQ_ENTRY
		__field(u32, retry)
		__field(u32, backoff_step)
		__field(int, wait_ms)
		__field(unsigned long, cause)
	),

	TP_fast_assign(
		IB_MAD_REQ_ASSIGN;
		__entry->retry = reset->retry;
		__entry->backoff_step = reset->backoff_step;
		__entry->wait_ms = reset->wait_ms;
		__entry->cause = reset->cause;
	),

	TP_printk(IB_MAD_REQ_FMT
		"cause=%s retry=%u backoff_step=%u wait_ms=%d",
		IB_MAD_REQ_ARGS,
		show_ib_mad_backoff_reset_cause(__entry->cause),
		__entry->retry, __entry->backoff_step, __entry->wait_ms
	)
);

#endif /* _TRACE_IB_MAD_RETRY_H */

/* The system shares its name with ib_mad.h */
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE ib_mad_retry
#include <trace/define_trace.h>
