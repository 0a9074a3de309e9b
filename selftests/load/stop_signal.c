// SPDX-License-Identifier: GPL-2.0
/* Ends a run on SIGINT, SIGTERM or SIGHUP, without losing what was counted. */
#include "stop_signal.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>

#include "clock.h"
#include "cmdline.h"

static const int stop_signals[] = { SIGINT, SIGTERM, SIGHUP };

static volatile sig_atomic_t seen;
static sigset_t mask_while_polling;

static void note(int signal)
{
	(void)signal;
	seen = 1;
}

void stop_signal_setup(void)
{
	struct sigaction action = { .sa_handler = note };
	sigset_t blocked;
	size_t i;

	sigemptyset(&blocked);
	for (i = 0; i < sizeof(stop_signals) / sizeof(*stop_signals); i++) {
		sigaddset(&blocked, stop_signals[i]);
		/* Also undoes "ignore", which shells set for "command &". */
		sigaction(stop_signals[i], &action, NULL);
	}
	sigprocmask(SIG_BLOCK, &blocked, &mask_while_polling);
	for (i = 0; i < sizeof(stop_signals) / sizeof(*stop_signals); i++)
		sigdelset(&mask_while_polling, stop_signals[i]);
}

bool stop_signal_seen(void)
{
	return seen;
}

void stop_signal_poll(struct pollfd *fds, nfds_t count, uint64_t until_ns)
{
	uint64_t now_ns = clock_ns();
	struct timespec left;

	left = ns_to_timespec(until_ns > now_ns ? until_ns - now_ns : 0);
	if (ppoll(fds, count, until_ns == UINT64_MAX ? NULL : &left,
		  &mask_while_polling) < 0 && errno != EINTR)
		fail_running("cannot wait for MADs: %m");
}
