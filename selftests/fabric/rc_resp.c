// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Responder of a reliable connection: executes requests in PSN order, answers
 * what asks for an answer, and repeats its answer to what it has done already.
 */
#include <linux/slab.h>

#include "vfab.h"

#define VFAB_NO_CREDITS		0x1f	/* AETH: flow control is not used */

static void vfab_rc_answer(struct vfab_qp *qp, u8 opcode, u8 syndrome, u32 psn,
			   u64 orig)
{
	struct vfab_pkt *pkt = vfab_pkt_alloc(0);

	if (!pkt)	/* as good as lost: the requester asks again */
		return;
	pkt->opcode = opcode;
	pkt->syndrome = syndrome;
	pkt->psn = psn;
	pkt->msn = qp->msn;
	pkt->orig = orig;
	vfab_rc_xmit(qp, pkt);
}

static void vfab_rc_send_ack(struct vfab_qp *qp, u8 syndrome, u32 psn)
{
	vfab_rc_answer(qp, IB_OPCODE_RC_ACKNOWLEDGE, syndrome, psn, 0);
}

/* Refuse the expected packet for good: NAK, event, error state. */
static void vfab_rc_refuse(struct vfab_qp *qp, u8 code, enum vfab_qp_event ev)
{
	vfab_rc_send_ack(qp, code, qp->epsn);
	vfab_qp_raise(qp, ev);
	vfab_qp_error(qp);
}

static void vfab_rc_refuse_request(struct vfab_qp *qp)
{
	vfab_rc_refuse(qp, IB_NAK_INVALID_REQUEST, VFAB_EV_QP_REQ_ERR);
}

static void vfab_rc_refuse_access(struct vfab_qp *qp)
{
	vfab_rc_refuse(qp, IB_NAK_REMOTE_ACCESS_ERROR, VFAB_EV_QP_ACCESS_ERR);
}

/* Takes a receive for the message; if there is none the peer has to wait. */
static bool vfab_rc_need_recv(struct vfab_qp *qp)
{
	if (!qp->r_active && !vfab_qp_take_recv(qp, &qp->r_wqe)) {
		vfab_rc_send_ack(qp, VFAB_AETH_RNR | qp->min_rnr_timer,
				 qp->epsn);
		qp->nak_sent = true;	/* what follows it is not out of order */
		return false;
	}
	qp->r_active = true;
	return true;
}

static void vfab_rc_done(struct vfab_qp *qp, const struct vfab_pkt *pkt,
			 u32 npkts, bool last)
{
	qp->epsn = vfab_psn_add(qp->epsn, npkts);
	if (last)
		qp->msn = vfab_psn_add(qp->msn, 1);
	if (pkt->ackreq)
		vfab_rc_send_ack(qp, VFAB_AETH_ACK | VFAB_NO_CREDITS,
				 vfab_psn_add(qp->epsn, VFAB_PSN_MASK));
}

static void vfab_rc_recv_done(struct vfab_qp *qp, const struct vfab_pkt *pkt,
			      enum ib_wc_status status,
			      enum ib_wc_opcode opcode, bool imm)
{
	struct ib_wc wc = {
		.wr_id = qp->r_wqe.wr_id,
		.status = status,
		.opcode = opcode,
		.byte_len = qp->r_off,
		.src_qp = qp->dqpn,
		.slid = pkt->slid,
		.sl = pkt->sl,
		.port_num = qp->path.port,
		.wc_flags = pkt->has_grh ? IB_WC_GRH : 0,
	};

	if (imm) {
		wc.wc_flags |= IB_WC_WITH_IMM;
		wc.ex.imm_data = pkt->imm;
	}
	qp->r_active = false;
	vfab_qp_recv_done(qp, &wc, pkt->solicited);
}

/* what an opcode says about its place in the message */
struct vfab_part {
	bool	write;
	bool	first;
	bool	last;
	bool	imm;
};

