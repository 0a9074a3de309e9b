/* SPDX-License-Identifier: GPL-2.0 */
/* Sends MADs of class CM to a port; nothing is expected to come back. */
#ifndef CM_SEND_H
#define CM_SEND_H

#include <stdint.h>

#include "../load/mad_port.h"

struct cm_sender {
	struct mad_agent agent;
	void *umad;
	uint16_t dlid;
};

void cm_sender_open(struct cm_sender *sender, const char *device, int port,
		    uint16_t dlid);
void cm_sender_close(struct cm_sender *sender);

/* Does not return if it cannot be sent. */
void cm_sender_send(struct cm_sender *sender, const uint8_t *mad);

#endif
