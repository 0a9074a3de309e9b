/* SPDX-License-Identifier: GPL-2.0 */
/* Which requests have been seen, and how many times each. */
#ifndef SASTORM_SEEN_H
#define SASTORM_SEEN_H

#include <stdint.h>

#include <infiniband/umad_types.h>

/* Requests seen this often or more are counted together. */
#define SEEN_ATTEMPTS_MAX	64

struct seen_request;

struct seen {
	struct seen_request *requests;	/* uthash, in order of first arrival */
	unsigned int remember;		/* keep this many, forget the oldest */
	uint64_t forgotten;
	/* [k]: requests that were seen k times so far, forgotten ones too */
	uint64_t by_attempts[SEEN_ATTEMPTS_MAX + 1];
};

/*
 * Note an arrival of @mad from @source. Returns which attempt of its request
 * it is, 1 for the first. Two requests are the same when TID and sender are.
 */
unsigned int seen_add(struct seen *seen, const struct umad_hdr *mad,
		      const ib_mad_addr_t *source);

void seen_free(struct seen *seen);

#endif
