// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* A host as an ib_device: registration, queries, and the small verbs */
#include <linux/module.h>
#include <linux/slab.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>

#include "vfab.h"

#define VFAB_HOST_GUID		0x02fab00000000000ULL
/*
 * The user-space driver for this id and ABI makes a system call of every verb
 * and maps nothing, which is all a software device needs.
 */
#define VFAB_DRIVER_ID		RDMA_DRIVER_QIB
#define VFAB_ABI		1
#define VFAB_CAP_MASK		(IB_PORT_TRAP_SUP | IB_PORT_AUTO_MIGR_SUP | \
				 IB_PORT_SL_MAP_SUP | IB_PORT_SYS_IMAGE_GUID_SUP | \
				 IB_PORT_CM_SUP | IB_PORT_CLIENT_REG_SUP)

static int vfab_query_device(struct ib_device *ibdev,
			     struct ib_device_attr *attr,
			     struct ib_udata *udata)
{
	if (udata->inlen || udata->outlen)
		return -EINVAL;
	attr->sys_image_guid = ibdev->node_guid;
	attr->max_mr_size = SZ_1G;
	attr->page_size_cap = PAGE_SIZE;
	attr->vendor_id = 0x02fab0;
	attr->vendor_part_id = 0x7fab;
	attr->hw_ver = 1;
	attr->max_qp = 65536;
	attr->max_qp_wr = VFAB_MAX_WR;
	attr->device_cap_flags = IB_DEVICE_AUTO_PATH_MIG |
				 IB_DEVICE_CHANGE_PHY_PORT |
				 IB_DEVICE_CURR_QP_STATE_MOD |
				 IB_DEVICE_SHUTDOWN_PORT |
				 IB_DEVICE_PORT_ACTIVE_EVENT |
				 IB_DEVICE_SYS_IMAGE_GUID |
				 IB_DEVICE_RC_RNR_NAK_GEN;
	attr->kernel_cap_flags = IBK_LOCAL_DMA_LKEY;
	attr->max_send_sge = VFAB_MAX_SGE;
	attr->max_recv_sge = VFAB_MAX_SGE;
	attr->max_sge_rd = VFAB_MAX_SGE;
	attr->max_cq = 65536;
	attr->max_cqe = VFAB_MAX_CQE;
	attr->max_mr = 65536;
	attr->max_pd = 65536;
	attr->max_qp_rd_atom = VFAB_MAX_RD_ATOMIC;
	attr->max_res_rd_atom = VFAB_MAX_RD_ATOMIC;
	attr->max_qp_init_rd_atom = VFAB_MAX_RD_ATOMIC;
	attr->atomic_cap = IB_ATOMIC_HCA;
	attr->max_mcast_grp = VFAB_MLIDS;
	attr->max_mcast_qp_attach = 65536;
	attr->max_total_mcast_qp_attach = 65536;
	attr->max_ah = 65536;
	attr->max_srq = 65536;
	attr->max_srq_wr = VFAB_MAX_WR;
	attr->max_srq_sge = VFAB_MAX_SGE;
	attr->max_pkeys = VFAB_PKEYS;
	attr->local_ca_ack_delay = 8;
	return 0;
}

static int vfab_query_port(struct ib_device *ibdev, u32 num,
			   struct ib_port_attr *attr)
{
	struct vfab_port *port = vfab_host_port(to_vhost(ibdev), num);
	unsigned long flags;

	spin_lock_irqsave(&port->lock, flags);
	attr->state = port->pi.state;
	attr->phys_state = port->pi.phys_state;
	attr->active_mtu = port->pi.mtu;
	attr->port_cap_flags = port->pi.cap_mask;
	attr->qkey_viol_cntr = port->pi.qkey_viol;
	attr->bad_pkey_cntr = port->pi.pkey_viol;
	attr->lid = port->pi.lid;
	attr->sm_lid = port->pi.sm_lid;
	attr->lmc = port->pi.lmc;
	attr->sm_sl = port->pi.sm_sl;
	attr->subnet_timeout = port->pi.subnet_timeout;
	attr->init_type_reply = port->pi.init_reply;
	spin_unlock_irqrestore(&port->lock, flags);
	attr->max_mtu = VFAB_MTU;
	attr->gid_tbl_len = VFAB_GUIDS;
	attr->pkey_tbl_len = VFAB_PKEYS;
	attr->max_msg_sz = VFAB_MAX_MSG;
	attr->max_vl_num = 1;
	attr->active_width = IB_WIDTH_4X;
	attr->active_speed = IB_SPEED_QDR;
	return 0;
}

