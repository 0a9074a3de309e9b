/* SPDX-License-Identifier: GPL-2.0 */
/* What kernel/core/mad_retry.c takes from the kernel header of this name */
#ifndef UNIT_LINUX_LIMITS_H
#define UNIT_LINUX_LIMITS_H

#include <limits.h>

#define U32_MAX UINT32_MAX

#endif
