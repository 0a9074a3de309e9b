// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * With peer_policy.follow, the ends do by themselves what an application would:
 *
 *   a port of the active end's fails     the active end migrates
 *   a notice says that the other end's   the passive end migrates
 *   port went out of service
 *   a port of the active end's is back   it sends LAP with the path over it, again
 *                                        after a while if that fails
 */
#include "peer.h"

#define PEER_LAP_AGAIN_MS	500
#define PEER_LAP_TRIES		30

/* Where the end's path is, or -errno */
static int peer_port_now(struct peer_end *end, enum ib_mig_state *mig)
{
	struct ib_qp_attr attr;
	int ret;

	if (end->state != PEER_ESTABLISHED)
		return -ENOTCONN;
	ret = peer_qp_query(end, &attr);
	if (ret)
		return ret;
	*mig = attr.path_mig_state;
	return rdma_ah_get_port_num(&attr.ah_attr);
}

static void peer_lap_again(struct peer_end *end)
{
	if (end->lap_tries++ < PEER_LAP_TRIES)
		queue_delayed_work(peer_wq, &end->lap_work,
				   msecs_to_jiffies(PEER_LAP_AGAIN_MS));
}

static void peer_lap_work(struct work_struct *work)
{
	struct peer_end *end = container_of(to_delayed_work(work),
					    struct peer_end, lap_work);
	struct peer_pair *pair = end->pair;
	enum ib_mig_state mig;
	int port;

	mutex_lock(&pair->mutex);
	port = pair->closing ? -ENODEV : peer_port_now(end, &mig);
	/* Not over the port where the path is, nor where one is armed */
	if (port > 0 && port != end->lap_port && mig == IB_MIG_MIGRATED &&
	    peer_lap_send(end, end->lap_port))
		peer_lap_again(end);
	mutex_unlock(&pair->mutex);
}

void peer_follow_init(struct peer_end *end)
{
	INIT_DELAYED_WORK(&end->lap_work, peer_lap_work);
}

/* pair->closing is set, so nothing queues it again but itself and ib_cm. */
void peer_follow_stop(struct peer_end *end)
{
	end->lap_tries = PEER_LAP_TRIES;
	cancel_delayed_work_sync(&end->lap_work);
}

void peer_follow_lap_failed(struct peer_end *end)
{
	if (peer_policy.follow && end->side == PEER_ACTIVE && end->lap_port &&
	    !READ_ONCE(end->pair->closing))
		peer_lap_again(end);
}

static int peer_follow_failed(struct peer_end *end, void *arg)
{
	u32 port = *(u32 *)arg;
	enum ib_mig_state mig;

	if (peer_port_now(end, &mig) == port && mig == IB_MIG_ARMED)
		peer_qp_migrate(end);
	return 0;
}

static int peer_follow_active(struct peer_end *end, void *arg)
{
	end->lap_port = *(u32 *)arg;
	end->lap_tries = 0;
	queue_delayed_work(peer_wq, &end->lap_work, 0);
	return 0;
}

struct peer_on_dev {
	struct peer_dev *dev;
	u32 port;
	peer_end_fn fn;
};

static int peer_if_on_dev(struct peer_end *end, void *arg)
{
	struct peer_on_dev *on = arg;

	return end->dev == on->dev ? on->fn(end, &on->port) : 0;
}

/* @port of @dev has failed, or is ACTIVE again. */
void peer_follow_port(struct peer_dev *dev, u32 port, bool up)
{
	struct peer_on_dev on = {
		.dev = dev,
		.port = port,
		.fn = up ? peer_follow_active : peer_follow_failed,
	};

	peer_count(PEER_ACTIVE, up ? PEER_CNT_PORT_ACTIVE : PEER_CNT_PORT_ERR);
	if (peer_policy.follow)
		peer_call_ends(-1, BIT(PEER_ACTIVE), peer_if_on_dev, &on);
}

static int peer_follow_remote(struct peer_end *end, void *arg)
{
	struct peer_dev *other = peer_other(end)->dev;
	u32 port = peer_dev_port_of(other, arg);

	return port ? peer_follow_failed(end, &port) : 0;
}

/* The SA says that the port with this GID went out of service, or came in. */
void peer_follow_notice(const union ib_gid *gid, bool in)
{
	union ib_gid of = *gid;

	peer_count(PEER_PASSIVE, in ? PEER_CNT_NOTICE_IN : PEER_CNT_NOTICE_OUT);
	if (peer_policy.follow && !in)
		peer_call_ends(-1, BIT(PEER_PASSIVE), peer_follow_remote, &of);
}
