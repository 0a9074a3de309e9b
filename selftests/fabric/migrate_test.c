// SPDX-License-Identifier: GPL-2.0
/*
 * Every row of the path migration state machine of an RC queue pair, on ib_vfab:
 * two queue pairs, one on vfab0 and one on vfab1, whose paths go over rail 1 and
 * rail 2. Links are cut with the fabric's knobs. Both rails must be ACTIVE; a
 * cut link must become ACTIVE again by itself (migrate.sh sees to it).
 */
#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "kselftest.h"

#define SIDES		2	/* A on vfab0, B on vfab1 */
#define RAILS		2
#define MSG_SIZE	3000	/* three packets */
#define MTU		IBV_MTU_1024
#define RECVS		16
/*
 * Local ACK timeout 4.096 us << 15 = 134 ms, sent three times: a dead path is
 * given up after 0.4 s, while an emulated machine that stutters is not.
 */
#define ACK_TIMEOUT	15
#define RETRIES		2
#define WAIT_MS		10000
/* long enough for an event that must not come, should it come after all */
#define QUIET_MS	300
#define KNOBS		"/sys/kernel/debug/ib_vfab"

struct side {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	struct ibv_qp *qp;
	uint8_t *buf;			/* one send, then RECVS receives */
	struct ibv_port_attr port[RAILS + 1];
	union ibv_gid gid[RAILS + 1];
	uint64_t sent;			/* messages, all time */
	uint64_t received;
};

static struct side side[SIDES];
static struct side *const A = &side[0];
static struct side *const B = &side[1];
static bool use_grh;
static int retries = RETRIES;

static void fail(const char *what)
{
	ksft_exit_fail_msg("%s: %s\n", what, strerror(errno));
}

static struct side *peer_of(struct side *s)
{
	return s == A ? B : A;
}

/* ---- setting up ---- */

static void open_side(struct side *s, const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	int i, flags, rail;

	for (i = 0; list && list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			s->ctx = ibv_open_device(list[i]);
	if (!s->ctx)
		ksft_exit_skip("no device %s: load ib_vfab\n", name);
	ibv_free_device_list(list);
	flags = fcntl(s->ctx->async_fd, F_GETFL);
	fcntl(s->ctx->async_fd, F_SETFL, flags | O_NONBLOCK);
	for (rail = 1; rail <= RAILS; rail++)
		if (ibv_query_port(s->ctx, rail, &s->port[rail]) ||
		    ibv_query_gid(s->ctx, rail, 0, &s->gid[rail]))
			fail("query_port");
	s->pd = ibv_alloc_pd(s->ctx);
	s->cq = ibv_create_cq(s->ctx, 4 * RECVS, NULL, NULL, 0);
	s->buf = calloc(RECVS + 1, MSG_SIZE);
	s->mr = ibv_reg_mr(s->pd, s->buf, (RECVS + 1) * MSG_SIZE,
			   IBV_ACCESS_LOCAL_WRITE);
	if (!s->pd || !s->cq || !s->mr)
		fail("resources");
}

static void create_qp(struct side *s)
{
	struct ibv_qp_init_attr init = {
		.send_cq = s->cq,
		.recv_cq = s->cq,
		.cap = {
			.max_send_wr = RECVS,
			.max_recv_wr = RECVS,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
	};

	s->qp = ibv_create_qp(s->pd, &init);
	if (!s->qp)
		fail("create_qp");
	s->sent = 0;
	s->received = 0;
}

static struct ibv_ah_attr path_over(struct side *s, int rail)
{
	struct side *peer = peer_of(s);
	struct ibv_ah_attr ah = {
		.dlid = peer->port[rail].lid,
		.port_num = rail,
		.is_global = use_grh,
	};

	if (use_grh)
		ah.grh.dgid = peer->gid[rail];
	return ah;
}

static void set_alt(struct side *s, int rail, struct ibv_qp_attr *attr)
{
	attr->alt_ah_attr = path_over(s, rail);
	attr->alt_port_num = rail;
	attr->alt_timeout = ACK_TIMEOUT;
	attr->alt_pkey_index = 0;
}

static void post_recv(struct side *s, uint64_t slot)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)s->buf + (slot + 1) * MSG_SIZE,
		.length = MSG_SIZE,
		.lkey = s->mr->lkey,
	};
	struct ibv_recv_wr wr = { .wr_id = slot, .sg_list = &sge, .num_sge = 1 };
	struct ibv_recv_wr *bad;

	if (ibv_post_recv(s->qp, &wr, &bad))
		fail("post_recv");
}

