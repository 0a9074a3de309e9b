#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Install those of the Debian packages that are missing. Nothing is asked of the
# package manager when none is, so that a second run needs neither root nor a
# network.
#
# usage: packages.sh PACKAGE...
#                            BUILD=folder (default: build/ at the top of the tree)
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
BUILD=$(cd "${BUILD:-$here/../../build}" && pwd)
log=$BUILD/packages.log

die() { echo "packages: $*" >&2; exit 1; }

installed()
{
	[ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2> /dev/null)" = installed ]
}

# The package of OpenSM starts a subnet manager on all InfiniBand ports.
may_install()
{
	[ "$1" != opensm ] || [ -z "$(ls /sys/class/infiniband 2> /dev/null)" ] ||
		[ "$(readlink -f /etc/systemd/system/opensm.service)" = /dev/null ]
}

missing=()
for package; do
	installed "$package" || missing+=("$package")
done
[ ${#missing[@]} -gt 0 ] || exit 0
[ "$(id -u)" -eq 0 ] || die "not root; install these first: ${missing[*]}"
for package in "${missing[@]}"; do
	may_install "$package" ||
		die "installing $package would start a subnet manager on this machine's RDMA devices; run 'systemctl mask opensm' first, or use another machine"
done
echo "packages: installing ${missing[*]}" >&2
{ apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
	apt-get install -y -qq --no-install-recommends "${missing[@]}"; } > "$log" 2>&1 || {
	tail -n 5 "$log" >&2
	die "apt-get failed; $log has all it said"
}
