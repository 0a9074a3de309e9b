/* SPDX-License-Identifier: GPL-2.0 */
/* Snapshots as blocks of plain text. */
#ifndef MR_SHOW_TEXT_H
#define MR_SHOW_TEXT_H

#include "options.h"
#include "view.h"

/* Counting has begun */
void text_start(const struct options *options);

/* The last one is shown as totals since the start, with all digits */
void text_show(const struct snapshot *snapshot, const struct options *options,
	       const struct order *order);

#endif
