/* SPDX-License-Identifier: GPL-2.0 */
/* The ways in which the tools can see MADs, best first, and which is used. */
#ifndef MR_MODE_H
#define MR_MODE_H

#include <stdbool.h>
#include <stddef.h>

enum trace_mode {
	MODE_AUTO,		/* the best that works */
	MODE_EVENTS,		/* madretry's trace events */
	MODE_FENTRY,		/* the functions of ib_core */
	MODE_KPROBE,		/* kprobes and the stock trace events */
	MODES
};

#define WHY_MAX 256

struct mode_choice {
	enum trace_mode wanted;
	enum trace_mode chosen;
	char why_not[MODES][WHY_MAX];	/* of those that were tried before it */
};

const char *mode_name(enum trace_mode mode);

/* MODES if there is none of this name */
enum trace_mode mode_from_text(const char *text);

/* "auto, events, ...", for a message */
const char *mode_names(void);

/* What the numbers of this mode lack, in one line; NULL if nothing */
const char *mode_limits(enum trace_mode mode);

/* Are the waits of retries concluded from the times of sends? */
bool mode_infers_waits(enum trace_mode mode);

/* Why the mode is not a better one; NULL if there is no reason to tell */
const char *mode_reason(const struct mode_choice *choice);

/* "Mode NAME: ..." on stdout: reason and limits, for the head of a text */
void mode_print(const struct mode_choice *choice);

/*
 * Begin to trace in @mode. If the kernel refuses, clean up, say so in @why,
 * and return false.
 */
typedef bool mode_start(enum trace_mode mode, void *context, char *why, size_t size);

/*
 * Start in the mode that is wanted, or else the best that this kernel can do.
 * Fills in the rest of @choice. Ends the program with a message if there is
 * none; @verbose: with one for each mode that was tried in vain.
 */
void mode_choose(struct mode_choice *choice, mode_start *start, void *context,
		 bool verbose);

#endif
