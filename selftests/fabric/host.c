// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* What a host does with a packet that arrives at one of its ports */
#include <linux/slab.h>

#include "vfab.h"

static bool vfab_lid_accepted(struct vfab_port *port,
			      const struct vfab_pkt *pkt)
{
	if (pkt->dlid == be16_to_cpu(IB_LID_PERMISSIVE))
		return vfab_pkt_is_smp(pkt);
	return vfab_lid_is_mine(port, pkt->dlid);
}

static void vfab_host_deliver(struct vfab_port *port, struct vfab_pkt *pkt)
{
	struct vfab_qp *qp = vfab_qp_get(port->node->host, port, pkt->dqpn);

	if (!qp) {
		vfab_count(port, VFAB_RX_ERRORS);
	} else {
		if (vfab_pkt_is_rc(pkt))
			vfab_rc_rx(qp, port, pkt);
		else
			vfab_ud_rx(qp, port, pkt);
		vfab_qp_put(qp);
	}
	kfree(pkt);
}

/* What the SA front lets through; the packet is consumed. */
void vfab_host_deliver_gsi(struct vfab_port *port, struct vfab_pkt *pkt)
{
	vfab_host_deliver(port, pkt);
}

/* The packet is consumed. */
void vfab_host_rx(struct vfab_port *port, struct vfab_pkt *pkt)
{
	if (vfab_lid_is_mcast(pkt->dlid)) {
		vfab_mcast_rx(port, pkt);
		kfree(pkt);
		return;
	}
	if (!vfab_lid_accepted(port, pkt)) {
		vfab_count(port, VFAB_RX_ERRORS);
		kfree(pkt);
		return;
	}
	if (pkt->dqpn == 1 && vfab_sa_front_take(port, pkt))
		return;
	vfab_host_deliver(port, pkt);
}

/* Any context: the core hands events on from a work queue of its own. */
void vfab_host_event(struct vfab_port *port, enum ib_event_type type)
{
	struct vfab_host *host = port->node->host;
	struct ib_event event = {
		.device = &host->ibdev,
		.element.port_num = port->num,
		.event = type,
	};

	if (READ_ONCE(host->registered))
		ib_dispatch_event(&event);
}
