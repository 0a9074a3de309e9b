/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the guest's kernel has found wrong with itself, asked for when the
 * command has ended. A debug kernel (make test-debug) finds more.
 */
#ifndef MADRETRY_VM_KERNEL_REPORTS_H
#define MADRETRY_VM_KERNEL_REPORTS_H

#include <stddef.h>
#include <stdint.h>

#include "channel.h"

/* Call before the command starts. */
void kernel_reports_begin(void);

/*
 * Fills in status->reports and status->taint. On a kernel with kmemleak it
 * takes KMEMLEAK_AGE_S and two scans. What kmemleak says is given to @show,
 * piece by piece.
 */
void kernel_reports_collect(struct status *status,
			    void (*show)(const char *text, size_t len));

#endif
