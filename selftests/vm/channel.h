/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What supervise.c (host) and agent.c (guest) say to each other over one
 * virtio-serial port. One ordered stream of frames carries everything, so the
 * exit status can never overtake the last byte of output.
 */
#ifndef MADRETRY_VM_CHANNEL_H
#define MADRETRY_VM_CHANNEL_H

#include <stdint.h>

/* The port's name: /sys/class/virtio-ports/<port>/name in the guest. */
#define CHANNEL_PORT "madretry"

/* Both ends are the same machine, so integers travel in its byte order. */
struct frame_head {
	uint32_t type;	/* enum frame_type */
	uint32_t len;	/* bytes of payload that follow */
};

enum frame_type {
	/* host to guest */
	FRAME_JOB = 1,	/* struct job, then tagged strings (enum job_tag) */
	FRAME_INPUT,	/* bytes typed at the terminal */
	FRAME_WINSIZE,	/* struct window */
	FRAME_EXPIRED,	/* time is up: tell what hangs */
	/* guest to host */
	FRAME_STARTED,	/* no payload: the command is about to run */
	FRAME_STDOUT,	/* bytes */
	FRAME_STDERR,	/* bytes */
	FRAME_STATUS,	/* struct status; nothing follows */
};

struct window {
	uint16_t rows;
	uint16_t cols;
};

struct job {
	uint32_t tty;	/* 1: run the command on a terminal of its own */
	struct window window;
};

/* First byte of each NUL-terminated string of a FRAME_JOB. */
enum job_tag {
	JOB_CWD = 'd',
	JOB_KEEP = 'k',		/* folder that a fresh tmpfs must not hide */
	JOB_ENV = 'e',
	JOB_ARG = 'a',
};

/* Bits of status.reports: who in the kernel reported something. */
enum report {
	REPORT_LOCKDEP = 1 << 0,
	REPORT_LEAK = 1 << 1,	/* kmemleak */
	REPORT_LOG = 1 << 2,	/* RCU or preemption: only the log has it */
};

struct status {
	int32_t code;		/* exit status, 128 + signal when killed */
	uint32_t reports;	/* enum report */
	uint64_t taint;		/* /proc/sys/kernel/tainted at the end */
};

#define CHANNEL_CHUNK 65536

#endif
