// SPDX-License-Identifier: GPL-2.0
/*
 * Starts QEMU, hands the agent in the guest its job (see channel.h), passes
 * output, terminal input and window sizes, keeps the time limit, and leaves
 * nothing behind: no process, no file, no changed terminal.
 *
 * Called by run, which also writes QEMU's command line. That must use the
 * descriptors CHANNEL_FD and LOG_FD, which this program opens:
 *   -chardev socket,id=channel,fd=3   the channel
 *   -chardev socket,id=log,fd=4       the guest's serial console
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

#include "channel.h"

#define CHANNEL_FD 3
#define LOG_FD 4

/* Exit statuses of our own; README.md lists them. */
enum {
	EXIT_PANIC = 120,	/* the guest's kernel panicked */
	EXIT_DIED = 121,	/* the guest ended without a status */
	EXIT_WARNED = 122,	/* the guest's kernel reported a bug */
	EXIT_EXPIRED = 124,	/* the time limit was hit */
	EXIT_VM = 125,		/* the machine could not be started */
};

/* Bits of /proc/sys/kernel/tainted that mean "the kernel found a bug". */
#define TAINT_BAD_PAGE (1 << 5)		/* also set by KASAN */
#define TAINT_DIE (1 << 7)
#define TAINT_WARN (1 << 9)
#define TAINT_SOFTLOCKUP (1 << 14)
#define TAINT_BUG (TAINT_BAD_PAGE | TAINT_DIE | TAINT_WARN | TAINT_SOFTLOCKUP)

/* With `-action panic=exit-failure`, QEMU ends with this when pvpanic fires. */
#define QEMU_PANIC_STATUS 1

#define LOG_KEEP (1 << 20)	/* bytes of kernel log kept */
#define LOG_TAIL_LINES 80	/* shown when nothing in it stands out */
#define BOOT_LIMIT_S 240	/* ample for a debug kernel on a busy host */
#define BOOTS_MAX 3
#define BOOT_COUNT "MADRETRY_VM_BOOT"	/* which of them this is */
#define EXPIRY_GRACE_MS 2000	/* for the guest to log what is blocked */
#define ABORT_KEY 0x1d		/* Ctrl-] */
#define ABORT_PRESSES 3

struct options {
	int timeout_s;		/* for the command; 0: none */
	int tty;
	int allow_warn;
	const char *log_path;
};

struct buffer {
	char *data;
	size_t len, size;
};

struct machine {
	struct options opt;
	pid_t qemu;
	int channel;		/* to the agent; -1 once QEMU closed it */
	int log;		/* serial console; -1 once closed */
	int log_file;		/* --log, -1 without */
	char kept[LOG_KEEP];	/* the last LOG_KEEP bytes of the log */
	size_t kept_len;
	struct buffer in;	/* from the channel, not yet handled */
	struct buffer out;	/* to the channel, not yet written */
	const char *data;	/* part of in: payload being passed on ... */
	size_t data_left;
	int data_fd;		/* ... to our stdout or stderr */
	size_t consumed;	/* bytes of in that are done with */
	int started;		/* the command runs */
	long long deadline;	/* of this phase, as now_ms(); 0: none */
	int have_status;
	struct status status;
	int aborted;		/* by the key at the terminal */
	int aborts_seen;
	int input_open;		/* our stdin still gives input */
};

static volatile sig_atomic_t caught_signal;
static volatile sig_atomic_t window_changed;
static struct termios saved_termios;
static int terminal_is_raw;

static void __attribute__((format(printf, 1, 2))) say(const char *fmt, ...)
{
	va_list ap;

	fputs("vm: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

static void __attribute__((noreturn)) fail(const char *what)
{
	say("%s: %s", what, strerror(errno));
	exit(EXIT_VM);
}

static long long now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000LL + ts.tv_nsec / 1000000;
}

static void buffer_add(struct buffer *b, const void *data, size_t len)
{
	if (b->len + len > b->size) {
		b->size = (b->len + len) * 2;
		b->data = realloc(b->data, b->size);
		if (!b->data)
			fail("memory");
	}
	memcpy(b->data + b->len, data, len);
	b->len += len;
}

static void buffer_drop(struct buffer *b, size_t len)
{
	memmove(b->data, b->data + len, b->len - len);
	b->len -= len;
}

static void queue_frame(struct machine *m, enum frame_type type,
			const void *data, size_t len)
{
	struct frame_head head = { .type = type, .len = len };

	buffer_add(&m->out, &head, sizeof(head));
	if (len)
		buffer_add(&m->out, data, len);
}

/* The terminal. */

static void restore_terminal(void)
{
	if (!terminal_is_raw)
		return;
	terminal_is_raw = 0;
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &saved_termios);
}

