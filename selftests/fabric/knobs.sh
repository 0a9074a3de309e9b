#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Each knob does exactly what its counters say: what one end sent, less what the
# knobs took, is what the other end got and what a client of its own counts.
#
# sastorm asks from vfab1, with no retries, so each request is one packet:
# vfab0's performance agent for the knobs of the wire, the real SA on vfab0 for
# those of the SA front.

# shellcheck source=/dev/null
. "$BUILD/kernel/source/tools/testing/selftests/kselftest/ktap_helpers.sh"
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$TOP/selftests/fabric/lib.sh"

requests=100
answers=$(mktemp)
# longer than any answer takes in an emulated machine
patience_ms=2000
class_perf=0x04
class_sa=0x03
always=1000000

is() {	# description, number, test operator, number
	test "$2" "$3" "$4" && return
	ktap_print_msg "$1: $2, should be $3 $4"
	return 1
}

# Ask; then field() knows what became of it.
ask() {
	"$BUILD/load/sastorm" client -d vfab1 -R 0 -T "$patience_ms" -m 16 \
		--fields "$@" > "$answers"
}

ask_perf() {	# option...
	ask -c "$class_perf" -a ClassPortInfo -l "$(port_lid vfab0 1)" -n "$requests" "$@"
}

ask_sa() {
	ask -c "$class_sa" -a ClassPortInfo -n "$requests" "$@"
}

field() {
	awk -v key="$1" '$1 == key { print $2 }' "$answers"
}

sent() { counter vfab1 1 "$1"; }
got() { counter vfab0 1 "$1"; }

all_packets() {
	echo "$(got tx_packets) $(got rx_packets) $(sent tx_packets) $(sent rx_packets)"
}

is_quiet() {
	local before

	before=$(all_packets)
	sleep 0.2
	[ "$(all_packets)" = "$before" ]
}

# Nothing is under way and every counter is 0.
start_over() {
	local host

	fabric_wait is_quiet || return 1
	for host in vfab0 vfab1; do
		echo 1 > "$FABRIC_DEBUGFS/$host/port1/reset"
	done
}

# What arrived is what was sent, less what was lost, and the doubles.
books_balance() {
	local lost

	fabric_wait is_quiet
	lost=$(($(sent drop_loss) + $(sent drop_rc) + $(sent drop_mad)))
	is "packets at vfab0" "$(got rx_packets)" \
		-eq "$(($(sent tx_packets) - lost + $(sent duplicated)))"
}

only_drops_are() {	# counter that may be other than 0
	local name

	for name in drop_loss drop_rc drop_mad drop_link drop_flight; do
		[ "$name" = "$1" ] || is "$name" "$(sent "$name")" -eq 0 || return 1
	done
}

all_knobs_off() {
	start_over
	ask_perf
	is good "$(field good)" -eq "$requests" && only_drops_are none &&
		books_balance && is sent "$(sent tx_packets)" -ge "$requests"
}

loss_share() {
	start_over
	knob vfab1 1 loss_ppm 250000
	patience_ms=300 ask_perf
	knob vfab1 1 loss_ppm 0
	# 100 tries at a quarter: 25, and four standard deviations of 4.3
	is lost "$(sent drop_loss)" -ge 8 && is lost "$(sent drop_loss)" -le 42 &&
		is "time-outs" "$(field timeout)" -eq "$(sent drop_loss)" &&
		is good "$(field good)" -eq "$((requests - $(sent drop_loss)))" &&
		only_drops_are drop_loss && books_balance
}

loss_all() {
	start_over
	knob vfab1 1 loss_ppm "$always"
	patience_ms=100 ask_perf
	knob vfab1 1 loss_ppm 0
	is "time-outs" "$(field timeout)" -eq "$requests" &&
		is lost "$(sent drop_loss)" -eq "$(sent tx_packets)" &&
		is "packets at vfab0" "$(got rx_packets)" -eq 0
}

loss_of_class() {
	start_over
	knob vfab1 1 loss_mad "$class_perf 0 $always"
	patience_ms=100 ask_perf
	is "lost of the class" "$(sent drop_mad)" -eq "$requests" &&
		is "time-outs" "$(field timeout)" -eq "$requests" || return 1
	ask_sa
	knob vfab1 1 loss_mad clear
	is "answers of another class" "$(field good)" -eq "$requests" &&
		is "lost in all" "$(sent drop_mad)" -eq "$requests" &&
		only_drops_are drop_mad && books_balance
}

