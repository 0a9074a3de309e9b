/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * What the trace events of automatic path migration in ib_cm carry. BPF
 * programs read these structures directly (raw_tp, tp_btf); the events copy
 * them into their records. tracepoints/README.md of madretry describes every
 * field.
 */

#ifndef TRACE_MISC_IB_CM_APM_H
#define TRACE_MISC_IB_CM_APM_H

#include <linux/types.h>
#include <rdma/ib_cm.h>

/* What has happened to the alternate path of a connection */
enum icm_apm_cause {
	ICM_APM_LAP_SENT,
	ICM_APM_LAP_RECEIVED,
	ICM_APM_LAP_DUPLICATE,
	ICM_APM_LAP_REFUSED,
	ICM_APM_LAP_YIELDED,
	ICM_APM_LAP_TIMEOUT,
	ICM_APM_LAP_FAILED,
	ICM_APM_MRA_SENT,
	ICM_APM_MRA_RECEIVED,
	ICM_APM_APR_SENT,
	ICM_APM_APR_RECEIVED,
	ICM_APM_APR_STALE,
	ICM_APM_MIGRATED,
	ICM_APM_NO_ALTERNATE,
	ICM_APM_CONN_ENDED,
	ICM_APM_MIGRATION_KNOWN,
};

/* A value of icm_trace_apm_state.apr_status: no APR is involved */
#define ICM_APM_NO_APR	(-1)

/**
 * struct icm_trace_conn - the connection that an event is about
 * @dev_name: Device.
 * @cm_id: Identifies the connection while it lives, NULL if a message named
 *   none that exists.
 * @dev_index: Device, as in "rdma dev".
 * @port_num: Port of the primary path.
 * @local_id: Local communication ID.
 * @remote_id: Remote communication ID.
 * @qpn: Local queue pair.
 * @remote_qpn: Remote queue pair.
 */
struct icm_trace_conn {
	const char *dev_name;
	const void *cm_id;
	u32 dev_index;
	u32 port_num;
	u32 local_id;
	u32 remote_id;
	u32 qpn;
	u32 remote_qpn;
};

/**
 * struct icm_trace_apm_state - a step in loading an alternate path
 * @old_state: State before.
 * @new_state: State after; the same if the step changes none.
 * @cause: enum icm_apm_cause.
 * @apr_status: Status of the APR sent or received, or ICM_APM_NO_APR.
 * @alt_port_num: Port of the path that is loaded or proposed, 0 if there is
 *   none.
 * @alt_dlid: Destination LID of that path.
 */
struct icm_trace_apm_state {
	enum ib_cm_lap_state old_state;
	enum ib_cm_lap_state new_state;
	enum icm_apm_cause cause;
	int apr_status;
	u32 alt_port_num;
	u32 alt_dlid;
};

/**
 * struct icm_trace_migrate - the alternate path becomes the primary one
 * @old_port_num: Port of the path that was left.
 * @new_port_num: Port of the path in use now.
 * @old_dlid: Destination LID of the path that was left.
 * @new_dlid: Destination LID of the path in use now.
 */
struct icm_trace_migrate {
	u32 old_port_num;
	u32 new_port_num;
	u32 old_dlid;
	u32 new_dlid;
};

#endif /* TRACE_MISC_IB_CM_APM_H */
