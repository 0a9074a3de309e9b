/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/*
 * apm_peer: both sides of connections that migrate their path, for tests.
 *
 * A pair is one connection with its two ends, the active one (which sends the
 * REQ and the LAPs) on one device and the passive one on another. The ends talk
 * to each other through ib_cm and the fabric alone; what the pair adds is that
 * one module counts at both.
 *
 *   main.c     loading and unloading
 *   device.c   devices coming and going, what each pair on them shares
 *   pair.c     the table of pairs, their life
 *   qp.c       a queue pair's states, migration and events
 *   path.c     path records from the SA
 *   connect.c  connecting and disconnecting
 *   altpath.c  LAP, APR and re-arming
 *   follow.c   doing all of it by itself when ports fail and come back
 *   traffic.c  numbered messages both ways
 *   count.c    counters
 *   command.c  debugfs: commands;  report.c: what can be read
 *
 * Locks: pair->mutex is for whoever uses an end's QP and cm_id from a process; it
 * is not held while a cm_id is destroyed, which waits for callbacks. A callback
 * of ib_cm needs no lock to use them, because the cm_id goes first. end->lock is
 * for what QP events and completions touch.
 */
#ifndef APM_PEER_H
#define APM_PEER_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>
#include <linux/xarray.h>
#include <rdma/ib_cm.h>
#include <rdma/ib_cm_apm.h>
#include <rdma/ib_sa.h>
#include <rdma/ib_verbs.h>

#define PEER_PORTS		2	/* of a device; ports beyond are not used */
#define PEER_SENDS		4	/* under way from one end */
#define PEER_RECVS		8	/* posted at one end */
#define PEER_MSG_MIN		32
#define PEER_MSG_MAX		65536
#define PEER_CQES		32768
#define PEER_REQS		32	/* without REP at any time */

/*
 * The functions under test. They are weak, so that this module loads beside
 * an ib_cm that does not have them, and its tests of what such an ib_cm does can
 * run there.
 */
extern typeof(ib_cm_accept_lap) ib_cm_accept_lap __weak;
extern typeof(ib_send_cm_lap) ib_send_cm_lap __weak;
extern typeof(ib_send_cm_apr) ib_send_cm_apr __weak;

enum peer_side { PEER_ACTIVE, PEER_PASSIVE, PEER_SIDES };

#define PEER_BOTH		(BIT(PEER_ACTIVE) | BIT(PEER_PASSIVE))

enum peer_state {
	PEER_NEW,
	PEER_CONNECTING,
	PEER_ESTABLISHED,
	PEER_CLOSING,
	PEER_CLOSED,
	PEER_FAILED,
};

/* What is counted, at each side; count.c has their names */
enum peer_count {
	PEER_CNT_ESTABLISHED,
	PEER_CNT_FAILED,
	PEER_CNT_PATH_MIG,
	PEER_CNT_PATH_MIG_ERR,
	PEER_CNT_NOTIFY,
	PEER_CNT_NOTIFY_FAILED,
	PEER_CNT_MIGRATE,
	PEER_CNT_MIGRATE_FAILED,
	PEER_CNT_LAP_SENT,
	PEER_CNT_LAP_REFUSED,
	PEER_CNT_LAP_RECEIVED,
	PEER_CNT_LAP_ERROR,
	PEER_CNT_APR_SENT,
	PEER_CNT_APR_REFUSED,
	PEER_CNT_APR_RECEIVED,
	PEER_CNT_APR_SUCCESS,
	PEER_CNT_REARM,
	PEER_CNT_REARM_FAILED,
	PEER_CNT_MRA_SENT,
	PEER_CNT_MRA_RECEIVED,
	PEER_CNT_REJ_RECEIVED,
	PEER_CNT_DREQ_RECEIVED,
	PEER_CNT_DREP_RECEIVED,
	PEER_CNT_DREQ_ERROR,
	PEER_CNT_TIMEWAIT_EXIT,
	PEER_CNT_CM_OTHER,
	PEER_CNT_SA_FAILED,
	PEER_CNT_PORT_ERR,
	PEER_CNT_PORT_ACTIVE,
	PEER_CNT_NOTICE_OUT,
	PEER_CNT_NOTICE_IN,
	PEER_CNT_MSG_SENT,
	PEER_CNT_MSG_SEND_FAILED,
	PEER_CNT_MSG_RECEIVED,
	PEER_CNT_MSG_LOST,
	PEER_CNT_MSG_TWICE,
	PEER_CNT_MSG_DAMAGED,
	PEER_COUNTS
};

