// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Traps to the subnet manager, repeated until it says that it has heard:
 * 128 (a switch's port changed state), 144 (a port's capabilities changed).
 *
 * A node sends no more of them than one in the SubnetTimeOut that the subnet
 * manager has set in PortInfo: what happens meanwhile is told by the next. That
 * is more than a rule: OpenSM ignores a trap that comes too often, and would
 * not get to know of the last change.
 */
#include <linux/jiffies.h>
#include <linux/slab.h>
#include <linux/unaligned.h>

#include "vfab.h"

#define VFAB_TRAP_SENDS		4
/* SubnetTimeOut t is 4.096 us << t */
#define VFAB_TRAP_PERIOD_NS	4096ULL
#define VFAB_NOTICE_URGENT	(0x80 | 1)	/* generic, type 1 */
#define VFAB_NOTICE_INFO	(0x80 | 4)

static void vfab_trap_fill(struct vfab_node *node, struct vfab_port *port,
			   enum vfab_trap trap, struct ib_mad_notice_attr *n)
{
	u16 lid = READ_ONCE(port->pi.lid);

	n->generic_type = VFAB_NOTICE_INFO;
	n->prod_type_lsb = cpu_to_be16(node->is_switch ? RDMA_NODE_IB_SWITCH :
						      RDMA_NODE_IB_CA);
	n->issuer_lid = cpu_to_be16(lid);
	switch (trap) {
	case VFAB_TRAP_128:
		n->generic_type = VFAB_NOTICE_URGENT;
		n->trap_num = cpu_to_be16(128);
		put_unaligned_be16(lid, n->details.raw_data.details);
		break;
	case VFAB_TRAP_144:
		n->trap_num = IB_NOTICE_TRAP_CAP_MASK_CHG;
		n->details.ntc_144.lid = cpu_to_be16(lid);
		n->details.ntc_144.new_cap_mask =
			cpu_to_be32(READ_ONCE(port->pi.cap_mask));
		break;
	default:
		break;
	}
}

static void vfab_trap_send(struct vfab_node *node, enum vfab_trap trap,
			   u8 num, u64 tid)
{
	struct vfab_port *port = &node->ports[num];
	struct vfab_pkt *pkt;
	struct ib_smp *smp;

	pkt = vfab_pkt_alloc(sizeof(*smp));
	if (!pkt)
		return;
	pkt->opcode = IB_OPCODE_UD_SEND_ONLY;
	pkt->slid = READ_ONCE(port->pi.lid);
	pkt->dlid = READ_ONCE(port->pi.sm_lid);
	pkt->sl = READ_ONCE(port->pi.sm_sl);
	pkt->pkey = IB_DEFAULT_PKEY_FULL;
	smp = (struct ib_smp *)pkt->data;
	smp->base_version = IB_MGMT_BASE_VERSION;
	smp->mgmt_class = IB_MGMT_CLASS_SUBN_LID_ROUTED;
	smp->class_version = 1;
	smp->method = IB_MGMT_METHOD_TRAP;
	smp->tid = cpu_to_be64(tid);
	smp->attr_id = IB_SMP_ATTR_NOTICE;
	vfab_trap_fill(node, port, trap, (void *)smp->data);
	if (node->is_switch)
		vfab_switch_inject(node->sw, pkt);
	else
		vfab_pkt_send(port, pkt);
}

static unsigned long vfab_trap_period(const struct vfab_port *port)
{
	u8 timeout = READ_ONCE(port->pi.subnet_timeout);

	/* one more: jiffies do not begin when this is called */
	return nsecs_to_jiffies(VFAB_TRAP_PERIOD_NS << timeout) + 1;
}

/* Trap lock held. */
static void vfab_trap_schedule(struct vfab_node *node)
{
	unsigned long now = jiffies;

	mod_delayed_work(vfab_wq, &node->trap_work,
			 time_before(now, node->trap_due) ?
			 node->trap_due - now : 0);
}

static bool vfab_trap_next(struct vfab_node *node, enum vfab_trap *next)
{
	enum vfab_trap trap;

	for (trap = 0; trap < VFAB_TRAPS; trap++) {
		if (node->trap_left[trap]) {
			*next = trap;
			return true;
		}
	}
	return false;
}

static void vfab_trap_work(struct work_struct *work)
{
	struct vfab_node *node = container_of(to_delayed_work(work),
					      struct vfab_node, trap_work);
	enum vfab_trap trap, later;
	u64 tid;
	u8 num;

	spin_lock_irq(&node->trap_lock);
	if (!vfab_trap_next(node, &trap)) {
		spin_unlock_irq(&node->trap_lock);
		return;
	}
	num = node->trap_port[trap];
	tid = node->trap_tid[trap];
	node->trap_left[trap]--;
	node->trap_due = jiffies + vfab_trap_period(&node->ports[num]);
	if (vfab_trap_next(node, &later))
		vfab_trap_schedule(node);
	spin_unlock_irq(&node->trap_lock);
	vfab_trap_send(node, trap, num, tid);
}

/* Any context. Nothing is sent while no subnet manager is known. */
void vfab_trap_raise(struct vfab_port *port, enum vfab_trap trap)
{
	struct vfab_node *node = port->node;
	u8 num = node->is_switch ? 0 : port->num;
	unsigned long flags;

	if (!READ_ONCE(node->ports[num].pi.sm_lid))
		return;
	spin_lock_irqsave(&node->trap_lock, flags);
	node->trap_left[trap] = VFAB_TRAP_SENDS;
	node->trap_port[trap] = num;
	node->trap_tid[trap] = ++node->trap_next_tid;
	vfab_trap_schedule(node);
	spin_unlock_irqrestore(&node->trap_lock, flags);
}

void vfab_trap_repress(struct vfab_node *node, u64 tid)
{
	enum vfab_trap trap;
	unsigned long flags;

	spin_lock_irqsave(&node->trap_lock, flags);
	for (trap = 0; trap < VFAB_TRAPS; trap++)
		if (node->trap_tid[trap] == tid)
			node->trap_left[trap] = 0;
	spin_unlock_irqrestore(&node->trap_lock, flags);
}

void vfab_trap_init(struct vfab_node *node)
{
	spin_lock_init(&node->trap_lock);
	node->trap_due = jiffies;
	INIT_DELAYED_WORK(&node->trap_work, vfab_trap_work);
}

void vfab_trap_stop(struct vfab_node *node)
{
	cancel_delayed_work_sync(&node->trap_work);
}
