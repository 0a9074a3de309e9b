/* SPDX-License-Identifier: GPL-2.0 */
/* Snapshots as text for Prometheus. The man page lists the metrics. */
#ifndef MR_EXPOSITION_H
#define MR_EXPOSITION_H

#include <stddef.h>

#include "filter.h"

enum exposition_format {
	EXPOSITION_OPENMETRICS,	/* OpenMetrics 1.0 */
	EXPOSITION_TEXT,	/* Prometheus' own, version 0.0.4 */
};

/* What HTTP calls it */
const char *exposition_content_type(enum exposition_format format);

/*
 * All metrics of the rows that @filter wants, counted since the start; @mode:
 * where they come from. To be freed by the caller.
 */
char *exposition_make(const struct snapshot *snapshot,
		      const struct filter *filter, const char *mode,
		      enum exposition_format format, size_t *length);

#endif
