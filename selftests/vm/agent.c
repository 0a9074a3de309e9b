// SPDX-License-Identifier: GPL-2.0
/*
 * The guest's process 1 once its root is mounted: takes one job from the host,
 * runs it, relays its output and reports its exit status. See channel.h.
 *
 * The host ends the machine when it has the status, so there is no shutdown.
 * If this program fails, it exits, and the kernel panics: that is how the host
 * gets to know.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/signalfd.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "channel.h"
#include "kernel_reports.h"
#include "read_text.h"

#define MAX_KEEP 16

/* What the kernel's log and the host's screen get when the agent gives up. */
static void __attribute__((noreturn, format(printf, 1, 2)))
die(const char *fmt, ...)
{
	va_list ap;

	fputs("madretry agent: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(1);
}

static void write_all(int fd, const void *data, size_t len)
{
	const char *p = data;

	while (len) {
		ssize_t n = write(fd, p, len);

		if (n < 0) {
			if (errno == EINTR)
				continue;
			die("write to the host: %s", strerror(errno));
		}
		p += n;
		len -= n;
	}
}

static void read_all(int fd, void *data, size_t len)
{
	char *p = data;

	while (len) {
		ssize_t n = read(fd, p, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			die("read from the host: %s",
			    n ? strerror(errno) : "closed");
		p += n;
		len -= n;
	}
}

static void send_frame(int channel, enum frame_type type, const void *data,
		       size_t len)
{
	struct frame_head head = { .type = type, .len = len };

	write_all(channel, &head, sizeof(head));
	write_all(channel, data, len);
}

/* Returns the payload with a NUL appended; the caller frees it. */
static char *receive_frame(int channel, struct frame_head *head)
{
	char *data;

	read_all(channel, head, sizeof(*head));
	data = malloc((size_t)head->len + 1);
	if (!data)
		die("out of memory for a frame of %u bytes", head->len);
	read_all(channel, data, head->len);
	data[head->len] = '\0';
	return data;
}

static int open_channel(void)
{
	const char *names = "/sys/class/virtio-ports/*/name";
	char name[64], path[256], *slash;
	glob_t found;
	int fd;

	if (glob(names, 0, NULL, &found))
		die("no virtio-serial port");
	for (size_t i = 0; i < found.gl_pathc; i++) {
		if (read_text(found.gl_pathv[i], name, sizeof(name)))
			continue;
		name[strcspn(name, "\n")] = '\0';
		if (strcmp(name, CHANNEL_PORT))
			continue;
		slash = strrchr(found.gl_pathv[i], '/');
		*slash = '\0';
		slash = strrchr(found.gl_pathv[i], '/');
		snprintf(path, sizeof(path), "/dev%s", slash);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd < 0)
			die("%s: %s", path, strerror(errno));
		globfree(&found);
		return fd;
	}
	die("no virtio-serial port named %s", CHANNEL_PORT);
}

struct request {
	struct job job;
	const char *cwd;
	char **keep, **env, **argv;
};

static void append(char ***list, size_t *count, char *item)
{
	*list = realloc(*list, (*count + 2) * sizeof(**list));
	if (!*list)
		die("out of memory");
	(*list)[(*count)++] = item;
	(*list)[*count] = NULL;
}

static void parse_request(struct request *req, char *data, size_t len)
{
	size_t keeps = 0, envs = 0, args = 0;
	char *end = data + len, *s;

	if (len < sizeof(req->job))
		die("job of %zu bytes is too short", len);
	memset(req, 0, sizeof(*req));
	memcpy(&req->job, data, sizeof(req->job));
	req->cwd = "/";

	for (s = data + sizeof(req->job); s < end; s += strlen(s) + 1) {
		switch (s[0]) {
		case JOB_CWD:
			req->cwd = s + 1;
			break;
		case JOB_KEEP:
			append(&req->keep, &keeps, s + 1);
			break;
		case JOB_ENV:
			append(&req->env, &envs, s + 1);
			break;
		case JOB_ARG:
			append(&req->argv, &args, s + 1);
			break;
		default:
			die("unknown tag '%c' in the job", s[0]);
		}
	}
	if (!args)
		die("job without a command");
	if (keeps > MAX_KEEP)
		die("more than %d folders to keep", MAX_KEEP);
}

/* mkdir -p; what exists already is fine. */
static void make_folders(const char *path)
{
	char *copy = strdup(path);

	if (!copy)
		die("out of memory");
	for (char *p = copy + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		mkdir(copy, 0755);
		*p = '/';
	}
	mkdir(copy, 0755);
	free(copy);
}

/*
 * Lays an empty tmpfs over the folders where programs put scratch files: the
 * host's content there is none of the guest's business, and a look-up below
 * them need not go to the host.
 * The build folder, the repository and the like may live there too: hold them
 * open by a descriptor, and bind them back.
 */
static void mount_scratch(char **keep)
{
	static const struct {
		const char *path;
		const char *mode;
	} scratch[] = {
		{ "/tmp", "mode=1777" },
		{ "/run", "mode=0755" },
		{ "/var/tmp", "mode=1777" },
		{ "/root", "mode=0700" },	/* $HOME */
	};
	int held[MAX_KEEP];
	char link[64];
	struct stat before, after;

	for (int i = 0; keep && keep[i]; i++)
		held[i] = open(keep[i], O_PATH | O_CLOEXEC);

	for (size_t i = 0; i < sizeof(scratch) / sizeof(scratch[0]); i++) {
		mkdir(scratch[i].path, 0755);
		if (mount("tmpfs", scratch[i].path, "tmpfs", 0,
			  scratch[i].mode))
			die("tmpfs on %s: %s", scratch[i].path,
			    strerror(errno));
	}

	for (int i = 0; keep && keep[i]; i++) {
		if (held[i] < 0)
			continue;
		/* Still the same folder: nothing was mounted above it. */
		if (!fstat(held[i], &before) && !stat(keep[i], &after) &&
		    before.st_dev == after.st_dev &&
		    before.st_ino == after.st_ino) {
			close(held[i]);
			continue;
		}
		make_folders(keep[i]);
		snprintf(link, sizeof(link), "/proc/self/fd/%d", held[i]);
		if (mount(link, keep[i], NULL, MS_BIND, NULL))
			die("keep %s: %s", keep[i], strerror(errno));
		close(held[i]);
	}
}

/* In the child: become the command. Same statuses as a shell on failure. */
static void __attribute__((noreturn)) run_command(const struct request *req)
{
	sigset_t none;
	int err;

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (chdir(req->cwd)) {
		fprintf(stderr, "%s: cannot enter: %s\n", req->cwd,
			strerror(errno));
		_exit(126);
	}
	clearenv();
	for (char **e = req->env; e && *e; e++)
		putenv(*e);
	execvp(req->argv[0], req->argv);
	err = errno;
	fprintf(stderr, "%s: cannot run in the virtual machine: %s\n",
		req->argv[0], strerror(err));
	_exit(err == ENOENT ? 127 : 126);
}

struct child {
	pid_t pid;
	int terminal;	/* pty master, -1 without a terminal */
	int out, err;	/* read ends of the output pipes, -1 with a terminal */
};

static struct child start_on_terminal(const struct request *req)
{
	struct winsize size = {
		.ws_row = req->job.window.rows,
		.ws_col = req->job.window.cols,
	};
	struct child c = { .terminal = -1, .out = -1, .err = -1 };

	c.pid = forkpty(&c.terminal, NULL, NULL, &size);
	if (c.pid < 0)
		die("forkpty: %s", strerror(errno));
	if (!c.pid)
		run_command(req);
	return c;
}

static struct child start_on_pipes(const struct request *req)
{
	struct child c = { .terminal = -1 };
	int out[2], err[2], in;

	if (pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC))
		die("pipe: %s", strerror(errno));
	c.pid = fork();
	if (c.pid < 0)
		die("fork: %s", strerror(errno));
	if (!c.pid) {
		setsid();
		in = open("/dev/null", O_RDONLY);
		if (in < 0 || dup2(in, 0) < 0 || dup2(out[1], 1) < 0 ||
		    dup2(err[1], 2) < 0)
			_exit(126);
		if (in > 2)
			close(in);
		run_command(req);
	}
	close(out[1]);
	close(err[1]);
	c.out = out[0];
	c.err = err[0];
	return c;
}

