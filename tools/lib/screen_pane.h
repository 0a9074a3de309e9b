/* SPDX-License-Identifier: GPL-2.0 */
/* What is below the table: histograms, or the oldest requests. */
#ifndef MR_SCREEN_PANE_H
#define MR_SCREEN_PANE_H

#include "screen_state.h"

/*
 * What the pane would take; 0 if there is nothing to show. @selected: the row
 * that the histograms are of, NULL if there is none.
 */
int pane_lines_wanted(const struct screen_state *state,
		      const struct snapshot_row *selected);

/* From line @y on, in at most @lines */
void pane_draw(const struct screen_state *state,
	       const struct snapshot_row *selected, int y, int lines);

#endif
