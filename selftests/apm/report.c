// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* What can be read: "state", a line for each end, and "counters" */
#include <linux/debugfs.h>
#include <linux/seq_file.h>

#include "peer.h"

static const char * const peer_mig_names[] = {
	[IB_MIG_MIGRATED]	= "MIGRATED",
	[IB_MIG_REARM]		= "REARM",
	[IB_MIG_ARMED]		= "ARMED",
};

static const char * const peer_lap_names[] = {
	[IB_CM_LAP_UNINIT]	= "UNINIT",
	[IB_CM_LAP_IDLE]	= "IDLE",
	[IB_CM_LAP_SENT]	= "SENT",
	[IB_CM_LAP_RCVD]	= "RCVD",
	[IB_CM_MRA_LAP_SENT]	= "MRA_SENT",
	[IB_CM_MRA_LAP_RCVD]	= "MRA_RCVD",
};

/* The paths that the QP has */
static void peer_show_qp(struct seq_file *m, struct peer_end *end)
{
	struct ib_qp_attr attr;

	if (peer_qp_query(end, &attr))
		return;
	seq_printf(m, " qpn=%u qp=%u mig=%s port=%u dlid=%u alt_port=%u alt_dlid=%u",
		   end->qp->qp_num, attr.qp_state,
		   peer_mig_names[attr.path_mig_state],
		   rdma_ah_get_port_num(&attr.ah_attr),
		   rdma_ah_get_dlid(&attr.ah_attr), attr.alt_port_num,
		   rdma_ah_get_dlid(&attr.alt_ah_attr));
}

/* The paths that ib_cm has, and its states */
static void peer_show_cm(struct seq_file *m, struct peer_end *end)
{
	struct ib_qp_attr attr = { .qp_state = IB_QPS_RTR };
	int mask = 0;

	if (!end->cm_id)
		return;
	seq_printf(m, " local_id=%u remote_id=%u cm=%u lap=%s",
		   be32_to_cpu(end->cm_id->local_id),
		   be32_to_cpu(end->cm_id->remote_id), end->cm_id->state,
		   peer_lap_names[end->cm_id->lap_state]);
	if (ib_cm_init_qp_attr(end->cm_id, &attr, &mask))
		return;
	seq_printf(m, " cm_port=%u cm_dlid=%u",
		   rdma_ah_get_port_num(&attr.ah_attr),
		   rdma_ah_get_dlid(&attr.ah_attr));
	if (mask & IB_QP_ALT_PATH)
		seq_printf(m, " cm_alt_port=%u cm_alt_dlid=%u",
			   attr.alt_port_num,
			   rdma_ah_get_dlid(&attr.alt_ah_attr));
}

static void peer_show_traffic(struct seq_file *m, struct peer_end *end)
{
	u64 sent, failed, received, lost, twice, damaged;
	u32 status;

	spin_lock_irq(&end->lock);
	sent = end->sent;
	failed = end->send_failed;
	status = end->last_status;
	received = end->received;
	lost = end->lost;
	twice = end->twice;
	damaged = end->damaged;
	spin_unlock_irq(&end->lock);
	seq_printf(m, " sent=%llu failed=%llu status=%u received=%llu lost=%llu twice=%llu damaged=%llu",
		   sent, failed, status, received, lost, twice, damaged);
}

static int peer_show_end(struct peer_end *end, void *arg)
{
	struct seq_file *m = arg;

	seq_printf(m, "pair=%u side=%s dev=%s state=%s error=%d apr_status=%u",
		   end->pair->index, peer_side_name(end->side),
		   dev_name(&end->dev->ibdev->dev),
		   peer_state_name(READ_ONCE(end->state)), READ_ONCE(end->error),
		   end->apr_status);
	peer_show_qp(m, end);
	peer_show_cm(m, end);
	peer_show_traffic(m, end);
	seq_putc(m, '\n');
	return 0;
}

static int peer_state_show(struct seq_file *m, void *v)
{
	return peer_call_ends(-1, PEER_BOTH, peer_show_end, m);
}
DEFINE_SHOW_ATTRIBUTE(peer_state);

static int peer_counters_show(struct seq_file *m, void *v)
{
	enum peer_side side;
	unsigned int i;

	for (side = 0; side < PEER_SIDES; side++)
		for (i = 0; i < PEER_COUNTS; i++)
			seq_printf(m, "%s_%s %llu\n", peer_side_name(side),
				   peer_count_name(i), peer_counted(side, i));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(peer_counters);

void peer_report_init(struct dentry *dir)
{
	debugfs_create_file("state", 0400, dir, NULL, &peer_state_fops);
	debugfs_create_file("counters", 0400, dir, NULL, &peer_counters_fops);
}
