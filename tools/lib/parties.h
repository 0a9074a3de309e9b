/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Who sends requests, and to whom: the names of the clients and destinations
 * that the BPF programs have numbered.
 */
#ifndef MR_PARTIES_H
#define MR_PARTIES_H

#include "madretry.h"
#include "snapshot.h"

struct parties;

/* For rows that are told apart by @by; numbers go up to @max */
struct parties *parties_new(unsigned int by, unsigned int max);
void parties_free(struct parties *parties);

/* Read what has been numbered since the last time from these maps */
void parties_read(struct parties *parties, int destinations, int clients);

/* Fill in the parties of a row whose key is known */
void parties_name_row(const struct parties *parties, struct snapshot_row *row);

/* Empty if clients are not told apart, or there is no such number */
void parties_client_name(const struct parties *parties, __u32 number,
			 char *buffer, size_t size);

/* "fe80::2:c903:0:1", "LID 4" */
void destination_name(const struct mr_destination *destination, char *buffer,
		      size_t size);

/*
 * Handlers of the agents of ib_umad and ib_sa; 0 if the module is not loaded or
 * the kernel does not tell. Looks again only when ib_umad has come or gone.
 */
void parties_find_handlers(struct parties *parties, __u64 *umad, __u64 *sa);

#endif
