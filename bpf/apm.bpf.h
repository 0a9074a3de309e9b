/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What programs that watch path migration share: one record for each event in
 * a ring buffer. Path migration is rare, so nothing is left out here: the tools
 * do that.
 */

#ifndef MADRETRY_APM_BPF_H
#define MADRETRY_APM_BPF_H

#include <stdbool.h>

#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_endian.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

#include "apm_record.h"

char LICENSE[] SEC("license") = "GPL";

/* The tools set the size */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} records SEC(".maps");

/* Records for which there was no room */
__u64 lost_records;

/* All zero but for time and event; to be submitted, NULL if there is no room */
static __always_inline struct mr_apm_record *new_record(enum mr_apm_event event)
{
	struct mr_apm_record *record;

	record = bpf_ringbuf_reserve(&records, sizeof(*record), 0);
	if (!record) {
		__sync_fetch_and_add(&lost_records, 1);
		return NULL;
	}
	__builtin_memset(record, 0, sizeof(*record));
	record->time_ns = bpf_ktime_get_ns();
	record->event = event;
	return record;
}

#endif /* MADRETRY_APM_BPF_H */
