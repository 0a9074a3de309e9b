// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Requester of a reliable connection: go-back-N. snd_psn is the next packet to
 * send, una_psn the oldest not acknowledged; going back sets the first to the
 * second. A read is asked for in pieces, one piece at a time, so that neither
 * side ever holds more than VFAB_RD_CHUNK packets of it.
 */
#include <linux/slab.h>

#include "vfab.h"

#define VFAB_WINDOW		128	/* packets under way per connection */
#define VFAB_RD_CHUNK		64	/* packets of one piece of a read */
#define VFAB_ACK_EVERY		32	/* packets, besides every message's last */
#define VFAB_RETRY_FOREVER	7	/* RNR only */

/* RNR NAK timer codes in us (IBA vol. 1, table 45) */
static const u32 vfab_rnr_us[32] = {
	655360, 10, 20, 30, 40, 60, 80, 120, 160, 240, 320, 480, 640, 960,
	1280, 1920, 2560, 3840, 5120, 7680, 10240, 15360, 20480, 30720, 40960,
	61440, 81920, 122880, 163840, 245760, 327680, 491520,
};

static bool vfab_wqe_has_response(const struct vfab_swqe *wqe)
{
	return wqe->opcode == IB_WR_RDMA_READ ||
	       wqe->opcode == IB_WR_ATOMIC_CMP_AND_SWP ||
	       wqe->opcode == IB_WR_ATOMIC_FETCH_AND_ADD;
}

static u32 vfab_wqe_end(const struct vfab_swqe *wqe)
{
	return vfab_psn_add(wqe->psn, wqe->npkts);
}

static bool vfab_rc_outstanding(const struct vfab_qp *qp)
{
	return vfab_psn_diff(qp->snd_psn, qp->una_psn) > 0;
}

static bool vfab_rc_read_pending(const struct vfab_qp *qp)
{
	return vfab_psn_diff(qp->rd_end, qp->una_psn) > 0;
}

/* ---- timer: time-out of an acknowledge, or end of an RNR wait ---- */

enum hrtimer_restart vfab_rc_timer(struct hrtimer *timer)
{
	struct vfab_qp *qp = container_of(timer, struct vfab_qp, timer);

	WRITE_ONCE(qp->timer_fired, true);
	queue_work(vfab_wq, &qp->work);
	return HRTIMER_NORESTART;
}

static void vfab_rc_timer_arm(struct vfab_qp *qp)
{
	u64 ns = 4096ULL << qp->path.timeout;

	if (qp->path.timeout)
		hrtimer_start(&qp->timer, ns_to_ktime(ns), HRTIMER_MODE_REL);
}

void vfab_rc_reset(struct vfab_qp *qp)
{
	hrtimer_try_to_cancel(&qp->timer);
	qp->timer_fired = false;
	qp->rnr_wait = false;
	qp->recovered = false;
	qp->cur_pkt = 0;
	qp->msn = 0;
	qp->nak_sent = false;
	qp->r_active = false;
	qp->r_op = VFAB_ROP_NONE;
	qp->mig_err = false;
	memset(qp->res, 0, sizeof(qp->res));
}

/* ---- sending ---- */

static u8 vfab_send_opcode(const struct vfab_swqe *wqe, bool first, bool last)
{
	bool write = wqe->opcode == IB_WR_RDMA_WRITE ||
		     wqe->opcode == IB_WR_RDMA_WRITE_WITH_IMM;
	bool imm = wqe->opcode == IB_WR_SEND_WITH_IMM ||
		   wqe->opcode == IB_WR_RDMA_WRITE_WITH_IMM;

	if (first && last) {
		if (write)
			return imm ? IB_OPCODE_RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE
				   : IB_OPCODE_RC_RDMA_WRITE_ONLY;
		return imm ? IB_OPCODE_RC_SEND_ONLY_WITH_IMMEDIATE :
			     IB_OPCODE_RC_SEND_ONLY;
	}
	if (first)
		return write ? IB_OPCODE_RC_RDMA_WRITE_FIRST :
			       IB_OPCODE_RC_SEND_FIRST;
	if (!last)
		return write ? IB_OPCODE_RC_RDMA_WRITE_MIDDLE :
			       IB_OPCODE_RC_SEND_MIDDLE;
	if (write)
		return imm ? IB_OPCODE_RC_RDMA_WRITE_LAST_WITH_IMMEDIATE :
			     IB_OPCODE_RC_RDMA_WRITE_LAST;
	return imm ? IB_OPCODE_RC_SEND_LAST_WITH_IMMEDIATE :
		     IB_OPCODE_RC_SEND_LAST;
}

