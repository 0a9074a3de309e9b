// SPDX-License-Identifier: GPL-2.0
/* Connections, and where they are on the way from armed to armed again. */
#include "apm_conn.h"

#include <stdlib.h>
#include <string.h>

#include "apm_names.h"
#include "message.h"

#define NS_PER_MS	1000000ULL

/* Between two questions: a part of the time since it was asked to rearm */
#define QUERY_MIN_NS	(10 * NS_PER_MS)
#define QUERY_MAX_NS	(1000 * NS_PER_MS)
#define QUERY_PART	4

static const char armed[] = "ARMED";

static struct apm_conn *find(const struct apm_table *table, __u32 dev_index,
			     __u32 qpn)
{
	const struct apm_key key = { .dev_index = dev_index, .qpn = qpn };
	struct apm_conn *conn;

	HASH_FIND(hh, table->conns, &key, sizeof(key), conn);
	return conn;
}

/* Of what has no queue pair's number, on a kernel that does not tell */
static struct apm_conn *find_by_local_id(const struct apm_table *table,
					 __u32 dev_index, __u32 local_id)
{
	struct apm_conn *conn, *next;

	HASH_ITER(hh, table->conns, conn, next) {
		if (conn->key.dev_index == dev_index &&
		    conn->local_id == local_id && local_id)
			return conn;
	}
	return NULL;
}

static struct apm_conn *add(struct apm_table *table, __u32 dev_index, __u32 qpn,
			    const char *device)
{
	struct apm_conn *conn;

	if (HASH_COUNT(table->conns) >= table->max_conns) {
		conn = table->conns;
		HASH_DEL(table->conns, conn);
		free(conn);
		table->forgotten++;
	}
	conn = allocate(1, sizeof(*conn));
	conn->key = (struct apm_key){ .dev_index = dev_index, .qpn = qpn };
	conn->state = APM_UNKNOWN;
	memcpy(conn->device, device, sizeof(conn->device));
	HASH_ADD(hh, table->conns, key, sizeof(conn->key), conn);
	return conn;
}

/* Another connection has got the number of a queue pair that is gone */
static void start_over(struct apm_conn *conn)
{
	const struct apm_conn old = *conn;

	memset(conn, 0, sizeof(*conn));
	conn->key = old.key;
	conn->hh = old.hh;
	conn->state = APM_UNKNOWN;
	memcpy(conn->device, old.device, sizeof(conn->device));
}

static struct apm_conn *find_or_add(struct apm_table *table,
				    const struct mr_apm_record *record)
{
	struct apm_conn *conn;

	if (!record->qpn)
		return find_by_local_id(table, record->dev_index,
					record->local_id);
	conn = find(table, record->dev_index, record->qpn);
	if (!conn)
		conn = add(table, record->dev_index, record->qpn,
			   record->device);
	else if (conn->ended_ns ||
		 (conn->cm_id && record->cm_id && conn->cm_id != record->cm_id))
		start_over(conn);
	return conn;
}

static void add_port(struct apm_conn *conn, __u32 port)
{
	if (port && port < 8 * sizeof(conn->ports))
		conn->ports[port / 8] |= 1U << port % 8;
}

bool apm_conn_uses_port(const struct apm_conn *conn, __u32 port)
{
	return port < 8 * sizeof(conn->ports) &&
	       conn->ports[port / 8] & 1U << port % 8;
}

static void add_ports(struct apm_conn *conn, const struct mr_apm_record *record)
{
	add_port(conn, record->port);
	switch (record->event) {
	case MR_APM_LAP:
		add_port(conn, record->lap.alt_port);
		break;
	case MR_APM_MIGRATE:
		add_port(conn, record->migrate.old_port);
		add_port(conn, record->migrate.new_port);
		break;
	case MR_APM_QP:
		add_port(conn, record->qp.alt_port);
		break;
	}
}

/* What the record says about who it is */
static void identify(struct apm_conn *conn, const struct mr_apm_record *record)
{
	if (record->cm_id)
		conn->cm_id = record->cm_id;
	if (record->local_id)
		conn->local_id = record->local_id;
	if (record->remote_id)
		conn->remote_id = record->remote_id;
	if (record->remote_qpn)
		conn->remote_qpn = record->remote_qpn;
	if (record->port)
		conn->port = record->port;
	add_ports(conn, record);
	if (record->event == MR_APM_QP && record->qp.source != MR_MIG_QUERY) {
		conn->is_user = record->is_user;
		conn->qp_port = record->port;
	}
}

/* When it was armed is where the timeline begins; what was before goes */
static void add_point(struct apm_conn *conn, const char *step, int apr_status,
		      __u64 time_ns)
{
	struct apm_point *points = conn->points;
	unsigned int *count = &conn->point_count;

	if (*count > 1 && points[*count - 1].step == armed) {
		points[0] = points[*count - 1];
		*count = 1;
	}
	if (*count == APM_MAX_STEPS) {
		memmove(&points[1], &points[2],
			(APM_MAX_STEPS - 2) * sizeof(points[0]));
		*count -= 1;
	}
	points[(*count)++] = (struct apm_point){ step, apr_status, time_ns };
}

