/* SPDX-License-Identifier: GPL-2.0 */
/* Text on the curses screen, cut at its borders. */
#ifndef MR_SCREEN_PUT_H
#define MR_SCREEN_PUT_H

#include <curses.h>

/* A whole line; A_REVERSE reaches to the right border */
void put_line(int y, attr_t attributes, const char *text);

/* A part of a line, @width columns; A_REVERSE fills it */
void put_part(int y, int x, int width, attr_t attributes, const char *text);

#endif
