// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Module parameters of ib_core that force a retry policy on callers which do
 * not ask for one. All can be written at run time; a request keeps the policy
 * that was in force when it was posted.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/bitmap.h>
#include <linux/kernel.h>
#include <linux/moduleparam.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_mad_retry.h>

#include "mad_retry_param.h"

#define MAD_CLASSES 256

static bool randomized_wait;
module_param(randomized_wait, bool, 0644);
MODULE_PARM_DESC(randomized_wait,
		 "Retry MADs with randomized exponential backoff (default N)");

static bool treat_busy_as_timeout;
module_param(treat_busy_as_timeout, bool, 0644);
MODULE_PARM_DESC(treat_busy_as_timeout,
		 "Drop BUSY responses to MADs that have retries left, and retry when their wait ends (default N)");

enum retry_budget {
	BUDGET_RETRIES,
	BUDGET_TIME,
};

static const char * const budget_names[] = {
	[BUDGET_RETRIES] = "retries",
	[BUDGET_TIME] = "time",
};

static unsigned int retry_budget = BUDGET_RETRIES;

static int budget_set(const char *val, const struct kernel_param *kp)
{
	int budget = sysfs_match_string(budget_names, val);

	if (budget < 0) {
		pr_err_ratelimited("retry_budget must be \"retries\" or \"time\"\n");
		return budget;
	}
	WRITE_ONCE(retry_budget, budget);
	return 0;
}

static int budget_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%s\n", budget_names[READ_ONCE(retry_budget)]);
}

static const struct kernel_param_ops budget_ops = {
	.set = budget_set,
	.get = budget_get,
};

module_param_cb(retry_budget, &budget_ops, NULL, 0644);
MODULE_PARM_DESC(retry_budget,
		 "What limits a request that backs off: \"retries\" (default), or \"time\": timeout * retries");

/*
 * Classes that the parameters apply to. A request reads a single bit, so a
 * reader that runs into an update sees the old or the new answer.
 */
static DECLARE_BITMAP(retry_classes, MAD_CLASSES) = {
	[0 ... BITS_TO_LONGS(MAD_CLASSES) - 1] = ~0UL,
	[BIT_WORD(IB_MGMT_CLASS_SUBN_LID_ROUTED)] =
		~BIT_MASK(IB_MGMT_CLASS_SUBN_LID_ROUTED),
	[BIT_WORD(IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE)] =
		~BIT_MASK(IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE),
};

static const struct {
	const char *name;
	u8 mgmt_class;
} class_names[] = {
	{ "sa", IB_MGMT_CLASS_SUBN_ADM },
	{ "perf", IB_MGMT_CLASS_PERF_MGMT },
	{ "bm", IB_MGMT_CLASS_BM },
	{ "dm", IB_MGMT_CLASS_DEVICE_MGMT },
	{ "cm", IB_MGMT_CLASS_CM },
	{ "snmp", IB_MGMT_CLASS_SNMP },
};

static void add_subnet_management(unsigned long *classes)
{
	__set_bit(IB_MGMT_CLASS_SUBN_LID_ROUTED, classes);
	__set_bit(IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE, classes);
}

static void add_general_services(unsigned long *classes)
{
	bool lid = test_bit(IB_MGMT_CLASS_SUBN_LID_ROUTED, classes);
	bool directed = test_bit(IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE, classes);

	bitmap_fill(classes, MAD_CLASSES);
	__assign_bit(IB_MGMT_CLASS_SUBN_LID_ROUTED, classes, lid);
	__assign_bit(IB_MGMT_CLASS_SUBN_DIRECTED_ROUTE, classes, directed);
}

static int add_class(unsigned long *classes, const char *word)
{
	unsigned int i;
	u8 number;
	int ret;

	if (!strcmp(word, "none"))
		return 0;
	if (!strcmp(word, "gs")) {
		add_general_services(classes);
		return 0;
	}
	if (!strcmp(word, "all")) {
		bitmap_fill(classes, MAD_CLASSES);
		return 0;
	}
	if (!strcmp(word, "sm")) {
		add_subnet_management(classes);
		return 0;
	}
	for (i = 0; i < ARRAY_SIZE(class_names); i++) {
		if (!strcmp(word, class_names[i].name)) {
			__set_bit(class_names[i].mgmt_class, classes);
			return 0;
		}
	}
	ret = kstrtou8(word, 0, &number);
	if (ret)
		return ret;
	__set_bit(number, classes);
	return 0;
}

static int classes_set(const char *val, const struct kernel_param *kp)
{
	DECLARE_BITMAP(classes, MAD_CLASSES);
	char *copy, *rest, *word;
	int ret = 0;

	copy = kstrdup(val, GFP_KERNEL);
	if (!copy)
		return -ENOMEM;
	rest = strim(copy);
	bitmap_zero(classes, MAD_CLASSES);
	while (!ret && (word = strsep(&rest, ",")))
		ret = add_class(classes, word);
	kfree(copy);
	if (ret) {
		pr_err_ratelimited("retry_classes must be a comma separated list of gs, all, none, sm, sa, perf, bm, dm, cm, snmp or class numbers 0-255\n");
		return -EINVAL;
	}
	bitmap_copy(retry_classes, classes, MAD_CLASSES);
	return 0;
}

static int classes_get(char *buf, const struct kernel_param *kp)
{
	DECLARE_BITMAP(gs, MAD_CLASSES) = {};
	unsigned int class;
	int len = 0;

	if (bitmap_full(retry_classes, MAD_CLASSES))
		return sysfs_emit(buf, "all\n");
	if (bitmap_empty(retry_classes, MAD_CLASSES))
		return sysfs_emit(buf, "none\n");
	add_general_services(gs);
	if (bitmap_equal(retry_classes, gs, MAD_CLASSES))
		return sysfs_emit(buf, "gs\n");
	for_each_set_bit(class, retry_classes, MAD_CLASSES)
		len += sysfs_emit_at(buf, len, "%s0x%02x", len ? "," : "",
				     class);
	return len + sysfs_emit_at(buf, len, "\n");
}

static const struct kernel_param_ops classes_ops = {
	.set = classes_set,
	.get = classes_get,
};

module_param_cb(retry_classes, &classes_ops, NULL, 0644);
MODULE_PARM_DESC(retry_classes,
		 "Management classes that the retry parameters apply to: gs (all but subnet management, default), all, none, sm, sa, perf, bm, dm, cm, snmp, or numbers, comma separated");

/**
 * mad_retry_param_flags - retry policy that is forced on a class
 * @mgmt_class: Management class of the request.
 *
 * Return: flags of enum ib_mad_retry_flags.
 */
u32 mad_retry_param_flags(u8 mgmt_class)
{
	u32 flags = 0;

	if (!test_bit(mgmt_class, retry_classes))
		return 0;
	if (READ_ONCE(randomized_wait))
		flags |= IB_MAD_RETRY_RANDOMIZED;
	if (READ_ONCE(treat_busy_as_timeout))
		flags |= IB_MAD_RETRY_BUSY_AS_TIMEOUT;
	if (READ_ONCE(retry_budget) == BUDGET_TIME)
		flags |= IB_MAD_RETRY_BUDGET_TIME;
	return flags;
}
