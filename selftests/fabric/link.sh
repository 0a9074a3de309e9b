#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Links that go down and come back: events, traps, and OpenSM bringing them up
# again. OpenSM makes no sweeps of its own here, so what it learns it learns from
# traps.

# shellcheck source=/dev/null
. "$BUILD/kernel/source/tools/testing/selftests/kselftest/ktap_helpers.sh"
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$TOP/selftests/fabric/lib.sh"

events=$(mktemp)
FABRIC_WAIT_S=30

check() {	# description, command...
	local what=$1

	shift
	if "$@"; then
		ktap_test_pass "$what"
	else
		ktap_test_fail "$what"
	fi
}

watch_events() {
	stdbuf -oL ibv_asyncwatch -d vfab1 > "$events" 2>&1 &
	watcher=$!
	fabric_wait grep -q 'vfab1' "$events"
}

saw_event() {	# text
	fabric_wait grep -q "$1" "$events"
}

nodes_known() {
	saquery -C vfab0 -P 1 2> /dev/null | grep -c 'NodeDescription\.*vfab'
}

knows_nodes() {
	[ "$(nodes_known)" -eq "$1" ]
}

is_polling() {
	[[ $(port_attr vfab1 1 phys_state) == *Polling ]]
}

goes_down() {
	knob vfab1 1 link 0
	port_is vfab1 1 DOWN && is_polling &&
		[ "$(counter switch0 2 link_downed)" -eq 1 ]
}

comes_back() {
	knob vfab1 1 link 1
	fabric_wait_state vfab1 1 ACTIVE && fabric_wait knows_nodes 3 &&
		[ "$(port_lid vfab1 1)" -eq "$lid" ]
}

# ibping succeeds without an answer, too.
pings() {	# LID
	ibping -c 1 -C vfab2 -P 1 "$1" 2>&1 | grep -q ', 1 received'
}

traffic_again() {
	local server

	timeout 30 ibping -S -C vfab1 -P 1 &
	server=$!
	fabric_wait pings "$lid"
	local status=$?
	kill "$server"
	wait "$server"
	return $status
}

# The same from the switch's end, asked for by a subnet manager's hand
disable_enable() {
	local switch_lid

	switch_lid=$(smpquery -C vfab0 -P 1 -D portinfo 0,1 0 | awk -F'\\.+' '/^Lid/ { print $2 }')
	ibportstate -C vfab0 -P 1 "$switch_lid" 2 disable > /dev/null
	fabric_wait_state vfab1 1 DOWN || return 1
	ibportstate -C vfab0 -P 1 "$switch_lid" 2 enable > /dev/null
	fabric_wait_state vfab1 1 ACTIVE
}

# However fast they come, the switch tells of the last one, and does so with few
# traps: OpenSM ignores what it has got ten times in a row.
flaps() {
	local before took traps

	before=$(traps_128)
	took=$SECONDS
	for _ in {1..10}; do
		knob vfab1 1 link 0
		knob vfab1 1 link 1
	done
	fabric_wait_active 1 || return 1
	took=$((SECONDS - took))
	traps=$(($(traps_128) - before))
	ktap_print_msg "$traps traps in $took s"
	# one a second; the first at once, and seconds are counted roughly
	[ "$traps" -ge 1 ] && [ "$traps" -le $((took + 2)) ]
}

traps_128() {
	grep -c num:128 "$FABRIC_DIR/sm1/log"
}

# An open issm device makes a port say that it is a subnet manager: trap 144.
capability_trap() {
	exec 9< /dev/infiniband/issm4	# vfab2, port 1
	fabric_wait grep -q 'num:144.*from LID:'"$(port_lid vfab2 1)" "$FABRIC_DIR/sm1/log"
	local status=$?
	exec 9<&-
	return $status
}

without_switch() {
	fabric_down && fabric_up 2 && fabric_sm_start 1 -s 0 && fabric_wait_active 1 || return 1
	knob vfab0 1 link 0
	port_is vfab0 1 DOWN && port_is vfab1 1 DOWN || return 1
	knob vfab0 1 link 1
	fabric_sweep 1
	fabric_wait_active 1
}

ktap_print_header
ktap_set_plan 10
fabric_up 3 || exit "$KSFT_FAIL"
fabric_sm_start 1 -s 0
fabric_wait_active 1 || exit "$KSFT_FAIL"
lid=$(port_lid vfab1 1)
watch_events
check "a link goes down on both ends" goes_down
check "IB_EVENT_PORT_ERR" saw_event 'IBV_EVENT_PORT_ERR.*port 1'
check "trap 128: OpenSM drops the node" fabric_wait knows_nodes 2
check "trap 128: OpenSM makes the port ACTIVE again, same LID" comes_back
check "IB_EVENT_PORT_ACTIVE" saw_event 'IBV_EVENT_PORT_ACTIVE.*port 1'
kill "$watcher"
check "datagrams pass again" traffic_again
check "PortInfo: disable and enable" disable_enable
check "10 flaps in a row: a trap a second, and ACTIVE again" flaps
check "trap 144" capability_trap
check "without switch, by a sweep" without_switch
fabric_down || ktap_print_msg "the module does not unload"
rm -f "$events"
ktap_finished
