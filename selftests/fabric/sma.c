// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Subnet management agent of hosts and switches (IBA vol. 1, chapter 14.2).
 * M_Keys are stored but not enforced.
 */
#include <linux/unaligned.h>

#include "vfab.h"

#define VFAB_VENDOR_ID		{ 0x02, 0xfa, 0xb0 }	/* as in the GUIDs */
#define VFAB_DEVICE_ID		0x7fab
#define VFAB_SM_STATUS_BAD	IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE
#define VFAB_LFT_BLOCK		64	/* LIDs per LinearForwardingTable */
#define VFAB_MFT_BLOCK		32	/* MLIDs per MulticastForwardingTable */
#define VFAB_MFT_PORTS		16	/* ports per mask in it */

/* One request at work. status is a MAD status, 0 if all is well. */
struct vfab_sma {
	struct vfab_port	*in;
	struct vfab_node	*node;
	const u8		*req;	/* attribute as received */
	u8			*data;	/* attribute to send back */
	u32			mod;
	bool			set;
	u16			status;
};

static void vfab_sma_node_desc(struct vfab_sma *s)
{
	if (s->set)
		s->status = VFAB_SM_STATUS_BAD;
	memset(s->data, 0, IB_SMP_DATA_SIZE);
	memcpy(s->data, s->node->desc, VFAB_DESC_MAX);
}

static void vfab_sma_node_info(struct vfab_sma *s)
{
	static const u8 vendor[3] = VFAB_VENDOR_ID;
	struct ib_node_info *ni = (struct ib_node_info *)s->data;
	struct vfab_node *node = s->node;

	if (s->set)
		s->status = VFAB_SM_STATUS_BAD;
	memset(s->data, 0, IB_SMP_DATA_SIZE);
	ni->base_version = 1;
	ni->class_version = 1;
	ni->node_type = node->is_switch ? RDMA_NODE_IB_SWITCH : RDMA_NODE_IB_CA;
	ni->num_ports = node->nports;
	ni->sys_guid = cpu_to_be64(node->guid);
	ni->node_guid = cpu_to_be64(node->guid);
	ni->port_guid = cpu_to_be64(node->guid +
				    (node->is_switch ? 0 : s->in->num));
	ni->partition_cap = cpu_to_be16(VFAB_PKEYS);
	ni->device_id = cpu_to_be16(VFAB_DEVICE_ID);
	ni->revision = cpu_to_be32(1);
	ni->local_port_num = s->in->num;
	memcpy(ni->vendor_id, vendor, sizeof(vendor));
}

/*
 * The port that an attribute modifier names: on a host 0 is the port of
 * arrival, on a switch it is port 0.
 */
static struct vfab_port *vfab_sma_port(struct vfab_sma *s, u32 num)
{
	if (!num && !s->node->is_switch)
		return s->in;
	if (num > s->node->nports) {
		s->status = VFAB_SM_STATUS_BAD;
		return NULL;
	}
	return &s->node->ports[num];
}

