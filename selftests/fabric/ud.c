// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Datagrams: QP0, QP1 and UD queue pairs. A send is complete once it is sent. */
#include <linux/slab.h>
#include <linux/unaligned.h>

#include "vfab.h"

/* the Q_Key of QP1 on every port (IBA vol. 1, 3.5.3) */
#define VFAB_GSI_QKEY	IB_QP1_QKEY
#define VFAB_GRH_NEXT	0x1b		/* next header: IBA transport */

/* Fill in LRH and GRH for a way out of @port. */
void vfab_pkt_route(struct vfab_pkt *pkt, struct vfab_port *port,
		    const struct vfab_av *av)
{
	u16 lid = READ_ONCE(port->pi.lid);
	u8 bits = av->src_path_bits & ((1 << READ_ONCE(port->pi.lmc)) - 1);

	pkt->dlid = av->dlid;
	pkt->slid = lid | bits;
	if (av->dlid == be16_to_cpu(IB_LID_PERMISSIVE))
		pkt->slid = av->dlid;	/* the whole way is a directed route */
	pkt->sl = av->sl;
	pkt->has_grh = av->has_grh;
	pkt->hop_limit = av->hop_limit;
	pkt->tclass = av->tclass;
	pkt->flow = av->flow;
	pkt->sgid = av->sgid;
	pkt->dgid = av->dgid;
}

/*
 * Out of a host's port, or back in at once if it is for that port itself.
 * Multicast does both: the wire does not bring back what it was given.
 */
void vfab_pkt_send(struct vfab_port *port, struct vfab_pkt *pkt)
{
	struct vfab_pkt *own;

	if (vfab_lid_is_mcast(pkt->dlid)) {
		own = vfab_pkt_clone(pkt);
		if (own)
			vfab_port_loop(port, own);
	} else if (vfab_lid_is_mine(port, pkt->dlid)) {
		vfab_port_loop(port, pkt);
		return;
	}
	vfab_port_xmit(port, pkt);
}

static struct vfab_port *vfab_ud_port(struct vfab_qp *qp)
{
	return vfab_host_port(qp->host, qp->path.port);
}

static enum ib_wc_status vfab_ud_send_one(struct vfab_qp *qp,
					  struct vfab_swqe *wqe)
{
	struct vfab_port *port = vfab_ud_port(qp);
	struct vfab_pkt *pkt;

	pkt = vfab_pkt_alloc(wqe->length);
	if (!pkt)	/* datagrams may get lost */
		return IB_WC_SUCCESS;
	if (vfab_sge_copy(qp->ibqp.pd, wqe->sge, wqe->num_sge, 0, pkt->data,
			  wqe->length, false)) {
		kfree(pkt);
		return IB_WC_LOC_PROT_ERR;
	}
	vfab_pkt_route(pkt, port, &wqe->av);
	pkt->opcode = wqe->opcode == IB_WR_SEND_WITH_IMM ?
		      IB_OPCODE_UD_SEND_ONLY_WITH_IMMEDIATE :
		      IB_OPCODE_UD_SEND_ONLY;
	pkt->imm = wqe->imm;
	pkt->solicited = wqe->flags & IB_SEND_SOLICITED;
	pkt->pkey = qp->ibqp.qp_num ? vfab_port_pkey(port, wqe->pkey_index) :
				      IB_DEFAULT_PKEY_FULL;
	pkt->dqpn = wqe->dqpn;
	pkt->qkey = wqe->qkey;
	pkt->sqpn = qp->ibqp.qp_num;
	vfab_pkt_send(port, pkt);
	return IB_WC_SUCCESS;
}

/* True if the send that was just made completes only when the timer fires */
static bool vfab_ud_hold(struct vfab_qp *qp)
{
	u32 us = vfab_knob(vfab_ud_port(qp), VFAB_SEND_DONE);

	if (!us)
		return false;
	qp->sq_cur++;
	hrtimer_start(&qp->timer, ns_to_ktime((u64)us * NSEC_PER_USEC),
		      HRTIMER_MODE_REL);
	return true;
}

/* QP locked */
void vfab_ud_send(struct vfab_qp *qp)
{
	enum ib_wc_status status;

	if (qp->state == IB_QPS_SQD) {
		if (qp->sqd_event)
			vfab_qp_raise(qp, VFAB_EV_SQ_DRAINED);
		qp->sqd_event = false;
		return;
	}
	while (qp->sq_tail != qp->sq_head) {
		status = IB_WC_SUCCESS;
		if (qp->sq_cur == qp->sq_tail) {
			status = vfab_ud_send_one(qp,
						  vfab_swqe(qp, qp->sq_tail));
			if (!status && vfab_ud_hold(qp))
				return;
		} else if (!qp->timer_fired) {
			return;
		}
		qp->timer_fired = false;
		vfab_qp_send_done(qp, status);
		if (!status)
			continue;
		qp->state = IB_QPS_SQE;
		queue_work(vfab_wq, &qp->work);		/* flushes the rest */
		return;
	}
}

