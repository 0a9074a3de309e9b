# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# Connections that migrate, for tests to source. Two rails with an OpenSM each on
# vfab0; the active end of a connection is on vfab1, the passive one on vfab2.
#
#   apm_up               the fabric with switches, OpenSM on both rails, apm_peer;
#                        ends the test as skipped if something is missing
#   apm_down             take all of it down; fails if a module stays
#   apm_begin PLAN       TAP header, plan, apm_up, and watching (below)
#   apm_end              apm_down, and the last of the planned results: nothing
#                        is left of the connections
#   apm COMMAND [NAME=VALUE]...
#                        a command of apm_peer (README.md); fails as it does
#   apm_refused COMMAND [NAME=VALUE]...
#                        succeeds if it fails
#   apm_counter NAME     print a counter: active_lap_sent, passive_msg_lost, ...
#   apm_counts NAME=VALUE...
#                        are these counters so?
#   apm_state SIDE NAME  print a field of an end's state, for each connection
#   apm_is SIDE NAME=VALUE...
#                        do the ends have these in their state?
#   apm_connect [NAME=VALUE]...
#                        connect, and a message each way, which arms it
#   apm_armed            messages until all ends are ARMED
#   apm_intact           end traffic: has every message come once, and whole?
#   apm_clean            no connection, default settings, counters 0, knobs off
#   apm_check DESCRIPTION COMMAND [ARG]...
#                        one test; cleans up
#   apm_mend HOST PORT   put a link back, and wait until the port is ACTIVE
#   apm_forge WHAT DEVICE [OPTION]...
#                        have cm_mad send a message about the one connection to the
#                        passive end, from port 1 of a device; later options win
#   apm_cm_count DEV PORT GROUP NAME
#                        print a counter of ib_cm's: cm_tx_msgs lap
#   apm_seen CAUSE       how often icm_apm_state has had this cause
#   apm_aprs             print the status of each APR that was handed to ib_mad
#   equal EXPECTED ACTUAL
#
# Needs BUILD and TOP, and root.

# shellcheck source=/dev/null
. "$BUILD/kernel/source/tools/testing/selftests/kselftest/ktap_helpers.sh"
# shellcheck source-path=SCRIPTDIR source=../fabric/lib.sh
. "$TOP/selftests/fabric/lib.sh"
# shellcheck source-path=SCRIPTDIR source=../lib/trace.sh
. "$TOP/selftests/lib/trace.sh"

APM_DEBUGFS=/sys/kernel/debug/apm_peer
APM_HOSTS=3
APM_PROBES=/sys/kernel/tracing/kprobe_events
APM_PROFILE=/sys/kernel/tracing/kprobe_profile
APM_TAINT_WARN=512

# A path's life of 4.096 us << 13 makes an ACK time-out of 134 ms, of which three
# make a path dead: an emulated machine that stutters must not. A CM message is
# repeated after twice the life and 4.096 us << 15 for the peer, 192 ms in all.
APM_LIFE=13
APM_CM_TIMEOUT=15

apm_up() {
	[ -f "$BUILD/apm/apm_peer.ko" ] ||
		fabric_skip "no apm_peer module: make -C selftests/apm"
	fabric_up $APM_HOSTS switched=1 && fabric_sm 1 2 &&
		modprobe -q ib_cm && insmod "$BUILD/apm/apm_peer.ko"
}

# Does ib_cm have what sends LAP and APR?
apm_supported() {
	grep -q ' ib_send_cm_lap' /proc/kallsyms
}

apm_down() {
	rmmod apm_peer && fabric_down
}

# The event, what ib_cm hands to ib_mad (attribute and APR status, from the message
# itself), and how many of its devices ib_cm frees
apm_watch() {
	{
		echo 'p:apm/freed ib_cm:cm_dev_release'
		echo 'p:apm/post ib_core:ib_post_send_mad attr=+16(+8(%di)):u16 status=+33(+8(%di)):u8'
	} > $APM_PROBES || return 1
	mkdir "$TRACE_INSTANCE" && echo mono > "$TRACE_INSTANCE/trace_clock" &&
		echo 4096 > "$TRACE_INSTANCE/buffer_size_kb" &&
		echo 'attr == 0x1a00' > "$TRACE_INSTANCE/events/apm/post/filter" &&
		echo 1 > "$TRACE_INSTANCE/events/apm/enable" || return 1
	[ ! -d "$TRACE_INSTANCE/events/ib_cma/icm_apm_state" ] ||
		echo 1 > "$TRACE_INSTANCE/events/ib_cma/icm_apm_state/enable"
}

apm_unwatch() {
	echo 0 > "$TRACE_INSTANCE/events/apm/enable"
	trace_stop
	echo > $APM_PROBES
}

apm_seen() {
	trace_get icm_apm_state cause | grep -cx "$1"
}

apm_aprs() {
	trace_get post status
}

apm_freed() {
	awk '$1 == "freed" { print $2 }' $APM_PROFILE
}

apm_begin() {
	ktap_print_header
	apm_supported || fabric_skip "ib_cm has no ib_send_cm_lap()"
	apm_up || ktap_exit_fail_msg "the fabric does not come up"
	apm_watch || ktap_exit_fail_msg "cannot trace"
	apm_gids=$(gids)
	ktap_set_plan "$1"
}

gids() {
	cat /sys/class/infiniband/vfab[0-9]/ports/[12]/gids/0
}

