// SPDX-License-Identifier: GPL-2.0
/* The rows of a view as lines of text. */
#include "table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bars.h"
#include "message.h"

/* While a table is made; the numbers of columns are places in the list */
struct layout {
	const struct view *view;
	const struct column_list *list;
	struct column_style style;
	bool shown[COLUMNS_MAX];
	size_t width[COLUMNS_MAX];
	size_t total_place;	/* of the word TOTAL */
};

static const char *head_text(const struct layout *layout, size_t place)
{
	const struct column *column = layout->list->columns[place];

	return layout->style.span == SPAN_TOTAL ? column->head_total :
						  column->head_interval;
}

static void cell_text(const struct layout *layout, size_t place,
		      const struct snapshot_row *row, char *cell)
{
	column_text(layout->list->columns[place], row, &layout->style, cell,
		    CELL_MAX);
}

static void total_text(const struct layout *layout, size_t place, char *cell)
{
	if (!layout->list->columns[place]->name)
		cell_text(layout, place, &layout->view->sum, cell);
	else
		snprintf(cell, CELL_MAX, "%s",
			 place == layout->total_place ? "TOTAL" : "");
}

static void at_least(size_t *width, size_t needed)
{
	if (*width < needed)
		*width = needed;
}

static void measure(struct layout *layout, size_t place)
{
	size_t *width = &layout->width[place];
	char cell[CELL_MAX];

	*width = (size_t)layout->list->columns[place]->min_width;
	at_least(width, strlen(head_text(layout, place)));
	for (size_t i = 0; i < layout->view->row_count; i++) {
		cell_text(layout, place, layout->view->rows[i], cell);
		at_least(width, bars_width(cell));
	}
	total_text(layout, place, cell);
	at_least(width, bars_width(cell));
}

static size_t full_width(const struct layout *layout)
{
	size_t sum = 0;

	for (size_t i = 0; i < layout->list->count; i++) {
		if (layout->shown[i])
			sum += layout->width[i] + 1;
	}
	return sum ? sum - 1 : 0;
}

/* A trend is cut before a name, and that before a column is lost */
static void narrow(struct layout *layout, size_t width, bool trend)
{
	for (size_t i = 0; i < layout->list->count; i++) {
		const struct column *column = layout->list->columns[i];
		size_t least = (size_t)column->min_width;
		size_t full = full_width(layout);
		size_t *own = &layout->width[i];

		if (full <= width || !layout->shown[i] || *own <= least ||
		    column->is_trend != trend || (!column->name && !trend))
			continue;
		if (full - width < *own - least)
			*own -= full - width;
		else
			*own = least;
	}
}

/* The first one never goes; COLUMNS_MAX if no other is left */
static size_t least_important(const struct layout *layout)
{
	size_t worst = COLUMNS_MAX;
	int rank = 0;

	for (size_t i = 1; i < layout->list->count; i++) {
		if (!layout->shown[i])
			continue;
		if (layout->list->is_chosen) {
			worst = i;
		} else if (layout->list->columns[i]->rank > rank) {
			worst = i;
			rank = layout->list->columns[i]->rank;
		}
	}
	return worst;
}

/* The room of a lost column goes to the names that were cut for it */
static void fit(struct layout *layout, size_t width)
{
	size_t uncut[COLUMNS_MAX], worst;

	memcpy(uncut, layout->width, sizeof(uncut));
	for (;;) {
		narrow(layout, width, true);
		narrow(layout, width, false);
		if (full_width(layout) <= width)
			return;
		worst = least_important(layout);
		if (worst == COLUMNS_MAX)
			return;
		layout->shown[worst] = false;
		memcpy(layout->width, uncut, sizeof(uncut));
	}
}

/* The newest is to the right, so that the left is what can be cut */
static const char *end_of_trend(const char *text, size_t width)
{
	size_t surplus = bars_width(text);

	for (surplus = surplus > width ? surplus - width : 0; surplus;
	     surplus--) {
		text++;
		while (((unsigned char)*text & 0xc0) == 0x80)
			text++;
	}
	return text;
}

/* Names to the left, numbers to the right; a cut name ends with a "+" */
static void print_cell(FILE *line, const struct layout *layout, size_t place,
		       const char *text)
{
	const struct column *column = layout->list->columns[place];
	size_t width = layout->width[place];

	if (column->is_trend)
		text = end_of_trend(text, width);
	if (!column->name)
		fprintf(line, "%*s%s", (int)(width - bars_width(text)), "",
			text);
	else if (strlen(text) > width)
		fprintf(line, "%.*s+", (int)width - 1, text);
	else
		fprintf(line, "%-*s", (int)width, text);
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
	for (size_t i = 0; i < layout->list->count; i++) {
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

/* Those that say something about these rows */
static void known_columns(struct column_list *known,
			  const struct column_list *list, unsigned int by)
{
	*known = (struct column_list){ .is_chosen = list->is_chosen };
	for (size_t i = 0; i < list->count; i++) {
		if (column_is_known(list->columns[i], by))
			column_list_append(known, list->columns[i]);
	}
}

static size_t first_name(const struct column_list *list)
{
	size_t i = 0;

	while (i < list->count && !list->columns[i]->name)
		i++;
	return i;
}

void table_make(struct table *table, const struct view *view,
		const struct column_list *list, size_t width, bool exact)
{
	struct column_list known;
	struct layout layout = {
		.view = view,
		.list = &known,
		.style = {
			.span = view->span,
			.interval_s = view->snapshot->interval_s,
			.exact = exact,
			.trend_of = view->trend_of,
		},
	};

	known_columns(&known, list, view->snapshot->by);
	layout.total_place = first_name(&known);
	for (size_t i = 0; i < known.count; i++) {
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
