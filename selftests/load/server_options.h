/* SPDX-License-Identifier: GPL-2.0 */
/* The command line of "sastorm server". */
#ifndef SASTORM_SERVER_OPTIONS_H
#define SASTORM_SERVER_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "answers.h"
#include "mad_port.h"
#include "report.h"
#include "service_queue.h"

struct server_options {
	struct mad_registration registration;
	struct answer_policy policy;
	struct service_queue queue;
	bool full_is_busy;		/* a full queue: BUSY, or nothing */
	unsigned int segments;		/* 0: never answer in RMPP */
	int rmpp_timeout_ms;
	int rmpp_retries;
	uint64_t requests;		/* stop after so many; 0: do not */
	uint64_t idle_ns;		/* stop when idle so long; 0: do not */
	unsigned int remember;
	const char *log_path;
	const char *pid_path;
	enum report_format format;
};

/* Read the command line or fail_input(). */
void server_options_read(struct server_options *options, int argc, char **argv);

#endif
