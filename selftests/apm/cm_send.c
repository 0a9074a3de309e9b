// SPDX-License-Identifier: GPL-2.0
/* Sends MADs of class CM to a port; nothing is expected to come back. */
#include "cm_send.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../load/cmdline.h"
#include "cm_format.h"

#define GSI_QKEY	0x80010000
#define GSI_QP		1
#define AGAIN_US	100
#define AGAIN_MAX	50000

void cm_sender_open(struct cm_sender *sender, const char *device, int port,
		    const struct cm_destination *to)
{
	struct mad_registration registration = {
		.device = device,
		.port = port,
		.mgmt_class = UMAD_CLASS_CM,
		.class_version = CM_CLASS_VERSION,
	};
	umad_port_t info;

	mad_port_check(device, port, &info);
	umad_release_port(&info);
	sender->agent = mad_agent_open(&registration);
	sender->to = *to;
	sender->umad = umad_alloc(1, umad_size() + CM_MAD_BYTES);
	if (!sender->umad)
		fail_running("no memory");
}

void cm_sender_close(struct cm_sender *sender)
{
	umad_free(sender->umad);
	mad_agent_close(&sender->agent);
}

static void address(struct cm_sender *sender)
{
	ib_mad_addr_t *addr;

	umad_set_addr(sender->umad, sender->to.dlid, GSI_QP, 0, GSI_QKEY);
	if (!sender->to.has_dgid)
		return;
	addr = umad_get_mad_addr(sender->umad);
	addr->grh_present = 1;
	memcpy(addr->gid, sender->to.dgid, sizeof(addr->gid));
}

/*
 * umad refuses a MAD while another one with the same transaction is still being
 * sent, so wait for that.
 */
void cm_sender_send(struct cm_sender *sender, const uint8_t *mad)
{
	int tries;

	memset(sender->umad, 0, umad_size());
	memcpy(umad_get_mad(sender->umad), mad, CM_MAD_BYTES);
	address(sender);
	for (tries = 0; umad_send(sender->agent.fd, sender->agent.id,
				  sender->umad, CM_MAD_BYTES, 0, 0); tries++) {
		if (errno != EINVAL || tries == AGAIN_MAX)
			fail_running("cannot send: %s", strerror(errno));
		usleep(AGAIN_US);
	}
}
