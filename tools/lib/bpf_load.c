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

void bpf_why(char *why, size_t size, const char *what, int error)
{
	switch (-error) {
	case EPERM:
		snprintf(why, size,
			 "the kernel forbids to %s; run as root, outside of a container",
			 what);
		break;
	case EBUSY:
		snprintf(why, size,
			 "cannot %s: a function of ib_core is taken, by a live patch perhaps",
			 what);
		break;
	default:
		snprintf(why, size, "cannot %s: %s; -v shows what the kernel says",
			 what, strerror(-error));
	}
}

_Noreturn void bpf_refused(const char *what, int error)
{
	char why[256];

	bpf_why(why, sizeof(why), what, error);
	fail_environment("%s", why);
}

int bpf_try_load(struct bpf_loader_ctx *ctx, bpf_load_function *load,
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
	return error;
}

void bpf_load(struct bpf_loader_ctx *ctx, bpf_load_function *load,
	      void *skeleton, bool verbose)
{
	int error = bpf_try_load(ctx, load, skeleton, verbose);

	if (error)
		bpf_refused("load the BPF programs", error);
}
