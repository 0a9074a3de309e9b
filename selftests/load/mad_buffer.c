// SPDX-License-Identifier: GPL-2.0
/* Buffers as umad wants them: its header, then the MAD. */
#include "mad_buffer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmdline.h"

#define SA_HEADER_BYTES		offsetof(struct umad_sa_packet, data)
#define RMPP_TYPE_DATA		1

void mad_buffer_alloc(struct mad_buffer *buffer, size_t room)
{
	buffer->umad = umad_alloc(1, umad_size() + room);
	if (!buffer->umad)
		fail_running("out of memory");
	buffer->room = room;
	buffer->length = 0;
}

void mad_buffer_free(struct mad_buffer *buffer)
{
	umad_free(buffer->umad);
	buffer->umad = NULL;
}

bool mad_receive(int fd, struct mad_buffer *buffer)
{
	for (;;) {
		int length = (int)buffer->room;

		if (umad_recv(fd, buffer->umad, &length, 0) >= 0) {
			buffer->length = (size_t)length;
			return true;
		}
		switch (errno) {
		case EAGAIN:
			return false;
		case EINTR:
			continue;
		case ENOSPC:
			/* It stays queued, and length says what it needs. */
			mad_buffer_free(buffer);
			mad_buffer_alloc(buffer, (size_t)length);
			continue;
		default:
			fail_running("cannot receive: %m: is the device gone?");
		}
	}
}

static uint8_t pattern(uint32_t seed, size_t at)
{
	/* A multiplier of 7 keeps neighbouring segments (200 bytes) apart. */
	return (uint8_t)(seed + at + 7 * (at / SEGMENT_BYTES));
}

void rmpp_answer_fill(struct mad_buffer *buffer, const void *request_umad,
		      unsigned int segments)
{
	size_t data = (size_t)segments * SEGMENT_BYTES;
	struct umad_sa_packet *answer;
	uint32_t seed;
	size_t i;

	mad_buffer_alloc(buffer, SA_HEADER_BYTES + data);
	memcpy(buffer->umad, request_umad, umad_size() + SA_HEADER_BYTES);
	buffer->length = SA_HEADER_BYTES + data;

	answer = umad_get_mad(buffer->umad);
	/* The kernel fills in segment numbers and lengths. */
	answer->rmpp_hdr = (struct umad_rmpp_hdr) {
		.rmpp_version = UMAD_RMPP_VERSION,
		.rmpp_type = RMPP_TYPE_DATA,
		.rmpp_rtime_flags = UMAD_RMPP_FLAG_ACTIVE,
	};
	/* In units of 8 bytes: one record fills one segment. */
	answer->attr_offset = htobe16(SEGMENT_BYTES / 8);
	seed = (uint32_t)be64toh(answer->mad_hdr.tid);
	for (i = 0; i < data; i++)
		answer->data[i] = pattern(seed, i);
}

bool rmpp_answer_intact(const struct mad_buffer *buffer)
{
	const struct umad_sa_packet *answer = umad_get_mad(buffer->umad);
	uint32_t seed = (uint32_t)be64toh(answer->mad_hdr.tid);
	size_t i;

	for (i = 0; SA_HEADER_BYTES + i < buffer->length; i++) {
		if (answer->data[i] != pattern(seed, i))
			return false;
	}
	return true;
}
