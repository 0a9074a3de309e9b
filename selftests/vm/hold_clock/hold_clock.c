// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Keeps the clock of a guest in virtual time honest while it waits for the
 * host.
 *
 * In virtual time (QEMU's icount with sleep=off) a guest with nothing to run
 * jumps to its next timer. That is wanted for a sleep, but wrong while a 9p
 * request is with the host: reading one file would fire a timer that is a
 * minute away. So keep the processor busy as long as a request is out; the
 * clock then moves by the instructions executed, much as real time would.
 */
#include <linux/atomic.h>
#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/wait.h>
#include <uapi/linux/sched/types.h>

/*
 * Spins between two offers of the processor to others, a few microseconds. Not
 * of cpu_relax(): QEMU leaves the translated code at every PAUSE, so that the
 * clock, which counts instructions, would all but stand still.
 */
#define SPINS 1000

/*
 * A request that was flushed may never be answered. Trust the count for this
 * long after the last request or answer, then start again from zero.
 */
#define TRUST (2 * HZ)

static atomic_t requests_out;
static unsigned long last_event;
static DECLARE_WAIT_QUEUE_HEAD(wait_for_request);
static struct task_struct *spinner;

static int request_sent(struct kprobe *p, struct pt_regs *regs)
{
	WRITE_ONCE(last_event, jiffies);
	atomic_inc(&requests_out);
	wake_up(&wait_for_request);
	return 0;
}

static int answer_came(struct kprobe *p, struct pt_regs *regs)
{
	WRITE_ONCE(last_event, jiffies);
	atomic_dec_if_positive(&requests_out);
	return 0;
}

/*
 * Functions whose address the 9p core or the transport hands out, so that the
 * compiler keeps them and their names.
 */
static struct kprobe probes[] = {
	{ .symbol_name = "p9_virtio_request", .pre_handler = request_sent },
	{ .symbol_name = "p9_virtio_zc_request", .pre_handler = request_sent },
	{ .symbol_name = "p9_client_cb", .pre_handler = answer_came },
};

static struct kprobe *probe_list[] = { &probes[0], &probes[1], &probes[2] };

static void spin_while_waiting(void)
{
	int i;

	while (atomic_read(&requests_out) && !kthread_should_stop()) {
		if (time_after(jiffies, READ_ONCE(last_event) + TRUST)) {
			atomic_set(&requests_out, 0);
			break;
		}
		for (i = 0; i < SPINS; i++)
			barrier();
		cond_resched();
	}
}

static int spin(void *unused)
{
	/* Whoever has work goes first, and at once. */
	static const struct sched_attr idle = {
		.size = sizeof(idle),
		.sched_policy = SCHED_IDLE,
	};
	int ret = sched_setattr_nocheck(current, &idle);

	WARN_ON_ONCE(ret);
	while (!kthread_should_stop()) {
		wait_event_interruptible(wait_for_request,
					 atomic_read(&requests_out) ||
					 kthread_should_stop());
		spin_while_waiting();
	}
	return 0;
}

static int __init hold_clock_init(void)
{
	int ret;

	spinner = kthread_run(spin, NULL, "hold_clock");
	if (IS_ERR(spinner))
		return PTR_ERR(spinner);
	ret = register_kprobes(probe_list, ARRAY_SIZE(probe_list));
	if (ret)
		kthread_stop(spinner);
	return ret;
}

static void __exit hold_clock_exit(void)
{
	unregister_kprobes(probe_list, ARRAY_SIZE(probe_list));
	kthread_stop(spinner);
}

module_init(hold_clock_init);
module_exit(hold_clock_exit);
MODULE_DESCRIPTION("Keeps a virtual-time guest's clock from jumping while 9p waits");
MODULE_LICENSE("Dual BSD/GPL");
