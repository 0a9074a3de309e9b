#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Build the kernel of "make test-debug": the distribution's source, with the
# configuration of kernel/debug.config.
#
# usage: debug-kernel.sh     BUILD=folder (default: build/ at the top of the tree)
#
# Leaves in $BUILD/debug what fetch.sh leaves in $BUILD, so that it is a build
# folder like any other: $BUILD/debug/kernel with release, image/, kbuild (a link
# to the source folder that was built in) and source. What does not depend on the
# kernel is linked to $BUILD.
#
# Built again only when the configuration or the release has changed.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
BUILD=$(cd "${BUILD:-$top/build}" && pwd)
SERIES=6.12
config=$top/kernel/debug.config
debug=$BUILD/debug
kernel=$debug/kernel
# The compiler of the distribution's kernel
CC=gcc-12

say() { echo "debug-kernel: $*" >&2; }
die() { say "$*"; exit 1; }

wanted_state() { cat "$BUILD/kernel/release" "$config"; }

unpack() {
	say "unpacking the whole kernel source; with what is built it takes 3.5 GB"
	rm -rf "$debug"
	mkdir -p "$kernel/full"
	dpkg-deb --fsys-tarfile "$BUILD/deb/linux-source-$SERIES"_*.deb |
		tar -xO "./usr/src/linux-source-$SERIES.tar.xz" |
		xz -dc -T0 | tar -x -C "$kernel/full" --strip-components=1
	ln -s full "$kernel/kbuild"
	ln -s ../../kernel/source "$kernel/source"
}

run_make() {
	make -s -C "$kernel/full" -j"$(nproc)" CC="$CC" "$@" >> "$debug/kernel.log" 2>&1 || {
		tail -n 30 "$debug/kernel.log" >&2
		die "the kernel does not build"
	}
}

# An option that olddefconfig dropped would be missed without a word.
check_config() {
	local line missing=

	while IFS= read -r line; do
		case $line in
		CONFIG_*=n) ! grep -q "^${line%=n}=" "$kernel/full/.config" || missing+=" $line" ;;
		CONFIG_*) grep -qxF "$line" "$kernel/full/.config" || missing+=" $line" ;;
		esac
	done < "$config"
	[ -z "$missing" ] || die "this kernel's configuration does not take$missing"
}

build() {
	: > "$debug/kernel.log"
	# Modules carry BTF that is only good with the vmlinux they were built for.
	rm -rf "$debug"/{modules,mad,fabric,apm,fault,vm} "$kernel/tree"
	run_make allnoconfig KCONFIG_ALLCONFIG="$config"
	check_config
	say "building a kernel with KASAN and lockdep, about 8 minutes on 2 processors"
	run_make bzImage modules
}

install_image() {
	local image=$kernel/image release

	release=$(make -s -C "$kernel/full" CC="$CC" kernelrelease)
	rm -rf "$image"
	mkdir -p "$image/boot"
	cp "$kernel/full/arch/x86/boot/bzImage" "$image/boot/vmlinuz-$release"
	# Debug information is most of a module and of no use in the guest.
	run_make INSTALL_MOD_PATH="$image" INSTALL_MOD_STRIP=1 DEPMOD=true modules_install
	rm -f "$image/lib/modules/$release/build"
	echo "$release" > "$kernel/release"
}

# The tools and the load generator are programs: one build serves both kernels.
link_programs() {
	local part

	for part in bpf tools unit load monitoring; do
		ln -sfn "../$part" "$debug/$part"
	done
}

[ -s "$BUILD/kernel/release" ] || die "there is no base kernel; run 'make kernel'"
if ! wanted_state | cmp -s - "$kernel/state"; then
	rm -f "$kernel/state"
	[ -d "$kernel/full" ] && [ "$(cat "$kernel/base" 2> /dev/null)" = "$(cat "$BUILD/kernel/release")" ] ||
		{ unpack; cp "$BUILD/kernel/release" "$kernel/base"; }
	build
	install_image
	wanted_state > "$kernel/state"
fi
link_programs
