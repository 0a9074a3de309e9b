// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * debugfs: "command" takes one command with NAME=VALUE words, README.md lists
 * them; a write returns when it is done. "notice" takes "in GID" and "out GID".
 */
#include <linux/fs.h>
#include <linux/inet.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "peer.h"

#define PEER_LINE_MAX		256
#define PEER_WAIT_MS		30000
#define PEER_POLL_MS		10

/* One command at a time */
static DEFINE_MUTEX(peer_command_mutex);

/* All words that any command takes, and their defaults */
struct peer_words {
	struct peer_options opt;
	char side[8];
	char answer[8];
	u32 pair;
	u32 timeout_ms;
	u32 messages;
	u32 status;
	u32 mra_timeout;
	u32 notify;
	u32 follow;
	u32 laps;
	u32 interval_ms;
	u32 traffic;
};

#define PEER_AT(field)		offsetof(struct peer_words, field)
#define PEER_LEN(field)		sizeof_field(struct peer_words, field)

static const struct peer_word {
	const char *name;
	size_t offset;
	size_t len;	/* of a string, 0: a number */
	u32 max;
} peer_words[] = {
	{ "active", PEER_AT(opt.active), PEER_LEN(opt.active) },
	{ "passive", PEER_AT(opt.passive), PEER_LEN(opt.passive) },
	{ "altdev", PEER_AT(opt.altdev), PEER_LEN(opt.altdev) },
	{ "side", PEER_AT(side), PEER_LEN(side) },
	{ "answer", PEER_AT(answer), PEER_LEN(answer) },
	{ "count", PEER_AT(opt.count), 0, 10000 },
	{ "port", PEER_AT(opt.port), 0, PEER_PORTS },
	{ "alt", PEER_AT(opt.alt), 0, PEER_PORTS },
	{ "grh", PEER_AT(opt.grh), 0, 1 },
	{ "mtu", PEER_AT(opt.mtu), 0, 4096 },
	{ "size", PEER_AT(opt.size), 0, PEER_MSG_MAX },
	{ "life", PEER_AT(opt.life), 0, 31 },
	{ "retries", PEER_AT(opt.retries), 0, 7 },
	{ "cm_retries", PEER_AT(opt.cm_retries), 0, 15 },
	{ "cm_timeout", PEER_AT(opt.cm_timeout), 0, 31 },
	{ "pair", PEER_AT(pair), 0, S32_MAX },
	{ "timeout_ms", PEER_AT(timeout_ms), 0, 600000 },
	{ "messages", PEER_AT(messages), 0, 1000000 },
	{ "status", PEER_AT(status), 0, 255 },
	{ "mra_timeout", PEER_AT(mra_timeout), 0, 31 },
	{ "notify", PEER_AT(notify), 0, 1 },
	{ "follow", PEER_AT(follow), 0, 1 },
	{ "laps", PEER_AT(laps), 0, 1 },
	{ "interval_ms", PEER_AT(interval_ms), 0, 60000 },
	{ "traffic", PEER_AT(traffic), 0, 1 },
};

#define PEER_UNSET	U32_MAX

static void peer_words_default(struct peer_words *w)
{
	*w = (struct peer_words) {
		.opt = {
			.active = "vfab0",
			.passive = "vfab1",
			.count = 1,
			.port = 1,
			.alt = 2,
			.mtu = 256,
			.size = 600,	/* three packets */
			.retries = 2,
			.cm_retries = 3,
			.cm_timeout = 16,
		},
		.side = "both",
		.pair = PEER_UNSET,
		.timeout_ms = PEER_WAIT_MS,
		.messages = 1,
		.mra_timeout = PEER_UNSET,
		.notify = PEER_UNSET,
		.follow = PEER_UNSET,
		.laps = PEER_UNSET,
		.interval_ms = PEER_UNSET,
		.traffic = PEER_UNSET,
	};
}

static int peer_word_set(struct peer_words *w, const char *name,
			 const char *value)
{
	const struct peer_word *word;
	void *field;
	u32 *number;

	for (word = peer_words; word < peer_words + ARRAY_SIZE(peer_words);
	     word++) {
		if (strcmp(word->name, name))
			continue;
		field = (void *)w + word->offset;
		if (word->len)
			return strscpy(field, value, word->len) < 0 ?
			       -EINVAL : 0;
		number = field;
		if (kstrtou32(value, 0, number))
			return -EINVAL;
		return *number > word->max ? -ERANGE : 0;
	}
	return -EINVAL;
}

