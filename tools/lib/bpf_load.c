// SPDX-License-Identifier: GPL-2.0
/* Loading BPF programs, and what to say when the kernel refuses. */
#include "bpf_load.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

/* For what the kernel has to say about the programs */
#define TEXT_SIZE (1 << 20)

_Noreturn void bpf_refused(const char *what, int error, bool verbose)
{
	const char *hint = verbose ? "" : "; -v shows what the kernel says";

	if (error == -EPERM)
		fail_environment("the kernel forbids to %s; run as root, outside of a container",
				 what);
	fail_environment("cannot %s: %s%s", what, strerror(-error), hint);
}

void bpf_load(struct bpf_loader_ctx *ctx, bpf_load_function *load,
	      void *skeleton, bool verbose)
{
	char *text = verbose ? allocate(TEXT_SIZE, 1) : NULL;
	int error;

	if (text) {
		ctx->log_level = 1;
		ctx->log_size = TEXT_SIZE;
		ctx->log_buf = (uintptr_t)text;
	}
	error = load(skeleton);
	if (text)
		fputs(text, stderr);
	free(text);
	if (error)
		bpf_refused("load the BPF programs", error, verbose);
}
