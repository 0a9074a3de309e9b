// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Counters of both sides */
#include <linux/string.h>
#include <linux/wait.h>

#include "peer.h"

static atomic64_t peer_counts[PEER_SIDES][PEER_COUNTS];

static const char * const peer_count_names[PEER_COUNTS] = {
	[PEER_CNT_ESTABLISHED] = "established",
	[PEER_CNT_FAILED] = "failed",
	[PEER_CNT_PATH_MIG] = "path_mig",
	[PEER_CNT_PATH_MIG_ERR] = "path_mig_err",
	[PEER_CNT_NOTIFY] = "notify",
	[PEER_CNT_NOTIFY_FAILED] = "notify_failed",
	[PEER_CNT_MIGRATE] = "migrate",
	[PEER_CNT_MIGRATE_FAILED] = "migrate_failed",
	[PEER_CNT_LAP_SENT] = "lap_sent",
	[PEER_CNT_LAP_REFUSED] = "lap_refused",
	[PEER_CNT_LAP_RECEIVED] = "lap_received",
	[PEER_CNT_LAP_ERROR] = "lap_error",
	[PEER_CNT_APR_SENT] = "apr_sent",
	[PEER_CNT_APR_REFUSED] = "apr_refused",
	[PEER_CNT_APR_RECEIVED] = "apr_received",
	[PEER_CNT_APR_SUCCESS] = "apr_success",
	[PEER_CNT_REARM] = "rearm",
	[PEER_CNT_REARM_FAILED] = "rearm_failed",
	[PEER_CNT_MRA_SENT] = "mra_sent",
	[PEER_CNT_MRA_RECEIVED] = "mra_received",
	[PEER_CNT_REJ_RECEIVED] = "rej_received",
	[PEER_CNT_DREQ_RECEIVED] = "dreq_received",
	[PEER_CNT_DREP_RECEIVED] = "drep_received",
	[PEER_CNT_DREQ_ERROR] = "dreq_error",
	[PEER_CNT_TIMEWAIT_EXIT] = "timewait_exit",
	[PEER_CNT_CM_OTHER] = "cm_other",
	[PEER_CNT_SA_FAILED] = "sa_failed",
	[PEER_CNT_PORT_ERR] = "port_err",
	[PEER_CNT_PORT_ACTIVE] = "port_active",
	[PEER_CNT_NOTICE_OUT] = "notice_out",
	[PEER_CNT_NOTICE_IN] = "notice_in",
	[PEER_CNT_MSG_SENT] = "msg_sent",
	[PEER_CNT_MSG_SEND_FAILED] = "msg_send_failed",
	[PEER_CNT_MSG_RECEIVED] = "msg_received",
	[PEER_CNT_MSG_LOST] = "msg_lost",
	[PEER_CNT_MSG_TWICE] = "msg_twice",
	[PEER_CNT_MSG_DAMAGED] = "msg_damaged",
};

const char *peer_count_name(enum peer_count what)
{
	return peer_count_names[what];
}

void peer_count_add(enum peer_side side, enum peer_count what, u64 n)
{
	atomic64_add(n, &peer_counts[side][what]);
}

void peer_count(enum peer_side side, enum peer_count what)
{
	peer_count_add(side, what, 1);
	wake_up_all(&peer_waitq);
}

u64 peer_counted(enum peer_side side, enum peer_count what)
{
	return atomic64_read(&peer_counts[side][what]);
}

/* @name is SIDE_COUNTER, as in the file */
int peer_count_by_name(const char *name, u64 *value)
{
	enum peer_side side;
	unsigned int i;
	size_t len;

	for (side = 0; side < PEER_SIDES; side++) {
		len = str_has_prefix(name, peer_side_name(side));
		if (!len || name[len] != '_')
			continue;
		i = match_string(peer_count_names, PEER_COUNTS,
				 name + len + 1);
		if ((int)i < 0)
			return -EINVAL;
		*value = peer_counted(side, i);
		return 0;
	}
	return -EINVAL;
}

void peer_count_reset(void)
{
	enum peer_side side;
	unsigned int i;

	for (side = 0; side < PEER_SIDES; side++)
		for (i = 0; i < PEER_COUNTS; i++)
			atomic64_set(&peer_counts[side][i], 0);
}
