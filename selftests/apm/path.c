// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Path records, asked of the SA through ib_sa */
#include <linux/completion.h>

#include "peer.h"

#define PEER_SA_MS	2000

static struct ib_sa_client peer_sa;

struct peer_query {
	struct completion done;
	struct sa_path_rec rec;
	int status;
};

void peer_path_init(void)
{
	ib_sa_register_client(&peer_sa);
}

void peer_path_exit(void)
{
	ib_sa_unregister_client(&peer_sa);
}

static void peer_path_done(int status, struct sa_path_rec *rec,
			   unsigned int records, void *context)
{
	struct peer_query *query = context;

	query->status = status;
	if (!status && rec)
		query->rec = *rec;
	else if (!status)
		query->status = -ENOENT;
	complete(&query->done);
}

static int peer_path_query(struct peer_dev *dev, u32 port,
			   struct peer_query *query)
{
	struct ib_sa_query *sa_query;
	int ret;

	init_completion(&query->done);
	ret = ib_sa_path_rec_get(&peer_sa, dev->ibdev, port, &query->rec,
				 IB_SA_PATH_REC_DGID | IB_SA_PATH_REC_SGID |
				 IB_SA_PATH_REC_NUMB_PATH |
				 IB_SA_PATH_REC_REVERSIBLE |
				 IB_SA_PATH_REC_PKEY,
				 PEER_SA_MS, GFP_KERNEL, peer_path_done, query,
				 &sa_query);
	if (ret < 0)
		return ret;
	wait_for_completion(&query->done);
	return query->status;
}

/* What the options of a connection change about a path */
static void peer_path_adapt(const struct peer_options *opt,
			    struct sa_path_rec *rec)
{
	/*
	 * A hop limit of 1 asks for a GRH on a path that is still local to the
	 * subnet.
	 */
	rec->hop_limit = opt->grh ? 1 : 0;
	rec->mtu_selector = IB_SA_EQ;
	rec->mtu = ib_mtu_int_to_enum(opt->mtu);
	if (opt->life)
		rec->packet_life_time = opt->life;
}

/* The path from @port of @dev to the same port of the other end */
int peer_path_get(struct peer_end *end, struct peer_dev *dev, u32 port,
		  struct sa_path_rec *rec)
{
	struct peer_query query = { };
	int ret;

	query.rec.rec_type = SA_PATH_REC_TYPE_IB;
	query.rec.numb_path = 1;
	query.rec.reversible = 1;
	query.rec.pkey = cpu_to_be16(IB_DEFAULT_PKEY_FULL);
	ret = peer_dev_gid(dev, port, &query.rec.sgid);
	if (!ret)
		ret = peer_dev_gid(peer_other(end)->dev, port, &query.rec.dgid);
	if (!ret)
		ret = peer_path_query(dev, port, &query);
	if (ret) {
		peer_count(end->side, PEER_CNT_SA_FAILED);
		return ret;
	}
	*rec = query.rec;
	peer_path_adapt(&end->pair->opt, rec);
	return 0;
}
