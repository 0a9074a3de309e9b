/* SPDX-License-Identifier: GPL-2.0 */
/* A port opened through umad, with one agent registered on it. */
#ifndef SASTORM_MAD_PORT_H
#define SASTORM_MAD_PORT_H

#include <stdbool.h>
#include <stdint.h>

#include <infiniband/umad_types.h>

#define MAD_BYTES	256	/* every MAD but an RMPP message is this long */

struct mad_agent {
	int fd;
	int id;
};

/* What to register for; the same for every agent of one run. */
struct mad_registration {
	const char *device;
	int port;
	uint8_t mgmt_class;
	uint8_t class_version;
	bool rmpp;		/* have the kernel do RMPP */
	bool serve;		/* take the class's requests, as a server */
};

/*
 * Check that @device and @port exist and fill in @port_info (release it with
 * umad_release_port()). Otherwise fail_input() with what there is instead.
 */
void mad_port_check(const char *device, int port, umad_port_t *port_info);

/* Open the port and register. fail_input() says why it is impossible. */
struct mad_agent mad_agent_open(const struct mad_registration *registration);

void mad_agent_close(struct mad_agent *agent);

/* Can this class carry RMPP at all? The kernel refuses it for the others. */
bool class_has_rmpp(uint8_t mgmt_class);

/*
 * Packets that the port has sent since its device came up, where the driver
 * counts them (rxe does). False where it does not.
 */
bool mad_port_packets_sent(const char *device, int port, uint64_t *packets);

#endif
