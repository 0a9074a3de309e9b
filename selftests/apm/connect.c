// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Connecting and disconnecting: what each end does when ib_cm calls */
#include "peer.h"

#define PEER_SERVICE_ID		0x1000000041504d00ULL
#define PEER_MAGIC		0x61706d31
#define PEER_RNR_RETRY		7	/* for ever */

/* Private data of the REQ: which pair wants to meet its passive end */
struct peer_hello {
	__be32 magic;
	__be32 pair;
};

static atomic_t peer_under_way = ATOMIC_INIT(0);

static const char * const peer_state_names[] = {
	[PEER_NEW]		= "new",
	[PEER_CONNECTING]	= "connecting",
	[PEER_ESTABLISHED]	= "established",
	[PEER_CLOSING]		= "closing",
	[PEER_CLOSED]		= "closed",
	[PEER_FAILED]		= "failed",
};

const char *peer_state_name(enum peer_state state)
{
	return peer_state_names[state];
}

__be64 peer_service_id(void)
{
	return cpu_to_be64(PEER_SERVICE_ID);
}

int peer_connecting(void)
{
	return atomic_read(&peer_under_way);
}

void peer_set_state(struct peer_end *end, enum peer_state state, int error)
{
	bool was = end->state == PEER_CONNECTING;
	bool is = state == PEER_CONNECTING;

	WRITE_ONCE(end->error, error);
	WRITE_ONCE(end->state, state);
	if (end->side == PEER_ACTIVE && was != is)
		atomic_add(is ? 1 : -1, &peer_under_way);
	if (state == PEER_ESTABLISHED)
		peer_count(end->side, PEER_CNT_ESTABLISHED);
	else if (state == PEER_FAILED)
		peer_count(end->side, PEER_CNT_FAILED);
	wake_up_all(&peer_waitq);
}

/* Without this, ib_cm answers LAPs by itself: they are not supported. */
static void peer_welcome_laps(struct ib_cm_id *cm_id)
{
	if (peer_policy.laps && ib_cm_accept_lap)
		ib_cm_accept_lap(cm_id);
}

static void peer_established(struct peer_end *end)
{
	peer_traffic_allow(end);
	peer_set_state(end, PEER_ESTABLISHED, 0);
}

/* ---- the active end ---- */

static int peer_send_req(struct peer_end *end, struct sa_path_rec *primary,
			 struct sa_path_rec *alternate)
{
	const struct peer_options *opt = &end->pair->opt;
	struct peer_hello hello = {
		.magic = cpu_to_be32(PEER_MAGIC),
		.pair = cpu_to_be32(end->pair->index),
	};
	struct ib_cm_req_param req = {
		.primary_path = primary,
		.alternate_path = alternate,
		.service_id = peer_service_id(),
		.qp_num = end->qp->qp_num,
		.qp_type = IB_QPT_RC,
		.starting_psn = end->psn,
		.private_data = &hello,
		.private_data_len = sizeof(hello),
		.responder_resources = 1,
		.initiator_depth = 1,
		.remote_cm_response_timeout = opt->cm_timeout,
		.local_cm_response_timeout = opt->cm_timeout,
		.flow_control = 1,
		.retry_count = opt->retries,
		.rnr_retry_count = PEER_RNR_RETRY,
		.max_cm_retries = opt->cm_retries,
	};

	return ib_send_cm_req(end->cm_id, &req);
}

static int peer_connect_alt(struct peer_end *end, struct sa_path_rec *rec)
{
	const struct peer_options *opt = &end->pair->opt;
	struct peer_dev *dev = end->dev;
	int ret = 0;

	if (opt->altdev[0]) {
		mutex_lock(&peer_devices_mutex);
		dev = peer_dev_find(opt->altdev);
		if (!dev)
			ret = -ENODEV;
		else
			ret = peer_path_get(end, dev, opt->alt, rec);
		mutex_unlock(&peer_devices_mutex);
		return ret;
	}
	return peer_path_get(end, dev, opt->alt, rec);
}

