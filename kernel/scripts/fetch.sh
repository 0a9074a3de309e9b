#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Fetch the base kernel: download the distribution's image, headers, kbuild and
# source packages of the newest 6.12 kernel and unpack, without installing, what
# the build and the virtual machine need into $BUILD/kernel.
#
# usage: fetch.sh            BUILD=folder (default: build/ at the top of the tree)
#
# Leaves in $BUILD/kernel:
#   release    the kernel release, for example 6.12.57+deb12-amd64
#   image/     boot/vmlinuz-RELEASE and lib/modules/RELEASE
#   headers/   the header and kbuild packages
#   kbuild     link to the folder to give to "make -C"
#   source/    the parts of the kernel source that are used
#
# A finished fetch is kept: the archive may move on, the build folder does not
# until it is removed.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
BUILD=${BUILD:-$here/../../build}
SERIES=6.12
ARCH=$(dpkg --print-architecture)

say() { echo "fetch: $*" >&2; }
die() { say "$*"; exit 1; }

# What of the source package is unpacked; the whole of it is 1.5 GB.
SOURCE_PARTS=(
	drivers/infiniband/core
	drivers/infiniband/sw/rxe
	drivers/infiniband/ulp/ipoib
	include/rdma
	include/trace/events
	include/uapi/rdma
	scripts/checkpatch.pl
	scripts/const_structs.checkpatch
	scripts/kernel-doc
	scripts/spelling.txt
	tools/testing/selftests/kselftest
	tools/testing/selftests/kselftest.h
)

# The release that the distribution's metapackage stands for today.
newest_release()
{
	apt-cache depends --no-recommends --no-suggests "linux-image-$SERIES-$ARCH" 2>/dev/null |
		sed -n "s/^ *Depends: linux-image-\(${SERIES}[^ ]*\)$/\1/p" | head -n 1
}

find_release()
{
	local rel

	rel=$(newest_release)
	if [ -z "$rel" ]; then
		say "reading the package lists (apt-get update)"
		apt-get update -qq >&2 || die "apt-get update failed; is the network up?"
		rel=$(newest_release)
	fi
	[ -n "$rel" ] || die "no package linux-image-$SERIES-$ARCH; add the distribution's security archive to the apt sources"
	echo "$rel"
}

download()
{
	local rel=$1 version common

	common=${rel%-"$ARCH"}
	version=$(apt-cache show "linux-image-$rel" | sed -n 's/^Version: //p' | head -n 1)
	say "downloading the packages of $rel, about 280 MB"
	mkdir -p "$BUILD/deb"
	# apt drops its rights for downloads and would warn about a root-only folder.
	(cd "$BUILD/deb" && apt-get download -qq -o APT::Sandbox::User=root \
		"linux-image-$rel" "linux-headers-$rel" "linux-headers-$common-common" \
		"linux-kbuild-$common" "linux-source-$SERIES=$version") >&2 ||
		die "the download failed; run 'apt-get update' and try again"
}

unpack_binaries()
{
	local rel=$1 into=$2 common=${1%-"$ARCH"}

	say "unpacking image and headers"
	mkdir -p "$into/image" "$into/headers"
	dpkg-deb -x "$BUILD/deb/linux-image-$rel"_*.deb "$into/image"
	dpkg-deb -x "$BUILD/deb/linux-headers-$rel"_*.deb "$into/headers"
	dpkg-deb -x "$BUILD/deb/linux-headers-$common-common"_*.deb "$into/headers"
	dpkg-deb -x "$BUILD/deb/linux-kbuild-$common"_*.deb "$into/headers"
	# The one absolute path in the packages; everything else is a relative link.
	echo "include \$(dir \$(lastword \$(MAKEFILE_LIST)))../linux-headers-$common-common/Makefile" \
		> "$into/headers/usr/src/linux-headers-$rel/Makefile"
	ln -sfn "headers/usr/src/linux-headers-$rel" "$into/kbuild"
}

unpack_source()
{
	local into=$1

	say "unpacking the RDMA part of the source"
	mkdir -p "$into/source"
	dpkg-deb --fsys-tarfile "$BUILD/deb/linux-source-$SERIES"_*.deb |
		tar -xO "./usr/src/linux-source-$SERIES.tar.xz" |
		tar -xJ -C "$into/source" --strip-components=1 \
			"${SOURCE_PARTS[@]/#/linux-source-$SERIES/}"
}

main()
{
	local rel part

	if [ -s "$BUILD/kernel/release" ]; then
		exit 0
	fi
	command -v apt-get >/dev/null || die "needs a Debian system (apt-get is missing)"
	mkdir -p "$BUILD"
	BUILD=$(cd "$BUILD" && pwd)
	rel=$(find_release)
	part=$BUILD/kernel.part
	rm -rf "$part" "$BUILD/deb"
	download "$rel"
	unpack_binaries "$rel" "$part"
	unpack_source "$part"
	echo "$rel" > "$part/release"
	rm -rf "$BUILD/kernel"
	mv "$part" "$BUILD/kernel"
	say "kernel $rel is in the build folder"
}

main "$@"
