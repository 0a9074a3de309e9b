// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Retry policy of MADs, see mad_retry.h.
 */

#include <linux/limits.h>
#include <linux/minmax.h>
#include <rdma/ib_mad_retry.h>

#include "mad_retry.h"

/*
 * The part of a wait beyond the time-out, before chance takes some off. From
 * the eighth retry on it is above the cap, whatever the time-out.
 */
static u32 backoff_ms(u32 retry)
{
	const u32 max_shift = 7;

	return MAD_RETRY_BASE_MS << min(retry - 1, max_shift);
}

/*
 * The random part is taken off after the cap, so that requests which have
 * reached the cap do not all wait for exactly the same time. A caller that
 * asked for more than the cap is never cut short.
 */
static int backoff_wait(const struct mad_retry_state *st, u32 rand_ms)
{
	s64 wait_ms = (s64)st->timeout_ms + backoff_ms(st->retry);

	wait_ms = min_t(s64, wait_ms, MAD_RETRY_MAX_WAIT_MS) - rand_ms;
	return max_t(s64, wait_ms, st->timeout_ms);
}

/* The least time that makes a retry worth while */
static s64 floor_ms(const struct mad_retry_state *st)
{
	return st->flags & IB_MAD_RETRY_RANDOMIZED ? MAD_RETRY_FLOOR_MS : 1;
}

/**
 * mad_retry_time_left - what is left of a request's time
 * @st: State of the request.
 * @elapsed_ms: Time since its start or its last start over.
 *
 * Return: milliseconds, 0 if the time is used up, -1 if it is not limited.
 */
s64 mad_retry_time_left(const struct mad_retry_state *st, s64 elapsed_ms)
{
	if (!st->total_ms)
		return -1;
	return max_t(s64, st->total_ms - elapsed_ms, 0);
}

/*
 * Begin the wait @wait_ms, or what the budget leaves of it, but never one of
 * 0, which would mean that no response is expected. Whether a retry follows is
 * settled here: a BUSY response that comes meanwhile may only be dropped if one
 * does, so late timers have to be allowed for.
 */
static void begin_wait(struct mad_retry_state *st, int wait_ms, s64 elapsed_ms)
{
	s64 left = mad_retry_time_left(st, elapsed_ms);

	st->budget_left = true;
	st->retry_is_sure = true;
	if (left >= 0) {
		if (wait_ms < 0 || wait_ms > left)
			wait_ms = clamp_t(s64, left, 1, INT_MAX);
		st->budget_left = left - wait_ms >= floor_ms(st);
		st->retry_is_sure = left - wait_ms > wait_ms / 8 +
						     MAD_RETRY_LATE_MS;
	}
	st->waited_ms = st->wait_ms;
	st->wait_ms = wait_ms;
}

/* timeout_ms * retries, if both are finite and there is to be a limit at all */
static s64 implied_total(const struct mad_retry_state *st, int retries)
{
	const u32 needed = IB_MAD_RETRY_RANDOMIZED | IB_MAD_RETRY_BUDGET_TIME;

	if ((st->flags & needed) != needed || st->timeout_ms < 0 ||
	    retries <= 0)
		return 0;
	return (s64)st->timeout_ms * retries;
}

/**
 * mad_retry_start - begin a request
 * @st: State to fill in; its wait_ms is the wait after the first send.
 * @ask: What is asked.
 */
void mad_retry_start(struct mad_retry_state *st,
		     const struct mad_retry_ask *ask)
{
	bool keep = ask->flags & IB_MAD_RETRY_KEEP_TIMEOUT;

	*st = (struct mad_retry_state) {
		.flags = ask->flags,
		.timeout_ms = ask->timeout_ms,
		.total_is_explicit = ask->total_ms,
		.retries_limit = true,
	};
	if (!ask->total_ms) {
		st->total_ms = implied_total(st, ask->retries);
	} else {
		st->total_ms = ask->total_ms;
		if (!keep) {
			st->timeout_ms = ask->retries ? MAD_RETRY_FLOOR_MS :
					 min_t(u32, ask->total_ms, INT_MAX);
			st->retries_limit = !ask->retries;
		}
	}
	begin_wait(st, st->timeout_ms, 0);
}

/**
 * mad_retry_next - a wait has ended without a response
 * @st: State of the request; if the verdict is to send, retry, wait_ms and
 *   rand_ms are those of the retry.
 * @retries_left: Retries that the request still has.
 * @elapsed_ms: Time since its start or its last start over.
 * @random: Uniform random number.
 *
 * Return: what to do.
 */
enum mad_retry_verdict mad_retry_next(struct mad_retry_state *st,
				      int retries_left, s64 elapsed_ms,
				      u32 random)
{
	int wait_ms = st->timeout_ms;

	if (st->retries_limit && !retries_left)
		return MAD_RETRY_NO_RETRIES;
	if (!st->budget_left || !mad_retry_time_left(st, elapsed_ms))
		return MAD_RETRY_NO_BUDGET;

	if (st->retry < U32_MAX)
		st->retry++;
	st->rand_ms = 0;
	if (st->flags & IB_MAD_RETRY_RANDOMIZED && wait_ms >= 0) {
		st->rand_ms = random & MAD_RETRY_RAND_MASK;
		wait_ms = backoff_wait(st, st->rand_ms);
	}
	begin_wait(st, wait_ms, elapsed_ms);
	return MAD_RETRY_SEND;
}

/**
 * mad_retry_drop_busy - a BUSY response has arrived
 * @st: State of the request.
 * @retries_left: Retries that the request still has.
 *
 * Return: true if the response is to be dropped because a retry follows; a
 * request that waits for ever would never send it.
 */
bool mad_retry_drop_busy(const struct mad_retry_state *st, int retries_left)
{
	return st->flags & IB_MAD_RETRY_BUSY_AS_TIMEOUT && st->wait_ms >= 0 &&
	       st->budget_left && st->retry_is_sure &&
	       (!st->retries_limit || retries_left);
}

/**
 * mad_retry_start_over - the other side has shown that it is alive
 * @st: State of the request; its wait_ms is the wait that begins now.
 * @timeout_ms: Wait to begin with; negative: for ever.
 * @retries: Retries that the request has from now on.
 * @elapsed_ms: Time since its start or its last start over.
 *
 * An explicit total was promised to somebody and goes on; one that follows
 * from time-out and retries begins anew.
 *
 * Return: true if the time begins anew, so that elapsed time counts from now.
 */
bool mad_retry_start_over(struct mad_retry_state *st, int timeout_ms,
			  int retries, s64 elapsed_ms)
{
	st->timeout_ms = timeout_ms;
	st->retry = 0;
	st->rand_ms = 0;
	if (!st->total_is_explicit) {
		st->total_ms = implied_total(st, retries);
		elapsed_ms = 0;
	}
	begin_wait(st, timeout_ms, elapsed_ms);
	return !st->total_is_explicit;
}
