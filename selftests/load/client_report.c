// SPDX-License-Identifier: GPL-2.0
/* Prints what the client counted, in one of three formats. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "client.h"
#include "clock.h"
#include "cmdline.h"
#include "latency.h"
#include "mad_names.h"
#include "report.h"

#define NAME_BYTES	48

/* Requests whose time counts: those that were waited for until they ended. */
static const struct {
	enum outcome outcome;
	const char *key;
	const char *name;
} measured[] = {
	{ OUTCOME_GOOD, "good", "good" },
	{ OUTCOME_BUSY, "busy", "BUSY" },
	{ OUTCOME_OTHER_STATUS, "other_status", "other status" },
	{ OUTCOME_TIMEOUT, "timeout", "time-out" },
};

#define MEASURED	(sizeof(measured) / sizeof(*measured))

static uint64_t elapsed_us(const struct client_results *results)
{
	if (results->last_ns < results->first_ns)
		return 0;
	return (results->last_ns - results->first_ns) / NS_PER_US;
}

static uint64_t completed(const struct client_results *results)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < MEASURED; i++)
		sum += results->counts[measured[i].outcome];
	return sum;
}

static double per_second(const struct client_results *results, uint64_t count)
{
	uint64_t us = elapsed_us(results);

	return us ? (double)count * 1e6 / (double)us : 0;
}

static struct latency latency_by_outcome(const struct client_results *results,
					 enum outcome outcome)
{
	uint64_t *times_us = calloc(results->posted + 1, sizeof(*times_us));
	struct latency latency;
	size_t count = 0, i;

	if (!times_us)
		fail_running("out of memory");
	for (i = 0; i < results->posted; i++) {
		if (results->requests[i].outcome == outcome)
			times_us[count++] = results->requests[i].taken_ns /
					    NS_PER_US;
	}
	latency = latency_of(times_us, count);
	free(times_us);
	return latency;
}

static struct json_object *latency_json(const struct client_results *results)
{
	struct json_object *all = json_object_new_object();
	size_t i;

	for (i = 0; i < MEASURED; i++) {
		struct latency latency = latency_by_outcome(results,
							    measured[i].outcome);
		struct json_object *one = json_object_new_object();

		report_add(one, "count", latency.count);
		report_add(one, "p50", latency.p50);
		report_add(one, "p90", latency.p90);
		report_add(one, "p99", latency.p99);
		report_add(one, "max", latency.max);
		json_object_object_add(all, measured[i].key, one);
	}
	return all;
}

/* Answers whose status is neither good nor BUSY, by status. */
static struct json_object *statuses_json(const struct client_results *results)
{
	struct json_object *statuses = json_object_new_object();
	char key[8];
	size_t i;

	for (i = 0; i < results->posted; i++) {
		const struct request *request = &results->requests[i];
		struct json_object *count;

		if (request->outcome != OUTCOME_OTHER_STATUS)
			continue;
		snprintf(key, sizeof(key), "0x%04x", request->status);
		if (json_object_object_get_ex(statuses, key, &count))
			json_object_int_inc(count, 1);
		else
			report_add(statuses, key, 1);
	}
	return statuses;
}

static struct json_object *attributes_json(const struct client_options *options)
{
	struct json_object *names = json_object_new_array();
	char name[NAME_BYTES];
	unsigned int i;

	for (i = 0; i < options->attribute_count; i++) {
		attribute_name(options->registration.mgmt_class,
			       options->attributes[i], name, sizeof(name));
		json_object_array_add(names, json_object_new_string(name));
	}
	return names;
}

static void add_asked(struct json_object *report,
		      const struct client_options *options)
{
	const struct mad_registration *registration = &options->registration;
	char name[NAME_BYTES];

	report_add_text(report, "role", "client");
	report_add_text(report, "device", registration->device);
	report_add(report, "port", (uint64_t)registration->port);
	report_add(report, "class", registration->mgmt_class);
	report_add_text(report, "method",
			method_name(registration->mgmt_class, options->method,
				    name, sizeof(name)));
	json_object_object_add(report, "attributes", attributes_json(options));
	json_object_object_add(report, "timeout_ms",
			       json_object_new_int(options->timeout_ms));
	json_object_object_add(report, "max_retries",
			       json_object_new_int(options->retries));
	report_add(report, "outstanding", options->outstanding);
	report_add(report, "agents", options->agents);
}