static void to_rts(struct side *s, int rail, int alt_rail)
{
	struct ibv_qp_attr init = {
		.qp_state = IBV_QPS_INIT,
		.port_num = rail,
		.qp_access_flags = IBV_ACCESS_LOCAL_WRITE,
	};
	struct ibv_qp_attr rtr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = MTU,
		.dest_qp_num = peer_of(s)->qp->qp_num,
		.rq_psn = 0xfffff0,	/* wraps soon */
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = 12,
		.ah_attr = path_over(s, rail),
	};
	struct ibv_qp_attr rts = {
		.qp_state = IBV_QPS_RTS,
		.sq_psn = 0xfffff0,
		.timeout = ACK_TIMEOUT,
		.retry_cnt = retries,
		.rnr_retry = 7,
		.max_rd_atomic = 1,
	};
	int i, alt = 0;

	if (alt_rail) {
		set_alt(s, alt_rail, &rtr);
		alt = IBV_QP_ALT_PATH;
	}
	if (ibv_modify_qp(s->qp, &init, IBV_QP_STATE | IBV_QP_PKEY_INDEX |
			  IBV_QP_PORT | IBV_QP_ACCESS_FLAGS))
		fail("modify_qp to INIT");
	for (i = 0; i < RECVS; i++)
		post_recv(s, i);
	if (ibv_modify_qp(s->qp, &rtr, alt | IBV_QP_STATE | IBV_QP_AV |
			  IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
			  IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER))
		fail("modify_qp to RTR");
	if (ibv_modify_qp(s->qp, &rts, IBV_QP_STATE | IBV_QP_TIMEOUT |
			  IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			  IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC))
		fail("modify_qp to RTS");
}

/* Connect over @rail, with the path over @alt_rail loaded unless it is 0. */
static void connect_qps(int rail, int alt_rail)
{
	create_qp(A);
	create_qp(B);
	to_rts(A, rail, alt_rail);
	to_rts(B, rail, alt_rail);
}

/* ---- looking ---- */

static struct ibv_qp_attr query(struct side *s)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	if (ibv_query_qp(s->qp, &attr, IBV_QP_STATE | IBV_QP_AV |
			 IBV_QP_PATH_MIG_STATE | IBV_QP_ALT_PATH, &init))
		fail("query_qp");
	return attr;
}

static bool is_state(struct side *s, enum ibv_mig_state state)
{
	enum ibv_mig_state now = query(s).path_mig_state;

	if (now != state)
		ksft_print_msg("%s: state %d, should be %d\n",
			       s == A ? "A" : "B", now, state);
	return now == state;
}

static bool is_on_rail(struct side *s, int rail)
{
	struct ibv_qp_attr attr = query(s);

	return attr.ah_attr.port_num == rail &&
	       attr.ah_attr.dlid == peer_of(s)->port[rail].lid;
}

/* One event of this kind within @ms, and no other before it */
static bool next_event(struct side *s, enum ibv_event_type type, int ms)
{
	struct pollfd fd = { .fd = s->ctx->async_fd, .events = POLLIN };
	struct ibv_async_event event;
	bool same;

	do {
		if (poll(&fd, 1, ms) != 1 ||
		    ibv_get_async_event(s->ctx, &event))
			return false;
		same = event.event_type == type;
		ibv_ack_async_event(&event);
		/* those of ports are about the links this program cuts */
	} while (event.event_type >= IBV_EVENT_PORT_ACTIVE &&
		 event.event_type != IBV_EVENT_QP_LAST_WQE_REACHED &&
		 event.event_type != IBV_EVENT_SRQ_LIMIT_REACHED);
	if (!same)
		ksft_print_msg("%s: event '%s' instead of '%s'\n",
			       s == A ? "A" : "B",
			       ibv_event_type_str(event.event_type),
			       ibv_event_type_str(type));
	return same;
}

static bool wait_event(struct side *s, enum ibv_event_type type)
{
	return next_event(s, type, WAIT_MS);
}

static bool no_event(struct side *s)
{
	return !next_event(s, IBV_EVENT_PATH_MIG, QUIET_MS) &&
	       !next_event(s, IBV_EVENT_PATH_MIG_ERR, 0);
}

