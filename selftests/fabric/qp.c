// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Queue pairs: creation, state, posting, events. Sending is done by the QP's
 * work item; receiving by the work item of the port. Both hold qp->lock while
 * they touch the QP, and tell users and the core what happened after they have
 * let go of it: completions in vfab_qp_unlock(), events from the work item.
 */
#include <linux/mm.h>
#include <linux/slab.h>

#include "vfab.h"

static const enum ib_event_type vfab_event_type[VFAB_EVS] = {
	[VFAB_EV_COMM_EST]	= IB_EVENT_COMM_EST,
	[VFAB_EV_SQ_DRAINED]	= IB_EVENT_SQ_DRAINED,
	[VFAB_EV_PATH_MIG]	= IB_EVENT_PATH_MIG,
	[VFAB_EV_PATH_MIG_ERR]	= IB_EVENT_PATH_MIG_ERR,
	[VFAB_EV_QP_REQ_ERR]	= IB_EVENT_QP_REQ_ERR,
	[VFAB_EV_QP_ACCESS_ERR]	= IB_EVENT_QP_ACCESS_ERR,
	[VFAB_EV_QP_FATAL]	= IB_EVENT_QP_FATAL,
	[VFAB_EV_LAST_WQE]	= IB_EVENT_QP_LAST_WQE_REACHED,
	[VFAB_EV_SRQ_LIMIT]	= IB_EVENT_SRQ_LIMIT_REACHED,
};

static void vfab_qp_release(struct kref *ref)
{
	complete(&container_of(ref, struct vfab_qp, ref)->gone);
}

void vfab_qp_put(struct vfab_qp *qp)
{
	kref_put(&qp->ref, vfab_qp_release);
}

struct vfab_qp *vfab_qp_get(struct vfab_host *host, struct vfab_port *port,
			    u32 qpn)
{
	struct vfab_qp *qp;
	unsigned long flags;

	spin_lock_irqsave(&host->qp_lock, flags);
	qp = qpn <= 1 ? port->mad_qp[qpn] : xa_load(&host->qps, qpn);
	if (qp && !kref_get_unless_zero(&qp->ref))
		qp = NULL;
	spin_unlock_irqrestore(&host->qp_lock, flags);
	return qp;
}

static void vfab_cq_notify(struct ib_cq *cq)
{
	cq->comp_handler(cq, cq->cq_context);
}

void vfab_qp_unlock(struct vfab_qp *qp, unsigned long flags)
	__releases(&qp->lock)
{
	bool scq = qp->notify_scq, rcq = qp->notify_rcq;

	qp->notify_scq = false;
	qp->notify_rcq = false;
	spin_unlock_irqrestore(&qp->lock, flags);
	if (scq)
		vfab_cq_notify(qp->ibqp.send_cq);
	if (rcq)
		vfab_cq_notify(qp->ibqp.recv_cq);
}

/* QP locked. The event is raised from the work item. */
void vfab_qp_raise(struct vfab_qp *qp, enum vfab_qp_event ev)
{
	set_bit(ev, &qp->events);
	queue_work(vfab_wq, &qp->work);
}

static void vfab_srq_event(struct vfab_qp *qp, struct ib_event *event)
{
	struct ib_srq *srq = qp->ibqp.srq;

	event->element.srq = srq;
	if (srq->event_handler)
		srq->event_handler(event, srq->srq_context);
}

static void vfab_qp_dispatch(struct vfab_qp *qp)
{
	struct ib_event event = { .device = qp->ibqp.device };
	enum vfab_qp_event ev;

	for (ev = 0; ev < VFAB_EVS; ev++) {
		if (!test_and_clear_bit(ev, &qp->events))
			continue;
		event.event = vfab_event_type[ev];
		if (ev == VFAB_EV_SRQ_LIMIT) {
			vfab_srq_event(qp, &event);
			continue;
		}
		event.element.qp = &qp->ibqp;
		if (qp->ibqp.event_handler)
			qp->ibqp.event_handler(&event, qp->ibqp.qp_context);
	}
}

