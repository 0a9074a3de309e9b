// SPDX-License-Identifier: GPL-2.0
/* One record for each event of a MAD request, as it happens. */
#include "log.h"

#include <stdlib.h>
#include <string.h>

#include "bpf_load.h"
#include <log_events.lskel.h>

#include "message.h"
#include "records.h"

struct log {
	struct log_events_bpf *bpf;
	struct records *records;
	log_handler *handler;
	void *context;
};

static int load(void *bpf)
{
	return log_events_bpf__load(bpf);
}

struct log *log_start(const struct mr_log_filter *filter, size_t buffer_size,
		      bool verbose)
{
	struct log *log = allocate(1, sizeof(*log));
	int error;

	log->bpf = log_events_bpf__open();
	if (!log->bpf)
		fail_environment("out of memory");
	log->bpf->rodata->filter = *filter;
	log->bpf->maps.records.max_entries = buffer_size;
	bpf_load(&log->bpf->ctx, load, log->bpf, verbose);
	log->records = records_open(log->bpf->maps.records.map_fd, verbose);
	error = log_events_bpf__attach(log->bpf);
	if (error)
		bpf_refused("attach the BPF programs", error, verbose);
	return log;
}

int log_file(const struct log *log)
{
	return records_file(log->records);
}

static void handle(const void *record, void *context)
{
	struct log *log = context;

	log->handler(record, log->context);
}

void log_read(struct log *log, log_handler *handler, void *context)
{
	log->handler = handler;
	log->context = context;
	records_read(log->records, handle, log);
}

struct timespec log_time(const struct log *log,
			 const struct mr_log_record *record)
{
	return records_time(log->records, record->time_ns);
}

void log_stop(struct log *log)
{
	log_events_bpf__detach(log->bpf);
	/* Or they would be closed once more at the end */
	memset(&log->bpf->links, 0, sizeof(log->bpf->links));
}

__u64 log_lost(const struct log *log)
{
	return log->bpf->bss->lost_records;
}

void log_free(struct log *log)
{
	records_free(log->records);
	log_events_bpf__destroy(log->bpf);
	free(log);
}
