// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * What goes wrong on purpose: per port, seeded, and counted exactly. The knobs
 * of a port act on what leaves that port (the SA front: on what arrives).
 *
 * debugfs: ib_vfab/{vfabN,switchN}/portN/...; README.md lists the files.
 */
#include <linux/debugfs.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#include "vfab.h"

#define VFAB_PPM	1000000

static struct dentry *vfab_debugfs;
static u32 vfab_seed;

static const char * const vfab_cnt_name[VFAB_CNTS] = {
	[VFAB_TX_PKTS]		= "tx_packets",
	[VFAB_TX_BYTES]		= "tx_bytes",
	[VFAB_RX_PKTS]		= "rx_packets",
	[VFAB_RX_BYTES]		= "rx_bytes",
	[VFAB_TX_MCAST]		= "tx_multicast",
	[VFAB_RX_MCAST]		= "rx_multicast",
	[VFAB_TX_DISCARDS]	= "tx_discards",
	[VFAB_RX_ERRORS]	= "rx_errors",
	[VFAB_LINK_DOWNED]	= "link_downed",
	[VFAB_DROP_LOSS]	= "drop_loss",
	[VFAB_DROP_RC]		= "drop_rc",
	[VFAB_DROP_MAD]		= "drop_mad",
	[VFAB_DROP_LINK]	= "drop_link",
	[VFAB_DROP_FLIGHT]	= "drop_flight",
	[VFAB_DUPLICATED]	= "duplicated",
	[VFAB_DELAYED]		= "delayed",
	[VFAB_SA_REQUESTS]	= "sa_requests",
	[VFAB_SA_BUSIED]	= "sa_busied",
	[VFAB_SA_DROPPED]	= "sa_dropped",
	[VFAB_SA_QUEUED]	= "sa_queued_total",
	[VFAB_SA_OVER_BUSIED]	= "sa_overflow_busied",
	[VFAB_SA_OVER_DROPPED]	= "sa_overflow_dropped",
	[VFAB_SA_PASSED]	= "sa_passed",
};

static const struct {
	const char *name;
	u32 max;
	u32 init;
	bool host_only;
} vfab_knob_file[VFAB_KNOBS] = {
	[VFAB_LOSS]		= { "loss_ppm", VFAB_PPM },
	[VFAB_LOSS_RC]		= { "loss_rc_ppm", VFAB_PPM },
	[VFAB_DUP]		= { "dup_ppm", VFAB_PPM },
	[VFAB_DELAY]		= { "delay_us", 60 * USEC_PER_SEC },
	[VFAB_SEND_DONE]	= { "send_done_us", 60 * USEC_PER_SEC, 0, true },
	[VFAB_SA_BUSY]		= { "sa_busy_ppm", VFAB_PPM, 0, true },
	[VFAB_SA_DROP]		= { "sa_drop_ppm", VFAB_PPM, 0, true },
	[VFAB_SA_RATE]		= { "sa_rate", USEC_PER_SEC, 0, true },
	[VFAB_SA_QUEUE_LEN]	= { "sa_queue_len", VFAB_RX_MAX, 256, true },
	[VFAB_SA_OVERFLOW_BUSY]	= { "sa_overflow_busy", 1, 0, true },
};

/* ---- decisions ---- */

static bool vfab_chance(struct rnd_state *rnd, u32 ppm)
{
	if (!ppm)
		return false;
	if (ppm >= VFAB_PPM)
		return true;
	return prandom_u32_state(rnd) % VFAB_PPM < ppm;
}

bool vfab_knobs_chance(struct vfab_port *port, u32 ppm)
{
	unsigned long flags;
	bool hit;

	if (!ppm)
		return false;
	spin_lock_irqsave(&port->knobs.lock, flags);
	hit = vfab_chance(&port->knobs.rnd, ppm);
	spin_unlock_irqrestore(&port->knobs.lock, flags);
	return hit;
}

/* The first rule that names the MAD decides; later rules do not see it. */
static bool vfab_rules_lose(struct vfab_knobs *k, const struct vfab_pkt *pkt)
{
	const struct ib_mad_hdr *mad = (const struct ib_mad_hdr *)pkt->data;
	struct vfab_mad_rule *r;

	for (r = k->rules; r < k->rules + VFAB_MAD_RULES; r++) {
		if (!r->mclass || r->mclass != mad->mgmt_class)
			continue;
		if (r->attr && r->attr != be16_to_cpu(mad->attr_id))
			continue;
		r->matched++;
		if (!r->left || !vfab_chance(&k->rnd, r->ppm))
			return false;
		if (r->left != U32_MAX)
			r->left--;
		r->dropped++;
		return true;
	}
	return false;
}

