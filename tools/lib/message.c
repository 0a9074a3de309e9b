// SPDX-License-Identifier: GPL-2.0
/* Messages of the tools: one line on stderr, and the exit status. */
#include "message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void (*prepare_for_message)(void);

void message_prepare_with(void (*prepare)(void))
{
	prepare_for_message = prepare;
}

static void print_line(const char *format, va_list args)
{
	if (prepare_for_message)
		prepare_for_message();
	fprintf(stderr, "%s: ", program_invocation_short_name);
	vfprintf(stderr, format, args);
	fputc('\n', stderr);
}

void message(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_line(format, args);
	va_end(args);
}

void fail_usage(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_line(format, args);
	va_end(args);
	exit(EXIT_USAGE);
}

void fail_environment(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	print_line(format, args);
	va_end(args);
	exit(EXIT_ENVIRONMENT);
}

void *allocate(size_t count, size_t size)
{
	void *memory = calloc(count ? count : 1, size);

	if (!memory)
		fail_environment("out of memory");
	return memory;
}

char *duplicate(const char *text)
{
	char *copy = strdup(text);

	if (!copy)
		fail_environment("out of memory");
	return copy;
}