static bool vfab_rc_part(u8 opcode, struct vfab_part *p)
{
	static const struct {
		u8 opcode;
		struct vfab_part part;
	} parts[] = {
		{ IB_OPCODE_RC_SEND_FIRST, { 0, 1, 0, 0 } },
		{ IB_OPCODE_RC_SEND_MIDDLE, { 0, 0, 0, 0 } },
		{ IB_OPCODE_RC_SEND_LAST, { 0, 0, 1, 0 } },
		{ IB_OPCODE_RC_SEND_LAST_WITH_IMMEDIATE, { 0, 0, 1, 1 } },
		{ IB_OPCODE_RC_SEND_ONLY, { 0, 1, 1, 0 } },
		{ IB_OPCODE_RC_SEND_ONLY_WITH_IMMEDIATE, { 0, 1, 1, 1 } },
		{ IB_OPCODE_RC_RDMA_WRITE_FIRST, { 1, 1, 0, 0 } },
		{ IB_OPCODE_RC_RDMA_WRITE_MIDDLE, { 1, 0, 0, 0 } },
		{ IB_OPCODE_RC_RDMA_WRITE_LAST, { 1, 0, 1, 0 } },
		{ IB_OPCODE_RC_RDMA_WRITE_LAST_WITH_IMMEDIATE, { 1, 0, 1, 1 } },
		{ IB_OPCODE_RC_RDMA_WRITE_ONLY, { 1, 1, 1, 0 } },
		{ IB_OPCODE_RC_RDMA_WRITE_ONLY_WITH_IMMEDIATE, { 1, 1, 1, 1 } },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		if (parts[i].opcode != opcode)
			continue;
		*p = parts[i].part;
		return true;
	}
	return false;
}

static bool vfab_rc_part_fits(struct vfab_qp *qp, const struct vfab_part *p,
			      const struct vfab_pkt *pkt)
{
	enum vfab_rop op = p->write ? VFAB_ROP_WRITE : VFAB_ROP_SEND;

	if (qp->r_op != (p->first ? VFAB_ROP_NONE : op))
		return false;
	return p->last ? pkt->len <= qp->pmtu : pkt->len == qp->pmtu;
}

static void vfab_rc_send_part(struct vfab_qp *qp, struct vfab_pkt *pkt,
			      const struct vfab_part *p)
{
	enum ib_wc_status status = IB_WC_SUCCESS;

	if (p->first) {
		if (!vfab_rc_need_recv(qp))
			return;
		qp->r_off = 0;
	}
	if (pkt->len > qp->r_wqe.length - qp->r_off)
		status = IB_WC_LOC_LEN_ERR;
	else if (vfab_sge_copy(qp->ibqp.pd, qp->r_wqe.sge, qp->r_wqe.num_sge,
			       qp->r_off, pkt->data, pkt->len, true))
		status = IB_WC_LOC_PROT_ERR;
	if (status) {
		vfab_rc_recv_done(qp, pkt, status, IB_WC_RECV, false);
		vfab_rc_refuse(qp, status == IB_WC_LOC_LEN_ERR ?
				   IB_NAK_INVALID_REQUEST :
				   IB_NAK_REMOTE_OPERATIONAL_ERROR,
			       VFAB_EV_QP_FATAL);
		return;
	}
	qp->r_off += pkt->len;
	qp->r_op = p->last ? VFAB_ROP_NONE : VFAB_ROP_SEND;
	if (p->last)
		vfab_rc_recv_done(qp, pkt, IB_WC_SUCCESS, IB_WC_RECV, p->imm);
	vfab_rc_done(qp, pkt, 1, p->last);
}