static void vfab_grh_pack(struct ib_grh *grh, const struct vfab_pkt *pkt)
{
	grh->version_tclass_flow = cpu_to_be32(6 << 28 | pkt->tclass << 20 |
					       (pkt->flow & 0xfffff));
	grh->paylen = cpu_to_be16(pkt->len + IB_BTH_BYTES + IB_DETH_BYTES +
				  IB_ICRC_BYTES);
	grh->next_hdr = VFAB_GRH_NEXT;
	grh->hop_limit = pkt->hop_limit;
	grh->sgid = pkt->sgid;
	grh->dgid = pkt->dgid;
}

/* May this packet come in? *pkey_index: by which P_Key */
static bool vfab_ud_admit(struct vfab_qp *qp, struct vfab_port *port,
			  const struct vfab_pkt *pkt, u16 *pkey_index)
{
	u32 qpn = qp->ibqp.qp_num;
	u16 mine;
	int ret;

	if (qp->ibqp.qp_type == IB_QPT_RC || qp->path.port != port->num ||
	    qp->state < IB_QPS_RTR || qp->state == IB_QPS_ERR)
		return false;
	*pkey_index = 0;
	if (qpn == 0)
		return true;
	if (pkt->qkey != (qpn == 1 ? VFAB_GSI_QKEY : qp->qkey)) {
		port->pi.qkey_viol++;
		return false;
	}
	if (qpn == 1) {
		ret = vfab_port_find_pkey(port, pkt->pkey);
		if (ret >= 0)
			*pkey_index = ret;
		return ret >= 0;
	}
	*pkey_index = qp->path.pkey_index;
	mine = vfab_port_pkey(port, qp->path.pkey_index);
	return !((mine ^ pkt->pkey) & 0x7fff) && ((mine | pkt->pkey) & 0x8000);
}

static enum ib_wc_status vfab_ud_scatter(struct vfab_qp *qp,
					 struct vfab_rwqe *wqe,
					 const struct vfab_pkt *pkt)
{
	struct ib_grh grh;

	if (wqe->length < pkt->len + sizeof(grh))
		return IB_WC_LOC_LEN_ERR;
	memset(&grh, 0, sizeof(grh));
	if (pkt->has_grh)
		vfab_grh_pack(&grh, pkt);
	if (vfab_sge_copy(qp->ibqp.pd, wqe->sge, wqe->num_sge, 0, &grh,
			  sizeof(grh), true) ||
	    vfab_sge_copy(qp->ibqp.pd, wqe->sge, wqe->num_sge, sizeof(grh),
			  (void *)pkt->data, pkt->len, true))
		return IB_WC_LOC_PROT_ERR;
	return IB_WC_SUCCESS;
}

static void vfab_ud_receive(struct vfab_qp *qp, struct vfab_port *port,
			    const struct vfab_pkt *pkt, u16 pkey_index)
{
	struct vfab_rwqe *wqe = &qp->r_wqe;
	struct ib_wc wc = {
		.opcode = IB_WC_RECV,
		.byte_len = pkt->len + VFAB_GRH_BYTES,
		.src_qp = pkt->sqpn,
		.slid = pkt->slid,
		.sl = pkt->sl,
		.pkey_index = pkey_index,
		.port_num = port->num,
		.wc_flags = pkt->has_grh ? IB_WC_GRH : 0,
	};

	if (!vfab_qp_take_recv(qp, wqe)) {
		vfab_count(port, VFAB_RX_ERRORS);
		return;
	}
	wc.wr_id = wqe->wr_id;
	if (!vfab_lid_is_mcast(pkt->dlid))
		wc.dlid_path_bits = pkt->dlid & ((1 << port->pi.lmc) - 1);
	if (pkt->opcode == IB_OPCODE_UD_SEND_ONLY_WITH_IMMEDIATE) {
		wc.ex.imm_data = pkt->imm;
		wc.wc_flags |= IB_WC_WITH_IMM;
	}
	wc.status = vfab_ud_scatter(qp, wqe, pkt);
	vfab_qp_recv_done(qp, &wc, pkt->solicited);
	if (wc.status)
		vfab_qp_error(qp);
}

/* The packet stays the caller's. */
void vfab_ud_rx(struct vfab_qp *qp, struct vfab_port *port,
		struct vfab_pkt *pkt)
{
	unsigned long flags;
	u16 pkey_index;

	spin_lock_irqsave(&qp->lock, flags);
	if (vfab_ud_admit(qp, port, pkt, &pkey_index))
		vfab_ud_receive(qp, port, pkt, pkey_index);
	else
		vfab_count(port, VFAB_RX_ERRORS);
	vfab_qp_unlock(qp, flags);
}
