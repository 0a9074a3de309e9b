// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* What requester and responder of a reliable connection share */
#include "vfab.h"

/* Number of packets a message of this many bytes is sent in */
u32 vfab_rc_npkts(const struct vfab_qp *qp, u32 length)
{
	return length ? DIV_ROUND_UP(length, qp->pmtu) : 1;
}

/* Send @pkt on the path of the moment. QP locked; the packet is consumed. */
void vfab_rc_xmit(struct vfab_qp *qp, struct vfab_pkt *pkt)
{
	struct vfab_port *port = vfab_host_port(qp->host, qp->path.port);

	vfab_pkt_route(pkt, port, &qp->path.av);
	pkt->pkey = vfab_port_pkey(port, qp->path.pkey_index);
	pkt->dqpn = qp->dqpn;
	pkt->migreq = qp->mig == IB_MIG_MIGRATED;
	vfab_pkt_send(port, pkt);
}

static bool vfab_rc_is_response(u8 opcode)
{
	return opcode >= IB_OPCODE_RC_RDMA_READ_RESPONSE_FIRST &&
	       opcode <= IB_OPCODE_RC_ATOMIC_ACKNOWLEDGE;
}

static bool vfab_rc_admit(struct vfab_qp *qp, struct vfab_port *port,
			  const struct vfab_pkt *pkt)
{
	return qp->ibqp.qp_type == IB_QPT_RC && qp->state >= IB_QPS_RTR &&
	       qp->state != IB_QPS_ERR && vfab_apm_accept(qp, port, pkt);
}

/* The packet stays the caller's. */
void vfab_rc_rx(struct vfab_qp *qp, struct vfab_port *port,
		struct vfab_pkt *pkt)
{
	unsigned long flags;

	spin_lock_irqsave(&qp->lock, flags);
	if (!vfab_rc_admit(qp, port, pkt)) {
		vfab_count(port, VFAB_RX_ERRORS);
		goto out;
	}
	if (qp->state == IB_QPS_RTR && !qp->comm_est) {
		qp->comm_est = true;
		vfab_qp_raise(qp, VFAB_EV_COMM_EST);
	}
	if (!vfab_rc_is_response(pkt->opcode))
		vfab_rc_request(qp, pkt);
	else if (qp->state >= IB_QPS_RTS)
		vfab_rc_response(qp, pkt);
out:
	vfab_qp_unlock(qp, flags);
}
