/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * Reports what becomes of the path migration state of queue pairs.
 */

#ifndef QP_PATH_MIG_H
#define QP_PATH_MIG_H

#include <rdma/ib_verbs.h>

void ib_qp_path_mig_modified(const struct ib_qp *qp,
			     const struct ib_qp_attr *attr, int attr_mask);
void ib_qp_path_mig_event(const struct ib_qp *qp, enum ib_event_type event);

#endif /* QP_PATH_MIG_H */
