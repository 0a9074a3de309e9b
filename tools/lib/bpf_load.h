/* SPDX-License-Identifier: GPL-2.0 */
/* Loading BPF programs, and what to say when the kernel refuses. */
#ifndef MR_BPF_LOAD_H
#define MR_BPF_LOAD_H

#include <errno.h>
#include <stdbool.h>

#include <bpf/bpf.h>
#include <bpf/skel_internal.h>

/* For a skeleton's load function, whatever its type */
typedef int bpf_load_function(void *skeleton);

/*
 * Call @load for @skeleton, whose context is @ctx. If @verbose, what the kernel
 * says about the programs goes to stderr. Ends the program with a message if
 * it fails.
 */
void bpf_load(struct bpf_loader_ctx *ctx, bpf_load_function *load,
	      void *skeleton, bool verbose);

/* End the program: the kernel did not let it @what, as in "map the buffer" */
_Noreturn void bpf_refused(const char *what, int error, bool verbose);

#endif
