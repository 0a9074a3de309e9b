// SPDX-License-Identifier: GPL-2.0
/*
 * Unit tests of the retry policy: the very file that goes into ib_core.
 *
 * What is expected comes from the table of the design, written out below, and
 * from simple simulations of a request, not from the formula of the policy.
 */

#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <linux/types.h>
#include <rdma/ib_mad_retry.h>

#include "mad_retry.h"

#define MAX_RETRIES 20

/* Extra wait of retry c in ms if chance takes nothing off, T small: a table */
static const int extra_max[MAX_RETRIES + 1] = {
	[1] = 511, [2] = 1022, [3] = 2044, [4] = 4088, [5] = 8176, [6] = 16352,
	[7] = 32704,
};

#define CAP_MS 60000
#define RANDOM_SPAN 512

static void start(struct mad_retry_state *st, int timeout_ms, int retries,
		  u32 flags, u32 total_ms)
{
	struct mad_retry_ask ask = {
		.timeout_ms = timeout_ms,
		.retries = retries,
		.flags = flags,
		.total_ms = total_ms,
	};

	mad_retry_start(st, &ask);
}

/* Expected bounds of the wait after retry c, from the table */
static void expected_bounds(int timeout_ms, int c, int *lo, int *hi)
{
	*hi = CAP_MS;
	if (c <= 7 && timeout_ms + extra_max[c] < CAP_MS)
		*hi = timeout_ms + extra_max[c];
	*lo = *hi - (RANDOM_SPAN - 1);
}

static void table_of_waits(void **unused)
{
	struct mad_retry_state st;
	int c, lo, hi;

	(void)unused;
	start(&st, 1000, MAX_RETRIES, IB_MAD_RETRY_RANDOMIZED, 0);
	assert_int_equal(st.wait_ms, 1000);
	for (c = 1; c <= MAX_RETRIES; c++) {
		struct mad_retry_state other = st;

		expected_bounds(1000, c, &lo, &hi);
		assert_int_equal(mad_retry_next(&other, 1, 0, 511), MAD_RETRY_SEND);
		assert_int_equal(other.wait_ms, lo);
		assert_int_equal(mad_retry_next(&st, 1, 0, 0), MAD_RETRY_SEND);
		assert_int_equal(st.wait_ms, hi);
		assert_int_equal(st.retry, c);
	}
}

/* The figures that the design gives in words */
static void figures_of_the_design(void **unused)
{
	static const int figures[][2] = {
		{ 0, 511 }, { 511, 1022 }, { 1533, 2044 }, { 3577, 4088 },
	};
	struct mad_retry_state st;
	size_t i;

	(void)unused;
	start(&st, 100, 9, IB_MAD_RETRY_RANDOMIZED, 0);
	for (i = 0; i < 4; i++) {
		struct mad_retry_state other = st;

		mad_retry_next(&other, 1, 0, 511);
		assert_int_equal(other.wait_ms - 100, figures[i][0]);
		mad_retry_next(&st, 1, 0, 0);
		assert_int_equal(st.wait_ms - 100, figures[i][1]);
	}
}

static u32 next_random(u32 *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return *seed;
}

static void bounds_over_a_million_draws(void **unused)
{
	u32 seed = 20261130;
	int draw, c, lo, hi;

	(void)unused;
	for (draw = 0; draw < 1000000 / MAX_RETRIES; draw++) {
		struct mad_retry_state st;

		start(&st, 700, MAX_RETRIES, IB_MAD_RETRY_RANDOMIZED, 0);
		for (c = 1; c <= MAX_RETRIES; c++) {
			expected_bounds(700, c, &lo, &hi);
			mad_retry_next(&st, 1, 0, next_random(&seed));
			assert_in_range(st.wait_ms, lo, hi);
			assert_true(st.rand_ms < RANDOM_SPAN);
			assert_int_equal(st.wait_ms, hi - (int)st.rand_ms);
		}
	}
}

/* Chi squared over the 512 values; with 511 degrees of freedom 99.999 % of the
 * draws of a fair source are below 655.
 */
static void waits_are_uniform(void **unused)
{
	const int draws = 1000 * RANDOM_SPAN;
	static long count[RANDOM_SPAN];
	u32 seed = 42;
	double chi2 = 0;
	int i;

	(void)unused;
	for (i = 0; i < draws; i++) {
		struct mad_retry_state st;

		start(&st, 1000, 1, IB_MAD_RETRY_RANDOMIZED, 0);
		mad_retry_next(&st, 1, 0, next_random(&seed));
		assert_in_range(st.wait_ms, 1000, 1511);
		count[st.wait_ms - 1000]++;
	}
	for (i = 0; i < RANDOM_SPAN; i++) {
		assert_true(count[i] > 0);
		chi2 += (count[i] - 1000.0) * (count[i] - 1000.0) / 1000.0;
	}
	assert_true(chi2 < 655);
}

