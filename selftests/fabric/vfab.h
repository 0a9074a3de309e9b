/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * ib_vfab: a software InfiniBand fabric (hosts, switches, wires) for tests.
 *
 * The layers, from the wire up:
 *   wire.c     ports and the wires between them, link state
 *   knobs.c    what goes wrong on a wire, and debugfs
 *   switch.c   a switch's forwarding
 *   host.c     what a host does with a packet that arrives
 *   sma.c      subnet management agent, pma.c performance, trap.c notices
 *   sa_front.c the overloaded Subnet Administrator
 *   device.c, mem.c, cq.c, rq.c, qp.c   the verbs
 *   ud.c, mcast.c, rc_req.c, rc_resp.c, apm.c  the transports
 */
#ifndef VFAB_H
#define VFAB_H

#include <linux/hrtimer.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/prandom.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <rdma/ib_hdrs.h>
#include <rdma/ib_mad.h>
#include <rdma/ib_pack.h>
#include <rdma/ib_smi.h>
#include <rdma/ib_verbs.h>

#define VFAB_RAILS		2	/* ports of a host, and switches */
#define VFAB_MAX_HOSTS		128
#define VFAB_PKEYS		32	/* one block of the P_Key table */
#define VFAB_GUIDS		8	/* one block of the GUID table */
#define VFAB_MTU		IB_MTU_4096
#define VFAB_MTU_BYTES		4096
#define VFAB_MAX_SGE		32
#define VFAB_MAX_WR		16384
#define VFAB_MAX_CQE		65536
#define VFAB_MAX_MSG		BIT(30)
#define VFAB_MAX_RD_ATOMIC	16
#define VFAB_LOCAL_DMA_LKEY	0x80000000U	/* no memory region has this key */
#define VFAB_PSN_MASK		0xffffffU
#define VFAB_QPN_MASK		0xffffffU
#define VFAB_GRH_BYTES		40
#define VFAB_MLIDS		1024	/* multicast LIDs a switch can forward */
#define VFAB_LFT_SIZE		0xc000	/* every unicast LID */
#define VFAB_LFT_NONE		0xff	/* LFT: LID not assigned */
#define VFAB_RX_MAX		16384	/* packets under way to one port */
#define VFAB_MAD_RULES		16	/* per port */
#define VFAB_DESC_MAX		IB_DEVICE_NODE_DESC_MAX

struct vfab_port;
struct vfab_node;
struct vfab_host;
struct vfab_switch;

/*
 * One packet. The headers are fields in host byte order, not bits: what the
 * fixture must get right is what they say, not how they are laid out.
 */
struct vfab_pkt {
	struct list_head	list;
	ktime_t			due;		/* when it arrives */
	bool			loop;		/* never left the port */
	/* LRH */
	u16			slid;
	u16			dlid;
	u8			sl;
	/* GRH */
	bool			has_grh;
	u8			hop_limit;
	u8			tclass;
	u32			flow;
	union ib_gid		sgid;
	union ib_gid		dgid;
	/* BTH */
	u8			opcode;
	bool			solicited;
	bool			migreq;
	bool			ackreq;
	u16			pkey;
	u32			dqpn;
	u32			psn;
	/* DETH */
	u32			qkey;
	u32			sqpn;
	/* RETH, AtomicETH */
	u64			va;
	u32			rkey;
	u32			dmalen;
	u64			swap_add;
	u64			compare;
	/* AETH, AtomicAckETH */
	u8			syndrome;
	u32			msn;
	u64			orig;

	__be32			imm;
	u32			len;		/* of data */
	u8			data[] __aligned(8);
};

