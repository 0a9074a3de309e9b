# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# Two RDMA ports that MADs pass between, on the transport that TRANSPORT names,
# for tests to source: "fabric", InfiniBand in software (the default), or "rxe",
# RoCE in software. On both, sastorm.sh then runs its server on the one port and
# its client on the other.
#
#   transport_up             returns when MADs pass. Ends the test: as skipped if
#                            a module or program is missing, as failed if the
#                            devices do not work
#   transport_down           take all of it down
#   transport_lose PERCENT   lose a share of the packets from the server
#   transport_remove         remove the client's device, as if it were unplugged
#   transport_probe          print mad_probe's parameters for the way to the server
#
# On the fabric OpenSM is there to set up the subnet and to answer the kernel's
# own questions, on a host of its own. It makes no sweeps, so once this is up
# nobody but the test asks the SA anything.
#
# Needs ktap_helpers.sh sourced first, BUILD, TOP, and root.

# shellcheck source=selftests/lib/rxe.sh
. "$TOP/selftests/lib/rxe.sh"
# shellcheck source=selftests/lib/sastorm.sh
. "$TOP/selftests/lib/sastorm.sh"
# shellcheck source=selftests/fabric/lib.sh
. "$TOP/selftests/fabric/lib.sh"

TRANSPORT=${TRANSPORT:-fabric}

# No request has come to the SA for a second. Each port asks for its
# ClassPortInfo once the port is ACTIVE.
transport_sa_is_quiet() {
	local before

	before=$(counter vfab0 1 sa_requests)
	sleep 1
	[ "$before" -gt 0 ] && [ "$(counter vfab0 1 sa_requests)" -eq "$before" ]
}

transport_fabric_up() {
	fabric_up 3 || return 1
	fabric_sm_start 1 -s 0
	fabric_wait_active 1 && fabric_wait transport_sa_is_quiet || return 1
	SASTORM_SERVER=vfab1
	SASTORM_CLIENT=vfab2
	SASTORM_TO=(-l "$(port_lid vfab1 1)")
}

transport_up() {
	case $TRANSPORT in
	fabric)
		transport_fabric_up || {
			fabric_down
			ktap_exit_fail_msg "the fabric does not come up"
		}
		;;
	rxe) rxe_up ;;
	*) ktap_exit_fail_msg "TRANSPORT is '$TRANSPORT', neither fabric nor rxe" ;;
	esac
}

transport_down() {
	case $TRANSPORT in
	fabric) [ ! -d /sys/module/ib_vfab ] || fabric_down ;;
	rxe) rxe_down ;;
	esac
}

transport_remove() {
	case $TRANSPORT in
	fabric) fabric_down ;;
	rxe) rdma link delete rxe0 ;;
	esac
}

transport_lose() {
	case $TRANSPORT in
	fabric) knob "$SASTORM_SERVER" 1 loss_ppm $(($1 * 10000)) ;;
	rxe) rxe_lose "$1" ;;
	esac
}

transport_probe() {
	case $TRANSPORT in
	fabric) echo "device=$SASTORM_CLIENT dlid=$(port_lid "$SASTORM_SERVER" 1)" ;;
	rxe) echo "device=$SASTORM_CLIENT dgid=$(rxe_gid "$SASTORM_SERVER")" ;;
	esac
}
