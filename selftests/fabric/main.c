// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Module parameters; builds the fabric they ask for and takes it down again */
#include <linux/module.h>
#include <linux/slab.h>

#include "vfab.h"

static unsigned int hosts = 2;
module_param(hosts, uint, 0444);
MODULE_PARM_DESC(hosts, "Number of hosts with two ports each, 2-128 (default: 2)");

static bool isl;
module_param(isl, bool, 0444);
MODULE_PARM_DESC(isl, "Join the two rails' switches: one subnet instead of two (default: no)");

static bool switched;
module_param(switched, bool, 0444);
MODULE_PARM_DESC(switched, "Use switches even with 2 hosts (default: no)");

static unsigned int seed = 1;
module_param(seed, uint, 0444);
MODULE_PARM_DESC(seed, "Seed of the knobs' chances (default: 1)");

struct workqueue_struct *vfab_wq;
LIST_HEAD(vfab_nodes);

static struct vfab_host **vfab_hosts;
static struct vfab_switch *vfab_switches[VFAB_RAILS];

struct vfab_port *vfab_host_port(struct vfab_host *host, u32 port)
{
	return &host->node.ports[port];
}

static void vfab_plug_all(bool in)
{
	struct vfab_node *node;
	unsigned int i;

	list_for_each_entry(node, &vfab_nodes, list)
		for (i = 1; i <= node->nports; i++)
			vfab_port_plug(&node->ports[i], in);
}

static int vfab_build_switches(void)
{
	unsigned int i;

	if (hosts == 2 && !switched && !isl)
		return 0;
	for (i = 0; i < VFAB_RAILS; i++) {
		/* one port per host, and one for the other switch */
		vfab_switches[i] = vfab_switch_create(i, hosts + isl);
		if (!vfab_switches[i])
			return -ENOMEM;
	}
	if (isl)
		vfab_port_join(&vfab_switches[0]->node.ports[hosts + 1],
			       &vfab_switches[1]->node.ports[hosts + 1]);
	return 0;
}

static int vfab_build_hosts(void)
{
	unsigned int i;

	vfab_hosts = kcalloc(hosts, sizeof(*vfab_hosts), GFP_KERNEL);
	if (!vfab_hosts)
		return -ENOMEM;
	for (i = 0; i < hosts; i++) {
		vfab_hosts[i] = vfab_host_create(i);
		if (!vfab_hosts[i])
			return -ENOMEM;
	}
	return 0;
}

static void vfab_build_wires(void)
{
	unsigned int i, rail;

	for (rail = 0; rail < VFAB_RAILS; rail++) {
		struct vfab_switch *sw = vfab_switches[rail];

		if (!sw) {
			vfab_port_join(vfab_host_port(vfab_hosts[0], rail + 1),
				       vfab_host_port(vfab_hosts[1], rail + 1));
			continue;
		}
		for (i = 0; i < hosts; i++)
			vfab_port_join(&sw->node.ports[i + 1],
				       vfab_host_port(vfab_hosts[i], rail + 1));
	}
}

static void vfab_demolish(void)
{
	unsigned int i;

	for (i = 0; vfab_hosts && i < hosts; i++)
		if (vfab_hosts[i])
			vfab_host_unregister(vfab_hosts[i]);
	flush_workqueue(vfab_wq);
	for (i = 0; vfab_hosts && i < hosts; i++)
		if (vfab_hosts[i])
			vfab_host_destroy(vfab_hosts[i]);
	for (i = 0; i < VFAB_RAILS; i++)
		if (vfab_switches[i])
			vfab_switch_destroy(vfab_switches[i]);
	kfree(vfab_hosts);
	destroy_workqueue(vfab_wq);
}

static int __init vfab_init(void)
{
	unsigned int i;
	int ret;

	if (hosts < 2 || hosts > VFAB_MAX_HOSTS) {
		pr_err("ib_vfab: hosts=%u is not in 2-%u\n", hosts,
		       VFAB_MAX_HOSTS);
		return -EINVAL;
	}
	/* ahead of programs that poll, as an adapter of its own would be */
	vfab_wq = alloc_workqueue("ib_vfab", WQ_UNBOUND | WQ_HIGHPRI |
				  WQ_MEM_RECLAIM, 0);
	if (!vfab_wq)
		return -ENOMEM;
	ret = vfab_build_switches();
	if (!ret)
		ret = vfab_build_hosts();
	if (ret)
		goto err;
	vfab_build_wires();
	for (i = 0; i < hosts; i++) {
		ret = vfab_host_register(vfab_hosts[i]);
		if (ret)
			goto err;
	}
	vfab_debugfs_init(seed);
	vfab_plug_all(true);
	return 0;
err:
	vfab_demolish();
	return ret;
}

/*
 * All links go down before the first device goes away: what is left of the
 * fabric sees dead ports, not a half of it that still answers.
 */
static void __exit vfab_exit(void)
{
	vfab_debugfs_exit();
	vfab_plug_all(false);
	flush_workqueue(vfab_wq);
	vfab_demolish();
}

module_init(vfab_init);
module_exit(vfab_exit);
MODULE_DESCRIPTION("Software InfiniBand fabric for tests");
MODULE_LICENSE("Dual BSD/GPL");