static void vfab_rc_write_part(struct vfab_qp *qp, struct vfab_pkt *pkt,
			       const struct vfab_part *p)
{
	struct ib_pd *pd = qp->ibqp.pd;

	if (p->first) {
		if (!(qp->access & IB_ACCESS_REMOTE_WRITE)) {
			vfab_rc_refuse_request(qp);
			return;
		}
		if (vfab_rkey_check(pd, pkt->rkey, pkt->va, pkt->dmalen,
				    IB_ACCESS_REMOTE_WRITE)) {
			vfab_rc_refuse_access(qp);
			return;
		}
		qp->r_va = pkt->va;
		qp->r_rkey = pkt->rkey;
		qp->r_len = pkt->dmalen;
		qp->r_off = 0;
	}
	if (pkt->len > qp->r_len - qp->r_off ||
	    (p->last && qp->r_off + pkt->len != qp->r_len)) {
		vfab_rc_refuse_request(qp);
		return;
	}
	if (p->imm && !vfab_rc_need_recv(qp))
		return;
	if (vfab_rkey_copy(pd, qp->r_rkey, qp->r_va + qp->r_off, pkt->data,
			   pkt->len, IB_ACCESS_REMOTE_WRITE, true)) {
		vfab_rc_refuse_access(qp);
		return;
	}
	qp->r_off += pkt->len;
	qp->r_op = p->last ? VFAB_ROP_NONE : VFAB_ROP_WRITE;
	if (p->imm)
		vfab_rc_recv_done(qp, pkt, IB_WC_SUCCESS,
				  IB_WC_RECV_RDMA_WITH_IMM, true);
	vfab_rc_done(qp, pkt, 1, p->last);
}

static u8 vfab_read_opcode(bool first, bool last)
{
	if (first)
		return last ? IB_OPCODE_RC_RDMA_READ_RESPONSE_ONLY :
			      IB_OPCODE_RC_RDMA_READ_RESPONSE_FIRST;
	return last ? IB_OPCODE_RC_RDMA_READ_RESPONSE_LAST :
		      IB_OPCODE_RC_RDMA_READ_RESPONSE_MIDDLE;
}

/* Send all of a read's answer. Returns 0, or -EFAULT if it may not be read. */
static int vfab_rc_read_answer(struct vfab_qp *qp, const struct vfab_pkt *req)
{
	u32 i, npkts = vfab_rc_npkts(qp, req->dmalen);

	if (vfab_rkey_check(qp->ibqp.pd, req->rkey, req->va, req->dmalen,
			    IB_ACCESS_REMOTE_READ))
		return -EFAULT;
	for (i = 0; i < npkts; i++) {
		u32 off = i * qp->pmtu;
		u32 len = min(qp->pmtu, req->dmalen - off);
		struct vfab_pkt *pkt = vfab_pkt_alloc(len);

		if (!pkt)
			return 0;
		if (vfab_rkey_copy(qp->ibqp.pd, req->rkey, req->va + off,
				   pkt->data, len, IB_ACCESS_REMOTE_READ,
				   false)) {
			kfree(pkt);
			return -EFAULT;
		}
		pkt->opcode = vfab_read_opcode(!i, i == npkts - 1);
		pkt->psn = vfab_psn_add(req->psn, i);
		pkt->msn = qp->msn;
		vfab_rc_xmit(qp, pkt);
	}
	return 0;
}

static void vfab_rc_read(struct vfab_qp *qp, struct vfab_pkt *pkt)
{
	if (!(qp->access & IB_ACCESS_REMOTE_READ) || qp->r_op) {
		vfab_rc_refuse_request(qp);
		return;
	}
	if (vfab_rc_read_answer(qp, pkt)) {
		vfab_rc_refuse_access(qp);
		return;
	}
	pkt->ackreq = false;	/* the data is the answer */
	vfab_rc_done(qp, pkt, vfab_rc_npkts(qp, pkt->dmalen), true);
}

static int vfab_rc_atomic_exec(struct vfab_qp *qp, const struct vfab_pkt *pkt,
			       u64 *orig)
{
	struct ib_pd *pd = qp->ibqp.pd;
	u64 val;
	int ret;

	spin_lock(&qp->host->atomic_lock);
	ret = vfab_rkey_copy(pd, pkt->rkey, pkt->va, orig, sizeof(*orig),
			     IB_ACCESS_REMOTE_ATOMIC, false);
	val = *orig;
	if (pkt->opcode == IB_OPCODE_RC_FETCH_ADD)
		val += pkt->swap_add;
	else if (val == pkt->compare)
		val = pkt->swap_add;
	if (!ret)
		ret = vfab_rkey_copy(pd, pkt->rkey, pkt->va, &val, sizeof(val),
				     IB_ACCESS_REMOTE_ATOMIC, true);
	spin_unlock(&qp->host->atomic_lock);
	return ret;
}

