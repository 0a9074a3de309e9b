// SPDX-License-Identifier: GPL-2.0
/* The oldest outstanding requests as lines of text. */
#include "requests_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "format.h"
#include "message.h"

#define REQUEST_COLUMNS	8
#define CLIENT		6	/* shown only if it is known */
#define TEXT_MAX	ROW_NAME_MAX

struct cells {
	char text[REQUEST_COLUMNS][TEXT_MAX];
};

static const struct {
	const char *head;
	bool is_number;
	int rank;	/* a narrow window loses the greatest first */
} request_columns[REQUEST_COLUMNS] = {
	{ "AGE", true, 0 },
	{ "ATTEMPT", true, 1 },
	{ "NEXT", true, 2 },
	{ "DEVICE", false, 7 },
	{ "REQUEST", false, 3 },
	{ "TO", false, 5 },
	{ "CLIENT", false, 4 },
	{ "TID", false, 6 },
};

static void seconds(double s, char *buffer, size_t size)
{
	format_us(s < 0 ? 0 : s * 1e6, buffer, size);
}

/* A wait that is over belongs to a retry that is about to be sent */
static void next_text(const struct snapshot_request *request, char *buffer,
		      size_t size)
{
	if (!request->next_is_known)
		snprintf(buffer, size, "?");
	else if (request->waits_for_ever)
		snprintf(buffer, size, "never");
	else if (request->next_s <= 0)
		snprintf(buffer, size, "now");
	else
		seconds(request->next_s, buffer, size);
}

static void fill_in(const struct snapshot_request *request,
		    struct cells *cells)
{
	char age[16];

	seconds(request->age_s, age, sizeof(age));
	snprintf(cells->text[0], TEXT_MAX, "%s%s",
		 request->age_is_minimum ? ">" : "", age);
	if (request->attempts_max)
		snprintf(cells->text[1], TEXT_MAX, "%u/%u", request->attempts,
			 request->attempts_max);
	else
		snprintf(cells->text[1], TEXT_MAX, "%u", request->attempts);
	next_text(request, cells->text[2], TEXT_MAX);
	snprintf(cells->text[3], TEXT_MAX, "%s/%u", request->device,
		 request->port);
	snprintf(cells->text[4], TEXT_MAX, "%s %s", request->class_name,
		 request->attribute);
	snprintf(cells->text[5], TEXT_MAX, "%s", request->destination);
	snprintf(cells->text[CLIENT], TEXT_MAX, "%s", request->client);
	snprintf(cells->text[7], TEXT_MAX, "0x%016llx", request->tid);
}

struct request_layout {
	size_t width[REQUEST_COLUMNS];
	bool hidden[REQUEST_COLUMNS];
};

static size_t full_width(const struct request_layout *layout)
{
	size_t sum = 0;

	for (int i = 0; i < REQUEST_COLUMNS; i++)
		sum += layout->hidden[i] ? 0 : layout->width[i] + 1;
	return sum - 1;
}

static void measure(struct request_layout *layout, const struct cells *cells,
		    size_t count, size_t width)
{
	for (int i = 0; i < REQUEST_COLUMNS; i++) {
		layout->width[i] = strlen(request_columns[i].head);
		for (size_t j = 0; j < count; j++) {
			size_t needed = strlen(cells[j].text[i]);

			if (layout->width[i] < needed)
				layout->width[i] = needed;
		}
	}
	layout->hidden[CLIENT] =
		layout->width[CLIENT] == strlen(request_columns[CLIENT].head) &&
		(!count || !cells[0].text[CLIENT][0]);
	for (int rank = REQUEST_COLUMNS - 1; rank && width; rank--) {
		for (int i = 0; i < REQUEST_COLUMNS; i++) {
			if (request_columns[i].rank == rank &&
			    full_width(layout) > width)
				layout->hidden[i] = true;
		}
	}
}

/* @cells: NULL for the head */
static char *make_line(const struct request_layout *layout,
		       const struct cells *cells)
{
	char *text = NULL;
	size_t size;
	FILE *line = open_memstream(&text, &size);
	bool first = true;

	if (!line)
		fail_environment("out of memory");
	for (int i = 0; i < REQUEST_COLUMNS; i++) {
		int width = (int)layout->width[i];
		const char *cell = cells ? cells->text[i] :
					   request_columns[i].head;

		if (layout->hidden[i])
			continue;
		fprintf(line, "%s%*s", first ? "" : " ",
			request_columns[i].is_number ? width : -width, cell);
		first = false;
	}
	fclose(line);
	return text;
}

/* Counted as outstanding, but posted before requests were listed */
static __u64 not_listed(const struct snapshot *snapshot)
{
	__u64 outstanding = 0;

	for (size_t i = 0; i < snapshot->row_count; i++)
		outstanding += (__u64)snapshot->rows[i].total.outstanding;
	return outstanding > snapshot->request_count ?
		       outstanding - snapshot->request_count : 0;
}

static char *make_title(const struct snapshot *snapshot, size_t shown)
{
	static const char before[] =
		"waited for a first response before this list began";
	__u64 more = not_listed(snapshot);
	const char *title = "oldest outstanding requests";
	char *text;
	int size;

	if (!shown)
		title = snapshot->request_count ?
				"no outstanding request passes the filter" :
				"no outstanding request is known";
	if (snapshot->requests_missed)
		size = asprintf(&text, "%s; the list was full %llu times",
				title, snapshot->requests_missed);
	else if (more)
		size = asprintf(&text, "%s; %llu more %s", title, more,
				before);
	else
		size = asprintf(&text, "%s", title);
	if (size < 0)
		fail_environment("out of memory");
	return text;
}

void requests_table_make(struct requests_table *table,
			 const struct snapshot *snapshot,
			 const struct filter *filter, size_t width,
			 size_t max_lines)
{
	struct cells *cells = allocate(max_lines, sizeof(*cells));
	struct request_layout layout = { 0 };
	size_t count = 0;

	for (size_t i = 0; i < snapshot->request_count && count < max_lines;
	     i++) {
		if (filter_matches_request(filter, &snapshot->requests[i]))
			fill_in(&snapshot->requests[i], &cells[count++]);
	}
	measure(&layout, cells, count, width);
	table->title = make_title(snapshot, count);
	table->head = make_line(&layout, NULL);
	table->lines = allocate(count, sizeof(*table->lines));
	table->line_count = count;
	for (size_t i = 0; i < count; i++)
		table->lines[i] = make_line(&layout, &cells[i]);
	free(cells);
}

void requests_table_free(struct requests_table *table)
{
	for (size_t i = 0; i < table->line_count; i++)
		free(table->lines[i]);
	free(table->lines);
	free(table->head);
	free(table->title);
}
