// SPDX-License-Identifier: GPL-2.0
/* Text on the curses screen, cut at its borders. */
#include "screen_put.h"

#include <stdlib.h>
#include <wchar.h>

/* Longer than any line of a table */
#define LINE_MAX_CHARS 1024

void put_part(int y, int x, int width, attr_t attributes, const char *text)
{
	wchar_t wide[LINE_MAX_CHARS];
	size_t length = mbstowcs(wide, text, LINE_MAX_CHARS - 1);

	if (y < 0 || y >= LINES || x >= COLS || width <= 0)
		return;
	if (length == (size_t)-1)
		length = 0;
	wide[length] = L'\0';
	if (width > COLS - x)
		width = COLS - x;
	attrset(attributes);
	mvaddnwstr(y, x, wide, width);
	if (attributes & A_REVERSE) {
		for (int i = (int)length; i < width; i++)
			mvaddch(y, x + i, ' ');
	}
	attrset(A_NORMAL);
}

void put_line(int y, attr_t attributes, const char *text)
{
	put_part(y, 0, COLS, attributes, text);
}
