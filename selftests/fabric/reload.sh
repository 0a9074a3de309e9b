#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Load, bring up, unload, 100 times (ROUNDS), each in one of the states below.
# Nothing may be left: no memory, no reference to ib_core. (That there was no
# kernel warning either is for the virtual machine to see.)

# shellcheck source=/dev/null
. "$BUILD/kernel/source/tools/testing/selftests/kselftest/ktap_helpers.sh"
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$TOP/selftests/fabric/lib.sh"

ROUNDS=${ROUNDS:-100}
# Rounds until all caches are warm
WARM_UP=10
# Slabs that are not full, thread stacks: what comes and goes by itself, in kB
ALLOWED_KB=600
SASTORM=$BUILD/load/sastorm

refs() {
	cat /sys/module/ib_core/refcnt
}

# Kernel memory in use, after what can be given back has been
kernel_kb() {
	sync
	echo 3 > /proc/sys/vm/drop_caches
	sleep 0.5
	awk '/^(SUnreclaim|Percpu|VmallocUsed):/ { sum += $2 } END { print sum }' /proc/meminfo
}

# ---- states to unload in; each starts from a loaded module ----

plain() {
	:
}

# OpenSM runs on, so umad stays open
umad_open() {
	fabric_sm_start 1
	fabric_wait_active 1
}

ipoib_running() {
	modprobe -q ib_ipoib
	fabric_sm_start 1
	fabric_wait_active 1 || return 1
	for netdev in /sys/class/net/ib*; do
		ip link set "${netdev##*/}" up
	done
}

# Requests wait on the wire, in the SA front's queue and in ib_mad.
requests_waiting() {
	fabric_sm_start 1
	fabric_wait_active 1 || return 1
	knob vfab0 1 sa_rate 1
	knob vfab1 2 delay_us 5000000
	[ -x "$SASTORM" ] || return 0
	"$SASTORM" client -d vfab1 -n 20 -m 20 -R 5 -T 1000 > /dev/null 2>&1 &
	sleep 0.3
}

link_flapping() {
	knob vfab0 1 delay_us 1000
	for _ in 1 2 3; do
		knob vfab1 1 link 0
		knob vfab1 1 link 1
	done
}

# Most rounds are short, so that there can be many.
states=(plain link_flapping plain umad_open plain link_flapping plain
	ipoib_running plain requests_waiting)

one_round() {
	local state=${states[$1 % ${#states[@]}]} hosts=$((2 + $1 % 2))

	fabric_up "$hosts" && $state || return 1
	rmmod ib_vfab || return 1
	# what still had the devices open is no use any more
	fabric_sm_stop 1 -KILL
	rm -rf "$FABRIC_DIR/sm1"	# its log is in memory
	wait
	[ ! -e /sys/class/infiniband/vfab0 ] || return 1
	if [ "$state" = ipoib_running ]; then
		modprobe -r ib_ipoib
	fi
}

rounds() {	# from, to
	local i

	for ((i = $1; i < $2; i++)); do
		one_round "$i" || {
			ktap_print_msg "round $i, ${states[i % ${#states[@]}]}"
			return 1
		}
	done
}

result() {
	if [ "$1" -eq 0 ]; then
		ktap_test_pass "$2"
	else
		ktap_test_fail "$2"
	fi
}

ktap_print_header
ktap_set_plan 3
refs_before=$(refs)
rounds 0 "$WARM_UP"
warm=$?
kb_before=$(kernel_kb)
[ "$warm" -eq 0 ] && rounds "$WARM_UP" "$ROUNDS"
result $? "$ROUNDS rounds"
kb_after=$(kernel_kb)
ktap_print_msg "kernel memory: $kb_before kB, $kb_after kB"
if [ -e /sys/kernel/debug/kmemleak ]; then
	# KASAN holds back what is freed; kmemleak has the better answer, and
	# the virtual machine asks it.
	ktap_test_skip "no memory is left"
else
	[ "$((kb_after - kb_before))" -le "$ALLOWED_KB" ]
	result $? "no memory is left"
fi
[ "$(refs)" = "$refs_before" ]
result $? "no reference is left"
ktap_finished
