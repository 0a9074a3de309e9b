/* SPDX-License-Identifier: GPL-2.0 */
/* Histograms as text, as JSON and as a picture. */
#ifndef MR_SHOW_HISTOGRAMS_H
#define MR_SHOW_HISTOGRAMS_H

#include "histograms.h"
#include "options.h"

/* What is said about all histograms together */
struct histogram_report {
	const struct histograms *histograms;
	const struct options *options;
	struct timespec end;	/* CLOCK_REALTIME */
	double seconds;		/* that the numbers are about */
	double since_start_s;
	bool is_last;
	__u64 lost_events;
	const char *mode;
	const char *limits;	/* what numbers of this mode lack, or NULL */
	const char *notes;	/* what is wrong with the numbers, or NULL */
	struct mr_counters sum;	/* of the rows, in this time */
};

/* Blocks of plain text with a bar for each bucket */
void histograms_show_text(const struct histogram_report *report);

/* An object of type "histograms", in one line; the man page has the fields */
void histograms_show_json(const struct histogram_report *report);

/* An SVG picture, complete in itself; to be freed */
char *histograms_make_svg(const struct histogram_report *report,
			  size_t *length);

#endif
