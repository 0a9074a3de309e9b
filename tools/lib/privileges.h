/* SPDX-License-Identifier: GPL-2.0 */
/* What a program that runs for months may do is no more than it needs. */
#ifndef MR_PRIVILEGES_H
#define MR_PRIVILEGES_H

/*
 * Give up all capabilities, for good: the maps of programs that are loaded are
 * read without. If @folder is not NULL and belongs to somebody else, the one
 * that is needed to write there is kept.
 */
void privileges_drop(const char *folder);

#endif
