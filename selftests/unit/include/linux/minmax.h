/* SPDX-License-Identifier: GPL-2.0 */
/* What kernel/core/mad_retry.c takes from the kernel header of this name */
#ifndef UNIT_LINUX_MINMAX_H
#define UNIT_LINUX_MINMAX_H

#define min_t(type, a, b) ((type)(a) < (type)(b) ? (type)(a) : (type)(b))
#define max_t(type, a, b) ((type)(a) > (type)(b) ? (type)(a) : (type)(b))
#define clamp_t(type, v, lo, hi) min_t(type, max_t(type, v, lo), hi)
#define min(a, b) min_t(__typeof__(a), a, b)

#endif
