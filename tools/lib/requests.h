/* SPDX-License-Identifier: GPL-2.0 */
/* Outstanding requests, out of the map in which the BPF programs keep them. */
#ifndef MR_REQUESTS_H
#define MR_REQUESTS_H

#include "snapshot.h"

struct parties;

/*
 * The requests of @snapshot, the oldest first, with all but the name of the
 * device.
 */
void requests_read(int map, const struct parties *parties,
		   struct snapshot *snapshot);

/*
 * Remove those that wait for their first response: nobody would, when they are
 * no longer kept from their post.
 */
void requests_forget_first_waits(int map);

#endif
