// SPDX-License-Identifier: GPL-2.0
/* Path migration as JSON, one object a line. */
#include "apm_json.h"

#include "apm_names.h"
#include "json_line.h"

static void add_flag(json_object *object, const char *key, bool value)
{
	json_add(object, key, json_object_new_boolean(value));
}

/* null for 0, which is what is not known, or does not exist */
static void add_known(json_object *object, const char *key, __u32 value)
{
	json_add(object, key, value ? json_object_new_uint64(value) : NULL);
}

static void add_ms(json_object *object, const char *key, __u64 ns)
{
	json_add_number(object, key, (double)ns / 1e6);
}

static void add_lap_state(json_object *object, const char *key, int state)
{
	json_add(object, key, state == MR_APM_UNKNOWN ? NULL :
		 json_object_new_string(lap_state_name(state)));
}

static void add_apr(json_object *object, int status)
{
	json_add(object, "apr_status", status == MR_APM_NO_APR ? NULL :
		 json_object_new_string(apr_status_name(status)));
}

static void add_lap(json_object *object, const struct mr_apm_lap *lap)
{
	json_add_text(object, "event", "icm_apm_state");
	json_add_text(object, "cause", apm_cause_name(lap->cause));
	add_lap_state(object, "old_state", lap->old_state);
	add_lap_state(object, "new_state", lap->new_state);
	add_apr(object, lap->apr_status);
	add_known(object, "alt_port", lap->alt_port);
	add_known(object, "alt_dlid", lap->alt_dlid);
}

static void add_migrate(json_object *object,
			const struct mr_apm_migrate *migrate)
{
	json_add_text(object, "event", "icm_migrate");
	json_add_text(object, "cause", "CM_NOTIFIED");
	add_known(object, "old_port", migrate->old_port);
	add_known(object, "new_port", migrate->new_port);
	add_known(object, "old_dlid", migrate->old_dlid);
	add_known(object, "new_dlid", migrate->new_dlid);
}

static void add_qp(json_object *object, const struct mr_apm_qp *qp)
{
	json_add_text(object, "event", "ib_qp_path_mig");
	json_add_text(object, "cause", mig_source_name(qp->source));
	json_add(object, "state", qp->source == MR_MIG_EVENT_ERR ? NULL :
		 json_object_new_string(mig_state_name((int)qp->state)));
	add_known(object, "alt_port", qp->alt_port);
}

static void add_event(json_object *object, const struct mr_apm_record *record)
{
	switch (record->event) {
	case MR_APM_LAP:
		add_lap(object, &record->lap);
		break;
	case MR_APM_MIGRATE:
		add_migrate(object, &record->migrate);
		break;
	case MR_APM_QP:
		add_qp(object, &record->qp);
		break;
	}
	add_flag(object, "inferred", record->event == MR_APM_QP &&
		 record->qp.source == MR_MIG_QUERY);
}

static void add_identity(json_object *object, const char *device,
			 __u32 dev_index, __u32 port)
{
	json_add_text(object, "device", device);
	json_add_count(object, "device_index", dev_index);
	add_known(object, "port", port);
}

static void add_conn(json_object *object, const struct apm_conn *conn)
{
	add_known(object, "qpn", conn->key.qpn);
	add_known(object, "remote_qpn", conn->remote_qpn);
	add_known(object, "local_id", conn->local_id);
	add_known(object, "remote_id", conn->remote_id);
	add_flag(object, "user", conn->is_user);
	json_add(object, "mig_state", conn->state == APM_UNKNOWN ? NULL :
		 json_object_new_string(mig_state_name(conn->state)));
}

/* A message that named a connection that does not exist */
static void add_nobody(json_object *object, const struct mr_apm_record *record)
{
	add_known(object, "qpn", record->qpn);
	add_known(object, "remote_qpn", record->remote_qpn);
	add_known(object, "local_id", record->local_id);
	add_known(object, "remote_id", record->remote_id);
	json_add(object, "user", NULL);
	json_add(object, "mig_state", NULL);
}

void apm_json_step(const struct apm_step *step, const struct timespec *time)
{
	const struct mr_apm_record *record = step->record;
	json_object *object = json_object_new_object();

	json_add_text(object, "type", "step");
	json_add_time(object, time, 6);
	json_add_count(object, "monotonic_us", record->time_ns / 1000);
	add_identity(object, record->device, record->dev_index, record->port);
	if (step->conn)
		add_conn(object, step->conn);
	else
		add_nobody(object, record);
	json_add(object, "since_ms", step->since_ms < 0 ? NULL :
		 json_object_new_double(step->since_ms));
	add_event(object, record);
	json_print_line(object);
}

static json_object *timeline(const struct apm_conn *conn, __u64 now_ns)
{
	__u64 end_ns = conn->ended_ns ? conn->ended_ns : now_ns;
	json_object *array = json_object_new_array();

	for (unsigned int i = 0; i < conn->point_count; i++) {
		const struct apm_point *point = &conn->points[i];
		bool is_last = i + 1 == conn->point_count;
		json_object *object = json_object_new_object();

		json_add_text(object, "step", point->step);
		add_apr(object, point->apr_status);
		add_ms(object, "ms", (is_last ? end_ns : point[1].time_ns) -
		       point->time_ns);
		json_object_array_add(array, object);
	}
	return array;
}

static void show_conn(const struct apm_conn *conn, __u64 now_ns)
{
	json_object *object = json_object_new_object();

	json_add_text(object, "type", "connection");
	add_identity(object, conn->device, conn->key.dev_index, conn->port);
	add_conn(object, conn);
	add_flag(object, "ended", conn->ended_ns);
	add_flag(object, "stuck", apm_conn_is_stuck(conn));
	json_add_count(object, "migrations", conn->migrations);
	json_add_count(object, "rearmed", conn->rearmed);
	json_add_count(object, "failed", conn->failed);
	add_ms(object, "unprotected_ms", apm_conn_unprotected(conn, now_ns));
	add_ms(object, "longest_ms", apm_conn_longest(conn, now_ns));
	json_add(object, "timeline", timeline(conn, now_ns));
	json_print_line(object);
}

void apm_json_summary(struct apm_conn *const *conns, size_t count,
		      __u64 now_ns)
{
	for (size_t i = 0; i < count; i++)
		show_conn(conns[i], now_ns);
}
