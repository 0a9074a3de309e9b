// SPDX-License-Identifier: GPL-2.0
/* What this kernel, and this user's rights, allow the tools to do. */
#include "probe.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/capability.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kprobe_programs.h"
#include "message.h"
#include "perf_attach.h"
#include "trace_event.h"

#define KERNEL_BTF	"/sys/kernel/btf/vmlinux"
/* For klogctl(); glibc has no names for these */
#define LOG_READ_ALL	3
#define LOG_SIZE_BUFFER	10

#define LOCKDOWN	"/sys/kernel/security/lockdown"

static const char *const events[] = {
	"ib_mad_post", "ib_mad_retry", "ib_mad_busy", "ib_mad_timeout",
	"ib_mad_done", "ib_mad_backoff_reset", NULL
};

/* In stock.bpf.h */
static const char *const functions[] = {
	"timeout_sends", "ib_post_send_mad", "ib_send_mad", "ib_find_send_mad",
	"ib_mad_complete_send_wr", "ib_free_send_mad", NULL
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

static bool probe_loaded(const char *module, char *why, size_t size)
{
	char path[128];

	if (!exists("/sys/module")) {
		snprintf(why, size, "/sys is not mounted");
		return false;
	}
	snprintf(path, sizeof(path), "/sys/module/%s", module);
	if (exists(path))
		return true;
	snprintf(why, size,
		 "the module %s is not loaded; load it, or an RDMA driver, with modprobe",
		 module);
	return false;
}

/* The kernel says why it takes no BTF of a module in its log only */
static bool log_tells_of_mismatch(const char *module)
{
	int size = klogctl(LOG_SIZE_BUFFER, NULL, 0);
	char refused[128], *log;
	bool found = false;

	if (size <= 0)
		return false;
	log = allocate((size_t)size + 1, 1);
	if (klogctl(LOG_READ_ALL, log, size) > 0) {
		snprintf(refused, sizeof(refused),
			 "failed to validate module [%s] BTF", module);
		/* Without a name, once only, if such modules may be loaded */
		found = strstr(log, refused) ||
			strstr(log, "Kernel module BTF mismatch detected");
	}
	free(log);
	return found;
}

static bool probe_btf(const char *module, char *why, size_t size)
{
	char path[128];

	if (!exists(KERNEL_BTF)) {
		snprintf(why, size,
			 "this kernel has no BTF (" KERNEL_BTF "); it must be built with CONFIG_DEBUG_INFO_BTF");
		return false;
	}
	find_btf(module, path, sizeof(path));
	if (exists(path))
		return true;
	if (log_tells_of_mismatch(module))
		snprintf(why, size,
			 "the kernel has refused the BTF of the module %s (BTF mismatch): it was built for another kernel; build it again for this one",
			 module);
	else
		snprintf(why, size,
			 "the module %s has no BTF (%s); build it again with pahole (package dwarves) installed",
			 module, path);
	return false;
}

bool probe_module(const char *module, char *why, size_t size)
{
	return probe_loaded(module, why, size) && probe_btf(module, why, size);
}

/* A harmless question that needs the same rights; 0 or errno */
static int ask_bpf(void)
{
	union bpf_attr attr = {};

	return syscall(SYS_bpf, BPF_PROG_GET_NEXT_ID, &attr, sizeof(attr)) ?
	       errno : 0;
}

bool probe_rights(char *why, size_t size)
{
	int answer = ask_bpf();

	if (answer == ENOSYS) {
		snprintf(why, size,
			 "this kernel has no BPF; it must be built with CONFIG_BPF_SYSCALL");
		return false;
	}
	if (!is_privileged()) {
		snprintf(why, size,
			 "the right to trace the kernel is missing (CAP_SYS_ADMIN); run as root");
		return false;
	}
	if (answer == EPERM) {
		snprintf(why, size,
			 "the kernel forbids the use of BPF; run as root, outside of a container");
		return false;
	}
	if (is_confidential()) {
		snprintf(why, size,
			 "the kernel is locked down (confidentiality), which forbids BPF to read its memory");
		return false;
	}
	return true;
}

bool probe_tracing(char *why, size_t size)
{
	return probe_loaded("ib_core", why, size) && probe_rights(why, size);
}

/* The first of @names that is not there, with @prefix, NULL if all are */
static const char *missing_from_btf(const char *prefix,
				    const char *const *names)
{
	char name[64];

	for (; *names; names++) {
		snprintf(name, sizeof(name), "%s%s", prefix, *names);
		if (!module_btf_names("ib_core", name))
			return *names;
	}
	return NULL;
}

static bool probe_events(char *why, size_t size)
{
	const char *event = missing_from_btf("btf_trace_", events);

	if (!event)
		return true;
	snprintf(why, size,
		 "this kernel's ib_core has no madretry events (ib_mad:%s is missing); load the patched ib_core",
		 event);
	return false;
}

static bool probe_functions(char *why, size_t size)
{
	const char *function = missing_from_btf("", functions);

	if (!function)
		return true;
	snprintf(why, size,
		 "ib_core has no function %s to attach to: it was inlined, or this is another version",
		 function);
	return false;
}

/* Exported functions and static ones, with modules' */
static bool kernel_has_function(const char *name)
{
	FILE *symbols = fopen("/proc/kallsyms", "re");
	char line[256], symbol[128];
	bool found = false;

	while (symbols && !found && fgets(line, sizeof(line), symbols))
		found = sscanf(line, "%*s %*s %127s", symbol) == 1 &&
			!strcmp(symbol, name);
	if (symbols)
		fclose(symbols);
	return found;
}

static bool probe_kprobes(char *why, size_t size)
{
	struct mr_send_event send;
	struct mr_recv_event recv;

	if (!tracefs()) {
		snprintf(why, size,
			 "tracefs is not mounted; mount -t tracefs nodev /sys/kernel/tracing");
		return false;
	}
	if (trace_event_id("ib_mad/ib_mad_ib_send_mad") < 0) {
		snprintf(why, size,
			 "ib_core was built without its trace events (ib_mad); it needs CONFIG_TRACEPOINTS and a kernel from 5.1");
		return false;
	}
	if (!kprobe_events_find(&send, &recv)) {
		snprintf(why, size,
			 "the trace events of this ib_core have other fields than are known here");
		return false;
	}
	if (!perf_has_kprobes()) {
		snprintf(why, size,
			 "this kernel has no kprobes; it must be built with CONFIG_KPROBE_EVENTS");
		return false;
	}
	if (!kernel_has_function("timeout_sends")) {
		snprintf(why, size,
			 "ib_core has no function timeout_sends to attach to: it was inlined, or this is another version");
		return false;
	}
	return true;
}

bool probe_mode(enum trace_mode mode, char *why, size_t size)
{
	switch (mode) {
	case MODE_EVENTS:
		return probe_btf("ib_core", why, size) &&
		       probe_events(why, size);
	case MODE_FENTRY:
		return probe_btf("ib_core", why, size) &&
		       probe_functions(why, size);
	case MODE_KPROBE:
		return probe_kprobes(why, size);
	default:
		return false;
	}
}
