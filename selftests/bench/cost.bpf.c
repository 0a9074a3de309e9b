// SPDX-License-Identifier: GPL-2.0
/*
 * What counting costs for one event, at native speed. The back that the tools
 * count with is run by a trace event that every kernel has: bpf_trace_printk is
 * emitted whenever a BPF program calls the helper of that name.
 *
 * Hook: raw_tp, the cheapest on a kernel of which nothing is known; the head
 * fills in a request as the heads of the tools do, from memory.
 */

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "count.bpf.h"

char LICENSE[] SEC("license") = "GPL";

/* Events that one run of the driver fires */
const volatile __u32 rounds;

/* Not known to the compiler, as in the kernel's memory */
struct mr_req request;
struct mr_post post;
struct mr_retry retry;
struct mr_busy busy;
struct mr_done done;

static __always_inline void read_request(struct mr_req *req)
{
	__builtin_memcpy(req, &request, sizeof(*req));
	barrier_var(req);
}

SEC("raw_tp/bpf_trace_printk")
int on_nothing(void *ctx)
{
	return 0;
}

SEC("raw_tp/bpf_trace_printk")
int on_post(void *ctx)
{
	struct mr_req req;

	read_request(&req);
	back_post(&req, &post);
	return 0;
}

SEC("raw_tp/bpf_trace_printk")
int on_retry(void *ctx)
{
	struct mr_req req;

	read_request(&req);
	back_retry(&req, &retry);
	return 0;
}

SEC("raw_tp/bpf_trace_printk")
int on_busy(void *ctx)
{
	struct mr_req req;

	read_request(&req);
	back_busy(&req, &busy);
	return 0;
}

SEC("raw_tp/bpf_trace_printk")
int on_done(void *ctx)
{
	struct mr_req req;

	read_request(&req);
	back_done(&req, &done);
	return 0;
}

static int fire(__u32 index, void *context)
{
	static const char text[] = "x";

	bpf_trace_printk(text, sizeof(text));
	return 0;
}

SEC("raw_tp")
int drive(void *ctx)
{
	bpf_loop(rounds, fire, NULL, 0);
	return 0;
}
