#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# What can go wrong between LAP and APR, and what comes of it.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$TOP/selftests/apm/lib.sh"

CLASS_CM=0x07
LAP=0x19
APR=0x1a
ALL=1000000		# ppm

# enum ib_cm_apr_status
APR_INVALID_COMM_ID=1
APR_UNSUPPORTED=2
APR_REJECT=3
APR_IS_CURRENT=5
APR_INVALID_QPN=6
APR_INVALID_LID=7
APR_INVALID_GID=8
APR_INVALID_HOP_LIMIT=11
APR_INVALID_RATE=12

CM_ESTABLISHED=10	# enum ib_cm_state
CM_RETRIES=3		# what apm_peer connects with

# On both rails, from this host: all, or the next so many
lose() {	# host, attribute, count
	local port

	for port in 1 2; do
		echo "$CLASS_CM $2 $ALL ${3:-}" > "$FABRIC_DEBUGFS/$1/port$port/loss_mad"
	done
}

# Migrated, so without an alternate path
migrated() {
	apm_connect "$@" && apm_armed && apm migrate && apm wait migrated &&
		apm wait passive_notify && apm wait active_notify
}

# What shows that nothing sticks: another LAP, and the connection is armed
works_again() {
	apm set answer=accept && apm lap side=active port=1 && apm_armed &&
		apm wait idle && apm send messages=10 && apm_intact
}

times_out() {
	migrated || return 1
	lose vfab1 $LAP
	apm lap side=active port=1 && apm wait active_lap_error || return 1
	equal $((1 + CM_RETRIES)) "$(dropped vfab1)" && equal 1 "$(apm_seen LAP_TIMEOUT)" &&
		apm_counts passive_lap_received=0 active_lap_error=1 || return 1
	apm_knobs_off
	works_again
}

dropped() {
	echo $(($(counter "$1" 1 drop_mad) + $(counter "$1" 2 drop_mad)))
}

# ARMED all the time: an alternate path that was not replaced still does its duty
keeps_alternate() {	# command that fails to replace it
	apm_connect && apm_armed || return 1
	"$@" || return 1
	apm wait idle && apm_is active cm_alt_port=2 alt_port=2 mig=ARMED &&
		apm_is passive cm_alt_port=2 alt_port=2 mig=ARMED || return 1
	apm migrate side=active && apm send && apm wait quiet && apm wait migrated &&
		apm_is active port=2 cm_port=2 && apm_is passive port=2 cm_port=2 &&
		works_again
}

lost_lap() {
	lose vfab1 $LAP
	apm lap side=active port=2 && apm wait active_lap_error && apm_knobs_off
}

rejected_lap() {
	apm set answer=reject && apm lap side=active port=2 &&
		apm wait active_apr_received && apm_is active apr_status=$APR_REJECT
}

rejected_without_alternate() {
	migrated && apm set answer=reject && apm lap side=active port=1 &&
		apm wait active_apr_received &&
		apm_is active apr_status=$APR_REJECT mig=MIGRATED &&
		apm_counts active_rearm=0 passive_rearm=0 &&
		equal "" "$(apm_state active cm_alt_port)$(apm_state passive cm_alt_port)" &&
		works_again
}

# A LAP is on its way or waits for its answer
# shellcheck disable=SC2120 # the words of a connection, if any
outstanding() {
	migrated "$@" && apm set answer=hold && apm lap side=active port=1 &&
		apm wait passive_lap_received && apm_is active lap=SENT &&
		apm_is passive lap=RCVD
}

one_at_a_time() {
	outstanding || return 1
	apm_refused lap side=active port=1 && apm_refused lap side=passive port=1 &&
		apm_counts active_lap_refused=1 passive_lap_refused=1 || return 1
	apm apr side=passive && apm_armed
}

rej_active() {
	"$BUILD/apm/cm_mad" rej --device vfab2 --dlid "$(port_lid vfab1 1)" --status 28 \
		--local-id "$(apm_state passive local_id)" \
		--remote-id "$(apm_state passive remote_id)"
}

ends_by_rej() {
	outstanding && rej_active || return 1
	apm wait active_rej_received && apm wait closed side=active && aborted 1
}

# It used to be ignored after a migration
rej_after_migration() {
	migrated || return 1
	rej_active && apm wait active_rej_received && apm wait closed side=active &&
		[ "$(apm_state active cm)" != "$CM_ESTABLISHED" ]
}

# The end of the connection ends the LAP: it is not sent again, and no error is
# reported, for longer than all its repetitions would have taken.
aborted() {	# at how many ends
	local sent

	sent=$(laps_sent)
	sleep 1.2
	equal "$sent" "$(laps_sent)" && equal "$1" "$(apm_seen CONN_ENDED)" &&
		apm_counts active_lap_error=0 passive_lap_error=0
}

# With all that were sent again
laps_sent() {
	local port laps=0

	for port in 1 2; do
		((laps += $(apm_cm_count vfab1 $port cm_tx_msgs lap)))
		((laps += $(apm_cm_count vfab1 $port cm_tx_retries lap)))
	done
	echo $laps
}

