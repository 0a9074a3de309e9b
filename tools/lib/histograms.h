/* SPDX-License-Identifier: GPL-2.0 */
/* The histograms of a snapshot, for tools that show nothing else. */
#ifndef MR_HISTOGRAMS_H
#define MR_HISTOGRAMS_H

#include "filter.h"
#include "snapshot.h"

enum histogram_kind {
	HISTOGRAM_WAIT,		/* that began with a retry, by its number */
	HISTOGRAM_RESPONSE,	/* from post to response */
	HISTOGRAM_ATTEMPTS,	/* sends of a request that has ended */
	HISTOGRAM_RETRIES_LEFT,	/* of requests that were answered */
	HISTOGRAM_TIME_LEFT,	/* of those that have a time instead */
	HISTOGRAM_KINDS
};

/* What all histograms of one kind have in common */
struct histogram_kind_info {
	const char *key;	/* for the command line and JSON */
	const char *title;
	const char *unit;
	unsigned int buckets;
	bool is_linear;		/* one bucket for each number from 0 */
	bool has_sum;
};

extern const struct histogram_kind_info histogram_kinds[HISTOGRAM_KINDS];

/* Bounds of a bucket, both included; the last one has no upper bound */
__u64 histogram_from(enum histogram_kind kind, unsigned int bucket);
__u64 histogram_to(enum histogram_kind kind, unsigned int bucket);

/* "256 -> 511", "3", "17+" */
void histogram_bucket_text(enum histogram_kind kind, unsigned int bucket,
			   char *buffer, size_t size);

/* What histograms are told apart by; waits by no more than the class */
enum histogram_split {
	SPLIT_NONE,
	SPLIT_CLASS,
	SPLIT_ATTRIBUTE,	/* and class */
	SPLIT_ROW,		/* device, port, class and attribute */
};

struct histogram {
	enum histogram_kind kind;
	/* Empty if not told apart by it; (other) is a device */
	char device[MR_DEVICE_NAME_MAX];
	char class_name[CLASS_NAME_MAX];
	char attribute[ATTRIBUTE_NAME_MAX];
	int port;		/* negative if not told apart by it */
	unsigned int retry;	/* of HISTOGRAM_WAIT; the last for more, too */
	const char *outcome;	/* of HISTOGRAM_ATTEMPTS; else NULL */
	__u64 buckets[MR_BUCKETS];
	__u64 sum;		/* of all in the buckets, if has_sum */
	__u64 for_ever;		/* of HISTOGRAM_WAIT; in no bucket */
};

struct histograms {
	struct histogram *list;	/* by kind, name, retry */
	size_t count;
	/* Answered requests of which it is not known what was left */
	__u64 left_unknown;
};

/* All that is not empty, since the start; to be freed */
void histograms_make(struct histograms *histograms,
		     const struct snapshot *snapshot,
		     const struct filter *filter, enum histogram_split split);

/* What was counted since @before: what has not changed is left out */
void histograms_subtract(struct histograms *now,
			 const struct histograms *before);

void histograms_free(struct histograms *histograms);

__u64 histogram_total(const struct histogram *histogram);

/* "rxe0/1 SA PathRecord, retry 1": what it was told apart by, or "all" */
#define HISTOGRAM_NAME_MAX (ROW_NAME_MAX + 16)
void histogram_name(const struct histogram *histogram, char *buffer,
		    size_t size);

/* The first and the last bucket that is not empty; false if there is none */
bool histogram_range(const struct histogram *histogram, unsigned int *first,
		     unsigned int *last);

#endif