loss_of_attribute() {
	start_over
	knob vfab1 1 loss_mad "$class_perf 0x12 $always"
	ask_perf
	is "answers of another attribute" "$(field good)" -eq "$requests" || return 1
	patience_ms=100 ask_perf -a 0x12
	is "time-outs" "$(field timeout)" -eq "$requests" &&
		is lost "$(sent drop_mad)" -eq "$requests" &&
		knob vfab1 1 loss_mad |
		grep -q "0x04 0x0012 $always all matched $requests dropped $requests" &&
		books_balance
	local status=$?
	knob vfab1 1 loss_mad clear
	return $status
}

loss_of_count() {
	start_over
	knob vfab1 1 loss_mad "$class_perf 0 $always 5"
	patience_ms=300 ask_perf
	is lost "$(sent drop_mad)" -eq 5 && is "time-outs" "$(field timeout)" -eq 5 &&
		is good "$(field good)" -eq "$((requests - 5))" && books_balance
	local status=$?
	knob vfab1 1 loss_mad clear
	return $status
}

duplicate() {
	start_over
	knob vfab1 1 dup_ppm "$always"
	ask_perf
	knob vfab1 1 dup_ppm 0
	is doubled "$(sent duplicated)" -eq "$(sent tx_packets)" &&
		is "packets at vfab0" "$(got rx_packets)" -eq "$((2 * $(sent tx_packets)))" &&
		is good "$(field good)" -eq "$requests" && books_balance
}

delay() {
	start_over
	knob vfab1 1 delay_us 200000
	requests=20 ask_perf -m 1
	knob vfab1 1 delay_us 0
	is "fastest (us)" "$(field latency_us.good.p50)" -ge 200000 &&
		is "all of it (us)" "$(field elapsed_us)" -ge 4000000 &&
		is delayed "$(sent delayed)" -eq "$(sent tx_packets)" && books_balance
}

same_seed_same_chances() {
	local seed doubled=()

	for seed in 7 7 8; do
		start_over
		echo "$seed" > "$FABRIC_DEBUGFS/seed"
		knob vfab1 1 dup_ppm 300000
		# one at a time: no other order is possible
		ask_perf -m 1
		knob vfab1 1 dup_ppm 0
		doubled+=("$(sent duplicated)")
	done
	is "second time" "${doubled[1]}" -eq "${doubled[0]}" &&
		is "another seed" "${doubled[2]}" -ne "${doubled[0]}"
}

rc_only() {
	local server status

	start_over
	knob vfab1 1 loss_rc_ppm "$always"
	ask_perf
	timeout 60 ibv_rc_pingpong -d vfab0 -n 10 > /dev/null 2>&1 &
	server=$!
	fabric_wait listens_on 18515
	timeout 60 ibv_rc_pingpong -d vfab1 -n 10 localhost > /dev/null 2>&1
	status=$?
	kill "$server" 2> /dev/null
	wait "$server"
	knob vfab1 1 loss_rc_ppm 0
	is "status of ibv_rc_pingpong" "$status" -eq 1 &&
		is "RC lost" "$(sent drop_rc)" -ge 8 &&
		is "answers to datagrams" "$(field good)" -eq "$requests" &&
		only_drops_are drop_rc && books_balance
}

link_down() {
	start_over
	knob vfab0 1 link 0	# either end will do
	port_is vfab0 1 DOWN && port_is vfab1 1 DOWN || return 1
	patience_ms=100 ask_perf
	is "time-outs" "$(field timeout)" -eq "$requests" &&
		is "sent in vain" "$(sent drop_link)" -eq "$requests" &&
		is sent "$(sent tx_packets)" -eq 0 &&
		is "link downed" "$(sent link_downed)" -eq 1
	local status=$?
	knob vfab0 1 link 1
	fabric_sweep 1
	fabric_wait_active 1 && return $status
}

all_are_delayed() {
	[ "$(sent delayed)" -ge 10 ]
}

cut_in_flight() {
	local client

	start_over
	knob vfab1 1 delay_us 2000000
	patience_ms=100 requests=10 ask_perf &
	client=$!
	fabric_wait all_are_delayed
	knob vfab1 1 link 0
	wait "$client"
	is "lost in flight" "$(got drop_flight)" -eq "$(sent tx_packets)" &&
		is "packets at vfab0" "$(got rx_packets)" -eq 0
	local status=$?
	knob vfab1 1 delay_us 0
	knob vfab1 1 link 1
	fabric_sweep 1
	fabric_wait_active 1 && return $status
}

