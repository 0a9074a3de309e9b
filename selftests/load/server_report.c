// SPDX-License-Identifier: GPL-2.0
/* Prints what the server counted, in one of three formats. */
#include <inttypes.h>
#include <stdio.h>

#include "clock.h"
#include "report.h"
#include "server.h"

static uint64_t elapsed_us(const struct server_counters *counters)
{
	return (counters->last_ns - counters->first_ns) / NS_PER_US;
}

/* Requests by the number of attempts that were seen of each. */
static struct json_object *attempts_json(const struct seen *seen)
{
	struct json_object *attempts = json_object_new_object();
	char key[8];
	unsigned int k;

	for (k = 1; k <= SEEN_ATTEMPTS_MAX; k++) {
		if (!seen->by_attempts[k])
			continue;
		snprintf(key, sizeof(key), "%u", k);
		report_add(attempts, key, seen->by_attempts[k]);
	}
	return attempts;
}

static void report_object(const struct server_options *options,
			  const struct server_counters *counters,
			const struct seen *seen)
{
	const struct mad_registration *registration = &options->registration;
	struct json_object *report = json_object_new_object();

	report_add_text(report, "role", "server");
	report_add_text(report, "device", registration->device);
	report_add(report, "port", (uint64_t)registration->port);
	report_add(report, "class", registration->mgmt_class);
	report_add(report, "seed", options->policy.seed);
	report_add(report, "arrivals", counters->arrivals);
	report_add(report, "first_attempts", counters->first_attempts);
	report_add(report, "retries", counters->retries);
	report_add(report, "good", counters->good);
	report_add(report, "busy", counters->busy);
	report_add(report, "other_status", counters->other_status);
	report_add(report, "dropped", counters->dropped);
	report_add(report, "full_busy", counters->full_busy);
	report_add(report, "full_dropped", counters->full_dropped);
	report_add(report, "refused", counters->refused);
	report_add(report, "send_errors", counters->send_errors);
	report_add(report, "pending", counters->pending);
	report_add(report, "rmpp_answers", counters->rmpp_answers);
	report_add(report, "rmpp_timeouts", counters->rmpp_timeouts);
	report_add(report, "ignored", counters->ignored);
	report_add(report, "forgotten", seen->forgotten);
	report_add(report, "longest_queue", options->queue.longest);
	report_add(report, "elapsed_us", elapsed_us(counters));
	json_object_object_add(report, "attempts", attempts_json(seen));
	report_print(report, options->format);
}

static void print_if_any(const char *what, uint64_t count)
{
	if (count)
		printf("  %-14s %10" PRIu64 "\n", what, count);
}

static void print_attempts(const struct seen *seen)
{
	unsigned int k;

	printf("requests seen k times:");
	for (k = 1; k <= SEEN_ATTEMPTS_MAX; k++) {
		if (seen->by_attempts[k])
			printf(" %u%s:%" PRIu64, k,
			       k == SEEN_ATTEMPTS_MAX ? "+" : "",
			       seen->by_attempts[k]);
	}
	putchar('\n');
}

static void report_text(const struct server_options *options,
			const struct server_counters *counters,
			const struct seen *seen)
{
	const struct mad_registration *registration = &options->registration;

	printf("server on %s port %d, class 0x%02x, seed %" PRIu64 "\n",
	       registration->device, registration->port,
	       registration->mgmt_class, options->policy.seed);
	printf("arrivals: %" PRIu64 ", first attempts %" PRIu64
	       ", retries %" PRIu64 ", in %.3f s\n", counters->arrivals,
	       counters->first_attempts, counters->retries,
	       (double)elapsed_us(counters) / 1e6);
	print_if_any("good", counters->good);
	print_if_any("BUSY", counters->busy);
	print_if_any("other status", counters->other_status);
	print_if_any("dropped", counters->dropped);
	print_if_any("full: BUSY", counters->full_busy);
	print_if_any("full: dropped", counters->full_dropped);
	print_if_any("refused", counters->refused);
	print_if_any("send errors", counters->send_errors);
	print_if_any("pending", counters->pending);
	if (counters->rmpp_answers)
		printf("RMPP: %" PRIu64 " of the good answers, %" PRIu64
		       " not acknowledged\n", counters->rmpp_answers,
		       counters->rmpp_timeouts);
	if (counters->ignored)
		printf("not requests: %" PRIu64 "\n", counters->ignored);
	if (seen->forgotten)
		printf("forgotten, so that their retries would count as first attempts: %" PRIu64 "\n",
		       seen->forgotten);
	if (options->queue.service_ns)
		printf("longest queue: %u of %u\n", options->queue.longest,
		       options->queue.length);
	print_attempts(seen);
}

void server_report(const struct server_options *options,
		   const struct server_counters *counters,
		   const struct seen *seen)
{
	if (options->format != REPORT_TEXT)
		report_object(options, counters, seen);
	else
		report_text(options, counters, seen);
}