/* What a port counts. The first block is the PMA's, the rest is the knobs'. */
enum vfab_cnt {
	VFAB_TX_PKTS,
	VFAB_TX_BYTES,
	VFAB_RX_PKTS,
	VFAB_RX_BYTES,
	VFAB_TX_MCAST,
	VFAB_RX_MCAST,
	VFAB_TX_DISCARDS,	/* port not ACTIVE, no route, no room */
	VFAB_RX_ERRORS,		/* for nobody, wrong LID, P_Key or Q_Key */
	VFAB_LINK_DOWNED,
	VFAB_PMA_CNTS,
	VFAB_DROP_LOSS = VFAB_PMA_CNTS,
	VFAB_DROP_RC,
	VFAB_DROP_MAD,
	VFAB_DROP_LINK,		/* sent while the link was down */
	VFAB_DROP_FLIGHT,	/* on the wire when the link went down */
	VFAB_DUPLICATED,
	VFAB_DELAYED,
	VFAB_SA_REQUESTS,
	VFAB_SA_BUSIED,
	VFAB_SA_DROPPED,
	VFAB_SA_QUEUED,
	VFAB_SA_OVER_BUSIED,
	VFAB_SA_OVER_DROPPED,
	VFAB_SA_PASSED,
	VFAB_CNTS
};

/* "lose MADs of this class (and attribute)", see README.md: loss_mad */
struct vfab_mad_rule {
	u8	mclass;		/* 0: unused */
	u16	attr;		/* 0: any */
	u32	ppm;
	u32	left;		/* packets it may still take; U32_MAX: all */
	u64	matched;
	u64	dropped;
};

/* The knobs that are one number; units and ranges are in knobs.c */
enum vfab_knob_nr {
	VFAB_LOSS,
	VFAB_LOSS_RC,
	VFAB_DUP,
	VFAB_DELAY,
	VFAB_SEND_DONE,		/* us until a datagram's send completes */
	VFAB_SA_BUSY,
	VFAB_SA_DROP,
	VFAB_SA_RATE,		/* requests/s, 0: no queue */
	VFAB_SA_QUEUE_LEN,
	VFAB_SA_OVERFLOW_BUSY,	/* full queue: 1 BUSY, 0 drop */
	VFAB_KNOBS
};

struct vfab_knob {
	struct vfab_port	*port;
	u32			val;
};

struct vfab_knobs {
	struct vfab_knob	knob[VFAB_KNOBS];
	spinlock_t		lock;	/* what follows */
	struct rnd_state	rnd;
	struct vfab_mad_rule	rules[VFAB_MAD_RULES];
};

/* The overloaded SA in front of the real one */
struct vfab_sa_front {
	spinlock_t		lock;	/* all of this */
	u32			queued;
	u32			queued_max;
	ktime_t			next;		/* when the next is served */
	struct list_head	queue;
	struct hrtimer		timer;
	struct work_struct	work;
};

struct vfab_port_info {
	u64	mkey;
	u64	gid_prefix;
	u16	lid;
	u16	sm_lid;
	u32	cap_mask;
	u16	mkey_lease;
	u8	width_enabled;
	u8	speed_enabled;
	u8	state;			/* enum ib_port_state */
	u8	phys_state;		/* enum ib_port_phys_state */
	u8	linkdown_default;
	u8	mkey_prot;
	u8	lmc;
	u8	mtu;			/* neighbor MTU, enum ib_mtu */
	u8	sm_sl;
	u8	vl_high_limit;
	u8	init_reply;
	u8	vlstall_hoq;
	u8	oper_vls_enf;		/* the byte as on the wire */
	u8	subnet_timeout;
	u8	rereg;
	u8	errors;			/* the byte as on the wire */
	u16	mkey_viol;
	u16	pkey_viol;
	u16	qkey_viol;
};

struct vfab_port {
	struct vfab_node	*node;
	u8			num;
	struct vfab_port	*peer;		/* other end of the wire, or NULL */

	spinlock_t		lock;		/* pi, tables, link wishes */
	struct vfab_port_info	pi;
	u16			pkeys[VFAB_PKEYS];
	__be64			guids[VFAB_GUIDS];
	u8			vlarb[4][64];
	bool			plugged;	/* knob: this end is in */
	bool			disabled;	/* by PortInfo, physical state 3 */
	bool			bounce;		/* take the link down once */
	struct work_struct	link_work;

	spinlock_t		rx_lock;	/* rx, rx_len, closed */
	struct list_head	rx;
	unsigned int		rx_len;
	bool			closed;
	struct work_struct	rx_work;
	struct hrtimer		rx_timer;

	atomic64_t		cnt[VFAB_CNTS];
	u64			pma_base[VFAB_PMA_CNTS]; /* PMA Set clears */
	struct vfab_knobs	knobs;

