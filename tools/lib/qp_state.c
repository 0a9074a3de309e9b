// SPDX-License-Identifier: GPL-2.0
/* Migration states of queue pairs, as the kernel answers over netlink. */
#include "qp_state.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <netlink/attr.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <rdma/rdma_netlink.h>

#include "message.h"

struct device {
	__u32 index;
	char name[MR_DEVICE_NAME_MAX];
};

struct qp_state {
	struct nl_sock *socket;
	struct device *devices;		/* while they are listed */
	size_t device_count;
	qp_handler *handler;
	void *context;
	int found;			/* the state that was asked for */
};

static int take_device(struct nl_msg *message, void *context)
{
	struct nlattr *attrs[RDMA_NLDEV_ATTR_MAX];
	struct qp_state *state = context;
	struct device *device;

	if (nlmsg_parse(nlmsg_hdr(message), 0, attrs, RDMA_NLDEV_ATTR_MAX - 1,
			NULL) ||
	    !attrs[RDMA_NLDEV_ATTR_DEV_INDEX] ||
	    !attrs[RDMA_NLDEV_ATTR_DEV_NAME])
		return NL_OK;
	state->devices = realloc(state->devices, (state->device_count + 1) *
				 sizeof(*state->devices));
	if (!state->devices)
		fail_environment("out of memory");
	device = &state->devices[state->device_count++];
	device->index = nla_get_u32(attrs[RDMA_NLDEV_ATTR_DEV_INDEX]);
	snprintf(device->name, sizeof(device->name), "%s",
		 nla_get_string(attrs[RDMA_NLDEV_ATTR_DEV_NAME]));
	return NL_OK;
}

static __u32 number(struct nlattr *attr)
{
	return attr ? nla_get_u32(attr) : 0;
}

static void take_qp(struct qp_state *state, struct nlattr **attrs,
		    const struct device *device)
{
	struct qp_info info = {
		.dev_index = device->index,
		.port = number(attrs[RDMA_NLDEV_ATTR_PORT_INDEX]),
		.qpn = number(attrs[RDMA_NLDEV_ATTR_RES_LQPN]),
		.remote_qpn = number(attrs[RDMA_NLDEV_ATTR_RES_RQPN]),
	};

	/* Unconnected ones have no such state */
	if (!attrs[RDMA_NLDEV_ATTR_RES_PATH_MIG_STATE])
		return;
	info.state = nla_get_u8(attrs[RDMA_NLDEV_ATTR_RES_PATH_MIG_STATE]);
	memcpy(info.device, device->name, sizeof(info.device));
	state->handler(&info, state->context);
}

/* The queue pairs of the last device in the list */
static int take_qps(struct nl_msg *message, void *context)
{
	struct nlattr *attrs[RDMA_NLDEV_ATTR_MAX];
	struct qp_state *state = context;
	struct nlattr *entry;
	int left;

	if (nlmsg_parse(nlmsg_hdr(message), 0, attrs, RDMA_NLDEV_ATTR_MAX - 1,
			NULL) || !attrs[RDMA_NLDEV_ATTR_RES_QP])
		return NL_OK;
	nla_for_each_nested(entry, attrs[RDMA_NLDEV_ATTR_RES_QP], left) {
		struct nlattr *fields[RDMA_NLDEV_ATTR_MAX];

		if (!nla_parse_nested(fields, RDMA_NLDEV_ATTR_MAX - 1, entry,
				      NULL))
			take_qp(state, fields,
				&state->devices[state->device_count - 1]);
	}
	return NL_OK;
}

static int take_state(struct nl_msg *message, void *context)
{
	struct nlattr *attrs[RDMA_NLDEV_ATTR_MAX];
	struct qp_state *state = context;

	if (!nlmsg_parse(nlmsg_hdr(message), 0, attrs, RDMA_NLDEV_ATTR_MAX - 1,
			 NULL) && attrs[RDMA_NLDEV_ATTR_RES_PATH_MIG_STATE])
		state->found = nla_get_u8(
			attrs[RDMA_NLDEV_ATTR_RES_PATH_MIG_STATE]);
	return NL_OK;
}

struct qp_state *qp_state_open(void)
{
	struct qp_state *state = allocate(1, sizeof(*state));
	int error;

	state->socket = nl_socket_alloc();
	if (!state->socket)
		fail_environment("out of memory");
	error = nl_connect(state->socket, NETLINK_RDMA);
	if (error)
		fail_environment("cannot ask for the state of queue pairs: %s",
				 nl_geterror(error));
	/* An answer ends by itself or with an error; wait for no other */
	nl_socket_disable_auto_ack(state->socket);
	return state;
}

static struct nl_msg *new_question(int command, int flags)
{
	struct nl_msg *message = nlmsg_alloc_simple(
		RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, command), flags);

	if (!message)
		fail_environment("out of memory");
	return message;
}

/* Returns a negative error of libnl */
static int ask(struct qp_state *state, struct nl_msg *message,
	       nl_recvmsg_msg_cb_t take)
{
	int error;

	nl_socket_modify_cb(state->socket, NL_CB_VALID, NL_CB_CUSTOM, take,
			    state);
	error = nl_send_auto(state->socket, message);
	nlmsg_free(message);
	return error < 0 ? error : nl_recvmsgs_default(state->socket);
}

void qp_state_list(struct qp_state *state, qp_handler *handler, void *context)
{
	struct nl_msg *message;

	state->handler = handler;
	state->context = context;
	ask(state, new_question(RDMA_NLDEV_CMD_GET, NLM_F_DUMP), take_device);
	for (; state->device_count; state->device_count--) {
		message = new_question(RDMA_NLDEV_CMD_RES_QP_GET, NLM_F_DUMP);
		nla_put_u32(message, RDMA_NLDEV_ATTR_DEV_INDEX,
			    state->devices[state->device_count - 1].index);
		ask(state, message, take_qps);
	}
	free(state->devices);
	state->devices = NULL;
}

int qp_state_get(struct qp_state *state, __u32 dev_index, __u32 port, __u32 qpn)
{
	struct nl_msg *message = new_question(RDMA_NLDEV_CMD_RES_QP_GET, 0);
	int error;

	nla_put_u32(message, RDMA_NLDEV_ATTR_DEV_INDEX, dev_index);
	nla_put_u32(message, RDMA_NLDEV_ATTR_PORT_INDEX, port);
	nla_put_u32(message, RDMA_NLDEV_ATTR_RES_LQPN, qpn);
	state->found = QP_NO_ANSWER;
	error = ask(state, message, take_state);
	/* The queue pair, or the device */
	if (error == -NLE_OBJ_NOTFOUND || error == -NLE_INVAL)
		return QP_GONE;
	return state->found;
}

void qp_state_close(struct qp_state *state)
{
	nl_socket_free(state->socket);
	free(state);
}
