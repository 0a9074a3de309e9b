/* SPDX-License-Identifier: GPL-2.0 */
/* What this kernel, and this user's rights, allow the tools to do. */
#ifndef MR_PROBE_H
#define MR_PROBE_H

#include <stdbool.h>
#include <stddef.h>

#include "mode.h"

/*
 * Can MADs be traced at all? If not, @why says what is missing and what to do
 * about it, in one line.
 */
bool probe_tracing(char *why, size_t size);

/* The same for one mode, if the above is true */
bool probe_mode(enum trace_mode mode, char *why, size_t size);

/*
 * The same for a part of it: is the module loaded, with BTF? May this user
 * trace?
 */
bool probe_module(const char *module, char *why, size_t size);
bool probe_rights(char *why, size_t size);

/* Does the module's BTF name the type or function? */
bool module_btf_names(const char *module, const char *type);

/*
 * Does the BTF in this file name the type? Reads its strings only: to parse
 * a module's BTF would take the kernel's, which is a few megabytes.
 */
bool btf_file_names(const char *path, const char *type);

#endif
