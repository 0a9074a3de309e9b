// SPDX-License-Identifier: GPL-2.0
/*
 * What counting costs for one event, at native speed: runs cost.bpf.c on this
 * machine's own kernel. Prints nanoseconds; exit status 1 if a limit is missed.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "request.h"

#include "cost.skel.h"

/* Short enough to be left alone by whatever else runs here, once in a while */
#define ROUNDS		5000
#define REPEAT		1000

/* For what happens with every request, over a program that does nothing */
#define LIMIT_NS	40

static _Noreturn void fail(const char *what, int error)
{
	fprintf(stderr, "cost: cannot %s: %s\n", what, strerror(-error));
	exit(1);
}

static double run_driver(struct cost_bpf *bpf)
{
	LIBBPF_OPTS(bpf_test_run_opts, opts);
	struct timespec start, end;
	int error;

	clock_gettime(CLOCK_MONOTONIC, &start);
	error = bpf_prog_test_run_opts(bpf_program__fd(bpf->progs.drive),
				       &opts);
	clock_gettime(CLOCK_MONOTONIC, &end);
	if (error)
		fail("run the driver", error);
	return ((double)(end.tv_sec - start.tv_sec) * 1e9 +
		(double)(end.tv_nsec - start.tv_nsec)) / ROUNDS;
}

/* The least of many: whatever else runs on this machine only adds */
static double cost_with(struct cost_bpf *bpf, struct bpf_program *program)
{
	struct bpf_link *link = NULL;
	double least = 1e9;

	if (program) {
		link = bpf_program__attach(program);
		if (!link)
			fail("attach a program", -errno);
	}
	for (int i = 0; i < REPEAT; i++) {
		double ns = run_driver(bpf);

		if (ns < least)
			least = ns;
	}
	bpf_link__destroy(link);
	return least;
}

/* The phase in which requests are remembered one by one is over */
static void fill(struct cost_bpf *bpf)
{
	bpf->data->is_early = false;
	bpf->bss->since_early_us = 1ULL << 40;
	bpf->bss->request.dev_index = 1;
	bpf->bss->request.port = 1;
	bpf->bss->request.mgmt_class = 0x03;
	bpf->bss->request.attr_id = 0x35;
	bpf->bss->request.method = 0x01;
	bpf->bss->done.duration_us = 1234;
	bpf->bss->done.sends = 1;
	bpf->bss->retry.retry = 1;
	bpf->bss->retry.backoff_step = 1;
	bpf->bss->retry.wait_ms = 1000;
	bpf->bss->busy.dropped = true;
}

static struct cost_bpf *load(void)
{
	struct cost_bpf *bpf = cost_bpf__open();
	int error;

	if (!bpf)
		fail("open the programs", -errno);
	bpf->rodata->rounds = ROUNDS;
	error = cost_bpf__load(bpf);
	if (error)
		fail("load the programs; run as root", error);
	fill(bpf);
	return bpf;
}

int main(void)
{
	struct cost_bpf *bpf = load();
	const struct {
		const char *name;
		struct bpf_program *program;
		int limit_ns;	/* 0: rare, none */
	} events[] = {
		{ "ib_mad_post", bpf->progs.on_post, LIMIT_NS },
		{ "ib_mad_done", bpf->progs.on_done, LIMIT_NS },
		{ "ib_mad_busy", bpf->progs.on_busy, LIMIT_NS },
		{ "ib_mad_retry", bpf->progs.on_retry, LIMIT_NS },
	};
	double bare = cost_with(bpf, NULL);
	double empty = cost_with(bpf, bpf->progs.on_nothing);
	int status = 0;

	printf("%-24s %6.1f ns\n", "a program, empty", empty - bare);
	for (size_t i = 0; i < sizeof(events) / sizeof(*events); i++) {
		double ns = cost_with(bpf, events[i].program) - empty;

		printf("%-24s %6.1f ns more\n", events[i].name, ns);
		if (ns > events[i].limit_ns) {
			fprintf(stderr, "cost: %s takes more than %d ns\n",
				events[i].name, events[i].limit_ns);
			status = 1;
		}
	}
	cost_bpf__destroy(bpf);
	return status;
}
