// SPDX-License-Identifier: GPL-2.0
/* Snapshots as JSON, one object a line. The man page lists the fields. */
#include "show_json.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <json-c/json.h>

#include "histogram.h"
#include "message.h"
#include "output.h"

static void add(json_object *object, const char *key, json_object *value)
{
	if (json_object_object_add(object, key, value))
		fail_environment("out of memory");
}

static void add_count(json_object *object, const char *key, __u64 value)
{
	add(object, key, json_object_new_uint64(value));
}

static void add_text(json_object *object, const char *key, const char *value)
{
	add(object, key, json_object_new_string(value));
}

static void add_number(json_object *object, const char *key, double value)
{
	add(object, key, json_object_new_double(value));
}

static void add_time(json_object *object, const struct timespec *time)
{
	char second[32], text[48];
	struct tm utc;

	gmtime_r(&time->tv_sec, &utc);
	strftime(second, sizeof(second), "%Y-%m-%dT%H:%M:%S", &utc);
	snprintf(text, sizeof(text), "%s.%03ldZ", second,
		 time->tv_nsec / 1000000);
	add_text(object, "time", text);
}

static void print_line(json_object *object)
{
	puts(json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN |
					    JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(object);
	output_flush();
}

static json_object *bucket(unsigned int number, unsigned int last, __u64 count)
{
	json_object *object = json_object_new_object();

	add_count(object, "from", bucket_from(number));
	/* The last bucket has no upper bound */
	add(object, "to", number == last ? NULL :
	    json_object_new_uint64(bucket_to(number)));
	add_count(object, "count", count);
	return object;
}

static json_object *response_times(const __u64 *buckets)
{
	json_object *array = json_object_new_array();

	for (unsigned int i = 0; i < MR_RESPONSE_BUCKETS; i++) {
		if (buckets[i])
			json_object_array_add(array,
					      bucket(i, MR_RESPONSE_BUCKETS - 1,
						     buckets[i]));
	}
	return array;
}

static void add_percentile(json_object *object, const char *key,
			   const __u64 *buckets, double percent)
{
	double value = histogram_percentile(buckets, MR_RESPONSE_BUCKETS,
					    percent);

	add(object, key, value < 0 ? NULL : json_object_new_double(value));
}

static json_object *counters(const struct mr_counters *counters)
{
	json_object *object = json_object_new_object();
	const __u64 *retries = counters->retries;
	const __u64 *timeouts = counters->timeouts;

	add_count(object, "requests", counters->requests);
	add_count(object, "responses", counters->responses);
	add_count(object, "retries", counters_retries(counters));
	add_count(object, "retries_timeout", retries[MR_RETRY_TIMEOUT]);
	add_count(object, "retries_busy", retries[MR_RETRY_BUSY]);
	add_count(object, "retries_rmpp", retries[MR_RETRY_RMPP]);
	add_count(object, "busy_dropped", counters->busy_dropped);
	add_count(object, "busy_delivered", counters->busy_delivered);
	add_count(object, "timeouts", counters_timeouts(counters));
	add_count(object, "timeouts_retries", timeouts[MR_TIMEOUT_RETRIES]);
	add_count(object, "timeouts_budget", timeouts[MR_TIMEOUT_BUDGET]);
	add_count(object, "timeouts_not_sent", timeouts[MR_TIMEOUT_NOT_SENT]);
	add_count(object, "cancelled", counters->cancelled);
	add_count(object, "failed", counters->failed);
	add_count(object, "resets_mra", counters->resets[MR_RESET_MRA]);
	add_count(object, "resets_rmpp_ack",
		  counters->resets[MR_RESET_RMPP_ACK]);
	add_percentile(object, "p50_us", counters->response_us, 50);
	add_percentile(object, "p99_us", counters->response_us, 99);
	add(object, "response_us", response_times(counters->response_us));
	return object;
}

static json_object *waits(const __u64 *buckets)
{
	json_object *array = json_object_new_array();

	for (unsigned int i = 0; i < MR_WAIT_FOREVER; i++) {
		if (buckets[i])
			json_object_array_add(array,
					      bucket(i, MR_WAIT_FOREVER,
						     buckets[i]));
	}
	return array;
}

static json_object *backoff(const struct mr_backoff *backoff)
{
	json_object *array = json_object_new_array();

	for (unsigned int i = 0; backoff && i < MR_BACKOFF_STEPS; i++) {
		const __u64 *buckets = backoff->wait_ms[i];
		__u64 count = histogram_count(buckets, MR_WAIT_BUCKETS);
		json_object *step;

		if (!count)
			continue;
		step = json_object_new_object();
		add_count(step, "retry", i + 1);
		add_count(step, "count", count);
		add_count(step, "for_ever", buckets[MR_WAIT_FOREVER]);
		add(step, "wait_ms", waits(buckets));
		json_object_array_add(array, step);
	}
	return array;
}

static json_object *numbers(const struct snapshot_row *row,
			    json_object *object)
{
	add_count(object, "outstanding", (__u64)row->total.outstanding);
	add(object, "interval", counters(&row->interval));
	add(object, "total", counters(&row->total));
	return object;
}

static json_object *row(const struct snapshot_row *row)
{
	json_object *object = json_object_new_object();

	add_text(object, "device", row->device);
	if (!row->is_other) {
		add_count(object, "device_index", row->key.dev_index);
		add_count(object, "port", row->key.port);
		add_count(object, "class", row->key.mgmt_class);
		add_text(object, "class_name", row->class_name);
		add_count(object, "attribute", row->key.attr_id);
		add_text(object, "attribute_name", row->attribute);
	}
	numbers(row, object);
	add(object, "backoff", backoff(row->backoff));
	return object;
}

void json_start(const struct options *options)
{
	json_object *object = json_object_new_object();
	struct timespec now;

	/* Times and percentiles to the thousandth */
	json_c_set_serialization_double_format("%.3f", JSON_C_OPTION_GLOBAL);
	clock_gettime(CLOCK_REALTIME, &now);
	add_text(object, "type", "start");
	add_time(object, &now);
	add_text(object, "tool", program_invocation_short_name);
	add_text(object, "version", MADRETRY_VERSION);
	add_text(object, "mode", "events");
	add_number(object, "interval_s", options->interval_s);
	print_line(object);
}

void json_show(const struct snapshot *snapshot, const struct options *options,
	       const struct order *order)
{
	json_object *object = json_object_new_object();
	json_object *rows = json_object_new_array();
	struct view view;

	view_make(&view, snapshot, &options->filter, order, SPAN_INTERVAL);
	for (size_t i = 0; i < view.row_count; i++)
		json_object_array_add(rows, row(view.rows[i]));

	add_text(object, "type", "snapshot");
	add_time(object, &snapshot->time);
	add_number(object, "since_start_s", snapshot->since_start_s);
	add_number(object, "interval_s", snapshot->interval_s);
	add(object, "last", json_object_new_boolean(snapshot->is_last));
	add_count(object, "lost_events", snapshot->lost_events);
	add(object, "rows", rows);
	add(object, "sum", numbers(&view.sum, json_object_new_object()));
	view_free(&view);
	print_line(object);
}
