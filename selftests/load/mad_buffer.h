/* SPDX-License-Identifier: GPL-2.0 */
/* Buffers as umad wants them: its header, then the MAD. */
#ifndef SASTORM_MAD_BUFFER_H
#define SASTORM_MAD_BUFFER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <infiniband/umad_sa.h>

#define SEGMENT_BYTES	UMAD_LEN_SA_DATA	/* of data, in one RMPP segment */

struct mad_buffer {
	void *umad;
	size_t room;		/* for the MAD, without umad's header */
	size_t length;		/* of the MAD in it */
};

void mad_buffer_alloc(struct mad_buffer *buffer, size_t room);
void mad_buffer_free(struct mad_buffer *buffer);

/*
 * Take one MAD from umad without waiting; the buffer grows for long RMPP
 * messages. False when there is none. fail_running() when the device is gone.
 */
bool mad_receive(int fd, struct mad_buffer *buffer);

/*
 * Fill in @buffer with an RMPP message of @segments segments that answers
 * @request. Its data is a pattern made from the TID.
 */
void rmpp_answer_fill(struct mad_buffer *buffer, const void *request_umad,
		      unsigned int segments);

/* Is the data in @buffer what rmpp_answer_fill() wrote? */
bool rmpp_answer_intact(const struct mad_buffer *buffer);

#endif
