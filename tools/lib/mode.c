// SPDX-License-Identifier: GPL-2.0
/* The ways in which the tools can see MADs, best first, and which is used. */
#include "mode.h"

#include <stdio.h>
#include <string.h>

#include "message.h"
#include "probe.h"

static const struct {
	const char *name;
	const char *limits;
} modes[MODES] = {
	[MODE_AUTO] = { "auto", NULL },
	[MODE_EVENTS] = { "events", NULL },
	[MODE_FENTRY] = {
		"fentry",
		"waits are inferred from the times between sends; backoff resets are not seen",
	},
	[MODE_KPROBE] = {
		"kprobe",
		"waits are inferred from the times between sends; not seen: backoff resets, SMPs answered locally, what was posted before the start, time-outs of requests that found the send queue full; an RMPP response counts from its first segment",
	},
};

const char *mode_name(enum trace_mode mode)
{
	return modes[mode].name;
}

enum trace_mode mode_from_text(const char *text)
{
	enum trace_mode mode = MODE_AUTO;

	while (mode < MODES && strcmp(text, modes[mode].name))
		mode++;
	return mode;
}

const char *mode_names(void)
{
	return "auto, events, fentry, kprobe";
}

const char *mode_limits(enum trace_mode mode)
{
	return modes[mode].limits;
}

bool mode_infers_waits(enum trace_mode mode)
{
	return mode == MODE_FENTRY || mode == MODE_KPROBE;
}

const char *mode_reason(const struct mode_choice *choice)
{
	if (choice->wanted != MODE_AUTO || choice->chosen <= MODE_EVENTS)
		return NULL;
	return choice->why_not[choice->chosen - 1];
}

void mode_print(const struct mode_choice *choice)
{
	const char *reason = mode_reason(choice);
	const char *limits = mode_limits(choice->chosen);

	printf("Mode %s", mode_name(choice->chosen));
	if (reason)
		printf(", as %s", reason);
	printf(".\n");
	if (limits)
		printf("In this mode %s.\n", limits);
}

static bool try_mode(struct mode_choice *choice, enum trace_mode mode,
		     mode_start *start, void *context, bool verbose)
{
	char *why = choice->why_not[mode];

	if (probe_mode(mode, why, WHY_MAX) &&
	    start(mode, context, why, WHY_MAX)) {
		choice->chosen = mode;
		return true;
	}
	if (verbose)
		message("not in mode %s: %s", mode_name(mode), why);
	return false;
}

void mode_choose(struct mode_choice *choice, mode_start *start, void *context,
		 bool verbose)
{
	enum trace_mode mode = choice->wanted;

	if (mode != MODE_AUTO) {
		if (!try_mode(choice, mode, start, context, false))
			fail_environment("cannot trace in mode %s: %s",
					 mode_name(mode),
					 choice->why_not[mode]);
		return;
	}
	for (mode = MODE_EVENTS; mode < MODES; mode++) {
		if (try_mode(choice, mode, start, context, verbose))
			return;
	}
	/* The last mode needs the least: what it lacks is what is wrong */
	fail_environment("%s", choice->why_not[MODES - 1]);
}