static void vfab_port_info_get(struct vfab_sma *s, struct vfab_port *port)
{
	struct ib_port_info *info = (struct ib_port_info *)s->data;
	struct vfab_port_info pi;
	unsigned long flags;

	spin_lock_irqsave(&port->lock, flags);
	pi = port->pi;
	spin_unlock_irqrestore(&port->lock, flags);
	memset(s->data, 0, IB_SMP_DATA_SIZE);
	info->mkey = cpu_to_be64(pi.mkey);
	info->gid_prefix = cpu_to_be64(pi.gid_prefix);
	info->lid = cpu_to_be16(pi.lid);
	info->sm_lid = cpu_to_be16(pi.sm_lid);
	info->cap_mask = cpu_to_be32(pi.cap_mask);
	info->mkey_lease_period = cpu_to_be16(pi.mkey_lease);
	info->local_port_num = s->in->num;
	info->link_width_enabled = pi.width_enabled;
	info->link_width_supported = IB_WIDTH_1X | IB_WIDTH_4X;
	info->link_width_active = IB_WIDTH_4X;
	info->linkspeed_portstate =
		(IB_SPEED_SDR | IB_SPEED_DDR | IB_SPEED_QDR) << 4 | pi.state;
	info->portphysstate_linkdown = pi.phys_state << 4 | pi.linkdown_default;
	info->mkeyprot_resv_lmc = pi.mkey_prot << 6 | pi.lmc;
	info->linkspeedactive_enabled = IB_SPEED_QDR << 4 | pi.speed_enabled;
	info->neighbormtu_mastersmsl = pi.mtu << 4 | pi.sm_sl;
	info->vlcap_inittype = 1 << 4;			/* VL0 */
	info->vl_high_limit = pi.vl_high_limit;
	info->vl_arb_high_cap = 8;
	info->vl_arb_low_cap = 8;
	info->inittypereply_mtucap = pi.init_reply << 4 | VFAB_MTU;
	info->vlstallcnt_hoqlife = pi.vlstall_hoq;
	info->operationalvl_pei_peo_fpi_fpo = pi.oper_vls_enf;
	info->mkey_violations = cpu_to_be16(pi.mkey_viol);
	info->pkey_violations = cpu_to_be16(pi.pkey_viol);
	info->qkey_violations = cpu_to_be16(pi.qkey_viol);
	info->guid_cap = VFAB_GUIDS;
	info->clientrereg_resv_subnetto = pi.subnet_timeout;
	info->resv_resptimevalue = 16;			/* 0.27 s */
	info->localphyerrors_overrunerrors = pi.errors;
}

/* May the subnet manager move a port from state @old to @new? */
static bool vfab_state_step_ok(u8 old, u8 new)
{
	switch (new) {
	case IB_PORT_NOP:
	case IB_PORT_DOWN:
		return true;
	case IB_PORT_ARMED:
		return old == IB_PORT_INIT || old == IB_PORT_ARMED;
	case IB_PORT_ACTIVE:
		return old == IB_PORT_ARMED || old == IB_PORT_ACTIVE;
	default:
		return false;
	}
}

static void vfab_port_info_store(struct vfab_port_info *pi,
				 const struct ib_port_info *info, u8 state)
{
	pi->mkey = be64_to_cpu(info->mkey);
	pi->gid_prefix = be64_to_cpu(info->gid_prefix);
	pi->lid = be16_to_cpu(info->lid);
	pi->sm_lid = be16_to_cpu(info->sm_lid);
	pi->mkey_lease = be16_to_cpu(info->mkey_lease_period);
	if (info->link_width_enabled)
		pi->width_enabled = info->link_width_enabled;
	if (info->linkspeedactive_enabled & 0xf)
		pi->speed_enabled = info->linkspeedactive_enabled & 0xf;
	if (info->portphysstate_linkdown & 0xf)
		pi->linkdown_default = info->portphysstate_linkdown & 0xf;
	pi->mkey_prot = info->mkeyprot_resv_lmc >> 6;
	pi->lmc = info->mkeyprot_resv_lmc & 0x7;
	pi->mtu = info->neighbormtu_mastersmsl >> 4;
	pi->sm_sl = info->neighbormtu_mastersmsl & 0xf;
	pi->vl_high_limit = info->vl_high_limit;
	pi->init_reply = info->inittypereply_mtucap >> 4;
	pi->vlstall_hoq = info->vlstallcnt_hoqlife;
	if (info->operationalvl_pei_peo_fpi_fpo & 0xf0)
		pi->oper_vls_enf = info->operationalvl_pei_peo_fpi_fpo;
	pi->mkey_viol = be16_to_cpu(info->mkey_violations);
	pi->pkey_viol = be16_to_cpu(info->pkey_violations);
	pi->qkey_viol = be16_to_cpu(info->qkey_violations);
	pi->subnet_timeout = info->clientrereg_resv_subnetto & 0x1f;
	pi->errors = info->localphyerrors_overrunerrors;
	if (state == IB_PORT_ARMED || state == IB_PORT_ACTIVE)
		pi->state = state;
}

