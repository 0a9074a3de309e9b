// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Ports and the wires between them. A packet sent on a port is queued at the
 * port on the other end and handled there by that port's work item, so packets
 * of one direction of a wire are handled one by one and never overtake.
 */
#include <linux/slab.h>

#include "vfab.h"

/* LRH, BTH and ICRC: what a packet weighs in the data counters besides data */
#define VFAB_PKT_OVERHEAD	24
/* the default, until a subnet manager sets another */
#define VFAB_GID_PREFIX		0xfe80000000000000ULL

/* one link changes at a time, so both ends always agree */
static DEFINE_MUTEX(vfab_link_mutex);

struct vfab_pkt *vfab_pkt_alloc(u32 len)
{
	struct vfab_pkt *pkt;

	pkt = kzalloc(struct_size(pkt, data, len), GFP_ATOMIC | __GFP_NOWARN);
	if (pkt)
		pkt->len = len;
	return pkt;
}

struct vfab_pkt *vfab_pkt_clone(const struct vfab_pkt *pkt)
{
	return kmemdup(pkt, struct_size(pkt, data, pkt->len),
		       GFP_ATOMIC | __GFP_NOWARN);
}

static bool vfab_port_is_up(struct vfab_port *port)
{
	return READ_ONCE(port->pi.phys_state) == IB_PORT_PHYS_STATE_LINK_UP;
}

static void vfab_port_enqueue(struct vfab_port *port, struct vfab_pkt *pkt)
{
	unsigned long flags;

	spin_lock_irqsave(&port->rx_lock, flags);
	if (port->closed || port->rx_len >= VFAB_RX_MAX) {
		spin_unlock_irqrestore(&port->rx_lock, flags);
		vfab_count(port, VFAB_RX_ERRORS);
		kfree(pkt);
		return;
	}
	list_add_tail(&pkt->list, &port->rx);
	port->rx_len++;
	spin_unlock_irqrestore(&port->rx_lock, flags);
	queue_work(vfab_wq, &port->rx_work);
}

static void vfab_port_count_tx(struct vfab_port *port,
			       const struct vfab_pkt *pkt)
{
	vfab_count(port, VFAB_TX_PKTS);
	atomic64_add(pkt->len + VFAB_PKT_OVERHEAD, &port->cnt[VFAB_TX_BYTES]);
	if (vfab_lid_is_mcast(pkt->dlid))
		vfab_count(port, VFAB_TX_MCAST);
}

static void vfab_port_count_rx(struct vfab_port *port,
			       const struct vfab_pkt *pkt)
{
	vfab_count(port, VFAB_RX_PKTS);
	atomic64_add(pkt->len + VFAB_PKT_OVERHEAD, &port->cnt[VFAB_RX_BYTES]);
	if (vfab_lid_is_mcast(pkt->dlid))
		vfab_count(port, VFAB_RX_MCAST);
}

/* Send @pkt out of @port; the packet is consumed. Any context. */
void vfab_port_xmit(struct vfab_port *port, struct vfab_pkt *pkt)
{
	enum vfab_verdict verdict;
	struct vfab_pkt *twin = NULL;
	u32 delay_us;

	if (!port->peer || !vfab_port_is_up(port)) {
		vfab_count(port, VFAB_DROP_LINK);
		kfree(pkt);
		return;
	}
	if (!vfab_pkt_is_smp(pkt) &&
	    READ_ONCE(port->pi.state) != IB_PORT_ACTIVE) {
		vfab_count(port, VFAB_TX_DISCARDS);
		kfree(pkt);
		return;
	}
	vfab_port_count_tx(port, pkt);
	verdict = vfab_knobs_judge(port, pkt, &delay_us);
	if (verdict == VFAB_LOSE) {
		kfree(pkt);
		return;
	}
	pkt->due = delay_us ? ktime_add_us(ktime_get(), delay_us) : 0;
	if (verdict == VFAB_TWICE)
		twin = vfab_pkt_clone(pkt);
	vfab_port_enqueue(port->peer, pkt);
	if (twin) {
		vfab_count(port, VFAB_DUPLICATED);
		vfab_port_enqueue(port->peer, twin);
	}
}

