// SPDX-License-Identifier: GPL-2.0
/* One record for each event of path migration, as it happens. */
#include "apm_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bpf_load.h"
#include <apm_events.lskel.h>
#include <apm_fentry.lskel.h>

#include "message.h"
#include "probe.h"

struct apm_log {
	enum apm_mode mode;
	struct apm_events_bpf *events;	/* one of these two */
	struct apm_fentry_bpf *fentry;
	struct records *records;
};

const char *apm_mode_name(enum apm_mode mode)
{
	return mode == APM_EVENTS ? "events" : "fentry";
}

/* What the programs of each mode are attached to, by the module it is in */
static const struct {
	const char *module;
	const char *event;
} events[] = {
	{ "ib_cm", "icm_apm_state" },
	{ "ib_cm", "icm_migrate" },
	{ "ib_core", "ib_qp_path_mig" },
};

static const struct {
	const char *module;
	const char *function;
} functions[] = {
	{ "ib_core", "ib_modify_qp" },
	{ "ib_core", "ib_modify_qp_with_udata" },
	{ "ib_core", "__ib_qp_event_handler" },
	{ "ib_cm", "ib_cm_notify" },
	{ "ib_cm", "cm_recv_handler" },
};

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

enum apm_mode apm_probe(char *why, size_t size)
{
	char type[64];

	if (!probe_module("ib_core", why, size) ||
	    !probe_module("ib_cm", why, size) || !probe_rights(why, size))
		fail_environment("%s", why);
	for (size_t i = 0; i < ARRAY_SIZE(events); i++) {
		snprintf(type, sizeof(type), "btf_trace_%s", events[i].event);
		if (module_btf_names(events[i].module, type))
			continue;
		snprintf(why, size, "this kernel's %s has no event %s",
			 events[i].module, events[i].event);
		goto no_events;
	}
	return APM_EVENTS;

no_events:
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		if (!module_btf_names(functions[i].module,
				      functions[i].function))
			fail_environment("%s, and no function %s; load the patched modules",
					 why, functions[i].function);
	}
	return APM_FENTRY;
}

static int load_events(void *bpf)
{
	return apm_events_bpf__load(bpf);
}

static int load_fentry(void *bpf)
{
	return apm_fentry_bpf__load(bpf);
}

static int start_events(struct apm_log *log, size_t buffer_size, bool verbose)
{
	struct apm_events_bpf *bpf = apm_events_bpf__open();

	if (!bpf)
		fail_environment("out of memory");
	log->events = bpf;
	bpf->maps.records.max_entries = buffer_size;
	bpf_load(&bpf->ctx, load_events, bpf, verbose);
	log->records = records_open(bpf->maps.records.map_fd);
	return apm_events_bpf__attach(bpf);
}

static int start_fentry(struct apm_log *log, size_t buffer_size, bool verbose)
{
	struct apm_fentry_bpf *bpf = apm_fentry_bpf__open();

	if (!bpf)
		fail_environment("out of memory");
	log->fentry = bpf;
	bpf->maps.records.max_entries = buffer_size;
	bpf_load(&bpf->ctx, load_fentry, bpf, verbose);
	log->records = records_open(bpf->maps.records.map_fd);
	return apm_fentry_bpf__attach(bpf);
}

struct apm_log *apm_log_start(enum apm_mode mode, size_t buffer_size,
			      bool verbose)
{
	struct apm_log *log = allocate(1, sizeof(*log));
	int error;

	log->mode = mode;
	error = mode == APM_EVENTS ? start_events(log, buffer_size, verbose) :
				     start_fentry(log, buffer_size, verbose);
	if (error)
		bpf_refused("attach the BPF programs", error);
	return log;
}

struct records *apm_log_records(const struct apm_log *log)
{
	return log->records;
}

/* The links are forgotten, or they would be closed once more at the end */
void apm_log_stop(struct apm_log *log)
{
	if (log->mode == APM_EVENTS) {
		apm_events_bpf__detach(log->events);
		memset(&log->events->links, 0, sizeof(log->events->links));
	} else {
		apm_fentry_bpf__detach(log->fentry);
		memset(&log->fentry->links, 0, sizeof(log->fentry->links));
	}
}

__u64 apm_log_lost(const struct apm_log *log)
{
	return log->mode == APM_EVENTS ? log->events->bss->lost_records :
					 log->fentry->bss->lost_records;
}

void apm_log_free(struct apm_log *log)
{
	records_free(log->records);
	if (log->mode == APM_EVENTS)
		apm_events_bpf__destroy(log->events);
	else
		apm_fentry_bpf__destroy(log->fentry);
	free(log);
}
