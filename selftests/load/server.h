/* SPDX-License-Identifier: GPL-2.0 */
/* "sastorm server": answers requests and counts them. */
#ifndef SASTORM_SERVER_H
#define SASTORM_SERVER_H

#include <stdint.h>

#include "seen.h"
#include "server_options.h"

/*
 * Every arrival ends in exactly one of: good, busy, other_status, dropped,
 * full_busy, full_dropped, refused, send_errors, or still pending at the end.
 */
struct server_counters {
	uint64_t arrivals;
	uint64_t first_attempts;
	uint64_t retries;
	uint64_t good;
	uint64_t busy;
	uint64_t other_status;
	uint64_t dropped;	/* no answer, as decided */
	uint64_t full_busy;	/* BUSY because the queue was full */
	uint64_t full_dropped;	/* no answer because the queue was full */
	uint64_t refused;	/* by umad: still sending the answer before */
	uint64_t send_errors;
	uint64_t pending;	/* not yet answered when the server ended */
	uint64_t rmpp_answers;	/* of the good ones, those in RMPP */
	uint64_t rmpp_timeouts;	/* of those, never acknowledged in full */
	uint64_t ignored;	/* MADs that are no requests */
	uint64_t first_ns;	/* time of the first and the last arrival */
	uint64_t last_ns;
};

int server_main(int argc, char **argv);

/* Print what was counted, in the format asked for, to stdout. */
void server_report(const struct server_options *options,
		   const struct server_counters *counters,
		   const struct seen *seen);

#endif
