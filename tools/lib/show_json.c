// SPDX-License-Identifier: GPL-2.0
/* Snapshots as JSON, one object a line. The man page lists the fields. */
#include "show_json.h"

#include <stdio.h>

#include "grouping.h"
#include "histogram.h"
#include "json_line.h"
#include "output.h"

static json_object *bucket(unsigned int number, unsigned int last, __u64 count)
{
	json_object *object = json_object_new_object();

	json_add_count(object, "from", bucket_from(number));
	/* The last bucket has no upper bound */
	json_add(object, "to", number == last ? NULL :
		 json_object_new_uint64(bucket_to(number)));
	json_add_count(object, "count", count);
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

	json_add(object, key, value < 0 ? NULL : json_object_new_double(value));
}

static json_object *counters(const struct mr_counters *counters)
{
	json_object *object = json_object_new_object();
	const __u64 *retries = counters->retries;
	const __u64 *timeouts = counters->timeouts;

	json_add_count(object, "requests", counters->requests);
	json_add_count(object, "responses", counters->responses);
	json_add_count(object, "retries", counters_retries(counters));
	json_add_count(object, "retries_timeout", retries[MR_RETRY_TIMEOUT]);
	json_add_count(object, "retries_busy", retries[MR_RETRY_BUSY]);
	json_add_count(object, "retries_rmpp", retries[MR_RETRY_RMPP]);
	json_add_count(object, "busy_dropped", counters->busy_dropped);
	json_add_count(object, "busy_delivered", counters->busy_delivered);
	json_add_count(object, "timeouts", counters_timeouts(counters));
	json_add_count(object, "timeouts_retries", timeouts[MR_TIMEOUT_RETRIES]);
	json_add_count(object, "timeouts_budget", timeouts[MR_TIMEOUT_BUDGET]);
	json_add_count(object, "timeouts_not_sent",
		       timeouts[MR_TIMEOUT_NOT_SENT]);
	json_add_count(object, "cancelled", counters->cancelled);
	json_add_count(object, "failed", counters->failed);
	json_add_count(object, "resets_mra", counters->resets[MR_RESET_MRA]);
	json_add_count(object, "resets_rmpp_ack",
		       counters->resets[MR_RESET_RMPP_ACK]);
	add_percentile(object, "p50_us", counters->response_us, 50);
	add_percentile(object, "p99_us", counters->response_us, 99);
	json_add(object, "response_us", response_times(counters->response_us));
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
		json_add_count(step, "retry", i + 1);
		json_add_count(step, "count", count);
		json_add_count(step, "for_ever", buckets[MR_WAIT_FOREVER]);
		json_add(step, "wait_ms", waits(buckets));
		json_object_array_add(array, step);
	}
	return array;
}

static json_object *numbers(const struct snapshot_row *row,
			    json_object *object)
{
	json_add_count(object, "outstanding", (__u64)row->total.outstanding);
	json_add(object, "interval", counters(&row->interval));
	json_add(object, "total", counters(&row->total));
	return object;
}

/* What rows are told apart by, and only that */
static void add_details(json_object *object, const struct snapshot_row *row)
{
	if (row->attribute[0]) {
		json_add_count(object, "attribute", row->key.attr_id);
		json_add_text(object, "attribute_name", row->attribute);
	}
	if (row->destination[0])
		json_add_text(object, "destination", row->destination);
	if (row->destination[0] && row->destination_address.lid)
		json_add_count(object, "lid", row->destination_address.lid);
	if (row->client[0])
		json_add_text(object, "client", row->client);
	if (row->client_pid)
		json_add_count(object, "pid", row->client_pid);
}

static json_object *row(const struct snapshot_row *row)
{
	json_object *object = json_object_new_object();

	json_add_text(object, "device", row->device);
	if (!row->is_other) {
		json_add_count(object, "device_index", row->key.dev_index);
		json_add_count(object, "port", row->key.port);
		json_add_count(object, "class", row->key.mgmt_class);
		json_add_text(object, "class_name", row->class_name);
		add_details(object, row);
	}
	numbers(row, object);
	json_add(object, "backoff", backoff(row->backoff));
	return object;
}

static json_object *request(const struct snapshot_request *request)
{
	json_object *object = json_object_new_object();
	char tid[24];

	snprintf(tid, sizeof(tid), "0x%016llx", request->tid);
	json_add_text(object, "device", request->device);
	json_add_count(object, "port", request->port);
	json_add_count(object, "class", request->mgmt_class);
	json_add_text(object, "class_name", request->class_name);
	json_add_count(object, "attribute", request->attr_id);
	json_add_text(object, "attribute_name", request->attribute);
	json_add_text(object, "destination", request->destination);
	if (request->client[0])
		json_add_text(object, "client", request->client);
	json_add_text(object, "tid", tid);
	json_add_number(object, "age_s", request->age_s);
	json_add(object, "age_is_minimum",
		 json_object_new_boolean(request->age_is_minimum));
	json_add_count(object, "attempts", request->attempts);
	json_add(object, "attempts_max", request->attempts_max ?
		 json_object_new_uint64(request->attempts_max) : NULL);
	json_add(object, "next_s", !request->next_is_known ||
		 request->waits_for_ever ? NULL :
		 json_object_new_double(request->next_s));
	json_add(object, "waits_for_ever",
		 json_object_new_boolean(request->waits_for_ever));
	return object;
}

static void add_oldest(json_object *object, const struct snapshot *snapshot,
		       const struct filter *filter, size_t max)
{
	json_object *array = json_object_new_array();
	size_t count = 0;

	for (size_t i = 0; i < snapshot->request_count && count < max; i++) {
		if (!filter_matches_request(filter, &snapshot->requests[i]))
			continue;
		json_object_array_add(array, request(&snapshot->requests[i]));
		count++;
	}
	json_add(object, "stuck", array);
	json_add_count(object, "stuck_missed", snapshot->requests_missed);
}

void json_start(const struct options *options, unsigned int by)
{
	json_object *object =
		json_start_object(mode_name(options->mode.chosen));
	char names[GROUPING_NAME_MAX];

	json_add_mode(object, &options->mode);
	grouping_name(by, names, sizeof(names));
	json_add_text(object, "by", names);
	json_add_number(object, "interval_s", options->interval_s);
	json_print_line(object);
	output_flush();
}

void json_show(const struct snapshot *snapshot, const struct options *options,
	       const struct order *order, size_t oldest)
{
	json_object *object = json_object_new_object();
	json_object *rows = json_object_new_array();
	struct view view;

	view_make(&view, snapshot, &options->filter, order, SPAN_INTERVAL);
	for (size_t i = 0; i < view.row_count; i++)
		json_object_array_add(rows, row(view.rows[i]));

	json_add_text(object, "type", "snapshot");
	json_add_time(object, &snapshot->time, 3);
	json_add_number(object, "since_start_s", snapshot->since_start_s);
	json_add_number(object, "interval_s", snapshot->interval_s);
	json_add(object, "last", json_object_new_boolean(snapshot->is_last));
	json_add_count(object, "lost_events", snapshot->lost_events);
	json_add_count(object, "not_joined", snapshot->not_joined);
	json_add(object, "rows", rows);
	json_add(object, "sum", numbers(&view.sum, json_object_new_object()));
	if (oldest)
		add_oldest(object, snapshot, &options->filter, oldest);
	view_free(&view);
	json_print_line(object);
	output_flush();
}