	/* hosts only */
	struct vfab_sa_front	sa;
	struct vfab_qp		*mad_qp[2];	/* under host->qp_lock */
};

enum vfab_trap { VFAB_TRAP_128, VFAB_TRAP_144, VFAB_TRAPS };

struct vfab_node {
	struct list_head	list;
	bool			is_switch;
	u64			guid;
	char			name[16];
	char			desc[VFAB_DESC_MAX];	/* NodeDescription */
	u8			nports;
	struct vfab_port	*ports;		/* [0..nports], 0: switches only */
	u8			*sl2vl;		/* [(in, out)][8] */
	struct vfab_host	*host;
	struct vfab_switch	*sw;
	struct dentry		*debugfs;

	struct delayed_work	trap_work;
	spinlock_t		trap_lock;	/* what follows */
	u8			trap_left[VFAB_TRAPS];	/* sends to go */
	u8			trap_port[VFAB_TRAPS];
	u64			trap_tid[VFAB_TRAPS];
	u64			trap_next_tid;
	unsigned long		trap_due;	/* jiffies: none before */
};

struct vfab_switch {
	struct vfab_node	node;
	spinlock_t		lock;		/* what follows */
	u16			lft_top;
	u8			life_time;
	u8			default_port;
	u8			mcast_primary;
	u8			mcast_not_primary;
	bool			state_change;
	u8			*lft;		/* [VFAB_LFT_SIZE] */
	unsigned long		*mft;		/* [VFAB_MLIDS][mft_longs] */
	unsigned int		mft_longs;
};

struct vfab_host {
	struct ib_device	ibdev;
	struct vfab_node	node;
	bool			registered;	/* events may be dispatched */
	struct xarray		mrs;		/* by key >> 8 */
	spinlock_t		qp_lock;	/* lookups against destroy */
	struct xarray		qps;
	u32			qpn_next;
	spinlock_t		mc_lock;	/* mc_list */
	struct list_head	mc_list;
	spinlock_t		atomic_lock;	/* RDMA atomics of this host */
};

struct vfab_mr {
	struct ib_mr		ibmr;
	struct kref		ref;
	struct completion	gone;
	struct ib_umem		*umem;		/* NULL: all of kernel memory */
	struct page		**pages;
	u64			iova;
	u64			length;
	u32			offset;		/* in the first page */
	int			access;
};

/* An address as a packet needs it: nothing in here counts a reference */
struct vfab_av {
	u16			dlid;
	u8			sl;
	u8			src_path_bits;
	bool			has_grh;
	u8			hop_limit;
	u8			tclass;
	u32			flow;
	union ib_gid		sgid;
	union ib_gid		dgid;
};

struct vfab_ah {
	struct ib_ah		ibah;
	struct rdma_ah_attr	attr;
	struct vfab_av		av;
};

struct vfab_cq {
	struct ib_cq		ibcq;
	spinlock_t		lock;		/* all of this */
	struct ib_wc		*ring;
	u32			size;
	u32			head;		/* free running */
	u32			tail;
	enum ib_cq_notify_flags	armed;		/* 0: not armed */
	bool			overrun;
};

struct vfab_rwqe {
	u64			wr_id;
	int			num_sge;
	u32			length;
	struct ib_sge		sge[VFAB_MAX_SGE];
};

/* A receive queue: a QP's own, or shared */
struct vfab_rq {
	spinlock_t		lock;		/* all of this */
	void			*ring;
	size_t			stride;
	u32			size;
	u32			max_sge;
	u32			head;		/* free running */
	u32			tail;
	u32			limit;		/* shared: event below this, 0 off */
};

struct vfab_srq {
	struct ib_srq		ibsrq;
	struct vfab_rq		rq;
};

struct vfab_swqe {
	u64			wr_id;
	enum ib_wr_opcode	opcode;
	int			flags;		/* enum ib_send_flags */
	__be32			imm;
	u32			length;
	/* UD */
	struct vfab_av		av;
	u32			dqpn;
	u32			qkey;
	u16			pkey_index;
	/* RC */
	u32			psn;		/* of its first packet */
	u32			npkts;
	u64			va;
	u32			rkey;
	u64			swap_add;
	u64			compare;

