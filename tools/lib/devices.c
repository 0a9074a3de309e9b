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

static int is_name(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

/* Their names, in order; returns how many there are */
static int list_devices(struct dirent ***list)
{
	int count = scandir(DEVICES, list, is_name, alphasort);

	return count < 0 ? 0 : count;
}

static _Noreturn void no_device(const char *device, struct dirent **list,
				int count)
{
	char *names = NULL;
	size_t size;
	FILE *text = open_memstream(&names, &size);

	if (!count)
		fail_usage("no device '%s'; there is no RDMA device at all: load its driver",
			   device);
	if (!text)
		fail_environment("out of memory");
	for (int i = 0; i < count; i++)
		fprintf(text, "%s%s", i ? ", " : "", list[i]->d_name);
	fclose(text);
	fail_usage("no device '%s'; there are: %s", device, names);
}

static void free_list(struct dirent **list, int count)
{
	for (int i = 0; i < count; i++)
		free(list[i]);
	if (count)
		free(list);
}

void require_device(const char *device)
{
	struct dirent **list;
	int count = list_devices(&list);
	bool found = false;

	for (int i = 0; i < count && !found; i++)
		found = !strcmp(list[i]->d_name, device);
	if (!found)
		no_device(device, list, count);
	free_list(list, count);
}

void require_port(const char *device, int port)
{
	struct dirent **list;
	int count = list_devices(&list);
	bool found = false;

	if (device && !has_port(device, port))
		fail_usage("%s has no port %d", device, port);
	for (int i = 0; i < count && !found; i++)
		found = has_port(list[i]->d_name, port);
	if (!found)
		fail_usage("no device has a port %d", port);
	free_list(list, count);
}
