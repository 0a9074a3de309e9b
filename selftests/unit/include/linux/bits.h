/* SPDX-License-Identifier: GPL-2.0 */
/* What kernel/include/rdma/ib_mad_retry.h takes from the kernel header of this name */
#ifndef UNIT_LINUX_BITS_H
#define UNIT_LINUX_BITS_H

#define BIT(n) (1UL << (n))

#endif
