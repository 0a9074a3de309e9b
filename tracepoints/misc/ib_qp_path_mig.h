/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the trace event of a queue pair's path migration carries. BPF programs
 * read this structure directly (raw_tp, tp_btf); the event copies it into its
 * record. tracepoints/README.md of madretry describes every field.
 */

#ifndef TRACE_MISC_IB_QP_PATH_MIG_H
#define TRACE_MISC_IB_QP_PATH_MIG_H

#include <linux/types.h>
#include <rdma/ib_verbs.h>

/* Who says so */
enum ib_qp_path_mig_source {
	IB_QP_PATH_MIG_MODIFY,
	IB_QP_PATH_MIG_EVENT,
	IB_QP_PATH_MIG_EVENT_ERR,
};

/**
 * struct ib_qp_trace_path_mig - migration state of a queue pair
 * @dev_name: Device.
 * @dev_index: Device, as in "rdma dev".
 * @qpn: Queue pair.
 * @port_num: Port of the path that was loaded as the primary one; hardware
 *   that migrates does not change it.
 * @alt_port_num: Port of the alternate path if one is loaded with this, else
 *   0.
 * @state: Migration state asked for (MODIFY), or reached (EVENT).
 * @source: enum ib_qp_path_mig_source.
 * @is_user: The queue pair belongs to a process.
 */
struct ib_qp_trace_path_mig {
	const char *dev_name;
	u32 dev_index;
	u32 qpn;
	u32 port_num;
	u32 alt_port_num;
	enum ib_mig_state state;
	enum ib_qp_path_mig_source source;
	bool is_user;
};

#endif /* TRACE_MISC_IB_QP_PATH_MIG_H */
