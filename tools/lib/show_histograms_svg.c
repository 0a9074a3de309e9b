// SPDX-License-Identifier: GPL-2.0
/*
 * Histograms as an SVG picture: for each kind a heading, below it a panel for
 * each histogram, side by side. All panels of a kind show the same buckets, so
 * that their bars can be compared along the line. Each bar carries its numbers,
 * as data-... for programs and as a title for who points at it.
 */
#include "show_histograms.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "format.h"
#include "histogram.h"
#include "message.h"

/* All in pixels */
#define MARGIN		24
#define COLUMNS		3
#define PANEL_WIDTH	300
#define PANEL_GAP	24
#define LABEL_WIDTH	72
#define COUNT_WIDTH	56
#define BAR_MAX		(PANEL_WIDTH - LABEL_WIDTH - COUNT_WIDTH)
#define LINE_HEIGHT	18
#define BAR_HEIGHT	12
#define PANEL_HEAD	40
#define HEADING		36
#define PAGE_HEAD	90
#define WIDTH		(2 * MARGIN + COLUMNS * PANEL_WIDTH + \
			 (COLUMNS - 1) * PANEL_GAP)

/* Panels of one kind; those with the least numbers are left out */
#define PANELS_MAX	18

static const char *const colours[HISTOGRAM_KINDS] = {
	[HISTOGRAM_WAIT] = "#1b6ca8",
	[HISTOGRAM_RESPONSE] = "#2e7d4f",
	[HISTOGRAM_ATTEMPTS] = "#a05a00",
	[HISTOGRAM_RETRIES_LEFT] = "#7a4fa3",
	[HISTOGRAM_TIME_LEFT] = "#7a4fa3",
};

/* The panels of one kind, and the buckets that they all show */
struct section {
	enum histogram_kind kind;
	const struct histogram *panels[PANELS_MAX];
	size_t panel_count;
	size_t left_out;
	unsigned int first, last;
	bool has_for_ever;
};

static void print_escaped(FILE *svg, const char *text)
{
	for (; *text; text++) {
		switch (*text) {
		case '&':
			fputs("&amp;", svg);
			break;
		case '<':
			fputs("&lt;", svg);
			break;
		case '>':
			fputs("&gt;", svg);
			break;
		case '"':
			fputs("&quot;", svg);
			break;
		default:
			/* XML 1.0 has no way to write control characters */
			fputc((unsigned char)*text < ' ' ? '?' : *text, svg);
		}
	}
}

/* Puts in the place of the least one, if that has less */
static void insert(struct section *section, const struct histogram *histogram)
{
	size_t least = 0;

	if (section->panel_count < PANELS_MAX) {
		section->panels[section->panel_count++] = histogram;
		return;
	}
	section->left_out++;
	for (size_t i = 1; i < PANELS_MAX; i++) {
		if (histogram_total(section->panels[i]) <
		    histogram_total(section->panels[least]))
			least = i;
	}
	if (histogram_total(section->panels[least]) >=
	    histogram_total(histogram))
		return;
	memmove(&section->panels[least], &section->panels[least + 1],
		(PANELS_MAX - least - 1) * sizeof(section->panels[0]));
	section->panels[PANELS_MAX - 1] = histogram;
}

static void collect(struct section *section, enum histogram_kind kind,
		    const struct histograms *histograms)
{
	unsigned int first, last;

	*section = (struct section){ .kind = kind, .first = MR_BUCKETS };
	for (size_t i = 0; i < histograms->count; i++) {
		if (histograms->list[i].kind == kind)
			insert(section, &histograms->list[i]);
	}
	for (size_t i = 0; i < section->panel_count; i++) {
		if (section->panels[i]->for_ever)
			section->has_for_ever = true;
		if (!histogram_range(section->panels[i], &first, &last))
			continue;
		if (first < section->first)
			section->first = first;
		if (last > section->last)
			section->last = last;
	}
}

static unsigned int line_count(const struct section *section)
{
	unsigned int lines = section->has_for_ever;

	if (section->first <= section->last)
		lines += section->last - section->first + 1;
	return lines;
}

static unsigned int panel_height(const struct section *section)
{
	return PANEL_HEAD + LINE_HEIGHT * line_count(section) + PANEL_GAP;
}

static unsigned int section_height(const struct section *section)
{
	size_t rows = (section->panel_count + COLUMNS - 1) / COLUMNS;

	if (!section->panel_count)
		return 0;
	return HEADING + (unsigned int)rows * panel_height(section);
}