/* Off: the same wait after each send, and R + 1 sends */
static void off_is_a_fixed_interval(void **unused)
{
	struct mad_retry_state st;
	int retries_left = 15, sends = 1;

	(void)unused;
	start(&st, 250, retries_left, 0, 0);
	assert_int_equal(st.wait_ms, 250);
	while (mad_retry_next(&st, retries_left, sends * 250, 77) == MAD_RETRY_SEND) {
		assert_int_equal(st.wait_ms, 250);
		assert_int_equal(st.rand_ms, 0);
		retries_left--;
		sends++;
	}
	assert_int_equal(sends, 16);
	/* The time budget belongs to the backoff */
	start(&st, 250, 3, IB_MAD_RETRY_BUDGET_TIME, 0);
	assert_int_equal(mad_retry_time_left(&st, 0), -1);
}

static void extreme_inputs_saturate(void **unused)
{
	static const int timeouts[] = { 1, 511, 59999, 60000, 60001, INT_MAX };
	struct mad_retry_state st;
	size_t i;
	int c;

	(void)unused;
	for (i = 0; i < sizeof(timeouts) / sizeof(timeouts[0]); i++) {
		start(&st, timeouts[i], INT_MAX, IB_MAD_RETRY_RANDOMIZED, 0);
		for (c = 0; c < 100; c++) {
			assert_int_equal(mad_retry_next(&st, INT_MAX, 0, UINT32_MAX),
					 MAD_RETRY_SEND);
			assert_true(st.wait_ms >= timeouts[i]);
			assert_true(st.wait_ms <= CAP_MS || st.wait_ms == timeouts[i]);
		}
	}
	st.retry = UINT32_MAX;
	st.timeout_ms = 1;
	assert_int_equal(mad_retry_next(&st, 1, 0, 0), MAD_RETRY_SEND);
	assert_int_equal(st.wait_ms, CAP_MS);
	assert_int_equal(st.retry, UINT32_MAX);
	/* INT_MAX ms times INT_MAX retries is a budget like any other */
	start(&st, INT_MAX, INT_MAX,
	      IB_MAD_RETRY_RANDOMIZED | IB_MAD_RETRY_BUDGET_TIME, 0);
	assert_true(mad_retry_time_left(&st, 0) == (s64)INT_MAX * INT_MAX);
}

static void negative_timeout_waits_for_ever(void **unused)
{
	static const int timeouts[] = { -1, -1000, INT_MIN };
	struct mad_retry_state st;
	size_t i;

	(void)unused;
	for (i = 0; i < sizeof(timeouts) / sizeof(timeouts[0]); i++) {
		start(&st, timeouts[i], 3,
		      IB_MAD_RETRY_RANDOMIZED | IB_MAD_RETRY_BUDGET_TIME |
		      IB_MAD_RETRY_BUSY_AS_TIMEOUT, 0);
		assert_true(st.wait_ms < 0);
		/* The retry would never come: BUSY must be delivered */
		assert_false(mad_retry_drop_busy(&st, 3));
		assert_int_equal(mad_retry_next(&st, 3, 0, 5), MAD_RETRY_SEND);
		assert_true(st.wait_ms < 0);
		/* Unless there is a limit */
		start(&st, timeouts[i], 3, IB_MAD_RETRY_KEEP_TIMEOUT, 7000);
		assert_int_equal(st.wait_ms, 7000);
	}
}

static void no_retries_asked_none_made(void **unused)
{
	static const u32 flags[] = {
		0, IB_MAD_RETRY_RANDOMIZED,
		IB_MAD_RETRY_RANDOMIZED | IB_MAD_RETRY_BUDGET_TIME,
	};
	struct mad_retry_state st;
	size_t i;

	(void)unused;
	for (i = 0; i < 3; i++) {
		start(&st, 800, 0, flags[i], 0);
		assert_int_equal(st.wait_ms, 800);
		assert_int_equal(mad_retry_next(&st, 0, 800, 1), MAD_RETRY_NO_RETRIES);
		/* A total is then the single wait */
		start(&st, 800, 0, flags[i], 5000);
		assert_int_equal(st.wait_ms, 5000);
		assert_int_equal(mad_retry_next(&st, 0, 5000, 1), MAD_RETRY_NO_RETRIES);
	}
}

struct run {
	int sends;
	s64 total_ms;
	int last_wait_ms;
	enum mad_retry_verdict end;
};

