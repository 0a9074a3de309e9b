#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# BUSY responses: delivered at once as long as nobody asks for more, dropped
# while a retry follows if treat_busy_as_timeout says so. Runs in virtual time.

. "$TOP/selftests/mad/lib.sh"

# Ask with the given answers; T = 400
ask() {
	local answers=$1

	shift
	trace_clear
	sastorm_start --answers "$answers" || return 1
	sastorm_ask -T 400 "$@"
	sastorm_stop
}

busy_actions() {
	trace_get ib_mad_busy action | xargs
}

off_delivers() {
	ask 'busy*9' -R 4
	equal 1 "${client[busy]}" && equal 1 "${server[arrivals]}" &&
		equal DELIVERED "$(busy_actions)" &&
		equal 0 "$(trace_get ib_mad_busy retry_in_ms)" &&
		equal 0x0001 "$(trace_get ib_mad_done mad_status)"
}

drops_then_succeeds() {
	mad_policy treat_busy_as_timeout=Y
	ask 'busy*3,good' -R 4
	equal 1 "${client[good]}" && equal 4 "${server[arrivals]}" &&
		equal "DROPPED DROPPED DROPPED" "$(busy_actions)" &&
		equal "BUSY BUSY BUSY" "$(trace_get ib_mad_retry cause | xargs)" &&
		equal "1 2 3" "$(trace_get ib_mad_retry busy_drops | xargs)" &&
		equal "4 3" "$(trace_get ib_mad_done sends) $(trace_get ib_mad_done busy_drops)" &&
		equal 0x0000 "$(trace_get ib_mad_done mad_status)"
}

# The retry comes when the wait ends, not sooner and not later
keeps_the_interval() {
	mad_measure | between "$(mad_earliest 400)" "$(mad_latest 400)" &&
		trace_get ib_mad_busy retry_in_ms | between 350 "$(mad_latest 400)"
}

last_is_delivered() {
	ask 'busy*9' -R 3
	equal 1 "${client[busy]}" && equal 4 "${server[arrivals]}" &&
		equal "DROPPED DROPPED DROPPED DELIVERED" "$(busy_actions)" &&
		equal 0 "$(trace_count ib_mad_timeout)"
}

# BUSY, then silence: the time-out is reported, with its BUSY answers
busy_then_silence() {
	ask 'busy*2,drop' -R 3
	equal 1 "${client[timeout]}" && equal 4 "${server[arrivals]}" &&
		equal 2 "$(trace_get ib_mad_timeout busy_drops)" &&
		equal "BUSY BUSY TIMEOUT" "$(trace_get ib_mad_retry cause | xargs)"
}

no_retries_delivers() {
	ask 'busy*9' -R 0
	equal 1 "${client[busy]}" && equal DELIVERED "$(busy_actions)"
}

# A dropped BUSY of a request that waits for ever would never be followed
for_ever_delivers() {
	trace_clear
	sastorm_start --answers 'busy*9' || return 1
	sastorm_ask -T -1 -R 3 --limit 60
	sastorm_stop
	equal 1 "${client[busy]}" && equal DELIVERED "$(busy_actions)"
}

other_status_is_delivered() {
	ask '0x000c*9' -R 3
	equal 1 "${client[other_status]}" && equal 0 "$(trace_count ib_mad_busy)" &&
		equal 0x000c "$(trace_get ib_mad_done mad_status)"
}

with_backoff() {
	mad_policy randomized_wait=Y
	ask 'busy*2,good' -R 3
	equal 1 "${client[good]}" &&
		mad_measure | head -n 1 | between "$(mad_earliest 400)" "$(mad_latest 400)" &&
		mad_measure | tail -n 1 | between "$(mad_earliest 400)" "$(mad_latest 911)" &&
		equal "BUSY BUSY" "$(trace_get ib_mad_retry cause | xargs)"
}

# T x R = 1200: BUSY is dropped only as long as a retry fits into that
with_time_budget() {
	mad_policy retry_budget=time
	ask 'busy*9' -R 3
	equal 1 "${client[busy]}" && equal 0 "$(trace_count ib_mad_timeout)" &&
		equal DELIVERED "$(trace_get ib_mad_busy action | tail -n 1)" &&
		trace_get ib_mad_busy action | head -n -1 | grep -qv DELIVERED
}

other_class_delivers() {
	mad_policy retry_classes=cm,perf
	ask 'busy*9' -R 4
	equal 1 "${client[busy]}" && equal 1 "${server[arrivals]}"
}

# A request keeps the policy that it was posted with
keeps_its_policy() {
	mad_default_policy
	mad_policy treat_busy_as_timeout=Y
	trace_clear
	sastorm_start --answers 'busy*2,good' || return 1
	sastorm_ask -T 2000 -R 4 &
	sleep 1
	mad_policy treat_busy_as_timeout=N
	wait $!
	sastorm_stop
	equal 3 "${server[arrivals]}" && equal "DROPPED DROPPED" "$(busy_actions)"
}

mad_begin 12
mad_check "off: delivered at once" off_delivers
mad_check "BUSY three times, then good: success" drops_then_succeeds
mad_check "a dropped BUSY does not change the wait" keeps_the_interval
mad_check "BUSY to the end: the last is delivered" last_is_delivered
mad_check "BUSY, then silence: a time-out" busy_then_silence
mad_check "no retries: delivered" no_retries_delivers
mad_check "negative time-out: delivered" for_ever_delivers
mad_check "another error status is delivered at once" other_status_is_delivered
mad_check "with backoff: the retry backs off" with_backoff
mad_check "with a time budget: delivered when no retry follows" with_time_budget
mad_check "classes without the policy: delivered at once" other_class_delivers
mad_check "a parameter changed meanwhile does not matter" keeps_its_policy
mad_end
