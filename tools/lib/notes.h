/* SPDX-License-Identifier: GPL-2.0 */
/* What is wrong with the numbers of a snapshot, said in words. */
#ifndef MR_NOTES_H
#define MR_NOTES_H

#include <stdbool.h>
#include <stddef.h>

#include "snapshot.h"

#define NOTES_MAX 160

/* Returns whether there is anything to say; one line */
bool notes_make(const struct snapshot *snapshot, char *buffer, size_t size);

#endif
