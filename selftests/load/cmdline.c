// SPDX-License-Identifier: GPL-2.0
/* What both roles need to read their command lines. */
#include "cmdline.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

static char program[64];

static void print_line(const char *format, va_list args)
{
	fprintf(stderr, "%s: ", *program ? program : program_invocation_short_name);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
}

void fail_input(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_line(format, args);
	va_end(args);
	exit(EXIT_BAD_INPUT);
}

void fail_running(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_line(format, args);
	va_end(args);
	exit(EXIT_FAILURE);
}

void warn(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_line(format, args);
	va_end(args);
}

void cmdline_one_line_errors(struct argp_state *state)
{
	state->err_stream = fopen("/dev/null", "w");
	if (!state->err_stream)
		fail_input("cannot open /dev/null: %m");
}

void cmdline_parse(const struct argp *argp, const char *role, int argc,
		   char **argv, void *input)
{
	snprintf(program, sizeof(program), "%s%s%s", program_invocation_short_name,
		 role ? " " : "", role ? role : "");
	argv[0] = program;
	argp_err_exit_status = EXIT_BAD_INPUT;
	if (argp_parse(argp, argc, argv, 0, NULL, input))
		fail_input("cannot read the command line");
}

long long parse_integer(const char *option, const char *text, long long min,
			long long max)
{
	long long value;
	char *end;

	errno = 0;
	value = strtoll(text, &end, 0);
	if (errno || end == text || *end || value < min || value > max)
		fail_input("%s: '%s' is not a whole number from %lld to %lld",
			   option, text, min, max);
	return value;
}

double parse_real(const char *option, const char *text, double min, double max)
{
	double value;
	char *end;

	errno = 0;
	value = strtod(text, &end);
	/* Written so that "nan" fails too. */
	if (errno || end == text || *end || !(value >= min && value <= max))
		fail_input("%s: '%s' is not a number from %g to %g", option,
			   text, min, max);
	return value;
}
