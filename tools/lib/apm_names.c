// SPDX-License-Identifier: GPL-2.0
/* Names of what happens in path migration, as the kernel's enums have them. */
#include "apm_names.h"

#include <stddef.h>

#include "apm_record.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/* Numbers that this program does not know come from a newer kernel */
static const char *name_of(const char *const *names, size_t count, int number)
{
	return number >= 0 && (size_t)number < count ? names[number] :
						       "unknown";
}

const char *apm_cause_name(unsigned int cause)
{
	static const char *const names[MR_APM_CAUSES] = {
		[MR_APM_LAP_SENT] = "LAP_SENT",
		[MR_APM_LAP_RECEIVED] = "LAP_RECEIVED",
		[MR_APM_LAP_DUPLICATE] = "LAP_DUPLICATE",
		[MR_APM_LAP_REFUSED] = "LAP_REFUSED",
		[MR_APM_LAP_YIELDED] = "LAP_YIELDED",
		[MR_APM_LAP_TIMEOUT] = "LAP_TIMEOUT",
		[MR_APM_LAP_FAILED] = "LAP_FAILED",
		[MR_APM_MRA_SENT] = "MRA_SENT",
		[MR_APM_MRA_RECEIVED] = "MRA_RECEIVED",
		[MR_APM_APR_SENT] = "APR_SENT",
		[MR_APM_APR_RECEIVED] = "APR_RECEIVED",
		[MR_APM_APR_STALE] = "APR_STALE",
		[MR_APM_MIGRATED] = "MIGRATED",
		[MR_APM_NO_ALTERNATE] = "NO_ALTERNATE",
		[MR_APM_CONN_ENDED] = "CONN_ENDED",
		[MR_APM_MIGRATION_KNOWN] = "MIGRATION_KNOWN",
	};

	return name_of(names, ARRAY_SIZE(names), (int)cause);
}

const char *lap_state_name(int state)
{
	static const char *const names[] = {
		"LAP_UNINIT", "LAP_IDLE", "LAP_SENT", "LAP_RCVD",
		"MRA_LAP_SENT", "MRA_LAP_RCVD",
	};

	return name_of(names, ARRAY_SIZE(names), state);
}

const char *apr_status_name(int status)
{
	static const char *const names[] = {
		"SUCCESS", "INVALID_COMM_ID", "UNSUPPORTED", "REJECT",
		"REDIRECT", "IS_CURRENT", "INVALID_QPN_EECN", "INVALID_LID",
		"INVALID_GID", "INVALID_FLOW_LABEL", "INVALID_TCLASS",
		"INVALID_HOP_LIMIT", "INVALID_PACKET_RATE", "INVALID_SL",
	};

	return name_of(names, ARRAY_SIZE(names), status);
}

const char *mig_state_name(int state)
{
	static const char *const names[MR_MIG_STATES] = {
		[MR_MIG_MIGRATED] = "MIGRATED",
		[MR_MIG_REARM] = "REARM",
		[MR_MIG_ARMED] = "ARMED",
	};

	return name_of(names, ARRAY_SIZE(names), state);
}

const char *mig_source_name(unsigned int source)
{
	static const char *const names[MR_MIG_SOURCES] = {
		[MR_MIG_MODIFY] = "MODIFY",
		[MR_MIG_EVENT] = "PATH_MIG",
		[MR_MIG_EVENT_ERR] = "PATH_MIG_ERR",
		[MR_MIG_QUERY] = "QUERY",
	};

	return name_of(names, ARRAY_SIZE(names), (int)source);
}