ends_by_dreq() {	# side
	outstanding && apm disconnect side="$1" && apm wait closed && aborted 2 &&
		apm_counts active_dreq_error=0 passive_dreq_error=0
}

is_destroyed() {
	outstanding && apm destroy && equal "" "$(apm_state active pair)" && aborted 2
}

# rmmod takes the devices from under both ends.
devices_go() {
	outstanding && fabric_down && equal "" "$(apm_state active pair)" && rmmod apm_peer &&
		equal $APM_HOSTS "$(apm_freed)" &&
		equal 0 $(($(< /proc/sys/kernel/tainted) & APM_TAINT_WARN))
}

# Both LAPs are under way when either arrives: the active end's counts. (They go
# over port 2, the SA is asked over port 1.)
crossing() {
	migrated || return 1
	knob vfab1 2 delay_us 100000
	knob vfab2 2 delay_us 100000
	apm lap side=both port=1 && apm wait active_apr_success && apm wait idle || return 1
	apm_counts active_lap_sent=1 passive_lap_sent=1 passive_lap_received=1 \
		active_lap_received=0 passive_apr_received=0 passive_lap_error=0 \
		active_lap_error=0 && equal 1 "$(apm_seen LAP_YIELDED)" || return 1
	apm_knobs_off
	apm_armed && apm migrate && apm wait migrated && apm lap side=active port=2 &&
		apm_armed
}

# The passive end has answered the active one's LAP, and sends one itself. Then the
# first comes again, as the APR took long: that is no reason to give up its own.
repeated_is_no_crossing() {
	migrated || return 1
	knob vfab1 2 delay_us 150000
	knob vfab2 2 delay_us 150000
	apm lap side=active port=1 && apm wait passive_apr_sent &&
		apm lap side=passive port=1 && apm wait passive_apr_success &&
		apm wait idle || return 1
	sleep 1
	apm_counts active_lap_sent=1 active_lap_received=1 active_apr_received=1 \
		passive_lap_sent=1 passive_lap_received=1 passive_apr_received=1 &&
		equal 0 "$(apm_seen LAP_YIELDED)" &&
		[ "$(apm_seen LAP_DUPLICATE)" -gt 0 ] || return 1
	apm_knobs_off
	apm_armed
}

duplicate() {
	migrated || return 1
	knob vfab1 2 dup_ppm $ALL
	apm lap side=active port=1 && apm_armed && apm wait idle &&
		fabric_wait seen_duplicate || return 1
	apm_counts passive_lap_received=1 active_apr_received=1
}

seen_duplicate() {
	[ "$(apm_seen LAP_DUPLICATE)" -gt 0 ]
}

lost_apr() {
	migrated || return 1
	lose vfab2 $APR 1
	apm lap side=active port=1 && apm_armed && apm wait idle &&
		equal 1 "$(dropped vfab2)" && equal $'0\n0' "$(apm_aprs)" &&
		apm_counts passive_lap_received=1 passive_apr_sent=1 active_apr_received=1 \
			active_lap_error=0
}

# An APR that answers no LAP of now: of a LAP before, or of none
stale_apr() {
	local target

	outstanding cm_timeout=18 || return 1
	target="--device vfab2 --dlid $(port_lid vfab1 1) --tid 77
		--local-id $(apm_state passive local_id)
		--remote-id $(apm_state passive remote_id)"
	# shellcheck disable=SC2086 # a list of options
	"$BUILD/apm/cm_mad" apr $target && fabric_wait seen_stale 1 &&
		apm_is active lap=SENT mig=MIGRATED &&
		apm_counts active_apr_received=0 || return 1
	apm apr side=passive && apm_armed && apm wait idle || return 1
	# shellcheck disable=SC2086
	"$BUILD/apm/cm_mad" apr $target && fabric_wait seen_stale 2 &&
		apm_counts active_apr_received=1 && apm_is active mig=ARMED
}

seen_stale() {
	[ "$(apm_seen APR_STALE)" -ge "$1" ]
}

# 4.096 us << 18 is a second: longer than all repetitions would have taken
mra() {
	migrated && apm set answer=mra mra_timeout=18 && apm lap side=active port=1 &&
		apm wait active_mra_received || return 1
	apm_is active lap=MRA_RCVD && apm_is passive lap=MRA_SENT || return 1
	sleep 1
	apm_counts active_lap_error=0 && apm apr side=passive && apm_armed &&
		apm wait idle
}

# The peer that has asked for time never answers
mra_and_nothing() {
	migrated && apm set answer=mra mra_timeout=14 && apm lap side=active port=1 &&
		apm wait active_mra_received && apm wait active_lap_error &&
		apm_is active lap=IDLE || return 1
	# the passive end still has the LAP: answering it is too late and does no harm
	apm apr side=passive status=$APR_REJECT && fabric_wait seen_stale 1 && works_again
}

not_established() {
	apm_connect || return 1
	apm disconnect side=active && apm wait closed && trace_clear || return 1
	apm_forge lap vfab1 && fabric_wait answered $APR_INVALID_COMM_ID
}

