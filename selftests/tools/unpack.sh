#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Download Debian packages and unpack them into a folder, without installing
# them: those of Prometheus would start services on this machine.
#
# usage: unpack.sh FOLDER PACKAGE...
#
# A package that has been unpacked is kept.
set -euo pipefail

folder=$1
shift

for package; do
	[ ! -e "$folder/.$package" ] || continue
	echo "unpack: downloading $package" >&2
	mkdir -p "$folder"
	part=$(mktemp -d "$folder/part.XXXXXX")
	trap 'rm -rf "$part"' EXIT
	# apt drops its rights for downloads and would warn about a root-only folder
	(cd "$part" && apt-get download -qq -o APT::Sandbox::User=root "$package") >&2 || {
		echo "unpack: the download failed; run 'apt-get update' and try again" >&2
		exit 1
	}
	dpkg-deb -x "$part"/*.deb "$folder"
	rm -rf "$part"
	touch "$folder/.$package"
done
