// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Loading and unloading, and the debugfs folder */
#include <linux/debugfs.h>
#include <linux/module.h>

#include "peer.h"

struct peer_policy peer_policy = {
	.mra_timeout = 20,
	.notify = 1,
	.laps = 1,
	.interval_ms = 5,
};

struct workqueue_struct *peer_wq;
DECLARE_WAIT_QUEUE_HEAD(peer_waitq);
static struct dentry *peer_debugfs;

static void peer_debugfs_init(void)
{
	peer_debugfs = debugfs_create_dir(KBUILD_MODNAME, NULL);
	debugfs_create_file("command", 0200, peer_debugfs, NULL,
			    &peer_command_fops);
	debugfs_create_file("notice", 0200, peer_debugfs, NULL,
			    &peer_notice_fops);
	peer_report_init(peer_debugfs);
}

static int __init peer_init(void)
{
	int ret;

	peer_wq = alloc_workqueue(KBUILD_MODNAME, WQ_UNBOUND, 16);
	if (!peer_wq)
		return -ENOMEM;
	peer_path_init();
	ret = peer_devices_init();
	if (ret) {
		peer_path_exit();
		destroy_workqueue(peer_wq);
		return ret;
	}
	peer_debugfs_init();
	return 0;
}

/* No command is under way: an open file holds the module. */
static void __exit peer_exit(void)
{
	debugfs_remove(peer_debugfs);
	peer_traffic_exit();
	peer_devices_exit();
	peer_path_exit();
	destroy_workqueue(peer_wq);
}

module_init(peer_init);
module_exit(peer_exit);

MODULE_DESCRIPTION("Connections that migrate their path, for tests");
MODULE_LICENSE("Dual BSD/GPL");