static int vfab_modify_port(struct ib_device *ibdev, u32 num, int mask,
			    struct ib_port_modify *mod)
{
	struct vfab_port *port = vfab_host_port(to_vhost(ibdev), num);
	unsigned long flags;
	u32 old, new;

	if (mask & ~(IB_PORT_INIT_TYPE | IB_PORT_RESET_QKEY_CNTR |
		     IB_PORT_SHUTDOWN))
		return -EOPNOTSUPP;
	spin_lock_irqsave(&port->lock, flags);
	old = port->pi.cap_mask;
	new = (old | mod->set_port_cap_mask) & ~mod->clr_port_cap_mask;
	port->pi.cap_mask = new;
	if (mask & IB_PORT_RESET_QKEY_CNTR)
		port->pi.qkey_viol = 0;
	spin_unlock_irqrestore(&port->lock, flags);
	if (mask & IB_PORT_SHUTDOWN)
		vfab_port_set_disabled(port, true);
	if (old != new)
		vfab_trap_raise(port, VFAB_TRAP_144);
	return 0;
}

static int vfab_modify_device(struct ib_device *ibdev, int mask,
			      struct ib_device_modify *mod)
{
	struct vfab_host *host = to_vhost(ibdev);

	if (mask & ~IB_DEVICE_MODIFY_NODE_DESC)
		return -EOPNOTSUPP;
	if (mask & IB_DEVICE_MODIFY_NODE_DESC) {
		memcpy(ibdev->node_desc, mod->node_desc, VFAB_DESC_MAX);
		memcpy(host->node.desc, mod->node_desc, VFAB_DESC_MAX);
	}
	return 0;
}

static int vfab_get_port_immutable(struct ib_device *ibdev, u32 num,
				   struct ib_port_immutable *imm)
{
	imm->core_cap_flags = RDMA_CORE_PORT_IBA_IB;
	imm->gid_tbl_len = VFAB_GUIDS;
	imm->pkey_tbl_len = VFAB_PKEYS;
	imm->max_mad_size = IB_MGMT_MAD_SIZE;
	return 0;
}

static enum rdma_link_layer vfab_get_link_layer(struct ib_device *ibdev,
						u32 num)
{
	return IB_LINK_LAYER_INFINIBAND;
}

static int vfab_query_gid(struct ib_device *ibdev, u32 num, int index,
			  union ib_gid *gid)
{
	struct vfab_port *port = vfab_host_port(to_vhost(ibdev), num);
	unsigned long flags;

	if (index < 0 || index >= VFAB_GUIDS)
		return -EINVAL;
	spin_lock_irqsave(&port->lock, flags);
	gid->global.subnet_prefix = cpu_to_be64(port->pi.gid_prefix);
	gid->global.interface_id = port->guids[index];
	spin_unlock_irqrestore(&port->lock, flags);
	if (!gid->global.interface_id)	/* no GUID, no GID */
		memset(gid, 0, sizeof(*gid));
	return 0;
}

u16 vfab_port_pkey(struct vfab_port *port, u16 index)
{
	return index < VFAB_PKEYS ? READ_ONCE(port->pkeys[index]) : 0;
}

/*
 * The index of a P_Key that lets @pkey in, or -ENOENT. Two limited members may
 * not talk to each other (IBA vol. 1, 10.9.3).
 */
int vfab_port_find_pkey(struct vfab_port *port, u16 pkey)
{
	unsigned int i;

	for (i = 0; i < VFAB_PKEYS; i++) {
		u16 mine = READ_ONCE(port->pkeys[i]);

		if ((mine & 0x7fff) && !((mine ^ pkey) & 0x7fff) &&
		    ((mine | pkey) & 0x8000))
			return i;
	}
	return -ENOENT;
}

static int vfab_query_pkey(struct ib_device *ibdev, u32 num, u16 index,
			   u16 *pkey)
{
	if (index >= VFAB_PKEYS)
		return -EINVAL;
	*pkey = vfab_port_pkey(vfab_host_port(to_vhost(ibdev), num), index);
	return 0;
}

