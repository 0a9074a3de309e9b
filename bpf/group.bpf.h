/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Which row a request belongs to: rows are told apart by what the user asked
 * for (rows_by). Destinations and clients are long, so that each gets a number
 * and the number goes into the key. The kernel leaves out at load time what was
 * not asked for.
 *
 * Costs, not measured, besides what a look-up of the row costs anyhow: by
 * destination one hash look-up, by client one, for ib_umad two, and the reading
 * of the agent.
 */

#ifndef GROUP_BPF_H
#define GROUP_BPF_H

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "ib_mad_core.h"
#include "madretry.h"
#include "request.h"

const volatile __u32 rows_by = MR_BY_ATTRIBUTE;

/* From kallsyms, 0 if not known; ib_umad may be loaded later */
__u64 umad_handler;
__u64 sa_handler;

/* The last number given out; 0 stands for none */
__u32 last_destination;
__u32 last_client;

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);		/* set by the tools, as for rows */
	__type(key, struct mr_destination);
	__type(value, __u32);
} destinations SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, 1);
	__type(key, struct mr_client);
	__type(value, __u32);
} clients SEC(".maps");

/* The program that posted last through an agent of ib_umad */
struct {
	__uint(type, BPF_MAP_TYPE_LRU_HASH);
	__uint(max_entries, 1);
	__type(key, __u64);
	__type(value, struct mr_program);
} programs SEC(".maps");

/*
 * Two CPUs may take a number for the same thing at the same time: the first
 * one to store it wins, the other number stays unused.
 */
static __always_inline __u32 number_of(void *map, const void *thing,
				       __u32 *last)
{
	__u32 *known = bpf_map_lookup_elem(map, thing);
	__u32 number;

	if (known)
		return *known;
	number = __sync_fetch_and_add(last, 1) + 1;
	bpf_map_update_elem(map, thing, &number, BPF_NOEXIST);
	known = bpf_map_lookup_elem(map, thing);
	return known ? *known : 0;
}

/* Where a GID leads to is all that matters; a LID alone has none */
static __always_inline __u32 destination_of(const struct mr_req *req)
{
	struct mr_destination destination = {};
	__u64 *gid = (__u64 *)destination.gid;

	bpf_probe_read_kernel(destination.gid, sizeof(destination.gid),
			      req->dgid);
	if (!gid[0] && !gid[1])
		destination.lid = req->dlid;
	return number_of(&destinations, &destination, &last_destination);
}

#ifndef HEAD_WITHOUT_BTF
static __always_inline void this_program(struct mr_program *program)
{
	struct task_struct *task = (struct task_struct *)bpf_get_current_task();

	program->pid = bpf_get_current_pid_tgid() >> 32;
	BPF_CORE_READ_STR_INTO(&program->name, task, group_leader, comm);
}

/* ib_umad posts in the context of the program that writes to it */
static __always_inline void find_program(struct mr_program *program,
					 __u64 agent, bool posting)
{
	struct mr_program *known = bpf_map_lookup_elem(&programs, &agent);

	if (!posting) {
		if (known)
			*program = *known;
		return;
	}
	this_program(program);
	if (!known || known->pid != program->pid)
		bpf_map_update_elem(&programs, &agent, program, BPF_ANY);
}

static __always_inline __u32 client_of(const struct mr_req *req, bool posting)
{
	struct ib_mad_agent *agent = (void *)req->agent;
	struct ib_mad_send_buf *send_buf = (void *)req->send_buf;
	struct mr_client client = {};
	struct ib_sa_query *query;

	client.handler = (__u64)BPF_CORE_READ(agent, recv_handler);
	/* An agent that receives nothing has the other one only */
	if (!client.handler)
		client.handler = (__u64)BPF_CORE_READ(agent, send_handler);
	if (client.handler && client.handler == sa_handler) {
		query = BPF_CORE_READ(send_buf, context[0]);
		client.sa_client = (__u64)BPF_CORE_READ(query, client);
	} else if (client.handler && client.handler == umad_handler) {
		find_program(&client.program, (__u64)agent, posting);
	}
	return number_of(&clients, &client, &last_client);
}

#else

static __always_inline __u32 client_of(const struct mr_req *req, bool posting)
{
	return 0;
}

#endif

/* Returns false if there is no room for what the key would be about */
static __always_inline bool set_key(struct mr_key *key,
				    const struct mr_req *req, bool posting)
{
	__builtin_memset(key, 0, sizeof(*key));
	key->dev_index = req->dev_index;
	key->port = req->port;
	key->mgmt_class = req->mgmt_class;
	if (rows_by & MR_BY_ATTRIBUTE)
		key->attr_id = req->attr_id;
	if (rows_by & MR_BY_DESTINATION) {
		key->destination = destination_of(req);
		if (!key->destination)
			return false;
	}
	if (rows_by & MR_BY_CLIENT) {
		key->client = client_of(req, posting);
		if (!key->client)
			return false;
	}
	return true;
}

#endif /* GROUP_BPF_H */
