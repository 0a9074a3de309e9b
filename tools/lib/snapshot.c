// SPDX-License-Identifier: GPL-2.0
/* What was counted up to one moment. */
#include "snapshot.h"

#include <stdlib.h>
#include <string.h>

/* All fields of these structs are 64 bits wide */
#define COUNTERS (sizeof(struct mr_counters) / sizeof(__u64))
#define BACKOFF_COUNTERS (sizeof(struct mr_backoff) / sizeof(__u64))
#define COMPLETIONS (sizeof(struct mr_completions) / sizeof(__u64))

static void add(void *sum, const void *part, size_t count)
{
	const __u64 *from = part;
	__u64 *to = sum;

	for (size_t i = 0; i < count; i++)
		to[i] += from[i];
}

static void subtract(void *left, const void *part, size_t count)
{
	const __u64 *from = part;
	__u64 *to = left;

	for (size_t i = 0; i < count; i++)
		to[i] -= from[i];
}

void counters_add(struct mr_counters *sum, const struct mr_counters *part)
{
	add(sum, part, COUNTERS);
}

void backoff_add(struct mr_backoff *sum, const struct mr_backoff *part)
{
	add(sum, part, BACKOFF_COUNTERS);
}

void completions_add(struct mr_completions *sum,
		     const struct mr_completions *part)
{
	add(sum, part, COMPLETIONS);
}

void counters_subtract(struct mr_counters *left,
		       const struct mr_counters *part)
{
	subtract(left, part, COUNTERS);
}

__u64 counters_retries(const struct mr_counters *counters)
{
	__u64 sum = 0;

	for (int cause = 0; cause < MR_RETRY_CAUSES; cause++)
		sum += counters->retries[cause];
	return sum;
}

__u64 counters_timeouts(const struct mr_counters *counters)
{
	__u64 sum = 0;

	for (int cause = 0; cause < MR_TIMEOUT_CAUSES; cause++)
		sum += counters->timeouts[cause];
	return sum;
}

static int compare_numbers(__u32 a, __u32 b)
{
	return (a > b) - (a < b);
}

int snapshot_compare_key(const struct mr_key *a, const struct mr_key *b)
{
	int result = compare_numbers(a->dev_index, b->dev_index);

	if (!result)
		result = compare_numbers(a->port, b->port);
	if (!result)
		result = compare_numbers(a->mgmt_class, b->mgmt_class);
	if (!result)
		result = compare_numbers(a->attr_id, b->attr_id);
	if (!result)
		result = compare_numbers(a->destination, b->destination);
	if (!result)
		result = compare_numbers(a->client, b->client);
	return result;
}

int snapshot_compare_keys(const void *left, const void *right)
{
	return snapshot_compare_key(&((const struct snapshot_row *)left)->key,
				    &((const struct snapshot_row *)right)->key);
}

void snapshot_compare(struct snapshot *now, const struct snapshot *before)
{
	for (size_t i = 0; i < now->row_count; i++) {
		struct snapshot_row *row = &now->rows[i];
		const struct snapshot_row *old = NULL;

		if (before->row_count)
			old = bsearch(row, before->rows, before->row_count,
				      sizeof(*row), snapshot_compare_keys);
		row->interval = row->total;
		if (old)
			counters_subtract(&row->interval, &old->total);
	}
}

void snapshot_free(struct snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->row_count; i++) {
		free(snapshot->rows[i].backoff);
		free(snapshot->rows[i].completions);
	}
	free(snapshot->rows);
	free(snapshot->requests);
	memset(snapshot, 0, sizeof(*snapshot));
}
