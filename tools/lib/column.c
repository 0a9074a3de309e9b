// SPDX-License-Identifier: GPL-2.0
/* The columns of the table: what each says about a row. */
#include "column.h"

#include <stdio.h>
#include <string.h>

#include "bars.h"
#include "format.h"
#include "histogram.h"
#include "history.h"

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

static void name_of_destination(const struct snapshot_row *row, char *buffer,
				size_t size)
{
	snprintf(buffer, size, "%s", row->destination);
}

static void name_of_client(const struct snapshot_row *row, char *buffer,
			   size_t size)
{
	snprintf(buffer, size, "%s", row->client);
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

static __u64 responses(const struct mr_counters *counters)
{
	return counters->responses;
}

static __u64 retries_timeout(const struct mr_counters *counters)
{
	return counters->retries[MR_RETRY_TIMEOUT];
}

static __u64 retries_busy(const struct mr_counters *counters)
{
	return counters->retries[MR_RETRY_BUSY];
}

static __u64 retries_rmpp(const struct mr_counters *counters)
{
	return counters->retries[MR_RETRY_RMPP];
}

static __u64 out_of_retries(const struct mr_counters *counters)
{
	return counters->timeouts[MR_TIMEOUT_RETRIES];
}

static __u64 out_of_budget(const struct mr_counters *counters)
{
	return counters->timeouts[MR_TIMEOUT_BUDGET];
}

static __u64 cancelled(const struct mr_counters *counters)
{
	return counters->cancelled;
}

static __u64 failed(const struct mr_counters *counters)
{
	return counters->failed;
}

static __u64 resets(const struct mr_counters *counters)
{
	return counters->resets[MR_RESET_MRA] +
	       counters->resets[MR_RESET_RMPP_ACK];
}

static double retries_per_request(const struct mr_counters *counters)
{
	if (!counters->requests)
		return -1;
	return (double)counters_retries(counters) / (double)counters->requests;
}

/* Wide enough for any number that format.h writes, and for "saquery[1234567]" */
const struct column columns[] = {
	{ "device", "DEVICE", "DEVICE", "device and port", 0, 6,
	  .name = port_name },
	{ "class", "CLASS", "CLASS", "management class", 3, 5,
	  .name = name_of_class },
	{ "attribute", "ATTRIBUTE", "ATTRIBUTE", "what is asked for", 1, 10,
	  .by = MR_BY_ATTRIBUTE, .name = name_of_attribute },
	{ "destination", "TO", "TO", "where requests go: a LID or GID", 1, 8,
	  .by = MR_BY_DESTINATION, .name = name_of_destination },
	{ "client", "CLIENT", "CLIENT", "who asks: a program or a module",
	  1, 16, .by = MR_BY_CLIENT, .name = name_of_client },
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
	{ "p50", "P50", "P50", "median response time", 11, 6,
	  .time_us = median_us },
	{ "p99", "P99", "P99", "99 % of response times are less", 10, 6,
	  .time_us = p99_us },
	{ "trend", "TREND", "TREND",
	  "the column sorted by, or retries, in the last intervals", 9, 8,
	  .is_extra = true, .on_screen = true, .is_trend = true },
	{ "responses", "RESP/s", "RESP", "requests answered", 12, 6,
	  .is_extra = true, .count = responses },
	{ "per_request", "RETR/REQ", "RETR/REQ", "retries per request", 12, 8,
	  .is_extra = true, .ratio = retries_per_request },
	{ "retries_timeout", "RTMO/s", "RTMO",
	  "retries because no response came", 12, 6,
	  .is_extra = true, .count = retries_timeout },
	{ "retries_busy", "RBSY/s", "RBSY", "retries because of BUSY", 12, 6,
	  .is_extra = true, .count = retries_busy },
	{ "retries_rmpp", "RRMPP/s", "RRMPP",
	  "RMPP segments sent again", 12, 7,
	  .is_extra = true, .count = retries_rmpp },
	{ "timeouts_retries", "TRETR/s", "TRETR",
	  "requests given up, all retries made", 12, 7,
	  .is_extra = true, .count = out_of_retries },
	{ "timeouts_budget", "TBUD/s", "TBUD",
	  "requests given up, no time left", 12, 6,
	  .is_extra = true, .count = out_of_budget },
	{ "cancelled", "CANC/s", "CANC",
	  "requests taken back by who asked", 12, 6,
	  .is_extra = true, .count = cancelled },
	{ "failed", "FAIL/s", "FAIL", "requests that ended with an error",
	  12, 6, .is_extra = true, .count = failed },
	{ "resets", "RSET/s", "RSET", "backoffs that started over", 12, 6,
	  .is_extra = true, .count = resets },
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
	static char all[512];
	size_t used = 0;

	for (size_t i = 0; i < column_count; i++)
		used += (size_t)snprintf(all + used, sizeof(all) - used,
					 "%s%s", used ? ", " : "",
					 columns[i].key);
	return all;
}

bool column_is_number(const struct column *column)
{
	return !column->name && !column->is_trend;
}

bool column_adds_up(const struct column *column)
{
	return column->count || column->level;
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
	if (column->ratio)
		return column->ratio(counters);
	if (span == SPAN_TOTAL)
		return (double)column->count(counters);
	return interval_s > 0 ? (double)column->count(counters) / interval_s :
				0;
}

static void trend_text(const struct snapshot_row *row,
		       const struct column *of, char *buffer, size_t size)
{
	const struct row_history *history = row->history;
	char text[BARS_SIZE(HISTORY_LENGTH)] = "";

	/* What does not add up is not known of all rows together */
	if (history && (row->device[0] || column_adds_up(of)))
		bars_trend(history->values[of - columns], history->count,
			   HISTORY_LENGTH, text);
	snprintf(buffer, size, "%s", text);
}

void column_text(const struct column *column, const struct snapshot_row *row,
		 const struct column_style *style, char *buffer, size_t size)
{
	double value;
	__u64 count;

	if (column->name) {
		column->name(row, buffer, size);
		return;
	}
	if (column->is_trend) {
		trend_text(row, style->trend_of, buffer, size);
		return;
	}
	value = column_value(column, row, style->span, style->interval_s);
	if (column->time_us) {
		format_us(value, buffer, size);
		return;
	}
	if (column->ratio) {
		format_ratio(value, buffer, size);
		return;
	}
	if (column->count && style->span == SPAN_INTERVAL) {
		format_rate(value, buffer, size);
		return;
	}
	count = column->level ? column->level(row) :
				column->count(counters_of(row, style->span));
	if (style->exact)
		snprintf(buffer, size, "%llu", count);
	else
		format_count(count, buffer, size);
}
