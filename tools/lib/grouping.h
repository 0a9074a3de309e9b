/* SPDX-License-Identifier: GPL-2.0 */
/* What tells rows apart besides device, port and class: MR_BY_*, by name. */
#ifndef MR_GROUPING_H
#define MR_GROUPING_H

#include <stddef.h>

#include "madretry.h"

#define GROUPING_NAME_MAX 64

/* "attribute,destination" */
void grouping_name(unsigned int by, char *buffer, size_t size);

/* Ends the program with a message if the names are wrong */
unsigned int grouping_parse(const char *text);

/* For a key that goes through all of them */
unsigned int grouping_next(unsigned int by);

#endif