/*
 * Passes on what is there. Returns 0 when there is nothing now, 1 when there
 * may be more; at the end of the stream it closes the descriptor.
 */
static int relay(int channel, int *fd, enum frame_type type)
{
	static char buf[CHANNEL_CHUNK];
	struct pollfd p = { .fd = *fd, .events = POLLIN };
	ssize_t n;

	if (*fd < 0 || poll(&p, 1, 0) <= 0)
		return 0;
	n = read(*fd, buf, sizeof(buf));
	if (n < 0 && errno == EINTR)
		return 1;
	/* EIO: nobody has the terminal open any more. */
	if (n <= 0) {
		close(*fd);
		*fd = -1;
		return 0;
	}
	send_frame(channel, type, buf, n);
	return 1;
}

static void write_text(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd < 0)
		return;
	if (write(fd, text, strlen(text)) < 0)
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
	close(fd);
}

/* Tells the host what every process is doing, for a command that hangs. */
static void report_processes(int channel)
{
	char path[64], name[64], stack[4096], line[8192];
	glob_t found;
	int n;

	if (glob("/proc/[0-9]*", GLOB_NOSORT, NULL, &found))
		return;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		/* Kernel threads have no executable. */
		snprintf(path, sizeof(path), "%s/exe", found.gl_pathv[i]);
		if (readlink(path, name, sizeof(name)) < 0)
			continue;
		snprintf(path, sizeof(path), "%s/comm", found.gl_pathv[i]);
		if (read_text(path, name, sizeof(name)))
			continue;
		snprintf(path, sizeof(path), "%s/stack", found.gl_pathv[i]);
		if (read_text(path, stack, sizeof(stack)))
			stack[0] = '\0';
		n = snprintf(line, sizeof(line), "vm: process %s %s%s",
			     found.gl_pathv[i] + strlen("/proc/"), name,
			     stack);
		send_frame(channel, FRAME_STDERR, line, n);
	}
	globfree(&found);
}

