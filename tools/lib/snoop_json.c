// SPDX-License-Identifier: GPL-2.0
/* Events of MAD requests as JSON. */
#include "snoop_json.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "json_line.h"
#include "names.h"
#include "outcome.h"

/* null for what this kernel does not tell */
static void add_integer(json_object *object, const char *key, __s64 value)
{
	json_add(object, key, value == MR_UNKNOWN ? NULL :
		 json_object_new_int64(value));
}

static void add_flag(json_object *object, const char *key, bool value)
{
	json_add(object, key, json_object_new_boolean(value));
}

/* JSON numbers have 53 bits in many programs, a TID has 64 */
static void add_tid(json_object *object, __u64 tid)
{
	char text[24];

	snprintf(text, sizeof(text), "0x%016llx", tid);
	json_add_text(object, "tid", text);
}

static void add_gid(json_object *object, const __u8 *gid)
{
	static const __u8 none[16];
	char text[INET6_ADDRSTRLEN];

	inet_ntop(AF_INET6, gid, text, sizeof(text));
	json_add(object, "dgid", memcmp(gid, none, sizeof(none)) ?
		 json_object_new_string(text) : NULL);
}

static void add_request(json_object *object,
			const struct mr_log_record *record)
{
	__u8 mgmt_class = record->mgmt_class;
	char text[ATTRIBUTE_NAME_MAX];

	json_add_text(object, "device", record->device);
	json_add_count(object, "device_index", record->dev_index);
	json_add_count(object, "port", record->port);
	json_add_count(object, "class", mgmt_class);
	class_name(mgmt_class, text, sizeof(text));
	json_add_text(object, "class_name", text);
	json_add_count(object, "method", record->method);
	method_name(mgmt_class, record->method, text, sizeof(text));
	json_add_text(object, "method_name", text);
	json_add_count(object, "attribute", record->attr_id);
	attribute_name(mgmt_class, record->attr_id, text, sizeof(text));
	json_add_text(object, "attribute_name", text);
	json_add_count(object, "attribute_modifier", record->attr_mod);
	add_tid(object, record->tid);
	json_add_count(object, "dlid", record->dlid);
	add_gid(object, record->dgid);
}

static void add_post(json_object *object, const struct mr_post *post)
{
	add_integer(object, "timeout_ms", post->timeout_ms);
	add_integer(object, "retries", post->retries);
	add_integer(object, "total_ms", post->total_ms);
}

static void add_retry(json_object *object, const struct mr_retry *retry)
{
	json_add_count(object, "retry", retry->retry);
	json_add_count(object, "backoff_step", retry->backoff_step);
	add_integer(object, "retries_left", retry->retries_left);
	add_integer(object, "waited_ms", retry->waited_ms);
	add_integer(object, "wait_ms", retry->wait_ms);
	json_add_count(object, "rand_ms", retry->rand_ms);
	add_integer(object, "budget_left_ms", retry->budget_left_ms);
	json_add_count(object, "busy_drops", retry->busy_drops);
	json_add_text(object, "cause", retry_cause_name(retry->cause));
	add_flag(object, "inferred", retry->inferred);
}

static void add_busy(json_object *object, const struct mr_busy *busy)
{
	add_flag(object, "dropped", busy->dropped);
	json_add_count(object, "retry", busy->retry);
	json_add_count(object, "retry_in_ms", busy->retry_in_ms);
	json_add_count(object, "busy_drops", busy->busy_drops);
	json_add_count(object, "mad_status", busy->mad_status);
}

static void add_timeout(json_object *object, const struct mr_timeout *timeout)
{
	json_add_count(object, "sends", timeout->sends);
	add_integer(object, "total_ms", timeout->total_ms);
	json_add_count(object, "busy_drops", timeout->busy_drops);
	json_add_text(object, "cause", timeout_cause_name(timeout->cause));
}

static void add_done(json_object *object, const struct mr_done *done)
{
	json_add_text(object, "status", wc_status_name(done->status));
	json_add_count(object, "mad_status", done->mad_status);
	json_add_count(object, "sends", done->sends);
	json_add_count(object, "busy_drops", done->busy_drops);
	add_integer(object, "duration_us", done->duration_us);
}

static void add_reset(json_object *object, const struct mr_reset *reset)
{
	json_add_count(object, "retry", reset->retry);
	json_add_count(object, "backoff_step", reset->backoff_step);
	add_integer(object, "wait_ms", reset->wait_ms);
	json_add_text(object, "cause", reset_cause_name(reset->cause));
}

void snoop_json_show(const struct mr_log_record *record,
		     const struct timespec *time)
{
	json_object *object = json_object_new_object();

	json_add_text(object, "type", "event");
	json_add_time(object, time, 6);
	json_add_count(object, "monotonic_us", record->time_ns / 1000);
	json_add_text(object, "event", log_event_name(record->event));
	add_request(object, record);
	switch (record->event) {
	case MR_LOG_POST:
		add_post(object, &record->post);
		break;
	case MR_LOG_RETRY:
		add_retry(object, &record->retry);
		break;
	case MR_LOG_BUSY:
		add_busy(object, &record->busy);
		break;
	case MR_LOG_TIMEOUT:
		add_timeout(object, &record->timeout);
		break;
	case MR_LOG_DONE:
		add_done(object, &record->done);
		break;
	case MR_LOG_RESET:
		add_reset(object, &record->reset);
		break;
	}
	json_print_line(object);
}
