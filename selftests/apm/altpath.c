// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Loading a new alternate path: LAP, APR and re-arming */
#include "peer.h"

/*
 * Ask for a path over @port, and propose it to the other end. In pair->mutex.
 * Any end may; the passive one does where a test lets two LAPs cross.
 */
int peer_lap_send(struct peer_end *end, u32 port)
{
	struct sa_path_rec rec;
	int ret;

	if (!ib_send_cm_lap)
		return -EOPNOTSUPP;
	if (!end->cm_id)
		return -ENOTCONN;
	ret = peer_qp_sync(end);
	if (!ret)
		ret = peer_path_get(end, end->dev, port, &rec);
	if (ret)
		return ret;
	ret = ib_send_cm_lap(end->cm_id, &rec, NULL, 0);
	peer_count(end->side, ret ? PEER_CNT_LAP_REFUSED : PEER_CNT_LAP_SENT);
	return ret;
}

int peer_apr_send(struct peer_end *end, enum ib_cm_apr_status status)
{
	int ret;

	if (!ib_send_cm_apr)
		return -EOPNOTSUPP;
	if (!end->cm_id)
		return -ENOTCONN;
	ret = ib_send_cm_apr(end->cm_id, status, NULL, 0, NULL, 0);
	peer_count(end->side, ret ? PEER_CNT_APR_REFUSED : PEER_CNT_APR_SENT);
	return ret;
}

/* The QP first: once the APR is out the other end arms. */
int peer_apr_accept(struct peer_end *end)
{
	int ret;

	if (!end->cm_id)
		return -ENOTCONN;
	ret = peer_qp_rearm(end);
	if (ret) {
		peer_apr_send(end, IB_CM_APR_REJECT);
		return ret;
	}
	return peer_apr_send(end, IB_CM_APR_SUCCESS);
}

static void peer_lap_mra(struct peer_end *end)
{
	if (!ib_send_cm_mra(end->cm_id, peer_policy.mra_timeout, NULL, 0))
		peer_count(end->side, PEER_CNT_MRA_SENT);
}

/*
 * Who proposes the path that this end is still on has migrated away from it: on an
 * idle connection the LAP is what says so first.
 */
static void peer_lap_follow(struct peer_end *end, const struct sa_path_rec *rec)
{
	u32 port = peer_dev_port_of(end->dev, &rec->sgid);
	struct ib_qp_attr attr;

	if (!peer_qp_query(end, &attr) &&
	    attr.path_mig_state == IB_MIG_ARMED &&
	    rdma_ah_get_port_num(&attr.ah_attr) == port)
		peer_qp_migrate(end);
	peer_qp_sync(end);
}

void peer_lap_received(struct peer_end *end,
		       const struct ib_cm_lap_event_param *lap)
{
	peer_count(end->side, PEER_CNT_LAP_RECEIVED);
	peer_lap_follow(end, lap->alternate_path);
	switch (peer_policy.answer) {
	case PEER_ACCEPT:
		peer_apr_accept(end);
		break;
	case PEER_REJECT:
		peer_apr_send(end, IB_CM_APR_REJECT);
		break;
	case PEER_HOLD:
		break;
	case PEER_MRA:
		peer_lap_mra(end);
		break;
	}
}

void peer_apr_received(struct peer_end *end,
		       const struct ib_cm_apr_event_param *apr)
{
	end->apr_status = apr->ap_status;
	peer_count(end->side, PEER_CNT_APR_RECEIVED);
	if (apr->ap_status != IB_CM_APR_SUCCESS) {
		peer_follow_lap_failed(end);
		return;
	}
	peer_count(end->side, PEER_CNT_APR_SUCCESS);
	peer_qp_rearm(end);
}
