// SPDX-License-Identifier: GPL-2.0
/* The waits that retries began, by number of the retry, as lines of text. */
#include "backoff_table.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format.h"
#include "histogram.h"
#include "message.h"

#define NUMBER_WIDTH	5	/* "RETRY", "16+" */
#define COUNT_WIDTH	6
#define CELL_WIDTH	8	/* a blank and ">=65536" */

/* The buckets from first to last are shown */
struct range {
	unsigned int first;
	unsigned int last;
	bool first_is_open;	/* the first stands for those below it, too */
};

static struct range used_range(const struct mr_backoff *backoff)
{
	struct range range = { .first = MR_WAIT_BUCKETS };

	for (unsigned int bucket = 0; bucket < MR_WAIT_BUCKETS; bucket++) {
		for (int step = 0; step < MR_BACKOFF_STEPS; step++) {
			if (!backoff->wait_ms[step][bucket])
				continue;
			if (range.first > bucket)
				range.first = bucket;
			range.last = bucket;
		}
	}
	if (range.first > range.last)
		range.first = range.last;
	return range;
}

static void fit(struct range *range, size_t width)
{
	size_t room = 1;

	if (width > NUMBER_WIDTH + 1 + COUNT_WIDTH + 2 * CELL_WIDTH)
		room = (width - NUMBER_WIDTH - 1 - COUNT_WIDTH) / CELL_WIDTH;
	if (range->last - range->first < room)
		return;
	range->first = range->last + 1 - (unsigned int)room;
	range->first_is_open = true;
}

static void bucket_head(const struct range *range, unsigned int bucket,
			char *buffer, size_t size)
{
	if (bucket == MR_WAIT_FOREVER)
		snprintf(buffer, size, "forever");
	else if (bucket == range->first && range->first_is_open)
		snprintf(buffer, size, "<%llu",
			 bucket_to(bucket) + 1);
	else
		snprintf(buffer, size, ">=%llu",
			 bucket_from(bucket));
}

static char *make_head(const struct range *range)
{
	char cell[32], *text = NULL;
	size_t size;
	FILE *line = open_memstream(&text, &size);

	if (!line)
		fail_environment("out of memory");
	fprintf(line, "%*s %*s", NUMBER_WIDTH, "RETRY", COUNT_WIDTH, "COUNT");
	for (unsigned int b = range->first; b <= range->last; b++) {
		bucket_head(range, b, cell, sizeof(cell));
		fprintf(line, " %*s", CELL_WIDTH - 1, cell);
	}
	fclose(line);
	return text;
}

static __u64 cell_count(const __u64 *waits, const struct range *range,
			   unsigned int bucket)
{
	if (bucket == range->first && range->first_is_open)
		return histogram_count(waits, bucket + 1);
	return waits[bucket];
}

static char *make_line(const __u64 *waits, unsigned int step,
		       const struct range *range)
{
	char cell[32], *text = NULL;
	size_t size;
	FILE *line = open_memstream(&text, &size);

	if (!line)
		fail_environment("out of memory");
	snprintf(cell, sizeof(cell), "%u%s", step,
		 step == MR_BACKOFF_STEPS ? "+" : "");
	fprintf(line, "%*s", NUMBER_WIDTH, cell);
	format_count(histogram_count(waits, MR_WAIT_BUCKETS),
		     cell, sizeof(cell));
	fprintf(line, " %*s", COUNT_WIDTH, cell);
	for (unsigned int b = range->first; b <= range->last; b++) {
		__u64 count = cell_count(waits, range, b);

		if (count)
			format_count(count, cell, sizeof(cell));
		else
			snprintf(cell, sizeof(cell), ".");
		fprintf(line, " %*s", CELL_WIDTH - 1, cell);
	}
	fclose(line);
	return text;
}

void backoff_table_make(struct backoff_table *table,
			const struct mr_backoff *backoff, size_t width)
{
	struct range range = used_range(backoff);

	if (width)
		fit(&range, width);
	table->head = make_head(&range);
	table->width = strlen(table->head);
	table->line_count = 0;
	for (unsigned int i = 0; i < MR_BACKOFF_STEPS; i++) {
		const __u64 *waits = backoff->wait_ms[i];

		if (histogram_count(waits, MR_WAIT_BUCKETS))
			table->lines[table->line_count++] =
				make_line(waits, i + 1, &range);
	}
}

void backoff_table_free(struct backoff_table *table)
{
	for (size_t i = 0; i < table->line_count; i++)
		free(table->lines[i]);
	free(table->head);
}
