// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * An overloaded Subnet Administrator in front of the real one: SA requests that
 * reach a host port are turned into BUSY answers, dropped, or served no faster
 * than a rate, before the SA of that host sees them.
 */
#include <linux/slab.h>

#include "vfab.h"

/*
 * A request of the SA class. Answers are not, nor what belongs to an RMPP
 * transfer under way (acknowledges of an answer, and the like).
 */
static bool vfab_is_sa_request(const struct vfab_pkt *pkt)
{
	const struct ib_mad_hdr *mad = (const struct ib_mad_hdr *)pkt->data;
	const struct ib_rmpp_hdr *rmpp = (const void *)(mad + 1);

	if (!vfab_pkt_is_mad(pkt) ||
	    mad->mgmt_class != IB_MGMT_CLASS_SUBN_ADM ||
	    mad->method & IB_MGMT_METHOD_RESP ||
	    mad->method == IB_MGMT_METHOD_REPORT ||
	    mad->method == IB_MGMT_METHOD_TRAP_REPRESS)
		return false;
	return !(ib_get_rmpp_flags((struct ib_rmpp_hdr *)rmpp) &
		 IB_MGMT_RMPP_FLAG_ACTIVE) ||
	       rmpp->rmpp_type == IB_MGMT_RMPP_TYPE_DATA;
}

static void vfab_sa_busy(struct vfab_port *port, struct vfab_pkt *pkt)
{
	struct ib_mad_hdr *mad = (struct ib_mad_hdr *)pkt->data;
	u16 me = pkt->dlid;

	mad->method = mad->method == IB_MGMT_METHOD_SET ?
		      IB_MGMT_METHOD_GET_RESP :
		      mad->method | IB_MGMT_METHOD_RESP;
	mad->status = cpu_to_be16(IB_MGMT_MAD_STATUS_BUSY);
	pkt->dlid = pkt->slid;
	pkt->slid = me;
	if (pkt->has_grh)
		swap(pkt->sgid, pkt->dgid);
	pkt->dqpn = pkt->sqpn;
	pkt->sqpn = 1;
	pkt->loop = false;
	vfab_pkt_send(port, pkt);
}

/* Takes the request if there is room; else answers BUSY or drops it. */
static void vfab_sa_enqueue(struct vfab_port *port, struct vfab_pkt *pkt)
{
	struct vfab_sa_front *sa = &port->sa;
	unsigned long flags;

	spin_lock_irqsave(&sa->lock, flags);
	if (sa->queued < vfab_knob(port, VFAB_SA_QUEUE_LEN)) {
		if (!sa->queued)
			sa->next = max(sa->next, ktime_get());
		list_add_tail(&pkt->list, &sa->queue);
		sa->queued++;
		sa->queued_max = max(sa->queued_max, sa->queued);
		vfab_count(port, VFAB_SA_QUEUED);
		pkt = NULL;
	}
	spin_unlock_irqrestore(&sa->lock, flags);
	if (!pkt) {
		queue_work(vfab_wq, &sa->work);
	} else if (vfab_knob(port, VFAB_SA_OVERFLOW_BUSY)) {
		vfab_count(port, VFAB_SA_OVER_BUSIED);
		vfab_sa_busy(port, pkt);
	} else {
		vfab_count(port, VFAB_SA_OVER_DROPPED);
		kfree(pkt);
	}
}

/* Returns true if the front kept or answered @pkt, false if it may go on. */
bool vfab_sa_front_take(struct vfab_port *port, struct vfab_pkt *pkt)
{
	if (!vfab_is_sa_request(pkt))
		return false;
	vfab_count(port, VFAB_SA_REQUESTS);
	if (vfab_knobs_chance(port, vfab_knob(port, VFAB_SA_BUSY))) {
		vfab_count(port, VFAB_SA_BUSIED);
		vfab_sa_busy(port, pkt);
		return true;
	}
	if (vfab_knobs_chance(port, vfab_knob(port, VFAB_SA_DROP))) {
		vfab_count(port, VFAB_SA_DROPPED);
		kfree(pkt);
		return true;
	}
	if (vfab_knob(port, VFAB_SA_RATE)) {
		vfab_sa_enqueue(port, pkt);
		return true;
	}
	vfab_count(port, VFAB_SA_PASSED);
	return false;
}

/* The request whose turn it is; starts the timer if that is later. */
static struct vfab_pkt *vfab_sa_next(struct vfab_port *port)
{
	struct vfab_sa_front *sa = &port->sa;
	u32 rate = vfab_knob(port, VFAB_SA_RATE);
	struct vfab_pkt *pkt;
	unsigned long flags;

	spin_lock_irqsave(&sa->lock, flags);
	pkt = list_first_entry_or_null(&sa->queue, struct vfab_pkt, list);
	if (pkt && rate && sa->next > ktime_get()) {
		hrtimer_start(&sa->timer, sa->next, HRTIMER_MODE_ABS);
		pkt = NULL;
	}
	if (pkt) {
		list_del(&pkt->list);
		sa->queued--;
		if (rate)
			sa->next = ktime_add_ns(sa->next, NSEC_PER_SEC / rate);
	}
	spin_unlock_irqrestore(&sa->lock, flags);
	return pkt;
}

static void vfab_sa_work(struct work_struct *work)
{
	struct vfab_sa_front *sa = container_of(work, struct vfab_sa_front,
						work);
	struct vfab_port *port = container_of(sa, struct vfab_port, sa);
	struct vfab_pkt *pkt;

	while ((pkt = vfab_sa_next(port))) {
		vfab_count(port, VFAB_SA_PASSED);
		vfab_host_deliver_gsi(port, pkt);
	}
}

static enum hrtimer_restart vfab_sa_timer(struct hrtimer *timer)
{
	struct vfab_sa_front *sa = container_of(timer, struct vfab_sa_front,
						timer);

	queue_work(vfab_wq, &sa->work);
	return HRTIMER_NORESTART;
}

/* A knob changed: perhaps nobody has to wait any longer. */
void vfab_sa_front_kick(struct vfab_port *port)
{
	queue_work(vfab_wq, &port->sa.work);
}

void vfab_sa_front_init(struct vfab_port *port)
{
	struct vfab_sa_front *sa = &port->sa;

	spin_lock_init(&sa->lock);
	INIT_LIST_HEAD(&sa->queue);
	INIT_WORK(&sa->work, vfab_sa_work);
	hrtimer_init(&sa->timer, CLOCK_MONOTONIC, HRTIMER_MODE_ABS);
	sa->timer.function = vfab_sa_timer;
}

void vfab_sa_front_stop(struct vfab_port *port)
{
	struct vfab_sa_front *sa = &port->sa;
	struct vfab_pkt *pkt, *n;

	cancel_work_sync(&sa->work);
	hrtimer_cancel(&sa->timer);
	cancel_work_sync(&sa->work);
	list_for_each_entry_safe(pkt, n, &sa->queue, list)
		kfree(pkt);
	INIT_LIST_HEAD(&sa->queue);
	sa->queued = 0;
}
