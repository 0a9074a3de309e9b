// SPDX-License-Identifier: GPL-2.0
/*
 * sastorm: makes a storm of management datagrams, and answers it.
 *
 * A load generator for the kernel's MAD retries, on libibumad. It has two
 * roles, the server (server.c) and the client (client.c).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client.h"
#include "cmdline.h"
#include "server.h"

static const char help[] =
	"Usage: sastorm server [OPTION...]\n"
	"       sastorm client [OPTION...]\n"
	"\n"
	"Make a storm of InfiniBand management datagrams, and answer it.\n"
	"\n"
	"  server   answers the requests of a management class (the SA's, if not\n"
	"           told otherwise) well, with BUSY, late or not at all\n"
	"  client   sends requests and reports outcomes and latencies\n"
	"\n"
	"Example, on two ports that are wired to each other:\n"
	"  sastorm server -d rxe1 --busy 0.2 --drop 0.1 --idle 3 &\n"
	"  sastorm client -d rxe0 -g fe80::2 -n 10000 -m 64 -T 100 -R 3\n"
	"\n"
	"\"sastorm server --help\" and \"sastorm client --help\" list the options.\n";

int main(int argc, char **argv)
{
	const char *role = argc > 1 ? argv[1] : NULL;

	if (role && !strcmp(role, "server"))
		return server_main(argc - 1, argv + 1);
	if (role && !strcmp(role, "client"))
		return client_main(argc - 1, argv + 1);
	if (role && (!strcmp(role, "--help") || !strcmp(role, "-h"))) {
		fputs(help, stdout);
		return EXIT_SUCCESS;
	}
	if (role)
		fail_input("'%s' is neither server nor client; see sastorm --help",
			   role);
	fail_input("server or client? See sastorm --help");
}
