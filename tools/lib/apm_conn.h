/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Connections, and where they are on the way from armed through a migration to
 * armed again. No event says that a queue pair is armed: the device does that
 * by itself. So those that shall become so are asked, sooner at first than
 * later.
 */
#ifndef MR_APM_CONN_H
#define MR_APM_CONN_H

#include <stdbool.h>
#include <stddef.h>

#include "apm_record.h"
#include "hash.h"
#include "qp_state.h"

/* How many are kept; then the oldest is forgotten */
#define APM_MAX_CONNS		65536

/* Steps of the last way that are kept for its timeline */
#define APM_MAX_STEPS		24

/* A migration state that is not known */
#define APM_UNKNOWN		(-1)

struct apm_key {
	__u32 dev_index;
	__u32 qpn;
};

struct apm_point {
	const char *step;	/* "ARMED", "MIGRATED", "LAP_SENT", ... */
	int apr_status;		/* MR_APM_NO_APR: none */
	__u64 time_ns;
};

struct apm_conn {
	struct apm_key key;
	__u64 cm_id;			/* 0: not known */
	__u32 local_id, remote_id;	/* 0: not known */
	__u32 port, remote_qpn;
	__u32 qp_port;			/* that the queue pair was given */
	__u8 ports[256 / 8];		/* bit p: a path of it uses port p */
	bool is_user;
	__u64 ended_ns;			/* 0: it has not */
	char device[MR_DEVICE_NAME_MAX];

	int state;			/* enum mr_mig_state */
	__u64 last_ns;			/* of the last step, 0: none yet */
	bool is_migrated;		/* and not armed since */
	unsigned int migrations;
	unsigned int rearmed;		/* armed again after a migration */
	unsigned int failed;		/* LAPs in vain, and PATH_MIG_ERR */
	__u64 unprotected_since_ns;	/* 0: it is armed */
	__u64 unprotected_ns;		/* before that */
	__u64 longest_ns;		/* the longest time at a stretch */

	/* From the last time that it was armed on */
	struct apm_point points[APM_MAX_STEPS];
	unsigned int point_count;

	__u64 asked_ns;			/* when it was asked to rearm */
	__u64 next_query_ns;		/* 0: no need to ask */
	UT_hash_handle hh;
};

struct apm_table {
	struct apm_conn *conns;		/* a hash, and a list: oldest first */
	size_t max_conns;
	__u64 forgotten;
};

/* What a record means: for whom, and what came before */
struct apm_step {
	const struct mr_apm_record *record;
	const struct apm_conn *conn;	/* NULL: no connection that exists */
	double since_ms;		/* the step before; negative: none */
};

/* Connections that are armed, or shall be, before any event is seen */
void apm_table_seen(struct apm_table *table, const struct qp_info *info,
		    __u64 now_ns);

/*
 * Take a record into account. The identity of the connection is in the step's,
 * even if the record does not have all of it.
 */
struct apm_step apm_table_take(struct apm_table *table,
			       const struct mr_apm_record *record);

/* When a queue pair is to be asked next, 0: none */
__u64 apm_table_next_query(const struct apm_table *table);

/*
 * Ask those whose time has come, or all that are not armed. A record is made
 * for each that has become armed, and handed to @handler.
 */
typedef void apm_handler(const struct mr_apm_record *record, void *context);
void apm_table_query(struct apm_table *table, struct qp_state *queue_pairs,
		     __u64 now_ns, bool all, apm_handler *handler,
		     void *context);

/* All of them, what needs attention first; to be freed */
struct apm_conn **apm_table_sorted(const struct apm_table *table,
				   size_t *count);

/* Does, or did, one of its paths use this port? */
bool apm_conn_uses_port(const struct apm_conn *conn, __u32 port);

/* It migrated, was never armed again, and lives */
bool apm_conn_is_stuck(const struct apm_conn *conn);

/* Time without protection until now, all together and at a stretch */
__u64 apm_conn_unprotected(const struct apm_conn *conn, __u64 now_ns);
__u64 apm_conn_longest(const struct apm_conn *conn, __u64 now_ns);

void apm_table_free(struct apm_table *table);

#endif