/* ---- traffic ---- */

static bool poll_one(struct side *s, struct ibv_wc *wc)
{
	int waited, n;

	for (waited = 0; waited < WAIT_MS; waited++) {
		n = ibv_poll_cq(s->cq, 1, wc);
		if (n < 0)
			fail("poll_cq");
		if (n)
			return true;
		usleep(1000);
	}
	return false;
}

static void fill(uint8_t *buf, uint64_t seq)
{
	int i;

	for (i = 0; i < MSG_SIZE; i++)
		buf[i] = seq * 7 + i;
}

static void post_send(struct side *s)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)s->buf,
		.length = MSG_SIZE,
		.lkey = s->mr->lkey,
	};
	struct ibv_send_wr wr = {
		.wr_id = s->sent,
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = IBV_WR_SEND,
	};
	struct ibv_send_wr *bad;

	fill(s->buf, s->sent++);
	if (ibv_post_send(s->qp, &wr, &bad))
		fail("post_send");
}

/* Send one message; returns how it completed on the sender. */
static enum ibv_wc_status send_one(struct side *s)
{
	struct ibv_wc wc;

	post_send(s);
	if (!poll_one(s, &wc))
		return IBV_WC_GENERAL_ERR;
	return wc.status;
}

/* The next message has come, is whole, and is the one that was due. */
static bool recv_one(struct side *s)
{
	static uint8_t want[MSG_SIZE];
	struct ibv_wc wc;

	if (!poll_one(s, &wc) || wc.status || wc.byte_len != MSG_SIZE)
		return false;
	fill(want, s->received++);
	if (memcmp(want, s->buf + (wc.wr_id + 1) * MSG_SIZE, MSG_SIZE))
		return false;
	post_recv(s, wc.wr_id);
	return true;
}

static bool traffic_from(struct side *s)
{
	enum ibv_wc_status status = send_one(s);

	if (status)
		ksft_print_msg("%s: send: %s\n", s == A ? "A" : "B",
			       ibv_wc_status_str(status));
	return !status && recv_one(peer_of(s));
}

/* A message each way: the answer, and an acknowledge of it */
static bool traffic(void)
{
	return traffic_from(A) && traffic_from(B);
}

/* ---- asking ---- */

static int set_mig(struct side *s, enum ibv_mig_state state, int alt_rail)
{
	struct ibv_qp_attr attr = { .path_mig_state = state };
	int mask = IBV_QP_PATH_MIG_STATE;

	if (alt_rail) {
		set_alt(s, alt_rail, &attr);
		mask |= IBV_QP_ALT_PATH;
	}
	return ibv_modify_qp(s->qp, &attr, mask);
}

static int load_alt(struct side *s, int alt_rail)
{
	struct ibv_qp_attr attr = { };

	set_alt(s, alt_rail, &attr);
	return ibv_modify_qp(s->qp, &attr, IBV_QP_ALT_PATH);
}

/* Both sides load the path over @alt_rail and re-arm. */
static bool arm_both(int alt_rail)
{
	return !set_mig(A, IBV_MIG_REARM, alt_rail) &&
	       !set_mig(B, IBV_MIG_REARM, alt_rail) && traffic() &&
	       is_state(A, IBV_MIG_ARMED) && is_state(B, IBV_MIG_ARMED);
}

static void knob(const char *node, int rail, const char *name, const char *val)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), KNOBS "/%s/port%d/%s", node, rail, name);
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, val, strlen(val)) < 0)
		fail(path);
	close(fd);
}

static void cut(int rail)
{
	knob("vfab1", rail, "link", "0");
}

static bool rail_active(int rail)
{
	struct ibv_port_attr a, b;

	return !ibv_query_port(A->ctx, rail, &a) &&
	       !ibv_query_port(B->ctx, rail, &b) &&
	       a.state == IBV_PORT_ACTIVE && b.state == IBV_PORT_ACTIVE;
}

static void mend(int rail)
{
	int waited;

	knob("vfab1", rail, "link", "1");
	for (waited = 0; waited < 6 * WAIT_MS; waited += 20) {
		if (rail_active(rail))
			return;
		usleep(20000);
	}
	ksft_exit_fail_msg("port %d does not become ACTIVE again\n", rail);
}

/* ---- the rows ---- */

