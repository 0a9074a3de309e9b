// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Numbered messages both ways. Every message must come once, whole, and in
 * order, whatever happens to the path.
 */
#include <linux/slab.h>

#include "peer.h"

struct peer_msg_hdr {
	__be64 number;
	__be32 pair;
	__be32 side;	/* the sender's */
	u8 fill[];
};

static bool peer_traffic_on;

static u8 peer_fill_byte(u64 number, u32 i)
{
	return number * 7 + i;
}

static u32 peer_fill_len(const struct peer_end *end)
{
	return end->pair->opt.size - sizeof(struct peer_msg_hdr);
}

/* ---- receiving ---- */

static bool peer_msg_whole(struct peer_end *end, const struct peer_msg_hdr *hdr)
{
	u64 number = be64_to_cpu(hdr->number);
	u32 i, len = peer_fill_len(end);

	if (hdr->pair != cpu_to_be32(end->pair->index) ||
	    hdr->side != cpu_to_be32(!end->side))
		return false;
	for (i = 0; i < len; i++)
		if (hdr->fill[i] != peer_fill_byte(number, i))
			return false;
	return true;
}

static void peer_msg_account(struct peer_end *end, u64 number, bool whole)
{
	u64 lost = 0;
	bool twice = false;

	spin_lock_irq(&end->lock);
	end->received++;
	if (!whole) {
		end->damaged++;
	} else if (number < end->expected) {
		end->twice++;
		twice = true;
	} else {
		lost = number - end->expected;
		end->lost += lost;
		end->expected = number + 1;
	}
	spin_unlock_irq(&end->lock);
	peer_count_add(end->side, PEER_CNT_MSG_RECEIVED, 1);
	peer_count_add(end->side, PEER_CNT_MSG_DAMAGED, !whole);
	peer_count_add(end->side, PEER_CNT_MSG_TWICE, twice);
	peer_count_add(end->side, PEER_CNT_MSG_LOST, lost);
}

static int peer_post_recv(struct peer_end *end, struct peer_msg *msg)
{
	struct ib_sge sge = {
		.addr = msg->dma,
		.length = end->pair->opt.size,
		.lkey = end->dev->pd->local_dma_lkey,
	};
	struct ib_recv_wr wr = {
		.wr_cqe = &msg->cqe,
		.sg_list = &sge,
		.num_sge = 1,
	};

	return ib_post_recv(end->qp, &wr, NULL);
}

static void peer_recv_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct peer_msg *msg = container_of(wc->wr_cqe, struct peer_msg, cqe);
	struct peer_end *end = msg->end;
	const struct peer_msg_hdr *hdr = msg->buf;
	u32 size = end->pair->opt.size;

	if (wc->status)		/* flushed: the connection has ended */
		return;
	ib_dma_sync_single_for_cpu(end->dev->ibdev, msg->dma, size,
				   DMA_FROM_DEVICE);
	peer_msg_account(end, be64_to_cpu(hdr->number),
			 wc->byte_len == size && peer_msg_whole(end, hdr));
	ib_dma_sync_single_for_device(end->dev->ibdev, msg->dma, size,
				      DMA_FROM_DEVICE);
	peer_post_recv(end, msg);
}

/* ---- sending ---- */

static void peer_msg_write(struct peer_end *end, struct peer_msg *msg)
{
	struct peer_msg_hdr *hdr = msg->buf;
	u32 i, len = peer_fill_len(end);

	hdr->number = cpu_to_be64(end->sent);
	hdr->pair = cpu_to_be32(end->pair->index);
	hdr->side = cpu_to_be32(end->side);
	for (i = 0; i < len; i++)
		hdr->fill[i] = peer_fill_byte(end->sent, i);
	ib_dma_sync_single_for_device(end->dev->ibdev, msg->dma,
				      end->pair->opt.size, DMA_TO_DEVICE);
}

static struct peer_msg *peer_send_slot(struct peer_end *end)
{
	unsigned int i;

	for (i = 0; i < PEER_SENDS; i++)
		if (!end->send[i].busy)
			return &end->send[i];
	return NULL;
}

/* One message, if it may be sent now. end->lock is held. */
static bool peer_post_send(struct peer_end *end)
{
	struct peer_msg *msg = peer_send_slot(end);
	struct ib_sge sge = {
		.length = end->pair->opt.size,
		.lkey = end->dev->pd->local_dma_lkey,
	};
	struct ib_send_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IB_WR_SEND,
	};

	if (!end->running || !msg)
		return false;
	peer_msg_write(end, msg);
	sge.addr = msg->dma;
	wr.wr_cqe = &msg->cqe;
	if (ib_post_send(end->qp, &wr, NULL))
		return false;
	msg->busy = true;
	end->sent++;
	peer_count_add(end->side, PEER_CNT_MSG_SENT, 1);
	return true;
}

/* As many of the ordered messages as may be under way. end->lock is held. */
static void peer_post_ordered(struct peer_end *end)
{
	while (end->to_send && peer_post_send(end))
		end->to_send--;
}