/* What a connection is to be like */
struct peer_options {
	char	active[IB_DEVICE_NAME_MAX];
	char	passive[IB_DEVICE_NAME_MAX];
	char	altdev[IB_DEVICE_NAME_MAX];	/* "": the active device */
	u32	count;
	u32	port;
	u32	alt;		/* port of the alternate path, 0: none */
	u32	grh;
	u32	mtu;		/* bytes */
	u32	size;		/* bytes of a message */
	u32	life;		/* 4.096 us << life in place of the SA's, 0: not */
	u32	retries;	/* of the QP */
	u32	cm_retries;
	u32	cm_timeout;	/* 4.096 us << cm_timeout */
};

/* A device in use */
struct peer_dev {
	struct list_head	list;
	struct ib_device	*ibdev;
	struct ib_pd		*pd;
	struct ib_cq		*cq;
	struct ib_cm_id		*listener;
	struct ib_event_handler	events;
	struct work_struct	port_work[PEER_PORTS + 1];
	unsigned long		port_events;	/* see follow.c */
};

struct peer_msg {
	struct ib_cqe		cqe;
	struct peer_end		*end;
	void			*buf;
	u64			dma;
	bool			busy;
};

struct peer_end {
	struct peer_pair	*pair;
	enum peer_side		side;
	struct peer_dev		*dev;
	struct ib_qp		*qp;
	enum peer_state		state;
	int			error;		/* why it failed, or 0 */
	u32			psn;		/* the other end's first */
	u32			last_status;	/* of a send that failed */
	bool			alt_elsewhere;	/* no path of this QP */
	u8			apr_status;	/* of the last APR */
	struct delayed_work	lap_work;	/* follow.c */
	u8			lap_port;
	u8			lap_tries;

	spinlock_t		lock;		/* what follows */
	struct ib_cm_id		*cm_id;
	bool			gone;		/* cm_id is being destroyed */
	u32			port;		/* where ib_cm takes the path to be */
	u32			told;		/* migrations ib_cm knows of */
	u32			seen;		/* PATH_MIG events */
	bool			running;	/* messages may be sent */
	u64			sent;
	u64			send_failed;
	u64			received;
	u64			lost;
	u64			twice;
	u64			damaged;
	u64			send_done;
	u64			expected;	/* number of the next to come */
	u64			to_send;	/* by the command "send" */
	struct peer_msg		send[PEER_SENDS];
	struct peer_msg		recv[PEER_RECVS];
	void			*bufs;
};

struct peer_pair {
	struct kref		ref;
	u32			index;
	struct mutex		mutex;		/* see above */
	bool			closing;
	struct peer_options	opt;
	struct peer_end		end[PEER_SIDES];
};

/* What the passive end does when a LAP comes */
enum peer_answer {
	PEER_ACCEPT,
	PEER_REJECT,
	PEER_HOLD,	/* nothing, until the command "apr" */
	PEER_MRA,	/* MRA, then as PEER_HOLD */
};

struct peer_policy {
	enum peer_answer	answer;
	u32			mra_timeout;	/* 4.096 us << this */
	u32			notify;		/* call ib_cm_notify() on PATH_MIG */
	u32			follow;		/* see follow.c */
	u32			laps;		/* tell ib_cm that LAPs are welcome */
	u32			interval_ms;	/* between messages */
};

/* main.c */
extern struct peer_policy peer_policy;
extern struct workqueue_struct *peer_wq;
extern wait_queue_head_t peer_waitq;	/* something changed */