/* From where on a bucket counts: times in units that people read */
static void bucket_label(enum histogram_kind kind, unsigned int bucket,
			 char *buffer, size_t size)
{
	const struct histogram_kind_info *info = &histogram_kinds[kind];
	double from = (double)histogram_from(kind, bucket);
	char time[32];

	if (info->is_linear) {
		histogram_bucket_text(kind, bucket, buffer, size);
		return;
	}
	format_us(!strcmp(info->unit, "ms") ? from * 1000 : from, time,
		  sizeof(time));
	snprintf(buffer, size, "≥ %s", from > 0 ? time : "0");
}

struct bar {
	const char *label;
	const char *range;	/* for the title, and who reads data-... */
	const char *unit;
	__u64 count, most;
	unsigned int y;
};

static void print_bar(FILE *svg, const struct bar *bar, const char *data,
		      const char *colour)
{
	double length = (double)bar->count / (double)bar->most * BAR_MAX;
	unsigned int text_y = bar->y + BAR_HEIGHT - 2;

	fprintf(svg, "<text class=\"label\" x=\"%d\" y=\"%u\">%s</text>\n",
		LABEL_WIDTH - 6, text_y, bar->label);
	if (!bar->count) {
		fprintf(svg, "<text class=\"none\" x=\"%d\" y=\"%u\">·</text>\n",
			LABEL_WIDTH + 2, text_y);
		return;
	}
	fprintf(svg,
		"<rect class=\"bar\" %s data-count=\"%llu\" x=\"%d\" y=\"%u\" width=\"%.1f\" height=\"%d\" fill=\"%s\"><title>%s %s: %llu</title></rect>\n",
		data, bar->count, LABEL_WIDTH, bar->y,
		length < 1 ? 1 : length, BAR_HEIGHT, colour, bar->range,
		bar->unit, bar->count);
	fprintf(svg, "<text class=\"count\" x=\"%.1f\" y=\"%u\">%llu</text>\n",
		LABEL_WIDTH + (length < 1 ? 1 : length) + 4, text_y,
		bar->count);
}

static __u64 greatest(const struct histogram *histogram)
{
	__u64 most = histogram->for_ever ? histogram->for_ever : 1;

	for (unsigned int i = 0; i < MR_BUCKETS; i++) {
		if (most < histogram->buckets[i])
			most = histogram->buckets[i];
	}
	return most;
}

static void print_bars(FILE *svg, const struct section *section,
		       const struct histogram *histogram)
{
	enum histogram_kind kind = section->kind;
	char label[64], range[64], data[96];
	struct bar bar = {
		.label = label,
		.range = range,
		.unit = histogram_kinds[kind].unit,
		.most = greatest(histogram),
		.y = PANEL_HEAD,
	};

	for (unsigned int i = section->first; i <= section->last; i++) {
		bar.count = histogram->buckets[i];
		bucket_label(kind, i, label, sizeof(label));
		if (i == histogram_kinds[kind].buckets - 1)
			snprintf(range, sizeof(range), "%llu and more",
				 histogram_from(kind, i));
		else if (histogram_kinds[kind].is_linear)
			snprintf(range, sizeof(range), "%llu",
				 histogram_from(kind, i));
		else
			snprintf(range, sizeof(range), "%llu to %llu",
				 histogram_from(kind, i),
				 histogram_to(kind, i));
		snprintf(data, sizeof(data), "data-from=\"%llu\"",
			 histogram_from(kind, i));
		print_bar(svg, &bar, data, colours[kind]);
		bar.y += LINE_HEIGHT;
	}
	if (section->has_for_ever) {
		bar.count = histogram->for_ever;
		bar.label = "for ever";
		bar.range = "for ever";
		bar.unit = "";
		print_bar(svg, &bar, "data-from=\"for ever\"", colours[kind]);
	}
}

/* "68, median 384 ms, 99 % below 1.2 s" */
static void print_summary(FILE *svg, const struct histogram *histogram)
{
	const struct histogram_kind_info *kind =
		&histogram_kinds[histogram->kind];
	double unit_us = !strcmp(kind->unit, "ms") ? 1000 : 1;
	double median, p99;
	char text[32];

	fprintf(svg, "<text class=\"summary\" x=\"0\" y=\"28\">%llu",
		histogram_total(histogram));
	median = histogram_percentile(histogram->buckets, MR_BUCKETS, 50);
	p99 = histogram_percentile(histogram->buckets, MR_BUCKETS, 99);
	if (!kind->is_linear && median >= 0) {
		format_us(median * unit_us, text, sizeof(text));
		fprintf(svg, ", median %s", text);
		format_us(p99 * unit_us, text, sizeof(text));
		fprintf(svg, ", 99 %% below %s", text);
	}
	fputs("</text>\n", svg);
}

