// SPDX-License-Identifier: GPL-2.0
/* Standard output, which may be closed, full, or a pipe that ends. */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "message.h"

static void keep_place(int fd)
{
	if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", O_RDWR) != fd)
		exit(EXIT_ENVIRONMENT);
}

void output_check(void)
{
	keep_place(STDIN_FILENO);
	if (fcntl(STDOUT_FILENO, F_GETFD) < 0)
		fail_environment("standard output is closed");
	keep_place(STDERR_FILENO);
	/* Then writing fails with EPIPE, and output_flush() sees it */
	signal(SIGPIPE, SIG_IGN);
}

void output_flush(void)
{
	if (!fflush(stdout) && !ferror(stdout))
		return;
	if (errno == EPIPE)
		output_closed();
	fail_environment("cannot write to standard output: %s",
			 strerror(errno));
}

void output_closed(void)
{
	_exit(EXIT_SUCCESS); /* not exit(): it would write the rest */
}
