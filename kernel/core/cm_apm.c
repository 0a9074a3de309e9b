// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Alternate paths of connections: what a LAP means, what goes into LAP and
 * APR, and what is reported. Nothing here sleeps, takes a lock or knows the
 * connection.
 */

#include <linux/log2.h>
#include <linux/string.h>
#include <rdma/ib_verbs.h>
#include <rdma/opa_addr.h>

#include "cm_apm.h"
#include "cm_msgs.h"

#define CREATE_TRACE_POINTS
#include <trace/events/ib_cm_apm.h>

/* CM times are 4.096 us * 2^x, about 1 ms * 2^(x - 8); 5 bits wide */
#define CM_TIME_1_MS	8
#define CM_TIME_MAX	31

static bool is_same_lap(const struct cm_lap_record *record,
			const struct cm_lap_msg *lap_msg)
{
	return record && !memcmp(&record->lap, lap_msg, sizeof(*lap_msg));
}

/**
 * cm_apm_find_answer - the answer that a LAP has got before
 * @apm: State of the connection.
 * @lap_msg: The message.
 *
 * A LAP that comes again is the same to the last bit, its transaction
 * included. Two are remembered, because a copy of one may be handled after
 * the next. A peer that never changes transactions may send the same LAP once
 * more after the connection has migrated; what was answered before that is
 * forgotten by then.
 *
 * Return: The LAP with its answer, or NULL.
 */
const struct cm_lap_record *
cm_apm_find_answer(const struct cm_apm *apm, const struct cm_lap_msg *lap_msg)
{
	if (is_same_lap(apm->received, lap_msg) && apm->received->is_answered)
		return apm->received;
	if (is_same_lap(apm->previous, lap_msg) && apm->previous->is_answered)
		return apm->previous;
	return NULL;
}

/**
 * cm_apm_on_lap - what to do with a LAP that is in order
 * @apm: State of the connection, which is established.
 * @state: LAP state of the connection.
 * @lap_msg: The message.
 *
 * Two LAPs that cross would leave both sides waiting. The side that sent the
 * REQ is the one that the specification lets send LAPs (volume 1, 12.6.9), so
 * its LAP is the one that counts.
 *
 * Return: The action.
 */
enum cm_lap_action cm_apm_on_lap(const struct cm_apm *apm,
				 enum ib_cm_lap_state state,
				 const struct cm_lap_msg *lap_msg)
{
	if (cm_apm_find_answer(apm, lap_msg))
		return CM_LAP_ANSWER_AGAIN;
	if (cm_lap_is_outstanding(state))
		return apm->is_active ? CM_LAP_INSIST : CM_LAP_YIELD;
	if (!cm_lap_is_unanswered(state))
		return CM_LAP_DELIVER;
	return state == IB_CM_MRA_LAP_SENT &&
	       is_same_lap(apm->received, lap_msg) ? CM_LAP_MRA_AGAIN :
						     CM_LAP_IGNORE;
}

static bool is_unicast_gid(const union ib_gid *gid)
{
	return gid->global.interface_id && gid->raw[0] != 0xff;
}

/**
 * cm_apm_check_lap - check the content of a LAP
 * @lap_msg: The message.
 *
 * Checks what can be told from the message alone. Whether it means the right
 * queue pair, and whether this host has the port that the path leads to, is
 * for the caller to find out.
 *
 * Return: The APR status that the LAP deserves, IB_CM_APR_SUCCESS if it is in
 * order.
 */
enum ib_cm_apr_status cm_apm_check_lap(const struct cm_lap_msg *lap_msg)
{
	struct cm_lap_msg *msg = (struct cm_lap_msg *)lap_msg;
	const union ib_gid *peer, *own;
	u8 rate, hop_limit;

	peer = IBA_GET_MEM_PTR(CM_LAP_ALTERNATE_LOCAL_PORT_GID, msg);
	own = IBA_GET_MEM_PTR(CM_LAP_ALTERNATE_REMOTE_PORT_GID, msg);
	if (!is_unicast_gid(peer) || !is_unicast_gid(own))
		return IB_CM_APR_INVALID_GID;

	hop_limit = IBA_GET(CM_LAP_ALTERNATE_HOP_LIMIT, msg);
	if (!IBA_GET(CM_LAP_ALTERNATE_SUBNET_LOCAL, msg) && hop_limit <= 1)
		return IB_CM_APR_INVALID_HOP_LIMIT;

	rate = IBA_GET(CM_LAP_ALTERNATE_PACKET_RATE, msg);
	if (rate != IB_RATE_PORT_CURRENT && ib_rate_to_mult(rate) < 0)
		return IB_CM_APR_INVALID_PACKET_RATE;

	return IB_CM_APR_SUCCESS;
}

static void format_hdr(struct ib_mad_hdr *hdr, __be16 attr_id, __be64 tid)
{
	hdr->base_version = IB_MGMT_BASE_VERSION;
	hdr->mgmt_class = IB_MGMT_CLASS_CM;
	hdr->class_version = IB_CM_CLASS_VERSION;
	hdr->method = IB_MGMT_METHOD_SEND;
	hdr->attr_id = attr_id;
	hdr->tid = tid;
}

