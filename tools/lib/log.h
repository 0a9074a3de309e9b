/* SPDX-License-Identifier: GPL-2.0 */
/* One record for each event of a MAD request, as it happens. */
#ifndef MR_LOG_H
#define MR_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "log_record.h"
#include "options.h"

struct log;

typedef void log_handler(const struct mr_log_record *record, void *context);

/*
 * Load and attach the programs of the mode that options->mode wants, and fill in
 * the rest of that; events that pass @filter have begun to be
 * recorded when this returns. There is room for @buffer_size bytes of records,
 * a power of two. Ends the program with a message if the kernel refuses.
 */
struct log *log_start(struct options *options,
		      const struct mr_log_filter *filter, size_t buffer_size);

/* Readable when there are records, for wake_wait() */
int log_file(const struct log *log);

/*
 * Hand the records that are there to @handler, in the order of the events.
 * Returns true if there may be more.
 */
bool log_read(struct log *log, log_handler *handler, void *context);

/* When an event happened, on CLOCK_REALTIME */
struct timespec log_time(const struct log *log,
			 const struct mr_log_record *record);

/* Detach: after the next log_read() there is nothing more to come */
void log_stop(struct log *log);

/* Events since the start for which there was no room */
__u64 log_lost(const struct log *log);

void log_free(struct log *log);

#endif
