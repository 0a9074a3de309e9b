// SPDX-License-Identifier: GPL-2.0
/*
 * RDMA atomics on ib_vfab: a queue pair of vfab1 works on eight bytes of vfab2.
 * Port 1 of both must be ACTIVE.
 */
#include <errno.h>
#include <fcntl.h>
#include <infiniband/verbs.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kselftest.h"

#define PORT		1
#define WAIT_MS		20000
#define MANY		500
#define KNOBS		"/sys/kernel/debug/ib_vfab"
/* 4.096 us << 14 = 67 ms, sent eight times: losses in a row do happen */
#define ACK_TIMEOUT	14
#define RETRIES		7

/* ibv_access_flags of the target: what may be done by whom */
#define NO_RIGHTS	IBV_ACCESS_LOCAL_WRITE
#define ATOMIC_RIGHTS	(IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_ATOMIC)

struct side {
	struct ibv_context *ctx;
	struct ibv_pd *pd;
	struct ibv_cq *cq;
	struct ibv_mr *mr;
	struct ibv_qp *qp;
	uint64_t word[2] __attribute__((aligned(8)));
	uint16_t lid;
};

static struct side requester, target;

static void fail(const char *what)
{
	ksft_exit_fail_msg("%s: %s\n", what, strerror(errno));
}

