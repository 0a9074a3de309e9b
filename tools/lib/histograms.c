// SPDX-License-Identifier: GPL-2.0
/* The histograms of a snapshot, for tools that show nothing else. */
#include "histograms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "histogram.h"
#include "message.h"

const struct histogram_kind_info histogram_kinds[HISTOGRAM_KINDS] = {
	[HISTOGRAM_WAIT] = {
		"wait", "Wait after a retry, by its number", "ms",
		MR_WAIT_FOREVER, .has_sum = true
	},
	[HISTOGRAM_RESPONSE] = {
		"response", "Response time, from post to response", "us",
		MR_RESPONSE_BUCKETS, .has_sum = true
	},
	[HISTOGRAM_ATTEMPTS] = {
		"attempts", "Attempts per request", "sends",
		MR_ATTEMPTS_MAX + 1, .is_linear = true
	},
	[HISTOGRAM_RETRIES_LEFT] = {
		"retries_left", "Retries left when the response came",
		"retries", MR_ATTEMPTS_MAX + 1, .is_linear = true
	},
	[HISTOGRAM_TIME_LEFT] = {
		"time_left", "Time left of the budget when the response came",
		"ms", MR_WAIT_BUCKETS
	},
};

__u64 histogram_from(enum histogram_kind kind, unsigned int bucket)
{
	return histogram_kinds[kind].is_linear ? bucket : bucket_from(bucket);
}

__u64 histogram_to(enum histogram_kind kind, unsigned int bucket)
{
	return histogram_kinds[kind].is_linear ? bucket : bucket_to(bucket);
}

void histogram_bucket_text(enum histogram_kind kind, unsigned int bucket,
			   char *buffer, size_t size)
{
	__u64 from = histogram_from(kind, bucket);

	if (bucket == histogram_kinds[kind].buckets - 1)
		snprintf(buffer, size, "%llu+", from);
	else if (histogram_kinds[kind].is_linear)
		snprintf(buffer, size, "%llu", from);
	else
		snprintf(buffer, size, "%llu -> %llu", from,
			 histogram_to(kind, bucket));
}

/* Who fills a list in */
struct making {
	struct histograms *histograms;
	size_t room;
	enum histogram_split split;
};

static void set_name(struct histogram *histogram,
		     const struct snapshot_row *row,
		     enum histogram_split split)
{
	histogram->port = -1;
	/* What has no row of its own belongs to nobody */
	if (row->is_other && split > SPLIT_NONE) {
		snprintf(histogram->device, sizeof(histogram->device), "%s",
			 row->device);
		return;
	}
	if (split >= SPLIT_ROW) {
		snprintf(histogram->device, sizeof(histogram->device), "%s",
			 row->device);
		histogram->port = (int)row->key.port;
	}
	if (split >= SPLIT_CLASS)
		snprintf(histogram->class_name, sizeof(histogram->class_name),
			 "%s", row->class_name);
	if (split >= SPLIT_ATTRIBUTE)
		snprintf(histogram->attribute, sizeof(histogram->attribute),
			 "%s", row->attribute);
}

static int compare(const void *left, const void *right)
{
	const struct histogram *a = left, *b = right;
	int result = (int)a->kind - (int)b->kind;

	if (!result)
		result = strcmp(a->device, b->device);
	if (!result)
		result = a->port - b->port;
	if (!result)
		result = strcmp(a->class_name, b->class_name);
	if (!result)
		result = strcmp(a->attribute, b->attribute);
	if (!result)
		result = (int)a->retry - (int)b->retry;
	if (!result && a->outcome)
		result = strcmp(a->outcome, b->outcome);
	return result;
}

static struct histogram *find(struct making *making,
			      const struct histogram *wanted)
{
	struct histograms *all = making->histograms;

	for (size_t i = 0; i < all->count; i++) {
		if (!compare(&all->list[i], wanted))
			return &all->list[i];
	}
	if (all->count == making->room) {
		making->room = making->room ? 2 * making->room : 16;
		all->list = realloc(all->list,
				    making->room * sizeof(*all->list));
		if (!all->list)
			fail_environment("out of memory");
	}
	all->list[all->count] = *wanted;
	return &all->list[all->count++];
}

static void add(struct making *making, struct histogram *wanted,
		const __u64 *buckets, __u64 sum)
{
	unsigned int count = histogram_kinds[wanted->kind].buckets;
	__u64 for_ever = wanted->for_ever;
	struct histogram *histogram;

	if (!histogram_count(buckets, count) && !for_ever)
		return;
	wanted->for_ever = 0;
	histogram = find(making, wanted);
	for (unsigned int i = 0; i < count; i++)
		histogram->buckets[i] += buckets[i];
	histogram->sum += sum;
	histogram->for_ever += for_ever;
}

