/* SPDX-License-Identifier: GPL-2.0 */
/* The one clock of sastorm. */
#ifndef SASTORM_CLOCK_H
#define SASTORM_CLOCK_H

#include <stdint.h>
#include <time.h>

#define NS_PER_US	UINT64_C(1000)
#define NS_PER_MS	UINT64_C(1000000)
#define NS_PER_SEC	UINT64_C(1000000000)

/*
 * CLOCK_MONOTONIC in ns, because it is the "mono" clock of tracefs as well: a
 * line of the log and a trace event can be laid side by side.
 */
static inline uint64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * NS_PER_SEC + (uint64_t)now.tv_nsec;
}

static inline struct timespec ns_to_timespec(uint64_t ns)
{
	return (struct timespec) {
		.tv_sec = (time_t)(ns / NS_PER_SEC),
		.tv_nsec = (long)(ns % NS_PER_SEC),
	};
}

#endif
