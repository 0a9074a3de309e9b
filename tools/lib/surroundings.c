// SPDX-License-Identifier: GPL-2.0
/* What a tool needs of the machine before it begins. */
#include "surroundings.h"

#include "devices.h"
#include "message.h"
#include "probe.h"

void require_filtered(const struct filter *filter)
{
	if (filter->device)
		require_device(filter->device);
	if (filter->port >= 0)
		require_port(filter->device, filter->port);
}

void require_tracing(const struct filter *filter)
{
	char why[256];

	if (!probe_tracing(why, sizeof(why)))
		fail_environment("%s", why);
	require_filtered(filter);
}