/* A request packet of @wqe with @npkts PSNs of its own goes out. */
static void vfab_rc_sent(struct vfab_qp *qp, struct vfab_swqe *wqe, u32 npkts)
{
	qp->snd_psn = vfab_psn_add(qp->snd_psn, npkts);
	if (vfab_psn_diff(qp->snd_psn, qp->snd_max) > 0)
		qp->snd_max = qp->snd_psn;
	if (vfab_wqe_has_response(wqe))
		qp->rd_end = qp->snd_psn;
	qp->cur_pkt += npkts;
	if (qp->cur_pkt == wqe->npkts) {
		qp->cur_pkt = 0;
		qp->sq_cur++;
	}
}

/* 0, or -EFAULT: the memory of the request is not what it should be */
static int vfab_rc_send_data(struct vfab_qp *qp, struct vfab_swqe *wqe)
{
	u32 off = qp->cur_pkt * qp->pmtu;
	u32 len = min(qp->pmtu, wqe->length - off);
	bool last = qp->cur_pkt == wqe->npkts - 1;
	struct vfab_pkt *pkt = vfab_pkt_alloc(len);

	/* without memory the packet is lost before it is sent */
	if (pkt && vfab_sge_copy(qp->ibqp.pd, wqe->sge, wqe->num_sge, off,
				 pkt->data, len, false)) {
		kfree(pkt);
		return -EFAULT;
	}
	if (pkt) {
		pkt->opcode = vfab_send_opcode(wqe, !qp->cur_pkt, last);
		pkt->psn = qp->snd_psn;
		pkt->imm = wqe->imm;
		pkt->solicited = last && wqe->flags & IB_SEND_SOLICITED;
		pkt->ackreq = last || !(qp->snd_psn % VFAB_ACK_EVERY);
		pkt->va = wqe->va;
		pkt->rkey = wqe->rkey;
		pkt->dmalen = wqe->length;
	}
	vfab_rc_sent(qp, wqe, 1);
	if (pkt)
		vfab_rc_xmit(qp, pkt);
	return 0;
}

static void vfab_rc_send_read(struct vfab_qp *qp, struct vfab_swqe *wqe)
{
	u32 npkts = min_t(u32, wqe->npkts - qp->cur_pkt, VFAB_RD_CHUNK);
	u32 off = qp->cur_pkt * qp->pmtu;
	struct vfab_pkt *pkt = vfab_pkt_alloc(0);

	if (pkt) {
		pkt->opcode = IB_OPCODE_RC_RDMA_READ_REQUEST;
		pkt->psn = qp->snd_psn;
		pkt->ackreq = true;
		pkt->va = wqe->va + off;
		pkt->rkey = wqe->rkey;
		pkt->dmalen = min(npkts * qp->pmtu, wqe->length - off);
	}
	vfab_rc_sent(qp, wqe, npkts);
	if (pkt)
		vfab_rc_xmit(qp, pkt);
}

static void vfab_rc_send_atomic(struct vfab_qp *qp, struct vfab_swqe *wqe)
{
	struct vfab_pkt *pkt = vfab_pkt_alloc(0);

	if (pkt) {
		pkt->opcode = wqe->opcode == IB_WR_ATOMIC_CMP_AND_SWP ?
			      IB_OPCODE_RC_COMPARE_SWAP :
			      IB_OPCODE_RC_FETCH_ADD;
		pkt->psn = qp->snd_psn;
		pkt->ackreq = true;
		pkt->va = wqe->va;
		pkt->rkey = wqe->rkey;
		pkt->swap_add = wqe->swap_add;
		pkt->compare = wqe->compare;
	}
	vfab_rc_sent(qp, wqe, 1);
	if (pkt)
		vfab_rc_xmit(qp, pkt);
}

/* The oldest request fails, and the QP with it. */
static void vfab_rc_fail(struct vfab_qp *qp, enum ib_wc_status status)
{
	if (qp->sq_tail != qp->sq_head)
		vfab_qp_send_done(qp, status);
	vfab_qp_error(qp);
}

static bool vfab_rc_may_send(struct vfab_qp *qp)
{
	struct vfab_swqe *wqe;

	if (qp->rnr_wait || qp->sq_cur == qp->sq_head)
		return false;
	if (qp->state != IB_QPS_RTS &&
	    !(qp->state == IB_QPS_SQD && qp->cur_pkt))
		return false;
	if (vfab_psn_diff(qp->snd_psn, qp->una_psn) >= VFAB_WINDOW)
		return false;
	wqe = vfab_swqe(qp, qp->sq_cur);
	if (!vfab_rc_read_pending(qp))
		return true;
	return !vfab_wqe_has_response(wqe) && !(wqe->flags & IB_SEND_FENCE);
}

