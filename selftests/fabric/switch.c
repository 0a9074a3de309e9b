// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* A switch: forwards by its tables, and answers as the node at its port 0 */
#include <linux/slab.h>

#include "vfab.h"

#define VFAB_SWITCH_GUID	0x02fab00000010000ULL

static u8 vfab_switch_lookup(struct vfab_switch *sw, u16 dlid)
{
	if (!dlid || dlid >= VFAB_LFT_SIZE || dlid > READ_ONCE(sw->lft_top))
		return VFAB_LFT_NONE;
	return READ_ONCE(sw->lft[dlid]);
}

static void vfab_switch_drop(struct vfab_port *in, struct vfab_pkt *pkt)
{
	vfab_count(in, VFAB_RX_ERRORS);
	kfree(pkt);
}

/* Out of port @out, which is not port 0; never back where it came from. */
static void vfab_switch_out(struct vfab_port *in, struct vfab_pkt *pkt, u8 out)
{
	struct vfab_node *node = in->node;

	if (!out || out > node->nports)
		vfab_switch_drop(in, pkt);
	else
		vfab_port_xmit(&node->ports[out], pkt);
}

static void vfab_switch_mcast(struct vfab_port *in, struct vfab_pkt *pkt)
{
	struct vfab_switch *sw = in->node->sw;
	unsigned int i, mlid = pkt->dlid - be16_to_cpu(IB_MULTICAST_LID_BASE);
	unsigned long *map;

	if (mlid < VFAB_MLIDS) {
		map = sw->mft + mlid * sw->mft_longs;
		for (i = 1; i <= in->node->nports; i++) {
			struct vfab_pkt *copy;

			if (i == in->num || !test_bit(i, map))
				continue;
			copy = vfab_pkt_clone(pkt);
			if (copy)
				vfab_port_xmit(&in->node->ports[i], copy);
		}
	}
	kfree(pkt);
}

/* Turn the answered request round and send it off. */
static void vfab_switch_answer(struct vfab_port *in, struct vfab_pkt *pkt)
{
	struct ib_smp *smp = (struct ib_smp *)pkt->data;

	swap(pkt->dlid, pkt->slid);
	if (pkt->has_grh)
		swap(pkt->sgid, pkt->dgid);
	swap(pkt->dqpn, pkt->sqpn);
	pkt->dqpn &= VFAB_QPN_MASK;
	if (smp->mgmt_class == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE &&
	    smp->hop_cnt) {
		smp->hop_ptr = smp->hop_cnt;
		vfab_switch_out(in, pkt, smp->return_path[smp->hop_ptr]);
		return;
	}
	vfab_switch_inject(in->node->sw, pkt);
}

/* For the switch itself: its agents, or nobody. */
static void vfab_switch_local(struct vfab_port *in, struct vfab_pkt *pkt)
{
	struct ib_mad_hdr *req = (struct ib_mad_hdr *)pkt->data;
	struct ib_mad resp;

	if (!vfab_pkt_is_mad(pkt)) {
		vfab_switch_drop(in, pkt);
		return;
	}
	if (!vfab_node_mad(in, (struct ib_mad *)req, &resp)) {
		if (req->method != IB_MGMT_METHOD_GET &&
		    req->method != IB_MGMT_METHOD_SET) {
			kfree(pkt);
			return;
		}
		memcpy(&resp, req, sizeof(resp));
		resp.mad_hdr.method = IB_MGMT_METHOD_GET_RESP;
		resp.mad_hdr.status =
			cpu_to_be16(IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB);
	}
	memcpy(pkt->data, &resp, sizeof(resp));
	vfab_switch_answer(in, pkt);
}

static void vfab_switch_unicast(struct vfab_port *in, struct vfab_pkt *pkt)
{
	struct vfab_node *node = in->node;
	u8 out;

	if (vfab_lid_is_mine(&node->ports[0], pkt->dlid)) {
		vfab_switch_local(in, pkt);
		return;
	}
	out = vfab_switch_lookup(node->sw, pkt->dlid);
	if (out == in->num)
		vfab_switch_drop(in, pkt);
	else
		vfab_switch_out(in, pkt, out);
}

