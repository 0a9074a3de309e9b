#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Path migration: migrate_test on a fabric of two hosts. With switches, so that
# OpenSM hears by trap of a link that comes back.

# shellcheck source=/dev/null
. "$BUILD/kernel/source/tools/testing/selftests/kselftest/ktap_helpers.sh"
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$TOP/selftests/fabric/lib.sh"

[ -x "$BUILD/fabric/migrate_test" ] || {
	ktap_print_header
	fabric_skip "no migrate_test: make -C selftests/fabric"
}
fabric_up 2 switched=1 || exit "$KSFT_FAIL"
fabric_sm 1 2 || exit "$KSFT_FAIL"
"$BUILD/fabric/migrate_test"
status=$?
fabric_down || exit "$KSFT_FAIL"
exit "$status"
