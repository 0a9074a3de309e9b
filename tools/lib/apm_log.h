/* SPDX-License-Identifier: GPL-2.0 */
/* One record for each event of path migration, as it happens. */
#ifndef MR_APM_LOG_H
#define MR_APM_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <time.h>

#include "apm_record.h"
#include "records.h"

enum apm_mode {
	APM_EVENTS,	/* madretry's trace events */
	APM_FENTRY,	/* functions of a kernel without them */
};

struct apm_log;

/* "events", "fentry" */
const char *apm_mode_name(enum apm_mode mode);

/*
 * The best mode that this kernel allows. If that is not APM_EVENTS, @why says
 * what is missing. Ends the program with a message if none is possible.
 */
enum apm_mode apm_probe(char *why, size_t size);

/*
 * Load and attach the programs; events have begun to be recorded when this
 * returns. Ends the program with a message if the kernel refuses.
 */
struct apm_log *apm_log_start(enum apm_mode mode, size_t buffer_size,
			      bool verbose);

/* The records are struct mr_apm_record */
struct records *apm_log_records(const struct apm_log *log);

/* Detach: after the next records_read() there is nothing more to come */
void apm_log_stop(struct apm_log *log);

/* Events since the start for which there was no room */
__u64 apm_log_lost(const struct apm_log *log);

void apm_log_free(struct apm_log *log);

#endif
