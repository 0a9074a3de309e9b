/* SPDX-License-Identifier: GPL-2.0 */
/* Snapshots as JSON, one object a line. The man page lists the fields. */
#ifndef MR_SHOW_JSON_H
#define MR_SHOW_JSON_H

#include "options.h"
#include "view.h"

/* Counting has begun: an object of type "start" */
void json_start(const struct options *options, unsigned int by);

/*
 * An object of type "snapshot". @oldest: so many outstanding requests are
 * listed as well.
 */
void json_show(const struct snapshot *snapshot, const struct options *options,
	       const struct order *order, size_t oldest);

#endif
