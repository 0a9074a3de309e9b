/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What was counted up to one moment: all that a renderer needs to know.
 */
#ifndef MR_SNAPSHOT_H
#define MR_SNAPSHOT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "madretry.h"
#include "names.h"

struct snapshot_row {
	struct mr_key key;
	bool is_other;			/* there was no room for these */
	char device[MR_DEVICE_NAME_MAX];
	char class_name[CLASS_NAME_MAX];
	char attribute[ATTRIBUTE_NAME_MAX];

	struct mr_counters total;	/* since the start */
	struct mr_counters interval;	/* since the snapshot before */
	/* Waits since the start; NULL if no retry was made */
	struct mr_backoff *backoff;
};

struct snapshot {
	struct timespec time;		/* CLOCK_REALTIME */
	double since_start_s;
	double interval_s;
	bool is_last;
	__u64 lost_events;		/* since the start; not in any row */

	struct snapshot_row *rows;	/* by key */
	size_t row_count;
};

/* Fill in what the rows of @now count since those of @before */
void snapshot_compare(struct snapshot *now, const struct snapshot *before);

void snapshot_free(struct snapshot *snapshot);

/* The order of the rows: for qsort() and bsearch() */
int snapshot_compare_keys(const void *a, const void *b);

void counters_add(struct mr_counters *sum, const struct mr_counters *part);
void counters_subtract(struct mr_counters *left,
		       const struct mr_counters *part);
void backoff_add(struct mr_backoff *sum, const struct mr_backoff *part);
__u64 counters_retries(const struct mr_counters *counters);
__u64 counters_timeouts(const struct mr_counters *counters);

#endif
