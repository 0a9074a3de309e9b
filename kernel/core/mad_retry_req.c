// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Retries of a request: joins the MAD layer (mad.c, mad_rmpp.c) to the retry
 * policy (mad_retry.c) and reports what happens in trace events.
 */

#include <linux/export.h>
#include <linux/jiffies.h>
#include <linux/random.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_mad_retry.h>

#include "mad_priv.h"
#include "mad_retry.h"
#include "mad_retry_param.h"
#include "mad_retry_req.h"

#define CREATE_TRACE_POINTS
#include <trace/events/ib_mad_retry.h>

/* First wait for the ACK of an RMPP window, whatever longer wait is asked */
#define RMPP_ACK_WAIT_MS 2000

#define IB_MAD_RETRY_ALL_FLAGS						\
	(IB_MAD_RETRY_RANDOMIZED | IB_MAD_RETRY_BUSY_AS_TIMEOUT |	\
	 IB_MAD_RETRY_BUDGET_TIME | IB_MAD_RETRY_KEEP_TIMEOUT)

/**
 * ib_mad_set_retry - set the retry policy of a request
 * @send_buf: Request, from ib_create_send_mad() and not yet posted.
 * @attr: Policy. It adds to what the module parameters of ib_core force on
 *   the request's management class, is not limited to certain classes, and
 *   stays with the buffer if that is posted again. A total has no effect on
 *   a MAD for which no response is expected (timeout_ms is 0), and the rest
 *   only on one that is sent by RMPP, which waits for ACKs.
 *
 * Return: 0, or -EINVAL if a flag is unknown.
 */
int ib_mad_set_retry(struct ib_mad_send_buf *send_buf,
		     const struct ib_mad_retry_attr *attr)
{
	struct ib_mad_send_wr_private *wr;

	if (attr->flags & ~IB_MAD_RETRY_ALL_FLAGS)
		return -EINVAL;
	wr = container_of(send_buf, struct ib_mad_send_wr_private, send_buf);
	wr->retry_req.attr = *attr;
	return 0;
}
EXPORT_SYMBOL(ib_mad_set_retry);

static const struct ib_mad_hdr *mad_hdr(const struct ib_mad_send_wr_private *wr)
{
	return wr->send_buf.mad;
}

/* Sent in segments by the kernel, which waits for the ACK of each window */
static bool is_rmpp_send(const struct ib_mad_send_wr_private *wr)
{
	struct ib_rmpp_mad *rmpp = wr->send_buf.mad;

	return ib_mad_kernel_rmpp_agent(&wr->mad_agent_priv->agent) &&
	       ib_get_rmpp_flags(&rmpp->rmpp_hdr) & IB_MGMT_RMPP_FLAG_ACTIVE &&
	       rmpp->rmpp_hdr.rmpp_type == IB_MGMT_RMPP_TYPE_DATA;
}

static bool rmpp_all_acked(const struct ib_mad_send_wr_private *wr)
{
	return is_rmpp_send(wr) && wr->last_ack == wr->send_buf.seg_count;
}

/* What the policy takes for the time-out in the phase that the request is in */
static int phase_timeout_ms(const struct ib_mad_send_wr_private *wr)
{
	int timeout_ms = wr->send_buf.timeout_ms;

	if (is_rmpp_send(wr) && !rmpp_all_acked(wr) &&
	    (!timeout_ms || timeout_ms > RMPP_ACK_WAIT_MS))
		return RMPP_ACK_WAIT_MS;
	return timeout_ms;
}

static s64 elapsed_ms(ktime_t since)
{
	return ktime_ms_delta(ktime_get(), since);
}

static void get_destination(struct ib_mad_trace_req *req, struct ib_ah *ah)
{
	const struct ib_global_route *grh;
	struct rdma_ah_attr attr;

	if (!ah || rdma_query_ah(ah, &attr))
		return;
	req->dlid = rdma_ah_get_dlid(&attr);
	if (rdma_ah_get_ah_flags(&attr) & IB_AH_GRH) {
		grh = rdma_ah_read_grh(&attr);
		memcpy(req->dgid, grh->dgid.raw, sizeof(req->dgid));
	}
}

