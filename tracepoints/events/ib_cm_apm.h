/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Trace events of automatic path migration in ib_cm: alternate paths proposed,
 * loaded, refused, given up, and migrated to. All values are in host byte
 * order.
 */

#undef TRACE_SYSTEM
#define TRACE_SYSTEM ib_cma

#if !defined(_TRACE_IB_CM_APM_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_IB_CM_APM_H

#include <linux/tracepoint.h>
#include <rdma/ib_cm.h>
#include <trace/misc/ib_cm_apm.h>

/*
 * enum ib_cm_lap_state, from include/rdma/ib_cm.h
 */
#define ICM_APM_STATE_LIST						\
	icm_apm_state(LAP_UNINIT)					\
	icm_apm_state(LAP_IDLE)						\
	icm_apm_state(LAP_SENT)						\
	icm_apm_state(LAP_RCVD)						\
	icm_apm_state(MRA_LAP_SENT)					\
	icm_apm_state_end(MRA_LAP_RCVD)

#undef icm_apm_state
#undef icm_apm_state_end
#define icm_apm_state(x)	TRACE_DEFINE_ENUM(IB_CM_##x);
#define icm_apm_state_end(x)	TRACE_DEFINE_ENUM(IB_CM_##x);

ICM_APM_STATE_LIST

#undef icm_apm_state
#undef icm_apm_state_end
#define icm_apm_state(x)	{ IB_CM_##x, #x },
#define icm_apm_state_end(x)	{ IB_CM_##x, #x }

#define show_icm_apm_state(x) \
		__print_symbolic(x, ICM_APM_STATE_LIST)

/*
 * enum icm_apm_cause, from include/trace/misc/ib_cm_apm.h
 */
#define ICM_APM_CAUSE_LIST						\
	icm_apm_cause(LAP_SENT)						\
	icm_apm_cause(LAP_RECEIVED)					\
	icm_apm_cause(LAP_DUPLICATE)					\
	icm_apm_cause(LAP_REFUSED)					\
	icm_apm_cause(LAP_YIELDED)					\
	icm_apm_cause(LAP_TIMEOUT)					\
	icm_apm_cause(LAP_FAILED)					\
	icm_apm_cause(MRA_SENT)						\
	icm_apm_cause(MRA_RECEIVED)					\
	icm_apm_cause(APR_SENT)						\
	icm_apm_cause(APR_RECEIVED)					\
	icm_apm_cause(APR_STALE)					\
	icm_apm_cause(MIGRATED)						\
	icm_apm_cause(NO_ALTERNATE)					\
	icm_apm_cause(CONN_ENDED)					\
	icm_apm_cause_end(MIGRATION_KNOWN)

#undef icm_apm_cause
#undef icm_apm_cause_end
#define icm_apm_cause(x)	TRACE_DEFINE_ENUM(ICM_APM_##x);
#define icm_apm_cause_end(x)	TRACE_DEFINE_ENUM(ICM_APM_##x);

ICM_APM_CAUSE_LIST

#undef icm_apm_cause
#undef icm_apm_cause_end
#define icm_apm_cause(x)	{ ICM_APM_##x, #x },
#define icm_apm_cause_end(x)	{ ICM_APM_##x, #x }

#define show_icm_apm_cause(x) \
		__print_symbolic(x, ICM_APM_CAUSE_LIST)

/*
 * enum ib_cm_apr_status, from include/rdma/ib_cm.h
 */
#define ICM_APR_STATUS_LIST						\
	icm_apr_status(SUCCESS)						\
	icm_apr_status(INVALID_COMM_ID)					\
	icm_apr_status(UNSUPPORTED)					\
	icm_apr_status(REJECT)						\
	icm_apr_status(REDIRECT)					\
	icm_apr_status(IS_CURRENT)					\
	icm_apr_status(INVALID_QPN_EECN)				\
	icm_apr_status(INVALID_LID)					\
	icm_apr_status(INVALID_GID)					\
	icm_apr_status(INVALID_FLOW_LABEL)				\
	icm_apr_status(INVALID_TCLASS)					\
	icm_apr_status(INVALID_HOP_LIMIT)				\
	icm_apr_status(INVALID_PACKET_RATE)				\
	icm_apr_status_end(INVALID_SL)