static void vfab_rc_check_drained(struct vfab_qp *qp)
{
	if (qp->state != IB_QPS_SQD || !qp->sqd_event ||
	    qp->sq_tail != qp->sq_cur)
		return;
	qp->sqd_event = false;
	vfab_qp_raise(qp, VFAB_EV_SQ_DRAINED);
}

/* Send what may be sent. QP locked. */
void vfab_rc_send(struct vfab_qp *qp)
{
	while (vfab_rc_may_send(qp)) {
		struct vfab_swqe *wqe = vfab_swqe(qp, qp->sq_cur);

		if (wqe->opcode == IB_WR_RDMA_READ) {
			vfab_rc_send_read(qp, wqe);
		} else if (vfab_wqe_has_response(wqe)) {
			vfab_rc_send_atomic(qp, wqe);
		} else if (vfab_rc_send_data(qp, wqe)) {
			/* requests before this one complete before it */
			if (qp->sq_cur == qp->sq_tail)
				vfab_rc_fail(qp, IB_WC_LOC_PROT_ERR);
			break;
		}
	}
	vfab_rc_check_drained(qp);
	if (qp->state != IB_QPS_ERR && vfab_rc_outstanding(qp) &&
	    !qp->rnr_wait && !hrtimer_active(&qp->timer))
		vfab_rc_timer_arm(qp);
}

/* ---- going back ---- */

/* Send again from una_psn. */
static void vfab_rc_go_back(struct vfab_qp *qp)
{
	qp->sq_cur = qp->sq_tail;
	qp->snd_psn = qp->una_psn;
	qp->rd_end = qp->una_psn;
	qp->cur_pkt = 0;
	if (qp->sq_tail != qp->sq_head)
		qp->cur_pkt = vfab_psn_diff(qp->una_psn,
					    vfab_swqe(qp, qp->sq_tail)->psn);
}

static void vfab_rc_retry(struct vfab_qp *qp)
{
	if (qp->retry_left) {
		qp->retry_left--;
	} else if (!vfab_apm_exhausted(qp)) {
		vfab_rc_fail(qp, IB_WC_RETRY_EXC_ERR);
		return;
	}
	vfab_rc_go_back(qp);
}

/* The timer has fired. QP locked; the caller sends. */
void vfab_rc_timeout(struct vfab_qp *qp)
{
	qp->timer_fired = false;
	if (qp->rnr_wait) {
		qp->rnr_wait = false;
		return;
	}
	/* armed again since: there has been progress */
	if (hrtimer_active(&qp->timer) || !vfab_rc_outstanding(qp))
		return;
	vfab_rc_retry(qp);
}

/* ---- responses ---- */

static void vfab_rc_progress(struct vfab_qp *qp)
{
	qp->retry_left = qp->retry_cnt;
	qp->rnr_left = qp->rnr_retry;
	qp->recovered = false;
	if (vfab_psn_diff(qp->rd_end, qp->una_psn) < 0)
		qp->rd_end = qp->una_psn;
	/* what was about to be sent again has been acknowledged meanwhile */
	if (vfab_psn_diff(qp->snd_psn, qp->una_psn) < 0)
		vfab_rc_go_back(qp);
	if (qp->rnr_wait)
		return;
	hrtimer_try_to_cancel(&qp->timer);
	qp->timer_fired = false;
	if (vfab_rc_outstanding(qp))
		vfab_rc_timer_arm(qp);
}

/*
 * Everything before @end_psn is acknowledged. Returns false if a read or atomic
 * is among it whose answer has not come: it got lost.
 */
static bool vfab_rc_acked(struct vfab_qp *qp, u32 end_psn)
{
	u32 before = qp->una_psn;
	bool complete = true;

	while (qp->sq_tail != qp->sq_head &&
	       vfab_psn_diff(end_psn, qp->una_psn) > 0) {
		struct vfab_swqe *wqe = vfab_swqe(qp, qp->sq_tail);
		u32 end = vfab_wqe_end(wqe);

		if (vfab_wqe_has_response(wqe)) {
			complete = false;
			break;
		}
		if (vfab_psn_diff(end_psn, end) < 0) {
			qp->una_psn = end_psn;
			break;
		}
		qp->una_psn = end;
		vfab_qp_send_done(qp, IB_WC_SUCCESS);
	}
	if (qp->una_psn != before)
		vfab_rc_progress(qp);
	return complete;
}

