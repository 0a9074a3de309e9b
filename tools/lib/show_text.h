/* SPDX-License-Identifier: GPL-2.0 */
/* Snapshots as blocks of plain text. */
#ifndef MR_SHOW_TEXT_H
#define MR_SHOW_TEXT_H

#include "column_list.h"
#include "options.h"
#include "view.h"

/* Counting has begun */
void text_start(const struct options *options);

/*
 * The last one is shown as totals since the start, with all digits.
 * @oldest: so many outstanding requests are listed as well.
 */
void text_show(const struct snapshot *snapshot, const struct options *options,
	       const struct order *order, const struct column_list *list,
	       size_t oldest);

#endif
