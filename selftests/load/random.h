/* SPDX-License-Identifier: GPL-2.0 */
/* Random numbers that depend on what they are drawn for, not on when. */
#ifndef SASTORM_RANDOM_H
#define SASTORM_RANDOM_H

#include <stdint.h>

/*
 * Mix 64 bits so that inputs which differ in one bit give unrelated outputs:
 * the step and output function of the SplitMix64 generator.
 */
static inline uint64_t random_mix(uint64_t bits)
{
	bits += 0x9e3779b97f4a7c15ULL;
	bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9ULL;
	bits = (bits ^ bits >> 27) * 0x94d049bb133111ebULL;
	return bits ^ bits >> 31;
}

/* As a fraction in [0, 1); 53 bits are what a double can hold. */
static inline double random_fraction(uint64_t bits)
{
	return (double)(bits >> 11) * 0x1p-53;
}

#endif
