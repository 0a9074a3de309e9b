#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# On a kernel without madretry's events madretry-top says so, and leaves
# nothing behind. For the virtual machine with --stock.

# shellcheck source=selftests/tools/lib.sh
. "$TOP/selftests/tools/lib.sh"

says_what_is_missing() {
	refuses 1 "$MADRETRY_TOP" "$@" &&
		says "no madretry events (ib_mad:ib_mad_post is missing)" &&
		says "load the patched ib_core"
}

says_it_for_json() {
	says_what_is_missing --json 1 1
}

need_commands bpftool
ktap_print_header
trap 'rm -rf "$TOP_DIR"' EXIT
modprobe -q ib_core || skip_all "no module ib_core for this kernel"
[ ! -e /sys/module/ib_core/parameters/randomized_wait ] ||
	skip_all "this ib_core is the patched one"
run_tests "$@" <<'END'
says_what_is_missing	a stock kernel: one line, status 1
says_it_for_json	the same with --json
none_attached		nothing is left attached
END
ktap_finished
