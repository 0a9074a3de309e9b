/* SPDX-License-Identifier: GPL-2.0 */
/* A queue in front of one server that takes the same time for each request. */
#ifndef SASTORM_SERVICE_QUEUE_H
#define SASTORM_SERVICE_QUEUE_H

#include <stdbool.h>
#include <stdint.h>

struct service_queue {
	uint64_t service_ns;	/* time per request; 0: there is no queue */
	unsigned int length;	/* places, the one being served included */
	uint64_t free_at_ns;	/* when all that is in it will be served */
	unsigned int longest;	/* most places ever taken */
};

/*
 * A request arrives. True: it has a place and will be served at *@served_ns.
 * False: all places are taken.
 */
static inline bool service_queue_enter(struct service_queue *queue,
				       uint64_t now_ns, uint64_t *served_ns)
{
	uint64_t start_ns = queue->free_at_ns;
	uint64_t taken;

	*served_ns = now_ns;
	if (!queue->service_ns)
		return true;

	if (start_ns < now_ns)
		start_ns = now_ns;
	/* As each takes the same time, the work left tells how many wait. */
	taken = (start_ns - now_ns + queue->service_ns - 1) / queue->service_ns;
	if (taken >= queue->length)
		return false;

	if (taken + 1 > queue->longest)
		queue->longest = (unsigned int)taken + 1;
	queue->free_at_ns = start_ns + queue->service_ns;
	*served_ns = queue->free_at_ns;
	return true;
}

#endif
