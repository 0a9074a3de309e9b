/* SPDX-License-Identifier: GPL-2.0 */
/* LAP, APR and REJ as they are on the wire (IBA vol. 1, 12.6) */
#ifndef CM_FORMAT_H
#define CM_FORMAT_H

#include <stdint.h>

#include <infiniband/umad_types.h>

#define CM_MAD_BYTES		256
#define CM_HDR_BYTES		24
#define CM_CLASS_VERSION	2
#define CM_ATTR_REJ		0x12
#define CM_ATTR_LAP		0x19
#define CM_ATTR_APR		0x1a

/* The connection that a message claims to be about, and the path it carries */
struct cm_target {
	uint32_t local_id;	/* of the sender */
	uint32_t remote_id;	/* of the receiver */
	uint32_t qpn;		/* of the receiver */
	uint64_t tid;
	/* the alternate path: local is the sender's port, remote the receiver's */
	uint16_t local_lid;
	uint16_t remote_lid;
	uint8_t local_gid[16];
	uint8_t remote_gid[16];
	uint8_t hop_limit;
	uint8_t subnet_local;
	uint8_t rate;
	uint8_t sl;
	uint8_t ack_timeout;
	uint8_t status;		/* of an APR, or reason of a REJ */
};

void cm_format_header(uint8_t *mad, uint16_t attr, uint64_t tid);
void cm_format_lap(uint8_t *mad, const struct cm_target *target);
void cm_format_apr(uint8_t *mad, const struct cm_target *target);
void cm_format_rej(uint8_t *mad, const struct cm_target *target);

#endif
