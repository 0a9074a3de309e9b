#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Does systemd accept the unit of madretry-export as it is? It only warns about
# most mistakes, so any word about it is one.

# shellcheck source=/dev/null
. "$BUILD/kernel/source/tools/testing/selftests/kselftest/ktap_helpers.sh"

UNIT=madretry-export.service

command -v systemd-analyze > /dev/null ||
	{ ktap_skip_all "no systemd-analyze command"; exit "$KSFT_SKIP"; }

dir=$(mktemp -d)
trap 'rm -r "$dir"' EXIT
sed "s,@SBINDIR@,$BUILD/tools," "$TOP/tools/export/$UNIT.in" > "$dir/$UNIT"

ktap_print_header
ktap_set_plan 1
# Its man pages need not be installed here; other units are not our concern
said=$(systemd-analyze verify --man=no "$dir/$UNIT" 2>&1)
status=$?
if [ $status -eq 0 ] && ! grep -q madretry <<< "$said"; then
	ktap_test_pass "systemd has nothing to say about the unit"
else
	echo "# status $status: ${said//$'\n'/$'\n# '}"
	ktap_test_fail "systemd has nothing to say about the unit"
fi
ktap_finished
