// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* What hosts and switches have in common: ports, and agents that answer MADs */
#include <linux/slab.h>

#include "vfab.h"

/* @node has its name already. */
int vfab_node_init(struct vfab_node *node, u8 nports, u64 guid)
{
	unsigned int i;

	strscpy(node->desc, node->name);
	node->nports = nports;
	node->guid = guid;
	node->trap_next_tid = guid << 32;
	node->ports = kvcalloc(nports + 1, sizeof(*node->ports), GFP_KERNEL);
	node->sl2vl = kvcalloc((nports + 1) * (nports + 1), 8, GFP_KERNEL);
	if (!node->ports || !node->sl2vl) {
		kvfree(node->ports);
		kvfree(node->sl2vl);
		return -ENOMEM;
	}
	for (i = 0; i <= nports; i++)
		vfab_port_init(&node->ports[i], node, i);
	vfab_trap_init(node);
	list_add_tail(&node->list, &vfab_nodes);
	return 0;
}

void vfab_node_fini(struct vfab_node *node)
{
	unsigned int i;

	vfab_trap_stop(node);
	for (i = 0; i <= node->nports; i++)
		vfab_port_fini(&node->ports[i]);
	list_del(&node->list);
	kvfree(node->ports);
	kvfree(node->sl2vl);
}

/*
 * Let the node's own agents answer the request that came in on port @in.
 * Returns false if there is nothing to send back; @resp is then undefined.
 */
bool vfab_node_mad(struct vfab_port *in, const struct ib_mad *req,
		   struct ib_mad *resp)
{
	switch (req->mad_hdr.mgmt_class) {
	case IB_MGMT_CLASS_SUBN_LID_ROUTED:
	case IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE:
		return vfab_sma_process(in, (const struct ib_smp *)req,
					(struct ib_smp *)resp);
	case IB_MGMT_CLASS_PERF_MGMT:
		if (req->mad_hdr.method != IB_MGMT_METHOD_GET &&
		    req->mad_hdr.method != IB_MGMT_METHOD_SET)
			return false;
		vfab_pma_process(in, req, resp);
		return true;
	default:
		return false;
	}
}
