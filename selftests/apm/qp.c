// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* An end's queue pair: its states, path migration, events */
#include <linux/random.h>

#include "peer.h"

#define PEER_RNR_TIMER	12	/* 0.64 ms */
#define PEER_PSN_MASK	0xffffff

/* end->lock is held. */
static int peer_notify_locked(struct peer_end *end, enum ib_event_type event)
{
	int ret = -ENOTCONN;

	if (end->cm_id && !end->gone)
		ret = ib_cm_notify(end->cm_id, event);
	if (event == IB_EVENT_PATH_MIG)
		peer_count(end->side, ret ? PEER_CNT_NOTIFY_FAILED :
					    PEER_CNT_NOTIFY);
	return ret;
}

/* Whatever the QP says. Any context. */
int peer_notify(struct peer_end *end, enum ib_event_type event)
{
	unsigned long flags;
	int ret;

	spin_lock_irqsave(&end->lock, flags);
	ret = peer_notify_locked(end, event);
	spin_unlock_irqrestore(&end->lock, flags);
	return ret;
}

/* end->lock is held. The path is now over the other of the two ports. */
static void peer_tell_migrated(struct peer_end *end)
{
	end->told++;
	end->port = 3 - end->port;
	peer_notify_locked(end, IB_EVENT_PATH_MIG);
}

static void peer_path_mig(struct peer_end *end)
{
	unsigned long flags;

	peer_count(end->side, PEER_CNT_PATH_MIG);
	if (!peer_policy.notify)
		return;
	spin_lock_irqsave(&end->lock, flags);
	end->seen++;
	if (end->seen > end->told)
		peer_tell_migrated(end);
	spin_unlock_irqrestore(&end->lock, flags);
}

/*
 * ib_cm must know of a migration before a LAP is sent or answered: otherwise the
 * LAP goes the old way, or the new alternate path takes the place of the one
 * migrated to. The event, which comes by another way, may be later.
 */
int peer_qp_sync(struct peer_end *end)
{
	struct ib_qp_attr attr;
	int ret = peer_qp_query(end, &attr);

	if (ret || !peer_policy.notify)
		return ret;
	spin_lock_irq(&end->lock);
	if (rdma_ah_get_port_num(&attr.ah_attr) != end->port)
		peer_tell_migrated(end);
	spin_unlock_irq(&end->lock);
	return 0;
}

static void peer_qp_event(struct ib_event *event, void *context)
{
	struct peer_end *end = context;

	switch (event->event) {
	case IB_EVENT_COMM_EST:
		peer_notify(end, IB_EVENT_COMM_EST);
		break;
	case IB_EVENT_PATH_MIG:
		peer_path_mig(end);
		break;
	case IB_EVENT_PATH_MIG_ERR:
		peer_count(end->side, PEER_CNT_PATH_MIG_ERR);
		break;
	default:
		break;
	}
}

int peer_qp_create(struct peer_end *end)
{
	struct ib_qp_init_attr init = {
		.event_handler = peer_qp_event,
		.qp_context = end,
		.send_cq = end->dev->cq,
		.recv_cq = end->dev->cq,
		/* one more of each for draining */
		.cap.max_send_wr = PEER_SENDS + 1,
		.cap.max_recv_wr = PEER_RECVS + 1,
		.cap.max_send_sge = 1,
		.cap.max_recv_sge = 1,
		.sq_sig_type = IB_SIGNAL_ALL_WR,
		.qp_type = IB_QPT_RC,
	};
	struct ib_qp *qp = ib_create_qp(end->dev->pd, &init);

	if (IS_ERR(qp))
		return PTR_ERR(qp);
	end->qp = qp;
	end->psn = get_random_u32() & PEER_PSN_MASK;
	return 0;
}

void peer_qp_destroy(struct peer_end *end)
{
	if (!end->qp)
		return;
	ib_drain_qp(end->qp);
	ib_destroy_qp(end->qp);
	end->qp = NULL;
}

/* To a state, with the attributes that ib_cm has for it */
int peer_qp_to(struct peer_end *end, enum ib_qp_state state)
{
	struct ib_qp_attr attr = { .qp_state = state };
	int mask, ret;

	ret = ib_cm_init_qp_attr(end->cm_id, &attr, &mask);
	if (ret)
		return ret;
	/* at the passive end ib_cm knows it when the REP has been sent */
	if (mask & IB_QP_RQ_PSN)
		attr.rq_psn = end->psn;
	if (mask & IB_QP_MIN_RNR_TIMER)
		attr.min_rnr_timer = PEER_RNR_TIMER;
	if (mask & IB_QP_AV)
		end->port = rdma_ah_get_port_num(&attr.ah_attr);
	if (end->alt_elsewhere)
		mask &= ~(IB_QP_ALT_PATH | IB_QP_PATH_MIG_STATE);
	return ib_modify_qp(end->qp, &attr, mask);
}

/* The way software migrates */
int peer_qp_migrate(struct peer_end *end)
{
	struct ib_qp_attr attr = { .path_mig_state = IB_MIG_MIGRATED };
	int ret;

	if (!end->qp)
		return -ENOTCONN;
	ret = ib_modify_qp(end->qp, &attr, IB_QP_PATH_MIG_STATE);
	peer_count(end->side, ret ? PEER_CNT_MIGRATE_FAILED :
				    PEER_CNT_MIGRATE);
	return ret;
}

static int peer_qp_load(struct peer_end *end)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_RTS };
	int mask, ret;

	ret = ib_cm_init_qp_attr(end->cm_id, &attr, &mask);
	if (ret)
		return ret;
	/* All that the procedure allows at this point, and all that it needs */
	if (mask != (IB_QP_ALT_PATH | IB_QP_PATH_MIG_STATE) ||
	    attr.path_mig_state != IB_MIG_REARM)
		return -EPROTO;
	return ib_modify_qp(end->qp, &attr, mask);
}

/* Load the alternate path that ib_cm has, and re-arm. */
int peer_qp_rearm(struct peer_end *end)
{
	int ret = peer_qp_load(end);

	peer_count(end->side, ret ? PEER_CNT_REARM_FAILED : PEER_CNT_REARM);
	return ret;
}

int peer_qp_query(struct peer_end *end, struct ib_qp_attr *attr)
{
	struct ib_qp_init_attr init;

	if (!end->qp)
		return -ENOTCONN;
	return ib_query_qp(end->qp, attr, IB_QP_STATE | IB_QP_AV |
			   IB_QP_PATH_MIG_STATE | IB_QP_ALT_PATH, &init);
}