	int			num_sge;
	struct ib_sge		sge[];
};

/* One of the two paths of a connection */
struct vfab_path {
	bool			loaded;
	struct rdma_ah_attr	ah;		/* holds the GID reference */
	struct vfab_av		av;
	u32			port;
	u16			pkey_index;
	u8			timeout;	/* 4.096 us << timeout, 0: never */
};

/* An answered atomic, kept in case the answer is lost */
struct vfab_atomic_res {
	bool			valid;
	u32			psn;
	u64			orig;
};

/* the message a responder is in the middle of */
enum vfab_rop { VFAB_ROP_NONE, VFAB_ROP_SEND, VFAB_ROP_WRITE };

enum vfab_qp_event {
	VFAB_EV_COMM_EST,
	VFAB_EV_SQ_DRAINED,
	VFAB_EV_PATH_MIG,
	VFAB_EV_PATH_MIG_ERR,
	VFAB_EV_QP_REQ_ERR,
	VFAB_EV_QP_ACCESS_ERR,
	VFAB_EV_QP_FATAL,
	VFAB_EV_LAST_WQE,
	VFAB_EV_SRQ_LIMIT,
	VFAB_EVS
};

struct vfab_qp {
	struct ib_qp		ibqp;
	struct vfab_host	*host;
	struct kref		ref;
	struct completion	gone;
	struct work_struct	work;		/* sends, time-outs, events */
	unsigned long		events;		/* bit: enum vfab_qp_event */

	spinlock_t		lock;		/* all that follows */
	bool			notify_scq;	/* at unlock, see vfab_qp_unlock */
	bool			notify_rcq;
	enum ib_qp_state	state;
	struct ib_qp_cap	cap;
	bool			sig_all;
	u32			qkey;
	int			access;
	u32			dqpn;
	u32			pmtu;		/* bytes */
	enum ib_mtu		path_mtu;
	struct vfab_path	path;
	struct vfab_path	alt;
	enum ib_mig_state	mig;
	bool			mig_err;	/* reported since it was armed */

	/* send queue */
	void			*sq;
	size_t			sq_stride;
	u32			sq_size;
	u32			sq_head;	/* next post, free running */
	u32			sq_tail;	/* oldest not complete */
	u32			sq_cur;		/* next to transmit */

	/* RC requester */
	u32			cur_pkt;	/* packet of sq_cur to send next */
	u32			post_psn;	/* PSN of the next post */
	u32			snd_psn;	/* next to send */
	u32			snd_max;	/* one past the highest ever sent */
	u32			una_psn;	/* oldest not acknowledged */
	u32			rd_end;		/* reads in flight end here */
	bool			recovered;	/* went back to una_psn already */
	u8			retry_cnt;
	u8			retry_left;
	u8			rnr_retry;	/* 7: for ever */
	u8			rnr_left;
	bool			rnr_wait;
	bool			sqd_event;	/* SQ_DRAINED is wanted */
	struct hrtimer		timer;
	bool			timer_fired;
	u8			max_rd_atomic;

	/* RC responder */
	u32			epsn;		/* expected */
	u32			msn;
	bool			nak_sent;
	bool			comm_est;
	u8			min_rnr_timer;
	u8			max_dest_rd_atomic;
	bool			r_active;	/* r_wqe is being filled */
	enum vfab_rop		r_op;		/* between FIRST and LAST */
	u32			r_off;
	u64			r_va;
	u32			r_rkey;
	u32			r_len;
	struct vfab_rwqe	r_wqe;
	struct vfab_atomic_res	res[VFAB_MAX_RD_ATOMIC];
	u8			res_next;

	struct vfab_rq		rq;		/* unused with an SRQ */
};

/* main.c */
extern struct workqueue_struct *vfab_wq;
extern struct list_head vfab_nodes;
struct vfab_port *vfab_host_port(struct vfab_host *host, u32 port);

static inline struct vfab_host *to_vhost(struct ib_device *dev)
{
	return container_of(dev, struct vfab_host, ibdev);
}

static inline struct vfab_qp *to_vqp(struct ib_qp *qp)
{
	return container_of(qp, struct vfab_qp, ibqp);
}

static inline struct vfab_cq *to_vcq(struct ib_cq *cq)
{
	return container_of(cq, struct vfab_cq, ibcq);
}

