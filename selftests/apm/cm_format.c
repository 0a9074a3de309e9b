// SPDX-License-Identifier: GPL-2.0
/* LAP, APR and REJ as they are on the wire */
#include "cm_format.h"

#include <endian.h>
#include <string.h>

#define CM_METHOD_SEND		0x03

/* Offsets from the start of the MAD */
#define OFF_LOCAL_ID		(CM_HDR_BYTES + 0)
#define OFF_REMOTE_ID		(CM_HDR_BYTES + 4)
#define OFF_LAP_QPN		(CM_HDR_BYTES + 12)	/* 24 bits, then the time-out's 5 */
#define OFF_LAP_LOCAL_LID	(CM_HDR_BYTES + 20)
#define OFF_LAP_REMOTE_LID	(CM_HDR_BYTES + 22)
#define OFF_LAP_LOCAL_GID	(CM_HDR_BYTES + 24)
#define OFF_LAP_REMOTE_GID	(CM_HDR_BYTES + 40)
#define OFF_LAP_HOP_LIMIT	(CM_HDR_BYTES + 60)
#define OFF_LAP_RATE		(CM_HDR_BYTES + 61)	/* the lower 6 bits */
#define OFF_LAP_SL		(CM_HDR_BYTES + 62)	/* the upper 4, then local */
#define OFF_LAP_ACK_TIMEOUT	(CM_HDR_BYTES + 63)	/* the upper 5 */
#define OFF_APR_STATUS		(CM_HDR_BYTES + 9)
#define OFF_REJ_MESSAGE		(CM_HDR_BYTES + 8)	/* the upper 2 bits */
#define OFF_REJ_REASON		(CM_HDR_BYTES + 10)

#define LAP_RESPONSE_TIMEOUT	16
#define LAP_SUBNET_LOCAL	0x08
#define REJ_NO_MESSAGE		0x80	/* neither REQ nor REP */

static void put_be16(uint8_t *at, uint16_t value)
{
	value = htobe16(value);
	memcpy(at, &value, sizeof(value));
}

static void put_be32(uint8_t *at, uint32_t value)
{
	value = htobe32(value);
	memcpy(at, &value, sizeof(value));
}

void cm_format_header(uint8_t *mad, uint16_t attr, uint64_t tid)
{
	struct umad_hdr hdr = {
		.base_version = UMAD_BASE_VERSION,
		.mgmt_class = UMAD_CLASS_CM,
		.class_version = CM_CLASS_VERSION,
		.method = CM_METHOD_SEND,
		.tid = htobe64(tid),
		.attr_id = htobe16(attr),
	};

	memcpy(mad, &hdr, sizeof(hdr));
}

static void format_ids(uint8_t *mad, const struct cm_target *target)
{
	put_be32(mad + OFF_LOCAL_ID, target->local_id);
	put_be32(mad + OFF_REMOTE_ID, target->remote_id);
}

void cm_format_lap(uint8_t *mad, const struct cm_target *target)
{
	memset(mad, 0, CM_MAD_BYTES);
	cm_format_header(mad, CM_ATTR_LAP, target->tid);
	format_ids(mad, target);
	put_be32(mad + OFF_LAP_QPN,
		 target->qpn << 8 | LAP_RESPONSE_TIMEOUT << 3);
	put_be16(mad + OFF_LAP_LOCAL_LID, target->local_lid);
	put_be16(mad + OFF_LAP_REMOTE_LID, target->remote_lid);
	memcpy(mad + OFF_LAP_LOCAL_GID, target->local_gid, 16);
	memcpy(mad + OFF_LAP_REMOTE_GID, target->remote_gid, 16);
	mad[OFF_LAP_HOP_LIMIT] = target->hop_limit;
	mad[OFF_LAP_RATE] = target->rate & 0x3f;
	mad[OFF_LAP_SL] = target->sl << 4 |
			  (target->subnet_local ? LAP_SUBNET_LOCAL : 0);
	mad[OFF_LAP_ACK_TIMEOUT] = target->ack_timeout << 3;
}

void cm_format_apr(uint8_t *mad, const struct cm_target *target)
{
	memset(mad, 0, CM_MAD_BYTES);
	cm_format_header(mad, CM_ATTR_APR, target->tid);
	format_ids(mad, target);
	mad[OFF_APR_STATUS] = target->status;
}

void cm_format_rej(uint8_t *mad, const struct cm_target *target)
{
	memset(mad, 0, CM_MAD_BYTES);
	cm_format_header(mad, CM_ATTR_REJ, target->tid);
	format_ids(mad, target);
	mad[OFF_REJ_MESSAGE] = REJ_NO_MESSAGE;
	put_be16(mad + OFF_REJ_REASON, target->status);
}
