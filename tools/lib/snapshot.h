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

struct row_history;

struct snapshot_row {
	struct mr_key key;
	bool is_other;			/* there was no room for these */
	char device[MR_DEVICE_NAME_MAX];
	char class_name[CLASS_NAME_MAX];
	/* Empty if rows are not told apart by these */
	char attribute[ATTRIBUTE_NAME_MAX];
	char destination[DESTINATION_NAME_MAX];
	char client[CLIENT_NAME_MAX];
	struct mr_destination destination_address;
	__u32 client_pid;		/* 0: in the kernel, or not known */

	struct mr_counters total;	/* since the start */
	struct mr_counters interval;	/* since the snapshot before */
	/* Waits since the start; NULL if no retry was made */
	struct mr_backoff *backoff;
	/* Since the start; NULL if not asked for */
	struct mr_completions *completions;
	/* The last intervals; NULL if nobody remembers them, see history.h */
	const struct row_history *history;
};

/* A request that is waiting for its response */
struct snapshot_request {
	__u32 dev_index;
	__u32 port;
	__u8 mgmt_class;
	__u16 attr_id;
	char device[MR_DEVICE_NAME_MAX];
	char class_name[CLASS_NAME_MAX];
	char attribute[ATTRIBUTE_NAME_MAX];
	char destination[DESTINATION_NAME_MAX];
	char client[CLIENT_NAME_MAX];	/* empty: not asked for */
	__u64 tid;

	double age_s;
	bool age_is_minimum;		/* it was posted before the start */
	__u32 attempts;			/* times that it was sent */
	__u32 attempts_max;		/* 0: no limit, or not known */
	double next_s;			/* until its present wait ends */
	bool next_is_known;
	bool waits_for_ever;
};

struct snapshot {
	struct timespec time;		/* CLOCK_REALTIME */
	double since_start_s;
	double interval_s;
	bool is_last;
	__u64 lost_events;		/* since the start; not in any row */
	__u64 not_joined;		/* see notes.c; in mode kprobe */

	unsigned int by;		/* MR_BY_*: what tells rows apart */
	struct snapshot_row *rows;	/* by key */
	size_t row_count;

	struct snapshot_request *requests;	/* the oldest first */
	size_t request_count;
	__u64 requests_missed;		/* there was no room for these */
};

/* Fill in what the rows of @now count since those of @before */
void snapshot_compare(struct snapshot *now, const struct snapshot *before);

void snapshot_free(struct snapshot *snapshot);

/* The order of the rows: for qsort() and bsearch() */
int snapshot_compare_keys(const void *a, const void *b);
int snapshot_compare_key(const struct mr_key *a, const struct mr_key *b);

void counters_add(struct mr_counters *sum, const struct mr_counters *part);
void counters_subtract(struct mr_counters *left,
		       const struct mr_counters *part);
void backoff_add(struct mr_backoff *sum, const struct mr_backoff *part);
void completions_add(struct mr_completions *sum,
		     const struct mr_completions *part);
__u64 counters_retries(const struct mr_counters *counters);
__u64 counters_timeouts(const struct mr_counters *counters);

#endif
