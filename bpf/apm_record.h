/* SPDX-License-Identifier: GPL-2.0 */
/* What the BPF programs that watch path migration hand to the tools. */

#ifndef MADRETRY_APM_RECORD_H
#define MADRETRY_APM_RECORD_H

#include <linux/types.h>

#include "madretry.h"

enum mr_apm_event {
	MR_APM_LAP,		/* a step in loading an alternate path */
	MR_APM_MIGRATE,		/* ib_cm was told that the path migrated */
	MR_APM_QP,		/* migration state of the queue pair */
	MR_APM_EVENTS
};

/* In the order of the kernel's enum ib_mig_state */
enum mr_mig_state {
	MR_MIG_MIGRATED,
	MR_MIG_REARM,
	MR_MIG_ARMED,
	MR_MIG_STATES
};

/* In the order of the kernel's enum ib_qp_path_mig_source, and one more */
enum mr_mig_source {
	MR_MIG_MODIFY,		/* somebody asked for it */
	MR_MIG_EVENT,		/* PATH_MIG: the device did it */
	MR_MIG_EVENT_ERR,	/* PATH_MIG_ERR: the device could not */
	MR_MIG_QUERY,		/* a tool asked the kernel */
	MR_MIG_SOURCES
};

/* In the order of the kernel's enum icm_apm_cause */
enum mr_apm_cause {
	MR_APM_LAP_SENT,
	MR_APM_LAP_RECEIVED,
	MR_APM_LAP_DUPLICATE,
	MR_APM_LAP_REFUSED,
	MR_APM_LAP_YIELDED,
	MR_APM_LAP_TIMEOUT,
	MR_APM_LAP_FAILED,
	MR_APM_MRA_SENT,
	MR_APM_MRA_RECEIVED,
	MR_APM_APR_SENT,
	MR_APM_APR_RECEIVED,
	MR_APM_APR_STALE,
	MR_APM_MIGRATED,
	MR_APM_NO_ALTERNATE,
	MR_APM_CONN_ENDED,
	MR_APM_MIGRATION_KNOWN,
	MR_APM_CAUSES
};

/* A LAP state that this kernel does not tell */
#define MR_APM_UNKNOWN	(-1)

/* An APR status if there is no APR; as the kernel's ICM_APM_NO_APR */
#define MR_APM_NO_APR	(-1)

struct mr_apm_lap {
	__s32 old_state;	/* enum ib_cm_lap_state, or MR_APM_UNKNOWN */
	__s32 new_state;
	__u32 cause;
	__s32 apr_status;	/* enum ib_cm_apr_status, or MR_APM_NO_APR */
	__u32 alt_port;		/* 0: no path, as all below */
	__u32 alt_dlid;
};

struct mr_apm_migrate {
	__u32 old_port;
	__u32 new_port;
	__u32 old_dlid;
	__u32 new_dlid;
};

struct mr_apm_qp {
	__u32 state;		/* enum mr_mig_state */
	__u32 source;		/* enum mr_mig_source */
	__u32 alt_port;
};

struct mr_apm_record {
	__u64 time_ns;		/* CLOCK_MONOTONIC */
	__u64 cm_id;		/* identifies the connection while it lives */
	__u32 dev_index;
	__u32 port;
	__u32 local_id;		/* 0: not known; so are the next three */
	__u32 remote_id;
	__u32 qpn;
	__u32 remote_qpn;
	__u8 event;		/* enum mr_apm_event */
	__u8 is_user;		/* of MR_APM_QP: it belongs to a process */
	__u8 unused[6];
	char device[MR_DEVICE_NAME_MAX];
	union {
		struct mr_apm_lap lap;
		struct mr_apm_migrate migrate;
		struct mr_apm_qp qp;
	};
};

#endif /* MADRETRY_APM_RECORD_H */
