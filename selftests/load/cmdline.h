/* SPDX-License-Identifier: GPL-2.0 */
/* What both roles need to read their command lines. */
#ifndef SASTORM_CMDLINE_H
#define SASTORM_CMDLINE_H

#include <argp.h>

#define EXIT_BAD_INPUT	2

/*
 * Parse @argc, @argv with @argp for "PROGRAM ROLE", or "PROGRAM" if @role is
 * NULL. Does not return when the command line is wrong: one line on stderr,
 * exit status 2.
 */
void cmdline_parse(const struct argp *argp, const char *role, int argc,
		   char **argv, void *input);

/*
 * For the parser's ARGP_KEY_INIT. argp reports a bad option in two lines, the
 * second being advice to read the help. The first comes from getopt and goes
 * to stderr whatever we do; the second goes to the parser's error stream, and
 * is dropped.
 */
void cmdline_one_line_errors(struct argp_state *state);

/* One line on stderr, then exit status 2: wrong command line or surroundings. */
_Noreturn void fail_input(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/* One line on stderr, then exit status 1: it went wrong while running. */
_Noreturn void fail_running(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/* One line on stderr. */
void warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * The value of @option, out of its text. All of the text must be a number
 * between @min and @max, both included; otherwise fail_input().
 */
long long parse_integer(const char *option, const char *text, long long min,
			long long max);
double parse_real(const char *option, const char *text, double min, double max);

#endif
