/* SPDX-License-Identifier: GPL-2.0 */
/* The page on which columns are chosen and put in order. */
#ifndef MR_SCREEN_COLUMNS_H
#define MR_SCREEN_COLUMNS_H

#include "screen_state.h"

void chooser_begin(struct screen_state *state);

/* Returns false when the page is to be closed */
bool chooser_key(struct screen_state *state, int key);

void chooser_draw(struct screen_state *state);

#endif
