#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Retries on the software fabric, with OpenSM as the SA: path queries of the
# kernel's own ib_sa, which rdma_resolve_route() makes, and queries of a program.
# The SA is stopped, overloaded or answers BUSY.

. "$BUILD/kernel/source/tools/testing/selftests/kselftest/ktap_helpers.sh"
. "$TOP/selftests/mad/lib.sh"

address=10.99.0
PATH_RECORD=0x0035

# rping gives each step 2 s, and ib_sa splits them into tens
ROUTE_MS=2000
TRY_MS=200

# Addresses on both hosts' IPoIB, and no ARP, so that nothing but the path is
# left to ask for
ipoib_up() {
	local here there

	modprobe -q ib_ipoib || return 1
	here=$(ipoib_of vfab1)
	there=$(ipoib_of vfab0)
	[ -n "$here" ] && [ -n "$there" ] || return 1
	ip link set "$there" up
	ip link set "$here" up
	ip addr add $address.2/24 dev "$here"
	ip neigh add $address.1 lladdr "$(cat "/sys/class/net/$there/address")" dev "$here"
	fabric_wait grep -qx 1 "/sys/class/net/$here/carrier"
}

# The IPoIB interface of port 1 of a host has the port's GUID in its address
ipoib_of() {
	local guid

	guid=$(port_gid "$1" 1 | cut -d : -f 5- | sed 's/[0-9a-f][0-9a-f]/&:/g; s/::/:/g; s/:$//')
	grep -l "$guid\$" /sys/class/net/*/address | awk -F / '{ print $5 }'
}

# Has the event happened? For a fault that is to end then
saw() {
	[ "$(trace_count "$1")" -gt 0 ]
}

resolve_route() {
	rping -c -a $address.1 -C 1 > /dev/null 2>&1
}

of_path_query() {
	trace_events "$1" | grep " attr=$PATH_RECORD " | sed -n "s/.* $2=\([^ ]*\).*/\1/p"
}

stop_sa() {
	kill -STOP "$(cat "$FABRIC_DIR/sm1/pid")"
}

go_on_sa() {
	kill -CONT "$(cat "$FABRIC_DIR/sm1/pid")"
}

gave_up_in_time() {
	of_path_query ib_mad_timeout total_ms | between "$1" "$(mad_latest $ROUTE_MS)"
}

off_fixed_interval() {
	trace_clear
	stop_sa
	resolve_route
	go_on_sa
	of_path_query ib_mad_retry waited_ms | between $TRY_MS $TRY_MS &&
		of_path_query ib_mad_timeout sends | between 8 10 &&
		gave_up_in_time 1800
}

# The waits of the policy, and still not a moment longer than the caller said
backoff_within_total() {
	mad_policy randomized_wait=Y
	trace_clear
	stop_sa
	resolve_route
	go_on_sa
	of_path_query ib_mad_retry wait_ms | sed -n 1p | between $TRY_MS $((TRY_MS + 511)) &&
		equal BUDGET "$(of_path_query ib_mad_timeout cause)" &&
		of_path_query ib_mad_timeout sends | between 3 4 &&
		gave_up_in_time $((ROUTE_MS - 515))
}

backoff_then_answer() {
	trace_clear
	stop_sa
	(fabric_wait saw ib_mad_retry; go_on_sa) &
	resolve_route
	wait $!
	equal 0x0000 "$(of_path_query ib_mad_done mad_status)" &&
		equal SUCCESS "$(of_path_query ib_mad_done status)" &&
		of_path_query ib_mad_done sends | between 2 4
}

off_busy_fails_at_once() {
	mad_default_policy
	trace_clear
	knob vfab0 1 sa_busy_ppm 1000000
	resolve_route
	knob vfab0 1 sa_busy_ppm 0
	equal DELIVERED "$(of_path_query ib_mad_busy action)" &&
		equal 1 "$(of_path_query ib_mad_done sends)"
}

busy_is_waited_out() {
	mad_policy randomized_wait=Y treat_busy_as_timeout=Y
	trace_clear
	knob vfab0 1 sa_busy_ppm 1000000
	(fabric_wait saw ib_mad_busy; knob vfab0 1 sa_busy_ppm 0) &
	resolve_route
	wait $!
	equal DROPPED "$(of_path_query ib_mad_busy action | sort -u)" &&
		equal BUSY "$(of_path_query ib_mad_retry cause | sort -u)" &&
		equal 0x0000 "$(of_path_query ib_mad_done mad_status)"
}

