/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Outstanding requests, one by one: which are the oldest, and how a request that
 * completes has used what it was given.
 *
 * For a screen, which may want the list at any moment, retried requests are kept
 * from their first retry (track_retried): one more hash look-up for each retry,
 * and nothing for the many requests that need none. All requests are kept, from
 * their post, only while somebody looks at the list (track_all) or wants
 * histograms of completions (count_completions): one more hash element made by
 * back_post() and removed by back_done(). What that costs is not measured.
 */

#ifndef TRACK_BPF_H
#define TRACK_BPF_H

#include <bpf/bpf_helpers.h>

#include "buckets.bpf.h"
#include "madretry.h"
#include "request.h"

const volatile bool count_completions;
const volatile bool track_retried;

/* Switched by the tools while the programs run */
bool track_all;

/* How often there was no room in the map */
__u64 requests_missed;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, MR_REQUESTS_MAX);
	__type(key, __u64);
	__type(value, struct mr_request);
} requests SEC(".maps");

/* One row's for each row; as large as rows if asked for */
struct {
	__uint(type, BPF_MAP_TYPE_PERCPU_HASH);
	__uint(max_entries, 1);
	__type(key, struct mr_key);
	__type(value, struct mr_completions);
} completions SEC(".maps");

static const struct mr_completions no_completions;

static __always_inline __u64 end_of_wait(int wait_ms)
{
	if (wait_ms == MR_UNKNOWN)
		return MR_NOT_KNOWN;
	return wait_ms < 0 ? MR_FOR_EVER :
			     bpf_ktime_get_ns() + (__u64)wait_ms * 1000000;
}

static __always_inline void describe(struct mr_request *request,
				     const struct mr_req *req,
				     const struct mr_key *key)
{
	request->client = key->client;
	request->tid = req->tid;
	request->dev_index = req->dev_index;
	request->port = req->port;
	request->attr_id = req->attr_id;
	request->mgmt_class = req->mgmt_class;
	bpf_probe_read_kernel(request->destination.gid,
			      sizeof(request->destination.gid), req->dgid);
	request->destination.lid = req->dlid;
}

static __always_inline void keep(const struct mr_req *req,
				 const struct mr_request *request)
{
	__u64 id = req->send_buf;

	if (bpf_map_update_elem(&requests, &id, request, BPF_ANY))
		__sync_fetch_and_add(&requests_missed, 1);
}

/* Not inline: what happens seldom is not to cost others its stack */
static __noinline int keep_posted(const struct mr_req *req,
				  const struct mr_key *key,
				  const struct mr_post *post)
{
	struct mr_request request = {};

	describe(&request, req, key);
	request.posted_ns = bpf_ktime_get_ns();
	request.wait_ends_ns = end_of_wait(post->timeout_ms);
	request.sends = 1;
	request.budget_ms = post->total_ms;
	request.retries_left = post->total_ms ? -1 : post->retries;
	keep(req, &request);
	return 0;
}

static __always_inline void track_post(const struct mr_req *req,
				       const struct mr_key *key,
				       const struct mr_post *post)
{
	if (track_all || count_completions)
		keep_posted(req, key, post);
}

static __noinline int keep_retried(const struct mr_req *req,
				   const struct mr_key *key,
				   const struct mr_retry *retry)
{
	struct mr_request request = {};

	describe(&request, req, key);
	/* Of the first retry the wait before tells when it was posted */
	request.posted_ns = bpf_ktime_get_ns();
	if (retry->waited_ms > 0)
		request.posted_ns -= (__u64)retry->waited_ms * 1000000;
	request.is_older = retry->retry > 1;
	request.wait_ends_ns = end_of_wait(retry->wait_ms);
	request.sends = retry->retry + 1;
	request.retries_left = retry->retries_left;
	/* When its budget began is not known */
	request.budget_ms = -1;
	keep(req, &request);
	return 0;
}

/*
 * A limit that follows from what a request asks for is told by its retries alone,
 * and it begins anew when the backoff starts over.
 */
static __always_inline void track_budget(struct mr_request *request,
					 const struct mr_retry *retry)
{
	__u64 age_ms = (bpf_ktime_get_ns() - request->posted_ns) / 1000000;

	if (retry->budget_left_ms >= 0)
		request->budget_ms = age_ms + retry->budget_left_ms;
}

static __always_inline void track_retry(const struct mr_req *req,
					const struct mr_key *key,
					const struct mr_retry *retry)
{
	__u64 id = req->send_buf;
	struct mr_request *known;

	if (!track_retried && !track_all && !count_completions)
		return;
	known = bpf_map_lookup_elem(&requests, &id);
	if (!known) {
		keep_retried(req, key, retry);
		return;
	}
	known->sends = retry->retry + 1;
	known->wait_ends_ns = end_of_wait(retry->wait_ms);
	known->retries_left = retry->retries_left;
	track_budget(known, retry);
}

static __always_inline void track_reset(const struct mr_req *req,
					const struct mr_reset *reset)
{
	__u64 id = req->send_buf;
	struct mr_request *known = bpf_map_lookup_elem(&requests, &id);

	if (known)
		known->wait_ends_ns = end_of_wait(reset->wait_ms);
}

static __always_inline __u32 at_most(__u64 value, __u32 max)
{
	return value > max ? max : value;
}

/* @request: NULL if it was posted before the start, or had no room */
static __always_inline void count_left(struct mr_completions *row,
				       const struct mr_request *request,
				       const struct mr_done *done)
{
	__u64 used_ms = 0, budget_ms;

	if (done->duration_us > 0)
		used_ms = (__u64)done->duration_us / 1000;
	if (!request || request->budget_ms < 0) {
		row->left_unknown++;
	} else if (request->budget_ms) {
		budget_ms = request->budget_ms;
		if (used_ms > budget_ms)
			used_ms = budget_ms;
		row->budget_left_ms[log2_bucket(at_most(budget_ms - used_ms,
							~0U)) %
				    MR_WAIT_BUCKETS]++;
	} else if (request->retries_left < 0) {
		row->left_unknown++;
	} else {
		row->retries_left[at_most(request->retries_left,
					  MR_ATTEMPTS_MAX)]++;
	}
}

static __always_inline void count_completion(const struct mr_key *key,
					     const struct mr_request *request,
					     const struct mr_done *done)
{
	struct mr_completions *row = bpf_map_lookup_elem(&completions, key);
	__u32 sends = at_most(done->sends, MR_ATTEMPTS_MAX);

	if (!row) {
		bpf_map_update_elem(&completions, key, &no_completions,
				    BPF_NOEXIST);
		row = bpf_map_lookup_elem(&completions, key);
		if (!row)
			return; /* cannot be: this map is as large as rows */
	}
	if (done->status == WC_SUCCESS) {
		row->attempts_answered[sends]++;
		count_left(row, request, done);
	} else if (done->status == WC_RESP_TIMEOUT_ERR) {
		row->attempts_given_up[sends]++;
	}
}

static __always_inline void track_done(const struct mr_req *req,
				       const struct mr_key *key,
				       const struct mr_done *done)
{
	__u64 id = req->send_buf;

	if (count_completions)
		count_completion(key, bpf_map_lookup_elem(&requests, &id),
				 done);
	/* What is left of a time when all were kept is removed by the tools */
	if (track_all || count_completions ||
	    (track_retried && done->sends > 1))
		bpf_map_delete_elem(&requests, &id);
}

#endif /* TRACK_BPF_H */