/* One request that nobody answers; each wait ends @slack_ms late */
static struct run run_out(struct mad_retry_state *st, int retries, int slack_ms,
			  u32 *seed)
{
	struct run run = { .sends = 1 };

	for (;;) {
		run.last_wait_ms = st->wait_ms;
		run.total_ms += st->wait_ms + slack_ms;
		run.end = mad_retry_next(st, retries, run.total_ms,
					 next_random(seed));
		if (run.end != MAD_RETRY_SEND)
			return run;
		if (st->retries_limit)
			retries--;
		run.sends++;
	}
}

static void budget_by_retries(void **unused)
{
	u32 seed = 1;
	int i;

	(void)unused;
	for (i = 0; i < 1000; i++) {
		struct mad_retry_state st;
		struct run run;

		start(&st, 1000, 4, IB_MAD_RETRY_RANDOMIZED, 0);
		run = run_out(&st, 4, 0, &seed);
		assert_int_equal(run.sends, 5);
		assert_int_equal(run.end, MAD_RETRY_NO_RETRIES);
		/* 5 T and 0 + 511 + 1533 + 3577 at least, 7665 at most */
		assert_in_range(run.total_ms, 10621, 12665);
	}
}

static void budget_by_time(void **unused)
{
	u32 seed = 7;
	int i, cut = 0, early = 0;

	(void)unused;
	for (i = 0; i < 100000; i++) {
		int timeout_ms = 1 + next_random(&seed) % 5000;
		int retries = 1 + next_random(&seed) % 20;
		s64 budget = (s64)timeout_ms * retries;
		struct mad_retry_state st;
		struct run run;

		start(&st, timeout_ms, retries,
		      IB_MAD_RETRY_RANDOMIZED | IB_MAD_RETRY_BUDGET_TIME, 0);
		run = run_out(&st, retries, 0, &seed);
		assert_true(run.total_ms <= budget);
		assert_true(run.sends <= retries + 1);
		if (run.end == MAD_RETRY_NO_BUDGET) {
			/* Given up at once only if less than the floor is left */
			assert_true(budget - run.total_ms < 511);
			cut += run.total_ms == budget;
			early += run.total_ms < budget;
			/* No retry with less than the floor to wait */
			if (run.sends > 1)
				assert_true(run.last_wait_ms >= 511 ||
					    run.last_wait_ms >= timeout_ms);
		}
	}
	/* Both ends were really seen */
	assert_true(cut > 1000);
	assert_true(early > 1000);
}

/* T = 1000, R = 3: 1000, then 1000 + 200, then 800 that are left of 3000 */
static void last_wait_is_cut(void **unused)
{
	struct mad_retry_state st;

	(void)unused;
	start(&st, 1000, 3, IB_MAD_RETRY_RANDOMIZED | IB_MAD_RETRY_BUDGET_TIME, 0);
	assert_int_equal(mad_retry_next(&st, 3, 1000, 511 - 200), MAD_RETRY_SEND);
	assert_int_equal(st.wait_ms, 1200);
	assert_int_equal(mad_retry_next(&st, 2, 2200, 0), MAD_RETRY_SEND);
	assert_int_equal(st.wait_ms, 800);
	assert_int_equal(mad_retry_next(&st, 1, 3000, 0), MAD_RETRY_NO_BUDGET);
}

/* A timer that is later than all that was left */
static void late_beyond_the_budget(void **unused)
{
	struct mad_retry_state st;

	(void)unused;
	start(&st, 1000, 3, IB_MAD_RETRY_RANDOMIZED | IB_MAD_RETRY_BUDGET_TIME, 0);
	assert_true(st.budget_left);
	assert_int_equal(mad_retry_next(&st, 3, 3000, 0), MAD_RETRY_NO_BUDGET);
	assert_int_equal(mad_retry_next(&st, 3, 1000000, 0), MAD_RETRY_NO_BUDGET);
}

/* 2490 of 3000 are used: 510 are left, one less than the floor */
static void floor_of_the_last_wait(void **unused)
{
	struct mad_retry_state st;

	(void)unused;
	start(&st, 1000, 3, IB_MAD_RETRY_RANDOMIZED | IB_MAD_RETRY_BUDGET_TIME, 0);
	assert_int_equal(mad_retry_next(&st, 3, 1000, 511 - 490), MAD_RETRY_SEND);
	assert_int_equal(st.wait_ms, 1490);
	assert_int_equal(mad_retry_next(&st, 2, 2490, 0), MAD_RETRY_NO_BUDGET);

	start(&st, 1000, 3, IB_MAD_RETRY_RANDOMIZED | IB_MAD_RETRY_BUDGET_TIME, 0);
	assert_int_equal(mad_retry_next(&st, 3, 1000, 511 - 489), MAD_RETRY_SEND);
	assert_int_equal(mad_retry_next(&st, 2, 2489, 0), MAD_RETRY_SEND);
	assert_int_equal(st.wait_ms, 511);
}