/* Once per loss: what else was under way tells of the same loss. */
static void vfab_rc_response_lost(struct vfab_qp *qp)
{
	if (qp->recovered)
		return;
	vfab_rc_go_back(qp);
	qp->recovered = true;
}

static void vfab_rc_rnr(struct vfab_qp *qp, u8 code)
{
	if (!qp->rnr_left) {
		vfab_rc_fail(qp, IB_WC_RNR_RETRY_EXC_ERR);
		return;
	}
	if (qp->rnr_retry != VFAB_RETRY_FOREVER)
		qp->rnr_left--;
	vfab_rc_go_back(qp);
	qp->rnr_wait = true;
	qp->timer_fired = false;
	hrtimer_start(&qp->timer,
		      ns_to_ktime((u64)vfab_rnr_us[code] * NSEC_PER_USEC),
		      HRTIMER_MODE_REL);
}

static void vfab_rc_nak(struct vfab_qp *qp, u8 syndrome)
{
	switch (syndrome) {
	case IB_NAK_PSN_ERROR:
		vfab_rc_retry(qp);
		break;
	case IB_NAK_INVALID_REQUEST:
		vfab_rc_fail(qp, IB_WC_REM_INV_REQ_ERR);
		break;
	case IB_NAK_REMOTE_ACCESS_ERROR:
		vfab_rc_fail(qp, IB_WC_REM_ACCESS_ERR);
		break;
	default:
		vfab_rc_fail(qp, IB_WC_REM_OP_ERR);
		break;
	}
}

static void vfab_rc_ack(struct vfab_qp *qp, struct vfab_pkt *pkt)
{
	u8 kind = pkt->syndrome & VFAB_AETH_KIND;
	u8 code = pkt->syndrome & VFAB_AETH_CODE;

	if (kind == VFAB_AETH_ACK) {
		if (!vfab_rc_acked(qp, vfab_psn_add(pkt->psn, 1)))
			vfab_rc_response_lost(qp);
		return;
	}
	/* a refusal acknowledges what was before it */
	if (!vfab_rc_acked(qp, pkt->psn))
		vfab_rc_response_lost(qp);
	else if (pkt->psn != qp->una_psn)
		return;		/* of a packet that is long acknowledged */
	else if (kind == VFAB_AETH_RNR)
		vfab_rc_rnr(qp, code);
	else
		vfab_rc_nak(qp, pkt->syndrome);
}

/* Data of a read, or the old value of an atomic: in order or not at all */
static void vfab_rc_data(struct vfab_qp *qp, struct vfab_pkt *pkt)
{
	struct vfab_swqe *wqe;
	void *data = pkt->data;
	u32 off, len = pkt->len;

	if (!vfab_rc_acked(qp, pkt->psn) || pkt->psn != qp->una_psn) {
		if (vfab_psn_diff(pkt->psn, qp->una_psn) > 0)
			vfab_rc_response_lost(qp);
		return;
	}
	if (qp->sq_tail == qp->sq_head)
		return;
	wqe = vfab_swqe(qp, qp->sq_tail);
	if (!vfab_wqe_has_response(wqe))
		return;
	off = vfab_psn_diff(pkt->psn, wqe->psn) * qp->pmtu;
	if (pkt->opcode == IB_OPCODE_RC_ATOMIC_ACKNOWLEDGE) {
		data = &pkt->orig;
		len = sizeof(pkt->orig);
	}
	if (len != min(qp->pmtu, wqe->length - off)) {
		vfab_rc_fail(qp, IB_WC_BAD_RESP_ERR);
		return;
	}
	if (vfab_sge_copy(qp->ibqp.pd, wqe->sge, wqe->num_sge, off, data, len,
			  true)) {
		vfab_rc_fail(qp, IB_WC_LOC_PROT_ERR);
		return;
	}
	qp->una_psn = vfab_psn_add(qp->una_psn, 1);
	if (qp->una_psn == vfab_wqe_end(wqe))
		vfab_qp_send_done(qp, IB_WC_SUCCESS);
	vfab_rc_progress(qp);
}

/* QP locked */
void vfab_rc_response(struct vfab_qp *qp, struct vfab_pkt *pkt)
{
	/* neither older than the last acknowledged nor never sent */
	if (vfab_psn_diff(pkt->psn, qp->una_psn) < -1 ||
	    vfab_psn_diff(pkt->psn, qp->snd_max) >= 0)
		return;
	if (pkt->opcode == IB_OPCODE_RC_ACKNOWLEDGE)
		vfab_rc_ack(qp, pkt);
	else
		vfab_rc_data(qp, pkt);
	if (qp->state != IB_QPS_ERR)
		vfab_rc_send(qp);
}
