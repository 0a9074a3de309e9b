/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A back: counts requests, retries, BUSY responses, time-outs and response
 * times, in one row for each device, port and class, and what else rows are
 * told apart by.
 *
 * Costs are for one event, with rows by attribute, without those of the head.
 * "make bench" measures those of posts, retries, BUSY responses and completions
 * at native speed, while no request is kept one by one.
 */

#ifndef COUNT_BPF_H
#define COUNT_BPF_H

#include <stdbool.h>

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "buckets.bpf.h"
#include "group.bpf.h"
#include "madretry.h"
#include "request.h"
#include "track.bpf.h"

/*
 * The tools set the size of these two, and put MR_KEY_OTHER into both. All
 * memory is allocated beforehand: an allocation that fails on the way would
 * be a wrong number.
 */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, MR_ROWS_DEFAULT + 1);
	__type(key, struct mr_key);
	__type(value, struct mr_counters);
} rows SEC(".maps");

/* Not per CPU: a retry follows a wait, and one worker per port makes them */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MR_ROWS_DEFAULT + 1);
	__type(key, struct mr_key);
	__type(value, struct mr_backoff);
} backoffs SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1024);
	__type(key, __u32);
	__type(value, struct mr_device);
} devices SEC(".maps");

/* send_buf of requests that were posted soon after the start, see below */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MR_EARLY_MAX);
	__type(key, __u64);
	__type(value, __u8);
} early_requests SEC(".maps");

/*
 * The first phase after the start, in which requests are remembered one by
 * one. The tools end it, after MR_EARLY_MIN_NS at least; from then on they say
 * at every snapshot how long ago that was.
 */
bool is_early = true;
__u64 early_until_ns = ~0ULL >> 1;	/* CLOCK_MONOTONIC */
__u64 since_early_us;			/* at least */

/* What the time of posting, computed from a duration, may be off by */
#define SLACK_US (MR_EARLY_MIN_NS / 2 / 1000)

static const struct mr_counters no_counters;
static const struct mr_backoff no_backoff;

static void remember_name(const struct mr_req *req)
{
	struct mr_device device = {};
	__u32 index = req->dev_index;

	bpf_probe_read_kernel_str(device.name, sizeof(device.name),
				  req->dev_name);
	/* In mode kprobe it is empty, and the tools may have put one there */
	bpf_map_update_elem(&devices, &index, &device,
			    device.name[0] ? BPF_ANY : BPF_NOEXIST);
}

/* Another CPU may create the same row at the same time: one row results */
static struct mr_counters *new_row(const struct mr_req *req,
				   struct mr_key *key)
{
	struct mr_counters *row;

	bpf_map_update_elem(&rows, key, &no_counters, BPF_NOEXIST);
	row = bpf_map_lookup_elem(&rows, key);
	if (row) {
		remember_name(req);
		return row;
	}
	*key = MR_KEY_OTHER;
	return bpf_map_lookup_elem(&rows, key);
}

/* Fills in *key: that of the request, or MR_KEY_OTHER if there is no room */
static __always_inline struct mr_counters *
find_row(const struct mr_req *req, struct mr_key *key,
	 bool posting)
{
	struct mr_counters *row;

	if (!is_request(req))
		return NULL;
	if (!set_key(key, req, posting)) {
		*key = MR_KEY_OTHER;
		return bpf_map_lookup_elem(&rows, key);
	}
	row = bpf_map_lookup_elem(&rows, key);
	return row ? row : new_row(req, key);
}

/*
 * Outstanding requests are those posted and not yet completed. A request that
 * was posted before the start completes without having been counted. To keep
 * every request in a map would show which these are, but would cost an update
 * of that map more for each ib_mad_post and ib_mad_done. So only those of the
 * first phase are kept; later on the duration tells whether a request is older
 * than that.
 */
static __always_inline bool remember_early(const struct mr_req *req)
{
	__u64 request = req->send_buf;
	__u8 present = 1;

	return !is_early || !bpf_map_update_elem(&early_requests, &request,
						 &present, BPF_ANY);
}

static bool was_counted_early(const struct mr_req *req,
			      __u64 duration_us)
{
	__u64 posted_ns = bpf_ktime_get_ns() - duration_us * 1000;
	__s64 late_us = (__s64)(posted_ns - early_until_ns) / 1000;
	__u64 request = req->send_buf;

	if (late_us >= SLACK_US)
		return true;
	if (!bpf_map_delete_elem(&early_requests, &request))
		return true;
	return late_us >= -SLACK_US;
}

static __always_inline bool was_counted(const struct mr_req *req,
					__u64 duration_us)
{
	if (duration_us + SLACK_US <= since_early_us)
		return true;
	return was_counted_early(req, duration_us);
}

