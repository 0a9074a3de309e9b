/* SPDX-License-Identifier: GPL-2.0 */
/* Draws the interactive screen with curses. */
#ifndef MR_SCREEN_DRAW_H
#define MR_SCREEN_DRAW_H

#include "screen_state.h"

/* Also settles which line is selected, and what part of the table is seen */
void screen_draw(struct screen_state *state);

#endif
