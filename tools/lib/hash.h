/* SPDX-License-Identifier: GPL-2.0 */
/* uthash and utlist, ending the program when memory is used up. */
#ifndef MR_HASH_H
#define MR_HASH_H

#include "message.h"

#define uthash_fatal(text) fail_environment("out of memory")
#include <uthash.h>
#include <utlist.h>

#endif
