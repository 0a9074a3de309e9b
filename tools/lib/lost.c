// SPDX-License-Identifier: GPL-2.0
/* Says that events were lost, but not all the time. */
#include "lost.h"

#include "message.h"

void lost_finish(struct lost *lost, const char *advice)
{
	if (lost->total == lost->said)
		return;
	message("%llu events were lost: there was no room for them%s",
		lost->total - lost->said, advice);
	lost->said = lost->total;
}

void lost_note(struct lost *lost, __u64 total, const char *advice)
{
	struct timespec now;

	lost->total = total;
	if (lost->total == lost->said)
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	if (now.tv_sec == lost->when.tv_sec)
		return;
	lost->when = now;
	lost_finish(lost, advice);
}
