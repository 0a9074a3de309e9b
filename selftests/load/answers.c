// SPDX-License-Identifier: GPL-2.0
/* What the server does with a request: pure decisions, no input or output. */
#include "answers.h"

#include <stdlib.h>
#include <string.h>

#include <infiniband/umad_types.h>

#include "cmdline.h"
#include "random.h"

#define TIMES_MAX	1000000

/* What a number is drawn for: two draws for one attempt must not be alike. */
enum draw {
	DRAW_ANSWER = 1,
	DRAW_DELAY = 2,
};

static uint64_t draw(const struct answer_policy *policy, uint64_t tid,
		     unsigned int attempt, enum draw purpose)
{
	uint64_t bits = random_mix(policy->seed ^ (uint64_t)purpose << 56);

	bits = random_mix(bits ^ (tid & UINT32_MAX));
	return random_mix(bits ^ attempt);
}

static struct answer draw_answer(const struct answer_policy *policy,
				 uint64_t tid, unsigned int attempt)
{
	double point = random_fraction(draw(policy, tid, attempt, DRAW_ANSWER));

	if (point < policy->busy)
		return (struct answer) { .kind = ANSWER_BUSY,
					 .status = UMAD_STATUS_BUSY };
	if (point < policy->busy + policy->nothing)
		return (struct answer) { .kind = ANSWER_NOTHING };
	return (struct answer) { .kind = ANSWER_GOOD };
}

static struct answer scripted_answer(const struct answer_policy *policy,
				     unsigned int attempt)
{
	const struct answer_step *step = policy->script;
	const struct answer_step *last = step + policy->script_steps - 1;

	while (step < last && attempt > step->times) {
		attempt -= step->times;
		step++;
	}
	return step->answer;
}

struct answer answer_decide(const struct answer_policy *policy, uint64_t tid,
			    unsigned int attempt)
{
	uint32_t span = policy->delay_max_ms - policy->delay_min_ms + 1;
	struct answer answer;

	if (policy->script_steps)
		answer = scripted_answer(policy, attempt);
	else
		answer = draw_answer(policy, tid, attempt);

	answer.delay_ms += policy->delay_min_ms;
	answer.delay_ms += draw(policy, tid, attempt, DRAW_DELAY) % span;
	return answer;
}

/* Cut @text at @separator and return what follows it, or NULL. */
static char *cut_at(char *text, char separator)
{
	char *found = strchr(text, separator);

	if (found)
		*found++ = '\0';
	return found;
}

static struct answer parse_answer(const char *option, const char *text)
{
	struct answer answer = { .kind = ANSWER_STATUS };

	if (!strcmp(text, "good"))
		return (struct answer) { .kind = ANSWER_GOOD };
	if (!strcmp(text, "busy"))
		return (struct answer) { .kind = ANSWER_BUSY,
					 .status = UMAD_STATUS_BUSY };
	if (!strcmp(text, "drop"))
		return (struct answer) { .kind = ANSWER_NOTHING };
	if (strncmp(text, "0x", 2))
		fail_input("%s: '%s' is none of good, busy, drop and a MAD status such as 0x000c",
			   option, text);

	answer.status = (uint16_t)parse_integer(option, text, 0, UINT16_MAX);
	if (answer.status & UMAD_STATUS_BUSY)
		answer.kind = ANSWER_BUSY;
	else if (!answer.status)
		answer.kind = ANSWER_GOOD;
	return answer;
}

void answer_script_parse(const char *option, char *text,
			 struct answer_policy *policy)
{
	char *item, *rest = text;

	while ((item = strsep(&rest, ","))) {
		struct answer_step *step = policy->script +
					   policy->script_steps;
		char *delay, *times;

		if (policy->script_steps == SCRIPT_STEPS_MAX)
			fail_input("%s: more than %d items", option,
				   SCRIPT_STEPS_MAX);
		delay = cut_at(item, '@');
		times = cut_at(item, '*');
		step->answer = parse_answer(option, item);
		step->times = 1;
		if (times)
			step->times = (unsigned int)parse_integer(option, times,
								  1, TIMES_MAX);
		if (delay)
			step->answer.delay_ms =
				(uint32_t)parse_integer(option, delay, 0,
							DELAY_MS_MAX);
		policy->script_steps++;
	}
}

void answer_delay_parse(const char *option, char *text,
			struct answer_policy *policy)
{
	char *max = cut_at(text, '-');

	policy->delay_min_ms = (uint32_t)parse_integer(option, text, 0,
						       DELAY_MS_MAX);
	policy->delay_max_ms = policy->delay_min_ms;
	if (max)
		policy->delay_max_ms =
			(uint32_t)parse_integer(option, max,
						policy->delay_min_ms,
						DELAY_MS_MAX);
}
