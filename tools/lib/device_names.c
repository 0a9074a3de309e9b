// SPDX-License-Identifier: GPL-2.0
/* Names of RDMA devices by the kernel's numbers, as in "rdma dev". */
#include "device_names.h"

#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct request {
	struct nlmsghdr header;
	struct nlattr attribute;
	uint32_t index;
};

static int ask(uint32_t index)
{
	struct request request = {
		.header = {
			.nlmsg_len = sizeof(request),
			.nlmsg_type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV,
						       RDMA_NLDEV_CMD_GET),
			.nlmsg_flags = NLM_F_REQUEST,
		},
		.attribute = {
			.nla_len = sizeof(struct nlattr) + sizeof(uint32_t),
			.nla_type = RDMA_NLDEV_ATTR_DEV_INDEX,
		},
		.index = index,
	};
	int netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_RDMA);

	if (netlink < 0)
		return -1;
	if (send(netlink, &request, sizeof(request), 0) == sizeof(request))
		return netlink;
	close(netlink);
	return -1;
}

static bool find_name(const char *answer, size_t length, char *name,
		      size_t size)
{
	size_t at = NLMSG_HDRLEN;

	while (at + NLA_HDRLEN <= length) {
		const struct nlattr *attribute = (const void *)(answer + at);

		if (attribute->nla_len < NLA_HDRLEN ||
		    attribute->nla_len > length - at)
			return false;
		if (attribute->nla_type == RDMA_NLDEV_ATTR_DEV_NAME) {
			snprintf(name, size, "%.*s",
				 (int)(attribute->nla_len - NLA_HDRLEN),
				 answer + at + NLA_HDRLEN);
			return true;
		}
		at += NLA_ALIGN(attribute->nla_len);
	}
	return false;
}

bool device_name(uint32_t index, char *name, size_t size)
{
	_Alignas(struct nlmsghdr) char answer[4096];
	const struct nlmsghdr *header = (const void *)answer;
	int netlink = ask(index);
	ssize_t length;

	if (netlink < 0)
		return false;
	length = recv(netlink, answer, sizeof(answer), 0);
	close(netlink);
	if (length < (ssize_t)sizeof(*header) ||
	    header->nlmsg_type == NLMSG_ERROR)
		return false;
	return find_name(answer, (size_t)length, name, size);
}
