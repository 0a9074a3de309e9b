// SPDX-License-Identifier: GPL-2.0
/*
 * Snapshots as text for Prometheus.
 *
 * The two formats differ in where "_total" and "_info" belong to the name, and
 * in what OpenMetrics has besides: units, and a line that ends it. A reader of
 * the older format takes these for comments, and a counter for a metric of
 * unknown type, so it is given its own.
 */
#include "exposition.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "histogram.h"
#include "message.h"

#define NAME_MAX_LENGTH	64
#define LABELS_MAX	512

struct exposition {
	FILE *text;
	enum exposition_format format;
	const struct snapshot *snapshot;
	const struct filter *filter;
};

enum metric_type { COUNTER, GAUGE, HISTOGRAM, INFO };

struct metric {
	const char *name;	/* without what its type puts at the end */
	enum metric_type type;
	const char *unit;	/* with which the name ends, or NULL */
	const char *help;
};

static const struct type_names {
	const char *openmetrics;
	const char *text;
	const char *suffix;
} types[] = {
	[COUNTER] = { "counter", "counter", "_total" },
	[GAUGE] = { "gauge", "gauge", "" },
	[HISTOGRAM] = { "histogram", "histogram", "" },
	[INFO] = { "info", "gauge", "_info" },
};

/* A counter of each row, or several told apart by a label */
struct counter {
	struct metric metric;
	const char *label;
	struct {
		const char *label_value;
		size_t offset;	/* in struct mr_counters */
	} parts[3];
	size_t part_count;
};

#define PART(value, field) { value, offsetof(struct mr_counters, field) }

static const struct counter counters[] = {
	{ { "madretry_requests", COUNTER, NULL, "Requests posted." },
	  NULL, { PART(NULL, requests) }, 1 },
	{ { "madretry_responses", COUNTER, NULL,
	    "Requests completed by a response, whatever its status." },
	  NULL, { PART(NULL, responses) }, 1 },
	{ { "madretry_retries", COUNTER, NULL,
	    "Sends of a request after its first, by why." },
	  "cause", { PART("timeout", retries[MR_RETRY_TIMEOUT]),
		     PART("busy", retries[MR_RETRY_BUSY]),
		     PART("rmpp", retries[MR_RETRY_RMPP]) }, 3 },
	{ { "madretry_busy_responses", COUNTER, NULL,
	    "BUSY responses: dropped because a retry was to come, or delivered to the one who asked." },
	  "outcome", { PART("dropped", busy_dropped),
		       PART("delivered", busy_delivered) }, 2 },
	{ { "madretry_timeouts", COUNTER, NULL,
	    "Requests given up without a response, by what was used up." },
	  "cause", { PART("retries", timeouts[MR_TIMEOUT_RETRIES]),
		     PART("budget", timeouts[MR_TIMEOUT_BUDGET]),
		     PART("not_sent", timeouts[MR_TIMEOUT_NOT_SENT]) }, 3 },
	{ { "madretry_cancelled_requests", COUNTER, NULL,
	    "Requests cancelled by the one who asked." },
	  NULL, { PART(NULL, cancelled) }, 1 },
	{ { "madretry_failed_requests", COUNTER, NULL,
	    "Requests that ended with an error other than a time-out." },
	  NULL, { PART(NULL, failed) }, 1 },
	{ { "madretry_backoff_resets", COUNTER, NULL,
	    "Backoffs that started over, by what the other side sent." },
	  "cause", { PART("mra", resets[MR_RESET_MRA]),
		     PART("rmpp_ack", resets[MR_RESET_RMPP_ACK]) }, 2 },
};

/*
 * Buckets of the same bounds in every series, or they could not be added up.
 * Response times from 63 us to 134 s, waits from 15 ms to 131 s: what lies
 * outside is counted in the first one, and in +Inf.
 */
#define RESPONSE_FIRST	5
#define RESPONSE_LAST	26
#define WAIT_FIRST	3
#define WAIT_LAST	16

static void begin(struct exposition *exposition, const struct metric *metric)
{
	const struct type_names *type = &types[metric->type];
	bool open = exposition->format == EXPOSITION_OPENMETRICS;
	const char *suffix = open ? "" : type->suffix;
	FILE *text = exposition->text;

	fprintf(text, "# TYPE %s%s %s\n", metric->name, suffix,
		open ? type->openmetrics : type->text);
	if (open && metric->unit)
		fprintf(text, "# UNIT %s %s\n", metric->name, metric->unit);
	fprintf(text, "# HELP %s%s %s\n", metric->name, suffix, metric->help);
}

