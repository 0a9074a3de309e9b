#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Are the numbers of the one-liners about path migration right? They watch
# connections of apm_peer that migrate and load new alternate paths, and are
# compared with what apm_peer counted at both ends. With the patched modules, and
# the twins with the stock ones.

# shellcheck source-path=SCRIPTDIR source=../apm/lib.sh
. "$TOP/selftests/apm/lib.sh"
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$TOP/selftests/oneliners/lib.sh"

ROUNDS=3
NO_CONSUMER=2		# IB_CM_APR_UNSUPPORTED
CLASS_CM=7

# A connection migrates, and gets a new alternate path, which the peer's answer says
migrate_and_protect() {
	local port

	apm_connect && apm_armed || return 1
	for ((port = 1; port <= ROUNDS; port++)); do
		apm migrate && apm wait migrated || return 1
		apm lap side=active port=$((2 - port % 2)) && apm wait idle &&
			apm_armed || return 1
	done
}

# One whose peer has not told ib_cm that it takes LAPs
refused_lap() {
	apm destroy && apm set laps=0 && apm_connect && apm_armed &&
		apm migrate && apm wait migrated || return 1
	apm lap side=active port=1 && apm wait active_apr_received messages=$((ROUNDS + 1)) &&
		apm wait idle
}

migrate_once() {
	apm_connect && apm_armed && apm migrate && apm wait migrated &&
		apm_forge lap vfab0 --local-id 1 --remote-id 1
}

both() {
	echo $(($(apm_counter "active_$1") + $(apm_counter "passive_$1")))
}

# Both devices say so, each its own
check_path_migrations() {
	if lines_patched; then
		same "migrations of vfab1" "$(lines_sum path-migrations '\[vfab1, 1, 1\]')" \
			"$(apm_counter active_path_mig)" &&
			same "of vfab2" "$(lines_sum path-migrations '\[vfab2, 1, 1\]')" \
				"$(apm_counter passive_path_mig)"
	else
		same "CM told" "$(lines_sum path-migrations '' @told_cm)" "$(both notify)"
	fi && [ "$(both path_mig)" -ge 2 ]
}

# The state is changed by who should
check_apm_stacks() {
	if lines_patched; then
		same "LAP sent" "$(lines_sum apm-stacks '\[0, ')" \
			"$(apm_counter active_lap_sent)" &&
			same "APR received" "$(lines_sum apm-stacks '\[10, ')" \
				"$(apm_counter active_apr_received)" &&
			lines_out apm-stacks | grep -A 8 '^@steps\[0, ' | grep -q ib_send_cm_lap
	else
		same "LAP come" "$(lines_sum apm-stacks 'cm_lap_handler')" 1 &&
			[ "$(lines_sum apm-stacks ib_cm_notify)" -ge "$(both notify)" ]
	fi
}

check_apr_time() {
	same "accepted" "$(lines_bin_sum apr-time '\[vfab1, 0\]')" \
		"$(apm_counter active_apr_success)" &&
		same "refused" "$(lines_bin_sum apr-time "\\[vfab1, $NO_CONSUMER\\]")" 1
}

check_laps_refused() {
	same "LAPs of that APR status" "$(lines_sum laps-refused "\\[vfab2, [12], $NO_CONSUMER\\]")" 1 &&
		same "all" "$(lines_sum laps-refused)" 1
}

check_unprotected_time() {
	same "active end" "$(lines_bin_sum unprotected-time '\[vfab1\]')" \
		"$(apm_counter active_apr_success)" &&
		same "passive end" "$(lines_bin_sum unprotected-time '\[vfab2\]')" \
			"$(apm_counter passive_apr_sent)"
}

# REQ and REP of each connection, and each LAP that was answered; and the DREQ of a
# connection that is destroyed, if the other end is still there to get it
check_cancelled() {
	local cancelled least

	cancelled=$(lines_sum cancelled "\\[$CLASS_CM, 1\\]")
	least=$(($(both established) + $(apm_counter active_apr_received)))
	same "cancelled $cancelled, at least $least" \
		$((cancelled >= least && cancelled <= least + 2)) 1 &&
		same "given more time" "$(lines_sum cancelled "\\[$CLASS_CM, 0\\]")" \
			"$(both mra_received)"
}

clean_up() {
	lines_end
	[ ! -d /sys/module/apm_peer ] || apm_down
}

names="path-migrations apm-stacks cancelled"
! lines_patched || names+=" apr-time laps-refused unprotected-time"
lines_begin
apm_up || ktap_exit_fail_msg "the fabric does not come up"
trap clean_up EXIT
# shellcheck disable=SC2086 # a list of names
lines_start $names || ktap_exit_fail_msg "not all one-liners are attached"
if lines_patched; then
	migrate_and_protect && refused_lap
else
	migrate_once
fi || ktap_exit_fail_msg "the connections did not migrate"
# shellcheck disable=SC2086
lines_stop $names
# shellcheck disable=SC2086
set -- $names
ktap_set_plan $#
for name; do
	lines_check "$name" "its numbers are right" "check_${name//-/_}"
done
[ -z "${SHOW:-}" ] || for name; do
	echo "#== $(lines_file "$name")"
	lines_out "$name"
done
ktap_finished