static void becomes_unprotected(struct apm_conn *conn, __u64 time_ns)
{
	if (!conn->unprotected_since_ns)
		conn->unprotected_since_ns = time_ns;
}

static void becomes_armed(struct apm_conn *conn, __u64 time_ns)
{
	add_point(conn, armed, MR_APM_NO_APR, time_ns);
	conn->longest_ns = apm_conn_longest(conn, time_ns);
	conn->unprotected_ns = apm_conn_unprotected(conn, time_ns);
	conn->unprotected_since_ns = 0;
	if (conn->is_migrated)
		conn->rearmed++;
	conn->is_migrated = false;
	conn->next_query_ns = 0;
	conn->state = MR_MIG_ARMED;
}

static void is_to_rearm(struct apm_conn *conn, __u64 time_ns)
{
	add_point(conn, "REARM", MR_APM_NO_APR, time_ns);
	becomes_unprotected(conn, time_ns);
	conn->state = MR_MIG_REARM;
	conn->asked_ns = time_ns;
	conn->next_query_ns = time_ns + QUERY_MIN_NS;
}

/*
 * Software that migrates causes an event, too, so the second of the two says
 * nothing new. Queue pairs that are never to be armed may be set to MIGRATED.
 */
static void migrates(struct apm_conn *conn, __u32 source, __u64 time_ns)
{
	if (conn->state == MR_MIG_MIGRATED)
		return;
	if (conn->state == APM_UNKNOWN && source == MR_MIG_MODIFY) {
		conn->state = MR_MIG_MIGRATED;
		return;
	}
	/* Only what is armed can do that: it was, without having been seen */
	if (conn->state == MR_MIG_REARM && source == MR_MIG_EVENT)
		becomes_armed(conn, time_ns);
	add_point(conn, "MIGRATED", MR_APM_NO_APR, time_ns);
	becomes_unprotected(conn, time_ns);
	conn->state = MR_MIG_MIGRATED;
	conn->is_migrated = true;
	conn->migrations++;
	conn->next_query_ns = 0;
}

static void take_qp(struct apm_conn *conn, const struct mr_apm_qp *qp,
		    __u64 time_ns)
{
	if (qp->source == MR_MIG_EVENT_ERR) {
		add_point(conn, mig_source_name(qp->source), MR_APM_NO_APR,
			  time_ns);
		conn->failed++;
		return;
	}
	switch (qp->state) {
	case MR_MIG_MIGRATED:
		migrates(conn, qp->source, time_ns);
		break;
	case MR_MIG_REARM:
		is_to_rearm(conn, time_ns);
		break;
	case MR_MIG_ARMED:
		becomes_armed(conn, time_ns);
		break;
	}
}

static void take_lap(struct apm_conn *conn, const struct mr_apm_lap *lap,
		     __u64 time_ns)
{
	switch (lap->cause) {
	case MR_APM_LAP_REFUSED:
	case MR_APM_LAP_TIMEOUT:
	case MR_APM_LAP_FAILED:
		conn->failed++;
		break;
	case MR_APM_APR_SENT:
	case MR_APM_APR_RECEIVED:
		if (lap->apr_status)
			conn->failed++;
		break;
	case MR_APM_CONN_ENDED:
		conn->ended_ns = time_ns;
		break;
	case MR_APM_LAP_SENT:
	case MR_APM_LAP_RECEIVED:
	case MR_APM_LAP_YIELDED:
	case MR_APM_MRA_SENT:
	case MR_APM_MRA_RECEIVED:
		break;
	default:
		return;	/* takes it no step further */
	}
	add_point(conn, apm_cause_name(lap->cause), lap->apr_status, time_ns);
}

struct apm_step apm_table_take(struct apm_table *table,
			       const struct mr_apm_record *record)
{
	struct apm_conn *conn = find_or_add(table, record);
	struct apm_step step = { .record = record, .since_ms = -1 };

	if (!conn)
		return step;
	step.conn = conn;
	if (conn->last_ns)
		step.since_ms = (double)(__s64)(record->time_ns -
						conn->last_ns) / NS_PER_MS;
	conn->last_ns = record->time_ns;
	identify(conn, record);
	if (record->event == MR_APM_QP)
		take_qp(conn, &record->qp, record->time_ns);
	else if (record->event == MR_APM_LAP)
		take_lap(conn, &record->lap, record->time_ns);
	return step;
}

void apm_table_seen(struct apm_table *table, const struct qp_info *info,
		    __u64 now_ns)
{
	struct apm_conn *conn;

	if (info->state == MR_MIG_MIGRATED ||
	    find(table, info->dev_index, info->qpn))
		return;
	conn = add(table, info->dev_index, info->qpn, info->device);
	conn->port = info->port;
	conn->qp_port = info->port;
	add_port(conn, info->port);
	conn->remote_qpn = info->remote_qpn;
	if (info->state == MR_MIG_ARMED)
		becomes_armed(conn, now_ns);
	else
		is_to_rearm(conn, now_ns);
}

