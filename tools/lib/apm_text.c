// SPDX-License-Identifier: GPL-2.0
/* Path migration as lines of text. */
#include "apm_text.h"

#include <stdio.h>
#include <string.h>

#include "apm_names.h"

/* No value holds a blank; the same widths in every line */
#define LINE "%-15s %-9s %6s %10s %10s %-23s %-8s %-13s %-11s %-6s %10s\n"
#define SUMMARY "%-9s %6s %10s %10s %-8s %10s %7s %6s %14s %10s\n"

#define CELL_MAX	64
#define DEVICE_MAX	(MR_DEVICE_NAME_MAX + 16)

void apm_text_head(void)
{
	printf(LINE, "TIME", "DEVICE", "QPN", "LOCAL-ID", "REMOTE-ID",
	       "LAP-STATE", "MIG", "CAUSE", "APR", "PATH", "MS");
}

static const char *or_dash(const char *cell)
{
	return cell[0] ? cell : "-";
}

/* 0 is what is not known */
static void set_number(char *cell, __u32 number)
{
	if (number)
		snprintf(cell, CELL_MAX, "%u", number);
	else
		strcpy(cell, "-");
}

static void set_ms(char *cell, __u64 ns)
{
	snprintf(cell, CELL_MAX, "%.1f", (double)ns / 1e6);
}

static void set_time(char *cell, const struct timespec *time)
{
	char second[16];
	struct tm local;

	localtime_r(&time->tv_sec, &local);
	strftime(second, sizeof(second), "%H:%M:%S", &local);
	snprintf(cell, CELL_MAX, "%s.%06ld", second, time->tv_nsec / 1000);
}

static void set_device(char *cell, const char *device, __u32 port)
{
	if (port)
		snprintf(cell, DEVICE_MAX, "%s/%u", device, port);
	else
		snprintf(cell, DEVICE_MAX, "%s", device);
}

/* What an event has to say; empty: nothing */
struct cells {
	char lap_state[CELL_MAX];
	const char *cause;
	const char *apr;
	char path[CELL_MAX];
};

static void set_lap(struct cells *cells, const struct mr_apm_lap *lap)
{
	if (lap->new_state == MR_APM_UNKNOWN)
		;
	else if (lap->old_state == lap->new_state)
		snprintf(cells->lap_state, CELL_MAX, "%s",
			 lap_state_name(lap->new_state));
	else
		snprintf(cells->lap_state, CELL_MAX, "%s>%s",
			 lap_state_name(lap->old_state),
			 lap_state_name(lap->new_state));
	cells->cause = apm_cause_name(lap->cause);
	if (lap->apr_status != MR_APM_NO_APR)
		cells->apr = apr_status_name(lap->apr_status);
	if (lap->alt_port || lap->alt_dlid)
		snprintf(cells->path, CELL_MAX, "+%u:%u", lap->alt_port,
			 lap->alt_dlid);
}

static void set_migrate(struct cells *cells,
			const struct mr_apm_migrate *migrate)
{
	cells->cause = "CM_NOTIFIED";
	if (migrate->new_port)
		snprintf(cells->path, CELL_MAX, "%u>%u", migrate->old_port,
			 migrate->new_port);
}

static void set_qp(struct cells *cells, const struct mr_apm_qp *qp)
{
	cells->cause = mig_source_name(qp->source);
	if (qp->alt_port)
		snprintf(cells->path, CELL_MAX, "+%u", qp->alt_port);
}

static void set_cells(struct cells *cells, const struct mr_apm_record *record)
{
	memset(cells, 0, sizeof(*cells));
	cells->apr = "";
	switch (record->event) {
	case MR_APM_LAP:
		set_lap(cells, &record->lap);
		break;
	case MR_APM_MIGRATE:
		set_migrate(cells, &record->migrate);
		break;
	case MR_APM_QP:
		set_qp(cells, &record->qp);
		break;
	}
}

