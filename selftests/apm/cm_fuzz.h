/* SPDX-License-Identifier: GPL-2.0 */
/* Malformed LAPs and APRs, the same for the same seed */
#ifndef CM_FUZZ_H
#define CM_FUZZ_H

#include <stdint.h>

#include "cm_format.h"

/* Write message @number of the stream @seed about @target into @mad. */
void cm_fuzz(uint8_t *mad, uint64_t seed, uint64_t number,
	     const struct cm_target *target);

#endif