static void vfab_port_info_events(struct vfab_port *port,
				  const struct vfab_port_info *old,
				  const struct vfab_port_info *new, bool rereg)
{
	if (port->node->is_switch)
		return;
	if (old->lid != new->lid || old->lmc != new->lmc)
		vfab_host_event(port, IB_EVENT_LID_CHANGE);
	if (old->gid_prefix != new->gid_prefix)
		vfab_host_event(port, IB_EVENT_GID_CHANGE);
	if (old->sm_lid != new->sm_lid || old->sm_sl != new->sm_sl)
		vfab_host_event(port, IB_EVENT_SM_CHANGE);
	if (old->state != new->state && new->state == IB_PORT_ACTIVE)
		vfab_host_event(port, IB_EVENT_PORT_ACTIVE);
	if (rereg)
		vfab_host_event(port, IB_EVENT_CLIENT_REREGISTER);
}

/* what the two halves of PortInfo's state byte ask of the link */
static void vfab_port_info_link(struct vfab_port *port, u8 phys, u8 state)
{
	if (!port->peer)
		return;
	if (phys == IB_PORT_PHYS_STATE_DISABLED)
		vfab_port_set_disabled(port, true);
	else if (phys == IB_PORT_PHYS_STATE_POLLING)
		vfab_port_set_disabled(port, false);
	if (state == IB_PORT_DOWN && phys != IB_PORT_PHYS_STATE_DISABLED)
		vfab_port_bounce(port);
}

static void vfab_port_info_set(struct vfab_sma *s, struct vfab_port *port)
{
	const struct ib_port_info *info = (const struct ib_port_info *)s->req;
	u8 state = info->linkspeed_portstate & 0xf;
	u8 phys = info->portphysstate_linkdown >> 4;
	struct vfab_port_info old, new;
	unsigned long flags;
	bool rereg = info->clientrereg_resv_subnetto & 0x80;
	u16 lid = be16_to_cpu(info->lid);

	spin_lock_irqsave(&port->lock, flags);
	old = port->pi;
	if (!vfab_state_step_ok(old.state, state) ||
	    lid >= be16_to_cpu(IB_MULTICAST_LID_BASE) ||
	    (info->neighbormtu_mastersmsl >> 4) > VFAB_MTU)
		s->status = VFAB_SM_STATUS_BAD;
	else
		vfab_port_info_store(&port->pi, info, state);
	new = port->pi;
	spin_unlock_irqrestore(&port->lock, flags);
	if (s->status)
		return;
	vfab_port_info_events(port, &old, &new, rereg);
	vfab_port_info_link(port, phys, state);
}

static void vfab_sma_port_info(struct vfab_sma *s)
{
	struct vfab_port *port = vfab_sma_port(s, s->mod & 0xff);

	if (!port)
		return;
	if (s->set)
		vfab_port_info_set(s, port);
	vfab_port_info_get(s, port);
}

static void vfab_sma_guid_info(struct vfab_sma *s)
{
	struct vfab_port *port = s->node->is_switch ? &s->node->ports[0] : s->in;
	unsigned long flags;

	if (s->mod) {
		s->status = VFAB_SM_STATUS_BAD;
		return;
	}
	spin_lock_irqsave(&port->lock, flags);
	if (s->set)	/* the first is burnt in */
		memcpy(&port->guids[1], s->req + 8, (VFAB_GUIDS - 1) * 8);
	memcpy(s->data, port->guids, sizeof(port->guids));
	spin_unlock_irqrestore(&port->lock, flags);
	if (s->set && !s->node->is_switch)
		vfab_host_event(port, IB_EVENT_GID_CHANGE);
}