/* Deliver @pkt to the port that sends it; the wire and its knobs are not met. */
void vfab_port_loop(struct vfab_port *port, struct vfab_pkt *pkt)
{
	pkt->loop = true;
	pkt->due = 0;
	vfab_port_enqueue(port, pkt);
}

static void vfab_port_deliver(struct vfab_port *port, struct vfab_pkt *pkt)
{
	if (!pkt->loop) {
		vfab_port_count_rx(port, pkt);
		if (!vfab_pkt_is_smp(pkt) &&
		    READ_ONCE(port->pi.state) < IB_PORT_ARMED) {
			vfab_count(port, VFAB_RX_ERRORS);
			kfree(pkt);
			return;
		}
	}
	if (port->node->is_switch)
		vfab_switch_rx(port, pkt);
	else
		vfab_host_rx(port, pkt);
}

/* The next packet that is due; starts the timer if the next is due later. */
static struct vfab_pkt *vfab_port_next_rx(struct vfab_port *port)
{
	struct vfab_pkt *pkt;
	unsigned long flags;

	spin_lock_irqsave(&port->rx_lock, flags);
	pkt = list_first_entry_or_null(&port->rx, struct vfab_pkt, list);
	if (pkt && !port->closed && pkt->due && pkt->due > ktime_get()) {
		hrtimer_start(&port->rx_timer, pkt->due, HRTIMER_MODE_ABS);
		pkt = NULL;
	}
	if (pkt) {
		list_del(&pkt->list);
		port->rx_len--;
	}
	spin_unlock_irqrestore(&port->rx_lock, flags);
	return pkt;
}

static void vfab_port_rx_work(struct work_struct *work)
{
	struct vfab_port *port = container_of(work, struct vfab_port, rx_work);
	struct vfab_pkt *pkt;

	while ((pkt = vfab_port_next_rx(port))) {
		vfab_port_deliver(port, pkt);
		cond_resched();
	}
}

static enum hrtimer_restart vfab_port_rx_timer(struct hrtimer *timer)
{
	struct vfab_port *port = container_of(timer, struct vfab_port, rx_timer);

	queue_work(vfab_wq, &port->rx_work);
	return HRTIMER_NORESTART;
}

/* What is on the wire towards @port when the link goes down is lost. */
static void vfab_port_flush_flight(struct vfab_port *port)
{
	struct vfab_pkt *pkt, *n;
	unsigned long flags;

	spin_lock_irqsave(&port->rx_lock, flags);
	list_for_each_entry_safe(pkt, n, &port->rx, list) {
		if (pkt->loop)
			continue;
		list_del(&pkt->list);
		port->rx_len--;
		vfab_count(port, VFAB_DROP_FLIGHT);
		kfree(pkt);
	}
	spin_unlock_irqrestore(&port->rx_lock, flags);
}

bool vfab_port_link_wanted(struct vfab_port *port)
{
	struct vfab_port *peer = port->peer;

	return peer && READ_ONCE(port->plugged) && READ_ONCE(peer->plugged) &&
	       !READ_ONCE(port->disabled) && !READ_ONCE(peer->disabled);
}

static void vfab_port_set_link(struct vfab_port *port, bool up)
{
	unsigned long flags;
	u8 old;

	spin_lock_irqsave(&port->lock, flags);
	old = port->pi.state;
	port->pi.state = up ? IB_PORT_INIT : IB_PORT_DOWN;
	if (up)
		port->pi.phys_state = IB_PORT_PHYS_STATE_LINK_UP;
	else if (port->disabled)
		port->pi.phys_state = IB_PORT_PHYS_STATE_DISABLED;
	else
		port->pi.phys_state = IB_PORT_PHYS_STATE_POLLING;
	spin_unlock_irqrestore(&port->lock, flags);
	if (!up)
		vfab_count(port, VFAB_LINK_DOWNED);
	if (port->node->is_switch)
		vfab_switch_port_changed(port);
	else if (old == IB_PORT_ACTIVE)
		vfab_host_event(port, IB_EVENT_PORT_ERR);
}