struct vfab_swqe *vfab_swqe(struct vfab_qp *qp, u32 index)
{
	return qp->sq + (index % qp->sq_size) * qp->sq_stride;
}

static enum ib_wc_opcode vfab_wc_opcode(enum ib_wr_opcode op)
{
	switch (op) {
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
		return IB_WC_RDMA_WRITE;
	case IB_WR_RDMA_READ:
		return IB_WC_RDMA_READ;
	case IB_WR_ATOMIC_CMP_AND_SWP:
		return IB_WC_COMP_SWAP;
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		return IB_WC_FETCH_ADD;
	default:
		return IB_WC_SEND;
	}
}

/* Complete the oldest send. QP locked. */
void vfab_qp_send_done(struct vfab_qp *qp, enum ib_wc_status status)
{
	struct vfab_swqe *wqe = vfab_swqe(qp, qp->sq_tail);
	struct ib_wc wc = {
		.wr_id = wqe->wr_id,
		.status = status,
		.opcode = vfab_wc_opcode(wqe->opcode),
		.byte_len = wqe->length,
		.qp = &qp->ibqp,
	};

	if (qp->sq_cur == qp->sq_tail) {
		qp->sq_cur++;
		qp->cur_pkt = 0;
	}
	qp->sq_tail++;
	if (status || qp->sig_all || (wqe->flags & IB_SEND_SIGNALED))
		qp->notify_scq |= vfab_cq_add(to_vcq(qp->ibqp.send_cq), &wc,
					      false);
}

static struct vfab_rq *vfab_qp_rq(struct vfab_qp *qp)
{
	return qp->ibqp.srq ? &to_vsrq(qp->ibqp.srq)->rq : &qp->rq;
}

/* QP locked. Returns false if there is no receive to take. */
bool vfab_qp_take_recv(struct vfab_qp *qp, struct vfab_rwqe *wqe)
{
	bool limit, got;

	got = vfab_rq_take(vfab_qp_rq(qp), wqe, &limit);
	if (limit)
		vfab_qp_raise(qp, VFAB_EV_SRQ_LIMIT);
	return got;
}

/* QP locked */
void vfab_qp_recv_done(struct vfab_qp *qp, struct ib_wc *wc, bool solicited)
{
	wc->qp = &qp->ibqp;
	qp->notify_rcq |= vfab_cq_add(to_vcq(qp->ibqp.recv_cq), wc, solicited);
}

static void vfab_qp_flush_recv(struct vfab_qp *qp)
{
	struct ib_wc wc = { .status = IB_WC_WR_FLUSH_ERR, .opcode = IB_WC_RECV };

	if (qp->r_active) {
		qp->r_active = false;
		wc.wr_id = qp->r_wqe.wr_id;
		vfab_qp_recv_done(qp, &wc, false);
	}
	if (qp->ibqp.srq)
		return;
	while (vfab_qp_take_recv(qp, &qp->r_wqe)) {
		wc.wr_id = qp->r_wqe.wr_id;
		vfab_qp_recv_done(qp, &wc, false);
	}
}

static void vfab_qp_flush_send(struct vfab_qp *qp)
{
	while (qp->sq_tail != qp->sq_head)
		vfab_qp_send_done(qp, IB_WC_WR_FLUSH_ERR);
}

/* QP locked: into the error state; all that is posted completes. */
void vfab_qp_error(struct vfab_qp *qp)
{
	bool was = qp->state == IB_QPS_ERR;

	qp->state = IB_QPS_ERR;
	vfab_qp_flush_send(qp);
	vfab_qp_flush_recv(qp);
	if (!was && qp->ibqp.srq)
		vfab_qp_raise(qp, VFAB_EV_LAST_WQE);
}