static void explicit_total(void **unused)
{
	u32 seed = 99;
	int i;

	(void)unused;
	for (i = 0; i < 100000; i++) {
		u32 total = 1 + next_random(&seed) % 100000;
		struct mad_retry_state st;
		struct run run;

		start(&st, 20000, 2, IB_MAD_RETRY_RANDOMIZED, total);
		assert_int_equal(st.wait_ms, total < 511 ? total : 511);
		run = run_out(&st, 2, 0, &seed);
		assert_int_equal(run.end, MAD_RETRY_NO_BUDGET);
		assert_true(run.total_ms <= total);
		assert_true(total - run.total_ms < 511);
		/* 2 retries do not limit it: 511 * 2 + 511 * 2 + 1022 at most */
		if (total > 8000)
			assert_true(run.sends > 3);
	}
}

/* ib_sa: a tenth of the total ten times over, in every mode */
static void total_that_only_limits(void **unused)
{
	static const u32 flags[] = {
		0, IB_MAD_RETRY_RANDOMIZED,
		IB_MAD_RETRY_RANDOMIZED | IB_MAD_RETRY_BUDGET_TIME,
	};
	u32 seed = 5;
	size_t i;
	int total;

	(void)unused;
	for (i = 0; i < 3; i++) {
		for (total = 10; total < 60000; total += 7) {
			struct mad_retry_state st;
			struct run run;

			start(&st, total / 10, 10,
			      flags[i] | IB_MAD_RETRY_KEEP_TIMEOUT, total);
			assert_int_equal(st.wait_ms, total / 10);
			run = run_out(&st, 10, 0, &seed);
			assert_true(run.total_ms <= total);
			if (!flags[i])
				assert_true(run.sends == 10 || run.sends == 11);
		}
	}
	{
		struct mad_retry_state st;
		struct run run;

		/* Late timers make fewer sends, not a longer request */
		start(&st, 100, 10, IB_MAD_RETRY_KEEP_TIMEOUT, 1000);
		run = run_out(&st, 10, 8, &seed);
		assert_int_equal(run.sends, 10);
		assert_true(run.total_ms <= 1000 + 8);
		start(&st, 100, 10, IB_MAD_RETRY_KEEP_TIMEOUT, 1000);
		run = run_out(&st, 10, 0, &seed);
		assert_int_equal(run.sends, 10);
		assert_int_equal(run.total_ms, 1000);
	}
}

/* Without backoff an explicit total is a series of floors */
static void explicit_total_without_backoff(void **unused)
{
	struct mad_retry_state st;
	struct run run;
	u32 seed = 3;

	(void)unused;
	start(&st, 20000, 1, 0, 2100);
	run = run_out(&st, 1, 0, &seed);
	assert_int_equal(run.sends, 5);
	assert_int_equal(run.total_ms, 2100);
	assert_int_equal(run.last_wait_ms, 2100 - 4 * 511);
}

static void start_over(void **unused)
{
	struct mad_retry_state st;
	int c;

	(void)unused;
	start(&st, 1000, 9, IB_MAD_RETRY_RANDOMIZED | IB_MAD_RETRY_BUDGET_TIME, 0);
	for (c = 0; c < 3; c++)
		mad_retry_next(&st, 9 - c, 0, 0);
	assert_int_equal(st.wait_ms, 1000 + 2044);
	/* The time of time-out and retries begins anew */
	assert_true(mad_retry_start_over(&st, 4000, 5, 6000));
	assert_int_equal(st.wait_ms, 4000);
	assert_int_equal(st.retry, 0);
	assert_true(mad_retry_time_left(&st, 0) == 20000);
	assert_true(st.budget_left);
	/* ... however much had been used */
	assert_true(mad_retry_start_over(&st, 4000, 5, 1000000));
	assert_int_equal(st.wait_ms, 4000);
	mad_retry_next(&st, 5, 4000, 0);
	assert_int_equal(st.wait_ms, 4000 + 511);

	/* An explicit total goes on, and cuts what is longer */
	start(&st, 1000, 9, IB_MAD_RETRY_RANDOMIZED, 10000);
	mad_retry_next(&st, 9, 511, 0);
	assert_false(mad_retry_start_over(&st, 30000, 5, 4000));
	assert_int_equal(st.wait_ms, 6000);
	/* Even when it is used up the request must not look answered */
	mad_retry_start_over(&st, 30000, 5, 11000);
	assert_int_equal(st.wait_ms, 1);
	assert_int_equal(mad_retry_next(&st, 5, 11001, 0), MAD_RETRY_NO_BUDGET);
}

