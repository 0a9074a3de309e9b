/* SPDX-License-Identifier: GPL-2.0 */
/* What the reports of both roles share. */
#ifndef SASTORM_REPORT_H
#define SASTORM_REPORT_H

#include <stdint.h>

#include <json-c/json.h>

enum report_format {
	REPORT_TEXT,		/* for people */
	REPORT_JSON,		/* one object on one line */
	REPORT_FIELDS,		/* the same, a line of "key value" for each */
};

void report_add(struct json_object *report, const char *key, uint64_t value);
void report_add_real(struct json_object *report, const char *key, double value);
void report_add_text(struct json_object *report, const char *key,
		     const char *text);

/* Print @report to stdout as JSON or fields, and free it. */
void report_print(struct json_object *report, enum report_format format);

#endif
