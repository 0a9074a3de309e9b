#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The in-kernel interface, through the test module mad_probe: the policy of a
# single request, ib_modify_mad(), and what happens to a request in a long
# backoff when it is cancelled or when its agent or its device goes. Runs in
# virtual time.

. "$TOP/selftests/mad/lib.sh"

# enum ib_mad_retry_flags
RANDOMIZED=1
BUSY_AS_TIMEOUT=2
BUDGET_TIME=4
KEEP_TIMEOUT=8

probe() {
	# shellcheck disable=SC2046 # a list of parameters
	insmod "$BUILD/mad/mad_probe.ko" $(transport_probe) "$@"
}

# Post a request with the given answers and mad_probe parameters, let $2 seconds
# pass, and leave the module loaded
post() {
	local answers=$1 seconds=$2

	shift 2
	trace_clear
	sastorm_start --answers "$answers" || return 1
	probe "$@" || return 1
	sleep "$seconds"
}

finish() {
	rmmod mad_probe 2> /dev/null
	sastorm_stop
}

probe_get() {
	cat "/sys/module/mad_probe/parameters/$1"
}

own_backoff() {
	post drop 12 flags=$RANDOMIZED timeout_ms=500 retries=3
	finish
	trace_get ib_mad_retry wait_ms | sed -n 1p | between 500 1011 &&
		trace_get ib_mad_retry wait_ms | sed -n 3p | between 2033 2544 &&
		equal RETRIES "$(trace_get ib_mad_timeout cause)"
}

own_busy() {
	post 'busy*2,good' 3 flags=$BUSY_AS_TIMEOUT timeout_ms=500 retries=3
	equal "Y 0 0" "$(probe_get 'done') $(probe_get status) $(probe_get mad_status)"
	local result=$?
	finish
	equal 3 "${server[arrivals]}" && return $result
}

# Asked for by the caller itself, so not limited to certain classes
own_policy_in_any_class() {
	mad_policy retry_classes=none
	own_busy
	local result=$?
	mad_default_policy
	return $result
}

own_budget() {
	post drop 12 flags=$((RANDOMIZED | BUDGET_TIME)) timeout_ms=1000 retries=4
	finish
	equal BUDGET "$(trace_get ib_mad_timeout cause)" &&
		trace_get ib_mad_timeout total_ms | between 3485 "$(mad_latest 4000)"
}

# The first wait is the floor, retries do not limit, the total does
own_total() {
	post drop 12 flags=$RANDOMIZED total_ms=8000 timeout_ms=7000 retries=1
	finish
	equal BUDGET "$(trace_get ib_mad_timeout cause)" &&
		equal 511 "$(trace_get ib_mad_post timeout_ms)" &&
		trace_get ib_mad_timeout total_ms | between 7485 "$(mad_latest 8000)" &&
		echo "${server[arrivals]}" | between 4 5 &&
		equal "-1" "$(trace_get ib_mad_retry retries_left | sort -u)"
}

own_total_as_a_limit() {
	post drop 6 flags=$KEEP_TIMEOUT total_ms=2000 timeout_ms=200 retries=10
	finish
	echo "${server[arrivals]}" | between 8 10 &&
		trace_get ib_mad_timeout total_ms | between 1800 "$(mad_latest 2000)"
}

total_without_retries() {
	post drop 6 total_ms=3000 timeout_ms=100 retries=0
	finish
	equal 1 "${server[arrivals]}" &&
		trace_get ib_mad_timeout total_ms |
			between "$(mad_earliest 3000)" "$(mad_latest 3000)"
}

unknown_flag_is_refused() {
	! probe flags=16 2> /dev/null
}

# Retry 4 is made after 4.0 to 6.3 s and waits 4.1 s or more. A shorter time-out
# set at 7 s ends that wait early, and the backoff begins anew from there.
modify_shorter() {
	post drop 9 flags=$RANDOMIZED timeout_ms=500 retries=5 \
		modify_after_ms=7000 modify_to_ms=300
	finish
	equal "MRA 4 300" "$(trace_get ib_mad_backoff_reset cause) $(trace_get ib_mad_backoff_reset backoff_step) $(trace_get ib_mad_backoff_reset wait_ms)" &&
		equal "300 1" "$(trace_get ib_mad_retry waited_ms | sed -n 5p) $(trace_get ib_mad_retry backoff_step | sed -n 5p)" &&
		trace_get ib_mad_retry wait_ms | sed -n 5p | between 300 811 &&
		mad_retry_gap 5 | between 300 3500
}

modify_longer() {
	post drop 20 flags=$RANDOMIZED timeout_ms=500 retries=2 \
		modify_after_ms=800 modify_to_ms=9000
	finish
	equal "MRA 9000" "$(trace_get ib_mad_backoff_reset cause) $(trace_get ib_mad_backoff_reset wait_ms)" &&
		trace_get ib_mad_retry waited_ms | sed -n 2p | between 9000 9000 &&
		mad_retry_gap 2 | between 9000 "$(mad_latest 9300)"
}

# Without backoff there is nothing to report, and the new time-out holds
modify_without_policy() {
	post drop 8 timeout_ms=500 retries=2 modify_after_ms=700 modify_to_ms=2000
	finish
	equal 0 "$(trace_count ib_mad_backoff_reset)" &&
		equal "500 2000" "$(trace_get ib_mad_retry waited_ms | xargs)"
}

# Milliseconds between retry $1 and the one before
mad_retry_gap() {
	trace_times ib_mad_retry |
		awk -v n="$1" 'NR == n { print ($1 - last) / 1000 } { last = $1 }'
}

flushed() {
	equal WR_FLUSH_ERR "$(trace_get ib_mad_done status)" &&
		equal 1 "$(trace_count ib_mad_done)" &&
		equal 0 "$(trace_count ib_mad_timeout)"
}

# Retry 5 is on its way after 8 s, and waits 8 s more
cancel_in_backoff() {
	post drop 12 flags=$RANDOMIZED timeout_ms=100 retries=9 \
		modify_after_ms=11000 modify_to_ms=0
	equal "Y 5" "$(probe_get 'done') $(probe_get status)"
	local result=$?
	finish
	flushed && return $result
}

unregister_in_backoff() {
	post drop 11 flags=$RANDOMIZED timeout_ms=100 retries=9
	equal N "$(probe_get 'done')" || return 1
	finish
	flushed
}

remove_device_in_backoff() {
	local result

	post drop 11 flags=$RANDOMIZED timeout_ms=100 retries=9
	transport_remove
	equal "Y 5" "$(probe_get 'done') $(probe_get status)" && flushed
	result=$?
	finish
	transport_down
	transport_up
	return $result
}

mad_begin 14
mad_check "a request's own backoff" own_backoff
mad_check "a request's own BUSY handling" own_busy
mad_check "a request's own policy is not limited to classes" own_policy_in_any_class
mad_check "a request's own time budget" own_budget
mad_check "an explicit total: floor first, total last" own_total
mad_check "a total that only limits" own_total_as_a_limit
mad_check "a total without retries is one wait" total_without_retries
mad_check "an unknown flag is refused" unknown_flag_is_refused
mad_check "ib_modify_mad to a shorter wait" modify_shorter
mad_check "ib_modify_mad to a longer wait" modify_longer
mad_check "ib_modify_mad without a policy" modify_without_policy
mad_check "cancelled in a long backoff: flushed" cancel_in_backoff
mad_check "agent unregistered in a long backoff: flushed" unregister_in_backoff
mad_check "device removed in a long backoff: flushed" remove_device_in_backoff
mad_end
