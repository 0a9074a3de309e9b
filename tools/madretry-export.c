// SPDX-License-Identifier: GPL-2.0
/*
 * madretry-export - MAD requests, retries, BUSY responses and time-outs for
 * Prometheus: over HTTP, as a file for node_exporter, or printed once
 *
 * One thread does it all: it waits for the time of the next file, for a scrape
 * and for signals, and reads what the kernel has counted when asked.
 */
#include <argp.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "exposition.h"
#include "gather.h"
#include "http_server.h"
#include "message.h"
#include "options.h"
#include "output.h"
#include "privileges.h"
#include "replace_file.h"
#include "surroundings.h"
#include "wake.h"

#define FILE_INTERVAL_S	15
#define PRINT_INTERVAL_S 1

/*
 * Maps are read this often even if nobody asks: the programs remember each
 * request until they are told, by the first reading, that the start is over.
 */
#define READ_INTERVAL_S	60
#define FIRST_READ_S	1.5

const char *argp_program_version = "madretry-export " MADRETRY_VERSION;

static const char doc[] =
	"Count MAD requests, retries, BUSY responses, time-outs and response times for Prometheus. Without --listen and --textfile, count for INTERVAL seconds (default 1) and print the result.\n"
	"\v"
	"Examples:\n"
	"  madretry-export                  print what happens in a second\n"
	"  madretry-export --listen 9861    serve http://127.0.0.1:9861/metrics\n"
	"  madretry-export --textfile /var/lib/prometheus/node-exporter/madretry.prom\n"
	"                                   for node_exporter, every 15 seconds\n"
	"\n"
	"There is no --json here: for JSON use madretry-top or madretry-hist.\n"
	"Exit status: 0, 1 if something it needs is missing, 2 for a wrong command line.";

enum { OPTION_LISTEN = 0x200, OPTION_TEXTFILE, OPTION_FORMAT };

static const struct argp_option option_list[] = {
	{ "listen", OPTION_LISTEN, "[ADDRESS:]PORT", 0,
	  "Serve HTTP there; the address is 127.0.0.1 if none is given", 3 },
	{ "textfile", OPTION_TEXTFILE, "FILE", 0,
	  "Write FILE every INTERVAL seconds (default 15), COUNT times", 3 },
	{ "format", OPTION_FORMAT, "FORMAT", 0,
	  "What is printed or written: openmetrics or text (0.0.4, the default of --textfile)",
	  3 },
	{ 0 }
};

struct export {
	struct options options;
	const char *listen;
	const char *textfile;
	enum exposition_format format;
	bool has_format;

	struct gather *gather;
	struct snapshot now;
	struct http_server *server;
	struct timespec next_file;	/* of CLOCK_MONOTONIC, as the others */
	struct timespec next_read;
	unsigned long written;
	bool file_failed;		/* the last time */
};

static void set_format(struct export *export, const char *name)
{
	export->has_format = true;
	if (!strcmp(name, "openmetrics"))
		export->format = EXPOSITION_OPENMETRICS;
	else if (!strcmp(name, "text"))
		export->format = EXPOSITION_TEXT;
	else
		fail_usage("format '%s' is none of openmetrics, text", name);
}

static void check_command_line(struct export *export)
{
	struct options *options = &export->options;
	bool prints = !export->listen && !export->textfile;

	if (!export->textfile && options->count > 1)
		fail_usage("COUNT is for --textfile: what is printed or served is one text");
	if (!prints && !export->textfile && options->interval_s)
		fail_usage("INTERVAL is for --textfile: --listen answers when it is asked");
	if (!prints && !export->textfile && export->has_format)
		fail_usage("--format is for --textfile: an HTTP client says itself what it wants");
	if (!options->interval_s)
		options->interval_s = prints ? PRINT_INTERVAL_S :
					       FILE_INTERVAL_S;
	if (!export->has_format && export->textfile)
		export->format = EXPOSITION_TEXT;
}