static void open_side(struct side *s, const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_port_attr port;
	int i;

	for (i = 0; list && list[i]; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			s->ctx = ibv_open_device(list[i]);
	if (!s->ctx)
		ksft_exit_skip("no device %s: load ib_vfab\n", name);
	ibv_free_device_list(list);
	if (ibv_query_port(s->ctx, PORT, &port))
		fail("query_port");
	s->lid = port.lid;
	s->pd = ibv_alloc_pd(s->ctx);
	s->cq = ibv_create_cq(s->ctx, 4, NULL, NULL, 0);
	if (!s->pd || !s->cq)
		fail("resources");
}

static void create_qp(struct side *s, int mr_access)
{
	struct ibv_qp_init_attr init = {
		.send_cq = s->cq,
		.recv_cq = s->cq,
		.cap = {
			.max_send_wr = 1,
			.max_recv_wr = 1,
			.max_send_sge = 1,
			.max_recv_sge = 1,
		},
		.qp_type = IBV_QPT_RC,
		.sq_sig_all = 1,
	};

	s->mr = ibv_reg_mr(s->pd, s->word, sizeof(s->word), mr_access);
	s->qp = ibv_create_qp(s->pd, &init);
	if (!s->mr || !s->qp)
		fail("create_qp");
	memset(s->word, 0, sizeof(s->word));
}

static void to_rts(struct side *s, const struct side *peer, int qp_access)
{
	struct ibv_qp_attr init = {
		.qp_state = IBV_QPS_INIT,
		.port_num = PORT,
		.qp_access_flags = qp_access,
	};
	struct ibv_qp_attr rtr = {
		.qp_state = IBV_QPS_RTR,
		.path_mtu = IBV_MTU_1024,
		.dest_qp_num = peer->qp->qp_num,
		.max_dest_rd_atomic = 1,
		.min_rnr_timer = 12,
		.ah_attr = { .dlid = peer->lid, .port_num = PORT },
	};
	struct ibv_qp_attr rts = {
		.qp_state = IBV_QPS_RTS,
		.timeout = ACK_TIMEOUT,
		.retry_cnt = RETRIES,
		.max_rd_atomic = 1,
	};

	if (ibv_modify_qp(s->qp, &init, IBV_QP_STATE | IBV_QP_PKEY_INDEX |
			  IBV_QP_PORT | IBV_QP_ACCESS_FLAGS) ||
	    ibv_modify_qp(s->qp, &rtr, IBV_QP_STATE | IBV_QP_AV |
			  IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN |
			  IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER) ||
	    ibv_modify_qp(s->qp, &rts, IBV_QP_STATE | IBV_QP_TIMEOUT |
			  IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY |
			  IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC))
		fail("modify_qp");
}

static void connect_sides(int mr_access, int qp_access)
{
	create_qp(&requester, IBV_ACCESS_LOCAL_WRITE);
	create_qp(&target, mr_access);
	to_rts(&requester, &target, 0);
	to_rts(&target, &requester, qp_access);
}

static void disconnect(struct side *s)
{
	if (ibv_destroy_qp(s->qp) || ibv_dereg_mr(s->mr))
		fail("destroy_qp");
}

static enum ibv_wc_status completion(void)
{
	struct ibv_wc wc;
	int waited, n;

	for (waited = 0; waited < WAIT_MS; waited++) {
		n = ibv_poll_cq(requester.cq, 1, &wc);
		if (n < 0)
			fail("poll_cq");
		if (n)
			return wc.status;
		usleep(1000);
	}
	return IBV_WC_GENERAL_ERR;
}

/*
 * The old value of the target's word comes to requester.word[0]. Returns what
 * ibv_post_send() does.
 */
static int post(enum ibv_wr_opcode opcode, int offset, uint64_t compare_add,
		uint64_t swap)
{
	struct ibv_sge sge = {
		.addr = (uintptr_t)requester.word,
		.length = sizeof(requester.word[0]),
		.lkey = requester.mr->lkey,
	};
	struct ibv_send_wr wr = {
		.sg_list = &sge,
		.num_sge = 1,
		.opcode = opcode,
		.wr.atomic = {
			.remote_addr = (uintptr_t)target.word + offset,
			.rkey = target.mr->rkey,
			.compare_add = compare_add,
			.swap = swap,
		},
	};
	struct ibv_send_wr *bad;

	requester.word[0] = UINT64_MAX;
	return ibv_post_send(requester.qp, &wr, &bad);
}

static enum ibv_wc_status add(uint64_t n)
{
	if (post(IBV_WR_ATOMIC_FETCH_AND_ADD, 0, n, 0))
		fail("post_send");
	return completion();
}

static enum ibv_wc_status swap(uint64_t compare, uint64_t with)
{
	if (post(IBV_WR_ATOMIC_CMP_AND_SWP, 0, compare, with))
		fail("post_send");
	return completion();
}

static bool words_are(uint64_t old, uint64_t now)
{
	return requester.word[0] == old && target.word[0] == now &&
	       !target.word[1];
}

static void knob(const char *node, const char *name, const char *val)
{
	char path[128];
	int fd;

	snprintf(path, sizeof(path), KNOBS "/%s/port%d/%s", node, PORT, name);
	fd = open(path, O_WRONLY);
	if (fd < 0 || write(fd, val, strlen(val)) < 0)
		fail(path);
	close(fd);
}

static void both_knobs(const char *name, const char *val)
{
	knob("vfab1", name, val);
	knob("vfab2", name, val);
}

/* ---- the rows ---- */

static bool fetch_and_add(void)
{
	const uint64_t big = 0xfffffffffffffff0;

	connect_sides(ATOMIC_RIGHTS, ATOMIC_RIGHTS);
	return !add(big) && words_are(0, big) && !add(0x20) &&
	       words_are(big, 0x10) && !add(0) && words_are(0x10, 0x10);
}

static bool compare_and_swap(void)
{
	const uint64_t value = 0x0123456789abcdef;

	connect_sides(ATOMIC_RIGHTS, ATOMIC_RIGHTS);
	return !swap(0, value) && words_are(0, value) && !swap(1, 2) &&
	       words_are(value, value) && !swap(value, 3) && words_are(value, 3);
}

/* A request or its answer that is lost is sent again, and is done once. */
static bool once_on_a_lossy_path(void)
{
	bool ok = true;
	uint64_t i;

	connect_sides(ATOMIC_RIGHTS, ATOMIC_RIGHTS);
	both_knobs("loss_rc_ppm", "50000");
	both_knobs("dup_ppm", "50000");
	for (i = 0; i < MANY && ok; i++)
		ok = !add(1) && words_are(i, i + 1);
	both_knobs("loss_rc_ppm", "0");
	both_knobs("dup_ppm", "0");
	return ok;
}

static bool memory_without_right(void)
{
	connect_sides(NO_RIGHTS, ATOMIC_RIGHTS);
	return add(1) == IBV_WC_REM_ACCESS_ERR && !target.word[0];
}

static bool qp_without_right(void)
{
	connect_sides(ATOMIC_RIGHTS, NO_RIGHTS);
	return add(1) == IBV_WC_REM_INV_REQ_ERR && !target.word[0];
}

static bool not_aligned(void)
{
	connect_sides(ATOMIC_RIGHTS, ATOMIC_RIGHTS);
	return post(IBV_WR_ATOMIC_FETCH_AND_ADD, 4, 1, 0) == EINVAL;
}

static const struct {
	const char *name;
	bool (*run)(void);
} rows[] = {
	{ "fetch and add", fetch_and_add },
	{ "compare and swap", compare_and_swap },
	{ "lossy path: each is done once", once_on_a_lossy_path },
	{ "memory without the right: refused", memory_without_right },
	{ "queue pair without the right: refused", qp_without_right },
	{ "address not a multiple of 8: refused", not_aligned },
};

int main(void)
{
	unsigned int i;

	ksft_print_header();
	open_side(&requester, "vfab1");
	open_side(&target, "vfab2");
	ksft_set_plan(ARRAY_SIZE(rows));
	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		ksft_test_result(rows[i].run(), "%s\n", rows[i].name);
		disconnect(&requester);
		disconnect(&target);
	}
	ksft_finished();
}
