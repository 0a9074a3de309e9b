// SPDX-License-Identifier: GPL-2.0
/* The rows of a view as lines of text. */
#include "table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

#define CELL_MAX	ROW_NAME_MAX

/* Not fewer than column_count */
#define COLUMNS_MAX	32

/* While a table is made */
struct layout {
	const struct view *view;
	bool exact;
	bool shown[COLUMNS_MAX];
	size_t width[COLUMNS_MAX];
};

static const char *head_text(const struct layout *layout, size_t column)
{
	return layout->view->span == SPAN_TOTAL ? columns[column].head_total :
						  columns[column].head_interval;
}

static void cell_text(const struct layout *layout, size_t column,
		      const struct snapshot_row *row, char *cell)
{
	column_text(&columns[column], row, layout->view->span,
		    layout->view->snapshot->interval_s, layout->exact, cell,
		    CELL_MAX);
}

static void total_text(const struct layout *layout, size_t column, char *cell)
{
	if (!columns[column].name)
		cell_text(layout, column, &layout->view->sum, cell);
	else
		snprintf(cell, CELL_MAX, "%s", column ? "" : "TOTAL");
}

static void at_least(size_t *width, size_t needed)
{
	if (*width < needed)
		*width = needed;
}

static void measure(struct layout *layout, size_t column)
{
	size_t *width = &layout->width[column];
	char cell[CELL_MAX];

	*width = (size_t)columns[column].min_width;
	at_least(width, strlen(head_text(layout, column)));
	for (size_t i = 0; i < layout->view->row_count; i++) {
		cell_text(layout, column, layout->view->rows[i], cell);
		at_least(width, strlen(cell));
	}
	total_text(layout, column, cell);
	at_least(width, strlen(cell));
}

static size_t full_width(const struct layout *layout)
{
	size_t sum = 0;

	for (size_t i = 0; i < column_count; i++) {
		if (layout->shown[i])
			sum += layout->width[i] + 1;
	}
	return sum ? sum - 1 : 0;
}

/* Long attribute names are cut before a column is lost */
static void fit(struct layout *layout, size_t width)
{
	for (size_t i = 0; i < column_count; i++) {
		size_t *name = &layout->width[i];
		size_t full = full_width(layout);
		size_t least = (size_t)columns[i].min_width;

		if (full <= width || !columns[i].name || *name <= least)
			continue;
		if (full - width < *name - least)
			*name -= full - width;
		else
			*name = least;
	}
	while (full_width(layout) > width) {
		size_t worst = 0;

		for (size_t i = 0; i < column_count; i++) {
			if (layout->shown[i] &&
			    columns[i].rank > columns[worst].rank)
				worst = i;
		}
		if (!worst)
			return;
		layout->shown[worst] = false;
	}
}

/* Names to the left, numbers to the right; a cut name ends with a "+" */
static void print_cell(FILE *line, const struct layout *layout, size_t column,
		       const char *text)
{
	int width = (int)layout->width[column];

	if (!columns[column].name)
		fprintf(line, "%*s", width, text);
	else if (strlen(text) > layout->width[column])
		fprintf(line, "%.*s+", width - 1, text);
	else
		fprintf(line, "%-*s", width, text);
}

enum line_kind { LINE_HEAD, LINE_ROW, LINE_TOTAL };

static char *make_line(const struct layout *layout, enum line_kind kind,
		       const struct snapshot_row *row)
{
	char cell[CELL_MAX], *text = NULL;
	size_t size;
	FILE *line = open_memstream(&text, &size);
	bool first = true;

	if (!line)
		fail_environment("out of memory");
	for (size_t i = 0; i < column_count; i++) {
		if (!layout->shown[i])
			continue;
		if (kind == LINE_HEAD)
			snprintf(cell, sizeof(cell), "%s",
				 head_text(layout, i));
		else if (kind == LINE_TOTAL)
			total_text(layout, i, cell);
		else
			cell_text(layout, i, row, cell);
		if (!first)
			fputc(' ', line);
		first = false;
		print_cell(line, layout, i, cell);
	}
	fclose(line);
	return text;
}

void table_make(struct table *table, const struct view *view, size_t width,
		bool exact)
{
	struct layout layout = { .view = view, .exact = exact };

	for (size_t i = 0; i < column_count; i++) {
		layout.shown[i] = true;
		measure(&layout, i);
	}
	if (width)
		fit(&layout, width);

	table->head = make_line(&layout, LINE_HEAD, NULL);
	table->total = make_line(&layout, LINE_TOTAL, NULL);
	table->line_count = view->row_count;
	table->lines = allocate(view->row_count, sizeof(*table->lines));
	for (size_t i = 0; i < view->row_count; i++)
		table->lines[i] = make_line(&layout, LINE_ROW, view->rows[i]);
}

void table_free(struct table *table)
{
	for (size_t i = 0; i < table->line_count; i++)
		free(table->lines[i]);
	free(table->lines);
	free(table->head);
	free(table->total);
}
