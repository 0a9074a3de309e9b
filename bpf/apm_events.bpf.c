// SPDX-License-Identifier: GPL-2.0
/*
 * Path migration, seen through madretry's events of ib_cm and ib_core.
 *
 * Hook of all programs: tp_btf, whose arguments are typed and read in place. A
 * module event's pointers may be NULL as far as the verifier knows, so every
 * program tests them. Each event costs one record; they come a few times for
 * each migration of a connection.
 */
#include "apm.bpf.h"

enum ib_cm_lap_state { IB_CM_LAP_UNINIT };
enum icm_apm_cause { ICM_APM_LAP_SENT };
enum ib_mig_state { IB_MIG_MIGRATED };
enum ib_qp_path_mig_source { IB_QP_PATH_MIG_MODIFY };

#pragma clang attribute push(__attribute__((preserve_access_index)), \
			     apply_to = record)

struct icm_trace_conn {
	const char *dev_name;
	const void *cm_id;
	__u32 dev_index;
	__u32 port_num;
	__u32 local_id;
	__u32 remote_id;
	__u32 qpn;
	__u32 remote_qpn;
};

struct icm_trace_apm_state {
	enum ib_cm_lap_state old_state;
	enum ib_cm_lap_state new_state;
	enum icm_apm_cause cause;
	int apr_status;
	__u32 alt_port_num;
	__u32 alt_dlid;
};

struct icm_trace_migrate {
	__u32 old_port_num;
	__u32 new_port_num;
	__u32 old_dlid;
	__u32 new_dlid;
};

struct ib_qp_trace_path_mig {
	const char *dev_name;
	__u32 dev_index;
	__u32 qpn;
	__u32 port_num;
	__u32 alt_port_num;
	enum ib_mig_state state;
	enum ib_qp_path_mig_source source;
	_Bool is_user;
};

#pragma clang attribute pop

static __always_inline void set_conn(struct mr_apm_record *record,
				     const struct icm_trace_conn *conn)
{
	record->cm_id = (__u64)conn->cm_id;
	record->dev_index = conn->dev_index;
	record->port = conn->port_num;
	record->local_id = conn->local_id;
	record->remote_id = conn->remote_id;
	record->qpn = conn->qpn;
	record->remote_qpn = conn->remote_qpn;
	bpf_probe_read_kernel_str(record->device, sizeof(record->device),
				  conn->dev_name);
}

/* icm_apm_state: the only place that knows a LAP's fate */
SEC("tp_btf/icm_apm_state")
int BPF_PROG(mr_apm_state, const struct icm_trace_conn *conn,
	     const struct icm_trace_apm_state *step)
{
	struct mr_apm_record *record;

	if (!conn || !step)
		return 0;
	record = new_record(MR_APM_LAP);
	if (!record)
		return 0;
	set_conn(record, conn);
	record->lap.old_state = step->old_state;
	record->lap.new_state = step->new_state;
	record->lap.cause = step->cause;
	record->lap.apr_status = step->apr_status;
	record->lap.alt_port = step->alt_port_num;
	record->lap.alt_dlid = step->alt_dlid;
	bpf_ringbuf_submit(record, 0);
	return 0;
}

/* icm_migrate: says that ib_cm's messages take the other path, too */
SEC("tp_btf/icm_migrate")
int BPF_PROG(mr_apm_migrate, const struct icm_trace_conn *conn,
	     const struct icm_trace_migrate *paths)
{
	struct mr_apm_record *record;

	if (!conn || !paths)
		return 0;
	record = new_record(MR_APM_MIGRATE);
	if (!record)
		return 0;
	set_conn(record, conn);
	record->migrate.old_port = paths->old_port_num;
	record->migrate.new_port = paths->new_port_num;
	record->migrate.old_dlid = paths->old_dlid;
	record->migrate.new_dlid = paths->new_dlid;
	bpf_ringbuf_submit(record, 0);
	return 0;
}

/* ib_qp_path_mig: queue pairs of programs and of the kernel alike */
SEC("tp_btf/ib_qp_path_mig")
int BPF_PROG(mr_apm_qp, const struct ib_qp_trace_path_mig *mig)
{
	struct mr_apm_record *record;

	if (!mig)
		return 0;
	record = new_record(MR_APM_QP);
	if (!record)
		return 0;
	record->dev_index = mig->dev_index;
	record->port = mig->port_num;
	record->qpn = mig->qpn;
	record->is_user = mig->is_user;
	record->qp.state = mig->state;
	record->qp.source = mig->source;
	record->qp.alt_port = mig->alt_port_num;
	bpf_probe_read_kernel_str(record->device, sizeof(record->device),
				  mig->dev_name);
	bpf_ringbuf_submit(record, 0);
	return 0;
}