__u64 apm_table_next_query(const struct apm_table *table)
{
	struct apm_conn *conn, *next;
	__u64 first = 0;

	HASH_ITER(hh, table->conns, conn, next) {
		if (conn->next_query_ns &&
		    (!first || conn->next_query_ns < first))
			first = conn->next_query_ns;
	}
	return first;
}

static void ask_later(struct apm_conn *conn, __u64 now_ns)
{
	__u64 wait_ns = (now_ns - conn->asked_ns) / QUERY_PART;

	if (wait_ns < QUERY_MIN_NS)
		wait_ns = QUERY_MIN_NS;
	if (wait_ns > QUERY_MAX_NS)
		wait_ns = QUERY_MAX_NS;
	conn->next_query_ns = now_ns + wait_ns;
}

static void tell(const struct apm_conn *conn, __u64 now_ns,
		 apm_handler *handler, void *context)
{
	struct mr_apm_record record = {
		.time_ns = now_ns,
		.cm_id = conn->cm_id,
		.dev_index = conn->key.dev_index,
		.port = conn->port,
		.local_id = conn->local_id,
		.remote_id = conn->remote_id,
		.qpn = conn->key.qpn,
		.remote_qpn = conn->remote_qpn,
		.event = MR_APM_QP,
		.is_user = conn->is_user,
		.qp = { .state = MR_MIG_ARMED, .source = MR_MIG_QUERY },
	};

	memcpy(record.device, conn->device, sizeof(record.device));
	handler(&record, context);
}

void apm_table_query(struct apm_table *table, struct qp_state *queue_pairs,
		     __u64 now_ns, bool all, apm_handler *handler,
		     void *context)
{
	struct apm_conn *conn, *next;
	bool is_due;
	int state;

	HASH_ITER(hh, table->conns, conn, next) {
		is_due = conn->next_query_ns && conn->next_query_ns <= now_ns;
		if (conn->ended_ns || !conn->qp_port || !(is_due || all))
			continue;
		state = qp_state_get(queue_pairs, conn->key.dev_index,
				     conn->qp_port, conn->key.qpn);
		if (state == QP_GONE) {
			conn->ended_ns = now_ns;
			conn->next_query_ns = 0;
		} else if (state == MR_MIG_ARMED &&
			   conn->state == MR_MIG_REARM) {
			tell(conn, now_ns, handler, context);
		} else if (is_due) {
			ask_later(conn, now_ns);
		}
	}
}

bool apm_conn_is_stuck(const struct apm_conn *conn)
{
	return conn->is_migrated && !conn->ended_ns;
}

static __u64 this_time(const struct apm_conn *conn, __u64 now_ns)
{
	__u64 end_ns = conn->ended_ns ? conn->ended_ns : now_ns;

	return conn->unprotected_since_ns ? end_ns - conn->unprotected_since_ns :
					    0;
}

__u64 apm_conn_unprotected(const struct apm_conn *conn, __u64 now_ns)
{
	return conn->unprotected_ns + this_time(conn, now_ns);
}

__u64 apm_conn_longest(const struct apm_conn *conn, __u64 now_ns)
{
	__u64 this_ns = this_time(conn, now_ns);

	return this_ns > conn->longest_ns ? this_ns : conn->longest_ns;
}

/* Stuck; to be armed; ended without being armed again; all others */
static int rank(const struct apm_conn *conn)
{
	if (apm_conn_is_stuck(conn))
		return 0;
	if (conn->unprotected_since_ns && !conn->ended_ns)
		return 1;
	return conn->is_migrated ? 2 : 3;
}

static int compare(__u64 a, __u64 b)
{
	return (a > b) - (a < b);
}

/* Those that have been without protection for longest first */
static int compare_conns(const void *left, const void *right)
{
	const struct apm_conn *a = *(struct apm_conn *const *)left;
	const struct apm_conn *b = *(struct apm_conn *const *)right;
	int result = rank(a) - rank(b);

	if (!result && rank(a) < 2)
		result = compare(a->unprotected_since_ns,
				 b->unprotected_since_ns);
	if (!result)
		result = compare(b->unprotected_ns, a->unprotected_ns);
	if (!result)
		result = compare(a->key.dev_index, b->key.dev_index);
	return result ? result : compare(a->key.qpn, b->key.qpn);
}

struct apm_conn **apm_table_sorted(const struct apm_table *table,
				   size_t *count)
{
	struct apm_conn **conns, *conn, *next;

	*count = 0;
	conns = allocate(HASH_COUNT(table->conns), sizeof(struct apm_conn *));
	HASH_ITER(hh, table->conns, conn, next) {
		/* Others were never meant to be armed */
		if (conn->point_count)
			conns[(*count)++] = conn;
	}
	qsort(conns, *count, sizeof(struct apm_conn *), compare_conns);
	return conns;
}

void apm_table_free(struct apm_table *table)
{
	struct apm_conn *conn, *next;

	HASH_ITER(hh, table->conns, conn, next) {
		HASH_DEL(table->conns, conn);
		free(conn);
	}
}
