/* SPDX-License-Identifier: GPL-2.0 */
/* The part of the command line that all tools have. */
#ifndef MR_OPTIONS_H
#define MR_OPTIONS_H

#include <argp.h>
#include <stdbool.h>

#include "filter.h"
#include "mode.h"

#define INTERVAL_MIN_S	0.1
#define INTERVAL_MAX_S	86400

struct options {
	struct filter filter;
	struct mode_choice mode;
	double interval_s;
	unsigned long count;		/* 0: without end */
	double duration_s;		/* 0: without end */
	unsigned int max_rows;
	bool json;
	bool verbose;
};

/*
 * For the children of a tool's argp; input is a struct options. device_argp is
 * for tools about devices, options_argp for those about requests, too.
 * counting_argp is for tools that count: rows, and the arguments
 * [INTERVAL [COUNT]]; duration_argp for those that do not: [DURATION].
 */
extern const struct argp device_argp;
extern const struct argp options_argp;
extern const struct argp json_argp;
extern const struct argp counting_argp;
extern const struct argp duration_argp;

/*
 * Parse with @argp, whose children include options_argp. Does not return if
 * the command line is wrong: one line on stderr, exit status 2.
 */
void options_parse(const struct argp *argp, int argc, char **argv,
		   void *input);

/*
 * A number between @min and @max out of the whole of @text; otherwise a
 * message that begins with @what.
 */
double options_number(const char *what, const char *text, double min,
		      double max);
unsigned long options_integer(const char *what, const char *text,
			      unsigned long min, unsigned long max);

#endif
