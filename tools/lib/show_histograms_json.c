// SPDX-License-Identifier: GPL-2.0
/* Histograms as JSON, one object a line. The man page lists the fields. */
#include "show_histograms.h"

#include "histogram.h"
#include "json_line.h"
#include "output.h"

static json_object *buckets(const struct histogram *histogram)
{
	json_object *array = json_object_new_array();
	unsigned int last = histogram_kinds[histogram->kind].buckets - 1;

	for (unsigned int i = 0; i <= last; i++) {
		json_object *bucket;

		if (!histogram->buckets[i])
			continue;
		bucket = json_object_new_object();
		json_add_count(bucket, "from",
			       histogram_from(histogram->kind, i));
		/* The last bucket has no upper bound */
		json_add(bucket, "to", i == last ? NULL :
			 json_object_new_uint64(histogram_to(histogram->kind,
							     i)));
		json_add_count(bucket, "count", histogram->buckets[i]);
		json_object_array_add(array, bucket);
	}
	return array;
}

static json_object *one(const struct histogram *histogram)
{
	const struct histogram_kind_info *kind =
		&histogram_kinds[histogram->kind];
	json_object *object = json_object_new_object();

	json_add_text(object, "kind", kind->key);
	json_add_text(object, "unit", kind->unit);
	if (histogram->device[0])
		json_add_text(object, "device", histogram->device);
	if (histogram->port >= 0)
		json_add_count(object, "port", (__u64)histogram->port);
	if (histogram->class_name[0])
		json_add_text(object, "class_name", histogram->class_name);
	if (histogram->attribute[0])
		json_add_text(object, "attribute_name", histogram->attribute);
	if (histogram->retry)
		json_add_count(object, "retry", histogram->retry);
	if (histogram->outcome)
		json_add_text(object, "outcome", histogram->outcome);
	json_add_count(object, "count", histogram_total(histogram));
	if (histogram->kind == HISTOGRAM_WAIT)
		json_add_count(object, "for_ever", histogram->for_ever);
	if (kind->has_sum)
		json_add_count(object, "sum", histogram->sum);
	json_add(object, "buckets", buckets(histogram));
	return object;
}

static json_object *sum(const struct mr_counters *counters)
{
	json_object *object = json_object_new_object();

	json_add_count(object, "requests", counters->requests);
	json_add_count(object, "responses", counters->responses);
	json_add_count(object, "retries", counters_retries(counters));
	json_add_count(object, "timeouts", counters_timeouts(counters));
	return object;
}

void histograms_show_json(const struct histogram_report *report)
{
	const struct histograms *histograms = report->histograms;
	json_object *object = json_object_new_object();
	json_object *array = json_object_new_array();

	for (size_t i = 0; i < histograms->count; i++)
		json_object_array_add(array, one(&histograms->list[i]));
	json_add_text(object, "type", "histograms");
	json_add_time(object, &report->end, 3);
	json_add_number(object, "since_start_s", report->since_start_s);
	json_add_number(object, "interval_s", report->seconds);
	json_add(object, "last", json_object_new_boolean(report->is_last));
	json_add_count(object, "lost_events", report->lost_events);
	json_add(object, "sum", sum(&report->sum));
	json_add_count(object, "left_unknown", histograms->left_unknown);
	json_add(object, "histograms", array);
	json_print_line(object);
	output_flush();
}
