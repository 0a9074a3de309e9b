/* SPDX-License-Identifier: GPL-2.0 */
/* Percentiles of times. */
#ifndef SASTORM_LATENCY_H
#define SASTORM_LATENCY_H

#include <stddef.h>
#include <stdint.h>

/* In µs. All zero where nothing was measured. */
struct latency {
	size_t count;
	uint64_t p50;
	uint64_t p90;
	uint64_t p99;
	uint64_t max;
};

/* Nearest rank: every figure is one that was measured. Sorts @times_us. */
struct latency latency_of(uint64_t *times_us, size_t count);

#endif