# What a wrong count of references leaves behind shows when the devices go: the
# kernel warns of GIDs that are still held, and ib_cm frees each of its devices
# then, none before.
apm_left_nothing() {
	equal "$apm_gids" "$(gids)" && equal 0 "$(apm_freed)" && apm_down &&
		equal $APM_HOSTS "$(apm_freed)" &&
		equal 0 $(($(< /proc/sys/kernel/tainted) & APM_TAINT_WARN))
}

apm_end() {
	if apm_left_nothing; then
		ktap_test_pass "every GID is there, all references are given back"
	else
		ktap_test_fail "every GID is there, all references are given back"
	fi
	apm_unwatch
	ktap_finished
}

apm() {
	echo "$*" > "$APM_DEBUGFS/command"
}

apm_refused() {
	! apm "$@" 2> /dev/null
}

# Without a program of its own: tests call it often.
apm_counter() {
	local name value

	while read -r name value; do
		[ "$name" != "$1" ] || echo "$value"
	done < "$APM_DEBUGFS/counters"
}

apm_counts() {
	local want name value status=0
	local -A counter

	while read -r name value; do
		counter[$name]=$value
	done < "$APM_DEBUGFS/counters"
	for want; do
		name=${want%%=*}
		[ "${counter[$name]}" = "${want#*=}" ] && continue
		ktap_print_msg "$name is ${counter[$name]:-unknown}, not ${want#*=}"
		status=1
	done
	return $status
}

apm_state() {
	local side=$1 name=$2 line word

	while read -r line; do
		[[ " $line " == *" side=$side "* ]] || continue
		for word in $line; do
			[ "${word%%=*}" != "$name" ] || echo "${word#*=}"
		done
	done < "$APM_DEBUGFS/state"
}

apm_is() {
	local side=$1 want line status=0

	shift
	while read -r line; do
		[[ " $line " == *" side=$side "* ]] || continue
		for want; do
			[[ " $line " == *" $want "* ]] && continue
			ktap_print_msg "$side should be $want: $line"
			status=1
		done
	done < "$APM_DEBUGFS/state"
	return $status
}

apm_connect() {
	apm connect active=vfab1 passive=vfab2 life=$APM_LIFE \
		cm_timeout=$APM_CM_TIMEOUT "$@" && apm wait established &&
		apm send && apm wait quiet
}

# A message that was under way when an end loaded its path arms nobody.
apm_armed() {
	local try

	for ((try = 0; try < 100; try++)); do
		apm send && apm wait quiet || return 1
		! apm wait armed timeout_ms=100 2> /dev/null || return 0
	done
	return 1
}

apm_intact() {
	apm set traffic=0 && apm wait quiet && apm_counts \
		active_msg_lost=0 active_msg_twice=0 active_msg_damaged=0 \
		active_msg_send_failed=0 passive_msg_lost=0 passive_msg_twice=0 \
		passive_msg_damaged=0 passive_msg_send_failed=0 \
		"passive_msg_received=$(apm_counter active_msg_sent)" \
		"active_msg_received=$(apm_counter passive_msg_sent)"
}

apm_knobs_off() {
	local host port knob

	for host in vfab1 vfab2; do
		for port in 1 2; do
			knob $host $port loss_mad clear
			for knob in loss_rc_ppm dup_ppm delay_us; do
				knob $host $port $knob 0
			done
			echo 1 > "$FABRIC_DEBUGFS/$host/port$port/reset"
			[ "$(< "$FABRIC_DEBUGFS/$host/port$port/link")" = 1 ] || apm_mend $host $port
		done
	done
}

apm_clean() {
	apm_knobs_off
	apm set traffic=0 answer=accept notify=1 follow=0 laps=1 interval_ms=5 &&
		apm destroy && apm reset
	[ ! -d "$TRACE_INSTANCE" ] || trace_clear
}

apm_check() {
	local what=$1

	shift
	if "$@"; then
		ktap_test_pass "$what"
	else
		sed 's/^/# /' $APM_DEBUGFS/state
		grep -v ' 0$' $APM_DEBUGFS/counters | sed 's/^/# /'
		ktap_test_fail "$what"
	fi
	apm_clean || ktap_print_msg "cannot clean up"
}

apm_forge() {
	local what=$1 device=$2

	shift 2
	"$BUILD/apm/cm_mad" "$what" --device "$device" \
		--dlid "$(port_lid vfab2 1)" --qpn "$(apm_state passive qpn)" \
		--local-id "$(apm_state active local_id)" \
		--remote-id "$(apm_state active remote_id)" \
		--local-lid "$(port_lid vfab1 2)" --local-gid "$(port_gid vfab1 2)" \
		--remote-lid "$(port_lid vfab2 2)" --remote-gid "$(port_gid vfab2 2)" \
		"$@"
}

apm_cm_count() {
	echo "$(< "/sys/class/infiniband/$1/ports/$2/$3/$4")"
}

# OpenSM now and then misses the last of many changes: ask for a sweep, as its timer
# would.
apm_mend() {
	local end=$((SECONDS + FABRIC_WAIT_S)) sweep=$((SECONDS + 3))

	knob "$1" "$2" link 1
	until port_is "$1" "$2" ACTIVE; do
		[ "$SECONDS" -lt "$end" ] || return 1
		if [ "$SECONDS" -ge "$sweep" ]; then
			fabric_sweep "$2"
			sweep=$((SECONDS + 3))
		fi
		sleep 0.1
	done
}

equal() {
	[ "$1" = "$2" ] && return
	ktap_print_msg "expected '$1', got '$2'"
	return 1
}
