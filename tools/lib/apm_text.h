/* SPDX-License-Identifier: GPL-2.0 */
/* Path migration as lines of text. */
#ifndef MR_APM_TEXT_H
#define MR_APM_TEXT_H

#include <time.h>

#include "apm_conn.h"

void apm_text_head(void);

/* @time: of the step, CLOCK_REALTIME */
void apm_text_step(const struct apm_step *step, const struct timespec *time);

/* Each connection with its timeline, as of @now_ns on CLOCK_MONOTONIC */
void apm_text_summary(struct apm_conn *const *conns, size_t count,
		      __u64 now_ns);

#endif
