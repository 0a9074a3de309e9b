#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# madretry-top's rows by destination and by client, and its list of outstanding
# requests, compared with sastorm's own numbers. For the virtual machine, in
# virtual time.

# shellcheck source=selftests/tools/lib.sh
. "$TOP/selftests/tools/lib.sh"
# shellcheck source=selftests/lib/rxe.sh
. "$TOP/selftests/lib/rxe.sh"
# shellcheck source=selftests/lib/sastorm.sh
. "$TOP/selftests/lib/sastorm.sh"

# sastorm's client in the background; its process ID is then $!
ask_in_background() {
	"$BUILD/load/sastorm" client -d rxe0 -g "$(rxe_gid rxe1)" --fields \
		"$@" > /dev/null &
}

# NUMBER of requests, retries, responses and time-outs of the rows that jq's
# CONDITION selects
row_has() {
	equal "rows where $1" "$(top_get "[.rows[] | select($1) | .total] |
		\"\(map(.requests) | add) \(map(.retries) | add) \(
		map(.responses) | add) \(map(.timeouts) | add)\"")" "$2"
}

# One row for what went to rxe1, whatever was asked
by_destination() {
	local gid

	gid=$(short_gid "$(rxe_gid rxe1)")
	sastorm_start --good 0.6 --drop 0.4 --seed 5 &&
		top_start --by destination -d rxe0 || return 1
	sastorm_ask -n 1000 -m 64 -T 400 -R 2 -a PathRecord,NodeRecord
	sastorm_stop
	top_stop
	row_has ".destination == \"$gid\"" \
		"1000 ${server[retries]} ${client[good]} ${client[timeout]}" &&
		equal rows "$(top_get '.rows | length')" 1 &&
		equal attribute "$(top_get '.rows[0].attribute')" null &&
		[ "${server[retries]}" -gt 100 ] &&
		[ "${client[timeout]}" -gt 10 ]
}

# Rows by destination of one attribute have to be by attribute as well
one_attribute() {
	sastorm_start && top_start --by destination -a NodeRecord -d rxe0 ||
		return 1
	sastorm_ask -n 20 -m 4 -T 2000 -a PathRecord,NodeRecord
	sastorm_stop
	top_stop
	row_has '.destination and .attribute_name == "NodeRecord"' "10 0 10 0" &&
		equal rows "$(top_get '.rows | length')" 1
}

# fe80:0000:... as tools write it
short_gid() {
	ip -6 route get "$1" dev rxeveth0 2> /dev/null |
		sed -n '1s/^\([0-9a-f:]*\) .*/\1/p'
}

# Two programs at once, each with its own name, pid and number
by_client() {
	local first second

	cp "$BUILD/load/sastorm" "$TOP_DIR/other name"
	sastorm_start --good 1 && top_start --by client -d rxe0 || return 1
	ask_in_background -n 30 -m 3 -T 2000
	first=$!
	"$TOP_DIR/other name" client -d rxe0 -g "$(rxe_gid rxe1)" --fields \
		-n 20 -m 2 -T 2000 --first-tid 1000 > /dev/null &
	second=$!
	wait $first $second
	sastorm_stop
	top_stop
	row_has ".client == \"sastorm[$first]\"" "30 0 30 0" &&
		row_has ".client == \"other?name[$second]\"" "20 0 20 0" &&
		row_has ".pid == $second" "20 0 20 0" &&
		equal rows "$(top_get '.rows | length')" 2
}

# What happens in workers, after the program has posted, belongs to it, too
by_client_in_workers() {
	local pid

	sastorm_start --answers drop && top_start --by client,attribute \
		-d rxe0 || return 1
	ask_in_background -n 6 -m 6 -T 300 -R 2 -a PathRecord,NodeRecord
	pid=$!
	wait $pid
	ask_in_background -n 4 -m 4 -T 20000 --limit 0.5
	wait $!
	sastorm_stop
	top_stop
	row_has ".pid == $pid" "6 12 0 6" &&
		row_has ".pid == $pid and .attribute_name == \"NodeRecord\"" \
			"3 6 0 3" &&
		row_has ".pid == $!" "4 0 0 0" &&
		equal cancelled "$(top_get ".rows[] | select(.pid == $!).total.cancelled")" 4
}

# Posted before the start: who did so is not known, but not wrong either
older_than_the_tool() {
	local pid

	sastorm_start --answers good@3000 || return 1
	ask_in_background -n 5 -m 5 -T 20000
	pid=$!
	wait_until server_has 5 && top_start --by client -d rxe0 || return 1
	wait $pid
	sastorm_stop
	top_stop
	row_has '.client == "ib_umad" and .pid == null' "0 0 5 0"
}