static void peer_send_done(struct ib_cq *cq, struct ib_wc *wc)
{
	struct peer_msg *msg = container_of(wc->wr_cqe, struct peer_msg, cqe);
	struct peer_end *end = msg->end;

	spin_lock_irq(&end->lock);
	msg->busy = false;
	if (wc->status) {
		end->send_failed++;
		end->last_status = wc->status;
	} else {
		end->send_done++;
	}
	peer_post_ordered(end);
	spin_unlock_irq(&end->lock);
	if (wc->status)
		peer_count_add(end->side, PEER_CNT_MSG_SEND_FAILED, 1);
}

/* Send so many more, as fast as the other end takes them. */
int peer_traffic_order(struct peer_end *end, u64 messages)
{
	int ret = 0;

	spin_lock_irq(&end->lock);
	if (!end->running) {
		ret = -ENOTCONN;
	} else {
		end->to_send += messages;
		peer_post_ordered(end);
	}
	spin_unlock_irq(&end->lock);
	return ret;
}

/* Nothing under way, and the other end has all that this one has sent */
bool peer_traffic_quiet(struct peer_end *end)
{
	struct peer_end *other = peer_other(end);
	u64 done, received;
	bool idle;

	spin_lock_irq(&end->lock);
	done = end->send_done;
	idle = !end->to_send && end->sent == end->send_done + end->send_failed;
	spin_unlock_irq(&end->lock);
	spin_lock_irq(&other->lock);
	received = other->received;
	spin_unlock_irq(&other->lock);
	return idle && received >= done;
}

/* ---- a message now and then on every connection ---- */

static void peer_tick(struct work_struct *work);
static DECLARE_DELAYED_WORK(peer_tick_work, peer_tick);

static void peer_tick_end(struct peer_end *end)
{
	spin_lock_irq(&end->lock);
	peer_post_send(end);
	spin_unlock_irq(&end->lock);
}

static void peer_tick(struct work_struct *work)
{
	struct peer_pair *pair;
	unsigned long index;

	for (index = 0; (pair = peer_pair_next(&index)); index++) {
		peer_tick_end(&pair->end[PEER_ACTIVE]);
		peer_tick_end(&pair->end[PEER_PASSIVE]);
		peer_pair_put(pair);
	}
	if (READ_ONCE(peer_traffic_on))
		queue_delayed_work(peer_wq, &peer_tick_work,
				   msecs_to_jiffies(peer_policy.interval_ms));
}

void peer_traffic_run(bool on)
{
	WRITE_ONCE(peer_traffic_on, on);
	if (on)
		queue_delayed_work(peer_wq, &peer_tick_work, 0);
	else
		cancel_delayed_work_sync(&peer_tick_work);
}

void peer_traffic_exit(void)
{
	peer_traffic_run(false);
}

/* ---- an end's buffers ---- */

static int peer_msg_init(struct peer_end *end, struct peer_msg *msg, void *buf,
			 enum dma_data_direction dir)
{
	msg->buf = buf;
	msg->cqe.done = dir == DMA_TO_DEVICE ? peer_send_done : peer_recv_done;
	msg->dma = ib_dma_map_single(end->dev->ibdev, buf, end->pair->opt.size,
				     dir);
	if (ib_dma_mapping_error(end->dev->ibdev, msg->dma))
		return -ENOMEM;
	msg->end = end;
	return 0;
}

int peer_traffic_init(struct peer_end *end)
{
	u32 size = end->pair->opt.size;
	unsigned int i;
	int ret = 0;

	end->bufs = kcalloc(PEER_SENDS + PEER_RECVS, size, GFP_KERNEL);
	if (!end->bufs)
		return -ENOMEM;
	for (i = 0; i < PEER_SENDS && !ret; i++)
		ret = peer_msg_init(end, &end->send[i], end->bufs + i * size,
				    DMA_TO_DEVICE);
	for (i = 0; i < PEER_RECVS && !ret; i++)
		ret = peer_msg_init(end, &end->recv[i],
				    end->bufs + (PEER_SENDS + i) * size,
				    DMA_FROM_DEVICE);
	return ret;
}

/* The QP is in INIT: post all receives. */
int peer_traffic_start(struct peer_end *end)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < PEER_RECVS && !ret; i++)
		ret = peer_post_recv(end, &end->recv[i]);
	return ret;
}

/* The connection is established. */
void peer_traffic_allow(struct peer_end *end)
{
	spin_lock_irq(&end->lock);
	end->running = true;
	spin_unlock_irq(&end->lock);
}

void peer_traffic_stop(struct peer_end *end)
{
	spin_lock_irq(&end->lock);
	end->running = false;
	end->to_send = 0;
	spin_unlock_irq(&end->lock);
}

static void peer_msg_fini(struct peer_end *end, struct peer_msg *msg,
			  enum dma_data_direction dir)
{
	if (msg->end)
		ib_dma_unmap_single(end->dev->ibdev, msg->dma,
				    end->pair->opt.size, dir);
	msg->end = NULL;
}

/* The QP is gone. */
void peer_traffic_fini(struct peer_end *end)
{
	unsigned int i;

	for (i = 0; i < PEER_SENDS; i++)
		peer_msg_fini(end, &end->send[i], DMA_TO_DEVICE);
	for (i = 0; i < PEER_RECVS; i++)
		peer_msg_fini(end, &end->recv[i], DMA_FROM_DEVICE);
	kfree(end->bufs);
	end->bufs = NULL;
}
