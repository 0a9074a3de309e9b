/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The back that logs: one record for each event that the filter lets pass, in
 * a ring buffer. The filter is in read-only data that is frozen before the
 * programs are loaded, so the verifier removes the tests that were not asked
 * for. An event that does not pass costs one or two comparisons; with a device
 * in the filter, reading its name. One that passes costs a record of 176 bytes.
 */

#ifndef MADRETRY_LOG_BPF_H
#define MADRETRY_LOG_BPF_H

#include <stdbool.h>

#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "log_record.h"

/* The tools set the size */
struct {
	__uint(type, BPF_MAP_TYPE_RINGBUF);
	__uint(max_entries, 1 << 20);
} records SEC(".maps");

const volatile struct mr_log_filter filter = {
	.slower_us = -1,
	.port = -1,
	.mgmt_class = -1,
	.attr_id = -1,
	.events = MR_LOG_ALL_EVENTS,
};

/* Records for which there was no room */
__u64 lost_records;

static __always_inline bool device_passes(const struct mr_req *req)
{
	char name[MR_DEVICE_NAME_MAX] = {};

	if (!filter.device[0])
		return true;
	bpf_probe_read_kernel_str(name, sizeof(name), req->dev_name);
	return !bpf_strncmp(name, sizeof(name), (const char *)filter.device);
}

static __always_inline bool request_passes(const struct mr_req *req)
{
	if (!is_request(req))
		return false;
	if (filter.port >= 0 && (__u32)filter.port != req->port)
		return false;
	if (filter.mgmt_class >= 0 && filter.mgmt_class != req->mgmt_class)
		return false;
	if (filter.attr_id >= 0 && filter.attr_id != req->attr_id)
		return false;
	if (filter.tid_mask && (req->tid & filter.tid_mask) != filter.tid)
		return false;
	return device_passes(req);
}

/* The record, filled in but for what is special to its event */
static __always_inline struct mr_log_record *
new_record(const struct mr_req *req, enum mr_log_event event)
{
	struct mr_log_record *record;

	if (!request_passes(req))
		return NULL;
	record = bpf_ringbuf_reserve(&records, sizeof(*record), 0);
	if (!record) {
		__sync_fetch_and_add(&lost_records, 1);
		return NULL;
	}
	record->time_ns = bpf_ktime_get_ns();
	record->tid = req->tid;
	record->send_buf = req->send_buf;
	record->dev_index = req->dev_index;
	record->port = req->port;
	record->dlid = req->dlid;
	record->attr_mod = req->attr_mod;
	record->attr_id = req->attr_id;
	record->mgmt_class = req->mgmt_class;
	record->method = req->method;
	record->event = event;
	__builtin_memset(record->dgid, 0, sizeof(record->dgid));
	if (req->dgid)
		bpf_probe_read_kernel(record->dgid, sizeof(record->dgid),
				      req->dgid);
	bpf_probe_read_kernel_str(record->device, sizeof(record->device),
				  req->dev_name);
	return record;
}

static __always_inline bool is_wanted(enum mr_log_event event)
{
	return filter.events & 1U << event;
}

static __always_inline void back_post(const struct mr_req *req,
				      const struct mr_post *post)
{
	struct mr_log_record *record;

	if (!is_wanted(MR_LOG_POST))
		return;
	record = new_record(req, MR_LOG_POST);
	if (!record)
		return;
	record->post = *post;
	bpf_ringbuf_submit(record, 0);
}

static __always_inline void back_retry(const struct mr_req *req,
				       const struct mr_retry *retry)
{
	struct mr_log_record *record;

	if (!is_wanted(MR_LOG_RETRY))
		return;
	record = new_record(req, MR_LOG_RETRY);
	if (!record)
		return;
	record->retry = *retry;
	bpf_ringbuf_submit(record, 0);
}

static __always_inline void back_busy(const struct mr_req *req,
				      const struct mr_busy *busy)
{
	struct mr_log_record *record;

	if (!is_wanted(MR_LOG_BUSY))
		return;
	record = new_record(req, MR_LOG_BUSY);
	if (!record)
		return;
	record->busy = *busy;
	bpf_ringbuf_submit(record, 0);
}

static __always_inline void back_timeout(const struct mr_req *req,
					 const struct mr_timeout *timeout)
{
	struct mr_log_record *record;

	if (!is_wanted(MR_LOG_TIMEOUT))
		return;
	record = new_record(req, MR_LOG_TIMEOUT);
	if (!record)
		return;
	record->timeout = *timeout;
	bpf_ringbuf_submit(record, 0);
}

static __always_inline void back_done(const struct mr_req *req,
				      const struct mr_done *done)
{
	struct mr_log_record *record;

	if (!is_wanted(MR_LOG_DONE) &&
	    (filter.slower_us < 0 || done->duration_us <= filter.slower_us))
		return;
	record = new_record(req, MR_LOG_DONE);
	if (!record)
		return;
	record->done = *done;
	bpf_ringbuf_submit(record, 0);
}

static __always_inline void back_reset(const struct mr_req *req,
				       const struct mr_reset *reset)
{
	struct mr_log_record *record;

	if (!is_wanted(MR_LOG_RESET))
		return;
	record = new_record(req, MR_LOG_RESET);
	if (!record)
		return;
	record->reset = *reset;
	bpf_ringbuf_submit(record, 0);
}

#endif /* MADRETRY_LOG_BPF_H */