server_has() {
	[ "$(grep -vc '^#' "$SASTORM_LOG")" -ge "$1" ]
}

text_by_all() {
	sastorm_start && : > "$TOP_DIR/text" || return 1
	LC_ALL=C "$MADRETRY_TOP" -b -d rxe0 --by attribute,destination,client \
		--columns client,attribute,destination,requests,trend 1 \
		> "$TOP_DIR/text" &
	TOP_PID=$!
	wait_until test -s "$TOP_DIR/text" || return 1
	sastorm_ask -n 8 -T 2000
	sastorm_stop
	top_stop
	grep -q '^CLIENT *ATTRIBUTE *TO *REQ *TREND$' "$TOP_DIR/text" &&
		grep -q '^sastorm\[[0-9]*\] *PathRecord fe80::[0-9a-f:]* *8 *[_#]*$' \
			"$TOP_DIR/text" && grep -q '^TOTAL *8 ' "$TOP_DIR/text" &&
		return
	sed 's/^/# /' "$TOP_DIR/text"
	return 1
}

# Far more keys than rows: memory stays what it is, nothing is lost, and it says so
ten_thousand_keys() {
	local json text

	sastorm_start && top_start -d rxe0 0.5 || return 1
	: > "$TOP_DIR/text"
	"$MADRETRY_TOP" -b -d rxe0 0.5 > "$TOP_DIR/text" &
	text_pid=$!
	wait_until test -s "$TOP_DIR/text" || return 1
	sastorm_ask -n 10000 -m 64 -T 2000 -a 0x1000-0x370f
	sleep 1
	json=$(most_memory_of $TOP_PID)
	text=$(most_memory_of $text_pid)
	echo "# at most $text kB, and $json kB for JSON"
	sastorm_stop
	top_stop
	kill $text_pid
	wait $text_pid
	equal requests "$(top_get .sum.total.requests)" 10000 &&
		equal rows "$(top_get '.rows | length')" 513 &&
		row_has '.device == "(other)"' "9488 0 9488 0" &&
		grep -q '^(other) is what had no row' "$TOP_DIR/text" &&
		[ "$text" -lt 8192 ] && [ "$json" -lt 12288 ]
}

most_memory_of() {
	awk '$1 == "VmHWM:" { print $2 }' "/proc/$1/status"
}

# The same where a row's key has more parts; a destination is no attribute
ten_thousand_keys_of_all_kinds() {
	sastorm_start && top_start -d rxe0 --max-rows 100 \
		--by attribute,destination,client || return 1
	sastorm_ask -n 300 -m 64 -T 2000 -a 0x1000-0x112b
	sastorm_stop
	top_stop
	row_has '.device == "(other)"' "200 0 200 0" &&
		row_has .client "100 0 100 0"
}

has_stuck() {
	[ "$(top_get '.stuck | length')" = "$1" ]
}

# Of the snapshot that came last
stuck_is() {
	local value

	value=$(top_get "$1")
	awk -v value="$value" -v from="$2" -v to="$3" 'BEGIN {
		exit !(value >= from && value <= to) }' && return
	echo "# $1 is $value, not from $2 to $3"
	return 1
}

# Seconds since a request arrived at the server, by the clock of both
since_arrival() {
	local now arrival

	read -r now _ < /proc/uptime
	arrival=$(awk '!/^#/ { print $1; exit }' "$SASTORM_LOG")
	awk -v now="$now" -v then="$arrival" 'BEGIN { print now - then / 1e6 }'
}

# A request in its first wait, of known age
first_wait() {
	local age

	sastorm_start --answers drop && top_start --stuck=5 0.2 || return 1
	ask_in_background -n 1 -T 20000 -R 0 -a NodeRecord --first-tid 77
	asking=$!
	wait_until server_has 1 || return 1
	sleep 5
	age=$(since_arrival)
	stuck_is ".stuck[0].age_s - $age" -0.4 0.3 || return 1
	stuck_is ".stuck[0] | .age_s + .next_s" 19.9 20.1 &&
		equal attempts "$(top_get '.stuck[0] | "\(.attempts)/\(.attempts_max)"')" 1/1 &&
		equal request "$(top_get '.stuck[0] | "\(.device)/\(.port) \(.class_name) \(.attribute_name) \(.tid[10:]) \(.age_is_minimum)"')" \
			"rxe0/1 SA NodeRecord 0000004d false" &&
		equal length "$(top_get '.stuck | length')" 1
}