static bool starts_migrated(void)
{
	connect_qps(1, 0);
	return is_state(A, IBV_MIG_MIGRATED) && traffic() &&
	       is_state(A, IBV_MIG_MIGRATED) && is_state(B, IBV_MIG_MIGRATED);
}

static bool rearm_needs_alternate(void)
{
	connect_qps(1, 0);
	return set_mig(A, IBV_MIG_REARM, 0) == EINVAL &&
	       is_state(A, IBV_MIG_MIGRATED) && traffic();
}

static bool alternate_from_rtr(void)
{
	connect_qps(1, 2);
	return is_state(A, IBV_MIG_MIGRATED) && !set_mig(A, IBV_MIG_REARM, 0) &&
	       is_state(A, IBV_MIG_REARM) &&
	       query(A).alt_port_num == 2 &&
	       query(A).alt_ah_attr.dlid == B->port[2].lid;
}

static bool one_side_stays_rearm(void)
{
	connect_qps(1, 2);
	return !set_mig(A, IBV_MIG_REARM, 0) && traffic() && traffic() &&
	       is_state(A, IBV_MIG_REARM) && is_state(B, IBV_MIG_MIGRATED);
}

static bool both_become_armed(void)
{
	connect_qps(1, 2);
	return !set_mig(A, IBV_MIG_REARM, 0) && !set_mig(B, IBV_MIG_REARM, 0) &&
	       is_state(A, IBV_MIG_REARM) && is_state(B, IBV_MIG_REARM) &&
	       traffic() && is_state(A, IBV_MIG_ARMED) &&
	       is_state(B, IBV_MIG_ARMED) && no_event(A) && no_event(B);
}

static bool armed_is_not_for_users(void)
{
	connect_qps(1, 2);
	return set_mig(A, IBV_MIG_ARMED, 0) == EINVAL &&
	       set_mig(A, IBV_MIG_ARMED, 2) == EINVAL &&
	       is_state(A, IBV_MIG_MIGRATED);
}

static bool armed_keeps_alternate(void)
{
	connect_qps(1, 0);
	return arm_both(2) && load_alt(A, 1) == EINVAL &&
	       query(A).alt_port_num == 2 && is_state(A, IBV_MIG_ARMED);
}

static bool armed_to_rearm(void)
{
	connect_qps(1, 0);
	return arm_both(2) && !set_mig(A, IBV_MIG_REARM, 2) &&
	       is_state(A, IBV_MIG_REARM) && traffic() &&
	       is_state(A, IBV_MIG_ARMED) && is_state(B, IBV_MIG_ARMED);
}

static bool rearm_to_migrated(void)
{
	connect_qps(1, 2);
	return !set_mig(A, IBV_MIG_REARM, 0) &&
	       set_mig(A, IBV_MIG_MIGRATED, 0) == EINVAL &&
	       is_state(A, IBV_MIG_REARM);
}

static bool migrated_to_migrated(void)
{
	connect_qps(1, 2);
	return !set_mig(A, IBV_MIG_MIGRATED, 0) && no_event(A) &&
	       is_on_rail(A, 1) && traffic();
}

static bool migrate_by_modify(void)
{
	connect_qps(1, 0);
	return arm_both(2) && !set_mig(A, IBV_MIG_MIGRATED, 0) &&
	       wait_event(A, IBV_EVENT_PATH_MIG) && is_on_rail(A, 2) &&
	       is_state(A, IBV_MIG_MIGRATED) && is_on_rail(B, 1) &&
	       traffic_from(A) && wait_event(B, IBV_EVENT_PATH_MIG) &&
	       is_on_rail(B, 2) && is_state(B, IBV_MIG_MIGRATED) && traffic() &&
	       no_event(A) && no_event(B);
}

/* Out over one rail, back over the other, again and again */
static bool migrate_by_cut(void)
{
	int rail, round;

	connect_qps(1, 0);
	for (round = 0; round < 4; round++) {
		rail = 1 + round % RAILS;
		if (!is_on_rail(A, rail) || !arm_both(3 - rail))
			return false;
		cut(rail);
		if (!traffic() || !wait_event(A, IBV_EVENT_PATH_MIG) ||
		    !wait_event(B, IBV_EVENT_PATH_MIG) ||
		    !is_on_rail(A, 3 - rail) || !is_on_rail(B, 3 - rail) ||
		    !is_state(A, IBV_MIG_MIGRATED) ||
		    !is_state(B, IBV_MIG_MIGRATED))
			return false;
		mend(rail);
	}
	return no_event(A) && no_event(B);
}

