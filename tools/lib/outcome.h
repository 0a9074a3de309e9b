/* SPDX-License-Identifier: GPL-2.0 */
/* Why something happened to a request, and how it ended, in words. */
#ifndef MR_OUTCOME_H
#define MR_OUTCOME_H

#include <stddef.h>

#include <linux/types.h>

/* "post", "retry", ... for enum mr_log_event */
const char *log_event_name(unsigned int event);

/* For the enums in madretry.h: in one word, as the trace events name them */
const char *retry_cause_name(unsigned int cause);
const char *timeout_cause_name(unsigned int cause);
const char *reset_cause_name(unsigned int cause);

/* The same for people: "retries used up" */
const char *timeout_cause_text(unsigned int cause);

/* enum ib_wc_status as the kernel calls it: "SUCCESS", "RESP_TIMEOUT_ERR" */
const char *wc_status_name(unsigned int status);

/* A completion for people: "ok", "timed out", "0x0300 No Records" */
void outcome_text(__u8 mgmt_class, unsigned int wc_status, __u16 mad_status,
		  char *buffer, size_t size);

#endif
