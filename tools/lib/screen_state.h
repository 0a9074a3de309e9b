/* SPDX-License-Identifier: GPL-2.0 */
/* What the interactive screen shows: set by keys, read when drawing. */
#ifndef MR_SCREEN_STATE_H
#define MR_SCREEN_STATE_H

#include <stdbool.h>

#include "column_list.h"
#include "filter.h"
#include "mode.h"
#include "view.h"

/* What is below the table */
enum pane {
	PANE_HISTOGRAMS,	/* of the selected row */
	PANE_OLDEST,		/* outstanding requests */
	PANE_NONE,
	PANES
};

/* What covers the table */
enum overlay {
	OVERLAY_NONE,
	OVERLAY_HELP,
	OVERLAY_COLUMNS,
};

/* Columns are chosen from a list of all: those shown first, in their order */
struct column_chooser {
	const struct column *all[COLUMNS_MAX];
	bool shown[COLUMNS_MAX];
	size_t cursor;
	size_t first_line;
};

struct screen_state {
	const struct snapshot *snapshot;	/* NULL before the first */
	enum trace_mode mode;
	double every_s;
	struct filter filter;
	struct order order;
	enum span span;
	struct column_list columns;
	unsigned int by;	/* wanted; the snapshot's until that is there */
	bool counted_anew;	/* because that was changed */
	enum pane pane;
	enum overlay overlay;

	struct mr_key selected;	/* keeps its row when the order changes */
	bool has_selected;	/* by a key, not by default */
	size_t selected_line;	/* of the table; where it was drawn last */
	size_t first_line;	/* of the table, at the top of its part */
	size_t line_count;	/* of the table */
	size_t page;		/* lines of the table that are in sight */

	bool paused;
	bool editing;		/* the filter */
	char filter_before[sizeof(((struct filter *)0)->text)];
	size_t first_help_line;
	size_t help_line_count;
	struct column_chooser chooser;
};

#endif