bad_values() {
	local file=$FABRIC_DEBUGFS/vfab1/port1

	! { echo 1000001 > "$file/loss_ppm"; } 2> /dev/null &&
		! { echo 2 > "$file/link"; } 2> /dev/null &&
		! { echo 60000001 > "$file/delay_us"; } 2> /dev/null &&
		! { echo 0x100 0 1 > "$file/loss_mad"; } 2> /dev/null &&
		! { echo 3 0 1000001 > "$file/loss_mad"; } 2> /dev/null &&
		! { echo nonsense > "$file/loss_mad"; } 2> /dev/null &&
		is loss_ppm "$(knob vfab1 1 loss_ppm)" -eq 0 &&
		is link "$(knob vfab1 1 link)" -eq 1 &&
		[ -z "$(knob vfab1 1 loss_mad)" ]
}

# ---- the SA front, on the port of vfab0 where OpenSM listens ----

front_idle() {
	start_over
	ask_sa
	is good "$(field good)" -eq "$requests" &&
		is passed "$(got sa_passed)" -eq "$(got sa_requests)" &&
		is requests "$(got sa_requests)" -eq "$requests"
}

front_busy() {
	start_over
	knob vfab0 1 sa_busy_ppm 500000
	ask_sa
	knob vfab0 1 sa_busy_ppm 0
	is "BUSY answers" "$(field busy)" -eq "$(got sa_busied)" &&
		is "BUSY answers" "$(got sa_busied)" -ge 30 &&
		is "BUSY answers" "$(got sa_busied)" -le 70 &&
		is good "$(field good)" -eq "$(got sa_passed)" &&
		is all "$(($(got sa_busied) + $(got sa_passed)))" -eq "$requests"
}

front_drop() {
	start_over
	knob vfab0 1 sa_drop_ppm 500000
	patience_ms=300 ask_sa
	knob vfab0 1 sa_drop_ppm 0
	is "time-outs" "$(field timeout)" -eq "$(got sa_dropped)" &&
		is dropped "$(got sa_dropped)" -ge 30 &&
		is dropped "$(got sa_dropped)" -le 70 &&
		is good "$(field good)" -eq "$(got sa_passed)" &&
		is all "$(($(got sa_dropped) + $(got sa_passed)))" -eq "$requests"
}

front_rate() {
	start_over
	knob vfab0 1 sa_rate 50
	requests=50 ask_sa -m 50
	knob vfab0 1 sa_rate 0
	is good "$(field good)" -eq 50 &&
		is "all of it (us)" "$(field elapsed_us)" -ge 900000 &&
		is queued "$(got sa_queued_total)" -eq 50 &&
		is "in the queue" "$(got sa_queue)" -eq 0 &&
		is "longest queue" "$(got sa_queue_max)" -ge 25
}

# Room for 10; the others are dropped, or answered BUSY
front_full() {	# 0 or 1: BUSY
	start_over
	knob vfab0 1 sa_rate 10
	knob vfab0 1 sa_queue_len 10
	knob vfab0 1 sa_overflow_busy "$1"
	requests=40 ask_sa -m 40
	knob vfab0 1 sa_rate 0
	knob vfab0 1 sa_queue_len 256
	knob vfab0 1 sa_overflow_busy 0
	is good "$(field good)" -eq "$(got sa_queued_total)" &&
		is "longest queue" "$(got sa_queue_max)" -eq 10 &&
		is good "$(field good)" -ge 10 && is good "$(field good)" -lt 40
}

front_full_drops() {
	front_full 0 && is "time-outs" "$(field timeout)" -eq "$(got sa_overflow_dropped)" &&
		is all "$(($(field good) + $(field timeout)))" -eq 40
}

front_full_busies() {
	front_full 1 && is "BUSY answers" "$(field busy)" -eq "$(got sa_overflow_busied)" &&
		is all "$(($(field good) + $(field busy)))" -eq 40
}

# Links last: when a port comes back, the kernel asks the SA on its own account
tests="all_knobs_off loss_share loss_all loss_of_class loss_of_attribute
	loss_of_count duplicate delay same_seed_same_chances rc_only
	bad_values front_idle front_busy front_drop front_rate
	front_full_drops front_full_busies link_down cut_in_flight"

ktap_print_header
[ -x "$BUILD/load/sastorm" ] || fabric_skip "no sastorm: make -C selftests/load"
ktap_set_plan "$(wc -w <<< "$tests")"
fabric_up 2 || exit "$KSFT_FAIL"
# no sweeps but those asked for, so that nothing else is on the wire
fabric_sm_start 1 -s 0
fabric_wait_active 1 || exit "$KSFT_FAIL"
for test in $tests; do
	if $test; then
		ktap_test_pass "${test//_/ }"
	else
		ktap_test_fail "${test//_/ }"
	fi
done
fabric_down || ktap_print_msg "the module does not unload"
rm -f "$answers"
ktap_finished
