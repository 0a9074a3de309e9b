// SPDX-License-Identifier: GPL-2.0
/*
 * Who sends requests, and to whom: the names of the clients and destinations
 * that the BPF programs have numbered.
 */
#include "parties.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <bpf/bpf.h>

#include "kallsyms.h"
#include "message.h"

/* Directed routes name every hop; their LID says only that they do */
#define LID_PERMISSIVE	0xffff

struct client_name {
	bool known;
	char text[CLIENT_NAME_MAX];
	__u32 pid;
};

struct parties {
	unsigned int by;
	unsigned int max;
	struct mr_destination *destinations;	/* by number, from 1 */
	struct client_name *clients;
	bool has_looked;			/* for handlers */
	bool umad_is_loaded;
};

struct parties *parties_new(unsigned int by, unsigned int max)
{
	struct parties *parties = allocate(1, sizeof(*parties));

	parties->by = by;
	parties->max = max;
	if (by & MR_BY_DESTINATION)
		parties->destinations = allocate(
			max + 1, sizeof(*parties->destinations));
	if (by & MR_BY_CLIENT)
		parties->clients = allocate(max + 1,
					    sizeof(*parties->clients));
	return parties;
}

void parties_free(struct parties *parties)
{
	free(parties->destinations);
	free(parties->clients);
	free(parties);
}

void parties_find_handlers(struct parties *parties, __u64 *umad, __u64 *sa)
{
	bool umad_is_loaded = !access("/sys/module/ib_umad", F_OK);
	struct symbol symbols[] = {
		{ .name = "recv_handler", .module = "ib_umad" },
		{ .name = "recv_handler", .module = "ib_core" },
	};

	if (parties->has_looked && parties->umad_is_loaded == umad_is_loaded)
		return;
	kallsyms_find(symbols, 2);
	*umad = symbols[0].address;
	*sa = symbols[1].address;
	parties->has_looked = true;
	parties->umad_is_loaded = umad_is_loaded;
}

static void read_destinations(struct parties *parties, int map)
{
	struct mr_destination key, *previous = NULL;
	__u32 number;

	while (!bpf_map_get_next_key(map, previous, &key)) {
		previous = &key;
		if (!bpf_map_lookup_elem(map, &key, &number) &&
		    number <= parties->max)
			parties->destinations[number] = key;
	}
}

/* A program may call itself what it likes */
static void program_name(const struct mr_program *program, char *buffer,
			 size_t size)
{
	char name[MR_PROGRAM_NAME_MAX + 1] = "";

	memcpy(name, program->name, MR_PROGRAM_NAME_MAX);
	for (char *c = name; *c; c++) {
		if (!isgraph((unsigned char)*c))
			*c = '?';
	}
	snprintf(buffer, size, "%s[%u]", name, program->pid);
}

/* The module that an address is in, or the symbol if that is in none */
static const char *place_of(const struct symbol *symbol)
{
	if (symbol->module[0])
		return symbol->module;
	return symbol->name[0] ? symbol->name : "kernel";
}

/* ib_sa itself asks for the multicast groups of all its users */
static void client_name(const struct mr_client *client,
			const struct symbol *handler,
			const struct symbol *sa_client, char *buffer,
			size_t size)
{
	const char *user = place_of(sa_client);

	if (client->program.pid)
		program_name(&client->program, buffer, size);
	else if (client->sa_client)
		snprintf(buffer, size, "ib_sa/%s",
			 strcmp(user, "ib_core") ? user : "multicast");
	else if (!strcmp(handler->module, "ib_core") &&
		 !strcmp(handler->name, "recv_handler"))
		snprintf(buffer, size, "ib_sa");
	else
		snprintf(buffer, size, "%s", place_of(handler));
}

/* Those that the list does not have yet; returns how many */
static size_t new_clients(const struct parties *parties, int map,
			  struct mr_client *clients, __u32 *numbers,
			  size_t max)
{
	struct mr_client key, *previous = NULL;
	size_t count = 0;
	__u32 number;

	while (count < max && !bpf_map_get_next_key(map, previous, &key)) {
		previous = &key;
		if (bpf_map_lookup_elem(map, &key, &number) ||
		    number > parties->max || parties->clients[number].known)
			continue;
		clients[count] = key;
		numbers[count++] = number;
	}
	return count;
}

/* Enough for all but the first look at a busy machine, which takes several */
#define AT_ONCE 64

static size_t read_some_clients(struct parties *parties, int map)
{
	struct symbol symbols[2 * AT_ONCE] = { 0 };
	struct mr_client clients[AT_ONCE];
	__u32 numbers[AT_ONCE];
	bool kernel = false;
	size_t count;

	count = new_clients(parties, map, clients, numbers, AT_ONCE);
	for (size_t i = 0; i < count; i++) {
		/* An address that is 0 is not to be looked for */
		symbols[2 * i].address = clients[i].handler ? : ~0ULL;
		symbols[2 * i + 1].address = clients[i].sa_client ? : ~0ULL;
		kernel |= !clients[i].program.pid;
	}
	if (kernel)
		kallsyms_find(symbols, 2 * count);
	for (size_t i = 0; i < count; i++) {
		struct client_name *name = &parties->clients[numbers[i]];

		client_name(&clients[i], &symbols[2 * i], &symbols[2 * i + 1],
			    name->text, sizeof(name->text));
		name->pid = clients[i].program.pid;
		name->known = true;
	}
	return count;
}

void parties_read(struct parties *parties, int destinations, int clients)
{
	if (parties->destinations)
		read_destinations(parties, destinations);
	if (parties->clients) {
		while (read_some_clients(parties, clients) == AT_ONCE)
			;
	}
}

static bool is_zero(const __u8 *gid)
{
	static const __u8 zero[16];

	return !memcmp(gid, zero, sizeof(zero));
}

void destination_name(const struct mr_destination *destination, char *buffer,
		      size_t size)
{
	if (!is_zero(destination->gid))
		inet_ntop(AF_INET6, destination->gid, buffer,
			  (socklen_t)size);
	else if (destination->lid == LID_PERMISSIVE)
		snprintf(buffer, size, "directed route");
	else if (!destination->lid)
		snprintf(buffer, size, "unknown");
	else
		snprintf(buffer, size, "LID %u", destination->lid);
}

void parties_name_row(const struct parties *parties, struct snapshot_row *row)
{
	const struct mr_key *key = &row->key;

	if (parties->destinations && key->destination <= parties->max) {
		row->destination_address =
			parties->destinations[key->destination];
		destination_name(&row->destination_address, row->destination,
				 sizeof(row->destination));
	}
	if (parties->clients && key->client <= parties->max) {
		snprintf(row->client, sizeof(row->client), "%s",
			 parties->clients[key->client].text);
		row->client_pid = parties->clients[key->client].pid;
	}
}

void parties_client_name(const struct parties *parties, __u32 number,
			 char *buffer, size_t size)
{
	if (parties->clients && number <= parties->max)
		snprintf(buffer, size, "%s", parties->clients[number].text);
	else
		buffer[0] = '\0';
}