static void make_terminal_raw(void)
{
	struct termios raw;

	if (tcgetattr(STDIN_FILENO, &saved_termios))
		return;
	raw = saved_termios;
	cfmakeraw(&raw);
	terminal_is_raw = 1;
	tcsetattr(STDIN_FILENO, TCSAFLUSH, &raw);
}

static struct window window_size(void)
{
	struct winsize size = { 0 };
	struct window window = { .rows = 24, .cols = 80 };

	if ((!ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) ||
	     !ioctl(STDIN_FILENO, TIOCGWINSZ, &size)) &&
	    size.ws_row && size.ws_col) {
		window.rows = size.ws_row;
		window.cols = size.ws_col;
	}
	return window;
}

/* Signals. */

static void on_signal(int sig)
{
	if (sig == SIGWINCH)
		window_changed = 1;
	else
		caught_signal = sig;
}

/* Blocks the signals we act on; they arrive in ppoll() only. */
static void set_up_signals(sigset_t *original)
{
	static const int signals[] = {
		SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGWINCH,
	};
	struct sigaction action = { .sa_handler = on_signal };
	struct sigaction old;
	sigset_t blocked;

	sigemptyset(&blocked);
	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++) {
		/* Stay deaf to what the caller ignores (nohup, background). */
		sigaction(signals[i], NULL, &old);
		if (old.sa_handler == SIG_IGN)
			continue;
		sigaction(signals[i], &action, NULL);
		sigaddset(&blocked, signals[i]);
	}
	signal(SIGPIPE, SIG_IGN);
	sigprocmask(SIG_BLOCK, &blocked, original);
}

/* QEMU. */

/* In the child: become QEMU, and die with our parent whatever happens. */
static void __attribute__((noreturn))
run_qemu(char **argv, int channel, int log, pid_t parent,
	 const sigset_t *mask)
{
	int null;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_VM);
	setsid();
	signal(SIGPIPE, SIG_DFL);
	sigprocmask(SIG_SETMASK, mask, NULL);
	null = open("/dev/null", O_RDWR);
	/* Its messages go to stderr; stdout is the command's alone. */
	if (null < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 ||
	    dup2(channel, CHANNEL_FD) < 0 || dup2(log, LOG_FD) < 0)
		fail("descriptors for QEMU");
	execvp(argv[0], argv);
	say("cannot start %s: %s; `make packages` installs it", argv[0],
	    strerror(errno));
	_exit(EXIT_VM);
}

/* A socket pair whose ends are above CHANNEL_FD and LOG_FD. */
static void high_socketpair(int fds[2])
{
	int low[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, low))
		fail("socketpair");
	for (int i = 0; i < 2; i++) {
		fds[i] = fcntl(low[i], F_DUPFD_CLOEXEC, LOG_FD + 1);
		if (fds[i] < 0)
			fail("socketpair");
		close(low[i]);
	}
}

static void start_qemu(struct machine *m, char **argv, const sigset_t *mask)
{
	int channel[2], log[2];
	pid_t self = getpid();

	high_socketpair(channel);
	high_socketpair(log);
	m->qemu = fork();
	if (m->qemu < 0)
		fail("fork");
	if (!m->qemu)
		run_qemu(argv, channel[1], log[1], self, mask);
	close(channel[1]);
	close(log[1]);
	m->channel = channel[0];
	m->log = log[0];
	fcntl(m->channel, F_SETFL, O_NONBLOCK);
	fcntl(m->log, F_SETFL, O_NONBLOCK);
}