static int peer_words_parse(struct peer_words *w, char *line)
{
	char *word, *value;
	int ret = 0;

	peer_words_default(w);
	while (!ret && (word = strsep(&line, " "))) {
		if (!*word)
			continue;
		value = strchr(word, '=');
		if (!value)
			return -EINVAL;
		*value++ = '\0';
		ret = peer_word_set(w, word, value);
	}
	return ret;
}

static int peer_words_sides(const struct peer_words *w)
{
	if (!strcmp(w->side, "both"))
		return PEER_BOTH;
	if (!strcmp(w->side, "active"))
		return BIT(PEER_ACTIVE);
	return strcmp(w->side, "passive") ? -EINVAL : BIT(PEER_PASSIVE);
}

static s64 peer_words_pair(const struct peer_words *w)
{
	return w->pair == PEER_UNSET ? -1 : (s64)w->pair;
}

static int peer_on_ends(const struct peer_words *w, peer_end_fn fn, void *arg)
{
	int sides = peer_words_sides(w);

	if (sides < 0)
		return sides;
	return peer_call_ends(peer_words_pair(w), sides, fn, arg);
}

/* ---- waiting ---- */

static bool peer_timed_out(unsigned long end)
{
	return time_after(jiffies, end) || signal_pending(current);
}

static int peer_wait_error(void)
{
	return signal_pending(current) ? -EINTR : -ETIMEDOUT;
}

struct peer_until {
	const char *what;
	u64 least;	/* of a counter */
};

/* -EAGAIN: not yet */
static int peer_end_is(struct peer_end *end, void *arg)
{
	const struct peer_until *until = arg;
	const char *what = until->what;
	enum peer_state state = READ_ONCE(end->state);
	struct ib_qp_attr attr;
	enum ib_mig_state mig;

	if (!strcmp(what, "quiet"))
		return peer_traffic_quiet(end) ? 0 : -EAGAIN;
	if (!strcmp(what, "idle"))	/* no LAP is under way */
		return end->cm_id && end->cm_id->lap_state <= IB_CM_LAP_IDLE ?
		       0 : -EAGAIN;
	if (!strcmp(what, peer_state_name(PEER_ESTABLISHED)))
		return state == PEER_ESTABLISHED ? 0 : -EAGAIN;
	if (!strcmp(what, peer_state_name(PEER_CLOSED)))
		return state == PEER_CLOSED || state == PEER_FAILED ?
		       0 : -EAGAIN;
	if (!strcmp(what, "armed"))
		mig = IB_MIG_ARMED;
	else if (!strcmp(what, "migrated"))
		mig = IB_MIG_MIGRATED;
	else
		return -EINVAL;
	if (peer_qp_query(end, &attr))
		return -EAGAIN;
	return attr.path_mig_state == mig ? 0 : -EAGAIN;
}

static int peer_counter_is(const struct peer_until *until)
{
	u64 value;
	int ret = peer_count_by_name(until->what, &value);

	if (ret)
		return ret;
	return value >= until->least ? 0 : -EAGAIN;
}

/* wait WHAT [side= pair= timeout_ms=], or: wait COUNTER [messages=LEAST] */
static int peer_cmd_wait(const char *what, struct peer_words *w)
{
	unsigned long end = jiffies + msecs_to_jiffies(w->timeout_ms);
	struct peer_until until = { .what = what, .least = w->messages };
	bool counter = strchr(what, '_');
	int ret;

	for (;;) {
		ret = counter ? peer_counter_is(&until) :
				peer_on_ends(w, peer_end_is, &until);
		if (ret != -EAGAIN)
			return ret;
		if (peer_timed_out(end))
			return peer_wait_error();
		schedule_timeout_interruptible(msecs_to_jiffies(PEER_POLL_MS));
	}
}

/* ---- connecting ---- */

static int peer_check_options(const struct peer_options *opt)
{
	if (opt->size < PEER_MSG_MIN || !opt->port || !opt->count)
		return -EINVAL;
	if (opt->mtu < 256 || !is_power_of_2(opt->mtu))
		return -EINVAL;
	if (!strcmp(opt->active, opt->passive))
		return -EINVAL;
	return 0;
}

static struct peer_pair *peer_new_pair(const struct peer_options *opt)
{
	struct peer_dev *active, *passive;
	struct peer_pair *pair;
	int ret;

