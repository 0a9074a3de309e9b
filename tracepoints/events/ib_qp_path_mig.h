/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Trace event of path migration of a queue pair: its migration state is set,
 * or the device says that it has migrated, or could not.
 */

#undef TRACE_SYSTEM
#define TRACE_SYSTEM rdma_core

#if !defined(_TRACE_IB_QP_PATH_MIG_H) || defined(TRACE_HEADER_MULTI_READ)
#define _TRACE_IB_QP_PATH_MIG_H

#include <linux/tracepoint.h>
#include <rdma/ib_verbs.h>
#include <trace/misc/ib_qp_path_mig.h>

TRACE_DEFINE_ENUM(IB_MIG_MIGRATED);
TRACE_DEFINE_ENUM(IB_MIG_REARM);
TRACE_DEFINE_ENUM(IB_MIG_ARMED);

#define show_ib_mig_state(x)						\
	__print_symbolic(x,						\
		{ IB_MIG_MIGRATED, "MIGRATED" },			\
		{ IB_MIG_REARM, "REARM" },				\
		{ IB_MIG_ARMED, "ARMED" })

TRACE_DEFINE_ENUM(IB_QP_PATH_MIG_MODIFY);
TRACE_DEFINE_ENUM(IB_QP_PATH_MIG_EVENT);
TRACE_DEFINE_ENUM(IB_QP_PATH_MIG_EVENT_ERR);

#define show_ib_qp_path_mig_source(x)					\
	__print_symbolic(x,						\
		{ IB_QP_PATH_MIG_MODIFY, "MODIFY" },			\
		{ IB_QP_PATH_MIG_EVENT, "EVENT" },			\
		{ IB_QP_PATH_MIG_EVENT_ERR, "EVENT_ERR" })

TRACE_EVENT(ib_qp_path_mig,
	TP_PROTO(
		const struct ib_qp_trace_path_mig *mig
	),

	TP_ARGS(mig),

	TP_STRUCT__entry(
		__string(dev_name, mig->dev_name)
		__field(u32, dev_index)
		__field(u32, qpn)
		__field(u32, port_num)
		__field(u32, alt_port_num)
		__field(unsigned long, state)
		__field(unsigned long, source)
		__field(bool, is_user)
	),

	TP_fast_assign(
		__assign_str(dev_name);
		__entry->dev_index = mig->dev_index;
		__entry->qpn = mig->qpn;
		__entry->port_num = mig->port_num;
		__entry->alt_port_num = mig->alt_port_num;
		__entry->state = mig->state;
		__entry->source = mig->source;
		__entry->is_user = mig->is_user;
	),

	TP_printk("dev=%s qpn=%u port=%u alt_port=%u state=%s source=%s is_user=%d",
		__get_str(dev_name), __entry->qpn, __entry->port_num,
		__entry->alt_port_num, show_ib_mig_state(__entry->state),
		show_ib_qp_path_mig_source(__entry->source),
		__entry->is_user
	)
);

#endif /* _TRACE_IB_QP_PATH_MIG_H */

/* The system shares its name with rdma_core.h */
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE ib_qp_path_mig
#include <trace/define_trace.h>