static int peer_connect_active(struct peer_end *end)
{
	const struct peer_options *opt = &end->pair->opt;
	struct sa_path_rec primary, alternate;
	struct ib_cm_id *cm_id;
	int ret;

	ret = peer_path_get(end, end->dev, opt->port, &primary);
	if (!ret && opt->alt)
		ret = peer_connect_alt(end, &alternate);
	if (!ret)
		ret = peer_traffic_init(end);
	if (!ret)
		ret = peer_qp_create(end);
	if (ret)
		return ret;
	cm_id = ib_create_cm_id(end->dev->ibdev, peer_cm_handler, end);
	if (IS_ERR(cm_id))
		return PTR_ERR(cm_id);
	end->cm_id = cm_id;
	peer_welcome_laps(cm_id);
	peer_set_state(end, PEER_CONNECTING, 0);
	return peer_send_req(end, &primary, opt->alt ? &alternate : NULL);
}

/* Sends the REQ; the rest comes by itself. */
int peer_connect(struct peer_pair *pair)
{
	struct peer_end *end = &pair->end[PEER_ACTIVE];
	int ret = -ENODEV;

	mutex_lock(&pair->mutex);
	if (!pair->closing)
		ret = peer_connect_active(end);
	if (ret)
		peer_set_state(end, PEER_FAILED, ret);
	mutex_unlock(&pair->mutex);
	return ret;
}

static int peer_rep_received(struct peer_end *end)
{
	int ret;

	ret = peer_qp_to(end, IB_QPS_INIT);
	if (!ret)
		ret = peer_traffic_start(end);
	if (!ret)
		ret = peer_qp_to(end, IB_QPS_RTR);
	if (!ret)
		ret = peer_qp_to(end, IB_QPS_RTS);
	if (!ret)
		ret = ib_send_cm_rtu(end->cm_id, NULL, 0);
	if (!ret) {
		peer_established(end);
		return 0;
	}
	ib_send_cm_rej(end->cm_id, IB_CM_REJ_NO_RESOURCES, NULL, 0, NULL, 0);
	return ret;
}

/* ---- the passive end ---- */

static int peer_send_rep(struct peer_end *end)
{
	struct ib_cm_rep_param rep = {
		.qp_num = end->qp->qp_num,
		.starting_psn = end->psn,
		.responder_resources = 1,
		.initiator_depth = 1,
		.flow_control = 1,
		.rnr_retry_count = PEER_RNR_RETRY,
	};

	return ib_send_cm_rep(end->cm_id, &rep);
}

static int peer_accept(struct peer_end *end)
{
	int ret;

	ret = peer_traffic_init(end);
	if (!ret)
		ret = peer_qp_create(end);
	if (!ret)
		ret = peer_qp_to(end, IB_QPS_INIT);
	if (!ret)
		ret = peer_traffic_start(end);
	if (!ret)
		ret = peer_qp_to(end, IB_QPS_RTR);
	if (!ret)
		ret = peer_qp_to(end, IB_QPS_RTS);
	if (!ret)
		ret = peer_send_rep(end);
	return ret;
}

/*
 * The pair's passive end takes the new cm_id. If it cannot, ib_cm destroys the
 * cm_id, and the end must have forgotten it by then.
 */
static int peer_take_req(struct peer_pair *pair, struct ib_cm_id *cm_id)
{
	struct peer_end *end = &pair->end[PEER_PASSIVE];
	int ret;

	if (pair->closing || end->cm_id || end->qp ||
	    cm_id->device != end->dev->ibdev)
		return -ENODEV;
	end->cm_id = cm_id;
	peer_welcome_laps(cm_id);
	peer_set_state(end, PEER_CONNECTING, 0);
	ret = peer_accept(end);
	if (!ret) {
		cm_id->context = end;
		return 0;
	}
	peer_set_state(end, PEER_FAILED, ret);
	spin_lock_irq(&end->lock);
	end->cm_id = NULL;
	spin_unlock_irq(&end->lock);
	return ret;
}

