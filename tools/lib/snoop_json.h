/* SPDX-License-Identifier: GPL-2.0 */
/* Events of MAD requests as JSON. The man page lists the fields. */
#ifndef MR_SNOOP_JSON_H
#define MR_SNOOP_JSON_H

#include <time.h>

#include "log.h"

/* An object of type "event"; @time: CLOCK_REALTIME */
void snoop_json_show(const struct mr_log_record *record,
		     const struct timespec *time);

#endif
