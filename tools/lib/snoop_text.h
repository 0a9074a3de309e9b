/* SPDX-License-Identifier: GPL-2.0 */
/* Events of MAD requests as lines of text. */
#ifndef MR_SNOOP_TEXT_H
#define MR_SNOOP_TEXT_H

#include <time.h>

#include "log.h"

void snoop_text_head(void);

/* @time: of the event, CLOCK_REALTIME */
void snoop_text_show(const struct mr_log_record *record,
		     const struct timespec *time);

#endif
