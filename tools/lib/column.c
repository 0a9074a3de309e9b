// SPDX-License-Identifier: GPL-2.0
/* The columns of the table: what each says about a row. */
#include "column.h"

#include <stdio.h>
#include <string.h>

#include "format.h"
#include "histogram.h"

static void port_name(const struct snapshot_row *row, char *buffer,
		      size_t size)
{
	if (row->is_other)
		snprintf(buffer, size, "%s", row->device);
	else
		snprintf(buffer, size, "%s/%u", row->device, row->key.port);
}

static void name_of_class(const struct snapshot_row *row, char *buffer,
			  size_t size)
{
	snprintf(buffer, size, "%s", row->class_name);
}

static void name_of_attribute(const struct snapshot_row *row, char *buffer,
			      size_t size)
{
	snprintf(buffer, size, "%s", row->attribute);
}

static __u64 requests(const struct mr_counters *counters)
{
	return counters->requests;
}

static __u64 busy_dropped(const struct mr_counters *counters)
{
	return counters->busy_dropped;
}

static __u64 busy_delivered(const struct mr_counters *counters)
{
	return counters->busy_delivered;
}

static __u64 outstanding(const struct snapshot_row *row)
{
	return (__u64)row->total.outstanding;
}

static double median_us(const struct mr_counters *counters)
{
	return histogram_percentile(counters->response_us,
				    MR_RESPONSE_BUCKETS, 50);
}

static double p99_us(const struct mr_counters *counters)
{
	return histogram_percentile(counters->response_us,
				    MR_RESPONSE_BUCKETS, 99);
}

/* Wide enough for any number that format.h writes */
const struct column columns[] = {
	{ "device", "DEVICE", "DEVICE", "device and port", 0, 6,
	  .name = port_name },
	{ "class", "CLASS", "CLASS", "management class", 3, 5,
	  .name = name_of_class },
	{ "attribute", "ATTRIBUTE", "ATTRIBUTE", "what is asked for", 1, 10,
	  .name = name_of_attribute },
	{ "requests", "REQ/s", "REQ", "requests posted", 4, 5,
	  .count = requests },
	{ "retries", "RETR/s", "RETR", "retries sent", 2, 6,
	  .count = counters_retries },
	{ "dropped", "BDRP/s", "BDRP", "BUSY responses dropped, to retry",
	  7, 6, .count = busy_dropped },
	{ "delivered", "BDLV/s", "BDLV",
	  "BUSY responses delivered to the caller", 8, 6,
	  .count = busy_delivered },
	{ "timeouts", "TMO/s", "TMO", "requests given up", 5, 5,
	  .count = counters_timeouts },
	{ "outstanding", "OUTST", "OUTST", "requests not yet completed", 6, 5,
	  .level = outstanding },
	{ "p50", "P50", "P50", "median response time", 10, 6,
	  .time_us = median_us },
	{ "p99", "P99", "P99", "99 % of response times are less", 9, 6,
	  .time_us = p99_us },
};

const size_t column_count = sizeof(columns) / sizeof(columns[0]);

const struct column *column_by_key(const char *key)
{
	for (size_t i = 0; i < column_count; i++) {
		if (!strcmp(columns[i].key, key))
			return &columns[i];
	}
	return NULL;
}

const char *column_keys(void)
{
	static char all[256];
	size_t used = 0;

	for (size_t i = 0; i < column_count; i++)
		used += (size_t)snprintf(all + used, sizeof(all) - used,
					 "%s%s", used ? ", " : "",
					 columns[i].key);
	return all;
}

static const struct mr_counters *counters_of(const struct snapshot_row *row,
					     enum span span)
{
	return span == SPAN_TOTAL ? &row->total : &row->interval;
}

double column_value(const struct column *column,
		    const struct snapshot_row *row, enum span span,
		    double interval_s)
{
	const struct mr_counters *counters = counters_of(row, span);

	if (column->level)
		return (double)column->level(row);
	if (column->time_us)
		return column->time_us(counters);
	if (span == SPAN_TOTAL)
		return (double)column->count(counters);
	return interval_s > 0 ? (double)column->count(counters) / interval_s :
				0;
}

void column_text(const struct column *column, const struct snapshot_row *row,
		 enum span span, double interval_s, bool exact, char *buffer,
		 size_t size)
{
	double value;
	__u64 count;

	if (column->name) {
		column->name(row, buffer, size);
		return;
	}
	value = column_value(column, row, span, interval_s);
	if (column->time_us) {
		format_us(value, buffer, size);
		return;
	}
	if (column->count && span == SPAN_INTERVAL) {
		format_rate(value, buffer, size);
		return;
	}
	count = column->level ? column->level(row) :
				column->count(counters_of(row, span));
	if (exact)
		snprintf(buffer, size, "%llu", count);
	else
		format_count(count, buffer, size);
}
