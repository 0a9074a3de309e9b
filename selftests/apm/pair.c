// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* The table of pairs, and their life */
#include <linux/slab.h>

#include "peer.h"

static DEFINE_XARRAY_ALLOC(peer_pairs);

static void peer_end_init(struct peer_pair *pair, enum peer_side side,
			  struct peer_dev *dev)
{
	struct peer_end *end = &pair->end[side];

	end->pair = pair;
	end->side = side;
	end->dev = dev;
	spin_lock_init(&end->lock);
	peer_follow_init(end);
}

struct peer_pair *peer_pair_create(const struct peer_options *opt,
				   struct peer_dev *active,
				   struct peer_dev *passive)
{
	struct peer_pair *pair = kzalloc(sizeof(*pair), GFP_KERNEL);
	int ret;

	if (!pair)
		return ERR_PTR(-ENOMEM);
	kref_init(&pair->ref);
	mutex_init(&pair->mutex);
	pair->opt = *opt;
	peer_end_init(pair, PEER_ACTIVE, active);
	peer_end_init(pair, PEER_PASSIVE, passive);
	pair->end[PEER_ACTIVE].alt_elsewhere = opt->altdev[0];
	ret = xa_alloc(&peer_pairs, &pair->index, pair, xa_limit_31b,
		       GFP_KERNEL);
	if (!ret)
		return pair;
	kfree(pair);
	return ERR_PTR(ret);
}

static void peer_pair_free(struct kref *ref)
{
	kfree(container_of(ref, struct peer_pair, ref));
}

void peer_pair_put(struct peer_pair *pair)
{
	kref_put(&pair->ref, peer_pair_free);
}

struct peer_pair *peer_pair_get(u32 index)
{
	struct peer_pair *pair;

	xa_lock(&peer_pairs);
	pair = xa_load(&peer_pairs, index);
	if (pair)
		kref_get(&pair->ref);
	xa_unlock(&peer_pairs);
	return pair;
}

/* The first pair from *@index on, referenced, or NULL; *@index is its number. */
struct peer_pair *peer_pair_next(unsigned long *index)
{
	struct peer_pair *pair;

	xa_lock(&peer_pairs);
	pair = xa_find(&peer_pairs, index, ULONG_MAX, XA_PRESENT);
	if (pair)
		kref_get(&pair->ref);
	xa_unlock(&peer_pairs);
	return pair;
}

bool peer_pairs_none(void)
{
	return xa_empty(&peer_pairs);
}

/* The end's cm_id goes, then its QP. Nothing else uses either any more. */
void peer_end_destroy(struct peer_end *end)
{
	struct ib_cm_id *cm_id;

	peer_follow_stop(end);
	spin_lock_irq(&end->lock);
	cm_id = end->cm_id;
	end->gone = true;
	spin_unlock_irq(&end->lock);
	if (cm_id)
		ib_destroy_cm_id(cm_id);
	peer_traffic_stop(end);
	peer_qp_destroy(end);
	peer_traffic_fini(end);
	if (end->state == PEER_CONNECTING)
		peer_set_state(end, PEER_CLOSED, 0);
}

/* Consumes the caller's reference. */
void peer_pair_destroy(struct peer_pair *pair)
{
	bool closing;

	mutex_lock(&pair->mutex);
	closing = pair->closing;
	pair->closing = true;
	mutex_unlock(&pair->mutex);
	if (!closing) {
		peer_end_destroy(&pair->end[PEER_ACTIVE]);
		peer_end_destroy(&pair->end[PEER_PASSIVE]);
		xa_erase(&peer_pairs, pair->index);
		peer_pair_put(pair);	/* the table's */
	}
	peer_pair_put(pair);
}

/*
 * All pairs, or those with an end on @dev. Somebody else may be at destroying
 * one of them, so wait until none is left.
 */
void peer_pairs_destroy(struct peer_dev *dev)
{
	struct peer_pair *pair;
	unsigned long index;
	bool found;

	do {
		found = false;
		for (index = 0; (pair = peer_pair_next(&index)); index++) {
			if (dev && pair->end[PEER_ACTIVE].dev != dev &&
			    pair->end[PEER_PASSIVE].dev != dev) {
				peer_pair_put(pair);
				continue;
			}
			found = true;
			peer_pair_destroy(pair);
		}
		if (found)
			schedule_timeout_uninterruptible(1);
	} while (found);
}

/*
 * Call @fn for the ends of one pair, or of all if @index is negative, in the pair's
 * mutex. Returns the first error, having called it for all; -ENOENT if there is
 * no such pair.
 */
int peer_call_ends(s64 index, unsigned int sides, peer_end_fn fn, void *arg)
{
	unsigned long i = index < 0 ? 0 : index;
	struct peer_pair *pair;
	enum peer_side side;
	int ret = 0, err;

	if (index >= 0 && !xa_load(&peer_pairs, index))
		return -ENOENT;
	while ((pair = peer_pair_next(&i))) {
		if (index >= 0 && i != index) {
			peer_pair_put(pair);
			break;
		}
		i++;
		mutex_lock(&pair->mutex);
		for (side = 0; side < PEER_SIDES && !pair->closing; side++) {
			if (!(sides & BIT(side)))
				continue;
			err = fn(&pair->end[side], arg);
			ret = ret ? ret : err;
		}
		mutex_unlock(&pair->mutex);
		peer_pair_put(pair);
	}
	return ret;
}