static void vfab_qp_work(struct work_struct *work)
{
	struct vfab_qp *qp = container_of(work, struct vfab_qp, work);
	unsigned long flags;

	vfab_qp_dispatch(qp);
	spin_lock_irqsave(&qp->lock, flags);
	switch (qp->state) {
	case IB_QPS_ERR:
		vfab_qp_flush_send(qp);
		vfab_qp_flush_recv(qp);
		break;
	case IB_QPS_SQE:
		vfab_qp_flush_send(qp);
		break;
	case IB_QPS_RTS:
	case IB_QPS_SQD:
		if (qp->ibqp.qp_type != IB_QPT_RC) {
			vfab_ud_send(qp);
			break;
		}
		if (qp->timer_fired)
			vfab_rc_timeout(qp);
		vfab_rc_send(qp);
		break;
	default:
		break;
	}
	vfab_qp_unlock(qp, flags);
}

/* ---- create and destroy ---- */

static int vfab_qp_number(struct vfab_qp *qp, enum ib_qp_type type, u32 port)
{
	struct vfab_host *host = qp->host;
	u32 qpn;
	int ret;

	if (type == IB_QPT_SMI || type == IB_QPT_GSI) {
		qpn = type == IB_QPT_GSI;
		spin_lock_irq(&host->qp_lock);
		ret = vfab_host_port(host, port)->mad_qp[qpn] ? -EBUSY : 0;
		if (!ret)
			vfab_host_port(host, port)->mad_qp[qpn] = qp;
		spin_unlock_irq(&host->qp_lock);
	} else {
		ret = xa_alloc_cyclic_irq(&host->qps, &qpn, qp,
					  XA_LIMIT(2, VFAB_QPN_MASK - 1),
					  &host->qpn_next, GFP_KERNEL);
		if (ret > 0)
			ret = 0;
	}
	qp->ibqp.qp_num = qpn;
	return ret;
}

static void vfab_qp_forget(struct vfab_qp *qp)
{
	struct vfab_host *host = qp->host;
	u32 qpn = qp->ibqp.qp_num;

	if (qpn <= 1) {
		spin_lock_irq(&host->qp_lock);
		vfab_host_port(host, qp->path.port)->mad_qp[qpn] = NULL;
		spin_unlock_irq(&host->qp_lock);
	} else {
		/* a lookup under qp_lock sees the QP with its reference */
		spin_lock_irq(&host->qp_lock);
		xa_lock(&host->qps);
		__xa_erase(&host->qps, qpn);
		xa_unlock(&host->qps);
		spin_unlock_irq(&host->qp_lock);
	}
}

static int vfab_qp_check_init(struct ib_qp *ibqp, struct ib_qp_init_attr *init)
{
	struct ib_qp_cap *cap = &init->cap;

	if (init->create_flags)
		return -EOPNOTSUPP;
	switch (init->qp_type) {
	case IB_QPT_SMI:
	case IB_QPT_GSI:
		if (!rdma_is_port_valid(ibqp->device, init->port_num))
			return -EINVAL;
		break;
	case IB_QPT_RC:
	case IB_QPT_UD:
		break;
	default:
		return -EOPNOTSUPP;
	}
	if (cap->max_send_wr > VFAB_MAX_WR || cap->max_send_sge > VFAB_MAX_SGE ||
	    cap->max_recv_wr > VFAB_MAX_WR || cap->max_recv_sge > VFAB_MAX_SGE)
		return -EINVAL;
	cap->max_inline_data = 0;
	return 0;
}

static int vfab_qp_rings(struct vfab_qp *qp, const struct ib_qp_init_attr *init)
{
	struct vfab_swqe *wqe;
	int ret;

	qp->sq_size = init->cap.max_send_wr;
	qp->sq_stride = struct_size(wqe, sge, init->cap.max_send_sge);
	if (qp->sq_size) {
		qp->sq = kvcalloc(qp->sq_size, qp->sq_stride, GFP_KERNEL);
		if (!qp->sq)
			return -ENOMEM;
	}
	ret = vfab_rq_init(&qp->rq, init->srq ? 0 : init->cap.max_recv_wr,
			   init->cap.max_recv_sge);
	if (ret)
		kvfree(qp->sq);
	return ret;
}

int vfab_create_qp(struct ib_qp *ibqp, struct ib_qp_init_attr *init,
		   struct ib_udata *udata)
{
	struct vfab_qp *qp = to_vqp(ibqp);
	int ret;

