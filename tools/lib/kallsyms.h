/* SPDX-License-Identifier: GPL-2.0 */
/* Symbols of the kernel and its modules, as /proc/kallsyms lists them. */
#ifndef MR_KALLSYMS_H
#define MR_KALLSYMS_H

#include <stddef.h>

#include <linux/types.h>

#define SYMBOL_NAME_MAX	64
#define MODULE_NAME_MAX	56	/* as in the kernel */

/*
 * A symbol to be looked for: by its address if that is not 0, otherwise by name
 * and module ("" if it is none). Found, it has all three.
 */
struct symbol {
	__u64 address;
	char name[SYMBOL_NAME_MAX];
	char module[MODULE_NAME_MAX];
};

/*
 * Looks for all of them at once: the list is long. What is not found, or what
 * the kernel does not tell (kptr_restrict), is left as it is.
 */
void kallsyms_find(struct symbol *symbols, size_t count);

/* The same in another file, for tests */
void kallsyms_find_in(const char *path, struct symbol *symbols, size_t count);

#endif
