// SPDX-License-Identifier: GPL-2.0
/* Which requests have been seen, and how many times each. */
#include "seen.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "cmdline.h"

struct request_key {
	__be64 tid;
	uint8_t gid[16];
	__be32 qpn;
	__be16 lid;
	uint16_t zero;		/* the key is compared byte by byte */
};

struct seen_request {
	struct request_key key;
	unsigned int attempts;
	UT_hash_handle hh;
};

static struct request_key key_of(const struct umad_hdr *mad,
				 const ib_mad_addr_t *source)
{
	struct request_key key = {
		.tid = mad->tid,
		.qpn = source->qpn,
		.lid = source->lid,
	};

	if (source->grh_present)
		memcpy(key.gid, source->gid, sizeof(key.gid));
	return key;
}

static void forget(struct seen *seen, struct seen_request *request)
{
	HASH_DEL(seen->requests, request);
	free(request);
}

static struct seen_request *first_seen(struct seen *seen,
				       const struct request_key *key)
{
	struct seen_request *request = calloc(1, sizeof(*request));

	if (!request)
		fail_running("out of memory");
	request->key = *key;
	HASH_ADD(hh, seen->requests, key, sizeof(request->key), request);
	if (HASH_COUNT(seen->requests) > seen->remember) {
		/* The head is the oldest: uthash keeps the order of adding. */
		forget(seen, seen->requests);
		seen->forgotten++;
	}
	return request;
}

static unsigned int slot(unsigned int attempts)
{
	return attempts < SEEN_ATTEMPTS_MAX ? attempts : SEEN_ATTEMPTS_MAX;
}

unsigned int seen_add(struct seen *seen, const struct umad_hdr *mad,
		      const ib_mad_addr_t *source)
{
	struct request_key key = key_of(mad, source);
	struct seen_request *request;

	HASH_FIND(hh, seen->requests, &key, sizeof(key), request);
	if (!request)
		request = first_seen(seen, &key);
	else
		seen->by_attempts[slot(request->attempts)]--;

	request->attempts++;
	seen->by_attempts[slot(request->attempts)]++;
	return request->attempts;
}

void seen_free(struct seen *seen)
{
	struct seen_request *request, *next;

	HASH_ITER(hh, seen->requests, request, next)
		forget(seen, request);
}