void apm_text_step(const struct apm_step *step, const struct timespec *time)
{
	const struct mr_apm_record *record = step->record;
	const struct apm_conn *conn = step->conn;
	char when[CELL_MAX], device[DEVICE_MAX], qpn[CELL_MAX];
	char local_id[CELL_MAX], remote_id[CELL_MAX], ms[CELL_MAX] = "";
	struct cells cells;

	set_time(when, time);
	set_device(device, record->device, record->port);
	set_number(qpn, conn ? conn->key.qpn : record->qpn);
	set_number(local_id, conn ? conn->local_id : record->local_id);
	set_number(remote_id, conn ? conn->remote_id : record->remote_id);
	if (step->since_ms >= 0)
		snprintf(ms, sizeof(ms), "%.1f", step->since_ms);
	set_cells(&cells, record);
	printf(LINE, when, device, qpn, local_id, remote_id,
	       or_dash(cells.lap_state),
	       conn && conn->state != APM_UNKNOWN ?
		       mig_state_name(conn->state) : "-",
	       cells.cause, or_dash(cells.apr), or_dash(cells.path),
	       or_dash(ms));
}

/* "MIGRATED 12.3, LAP_SENT 4.5, ..." */
static void print_timeline(const struct apm_conn *conn, __u64 now_ns)
{
	__u64 end_ns = conn->ended_ns ? conn->ended_ns : now_ns;

	printf("  ");
	for (unsigned int i = 0; i < conn->point_count; i++) {
		const struct apm_point *point = &conn->points[i];
		bool is_last = i + 1 == conn->point_count;
		__u64 until_ns = is_last ? end_ns : point[1].time_ns;

		printf("%s%s", i ? " -> " : "", point->step);
		if (point->apr_status > 0)
			printf(" (%s)", apr_status_name(point->apr_status));
		printf(" %.1f", (double)(until_ns - point->time_ns) / 1e6);
	}
	printf("%s\n", conn->ended_ns ? " -> ended" : "");
}

static void print_conn(const struct apm_conn *conn, __u64 now_ns)
{
	char device[DEVICE_MAX], qpn[CELL_MAX];
	char local_id[CELL_MAX], remote_id[CELL_MAX], migrations[CELL_MAX];
	char rearmed[CELL_MAX], failed[CELL_MAX], unprotected[CELL_MAX];
	char longest[CELL_MAX];

	set_device(device, conn->device, conn->port);
	set_number(qpn, conn->key.qpn);
	set_number(local_id, conn->local_id);
	set_number(remote_id, conn->remote_id);
	snprintf(migrations, CELL_MAX, "%u", conn->migrations);
	snprintf(rearmed, CELL_MAX, "%u", conn->rearmed);
	snprintf(failed, CELL_MAX, "%u", conn->failed);
	set_ms(unprotected, apm_conn_unprotected(conn, now_ns));
	set_ms(longest, apm_conn_longest(conn, now_ns));
	printf(SUMMARY, device, qpn, local_id, remote_id,
	       conn->ended_ns ? "ended" : mig_state_name(conn->state),
	       migrations, rearmed, failed, unprotected, longest);
	print_timeline(conn, now_ns);
}

void apm_text_summary(struct apm_conn *const *conns, size_t count,
		      __u64 now_ns)
{
	size_t stuck = 0;

	while (stuck < count && apm_conn_is_stuck(conns[stuck]))
		stuck++;
	printf("%zu connections, of which %zu migrated and are not armed again\n",
	       count, stuck);
	if (!count)
		return;
	printf(SUMMARY, "DEVICE", "QPN", "LOCAL-ID", "REMOTE-ID", "STATE",
	       "MIGRATIONS", "REARMED", "FAILED", "UNPROTECTED-MS",
	       "LONGEST-MS");
	puts("  last timeline, with the ms spent in each step");
	for (size_t i = 0; i < count; i++)
		print_conn(conns[i], now_ns);
}
