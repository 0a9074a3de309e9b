/* SPDX-License-Identifier: GPL-2.0 */
/* The command line of "sastorm client". */
#ifndef SASTORM_CLIENT_OPTIONS_H
#define SASTORM_CLIENT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "mad_port.h"
#include "report.h"

#define ATTRIBUTES_MAX	16384

/* When the requests may be posted at the earliest. */
enum start_pattern {
	START_AT_ONCE,
	START_EVEN,		/* evenly over start_ms */
	START_RANDOM,		/* at random times within start_ms */
};

struct client_options {
	struct mad_registration registration;
	uint8_t method;
	uint16_t attributes[ATTRIBUTES_MAX];	/* requests take turns */
	unsigned int attribute_count;
	uint64_t requests;
	unsigned int outstanding;
	int timeout_ms;		/* as umad takes it: 0 no answer, < 0 for ever */
	int retries;
	unsigned int agents;
	enum start_pattern start;
	uint32_t start_ms;
	uint64_t seed;
	uint32_t first_tid;
	bool until_good;	/* ask again what fails */
	uint64_t flood_ns;	/* post for so long; 0: post so many */
	uint64_t limit_ns;	/* give up after so long; 0: never */
	bool has_gid;
	uint8_t gid[16];
	uint16_t lid;
	uint8_t gid_index;
	uint8_t sl;
	enum report_format format;
};

/* Read the command line or fail_input(). */
void client_options_read(struct client_options *options, int argc, char **argv);

#endif
