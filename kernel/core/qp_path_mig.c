// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Reports what becomes of the path migration state of queue pairs.
 */

#include <rdma/ib_verbs.h>
#include <rdma/restrack.h>

#include "qp_path_mig.h"

#define CREATE_TRACE_POINTS
#include <trace/events/ib_qp_path_mig.h>

static void fill(struct ib_qp_trace_path_mig *mig, const struct ib_qp *qp)
{
	mig->dev_name = dev_name(&qp->device->dev);
	mig->dev_index = qp->device->index;
	mig->qpn = qp->qp_num;
	mig->port_num = qp->port;
	mig->is_user = !rdma_is_kernel_res(&qp->res);
}

/* The migration state of @qp was set with these attributes */
void ib_qp_path_mig_modified(const struct ib_qp *qp,
			     const struct ib_qp_attr *attr, int attr_mask)
{
	struct ib_qp_trace_path_mig mig = {
		.source = IB_QP_PATH_MIG_MODIFY,
	};

	if (!(attr_mask & IB_QP_PATH_MIG_STATE) ||
	    !trace_ib_qp_path_mig_enabled())
		return;
	fill(&mig, qp);
	mig.state = attr->path_mig_state;
	if (attr_mask & IB_QP_ALT_PATH)
		mig.alt_port_num = attr->alt_port_num;
	trace_ib_qp_path_mig(&mig);
}

/* The device has raised an event for @qp */
void ib_qp_path_mig_event(const struct ib_qp *qp, enum ib_event_type event)
{
	struct ib_qp_trace_path_mig mig = {
		.state = IB_MIG_MIGRATED,
		.source = IB_QP_PATH_MIG_EVENT,
	};

	if ((event != IB_EVENT_PATH_MIG && event != IB_EVENT_PATH_MIG_ERR) ||
	    !trace_ib_qp_path_mig_enabled())
		return;
	if (event == IB_EVENT_PATH_MIG_ERR)
		mig.source = IB_QP_PATH_MIG_EVENT_ERR;
	fill(&mig, qp);
	trace_ib_qp_path_mig(&mig);
}