static bool migrate_by_cut_grh(void)
{
	bool ok;

	use_grh = true;
	ok = migrate_by_cut();
	use_grh = false;
	return ok;
}

/* Every message once, in order, though the link goes in the middle of them */
static bool nothing_lost_or_twice(void)
{
	struct ibv_wc wc;
	bool ok = true;
	int i;

	connect_qps(1, 0);
	if (!arm_both(2))
		return false;
	for (i = 0; i < 200 && ok; i++) {
		if (i == 100)
			cut(1);
		ok = traffic();
	}
	mend(1);
	/* nothing more comes */
	return ok && !ibv_poll_cq(A->cq, 1, &wc) && !ibv_poll_cq(B->cq, 1, &wc) &&
	       wait_event(A, IBV_EVENT_PATH_MIG) &&
	       wait_event(B, IBV_EVENT_PATH_MIG);
}

/* One message sent and one received */
static bool both_done(struct side *s)
{
	struct ibv_wc wc;

	return poll_one(s, &wc) && !wc.status && poll_one(s, &wc) && !wc.status;
}

/*
 * What B has tried on the path that is dead does not count for the one that it
 * follows A to: it has a time-out left, and no retry.
 */
static bool retries_are_for_one_path(void)
{
	bool ok;

	connect_qps(1, 0);
	if (!arm_both(2))
		return false;
	cut(1);
	post_send(B);
	usleep((4096ULL << ACK_TIMEOUT) / 1000 * (2 * RETRIES + 1) / 2);
	ok = !set_mig(A, IBV_MIG_MIGRATED, 0);
	post_send(A);
	ok = ok && both_done(A) && both_done(B);
	mend(1);
	return ok && is_on_rail(B, 2) && wait_event(A, IBV_EVENT_PATH_MIG) &&
	       wait_event(B, IBV_EVENT_PATH_MIG);
}

static bool unarmed_fails(void)
{
	enum ibv_wc_status status;

	connect_qps(1, 2);
	cut(1);
	status = send_one(A);
	mend(1);
	return status == IBV_WC_RETRY_EXC_ERR &&
	       query(A).qp_state == IBV_QPS_ERR && no_event(A);
}

static bool rearm_fails(void)
{
	enum ibv_wc_status status;

	connect_qps(1, 2);
	if (set_mig(A, IBV_MIG_REARM, 0) || !traffic())
		return false;
	cut(1);
	status = send_one(A);
	mend(1);
	return status == IBV_WC_RETRY_EXC_ERR && is_on_rail(A, 1) && no_event(A);
}

static bool no_way_left(void)
{
	enum ibv_wc_status status;
	bool ok;

	connect_qps(1, 0);
	if (!arm_both(2))
		return false;
	knob("vfab0", 2, "link", "0");
	cut(1);
	status = send_one(A);
	ok = wait_event(A, IBV_EVENT_PATH_MIG_ERR);
	knob("vfab0", 2, "link", "1");
	mend(1);
	mend(2);
	return ok && status == IBV_WC_RETRY_EXC_ERR && is_on_rail(A, 1);
}

/* B has an alternate path to somewhere else: A's is not what it agreed to. */
static bool wrong_alternate(void)
{
	struct ibv_qp_attr attr = { .path_mig_state = IBV_MIG_REARM };
	enum ibv_wc_status status;

	connect_qps(1, 0);
	set_alt(B, 2, &attr);
	attr.alt_ah_attr.dlid += 100;
	if (set_mig(A, IBV_MIG_REARM, 2) ||
	    ibv_modify_qp(B->qp, &attr,
			  IBV_QP_PATH_MIG_STATE | IBV_QP_ALT_PATH) ||
	    !traffic() || !is_state(B, IBV_MIG_ARMED) ||
	    set_mig(A, IBV_MIG_MIGRATED, 0) ||
	    !wait_event(A, IBV_EVENT_PATH_MIG))
		return false;
	status = send_one(A);
	return status == IBV_WC_RETRY_EXC_ERR &&
	       wait_event(B, IBV_EVENT_PATH_MIG_ERR) && no_event(B) &&
	       is_state(B, IBV_MIG_ARMED) && is_on_rail(B, 1);
}

