#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Build the drop-in modules from the build tree.
#
# usage: build-modules.sh [MAKE-ARGUMENT...]
#                            BUILD=folder (default: build/ at the top of the tree)
#
# Arguments go to make, for example W=1 or C=1. Leaves the modules that differ
# from the base kernel's in $BUILD/modules.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
BUILD=$(cd "${BUILD:-$top/build}" && pwd)
BASE=6.12
tree=$BUILD/kernel/tree
kbuild=$(readlink -f "$BUILD/kernel/kbuild")
# Debian has most headers in a folder beside it; with a kernel that was built in
# its own source folder (debug-kernel.sh) that is the same one.
common=$(dirname "$kbuild")/$(sed -n 's,.*\(linux-headers-.*-common\)/Makefile,\1,p' "$kbuild/Makefile")
[ -d "$common/include/linux" ] || common=$kbuild

# The tree's headers come before the kernel's own of the same name. cm_trace.h
# and others are found through include/trace.
include=(
	"-I$tree/include" "-I$tree/include/trace"
	"-I$common/arch/x86/include" "-I$kbuild/arch/x86/include/generated"
	"-I$common/include" "-I$kbuild/include"
	"-I$common/arch/x86/include/uapi" "-I$kbuild/arch/x86/include/generated/uapi"
	"-I$common/include/uapi" "-I$kbuild/include/generated/uapi"
	"-include $common/include/linux/compiler-version.h"
	"-include $common/include/linux/kconfig.h"
)

make -C "$kbuild" M="$tree" LINUXINCLUDE="${include[*]}" \
	-j"$(nproc)" --no-print-directory modules "$@" >&2

# Without debug information, of which a module holds 16 MB; BTF stays.
mkdir -p "$BUILD/modules"
grep -v '^#' "$top/kernel/hooks/$BASE/modules" | while read -r module; do
	built=$tree/drivers/infiniband/core/$module.ko
	[ "$BUILD/modules/$module.ko" -nt "$built" ] ||
		strip --strip-debug -o "$BUILD/modules/$module.ko" "$built"
done
