/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Retries of a request: what the MAD layer keeps, measures and reports.
 */

#ifndef MAD_RETRY_REQ_H
#define MAD_RETRY_REQ_H

#include <linux/ktime.h>
#include <linux/types.h>
#include <rdma/ib_mad_retry.h>
#include <rdma/ib_verbs.h>
#include <trace/misc/ib_mad_retry.h>

#include "mad_retry.h"

struct ib_mad_recv_wc;
struct ib_mad_send_wr_private;

/**
 * struct mad_retry_req - part of a send work request
 * @attr: What ib_mad_set_retry() asked for.
 * @state: Where the policy stands. Protected by the lock of the agent from
 *   posting to completion, like all that follows.
 * @posted: When the request was posted.
 * @since: What the policy's elapsed time counts from.
 * @busy_drops: BUSY responses dropped.
 * @mad_status: Status of the response.
 * @timeout_cause: Why the request is given up, if it is.
 * @reported: Posting was reported, so completion has to be.
 * @busy: A BUSY response was dropped during the present wait.
 */
struct mad_retry_req {
	struct ib_mad_retry_attr attr;
	struct mad_retry_state state;
	ktime_t posted;
	ktime_t since;
	u32 busy_drops;
	u16 mad_status;
	enum ib_mad_timeout_cause timeout_cause;
	bool reported;
	bool busy;
};

unsigned long mad_retry_post(struct ib_mad_send_wr_private *wr);
void mad_retry_post_failed(struct ib_mad_send_wr_private *wr);
unsigned long mad_retry_wait(const struct ib_mad_send_wr_private *wr);
bool mad_retry_again(struct ib_mad_send_wr_private *wr);
void mad_retry_sent(struct ib_mad_send_wr_private *wr);
bool mad_retry_busy(struct ib_mad_send_wr_private *wr,
		    const struct ib_mad_recv_wc *recv_wc);
int mad_retry_modify(struct ib_mad_send_wr_private *wr, int timeout_ms);
void mad_retry_acked(struct ib_mad_send_wr_private *wr);
void mad_retry_done(struct ib_mad_send_wr_private *wr,
		    enum ib_wc_status status);
void mad_retry_done_locally(struct ib_mad_send_wr_private *wr);

#endif /* MAD_RETRY_REQ_H */
