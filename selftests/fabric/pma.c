// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Performance management agent (IBA vol. 1, chapter 16.1): PortCounters and
 * PortCountersExtended. Set clears what it selects, whatever value it carries;
 * data and packet counters of the two attributes are cleared together.
 */
#include <rdma/ib_pma.h>

#include "vfab.h"

#define VFAB_PMA_ALL_PORTS	0xff

/* the counters a bit of PortCounters' CounterSelect stands for */
static const struct {
	__be16 sel;
	enum vfab_cnt cnt;
} vfab_pma_sel[] = {
	{ IB_PMA_SEL_LINK_DOWNED, VFAB_LINK_DOWNED },
	{ IB_PMA_SEL_PORT_RCV_ERRORS, VFAB_RX_ERRORS },
	{ IB_PMA_SEL_PORT_XMIT_DISCARDS, VFAB_TX_DISCARDS },
	{ IB_PMA_SEL_PORT_XMIT_DATA, VFAB_TX_BYTES },
	{ IB_PMA_SEL_PORT_RCV_DATA, VFAB_RX_BYTES },
	{ IB_PMA_SEL_PORT_XMIT_PACKETS, VFAB_TX_PKTS },
	{ IB_PMA_SEL_PORT_RCV_PACKETS, VFAB_RX_PKTS },
}, vfab_pma_selx[] = {
	{ IB_PMA_SELX_PORT_XMIT_DATA, VFAB_TX_BYTES },
	{ IB_PMA_SELX_PORT_RCV_DATA, VFAB_RX_BYTES },
	{ IB_PMA_SELX_PORT_XMIT_PACKETS, VFAB_TX_PKTS },
	{ IB_PMA_SELX_PORT_RCV_PACKETS, VFAB_RX_PKTS },
	{ IB_PMA_SELX_PORT_MULTI_XMIT_PACKETS, VFAB_TX_MCAST },
	{ IB_PMA_SELX_PORT_MULTI_RCV_PACKETS, VFAB_RX_MCAST },
};

/* the ports a request means: [*first, *last] */
static bool vfab_pma_ports(struct vfab_port *in, u8 select, u8 *first, u8 *last)
{
	if (select == VFAB_PMA_ALL_PORTS) {
		*first = 1;
		*last = in->node->nports;
		return true;
	}
	if (!select && !in->node->is_switch)
		return false;
	*first = select;
	*last = select;
	return select <= in->node->nports;
}

static u64 vfab_pma_read(struct vfab_node *node, u8 first, u8 last,
			 enum vfab_cnt cnt)
{
	u64 sum = 0;

	for (; first <= last; first++) {
		struct vfab_port *port = &node->ports[first];

		sum += atomic64_read(&port->cnt[cnt]) -
		       READ_ONCE(port->pma_base[cnt]);
	}
	return sum;
}

static void vfab_pma_clear(struct vfab_node *node, u8 first, u8 last,
			   enum vfab_cnt cnt)
{
	for (; first <= last; first++) {
		struct vfab_port *port = &node->ports[first];

		WRITE_ONCE(port->pma_base[cnt], atomic64_read(&port->cnt[cnt]));
	}
}

static u16 vfab_pma_counters(struct vfab_port *in, bool set, u8 *data)
{
	struct ib_pma_portcounters *pc = (struct ib_pma_portcounters *)data;
	u8 select = pc->port_select, first, last;
	__be16 counters = pc->counter_select;
	u64 val[VFAB_PMA_CNTS];
	unsigned int i;

	if (!vfab_pma_ports(in, select, &first, &last))
		return IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE;
	for (i = 0; set && i < ARRAY_SIZE(vfab_pma_sel); i++)
		if (counters & vfab_pma_sel[i].sel)
			vfab_pma_clear(in->node, first, last,
				       vfab_pma_sel[i].cnt);
	for (i = 0; i < VFAB_PMA_CNTS; i++)
		val[i] = vfab_pma_read(in->node, first, last, i);
	/* these stick at their largest value */
	memset(pc, 0, sizeof(*pc));
	pc->port_select = select;
	pc->counter_select = counters;
	pc->link_downed_counter = min(val[VFAB_LINK_DOWNED], U8_MAX);
	pc->port_rcv_errors = cpu_to_be16(min(val[VFAB_RX_ERRORS], U16_MAX));
	pc->port_xmit_discards =
		cpu_to_be16(min(val[VFAB_TX_DISCARDS], U16_MAX));
	pc->port_xmit_data = cpu_to_be32(min(val[VFAB_TX_BYTES] / 4, U32_MAX));
	pc->port_rcv_data = cpu_to_be32(min(val[VFAB_RX_BYTES] / 4, U32_MAX));
	pc->port_xmit_packets = cpu_to_be32(min(val[VFAB_TX_PKTS], U32_MAX));
	pc->port_rcv_packets = cpu_to_be32(min(val[VFAB_RX_PKTS], U32_MAX));
	return 0;
}

