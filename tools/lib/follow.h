/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The whole life of a request, once one of its events turns out to be of
 * interest: what was recorded of it before is kept until then.
 */
#ifndef MR_FOLLOW_H
#define MR_FOLLOW_H

#include <stdbool.h>
#include <stddef.h>

#include "log.h"

/* Outstanding requests, and records kept of them, together: about 4 MB */
#define FOLLOW_MAX_ENTRIES 16384

struct follow;

/* @handler gets the records of the requests to follow, request by request */
struct follow *follow_start(size_t max_entries, log_handler *handler,
			    void *context);

/* A record, and whether it is of interest by itself */
void follow_record(struct follow *follow, const struct mr_log_record *record,
		   bool interesting);

/* Requests that were forgotten, because there were too many at a time */
__u64 follow_forgotten(const struct follow *follow);

void follow_free(struct follow *follow);

#endif