enum vfab_verdict vfab_knobs_judge(struct vfab_port *port,
				   const struct vfab_pkt *pkt, u32 *delay_us)
{
	struct vfab_knobs *k = &port->knobs;
	enum vfab_verdict verdict = VFAB_PASS;
	unsigned long flags;

	*delay_us = 0;
	spin_lock_irqsave(&k->lock, flags);
	if (vfab_pkt_is_mad(pkt) && vfab_rules_lose(k, pkt)) {
		vfab_count(port, VFAB_DROP_MAD);
		verdict = VFAB_LOSE;
	} else if (vfab_pkt_is_rc(pkt) &&
		   vfab_chance(&k->rnd, vfab_knob(port, VFAB_LOSS_RC))) {
		vfab_count(port, VFAB_DROP_RC);
		verdict = VFAB_LOSE;
	} else if (vfab_chance(&k->rnd, vfab_knob(port, VFAB_LOSS))) {
		vfab_count(port, VFAB_DROP_LOSS);
		verdict = VFAB_LOSE;
	} else {
		*delay_us = vfab_knob(port, VFAB_DELAY);
		if (*delay_us)
			vfab_count(port, VFAB_DELAYED);
		if (vfab_chance(&k->rnd, vfab_knob(port, VFAB_DUP)))
			verdict = VFAB_TWICE;
	}
	spin_unlock_irqrestore(&k->lock, flags);
	return verdict;
}

/* A stream of its own for each port, so traffic elsewhere changes nothing */
static void vfab_knobs_seed(struct vfab_port *port, u32 seed)
{
	unsigned long flags;

	spin_lock_irqsave(&port->knobs.lock, flags);
	prandom_seed_state(&port->knobs.rnd,
			   ((u64)seed << 32) ^ port->node->guid ^
			   (u64)port->num * 0x9e3779b97f4a7c15ULL);
	spin_unlock_irqrestore(&port->knobs.lock, flags);
}

void vfab_knobs_init(struct vfab_port *port)
{
	unsigned int i;

	for (i = 0; i < VFAB_KNOBS; i++) {
		port->knobs.knob[i].port = port;
		port->knobs.knob[i].val = vfab_knob_file[i].init;
	}
	spin_lock_init(&port->knobs.lock);
	vfab_knobs_seed(port, 0);
}

/* ---- debugfs ---- */

static int vfab_knob_get(void *data, u64 *val)
{
	struct vfab_knob *k = data;

	*val = READ_ONCE(k->val);
	return 0;
}

/*
 * SA front values may let waiting requests go, so every change looks at the
 * front's queue again.
 */
