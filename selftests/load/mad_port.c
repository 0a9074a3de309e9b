// SPDX-License-Identifier: GPL-2.0
/* A port opened through umad, with one agent registered on it. */
#include "mad_port.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <infiniband/umad_sa.h>

#include "cmdline.h"

#define UMAD_ABI	SYS_INFINIBAND_MAD "/" IB_UMAD_ABI_FILE
#define METHODS		128
#define LONG_BITS	(CHAR_BIT * sizeof(long))

static const uint8_t served_methods[] = {
	UMAD_METHOD_GET, UMAD_METHOD_SET, UMAD_SA_METHOD_GET_TABLE,
	UMAD_SA_METHOD_GET_TRACE_TABLE, UMAD_SA_METHOD_GET_MULTI,
	UMAD_SA_METHOD_DELETE,
};

static _Noreturn void fail_no_device(const char *device)
{
	char names[UMAD_MAX_DEVICES][UMAD_CA_NAME_LEN];
	char list[UMAD_MAX_DEVICES * (UMAD_CA_NAME_LEN + 1) + 1] = "";
	size_t used = 0;
	int count, i;

	if (access(SYS_INFINIBAND, F_OK))
		fail_input("no RDMA device: load ib_umad and a driver first");

	count = umad_get_cas_names(names, UMAD_MAX_DEVICES);
	for (i = 0; i < count; i++)
		used += (size_t)snprintf(list + used, sizeof(list) - used,
					 " %.*s", UMAD_CA_NAME_LEN, names[i]);
	if (!device)
		fail_input("which device? Give --device; there is:%s",
			   used ? list : " none");
	fail_input("no device '%s'; there is:%s", device, used ? list : " none");
}

static bool device_exists(const char *device)
{
	char path[PATH_MAX];

	/* A name with a slash would lead out of the folder. */
	if (!*device || strchr(device, '/') || !strcmp(device, ".") ||
	    !strcmp(device, ".."))
		return false;
	snprintf(path, sizeof(path), SYS_INFINIBAND "/%s", device);
	return !access(path, F_OK);
}

void mad_port_check(const char *device, int port, umad_port_t *port_info)
{
	char path[PATH_MAX];

	if (access(UMAD_ABI, F_OK))
		fail_input("no management datagrams from user space: load ib_umad first");
	if (umad_init() < 0)
		fail_input("libibumad does not know this kernel's umad interface");
	if (!device || !device_exists(device))
		fail_no_device(device);

	snprintf(path, sizeof(path), SYS_INFINIBAND "/%s/" SYS_CA_PORTS_DIR "/%d",
		 device, port);
	if (access(path, F_OK))
		fail_input("device '%s' has no port %d", device, port);
	memset(port_info, 0, sizeof(*port_info));
	if (umad_get_port(device, port, port_info) < 0)
		fail_input("cannot read the state of %s port %d", device, port);
}

bool class_has_rmpp(uint8_t mgmt_class)
{
	switch (mgmt_class) {
	case UMAD_CLASS_SUBN_ADM:
	case UMAD_CLASS_DEVICE_MGMT:
	case UMAD_CLASS_DEVICE_ADM:
	case UMAD_CLASS_BIS:
		return true;
	default:
		return mgmt_class >= UMAD_CLASS_VENDOR_RANGE2_START &&
		       mgmt_class <= UMAD_CLASS_VENDOR_RANGE2_END;
	}
}

static int open_port(const struct mad_registration *registration)
{
	int fd;

	errno = 0;
	fd = umad_open_port(registration->device, registration->port);
	if (fd >= 0)
		return fd;
	if (errno == EACCES || errno == EPERM)
		fail_input("cannot open umad of %s port %d: %s: run as root",
			   registration->device, registration->port,
			   strerror(errno));
	fail_input("cannot open umad of %s port %d: %s", registration->device,
		   registration->port,
		   errno ? strerror(errno) : "ib_umad does not serve it");
}

struct mad_agent mad_agent_open(const struct mad_registration *registration)
{
	long method_mask[METHODS / LONG_BITS] = { 0 };
	struct mad_agent agent;
	size_t i;

	for (i = 0; registration->serve && i < sizeof(served_methods); i++)
		method_mask[served_methods[i] / LONG_BITS] |=
			1L << served_methods[i] % LONG_BITS;

	agent.fd = open_port(registration);
	errno = 0;
	agent.id = umad_register(agent.fd, registration->mgmt_class,
				 registration->class_version,
				 registration->rmpp ? UMAD_RMPP_VERSION : 0,
				 registration->serve ? method_mask : NULL);
	if (agent.id < 0)
		fail_input("cannot register for class 0x%02x version %u on %s port %d: %s%s",
			   registration->mgmt_class,
			   registration->class_version, registration->device,
			   registration->port, strerror(errno),
			   registration->serve && errno == EINVAL ?
			   " (is another program serving it, such as an SM?)" :
			   "");
	return agent;
}

void mad_agent_close(struct mad_agent *agent)
{
	umad_unregister(agent->fd, agent->id);
	umad_close_port(agent->fd);
}

bool mad_port_packets_sent(const char *device, int port, uint64_t *packets)
{
	char path[PATH_MAX];
	FILE *file;
	bool found;

	snprintf(path, sizeof(path), SYS_INFINIBAND "/%s/" SYS_CA_PORTS_DIR
		 "/%d/hw_counters/sent_pkts", device, port);
	file = fopen(path, "r");
	if (!file)
		return false;
	found = fscanf(file, "%" SCNu64, packets) == 1;
	fclose(file);
	return found;
}
