#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Programs that know nothing of the fabric run on it: the verbs examples, rping
# (rdma_cm), and ping over IPoIB, datagram and connected. Besides, RDMA atomics,
# for which atomic_test is a program of our own.

# shellcheck source=/dev/null
. "$BUILD/kernel/source/tools/testing/selftests/kselftest/ktap_helpers.sh"
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$TOP/selftests/fabric/lib.sh"

iters=100
FABRIC_WAIT_S=20
# Each IPoIB interface in a network namespace of its own, else the kernel would
# take the short way through lo.
address=(192.168.77.1 192.168.77.2)

report() {
	if [ "$1" -eq 0 ]; then
		ktap_test_pass "$2"
	else
		ktap_test_fail "$2"
	fi
}

# Server on vfab1, client on vfab2; both must succeed.
pingpong() {	# program, option...
	local program=$1 server status

	shift
	timeout 60 "$program" -d vfab1 -n "$iters" "$@" > /dev/null &
	server=$!
	# it prints nothing before a client comes
	fabric_wait listens_on 18515
	timeout 60 "$program" -d vfab2 -n "$iters" "$@" localhost > /dev/null
	status=$?
	wait "$server" && [ "$status" -eq 0 ]
}

# More RC or UD packets came in at vfab1 than the management's
rx_grew() {
	[ "$(counter vfab1 1 rx_packets)" -ge "$(($1 + iters))" ]
}

test_pingpong() {
	local what=$1 before

	shift
	before=$(counter vfab1 1 rx_packets)
	pingpong "$@" && rx_grew "$before"
	report $? "$what"
}

in_ns() {
	local host=$1

	shift
	ip netns exec "host$host" "$@"
}

ipoib_netdev() {	# port GUID as in the hardware address
	ip -o link | awk -v guid="$1" '
		/link\/infiniband/ && index($0, guid) { sub(/:$/, "", $2); print $2 }'
}

guid_bytes() {
	port_guid "$1" 1 | sed 's/^0x//; s/../&:/g; s/:$//'
}

ipoib_up() {	# mode
	local host netdev

	modprobe -q ib_ipoib || return 1
	for host in 0 1; do
		fabric_wait test -n "$(ipoib_netdev "$(guid_bytes "vfab$host")")" || return 1
		netdev=$(ipoib_netdev "$(guid_bytes "vfab$host")")
		ip netns add "host$host"
		echo "$1" > "/sys/class/net/$netdev/mode" || return 1
		ip link set "$netdev" netns "host$host" name "ipoib$host" || return 1
		in_ns "$host" ip link set lo up
		in_ns "$host" ip addr add "${address[host]}/24" dev "ipoib$host"
		in_ns "$host" ip link set "ipoib$host" up
	done
	fabric_wait in_ns 0 busybox ping -q -c 1 -W 1 "${address[1]}" > /dev/null
}

ipoib_down() {
	ip netns del host0
	ip netns del host1
	# a namespace goes away behind one's back
	fabric_wait modprobe -r ib_ipoib
}

ping_works() {	# size
	in_ns 0 busybox ping -q -c 3 -s "$1" "${address[1]}" | grep -q ' 0% packet loss'
}

# The GID of a port as saquery writes it: fe80::2fa:b000:0:201
short_gid() {
	local part

	IFS=: read -ra part <<< "$(port_gid "$1" 1)"
	printf 'fe80::%x:%x:%x:%x\n' "0x${part[4]}" "0x${part[5]}" \
		"0x${part[6]}" "0x${part[7]}"
}

# Both hosts are members of the broadcast group. OpenSM shows members only to
# who knows its key.
multicast_records() {
	local members

	saquery -C vfab0 -P 1 -g | grep -q 'MGID.*ff12:401b:ffff::ffff:ffff' || return 1
	members=$(saquery -C vfab0 -P 1 --smkey 1 -m)
	grep -q "PortGid\.*$(short_gid vfab0)" <<< "$members" &&
		grep -q "PortGid\.*$(short_gid vfab1)" <<< "$members"
}

run_rping() {
	local server status

	in_ns 1 timeout 60 rping -s -a "${address[1]}" -C 10 > /dev/null &
	server=$!
	sleep 1
	in_ns 0 timeout 60 rping -c -a "${address[1]}" -C 10 > /dev/null
	status=$?
	wait "$server"
	[ "$status" -eq 0 ]
}

# Its results are those of one test here, and indented as KTAP has it
run_atomic_test() {
	"$BUILD/fabric/atomic_test" | sed 's/^/  /'
	return "${PIPESTATUS[0]}"
}

ktap_print_header
ktap_set_plan 12
fabric_up 3 || exit "$KSFT_FAIL"
fabric_sm 1 || exit "$KSFT_FAIL"

test_pingpong "ibv_rc_pingpong" ibv_rc_pingpong
test_pingpong "ibv_rc_pingpong, with GRH" ibv_rc_pingpong -g 0
test_pingpong "ibv_rc_pingpong, 100 kB messages, events" ibv_rc_pingpong -s 100000 -n 20 -e
test_pingpong "ibv_ud_pingpong" ibv_ud_pingpong
test_pingpong "ibv_srq_pingpong" ibv_srq_pingpong -q 4 -r 100
run_atomic_test
report $? "RDMA atomics"

ipoib_up datagram
report $? "IPoIB datagram: first ping"
ping_works 1000
report $? "IPoIB datagram: ping"
multicast_records
report $? "saquery: IPoIB's multicast groups and members"
run_rping
report $? "rping"
ipoib_down

ipoib_up connected
report $? "IPoIB connected: first ping"
in_ns 0 ip link set ipoib0 mtu 65520 && in_ns 1 ip link set ipoib1 mtu 65520 &&
	ping_works 60000
report $? "IPoIB connected: ping with 60 kB"
ipoib_down
fabric_down || ktap_print_msg "the module does not unload"
ktap_finished
