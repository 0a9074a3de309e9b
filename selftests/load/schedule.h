/* SPDX-License-Identifier: GPL-2.0 */
/* Things to do later: a heap of items in order of the time they are due. */
#ifndef SASTORM_SCHEDULE_H
#define SASTORM_SCHEDULE_H

#include <stddef.h>
#include <stdint.h>

struct scheduled {
	uint64_t due_ns;
	uint64_t order;		/* first come, first served among equal times */
	void *what;
};

struct schedule {
	struct scheduled *heap;
	size_t count;
	size_t room;
	uint64_t added;
};

void schedule_add(struct schedule *schedule, uint64_t due_ns, void *what);

/* Take the item that is due first, if it is due at @now_ns; NULL if none. */
void *schedule_take(struct schedule *schedule, uint64_t now_ns);

/* When the next item is due, or UINT64_MAX for never. */
uint64_t schedule_next_ns(const struct schedule *schedule);

#endif
