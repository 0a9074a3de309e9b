// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Completion queues */
#include <linux/mm.h>
#include <linux/slab.h>

#include "vfab.h"

int vfab_create_cq(struct ib_cq *ibcq, const struct ib_cq_init_attr *attr,
		   struct uverbs_attr_bundle *attrs)
{
	struct vfab_cq *cq = to_vcq(ibcq);

	if (attr->flags)
		return -EOPNOTSUPP;
	if (!attr->cqe || attr->cqe > VFAB_MAX_CQE)
		return -EINVAL;
	spin_lock_init(&cq->lock);
	cq->size = attr->cqe;
	cq->ring = kvcalloc(cq->size, sizeof(*cq->ring), GFP_KERNEL);
	if (!cq->ring)
		return -ENOMEM;
	ibcq->cqe = cq->size;
	return 0;
}

int vfab_destroy_cq(struct ib_cq *ibcq, struct ib_udata *udata)
{
	kvfree(to_vcq(ibcq)->ring);
	return 0;
}

int vfab_poll_cq(struct ib_cq *ibcq, int num, struct ib_wc *wc)
{
	struct vfab_cq *cq = to_vcq(ibcq);
	unsigned long flags;
	int n = 0;

	spin_lock_irqsave(&cq->lock, flags);
	while (n < num && cq->tail != cq->head)
		wc[n++] = cq->ring[cq->tail++ % cq->size];
	spin_unlock_irqrestore(&cq->lock, flags);
	return n;
}

int vfab_req_notify_cq(struct ib_cq *ibcq, enum ib_cq_notify_flags notify)
{
	struct vfab_cq *cq = to_vcq(ibcq);
	unsigned long flags;
	int ret = 0;

	spin_lock_irqsave(&cq->lock, flags);
	if (cq->armed != IB_CQ_NEXT_COMP)
		cq->armed = notify & IB_CQ_SOLICITED_MASK;
	if ((notify & IB_CQ_REPORT_MISSED_EVENTS) && cq->head != cq->tail)
		ret = 1;
	spin_unlock_irqrestore(&cq->lock, flags);
	return ret;
}

/*
 * Returns true if the user is to be told; the caller does that with no lock
 * held, for the user may post and poll from the call.
 */
bool vfab_cq_add(struct vfab_cq *cq, const struct ib_wc *wc, bool solicited)
{
	bool notify = false, overrun = false;
	unsigned long flags;

	spin_lock_irqsave(&cq->lock, flags);
	if (cq->head - cq->tail == cq->size) {
		overrun = !cq->overrun;
		cq->overrun = true;
	} else {
		cq->ring[cq->head++ % cq->size] = *wc;
		notify = cq->armed == IB_CQ_NEXT_COMP ||
			 (cq->armed == IB_CQ_SOLICITED &&
			  (solicited || wc->status));
		if (notify)
			cq->armed = 0;
	}
	spin_unlock_irqrestore(&cq->lock, flags);
	if (overrun)
		pr_warn_ratelimited("ib_vfab: a completion queue of %u entries is full\n",
				    cq->size);
	return notify;
}

/*
 * Takes out the completions of a queue pair that is about to go: whoever polls
 * reads the number of the queue pair through wc->qp.
 */
void vfab_cq_forget(struct vfab_cq *cq, const struct ib_qp *qp)
{
	unsigned long flags;
	u32 from, to;

	spin_lock_irqsave(&cq->lock, flags);
	for (from = to = cq->tail; from != cq->head; from++)
		if (cq->ring[from % cq->size].qp != qp)
			cq->ring[to++ % cq->size] = cq->ring[from % cq->size];
	cq->head = to;
	spin_unlock_irqrestore(&cq->lock, flags);
}
