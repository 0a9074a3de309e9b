/* SPDX-License-Identifier: GPL-2.0 */
/* Waiting for whatever comes first: time, a key, a signal, a closed pipe. */
#ifndef MR_WAKE_H
#define MR_WAKE_H

#include <time.h>

enum wake {
	WAKE_TIME,		/* the deadline is reached */
	WAKE_STOP,		/* SIGINT, SIGTERM, SIGHUP or SIGQUIT */
	WAKE_RESIZE,		/* SIGWINCH */
	WAKE_INPUT,		/* there is something to read, or an end */
	WAKE_OUTPUT_CLOSED,	/* nobody reads standard output */
};

/* From now on these signals are noticed by wake_wait() only */
void wake_setup(void);

/*
 * Wait until @deadline on CLOCK_MONOTONIC. @input is a file to read from,
 * negative if there is none.
 */
enum wake wake_wait(const struct timespec *deadline, int input);

/* @time plus so many seconds */
struct timespec wake_later(const struct timespec *time, double seconds);

#endif
