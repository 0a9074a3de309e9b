/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Retry policy of all MADs, from the module parameters of ib_core.
 */

#ifndef MAD_RETRY_PARAM_H
#define MAD_RETRY_PARAM_H

#include <linux/types.h>

u32 mad_retry_param_flags(u8 mgmt_class);

#endif /* MAD_RETRY_PARAM_H */
