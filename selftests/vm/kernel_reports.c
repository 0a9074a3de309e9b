// SPDX-License-Identifier: GPL-2.0
/*
 * Asks the guest's kernel for what it has found wrong with itself.
 *
 *   taint      /proc/sys/kernel/tainted: WARNING, KASAN, bad page, soft lockup,
 *              debug objects, sleeping in atomic context
 *   lockdep    switches itself off after its first report
 *   kmemleak   its list of unreferenced objects
 *   log        the two checks that leave no other trace than a message:
 *              suspicious RCU usage (lockdep_rcu_suspicious()) and per-CPU data
 *              used in preemptible code (check_preemption_disabled())
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel_reports.h"
#include "read_text.h"

#define KMEMLEAK "/sys/kernel/debug/kmemleak"
#define KMEMLEAK_AGE_S 6	/* it leaves out what is younger than 5 s */
#define NO_SCAN "kmemleak has given up; see the kernel's log\n"
#define DEBUG_LOCKS "debug_locks:"	/* a line of /proc/lockdep_stats */
#define KMSG_RECORD 8192	/* as long as a record of /dev/kmsg may be */
#define KMSG_FACILITY(prefix) ((prefix) >> 3)	/* 0: the kernel itself */

static int kmsg = -1;

void kernel_reports_begin(void)
{
	kmsg = open("/dev/kmsg", O_RDONLY | O_CLOEXEC | O_NONBLOCK);
}

static uint64_t taint(void)
{
	char text[32];

	if (read_text("/proc/sys/kernel/tainted", text, sizeof(text)))
		return 0;
	return strtoull(text, NULL, 10);
}

static int lockdep_is_off(void)
{
	char text[4096], *field;

	if (read_text("/proc/lockdep_stats", text, sizeof(text)))
		return 0;
	field = strstr(text, DEBUG_LOCKS);
	return field && !strtoul(field + strlen(DEBUG_LOCKS), NULL, 10);
}

/* A record: "PREFIX,SEQUENCE,TIME,FLAGS;message" */
static int is_report(const char *record)
{
	static const char * const reports[] = {
		"WARNING: suspicious RCU usage",
		"BUG: using ",
	};
	const char *message = strchr(record, ';');

	if (!message || KMSG_FACILITY(strtoul(record, NULL, 10)))
		return 0;
	for (size_t i = 0; i < sizeof(reports) / sizeof(reports[0]); i++)
		if (!strncmp(message + 1, reports[i], strlen(reports[i])))
			return 1;
	return 0;
}

static int log_has_report(void)
{
	static char record[KMSG_RECORD + 1];
	int found = 0;
	ssize_t n;

	if (kmsg < 0)
		return 0;
	/* EPIPE: the kernel has overwritten what we had not read. */
	while ((n = read(kmsg, record, KMSG_RECORD)) > 0 ||
	       (n < 0 && (errno == EPIPE || errno == EINTR))) {
		if (n < 0)
			continue;
		record[n] = '\0';
		found |= is_report(record);
	}
	return found;
}

/* Twice: a pointer that moves meanwhile can be missed by one scan. */
static int scan_for_leaks(int fd)
{
	sleep(KMEMLEAK_AGE_S);
	return write(fd, "scan", 4) == 4 && write(fd, "scan", 4) == 4;
}

static int leaks(void (*show)(const char *text, size_t len))
{
	char text[4096];
	int fd = open(KMEMLEAK, O_RDWR | O_CLOEXEC), found = 0;
	ssize_t n;

	if (fd < 0)
		return 0;
	if (!scan_for_leaks(fd)) {
		/* It gives up for good when it has no memory for its own records. */
		show(NO_SCAN, strlen(NO_SCAN));
		found = 1;
	}
	while ((n = read(fd, text, sizeof(text))) > 0) {
		show(text, n);
		found = 1;
	}
	close(fd);
	return found;
}

void kernel_reports_collect(struct status *status,
			    void (*show)(const char *text, size_t len))
{
	/* First: the work that follows may be what finds the next fault. */
	if (leaks(show))
		status->reports |= REPORT_LEAK;
	status->taint = taint();
	if (lockdep_is_off())
		status->reports |= REPORT_LOCKDEP;
	if (log_has_report())
		status->reports |= REPORT_LOG;
}