/* Cost: one per-CPU hash look-up */
static __always_inline void back_post(const struct mr_req *req,
				      const struct mr_post *post)
{
	struct mr_counters *row;
	struct mr_key key;

	row = find_row(req, &key, true);
	if (!row)
		return;
	row->requests++;
	if (remember_early(req))
		row->outstanding++;
	track_post(req, &key, post);
}

/* Cost: one per-CPU hash look-up, and the histogram */
static __always_inline void back_done(const struct mr_req *req,
				      const struct mr_done *done)
{
	__u64 duration_us = done->duration_us;
	bool is_timed = done->duration_us >= 0;
	struct mr_counters *row;
	struct mr_key key;

	row = find_row(req, &key, false);
	if (!row)
		return;
	if (is_timed && was_counted(req, duration_us))
		row->outstanding--;
	track_done(req, &key, done);

	switch (done->status) {
	case WC_SUCCESS:
		row->responses++;
		if (!is_timed)
			break;
		row->response_sum_us += duration_us;
		if (duration_us > ~0U)
			duration_us = ~0U;
		row->response_us[log2_bucket(duration_us) %
				 MR_RESPONSE_BUCKETS]++;
		break;
	case WC_WR_FLUSH_ERR:
		row->cancelled++;
		break;
	case WC_RESP_TIMEOUT_ERR:
		break; /* back_timeout() has counted it */
	default:
		row->failed++;
	}
}

/* @step: number of the retry that began the wait */
static __always_inline void count_wait(const struct mr_key *key, __u32 step,
				       int wait_ms)
{
	struct mr_backoff *backoff = bpf_map_lookup_elem(&backoffs, key);
	__u32 bucket = MR_WAIT_FOREVER;

	if (!backoff) {
		bpf_map_update_elem(&backoffs, key, &no_backoff, BPF_NOEXIST);
		backoff = bpf_map_lookup_elem(&backoffs, key);
		if (!backoff)
			return; /* cannot be: this map is as large as rows */
	}
	if (step)
		step--;
	if (step >= MR_BACKOFF_STEPS)
		step = MR_BACKOFF_STEPS - 1;
	/* Show the verifier what it cannot follow through the above */
	barrier_var(step);
	step %= MR_BACKOFF_STEPS;
	if (wait_ms >= 0) {
		bucket = log2_bucket(wait_ms);
		__sync_fetch_and_add(&backoff->wait_sum_ms[step], wait_ms);
	}
	__sync_fetch_and_add(&backoff->wait_ms[step]
					      [bucket % MR_WAIT_BUCKETS], 1);
}

/* A wait that is inferred is known when it has ended */
static __always_inline void count_ended_wait(const struct mr_key *key,
					     __u32 step, int waited_ms)
{
	if (step && waited_ms >= 0)
		count_wait(key, step, waited_ms);
}

/* Cost: two hash look-ups and atomic additions; and see track.bpf.h */
static __always_inline void back_retry(const struct mr_req *req,
				       const struct mr_retry *retry)
{
	__u32 cause = retry->cause;
	struct mr_counters *row;
	struct mr_key key;

	row = find_row(req, &key, false);
	if (!row)
		return;
	if (cause < MR_RETRY_CAUSES)
		row->retries[cause]++;
	if (retry->inferred)
		count_ended_wait(&key, retry->backoff_step - 1,
				 retry->waited_ms);
	else
		count_wait(&key, retry->backoff_step, retry->wait_ms);
	track_retry(req, &key, retry);
}

/* Cost: as back_post() */
static __always_inline void back_busy(const struct mr_req *req,
				      const struct mr_busy *busy)
{
	struct mr_counters *row;
	struct mr_key key;

	row = find_row(req, &key, false);
	if (!row)
		return;
	if (busy->dropped)
		row->busy_dropped++;
	else
		row->busy_delivered++;
}

/* Cost: as back_post() */
static __always_inline void back_timeout(const struct mr_req *req,
					 const struct mr_timeout *timeout)
{
	__u32 cause = timeout->cause;
	struct mr_counters *row;
	struct mr_key key;

	row = find_row(req, &key, false);
	if (!row)
		return;
	if (cause < MR_TIMEOUT_CAUSES)
		row->timeouts[cause]++;
	if (timeout->inferred)
		count_ended_wait(&key, timeout->sends - 1, timeout->waited_ms);
}

/* Cost: as back_post(); and see track.bpf.h */
static __always_inline void back_reset(const struct mr_req *req,
				       const struct mr_reset *reset)
{
	__u32 cause = reset->cause;
	struct mr_counters *row;
	struct mr_key key;

	row = find_row(req, &key, false);
	if (row && cause < MR_RESET_CAUSES)
		row->resets[cause]++;
	track_reset(req, reset);
}

#endif /* COUNT_BPF_H */
