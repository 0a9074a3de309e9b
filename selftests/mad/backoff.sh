#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Randomized exponential backoff: the waits that the trace events report against
# the table, and the times between arrivals at the server against the events.
# Runs in virtual time: the waits of one request add up to minutes.

. "$TOP/selftests/mad/lib.sh"

# Extra wait after retry c, from and to, in ms: the table of the design
table=(- "0 511" "511 1022" "1533 2044" "3577 4088" "7665 8176" "15841 16352" "32193 32704")

# Ask once, unanswered unless --answers says more
ask() {
	local answers=$1

	shift
	trace_clear
	sastorm_start --answers "$answers" || return 1
	sastorm_ask "$@"
	sastorm_stop
}

# Are the waits of retries 1, 2, ... with time-out $1 in the table?
waits_fit() {
	local timeout=$1 c=0 wait low high

	while read -r wait; do
		c=$((c + 1))
		read -r low high <<< "${table[c]}"
		echo "$wait" | between $((timeout + low)) $((timeout + high)) || return 1
	done < <(trace_get ib_mad_retry wait_ms)
	equal "$2" "$c"
}

# Does the server see the waits that the events report? The first wait is T.
arrivals_fit() {
	paste <(echo "$1"; trace_get ib_mad_retry wait_ms | head -n -1) <(mad_measure) |
		awk '
			$2 < $1 - 4 || $2 > $1 * 1.125 + 10 {
				print "# reported " $1 " ms, measured " $2 " ms"
				bad = 1
			}
			END { exit bad || NR < 2 }'
}

follows_the_table() {
	mad_policy randomized_wait=Y
	ask drop -T 200 -R 7
	waits_fit 200 7 && arrivals_fit 200 && equal 8 "${server[arrivals]}"
}

is_random() {
	equal 7 "$(trace_get ib_mad_retry rand_ms | sort -u | wc -l)"
}

is_capped() {
	ask drop -T 50000 -R 3
	trace_get ib_mad_retry wait_ms | between 50000 60000
}

longer_timeout_is_kept() {
	ask drop -T 70000 -R 1
	equal 70000 "$(trace_get ib_mad_retry wait_ms)"
}

stops_when_answered() {
	ask 'drop*2,good' -T 200 -R 7
	equal 3 "${server[arrivals]}" && equal 1 "${client[good]}" &&
		equal 3 "$(trace_get ib_mad_done sends)" &&
		equal 0 "$(trace_count ib_mad_timeout)"
}

reports_the_end() {
	ask drop -T 200 -R 2
	equal RETRIES "$(trace_get ib_mad_timeout cause)" &&
		equal 3 "$(trace_get ib_mad_timeout sends)" &&
		equal RESP_TIMEOUT_ERR "$(trace_get ib_mad_done status)" &&
		equal "2 1 0" "$(trace_get ib_mad_post retries) $(trace_get ib_mad_retry retries_left | xargs)"
}

# T x R = 3000: never more, and the end is a budget or the floor
budget_by_time() {
	mad_policy retry_budget=time
	for _ in 1 2 3 4 5 6; do
		ask drop -T 1000 -R 3
		equal BUDGET "$(trace_get ib_mad_timeout cause)" &&
			trace_get ib_mad_timeout total_ms |
				between 2485 "$(mad_latest 3000)" || return 1
	done
}

# Retries win where the time would last: 5 x 100 ms does not
budget_too_small() {
	ask drop -T 100 -R 5
	equal 1 "${server[arrivals]}" && equal BUDGET "$(trace_get ib_mad_timeout cause)"
}

no_retries() {
	mad_policy retry_budget="$1"
	ask drop -T 700 -R 0
	equal 1 "${server[arrivals]}" && equal RETRIES "$(trace_get ib_mad_timeout cause)" &&
		trace_get ib_mad_timeout total_ms | between "$(mad_earliest 700)" "$(mad_latest 700)"
}

# Many at once leave the same moment, and come back spread out and in order
spreads_many() {
	mad_policy retry_budget=retries
	trace_clear
	sastorm_start --answers drop || return 1
	sastorm_ask -n 60 -m 60 -T 300 -R 2
	sastorm_stop
	equal 180 "${server[arrivals]}" && equal 60 "${client[timeout]}" &&
		trace_get ib_mad_retry waited_ms | between 300 811 &&
		[ "$(trace_get ib_mad_retry wait_ms | sort -u | wc -l)" -gt 90 ]
}

# The wait list stays sorted: no timer is later than its neighbour's wait
none_is_late() {
	paste <(trace_events ib_mad_retry | sed -n 's/.* tid=\([^ ]*\).*/\1/p') \
		<(trace_times ib_mad_retry) <(trace_get ib_mad_retry waited_ms) |
		awk '
			$1 in last {
				late = ($2 - last[$1]) / 1000 - $3
				if (late < -4 || late > $3 / 8 + 10)
					bad = bad " " late
			}
			{ last[$1] = $2; n++ }
			END { if (bad) print "# late by ms:" bad; exit bad != "" || !n }'
}

unsuited_class_is_left_alone() {
	mad_policy retry_classes="$1"
	ask drop -T 200 -R 3
	equal "200 200 200" "$(trace_get ib_mad_retry wait_ms | xargs)"
}

for_ever_does_not_end() {
	trace_clear
	sastorm_start --answers drop || return 1
	sastorm_ask -T -1 -R 3 --limit 200
	sastorm_stop
	# Closing the agent ends it, and nothing else does
	equal 1 "${server[arrivals]}" && equal 1 "${client[unfinished]}" &&
		equal WR_FLUSH_ERR "$(trace_get ib_mad_done status)"
}

endless_retries_saturate() {
	trace_clear
	sastorm_start --answers drop || return 1
	sastorm_ask -T 1 -R 2147483647 --limit 600
	sastorm_stop
	# 65 s to reach the cap, then about one a minute
	echo "${server[arrivals]}" | between 14 18 &&
		trace_get ib_mad_retry wait_ms | between 1 60000 &&
		trace_get ib_mad_retry wait_ms | tail -n +8 | between 59489 60000
}

mad_begin 18
mad_check "7 retries wait as the table says, and arrive so" follows_the_table
mad_check "the random parts differ" is_random
mad_check "a wait is capped at 60 s" is_capped
mad_check "a longer time-out is not cut" longer_timeout_is_kept
mad_check "an answer ends the retries" stops_when_answered
mad_check "the end is reported: RETRIES" reports_the_end
mad_check "budget by time is never exceeded" budget_by_time
mad_check "a budget below the floor allows no retry" budget_too_small
mad_check "no retries asked, none made: budget time" no_retries time
mad_check "no retries asked, none made: budget retries" no_retries retries
mad_check "60 at once: sent again at different times" spreads_many
mad_check "60 at once: every timer is in time" none_is_late
mad_check "other classes keep their interval" unsuited_class_is_left_alone cm
mad_check "no class: today's behaviour" unsuited_class_is_left_alone none
mad_default_policy
mad_policy randomized_wait=Y
mad_check "negative time-out waits for ever" for_ever_does_not_end
mad_check "INT_MAX retries saturate at the cap" endless_retries_saturate
mad_default_policy
mad_check "off again: today's behaviour" unsuited_class_is_left_alone gs
mad_check "and nothing is left waiting" equal "$(trace_count ib_mad_post)" "$(trace_count ib_mad_done)"
mad_end
