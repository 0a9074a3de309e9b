#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Write the kernel change as a series that can be mailed: the hooks of
# kernel/hooks on the base kernel's source, with the new files in the patch that
# hooks/*/new-files names. Author and Signed-off-by are those of who runs it.
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

# Where a new file goes in the kernel
place_of()
{
	case $1 in
	core/*) echo "drivers/infiniband/core/${1##*/}" ;;
	include/*) echo "$1" ;;
	../tracepoints/*) echo "include/trace/${1#../tracepoints/}" ;;
	*) die "new-files: nobody knows where $1 goes" ;;
	esac
}

# The new files that belong to a patch, by its number
add_new_files()
{
	local number=$1 patch files file place

	while read -r patch files; do
		[ "$patch" = "$number" ] || continue
		for file in $files; do
			place=$(place_of "$file")
			mkdir -p "$work/$(dirname "$place")"
			cp "$top/kernel/$file" "$work/$place"
		done
	done < "$top/kernel/hooks/$BASE/new-files"
	in_tree add -A
}

apply()
{
	local hook=$1 name

	name=$(basename "$hook")
	in_tree am -q "$hook" || die "$name does not apply"
	add_new_files "${name%%-*}"
	in_tree commit -q --amend -s --reset-author --no-edit
}

# A file that no patch brings would be missing from the series
check_complete()
{
	local file

	for file in core/*.[ch] include/rdma/*.h ../tracepoints/*/*.h; do
		[ -e "$work/$(place_of "$file")" ] ||
			die "new-files does not say which patch brings $file"
	done
}

[ -s "$BUILD/kernel/release" ] || die "there is no base kernel; run 'make kernel'"
git config user.email > /dev/null ||
	die "git does not know who you are; set user.name and user.email"
base_commit
for hook in "$top/kernel/hooks/$BASE"/*.patch; do
	apply "$hook"
done
(cd "$top/kernel" && check_complete)
rm -rf "$out"
in_tree format-patch -q --cover-letter \
	-o "$out" -"$(($(in_tree rev-list --count HEAD) - 1))"
rm -rf "$work"
ls "$out"
