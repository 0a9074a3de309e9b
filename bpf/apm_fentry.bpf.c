// SPDX-License-Identifier: GPL-2.0
/*
 * Path migration on a kernel without madretry's events, as far as its functions
 * show it.
 *
 * Hook of all programs: fentry and fexit. No existing event tells of any of
 * this: the ones of ib_cm are about setting up and ending connections. Each
 * program is called for more than it looks for, which costs the call and a
 * comparison.
 */
#include "apm.bpf.h"

/* The kernel's enum ib_qp_attr_mask, enum ib_event_type */
#define QP_ALT_PATH	(1 << 14)
#define QP_PATH_MIG_STATE (1 << 18)
#define EVENT_PATH_MIG	6
#define EVENT_PATH_MIG_ERR 7

/* InfiniBand specification, volume 1, 16.7.1 */
#define CM_ATTR_LAP	0x0019
#define CM_ATTR_APR	0x001a

/* Where a CM message has its communication IDs and the APR its status, 12.6 */
#define CM_LOCAL_ID	24
#define CM_REMOTE_ID	28
#define CM_APR_STATUS	33
#define CM_LAP_REMOTE_QPN 36

enum ib_event_type { IB_EVENT_CQ_ERR };
enum ib_mig_state { IB_MIG_MIGRATED };

#pragma clang attribute push(__attribute__((preserve_access_index)), \
			     apply_to = record)

struct ib_device {
	char name[MR_DEVICE_NAME_MAX];
	__u32 index;
};

struct rdma_restrack_entry {
	_Bool user;
};

struct ib_qp {
	struct ib_device *device;
	struct ib_qp *real_qp;
	__u32 qp_num;
	__u32 port;
	struct rdma_restrack_entry res;
};

struct ib_qp_attr {
	enum ib_mig_state path_mig_state;
	__u32 alt_port_num;
};

struct ib_event {
	union {
		struct ib_qp *qp;
	} element;
	enum ib_event_type event;
};

struct ib_cm_id {
	struct ib_device *device;
	__be32 local_id;
	__be32 remote_id;
};

/* Begins with a struct ib_cm_id */
struct cm_id_private {
	__be32 local_qpn;
	__be32 remote_qpn;
};

struct ib_mad_hdr {
	__be16 attr_id;
};

struct ib_mad {
	struct ib_mad_hdr mad_hdr;
};

struct ib_mad_recv_buf {
	struct ib_mad *mad;
};

struct ib_mad_recv_wc {
	struct ib_mad_recv_buf recv_buf;
};

struct ib_mad_agent {
	struct ib_device *device;
	__u32 port_num;
};

#pragma clang attribute pop

static __always_inline void set_device(struct mr_apm_record *record,
				       struct ib_device *device)
{
	record->dev_index = BPF_CORE_READ(device, index);
	BPF_CORE_READ_STR_INTO(&record->device, device, name);
}

static __always_inline void set_qp(struct mr_apm_record *record,
				   struct ib_qp *qp)
{
	record->qpn = BPF_CORE_READ(qp, qp_num);
	record->port = BPF_CORE_READ(qp, port);
	record->is_user = BPF_CORE_READ(qp, res.user);
	set_device(record, BPF_CORE_READ(qp, device));
}

static __always_inline int record_modify(struct ib_qp *qp,
					 struct ib_qp_attr *attr, int mask,
					 int result)
{
	struct mr_apm_record *record;

	if (result || !(mask & QP_PATH_MIG_STATE))
		return 0;
	record = new_record(MR_APM_QP);
	if (!record)
		return 0;
	set_qp(record, qp->real_qp);
	record->qp.state = attr->path_mig_state;
	record->qp.source = MR_MIG_MODIFY;
	if (mask & QP_ALT_PATH)
		record->qp.alt_port = attr->alt_port_num;
	bpf_ringbuf_submit(record, 0);
	return 0;
}

/* ib_modify_qp: how kernel code sets the state, and whether that succeeded */
SEC("fexit/ib_modify_qp")
int BPF_PROG(mr_apm_modify, struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
	     int result)
{
	return record_modify(qp, attr, mask, result);
}