static inline struct vfab_srq *to_vsrq(struct ib_srq *srq)
{
	return container_of(srq, struct vfab_srq, ibsrq);
}

static inline struct vfab_ah *to_vah(struct ib_ah *ah)
{
	return container_of(ah, struct vfab_ah, ibah);
}

static inline struct vfab_mr *to_vmr(struct ib_mr *mr)
{
	return container_of(mr, struct vfab_mr, ibmr);
}

static inline u32 vfab_knob(struct vfab_port *port, enum vfab_knob_nr nr)
{
	return READ_ONCE(port->knobs.knob[nr].val);
}

static inline void vfab_count(struct vfab_port *port, enum vfab_cnt what)
{
	atomic64_inc(&port->cnt[what]);
}

static inline bool vfab_lid_is_mcast(u16 lid)
{
	return lid >= be16_to_cpu(IB_MULTICAST_LID_BASE) &&
	       lid != be16_to_cpu(IB_LID_PERMISSIVE);
}

/* is @lid one of the 2^LMC unicast LIDs of this port? */
static inline bool vfab_lid_is_mine(struct vfab_port *port, u16 lid)
{
	u16 mine = READ_ONCE(port->pi.lid);

	return mine && (lid & ~((1 << READ_ONCE(port->pi.lmc)) - 1)) == mine;
}

/* SMPs have a lane of their own and do not wait for the port to be ACTIVE */
static inline bool vfab_pkt_is_smp(const struct vfab_pkt *pkt)
{
	return pkt->dqpn == 0;
}

static inline bool vfab_pkt_is_rc(const struct vfab_pkt *pkt)
{
	return (pkt->opcode & 0xe0) == IB_OPCODE_RC;
}

static inline bool vfab_pkt_is_mad(const struct vfab_pkt *pkt)
{
	return pkt->dqpn <= 1 && pkt->len == sizeof(struct ib_mad);
}

/* wire.c */
struct vfab_pkt *vfab_pkt_alloc(u32 len);
struct vfab_pkt *vfab_pkt_clone(const struct vfab_pkt *pkt);
void vfab_port_init(struct vfab_port *port, struct vfab_node *node, u8 num);
void vfab_port_fini(struct vfab_port *port);
void vfab_port_join(struct vfab_port *a, struct vfab_port *b);
void vfab_port_xmit(struct vfab_port *port, struct vfab_pkt *pkt);
void vfab_port_loop(struct vfab_port *port, struct vfab_pkt *pkt);
void vfab_port_plug(struct vfab_port *port, bool in);
void vfab_port_set_disabled(struct vfab_port *port, bool disabled);
void vfab_port_bounce(struct vfab_port *port);
bool vfab_port_link_wanted(struct vfab_port *port);

/* knobs.c */
enum vfab_verdict { VFAB_PASS, VFAB_LOSE, VFAB_TWICE };
enum vfab_verdict vfab_knobs_judge(struct vfab_port *port,
				   const struct vfab_pkt *pkt, u32 *delay_us);
bool vfab_knobs_chance(struct vfab_port *port, u32 ppm);
void vfab_knobs_init(struct vfab_port *port);
void vfab_debugfs_init(u32 seed);
void vfab_debugfs_exit(void);

/* host.c */
void vfab_host_rx(struct vfab_port *port, struct vfab_pkt *pkt);
void vfab_host_deliver_gsi(struct vfab_port *port, struct vfab_pkt *pkt);
void vfab_host_event(struct vfab_port *port, enum ib_event_type type);

/* switch.c */
struct vfab_switch *vfab_switch_create(unsigned int index, u8 nports);
void vfab_switch_destroy(struct vfab_switch *sw);
void vfab_switch_rx(struct vfab_port *port, struct vfab_pkt *pkt);
void vfab_switch_inject(struct vfab_switch *sw, struct vfab_pkt *pkt);
void vfab_switch_port_changed(struct vfab_port *port);

/* node.c */
int vfab_node_init(struct vfab_node *node, u8 nports, u64 guid);
void vfab_node_fini(struct vfab_node *node);
bool vfab_node_mad(struct vfab_port *in, const struct ib_mad *req,
		   struct ib_mad *resp);