/* Lost and doubled packets are no reason to migrate, nor a way to lose data. */
static bool loss_is_repaired(void)
{
	bool ok = true;
	int i;

	retries = 7;	/* three losses in a row do happen */
	connect_qps(1, 0);
	retries = RETRIES;
	if (!arm_both(2))
		return false;
	knob("vfab0", 1, "loss_rc_ppm", "50000");
	knob("vfab1", 1, "loss_rc_ppm", "50000");
	knob("vfab0", 1, "dup_ppm", "50000");
	knob("vfab1", 1, "dup_ppm", "50000");
	for (i = 0; i < 100 && ok; i++)
		ok = traffic();
	knob("vfab0", 1, "loss_rc_ppm", "0");
	knob("vfab1", 1, "loss_rc_ppm", "0");
	knob("vfab0", 1, "dup_ppm", "0");
	knob("vfab1", 1, "dup_ppm", "0");
	return ok && is_on_rail(A, 1) && is_on_rail(B, 1) && no_event(A);
}

static bool receiver_not_ready(void)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_ERR };
	struct ibv_wc wc;
	int i;

	connect_qps(1, 0);
	/* use up what is posted, then send one more and post late */
	for (i = 0; i < RECVS; i++)
		if (send_one(A))
			return false;
	post_send(A);
	usleep(50000);
	if (ibv_poll_cq(A->cq, 1, &wc))
		return false;
	for (i = 0; i <= RECVS; i++)
		if (!recv_one(B))
			return false;
	return poll_one(A, &wc) && !wc.status &&
	       !ibv_modify_qp(A->qp, &attr, IBV_QP_STATE);
}

static const struct {
	const char *name;
	bool (*run)(void);
} rows[] = {
	{ "a QP starts MIGRATED and stays so", starts_migrated },
	{ "MIGRATED -> REARM without alternate path: refused",
	  rearm_needs_alternate },
	{ "MIGRATED -> REARM with the alternate path of RTR",
	  alternate_from_rtr },
	{ "REARM stays while the peer is MIGRATED", one_side_stays_rearm },
	{ "REARM -> ARMED on both sides by traffic", both_become_armed },
	{ "ARMED by modify: refused", armed_is_not_for_users },
	{ "ARMED: loading another alternate path alone: refused",
	  armed_keeps_alternate },
	{ "ARMED -> REARM -> ARMED", armed_to_rearm },
	{ "REARM -> MIGRATED by modify: refused", rearm_to_migrated },
	{ "MIGRATED -> MIGRATED does nothing", migrated_to_migrated },
	{ "ARMED -> MIGRATED by modify, the peer follows", migrate_by_modify },
	{ "ARMED -> MIGRATED by retries, to and fro", migrate_by_cut },
	{ "the same with GRH", migrate_by_cut_grh },
	{ "no message lost or doubled", nothing_lost_or_twice },
	{ "retries on the old path do not count for the new one",
	  retries_are_for_one_path },
	{ "MIGRATED, path cut: RETRY_EXC_ERR", unarmed_fails },
	{ "REARM, path cut: RETRY_EXC_ERR", rearm_fails },
	{ "ARMED, both paths cut: PATH_MIG_ERR, RETRY_EXC_ERR", no_way_left },
	{ "MigReq on a path that is not the alternate: PATH_MIG_ERR",
	  wrong_alternate },
	{ "lossy path: data arrives, nothing migrates", loss_is_repaired },
	{ "receiver not ready: sent again when it is", receiver_not_ready },
};

static void drain(struct side *s)
{
	struct ibv_wc wc;

	if (s->qp && ibv_destroy_qp(s->qp))
		fail("destroy_qp");
	s->qp = NULL;
	if (ibv_poll_cq(s->cq, 1, &wc))
		fail("a completion of a destroyed queue pair");
	while (next_event(s, IBV_EVENT_PATH_MIG, 0))
		;
}

int main(void)
{
	unsigned int i;

	ksft_print_header();
	open_side(A, "vfab0");
	open_side(B, "vfab1");
	if (!rail_active(1) || !rail_active(2))
		ksft_exit_fail_msg("the ports are not ACTIVE\n");
	ksft_set_plan(ARRAY_SIZE(rows));
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		ksft_test_result(rows[i].run(), "%s\n", rows[i].name);
		drain(A);
		drain(B);
	}
	ksft_finished();
}