	mutex_lock(&peer_devices_mutex);
	active = peer_dev_find(opt->active);
	passive = peer_dev_find(opt->passive);
	ret = active && passive ? 0 : -ENODEV;
	if (!ret)
		ret = peer_dev_open(active);
	if (!ret)
		ret = peer_dev_open(passive);
	/* in the table before one of the devices can go */
	pair = ret ? ERR_PTR(ret) : peer_pair_create(opt, active, passive);
	if (!IS_ERR(pair))
		kref_get(&pair->ref);
	mutex_unlock(&peer_devices_mutex);
	return pair;
}

static int peer_connect_one(const struct peer_options *opt)
{
	struct peer_pair *pair = peer_new_pair(opt);
	int ret;

	if (IS_ERR(pair))
		return PTR_ERR(pair);
	ret = peer_connect(pair);
	peer_pair_put(pair);
	return ret;
}

static int peer_wait_connecting(int most, unsigned long end)
{
	while (peer_connecting() > most) {
		if (peer_timed_out(end))
			return peer_wait_error();
		wait_event_interruptible_timeout(peer_waitq,
						 peer_connecting() <= most,
						 msecs_to_jiffies(PEER_POLL_MS));
	}
	return 0;
}

static int peer_cmd_connect(struct peer_words *w)
{
	unsigned long end = jiffies + msecs_to_jiffies(w->timeout_ms);
	u64 failed = peer_counted(PEER_ACTIVE, PEER_CNT_FAILED);
	int ret = peer_check_options(&w->opt);
	u32 i;

	for (i = 0; i < w->opt.count && !ret; i++) {
		ret = peer_wait_connecting(PEER_REQS - 1, end);
		if (!ret)
			ret = peer_connect_one(&w->opt);
	}
	if (!ret)
		ret = peer_wait_connecting(0, end);
	if (!ret && peer_counted(PEER_ACTIVE, PEER_CNT_FAILED) != failed)
		ret = -ECONNREFUSED;
	return ret;
}

static int peer_end_disconnect(struct peer_end *end, void *arg)
{
	int ret;

	if (!end->cm_id || end->state != PEER_ESTABLISHED)
		return -ENOTCONN;
	peer_traffic_stop(end);
	peer_set_state(end, PEER_CLOSING, 0);
	ret = ib_send_cm_dreq(end->cm_id, NULL, 0);
	/* the end that the other one's DREQ came to first has closed already */
	if (ret)
		peer_set_state(end, PEER_CLOSED, ret);
	return ret;
}

static int peer_cmd_destroy(struct peer_words *w)
{
	struct peer_pair *pair;

	if (w->pair == PEER_UNSET) {
		peer_pairs_destroy(NULL);
		return 0;
	}
	pair = peer_pair_get(w->pair);
	if (!pair)
		return -ENOENT;
	peer_pair_destroy(pair);
	return 0;
}

/* ---- the rest ---- */

static int peer_end_lap(struct peer_end *end, void *arg)
{
	return peer_lap_send(end, *(u32 *)arg);
}

static int peer_end_apr(struct peer_end *end, void *arg)
{
	u32 status = *(u32 *)arg;

	return status == IB_CM_APR_SUCCESS ? peer_apr_accept(end) :
					     peer_apr_send(end, status);
}

static int peer_end_migrate(struct peer_end *end, void *arg)
{
	return peer_qp_migrate(end);
}

static int peer_end_rearm(struct peer_end *end, void *arg)
{
	return end->cm_id ? peer_qp_rearm(end) : -ENOTCONN;
}

static int peer_end_notify(struct peer_end *end, void *arg)
{
	return peer_notify(end, IB_EVENT_PATH_MIG);
}

static int peer_end_rej(struct peer_end *end, void *arg)
{
	if (!end->cm_id)
		return -ENOTCONN;
	return ib_send_cm_rej(end->cm_id, IB_CM_REJ_CONSUMER_DEFINED, NULL, 0,
			      NULL, 0);
}

static int peer_end_send(struct peer_end *end, void *arg)
{
	return peer_traffic_order(end, *(u32 *)arg);
}

