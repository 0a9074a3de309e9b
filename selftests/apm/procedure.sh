#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The whole procedure, again and again, with messages running both ways: a path
# fails, both ends migrate, the path is back, LAP, APR, re-arm, ARMED.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$TOP/selftests/apm/lib.sh"

ROUNDS=${ROUNDS:-20}	# each way
DEAD=1000000		# ppm

# The ways a path fails: each returns when both ends have migrated from port $1
by_software() {
	apm migrate && apm wait migrated
}

# The active end's link; the ends notice by themselves
by_link() {
	knob vfab1 "$1" link 0 && apm wait migrated && apm_mend vfab1 "$1"
}

# Dead to data alone
by_loss() {
	knob vfab1 "$1" loss_rc_ppm $DEAD && knob vfab2 "$1" loss_rc_ppm $DEAD &&
		apm wait migrated &&
		knob vfab1 "$1" loss_rc_ppm 0 && knob vfab2 "$1" loss_rc_ppm 0
}

# One after the other: the ends need not migrate at the same time
by_active_end() {
	apm migrate side=active && apm wait migrated
}

one_round() {	# way, port
	"$1" "$2" || return 1
	apm_is active port=$((3 - $2)) && apm_is passive port=$((3 - $2)) || return 1
	apm lap side=active port="$2" && apm wait armed && apm wait idle
}

all_rounds() {	# way, options of the connection
	local way=$1 round port

	shift
	apm_connect "$@" && apm wait armed && apm set traffic=1 || return 1
	for ((round = 1; round <= ROUNDS; round++)); do
		for port in 1 2; do
			one_round "$way" $port && continue
			ktap_print_msg "round $round, port $port"
			return 1
		done
	done
	accounts $((2 * ROUNDS)) && apm_intact && closes
}

accounts() {
	apm_counts active_path_mig="$1" passive_path_mig="$1" \
		active_notify="$1" passive_notify="$1" active_notify_failed=0 \
		passive_notify_failed=0 active_lap_sent="$1" \
		passive_lap_received="$1" passive_apr_sent="$1" \
		active_apr_success="$1" active_rearm="$1" passive_rearm="$1" \
		active_rearm_failed=0 passive_rearm_failed=0 active_lap_error=0 \
		active_path_mig_err=0 passive_path_mig_err=0
}

closes() {
	apm disconnect side=active && apm wait closed &&
		apm_counts active_drep_received=1 passive_dreq_received=1
}

apm_begin 7
apm_check "software migration, $ROUNDS rounds each way" all_rounds by_software
apm_check "software migration with GRH" all_rounds by_software grh=1
apm_check "the active end migrates, the passive one follows" all_rounds by_active_end
apm_check "link cut" all_rounds by_link
apm_check "link cut, with GRH" all_rounds by_link grh=1
apm_check "path dead to data, with GRH" all_rounds by_loss grh=1
apm_end
