// SPDX-License-Identifier: GPL-2.0
/* Why something happened to a request, and how it ended, in words. */
#include "outcome.h"

#include <endian.h>
#include <stdio.h>

#include <infiniband/umad_str.h>

#include "log.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#define CLASS_SA	0x03

/* Bits of a MAD status that depend on the class; specification, 13.4.7 */
#define CLASS_STATUS	0xff00

/* The kernel's enum ib_wc_status, in its order */
static const char *const wc_statuses[] = {
	"SUCCESS", "LOC_LEN_ERR", "LOC_QP_OP_ERR", "LOC_EEC_OP_ERR",
	"LOC_PROT_ERR", "WR_FLUSH_ERR", "MW_BIND_ERR", "BAD_RESP_ERR",
	"LOC_ACCESS_ERR", "REM_INV_REQ_ERR", "REM_ACCESS_ERR", "REM_OP_ERR",
	"RETRY_EXC_ERR", "RNR_RETRY_EXC_ERR", "LOC_RDD_VIOL_ERR",
	"REM_INV_RD_REQ_ERR", "REM_ABORT_ERR", "INV_EECN_ERR",
	"INV_EEC_STATE_ERR", "FATAL_ERR", "RESP_TIMEOUT_ERR", "GENERAL_ERR",
};

static const char *name_of(const char *const *names, size_t count,
			   unsigned int number)
{
	return number < count ? names[number] : "unknown";
}

const char *log_event_name(unsigned int event)
{
	static const char *const names[MR_LOG_EVENTS] = {
		[MR_LOG_POST] = "post", [MR_LOG_RETRY] = "retry",
		[MR_LOG_BUSY] = "busy", [MR_LOG_TIMEOUT] = "timeout",
		[MR_LOG_DONE] = "done", [MR_LOG_RESET] = "reset",
	};

	return name_of(names, ARRAY_SIZE(names), event);
}

const char *retry_cause_name(unsigned int cause)
{
	static const char *const names[MR_RETRY_CAUSES] = {
		[MR_RETRY_TIMEOUT] = "TIMEOUT", [MR_RETRY_BUSY] = "BUSY",
		[MR_RETRY_RMPP] = "RMPP",
	};

	return name_of(names, ARRAY_SIZE(names), cause);
}

const char *timeout_cause_name(unsigned int cause)
{
	static const char *const names[MR_TIMEOUT_CAUSES] = {
		[MR_TIMEOUT_RETRIES] = "RETRIES",
		[MR_TIMEOUT_BUDGET] = "BUDGET",
		[MR_TIMEOUT_NOT_SENT] = "NOT_SENT",
	};

	return name_of(names, ARRAY_SIZE(names), cause);
}

const char *timeout_cause_text(unsigned int cause)
{
	static const char *const texts[MR_TIMEOUT_CAUSES] = {
		[MR_TIMEOUT_RETRIES] = "retries used up",
		[MR_TIMEOUT_BUDGET] = "budget used up",
		[MR_TIMEOUT_NOT_SENT] = "retry could not be sent",
	};

	return name_of(texts, ARRAY_SIZE(texts), cause);
}

const char *reset_cause_name(unsigned int cause)
{
	static const char *const names[MR_RESET_CAUSES] = {
		[MR_RESET_MRA] = "MRA", [MR_RESET_RMPP_ACK] = "RMPP_ACK",
	};

	return name_of(names, ARRAY_SIZE(names), cause);
}

const char *wc_status_name(unsigned int status)
{
	return name_of(wc_statuses, ARRAY_SIZE(wc_statuses), status);
}

static void mad_status_text(__u8 mgmt_class, __u16 mad_status, char *buffer,
			    size_t size)
{
	const char *name = NULL;

	if (mad_status & ~CLASS_STATUS)
		name = umad_common_mad_status_str(htobe16(mad_status));
	else if (mgmt_class == CLASS_SA)
		name = umad_sa_mad_status_str(htobe16(mad_status));
	snprintf(buffer, size, name ? "0x%04x %s" : "0x%04x", mad_status,
		 name);
}

void outcome_text(__u8 mgmt_class, unsigned int wc_status, __u16 mad_status,
		  char *buffer, size_t size)
{
	switch (wc_status) {
	case WC_SUCCESS:
		if (!mad_status)
			snprintf(buffer, size, "ok");
		else
			mad_status_text(mgmt_class, mad_status, buffer, size);
		break;
	case WC_WR_FLUSH_ERR:
		snprintf(buffer, size, "cancelled");
		break;
	case WC_RESP_TIMEOUT_ERR:
		snprintf(buffer, size, "timed out");
		break;
	default:
		snprintf(buffer, size, "failed: %s", wc_status_name(wc_status));
	}
}
