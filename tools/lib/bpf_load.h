/* SPDX-License-Identifier: GPL-2.0 */
/* Loading BPF programs, and what to say when the kernel refuses. */
#ifndef MR_BPF_LOAD_H
#define MR_BPF_LOAD_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

#include <bpf/bpf.h>
#include <bpf/skel_internal.h>

/* For a skeleton's load function, whatever its type */
typedef int bpf_load_function(void *skeleton);

/*
 * Call @load for @skeleton, whose context is @ctx. If @verbose, what the kernel
 * says about the programs goes to stderr. Returns 0 or a negative errno.
 */
int bpf_try_load(struct bpf_loader_ctx *ctx, bpf_load_function *load,
		 void *skeleton, bool verbose);

/* The same, but ends the program with a message if it fails */
void bpf_load(struct bpf_loader_ctx *ctx, bpf_load_function *load,
	      void *skeleton, bool verbose);

/* Why the kernel did not let us @what, as in "map the buffer", in one line */
void bpf_why(char *why, size_t size, const char *what, int error);

/* End the program with that */
_Noreturn void bpf_refused(const char *what, int error);

#endif
