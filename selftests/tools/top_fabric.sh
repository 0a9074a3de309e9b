#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# madretry-top's rows by client and by destination on the software fabric, with
# the kernel's own clients, OpenSM and the diagnostic tools. For the virtual
# machine.

# shellcheck source=selftests/tools/lib.sh
. "$TOP/selftests/tools/lib.sh"
FABRIC_WAIT_S=150	# as long as it may take on a slow machine
# shellcheck source=selftests/fabric/lib.sh
. "$TOP/selftests/fabric/lib.sh"

SERVER_CLASS=0x30	# nobody else's
address=10.99.1

row_total() {
	top_get "[.rows[] | select($1) | .total.$2] | add"
}

# At least one request, and all of them answered
asked() {
	local requests

	requests=$(row_total "$1" requests)
	[ "$requests" != null ] && [ "$requests" -gt 0 ] &&
		equal "responses where $1" "$(row_total "$1" responses)" \
			"$requests" && return
	echo "# no row where $1"
	top_get '.rows[] | "# \(.device) \(.class_name) \(.client) \(.total.requests)"'
	return 1
}

# An IPoIB interface has its port's GUID in its address
ipoib_of() {
	local guid

	guid=$(port_gid "$1" 1 | cut -d : -f 5- |
		sed 's/[0-9a-f][0-9a-f]/&:/g; s/::/:/g; s/:$//')
	grep -l "$guid\$" /sys/class/net/*/address | awk -F / '{ print $5 }'
}

# One interface with an address, and a neighbour whose GID is known, so that only
# the path to it is not
ipoib_up() {
	local here there

	modprobe -q ib_ipoib || return 1
	here=$(ipoib_of vfab1)
	there=$(ipoib_of vfab0)
	ip link set "$there" up
	ip link set "$here" up
	ip addr add $address.2/24 dev "$here"
	ip neigh add $address.1 dev "$here" \
		lladdr "$(cat "/sys/class/net/$there/address")"
	fabric_wait grep -qx 1 "/sys/class/net/$here/carrier"
}

# All that follows happens while one madretry-top counts
watch_all() {
	top_start --by client,attribute 0.5 && ipoib_up || return 1
	saquery -C vfab1 > /dev/null &
	saquery_pid=$!
	wait $saquery_pid
	echo > /dev/udp/$address.1/9
	# Nobody listens there, so that it is rejected
	rping -c -a $address.1 -C 1 > /dev/null 2>&1
	top_stop
}

# The SM's program sends SMPs by directed route
opensm_is_named() {
	fabric_sm_stop 1
	top_start --by client,destination 0.5 || return 1
	fabric_sm_start 1
	fabric_wait sm_has_asked
	top_stop
	asked ".client == \"opensm[$(cat "$FABRIC_DIR/sm1/pid")]\" and .destination == \"directed route\" and .class_name == \"SM-DR\""
}

sm_has_asked() {
	[ "$(row_total '.class_name == "SM-DR"' responses)" != null ]
}

saquery_is_named() {
	asked ".client == \"saquery[$saquery_pid]\" and .attribute_name == \"NodeRecord\""
}

multicast_is_named() {
	asked '.client == "ib_sa/multicast" and .attribute_name == "MCMemberRecord"'
}

ipoib_is_named() {
	asked '.client == "ib_sa/ib_ipoib" and .attribute_name == "PathRecord"'
}

rdma_cm_is_named() {
	asked '.client == "ib_sa/rdma_cm" and .attribute_name == "PathRecord"'
}

# A REJ is no response in the sense of ib_mad: ib_cm takes its request back
cm_is_named() {
	equal "requests of ib_cm" "$(row_total '.client == "ib_cm" and .attribute_name == "ConnectRequest"' requests)" 1
}

# Programs of one host ask two others, one of which loses the half
each_destination() {
	local host pids=() lids=() answers=good

	for host in 0 2; do
		"$BUILD/load/sastorm" server -d vfab$host -c $SERVER_CLASS \
			--fields --pid-file "$FABRIC_DIR/ready$host" \
			--answers $answers > "$FABRIC_DIR/server$host" &
		answers=drop,good
		pids+=($!)
		lids+=("$(port_lid vfab$host 1)")
		fabric_wait test -s "$FABRIC_DIR/ready$host"
	done
	top_start --by destination -c $SERVER_CLASS -d vfab1 0.5 || return 1
	"$BUILD/load/sastorm" client -d vfab1 -c $SERVER_CLASS -a 0x10 \
		-l "${lids[0]}" -n 40 -m 8 -T 5000 -R 2 > /dev/null
	"$BUILD/load/sastorm" client -d vfab1 -c $SERVER_CLASS -a 0x10 \
		-l "${lids[1]}" -n 15 -m 15 -T 1000 -R 5 > /dev/null
	top_stop
	kill "${pids[@]}"
	wait "${pids[@]}"
	equal rows "$(top_get '.rows | length')" 2 &&
		same_as_server "${lids[0]}" 0 && same_as_server "${lids[1]}" 2 &&
		[ "$(row_total ".lid == ${lids[1]}" retries)" -ge 15 ]
}

# LID HOST: requests and retries are what arrived there
same_as_server() {
	local first retries

	first=$(awk '$1 == "first_attempts" { print $2 }' "$FABRIC_DIR/server$2")
	retries=$(awk '$1 == "retries" { print $2 }' "$FABRIC_DIR/server$2")
	equal "requests to LID $1" "$(row_total ".destination == \"LID $1\"" requests)" "$first" &&
		equal "retries to LID $1" "$(row_total ".lid == $1" retries)" "$retries"
}

# Loaded while the tool runs, ib_umad is known as soon as the next interval
umad_comes_later() {
	fabric_sm_stop 1
	modprobe -r ib_umad && top_start --by client 0.5 && modprobe ib_umad ||
		return 1
	sleep 2
	fabric_wait test -e /dev/infiniband/umad0
	"$BUILD/load/sastorm" client -d vfab1 -a ClassPortInfo -T 200 > /dev/null &
	asking=$!
	wait "$asking"
	top_stop
	equal clients "$(top_get '[.rows[] | "\(.client) \(.total.requests)"] | join(", ")')" \
		"sastorm[$asking] 1"
}

need_commands jq bpftool opensm saquery rping
ktap_print_header
[ -e /sys/module/ib_core/parameters/randomized_wait ] ||
	skip_all "no patched ib_core"
trap 'fabric_down; rm -rf "$TOP_DIR"' EXIT
fabric_up 3
fabric_sm 1 || ktap_exit_fail_msg "the fabric does not come up"
run_tests "$@" <<'END'
watch_all		ib_sa, ib_cm, IPoIB, rdma_cm and saquery ask
saquery_is_named	saquery, by name and process ID
multicast_is_named	ib_sa for multicast groups
ipoib_is_named		ib_ipoib, through ib_sa
rdma_cm_is_named	rdma_cm, through ib_sa
cm_is_named		ib_cm
opensm_is_named		opensm, by directed route
each_destination	each destination has its server's numbers
umad_comes_later	ib_umad is loaded later
none_attached		nothing is left attached
END
fabric_sm_stop 1
modprobe -r ib_ipoib
ktap_finished
