/* SPDX-License-Identifier: GPL-2.0 */
/* What a tool needs of the machine before it begins. */
#ifndef MR_SURROUNDINGS_H
#define MR_SURROUNDINGS_H

#include "filter.h"

/* Ends the program with a message if a device or port that is asked for is missing */
void require_filtered(const struct filter *filter);

/* The same, and if MAD requests cannot be traced here */
void require_tracing(const struct filter *filter);

#endif