static void handle_host(int channel, const struct child *c)
{
	struct frame_head head;
	char *data = receive_frame(channel, &head);
	struct winsize size = { 0 };
	struct window window;

	switch (head.type) {
	case FRAME_INPUT:
		if (c->terminal >= 0)
			write_all(c->terminal, data, head.len);
		break;
	case FRAME_WINSIZE:
		if (c->terminal < 0 || head.len != sizeof(window))
			break;
		memcpy(&window, data, sizeof(window));
		size.ws_row = window.rows;
		size.ws_col = window.cols;
		ioctl(c->terminal, TIOCSWINSZ, &size);
		break;
	case FRAME_EXPIRED:
		write_text("/proc/sysrq-trigger", "w");
		report_processes(channel);
		break;
	}
	free(data);
}

/* Process 1 inherits every orphan. Returns 1 once the command has ended. */
static int reap(pid_t command, int *code)
{
	int status, ended = 0;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		if (pid != command)
			continue;
		*code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) :
					      WEXITSTATUS(status);
		ended = 1;
	}
	return ended;
}

static int supervise(int channel, struct child *c)
{
	struct signalfd_siginfo info;
	sigset_t chld;
	int sigfd, code = 0, ended = 0;

	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigfd = signalfd(-1, &chld, SFD_CLOEXEC | SFD_NONBLOCK);
	if (sigfd < 0)
		die("signalfd: %s", strerror(errno));

	while (!ended) {
		struct pollfd p[] = {
			{ .fd = channel, .events = POLLIN },
			{ .fd = sigfd, .events = POLLIN },
			{ .fd = c->out, .events = POLLIN },
			{ .fd = c->err, .events = POLLIN },
			{ .fd = c->terminal, .events = POLLIN },
		};

		if (poll(p, 5, -1) < 0 && errno != EINTR)
			die("poll: %s", strerror(errno));
		if (p[0].revents & POLLIN)
			handle_host(channel, c);
		if (p[1].revents & POLLIN) {
			while (read(sigfd, &info, sizeof(info)) > 0)
				;
			ended = reap(c->pid, &code);
		}
		relay(channel, &c->out, FRAME_STDOUT);
		relay(channel, &c->err, FRAME_STDERR);
		relay(channel, &c->terminal, FRAME_STDOUT);
	}
	/*
	 * All that the command wrote is in the pipes by now. A process it left
	 * behind may hold them open: do not wait for that one.
	 */
	while (relay(channel, &c->out, FRAME_STDOUT) |
	       relay(channel, &c->err, FRAME_STDERR) |
	       relay(channel, &c->terminal, FRAME_STDOUT))
		;
	return code;
}

static int report_channel;

static void show_report(const char *text, size_t len)
{
	send_frame(report_channel, FRAME_STDERR, text, len);
}

static void report(int channel, int code)
{
	struct status status = { .code = code };

	report_channel = channel;
	kernel_reports_collect(&status, show_report);
	send_frame(channel, FRAME_STATUS, &status, sizeof(status));
}

int main(void)
{
	struct frame_head head;
	struct request req;
	struct child child;
	sigset_t chld;
	int channel;
	char *data;

	/* Before the first fork, so that no SIGCHLD is lost. */
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, NULL);

	channel = open_channel();
	data = receive_frame(channel, &head);
	if (head.type != FRAME_JOB)
		die("the first frame is %u, not a job", head.type);
	parse_request(&req, data, head.len);
	mount_scratch(req.keep);
	kernel_reports_begin();

	send_frame(channel, FRAME_STARTED, NULL, 0);
	child = req.job.tty ? start_on_terminal(&req) : start_on_pipes(&req);
	report(channel, supervise(channel, &child));
	for (;;)
		pause();
}
