// SPDX-License-Identifier: GPL-2.0
/* The server's log: one line for each arrival. */
#include "arrival_log.h"

#include <endian.h>
#include <inttypes.h>

#include "clock.h"
#include "cmdline.h"
#include "mad_names.h"

FILE *arrival_log_open(const char *path)
{
	FILE *log;

	if (!path)
		return NULL;
	log = fopen(path, "w");
	if (!log)
		fail_input("--log: cannot write %s: %m", path);
	fputs("# time_us tid attribute method attempt decision answer_us\n",
	      log);
	return log;
}

static const char *decision_name(const struct answer *answer, bool full,
				 char *buffer, size_t size)
{
	switch (answer->kind) {
	case ANSWER_GOOD:
		return "good";
	case ANSWER_BUSY:
		return full ? "full-busy" : "busy";
	case ANSWER_NOTHING:
		return full ? "full-drop" : "drop";
	case ANSWER_STATUS:
		break;
	}
	snprintf(buffer, size, "0x%04x", answer->status);
	return buffer;
}

void arrival_log_write(FILE *log, uint64_t now_ns,
		       const struct umad_hdr *request, unsigned int attempt,
		       const struct answer *answer, bool full, uint64_t due_ns)
{
	char attribute[48], method[48], decision[16], due[24] = "-";

	if (!log)
		return;
	if (answer->kind != ANSWER_NOTHING)
		snprintf(due, sizeof(due), "%" PRIu64, due_ns / NS_PER_US);
	fprintf(log, "%" PRIu64 " 0x%016" PRIx64 " %s %s %u %s %s\n",
		now_ns / NS_PER_US, be64toh(request->tid),
		attribute_name(request->mgmt_class, be16toh(request->attr_id),
			       attribute, sizeof(attribute)),
		method_name(request->mgmt_class, request->method, method,
			    sizeof(method)),
		attempt,
		decision_name(answer, full, decision, sizeof(decision)), due);
}