static void add_waits(struct making *making, const struct snapshot_row *row)
{
	enum histogram_split split = making->split;

	if (split > SPLIT_CLASS)
		split = SPLIT_CLASS;
	for (unsigned int i = 0; row->backoff && i < MR_BACKOFF_STEPS; i++) {
		struct histogram wanted = {
			.kind = HISTOGRAM_WAIT,
			.retry = i + 1,
			.for_ever = row->backoff->wait_ms[i][MR_WAIT_FOREVER],
		};

		set_name(&wanted, row, split);
		add(making, &wanted, row->backoff->wait_ms[i],
		    row->backoff->wait_sum_ms[i]);
	}
}

static void add_responses(struct making *making,
			  const struct snapshot_row *row)
{
	struct histogram wanted = { .kind = HISTOGRAM_RESPONSE };

	set_name(&wanted, row, making->split);
	add(making, &wanted, row->total.response_us,
	    row->total.response_sum_us);
}

static void add_completions(struct making *making,
			    const struct snapshot_row *row)
{
	const struct mr_completions *all = row->completions;
	const struct {
		enum histogram_kind kind;
		const char *outcome;
		const __u64 *buckets;
	} parts[] = {
		{ HISTOGRAM_ATTEMPTS, "answered", all->attempts_answered },
		{ HISTOGRAM_ATTEMPTS, "given up", all->attempts_given_up },
		{ HISTOGRAM_RETRIES_LEFT, NULL, all->retries_left },
		{ HISTOGRAM_TIME_LEFT, NULL, all->budget_left_ms },
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		struct histogram wanted = {
			.kind = parts[i].kind,
			.outcome = parts[i].outcome,
		};

		set_name(&wanted, row, making->split);
		add(making, &wanted, parts[i].buckets, 0);
	}
	making->histograms->left_unknown += all->left_unknown;
}

void histograms_make(struct histograms *histograms,
		     const struct snapshot *snapshot,
		     const struct filter *filter, enum histogram_split split)
{
	struct making making = { .histograms = histograms, .split = split };

	memset(histograms, 0, sizeof(*histograms));
	for (size_t i = 0; i < snapshot->row_count; i++) {
		const struct snapshot_row *row = &snapshot->rows[i];

		if (!filter_matches(filter, row))
			continue;
		add_waits(&making, row);
		add_responses(&making, row);
		if (row->completions)
			add_completions(&making, row);
	}
	if (histograms->count)
		qsort(histograms->list, histograms->count,
		      sizeof(*histograms->list), compare);
}

static void subtract(struct histogram *left, const struct histogram *part)
{
	for (unsigned int i = 0; i < MR_BUCKETS; i++)
		left->buckets[i] -= part->buckets[i];
	left->sum -= part->sum;
	left->for_ever -= part->for_ever;
}

void histograms_subtract(struct histograms *now,
			 const struct histograms *before)
{
	size_t kept = 0;

	for (size_t i = 0; i < now->count; i++) {
		struct histogram *histogram = &now->list[i];
		const struct histogram *old = NULL;

		if (before->count)
			old = bsearch(histogram, before->list, before->count,
				      sizeof(*histogram), compare);
		if (old)
			subtract(histogram, old);
		if (histogram_total(histogram))
			now->list[kept++] = *histogram;
	}
	now->count = kept;
	now->left_unknown -= before->left_unknown;
}

void histograms_free(struct histograms *histograms)
{
	free(histograms->list);
	memset(histograms, 0, sizeof(*histograms));
}

__u64 histogram_total(const struct histogram *histogram)
{
	return histogram_count(histogram->buckets, MR_BUCKETS) +
	       histogram->for_ever;
}

void histogram_name(const struct histogram *histogram, char *buffer,
		    size_t size)
{
	const char *blank = "", *comma = "";
	FILE *text = fmemopen(buffer, size, "w");

	if (!text)
		fail_environment("out of memory");
	if (histogram->device[0]) {
		fputs(histogram->device, text);
		if (histogram->port >= 0)
			fprintf(text, "/%d", histogram->port);
		blank = " ";
		comma = ", ";
	}
	if (histogram->class_name[0]) {
		fprintf(text, "%s%s", blank, histogram->class_name);
		blank = " ";
		comma = ", ";
	}
	if (histogram->attribute[0])
		fprintf(text, "%s%s", blank, histogram->attribute);
	if (histogram->outcome)
		fprintf(text, "%s%s", comma, histogram->outcome);
	else if (histogram->retry)
		fprintf(text, "%sretry %u%s", comma, histogram->retry,
			histogram->retry == MR_BACKOFF_STEPS ? "+" : "");
	else if (!*blank)
		fputs("all", text);
	fclose(text);
}

bool histogram_range(const struct histogram *histogram, unsigned int *first,
		     unsigned int *last)
{
	bool found = false;

	for (unsigned int i = 0; i < MR_BUCKETS; i++) {
		if (!histogram->buckets[i])
			continue;
		if (!found)
			*first = i;
		*last = i;
		found = true;
	}
	return found;
}
