/* SPDX-License-Identifier: GPL-2.0 */
/* The columns of the table: what each says about a row. */
#ifndef MR_COLUMN_H
#define MR_COLUMN_H

#include <stdbool.h>
#include <stddef.h>

#include "snapshot.h"

/* Not fewer than column_count */
#define COLUMNS_MAX	32

/* Long enough for the text of any column */
#define CELL_MAX	128

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
	/* The rows have to be told apart by this (MR_BY_*); 0: always there */
	unsigned int by;
	bool is_extra;		/* shown only when asked for */
	bool on_screen;		/* shown without being asked for there */
	/* Exactly one of these: */
	void (*name)(const struct snapshot_row *row, char *buffer, size_t size);
	__u64 (*count)(const struct mr_counters *counters); /* per second */
	__u64 (*level)(const struct snapshot_row *row);     /* now */
	double (*time_us)(const struct mr_counters *counters); /* or < 0 */
	double (*ratio)(const struct mr_counters *counters); /* or < 0 */
	bool is_trend;
};

extern const struct column columns[];
extern const size_t column_count;

/* How cells are written */
struct column_style {
	enum span span;
	double interval_s;
	bool exact;			/* all digits of a count */
	const struct column *trend_of;	/* a column of numbers */
};

/* NULL if there is none */
const struct column *column_by_key(const char *key);

/* "device, class, ...", for a message */
const char *column_keys(void);

/* Numbers, of which the last intervals are remembered */
bool column_is_number(const struct column *column);

/* Is that of several rows the sum of theirs? */
bool column_adds_up(const struct column *column);

/* The number in this column of this row; negative if there is none */
double column_value(const struct column *column,
		    const struct snapshot_row *row, enum span span,
		    double interval_s);

/* The same, or a name or trend, as text */
void column_text(const struct column *column, const struct snapshot_row *row,
		 const struct column_style *style, char *buffer, size_t size);

#endif