/* ib_modify_qp_with_udata: the same for programs */
SEC("fexit/ib_modify_qp_with_udata")
int BPF_PROG(mr_apm_modify_user, struct ib_qp *qp, struct ib_qp_attr *attr,
	     int mask, void *udata, int result)
{
	return record_modify(qp, attr, mask, result);
}

/* __ib_qp_event_handler: the way of every event of a queue pair */
SEC("fentry/__ib_qp_event_handler")
int BPF_PROG(mr_apm_qp_event, struct ib_event *event)
{
	enum ib_event_type type = event->event;
	struct mr_apm_record *record;

	if (type != EVENT_PATH_MIG && type != EVENT_PATH_MIG_ERR)
		return 0;
	record = new_record(MR_APM_QP);
	if (!record)
		return 0;
	/* Read, as the verifier knows a union as its first member only */
	set_qp(record, BPF_CORE_READ(event, element.qp));
	record->qp.state = MR_MIG_MIGRATED;
	record->qp.source = type == EVENT_PATH_MIG ? MR_MIG_EVENT :
						     MR_MIG_EVENT_ERR;
	bpf_ringbuf_submit(record, 0);
	return 0;
}

/* ib_cm_notify: ib_cm is told, and accepts it; which path it took is private */
SEC("fexit/ib_cm_notify")
int BPF_PROG(mr_apm_notify, struct ib_cm_id *cm_id, enum ib_event_type event,
	     int result)
{
	struct cm_id_private *private = (void *)cm_id;
	struct mr_apm_record *record;

	if (result || event != EVENT_PATH_MIG)
		return 0;
	record = new_record(MR_APM_MIGRATE);
	if (!record)
		return 0;
	record->cm_id = (__u64)cm_id;
	record->local_id = bpf_ntohl(cm_id->local_id);
	record->remote_id = bpf_ntohl(cm_id->remote_id);
	record->qpn = bpf_ntohl(BPF_CORE_READ(private, local_qpn));
	record->remote_qpn = bpf_ntohl(BPF_CORE_READ(private, remote_qpn));
	set_device(record, cm_id->device);
	bpf_ringbuf_submit(record, 0);
	return 0;
}

static __always_inline __u32 read_id(const void *mad, int offset)
{
	__be32 id = 0;

	bpf_probe_read_kernel(&id, sizeof(id), mad + offset);
	return bpf_ntohl(id);
}

/* cm_recv_handler: LAP and APR as they arrive, before ib_cm judges them */
SEC("fentry/cm_recv_handler")
int BPF_PROG(mr_apm_received, struct ib_mad_agent *agent, void *send_buf,
	     struct ib_mad_recv_wc *wc)
{
	struct ib_mad *mad = wc->recv_buf.mad;
	__u16 attr_id = bpf_ntohs(mad->mad_hdr.attr_id);
	struct mr_apm_record *record;
	__u8 status = 0;

	if (attr_id != CM_ATTR_LAP && attr_id != CM_ATTR_APR)
		return 0;
	record = new_record(MR_APM_LAP);
	if (!record)
		return 0;
	record->port = agent->port_num;
	record->remote_id = read_id(mad, CM_LOCAL_ID);
	record->local_id = read_id(mad, CM_REMOTE_ID);
	record->lap.old_state = MR_APM_UNKNOWN;
	record->lap.new_state = MR_APM_UNKNOWN;
	record->lap.cause = MR_APM_LAP_RECEIVED;
	record->lap.apr_status = MR_APM_NO_APR;
	if (attr_id == CM_ATTR_LAP)
		record->qpn = read_id(mad, CM_LAP_REMOTE_QPN) >> 8;
	if (attr_id == CM_ATTR_APR) {
		bpf_probe_read_kernel(&status, sizeof(status),
				      (void *)mad + CM_APR_STATUS);
		record->lap.cause = MR_APM_APR_RECEIVED;
		record->lap.apr_status = status;
	}
	set_device(record, agent->device);
	bpf_ringbuf_submit(record, 0);
	return 0;
}
