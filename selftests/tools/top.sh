#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Does madretry-top count what really happens? Its numbers are compared with
# those of sastorm's client and server, exactly. For the virtual machine, in
# virtual time: on a slow one an answer may cross a retry, and then the counts
# of both sides rightly differ.
#
# As it is, it tests the mode "events". top_fentry.sh and top_kprobe.sh source
# it for the other modes, which the stock kernel has, too.

# shellcheck source=selftests/tools/lib.sh
. "$TOP/selftests/tools/lib.sh"
# shellcheck source=selftests/lib/rxe.sh
. "$TOP/selftests/lib/rxe.sh"
# shellcheck source=selftests/lib/sastorm.sh
. "$TOP/selftests/lib/sastorm.sh"

REQUESTS=10000
ATTRIBUTES=PathRecord,NodeRecord,MCMemberRecord,ServiceRecord

total() {
	top_get ".sum.total.$1"
}

equals_total() {
	equal "$1" "$(total "$1")" "$2"
}

# The mixed storm, seen by two at once: as JSON and as text
mixed_storm() {
	policy Y
	sastorm_start --good 0.7 --busy 0.15 --drop 0.15 --seed 3 || return 1
	"$MADRETRY_TOP" -b --mode "$TOP_MODE" 1 > "$TOP_DIR/text" &
	text_pid=$!
	top_start -d rxe0 -p 1 -c SA 0.5 || return 1
	wait_until test -s "$TOP_DIR/text" || return 1
	sastorm_ask -n $REQUESTS -m 128 -T 500 -R 3 -a $ATTRIBUTES ||
		return 1
	sastorm_stop
	top_stop
	kill $text_pid
	wait $text_pid
	policy N
}

outcomes_equal() {
	equals_total requests $REQUESTS &&
		equals_total responses \
			$((client[good] + client[busy] + client[other_status])) &&
		equals_total timeouts "${client[timeout]}" &&
		equals_total timeouts_retries "${client[timeout]}" &&
		equals_total cancelled 0 && equals_total failed 0 &&
		equal outstanding "$(top_get .sum.outstanding)" 0 &&
		equal lost_events "$(top_get .lost_events)" 0
}

retries_equal() {
	equals_total retries "${server[retries]}" &&
		equals_total retries $(($(total retries_timeout) +
					$(total retries_busy))) &&
		equals_total retries_busy "$(total busy_dropped)"
}

busy_equal() {
	equals_total busy_delivered "${client[busy]}" &&
		equals_total busy_dropped $((server[busy] - client[busy]))
}

# All of this would also hold if nothing happened
something_of_each() {
	local field wanted="responses timeouts retries_timeout busy_delivered"

	[ ! -e $POLICY/treat_busy_as_timeout ] ||
		wanted+=" retries_busy busy_dropped"
	for field in $wanted; do
		[ "$(total "$field")" -gt 0 ] && continue
		echo "# no $field"
		return 1
	done
}

rows_equal() {
	local rows

	rows=$(top_get '[.rows[] | "\(.device)/\(.port) \(.class_name) \(
		.attribute_name) \(.total.requests)"] | sort | join(", ")')
	equal rows "$rows" "rxe0/1 SA MCMemberRecord 2500, rxe0/1 SA NodeRecord 2500, rxe0/1 SA PathRecord 2500, rxe0/1 SA ServiceRecord 2500" &&
		equal "numbers of a row" \
			"$(top_get '.rows[0] | "\(.class) \(.device_index)"')" \
			"3 $(rdma -j dev show rxe0 | jq '.[].ifindex')"
}

# With the backoff off every wait is T, 500 ms; between sends an eighth may pass
# besides, until the timer notices
buckets_are_right() {
	local buckets

	buckets=$(top_get '[.rows[].backoff[].wait_ms[].from] | unique | @csv')
	infers && [ "$buckets" = 256,512 ] && return
	infers && [ "$buckets" = 512 ] && return
	equal buckets "$buckets" 256
}

