// SPDX-License-Identifier: GPL-2.0
/* Percentiles of times. */
#include "latency.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static uint64_t percentile(const uint64_t *sorted, size_t count,
			   unsigned int percent)
{
	size_t rank = (count * percent + 99) / 100;

	return sorted[rank ? rank - 1 : 0];
}

struct latency latency_of(uint64_t *times_us, size_t count)
{
	if (!count)
		return (struct latency) { 0 };

	qsort(times_us, count, sizeof(*times_us), compare);
	return (struct latency) {
		.count = count,
		.p50 = percentile(times_us, count, 50),
		.p90 = percentile(times_us, count, 90),
		.p99 = percentile(times_us, count, 99),
		.max = times_us[count - 1],
	};
}
