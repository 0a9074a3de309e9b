/* SPDX-License-Identifier: GPL-2.0 */
/* Numbers as heights and lengths: block characters, or what ASCII has. */
#ifndef MR_BARS_H
#define MR_BARS_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes that a text of so many characters may need, with its end */
#define BARS_SIZE(width) (3 * (width) + 1)

/* Block characters if the locale of the program is a UTF-8 one */
void bars_setup(void);
void bars_use_blocks(bool blocks);

/*
 * The last @width of @count values, the last one to the right; the greatest of
 * these has the full height. Returns @width characters, blank where there is
 * no value (a negative one, or before the first).
 */
void bars_trend(const float *values, size_t count, size_t width, char *text);

/* A horizontal bar, at most @width characters, which stand for @max */
void bars_length(double value, double max, size_t width, char *text);

/* Characters of a text in UTF-8 */
size_t bars_width(const char *text);

#endif
