// SPDX-License-Identifier: GPL-2.0
/* Which rows are to be shown. */
#include "filter.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

void row_name(const struct snapshot_row *row, char *buffer, size_t size)
{
	if (row->is_other)
		snprintf(buffer, size, "%s", row->device);
	else
		snprintf(buffer, size, "%s/%u %s%s%s%s%s%s%s", row->device,
			 row->key.port, row->class_name,
			 row->attribute[0] ? " " : "", row->attribute,
			 row->destination[0] ? " to " : "", row->destination,
			 row->client[0] ? " by " : "", row->client);
}

/* The same number is another attribute in another class */
bool filter_wants_attribute(const struct filter *filter, __u8 mgmt_class,
			    __u16 attr_id)
{
	char name[ATTRIBUTE_NAME_MAX];

	if (filter->attr_id < 0)
		return true;
	if (filter->attr_id != attr_id)
		return false;
	if (!filter->attribute)
		return true;
	attribute_name(mgmt_class, attr_id, name, sizeof(name));
	return !strcasecmp(name, filter->attribute);
}

/* What is in the row of "other" is not known: it is never left out silently */
bool filter_matches(const struct filter *filter,
		    const struct snapshot_row *row)
{
	char name[ROW_NAME_MAX];

	if (row->is_other)
		return true;
	if (filter->device && strcmp(filter->device, row->device))
		return false;
	if (filter->port >= 0 && (__u32)filter->port != row->key.port)
		return false;
	if (filter->mgmt_class >= 0 &&
	    filter->mgmt_class != row->key.mgmt_class)
		return false;
	if (!filter_wants_attribute(filter, row->key.mgmt_class,
				    row->key.attr_id))
		return false;
	if (!filter->text[0])
		return true;
	row_name(row, name, sizeof(name));
	return strcasestr(name, filter->text);
}

bool filter_matches_request(const struct filter *filter,
			    const struct snapshot_request *request)
{
	struct snapshot_row row = {
		.key = {
			.port = request->port,
			.attr_id = request->attr_id,
			.mgmt_class = request->mgmt_class,
		},
	};

	memcpy(row.device, request->device, sizeof(row.device));
	memcpy(row.class_name, request->class_name, sizeof(row.class_name));
	memcpy(row.destination, request->destination,
	       sizeof(row.destination));
	memcpy(row.attribute, request->attribute, sizeof(row.attribute));
	return filter_matches(filter, &row);
}