static void vfab_rc_atomic(struct vfab_qp *qp, struct vfab_pkt *pkt)
{
	struct vfab_atomic_res *res;
	u64 orig = 0;

	if (!(qp->access & IB_ACCESS_REMOTE_ATOMIC) || qp->r_op ||
	    pkt->va & 7) {
		vfab_rc_refuse_request(qp);
		return;
	}
	if (vfab_rc_atomic_exec(qp, pkt, &orig)) {
		vfab_rc_refuse_access(qp);
		return;
	}
	res = &qp->res[qp->res_next++ % VFAB_MAX_RD_ATOMIC];
	res->valid = true;
	res->psn = pkt->psn;
	res->orig = orig;
	pkt->ackreq = false;
	vfab_rc_done(qp, pkt, 1, true);
	vfab_rc_answer(qp, IB_OPCODE_RC_ATOMIC_ACKNOWLEDGE, VFAB_NO_CREDITS,
		       pkt->psn, orig);
}

static void vfab_rc_repeat_atomic(struct vfab_qp *qp, struct vfab_pkt *pkt)
{
	struct vfab_atomic_res *res;

	for (res = qp->res; res < qp->res + VFAB_MAX_RD_ATOMIC; res++)
		if (res->valid && res->psn == pkt->psn)
			vfab_rc_answer(qp, IB_OPCODE_RC_ATOMIC_ACKNOWLEDGE,
				       VFAB_NO_CREDITS, res->psn, res->orig);
}

/* A request that was executed before: its answer must have got lost. */
static void vfab_rc_repeat(struct vfab_qp *qp, struct vfab_pkt *pkt)
{
	switch (pkt->opcode) {
	case IB_OPCODE_RC_RDMA_READ_REQUEST:
		if (vfab_rc_read_answer(qp, pkt))
			vfab_rc_refuse_access(qp);
		break;
	case IB_OPCODE_RC_COMPARE_SWAP:
	case IB_OPCODE_RC_FETCH_ADD:
		vfab_rc_repeat_atomic(qp, pkt);
		break;
	default:
		if (pkt->ackreq)
			vfab_rc_send_ack(qp, VFAB_AETH_ACK | VFAB_NO_CREDITS,
					 vfab_psn_add(qp->epsn, VFAB_PSN_MASK));
		break;
	}
}

static void vfab_rc_execute(struct vfab_qp *qp, struct vfab_pkt *pkt)
{
	struct vfab_part part;

	switch (pkt->opcode) {
	case IB_OPCODE_RC_RDMA_READ_REQUEST:
		vfab_rc_read(qp, pkt);
		return;
	case IB_OPCODE_RC_COMPARE_SWAP:
	case IB_OPCODE_RC_FETCH_ADD:
		vfab_rc_atomic(qp, pkt);
		return;
	}
	if (!vfab_rc_part(pkt->opcode, &part) ||
	    !vfab_rc_part_fits(qp, &part, pkt))
		vfab_rc_refuse_request(qp);
	else if (part.write)
		vfab_rc_write_part(qp, pkt, &part);
	else
		vfab_rc_send_part(qp, pkt, &part);
}

/* QP locked */
void vfab_rc_request(struct vfab_qp *qp, struct vfab_pkt *pkt)
{
	s32 ahead = vfab_psn_diff(pkt->psn, qp->epsn);

	if (ahead < 0) {
		vfab_rc_repeat(qp, pkt);
	} else if (!ahead) {
		qp->nak_sent = false;
		vfab_rc_execute(qp, pkt);
	} else if (!qp->nak_sent) {	/* once per gap */
		qp->nak_sent = true;
		vfab_rc_send_ack(qp, IB_NAK_PSN_ERROR, qp->epsn);
	}
}
