/* SPDX-License-Identifier: GPL-2.0 */
/* Counts in the kernel, with the BPF programs, and reads what was counted. */
#ifndef MR_GATHER_H
#define MR_GATHER_H

#include <stdbool.h>

#include "mode.h"
#include "snapshot.h"

struct gather;

struct gather_options {
	struct mode_choice *mode;	/* filled in by gather_start() */
	unsigned int max_rows;
	unsigned int by;	/* MR_BY_*: what tells rows apart */
	bool completions;	/* fill in those of the rows */
	bool retried;		/* keep retried requests, to list them later */
	bool verbose;		/* show what the kernel says */
};

/*
 * Load and attach the programs of the mode that is wanted; counting has begun when this returns. Up to
 * max_rows rows are kept, what does not fit is counted in one more. Ends the
 * program with a message if the kernel refuses.
 */
struct gather *gather_start(const struct gather_options *options);

/* From now on snapshots list all outstanding requests, or no longer */
void gather_list_requests(struct gather *gather, bool list);

/* The requests of @snapshot as they are now */
void gather_read_requests(struct gather *gather, struct snapshot *snapshot);

/* Detach: the next gather_read() is exact, nothing changes any more */
void gather_stop(struct gather *gather);

/* Fills in all of @now but is_last; to be given to snapshot_free() */
void gather_read(struct gather *gather, const struct snapshot *before,
		 struct snapshot *now);

void gather_free(struct gather *gather);

#endif