	ret = vfab_qp_check_init(ibqp, init);
	if (ret)
		return ret;
	ret = vfab_qp_rings(qp, init);
	if (ret)
		return ret;
	qp->host = to_vhost(ibqp->device);
	kref_init(&qp->ref);
	init_completion(&qp->gone);
	spin_lock_init(&qp->lock);
	INIT_WORK(&qp->work, vfab_qp_work);
	hrtimer_init(&qp->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL);
	qp->timer.function = vfab_rc_timer;
	qp->state = IB_QPS_RESET;
	qp->cap = init->cap;
	qp->sig_all = init->sq_sig_type == IB_SIGNAL_ALL_WR;
	qp->mig = IB_MIG_MIGRATED;
	qp->path.port = init->port_num;
	ret = vfab_qp_number(qp, init->qp_type, init->port_num);
	if (ret) {
		vfab_rq_fini(&qp->rq);
		kvfree(qp->sq);
	}
	return ret;
}

int vfab_destroy_qp(struct ib_qp *ibqp, struct ib_udata *udata)
{
	struct vfab_qp *qp = to_vqp(ibqp);
	unsigned long flags;

	vfab_qp_forget(qp);
	vfab_mcast_forget(qp);
	spin_lock_irqsave(&qp->lock, flags);
	qp->state = IB_QPS_RESET;	/* nothing is sent or received now */
	vfab_qp_unlock(qp, flags);
	vfab_qp_put(qp);
	wait_for_completion(&qp->gone);
	hrtimer_cancel(&qp->timer);
	cancel_work_sync(&qp->work);
	vfab_cq_forget(to_vcq(ibqp->send_cq), ibqp);
	vfab_cq_forget(to_vcq(ibqp->recv_cq), ibqp);
	vfab_path_drop(&qp->path);
	vfab_path_drop(&qp->alt);
	vfab_rq_fini(&qp->rq);
	kvfree(qp->sq);
	return 0;
}

/* ---- modify and query ---- */

static int vfab_check_path_attr(struct vfab_qp *qp,
				const struct ib_qp_attr *attr, int mask)
{
	struct ib_device *dev = qp->ibqp.device;

	if (mask & IB_QP_PORT && !rdma_is_port_valid(dev, attr->port_num))
		return -EINVAL;
	if (mask & IB_QP_PKEY_INDEX && attr->pkey_index >= VFAB_PKEYS)
		return -EINVAL;
	if (mask & IB_QP_AV &&
	    (vfab_check_ah(dev, &attr->ah_attr) ||
	     vfab_lid_is_mcast(rdma_ah_get_dlid(&attr->ah_attr))))
		return -EINVAL;
	if (mask & IB_QP_ALT_PATH &&
	    (vfab_check_ah(dev, &attr->alt_ah_attr) ||
	     vfab_lid_is_mcast(rdma_ah_get_dlid(&attr->alt_ah_attr)) ||
	     attr->alt_pkey_index >= VFAB_PKEYS || attr->alt_timeout > 31 ||
	     !rdma_is_port_valid(dev, attr->alt_port_num)))
		return -EINVAL;
	return 0;
}

static int vfab_check_attr(struct vfab_qp *qp, const struct ib_qp_attr *attr,
			   int mask, enum ib_qp_state new_state)
{
	if (vfab_check_path_attr(qp, attr, mask))
		return -EINVAL;
	if (mask & IB_QP_PATH_MTU && (attr->path_mtu < IB_MTU_256 ||
				      attr->path_mtu > VFAB_MTU))
		return -EINVAL;
	if ((mask & IB_QP_TIMEOUT && attr->timeout > 31) ||
	    (mask & IB_QP_RETRY_CNT && attr->retry_cnt > 7) ||
	    (mask & IB_QP_RNR_RETRY && attr->rnr_retry > 7) ||
	    (mask & IB_QP_MIN_RNR_TIMER && attr->min_rnr_timer > 31) ||
	    (mask & IB_QP_MAX_QP_RD_ATOMIC &&
	     attr->max_rd_atomic > VFAB_MAX_RD_ATOMIC) ||
	    (mask & IB_QP_MAX_DEST_RD_ATOMIC &&
	     attr->max_dest_rd_atomic > VFAB_MAX_RD_ATOMIC))
		return -EINVAL;
	return vfab_apm_check(qp, attr, mask, new_state);
}