#undef icm_apr_status
#undef icm_apr_status_end
#define icm_apr_status(x)	TRACE_DEFINE_ENUM(IB_CM_APR_##x);
#define icm_apr_status_end(x)	TRACE_DEFINE_ENUM(IB_CM_APR_##x);

ICM_APR_STATUS_LIST

#undef icm_apr_status
#undef icm_apr_status_end
#define icm_apr_status(x)	{ IB_CM_APR_##x, #x },
#define icm_apr_status_end(x)	{ IB_CM_APR_##x, #x }

#define show_icm_apr_status(x)						\
		__print_symbolic(x, { ICM_APM_NO_APR, "none" },		\
				 ICM_APR_STATUS_LIST)

/* The connection: the same fields first in every event */
#define ICM_CONN_ENTRY							\
		__string(dev_name, conn->dev_name)			\
		__field(const void *, cm_id)				\
		__field(u32, dev_index)					\
		__field(u32, port_num)					\
		__field(u32, local_id)					\
		__field(u32, remote_id)					\
		__field(u32, qpn)					\
		__field(u32, remote_qpn)

#define ICM_CONN_ASSIGN							\
		__assign_str(dev_name);					\
		__entry->cm_id = conn->cm_id;				\
		__entry->dev_index = conn->dev_index;			\
		__entry->port_num = conn->port_num;			\
		__entry->local_id = conn->local_id;			\
		__entry->remote_id = conn->remote_id;			\
		__entry->qpn = conn->qpn;				\
		__entry->remote_qpn = conn->remote_qpn

#define ICM_CONN_FMT							\
		"dev=%s port=%u local_id=%u remote_id=%u qpn=%u remote_qpn=%u "

#define ICM_CONN_ARGS							\
		__get_str(dev_name), __entry->port_num,			\
		__entry->local_id, __entry->remote_id,			\
		__entry->qpn, __entry->remote_qpn

TRACE_EVENT(icm_apm_state,
	TP_PROTO(
		const struct icm_trace_conn *conn,
		const struct icm_trace_apm_state *step
	),

	TP_ARGS(conn, step),

	TP_STRUCT__entry(
		ICM_CONN_ENTRY
		__field(unsigned long, old_state)
		__field(unsigned long, new_state)
		__field(unsigned long, cause)
		__field(int, apr_status)
		__field(u32, alt_port_num)
		__field(u32, alt_dlid)
	),

	TP_fast_assign(
		ICM_CONN_ASSIGN;
		__entry->old_state = step->old_state;
		__entry->new_state = step->new_state;
		__entry->cause = step->cause;
		__entry->apr_status = step->apr_status;
		__entry->alt_port_num = step->alt_port_num;
		__entry->alt_dlid = step->alt_dlid;
	),

	TP_printk(ICM_CONN_FMT
		"old_state=%s new_state=%s cause=%s apr_status=%s alt_port=%u alt_dlid=%u",
		ICM_CONN_ARGS,
		show_icm_apm_state(__entry->old_state),
		show_icm_apm_state(__entry->new_state),
		show_icm_apm_cause(__entry->cause),
		show_icm_apr_status(__entry->apr_status),
		__entry->alt_port_num, __entry->alt_dlid
	)
);

TRACE_EVENT(icm_migrate,
	TP_PROTO(
		const struct icm_trace_conn *conn,
		const struct icm_trace_migrate *paths
	),

	TP_ARGS(conn, paths),

	TP_STRUCT__entry(
		ICM_CONN_ENTRY
		__field(u32, old_port_num)
		__field(u32, new_port_num)
		__field(u32, old_dlid)
		__field(u32, new_dlid)
	),

	TP_fast_assign(
		ICM_CONN_ASSIGN;
		__entry->old_port_num = paths->old_port_num;
		__entry->new_port_num = paths->new_port_num;
		__entry->old_dlid = paths->old_dlid;
		__entry->new_dlid = paths->new_dlid;
	),

	TP_printk(ICM_CONN_FMT
		"old_port=%u new_port=%u old_dlid=%u new_dlid=%u",
		ICM_CONN_ARGS,
		__entry->old_port_num, __entry->new_port_num,
		__entry->old_dlid, __entry->new_dlid
	)
);

#endif /* _TRACE_IB_CM_APM_H */

/* The system shares its name with cm_trace.h */
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE ib_cm_apm
#include <trace/define_trace.h>
