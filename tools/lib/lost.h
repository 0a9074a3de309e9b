/* SPDX-License-Identifier: GPL-2.0 */
/* Says that events were lost, but not all the time. */
#ifndef MR_LOST_H
#define MR_LOST_H

#include <time.h>

#include <linux/types.h>

struct lost {
	__u64 total;		/* since the start */
	__u64 said;		/* those that have been spoken of */
	struct timespec when;	/* CLOCK_MONOTONIC: they were */
};

/*
 * @total have been lost since the start. A line on stderr says how many of them
 * are new, once a second at the most; @advice goes to its end.
 */
void lost_note(struct lost *lost, __u64 total, const char *advice);

/* Those that have not been spoken of yet, at the end */
void lost_finish(struct lost *lost, const char *advice);

#endif
