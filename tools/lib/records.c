// SPDX-License-Identifier: GPL-2.0
/* Records that BPF programs hand over in a ring buffer, as things happen. */
#include "records.h"

#include <errno.h>
#include <stdlib.h>

#include <bpf/libbpf.h>

#include "bpf_load.h"
#include "message.h"

/* As many are handed on at a time */
#define BATCH 1024

struct records {
	struct ring_buffer *ring;
	records_handler *handler;
	void *context;
	unsigned int left;	/* of the batch */
	__s64 to_realtime_ns;	/* to be added to CLOCK_MONOTONIC */
};

static int handle(void *context, void *record, size_t size)
{
	struct records *records = context;

	(void)size;
	records->handler(record, records->context);
	records->left--;
	return records->left ? 0 : -EAGAIN;
}

struct records *records_open(int map)
{
	struct records *records = allocate(1, sizeof(*records));

	records->ring = ring_buffer__new(map, handle, records, NULL);
	if (!records->ring)
		bpf_refused("map the ring buffer", -errno);
	return records;
}

int records_file(const struct records *records)
{
	return ring_buffer__epoll_fd(records->ring);
}

static __s64 clock_ns(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (__s64)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Somebody may set the clock meanwhile, so the difference is asked for anew */
bool records_read(struct records *records, records_handler *handler,
		  void *context)
{
	records->handler = handler;
	records->context = context;
	records->to_realtime_ns = clock_ns(CLOCK_REALTIME) -
				  clock_ns(CLOCK_MONOTONIC);
	records->left = BATCH;
	return ring_buffer__consume(records->ring) == -EAGAIN;
}

struct timespec records_time(const struct records *records, __u64 time_ns)
{
	__s64 ns = (__s64)time_ns + records->to_realtime_ns;

	return (struct timespec){
		.tv_sec = ns / 1000000000,
		.tv_nsec = ns % 1000000000,
	};
}

void records_free(struct records *records)
{
	ring_buffer__free(records->ring);
	free(records);
}
