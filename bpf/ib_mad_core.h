/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the kernel keeps about a request and who posted it, as far as the programs
 * here read it. libbpf finds the fields in the BTF of the running ib_core, so neither
 * order nor completeness matters here.
 */

#ifndef IB_MAD_CORE_H
#define IB_MAD_CORE_H

#include <linux/types.h>

enum ib_wc_status {
	IB_WC_STATUS_FIRST,
};

#pragma clang attribute push(__attribute__((preserve_access_index)), \
			     apply_to = record)

struct ib_device {
	__u32 index;
	char name[64];
};

struct ib_mad_agent {
	struct ib_device *device;
	void *recv_handler;
	void *send_handler;
	__u32 port_num;
};

struct ib_mad_agent_private {
	struct ib_mad_agent agent;
};

struct ib_mad_send_buf {
	void *mad;
	struct ib_mad_agent *mad_agent;
	void *context[2];
	int timeout_ms;
	int retries;
};

struct ib_mad_send_wr_private {
	struct ib_mad_agent_private *mad_agent_priv;
	struct ib_mad_send_buf send_buf;
	unsigned long timeout;
	int max_retries;
	int retries_left;
	int refcount;
	enum ib_wc_status status;
	int seg_num;
	int last_ack;
};

struct ib_mad_send_wc {
	enum ib_wc_status status;
};

struct ib_mad_hdr {
	__u8 base_version;
	__u8 mgmt_class;
	__u8 class_version;
	__u8 method;
	__be16 status;
	__be64 tid;
	__be16 attr_id;
	__be32 attr_mod;
};

struct ib_mad {
	struct ib_mad_hdr mad_hdr;
};

struct ib_mad_recv_buf {
	struct ib_mad *mad;
};

struct ib_mad_recv_wc {
	struct ib_mad_recv_buf recv_buf;
};

struct ib_sa_query {
	void *client;
};

struct task_struct {
	struct task_struct *group_leader;
	char comm[16];
};

struct work_struct;

#pragma clang attribute pop

#endif /* IB_MAD_CORE_H */