static int vfab_knob_set(void *data, u64 val)
{
	struct vfab_knob *k = data;
	struct vfab_port *port = k->port;

	if (val > vfab_knob_file[k - port->knobs.knob].max)
		return -ERANGE;
	WRITE_ONCE(k->val, val);
	vfab_sa_front_kick(port);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(vfab_knob_fops, vfab_knob_get, vfab_knob_set,
			 "%llu\n");

static int vfab_link_get(void *data, u64 *val)
{
	struct vfab_port *port = data;

	*val = READ_ONCE(port->plugged);
	return 0;
}

static int vfab_link_set(void *data, u64 val)
{
	if (val > 1)
		return -ERANGE;
	vfab_port_plug(data, val);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(vfab_link_fops, vfab_link_get, vfab_link_set,
			 "%llu\n");

static int vfab_seed_get(void *data, u64 *val)
{
	*val = vfab_seed;
	return 0;
}

static void vfab_seed_all(u32 seed)
{
	struct vfab_node *node;
	unsigned int i;

	vfab_seed = seed;
	list_for_each_entry(node, &vfab_nodes, list)
		for (i = 0; i <= node->nports; i++)
			vfab_knobs_seed(&node->ports[i], seed);
}

static int vfab_seed_set(void *data, u64 val)
{
	if (val > U32_MAX)
		return -ERANGE;
	vfab_seed_all(val);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(vfab_seed_fops, vfab_seed_get, vfab_seed_set,
			 "%llu\n");

static int vfab_counters_show(struct seq_file *m, void *v)
{
	struct vfab_port *port = m->private;
	unsigned int i;

	for (i = 0; i < VFAB_CNTS; i++)
		seq_printf(m, "%s %lld\n", vfab_cnt_name[i],
			   (s64)atomic64_read(&port->cnt[i]));
	seq_printf(m, "rx_queue %u\n", READ_ONCE(port->rx_len));
	seq_printf(m, "sa_queue %u\n", READ_ONCE(port->sa.queued));
	seq_printf(m, "sa_queue_max %u\n", READ_ONCE(port->sa.queued_max));
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(vfab_counters);

static int vfab_reset_set(void *data, u64 val)
{
	struct vfab_port *port = data;
	unsigned int i;

	for (i = 0; i < VFAB_CNTS; i++)
		atomic64_set(&port->cnt[i], 0);
	memset(port->pma_base, 0, sizeof(port->pma_base));
	WRITE_ONCE(port->sa.queued_max, 0);
	return 0;
}
DEFINE_DEBUGFS_ATTRIBUTE(vfab_reset_fops, NULL, vfab_reset_set, "%llu\n");

static int vfab_rules_show(struct seq_file *m, void *v)
{
	struct vfab_port *port = m->private;
	struct vfab_knobs *k = &port->knobs;
	struct vfab_mad_rule r;
	unsigned int i;

	for (i = 0; i < VFAB_MAD_RULES; i++) {
		spin_lock_irq(&k->lock);
		r = k->rules[i];
		spin_unlock_irq(&k->lock);
		if (!r.mclass)
			continue;
		seq_printf(m, "0x%02x 0x%04x %u ", r.mclass, r.attr, r.ppm);
		if (r.left == U32_MAX)
			seq_puts(m, "all ");
		else
			seq_printf(m, "%u ", r.left);
		seq_printf(m, "matched %llu dropped %llu\n", r.matched,
			   r.dropped);
	}
	return 0;
}

static int vfab_rules_open(struct inode *inode, struct file *file)
{
	return single_open(file, vfab_rules_show, inode->i_private);
}

/* A rule for the same class and attribute is replaced; ppm 0 takes it away. */
static int vfab_rule_set(struct vfab_knobs *k, const struct vfab_mad_rule *new)
{
	struct vfab_mad_rule *r, *slot = NULL;
	int ret = 0;

	spin_lock_irq(&k->lock);
	for (r = k->rules; r < k->rules + VFAB_MAD_RULES; r++) {
		if (r->mclass == new->mclass && r->attr == new->attr) {
			slot = r;
			break;
		}
		if (!r->mclass && !slot)
			slot = r;
	}
	if (!slot)
		ret = -ENOSPC;
	else if (new->ppm)
		*slot = *new;
	else
		memset(slot, 0, sizeof(*slot));
	spin_unlock_irq(&k->lock);
	return ret;
}

/* "clear", or "CLASS ATTR PPM [COUNT]", ATTR 0 for any */
static ssize_t vfab_rules_write(struct file *file, const char __user *ubuf,
				size_t len, loff_t *off)
{
	struct vfab_port *port = file_inode(file)->i_private;
	struct vfab_mad_rule r = { .left = U32_MAX };
	unsigned int mclass, attr, ppm, count;
	char buf[64];
	int n, ret;

	if (len >= sizeof(buf))
		return -EINVAL;
	if (copy_from_user(buf, ubuf, len))
		return -EFAULT;
	buf[len] = 0;
	if (sysfs_streq(buf, "clear")) {
		spin_lock_irq(&port->knobs.lock);
		memset(port->knobs.rules, 0, sizeof(port->knobs.rules));
		spin_unlock_irq(&port->knobs.lock);
		return len;
	}
	n = sscanf(buf, "%i %i %u %u", &mclass, &attr, &ppm, &count);
	if (n < 3 || !mclass || mclass > U8_MAX || attr > U16_MAX)
		return -EINVAL;
	if (ppm > VFAB_PPM)
		return -ERANGE;
	r.mclass = mclass;
	r.attr = attr;
	r.ppm = ppm;
	if (n == 4)
		r.left = count;
	ret = vfab_rule_set(&port->knobs, &r);
	return ret ? ret : len;
}

static const struct file_operations vfab_rules_fops = {
	.owner = THIS_MODULE,
	.open = vfab_rules_open,
	.read = seq_read,
	.write = vfab_rules_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static void vfab_debugfs_port(struct vfab_port *port, struct dentry *parent)
{
	struct dentry *dir;
	unsigned int i;
	char name[16];

	snprintf(name, sizeof(name), "port%u", port->num);
	dir = debugfs_create_dir(name, parent);
	debugfs_create_file("link", 0600, dir, port, &vfab_link_fops);
	debugfs_create_file("loss_mad", 0600, dir, port, &vfab_rules_fops);
	debugfs_create_file("counters", 0400, dir, port, &vfab_counters_fops);
	debugfs_create_file("reset", 0200, dir, port, &vfab_reset_fops);
	for (i = 0; i < VFAB_KNOBS; i++) {
		if (vfab_knob_file[i].host_only && port->node->is_switch)
			continue;
		debugfs_create_file(vfab_knob_file[i].name, 0600, dir,
				    &port->knobs.knob[i], &vfab_knob_fops);
	}
}

void vfab_debugfs_init(u32 seed)
{
	struct vfab_node *node;
	unsigned int i;

	vfab_seed_all(seed);
	vfab_debugfs = debugfs_create_dir("ib_vfab", NULL);
	debugfs_create_file("seed", 0600, vfab_debugfs, NULL, &vfab_seed_fops);
	list_for_each_entry(node, &vfab_nodes, list) {
		node->debugfs = debugfs_create_dir(node->name, vfab_debugfs);
		for (i = 1; i <= node->nports; i++)
			vfab_debugfs_port(&node->ports[i], node->debugfs);
	}
}

void vfab_debugfs_exit(void)
{
	debugfs_remove(vfab_debugfs);
}