/* Returns QEMU's wait status. */
static int end_qemu(struct machine *m, int force)
{
	int status = 0;

	if (force)
		kill(m->qemu, SIGKILL);
	while (waitpid(m->qemu, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

/* The kernel log. */

static void keep_log(struct machine *m, const char *data, size_t len)
{
	size_t excess;

	if (m->log_file >= 0 && write(m->log_file, data, len) < 0) {
		say("%s: %s", m->opt.log_path, strerror(errno));
		close(m->log_file);
		m->log_file = -1;
	}
	if (m->kept_len + len > LOG_KEEP) {
		excess = m->kept_len + len - LOG_KEEP;
		memmove(m->kept, m->kept + excess, m->kept_len - excess);
		m->kept_len -= excess;
	}
	memcpy(m->kept + m->kept_len, data, len);
	m->kept_len += len;
}

/* Takes all that is there; closes the log at its end. */
static void read_log(struct machine *m)
{
	char buf[4096];
	ssize_t n;

	if (m->log < 0)
		return;
	while ((n = read(m->log, buf, sizeof(buf))) > 0)
		keep_log(m, buf, n);
	if (!n || (errno != EAGAIN && errno != EINTR)) {
		close(m->log);
		m->log = -1;
	}
}

static const char *last_lines(const char *log, size_t len, int lines)
{
	const char *p = log + len;

	while (p > log && lines >= 0)
		if (*--p == '\n')
			lines--;
	return p > log ? p + 1 : p;
}

/*
 * Shows the reader where to look: from the first report on, if there is one,
 * else the tail. This only chooses what to print; nothing is decided by it.
 */
static void show_log(const struct machine *m)
{
	static const char * const marks[] = {
		"------------[ cut here ]", "BUG: ", "WARNING: ",
		"Kernel panic - ",
	};
	const char *end = m->kept + m->kept_len;
	const char *from = last_lines(m->kept, m->kept_len, LOG_TAIL_LINES);
	const char *found;

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		found = memmem(m->kept, m->kept_len, marks[i],
			       strlen(marks[i]));
		if (found && found < from)
			from = found;
	}
	while (from > m->kept && from[-1] != '\n')
		from--;
	say("kernel log of the guest:");
	for (; from < end; from++)
		if (*from != '\r')
			fputc(*from, stderr);
	if (m->kept_len && end[-1] != '\n')
		fputc('\n', stderr);
}

/* The channel. */

static void send_channel(struct machine *m)
{
	ssize_t n = write(m->channel, m->out.data, m->out.len);

	if (n > 0)
		buffer_drop(&m->out, n);
}

/*
 * Takes the frames in m->in one by one. Stops at output, which the main loop
 * writes when stdout or stderr takes it.
 */
static void handle_frames(struct machine *m)
{
	struct frame_head head;
	const char *payload;

	while (!m->data_left && !m->have_status &&
	       m->in.len - m->consumed >= sizeof(head)) {
		memcpy(&head, m->in.data + m->consumed, sizeof(head));
		if (m->in.len - m->consumed - sizeof(head) < head.len)
			break;
		payload = m->in.data + m->consumed + sizeof(head);
		m->consumed += sizeof(head) + head.len;
		switch (head.type) {
		case FRAME_STARTED:
			m->started = 1;
			m->deadline = m->opt.timeout_s ?
				now_ms() + m->opt.timeout_s * 1000LL : 0;
			if (m->opt.tty)
				make_terminal_raw();
			break;
		case FRAME_STDOUT:
		case FRAME_STDERR:
			m->data = payload;
			m->data_left = head.len;
			m->data_fd = head.type == FRAME_STDOUT ?
					     STDOUT_FILENO : STDERR_FILENO;
			break;
		case FRAME_STATUS:
			memcpy(&m->status, payload, sizeof(m->status));
			m->have_status = 1;
			break;
		}
	}
	/* Moving the rest is safe only while no payload is in use. */
	if (!m->data_left) {
		buffer_drop(&m->in, m->consumed);
		m->consumed = 0;
	}
}

static void read_channel(struct machine *m)
{
	static char buf[CHANNEL_CHUNK];
	ssize_t n = read(m->channel, buf, sizeof(buf));

	if (n > 0) {
		buffer_add(&m->in, buf, n);
		handle_frames(m);
	} else if (!n || (errno != EAGAIN && errno != EINTR)) {
		close(m->channel);
		m->channel = -1;
	}
}

/* After POLLOUT a pipe takes this much without blocking us. */
#define OUTPUT_STEP 4096

static void write_output(struct machine *m)
{
	size_t len = m->data_left < OUTPUT_STEP ? m->data_left : OUTPUT_STEP;
	ssize_t n = write(m->data_fd, m->data, len);

	if (n < 0) {
		if (errno == EINTR || errno == EAGAIN)
			return;
		/* Nobody reads our output: end as a program would. */
		caught_signal = SIGPIPE;
		return;
	}
	m->data += n;
	m->data_left -= n;
	if (!m->data_left)
		handle_frames(m);
}

static void read_input(struct machine *m)
{
	char buf[4096];
	ssize_t n = read(STDIN_FILENO, buf, sizeof(buf));

	if (n <= 0) {
		if (n == 0 || errno != EINTR)
			m->input_open = 0;
		return;
	}
	for (ssize_t i = 0; i < n; i++) {
		m->aborts_seen = buf[i] == ABORT_KEY ? m->aborts_seen + 1 : 0;
		if (m->aborts_seen >= ABORT_PRESSES && terminal_is_raw)
			m->aborted = 1;
	}
	queue_frame(m, FRAME_INPUT, buf, n);
}

/* Until the status is here, QEMU is gone, we are told to stop, or time is up. */
static void pass_data(struct machine *m, const sigset_t *mask)
{
	struct window window;
	struct timespec wait;
	long long left;

	while (!m->have_status && m->channel >= 0 && !caught_signal &&
	       !m->aborted) {
		struct pollfd p[] = {
			/* Not while output waits: hung up, it is ready. */
			{ .fd = m->data_left ? -1 : m->channel,
			  .events = POLLIN | (m->out.len ? POLLOUT : 0) },
			{ .fd = m->log, .events = POLLIN },
			{ .fd = m->data_left ? m->data_fd : -1,
			  .events = POLLOUT },
			{ .fd = m->input_open && m->started && !m->out.len ?
				STDIN_FILENO : -1,
			  .events = POLLIN },
		};

		left = m->deadline ? m->deadline - now_ms() : 3600 * 1000;
		if (left <= 0)
			return;
		wait.tv_sec = left / 1000;
		wait.tv_nsec = left % 1000 * 1000000;
		if (ppoll(p, 4, &wait, mask) < 0 && errno != EINTR)
			fail("poll");
		if (window_changed) {
			window_changed = 0;
			window = window_size();
			if (m->started)
				queue_frame(m, FRAME_WINSIZE, &window,
					    sizeof(window));
			continue;
		}
		if (caught_signal)
			return;
		if (p[2].revents)
			write_output(m);
		if (p[3].revents)
			read_input(m);
		if (p[1].revents)
			read_log(m);
		if (p[0].revents & POLLOUT)
			send_channel(m);
		if (p[0].revents & (POLLIN | POLLHUP | POLLERR))
			read_channel(m);
	}
}

/* How it ended. */

static int verdict_expired(struct machine *m, const sigset_t *mask)
{
	int started = m->started;

	queue_frame(m, FRAME_EXPIRED, NULL, 0);
	m->deadline = now_ms() + EXPIRY_GRACE_MS;
	pass_data(m, mask);
	read_log(m);
	end_qemu(m, 1);
	restore_terminal();
	show_log(m);
	say("%s did not end within %d s; the machine was stopped",
	    started ? "the command" : "the boot",
	    started ? m->opt.timeout_s : BOOT_LIMIT_S);
	return EXIT_EXPIRED;
}

/*
 * QEMU's emulation of several processors at once now and then trips over the
 * kernel patching itself while it boots (an oops at an int3). Nothing has been
 * run yet, so boot again, as a new process: this one's state is of no use. The
 * count is in the environment.
 */
static void boot_again(char **argv)
{
	const char *count = getenv(BOOT_COUNT);
	int boots = count ? atoi(count) : 1;
	char next[12];

	if (boots >= BOOTS_MAX)
		return;
	say("the guest died while it booted; booting again");
	snprintf(next, sizeof(next), "%d", boots + 1);
	setenv(BOOT_COUNT, next, 1);
	execv("/proc/self/exe", argv);
}

static int verdict_died(struct machine *m, char **argv)
{
	int status = end_qemu(m, 0);

	read_log(m);
	restore_terminal();
	if (!m->kept_len) {
		say("QEMU ended before the guest started");
		return EXIT_VM;
	}
	if (!m->started)
		boot_again(argv);
	show_log(m);
	if (WIFEXITED(status) && WEXITSTATUS(status) == QEMU_PANIC_STATUS) {
		say("the guest's kernel panicked");
		return EXIT_PANIC;
	}
	say("the guest ended without an exit status");
	return EXIT_DIED;
}

static int verdict_done(struct machine *m)
{
	uint32_t reports = m->status.reports;
	int bug = (m->status.taint & TAINT_BUG) || reports;

	read_log(m);
	end_qemu(m, 1);
	restore_terminal();
	if (!bug || m->opt.allow_warn)
		return m->status.code;
	show_log(m);
	say("the guest's kernel reported a bug (taint %#llx%s%s%s); the command's own exit status was %d",
	    (unsigned long long)m->status.taint,
	    reports & REPORT_LOCKDEP ? ", lockdep" : "",
	    reports & REPORT_LEAK ? ", leaked memory" : "",
	    reports & REPORT_LOG ? ", RCU or preemption" : "",
	    m->status.code);
	return EXIT_WARNED;
}

/* Ends as the signal would have ended us, so that the caller sees it. */
static int verdict_signal(struct machine *m)
{
	int sig = caught_signal;
	sigset_t set;

	end_qemu(m, 1);
	restore_terminal();
	signal(sig, SIG_DFL);
	sigemptyset(&set);
	sigaddset(&set, sig);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
	raise(sig);
	return 128 + sig;
}

static int verdict_aborted(struct machine *m)
{
	end_qemu(m, 1);
	restore_terminal();
	say("stopped by Ctrl-]");
	return 128 + SIGINT;
}

static int watch(struct machine *m, char **argv, const sigset_t *mask)
{
	m->deadline = now_ms() + BOOT_LIMIT_S * 1000LL;
	pass_data(m, mask);
	if (caught_signal)
		return verdict_signal(m);
	if (m->aborted)
		return verdict_aborted(m);
	if (m->have_status)
		return verdict_done(m);
	if (m->channel < 0)
		return verdict_died(m, argv);
	return verdict_expired(m, mask);
}

static void add_string(struct buffer *job, enum job_tag tag, const char *s)
{
	char c = tag;

	buffer_add(job, &c, 1);
	buffer_add(job, s, strlen(s) + 1);
}

static void usage(void)
{
	fputs("usage: supervise [--timeout S] [--tty] [--allow-warn] [--log FILE]\n"
	      "       [--cwd DIR] [--keep DIR]... [--env K=V]...\n"
	      "       --arg ARG... -- QEMU ARG...\n", stderr);
	exit(EXIT_VM);
}

/* Returns the index of QEMU's name in argv. */
static int parse_options(int argc, char **argv, struct options *opt,
			 struct buffer *strings)
{
	static const struct option names[] = {
		{ "timeout", required_argument, NULL, 't' },
		{ "tty", no_argument, NULL, 'T' },
		{ "allow-warn", no_argument, NULL, 'w' },
		{ "log", required_argument, NULL, 'l' },
		{ "cwd", required_argument, NULL, JOB_CWD },
		{ "keep", required_argument, NULL, JOB_KEEP },
		{ "env", required_argument, NULL, JOB_ENV },
		{ "arg", required_argument, NULL, JOB_ARG },
		{ 0 },
	};
	int c;

	while ((c = getopt_long(argc, argv, "+", names, NULL)) != -1) {
		switch (c) {
		case 't':
			opt->timeout_s = atoi(optarg);
			break;
		case 'T':
			opt->tty = 1;
			break;
		case 'w':
			opt->allow_warn = 1;
			break;
		case 'l':
			opt->log_path = optarg;
			break;
		case '?':
			usage();
			break;
		default:
			add_string(strings, c, optarg);
		}
	}
	if (optind == argc || !strings->len)
		usage();
	return optind;
}

int main(int argc, char **argv)
{
	static struct machine m = { .log_file = -1 };
	struct buffer strings = { 0 }, payload = { 0 };
	struct job job = { 0 };
	sigset_t mask;
	int qemu;

	qemu = parse_options(argc, argv, &m.opt, &strings);
	if (m.opt.log_path) {
		m.log_file = open(m.opt.log_path,
				  O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
				  0644);
		if (m.log_file < 0)
			fail(m.opt.log_path);
	}
	job.tty = m.opt.tty;
	job.window = window_size();
	buffer_add(&payload, &job, sizeof(job));
	buffer_add(&payload, strings.data, strings.len);
	queue_frame(&m, FRAME_JOB, payload.data, payload.len);
	m.input_open = m.opt.tty;

	set_up_signals(&mask);
	start_qemu(&m, argv + qemu, &mask);
	return watch(&m, argv, &mask);
}
