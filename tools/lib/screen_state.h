/* SPDX-License-Identifier: GPL-2.0 */
/* What the interactive screen shows: set by keys, read when drawing. */
#ifndef MR_SCREEN_STATE_H
#define MR_SCREEN_STATE_H

#include <stdbool.h>

#include "filter.h"
#include "view.h"

struct screen_state {
	const struct snapshot *snapshot;	/* NULL before the first */
	double every_s;
	struct filter filter;
	struct order order;
	enum span span;

	struct mr_key selected;	/* keeps its row when the order changes */
	bool has_selected;	/* by a key, not by default */
	size_t selected_line;	/* of the table; where it was drawn last */
	size_t first_line;	/* of the table, at the top of its part */
	size_t line_count;	/* of the table */
	size_t page;		/* lines of the table that are in sight */

	bool paused;
	bool editing;		/* the filter */
	bool help;
	size_t first_help_line;
	size_t help_line_count;
	char filter_before[sizeof(((struct filter *)0)->text)];
};

#endif