# It is no longer listed when its program takes it back
taken_back() {
	kill "$asking"
	wait "$asking"
	wait_until has_stuck 0
	sastorm_stop
	top_stop
	has_stuck 0
}

# Sends at 0, 3, 6 and 9 s: what is to be seen at 7 s
attempts_and_next() {
	sastorm_start --answers drop && top_start --stuck 0.2 || return 1
	ask_in_background -n 2 -m 2 -T 3000 -R 3
	wait_until server_has 1 || return 1
	sleep 7
	equal attempts "$(top_get '[.stuck[] | "\(.attempts)/\(.attempts_max)"] | join(" ")')" \
		"3/4 3/4" && stuck_is .stuck[0].age_s 6.7 8.5 &&
		stuck_is ".stuck[0] | .age_s + .next_s" 8.9 10.2 || return 1
	wait $!		# it gives up
	wait_until has_stuck 0
	sastorm_stop
	top_stop
	has_stuck 0 && equal timeouts "$(top_get .sum.total.timeouts)" 2
}

# Posted before the tool's start, and seen first when it was retried
older_requests() {
	sastorm_start --answers drop || return 1
	ask_in_background -n 1 -T 4000 -R 2
	asking=$!
	wait_until server_has 2 && top_start --stuck 0.2 || return 1
	wait_until server_has 3 || return 1
	sleep 1
	equal "attempts, at least" "$(top_get '.stuck[0] | "\(.attempts)/\(.attempts_max) \(.age_is_minimum)"')" \
		"3/3 true" && stuck_is .stuck[0].age_s 4.5 9.5 || return 1
	wait "$asking"
	sastorm_stop
	top_stop
}

# The oldest come first, and no more than asked for
oldest_first() {
	sastorm_start --answers drop && top_start --stuck=3 0.2 || return 1
	ask_in_background -n 2 -m 2 -T 20000 --first-tid 1
	both=($!)
	wait_until server_has 2
	sleep 1
	ask_in_background -n 5 -m 5 -T 20000 --first-tid 11
	both+=($!)
	wait_until server_has 7
	sleep 1
	equal oldest "$(top_get '[.stuck[].tid[10:]] | "\(.[0:2] | sort | join(" ")) \(length)"')" \
		"00000001 00000002 3" || return 1
	kill "${both[@]}"
	sastorm_stop
	top_stop
}

# More than are kept: said, and the rest is right
too_many_requests() {
	sastorm_start --answers drop || return 1
	: > "$TOP_DIR/text"
	"$MADRETRY_TOP" -b --stuck=1 1 > "$TOP_DIR/text" &
	text_pid=$!
	wait_until test -s "$TOP_DIR/text" && top_start --stuck=8192 || return 1
	ask_in_background -n 8300 -m 8300 -T -1
	asking=$!
	wait_until is_outstanding 8300 && sleep 1
	equal outstanding "$(top_get .sum.outstanding)" 8300 &&
		equal listed "$(top_get '.stuck | length')" 8192 &&
		equal missed "$(top_get .stuck_missed)" 108 &&
		wait_until grep -q 'the list was full 108 times' "$TOP_DIR/text" ||
		return 1
	kill "$asking"
	wait "$asking"
	sastorm_stop
	top_stop
	kill $text_pid
	has_stuck 0
}

is_outstanding() {
	[ "$(top_get .sum.outstanding)" = "$1" ]
}

need_commands jq bpftool
ktap_print_header
rxe_up
trap 'rxe_down; sastorm_clean_up; rm -rf "$TOP_DIR"' EXIT
[ -e /sys/module/ib_core/parameters/randomized_wait ] ||
	skip_all "no patched ib_core"
run_tests "$@" <<'END'
by_destination			rows by destination have the storm's numbers
one_attribute			rows by destination, of one attribute
by_client			rows by client: two programs
by_client_in_workers		retries and time-outs belong to their program
older_than_the_tool		requests that were posted before the start
text_by_all			by all of these, as text, in chosen columns
ten_thousand_keys		10000 keys: bounded memory, an (other) row
ten_thousand_keys_of_all_kinds	the same by attribute, destination, client
first_wait			--stuck: a request in its first wait
taken_back			it is taken back
attempts_and_next		attempt and next retry
older_requests			requests older than the tool
oldest_first			the oldest first, as many as asked for
too_many_requests		more than are kept
none_attached			nothing is left attached
END
ktap_finished
