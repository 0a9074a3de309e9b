/* SPDX-License-Identifier: GPL-2.0 */
/* "sastorm client": sends requests and counts what becomes of them. */
#ifndef SASTORM_CLIENT_H
#define SASTORM_CLIENT_H

#include <stddef.h>
#include <stdint.h>

#include "client_options.h"

enum outcome {
	OUTCOME_OUTSTANDING,	/* at the end of a run: unfinished */
	OUTCOME_GOOD,
	OUTCOME_BUSY,		/* a BUSY answer was delivered */
	OUTCOME_OTHER_STATUS,
	OUTCOME_TIMEOUT,
	OUTCOME_SENT,		/* posted with T = 0: no answer expected */
	OUTCOME_SEND_ERROR,	/* umad did not take it */
	OUTCOMES,
};

struct request {
	uint64_t posted_ns;
	uint64_t taken_ns;	/* from post to completion */
	uint16_t status;	/* of the answer, host byte order */
	uint8_t outcome;	/* enum outcome */
};

struct client_results {
	struct request *requests;	/* in order of posting */
	size_t posted;			/* also those that umad did not take */
	uint64_t counts[OUTCOMES];
	uint64_t unexpected;		/* MADs that no request waited for */
	uint64_t rmpp_answers;
	uint64_t rmpp_bytes;
	uint64_t rmpp_corrupt;
	bool knows_packets;		/* does the driver count them? */
	uint64_t packets_sent;		/* by the port meanwhile */
	uint64_t first_ns;		/* first post and last completion */
	uint64_t last_ns;
};

int client_main(int argc, char **argv);

/* Print the results, in the format asked for, to stdout. */
void client_report(const struct client_options *options,
		   const struct client_results *results);

#endif