static void report_object(const struct client_options *options,
			  const struct client_results *results)
{
	struct json_object *report = json_object_new_object();
	const uint64_t *counts = results->counts;

	add_asked(report, options);
	report_add(report, "requests", results->posted);
	report_add(report, "good", counts[OUTCOME_GOOD]);
	report_add(report, "busy", counts[OUTCOME_BUSY]);
	report_add(report, "other_status", counts[OUTCOME_OTHER_STATUS]);
	report_add(report, "timeout", counts[OUTCOME_TIMEOUT]);
	report_add(report, "sent", counts[OUTCOME_SENT]);
	report_add(report, "send_errors", counts[OUTCOME_SEND_ERROR]);
	report_add(report, "unfinished", counts[OUTCOME_OUTSTANDING]);
	report_add(report, "unexpected", results->unexpected);
	json_object_object_add(report, "statuses", statuses_json(results));
	report_add(report, "rmpp_answers", results->rmpp_answers);
	report_add(report, "rmpp_bytes", results->rmpp_bytes);
	report_add(report, "rmpp_corrupt", results->rmpp_corrupt);
	json_object_object_add(report, "packets_sent",
			       results->knows_packets ?
			       json_object_new_uint64(results->packets_sent) :
			       NULL);
	report_add(report, "elapsed_us", elapsed_us(results));
	report_add_real(report, "completed_per_second",
			per_second(results, completed(results)));
	report_add_real(report, "good_per_second",
			per_second(results, counts[OUTCOME_GOOD]));
	json_object_object_add(report, "latency_us", latency_json(results));
	report_print(report, options->format);
}

static void print_latency(const struct client_results *results)
{
	size_t i;

	printf("  %-14s %10s %10s %10s %10s %10s\n", "outcome", "requests",
	       "p50 us", "p90 us", "p99 us", "max us");
	for (i = 0; i < MEASURED; i++) {
		struct latency latency = latency_by_outcome(results,
							    measured[i].outcome);

		if (latency.count)
			printf("  %-14s %10zu %10" PRIu64 " %10" PRIu64
			       " %10" PRIu64 " %10" PRIu64 "\n",
			       measured[i].name, latency.count, latency.p50,
			       latency.p90, latency.p99, latency.max);
	}
}

static void print_if_any(const char *what, uint64_t count)
{
	if (count)
		printf("  %-14s %10" PRIu64 "\n", what, count);
}

static void report_text(const struct client_options *options,
			const struct client_results *results)
{
	const struct mad_registration *registration = &options->registration;
	char name[NAME_BYTES];

	printf("client on %s port %d, class 0x%02x, %s, T %d ms, R %d, %u outstanding, %u agent%s\n",
	       registration->device, registration->port,
	       registration->mgmt_class,
	       method_name(registration->mgmt_class, options->method, name,
			   sizeof(name)),
	       options->timeout_ms, options->retries, options->outstanding,
	       options->agents, options->agents == 1 ? "" : "s");
	printf("requests: %zu in %.3f s, %.0f completed and %.0f good per second\n",
	       results->posted, (double)elapsed_us(results) / 1e6,
	       per_second(results, completed(results)),
	       per_second(results, results->counts[OUTCOME_GOOD]));
	print_latency(results);
	print_if_any("sent", results->counts[OUTCOME_SENT]);
	print_if_any("send errors", results->counts[OUTCOME_SEND_ERROR]);
	print_if_any("unfinished", results->counts[OUTCOME_OUTSTANDING]);
	print_if_any("unexpected", results->unexpected);
	if (results->rmpp_answers)
		printf("RMPP: %" PRIu64 " answers, %" PRIu64 " bytes, %" PRIu64
		       " corrupt\n", results->rmpp_answers,
		       results->rmpp_bytes, results->rmpp_corrupt);
	/* umad does not tell how often it sent a request; the port may. */
	if (results->knows_packets)
		printf("packets sent by the port meanwhile: %" PRIu64 "\n",
		       results->packets_sent);
}

void client_report(const struct client_options *options,
		   const struct client_results *results)
{
	if (options->format != REPORT_TEXT)
		report_object(options, results);
	else
		report_text(options, results);
}