/* sma.c, pma.c */
bool vfab_sma_process(struct vfab_port *in, const struct ib_smp *req,
		      struct ib_smp *resp);
void vfab_pma_process(struct vfab_port *in, const struct ib_mad *req,
		      struct ib_mad *resp);

/* trap.c */
void vfab_trap_init(struct vfab_node *node);
void vfab_trap_stop(struct vfab_node *node);
void vfab_trap_raise(struct vfab_port *port, enum vfab_trap trap);
void vfab_trap_repress(struct vfab_node *node, u64 tid);

/* sa_front.c */
void vfab_sa_front_init(struct vfab_port *port);
void vfab_sa_front_stop(struct vfab_port *port);
bool vfab_sa_front_take(struct vfab_port *port, struct vfab_pkt *pkt);
void vfab_sa_front_kick(struct vfab_port *port);

/* device.c */
struct vfab_host *vfab_host_create(unsigned int index);
int vfab_host_register(struct vfab_host *host);
void vfab_host_unregister(struct vfab_host *host);
void vfab_host_destroy(struct vfab_host *host);
u16 vfab_port_pkey(struct vfab_port *port, u16 index);
int vfab_port_find_pkey(struct vfab_port *port, u16 pkey);
void vfab_av_from_ah(struct vfab_av *av, const struct rdma_ah_attr *ah);
int vfab_check_ah(struct ib_device *dev, const struct rdma_ah_attr *ah);

/* mem.c */
struct ib_mr *vfab_get_dma_mr(struct ib_pd *pd, int access);
struct ib_mr *vfab_reg_user_mr(struct ib_pd *pd, u64 start, u64 length,
			       u64 iova, int access, struct ib_udata *udata);
int vfab_dereg_mr(struct ib_mr *mr, struct ib_udata *udata);
int vfab_sge_copy(struct ib_pd *pd, const struct ib_sge *sge, int num_sge,
		  u32 off, void *buf, u32 len, bool to_mem);
int vfab_rkey_check(struct ib_pd *pd, u32 rkey, u64 va, u64 len, int access);
int vfab_rkey_copy(struct ib_pd *pd, u32 rkey, u64 va, void *buf, u32 len,
		   int access, bool to_mem);

/* cq.c */
int vfab_create_cq(struct ib_cq *cq, const struct ib_cq_init_attr *attr,
		   struct uverbs_attr_bundle *attrs);
int vfab_destroy_cq(struct ib_cq *cq, struct ib_udata *udata);
int vfab_poll_cq(struct ib_cq *cq, int num, struct ib_wc *wc);
int vfab_req_notify_cq(struct ib_cq *cq, enum ib_cq_notify_flags flags);
bool vfab_cq_add(struct vfab_cq *cq, const struct ib_wc *wc, bool solicited);
void vfab_cq_forget(struct vfab_cq *cq, const struct ib_qp *qp);

/* rq.c */
int vfab_rq_init(struct vfab_rq *rq, u32 max_wr, u32 max_sge);
void vfab_rq_fini(struct vfab_rq *rq);
int vfab_rq_post(struct vfab_rq *rq, const struct ib_recv_wr *wr,
		 const struct ib_recv_wr **bad);
bool vfab_rq_take(struct vfab_rq *rq, struct vfab_rwqe *wqe, bool *limit);
int vfab_create_srq(struct ib_srq *srq, struct ib_srq_init_attr *attr,
		    struct ib_udata *udata);
int vfab_modify_srq(struct ib_srq *srq, struct ib_srq_attr *attr,
		    enum ib_srq_attr_mask mask, struct ib_udata *udata);
int vfab_query_srq(struct ib_srq *srq, struct ib_srq_attr *attr);
int vfab_destroy_srq(struct ib_srq *srq, struct ib_udata *udata);
int vfab_post_srq_recv(struct ib_srq *srq, const struct ib_recv_wr *wr,
		       const struct ib_recv_wr **bad);

/* qp.c */
int vfab_create_qp(struct ib_qp *qp, struct ib_qp_init_attr *init,
		   struct ib_udata *udata);
int vfab_modify_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
		   struct ib_udata *udata);
