/* SPDX-License-Identifier: GPL-2.0 */
/* The server's log: one line for each arrival. */
#ifndef SASTORM_ARRIVAL_LOG_H
#define SASTORM_ARRIVAL_LOG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <infiniband/umad_types.h>

#include "answers.h"

/* NULL for @path is no log; fail_input() if the file cannot be written. */
FILE *arrival_log_open(const char *path);

/*
 * @answer was decided on for @attempt of @request, which arrived at @now_ns;
 * it leaves at @due_ns. @full: because the queue was full.
 */
void arrival_log_write(FILE *log, uint64_t now_ns,
		       const struct umad_hdr *request, unsigned int attempt,
		       const struct answer *answer, bool full, uint64_t due_ns);

#endif