static void vfab_link_change(struct vfab_port *port, bool up)
{
	vfab_port_set_link(port, up);
	vfab_port_set_link(port->peer, up);
	if (!up) {
		vfab_port_flush_flight(port);
		vfab_port_flush_flight(port->peer);
	}
}

static void vfab_port_link_work(struct work_struct *work)
{
	struct vfab_port *port = container_of(work, struct vfab_port, link_work);
	bool wanted;

	mutex_lock(&vfab_link_mutex);
	if (xchg(&port->bounce, false) && vfab_port_is_up(port))
		vfab_link_change(port, false);
	wanted = vfab_port_link_wanted(port);
	if (port->peer && wanted != vfab_port_is_up(port))
		vfab_link_change(port, wanted);
	mutex_unlock(&vfab_link_mutex);
}

/* Plug this end of the wire in or pull it out; done when this returns. */
void vfab_port_plug(struct vfab_port *port, bool in)
{
	WRITE_ONCE(port->plugged, in);
	queue_work(vfab_wq, &port->link_work);
	flush_work(&port->link_work);
}

/* The subnet manager's wish; may be called in atomic context. */
void vfab_port_set_disabled(struct vfab_port *port, bool disabled)
{
	WRITE_ONCE(port->disabled, disabled);
	queue_work(vfab_wq, &port->link_work);
}

/* The subnet manager sets a port to DOWN: the link trains again. */
void vfab_port_bounce(struct vfab_port *port)
{
	WRITE_ONCE(port->bounce, true);
	queue_work(vfab_wq, &port->link_work);
}

void vfab_port_init(struct vfab_port *port, struct vfab_node *node, u8 num)
{
	port->node = node;
	port->num = num;
	spin_lock_init(&port->lock);
	spin_lock_init(&port->rx_lock);
	INIT_LIST_HEAD(&port->rx);
	INIT_WORK(&port->rx_work, vfab_port_rx_work);
	INIT_WORK(&port->link_work, vfab_port_link_work);
	hrtimer_init(&port->rx_timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	port->rx_timer.function = vfab_port_rx_timer;
	port->pi.gid_prefix = VFAB_GID_PREFIX;
	port->pi.width_enabled = IB_WIDTH_1X | IB_WIDTH_4X;
	port->pi.speed_enabled = IB_SPEED_SDR | IB_SPEED_DDR | IB_SPEED_QDR;
	port->pi.state = IB_PORT_DOWN;
	port->pi.phys_state = IB_PORT_PHYS_STATE_POLLING;
	port->pi.linkdown_default = IB_PORT_PHYS_STATE_POLLING;
	port->pi.mtu = VFAB_MTU;
	port->pi.oper_vls_enf = 0x10;
	port->pkeys[0] = IB_DEFAULT_PKEY_FULL;
	port->guids[0] = cpu_to_be64(node->guid + num);
	vfab_knobs_init(port);
	vfab_sa_front_init(port);
}

/* No packet comes in or goes out after this. */
void vfab_port_fini(struct vfab_port *port)
{
	struct vfab_pkt *pkt, *n;
	unsigned long flags;

	cancel_work_sync(&port->link_work);
	spin_lock_irqsave(&port->rx_lock, flags);
	port->closed = true;
	spin_unlock_irqrestore(&port->rx_lock, flags);
	hrtimer_cancel(&port->rx_timer);
	cancel_work_sync(&port->rx_work);
	vfab_sa_front_stop(port);
	list_for_each_entry_safe(pkt, n, &port->rx, list)
		kfree(pkt);
}

void vfab_port_join(struct vfab_port *a, struct vfab_port *b)
{
	a->peer = b;
	b->peer = a;
}
