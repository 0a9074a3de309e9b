/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Migration states of queue pairs, as the kernel answers over netlink (what
 * "rdma resource show qp" prints). It asks the device.
 */
#ifndef MR_QP_STATE_H
#define MR_QP_STATE_H

#include <linux/types.h>

#include "apm_record.h"

struct qp_state;

/* What is known of one */
struct qp_info {
	__u32 dev_index;
	__u32 port;
	__u32 qpn;
	__u32 remote_qpn;
	enum mr_mig_state state;
	char device[MR_DEVICE_NAME_MAX];
};

typedef void qp_handler(const struct qp_info *info, void *context);

/* Ends the program with a message if there is no netlink for RDMA */
struct qp_state *qp_state_open(void);

/* All connected queue pairs of all devices */
void qp_state_list(struct qp_state *state, qp_handler *handler, void *context);

/* Answers besides enum mr_mig_state */
#define QP_GONE		(-1)	/* there is no such queue pair */
#define QP_NO_ANSWER	(-2)

/* @port: what the queue pair was given; the kernel answers for that only */
int qp_state_get(struct qp_state *state, __u32 dev_index, __u32 port,
		 __u32 qpn);

void qp_state_close(struct qp_state *state);

#endif
