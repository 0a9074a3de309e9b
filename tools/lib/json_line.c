// SPDX-License-Identifier: GPL-2.0
/* JSON Lines: one object a line. */
#include "json_line.h"

#include <errno.h>
#include <stdio.h>

#include "message.h"

void json_add(json_object *object, const char *key, json_object *value)
{
	if (json_object_object_add(object, key, value))
		fail_environment("out of memory");
}

void json_add_count(json_object *object, const char *key, __u64 value)
{
	json_add(object, key, json_object_new_uint64(value));
}

void json_add_text(json_object *object, const char *key, const char *value)
{
	json_add(object, key, json_object_new_string(value));
}

void json_add_number(json_object *object, const char *key, double value)
{
	json_add(object, key, json_object_new_double(value));
}

void json_add_time(json_object *object, const struct timespec *time,
		   int digits)
{
	char second[32], fraction[16], text[64];
	struct tm utc;

	gmtime_r(&time->tv_sec, &utc);
	strftime(second, sizeof(second), "%Y-%m-%dT%H:%M:%S", &utc);
	snprintf(fraction, sizeof(fraction), "%09ld", time->tv_nsec);
	snprintf(text, sizeof(text), "%s.%.*sZ", second, digits, fraction);
	json_add_text(object, "time", text);
}

json_object *json_start_object(const char *mode)
{
	json_object *object = json_object_new_object();
	struct timespec now;

	/* Times and percentiles to the thousandth */
	json_c_set_serialization_double_format("%.3f", JSON_C_OPTION_GLOBAL);
	clock_gettime(CLOCK_REALTIME, &now);
	json_add_text(object, "type", "start");
	json_add_time(object, &now, 3);
	json_add_text(object, "tool", program_invocation_short_name);
	json_add_text(object, "version", MADRETRY_VERSION);
	json_add_text(object, "mode", mode);
	return object;
}

void json_add_mode(json_object *object, const struct mode_choice *choice)
{
	const char *reason = mode_reason(choice);
	const char *limits = mode_limits(choice->chosen);

	json_add(object, "mode_reason",
		 reason ? json_object_new_string(reason) : NULL);
	json_add(object, "mode_limits",
		 limits ? json_object_new_string(limits) : NULL);
	json_add(object, "waits_inferred",
		 json_object_new_boolean(mode_infers_waits(choice->chosen)));
}

void json_print_line(json_object *object)
{
	puts(json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN |
					    JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(object);
}
