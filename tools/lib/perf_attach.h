/* SPDX-License-Identifier: GPL-2.0 */
/* Attach BPF programs to classic trace events and to kprobes. */
#ifndef MR_PERF_ATTACH_H
#define MR_PERF_ATTACH_H

#include <stdbool.h>

/* Has the kernel kprobes that a program can be attached to? */
bool perf_has_kprobes(void);

/*
 * These return a file that keeps the program attached until it is closed, or a
 * negative errno.
 */
int perf_attach_event(int program, const char *event);
int perf_attach_kprobe(int program, const char *function, bool at_return);

#endif
