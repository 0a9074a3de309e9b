// SPDX-License-Identifier: GPL-2.0
/* What this kernel, and this user's rights, allow the tools to do. */
#include "probe.h"

#include <fcntl.h>
#include <linux/btf.h>
#include <linux/capability.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"

#define KERNEL_BTF	"/sys/kernel/btf/vmlinux"
#define LOCKDOWN	"/sys/kernel/security/lockdown"

static const char *const events[] = {
	"ib_mad_post", "ib_mad_retry", "ib_mad_busy", "ib_mad_timeout",
	"ib_mad_done", "ib_mad_backoff_reset",
};

static bool exists(const char *path)
{
	return !access(path, F_OK);
}

/* The whole file, NULL if it cannot be read */
static char *read_file(const char *path, size_t *length)
{
	size_t room = 1 << 16, used = 0;
	char *content = allocate(room, 1);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = -1;

	while (fd >= 0 && (got = read(fd, content + used, room - used)) > 0) {
		used += (size_t)got;
		if (used == room) {
			content = realloc(content, room *= 2);
			if (!content)
				fail_environment("out of memory");
		}
	}
	if (fd >= 0)
		close(fd);
	if (got < 0) {
		free(content);
		return NULL;
	}
	*length = used;
	return content;
}

bool btf_file_names(const char *path, const char *type)
{
	const struct btf_header *header;
	size_t length, start, size;
	bool found = false;
	char *content = read_file(path, &length);

	if (!content)
		return false;
	header = (const void *)content;
	if (length >= sizeof(*header) && header->magic == BTF_MAGIC) {
		start = (size_t)header->hdr_len + header->str_off;
		size = header->str_len;
		/* Strings end with a 0, the first one is empty */
		if (start <= length && size <= length - start) {
			char name[128];
			int n = snprintf(name + 1, sizeof(name) - 1, "%s",
					 type);

			name[0] = '\0';
			found = memmem(content + start, size, name,
				       (size_t)n + 2);
		}
	}
	free(content);
	return found;
}

/*
 * Modules' BTF is handed out to CAP_SYS_ADMIN only, whatever CAP_BPF and
 * CAP_PERFMON allow otherwise.
 */
static bool is_privileged(void)
{
	unsigned long long capabilities = 0;
	char line[256];
	FILE *status = fopen("/proc/self/status", "re");

	if (!status)
		return geteuid() == 0;
	while (fgets(line, sizeof(line), status)) {
		if (sscanf(line, "CapEff: %llx", &capabilities) == 1)
			break;
	}
	fclose(status);
	return capabilities & 1ULL << CAP_SYS_ADMIN;
}

static bool is_confidential(void)
{
	size_t length;
	char *state = read_file(LOCKDOWN, &length);
	bool confidential = state && memmem(state, length, "[confidentiality]",
					    strlen("[confidentiality]"));

	free(state);
	return confidential;
}

/* Built into the kernel, a module's types are in the kernel's own BTF */
static void find_btf(const char *module, char *path, size_t size)
{
	char state[128];

	snprintf(state, sizeof(state), "/sys/module/%s/initstate", module);
	if (exists(state))
		snprintf(path, size, "/sys/kernel/btf/%s", module);
	else
		snprintf(path, size, "%s", KERNEL_BTF);
}

bool module_btf_names(const char *module, const char *type)
{
	char path[128];

	find_btf(module, path, sizeof(path));
	return btf_file_names(path, type);
}

bool probe_module(const char *module, char *why, size_t size)
{
	char path[128];

	if (!exists("/sys/module")) {
		snprintf(why, size, "/sys is not mounted");
		return false;
	}
	snprintf(path, sizeof(path), "/sys/module/%s", module);
	if (!exists(path)) {
		snprintf(why, size,
			 "the module %s is not loaded; load it, or an RDMA driver, with modprobe",
			 module);
		return false;
	}
	if (!exists(KERNEL_BTF)) {
		snprintf(why, size,
			 "this kernel has no BTF (" KERNEL_BTF "); it must be built with CONFIG_DEBUG_INFO_BTF");
		return false;
	}
	find_btf(module, path, sizeof(path));
	if (!exists(path)) {
		snprintf(why, size,
			 "the module %s has no BTF (%s); build it again with pahole (package dwarves) installed",
			 module, path);
		return false;
	}
	return true;
}

bool probe_rights(char *why, size_t size)
{
	if (!is_privileged()) {
		snprintf(why, size,
			 "the right to trace the kernel is missing (CAP_SYS_ADMIN); run as root");
		return false;
	}
	if (is_confidential()) {
		snprintf(why, size,
			 "the kernel is locked down (confidentiality), which forbids BPF to read its memory");
		return false;
	}
	return true;
}

static const char *missing_event(void)
{
	char type[64];

	for (size_t i = 0; i < sizeof(events) / sizeof(events[0]); i++) {
		snprintf(type, sizeof(type), "btf_trace_%s", events[i]);
		if (!module_btf_names("ib_core", type))
			return events[i];
	}
	return NULL;
}

bool probe_events(char *why, size_t size)
{
	const char *event;

	if (!probe_module("ib_core", why, size))
		return false;
	event = missing_event();
	if (event) {
		snprintf(why, size,
			 "this kernel's ib_core has no madretry events (ib_mad:%s is missing); load the patched ib_core",
			 event);
		return false;
	}
	return probe_rights(why, size);
}
