// SPDX-License-Identifier: GPL-2.0
/* Events of MAD requests as lines of text. */
#include "snoop_text.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "names.h"
#include "outcome.h"

/*
 * All but the last hold no blanks, so that programs can take a line apart. The
 * same widths in every line: what comes next is not known.
 */
#define LINE "%-15s %-8s %-5s %-8s %-16s %-18s %-6s %-7s %5s %9s %7s %4s %10s  %s\n"

#define CELL_MAX	40
#define STATUS_MAX	64

/* What of it an event has to say; empty: nothing */
struct cells {
	char retry[CELL_MAX];
	char waited[CELL_MAX];
	char wait[CELL_MAX];
	char busy[CELL_MAX];
	char total[CELL_MAX];
	char status[STATUS_MAX];
};

void snoop_text_head(void)
{
	printf(LINE, "TIME", "DEVICE", "CLASS", "METHOD", "ATTRIBUTE", "TID",
	       "DEST", "EVENT", "RETRY", "WAITED-MS", "WAIT-MS", "BUSY",
	       "TOTAL-MS", "STATUS");
}

static void set_count(char *cell, __u32 count)
{
	snprintf(cell, CELL_MAX, "%u", count);
}

/* The retry that the last of @sends was */
static void set_retry(char *cell, __u32 sends)
{
	set_count(cell, sends ? sends - 1 : 0);
}

static void set_wait(char *cell, int ms)
{
	if (ms == MR_UNKNOWN)
		cell[0] = '\0';
	else if (ms < 0)
		snprintf(cell, CELL_MAX, "forever");
	else
		snprintf(cell, CELL_MAX, "%d", ms);
}

/* Concluded from the times of sends */
static void set_inferred_wait(char *cell, int ms)
{
	if (ms >= 0)
		snprintf(cell, CELL_MAX, "~%d", ms);
}

static void set_post(struct cells *cells, const struct mr_post *post)
{
	set_wait(cells->wait, post->timeout_ms);
	snprintf(cells->status, STATUS_MAX, "up to %d retries", post->retries);
}

static void set_retried(struct cells *cells, const struct mr_retry *retry)
{
	set_count(cells->retry, retry->retry);
	if (retry->inferred)
		set_inferred_wait(cells->waited, retry->waited_ms);
	else
		set_wait(cells->waited, retry->waited_ms);
	set_wait(cells->wait, retry->wait_ms);
	set_count(cells->busy, retry->busy_drops);
	snprintf(cells->status, STATUS_MAX, "after %s",
		 retry_cause_name(retry->cause));
}

static void set_busy(struct cells *cells, const struct mr_busy *busy)
{
	set_count(cells->retry, busy->retry);
	set_count(cells->busy, busy->busy_drops);
	if (busy->dropped)
		set_wait(cells->wait, (int)busy->retry_in_ms);
	snprintf(cells->status, STATUS_MAX, busy->dropped ? "dropped" :
							    "delivered");
}

static void set_timeout(struct cells *cells, const struct mr_timeout *timeout)
{
	set_retry(cells->retry, timeout->sends);
	set_count(cells->busy, timeout->busy_drops);
	if (timeout->total_ms >= 0)
		snprintf(cells->total, CELL_MAX, "%lld", timeout->total_ms);
	snprintf(cells->status, STATUS_MAX, "%s",
		 timeout_cause_text(timeout->cause));
}

static void set_done(struct cells *cells, __u8 mgmt_class,
		     const struct mr_done *done)
{
	set_retry(cells->retry, done->sends);
	set_count(cells->busy, done->busy_drops);
	if (done->duration_us >= 0)
		snprintf(cells->total, CELL_MAX, "%.3f",
			 (double)done->duration_us / 1000);
	outcome_text(mgmt_class, done->status, done->mad_status, cells->status,
		     STATUS_MAX);
}

static void set_reset(struct cells *cells, const struct mr_reset *reset)
{
	set_count(cells->retry, reset->retry);
	set_wait(cells->wait, reset->wait_ms);
	snprintf(cells->status, STATUS_MAX, "by %s",
		 reset_cause_name(reset->cause));
}

static void set_cells(struct cells *cells, const struct mr_log_record *record)
{
	memset(cells, 0, sizeof(*cells));
	switch (record->event) {
	case MR_LOG_POST:
		set_post(cells, &record->post);
		break;
	case MR_LOG_RETRY:
		set_retried(cells, &record->retry);
		break;
	case MR_LOG_BUSY:
		set_busy(cells, &record->busy);
		break;
	case MR_LOG_TIMEOUT:
		set_timeout(cells, &record->timeout);
		break;
	case MR_LOG_DONE:
		set_done(cells, record->mgmt_class, &record->done);
		break;
	case MR_LOG_RESET:
		set_reset(cells, &record->reset);
		break;
	}
}

static void set_time(char *text, size_t size, const struct timespec *time)
{
	char second[16];
	struct tm local;

	localtime_r(&time->tv_sec, &local);
	strftime(second, sizeof(second), "%H:%M:%S", &local);
	snprintf(text, size, "%s.%06ld", second, time->tv_nsec / 1000);
}

/* On RoCE there are no LIDs; some kernels tell neither */
static void set_destination(char *text, size_t size,
			    const struct mr_log_record *record)
{
	static const __u8 no_gid[16];

	if (record->dlid)
		snprintf(text, size, "%u", record->dlid);
	else if (!memcmp(record->dgid, no_gid, sizeof(no_gid)))
		snprintf(text, size, "-");
	else
		inet_ntop(AF_INET6, record->dgid, text, (socklen_t)size);
}

static const char *or_dash(const char *cell)
{
	return cell[0] ? cell : "-";
}

void snoop_text_show(const struct mr_log_record *record,
		     const struct timespec *time)
{
	char attribute[ATTRIBUTE_NAME_MAX], mgmt_class[CLASS_NAME_MAX];
	char method[METHOD_NAME_MAX], tid[CELL_MAX], when[CELL_MAX];
	char device[MR_DEVICE_NAME_MAX + 8];
	char destination[INET6_ADDRSTRLEN];
	struct cells cells;

	set_time(when, sizeof(when), time);
	snprintf(device, sizeof(device), "%s/%u", record->device, record->port);
	class_name(record->mgmt_class, mgmt_class, sizeof(mgmt_class));
	method_name(record->mgmt_class, record->method, method, sizeof(method));
	attribute_name(record->mgmt_class, record->attr_id, attribute,
		       sizeof(attribute));
	snprintf(tid, sizeof(tid), "0x%016llx", record->tid);
	set_destination(destination, sizeof(destination), record);
	set_cells(&cells, record);
	printf(LINE, when, device, mgmt_class, method, attribute, tid,
	       destination, log_event_name(record->event), or_dash(cells.retry),
	       or_dash(cells.waited), or_dash(cells.wait), or_dash(cells.busy),
	       or_dash(cells.total), cells.status);
}
