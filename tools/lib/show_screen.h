/* SPDX-License-Identifier: GPL-2.0 */
/* Snapshots on an interactive screen. */
#ifndef MR_SHOW_SCREEN_H
#define MR_SHOW_SCREEN_H

#include <stdbool.h>

#include "column_list.h"
#include "options.h"
#include "view.h"

/*
 * Take over the terminal on stdin and stdout; it is given back when the
 * program exits, however. Returns false, and leaves it alone, if it is not
 * one on which a cursor can be moved.
 */
bool screen_start(const struct options *options, const struct order *order,
		  const struct column_list *list, bool lists_requests);

/* @snapshot has to stay valid until the next one is shown */
void screen_show(const struct snapshot *snapshot);

/* The screen stays as it is until the user goes on */
bool screen_is_paused(void);

/* What the user wants to see now: how rows are told apart, and requests */
unsigned int screen_by(void);
bool screen_lists_requests(void);

/* Read and obey the keys that were typed; returns false to quit */
bool screen_input(void);

void screen_resize(void);

#endif