static void vfab_sma_pkeys(struct vfab_sma *s)
{
	struct vfab_port *port = s->in;
	unsigned long flags;
	unsigned int i;

	if (s->node->is_switch)
		port = vfab_sma_port(s, s->mod >> 16);
	if (!port || (s->mod & 0xffff)) {
		s->status = VFAB_SM_STATUS_BAD;
		return;
	}
	spin_lock_irqsave(&port->lock, flags);
	for (i = 0; i < VFAB_PKEYS; i++) {
		if (s->set)
			port->pkeys[i] = get_unaligned_be16(s->req + 2 * i);
		put_unaligned_be16(port->pkeys[i], s->data + 2 * i);
	}
	spin_unlock_irqrestore(&port->lock, flags);
	if (s->set && !s->node->is_switch)
		vfab_host_event(port, IB_EVENT_PKEY_CHANGE);
}

static void vfab_sma_sl2vl(struct vfab_sma *s)
{
	unsigned int in = 0, out = 0;
	u8 *table;

	if (s->node->is_switch) {
		in = (s->mod >> 8) & 0xff;
		out = s->mod & 0xff;
	}
	if (in > s->node->nports || out > s->node->nports) {
		s->status = VFAB_SM_STATUS_BAD;
		return;
	}
	table = s->node->sl2vl + (in * (s->node->nports + 1) + out) * 8;
	if (s->set)
		memcpy(table, s->req, 8);
	memset(s->data, 0, IB_SMP_DATA_SIZE);
	memcpy(s->data, table, 8);
}

static void vfab_sma_vlarb(struct vfab_sma *s)
{
	struct vfab_port *port = vfab_sma_port(s, s->mod & 0xff);
	unsigned int block = s->mod >> 16;

	if (!port || block < 1 || block > 4) {
		s->status = VFAB_SM_STATUS_BAD;
		return;
	}
	if (s->set)
		memcpy(port->vlarb[block - 1], s->req, IB_SMP_DATA_SIZE);
	memcpy(s->data, port->vlarb[block - 1], IB_SMP_DATA_SIZE);
}

/* SwitchInfo (IBA vol. 1, 14.2.5.4) */
struct vfab_switch_info {
	__be16	lft_cap;
	__be16	rft_cap;
	__be16	mft_cap;
	__be16	lft_top;
	u8	default_port;
	u8	mcast_primary;
	u8	mcast_not_primary;
	u8	life_state;		/* life time 5, state change 1, 2 */
	__be16	lids_per_port;
	__be16	enforce_cap;
	u8	flags;
} __packed;

#define VFAB_STATE_CHANGE	0x04

static void vfab_sma_switch_info(struct vfab_sma *s)
{
	const struct vfab_switch_info *req = (const void *)s->req;
	struct vfab_switch_info *si = (struct vfab_switch_info *)s->data;
	struct vfab_switch *sw = s->node->sw;
	unsigned long flags;

	spin_lock_irqsave(&sw->lock, flags);
	if (s->set) {
		WRITE_ONCE(sw->lft_top, be16_to_cpu(req->lft_top));
		sw->default_port = req->default_port;
		sw->mcast_primary = req->mcast_primary;
		sw->mcast_not_primary = req->mcast_not_primary;
		sw->life_time = req->life_state >> 3;
		if (req->life_state & VFAB_STATE_CHANGE)
			sw->state_change = false;
	}
	memset(s->data, 0, IB_SMP_DATA_SIZE);
	si->lft_cap = cpu_to_be16(VFAB_LFT_SIZE);
	si->mft_cap = cpu_to_be16(VFAB_MLIDS);
	si->lft_top = cpu_to_be16(sw->lft_top);
	si->default_port = sw->default_port;
	si->mcast_primary = sw->mcast_primary;
	si->mcast_not_primary = sw->mcast_not_primary;
	si->life_state = sw->life_time << 3 |
			 (sw->state_change ? VFAB_STATE_CHANGE : 0);
	spin_unlock_irqrestore(&sw->lock, flags);
}

static void vfab_sma_lft(struct vfab_sma *s)
{
	u32 first = s->mod * VFAB_LFT_BLOCK;

	if (s->mod >= VFAB_LFT_SIZE / VFAB_LFT_BLOCK) {
		s->status = VFAB_SM_STATUS_BAD;
		return;
	}
	if (s->set)
		memcpy(s->node->sw->lft + first, s->req, VFAB_LFT_BLOCK);
	memcpy(s->data, s->node->sw->lft + first, VFAB_LFT_BLOCK);
}