static struct ib_mad_trace_req trace_req(const struct ib_mad_send_wr_private *wr)
{
	const struct ib_mad_agent *agent = wr->send_buf.mad_agent;
	const struct ib_mad_hdr *hdr = mad_hdr(wr);
	struct ib_mad_trace_req req = {
		.dev_name = dev_name(&agent->device->dev),
		.send_buf = &wr->send_buf,
		.agent = agent,
		.tid = be64_to_cpu(hdr->tid),
		.dev_index = agent->device->index,
		.port_num = agent->port_num,
		.attr_mod = be32_to_cpu(hdr->attr_mod),
		.attr_id = be16_to_cpu(hdr->attr_id),
		.mgmt_class = hdr->mgmt_class,
		.class_version = hdr->class_version,
		.method = hdr->method,
	};

	get_destination(&req, wr->send_buf.ah);
	return req;
}

static void report_post(const struct ib_mad_send_wr_private *wr)
{
	const struct mad_retry_state *st = &wr->retry_req.state;
	struct ib_mad_trace_post post;
	struct ib_mad_trace_req req;

	if (!trace_ib_mad_post_enabled())
		return;
	req = trace_req(wr);
	post = (struct ib_mad_trace_post) {
		.total_ms = st->total_ms,
		.timeout_ms = st->wait_ms,
		.retries = wr->send_buf.retries,
		.flags = st->flags,
	};
	trace_ib_mad_post(&req, &post);
}

/**
 * mad_retry_post - a MAD is being posted
 * @wr: Send work request, not yet on any list.
 *
 * Return: the wait for the response in jiffies, 0 if none is expected.
 */
unsigned long mad_retry_post(struct ib_mad_send_wr_private *wr)
{
	struct mad_retry_req *rr = &wr->retry_req;
	struct mad_retry_ask ask = {
		.timeout_ms = phase_timeout_ms(wr),
		.retries = wr->send_buf.retries,
		.flags = rr->attr.flags |
			 mad_retry_param_flags(mad_hdr(wr)->mgmt_class),
		.total_ms = wr->send_buf.timeout_ms ? rr->attr.total_ms : 0,
	};

	mad_retry_start(&rr->state, &ask);
	rr->busy_drops = 0;
	rr->mad_status = 0;
	rr->busy = false;
	rr->posted = ktime_get();
	rr->since = rr->posted;
	rr->reported = ask.timeout_ms;
	if (rr->reported)
		report_post(wr);
	return wr->send_buf.timeout_ms ? mad_retry_wait(wr) : 0;
}

/**
 * mad_retry_wait - the wait that begins when the send has completed
 * @wr: Send work request.
 *
 * Return: jiffies.
 */
unsigned long mad_retry_wait(const struct ib_mad_send_wr_private *wr)
{
	return msecs_to_jiffies(wr->retry_req.state.wait_ms);
}

/**
 * mad_retry_again - the wait for a response has ended
 * @wr: Send work request; prepared for the retry if there is one.
 *
 * Return: true if a retry is to be sent, false if the request is given up.
 */
bool mad_retry_again(struct ib_mad_send_wr_private *wr)
{
	struct mad_retry_req *rr = &wr->retry_req;

	switch (mad_retry_next(&rr->state, wr->retries_left,
			       elapsed_ms(rr->since), get_random_u32())) {
	case MAD_RETRY_NO_RETRIES:
		rr->timeout_cause = IB_MAD_TIMEOUT_RETRIES;
		return false;
	case MAD_RETRY_NO_BUDGET:
		rr->timeout_cause = IB_MAD_TIMEOUT_BUDGET;
		return false;
	case MAD_RETRY_SEND:
		break;
	}
	/* Until it has been sent, which may fail */
	rr->timeout_cause = IB_MAD_TIMEOUT_NOT_SENT;
	if (rr->state.retries_limit)
		wr->retries_left--;
	wr->send_buf.retries++;
	wr->timeout = mad_retry_wait(wr);
	return true;
}

static enum ib_mad_retry_cause
retry_cause(const struct ib_mad_send_wr_private *wr)
{
	if (wr->retry_req.busy)
		return IB_MAD_RETRY_CAUSE_BUSY;
	return is_rmpp_send(wr) ? IB_MAD_RETRY_CAUSE_RMPP :
				  IB_MAD_RETRY_CAUSE_TIMEOUT;
}