static int vfab_process_mad(struct ib_device *ibdev, int mad_flags, u32 num,
			    const struct ib_wc *wc, const struct ib_grh *grh,
			    const struct ib_mad *in, struct ib_mad *out,
			    size_t *out_size, u16 *out_pkey_index)
{
	struct vfab_port *port = vfab_host_port(to_vhost(ibdev), num);

	if (vfab_node_mad(port, in, out))
		return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_REPLY;
	if (in->mad_hdr.method == IB_MGMT_METHOD_TRAP_REPRESS &&
	    in->mad_hdr.mgmt_class == IB_MGMT_CLASS_SUBN_LID_ROUTED)
		return IB_MAD_RESULT_SUCCESS | IB_MAD_RESULT_CONSUMED;
	return IB_MAD_RESULT_SUCCESS;
}

static void vfab_get_dev_fw_str(struct ib_device *ibdev, char *str)
{
	strscpy(str, "software", IB_FW_VERSION_NAME_MAX);
}

static int vfab_alloc_ucontext(struct ib_ucontext *uctx, struct ib_udata *udata)
{
	return 0;
}

static void vfab_dealloc_ucontext(struct ib_ucontext *uctx)
{
}

/* Nothing is mapped, so there is nothing to take away from the user. */
static void vfab_disassociate_ucontext(struct ib_ucontext *uctx)
{
}

static int vfab_alloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return 0;
}

static int vfab_dealloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return 0;
}

void vfab_av_from_ah(struct vfab_av *av, const struct rdma_ah_attr *ah)
{
	const struct ib_global_route *grh = rdma_ah_read_grh(ah);

	memset(av, 0, sizeof(*av));
	av->dlid = rdma_ah_get_dlid(ah);
	av->sl = rdma_ah_get_sl(ah);
	av->src_path_bits = rdma_ah_get_path_bits(ah);
	if (!(rdma_ah_get_ah_flags(ah) & IB_AH_GRH))
		return;
	av->has_grh = true;
	av->hop_limit = grh->hop_limit;
	av->tclass = grh->traffic_class;
	av->flow = grh->flow_label;
	av->dgid = grh->dgid;
	if (grh->sgid_attr)
		av->sgid = grh->sgid_attr->gid;
}

int vfab_check_ah(struct ib_device *dev, const struct rdma_ah_attr *ah)
{
	u32 port = rdma_ah_get_port_num(ah);

	return rdma_is_port_valid(dev, port) && rdma_ah_get_sl(ah) < 16 ?
	       0 : -EINVAL;
}

static int vfab_create_ah(struct ib_ah *ibah, struct rdma_ah_init_attr *init,
			  struct ib_udata *udata)
{
	struct vfab_ah *ah = to_vah(ibah);

	if (vfab_check_ah(ibah->device, init->ah_attr))
		return -EINVAL;
	rdma_copy_ah_attr(&ah->attr, init->ah_attr);
	vfab_av_from_ah(&ah->av, &ah->attr);
	return 0;
}

static int vfab_query_ah(struct ib_ah *ibah, struct rdma_ah_attr *attr)
{
	*attr = to_vah(ibah)->attr;
	return 0;
}

static int vfab_destroy_ah(struct ib_ah *ibah, u32 flags)
{
	rdma_destroy_ah_attr(&to_vah(ibah)->attr);
	return 0;
}

