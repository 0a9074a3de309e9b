// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Devices that come and go. A device gets its protection domain, completion
 * queue and listener when the first connection is made on it.
 */
#include <linux/module.h>
#include <linux/slab.h>
#include <rdma/ib_cache.h>

#include "peer.h"

/* The list, and opening the devices on it */
DEFINE_MUTEX(peer_devices_mutex);
static LIST_HEAD(peer_devices);

/* peer_devices_mutex is held. */
struct peer_dev *peer_dev_find(const char *name)
{
	struct peer_dev *dev;

	lockdep_assert_held(&peer_devices_mutex);
	list_for_each_entry(dev, &peer_devices, list)
		if (!strcmp(dev_name(&dev->ibdev->dev), name))
			return dev;
	return NULL;
}

static void peer_dev_close(struct peer_dev *dev)
{
	if (!IS_ERR_OR_NULL(dev->listener))
		ib_destroy_cm_id(dev->listener);
	if (!IS_ERR_OR_NULL(dev->cq))
		ib_free_cq(dev->cq);
	if (!IS_ERR_OR_NULL(dev->pd))
		ib_dealloc_pd(dev->pd);
	dev->listener = NULL;
	dev->cq = NULL;
	dev->pd = NULL;
}

int peer_dev_open(struct peer_dev *dev)
{
	int ret;

	if (dev->listener)
		return 0;
	dev->pd = ib_alloc_pd(dev->ibdev, 0);
	if (IS_ERR(dev->pd)) {
		ret = PTR_ERR(dev->pd);
		goto err;
	}
	dev->cq = ib_alloc_cq(dev->ibdev, dev, PEER_CQES, 0, IB_POLL_WORKQUEUE);
	if (IS_ERR(dev->cq)) {
		ret = PTR_ERR(dev->cq);
		goto err;
	}
	dev->listener = ib_create_cm_id(dev->ibdev, peer_cm_handler, NULL);
	if (IS_ERR(dev->listener)) {
		ret = PTR_ERR(dev->listener);
		goto err;
	}
	ret = ib_cm_listen(dev->listener, peer_service_id());
	if (!ret)
		return 0;
err:
	peer_dev_close(dev);
	return ret;
}

int peer_dev_gid(struct peer_dev *dev, u32 port, union ib_gid *gid)
{
	return rdma_query_gid(dev->ibdev, port, 0, gid);
}

/* The port with this GID, or 0 */
u32 peer_dev_port_of(struct peer_dev *dev, const union ib_gid *gid)
{
	union ib_gid mine;
	u32 port;

	for (port = 1; port <= PEER_PORTS; port++)
		if (!peer_dev_gid(dev, port, &mine) &&
		    !memcmp(&mine, gid, sizeof(mine)))
			return port;
	return 0;
}

/* ---- ports ---- */

/* port_events: bit port for "active", bit port + 8 for "error" */
#define PEER_PORT_ERR_SHIFT	8

static void peer_port_work(struct peer_dev *dev, u32 port)
{
	if (test_and_clear_bit(port + PEER_PORT_ERR_SHIFT, &dev->port_events))
		peer_follow_port(dev, port, false);
	if (test_and_clear_bit(port, &dev->port_events))
		peer_follow_port(dev, port, true);
}

static void peer_port1_work(struct work_struct *work)
{
	peer_port_work(container_of(work, struct peer_dev, port_work[1]), 1);
}

static void peer_port2_work(struct work_struct *work)
{
	peer_port_work(container_of(work, struct peer_dev, port_work[2]), 2);
}

static void peer_dev_event(struct ib_event_handler *handler,
			   struct ib_event *event)
{
	struct peer_dev *dev = container_of(handler, struct peer_dev, events);
	u32 port = event->element.port_num;

	if (event->event != IB_EVENT_PORT_ERR &&
	    event->event != IB_EVENT_PORT_ACTIVE)
		return;
	if (!port || port > PEER_PORTS)
		return;
	if (event->event == IB_EVENT_PORT_ERR)
		port += PEER_PORT_ERR_SHIFT;
	set_bit(port, &dev->port_events);
	queue_work(peer_wq, &dev->port_work[event->element.port_num]);
}

/* ---- coming and going ---- */

static struct ib_client peer_client;

static int peer_dev_add(struct ib_device *ibdev)
{
	struct peer_dev *dev;

	if (!rdma_cap_ib_cm(ibdev, 1) || ibdev->phys_port_cnt < PEER_PORTS)
		return -EOPNOTSUPP;
	dev = kzalloc(sizeof(*dev), GFP_KERNEL);
	if (!dev)
		return -ENOMEM;
	dev->ibdev = ibdev;
	INIT_WORK(&dev->port_work[1], peer_port1_work);
	INIT_WORK(&dev->port_work[2], peer_port2_work);
	INIT_IB_EVENT_HANDLER(&dev->events, ibdev, peer_dev_event);
	ib_register_event_handler(&dev->events);
	ib_set_client_data(ibdev, &peer_client, dev);
	mutex_lock(&peer_devices_mutex);
	list_add_tail(&dev->list, &peer_devices);
	mutex_unlock(&peer_devices_mutex);
	return 0;
}

static void peer_dev_remove(struct ib_device *ibdev, void *client_data)
{
	struct peer_dev *dev = client_data;
	u32 port;

	ib_unregister_event_handler(&dev->events);
	for (port = 1; port <= PEER_PORTS; port++)
		cancel_work_sync(&dev->port_work[port]);
	/* no new pair finds it, and those that are there go */
	mutex_lock(&peer_devices_mutex);
	list_del(&dev->list);
	mutex_unlock(&peer_devices_mutex);
	peer_pairs_destroy(dev);
	peer_dev_close(dev);
	kfree(dev);
}

static struct ib_client peer_client = {
	.name = KBUILD_MODNAME,
	.add = peer_dev_add,
	.remove = peer_dev_remove,
};

int peer_devices_init(void)
{
	return ib_register_client(&peer_client);
}

void peer_devices_exit(void)
{
	ib_unregister_client(&peer_client);
}
