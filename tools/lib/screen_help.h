/* SPDX-License-Identifier: GPL-2.0 */
/* The page that explains keys and columns, and the line that names the keys. */
#ifndef MR_SCREEN_HELP_H
#define MR_SCREEN_HELP_H

#include "screen_state.h"

void help_begin(struct screen_state *state);

/* Returns false when the page is to be closed */
bool help_key(struct screen_state *state, int key);

void help_draw(struct screen_state *state);

/* The most important keys, as many as fit */
void help_draw_key_line(void);

#endif