static void print_escaped(FILE *text, const char *value)
{
	for (; *value; value++) {
		if (*value == '\n') {
			fputs("\\n", text);
			continue;
		}
		if (*value == '\\' || *value == '"')
			fputc('\\', text);
		fputc(*value, text);
	}
}

/* NAME, VALUE, ..., NULL: as text, of LABELS_MAX at most */
static const char *labels(char *buffer, ...)
{
	const char *name, *comma = "";
	FILE *text = fmemopen(buffer, LABELS_MAX, "w");
	va_list pairs;

	if (!text)
		fail_environment("out of memory");
	va_start(pairs, buffer);
	while ((name = va_arg(pairs, const char *))) {
		fprintf(text, "%s%s=\"", comma, name);
		print_escaped(text, va_arg(pairs, const char *));
		fputc('"', text);
		comma = ",";
	}
	va_end(pairs);
	fclose(text);
	return buffer;
}

static const char *row_labels(const struct snapshot_row *row, char *buffer)
{
	char port[16] = "";

	if (!row->is_other)
		snprintf(port, sizeof(port), "%u", row->key.port);
	return labels(buffer, "device", row->device, "port", port,
		      "class", row->class_name, "attribute", row->attribute,
		      NULL);
}

static const struct snapshot_row *next_row(const struct exposition *exposition,
					   const struct snapshot_row *row)
{
	const struct snapshot *snapshot = exposition->snapshot;
	const struct snapshot_row *end = snapshot->rows + snapshot->row_count;

	for (row = row ? row + 1 : snapshot->rows; row < end; row++) {
		if (filter_matches(exposition->filter, row))
			return row;
	}
	return NULL;
}

static void print_counter(struct exposition *exposition,
			  const struct counter *counter)
{
	const struct snapshot_row *row = NULL;
	char pairs[LABELS_MAX];

	begin(exposition, &counter->metric);
	while ((row = next_row(exposition, row))) {
		row_labels(row, pairs);
		for (size_t i = 0; i < counter->part_count; i++) {
			const char *at = (const char *)&row->total +
					 counter->parts[i].offset;

			fprintf(exposition->text, "%s_total{%s",
				counter->metric.name, pairs);
			if (counter->label)
				fprintf(exposition->text, ",%s=\"%s\"",
					counter->label,
					counter->parts[i].label_value);
			fprintf(exposition->text, "} %llu\n",
				*(const __u64 *)at);
		}
	}
}

static void print_outstanding(struct exposition *exposition)
{
	static const struct metric metric = {
		"madretry_outstanding_requests", GAUGE, NULL,
		"Requests posted since the start and not yet completed."
	};
	const struct snapshot_row *row = NULL;
	char pairs[LABELS_MAX];

	begin(exposition, &metric);
	while ((row = next_row(exposition, row)))
		fprintf(exposition->text, "%s{%s} %lld\n", metric.name,
			row_labels(row, pairs), row->total.outstanding);
}

/* One histogram of a metric */
struct histogram_series {
	const char *name;
	const char *labels;
	const __u64 *buckets;
	unsigned int first, last;	/* those with a bound of their own */
	unsigned int count;		/* of all */
	double per_second;		/* of the bounds' unit */
	int digits;			/* that it has after the second */
	__u64 sum;			/* in their unit */
};

static void print_histogram(FILE *text, const struct histogram_series *series)
{
	__u64 below = 0;

	for (unsigned int i = 0; i < series->count; i++) {
		below += series->buckets[i];
		if (i >= series->first && i <= series->last)
			fprintf(text, "%s_bucket{%s,le=\"%.*f\"} %llu\n",
				series->name, series->labels, series->digits,
				(double)bucket_to(i) / series->per_second,
				below);
	}
	fprintf(text, "%s_bucket{%s,le=\"+Inf\"} %llu\n", series->name,
		series->labels, below);
	fprintf(text, "%s_sum{%s} %.*f\n", series->name, series->labels,
		series->digits, (double)series->sum / series->per_second);
	fprintf(text, "%s_count{%s} %llu\n", series->name, series->labels,
		below);
}

static void print_response_times(struct exposition *exposition)
{
	static const struct metric metric = {
		"madretry_response_time_seconds", HISTOGRAM, "seconds",
		"Time from posting a request to its response, retries included."
	};
	const struct snapshot_row *row = NULL;
	char pairs[LABELS_MAX];

	begin(exposition, &metric);
	while ((row = next_row(exposition, row))) {
		struct histogram_series series = {
			.name = metric.name,
			.labels = row_labels(row, pairs),
			.buckets = row->total.response_us,
			.first = RESPONSE_FIRST,
			.last = RESPONSE_LAST,
			.count = MR_RESPONSE_BUCKETS,
			.per_second = 1e6,
			.digits = 6,
			.sum = row->total.response_sum_us,
		};

		print_histogram(exposition->text, &series);
	}
}

