/* SPDX-License-Identifier: GPL-2.0 */
/* Messages of the tools: one line on stderr, and the exit status. */
#ifndef MR_MESSAGE_H
#define MR_MESSAGE_H

#include <stddef.h>

enum exit_status {
	EXIT_ENVIRONMENT = 1,	/* what the tool needs is not there */
	EXIT_USAGE = 2,		/* the command line has to be changed */
};

/* What has to be done before a message can be seen, such as leaving a screen */
void message_prepare_with(void (*prepare)(void));

void message(const char *format, ...) __attribute__((format(printf, 1, 2)));

_Noreturn void fail_usage(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

_Noreturn void fail_environment(const char *format, ...)
	__attribute__((format(printf, 1, 2)));

/* malloc() and strdup() that end the program when memory is used up */
void *allocate(size_t count, size_t size);
char *duplicate(const char *text);

#endif