no_connection() {
	apm_connect && apm_forge lap vfab1 --remote-id 1 &&
		fabric_wait answered $APR_INVALID_COMM_ID && apm_is passive lap=UNINIT
}

answered() {
	[ "$(apm_aprs | tail -n 1)" = "$1" ]
}

# The consumer never said that it answers LAPs
not_supported() {
	apm set laps=0 && apm_connect && apm_armed || return 1
	apm lap side=active port=2 && apm wait active_apr_received &&
		apm_is active apr_status=$APR_UNSUPPORTED mig=ARMED lap=IDLE &&
		apm_counts passive_lap_received=0 &&
		apm_is passive mig=ARMED cm_alt_port=2
}

refuses() {	# status, options that make the LAP wrong
	local want=$1

	shift
	trace_clear
	apm_forge lap vfab1 "$@" && fabric_wait answered "$want" && return
	ktap_print_msg "$*: expected APR status $want, got '$(apm_aprs)'"
	return 1
}

invalid_content() {
	local nobody=fe80::1 group=ff12::1 own_lid

	apm_connect && apm_armed || return 1
	own_lid=$(port_lid vfab2 2)
	refuses $APR_INVALID_QPN --qpn 77 &&
		refuses $APR_INVALID_LID --local-lid 0 &&
		refuses $APR_INVALID_LID --remote-lid 0 &&
		refuses $APR_INVALID_LID --local-lid 0xc001 &&
		refuses $APR_INVALID_LID --remote-lid $((own_lid + 50)) &&
		refuses $APR_INVALID_GID --remote-gid $nobody &&
		refuses $APR_INVALID_GID --remote-gid $group &&
		refuses $APR_INVALID_GID --local-gid :: &&
		refuses $APR_INVALID_GID --remote-gid "$(port_gid vfab0 2)" &&
		refuses $APR_INVALID_HOP_LIMIT --not-local &&
		refuses $APR_INVALID_RATE --rate 1 &&
		refuses $APR_IS_CURRENT --local-lid "$(port_lid vfab1 1)" \
			--local-gid "$(port_gid vfab1 1)" \
			--remote-lid "$(port_lid vfab2 1)" \
			--remote-gid "$(port_gid vfab2 1)" || return 1
	apm_counts passive_lap_received=0 &&
		apm_is passive cm_port=1 cm_alt_port=2 lap=UNINIT mig=ARMED
}

# A path over a port that is not ACTIVE
port_is_down() {
	apm_connect && apm_armed || return 1
	knob vfab2 2 link 0
	refuses $APR_REJECT && apm_is passive cm_alt_port=2
}

# A new alternate path is proposed on a connection that is ARMED, and the link that
# the LAP and the messages take goes before the APR comes.
cut_in_the_middle() {
	apm_connect && apm_armed && apm set answer=hold traffic=1 || return 1
	apm lap side=active port=2 && apm wait passive_lap_received || return 1
	knob vfab1 1 link 0
	apm wait migrated && apm wait active_lap_error && apm_is active port=2 cm_port=2 lap=IDLE ||
		return 1
	# it had the LAP, and answers it now
	apm apr side=passive status=$APR_REJECT
	apm_mend vfab1 1 && works_again && apm_is active port=2 alt_port=1
}

apm_begin 24
apm_check "no answer: LAP_ERROR, and a LAP again" times_out
apm_check "no answer: the old alternate path stays" keeps_alternate lost_lap
apm_check "rejected: the old alternate path stays" keeps_alternate rejected_lap
apm_check "rejected, without an alternate path before" rejected_without_alternate
apm_check "a second LAP of either side is refused while one waits" one_at_a_time
apm_check "REJ while a LAP waits" ends_by_rej
apm_check "REJ after a migration" rej_after_migration
apm_check "DREQ of the active end while its LAP waits" ends_by_dreq active
apm_check "DREQ of the passive end while it has a LAP to answer" ends_by_dreq passive
apm_check "destroyed while a LAP waits" is_destroyed
apm_check "LAPs that cross: the active end's counts" crossing
apm_check "a LAP that comes again is no crossing one" repeated_is_no_crossing
apm_check "a LAP that comes twice: one event, one APR" duplicate
apm_check "lost APR: sent again, without an event" lost_apr
apm_check "an APR of another time is ignored" stale_apr
apm_check "MRA: the LAP waits longer" mra
apm_check "MRA, and never an answer: LAP_ERROR" mra_and_nothing
apm_check "a LAP for a connection that has ended" not_established
apm_check "a LAP for no connection" no_connection
apm_check "a LAP for a consumer that does not support it" not_supported
apm_check "LAPs with invalid content: the APR status says what" invalid_content
apm_check "a path over a port that is down is rejected" port_is_down
apm_check "link cut in the middle" cut_in_the_middle
if devices_go; then
	ktap_test_pass "devices removed while a LAP waits: all references given back"
else
	ktap_test_fail "devices removed while a LAP waits: all references given back"
fi
apm_unwatch
ktap_finished
