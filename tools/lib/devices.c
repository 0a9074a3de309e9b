// SPDX-License-Identifier: GPL-2.0
/* The RDMA devices of this machine, as sysfs lists them. */
#include "devices.h"

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "message.h"

#define DEVICES "/sys/class/infiniband"

static bool has_port(const char *device, int port)
{
	char path[256];
	int length = snprintf(path, sizeof(path), DEVICES "/%s/ports/%d",
			      device, port);

	return length < (int)sizeof(path) && !access(path, F_OK);
}

/* Calls @each until it returns true; returns whether it did */
static bool any_device(bool (*each)(const char *device, void *context),
		       void *context)
{
	DIR *folder = opendir(DEVICES);
	struct dirent *entry;
	bool found = false;

	if (!folder)
		return false;
	while (!found && (entry = readdir(folder)))
		found = entry->d_name[0] != '.' &&
			each(entry->d_name, context);
	closedir(folder);
	return found;
}

static bool add_name(const char *device, void *context)
{
	char **list = context;
	char *longer;

	if (asprintf(&longer, "%s%s%s", *list, **list ? ", " : "", device) < 0)
		fail_environment("out of memory");
	free(*list);
	*list = longer;
	return false;
}

static bool same_name(const char *device, void *context)
{
	return !strcmp(device, context);
}

static bool device_has_port(const char *device, void *context)
{
	return has_port(device, *(int *)context);
}

void require_device(const char *device)
{
	char *list = duplicate("");

	if (any_device(same_name, (void *)device)) {
		free(list);
		return;
	}
	any_device(add_name, &list);
	if (!*list)
		fail_usage("no device '%s'; there is no RDMA device at all",
			   device);
	fail_usage("no device '%s'; there are: %s", device, list);
}

void require_port(const char *device, int port)
{
	if (device ? has_port(device, port) :
		     any_device(device_has_port, &port))
		return;
	if (device)
		fail_usage("%s has no port %d", device, port);
	fail_usage("no device has a port %d", port);
}
