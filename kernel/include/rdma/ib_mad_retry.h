/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * How an unanswered or BUSY-answered MAD is retried, request by request.
 */

#ifndef IB_MAD_RETRY_H
#define IB_MAD_RETRY_H

#include <linux/bits.h>
#include <linux/types.h>

struct ib_mad_send_buf;

/**
 * enum ib_mad_retry_flags - what a request asks of its retries
 * @IB_MAD_RETRY_RANDOMIZED: Randomized exponential backoff. The wait after
 *   retry c is timeout_ms + (511 << (c - 1)) - rand(0..511) milliseconds,
 *   at most 60 s or timeout_ms, whichever is longer.
 * @IB_MAD_RETRY_BUSY_AS_TIMEOUT: A response with the BUSY status bit is
 *   dropped while a retry is still to come.
 * @IB_MAD_RETRY_BUDGET_TIME: With backoff: all waits together last no longer
 *   than timeout_ms * retries, even if that means fewer retries.
 * @IB_MAD_RETRY_KEEP_TIMEOUT: With a total: timeout_ms and retries stay in
 *   force and the total only limits them.
 */
enum ib_mad_retry_flags {
	IB_MAD_RETRY_RANDOMIZED		= BIT(0),
	IB_MAD_RETRY_BUSY_AS_TIMEOUT	= BIT(1),
	IB_MAD_RETRY_BUDGET_TIME	= BIT(2),
	IB_MAD_RETRY_KEEP_TIMEOUT	= BIT(3),
};

/**
 * struct ib_mad_retry_attr - retry policy of one request
 * @flags: Any of enum ib_mad_retry_flags.
 * @total_ms: If not 0, the longest time in milliseconds from posting the
 *   request to its completion. Unless IB_MAD_RETRY_KEEP_TIMEOUT is given, the
 *   first wait is then 511 ms instead of timeout_ms, and retries go on until
 *   the total is used up instead of being counted. No retry is made in any
 *   case if the request asks for 0 retries; its single wait is the total.
 */
struct ib_mad_retry_attr {
	u32 flags;
	u32 total_ms;
};

int ib_mad_set_retry(struct ib_mad_send_buf *send_buf,
		     const struct ib_mad_retry_attr *attr);

#endif /* IB_MAD_RETRY_H */
