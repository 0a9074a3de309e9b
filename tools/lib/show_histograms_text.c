// SPDX-License-Identifier: GPL-2.0
/* Histograms as blocks of plain text. */
#include "show_histograms.h"

#include <stdio.h>

#include "histogram.h"
#include "output.h"

#define BAR_WIDTH 40

static void print_bar(__u64 count, __u64 most)
{
	__u64 length = (count * BAR_WIDTH + most / 2) / most;

	/* Little is not nothing */
	if (count && !length)
		length = 1;
	for (__u64 i = 0; i < BAR_WIDTH; i++)
		putchar(i < length ? '*' : ' ');
}

static __u64 greatest(const struct histogram *histogram)
{
	__u64 most = histogram->for_ever;

	for (unsigned int i = 0; i < MR_BUCKETS; i++) {
		if (most < histogram->buckets[i])
			most = histogram->buckets[i];
	}
	return most;
}

static void print_line(const char *range, __u64 count, __u64 most)
{
	printf("%24s : %-8llu |", range, count);
	print_bar(count, most);
	puts("|");
}

static void print_histogram(const struct histogram *histogram)
{
	const struct histogram_kind_info *kind =
		&histogram_kinds[histogram->kind];
	char name[HISTOGRAM_NAME_MAX], text[64];
	__u64 most = greatest(histogram);
	unsigned int first, last;

	histogram_name(histogram, name, sizeof(name));
	printf("\n%s: %s\n%24s : %-8s  %s\n", kind->title, name, kind->unit,
	       "count", "distribution");
	if (histogram_range(histogram, &first, &last)) {
		for (unsigned int i = first; i <= last; i++) {
			histogram_bucket_text(histogram->kind, i, text,
					      sizeof(text));
			print_line(text, histogram->buckets[i], most);
		}
	}
	if (histogram->for_ever)
		print_line("for ever", histogram->for_ever, most);
}

void histograms_show_text(const struct histogram_report *report)
{
	const struct histograms *histograms = report->histograms;
	char time[16];
	struct tm local;

	localtime_r(&report->end.tv_sec, &local);
	strftime(time, sizeof(time), "%H:%M:%S", &local);
	printf("\n%s  in %.1f s: %llu requests, %llu responses, %llu retries, %llu given up\n",
	       time, report->seconds, report->sum.requests,
	       report->sum.responses, counters_retries(&report->sum),
	       counters_timeouts(&report->sum));
	for (size_t i = 0; i < histograms->count; i++)
		print_histogram(&histograms->list[i]);
	if (histograms->left_unknown)
		printf("\nof %llu more it is not known what was left: posted before the start, or too many at once\n",
		       histograms->left_unknown);
	if (report->notes)
		puts(report->notes);
	output_flush();
}
