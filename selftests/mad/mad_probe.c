// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Posts one MAD request through the in-kernel interface, for tests of what
 * user space cannot ask for: ib_mad_set_retry(), ib_modify_mad(),
 * ib_cancel_mad(), and an agent that goes while its request waits.
 *
 * The request is posted when the module is loaded, to the port that it is
 * told. How it ends can be read from /sys/module/mad_probe/parameters/{done,
 * status,mad_status}. Unloading the module unregisters the agent, whatever
 * state the request is in.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/inet.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_mad_retry.h>
#include <rdma/ib_verbs.h>

static char *device = "rxe0";
module_param(device, charp, 0444);
MODULE_PARM_DESC(device, "Device to send from");

static unsigned int port = 1;
module_param(port, uint, 0444);
MODULE_PARM_DESC(port, "Port to send from");

static char *dgid = "";
module_param(dgid, charp, 0444);
MODULE_PARM_DESC(dgid, "GID to send to; none: no GRH");

static unsigned int dlid;
module_param(dlid, uint, 0444);
MODULE_PARM_DESC(dlid, "LID to send to");

static unsigned int mgmt_class = IB_MGMT_CLASS_SUBN_ADM;
module_param(mgmt_class, uint, 0444);
MODULE_PARM_DESC(mgmt_class, "Management class of the request (default 3, SubnAdm)");

static unsigned int attr_id = 0x35;
module_param(attr_id, uint, 0444);
MODULE_PARM_DESC(attr_id, "Attribute of the request (default 0x35, PathRecord)");

static int timeout_ms = 1000;
module_param(timeout_ms, int, 0444);
MODULE_PARM_DESC(timeout_ms, "Time-out in milliseconds (default 1000)");

static int retries;
module_param(retries, int, 0444);
MODULE_PARM_DESC(retries, "Retries (default 0)");

static unsigned int flags;
module_param(flags, uint, 0444);
MODULE_PARM_DESC(flags, "enum ib_mad_retry_flags to set on the request (default 0)");

static unsigned int total_ms;
module_param(total_ms, uint, 0444);
MODULE_PARM_DESC(total_ms, "Total to set on the request in milliseconds (default 0: none)");

static unsigned int modify_after_ms;
module_param(modify_after_ms, uint, 0444);
MODULE_PARM_DESC(modify_after_ms, "When to call ib_modify_mad() in milliseconds (default 0: never)");

static unsigned int modify_to_ms;
module_param(modify_to_ms, uint, 0444);
MODULE_PARM_DESC(modify_to_ms, "Time-out to set then; 0 cancels the request");

static bool done;
module_param(done, bool, 0444);
MODULE_PARM_DESC(done, "The request has completed");

static unsigned int status;
module_param(status, uint, 0444);
MODULE_PARM_DESC(status, "How it completed, enum ib_wc_status");

static int mad_status = -1;
module_param(mad_status, int, 0444);
MODULE_PARM_DESC(mad_status, "Status of the response, -1: none was delivered");

static struct ib_mad_agent *agent;
static struct ib_mad_send_buf *request;	/* NULL once it has completed */
static DEFINE_MUTEX(request_lock);

static void modify(struct work_struct *work)
{
	mutex_lock(&request_lock);
	if (request)
		ib_modify_mad(request, modify_to_ms);
	mutex_unlock(&request_lock);
}

static DECLARE_DELAYED_WORK(modify_work, modify);

static void send_done(struct ib_mad_agent *mad_agent,
		      struct ib_mad_send_wc *send_wc)
{
	mutex_lock(&request_lock);
	status = send_wc->status;
	done = true;
	request = NULL;
	mutex_unlock(&request_lock);
	rdma_destroy_ah(send_wc->send_buf->ah, RDMA_DESTROY_AH_SLEEPABLE);
	/* A buffer holds a reference of its agent */
	ib_free_send_mad(send_wc->send_buf);
}

static void recv_done(struct ib_mad_agent *mad_agent,
		      struct ib_mad_send_buf *send_buf,
		      struct ib_mad_recv_wc *recv_wc)
{
	mad_status = be16_to_cpu(recv_wc->recv_buf.mad->mad_hdr.status);
	ib_free_recv_mad(recv_wc);
}

