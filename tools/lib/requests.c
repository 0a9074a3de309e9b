// SPDX-License-Identifier: GPL-2.0
/* Outstanding requests, out of the map in which the BPF programs keep them. */
#include "requests.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include <bpf/bpf.h>

#include "message.h"
#include "parties.h"

static __u64 now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (__u64)now.tv_sec * 1000000000 + (__u64)now.tv_nsec;
}

static double seconds_between(__u64 from_ns, __u64 to_ns)
{
	return (double)(__s64)(to_ns - from_ns) / 1e9;
}

static void translate(const struct mr_request *from, __u64 now,
		      const struct parties *parties,
		      struct snapshot_request *to)
{
	*to = (struct snapshot_request){
		.dev_index = from->dev_index,
		.port = from->port,
		.mgmt_class = from->mgmt_class,
		.attr_id = from->attr_id,
		.tid = from->tid,
		.age_s = seconds_between(from->posted_ns, now),
		.age_is_minimum = from->is_older,
		.attempts = from->sends,
		.waits_for_ever = from->wait_ends_ns == MR_FOR_EVER,
	};
	if (from->retries_left >= 0)
		to->attempts_max = from->sends + (__u32)from->retries_left;
	to->next_is_known = from->wait_ends_ns != MR_NOT_KNOWN;
	if (to->next_is_known && !to->waits_for_ever)
		to->next_s = seconds_between(now, from->wait_ends_ns);
	class_name(to->mgmt_class, to->class_name, sizeof(to->class_name));
	attribute_name(to->mgmt_class, to->attr_id, to->attribute,
		       sizeof(to->attribute));
	destination_name(&from->destination, to->destination,
			 sizeof(to->destination));
	parties_client_name(parties, from->client, to->client,
			    sizeof(to->client));
}

static int compare_ages(const void *left, const void *right)
{
	const struct snapshot_request *a = left, *b = right;

	if (a->age_s != b->age_s)
		return a->age_s < b->age_s ? 1 : -1;
	return (a->tid > b->tid) - (a->tid < b->tid);
}

struct batch {
	__u64 *keys;
	struct mr_request *values;
	__u32 count;
};

/*
 * All at once: to go from key to key would begin anew whenever the one last
 * seen has gone, and requests come and go all the time.
 */
static void read_all(int map, struct batch *batch)
{
	__u32 place = 0;

	batch->keys = allocate(MR_REQUESTS_MAX, sizeof(*batch->keys));
	batch->values = allocate(MR_REQUESTS_MAX, sizeof(*batch->values));
	batch->count = MR_REQUESTS_MAX;
	/* An error other than the end of the map means that none was read */
	if (bpf_map_lookup_batch(map, NULL, &place, batch->keys, batch->values,
				 &batch->count, NULL) && errno != ENOENT)
		batch->count = 0;
}

static void free_batch(struct batch *batch)
{
	free(batch->keys);
	free(batch->values);
}

void requests_read(int map, const struct parties *parties,
		   struct snapshot *snapshot)
{
	__u64 now = now_ns();
	struct batch batch;

	read_all(map, &batch);
	snapshot->requests = allocate(batch.count,
				      sizeof(*snapshot->requests));
	snapshot->request_count = batch.count;
	for (size_t i = 0; i < batch.count; i++)
		translate(&batch.values[i], now, parties,
			  &snapshot->requests[i]);
	qsort(snapshot->requests, snapshot->request_count,
	      sizeof(*snapshot->requests), compare_ages);
	free_batch(&batch);
}

void requests_forget_first_waits(int map)
{
	struct batch batch;

	read_all(map, &batch);
	for (size_t i = 0; i < batch.count; i++) {
		if (batch.values[i].sends <= 1)
			bpf_map_delete_elem(map, &batch.keys[i]);
	}
	free_batch(&batch);
}
