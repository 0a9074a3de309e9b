#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# 100,000 (MESSAGES) malformed LAPs and APRs (cm_fuzz.c) about a live connection, to
# both its ends: it goes on working, nothing is left behind, and the kernel prints
# nothing.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$TOP/selftests/apm/lib.sh"

# The debug kernel is ten times slower
[ ! -e /sys/kernel/debug/kmemleak ] || : "${MESSAGES:=10000}"
MESSAGES=${MESSAGES:-100000}
SEED=${SEED:-1}

printed() {
	dmesg | wc -l
}

fuzz() {	# from, to, side that it is about, share of the messages, seed
	local to=$2 side=$3 peer=active

	[ "$side" != active ] || peer=passive
	"$BUILD/apm/cm_mad" fuzz --device "$1" --dlid "$(port_lid "$to" 1)" \
		--messages $((MESSAGES / $4)) --seed "$5" \
		--pace "/sys/class/infiniband/$to/ports/1/cm_rx_msgs" \
		--qpn "$(apm_state "$side" qpn)" \
		--local-id "$(apm_state $peer local_id)" \
		--remote-id "$(apm_state "$side" local_id)" \
		--local-lid "$(port_lid "$1" 2)" --local-gid "$(port_gid "$1" 2)" \
		--remote-lid "$(port_lid "$to" 2)" --remote-gid "$(port_gid "$to" 2)"
}

# All of the connection's life is still there.
works() {
	apm set traffic=0 && apm wait idle && apm lap side=active port=2 &&
		apm wait active_apr_success && apm_armed &&
		apm_intact && apm migrate side=active && apm send && apm wait quiet &&
		apm wait migrated && apm lap side=active port=1 && apm_armed && apm_intact
}

survives() {
	local lines

	apm_connect cm_timeout=18 && apm_armed && apm set traffic=1 interval_ms=50 ||
		return 1
	lines=$(printed)
	# From a stranger, to both ends
	fuzz vfab0 vfab2 passive 4 $((SEED * 4)) &&
		fuzz vfab0 vfab1 active 4 $((SEED * 4 + 1)) &&
		# From the peer itself, whom ib_cm has most reason to believe
		fuzz vfab1 vfab2 passive 4 $((SEED * 4 + 2)) || return 1
	# ... also while a LAP waits for its APR
	apm set answer=hold && apm lap side=active port=2
	fuzz vfab2 vfab1 active 4 $((SEED * 4 + 3)) || return 1
	apm apr side=passive
	equal "$lines" "$(printed)" && apm set answer=accept && works
}

apm_begin 2
apm_check "$MESSAGES malformed LAPs and APRs, seed $SEED" survives
apm_end
