// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Receive queues: a queue pair's own, and shared ones */
#include <linux/mm.h>
#include <linux/slab.h>

#include "vfab.h"

/* A work request as it is kept in the ring; vfab_rwqe is its largest form. */
struct vfab_rq_slot {
	u64		wr_id;
	int		num_sge;
	u32		length;
	struct ib_sge	sge[];
};

static struct vfab_rq_slot *vfab_rq_slot(struct vfab_rq *rq, u32 index)
{
	return rq->ring + (index % rq->size) * rq->stride;
}

int vfab_rq_init(struct vfab_rq *rq, u32 max_wr, u32 max_sge)
{
	struct vfab_rq_slot *slot;

	if (max_wr > VFAB_MAX_WR || max_sge > VFAB_MAX_SGE)
		return -EINVAL;
	spin_lock_init(&rq->lock);
	rq->size = max_wr;
	rq->max_sge = max_sge;
	rq->stride = struct_size(slot, sge, max_sge);
	if (!max_wr)
		return 0;
	rq->ring = kvcalloc(max_wr, rq->stride, GFP_KERNEL);
	return rq->ring ? 0 : -ENOMEM;
}

void vfab_rq_fini(struct vfab_rq *rq)
{
	kvfree(rq->ring);
}

int vfab_rq_post(struct vfab_rq *rq, const struct ib_recv_wr *wr,
		 const struct ib_recv_wr **bad)
{
	unsigned long flags;
	int i, ret = 0;

	spin_lock_irqsave(&rq->lock, flags);
	for (; wr; wr = wr->next) {
		struct vfab_rq_slot *slot;

		if (wr->num_sge < 0 || wr->num_sge > rq->max_sge)
			ret = -EINVAL;
		else if (rq->head - rq->tail == rq->size)
			ret = -ENOMEM;
		if (ret) {
			*bad = wr;
			break;
		}
		slot = vfab_rq_slot(rq, rq->head++);
		slot->wr_id = wr->wr_id;
		slot->num_sge = wr->num_sge;
		slot->length = 0;
		for (i = 0; i < wr->num_sge; i++) {
			slot->sge[i] = wr->sg_list[i];
			slot->length += wr->sg_list[i].length;
		}
	}
	spin_unlock_irqrestore(&rq->lock, flags);
	return ret;
}

/* Returns false if the queue is empty. *limit: tell that it runs low. */
bool vfab_rq_take(struct vfab_rq *rq, struct vfab_rwqe *wqe, bool *limit)
{
	struct vfab_rq_slot *slot;
	unsigned long flags;
	bool got = false;

	*limit = false;
	spin_lock_irqsave(&rq->lock, flags);
	if (rq->head != rq->tail) {
		slot = vfab_rq_slot(rq, rq->tail++);
		wqe->wr_id = slot->wr_id;
		wqe->num_sge = slot->num_sge;
		wqe->length = slot->length;
		memcpy(wqe->sge, slot->sge, slot->num_sge * sizeof(*slot->sge));
		got = true;
	}
	if (rq->limit && rq->head - rq->tail < rq->limit) {
		rq->limit = 0;	/* told once */
		*limit = true;
	}
	spin_unlock_irqrestore(&rq->lock, flags);
	return got;
}

int vfab_create_srq(struct ib_srq *ibsrq, struct ib_srq_init_attr *init,
		    struct ib_udata *udata)
{
	if (init->srq_type != IB_SRQT_BASIC)
		return -EOPNOTSUPP;
	if (!init->attr.max_wr)
		return -EINVAL;
	return vfab_rq_init(&to_vsrq(ibsrq)->rq, init->attr.max_wr,
			    init->attr.max_sge);
}

int vfab_modify_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr,
		    enum ib_srq_attr_mask mask, struct ib_udata *udata)
{
	struct vfab_rq *rq = &to_vsrq(ibsrq)->rq;

	if (mask & IB_SRQ_MAX_WR)
		return -EOPNOTSUPP;
	if (!(mask & IB_SRQ_LIMIT))
		return 0;
	if (attr->srq_limit > rq->size)
		return -EINVAL;
	spin_lock_irq(&rq->lock);
	rq->limit = attr->srq_limit;
	spin_unlock_irq(&rq->lock);
	return 0;
}

int vfab_query_srq(struct ib_srq *ibsrq, struct ib_srq_attr *attr)
{
	struct vfab_rq *rq = &to_vsrq(ibsrq)->rq;

	attr->max_wr = rq->size;
	attr->max_sge = rq->max_sge;
	attr->srq_limit = rq->limit;
	return 0;
}

int vfab_destroy_srq(struct ib_srq *ibsrq, struct ib_udata *udata)
{
	vfab_rq_fini(&to_vsrq(ibsrq)->rq);
	return 0;
}

int vfab_post_srq_recv(struct ib_srq *ibsrq, const struct ib_recv_wr *wr,
		       const struct ib_recv_wr **bad)
{
	return vfab_rq_post(&to_vsrq(ibsrq)->rq, wr, bad);
}