static error_t parse(int key, char *arg, struct argp_state *state)
{
	struct export *export = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		state->child_inputs[0] = &export->options;
		state->child_inputs[1] = &export->options;
		break;
	case OPTION_LISTEN:
		export->listen = arg;
		break;
	case OPTION_TEXTFILE:
		export->textfile = arg;
		break;
	case OPTION_FORMAT:
		set_format(export, arg);
		break;
	case ARGP_KEY_SUCCESS:
		check_command_line(export);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static const struct argp_child children[] = {
	{ .argp = &options_argp },
	{ .argp = &counting_argp },
	{ 0 }
};

static const struct argp export_argp = {
	.options = option_list,
	.parser = parse,
	.args_doc = "[INTERVAL [COUNT]]",
	.doc = doc,
	.children = children,
};

static char *make_text(struct export *export, enum exposition_format format,
		       size_t *length)
{
	struct snapshot before = export->now;

	gather_read(export->gather, &before, &export->now);
	snapshot_free(&before);
	return exposition_make(&export->now, &export->options.filter,
			       mode_name(export->options.mode.chosen), format,
			       length);
}

static struct http_page make_page(void *context, const char *accept)
{
	bool open = strstr(accept, "application/openmetrics-text");
	enum exposition_format format = open ? EXPOSITION_OPENMETRICS :
					       EXPOSITION_TEXT;
	struct http_page page;

	page.content = make_text(context, format, &page.length);
	page.content_type = exposition_content_type(format);
	return page;
}

/* The disk may be full for a while: one message, and the old file stays */
static void write_file(struct export *export)
{
	size_t length;
	char *text = make_text(export, export->format, &length);
	bool good = replace_file(export->textfile, text, length);

	free(text);
	export->written++;
	if (!good && !export->file_failed)
		message("cannot write %s: %s", export->textfile,
			strerror(errno));
	if (good && export->file_failed)
		message("%s is written again", export->textfile);
	export->file_failed = !good;
}

/* The folder of a file, "." if none is named; to be freed */
static char *folder_of(const char *path)
{
	char *copy = duplicate(path), *folder = duplicate(dirname(copy));

	free(copy);
	return folder;
}

/* With the rights that are left the file has to be written again and again */
static void drop_privileges(const struct export *export)
{
	char *folder = export->textfile ? folder_of(export->textfile) : NULL;

	privileges_drop(folder);
	free(folder);
	if (export->textfile && !replace_file_try(export->textfile))
		fail_environment("cannot write %s: %s", export->textfile,
				 strerror(errno));
}

static void print_once(struct export *export)
{
	struct timespec until;
	size_t length;
	char *text;

	clock_gettime(CLOCK_MONOTONIC, &until);
	until = wake_later(&until, export->options.interval_s);
	while (true) {
		enum wake wake = wake_wait(&until, -1);

		if (wake == WAKE_OUTPUT_CLOSED)
			output_closed();
		if (wake == WAKE_TIME || wake == WAKE_STOP)
			break;
	}
	gather_stop(export->gather);
	text = make_text(export, export->format, &length);
	fwrite(text, length, 1, stdout);
	output_flush();
	free(text);
}

static bool is_over(const struct timespec *time)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec > time->tv_sec ||
	       (now.tv_sec == time->tv_sec && now.tv_nsec >= time->tv_nsec);
}

static const struct timespec *earlier(const struct timespec *a,
				      const struct timespec *b)
{
	if (a->tv_sec != b->tv_sec)
		return a->tv_sec < b->tv_sec ? a : b;
	return a->tv_nsec < b->tv_nsec ? a : b;
}

static void wait_for_work(struct export *export, enum wake *wake)
{
	struct timespec deadline = export->next_read;

	if (export->textfile)
		deadline = *earlier(&deadline, &export->next_file);
	if (export->server) {
		struct timespec http;

		clock_gettime(CLOCK_MONOTONIC, &http);
		http = wake_later(&http, http_timeout_s(export->server,
							READ_INTERVAL_S));
		deadline = *earlier(&deadline, &http);
	}
	*wake = wake_wait(&deadline,
			  export->server ? http_file(export->server) : -1);
}

static void read_in_time(struct export *export)
{
	struct snapshot before = export->now;

	if (!is_over(&export->next_read))
		return;
	gather_read(export->gather, &before, &export->now);
	snapshot_free(&before);
	export->next_read = wake_later(&export->next_read, READ_INTERVAL_S);
}

/* Returns false if that was the last one */
static bool write_in_time(struct export *export)
{
	const struct options *options = &export->options;

	if (!export->textfile || !is_over(&export->next_file))
		return true;
	if (options->count && export->written + 1 == options->count)
		gather_stop(export->gather);
	write_file(export);
	export->next_file = wake_later(&export->next_file,
				       options->interval_s);
	return !options->count || export->written < options->count;
}

/*
 * A file that is not written any more would be taken for the truth: it goes
 * with the program, unless so many were asked for.
 */
static void end_early(const struct export *export)
{
	if (export->textfile && export->written && !export->options.count)
		unlink(export->textfile);
}

static void serve(struct export *export)
{
	enum wake wake;

	clock_gettime(CLOCK_MONOTONIC, &export->next_file);
	export->next_read = wake_later(&export->next_file, FIRST_READ_S);
	export->next_file = wake_later(&export->next_file,
				       export->options.interval_s);
	do {
		wait_for_work(export, &wake);
		if (wake == WAKE_STOP) {
			end_early(export);
			return;
		}
		read_in_time(export);
		if (export->server)
			http_run(export->server);
	} while (write_in_time(export));
}

/* Nothing is printed any more, so it does not matter who reads it */
static void leave_stdout(void)
{
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

	if (null < 0 || dup2(null, STDOUT_FILENO) < 0)
		fail_environment("cannot use /dev/null: %s", strerror(errno));
	close(null);
}

static void announce(const struct export *export)
{
	if (export->listen)
		message("serving http://%s%s" HTTP_PAGE,
			strchr(export->listen, ':') ? "" : "127.0.0.1:",
			export->listen);
	if (export->textfile)
		message("writing %s every %g s", export->textfile,
			export->options.interval_s);
}

int main(int argc, char **argv)
{
	struct export export = {
		.options = {
			.filter = FILTER_NONE,
			.max_rows = MR_ROWS_DEFAULT,
		},
	};

	output_check();
	options_parse(&export_argp, argc, argv, &export);
	require_tracing(&export.options.filter);
	wake_setup();
	if (export.listen)
		export.server = http_start(export.listen, make_page, &export);
	export.gather = gather_start(&(struct gather_options){
		.max_rows = export.options.max_rows,
		.by = MR_BY_ATTRIBUTE,
		.mode = &export.options.mode,
		.verbose = export.options.verbose,
	});
	drop_privileges(&export);

	if (!export.listen && !export.textfile) {
		print_once(&export);
	} else {
		leave_stdout();
		announce(&export);
		serve(&export);
	}
	if (export.server)
		http_stop(export.server);
	snapshot_free(&export.now);
	gather_free(export.gather);
	return export.file_failed ? EXIT_ENVIRONMENT : EXIT_SUCCESS;
}
