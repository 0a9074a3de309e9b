/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Loading a new alternate path into a connection (LAP, APR), so that it can
 * migrate more than once.
 */

#ifndef IB_CM_APM_H
#define IB_CM_APM_H

#include <linux/types.h>
#include <rdma/ib_cm.h>

struct sa_path_rec;

void ib_cm_accept_lap(struct ib_cm_id *cm_id);

int ib_send_cm_lap(struct ib_cm_id *cm_id,
		   struct sa_path_rec *alternate_path,
		   const void *private_data, u8 private_data_len);

int ib_send_cm_apr(struct ib_cm_id *cm_id, enum ib_cm_apr_status status,
		   const void *info, u8 info_length,
		   const void *private_data, u8 private_data_len);

#endif /* IB_CM_APM_H */