histograms_equal() {
	equal "response times" \
		"$(top_get '[.rows[].total.response_us[].count] | add')" \
		"$(total responses)" &&
		equal waits \
			"$(top_get '[.rows[].backoff[].wait_ms[].count] | add')" \
			"$(waits_known)" && buckets_are_right &&
		equal "retry numbers" "$(top_get \
			'[.rows[].backoff[].retry] | unique | @csv')" 1,2,3
}

# sastorm's client measures in user space, so a little longer
percentiles_agree() {
	local name good=1

	for name in p50 p99; do
		# client[] is of good answers; here nearly all are
		awk -v top="$(total ${name}_us)" -v name=$name \
			-v client="${client[latency_us.good.$name]}" 'BEGIN {
			if (top > client / 2 && top < client * 2)
				exit 0
			print "# " name ": " top " us, sastorm: " client
			exit 1
		}' || good=0
	done
	[ $good -eq 1 ]
}

intervals_add_up() {
	local field

	for field in requests responses retries timeouts busy_dropped; do
		equal "sum of $field" "$(jq -s "[.[1:][].sum.interval.$field] |
			add" "$TOP_OUT")" "$(total $field)" || return 1
	done
	[ "$(wc -l < "$TOP_OUT")" -gt 4 ]
}

# The last table of the text is the totals, its last line that of all rows
text_equals() {
	local line

	line=$(awk '$1 == "TOTAL" { last = $0 } END { print last }' \
		"$TOP_DIR/text")
	# shellcheck disable=SC2086 # words of a line
	set -- $line
	equal "text" "$2 $3 $4 $5 $6 $7" "$(total requests) $(total retries) $(
		total busy_dropped) $(total busy_delivered) $(total timeouts) 0" &&
		grep -q '^rxe0/1 *SA *PathRecord ' "$TOP_DIR/text" &&
		grep -q '^RETRY *COUNT *>=\(256\|512\)' "$TOP_DIR/text" &&
		grep -q "^Mode $TOP_MODE" "$TOP_DIR/text"
}

# Without the policy BUSY is delivered at once
busy_delivered() {
	sastorm_start --answers busy && top_start || return 1
	sastorm_ask -n 5 -m 5 -T 500 -R 3
	sastorm_stop
	top_stop
	equals_total busy_delivered 5 && equals_total busy_dropped 0 &&
		equals_total responses 5 && equals_total retries 0
}

is_outstanding() {
	[ "$(top_get .sum.outstanding)" = "$1" ]
}

# Requests that were posted before the start are not counted when they end
outstanding_is_right() {
	local old new

	sastorm_start --answers good@6000 || return 1
	"$BUILD/load/sastorm" client -d rxe0 -g "$(rxe_gid rxe1)" -n 5 -m 5 \
		-T 20000 --fields > /dev/null &
	old=$!
	wait_until server_has 5 && top_start 0.2 || return 1
	"$BUILD/load/sastorm" client -d rxe0 -g "$(rxe_gid rxe1)" -n 7 -m 7 \
		-T 20000 --fields > /dev/null &
	new=$!
	wait_until is_outstanding 7 ||
		{ echo "# not 7 outstanding, soon after the start"; return 1; }
	wait $old
	is_outstanding 7 ||
		{ echo "# not 7 when older requests ended"; return 1; }
	wait $new
	wait_until is_outstanding 0 ||
		{ echo "# not 0 at the end"; return 1; }
	# Later on nothing is remembered request by request
	"$BUILD/load/sastorm" client -d rxe0 -g "$(rxe_gid rxe1)" -n 3 -m 3 \
		-T 20000 --fields > /dev/null &
	new=$!
	wait_until is_outstanding 3 ||
		{ echo "# not 3 outstanding later on"; return 1; }
	wait $new
	sastorm_stop
	top_stop
	# In mode kprobe it takes the first send to follow a request
	[ "$TOP_MODE" = kprobe ] && old=0 || old=5
	is_outstanding 0 && equals_total requests 10 &&
		equals_total responses $((10 + old))
}

server_has() {
	[ "$(grep -vc '^#' "$SASTORM_LOG")" -ge "$1" ]
}

# A program that ends takes its requests with it
cancelled_is_counted() {
	sastorm_start --answers drop && top_start || return 1
	sastorm_ask -n 6 -m 6 -T 20000 --limit 0.5
	sastorm_stop
	top_stop
	equals_total cancelled 6 && equals_total timeouts 0 &&
		equal outstanding "$(top_get .sum.outstanding)" 0
}

