# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# A software InfiniBand fabric for tests to source. Hosts are vfab0, vfab1, ...
# with ports 1 and 2; ports with the same number make a rail, and each rail is a
# subnet of its own unless the fabric is loaded with isl=1.
#
#   fabric_up HOSTS [PARAM=VALUE...]
#                        load the module; ends the test as skipped if it or a
#                        program is missing
#   fabric_down          stop OpenSM and unload; fails if the module stays
#   fabric_sm [RAIL]...  start OpenSM on vfab0 for these rails (default: 1) and
#                        wait until all their ports are ACTIVE
#   fabric_sm_start RAIL [OPTION...], fabric_sm_stop RAIL [-KILL]
#                        the same without waiting
#   fabric_sweep [RAIL]  have OpenSM look at the subnet again now
#   fabric_wait COMMAND...       wait until it succeeds
#   listens_on PORT      does a program listen on this TCP port?
#   fabric_wait_active RAIL, fabric_wait_state HOST PORT STATE
#                        wait; fail after FABRIC_WAIT_S seconds
#   knob NODE PORT NAME [VALUE]
#                        print or set a knob; NODE is vfabN or switchN
#   counter NODE PORT NAME       print a counter
#   port_attr HOST PORT NAME     print a file of the port's sysfs folder
#   port_lid HOST PORT, port_guid HOST PORT, port_gid HOST PORT
#
# Needs ktap_helpers.sh sourced first, BUILD, and root.

FABRIC_WAIT_S=${FABRIC_WAIT_S:-60}
FABRIC_DIR=${FABRIC_DIR:-/run/fabric}
FABRIC_DEBUGFS=/sys/kernel/debug/ib_vfab
FABRIC_HOSTS=0

fabric_skip() {
	ktap_skip_all "$1"
	exit "$KSFT_SKIP"
}

# Wait until a command succeeds.
fabric_wait() {
	local end=$((SECONDS + FABRIC_WAIT_S))

	until "$@"; do
		[ "$SECONDS" -lt "$end" ] || return 1
		sleep 0.1
	done
}

listens_on() {
	ss -Hltn "sport = :$1" | grep -q .
}

fabric_up() {
	local module=$BUILD/fabric/ib_vfab.ko

	FABRIC_HOSTS=$1
	shift
	[ -f "$module" ] || fabric_skip "no ib_vfab module: make -C selftests/fabric"
	command -v opensm > /dev/null || fabric_skip "no opensm: install the package opensm"
	modprobe -q -a ib_umad ib_uverbs rdma_ucm || fabric_skip "no RDMA modules for this kernel"
	mkdir -p "$FABRIC_DIR"
	insmod "$module" hosts="$FABRIC_HOSTS" "$@"
}

fabric_down() {
	fabric_sm_stop 1
	fabric_sm_stop 2
	rmmod ib_vfab
}

knob() {
	local file=$FABRIC_DEBUGFS/$1/port$2/$3

	if [ $# -gt 3 ]; then
		echo "$4" > "$file"
	else
		cat "$file"
	fi
}

# Without a program of its own: tests call it hundreds of times.
counter() {
	local name value

	while read -r name value; do
		[ "$name" != "$3" ] || echo "$value"
	done < "$FABRIC_DEBUGFS/$1/port$2/counters"
}

port_attr() {
	echo "$(< "/sys/class/infiniband/$1/ports/$2/$3")"
}

port_lid() {
	printf '%d\n' "$(port_attr "$1" "$2" lid)"
}

port_gid() {
	port_attr "$1" "$2" gids/0
}

port_guid() {
	port_gid "$1" "$2" | awk -F : '{ print "0x" $5 $6 $7 $8 }'
}

port_is() {
	[[ $(port_attr "$1" "$2" state) == *": $3" ]]
}

fabric_wait_state() {
	fabric_wait port_is "$1" "$2" "$3"
}

rail_is_active() {
	local host

	for ((host = 0; host < FABRIC_HOSTS; host++)); do
		port_is "vfab$host" "$1" ACTIVE || return 1
	done
}

fabric_wait_active() {
	fabric_wait rail_is_active "$1"
}

fabric_sm_start() {
	local rail=$1 dir=$FABRIC_DIR/sm$1

	shift
	mkdir -p "$dir"
	OSM_TMP_DIR=$dir OSM_CACHE_DIR=$dir opensm -g "$(port_guid vfab0 "$rail")" \
		-f "$dir/log" "$@" > "$dir/out" 2>&1 &
	echo $! > "$dir/pid"
}

# An OpenSM whose device has gone never ends by itself: it needs -KILL.
fabric_sm_stop() {
	local file=$FABRIC_DIR/sm$1/pid pid

	[ -f "$file" ] || return 0
	pid=$(cat "$file")
	rm "$file"
	kill -CONT "$pid"	# it may have been stopped to play dead
	kill "${2:--TERM}" "$pid"
	wait "$pid" 2> /dev/null
	return 0
}

fabric_sweep() {
	kill -HUP "$(cat "$FABRIC_DIR/sm${1:-1}/pid")"
}

fabric_sm() {
	local rail

	[ $# -gt 0 ] || set -- 1
	for rail; do
		fabric_sm_start "$rail"
	done
	for rail; do
		fabric_wait_active "$rail" || return 1
	done
}
