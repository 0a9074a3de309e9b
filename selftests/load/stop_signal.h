/* SPDX-License-Identifier: GPL-2.0 */
/* Ends a run on SIGINT, SIGTERM or SIGHUP, without losing what was counted. */
#ifndef SASTORM_STOP_SIGNAL_H
#define SASTORM_STOP_SIGNAL_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

/* From here on these signals only interrupt stop_signal_poll(). */
void stop_signal_setup(void);

bool stop_signal_seen(void);

/*
 * ppoll() until @until_ns (clock_ns() time, UINT64_MAX for ever) in which the
 * signals are let through. fail_running() if polling is impossible.
 */
void stop_signal_poll(struct pollfd *fds, nfds_t count, uint64_t until_ns);

#endif
