// SPDX-License-Identifier: GPL-2.0
/* Snapshots as blocks of plain text. */
#include "show_text.h"

#include <stdio.h>

#include "backoff_table.h"
#include "notes.h"
#include "output.h"
#include "requests_table.h"
#include "table.h"

void text_start(const struct options *options)
{
	const struct filter *filter = &options->filter;
	char name[CLASS_NAME_MAX];

	printf("Tracing MAD requests");
	if (filter->mgmt_class >= 0) {
		class_name((uint8_t)filter->mgmt_class, name, sizeof(name));
		printf(" of class %s", name);
	}
	printf(" on %s", filter->device ? filter->device : "all devices");
	if (filter->port >= 0)
		printf(", port %d", filter->port);
	printf(", every %g s; Ctrl-C ends.\n", options->interval_s);
	mode_print(&options->mode);
	output_flush();
}

static void print_head(const struct snapshot *snapshot, enum span span)
{
	struct tm local;
	char time[16];

	localtime_r(&snapshot->time.tv_sec, &local);
	strftime(time, sizeof(time), "%H:%M:%S", &local);
	if (span == SPAN_TOTAL)
		printf("\n%s  totals of %.1f s\n", time,
		       snapshot->since_start_s);
	else
		printf("\n%s  per second, in %.1f s\n", time,
		       snapshot->interval_s);
}

static void print_table(const struct view *view,
			const struct column_list *list)
{
	struct table table;

	table_make(&table, view, list, 0, true);
	puts(table.head);
	for (size_t i = 0; i < table.line_count; i++)
		puts(table.lines[i]);
	puts(table.total);
	table_free(&table);
}

static void print_backoff(const struct snapshot_row *row)
{
	struct backoff_table table;
	char name[ROW_NAME_MAX];

	row_name(row, name, sizeof(name));
	printf("%s: retries since the start by the wait that followed, ms\n",
	       name);
	backoff_table_make(&table, row->backoff, 0);
	puts(table.head);
	for (size_t i = 0; i < table.line_count; i++)
		puts(table.lines[i]);
	backoff_table_free(&table);
}

static void print_oldest(const struct snapshot *snapshot,
			 const struct filter *filter, size_t max)
{
	struct requests_table table;

	requests_table_make(&table, snapshot, filter, 0, max);
	puts(table.title);
	if (table.line_count)
		puts(table.head);
	for (size_t i = 0; i < table.line_count; i++)
		puts(table.lines[i]);
	requests_table_free(&table);
}

static void print_block(const struct snapshot *snapshot,
			const struct filter *filter, const struct order *order,
			const struct column_list *list, size_t oldest,
			enum span span)
{
	char notes[NOTES_MAX];
	struct view view;

	view_make(&view, snapshot, filter, order, span);
	print_head(snapshot, span);
	print_table(&view, list);
	for (size_t i = 0; i < view.row_count; i++) {
		if (view.rows[i]->backoff) {
			print_backoff(view.rows[i]);
			break;
		}
	}
	if (oldest)
		print_oldest(snapshot, filter, oldest);
	if (notes_make(snapshot, notes, sizeof(notes)))
		puts(notes);
	view_free(&view);
}

void text_show(const struct snapshot *snapshot, const struct options *options,
	       const struct order *order, const struct column_list *list,
	       size_t oldest)
{
	print_block(snapshot, &options->filter, order, list, oldest,
		    snapshot->is_last ? SPAN_TOTAL : SPAN_INTERVAL);
	output_flush();
}