/* Waits of all rows of one class; the row (other) has a class of its own */
struct class_waits {
	const char *class_name;
	struct mr_backoff backoff;
};

static struct class_waits *find_class(struct class_waits *classes,
				      size_t *count, const char *name)
{
	for (size_t i = 0; i < *count; i++) {
		if (!strcmp(classes[i].class_name, name))
			return &classes[i];
	}
	classes[*count].class_name = name;
	return &classes[(*count)++];
}

static size_t add_up_waits(const struct exposition *exposition,
			   struct class_waits *classes)
{
	const struct snapshot_row *row = NULL;
	size_t count = 0;

	while ((row = next_row(exposition, row))) {
		if (row->backoff)
			backoff_add(&find_class(classes, &count,
						row->class_name)->backoff,
				    row->backoff);
	}
	return count;
}

static void print_class_waits(struct exposition *exposition, const char *name,
			      const struct class_waits *waits)
{
	char pairs[LABELS_MAX], retry[16];

	for (unsigned int i = 0; i < MR_BACKOFF_STEPS; i++) {
		struct histogram_series series = {
			.name = name,
			.labels = pairs,
			.buckets = waits->backoff.wait_ms[i],
			.first = WAIT_FIRST,
			.last = WAIT_LAST,
			.count = MR_WAIT_FOREVER,
			.per_second = 1e3,
			.digits = 3,
			.sum = waits->backoff.wait_sum_ms[i],
		};

		if (!histogram_count(series.buckets, series.count))
			continue;
		snprintf(retry, sizeof(retry), "%u%s", i + 1,
			 i + 1 == MR_BACKOFF_STEPS ? "+" : "");
		labels(pairs, "class", waits->class_name, "retry", retry,
		       NULL);
		print_histogram(exposition->text, &series);
	}
}

static void print_waits(struct exposition *exposition)
{
	static const struct metric metric = {
		"madretry_backoff_wait_seconds", HISTOGRAM, "seconds",
		"Waits that began with a retry, by its number since the backoff started; without those that last for ever."
	};
	struct class_waits *classes = allocate(exposition->snapshot->row_count,
					       sizeof(*classes));
	size_t count = add_up_waits(exposition, classes);

	begin(exposition, &metric);
	for (size_t i = 0; i < count; i++)
		print_class_waits(exposition, metric.name, &classes[i]);
	free(classes);
}

static void print_info(struct exposition *exposition, const char *mode)
{
	static const struct metric metric = {
		"madretry", INFO, NULL,
		"Version of the exporter, and how it sees requests."
	};
	char pairs[LABELS_MAX];

	begin(exposition, &metric);
	fprintf(exposition->text, "%s_info{%s} 1\n", metric.name,
		labels(pairs, "version", MADRETRY_VERSION, "mode", mode, NULL));
}

static void print_about_itself(struct exposition *exposition)
{
	static const struct metric time = {
		"madretry_counted_seconds", GAUGE, "seconds",
		"For how long requests have been counted."
	};
	static const struct metric lost = {
		"madretry_lost_events", COUNTER, NULL,
		"Events that could not be counted; if any, all numbers are too small."
	};

	begin(exposition, &time);
	fprintf(exposition->text, "%s %.3f\n", time.name,
		exposition->snapshot->since_start_s);
	begin(exposition, &lost);
	fprintf(exposition->text, "%s_total %llu\n", lost.name,
		exposition->snapshot->lost_events);
}

const char *exposition_content_type(enum exposition_format format)
{
	return format == EXPOSITION_OPENMETRICS ?
		"application/openmetrics-text; version=1.0.0; charset=utf-8" :
		"text/plain; version=0.0.4; charset=utf-8";
}

char *exposition_make(const struct snapshot *snapshot,
		      const struct filter *filter, const char *mode,
		      enum exposition_format format, size_t *length)
{
	char *content = NULL;
	struct exposition exposition = {
		.text = open_memstream(&content, length),
		.format = format,
		.snapshot = snapshot,
		.filter = filter,
	};

	if (!exposition.text)
		fail_environment("out of memory");
	print_info(&exposition, mode);
	print_about_itself(&exposition);
	for (size_t i = 0; i < sizeof(counters) / sizeof(counters[0]); i++)
		print_counter(&exposition, &counters[i]);
	print_outstanding(&exposition);
	print_response_times(&exposition);
	print_waits(&exposition);
	if (format == EXPOSITION_OPENMETRICS)
		fputs("# EOF\n", exposition.text);
	if (fclose(exposition.text))
		fail_environment("out of memory");
	return content;
}
