// SPDX-License-Identifier: GPL-2.0
/* Counts in the kernel, with the BPF programs, and reads what was counted. */
#include "gather.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf_load.h"
#include "counters.h"
#include "device_names.h"
#include "message.h"
#include "parties.h"
#include "requests.h"

struct gather {
	struct counters counters;
	int cpus;
	struct gather_options options;
	struct parties *parties;
	struct mr_counters *per_cpu;	/* one row, on each CPU */
	struct mr_completions *per_cpu_completions;
	bool lists_requests;
	struct timespec started;	/* CLOCK_MONOTONIC */
	double stopped_after_s;		/* 0: not yet */
};

static double seconds_since(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - start->tv_sec) +
	       (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

/* The row for what finds no other must be there before the first event */
static int add_other_row(struct gather *gather)
{
	int backoffs = gather->counters.backoffs_fd;
	int rows = gather->counters.rows_fd;
	const struct mr_key other = MR_KEY_OTHER;
	struct mr_backoff *backoff = allocate(1, sizeof(*backoff));
	int error;

	error = bpf_map_update_elem(rows, &other, gather->per_cpu, BPF_ANY);
	if (!error)
		error = bpf_map_update_elem(backoffs, &other, backoff,
					    BPF_ANY);
	free(backoff);
	return error;
}

static __u64 to_ns(const struct timespec *time)
{
	return (__u64)time->tv_sec * 1000000000 + (__u64)time->tv_nsec;
}

/* See count.bpf.h: the order of the first two matters */
static void end_early_phase(struct gather *gather)
{
	struct counters *counters = &gather->counters;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (to_ns(&now) - to_ns(&gather->started) < MR_EARLY_MIN_NS)
		return;
	if (*counters->is_early) {
		*counters->early_until_ns = to_ns(&now);
		__atomic_store_n(counters->is_early, false, __ATOMIC_RELEASE);
	}
	*counters->since_early_us =
		(to_ns(&now) - *counters->early_until_ns) / 1000;
}

/* ib_umad may be loaded while the programs run */
static void find_handlers(struct gather *gather)
{
	const struct counters *counters = &gather->counters;
	__u64 umad = *counters->umad_handler;
	__u64 sa = *counters->sa_handler;

	if (!(gather->options.by & MR_BY_CLIENT))
		return;
	parties_find_handlers(gather->parties, &umad, &sa);
	*counters->umad_handler = umad;
	*counters->sa_handler = sa;
}

static bool start_in_mode(enum trace_mode mode, void *context, char *why,
			  size_t size)
{
	struct gather *gather = context;
	struct counters *counters = &gather->counters;
	const char *what = "load the BPF programs";
	int error;

	if (mode == MODE_KPROBE && gather->options.by & MR_BY_CLIENT) {
		snprintf(why, size,
			 "rows by client need BTF of ib_core, or do without them");
		return false;
	}
	error = counters_load(counters, mode, &gather->options);
	if (error) {
		bpf_why(why, size, what, error);
		return false;
	}
	find_handlers(gather);
	what = "write to a BPF map";
	error = add_other_row(gather);
	if (!error) {
		what = "attach the BPF programs";
		error = counters_attach(counters);
	}
	if (error) {
		bpf_why(why, size, what, error);
		counters_unload(counters);
	}
	return !error;
}

struct gather *gather_start(const struct gather_options *options)
{
	struct gather *gather = allocate(1, sizeof(*gather));

	gather->options = *options;
	gather->cpus = libbpf_num_possible_cpus();
	if (gather->cpus < 0)
		fail_environment("cannot count the CPUs: %s",
				 strerror(-gather->cpus));
	gather->per_cpu = allocate((size_t)gather->cpus,
				   sizeof(*gather->per_cpu));
	gather->per_cpu_completions =
		allocate((size_t)gather->cpus,
			 sizeof(*gather->per_cpu_completions));
	gather->parties = parties_new(options->by, options->max_rows + 1);
	mode_choose(options->mode, start_in_mode, gather, options->verbose);
	clock_gettime(CLOCK_MONOTONIC, &gather->started);
	return gather;
}

void gather_list_requests(struct gather *gather, bool list)
{
	int map = gather->counters.requests_fd;

	gather->lists_requests = list;
	*gather->counters.track_all = list;
	/* With completions all are kept anyhow */
	if (!list && !gather->options.completions)
		requests_forget_first_waits(map);
}

void gather_stop(struct gather *gather)
{
	counters_detach(&gather->counters);
	gather->stopped_after_s = seconds_since(&gather->started);
}

static void name_device(struct gather *gather, __u32 index, char *name)
{
	struct mr_device device;
	int unknown;

	/* In mode kprobe the programs do not know the name */
	unknown = bpf_map_lookup_elem(gather->counters.devices_fd, &index,
				      &device);
	if (!unknown && device.name[0]) {
		memcpy(name, device.name, MR_DEVICE_NAME_MAX);
		return;
	}
	memset(&device, 0, sizeof(device));
	if (!device_name(index, device.name, sizeof(device.name))) {
		snprintf(name, MR_DEVICE_NAME_MAX, "#%u", index);
		return;
	}
	memcpy(name, device.name, MR_DEVICE_NAME_MAX);
	/* It has none when it has gone: keep this one, as the programs would */
	bpf_map_update_elem(gather->counters.devices_fd, &index, &device,
			    BPF_ANY);
}

static void name_row(struct gather *gather, struct snapshot_row *row)
{
	if (row->is_other) {
		snprintf(row->device, sizeof(row->device), "(other)");
		return;
	}
	name_device(gather, row->key.dev_index, row->device);
	class_name(row->key.mgmt_class, row->class_name,
		   sizeof(row->class_name));
	if (gather->options.by & MR_BY_ATTRIBUTE)
		attribute_name(row->key.mgmt_class, row->key.attr_id,
			       row->attribute, sizeof(row->attribute));
	parties_name_row(gather->parties, row);
}

static struct mr_completions *read_completions(struct gather *gather,
					       const struct mr_key *key)
{
	struct mr_completions *sum = allocate(1, sizeof(*sum));

	if (bpf_map_lookup_elem(gather->counters.completions_fd, key,
				gather->per_cpu_completions))
		return sum;
	for (int cpu = 0; cpu < gather->cpus; cpu++)
		completions_add(sum, &gather->per_cpu_completions[cpu]);
	return sum;
}

static struct mr_backoff *read_backoff(struct gather *gather,
				       const struct mr_key *key)
{
	struct mr_backoff *backoff = allocate(1, sizeof(*backoff));

	if (!bpf_map_lookup_elem(gather->counters.backoffs_fd, key,
				 backoff))
		return backoff;
	free(backoff);
	return NULL;
}

static bool read_row(struct gather *gather, const struct mr_key *key,
		     struct snapshot_row *row)
{
	const struct mr_key other = MR_KEY_OTHER;
	static const struct mr_counters nothing;

	if (bpf_map_lookup_elem(gather->counters.rows_fd, key,
				gather->per_cpu))
		return false;
	memset(row, 0, sizeof(*row));
	row->key = *key;
	row->is_other = !memcmp(key, &other, sizeof(other));
	for (int cpu = 0; cpu < gather->cpus; cpu++)
		counters_add(&row->total, &gather->per_cpu[cpu]);
	if (row->is_other && !memcmp(&row->total, &nothing, sizeof(nothing)))
		return false;
	/* CPUs are read one after the other, while requests come and go */
	if (row->total.outstanding < 0)
		row->total.outstanding = 0;
	name_row(gather, row);
	if (counters_retries(&row->total))
		row->backoff = read_backoff(gather, key);
	if (gather->options.completions)
		row->completions = read_completions(gather, key);
	return true;
}

static void read_rows(struct gather *gather, struct snapshot *now)
{
	int fd = gather->counters.rows_fd;
	struct mr_key key, *previous = NULL;
	size_t room = 0;

	while (!bpf_map_get_next_key(fd, previous, &key)) {
		previous = &key;
		if (now->row_count == room) {
			room = room ? 2 * room : 16;
			now->rows = realloc(now->rows,
					    room * sizeof(*now->rows));
			if (!now->rows)
				fail_environment("out of memory");
		}
		if (read_row(gather, &key, &now->rows[now->row_count]))
			now->row_count++;
	}
	if (now->row_count)
		qsort(now->rows, now->row_count, sizeof(*now->rows),
		      snapshot_compare_keys);
}

/* Events that met a program already running on the same CPU are not counted */
static __u64 lost_by(int program)
{
	struct bpf_prog_info info = {};
	__u32 size = sizeof(info);

	return bpf_obj_get_info_by_fd(program, &info, &size) ?
		       0 : info.recursion_misses;
}

static __u64 lost_events(struct gather *gather)
{
	const struct counters *counters = &gather->counters;
	__u64 lost = 0;

	for (size_t i = 0; i < counters->program_count; i++)
		lost += lost_by(counters->programs[i].prog_fd);
	if (counters->not_followed)
		lost += *counters->not_followed;
	return lost;
}

void gather_read_requests(struct gather *gather, struct snapshot *now)
{
	free(now->requests);
	requests_read(gather->counters.requests_fd, gather->parties, now);
	for (size_t i = 0; i < now->request_count; i++)
		name_device(gather, now->requests[i].dev_index,
			    now->requests[i].device);
	now->requests_missed = *gather->counters.requests_missed;
}

void gather_read(struct gather *gather, const struct snapshot *before,
		 struct snapshot *now)
{
	memset(now, 0, sizeof(*now));
	now->by = gather->options.by;
	clock_gettime(CLOCK_REALTIME, &now->time);
	now->since_start_s = gather->stopped_after_s;
	if (!now->since_start_s)
		now->since_start_s = seconds_since(&gather->started);
	now->interval_s = now->since_start_s - before->since_start_s;
	end_early_phase(gather);
	find_handlers(gather);
	parties_read(gather->parties, gather->counters.destinations_fd,
		     gather->counters.clients_fd);
	read_rows(gather, now);
	if (gather->lists_requests)
		gather_read_requests(gather, now);
	now->lost_events = lost_events(gather);
	if (gather->counters.not_joined)
		now->not_joined = *gather->counters.not_joined;
	snapshot_compare(now, before);
}

void gather_free(struct gather *gather)
{
	counters_unload(&gather->counters);
	parties_free(gather->parties);
	free(gather->per_cpu_completions);
	free(gather->per_cpu);
	free(gather);
}
