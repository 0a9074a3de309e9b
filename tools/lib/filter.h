/* SPDX-License-Identifier: GPL-2.0 */
/* Which rows are to be shown. */
#ifndef MR_FILTER_H
#define MR_FILTER_H

#include <stdbool.h>

#include "snapshot.h"

struct filter {
	const char *device;	/* NULL: any */
	int port;		/* negative: any */
	int mgmt_class;		/* negative: any */
	int attr_id;		/* negative: any */
	const char *attribute;	/* by name, so only where it has this one */
	char text[64];		/* part of the row's name; empty: any */
};

#define FILTER_NONE ((struct filter){ .port = -1, .mgmt_class = -1, \
				       .attr_id = -1 })

/* Of the filter, what concerns the attribute of a MAD of this class */
bool filter_wants_attribute(const struct filter *filter, __u8 mgmt_class,
			    __u16 attr_id);

/* Long enough for row_name() */
#define ROW_NAME_MAX \
	(MR_DEVICE_NAME_MAX + CLASS_NAME_MAX + ATTRIBUTE_NAME_MAX + \
	 DESTINATION_NAME_MAX + CLIENT_NAME_MAX + 32)

/* "rxe0/1 SA PathRecord to LID 4 by saquery[123]" */
void row_name(const struct snapshot_row *row, char *buffer, size_t size);

bool filter_matches(const struct filter *filter,
		    const struct snapshot_row *row);

bool filter_matches_request(const struct filter *filter,
			    const struct snapshot_request *request);

#endif
