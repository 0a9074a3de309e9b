// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Multicast on a host: which queue pairs hear which group */
#include <linux/slab.h>

#include "vfab.h"

struct vfab_mcast {
	struct list_head	list;
	struct vfab_qp		*qp;
	union ib_gid		mgid;
	u16			mlid;
};

static struct vfab_mcast *vfab_mcast_find(struct vfab_host *host,
					  struct vfab_qp *qp,
					  const union ib_gid *gid, u16 lid)
{
	struct vfab_mcast *mc;

	list_for_each_entry(mc, &host->mc_list, list)
		if (mc->qp == qp && mc->mlid == lid &&
		    !memcmp(&mc->mgid, gid, sizeof(*gid)))
			return mc;
	return NULL;
}

int vfab_attach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	struct vfab_qp *qp = to_vqp(ibqp);
	struct vfab_mcast *mc;
	unsigned long flags;

	mc = kzalloc(sizeof(*mc), GFP_KERNEL);
	if (!mc)
		return -ENOMEM;
	mc->qp = qp;
	mc->mgid = *gid;
	mc->mlid = lid;
	spin_lock_irqsave(&qp->host->mc_lock, flags);
	if (vfab_mcast_find(qp->host, qp, gid, lid))
		kfree(mc);	/* attaching twice is attaching once */
	else
		list_add_tail(&mc->list, &qp->host->mc_list);
	spin_unlock_irqrestore(&qp->host->mc_lock, flags);
	return 0;
}

int vfab_detach_mcast(struct ib_qp *ibqp, union ib_gid *gid, u16 lid)
{
	struct vfab_qp *qp = to_vqp(ibqp);
	struct vfab_mcast *mc;
	unsigned long flags;

	spin_lock_irqsave(&qp->host->mc_lock, flags);
	mc = vfab_mcast_find(qp->host, qp, gid, lid);
	if (mc)
		list_del(&mc->list);
	spin_unlock_irqrestore(&qp->host->mc_lock, flags);
	kfree(mc);
	return mc ? 0 : -EINVAL;
}

/* The QP goes away: it hears nothing any more. */
void vfab_mcast_forget(struct vfab_qp *qp)
{
	struct vfab_mcast *mc, *n;
	unsigned long flags;

	spin_lock_irqsave(&qp->host->mc_lock, flags);
	list_for_each_entry_safe(mc, n, &qp->host->mc_list, list) {
		if (mc->qp != qp)
			continue;
		list_del(&mc->list);
		kfree(mc);
	}
	spin_unlock_irqrestore(&qp->host->mc_lock, flags);
}

/* The @skip-th listener of this packet, with a reference, or NULL */
static struct vfab_qp *vfab_mcast_listener(struct vfab_port *port,
					   const struct vfab_pkt *pkt,
					   unsigned int skip)
{
	struct vfab_host *host = port->node->host;
	struct vfab_qp *qp = NULL;
	struct vfab_mcast *mc;
	unsigned long flags;

	spin_lock_irqsave(&host->mc_lock, flags);
	list_for_each_entry(mc, &host->mc_list, list) {
		if (mc->mlid != pkt->dlid ||
		    (pkt->has_grh && memcmp(&mc->mgid, &pkt->dgid,
					    sizeof(mc->mgid))))
			continue;
		if (skip--)
			continue;
		if (kref_get_unless_zero(&mc->qp->ref))
			qp = mc->qp;
		break;
	}
	spin_unlock_irqrestore(&host->mc_lock, flags);
	return qp;
}

void vfab_mcast_rx(struct vfab_port *port, struct vfab_pkt *pkt)
{
	struct vfab_qp *qp;
	unsigned int i;

	for (i = 0; (qp = vfab_mcast_listener(port, pkt, i)); i++) {
		vfab_ud_rx(qp, port, pkt);
		vfab_qp_put(qp);
	}
}