# The BUSY answer is there before the send has completed: the wait begins with
# the completion, and the retry comes
busy_before_send_completion() {
	trace_clear
	knob vfab0 1 sa_busy_ppm 1000000
	knob vfab1 1 send_done_us 400000
	(fabric_wait saw ib_mad_busy; knob vfab0 1 sa_busy_ppm 0) &
	ask_once
	knob vfab1 1 send_done_us 0
	wait $!
	equal DROPPED "$(trace_get ib_mad_busy action | head -n 1)" &&
		trace_get ib_mad_busy retry_in_ms | head -n 1 | between 300 300 &&
		equal BUSY "$(trace_get ib_mad_retry cause | head -n 1)" &&
		first_retry_after 700 &&
		equal 1 "$(awk '$1 == "good" { print $2 }' "$FABRIC_DIR/storm")"
}

# A good answer that early completes the request once, when the send has. The
# second request is only there to keep the program from closing its agent.
answer_before_send_completion() {
	trace_clear
	knob vfab1 1 send_done_us 400000
	ask_once -n 2
	knob vfab1 1 send_done_us 0
	equal 2 "$(trace_count ib_mad_done)" && equal 0 "$(trace_count ib_mad_retry)" &&
		equal SUCCESS "$(trace_get ib_mad_done status | head -n 1)" &&
		trace_get ib_mad_done duration_us | head -n 1 | between 399000 2000000
}

ask_once() {
	"$BUILD/load/sastorm" client -d vfab1 -a ClassPortInfo -T 300 -R 9 "$@" \
		--fields > "$FABRIC_DIR/storm"
}

# Milliseconds from the post to the first retry, at the least
first_retry_after() {
	echo "$(trace_times ib_mad_post | head -n 1) $(trace_times ib_mad_retry | head -n 1)" |
		awk '{ print ($2 - $1) / 1000 }' | between "$(mad_earliest "$1")" 5000
}

# A program's queries against OpenSM behind the front: all counts agree
storm_counts_agree() {
	local busied dropped

	trace_clear
	echo 1 > "$FABRIC_DEBUGFS/vfab0/port1/reset"
	knob vfab0 1 sa_busy_ppm 200000
	knob vfab0 1 sa_drop_ppm 200000
	"$BUILD/load/sastorm" client -d vfab1 -a ClassPortInfo -n 100 -m 10 -T 500 -R 2 \
		--fields > "$FABRIC_DIR/storm"
	knob vfab0 1 sa_busy_ppm 0
	knob vfab0 1 sa_drop_ppm 0
	busied=$(counter vfab0 1 sa_busied)
	dropped=$(counter vfab0 1 sa_dropped)
	[ "$busied" -gt 20 ] && [ "$dropped" -gt 10 ] &&
		equal 100 "$(of_class_port_info ib_mad_post | wc -l)" &&
		equal "$(counter vfab0 1 sa_requests)" \
			"$((100 + $(of_class_port_info ib_mad_retry | wc -l)))" &&
		equal "$busied" "$(of_class_port_info ib_mad_busy | wc -l)" &&
		equal "$(awk '$1 == "timeout" { print $2 }' "$FABRIC_DIR/storm")" \
			"$(of_class_port_info ib_mad_timeout | wc -l)"
}

of_class_port_info() {
	trace_events "$1" | grep " attr=0x0001 "
}

ktap_print_header
command -v rping > /dev/null || fabric_skip "no rping: install the package rdmacm-utils"
trap 'trace_stop; fabric_down' EXIT
fabric_up 2
fabric_sm 1 && ipoib_up || ktap_exit_fail_msg "the fabric does not come up"
trace_start "$MAD_CLASS_SA" || ktap_exit_fail_msg "no trace events"
mad_default_policy
ktap_set_plan 8
mad_check "ib_sa, SA stopped, off: fixed interval, total kept" off_fixed_interval
mad_check "ib_sa, SA stopped, backoff: the waits of the policy, total kept" backoff_within_total
mad_check "ib_sa, SA back in time, backoff: answered" backoff_then_answer
mad_check "ib_sa, BUSY, off: fails at once" off_busy_fails_at_once
mad_check "ib_sa, BUSY for a while, policy: waited out" busy_is_waited_out
mad_check "BUSY before the send completion: waits from there, retries" busy_before_send_completion
mad_check "an answer before the send completion: completes once" answer_before_send_completion
mad_default_policy
mad_check "a storm against OpenSM: every count agrees" storm_counts_agree
mad_default_policy
modprobe -r ib_ipoib
ktap_finished
