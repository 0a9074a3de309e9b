/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Retry policy of MADs: when to send again, and when to give up.
 *
 * Numbers in, numbers out: no locks, no clocks, no lists, no allocation, so
 * that the same file can be tested and simulated outside of the kernel. Times
 * are milliseconds; the caller measures them and provides the random number.
 */

#ifndef MAD_RETRY_H
#define MAD_RETRY_H

#include <linux/types.h>

/* Unit of the exponential backoff, and the largest random reduction of it */
#define MAD_RETRY_BASE_MS	511
#define MAD_RETRY_RAND_MASK	511
/* No backoff makes a wait longer than this */
#define MAD_RETRY_MAX_WAIT_MS	60000
/*
 * A wait of t ms may end t / 8 + this late: the timer wheel's granularity, and
 * two ticks at 250 Hz
 */
#define MAD_RETRY_LATE_MS	10
/* With backoff, a retry that would have to be given up sooner is not made */
#define MAD_RETRY_FLOOR_MS	511

/**
 * struct mad_retry_ask - what is asked for one request
 * @timeout_ms: Wait after the first send; negative: for ever.
 * @retries: Retries to make; negative: without end.
 * @flags: Any of enum ib_mad_retry_flags.
 * @total_ms: Explicit limit of the whole request; 0: none.
 */
struct mad_retry_ask {
	int timeout_ms;
	int retries;
	u32 flags;
	u32 total_ms;
};

/**
 * struct mad_retry_state - where one request stands
 * @flags: As asked.
 * @timeout_ms: The shortest wait, to which the backoff is added.
 * @retry: Retries made since the start, or since the last start over.
 * @wait_ms: The wait that runs, or that runs once the send has completed;
 *   negative: for ever.
 * @waited_ms: The wait before that one.
 * @rand_ms: What chance took off the backoff of @wait_ms.
 * @total_ms: Time limit, counted from the start or the last start over;
 *   0: none.
 * @total_is_explicit: @total_ms was asked for, it does not follow from
 *   timeout and retries.
 * @retries_limit: The number of retries is a limit.
 * @budget_left: As far as time goes, a retry follows the present wait.
 * @retry_is_sure: It does even if the wait ends as late as timers may.
 */
struct mad_retry_state {
	u32 flags;
	int timeout_ms;
	u32 retry;
	int wait_ms;
	int waited_ms;
	u32 rand_ms;
	s64 total_ms;
	bool total_is_explicit;
	bool retries_limit;
	bool budget_left;
	bool retry_is_sure;
};

/**
 * enum mad_retry_verdict - what to do when a wait has ended
 * @MAD_RETRY_SEND: Send again.
 * @MAD_RETRY_NO_RETRIES: Give up, the retries are used up.
 * @MAD_RETRY_NO_BUDGET: Give up, the time is used up.
 */
enum mad_retry_verdict {
	MAD_RETRY_SEND,
	MAD_RETRY_NO_RETRIES,
	MAD_RETRY_NO_BUDGET,
};

void mad_retry_start(struct mad_retry_state *st,
		     const struct mad_retry_ask *ask);
enum mad_retry_verdict mad_retry_next(struct mad_retry_state *st,
				      int retries_left, s64 elapsed_ms,
				      u32 random);
bool mad_retry_drop_busy(const struct mad_retry_state *st, int retries_left);
bool mad_retry_start_over(struct mad_retry_state *st, int timeout_ms,
			  int retries, s64 elapsed_ms);
s64 mad_retry_time_left(const struct mad_retry_state *st, s64 elapsed_ms);

#endif /* MAD_RETRY_H */
