/* SPDX-License-Identifier: GPL-2.0 */
/* What kernel/core/mad_retry.c takes from the kernel header of this name */
#ifndef UNIT_LINUX_TYPES_H
#define UNIT_LINUX_TYPES_H

#include <stdbool.h>
#include <stdint.h>

typedef uint32_t u32;
typedef int64_t s64;

#endif