static void report_retry(const struct ib_mad_send_wr_private *wr)
{
	const struct mad_retry_req *rr = &wr->retry_req;
	const struct mad_retry_state *st = &rr->state;
	struct ib_mad_trace_retry retry;
	struct ib_mad_trace_req req;

	if (!trace_ib_mad_retry_enabled())
		return;
	req = trace_req(wr);
	retry = (struct ib_mad_trace_retry) {
		.budget_left_ms = mad_retry_time_left(st,
						      elapsed_ms(rr->since)),
		.retry = wr->send_buf.retries,
		.backoff_step = st->retry,
		.retries_left = st->retries_limit ? wr->retries_left : -1,
		.waited_ms = st->waited_ms,
		.wait_ms = st->wait_ms,
		.rand_ms = st->rand_ms,
		.busy_drops = rr->busy_drops,
		.cause = retry_cause(wr),
	};
	trace_ib_mad_retry(&req, &retry);
}

/**
 * mad_retry_sent - a retry has been handed to the queue pair
 * @wr: Send work request.
 */
void mad_retry_sent(struct ib_mad_send_wr_private *wr)
{
	report_retry(wr);
	wr->retry_req.busy = false;
}

/* Until the present wait ends, which only begins when the send has completed */
static u32 wait_left_ms(const struct ib_mad_send_wr_private *wr)
{
	long left = wr->timeout - jiffies;

	if (wr->refcount > 1)
		return wr->retry_req.state.wait_ms;
	return left > 0 ? jiffies_to_msecs(left) : 0;
}

static bool is_rmpp_response(const struct ib_mad_send_wr_private *wr,
			     const struct ib_mad_recv_wc *recv_wc)
{
	struct ib_rmpp_mad *rmpp = (struct ib_rmpp_mad *)recv_wc->recv_buf.mad;

	return ib_mad_kernel_rmpp_agent(&wr->mad_agent_priv->agent) &&
	       ib_get_rmpp_flags(&rmpp->rmpp_hdr) & IB_MGMT_RMPP_FLAG_ACTIVE;
}

static void report_busy(const struct ib_mad_send_wr_private *wr, u16 mad_status)
{
	struct ib_mad_trace_busy busy;
	struct ib_mad_trace_req req;

	if (!trace_ib_mad_busy_enabled())
		return;
	req = trace_req(wr);
	busy = (struct ib_mad_trace_busy) {
		.retry_in_ms = wr->retry_req.busy ? wait_left_ms(wr) : 0,
		.retry = wr->send_buf.retries,
		.busy_drops = wr->retry_req.busy_drops,
		.mad_status = mad_status,
		.dropped = wr->retry_req.busy,
	};
	trace_ib_mad_busy(&req, &busy);
}

/**
 * mad_retry_busy - a response has arrived
 * @wr: Send work request that it answers.
 * @recv_wc: Response.
 *
 * Return: true if the response says BUSY and is to be dropped, because the
 * request will be sent again when its wait ends; false if it is to be
 * delivered.
 */
bool mad_retry_busy(struct ib_mad_send_wr_private *wr,
		    const struct ib_mad_recv_wc *recv_wc)
{
	u16 status = be16_to_cpu(recv_wc->recv_buf.mad->mad_hdr.status);
	struct mad_retry_req *rr = &wr->retry_req;

	rr->mad_status = status;
	if (!(status & IB_MGMT_MAD_STATUS_BUSY))
		return false;
	/*
	 * RMPP data that has been acknowledged is not sent again. And once a
	 * response has come by RMPP, another one to the same transaction is
	 * taken for a duplicate of it.
	 */
	rr->busy = mad_retry_drop_busy(&rr->state, wr->retries_left) &&
		   !rmpp_all_acked(wr) && !is_rmpp_response(wr, recv_wc);
	rr->busy_drops += rr->busy;
	report_busy(wr, status);
	return rr->busy;
}

static void start_over(struct ib_mad_send_wr_private *wr, int timeout_ms,
		       enum ib_mad_backoff_reset_cause cause)
{
	struct mad_retry_req *rr = &wr->retry_req;
	struct ib_mad_trace_reset reset = {
		.retry = wr->send_buf.retries,
		.backoff_step = rr->state.retry,
		.cause = cause,
	};
	struct ib_mad_trace_req req;

	if (mad_retry_start_over(&rr->state, timeout_ms, wr->retries_left,
				 elapsed_ms(rr->since)))
		rr->since = ktime_get();
	rr->busy = false;
	/* Without backoff, or before the first retry, nothing has changed */
	if (!trace_ib_mad_backoff_reset_enabled() || !reset.backoff_step ||
	    !(rr->state.flags & IB_MAD_RETRY_RANDOMIZED))
		return;
	reset.wait_ms = rr->state.wait_ms;
	req = trace_req(wr);
	trace_ib_mad_backoff_reset(&req, &reset);
}

