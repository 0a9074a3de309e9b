// SPDX-License-Identifier: GPL-2.0
/*
 * Malformed LAPs and APRs, the same for the same seed. On the wire every MAD has
 * 256 bytes; a truncated one is zero after its end.
 */
#include "cm_fuzz.h"

#include <endian.h>
#include <stdbool.h>
#include <string.h>

#include "../load/random.h"

#define ID_BYTES	8

struct dice {
	uint64_t state;
};

static uint64_t roll(struct dice *dice)
{
	return random_mix(dice->state++);
}

static void fill_random(uint8_t *at, size_t length, struct dice *dice)
{
	for (; length; length--)
		*at++ = roll(dice);
}

static void random_bytes(uint8_t *mad, struct dice *dice)
{
	fill_random(mad + CM_HDR_BYTES, CM_MAD_BYTES - CM_HDR_BYTES, dice);
}

/* A live connection's ids, and content that is none */
static void right_ids(uint8_t *mad, struct dice *dice)
{
	fill_random(mad + CM_HDR_BYTES + ID_BYTES,
		    CM_MAD_BYTES - CM_HDR_BYTES - ID_BYTES, dice);
}

/* One of the two ids is another's */
static void wrong_ids(uint8_t *mad, struct dice *dice)
{
	uint8_t *id = mad + CM_HDR_BYTES + (roll(dice) & 1 ? 4 : 0);

	id[roll(dice) % 4] ^= 1 + roll(dice) % 255;
}

static void truncated(uint8_t *mad, struct dice *dice)
{
	size_t length = CM_HDR_BYTES + roll(dice) % (CM_MAD_BYTES - CM_HDR_BYTES);

	memset(mad + length, 0, CM_MAD_BYTES - length);
}

/* Right but for some bits, where the fields are */
static void flipped(uint8_t *mad, struct dice *dice)
{
	int bits = 1 + roll(dice) % 8;

	while (bits--)
		mad[CM_HDR_BYTES + roll(dice) % 64] ^= 1 << roll(dice) % 8;
}

static void (*const harm[])(uint8_t *mad, struct dice *dice) = {
	random_bytes, right_ids, wrong_ids, truncated, flipped,
};

#define HARMS (sizeof(harm) / sizeof(harm[0]))

void cm_fuzz(uint8_t *mad, uint64_t seed, uint64_t number,
	     const struct cm_target *target)
{
	struct dice dice = { .state = random_mix(seed) + (number << 16) };
	bool lap = roll(&dice) & 1;

	if (lap)
		cm_format_lap(mad, target);
	else
		cm_format_apr(mad, target);
	cm_format_header(mad, lap ? CM_ATTR_LAP : CM_ATTR_APR,
			 roll(&dice) & 1 ? target->tid : roll(&dice));
	harm[roll(&dice) % HARMS](mad, &dice);
}