static u16 vfab_pma_extended(struct vfab_port *in, bool set, u8 *data)
{
	struct ib_pma_portcounters_ext *pc = (void *)data;
	struct vfab_node *node = in->node;
	u8 select = pc->port_select, first, last;
	__be16 counters = pc->counter_select;
	u64 tx, rx, mtx, mrx;
	unsigned int i;

	if (!vfab_pma_ports(in, select, &first, &last))
		return IB_MGMT_MAD_STATUS_INVALID_ATTRIB_VALUE;
	for (i = 0; set && i < ARRAY_SIZE(vfab_pma_selx); i++)
		if (counters & vfab_pma_selx[i].sel)
			vfab_pma_clear(node, first, last, vfab_pma_selx[i].cnt);
	tx = vfab_pma_read(node, first, last, VFAB_TX_PKTS);
	rx = vfab_pma_read(node, first, last, VFAB_RX_PKTS);
	mtx = vfab_pma_read(node, first, last, VFAB_TX_MCAST);
	mrx = vfab_pma_read(node, first, last, VFAB_RX_MCAST);
	memset(pc, 0, sizeof(*pc));
	pc->port_select = select;
	pc->counter_select = counters;
	pc->port_xmit_data =
		cpu_to_be64(vfab_pma_read(node, first, last, VFAB_TX_BYTES) / 4);
	pc->port_rcv_data =
		cpu_to_be64(vfab_pma_read(node, first, last, VFAB_RX_BYTES) / 4);
	pc->port_xmit_packets = cpu_to_be64(tx);
	pc->port_rcv_packets = cpu_to_be64(rx);
	pc->port_unicast_xmit_packets = cpu_to_be64(tx - mtx);
	pc->port_unicast_rcv_packets = cpu_to_be64(rx - mrx);
	pc->port_multicast_xmit_packets = cpu_to_be64(mtx);
	pc->port_multicast_rcv_packets = cpu_to_be64(mrx);
	return 0;
}

static u16 vfab_pma_class_info(u8 *data)
{
	struct ib_class_port_info *cpi = (struct ib_class_port_info *)data;

	memset(cpi, 0, sizeof(*cpi));
	cpi->base_version = 1;
	cpi->class_version = 1;
	cpi->capability_mask = IB_PMA_CLASS_CAP_ALLPORTSELECT |
			       IB_PMA_CLASS_CAP_EXT_WIDTH;
	cpi->cap_mask2_resp_time = cpu_to_be32(16);
	return 0;
}

/* Answer a Get or Set that came in on port @in. */
void vfab_pma_process(struct vfab_port *in, const struct ib_mad *req,
		      struct ib_mad *resp)
{
	struct ib_pma_mad *pma = (struct ib_pma_mad *)resp;
	bool set = req->mad_hdr.method == IB_MGMT_METHOD_SET;
	u16 status = IB_MGMT_MAD_STATUS_UNSUPPORTED_METHOD_ATTRIB;

	memcpy(resp, req, sizeof(*resp));
	resp->mad_hdr.method = IB_MGMT_METHOD_GET_RESP;
	switch (req->mad_hdr.attr_id) {
	case IB_PMA_CLASS_PORT_INFO:
		if (!set)
			status = vfab_pma_class_info(pma->data);
		break;
	case IB_PMA_PORT_COUNTERS:
		status = vfab_pma_counters(in, set, pma->data);
		break;
	case IB_PMA_PORT_COUNTERS_EXT:
		status = vfab_pma_extended(in, set, pma->data);
		break;
	}
	resp->mad_hdr.status = cpu_to_be16(status);
}
