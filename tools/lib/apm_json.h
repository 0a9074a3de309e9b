/* SPDX-License-Identifier: GPL-2.0 */
/* Path migration as JSON, one object a line. The man page lists the fields. */
#ifndef MR_APM_JSON_H
#define MR_APM_JSON_H

#include <time.h>

#include "apm_conn.h"

/* An object of type "step"; @time: CLOCK_REALTIME */
void apm_json_step(const struct apm_step *step, const struct timespec *time);

/* An object of type "connection" for each, as of @now_ns on CLOCK_MONOTONIC */
void apm_json_summary(struct apm_conn *const *conns, size_t count,
		      __u64 now_ns);

#endif
