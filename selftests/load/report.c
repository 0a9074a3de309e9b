// SPDX-License-Identifier: GPL-2.0
/* What the reports of both roles share. */
#include "report.h"

#include <stdio.h>

#define KEY_BYTES	128

void report_add(struct json_object *report, const char *key, uint64_t value)
{
	json_object_object_add(report, key, json_object_new_uint64(value));
}

void report_add_real(struct json_object *report, const char *key, double value)
{
	json_object_object_add(report, key, json_object_new_double(value));
}

void report_add_text(struct json_object *report, const char *key,
		     const char *text)
{
	json_object_object_add(report, key, json_object_new_string(text));
}

/* Keys of nested objects are joined by dots; an array is one value. */
static void print_fields(struct json_object *report, const char *prefix)
{
	json_object_object_foreach(report, key, value) {
		char full_key[KEY_BYTES];

		snprintf(full_key, sizeof(full_key), "%s%s", prefix, key);
		if (json_object_is_type(value, json_type_object)) {
			snprintf(full_key, sizeof(full_key), "%s%s.", prefix,
				 key);
			print_fields(value, full_key);
		} else {
			printf("%s %s\n", full_key,
			       json_object_get_string(value));
		}
	}
}

void report_print(struct json_object *report, enum report_format format)
{
	if (format == REPORT_FIELDS)
		print_fields(report, "");
	else
		puts(json_object_to_json_string_ext(report,
						    JSON_C_TO_STRING_PLAIN));
	json_object_put(report);
}