static void vfab_sma_mft(struct vfab_sma *s)
{
	u32 first = (s->mod & 0x1ff) * VFAB_MFT_BLOCK;
	u32 port0 = (s->mod >> 28) * VFAB_MFT_PORTS;
	struct vfab_switch *sw = s->node->sw;
	unsigned int i, bit;
	u16 mask;

	if (first >= VFAB_MLIDS) {
		s->status = VFAB_SM_STATUS_BAD;
		return;
	}
	for (i = 0; i < VFAB_MFT_BLOCK; i++) {
		unsigned long *map = sw->mft + (first + i) * sw->mft_longs;

		if (s->set) {
			mask = get_unaligned_be16(s->req + 2 * i);
			for (bit = 0; bit < VFAB_MFT_PORTS; bit++)
				assign_bit(port0 + bit, map, mask & BIT(bit));
		}
		mask = 0;
		for (bit = 0; bit < VFAB_MFT_PORTS; bit++)
			if (test_bit(port0 + bit, map))
				mask |= BIT(bit);
		put_unaligned_be16(mask, s->data + 2 * i);
	}
}

static void vfab_sma_attr(struct vfab_sma *s, __be16 attr)
{
	switch (attr) {
	case IB_SMP_ATTR_NODE_DESC:
		return vfab_sma_node_desc(s);
	case IB_SMP_ATTR_NODE_INFO:
		return vfab_sma_node_info(s);
	case IB_SMP_ATTR_PORT_INFO:
		return vfab_sma_port_info(s);
	case IB_SMP_ATTR_GUID_INFO:
		return vfab_sma_guid_info(s);
	case IB_SMP_ATTR_PKEY_TABLE:
		return vfab_sma_pkeys(s);
	case IB_SMP_ATTR_SL_TO_VL_TABLE:
		return vfab_sma_sl2vl(s);
	case IB_SMP_ATTR_VL_ARB_TABLE:
		return vfab_sma_vlarb(s);
	}
	s->status = IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB;
	if (!s->node->is_switch)
		return;
	s->status = 0;
	switch (attr) {
	case IB_SMP_ATTR_SWITCH_INFO:
		return vfab_sma_switch_info(s);
	case IB_SMP_ATTR_LINEAR_FORWARD_TABLE:
		return vfab_sma_lft(s);
	case IB_SMP_ATTR_MCAST_FORWARD_TABLE:
		return vfab_sma_mft(s);
	}
	s->status = IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB;
}

/* Returns false if there is nothing to send back, see vfab_node_mad(). */
bool vfab_sma_process(struct vfab_port *in, const struct ib_smp *req,
		      struct ib_smp *resp)
{
	struct vfab_sma s = {
		.in = in,
		.node = in->node,
		.req = req->data,
		.data = resp->data,
		.mod = be32_to_cpu(req->attr_mod),
		.set = req->method == IB_MGMT_METHOD_SET,
	};

	if (req->method == IB_MGMT_METHOD_TRAP_REPRESS)
		vfab_trap_repress(in->node, be64_to_cpu(req->tid));
	if (req->method != IB_MGMT_METHOD_GET &&
	    req->method != IB_MGMT_METHOD_SET)
		return false;
	/* a subnet manager in user space may want to answer these */
	if (req->attr_id == IB_SMP_ATTR_SM_INFO && !in->node->is_switch)
		return false;
	memcpy(resp, req, sizeof(*resp));
	resp->method = IB_MGMT_METHOD_GET_RESP;
	if (req->class_version != 1)
		s.status = IB_MGMT_MAD_STATUS_BAD_VERSION;
	else
		vfab_sma_attr(&s, req->attr_id);
	resp->status = cpu_to_be16(s.status);
	if (req->mgmt_class == IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE)
		resp->status |= IB_SMP_DIRECTION;
	return true;
}
