/* SPDX-License-Identifier: GPL-2.0 */
/* The kernel's trace events, as tracefs describes them. */
#ifndef MR_TRACE_EVENT_H
#define MR_TRACE_EVENT_H

#include <stdbool.h>
#include <stddef.h>

#include "madretry.h"

/* Where tracefs is mounted, NULL if nowhere */
const char *tracefs(void);

/* The number of an event, "SYSTEM/NAME", for perf_event_open(); -1: none */
int trace_event_id(const char *event);

/* Where a field is in the event's record; false if it has no such field */
bool trace_event_field(const char *event, const char *name,
		       struct mr_field *field);

#endif
