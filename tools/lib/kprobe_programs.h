/* SPDX-License-Identifier: GPL-2.0 */
/* What the programs of kprobe.bpf.h need, whatever their back. */
#ifndef MR_KPROBE_PROGRAMS_H
#define MR_KPROBE_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>

#include "madretry.h"

/* False if the trace events are not there, or lack a field */
bool kprobe_events_find(struct mr_send_event *send, struct mr_recv_event *recv);

/* The programs and where their links go */
struct kprobe_program {
	const char *target;	/* function, or SYSTEM/EVENT */
	bool at_return;
	int program;
	int *link;
};

/* Returns 0 or a negative errno; in the order given */
int kprobe_programs_attach(const struct kprobe_program *programs, size_t count);

/*
 * For any skeleton of these programs. They are attached in this order: nothing
 * may be followed before it is seen to end.
 */
#define KPROBE_PROGRAM(bpf, name, where, returns) {			\
	.target = (where), .at_return = (returns),			\
	.program = (bpf)->progs.name.prog_fd,				\
	.link = &(bpf)->links.name##_fd,				\
}

#define KPROBE_PROGRAMS_ATTACH(bpf) kprobe_programs_attach(		\
	(const struct kprobe_program[]){				\
		KPROBE_PROGRAM(bpf, mr_timer, "timeout_sends", false),	\
		KPROBE_PROGRAM(bpf, mr_timer_end, "timeout_sends", true), \
		KPROBE_PROGRAM(bpf, mr_free, "ib_free_send_mad", false), \
		KPROBE_PROGRAM(bpf, mr_response,			\
			       "ib_mad/ib_mad_recv_done_handler", false), \
		KPROBE_PROGRAM(bpf, mr_post_end, "ib_post_send_mad", true), \
		KPROBE_PROGRAM(bpf, mr_post, "ib_post_send_mad", false), \
		KPROBE_PROGRAM(bpf, mr_send,				\
			       "ib_mad/ib_mad_ib_send_mad", false),	\
		KPROBE_PROGRAM(bpf, mr_send_late,			\
			       "ib_mad/ib_mad_send_done_resend", false), \
	}, 8)

#endif
