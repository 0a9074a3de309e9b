// SPDX-License-Identifier: GPL-2.0
/* What the programs of kprobe.bpf.h need, whatever their back. */
#include "kprobe_programs.h"

#include <string.h>

#include "perf_attach.h"
#include "trace_event.h"

#define SEND_EVENT "ib_mad/ib_mad_ib_send_mad"
#define RECV_EVENT "ib_mad/ib_mad_recv_done_handler"

bool kprobe_events_find(struct mr_send_event *send, struct mr_recv_event *recv)
{
	const struct {
		const char *event;
		const char *name;
		struct mr_field *field;
	} fields[] = {
		{ SEND_EVENT, "tid", &send->tid },
		{ SEND_EVENT, "dev_index", &send->dev_index },
		{ SEND_EVENT, "port_num", &send->port_num },
		{ SEND_EVENT, "mgmt_class", &send->mgmt_class },
		{ SEND_EVENT, "class_version", &send->class_version },
		{ SEND_EVENT, "method", &send->method },
		{ SEND_EVENT, "attr_id", &send->attr_id },
		{ SEND_EVENT, "attr_mod", &send->attr_mod },
		{ SEND_EVENT, "dlid", &send->dlid },
		{ SEND_EVENT, "agent_priv", &send->agent_priv },
		{ SEND_EVENT, "timeout", &send->timeout },
		{ SEND_EVENT, "retries_left", &send->retries_left },
		{ SEND_EVENT, "max_retries", &send->max_retries },
		{ RECV_EVENT, "tid", &recv->tid },
		{ RECV_EVENT, "dev_index", &recv->dev_index },
		{ RECV_EVENT, "port_num", &recv->port_num },
		{ RECV_EVENT, "mgmt_class", &recv->mgmt_class },
		{ RECV_EVENT, "method", &recv->method },
		{ RECV_EVENT, "attr_mod", &recv->attr_mod },
		{ RECV_EVENT, "status", &recv->status },
	};

	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++) {
		if (!trace_event_field(fields[i].event, fields[i].name,
				       fields[i].field))
			return false;
	}
	return true;
}

int kprobe_programs_attach(const struct kprobe_program *programs, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct kprobe_program *it = &programs[i];
		int file;

		if (strchr(it->target, '/'))
			file = perf_attach_event(it->program, it->target);
		else
			file = perf_attach_kprobe(it->program, it->target,
						  it->at_return);
		if (file < 0)
			return file;
		*it->link = file;
	}
	return 0;
}
