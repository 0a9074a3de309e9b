// SPDX-License-Identifier: GPL-2.0
/* What is wrong with the numbers of a snapshot, said in words. */
#include "notes.h"

#include <stdio.h>

bool notes_make(const struct snapshot *snapshot, char *buffer, size_t size)
{
	const struct snapshot_row *last = NULL;

	if (snapshot->row_count)
		last = &snapshot->rows[snapshot->row_count - 1];
	if (snapshot->lost_events) {
		snprintf(buffer, size,
			 "%llu events were lost: the numbers are too small",
			 snapshot->lost_events);
		return true;
	}
	if (snapshot->not_joined) {
		snprintf(buffer, size,
			 "%llu requests found the send queue full: if they had no response, their end was not seen",
			 snapshot->not_joined);
		return true;
	}
	/* The key of this row is the greatest there is */
	if (last && last->is_other) {
		snprintf(buffer, size,
			 "(other) is what had no row: see --max-rows");
		return true;
	}
	return false;
}