/* Directed route on its way out (IBA vol. 1, 14.2.2.2) */
static void vfab_switch_dr_out(struct vfab_port *in, struct vfab_pkt *pkt)
{
	struct ib_smp *smp = (struct ib_smp *)pkt->data;

	if (smp->hop_ptr && smp->hop_ptr < smp->hop_cnt) {
		smp->return_path[smp->hop_ptr++] = in->num;
		vfab_switch_out(in, pkt, smp->initial_path[smp->hop_ptr]);
		return;
	}
	if (smp->hop_ptr != smp->hop_cnt) {
		vfab_switch_drop(in, pkt);
		return;
	}
	if (smp->hop_cnt)
		smp->return_path[smp->hop_ptr] = in->num;
	smp->hop_ptr++;
	if (smp->dr_dlid == IB_LID_PERMISSIVE) {
		vfab_switch_local(in, pkt);
		return;
	}
	/* the rest of the way is by LID */
	pkt->dlid = be16_to_cpu(smp->dr_dlid);
	vfab_switch_unicast(in, pkt);
}

/* Directed route on its way back (IBA vol. 1, 14.2.2.4) */
static void vfab_switch_dr_back(struct vfab_port *in, struct vfab_pkt *pkt)
{
	struct ib_smp *smp = (struct ib_smp *)pkt->data;

	if (smp->hop_ptr >= 2 && smp->hop_ptr <= smp->hop_cnt) {
		smp->hop_ptr--;
		vfab_switch_out(in, pkt, smp->return_path[smp->hop_ptr]);
		return;
	}
	if (smp->hop_ptr == 1 && smp->dr_slid != IB_LID_PERMISSIVE) {
		smp->hop_ptr = 0;
		pkt->dlid = be16_to_cpu(smp->dr_slid);
		vfab_switch_unicast(in, pkt);
		return;
	}
	vfab_switch_drop(in, pkt);	/* there is no SM on a switch here */
}

void vfab_switch_rx(struct vfab_port *port, struct vfab_pkt *pkt)
{
	struct ib_smp *smp = (struct ib_smp *)pkt->data;

	if (vfab_pkt_is_smp(pkt) && vfab_pkt_is_mad(pkt) &&
	    smp->mgmt_class == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE &&
	    smp->hop_cnt < IB_SMP_MAX_PATH_HOPS &&
	    (pkt->dlid == be16_to_cpu(IB_LID_PERMISSIVE) ||
	     vfab_lid_is_mine(&port->node->ports[0], pkt->dlid))) {
		if (ib_get_smp_direction(smp))
			vfab_switch_dr_back(port, pkt);
		else
			vfab_switch_dr_out(port, pkt);
	} else if (vfab_lid_is_mcast(pkt->dlid)) {
		vfab_switch_mcast(port, pkt);
	} else {
		vfab_switch_unicast(port, pkt);
	}
}

/* Send a packet of the switch's own, by LID. */
void vfab_switch_inject(struct vfab_switch *sw, struct vfab_pkt *pkt)
{
	vfab_switch_out(&sw->node.ports[0], pkt,
			vfab_switch_lookup(sw, pkt->dlid));
}

/* The link of a port went up or down: the SM wants to know. */
void vfab_switch_port_changed(struct vfab_port *port)
{
	struct vfab_switch *sw = port->node->sw;
	unsigned long flags;

	spin_lock_irqsave(&sw->lock, flags);
	sw->state_change = true;
	spin_unlock_irqrestore(&sw->lock, flags);
	vfab_trap_raise(port, VFAB_TRAP_128);
}

struct vfab_switch *vfab_switch_create(unsigned int index, u8 nports)
{
	struct vfab_switch *sw;

	sw = kzalloc(sizeof(*sw), GFP_KERNEL);
	if (!sw)
		return NULL;
	spin_lock_init(&sw->lock);
	sw->mft_longs = BITS_TO_LONGS(256);
	sw->lft = kvmalloc(VFAB_LFT_SIZE, GFP_KERNEL);
	sw->mft = kvcalloc(VFAB_MLIDS, sw->mft_longs * sizeof(long),
			   GFP_KERNEL);
	sw->node.is_switch = true;
	sw->node.sw = sw;
	snprintf(sw->node.name, sizeof(sw->node.name), "switch%u", index);
	if (!sw->lft || !sw->mft ||
	    vfab_node_init(&sw->node, nports,
			   VFAB_SWITCH_GUID + ((u64)index << 8)))
		goto err;
	memset(sw->lft, VFAB_LFT_NONE, VFAB_LFT_SIZE);
	/* port 0 has no wire: it is as up as the switch is */
	sw->node.ports[0].pi.state = IB_PORT_ACTIVE;
	sw->node.ports[0].pi.phys_state = IB_PORT_PHYS_STATE_LINK_UP;
	return sw;
err:
	kvfree(sw->lft);
	kvfree(sw->mft);
	kfree(sw);
	return NULL;
}

void vfab_switch_destroy(struct vfab_switch *sw)
{
	vfab_node_fini(&sw->node);
	kvfree(sw->lft);
	kvfree(sw->mft);
	kfree(sw);
}
