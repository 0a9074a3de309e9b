/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Alternate paths of connections: what a LAP means, what goes into LAP and
 * APR, and what is reported. The connection itself is in cm.c.
 */

#ifndef CM_APM_H
#define CM_APM_H

#include <linux/types.h>
#include <rdma/ib_cm.h>
#include <rdma/ib_sa.h>
#include <rdma/ibta_vol1_c12.h>
#include <trace/misc/ib_cm_apm.h>

/* This side has sent a LAP and waits for the APR */
static inline bool cm_lap_is_outstanding(enum ib_cm_lap_state state)
{
	return state == IB_CM_LAP_SENT || state == IB_CM_MRA_LAP_RCVD;
}

/* This side has received a LAP and owes an APR */
static inline bool cm_lap_is_unanswered(enum ib_cm_lap_state state)
{
	return state == IB_CM_LAP_RCVD || state == IB_CM_MRA_LAP_SENT;
}

/**
 * struct cm_lap_record - a LAP that was received, and its answer
 * @lap: The message, to know it again.
 * @apr: What was answered, to be sent again when the LAP comes again.
 * @is_answered: There is an answer.
 */
struct cm_lap_record {
	struct cm_lap_msg lap;
	struct cm_apr_msg apr;
	bool is_answered;
};

/**
 * struct cm_apm - state of loading alternate paths, one for each connection
 * @tid: Transaction of the LAP sent last.
 * @count: LAPs sent; makes their transactions different.
 * @received: The LAP received last, NULL if none was.
 * @previous: The one before, which may come again behind the last one.
 * @is_active: This side has sent the REQ.
 * @accepts_lap: The consumer answers LAPs.
 * @is_ahead: A LAP of the peer has shown that the connection has migrated;
 *   the consumer has not said so yet.
 * @is_accepted: The peer has accepted the path proposed, which this side has
 *   not loaded yet.
 *
 * Protected by the lock of the connection.
 */
struct cm_apm {
	__be64 tid;
	u8 count;
	struct cm_lap_record *received;
	struct cm_lap_record *previous;
	bool is_active;
	bool accepts_lap;
	bool is_ahead;
	bool is_accepted;
};

/* What to do with a LAP that is in order */
enum cm_lap_action {
	CM_LAP_DELIVER,		/* to the consumer */
	CM_LAP_ANSWER_AGAIN,	/* the APR was lost */
	CM_LAP_MRA_AGAIN,	/* the MRA was lost */
	CM_LAP_IGNORE,		/* the consumer is at work */
	CM_LAP_YIELD,		/* crossed with ours: give ours up */
	CM_LAP_INSIST,		/* crossed with ours: reject the peer's */
};

enum cm_lap_action cm_apm_on_lap(const struct cm_apm *apm,
				 enum ib_cm_lap_state state,
				 const struct cm_lap_msg *lap_msg);

const struct cm_lap_record *
cm_apm_find_answer(const struct cm_apm *apm, const struct cm_lap_msg *lap_msg);

enum ib_cm_apr_status cm_apm_check_lap(const struct cm_lap_msg *lap_msg);

/**
 * struct cm_apm_ids - how LAP and APR name the connection
 * @tid: Transaction.
 * @local_id: Communication ID of the sender.
 * @remote_id: Communication ID of the receiver.
 */
struct cm_apm_ids {
	__be64 tid;
	__be32 local_id;
	__be32 remote_id;
};

void cm_apm_format_lap(struct cm_lap_msg *lap_msg,
		       const struct cm_apm_ids *ids, __be32 remote_qpn,
		       int timeout_ms, const struct sa_path_rec *path,
		       u8 ack_timeout);

void cm_apm_format_apr(struct cm_apr_msg *apr_msg,
		       const struct cm_apm_ids *ids,
		       enum ib_cm_apr_status status);

void cm_apm_trace_state(const struct icm_trace_conn *conn,
			const struct icm_trace_apm_state *step);
void cm_apm_trace_migrate(const struct icm_trace_conn *conn,
			  const struct icm_trace_migrate *paths);

#endif /* CM_APM_H */
