// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Does one thing that is forbidden, to see whether the debug kernel notices:
 *
 *   insmod kernel_fault.ko fault=NAME
 *
 * Loading it fails on purpose (-ECANCELED), so that it can be loaded again.
 */
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

static char *fault = "";
module_param(fault, charp, 0444);
MODULE_PARM_DESC(fault, "none, kasan, deadlock, atomic, preempt, rcu, object or leak");

/* So that the compiler has to do what is of no use. */
static int sink;

static void use_after_free(void)
{
	char *byte = kmalloc(64, GFP_KERNEL);

	if (!byte)
		return;
	kfree(byte);
	OPTIMIZER_HIDE_VAR(byte);
	WRITE_ONCE(byte[0], 1);
}

static DEFINE_MUTEX(first);
static DEFINE_MUTEX(second);

static void lock_both(struct mutex *outer, struct mutex *inner)
{
	mutex_lock(outer);
	mutex_lock(inner);
	mutex_unlock(inner);
	mutex_unlock(outer);
}

static void lock_in_both_orders(void)
{
	lock_both(&first, &second);
	lock_both(&second, &first);
}

static DEFINE_SPINLOCK(spin);

static void sleep_under_spinlock(void)
{
	spin_lock(&spin);
	might_sleep();
	spin_unlock(&spin);
}

static void ask_processor_in_preemptible_code(void)
{
	WRITE_ONCE(sink, smp_processor_id());
}

static int __rcu *shared;

static void follow_rcu_pointer_without_lock(void)
{
	WRITE_ONCE(sink, !!rcu_dereference(shared));
}

static void free_queued_work(void)
{
	struct delayed_work *work = kmalloc(sizeof(*work), GFP_KERNEL);

	if (!work)
		return;
	INIT_DELAYED_WORK(work, NULL);
	queue_delayed_work(system_wq, work, 3600 * HZ);
	kfree(work);
}

static void lose_memory(void)
{
	WRITE_ONCE(sink, !!kmalloc(64, GFP_KERNEL));
}

static const struct {
	const char *name;
	void (*commit)(void);
} faults[] = {
	{ "kasan", use_after_free },
	{ "deadlock", lock_in_both_orders },
	{ "atomic", sleep_under_spinlock },
	{ "preempt", ask_processor_in_preemptible_code },
	{ "rcu", follow_rcu_pointer_without_lock },
	{ "object", free_queued_work },
	{ "leak", lose_memory },
};

static int __init kernel_fault_init(void)
{
	size_t i;

	if (!strcmp(fault, "none"))
		return -ECANCELED;
	for (i = 0; i < ARRAY_SIZE(faults); i++) {
		if (strcmp(fault, faults[i].name))
			continue;
		faults[i].commit();
		return -ECANCELED;
	}
	return -EINVAL;
}
module_init(kernel_fault_init);

MODULE_DESCRIPTION("Faults on purpose, for the test of the debug kernel");
MODULE_LICENSE("Dual BSD/GPL");
