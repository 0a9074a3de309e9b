/* SPDX-License-Identifier: GPL-2.0 */
/* The histogram of response times as lines of text. */
#ifndef MR_RESPONSE_TABLE_H
#define MR_RESPONSE_TABLE_H

#include <stddef.h>

#include "madretry.h"

struct response_table {
	char *head;
	char *lines[MR_RESPONSE_BUCKETS];
	size_t line_count;
};

/* What a line takes at least */
#define RESPONSE_TABLE_MIN_WIDTH 24

/*
 * @width: what a line may take. The fastest responses share a line if there
 * are more than @max_lines, 0: as many as it needs.
 */
void response_table_make(struct response_table *table, const __u64 *buckets,
			 size_t width, size_t max_lines);

void response_table_free(struct response_table *table);

#endif