static void print_panel(FILE *svg, const struct section *section,
			const struct histogram *histogram, unsigned int x,
			unsigned int y)
{
	char name[HISTOGRAM_NAME_MAX];

	histogram_name(histogram, name, sizeof(name));
	fprintf(svg, "<g class=\"histogram\" data-kind=\"%s\" data-name=\"",
		histogram_kinds[section->kind].key);
	print_escaped(svg, name);
	fprintf(svg, "\" transform=\"translate(%u %u)\">\n", x, y);
	fputs("<text class=\"name\" x=\"0\" y=\"12\">", svg);
	print_escaped(svg, name);
	fputs("</text>\n", svg);
	print_summary(svg, histogram);
	fprintf(svg, "<path class=\"axis\" d=\"M%d %d v%u\"/>\n", LABEL_WIDTH,
		PANEL_HEAD - 3, LINE_HEIGHT * line_count(section));
	print_bars(svg, section, histogram);
	fputs("</g>\n", svg);
}

static void print_section(FILE *svg, const struct section *section,
			  unsigned int y)
{
	if (!section->panel_count)
		return;
	fprintf(svg, "<text class=\"heading\" x=\"%d\" y=\"%u\">%s", MARGIN,
		y + 18, histogram_kinds[section->kind].title);
	if (section->left_out)
		fprintf(svg, " (%zu more, with less in them, are left out)",
			section->left_out);
	fputs("</text>\n", svg);
	y += HEADING;
	for (size_t i = 0; i < section->panel_count; i++) {
		unsigned int column = (unsigned int)(i % COLUMNS);

		print_panel(svg, section, section->panels[i],
			    MARGIN + column * (PANEL_WIDTH + PANEL_GAP), y);
		if (column == COLUMNS - 1)
			y += panel_height(section);
	}
}

static void print_note(FILE *svg, const char *note, unsigned int y)
{
	if (!note)
		return;
	fprintf(svg, "<text class=\"note\" x=\"%d\" y=\"%u\">", MARGIN, y);
	print_escaped(svg, note);
	fputs("</text>\n", svg);
}

static void print_page_head(FILE *svg, const struct histogram_report *report)
{
	const struct mr_counters *sum = &report->sum;
	char host[65] = "", time[64];
	struct tm local;

	gethostname(host, sizeof(host) - 1);
	localtime_r(&report->end.tv_sec, &local);
	strftime(time, sizeof(time), "%Y-%m-%d %H:%M:%S %z", &local);
	fprintf(svg, "<text class=\"title\" x=\"%d\" y=\"32\">MAD requests of ",
		MARGIN);
	print_escaped(svg, host);
	fprintf(svg, "</text>\n<text class=\"summary\" x=\"%d\" y=\"52\">",
		MARGIN);
	fprintf(svg,
		"%.1f s until %s, mode %s: %llu requests, %llu responses, %llu retries, %llu given up",
		report->seconds, time, report->mode, sum->requests,
		sum->responses, counters_retries(sum), counters_timeouts(sum));
	fputs("</text>\n", svg);
	print_note(svg, report->limits, 68);
	print_note(svg, report->notes, 82);
}

static const char style[] =
	"<style>\n"
	"text { font-family: 'DejaVu Sans', Verdana, sans-serif; font-size: 11px; fill: #222 }\n"
	".title { font-size: 18px; font-weight: bold }\n"
	".heading { font-size: 14px; font-weight: bold }\n"
	".name { font-size: 12px; font-weight: bold }\n"
	".summary { fill: #555 }\n"
	".note { fill: #b00020 }\n"
	".label { text-anchor: end }\n"
	".none { fill: #aaa }\n"
	".axis { stroke: #888; fill: none }\n"
	"</style>\n";

char *histograms_make_svg(const struct histogram_report *report,
			  size_t *length)
{
	struct section sections[HISTOGRAM_KINDS];
	unsigned int height = PAGE_HEAD, y = PAGE_HEAD;
	char *content = NULL;
	FILE *svg = open_memstream(&content, length);

	if (!svg)
		fail_environment("out of memory");
	for (int kind = 0; kind < HISTOGRAM_KINDS; kind++) {
		collect(&sections[kind], kind, report->histograms);
		height += section_height(&sections[kind]);
	}
	fprintf(svg,
		"<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%u\" viewBox=\"0 0 %d %u\">\n",
		WIDTH, height + MARGIN, WIDTH, height + MARGIN);
	fputs(style, svg);
	fputs("<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n", svg);
	print_page_head(svg, report);
	if (height == PAGE_HEAD)
		fprintf(svg, "<text class=\"summary\" x=\"%d\" y=\"%d\">Nothing was counted.</text>\n",
			MARGIN, PAGE_HEAD + 8);
	for (int kind = 0; kind < HISTOGRAM_KINDS; kind++) {
		print_section(svg, &sections[kind], y);
		y += section_height(&sections[kind]);
	}
	fputs("</svg>\n", svg);
	if (fclose(svg))
		fail_environment("out of memory");
	return content;
}
