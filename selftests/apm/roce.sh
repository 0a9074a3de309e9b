#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# RoCE has no alternate paths: a LAP that comes there is answered "not supported",
# whatever connection it means.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$TOP/selftests/apm/lib.sh"
# shellcheck source-path=SCRIPTDIR source=../lib/rxe.sh
. "$TOP/selftests/lib/rxe.sh"

APR_UNSUPPORTED=2
LAPS=10

all_answered() {
	[ "$(apm_aprs | wc -l)" -eq $LAPS ]
}

answers_unsupported() {
	"$BUILD/apm/cm_mad" lap --device rxe0 --dgid "$(rxe_gid rxe1)" --messages $LAPS \
		--local-id 1 --remote-id 2 --qpn 3 && fabric_wait all_answered &&
		equal $APR_UNSUPPORTED "$(apm_aprs | sort -u)"
}

ktap_print_header
apm_supported || rxe_skip "ib_cm has no ib_send_cm_lap()"
rxe_up
{ modprobe -q ib_cm && apm_watch; } || ktap_exit_fail_msg "cannot trace"
ktap_set_plan 1
if answers_unsupported; then
	ktap_test_pass "$LAPS LAPs on RoCE: not supported"
else
	ktap_test_fail "$LAPS LAPs on RoCE: not supported"
fi
apm_unwatch
rxe_down
ktap_finished
