// SPDX-License-Identifier: GPL-2.0
/* Things to do later: a heap of items in order of the time they are due. */
#include "schedule.h"

#include <stdbool.h>
#include <stdlib.h>

#include "cmdline.h"

static bool before(const struct scheduled *a, const struct scheduled *b)
{
	if (a->due_ns != b->due_ns)
		return a->due_ns < b->due_ns;
	return a->order < b->order;
}

static void make_room(struct schedule *schedule)
{
	size_t room = schedule->room ? 2 * schedule->room : 256;

	if (schedule->count < schedule->room)
		return;
	schedule->heap = reallocarray(schedule->heap, room,
				      sizeof(*schedule->heap));
	if (!schedule->heap)
		fail_running("out of memory");
	schedule->room = room;
}

void schedule_add(struct schedule *schedule, uint64_t due_ns, void *what)
{
	struct scheduled item = {
		.due_ns = due_ns,
		.order = schedule->added++,
		.what = what,
	};
	size_t at;

	make_room(schedule);
	at = schedule->count++;
	while (at && before(&item, &schedule->heap[(at - 1) / 2])) {
		schedule->heap[at] = schedule->heap[(at - 1) / 2];
		at = (at - 1) / 2;
	}
	schedule->heap[at] = item;
}

void *schedule_take(struct schedule *schedule, uint64_t now_ns)
{
	struct scheduled *heap = schedule->heap;
	struct scheduled last;
	size_t at = 0, child;
	void *what;

	if (!schedule->count || heap[0].due_ns > now_ns)
		return NULL;

	what = heap[0].what;
	last = heap[--schedule->count];
	while ((child = 2 * at + 1) < schedule->count) {
		if (child + 1 < schedule->count &&
		    before(&heap[child + 1], &heap[child]))
			child++;
		if (!before(&heap[child], &last))
			break;
		heap[at] = heap[child];
		at = child;
	}
	heap[at] = last;
	return what;
}

uint64_t schedule_next_ns(const struct schedule *schedule)
{
	return schedule->count ? schedule->heap[0].due_ns : UINT64_MAX;
}
