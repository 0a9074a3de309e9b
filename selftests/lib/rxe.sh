# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# Two RoCE devices, rxe0 and rxe1, joined by a veth pair, for tests to source.
# They carry MADs on queue pair 1: enough for everything that goes through umad.
#
#   rxe_up          make the pair; returns when MADs pass. Ends the test: as
#                   skipped if a module or program is missing, as failed if
#                   the devices do not work
#   rxe_down        remove the pair
#   rxe_gid DEV     print the GID of DEV at index 0, to send to
#   rxe_lose PERCENT
#                   lose a share of the packets from rxe1; 0 ends it
#
# Needs ktap_helpers.sh sourced first, $BUILD/load/sastorm, and root.

RXE_DEVICES="rxe0 rxe1"
RXE_NETDEVS="rxeveth0 rxeveth1"
RXE_WAIT_S=10

# A management class that no test counts, for the first exchange.
RXE_WARM_UP_CLASS=0x2f

rxe_skip() {
	ktap_skip_all "$1"
	exit "$KSFT_SKIP"
}

rxe_load_modules() {
	local module

	for module in veth ib_umad rdma_rxe; do
		[ -d "/sys/module/$module" ] || modprobe -q "$module" ||
			rxe_skip "no module $module for this kernel"
	done
}

# Wait until a command succeeds; fail after RXE_WAIT_S.
rxe_wait_until() {
	local end=$((SECONDS + RXE_WAIT_S))

	until "$@"; do
		[ "$SECONDS" -lt "$end" ] || return 1
		sleep 0.05
	done
}

rxe_make_netdevs() {
	local netdev

	# shellcheck disable=SC2086 # a list of two
	set -- $RXE_NETDEVS
	ip link add "$1" type veth peer name "$2" || return 1
	for netdev; do
		# Nobody else is on this wire: no need to wait a second for
		# duplicates of the link-local address.
		echo 0 > "/proc/sys/net/ipv6/conf/$netdev/accept_dad"
		ip link set "$netdev" up
	done
}

rxe_has_address() {
	local addresses

	addresses=$(ip -6 -o address show dev "$1" scope link)
	[[ $addresses == *fe80:* && $addresses != *tentative* ]]
}

rxe_gid() {
	echo "$(< "/sys/class/infiniband/$1/ports/1/gids/0")"
}

rxe_is_ready() {
	[ "$(< "/sys/class/infiniband/$1/ports/1/state")" = "4: ACTIVE" ] &&
		[[ $(rxe_gid "$1") != *:0000:0000:0000:0000 ]]
}

rxe_make_devices() {
	local device netdevs=$RXE_NETDEVS netdev

	for device in $RXE_DEVICES; do
		netdev=${netdevs%% *}
		netdevs=${netdevs#* }
		rxe_wait_until rxe_has_address "$netdev" &&
			rdma link add "$device" type rxe netdev "$netdev" &&
			rxe_wait_until rxe_is_ready "$device" || return 1
	done
}

# The first packet each way waits for the neighbour's address.
rxe_first_exchange() {
	local server status=0

	"$BUILD/load/sastorm" server -d rxe1 -c $RXE_WARM_UP_CLASS \
		> /dev/null &
	server=$!
	"$BUILD/load/sastorm" client -d rxe0 -g "$(rxe_gid rxe1)" \
		-c $RXE_WARM_UP_CLASS -a 1 -T 100 -R $((RXE_WAIT_S * 10)) \
		--fields | grep -q '^good 1$' || status=1
	kill "$server"
	wait "$server" || status=1
	return $status
}

rxe_up() {
	rxe_load_modules
	command -v rdma > /dev/null ||
		rxe_skip "no rdma command: install iproute2"
	if ! rxe_make_netdevs || ! rxe_make_devices || ! rxe_first_exchange; then
		rxe_down
		ktap_exit_fail_msg "rxe0 and rxe1 do not talk to each other"
	fi
}

rxe_lose() {
	modprobe -q sch_netem &&
		tc qdisc replace dev "${RXE_NETDEVS##* }" root netem loss "$1%"
}

rxe_down() {
	local device

	for device in $RXE_DEVICES; do
		rdma link delete "$device" 2> /dev/null
	done
	# Removes its peer as well.
	ip link delete "${RXE_NETDEVS%% *}" 2> /dev/null
	return 0
}
