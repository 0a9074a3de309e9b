#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Check the drop-in rule: every symbol that the distribution's modules export
# keeps its CRC in the modules built here, so that drivers built against the
# distribution's kernel load beside them. New symbols may be added.
#
# usage: check-abi.sh        BUILD=folder (default: build/ at the top of the tree)
#
# Prints the new symbols and a summary. Exit status 1 if a CRC has changed or a
# symbol has gone.
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
BUILD=$(cd "${BUILD:-$top/build}" && pwd)
BASE=6.12
stock=$BUILD/kernel/kbuild/Module.symvers
ours=$BUILD/kernel/tree/Module.symvers

[ -s "$ours" ] || { echo "check-abi: nothing has been built; run 'make modules'" >&2; exit 1; }

# Lines of a Module.symvers are: CRC, symbol, module, kind of export, namespace.
awk -F '\t' -v modules="$(grep -v '^#' "$top/kernel/hooks/$BASE/modules" | tr '\n' ' ')" '
	BEGIN {
		n = split(modules, name, " ")
		for (i = 1; i <= n; i++)
			checked[name[i]] = 1
	}
	{
		module = $3
		sub(/.*\//, "", module)
		if (!(module in checked))
			next
		key = module ": " $2
	}
	FILENAME == ARGV[1] { stock[key] = $1; compared++; next }
	{ ours[key] = $1 }
	END {
		if (!compared) {
			print "check-abi: the distribution exports nothing from " modules > "/dev/stderr"
			exit 1
		}
		for (key in stock) {
			if (!(key in ours)) {
				print "gone     " key
				bad++
			} else if (ours[key] != stock[key]) {
				print "changed  " key " " stock[key] " -> " ours[key]
				bad++
			}
		}
		for (key in ours)
			if (!(key in stock))
				print "new      " key
		printf "%d symbols compared, %d changed\n", compared, bad
		exit bad > 0
	}' "$stock" "$ours"
