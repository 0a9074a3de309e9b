/* SPDX-License-Identifier: GPL-2.0 */
/* Records that BPF programs hand over in a ring buffer, as things happen. */
#ifndef MR_RECORDS_H
#define MR_RECORDS_H

#include <stdbool.h>
#include <time.h>

#include <linux/types.h>

struct records;

typedef void records_handler(const void *record, void *context);

/* @map: the ring buffer. Ends the program with a message if that fails */
struct records *records_open(int map);

/* Readable when there are records, for wake_wait() */
int records_file(const struct records *records);

/*
 * Hand those that are there to @handler, in the order in which they were made.
 * Returns true if there may be more: while they keep coming, somebody has to
 * look at the rest of the world, too.
 */
bool records_read(struct records *records, records_handler *handler,
		  void *context);

/* A time on CLOCK_MONOTONIC, as records have it, on CLOCK_REALTIME */
struct timespec records_time(const struct records *records, __u64 time_ns);

void records_free(struct records *records);

#endif