int vfab_query_qp(struct ib_qp *qp, struct ib_qp_attr *attr, int mask,
		  struct ib_qp_init_attr *init);
int vfab_destroy_qp(struct ib_qp *qp, struct ib_udata *udata);
int vfab_post_recv(struct ib_qp *qp, const struct ib_recv_wr *wr,
		   const struct ib_recv_wr **bad);
int vfab_post_send(struct ib_qp *qp, const struct ib_send_wr *wr,
		   const struct ib_send_wr **bad);
struct vfab_qp *vfab_qp_get(struct vfab_host *host, struct vfab_port *port,
			    u32 qpn);
void vfab_qp_put(struct vfab_qp *qp);
void vfab_qp_unlock(struct vfab_qp *qp, unsigned long flags)
	__releases(&qp->lock);
void vfab_qp_raise(struct vfab_qp *qp, enum vfab_qp_event ev);
void vfab_qp_error(struct vfab_qp *qp);
bool vfab_qp_take_recv(struct vfab_qp *qp, struct vfab_rwqe *wqe);
void vfab_qp_recv_done(struct vfab_qp *qp, struct ib_wc *wc, bool solicited);
void vfab_qp_send_done(struct vfab_qp *qp, enum ib_wc_status status);
struct vfab_swqe *vfab_swqe(struct vfab_qp *qp, u32 index);

/* ud.c */
void vfab_ud_send(struct vfab_qp *qp);
void vfab_ud_rx(struct vfab_qp *qp, struct vfab_port *port,
		struct vfab_pkt *pkt);
void vfab_pkt_route(struct vfab_pkt *pkt, struct vfab_port *port,
		    const struct vfab_av *av);
void vfab_pkt_send(struct vfab_port *port, struct vfab_pkt *pkt);

/* mcast.c */
int vfab_attach_mcast(struct ib_qp *qp, union ib_gid *gid, u16 lid);
int vfab_detach_mcast(struct ib_qp *qp, union ib_gid *gid, u16 lid);
void vfab_mcast_rx(struct vfab_port *port, struct vfab_pkt *pkt);
void vfab_mcast_forget(struct vfab_qp *qp);

/* AETH syndrome: the kind, and its code or timer (IBA vol. 1, table 43) */
#define VFAB_AETH_KIND		0x60
#define VFAB_AETH_CODE		0x1f
#define VFAB_AETH_ACK		0x00
#define VFAB_AETH_RNR		0x20
/* 0x60: NAK, see IB_NAK_* */

/* rc.c; rc_req.c: requester, rc_resp.c: responder. QP locked. */
void vfab_rc_send(struct vfab_qp *qp);
void vfab_rc_timeout(struct vfab_qp *qp);
void vfab_rc_reset(struct vfab_qp *qp);
void vfab_rc_response(struct vfab_qp *qp, struct vfab_pkt *pkt);
void vfab_rc_request(struct vfab_qp *qp, struct vfab_pkt *pkt);
void vfab_rc_rx(struct vfab_qp *qp, struct vfab_port *port,
		struct vfab_pkt *pkt);
void vfab_rc_xmit(struct vfab_qp *qp, struct vfab_pkt *pkt);
enum hrtimer_restart vfab_rc_timer(struct hrtimer *timer);
u32 vfab_rc_npkts(const struct vfab_qp *qp, u32 length);

static inline s32 vfab_psn_diff(u32 a, u32 b)
{
	return (s32)((a - b) << 8) >> 8;
}

static inline u32 vfab_psn_add(u32 psn, u32 n)
{
	return (psn + n) & VFAB_PSN_MASK;
}

/* apm.c: path migration. QP locked. */
int vfab_apm_check(struct vfab_qp *qp, const struct ib_qp_attr *attr,
		   int mask, enum ib_qp_state new_state);
void vfab_apm_modify(struct vfab_qp *qp, const struct ib_qp_attr *attr,
		     int mask);
bool vfab_apm_accept(struct vfab_qp *qp, struct vfab_port *port,
		     const struct vfab_pkt *pkt);
bool vfab_apm_exhausted(struct vfab_qp *qp);
void vfab_path_load(struct vfab_path *path, const struct rdma_ah_attr *ah);
void vfab_path_drop(struct vfab_path *path);

#endif