static struct ib_ah *create_ah(struct ib_device *dev)
{
	struct rdma_ah_attr attr = { .type = rdma_ah_find_type(dev, port) };
	union ib_gid gid;

	rdma_ah_set_port_num(&attr, port);
	rdma_ah_set_dlid(&attr, dlid);
	if (*dgid) {
		if (!in6_pton(dgid, -1, gid.raw, -1, NULL)) {
			pr_err("dgid: '%s' is not a GID\n", dgid);
			return ERR_PTR(-EINVAL);
		}
		rdma_ah_set_grh(&attr, &gid, 0, 0, 64, 0);
	}
	/* As umad does: this one resolves what RoCE needs besides the GID */
	return rdma_create_user_ah(agent->qp->pd, &attr, NULL);
}

static struct ib_mad_send_buf *create_request(void)
{
	struct ib_mad_send_buf *msg;
	struct ib_mad_hdr *hdr;

	msg = ib_create_send_mad(agent, 1, 0, 0, IB_MGMT_SA_HDR,
				 IB_MGMT_SA_DATA, GFP_KERNEL,
				 IB_MGMT_BASE_VERSION);
	if (IS_ERR(msg))
		return msg;
	hdr = msg->mad;
	hdr->base_version = IB_MGMT_BASE_VERSION;
	hdr->mgmt_class = mgmt_class;
	hdr->class_version = mgmt_class == IB_MGMT_CLASS_SUBN_ADM ? 2 : 1;
	hdr->method = IB_MGMT_METHOD_GET;
	hdr->attr_id = cpu_to_be16(attr_id);
	hdr->tid = cpu_to_be64((u64)agent->hi_tid << 32 | 1);
	msg->timeout_ms = timeout_ms;
	msg->retries = retries;
	return msg;
}

static int post_request(struct ib_device *dev)
{
	const struct ib_mad_retry_attr attr = {
		.flags = flags,
		.total_ms = total_ms,
	};
	int ret;

	request = create_request();
	if (IS_ERR(request)) {
		ret = PTR_ERR(request);
		goto no_request;
	}
	request->ah = create_ah(dev);
	if (IS_ERR(request->ah)) {
		ret = PTR_ERR(request->ah);
		goto no_ah;
	}
	ret = ib_mad_set_retry(request, &attr);
	if (ret)
		goto not_posted;
	if (modify_after_ms)
		schedule_delayed_work(&modify_work,
				      msecs_to_jiffies(modify_after_ms));
	ret = ib_post_send_mad(request, NULL);
	if (!ret)
		return 0;

	cancel_delayed_work_sync(&modify_work);

not_posted:
	rdma_destroy_ah(request->ah, 0);
no_ah:
	ib_free_send_mad(request);
no_request:
	request = NULL;
	return ret;
}

static int add_device(struct ib_device *dev)
{
	int ret;

	if (agent || strcmp(dev_name(&dev->dev), device))
		return -EOPNOTSUPP;
	agent = ib_register_mad_agent(dev, port, IB_QPT_GSI, NULL, 0,
				      send_done, recv_done, NULL, 0);
	if (IS_ERR(agent)) {
		ret = PTR_ERR(agent);
		agent = NULL;
		return ret;
	}
	ret = post_request(dev);
	if (ret) {
		pr_err("the request could not be posted: %d\n", ret);
		ib_unregister_mad_agent(agent);
		agent = NULL;
	}
	return ret;
}

static void remove_device(struct ib_device *dev, void *client_data)
{
	cancel_delayed_work_sync(&modify_work);
	/* Completes the request if it still waits */
	ib_unregister_mad_agent(agent);
	agent = NULL;
}

static struct ib_client probe_client = {
	.name = "mad_probe",
	.add = add_device,
	.remove = remove_device,
};

static int __init mad_probe_init(void)
{
	int ret = ib_register_client(&probe_client);

	if (ret)
		return ret;
	if (!agent) {
		ib_unregister_client(&probe_client);
		return -ENODEV;
	}
	return 0;
}

static void __exit mad_probe_exit(void)
{
	ib_unregister_client(&probe_client);
}

module_init(mad_probe_init);
module_exit(mad_probe_exit);

MODULE_DESCRIPTION("Posts one MAD request, for tests");
MODULE_LICENSE("Dual BSD/GPL");