static int peer_req_received(struct ib_cm_id *cm_id,
			     const struct ib_cm_event *event)
{
	const struct peer_hello *hello = event->private_data;
	struct peer_pair *pair;
	int ret;

	if (hello->magic != cpu_to_be32(PEER_MAGIC))
		return -EINVAL;
	pair = peer_pair_get(be32_to_cpu(hello->pair));
	if (!pair)
		return -ENOENT;
	mutex_lock(&pair->mutex);
	ret = peer_take_req(pair, cm_id);
	mutex_unlock(&pair->mutex);
	peer_pair_put(pair);
	return ret;
}

/* ---- both ---- */

static void peer_closed(struct peer_end *end)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_ERR };

	peer_traffic_stop(end);
	if (end->qp)
		ib_modify_qp(end->qp, &attr, IB_QP_STATE);
	if (end->state != PEER_FAILED)
		peer_set_state(end, PEER_CLOSED, 0);
}

static void peer_failed(struct peer_end *end, int error)
{
	peer_set_state(end, PEER_FAILED, error);
	peer_closed(end);
}

static void peer_end_event(struct peer_end *end,
			   const struct ib_cm_event *event)
{
	int ret;

	switch (event->event) {
	case IB_CM_REP_RECEIVED:
		ret = peer_rep_received(end);
		if (ret)
			peer_failed(end, ret);
		break;
	case IB_CM_RTU_RECEIVED:
	case IB_CM_USER_ESTABLISHED:
		peer_established(end);
		break;
	case IB_CM_REQ_ERROR:
	case IB_CM_REP_ERROR:
		peer_failed(end, -ETIMEDOUT);
		break;
	case IB_CM_REJ_RECEIVED:
		peer_count(end->side, PEER_CNT_REJ_RECEIVED);
		peer_failed(end, -ECONNREFUSED);
		break;
	case IB_CM_MRA_RECEIVED:
		peer_count(end->side, PEER_CNT_MRA_RECEIVED);
		break;
	case IB_CM_DREQ_RECEIVED:
		peer_count(end->side, PEER_CNT_DREQ_RECEIVED);
		ib_send_cm_drep(end->cm_id, NULL, 0);
		peer_closed(end);
		break;
	case IB_CM_DREP_RECEIVED:
		peer_count(end->side, PEER_CNT_DREP_RECEIVED);
		peer_closed(end);
		break;
	case IB_CM_DREQ_ERROR:
		peer_count(end->side, PEER_CNT_DREQ_ERROR);
		peer_closed(end);
		break;
	case IB_CM_TIMEWAIT_EXIT:
		peer_count(end->side, PEER_CNT_TIMEWAIT_EXIT);
		break;
	case IB_CM_LAP_RECEIVED:
		peer_lap_received(end, &event->param.lap_rcvd);
		break;
	case IB_CM_APR_RECEIVED:
		peer_apr_received(end, &event->param.apr_rcvd);
		break;
	case IB_CM_LAP_ERROR:
		peer_count(end->side, PEER_CNT_LAP_ERROR);
		peer_follow_lap_failed(end);
		break;
	default:
		peer_count(end->side, PEER_CNT_CM_OTHER);
		break;
	}
}

/*
 * A cm_id is in its end before an event can come: at the passive side the first
 * event puts it there. Returning an error has ib_cm destroy the cm_id, which is
 * right for a REQ alone.
 */
int peer_cm_handler(struct ib_cm_id *cm_id, const struct ib_cm_event *event)
{
	if (event->event == IB_CM_REQ_RECEIVED)
		return peer_req_received(cm_id, event);
	if (cm_id->context)
		peer_end_event(cm_id->context, event);
	return 0;
}