for_ever_is_shown() {
	sastorm_start --answers drop && top_start || return 1
	sastorm_ask -n 2 -m 2 -T -1 --limit 0.5
	sastorm_stop
	top_stop
	equals_total requests 2 && equals_total retries 0
}

too_many_rows() {
	local attributes=0x40 i

	for i in {1..9}; do
		attributes+=,0x4$i
	done
	sastorm_start && top_start --max-rows 4 || return 1
	: > "$TOP_DIR/text"
	"$MADRETRY_TOP" -b --mode "$TOP_MODE" --max-rows 4 > "$TOP_DIR/text" &
	text_pid=$!
	wait_until test -s "$TOP_DIR/text" || return 1
	sastorm_ask -n 100 -m 10 -T 500 -a "$attributes"
	sastorm_stop
	top_stop
	kill $text_pid
	wait $text_pid
	equals_total requests 100 && equals_total responses 100 &&
		equal rows "$(top_get '.rows | length')" 5 &&
		equal "other requests" "$(top_get \
			'.rows[] | select(.device == "(other)").total.requests')" \
			60 &&
		grep -q '^(other) is what had no row' "$TOP_DIR/text"
}

filters_leave_out() {
	sastorm_start && top_start -c CM || return 1
	"$MADRETRY_TOP" --json --mode "$TOP_MODE" -d rxe1 > "$TOP_DIR/rxe1" &
	other_pid=$!
	wait_until test -s "$TOP_DIR/rxe1" || return 1
	sastorm_ask -n 3 -T 500
	sastorm_stop
	kill $other_pid
	wait $other_pid
	top_stop
	equal "rows of CM" "$(top_get '.rows | length')" 0 &&
		equals_total requests 0 &&
		equal "rows of rxe1" \
			"$(tail -n 1 "$TOP_DIR/rxe1" | jq '.rows | length')" 0
}

# Milliseconds from before the program starts until it says that it counts,
# and what it holds then. In virtual time both are the same every time.
starts_fast_and_small() {
	local before began after peak limit_ms=1000

	infers && limit_ms=1800
	# More hooks, each attached by itself: no limit was set for these
	[ "$TOP_MODE" != kprobe ] || limit_ms=3000
	before=$(date +%s%N)
	top_start || return 1
	began=$(head -n 1 "$TOP_OUT" | jq -er .time) || return 1
	after=$(date -d "$began" +%s%N)
	peak=$(awk '$1 == "VmHWM:" { print $2 }' "/proc/$TOP_PID/status")
	top_stop
	echo "# attached after $(((after - before) / 1000000)) ms, at most $peak kB"
	[ $((after - before)) -gt 0 ] &&
		[ $((after - before)) -lt ${limit_ms}000000 ] && [ "$peak" -lt 8192 ]
}

need_commands jq bpftool
ktap_print_header
rxe_up
trap 'rxe_down; sastorm_clean_up; rm -rf "$TOP_DIR"' EXIT
infers || [ -e $POLICY/treat_busy_as_timeout ] ||
	skip_all "no patched ib_core"
run_tests "$@" <<'END'
mixed_storm		a mixed storm of 10000 requests is counted
something_of_each	it has something of each kind
outcomes_equal		requests and outcomes equal the client's
retries_equal		retries equal the server's
busy_equal		BUSY dropped and delivered equal both sides'
rows_equal		each row has its device, port, class, attribute
histograms_equal	histograms count every response and retry
percentiles_agree	percentiles agree with the client's
intervals_add_up	intervals add up to the totals
text_equals		text has the numbers of JSON
busy_delivered		BUSY is delivered when the policy is off
outstanding_is_right	outstanding requests, some older than the tool
cancelled_is_counted	cancelled requests
for_ever_is_shown	requests that wait for ever
too_many_rows		what finds no row is counted in (other)
filters_leave_out	filters leave out other classes and devices
starts_fast_and_small	attached soon, in less than 8 MB
none_attached		nothing is left attached
END
ktap_finished