static void vfab_qp_reset(struct vfab_qp *qp)
{
	qp->sq_head = 0;
	qp->sq_tail = 0;
	qp->sq_cur = 0;
	qp->rq.head = 0;
	qp->rq.tail = 0;
	qp->mig = IB_MIG_MIGRATED;
	vfab_path_drop(&qp->alt);
	vfab_rc_reset(qp);
}

static void vfab_store_rc(struct vfab_qp *qp, const struct ib_qp_attr *attr,
			  int mask)
{
	if (mask & IB_QP_DEST_QPN)
		qp->dqpn = attr->dest_qp_num & VFAB_QPN_MASK;
	if (mask & IB_QP_SQ_PSN) {
		qp->post_psn = attr->sq_psn;
		qp->snd_psn = attr->sq_psn;
		qp->snd_max = attr->sq_psn;
		qp->una_psn = attr->sq_psn;
		qp->rd_end = attr->sq_psn;
	}
	if (mask & IB_QP_RQ_PSN)
		qp->epsn = attr->rq_psn;
	if (mask & IB_QP_PATH_MTU) {
		qp->path_mtu = attr->path_mtu;
		qp->pmtu = ib_mtu_enum_to_int(attr->path_mtu);
	}
	if (mask & IB_QP_TIMEOUT)
		qp->path.timeout = attr->timeout;
	if (mask & IB_QP_RETRY_CNT) {
		qp->retry_cnt = attr->retry_cnt;
		qp->retry_left = attr->retry_cnt;
	}
	if (mask & IB_QP_RNR_RETRY) {
		qp->rnr_retry = attr->rnr_retry;
		qp->rnr_left = attr->rnr_retry;
	}
	if (mask & IB_QP_MIN_RNR_TIMER)
		qp->min_rnr_timer = attr->min_rnr_timer;
	if (mask & IB_QP_MAX_QP_RD_ATOMIC)
		qp->max_rd_atomic = attr->max_rd_atomic;
	if (mask & IB_QP_MAX_DEST_RD_ATOMIC)
		qp->max_dest_rd_atomic = attr->max_dest_rd_atomic;
}

static void vfab_store_attr(struct vfab_qp *qp, const struct ib_qp_attr *attr,
			    int mask)
{
	if (mask & IB_QP_PKEY_INDEX)
		qp->path.pkey_index = attr->pkey_index;
	if (mask & IB_QP_PORT)
		qp->path.port = attr->port_num;
	if (mask & IB_QP_QKEY)
		qp->qkey = attr->qkey;
	if (mask & IB_QP_ACCESS_FLAGS)
		qp->access = attr->qp_access_flags;
	if (mask & IB_QP_AV)
		vfab_path_load(&qp->path, &attr->ah_attr);
	vfab_store_rc(qp, attr, mask);
}

static void vfab_enter_state(struct vfab_qp *qp, enum ib_qp_state new_state,
			     const struct ib_qp_attr *attr, int mask)
{
	if (new_state == IB_QPS_RESET)
		vfab_qp_reset(qp);
	if (new_state == IB_QPS_RTR)
		qp->comm_est = false;
	if (new_state == IB_QPS_SQD)
		qp->sqd_event = mask & IB_QP_EN_SQD_ASYNC_NOTIFY &&
				attr->en_sqd_async_notify;
	if (new_state == IB_QPS_ERR)
		vfab_qp_error(qp);
	qp->state = new_state;
}

