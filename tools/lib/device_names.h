/* SPDX-License-Identifier: GPL-2.0 */
/* Names of RDMA devices by the kernel's numbers, as in "rdma dev". */
#ifndef MR_DEVICE_NAMES_H
#define MR_DEVICE_NAMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* False if there is no device of this number (any more) */
bool device_name(uint32_t index, char *name, size_t size);

#endif
