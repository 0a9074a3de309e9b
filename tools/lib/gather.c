// SPDX-License-Identifier: GPL-2.0
/* Counts in the kernel, with the BPF programs, and reads what was counted. */
#include "gather.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "madretry.skel.h"
#include "message.h"

struct gather {
	struct madretry_bpf *bpf;
	int cpus;
	struct mr_counters *per_cpu;	/* one row, on each CPU */
	struct timespec started;	/* CLOCK_MONOTONIC */
	double stopped_after_s;		/* 0: not yet */
};

static int print_everything(enum libbpf_print_level level, const char *format,
			    va_list args)
{
	(void)level;
	return vfprintf(stderr, format, args);
}

static double seconds_since(const struct timespec *start)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)(now.tv_sec - start->tv_sec) +
	       (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

static _Noreturn void refused(const char *what, int error, bool verbose)
{
	const char *hint = verbose ? "" : "; -v shows what libbpf says";

	if (error == -EPERM)
		fail_environment("the kernel forbids to %s; run as root, outside of a container",
				 what);
	fail_environment("cannot %s: %s%s", what, strerror(-error), hint);
}

/* The row for what finds no other must be there before the first event */
static int add_other_row(struct gather *gather)
{
	const struct mr_key other = MR_KEY_OTHER;
	struct mr_backoff *backoff = allocate(1, sizeof(*backoff));
	int error;

	error = bpf_map_update_elem(bpf_map__fd(gather->bpf->maps.rows),
				    &other, gather->per_cpu, BPF_ANY);
	if (!error)
		error = bpf_map_update_elem(
			bpf_map__fd(gather->bpf->maps.backoffs), &other,
			backoff, BPF_ANY);
	free(backoff);
	return error;
}

static __u64 to_ns(const struct timespec *time)
{
	return (__u64)time->tv_sec * 1000000000 + (__u64)time->tv_nsec;
}

/* See madretry.bpf.c: the order of the first two matters */
static void end_early_phase(struct gather *gather)
{
	struct madretry_bpf__data *data = gather->bpf->data;
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

struct gather *gather_start(unsigned int max_rows, bool verbose)
{
	struct gather *gather = allocate(1, sizeof(*gather));
	struct madretry_bpf *bpf;
	int error;

	libbpf_set_print(verbose ? print_everything : NULL);
	gather->cpus = libbpf_num_possible_cpus();
	if (gather->cpus < 0)
		refused("count the CPUs", gather->cpus, verbose);
	gather->per_cpu = allocate((size_t)gather->cpus,
				   sizeof(*gather->per_cpu));

	bpf = madretry_bpf__open();
	if (!bpf)
		refused("open the BPF programs", -errno, verbose);
	gather->bpf = bpf;
	bpf_map__set_max_entries(bpf->maps.rows, max_rows + 1);
	bpf_map__set_max_entries(bpf->maps.backoffs, max_rows + 1);

	error = madretry_bpf__load(bpf);
	if (!error)
		error = add_other_row(gather);
	if (error)
		refused("load the BPF programs", error, verbose);
	error = madretry_bpf__attach(bpf);
	if (error)
		refused("attach the BPF programs", error, verbose);
	clock_gettime(CLOCK_MONOTONIC, &gather->started);
	return gather;
}

void gather_stop(struct gather *gather)
{
	madretry_bpf__detach(gather->bpf);
	gather->stopped_after_s = seconds_since(&gather->started);
}

/* Does the device's name come from a request that was seen? It always does */
static void name_row(struct gather *gather, struct snapshot_row *row)
{
	struct mr_device device;

	if (row->is_other) {
		snprintf(row->device, sizeof(row->device), "(other)");
		return;
	}
	if (bpf_map_lookup_elem(bpf_map__fd(gather->bpf->maps.devices),
				&row->key.dev_index, &device))
		snprintf(row->device, sizeof(row->device), "#%u",
			 row->key.dev_index);
	else
		memcpy(row->device, device.name, sizeof(row->device));
	class_name(row->key.mgmt_class, row->class_name,
		   sizeof(row->class_name));
	attribute_name(row->key.mgmt_class, row->key.attr_id, row->attribute,
		       sizeof(row->attribute));
}

static struct mr_backoff *read_backoff(struct gather *gather,
				       const struct mr_key *key)
{
	struct mr_backoff *backoff = allocate(1, sizeof(*backoff));

	if (!bpf_map_lookup_elem(bpf_map__fd(gather->bpf->maps.backoffs), key,
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

	if (bpf_map_lookup_elem(bpf_map__fd(gather->bpf->maps.rows), key,
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
	return true;
}

static void read_rows(struct gather *gather, struct snapshot *now)
{
	int fd = bpf_map__fd(gather->bpf->maps.rows);
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
static __u64 lost_events(struct gather *gather)
{
	struct bpf_program *program;
	__u64 lost = 0;

	bpf_object__for_each_program(program, gather->bpf->obj) {
		struct bpf_prog_info info = {};
		__u32 size = sizeof(info);

		if (!bpf_obj_get_info_by_fd(bpf_program__fd(program), &info,
					    &size))
			lost += info.recursion_misses;
	}
	return lost;
}

void gather_read(struct gather *gather, const struct snapshot *before,
		 struct snapshot *now)
{
	memset(now, 0, sizeof(*now));
	clock_gettime(CLOCK_REALTIME, &now->time);
	now->since_start_s = gather->stopped_after_s;
	if (!now->since_start_s)
		now->since_start_s = seconds_since(&gather->started);
	now->interval_s = now->since_start_s - before->since_start_s;
	end_early_phase(gather);
	read_rows(gather, now);
	now->lost_events = lost_events(gather);
	snapshot_compare(now, before);
}

void gather_free(struct gather *gather)
{
	madretry_bpf__destroy(gather->bpf);
	free(gather->per_cpu);
	free(gather);
}
