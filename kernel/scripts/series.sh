#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Write the kernel change as a series that can be mailed: the hooks of
# kernel/hooks on the base kernel's source, with the new files in the patch that
# adds them to the Makefile. Author and Signed-off-by are those of who runs it.
#
# usage: series.sh           BUILD=folder (default: build/ at the top of the tree)
#
# Leaves the patches and a cover letter to fill in, in $BUILD/series.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
BUILD=$(cd "${BUILD:-$top/build}" && pwd)
BASE=6.12
work=$BUILD/series.tree
out=$BUILD/series

die() { echo "series: $*" >&2; exit 1; }

in_tree() { git -C "$work" "$@"; }

base_commit()
{
	rm -rf "$work"
	mkdir -p "$work"
	cp -r "$BUILD/kernel/source/drivers" "$BUILD/kernel/source/include" "$work/"
	git -C "$work" init -q
	in_tree add -A
	in_tree commit -q -m "base: $(cat "$BUILD/kernel/release")"
}

add_new_files()
{
	cp "$top"/kernel/core/*.[ch] "$work/drivers/infiniband/core/"
	cp "$top"/kernel/include/rdma/*.h "$work/include/rdma/"
	mkdir -p "$work/include/trace/misc"
	cp "$top"/tracepoints/events/*.h "$work/include/trace/events/"
	cp "$top"/tracepoints/misc/*.h "$work/include/trace/misc/"
	in_tree add -A
}

apply()
{
	local hook=$1

	in_tree am -q "$hook" || die "$(basename "$hook") does not apply"
	if grep -q '^+.*mad_retry\.o' "$hook"; then
		add_new_files
	fi
	in_tree commit -q --amend -s --reset-author --no-edit
}

[ -s "$BUILD/kernel/release" ] || die "there is no base kernel; run 'make kernel'"
git config user.email > /dev/null ||
	die "git does not know who you are; set user.name and user.email"
base_commit
for hook in "$top/kernel/hooks/$BASE"/*.patch; do
	apply "$hook"
done
rm -rf "$out"
in_tree format-patch -q --cover-letter \
	-o "$out" -"$(($(in_tree rev-list --count HEAD) - 1))"
rm -rf "$work"
ls "$out"