static int peer_cmd_set(struct peer_words *w)
{
	static const char * const answers[] = {
		[PEER_ACCEPT]	= "accept",
		[PEER_REJECT]	= "reject",
		[PEER_HOLD]	= "hold",
		[PEER_MRA]	= "mra",
	};
	int answer;

	if (w->answer[0]) {
		answer = match_string(answers, ARRAY_SIZE(answers), w->answer);
		if (answer < 0)
			return answer;
		peer_policy.answer = answer;
	}
	if (w->mra_timeout != PEER_UNSET)
		peer_policy.mra_timeout = w->mra_timeout;
	if (w->notify != PEER_UNSET)
		peer_policy.notify = w->notify;
	if (w->follow != PEER_UNSET)
		peer_policy.follow = w->follow;
	if (w->laps != PEER_UNSET)
		peer_policy.laps = w->laps;
	if (w->interval_ms != PEER_UNSET)
		peer_policy.interval_ms = w->interval_ms;
	if (w->traffic != PEER_UNSET)
		peer_traffic_run(w->traffic);
	return 0;
}

static int peer_command(const char *name, struct peer_words *w)
{
	if (!strcmp(name, "connect"))
		return peer_cmd_connect(w);
	if (!strcmp(name, "disconnect"))
		return peer_on_ends(w, peer_end_disconnect, NULL);
	if (!strcmp(name, "destroy"))
		return peer_cmd_destroy(w);
	if (!strcmp(name, "lap"))
		return peer_on_ends(w, peer_end_lap, &w->opt.port);
	if (!strcmp(name, "apr"))
		return peer_on_ends(w, peer_end_apr, &w->status);
	if (!strcmp(name, "rej"))
		return peer_on_ends(w, peer_end_rej, NULL);
	if (!strcmp(name, "migrate"))
		return peer_on_ends(w, peer_end_migrate, NULL);
	if (!strcmp(name, "rearm"))
		return peer_on_ends(w, peer_end_rearm, NULL);
	if (!strcmp(name, "notify"))
		return peer_on_ends(w, peer_end_notify, NULL);
	if (!strcmp(name, "send"))
		return peer_on_ends(w, peer_end_send, &w->messages);
	if (!strcmp(name, "set"))
		return peer_cmd_set(w);
	if (!strcmp(name, "reset")) {
		peer_count_reset();
		return 0;
	}
	return -EINVAL;
}

static int peer_line(char *line)
{
	char *name = strsep(&line, " ");
	char *what = NULL;
	struct peer_words w;
	int ret;

	if (!strcmp(name, "wait")) {
		what = strsep(&line, " ");
		if (!what)
			return -EINVAL;
	}
	ret = peer_words_parse(&w, line);
	if (ret)
		return ret;
	return what ? peer_cmd_wait(what, &w) : peer_command(name, &w);
}

static char *peer_copy_line(const char __user *ubuf, size_t len)
{
	char *line;

	if (len > PEER_LINE_MAX)
		return ERR_PTR(-EINVAL);
	line = memdup_user_nul(ubuf, len);
	return IS_ERR(line) ? line : strim(line);
}

static ssize_t peer_command_write(struct file *file, const char __user *ubuf,
				  size_t len, loff_t *off)
{
	char *line = peer_copy_line(ubuf, len);
	int ret;

	if (IS_ERR(line))
		return PTR_ERR(line);
	ret = mutex_lock_interruptible(&peer_command_mutex);
	if (!ret) {
		ret = peer_line(line);
		mutex_unlock(&peer_command_mutex);
	}
	kfree(line);
	return ret ? ret : len;
}

const struct file_operations peer_command_fops = {
	.owner = THIS_MODULE,
	.write = peer_command_write,
	.llseek = noop_llseek,
};

static ssize_t peer_notice_write(struct file *file, const char __user *ubuf,
				 size_t len, loff_t *off)
{
	char *line = peer_copy_line(ubuf, len);
	union ib_gid gid;
	char *gid_text;
	int ret = -EINVAL;
	bool in;

	if (IS_ERR(line))
		return PTR_ERR(line);
	gid_text = strchr(line, ' ');
	if (!gid_text)
		goto out;
	*gid_text++ = '\0';
	in = !strcmp(line, "in");
	if (!in && strcmp(line, "out"))
		goto out;
	if (!in6_pton(gid_text, -1, gid.raw, -1, NULL))
		goto out;
	peer_follow_notice(&gid, in);
	ret = 0;
out:
	kfree(line);
	return ret ? ret : len;
}

const struct file_operations peer_notice_fops = {
	.owner = THIS_MODULE,
	.write = peer_notice_write,
	.llseek = noop_llseek,
};
