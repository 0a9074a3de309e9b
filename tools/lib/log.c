// SPDX-License-Identifier: GPL-2.0
/* One record for each event of a MAD request, as it happens. */
#include "log.h"

#include <stdlib.h>
#include <string.h>

#include "bpf_load.h"
#include "log_record.h"
#include "madretry.h"
#include <log_events.lskel.h>
#include <log_fentry.lskel.h>
#include <log_kprobe.lskel.h>

#include "device_names.h"
#include "kprobe_programs.h"
#include "message.h"
#include "records.h"

struct log {
	enum trace_mode mode;
	void *object;			/* the skeleton of that mode */
	const __u64 *lost_records;
	int records_fd;
	struct records *records;
	log_handler *handler;
	void *context;
	char device[MR_DEVICE_NAME_MAX]; /* to be filtered here; empty: any */
};

struct start {
	struct log *log;
	struct mr_log_filter filter;
	size_t buffer_size;
	bool verbose;
};

/* The generated functions of an object have its name in theirs */
#define LOG_OF(object_name)						\
static int object_name##_load_it(void *bpf)				\
{									\
	return object_name##__load(bpf);				\
}									\
									\
static int object_name##_load(struct object_name *bpf,			\
			      const struct start *start)		\
{									\
	struct log *log = start->log;					\
	int error;							\
									\
	bpf->rodata->filter = start->filter;				\
	bpf->maps.records.max_entries = start->buffer_size;		\
	error = bpf_try_load(&bpf->ctx, object_name##_load_it, bpf,	\
			     start->verbose);				\
	if (error) {							\
		object_name##__destroy(bpf);				\
		return error;						\
	}								\
	log->object = bpf;						\
	log->records_fd = bpf->maps.records.map_fd;			\
	log->lost_records = &bpf->bss->lost_records;			\
	return 0;							\
}									\
									\
static void object_name##_detach(struct log *log)			\
{									\
	struct object_name *bpf = log->object;				\
									\
	object_name##__detach(bpf);					\
	/* Or they would be closed once more at the end */		\
	memset(&bpf->links, 0, sizeof(bpf->links));			\
}									\
									\
static void object_name##_unload(struct log *log)			\
{									\
	object_name##__destroy(log->object);				\
}

LOG_OF(log_events_bpf)
LOG_OF(log_fentry_bpf)
LOG_OF(log_kprobe_bpf)

static void *opened(void *bpf)
{
	if (!bpf)
		fail_environment("out of memory");
	return bpf;
}

static int load_events(const struct start *start)
{
	return log_events_bpf_load(opened(log_events_bpf__open()), start);
}

static int attach_events(struct log *log)
{
	return log_events_bpf__attach(log->object);
}

static int load_fentry(const struct start *start)
{
	return log_fentry_bpf_load(opened(log_fentry_bpf__open()), start);
}

static int attach_fentry(struct log *log)
{
	return log_fentry_bpf__attach(log->object);
}

/* The programs of this mode do not know the device's name */
static int load_kprobe(const struct start *start)
{
	struct log_kprobe_bpf *bpf = opened(log_kprobe_bpf__open());
	struct start without = *start;

	memcpy(start->log->device, start->filter.device,
	       sizeof(start->log->device));
	memset(without.filter.device, 0, sizeof(without.filter.device));
	if (!kprobe_events_find(&bpf->rodata->send_event,
				&bpf->rodata->recv_event)) {
		log_kprobe_bpf__destroy(bpf);
		return -ENOENT;
	}
	return log_kprobe_bpf_load(bpf, &without);
}

static int attach_kprobe(struct log *log)
{
	struct log_kprobe_bpf *bpf = log->object;

	return KPROBE_PROGRAMS_ATTACH(bpf);
}

static const struct {
	int (*load)(const struct start *start);
	int (*attach)(struct log *log);
	void (*detach)(struct log *log);
	void (*unload)(struct log *log);
} objects[MODES] = {
	[MODE_EVENTS] = {
		load_events, attach_events,
		log_events_bpf_detach, log_events_bpf_unload,
	},
	[MODE_FENTRY] = {
		load_fentry, attach_fentry,
		log_fentry_bpf_detach, log_fentry_bpf_unload,
	},
	[MODE_KPROBE] = {
		load_kprobe, attach_kprobe,
		log_kprobe_bpf_detach, log_kprobe_bpf_unload,
	},
};

static bool start_in_mode(enum trace_mode mode, void *context, char *why,
			  size_t size)
{
	const struct start *start = context;
	struct log *log = start->log;
	int error = objects[mode].load(start);

	if (error) {
		bpf_why(why, size, "load the BPF programs", error);
		return false;
	}
	log->mode = mode;
	log->records = records_open(log->records_fd);
	error = objects[mode].attach(log);
	if (!error)
		return true;
	bpf_why(why, size, "attach the BPF programs", error);
	records_free(log->records);
	objects[mode].unload(log);
	return false;
}

struct log *log_start(struct options *options,
		      const struct mr_log_filter *filter, size_t buffer_size)
{
	struct start start = {
		.log = allocate(1, sizeof(*start.log)),
		.filter = *filter,
		.buffer_size = buffer_size,
		.verbose = options->verbose,
	};

	mode_choose(&options->mode, start_in_mode, &start, options->verbose);
	return start.log;
}

int log_file(const struct log *log)
{
	return records_file(log->records);
}

static void handle(const void *data, void *context)
{
	struct mr_log_record record;
	struct log *log = context;

	memcpy(&record, data, sizeof(record));
	if (!record.device[0])
		device_name(record.dev_index, record.device,
			    sizeof(record.device));
	if (log->device[0] && strcmp(log->device, record.device))
		return;
	log->handler(&record, log->context);
}

bool log_read(struct log *log, log_handler *handler, void *context)
{
	log->handler = handler;
	log->context = context;
	return records_read(log->records, handle, log);
}

struct timespec log_time(const struct log *log,
			 const struct mr_log_record *record)
{
	return records_time(log->records, record->time_ns);
}

void log_stop(struct log *log)
{
	objects[log->mode].detach(log);
}

__u64 log_lost(const struct log *log)
{
	return *log->lost_records;
}

void log_free(struct log *log)
{
	records_free(log->records);
	objects[log->mode].unload(log);
	free(log);
}
