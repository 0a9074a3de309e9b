// SPDX-License-Identifier: GPL-2.0
/* Counts in the kernel, with the BPF programs, and reads what was counted. */
#include "gather.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <count_events.lskel.h>

#include "message.h"
#include "parties.h"
#include "requests.h"

/* For what the kernel has to say about the programs */
#define LOG_SIZE (1 << 20)

struct gather {
	struct count_events_bpf *bpf;
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

static _Noreturn void refused(const char *what, int error, bool verbose)
{
	const char *hint = verbose ? "" : "; -v shows what the kernel says";

	if (error == -EPERM)
		fail_environment("the kernel forbids to %s; run as root, outside of a container",
				 what);
	fail_environment("cannot %s: %s%s", what, strerror(-error), hint);
}

/* The row for what finds no other must be there before the first event */
static int add_other_row(struct gather *gather)
{
	int backoffs = gather->bpf->maps.backoffs.map_fd;
	int rows = gather->bpf->maps.rows.map_fd;
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
	struct count_events_bpf__data *data = gather->bpf->data;
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	if (to_ns(&now) - to_ns(&gather->started) < MR_EARLY_MIN_NS)
		return;
	if (data->is_early) {
		data->early_until_ns = to_ns(&now);
		__atomic_store_n(&data->is_early, false, __ATOMIC_RELEASE);
	}
	gather->bpf->bss->since_early_us =
		(to_ns(&now) - data->early_until_ns) / 1000;
}

static struct count_events_bpf *open_programs(const struct gather_options *options)
{
	struct count_events_bpf *bpf = count_events_bpf__open();
	unsigned int size = options->max_rows + 1;

	if (!bpf)
		fail_environment("out of memory");
	bpf->rodata->rows_by = options->by;
	bpf->rodata->count_completions = options->completions;
	bpf->rodata->track_retried = options->retried;
	bpf->maps.rows.max_entries = size;
	bpf->maps.backoffs.max_entries = size;
	if (options->completions)
		bpf->maps.completions.max_entries = size;
	if (options->by & MR_BY_DESTINATION)
		bpf->maps.destinations.max_entries = size;
	if (options->by & MR_BY_CLIENT) {
		bpf->maps.clients.max_entries = size;
		bpf->maps.programs.max_entries = MR_PROGRAMS_MAX;
	}
	return bpf;
}

static void load_programs(struct count_events_bpf *bpf, bool verbose)
{
	char *log = verbose ? allocate(LOG_SIZE, 1) : NULL;
	int error;

	if (log) {
		bpf->ctx.log_level = 1;
		bpf->ctx.log_size = LOG_SIZE;
		bpf->ctx.log_buf = (uintptr_t)log;
	}
	error = count_events_bpf__load(bpf);
	if (log)
		fputs(log, stderr);
	free(log);
	if (error)
		refused("load the BPF programs", error, verbose);
}

/* ib_umad may be loaded while the programs run */
static void find_handlers(struct gather *gather)
{
	__u64 umad = gather->bpf->bss->umad_handler;
	__u64 sa = gather->bpf->bss->sa_handler;

	if (!(gather->options.by & MR_BY_CLIENT))
		return;
	parties_find_handlers(gather->parties, &umad, &sa);
	gather->bpf->bss->umad_handler = umad;
	gather->bpf->bss->sa_handler = sa;
}

struct gather *gather_start(const struct gather_options *options)
{
	struct gather *gather = allocate(1, sizeof(*gather));
	bool verbose = options->verbose;
	int error;

	gather->options = *options;
	gather->cpus = libbpf_num_possible_cpus();
	if (gather->cpus < 0)
		refused("count the CPUs", gather->cpus, verbose);
	gather->per_cpu = allocate((size_t)gather->cpus,
				   sizeof(*gather->per_cpu));
	gather->per_cpu_completions =
		allocate((size_t)gather->cpus,
			 sizeof(*gather->per_cpu_completions));
	gather->parties = parties_new(options->by, options->max_rows + 1);
	gather->bpf = open_programs(options);
	load_programs(gather->bpf, verbose);
	find_handlers(gather);
	error = add_other_row(gather);
	if (error)
		refused("write to a BPF map", error, verbose);
	error = count_events_bpf__attach(gather->bpf);
	if (error)
		refused("attach the BPF programs", error, verbose);
	clock_gettime(CLOCK_MONOTONIC, &gather->started);
	return gather;
}

void gather_list_requests(struct gather *gather, bool list)
{
	int map = gather->bpf->maps.requests.map_fd;

	gather->lists_requests = list;
	gather->bpf->bss->track_all = list;
	/* With completions all are kept anyhow */
	if (!list && !gather->options.completions)
		requests_forget_first_waits(map);
}

void gather_stop(struct gather *gather)
{
	count_events_bpf__detach(gather->bpf);
	/* Or they would be closed once more at the end */
	memset(&gather->bpf->links, 0, sizeof(gather->bpf->links));
	gather->stopped_after_s = seconds_since(&gather->started);
}

static void name_device(struct gather *gather, __u32 index, char *name)
{
	struct mr_device device;

	if (bpf_map_lookup_elem(gather->bpf->maps.devices.map_fd, &index,
				&device))
		snprintf(name, MR_DEVICE_NAME_MAX, "#%u", index);
	else
		memcpy(name, device.name, MR_DEVICE_NAME_MAX);
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

	if (bpf_map_lookup_elem(gather->bpf->maps.completions.map_fd, key,
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

	if (!bpf_map_lookup_elem(gather->bpf->maps.backoffs.map_fd, key,
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

	if (bpf_map_lookup_elem(gather->bpf->maps.rows.map_fd, key,
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
	int fd = gather->bpf->maps.rows.map_fd;
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
	const struct bpf_prog_desc *programs = (void *)&gather->bpf->progs;
	size_t count = sizeof(gather->bpf->progs) / sizeof(*programs);
	__u64 lost = 0;

	for (size_t i = 0; i < count; i++)
		lost += lost_by(programs[i].prog_fd);
	return lost;
}

void gather_read_requests(struct gather *gather, struct snapshot *now)
{
	free(now->requests);
	requests_read(gather->bpf->maps.requests.map_fd, gather->parties, now);
	for (size_t i = 0; i < now->request_count; i++)
		name_device(gather, now->requests[i].dev_index,
			    now->requests[i].device);
	now->requests_missed = gather->bpf->bss->requests_missed;
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
	parties_read(gather->parties, gather->bpf->maps.destinations.map_fd,
		     gather->bpf->maps.clients.map_fd);
	read_rows(gather, now);
	if (gather->lists_requests)
		gather_read_requests(gather, now);
	now->lost_events = lost_events(gather);
	snapshot_compare(now, before);
}

void gather_free(struct gather *gather)
{
	count_events_bpf__destroy(gather->bpf);
	parties_free(gather->parties);
	free(gather->per_cpu_completions);
	free(gather->per_cpu);
	free(gather);
}
