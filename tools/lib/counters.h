/* SPDX-License-Identifier: GPL-2.0 */
/* The BPF object that counts, whichever mode it is for. */
#ifndef MR_COUNTERS_H
#define MR_COUNTERS_H

#include <stdbool.h>
#include <stddef.h>

#include <linux/types.h>

#include "gather.h"
#include "mode.h"

struct counters {
	enum trace_mode mode;
	void *object;		/* the skeleton of that mode */

	int rows_fd;
	int backoffs_fd;
	int devices_fd;
	int destinations_fd;
	int clients_fd;
	int requests_fd;
	int completions_fd;
	const struct bpf_prog_desc *programs;
	size_t program_count;

	/* In group.bpf.h and track.bpf.h */
	__u64 *umad_handler;
	__u64 *sa_handler;
	bool *track_all;
	const __u64 *requests_missed;

	/* In count.bpf.h */
	bool *is_early;
	__u64 *early_until_ns;
	__u64 *since_early_us;

	/* In stock.bpf.h and kprobe.bpf.h; NULL where they do not apply */
	const __u64 *not_followed;
	const __u64 *not_joined;
};

/*
 * Create the maps and load the programs, which do not run yet. Returns 0 or a
 * negative errno.
 */
int counters_load(struct counters *counters, enum trace_mode mode,
		  const struct gather_options *options);

/* Returns 0 or a negative errno; to be detached in either case */
int counters_attach(struct counters *counters);

void counters_detach(struct counters *counters);
void counters_unload(struct counters *counters);

#endif
