/* SPDX-License-Identifier: GPL-2.0 */
/* Counts in the kernel, with the BPF programs, and reads what was counted. */
#ifndef MR_GATHER_H
#define MR_GATHER_H

#include <stdbool.h>

#include "snapshot.h"

struct gather;

/*
 * Load and attach the programs; counting has begun when this returns. Up to
 * @max_rows rows are kept, what does not fit is counted in one more. Ends the
 * program with a message if the kernel refuses; @verbose shows the kernel's, too.
 */
struct gather *gather_start(unsigned int max_rows, bool verbose);

/* Detach: the next gather_read() is exact, nothing changes any more */
void gather_stop(struct gather *gather);

/* Fills in all of @now but is_last; to be given to snapshot_free() */
void gather_read(struct gather *gather, const struct snapshot *before,
		 struct snapshot *now);

void gather_free(struct gather *gather);

#endif