static void busy(void **unused)
{
	struct mad_retry_state st;

	(void)unused;
	start(&st, 1000, 3, 0, 0);
	assert_false(mad_retry_drop_busy(&st, 3));
	start(&st, 1000, 3, IB_MAD_RETRY_RANDOMIZED, 0);
	assert_false(mad_retry_drop_busy(&st, 3));
	start(&st, 1000, 3, IB_MAD_RETRY_BUSY_AS_TIMEOUT, 0);
	assert_true(mad_retry_drop_busy(&st, 3));
	assert_true(mad_retry_drop_busy(&st, 1));
	assert_false(mad_retry_drop_busy(&st, 0));
	/* A total instead of retries: dropped until no retry follows in time */
	start(&st, 1000, 3, IB_MAD_RETRY_BUSY_AS_TIMEOUT | IB_MAD_RETRY_RANDOMIZED,
	      1500);
	assert_true(mad_retry_drop_busy(&st, 0));
	assert_int_equal(mad_retry_next(&st, 0, 511, 0), MAD_RETRY_SEND);
	assert_int_equal(st.wait_ms, 989);
	assert_false(mad_retry_drop_busy(&st, 0));
	/* No retries asked for, none follows */
	start(&st, 1000, 0, IB_MAD_RETRY_BUSY_AS_TIMEOUT, 1500);
	assert_false(mad_retry_drop_busy(&st, 0));
}

/* What is said of the wait when BUSY arrives holds when the wait ends */
static void busy_is_never_lost(void **unused)
{
	u32 seed = 11;
	int i, dropped = 0;

	(void)unused;
	for (i = 0; i < 100000; i++) {
		u32 flags = IB_MAD_RETRY_BUSY_AS_TIMEOUT | (next_random(&seed) & 5);
		int timeout_ms = 1 + next_random(&seed) % 3000;
		int retries_left = next_random(&seed) % 6;
		u32 total = next_random(&seed) % 2 ? next_random(&seed) % 9000 : 0;
		struct mad_retry_state st;
		s64 elapsed = 0;
		bool drop;

		start(&st, timeout_ms, retries_left, flags, total);
		enum mad_retry_verdict verdict;

		do {
			/* As late as the timer wheel may make it, or in time */
			int late = i % 2 ? st.wait_ms / 8 + 10 : 0;

			drop = mad_retry_drop_busy(&st, retries_left);
			elapsed += st.wait_ms + late;
			verdict = mad_retry_next(&st, retries_left, elapsed,
						 next_random(&seed));
			if (drop)
				assert_int_equal(verdict, MAD_RETRY_SEND);
			retries_left -= st.retries_limit;
			dropped += drop;
		} while (verdict == MAD_RETRY_SEND);
	}
	assert_true(dropped > 100000);
}

static void waited_is_the_wait_before(void **unused)
{
	struct mad_retry_state st;

	(void)unused;
	start(&st, 300, 3, IB_MAD_RETRY_RANDOMIZED, 0);
	mad_retry_next(&st, 3, 300, 11);
	assert_int_equal(st.waited_ms, 300);
	assert_int_equal(st.wait_ms, 800);
	mad_retry_next(&st, 2, 1100, 0);
	assert_int_equal(st.waited_ms, 800);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(table_of_waits),
		cmocka_unit_test(figures_of_the_design),
		cmocka_unit_test(bounds_over_a_million_draws),
		cmocka_unit_test(waits_are_uniform),
		cmocka_unit_test(off_is_a_fixed_interval),
		cmocka_unit_test(extreme_inputs_saturate),
		cmocka_unit_test(negative_timeout_waits_for_ever),
		cmocka_unit_test(no_retries_asked_none_made),
		cmocka_unit_test(budget_by_retries),
		cmocka_unit_test(budget_by_time),
		cmocka_unit_test(last_wait_is_cut),
		cmocka_unit_test(late_beyond_the_budget),
		cmocka_unit_test(floor_of_the_last_wait),
		cmocka_unit_test(explicit_total),
		cmocka_unit_test(total_that_only_limits),
		cmocka_unit_test(explicit_total_without_backoff),
		cmocka_unit_test(start_over),
		cmocka_unit_test(busy),
		cmocka_unit_test(busy_is_never_lost),
		cmocka_unit_test(waited_is_the_wait_before),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL) ? 1 : 0;
}