/* The longest CM time that is not longer than this */
static u8 cm_time_from_ms(int timeout_ms)
{
	if (timeout_ms < 1)
		return CM_TIME_1_MS;
	return min(ilog2(timeout_ms) + CM_TIME_1_MS, CM_TIME_MAX);
}

static void format_lap_gid(union ib_gid *gid, const union ib_gid *from,
			   bool is_opa_ext, __be32 lid)
{
	*gid = *from;
	if (is_opa_ext)
		gid->global.interface_id = OPA_MAKE_ID(be32_to_cpu(lid));
}

static void format_lap_path(struct cm_lap_msg *lap_msg,
			    const struct sa_path_rec *path)
{
	__be32 slid = sa_path_get_slid((struct sa_path_rec *)path);
	__be32 dlid = sa_path_get_dlid((struct sa_path_rec *)path);
	bool is_opa_ext = path->rec_type == SA_PATH_REC_TYPE_OPA &&
			  opa_is_extended_lid(dlid, slid);

	if (!is_opa_ext) {
		IBA_SET(CM_LAP_ALTERNATE_LOCAL_PORT_LID, lap_msg,
			be32_to_cpu(slid));
		IBA_SET(CM_LAP_ALTERNATE_REMOTE_PORT_LID, lap_msg,
			be32_to_cpu(dlid));
	}
	format_lap_gid(IBA_GET_MEM_PTR(CM_LAP_ALTERNATE_LOCAL_PORT_GID,
				       lap_msg),
		       &path->sgid, is_opa_ext, slid);
	format_lap_gid(IBA_GET_MEM_PTR(CM_LAP_ALTERNATE_REMOTE_PORT_GID,
				       lap_msg),
		       &path->dgid, is_opa_ext, dlid);
	IBA_SET(CM_LAP_ALTERNATE_FLOW_LABEL, lap_msg,
		be32_to_cpu(path->flow_label));
	IBA_SET(CM_LAP_ALTERNATE_TRAFFIC_CLASS, lap_msg, path->traffic_class);
	IBA_SET(CM_LAP_ALTERNATE_HOP_LIMIT, lap_msg, path->hop_limit);
	IBA_SET(CM_LAP_ALTERNATE_PACKET_RATE, lap_msg, path->rate);
	IBA_SET(CM_LAP_ALTERNATE_SL, lap_msg, path->sl);
	IBA_SET(CM_LAP_ALTERNATE_SUBNET_LOCAL, lap_msg, path->hop_limit <= 1);
}

/**
 * cm_apm_format_lap - write a LAP
 * @lap_msg: The message, all zero.
 * @ids: How it names the connection.
 * @remote_qpn: Queue pair of the receiver.
 * @timeout_ms: How long the sender waits for an answer, in milliseconds.
 * @path: The alternate path proposed.
 * @ack_timeout: Local ACK time-out of a queue pair on that path, as
 *   4.096 us * 2^x.
 */
void cm_apm_format_lap(struct cm_lap_msg *lap_msg,
		       const struct cm_apm_ids *ids, __be32 remote_qpn,
		       int timeout_ms, const struct sa_path_rec *path,
		       u8 ack_timeout)
{
	format_hdr(&lap_msg->hdr, CM_LAP_ATTR_ID, ids->tid);
	IBA_SET(CM_LAP_LOCAL_COMM_ID, lap_msg, be32_to_cpu(ids->local_id));
	IBA_SET(CM_LAP_REMOTE_COMM_ID, lap_msg, be32_to_cpu(ids->remote_id));
	IBA_SET(CM_LAP_REMOTE_QPN_EECN, lap_msg, be32_to_cpu(remote_qpn));
	IBA_SET(CM_LAP_REMOTE_CM_RESPONSE_TIMEOUT, lap_msg,
		cm_time_from_ms(timeout_ms));
	IBA_SET(CM_LAP_ALTERNATE_LOCAL_ACK_TIMEOUT, lap_msg, ack_timeout);
	format_lap_path(lap_msg, path);
}

/**
 * cm_apm_format_apr - write an APR without information or private data
 * @apr_msg: The message, all zero.
 * @ids: How it names the connection.
 * @status: The answer.
 */
void cm_apm_format_apr(struct cm_apr_msg *apr_msg,
		       const struct cm_apm_ids *ids,
		       enum ib_cm_apr_status status)
{
	format_hdr(&apr_msg->hdr, CM_APR_ATTR_ID, ids->tid);
	IBA_SET(CM_APR_LOCAL_COMM_ID, apr_msg, be32_to_cpu(ids->local_id));
	IBA_SET(CM_APR_REMOTE_COMM_ID, apr_msg, be32_to_cpu(ids->remote_id));
	IBA_SET(CM_APR_AR_STATUS, apr_msg, status);
}

/* Report a step in loading an alternate path */
void cm_apm_trace_state(const struct icm_trace_conn *conn,
			const struct icm_trace_apm_state *step)
{
	trace_icm_apm_state(conn, step);
}

/* Report that the alternate path is the primary one now */
void cm_apm_trace_migrate(const struct icm_trace_conn *conn,
			  const struct icm_trace_migrate *paths)
{
	trace_icm_migrate(conn, paths);
}
