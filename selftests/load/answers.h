/* SPDX-License-Identifier: GPL-2.0 */
/* What the server does with a request: pure decisions, no input or output. */
#ifndef SASTORM_ANSWERS_H
#define SASTORM_ANSWERS_H

#include <stdbool.h>
#include <stdint.h>

enum answer_kind {
	ANSWER_GOOD,
	ANSWER_BUSY,
	ANSWER_NOTHING,
	ANSWER_STATUS,		/* an answer with some other MAD status */
};

struct answer {
	enum answer_kind kind;
	uint16_t status;	/* MAD status, host byte order */
	uint32_t delay_ms;
};

/* One item of a script: @answer to @times attempts in a row. */
struct answer_step {
	struct answer answer;
	unsigned int times;
};

#define SCRIPT_STEPS_MAX	64
#define DELAY_MS_MAX		3600000

/*
 * With a script, attempt k of each request gets the k-th answer, and the last
 * answer repeats for ever. Without, the answer is drawn: BUSY and nothing with
 * their probabilities, good with what is left of 1.
 */
struct answer_policy {
	struct answer_step script[SCRIPT_STEPS_MAX];
	unsigned int script_steps;
	double busy;
	double nothing;
	uint32_t delay_min_ms;	/* of every answer, besides the script's own */
	uint32_t delay_max_ms;
	uint64_t seed;
};

/*
 * The answer to @attempt (1 for the first) of the request with this TID. A
 * function of its arguments alone, so what was decided does not depend on the
 * order of arrival. Of the TID only the low half counts: the kernel of the
 * client makes up the high half.
 */
struct answer answer_decide(const struct answer_policy *policy, uint64_t tid,
			    unsigned int attempt);

/* Read a script such as "busy*2,good" or fail_input(). */
void answer_script_parse(const char *option, char *text,
			 struct answer_policy *policy);

/* Read "MS" or "MIN-MAX" or fail_input(). */
void answer_delay_parse(const char *option, char *text,
			struct answer_policy *policy);

#endif