/* device.c */
int peer_devices_init(void);
void peer_devices_exit(void);
struct peer_dev *peer_dev_find(const char *name);
int peer_dev_open(struct peer_dev *dev);
int peer_dev_gid(struct peer_dev *dev, u32 port, union ib_gid *gid);
u32 peer_dev_port_of(struct peer_dev *dev, const union ib_gid *gid);
extern struct mutex peer_devices_mutex;

/* pair.c */
struct peer_pair *peer_pair_create(const struct peer_options *opt,
				   struct peer_dev *active,
				   struct peer_dev *passive);
struct peer_pair *peer_pair_get(u32 index);
struct peer_pair *peer_pair_next(unsigned long *index);
void peer_pair_put(struct peer_pair *pair);
void peer_pair_destroy(struct peer_pair *pair);
void peer_pairs_destroy(struct peer_dev *dev);
void peer_end_destroy(struct peer_end *end);
bool peer_pairs_none(void);
typedef int (*peer_end_fn)(struct peer_end *end, void *arg);
int peer_call_ends(s64 index, unsigned int sides, peer_end_fn fn, void *arg);

/* qp.c */
int peer_qp_create(struct peer_end *end);
int peer_qp_to(struct peer_end *end, enum ib_qp_state state);
int peer_qp_migrate(struct peer_end *end);
int peer_qp_rearm(struct peer_end *end);
int peer_qp_query(struct peer_end *end, struct ib_qp_attr *attr);
void peer_qp_destroy(struct peer_end *end);
int peer_qp_sync(struct peer_end *end);
int peer_notify(struct peer_end *end, enum ib_event_type event);

/* path.c */
void peer_path_init(void);
void peer_path_exit(void);
int peer_path_get(struct peer_end *end, struct peer_dev *dev, u32 port,
		  struct sa_path_rec *rec);

/* connect.c */
int peer_connect(struct peer_pair *pair);
int peer_cm_handler(struct ib_cm_id *cm_id, const struct ib_cm_event *event);
void peer_set_state(struct peer_end *end, enum peer_state state, int error);
__be64 peer_service_id(void);
const char *peer_state_name(enum peer_state state);
int peer_connecting(void);

/* altpath.c */
int peer_lap_send(struct peer_end *end, u32 port);
int peer_apr_send(struct peer_end *end, enum ib_cm_apr_status status);
int peer_apr_accept(struct peer_end *end);
void peer_lap_received(struct peer_end *end,
		       const struct ib_cm_lap_event_param *lap);
void peer_apr_received(struct peer_end *end,
		       const struct ib_cm_apr_event_param *apr);

/* follow.c */
void peer_follow_init(struct peer_end *end);
void peer_follow_stop(struct peer_end *end);
void peer_follow_port(struct peer_dev *dev, u32 port, bool up);
void peer_follow_notice(const union ib_gid *gid, bool in);
void peer_follow_lap_failed(struct peer_end *end);

/* traffic.c */
int peer_traffic_init(struct peer_end *end);
int peer_traffic_start(struct peer_end *end);
void peer_traffic_allow(struct peer_end *end);
void peer_traffic_stop(struct peer_end *end);
void peer_traffic_fini(struct peer_end *end);
int peer_traffic_order(struct peer_end *end, u64 messages);
void peer_traffic_run(bool on);
void peer_traffic_exit(void);
bool peer_traffic_quiet(struct peer_end *end);

/* count.c */
void peer_count(enum peer_side side, enum peer_count what);
void peer_count_add(enum peer_side side, enum peer_count what, u64 n);
u64 peer_counted(enum peer_side side, enum peer_count what);
int peer_count_by_name(const char *name, u64 *value);
const char *peer_count_name(enum peer_count what);
void peer_count_reset(void);

/* command.c, report.c */
extern const struct file_operations peer_command_fops;
extern const struct file_operations peer_notice_fops;
void peer_report_init(struct dentry *dir);

static inline const char *peer_side_name(enum peer_side side)
{
	return side == PEER_ACTIVE ? "active" : "passive";
}

static inline struct peer_end *peer_other(struct peer_end *end)
{
	return &end->pair->end[!end->side];
}

#endif