static const struct ib_device_ops vfab_ops = {
	.owner = THIS_MODULE,
	.driver_id = VFAB_DRIVER_ID,
	.uverbs_abi_ver = VFAB_ABI,

	.alloc_pd = vfab_alloc_pd,
	.alloc_ucontext = vfab_alloc_ucontext,
	.attach_mcast = vfab_attach_mcast,
	.create_ah = vfab_create_ah,
	.create_cq = vfab_create_cq,
	.create_qp = vfab_create_qp,
	.create_srq = vfab_create_srq,
	.create_user_ah = vfab_create_ah,
	.dealloc_pd = vfab_dealloc_pd,
	.dealloc_ucontext = vfab_dealloc_ucontext,
	.dereg_mr = vfab_dereg_mr,
	.destroy_ah = vfab_destroy_ah,
	.destroy_cq = vfab_destroy_cq,
	.destroy_qp = vfab_destroy_qp,
	.destroy_srq = vfab_destroy_srq,
	.detach_mcast = vfab_detach_mcast,
	.disassociate_ucontext = vfab_disassociate_ucontext,
	.get_dev_fw_str = vfab_get_dev_fw_str,
	.get_dma_mr = vfab_get_dma_mr,
	.get_link_layer = vfab_get_link_layer,
	.get_port_immutable = vfab_get_port_immutable,
	.modify_device = vfab_modify_device,
	.modify_port = vfab_modify_port,
	.modify_qp = vfab_modify_qp,
	.modify_srq = vfab_modify_srq,
	.poll_cq = vfab_poll_cq,
	.post_recv = vfab_post_recv,
	.post_send = vfab_post_send,
	.post_srq_recv = vfab_post_srq_recv,
	.process_mad = vfab_process_mad,
	.query_ah = vfab_query_ah,
	.query_device = vfab_query_device,
	.query_gid = vfab_query_gid,
	.query_pkey = vfab_query_pkey,
	.query_port = vfab_query_port,
	.query_qp = vfab_query_qp,
	.query_srq = vfab_query_srq,
	.reg_user_mr = vfab_reg_user_mr,
	.req_notify_cq = vfab_req_notify_cq,

	INIT_RDMA_OBJ_SIZE(ib_ah, vfab_ah, ibah),
	INIT_RDMA_OBJ_SIZE(ib_cq, vfab_cq, ibcq),
	INIT_RDMA_OBJ_SIZE(ib_qp, vfab_qp, ibqp),
	INIT_RDMA_OBJ_SIZE(ib_srq, vfab_srq, ibsrq),
	.size_ib_pd = sizeof(struct ib_pd),
	.size_ib_ucontext = sizeof(struct ib_ucontext),
};

struct vfab_host *vfab_host_create(unsigned int index)
{
	struct vfab_host *host;
	struct ib_device *dev;
	unsigned int i;

	host = ib_alloc_device(vfab_host, ibdev);
	if (!host)
		return NULL;
	host->node.host = host;
	snprintf(host->node.name, sizeof(host->node.name), "vfab%u", index);
	if (vfab_node_init(&host->node, VFAB_RAILS,
			   VFAB_HOST_GUID + ((u64)(index + 1) << 8))) {
		ib_dealloc_device(&host->ibdev);
		return NULL;
	}
	for (i = 1; i <= VFAB_RAILS; i++)
		host->node.ports[i].pi.cap_mask = VFAB_CAP_MASK;
	xa_init_flags(&host->mrs, XA_FLAGS_ALLOC1 | XA_FLAGS_LOCK_IRQ);
	xa_init_flags(&host->qps, XA_FLAGS_ALLOC | XA_FLAGS_LOCK_IRQ);
	spin_lock_init(&host->qp_lock);
	spin_lock_init(&host->mc_lock);
	spin_lock_init(&host->atomic_lock);
	INIT_LIST_HEAD(&host->mc_list);

	dev = &host->ibdev;
	dev->node_type = RDMA_NODE_IB_CA;
	dev->node_guid = cpu_to_be64(host->node.guid);
	dev->phys_port_cnt = VFAB_RAILS;
	dev->num_comp_vectors = 1;
	dev->local_dma_lkey = VFAB_LOCAL_DMA_LKEY;
	strscpy(dev->node_desc, host->node.desc);
	dev->uverbs_cmd_mask |= BIT_ULL(IB_USER_VERBS_CMD_POST_SEND) |
				BIT_ULL(IB_USER_VERBS_CMD_POST_RECV) |
				BIT_ULL(IB_USER_VERBS_CMD_POST_SRQ_RECV) |
				BIT_ULL(IB_USER_VERBS_CMD_POLL_CQ) |
				BIT_ULL(IB_USER_VERBS_CMD_REQ_NOTIFY_CQ);
	ib_set_device_ops(dev, &vfab_ops);
	return host;
}

int vfab_host_register(struct vfab_host *host)
{
	int ret;

	ret = ib_register_device(&host->ibdev, host->node.name, NULL);
	if (!ret)
		WRITE_ONCE(host->registered, true);
	return ret;
}

void vfab_host_unregister(struct vfab_host *host)
{
	if (!host->registered)
		return;
	WRITE_ONCE(host->registered, false);
	ib_unregister_device(&host->ibdev);
}

void vfab_host_destroy(struct vfab_host *host)
{
	vfab_node_fini(&host->node);
	WARN_ON(!xa_empty(&host->qps));
	WARN_ON(!xa_empty(&host->mrs));
	WARN_ON(!list_empty(&host->mc_list));
	xa_destroy(&host->qps);
	xa_destroy(&host->mrs);
	ib_dealloc_device(&host->ibdev);
}
