#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Put the build tree together: the RDMA part of the base kernel's source, the
# hooks of kernel/hooks applied, the new files added.
#
# usage: tree.sh             BUILD=folder (default: build/ at the top of the tree)
#
# Leaves it in $BUILD/kernel/tree. Files that have not changed keep their time,
# so that make builds only what has.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
BUILD=$(cd "${BUILD:-$top/build}" && pwd)
BASE=6.12
source=$BUILD/kernel/source
tree=$BUILD/kernel/tree
fresh=$BUILD/kernel/tree.new

die() { echo "tree: $*" >&2; exit 1; }

# The base kernel's files that the modules are built from, or include by a path
# that must lead to the tree and not to the kernel headers.
copy_base()
{
	mkdir -p "$fresh/drivers/infiniband" "$fresh/include/trace/events"
	cp -r "$source/drivers/infiniband/core" "$fresh/drivers/infiniband/"
	cp -r "$source/include/rdma" "$fresh/include/"
	cp "$source"/include/trace/events/{ib_mad,ib_umad,rdma_core}.h \
		"$fresh/include/trace/events/"
}

apply_hooks()
{
	local hook

	for hook in "$top/kernel/hooks/$BASE"/*.patch; do
		patch -d "$fresh" -p1 -s -f < "$hook" >&2 ||
			die "$(basename "$hook") does not apply to $(cat "$BUILD/kernel/release")"
	done
}

copy_new()
{
	cp "$top"/kernel/core/*.[ch] "$fresh/drivers/infiniband/core/"
	cp "$top"/kernel/include/rdma/*.h "$fresh/include/rdma/"
	mkdir -p "$fresh/include/trace/misc"
	cp "$top"/tracepoints/events/*.h "$fresh/include/trace/events/"
	cp "$top"/tracepoints/misc/*.h "$fresh/include/trace/misc/"
	echo "obj-m := drivers/infiniband/core/" > "$fresh/Kbuild"
}

# Bring $tree up to date, leaving alone what make has put there.
update()
{
	local file

	(cd "$fresh" && find . -type f) | while read -r file; do
		if ! cmp -s "$fresh/$file" "$tree/$file"; then
			mkdir -p "$(dirname "$tree/$file")"
			cp "$fresh/$file" "$tree/$file"
		fi
	done
	(cd "$tree" && find . -name '*.[ch]' ! -name '*.mod.c') | while read -r file; do
		[ -e "$fresh/$file" ] || rm "$tree/$file"
	done
}

[ -s "$BUILD/kernel/release" ] || die "there is no base kernel; run 'make kernel'"
rm -rf "$fresh"
copy_base
apply_hooks
copy_new
mkdir -p "$tree"
update
rm -rf "$fresh"
