/* SPDX-License-Identifier: GPL-2.0 */
/* The columns of the table: what each says about a row. */
#ifndef MR_COLUMN_H
#define MR_COLUMN_H

#include <stdbool.h>
#include <stddef.h>

#include "snapshot.h"

/* What numbers are about */
enum span {
	SPAN_INTERVAL,		/* the last interval, per second */
	SPAN_TOTAL,		/* all since the start, counted */
};

struct column {
	const char *key;	/* for the command line */
	const char *head_interval;
	const char *head_total;
	const char *meaning;
	/* A narrow window loses those of the greatest rank first */
	int rank;
	int min_width;
	/* Exactly one of these: */
	void (*name)(const struct snapshot_row *row, char *buffer, size_t size);
	__u64 (*count)(const struct mr_counters *counters); /* per second */
	__u64 (*level)(const struct snapshot_row *row);     /* now */
	double (*time_us)(const struct mr_counters *counters); /* or < 0 */
};

extern const struct column columns[];
extern const size_t column_count;

/* NULL if there is none */
const struct column *column_by_key(const char *key);

/* "device, class, ...", for a message */
const char *column_keys(void);

/* The number in this column of this row; not for columns of names */
double column_value(const struct column *column,
		    const struct snapshot_row *row, enum span span,
		    double interval_s);

/* The same as text; @exact: all digits of a count */
void column_text(const struct column *column, const struct snapshot_row *row,
		 enum span span, double interval_s, bool exact, char *buffer,
		 size_t size);

#endif
