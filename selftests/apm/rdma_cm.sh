#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A LAP to a connection of rdma_cm, which does not answer LAPs: it is told "not
# supported" each time, nothing is printed, and the connection goes on and ends as if
# nothing had been.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$TOP/selftests/apm/lib.sh"

ADDRESS=10.77.0
APR_UNSUPPORTED=2
LAPS=100

ipoib_of() {
	local guid

	guid=$(port_gid "$1" 1 | cut -d : -f 5- | sed 's/[0-9a-f][0-9a-f]/&:/g; s/::/:/g; s/:$//')
	grep -l "$guid\$" /sys/class/net/*/address | awk -F / '{ print $5 }'
}

ipoib_up() {
	local client server

	modprobe -q ib_ipoib || return 1
	client=$(ipoib_of vfab1)
	server=$(ipoib_of vfab2)
	[ -n "$client" ] && [ -n "$server" ] || return 1
	ip link set "$server" up
	ip link set "$client" up
	ip addr add $ADDRESS.1/32 dev "$server"
	ip addr add $ADDRESS.2/32 dev "$client"
	ip route add $ADDRESS.1/32 dev "$client" src $ADDRESS.2
	ip route add $ADDRESS.2/32 dev "$server" src $ADDRESS.1
	ip neigh replace $ADDRESS.1 lladdr "$(cat "/sys/class/net/$server/address")" dev "$client"
	fabric_wait grep -qx 1 "/sys/class/net/$client/carrier" &&
		fabric_wait grep -qx 1 "/sys/class/net/$server/carrier"
}

queue_pair() {	# device: of the program's connection
	rdma resource show qp link "$1/1" 2> /dev/null |
		sed -n 's/.* lqpn \([0-9]*\) .* type RC .*state RTS .*comm rping.*/\1/p' |
		tail -n 1
}

connected() {
	[ -n "$(queue_pair vfab2)" ] && [ -n "$(ids)" ]
}

# The client's ids, from the event of its RTU
ids() {
	grep -h ' icm_send_rtu: ' "$TRACE_INSTANCE/trace" |
		sed -n 's/.*local_id=\([0-9]*\) remote_id=\([0-9]*\) .*/\1 \2/p' | tail -n 1
}

answers_unsupported() {
	local local_id remote_id lines

	echo 1 > "$TRACE_INSTANCE/events/ib_cma/icm_send_rtu/enable"
	rping -s -a $ADDRESS.1 > /dev/null 2>&1 &
	server=$!
	fabric_wait listens || return 1
	rping -c -a $ADDRESS.1 > /dev/null 2>&1 &
	client=$!
	fabric_wait connected || return 1
	read -r local_id remote_id <<< "$(ids)"
	lines=$(dmesg | wc -l)
	"$BUILD/apm/cm_mad" lap --device vfab1 --dlid "$(port_lid vfab2 1)" \
		--local-id "$local_id" --remote-id "$remote_id" \
		--qpn "$(queue_pair vfab2)" --messages $LAPS \
		--local-lid "$(port_lid vfab1 2)" --local-gid "$(port_gid vfab1 2)" \
		--remote-lid "$(port_lid vfab2 2)" --remote-gid "$(port_gid vfab2 2)" || return 1
	fabric_wait all_answered && equal $APR_UNSUPPORTED "$(apm_aprs | sort -u)" &&
		equal "$lines" "$(dmesg | wc -l)" && kill -0 $client $server
}

listens() {
	rdma resource show cm_id 2> /dev/null | grep -q 'state LISTEN.*comm rping'
}

all_answered() {
	[ "$(apm_aprs | wc -l)" -eq $LAPS ]
}

# The client leaves: DREQ and DREP, and the server ends as well
ends_well() {
	kill $client
	wait $client
	timeout 20 tail --pid=$server -f /dev/null
}

apm_begin 3
command -v rping > /dev/null || ktap_exit_fail_msg "no rping: install the package rdmacm-utils"
ipoib_up || ktap_exit_fail_msg "IPoIB does not come up"
apm_check "$LAPS LAPs to rdma_cm: not supported, nothing printed" answers_unsupported
apm_check "the connection ends by DREQ" ends_well
modprobe -r ib_ipoib
apm_end
