// SPDX-License-Identifier: GPL-2.0
/* The whole life of a request. */
#include "follow.h"

#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "message.h"

struct kept {
	struct mr_log_record record;
	struct kept *next;
};

/* A request that is outstanding */
struct request {
	__u64 send_buf;
	bool followed;		/* its records are no longer kept */
	struct kept *kept;	/* oldest first */
	size_t kept_count;
	UT_hash_handle hh;
};

struct follow {
	struct request *requests;	/* a hash, and a list: oldest first */
	size_t kept_count;		/* records of all of them */
	size_t max_entries;
	__u64 forgotten;
	log_handler *handler;
	void *context;
};

struct follow *follow_start(size_t max_entries, log_handler *handler,
			    void *context)
{
	struct follow *follow = allocate(1, sizeof(*follow));

	follow->max_entries = max_entries;
	follow->handler = handler;
	follow->context = context;
	return follow;
}

static void forget_records(struct follow *follow, struct request *request)
{
	struct kept *kept, *next;

	LL_FOREACH_SAFE(request->kept, kept, next)
		free(kept);
	follow->kept_count -= request->kept_count;
	request->kept = NULL;
	request->kept_count = 0;
}

static void forget(struct follow *follow, struct request *request)
{
	forget_records(follow, request);
	HASH_DEL(follow->requests, request);
	free(request);
}

static struct request *find(struct follow *follow, __u64 send_buf)
{
	struct request *request;

	HASH_FIND(hh, follow->requests, &send_buf, sizeof(send_buf), request);
	return request;
}

static struct request *add(struct follow *follow, __u64 send_buf)
{
	struct request *request = allocate(1, sizeof(*request));

	request->send_buf = send_buf;
	HASH_ADD(hh, follow->requests, send_buf, sizeof(send_buf), request);
	return request;
}

/* For one more request with one record: the oldest has to go */
static void make_room(struct follow *follow)
{
	while (HASH_COUNT(follow->requests) + follow->kept_count + 2 >
	       follow->max_entries) {
		forget(follow, follow->requests);
		follow->forgotten++;
	}
}

static void keep(struct follow *follow, struct request *request,
		 const struct mr_log_record *record)
{
	struct kept *kept = allocate(1, sizeof(*kept));

	kept->record = *record;
	LL_APPEND(request->kept, kept);
	request->kept_count++;
	follow->kept_count++;
}

static void show_kept(struct follow *follow, struct request *request)
{
	struct kept *kept;

	LL_FOREACH(request->kept, kept)
		follow->handler(&kept->record, follow->context);
	forget_records(follow, request);
}

void follow_record(struct follow *follow, const struct mr_log_record *record,
		   bool interesting)
{
	struct request *request;

	make_room(follow);
	request = find(follow, record->send_buf);
	/* The end of the one before was not recorded */
	if (request && record->event == MR_LOG_POST) {
		forget(follow, request);
		request = NULL;
	}
	if (!request)
		request = add(follow, record->send_buf);
	if (interesting && !request->followed) {
		request->followed = true;
		show_kept(follow, request);
	}
	if (request->followed)
		follow->handler(record, follow->context);
	else if (record->event != MR_LOG_DONE)
		keep(follow, request, record);
	if (record->event == MR_LOG_DONE)
		forget(follow, request);
}

__u64 follow_forgotten(const struct follow *follow)
{
	return follow->forgotten;
}

void follow_free(struct follow *follow)
{
	struct request *request, *next;

	HASH_ITER(hh, follow->requests, request, next)
		forget(follow, request);
	free(follow);
}
