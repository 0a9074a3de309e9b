/* SPDX-License-Identifier: GPL-2.0 */
/* Sends MADs of class CM to a port; nothing is expected to come back. */
#ifndef CM_SEND_H
#define CM_SEND_H

#include <stdbool.h>
#include <stdint.h>

#include "../load/mad_port.h"

struct cm_destination {
	uint16_t dlid;
	bool has_dgid;		/* then the messages have a GRH */
	uint8_t dgid[16];
};

struct cm_sender {
	struct mad_agent agent;
	void *umad;
	struct cm_destination to;
};

void cm_sender_open(struct cm_sender *sender, const char *device, int port,
		    const struct cm_destination *to);
void cm_sender_close(struct cm_sender *sender);

/* Does not return if it cannot be sent. */
void cm_sender_send(struct cm_sender *sender, const uint8_t *mad);

#endif