int vfab_modify_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		   struct ib_udata *udata)
{
	struct vfab_qp *qp = to_vqp(ibqp);
	enum ib_qp_state cur, new_state;
	unsigned long flags;
	int ret = -EINVAL;

	if (mask & ~IB_QP_ATTR_STANDARD_BITS)
		return -EOPNOTSUPP;
	spin_lock_irqsave(&qp->lock, flags);
	cur = mask & IB_QP_CUR_STATE ? attr->cur_qp_state : qp->state;
	new_state = mask & IB_QP_STATE ? attr->qp_state : cur;
	if (!ib_modify_qp_is_ok(cur, new_state, ibqp->qp_type, mask))
		goto out;
	ret = vfab_check_attr(qp, attr, mask, new_state);
	if (ret)
		goto out;
	vfab_enter_state(qp, new_state, attr, mask);
	vfab_store_attr(qp, attr, mask);
	vfab_apm_modify(qp, attr, mask);
	queue_work(vfab_wq, &qp->work);
out:
	vfab_qp_unlock(qp, flags);
	return ret;
}

int vfab_query_qp(struct ib_qp *ibqp, struct ib_qp_attr *attr, int mask,
		  struct ib_qp_init_attr *init)
{
	struct vfab_qp *qp = to_vqp(ibqp);
	unsigned long flags;

	spin_lock_irqsave(&qp->lock, flags);
	attr->qp_state = qp->state;
	attr->cur_qp_state = qp->state;
	attr->path_mtu = qp->path_mtu;
	attr->path_mig_state = qp->mig;
	attr->qkey = qp->qkey;
	attr->rq_psn = qp->epsn;
	attr->sq_psn = qp->snd_psn;
	attr->dest_qp_num = qp->dqpn;
	attr->qp_access_flags = qp->access;
	attr->cap = qp->cap;
	attr->ah_attr = qp->path.ah;
	attr->pkey_index = qp->path.pkey_index;
	attr->port_num = qp->path.port;
	attr->timeout = qp->path.timeout;
	attr->alt_ah_attr = qp->alt.ah;
	attr->alt_pkey_index = qp->alt.pkey_index;
	attr->alt_port_num = qp->alt.port;
	attr->alt_timeout = qp->alt.timeout;
	attr->sq_draining = qp->state == IB_QPS_SQD &&
			    qp->sq_tail != qp->sq_cur;
	attr->max_rd_atomic = qp->max_rd_atomic;
	attr->max_dest_rd_atomic = qp->max_dest_rd_atomic;
	attr->min_rnr_timer = qp->min_rnr_timer;
	attr->retry_cnt = qp->retry_cnt;
	attr->rnr_retry = qp->rnr_retry;
	spin_unlock_irqrestore(&qp->lock, flags);

	init->qp_context = ibqp->qp_context;
	init->send_cq = ibqp->send_cq;
	init->recv_cq = ibqp->recv_cq;
	init->srq = ibqp->srq;
	init->cap = attr->cap;
	init->sq_sig_type = qp->sig_all ? IB_SIGNAL_ALL_WR : IB_SIGNAL_REQ_WR;
	init->qp_type = ibqp->qp_type;
	init->port_num = attr->port_num;
	return 0;
}

/* ---- posting ---- */

int vfab_post_recv(struct ib_qp *ibqp, const struct ib_recv_wr *wr,
		   const struct ib_recv_wr **bad)
{
	struct vfab_qp *qp = to_vqp(ibqp);
	int ret;

	if (ibqp->srq || READ_ONCE(qp->state) == IB_QPS_RESET) {
		*bad = wr;
		return -EINVAL;
	}
	ret = vfab_rq_post(&qp->rq, wr, bad);
	if (READ_ONCE(qp->state) == IB_QPS_ERR)
		queue_work(vfab_wq, &qp->work);		/* to be flushed */
	return ret;
}

