/* SPDX-License-Identifier: GPL-2.0 */
/* Files that others read while they are written again and again. */
#ifndef MR_REPLACE_FILE_H
#define MR_REPLACE_FILE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Let @path hold this content, at once: a reader sees all of what it held
 * before, or all of this. Returns false, with errno, if that cannot be done;
 * then nothing has changed. What is not a file, such as a pipe, is written to.
 */
bool replace_file(const char *path, const char *content, size_t length);

/* Could that be done now? Changes nothing; errno says why not. */
bool replace_file_try(const char *path);

#endif
