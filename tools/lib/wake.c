// SPDX-License-Identifier: GPL-2.0
/* Waiting for whatever comes first: time, a key, a signal, a closed pipe. */
#include "wake.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "message.h"

static int signals = -1;

void wake_setup(void)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGQUIT);
	sigaddset(&set, SIGWINCH);
	sigprocmask(SIG_BLOCK, &set, NULL);
	signals = signalfd(-1, &set, SFD_CLOEXEC);
	if (signals < 0)
		fail_environment("cannot wait for signals: %s",
				 strerror(errno));
}

static enum wake read_signal(void)
{
	struct signalfd_siginfo info;

	if (read(signals, &info, sizeof(info)) == sizeof(info) &&
	    info.ssi_signo == SIGWINCH)
		return WAKE_RESIZE;
	return WAKE_STOP;
}

/* What is left until the deadline, 0 if it is over */
static struct timespec time_left(const struct timespec *deadline)
{
	struct timespec left, now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	left.tv_sec = deadline->tv_sec - now.tv_sec;
	left.tv_nsec = deadline->tv_nsec - now.tv_nsec;
	if (left.tv_nsec < 0) {
		left.tv_sec--;
		left.tv_nsec += 1000000000;
	}
	if (left.tv_sec < 0)
		left = (struct timespec){ 0 };
	return left;
}

enum wake wake_wait(const struct timespec *deadline, int input)
{
	struct pollfd files[] = {
		{ .fd = signals, .events = POLLIN },
		{ .fd = input, .events = POLLIN },
		{ .fd = STDOUT_FILENO },	/* for POLLERR */
	};

	for (;;) {
		struct timespec left = time_left(deadline);
		int ready = ppoll(files, 3, &left, NULL);

		if (!ready)
			return WAKE_TIME;
		if (ready < 0)
			continue;	/* stopped and continued (Ctrl-Z) */
		if (files[0].revents)
			return read_signal();
		if (files[2].revents)
			return WAKE_OUTPUT_CLOSED;
		return WAKE_INPUT;
	}
}

struct timespec wake_later(const struct timespec *time, double seconds)
{
	struct timespec later = *time;

	later.tv_sec += (time_t)seconds;
	later.tv_nsec += (long)((seconds - (double)(time_t)seconds) * 1e9);
	if (later.tv_nsec >= 1000000000) {
		later.tv_sec++;
		later.tv_nsec -= 1000000000;
	}
	return later;
}
