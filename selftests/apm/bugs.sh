#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Three faults of ib_cm in Linux 6.12 that need no LAP of its own to be seen. Beside
# an ib_cm that cannot send LAPs (vm/run --stock) the same checks must find each
# fault, so that nobody believes in a check that never finds any.
#
# Each check returns 0: right, 1: the fault is there, 2: could not be tried.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$TOP/selftests/apm/lib.sh"

if apm_supported; then
	expected=0
	title="right:"
else
	expected=1
	title="known fault:"
fi

# On a fabric of its own: what a fault leaves behind is nobody else's
bug() {
	local what=$1 status

	shift
	if apm_up && apm_watch; then
		"$@"
		status=$?
		[ ! -d /sys/module/apm_peer ] || apm_down
		apm_unwatch
	else
		status=2
	fi
	if [ "$status" -eq $expected ]; then
		ktap_test_pass "$title $what"
	else
		ktap_test_fail "$title $what (status $status)"
	fi
}

migrated_and_closed() {
	apm_connect "$@" && apm_armed && apm migrate && apm wait migrated &&
		apm send && apm wait quiet &&
		apm disconnect side=active && apm wait closed && apm destroy
}

# (1) Every port still has its GID, and a path can be asked for
gid_is_kept() {
	local before

	before=$(gids)
	migrated_and_closed grh=1 || return 2
	equal "$before" "$(gids)" && apm_connect grh=1 port=2 alt=0
}

# (1) The alternate path is another device's. What a wrong count of references
# leaves behind shows when the devices go: the kernel warns of GIDs that are still
# held, and ib_cm frees as many devices as there were, none early.
devices_are_freed() {
	local freed

	apm_connect grh=1 altdev=vfab0 || return 2
	apm notify side=active && apm destroy || return 2
	freed=$(apm_freed)
	apm_down || return 2
	equal "0 $APM_HOSTS" "$freed $(apm_freed)" &&
		equal 0 $(($(< /proc/sys/kernel/tainted) & APM_TAINT_WARN))
}

# (2) The connection can still be ended by DREQ and DREP
no_alternate() {
	apm_connect alt=0 || return 2
	apm_refused notify side=active || return 1
	apm disconnect side=active || return 2
	apm wait active_drep_received messages=1 || return 1
}

# (2) An alternate path is good for one migration
used_alternate() {
	apm_connect && apm_armed && apm migrate && apm wait migrated &&
		apm wait active_notify && apm wait passive_notify || return 2
	apm_refused notify side=active && apm_refused notify side=passive
}

laps_arrived() {
	[ "$(< /sys/class/infiniband/vfab2/ports/1/cm_rx_msgs/lap)" -ge "$1" ]
}

passive_paths() {
	local name

	for name in cm_port cm_dlid cm_alt_port cm_alt_dlid; do
		echo "$name=$(apm_state passive "$name")"
	done
}

# (3) A LAP that comes from somewhere else, while the consumer has still one to
# answer, changes neither path of the connection.
second_lap() {
	local before

	apm set answer=hold && apm_connect && apm_armed || return 2
	before=$(passive_paths)
	apm_forge lap vfab1 --tid 1 && apm wait passive_lap_received &&
		apm_forge lap vfab0 --tid 2 \
			--local-lid "$(port_lid vfab1 1)" --local-gid "$(port_gid vfab1 1)" \
			--remote-lid "$(port_lid vfab2 1)" --remote-gid "$(port_gid vfab2 1)" &&
	 fabric_wait laps_arrived 2 || return 2
	sleep 0.1	# the message has been counted, now it is looked at
	equal "$before" "$(passive_paths)"
}

ktap_print_header
ktap_set_plan 5
bug "after a migration with GRH every port has its GID" gid_is_kept
bug "after a migration to another device all devices are freed" devices_are_freed
bug "PATH_MIG without an alternate path is refused" no_alternate
bug "PATH_MIG when the alternate path is used up is refused" used_alternate
bug "a LAP in the wrong state changes no path" second_lap
ktap_finished
