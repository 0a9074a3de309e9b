// SPDX-License-Identifier: GPL-2.0
/* The BPF object that counts, whichever mode it is for. */
#include "counters.h"

#include <string.h>

#include "bpf_load.h"
#include "madretry.h"
#include <count_events.lskel.h>
#include <count_fentry.lskel.h>
#include <count_kprobe.lskel.h>

#include "kprobe_programs.h"
#include "message.h"

/*
 * The generated functions of an object have its name in theirs. This gives them
 * one name for each mode, and fills in the struct above.
 */
#define COUNTERS_OF(object_name)					\
static int object_name##_load_it(void *bpf)				\
{									\
	return object_name##__load(bpf);				\
}									\
									\
static int object_name##_load(struct counters *counters,		\
			      struct object_name *bpf,			\
			      const struct gather_options *options)	\
{									\
	unsigned int size = options->max_rows + 1;			\
	int error;							\
									\
	bpf->rodata->rows_by = options->by;				\
	bpf->rodata->count_completions = options->completions;		\
	bpf->rodata->track_retried = options->retried;			\
	bpf->maps.rows.max_entries = size;				\
	bpf->maps.backoffs.max_entries = size;				\
	if (options->completions)					\
		bpf->maps.completions.max_entries = size;		\
	if (options->by & MR_BY_DESTINATION)				\
		bpf->maps.destinations.max_entries = size;		\
	if (options->by & MR_BY_CLIENT) {				\
		bpf->maps.clients.max_entries = size;			\
		bpf->maps.programs.max_entries = MR_PROGRAMS_MAX;	\
	}								\
	error = bpf_try_load(&bpf->ctx, object_name##_load_it, bpf,	\
			     options->verbose);				\
	if (error) {							\
		object_name##__destroy(bpf);				\
		return error;						\
	}								\
	counters->object = bpf;						\
	counters->rows_fd = bpf->maps.rows.map_fd;			\
	counters->backoffs_fd = bpf->maps.backoffs.map_fd;		\
	counters->devices_fd = bpf->maps.devices.map_fd;		\
	counters->destinations_fd = bpf->maps.destinations.map_fd;	\
	counters->clients_fd = bpf->maps.clients.map_fd;		\
	counters->requests_fd = bpf->maps.requests.map_fd;		\
	counters->completions_fd = bpf->maps.completions.map_fd;	\
	counters->programs = (const void *)&bpf->progs;			\
	counters->program_count =					\
		sizeof(bpf->progs) / sizeof(struct bpf_prog_desc);	\
	counters->umad_handler = &bpf->bss->umad_handler;		\
	counters->sa_handler = &bpf->bss->sa_handler;			\
	counters->track_all = &bpf->bss->track_all;			\
	counters->requests_missed = &bpf->bss->requests_missed;		\
	counters->is_early = &bpf->data->is_early;			\
	counters->early_until_ns = &bpf->data->early_until_ns;		\
	counters->since_early_us = &bpf->bss->since_early_us;		\
	return 0;							\
}									\
									\
static inline int object_name##_attach(struct counters *counters)		\
{									\
	return object_name##__attach(counters->object);			\
}									\
									\
static void object_name##_detach(struct counters *counters)		\
{									\
	struct object_name *bpf = counters->object;			\
									\
	object_name##__detach(bpf);					\
	/* Or they would be closed once more at the end */		\
	memset(&bpf->links, 0, sizeof(bpf->links));			\
}									\
									\
static void object_name##_unload(struct counters *counters)		\
{									\
	object_name##__destroy(counters->object);			\
}

COUNTERS_OF(count_events_bpf)
COUNTERS_OF(count_fentry_bpf)
COUNTERS_OF(count_kprobe_bpf)

static void *opened(void *bpf)
{
	if (!bpf)
		fail_environment("out of memory");
	return bpf;
}

static int load_events(struct counters *counters,
		       const struct gather_options *options)
{
	return count_events_bpf_load(counters, opened(count_events_bpf__open()),
				     options);
}

static int load_fentry(struct counters *counters,
		       const struct gather_options *options)
{
	struct count_fentry_bpf *bpf = opened(count_fentry_bpf__open());
	int error = count_fentry_bpf_load(counters, bpf, options);

	if (!error)
		counters->not_followed = &bpf->bss->not_followed;
	return error;
}

static int load_kprobe(struct counters *counters,
		       const struct gather_options *options)
{
	struct count_kprobe_bpf *bpf = opened(count_kprobe_bpf__open());
	int error;

	if (!kprobe_events_find(&bpf->rodata->send_event,
				&bpf->rodata->recv_event)) {
		count_kprobe_bpf__destroy(bpf);
		return -ENOENT;
	}
	error = count_kprobe_bpf_load(counters, bpf, options);
	if (!error) {
		counters->not_followed = &bpf->bss->not_followed;
		counters->not_joined = &bpf->bss->not_joined;
	}
	return error;
}

static int attach_kprobe(struct counters *counters)
{
	struct count_kprobe_bpf *bpf = counters->object;

	return KPROBE_PROGRAMS_ATTACH(bpf);
}

static const struct {
	int (*load)(struct counters *counters, const struct gather_options *options);
	int (*attach)(struct counters *counters);
	void (*detach)(struct counters *counters);
	void (*unload)(struct counters *counters);
} objects[MODES] = {
	[MODE_EVENTS] = {
		load_events,
		count_events_bpf_attach,
		count_events_bpf_detach,
		count_events_bpf_unload,
	},
	[MODE_FENTRY] = {
		load_fentry,
		count_fentry_bpf_attach,
		count_fentry_bpf_detach,
		count_fentry_bpf_unload,
	},
	[MODE_KPROBE] = {
		load_kprobe,
		attach_kprobe,
		count_kprobe_bpf_detach,
		count_kprobe_bpf_unload,
	},
};

int counters_load(struct counters *counters, enum trace_mode mode,
		  const struct gather_options *options)
{
	memset(counters, 0, sizeof(*counters));
	counters->mode = mode;
	return objects[mode].load(counters, options);
}

int counters_attach(struct counters *counters)
{
	return objects[counters->mode].attach(counters);
}

void counters_detach(struct counters *counters)
{
	objects[counters->mode].detach(counters);
}

void counters_unload(struct counters *counters)
{
	objects[counters->mode].unload(counters);
}
