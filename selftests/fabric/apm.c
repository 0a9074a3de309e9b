// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Automatic path migration (IBA vol. 1, 17.2.8). The states of a QP:
 *
 *   MIGRATED  one path; sends MigReq = 1. Where every QP starts.
 *   REARM     an alternate path is loaded, the peer is not known to have one;
 *             sends MigReq = 0. Entered by modify.
 *   ARMED     a packet with MigReq = 0 has come: both sides are ready. Sends
 *             MigReq = 0.
 *
 * An ARMED QP migrates (the alternate path becomes the path, and none is
 * loaded) when its retries run out, when a packet with MigReq = 1 comes on the
 * alternate path, or by modify.
 */
#include "vfab.h"

/* The path takes a reference of its own to the GID of @ah. */
void vfab_path_load(struct vfab_path *path, const struct rdma_ah_attr *ah)
{
	rdma_replace_ah_attr(&path->ah, ah);
	vfab_av_from_ah(&path->av, &path->ah);
	path->port = rdma_ah_get_port_num(ah);
	path->loaded = true;
}

void vfab_path_drop(struct vfab_path *path)
{
	rdma_destroy_ah_attr(&path->ah);
	memset(path, 0, sizeof(*path));
}

static bool vfab_apm_alt_usable(struct vfab_qp *qp)
{
	struct vfab_port *port;

	if (!qp->alt.loaded)
		return false;
	port = vfab_host_port(qp->host, qp->alt.port);
	return READ_ONCE(port->pi.state) == IB_PORT_ACTIVE;
}

static void vfab_apm_migrate(struct vfab_qp *qp)
{
	/* moves the reference: the old path's is put, the new one's is kept */
	rdma_move_ah_attr(&qp->path.ah, &qp->alt.ah);
	qp->path.av = qp->alt.av;
	qp->path.port = qp->alt.port;
	qp->path.pkey_index = qp->alt.pkey_index;
	qp->path.timeout = qp->alt.timeout;
	memset(&qp->alt, 0, sizeof(qp->alt));
	qp->mig = IB_MIG_MIGRATED;
	/* those that were made on the old path do not count for this one */
	qp->retry_left = qp->retry_cnt;
	vfab_qp_raise(qp, VFAB_EV_PATH_MIG);
}

/* Told once for each time the QP was armed. */
static void vfab_apm_error(struct vfab_qp *qp)
{
	if (!qp->mig_err)
		vfab_qp_raise(qp, VFAB_EV_PATH_MIG_ERR);
	qp->mig_err = true;
}

/* May the user ask for this? */
int vfab_apm_check(struct vfab_qp *qp, const struct ib_qp_attr *attr,
		   int mask, enum ib_qp_state new_state)
{
	bool loads = mask & IB_QP_ALT_PATH;

	if (!(mask & IB_QP_PATH_MIG_STATE))
		/* the path a peer may be migrating to does not change */
		return loads && qp->mig == IB_MIG_ARMED ? -EINVAL : 0;
	if (new_state != IB_QPS_RTS && new_state != IB_QPS_SQD)
		return -EINVAL;
	switch (attr->path_mig_state) {
	case IB_MIG_REARM:
		return loads || qp->alt.loaded ? 0 : -EINVAL;
	case IB_MIG_MIGRATED:
		return qp->mig == IB_MIG_REARM || loads ? -EINVAL : 0;
	default:	/* ARMED is for the two QPs to agree on */
		return -EINVAL;
	}
}

/* The change has been checked. */
void vfab_apm_modify(struct vfab_qp *qp, const struct ib_qp_attr *attr,
		     int mask)
{
	if (mask & IB_QP_ALT_PATH) {
		vfab_path_load(&qp->alt, &attr->alt_ah_attr);
		qp->alt.port = attr->alt_port_num;
		qp->alt.pkey_index = attr->alt_pkey_index;
		qp->alt.timeout = attr->alt_timeout;
	}
	if (!(mask & IB_QP_PATH_MIG_STATE))
		return;
	if (attr->path_mig_state == IB_MIG_REARM) {
		qp->mig = IB_MIG_REARM;
		qp->mig_err = false;
	} else if (qp->mig == IB_MIG_ARMED) {
		vfab_apm_migrate(qp);
	}
}

/* Did @pkt come on this path? (IBA vol. 1, 9.6.1.5) */
static bool vfab_path_matches(const struct vfab_path *path,
			      struct vfab_port *port,
			      const struct vfab_pkt *pkt)
{
	const struct vfab_av *av = &path->av;
	u16 mine = vfab_port_pkey(port, path->pkey_index);

	if (!path->loaded || port->num != path->port ||
	    pkt->slid != av->dlid || pkt->has_grh != av->has_grh)
		return false;
	if ((mine ^ pkt->pkey) & 0x7fff || !((mine | pkt->pkey) & 0x8000))
		return false;
	return !av->has_grh ||
	       (!memcmp(&pkt->sgid, &av->dgid, sizeof(av->dgid)) &&
		!memcmp(&pkt->dgid, &av->sgid, sizeof(av->sgid)));
}

/* The first look at every packet of a connection; false: drop it. */
bool vfab_apm_accept(struct vfab_qp *qp, struct vfab_port *port,
		     const struct vfab_pkt *pkt)
{
	if (qp->mig == IB_MIG_ARMED && pkt->migreq) {
		if (!vfab_path_matches(&qp->alt, port, pkt)) {
			vfab_apm_error(qp);
			return false;
		}
		vfab_apm_migrate(qp);
		return true;
	}
	if (!vfab_path_matches(&qp->path, port, pkt))
		return false;
	if (qp->mig == IB_MIG_REARM && !pkt->migreq)
		qp->mig = IB_MIG_ARMED;
	return true;
}

/* The path does not answer any more. Returns true if there is another now. */
bool vfab_apm_exhausted(struct vfab_qp *qp)
{
	if (qp->mig != IB_MIG_ARMED)
		return false;
	if (!vfab_apm_alt_usable(qp)) {
		vfab_apm_error(qp);
		return false;
	}
	vfab_apm_migrate(qp);
	return true;
}
