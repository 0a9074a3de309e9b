/* SPDX-License-Identifier: GPL-2.0 */
/* Standard output, which may be closed, full, or a pipe that ends. */
#ifndef MR_OUTPUT_H
#define MR_OUTPUT_H

/*
 * To be called first of all: ends the program if stdout is closed, and sees to
 * it that no file opened later takes the place of stdin, stdout or stderr.
 */
void output_check(void);

/*
 * Hand on what was printed. If nobody reads it any more, the program ends
 * quietly, as a part of a pipe does; if it cannot be written, with a message.
 */
void output_flush(void);

/* Nobody reads it any more: end quietly */
_Noreturn void output_closed(void);

#endif
