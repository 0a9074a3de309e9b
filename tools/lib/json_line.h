/* SPDX-License-Identifier: GPL-2.0 */
/* JSON Lines: one object a line. Running out of memory ends the program. */
#ifndef MR_JSON_LINE_H
#define MR_JSON_LINE_H

#include <time.h>

#include <json-c/json.h>
#include <linux/types.h>

#include "mode.h"

void json_add(json_object *object, const char *key, json_object *value);
void json_add_count(json_object *object, const char *key, __u64 value);
void json_add_text(json_object *object, const char *key, const char *value);
void json_add_number(json_object *object, const char *key, double value);

/* "time", in UTC, with so many digits after the second, at most 9 */
void json_add_time(json_object *object, const struct timespec *time,
		   int digits);

/*
 * The first line of every tool that writes JSON: type "start", when it began
 * to listen, the tool and the version, and how it sees what happens.
 */
json_object *json_start_object(const char *mode);

/* More about the mode: why it is not a better one, and what it lacks */
void json_add_mode(json_object *object, const struct mode_choice *choice);

/* Frees @object. The line is on its way after the next output_flush() */
void json_print_line(json_object *object);

#endif
