#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Which path the messages of ib_cm take after a migration: both ends' go over the
# new one, which the rail that was cut, ib_cm's counters of each port and the events
# show. And connections without an alternate path are what they were.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$TOP/selftests/apm/lib.sh"

# What ib_cm has sent on a port: vfab1 2 lap
sent() {
	apm_cm_count "$1" "$2" cm_tx_msgs "$3"
}

# Remember how many of each message each port has sent.
declare -A before
count_sent() {
	local host port name

	for host in vfab1 vfab2; do
		for port in 1 2; do
			for name in lap apr mra dreq drep; do
				before[$host-$port-$name]=$(sent $host $port $name)
			done
		done
	done
}

# Since then one more on port $2, and none on the other
one_more_on() {	# host, port, message
	local other=$((3 - $2))

	equal "1 0" "$(($(sent "$1" "$2" "$3") - ${before[$1-$2-$3]})) $(($(sent "$1" $other "$3") - ${before[$1-$other-$3]}))"
}

# shellcheck disable=SC2120 # the words of a connection, if any
migrated() {
	apm_connect "$@" && apm_armed && apm migrate && apm wait migrated &&
		apm send && apm wait quiet &&
		apm_is active cm_port=2 && apm_is passive cm_port=2
}

lap_mra_apr() {
	migrated && apm set answer=mra mra_timeout=18 || return 1
	count_sent
	apm lap side=active port=1 && apm wait active_mra_received &&
		apm apr side=passive && apm_armed && apm wait idle || return 1
	one_more_on vfab1 2 lap && one_more_on vfab2 2 mra && one_more_on vfab2 2 apr
}

# The rail of before does not even exist any more
dreq_with_rail_cut() {	# side, its host, the other's
	migrated || return 1
	knob vfab1 1 link 0
	knob vfab2 1 link 0
	count_sent
	apm disconnect side="$1" && apm wait closed || return 1
	one_more_on "$2" 2 dreq && one_more_on "$3" 2 drep &&
		apm_counts "$1_drep_received=1" "$1_dreq_error=0"
}

# Only the active end knows: its LAP comes another way than the passive end thinks,
# and is answered the way it came.
passive_does_not_know() {
	apm_connect && apm_armed && apm migrate side=active &&
		apm wait active_notify && apm_is passive cm_port=1 || return 1
	count_sent
	apm lap side=active port=1 && apm_armed && apm wait idle || return 1
	one_more_on vfab1 2 lap && one_more_on vfab2 2 apr && apm_is passive cm_port=2 &&
		apm disconnect side=passive && apm wait closed && one_more_on vfab2 2 dreq
}

# Each step in the events of each side: from ARMED to ARMED by communication ID
events_tell() {
	local active passive

	migrated || return 1
	apm lap side=active port=1 && apm_armed && apm wait idle || return 1
	active=$(apm_state active local_id)
	passive=$(apm_state passive local_id)
	equal $'MIGRATED none\nLAP_SENT none\nAPR_RECEIVED SUCCESS' "$(steps "$active")" &&
		equal $'MIGRATED none\nLAP_RECEIVED none\nAPR_SENT SUCCESS' "$(steps "$passive")"
}

steps() {	# local_id
	trace_get icm_apm_state local_id cause apr_status | sed -n "s/^$1 //p"
}

without_alternate() {
	apm_connect alt=0 && apm send messages=20 && apm_intact || return 1
	apm_is active mig=MIGRATED port=1 alt_port=0 lap=UNINIT &&
		apm_is passive mig=MIGRATED port=1 alt_port=0 lap=UNINIT || return 1
	apm_refused migrate side=active || true
	count_sent
	apm disconnect side=active && apm wait closed && one_more_on vfab1 1 dreq &&
		one_more_on vfab2 1 drep && equal "" "$(trace_get icm_apm_state cause)"
}

# The path goes and there is no other
fails_without_alternate() {
	apm_connect alt=0 || return 1
	knob vfab1 1 link 0
	apm send side=active && apm wait active_msg_send_failed &&
		apm_is active qp=6 mig=MIGRATED && apm_counts active_path_mig=0
}

# Nobody has asked for this path at first, and it is loaded all the same
alternate_comes_later() {
	apm_connect alt=0 && apm lap side=active port=2 && apm_armed && apm wait idle && apm migrate side=active &&
		apm send && apm wait quiet && apm wait migrated && apm_is passive port=2
}

apm_begin 9
apm_check "LAP, MRA and APR take the new path" lap_mra_apr
apm_check "DREQ of the active end, its first rail cut" dreq_with_rail_cut active vfab1 vfab2
apm_check "DREQ of the passive end, its first rail cut" dreq_with_rail_cut passive vfab2 vfab1
apm_check "the passive end learns of it from the LAP" passive_does_not_know
apm_check "each step is an event, in order, at both ends" events_tell
apm_check "without alternate path: as before" without_alternate
apm_check "without alternate path, path cut: as before" fails_without_alternate
apm_check "the first alternate path by LAP" alternate_comes_later
apm_end
