// SPDX-License-Identifier: GPL-2.0
/* The histogram of response times as lines of text. */
#include "response_table.h"

#include <stdio.h>
#include <stdlib.h>

#include "bars.h"
#include "format.h"
#include "histogram.h"
#include "message.h"

#define NAME_WIDTH	8	/* ">=1.0ms" */
#define COUNT_WIDTH	6
#define BAR_MAX		64

/* One line for the buckets from first to last */
struct span_of_buckets {
	unsigned int first;
	unsigned int last;
};

static struct span_of_buckets used_buckets(const __u64 *buckets)
{
	struct span_of_buckets used = { .first = MR_RESPONSE_BUCKETS };

	for (unsigned int i = 0; i < MR_RESPONSE_BUCKETS; i++) {
		if (!buckets[i])
			continue;
		if (used.first > i)
			used.first = i;
		used.last = i;
	}
	return used;
}

static void line_name(const struct span_of_buckets *of, char *name,
		      size_t size)
{
	char time[16];

	if (of->first == of->last) {
		format_us((double)bucket_from(of->first), time, sizeof(time));
		snprintf(name, size, ">=%s", time);
	} else {
		format_us((double)bucket_to(of->last) + 1, time, sizeof(time));
		snprintf(name, size, "<%s", time);
	}
}

static __u64 count_of(const __u64 *buckets, const struct span_of_buckets *of)
{
	return histogram_count(buckets + of->first, of->last - of->first + 1);
}

static char *make_line(const __u64 *buckets, const struct span_of_buckets *of,
		       __u64 max, size_t width)
{
	char name[24], number[16], bar[BARS_SIZE(BAR_MAX)] = "";
	const size_t taken = NAME_WIDTH + 1 + COUNT_WIDTH + 1;
	__u64 count = count_of(buckets, of);
	char *line;

	line_name(of, name, sizeof(name));
	format_count(count, number, sizeof(number));
	if (width > taken)
		bars_length((double)count, (double)max,
			    width - taken < BAR_MAX ? width - taken : BAR_MAX,
			    bar);
	if (asprintf(&line, "%*s %*s%s%s", NAME_WIDTH, name, COUNT_WIDTH,
		     number, bar[0] ? " " : "", bar) < 0)
		fail_environment("out of memory");
	return line;
}

void response_table_make(struct response_table *table, const __u64 *buckets,
			 size_t width, size_t max_lines)
{
	struct span_of_buckets used = used_buckets(buckets), of;
	__u64 max = 0;

	if (asprintf(&table->head, "%*s %*s", NAME_WIDTH, "RESPONSE",
		     COUNT_WIDTH, "COUNT") < 0)
		fail_environment("out of memory");
	table->line_count = 0;
	if (used.first > used.last)
		return;
	of = (struct span_of_buckets){ used.first, used.first };
	if (max_lines && used.last - used.first >= max_lines)
		of.last = used.last - (unsigned int)max_lines + 1;
	for (unsigned int i = of.last; i <= used.last; i++) {
		__u64 count = i == of.last ? count_of(buckets, &of) :
					     buckets[i];

		if (max < count)
			max = count;
	}
	for (; of.last <= used.last; of.first = of.last = of.last + 1)
		table->lines[table->line_count++] =
			make_line(buckets, &of, max, width);
}

void response_table_free(struct response_table *table)
{
	for (size_t i = 0; i < table->line_count; i++)
		free(table->lines[i]);
	free(table->head);
}
