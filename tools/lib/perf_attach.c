// SPDX-License-Identifier: GPL-2.0
/* Attach BPF programs to classic trace events and to kprobes. */
#include "perf_attach.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <linux/perf_event.h>

#include "trace_event.h"

#define KPROBE "/sys/bus/event_source/devices/kprobe/"

static int read_number(const char *path, const char *format)
{
	FILE *file = fopen(path, "re");
	int number = -1;

	if (!file)
		return -1;
	if (fscanf(file, format, &number) != 1)
		number = -1;
	fclose(file);
	return number;
}

static int attach(int program, struct perf_event_attr *attr)
{
	int file, error;

	attr->size = sizeof(*attr);
	/* One processor is named, but the program runs on all of them */
	file = (int)syscall(SYS_perf_event_open, attr, -1, 0, -1,
			    PERF_FLAG_FD_CLOEXEC);
	if (file < 0)
		return -errno;
	if (!ioctl(file, PERF_EVENT_IOC_SET_BPF, program) &&
	    !ioctl(file, PERF_EVENT_IOC_ENABLE, 0))
		return file;
	error = -errno;
	close(file);
	return error;
}

int perf_attach_event(int program, const char *event)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.sample_period = 1,
		.wakeup_events = 1,
	};
	int id = trace_event_id(event);

	if (id < 0)
		return -ENOENT;
	attr.config = (uint64_t)id;
	return attach(program, &attr);
}

bool perf_has_kprobes(void)
{
	return read_number(KPROBE "type", "%d") >= 0;
}

int perf_attach_kprobe(int program, const char *function, bool at_return)
{
	int return_bit = read_number(KPROBE "format/retprobe", "config:%d");
	int type = read_number(KPROBE "type", "%d");
	struct perf_event_attr attr = {
		.kprobe_func = (uintptr_t)function,
	};

	if (type < 0 || return_bit < 0)
		return -ENOENT;
	attr.type = (uint32_t)type;
	if (at_return)
		attr.config = 1ULL << return_bit;
	return attach(program, &attr);
}