/**
 * mad_retry_modify - the owner of a request sets a new time-out
 * @wr: Send work request.
 * @timeout_ms: Time-out that begins now; ib_cm does so when the other side
 *   has sent an MRA.
 *
 * Return: the wait that begins now in milliseconds.
 */
int mad_retry_modify(struct ib_mad_send_wr_private *wr, int timeout_ms)
{
	start_over(wr, timeout_ms, IB_MAD_BACKOFF_RESET_MRA);
	return wr->retry_req.state.wait_ms;
}

/**
 * mad_retry_acked - an RMPP ACK has moved the window
 * @wr: Send work request.
 */
void mad_retry_acked(struct ib_mad_send_wr_private *wr)
{
	const struct mad_retry_state *st = &wr->retry_req.state;
	int timeout_ms = phase_timeout_ms(wr);

	/* The first wait of an explicit total is the policy's, not T */
	if (st->total_is_explicit && !(st->flags & IB_MAD_RETRY_KEEP_TIMEOUT))
		timeout_ms = st->timeout_ms;
	start_over(wr, timeout_ms, IB_MAD_BACKOFF_RESET_RMPP_ACK);
	if (rmpp_all_acked(wr))
		return;
	/* The backed off wait must end, whether it runs already or not yet */
	if (wr->refcount > 1)
		wr->timeout = mad_retry_wait(wr);
	else if (st->flags & IB_MAD_RETRY_RANDOMIZED)
		ib_reset_mad_timeout(wr, st->wait_ms);
}

static void report_timeout(const struct ib_mad_send_wr_private *wr, u32 sends)
{
	const struct mad_retry_req *rr = &wr->retry_req;
	struct ib_mad_trace_timeout timeout;
	struct ib_mad_trace_req req;

	if (!trace_ib_mad_timeout_enabled())
		return;
	req = trace_req(wr);
	timeout = (struct ib_mad_trace_timeout) {
		.total_ms = elapsed_ms(rr->posted),
		.sends = sends,
		.busy_drops = rr->busy_drops,
		.cause = rr->timeout_cause,
	};
	trace_ib_mad_timeout(&req, &timeout);
}

static void report_done(struct ib_mad_send_wr_private *wr,
			enum ib_wc_status status, u32 sends)
{
	struct mad_retry_req *rr = &wr->retry_req;
	struct ib_mad_trace_done done;
	struct ib_mad_trace_req req;

	if (!rr->reported)
		return;
	rr->reported = false;
	if (!trace_ib_mad_done_enabled())
		return;
	req = trace_req(wr);
	done = (struct ib_mad_trace_done) {
		.duration_us = ktime_us_delta(ktime_get(), rr->posted),
		.status = status,
		.sends = sends,
		.busy_drops = rr->busy_drops,
		.mad_status = status == IB_WC_SUCCESS ? rr->mad_status : 0,
	};
	trace_ib_mad_done(&req, &done);
}

/**
 * mad_retry_done - a request completes
 * @wr: Send work request, off all lists and not yet returned to its owner.
 * @status: How.
 */
void mad_retry_done(struct ib_mad_send_wr_private *wr, enum ib_wc_status status)
{
	u32 sends = 1 + wr->send_buf.retries;

	if (status == IB_WC_RESP_TIMEOUT_ERR) {
		/* The last retry was counted, but it failed */
		if (wr->retry_req.timeout_cause == IB_MAD_TIMEOUT_NOT_SENT)
			sends--;
		report_timeout(wr, sends);
	}
	report_done(wr, status, sends);
}

/**
 * mad_retry_done_locally - a request was answered without being sent
 * @wr: Send work request.
 */
void mad_retry_done_locally(struct ib_mad_send_wr_private *wr)
{
	report_done(wr, IB_WC_SUCCESS, 0);
}

/**
 * mad_retry_post_failed - a MAD could not be posted
 * @wr: Send work request, after mad_retry_post().
 */
void mad_retry_post_failed(struct ib_mad_send_wr_private *wr)
{
	report_done(wr, IB_WC_LOC_QP_OP_ERR, 0);
}