static int vfab_wqe_ud(struct vfab_qp *qp, struct vfab_swqe *wqe,
		       const struct ib_send_wr *wr)
{
	const struct ib_ud_wr *ud = ud_wr(wr);

	if (wr->opcode != IB_WR_SEND && wr->opcode != IB_WR_SEND_WITH_IMM)
		return -EINVAL;
	if (!ud->ah || wqe->length > VFAB_MTU_BYTES)
		return -EINVAL;
	wqe->av = to_vah(ud->ah)->av;
	wqe->dqpn = ud->remote_qpn & VFAB_QPN_MASK;
	/* the top bit asks for the QP's own Q_Key (IBA vol. 1, 10.2.5) */
	wqe->qkey = ud->remote_qkey & BIT(31) ? qp->qkey : ud->remote_qkey;
	wqe->pkey_index = qp->ibqp.qp_type == IB_QPT_GSI ? ud->pkey_index :
			  qp->path.pkey_index;
	return 0;
}

static int vfab_wqe_rc(struct vfab_qp *qp, struct vfab_swqe *wqe,
		       const struct ib_send_wr *wr)
{
	switch (wr->opcode) {
	case IB_WR_SEND:
	case IB_WR_SEND_WITH_IMM:
		break;
	case IB_WR_RDMA_WRITE:
	case IB_WR_RDMA_WRITE_WITH_IMM:
	case IB_WR_RDMA_READ:
		wqe->va = rdma_wr(wr)->remote_addr;
		wqe->rkey = rdma_wr(wr)->rkey;
		break;
	case IB_WR_ATOMIC_CMP_AND_SWP:
		wqe->compare = atomic_wr(wr)->compare_add;
		wqe->swap_add = atomic_wr(wr)->swap;
		goto atomic;
	case IB_WR_ATOMIC_FETCH_AND_ADD:
		wqe->swap_add = atomic_wr(wr)->compare_add;
atomic:
		wqe->va = atomic_wr(wr)->remote_addr;
		wqe->rkey = atomic_wr(wr)->rkey;
		if (wqe->length < sizeof(u64) || wqe->va & 7)
			return -EINVAL;
		wqe->length = sizeof(u64);
		break;
	default:
		return -EINVAL;
	}
	wqe->psn = qp->post_psn;
	wqe->npkts = vfab_rc_npkts(qp, wqe->length);
	qp->post_psn = vfab_psn_add(qp->post_psn, wqe->npkts);
	return 0;
}

static int vfab_post_one(struct vfab_qp *qp, const struct ib_send_wr *wr)
{
	struct vfab_swqe *wqe;
	u64 length = 0;
	int i, ret;

	if (qp->sq_head - qp->sq_tail == qp->sq_size)
		return -ENOMEM;
	if (wr->num_sge < 0 || wr->num_sge > qp->cap.max_send_sge ||
	    wr->send_flags & IB_SEND_INLINE)
		return -EINVAL;
	wqe = vfab_swqe(qp, qp->sq_head);
	for (i = 0; i < wr->num_sge; i++) {
		wqe->sge[i] = wr->sg_list[i];
		length += wr->sg_list[i].length;
	}
	if (length > VFAB_MAX_MSG)
		return -EINVAL;
	wqe->num_sge = wr->num_sge;
	wqe->length = length;
	wqe->wr_id = wr->wr_id;
	wqe->opcode = wr->opcode;
	wqe->flags = wr->send_flags;
	wqe->imm = wr->ex.imm_data;
	ret = qp->ibqp.qp_type == IB_QPT_RC ? vfab_wqe_rc(qp, wqe, wr) :
					      vfab_wqe_ud(qp, wqe, wr);
	if (!ret)
		qp->sq_head++;
	return ret;
}

int vfab_post_send(struct ib_qp *ibqp, const struct ib_send_wr *wr,
		   const struct ib_send_wr **bad)
{
	struct vfab_qp *qp = to_vqp(ibqp);
	unsigned long flags;
	int ret = 0;

	spin_lock_irqsave(&qp->lock, flags);
	if (qp->state < IB_QPS_RTS)
		ret = -EINVAL;
	for (; wr && !ret; wr = wr->next) {
		ret = vfab_post_one(qp, wr);
		if (ret)
			break;
	}
	if (ret)
		*bad = wr;
	vfab_qp_unlock(qp, flags);
	queue_work(vfab_wq, &qp->work);
	return ret;
}
