#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Does sastorm do what it is told and count what it does? Client and server are
# compared with each other, and both with the server's log. Runs on any kernel
# with the retry policy off, in the virtual machine; slow machines do it no harm
# in virtual time.
#
# sastorm_test.sh [TEST]...: all of them, or those named (without "test_").

# shellcheck source=/dev/null
. "$BUILD/kernel/source/tools/testing/selftests/kselftest/ktap_helpers.sh"
# shellcheck source=selftests/lib/rxe.sh
. "$TOP/selftests/lib/rxe.sh"
# shellcheck source=selftests/lib/sastorm.sh
. "$TOP/selftests/lib/sastorm.sh"

SASTORM=$BUILD/load/sastorm

# Longer than any answer takes to come in an emulated machine.
T_LONG=3000

# is WHAT ACTUAL OPERATOR EXPECTED: a numeric comparison that says what failed.
is() {
	# shellcheck disable=SC1073,SC1072 # the operator is an argument
	test "$2" "$3" "$4" 2> /dev/null && return
	echo "# $1: $2, but it should be $3 $4"
	return 1
}

# ask_server SERVER_OPTIONS -- CLIENT_OPTIONS: one run of both, each of whose
# reports must account for every request.
ask_server() {
	local server_options=()

	while [ "$1" != -- ]; do
		server_options+=("$1")
		shift
	done
	shift
	sastorm_start "${server_options[@]}" || return 1
	sastorm_ask "$@" || echo "# the client failed: $*"
	sastorm_stop
	sastorm_server_accounts && sastorm_client_accounts && return
	echo "# not all requests are accounted for:"
	sed 's/^/# /' "$SASTORM_DIR/server" "$SASTORM_DIR/client"
	return 1
}

# The decisions of the log, one "TID ATTEMPT DECISION" a line, of the TID the
# half that the client chooses.
decisions() {
	awk '!/^#/ { print substr($2, 11), $5, $6 }' "$SASTORM_LOG" | sort
}

# The decisions for each TID in a row, as "8 drop drop good": 8 TIDs got that.
scripts_seen() {
	awk '!/^#/ { seen[$2] = seen[$2] " " $6 }
		END {
			for (tid in seen)
				tids[seen[tid]]++
			for (script in tids)
				print tids[script] script
		}' "$SASTORM_LOG"
}

saw_scripts() {
	local seen

	seen=$(scripts_seen)
	[ "$seen" = "$1" ] && return
	echo "# decisions by request: $seen; they should be: $1"
	return 1
}

test_drop_then_good() {
	ask_server --answers 'drop*2,good' -- -n 8 -m 8 -T 100 -R 5 || return 1
	saw_scripts "8 drop drop good" &&
		is good "${client[good]}" -eq 8 &&
		is retries "${server[retries]}" -eq 16 &&
		is "packets sent" "${client[packets_sent]}" -eq 24 &&
		is "requests seen 3 times" "${server[attempts.3]}" -eq 8
}

# BUSY answers that come after the next attempt find no request any more, so
# that each item of the script gets its attempt on every kernel.
test_late_busy_then_good() {
	ask_server --answers 'busy*2@1500,good' -- -n 4 -m 4 -T 200 -R 5 ||
		return 1
	saw_scripts "4 busy busy good" && is good "${client[good]}" -eq 4
}

test_busy_delivered() {
	ask_server --answers busy -- -n 10 -m 5 -T $T_LONG || return 1
	saw_scripts "10 busy" && is BUSY "${client[busy]}" -eq 10 &&
		is BUSY "${server[busy]}" -eq 10
}

test_other_status() {
	ask_server --answers 0x000c -- -n 5 -T $T_LONG || return 1
	is "status 0x000c" "${client[statuses.0x000c]}" -eq 5 &&
		is "other status" "${server[other_status]}" -eq 5
}

test_time_out() {
	ask_server --answers drop -- -n 6 -m 6 -T 100 -R 2 || return 1
	saw_scripts "6 drop drop drop" && is time-outs "${client[timeout]}" -eq 6 &&
		is "time to the time-out" \
			"${client[latency_us.timeout.p50]}" -ge 290000
}

# With the policy off a wait is T, plus what an emulated machine adds.
test_waits_in_log() {
	ask_server --answers drop -- -n 1 -T 200 -R 3 || return 1
	awk '!/^#/ {
		if (lines++ && ($1 - last < 190000 || $1 - last > 800000)) {
			print "# a wait of " ($1 - last) " us"
			bad = 1
		}
		last = $1
	} END { exit bad || lines != 4 }' "$SASTORM_LOG"
}

mix=(--good 0.6 --busy 0.25 --drop 0.15)

test_mix_agrees() {
	ask_server "${mix[@]}" --seed 5 -- -n 200 -m 60 -T $T_LONG -R 1 ||
		return 1
	is requests "${client[requests]}" -eq 200 &&
		is "first attempts" "${server[first_attempts]}" -eq 200 &&
		is arrivals "${server[arrivals]}" -eq "${client[packets_sent]}" &&
		is good "${server[good]}" -eq "${client[good]}" &&
		is BUSY "${server[busy]}" -eq "${client[busy]}" &&
		is time-outs "${client[timeout]}" -eq \
			$((200 - server[good] - server[busy])) &&
		share_is good 114 162 && share_is busy 35 80 &&
		share_is dropped 15 54
}

# share_is FIELD MIN MAX: 3.5 standard deviations to each side of what 200
# requests with these probabilities give, retries of the dropped included.
share_is() {
	is "$1 of 200" "${server[$1]}" -ge "$2" &&
		is "$1 of 200" "${server[$1]}" -le "$3"
}

# In another order: with fewer outstanding, from two agents.
test_same_seed_same_decisions() {
	local first outcomes

	ask_server "${mix[@]}" --seed 5 -- -n 60 -m 60 -T $T_LONG -R 4 ||
		return 1
	first=$(decisions)
	outcomes="${client[good]} ${client[busy]} ${client[timeout]}"
	ask_server "${mix[@]}" --seed 5 -- -n 60 -m 20 -A 2 -T $T_LONG -R 4 ||
		return 1
	[ "$first" = "$(decisions)" ] ||
		{ echo "# the decisions differ"; return 1; }
	[ "$outcomes" = "${client[good]} ${client[busy]} ${client[timeout]}" ] ||
		{ echo "# the outcomes differ"; return 1; }
	ask_server "${mix[@]}" --seed 6 -- -n 60 -m 60 -T $T_LONG -R 4 ||
		return 1
	[ "$first" != "$(decisions)" ] ||
		{ echo "# another seed changes nothing"; return 1; }
}

# 20 ms for each; a burst of 40 finds 5 places.
queue=(--rate 50 --queue 5)

test_full_queue_busy() {
	ask_server "${queue[@]}" --full busy -- -n 40 -m 40 -T $T_LONG -R 0 ||
		return 1
	is arrivals "${server[arrivals]}" -eq 40 &&
		is good "${client[good]}" -eq "${server[good]}" &&
		is BUSY "${client[busy]}" -eq "${server[full_busy]}" &&
		is "longest queue" "${server[longest_queue]}" -eq 5 &&
		is good "${server[good]}" -ge 5 &&
		is "BUSY from a full queue" "${server[full_busy]}" -ge 5 &&
		served_in_turn
}

# No two answers of the queue closer than its service time.
served_in_turn() {
	awk '$6 == "good" {
		if (last && $7 - last < 19999) {
			print "# served " ($7 - last) " us after the last"
			bad = 1
		}
		last = $7
	} END { exit bad || !last }' "$SASTORM_LOG"
}

test_full_queue_drop() {
	ask_server "${queue[@]}" -- -n 40 -m 40 -T $T_LONG -R 0 || return 1
	is good "${client[good]}" -eq "${server[good]}" &&
		is time-outs "${client[timeout]}" -eq "${server[full_dropped]}" &&
		is "dropped by a full queue" "${server[full_dropped]}" -ge 5 &&
		is "longest queue" "${server[longest_queue]}" -eq 5
}

test_delay() {
	ask_server --delay 150 -- -n 10 -m 5 -T $T_LONG || return 1
	is "median time" "${client[latency_us.good.p50]}" -ge 150000 &&
		is "median time" "${client[latency_us.good.p50]}" -lt 900000 &&
		ask_server --delay 20-200 -- -n 40 -m 40 -T $T_LONG &&
		is good "${client[good]}" -eq 40 && delays_spread
}

delays_spread() {
	awk '!/^#/ {
		ms = ($7 - $1) / 1000
		if (ms < 20 || ms > 200.1)
			bad = 1
		low += ms < 80
		high += ms > 140
	} END {
		if (bad || !low || !high) {
			print "# delays are not spread over 20-200 ms"
			exit 1
		}
	}' "$SASTORM_LOG"
}

test_rmpp() {
	ask_server --segments 7 -- -M GetTable -a NodeRecord -n 20 -m 4 \
		-T $T_LONG || return 1
	is good "${client[good]}" -eq 20 &&
		is "RMPP answers" "${client[rmpp_answers]}" -eq 20 &&
		is bytes "${client[rmpp_bytes]}" -eq $((20 * (56 + 7 * 200))) &&
		is "corrupt answers" "${client[rmpp_corrupt]}" -eq 0 &&
		is "RMPP answers" "${server[rmpp_answers]}" -eq 20 &&
		is "not acknowledged" "${server[rmpp_timeouts]}" -eq 0
}

test_no_answer_expected() {
	sastorm_start || return 1
	sastorm_ask -n 10 -m 10 -T 0
	rxe_wait_until arrived 10
	sastorm_stop
	is sent "${client[sent]}" -eq 10 && is arrivals "${server[arrivals]}" -eq 10
}

arrived() {
	[ "$(grep -vc '^#' "$SASTORM_LOG")" -eq "$1" ]
}

test_waits_for_ever() {
	local status

	sastorm_start --answers drop || return 1
	sastorm_ask -n 3 -m 3 -T -1 --limit 0.5
	status=$?
	sastorm_stop
	is "exit status" "$status" -eq 1 &&
		is unfinished "${client[unfinished]}" -eq 3 &&
		is arrivals "${server[arrivals]}" -eq 3
}

test_agents() {
	local agents

	ask_server -- -n 36 -m 36 -A 12 -T $T_LONG || return 1
	agents=$(awk '!/^#/ { print substr($2, 1, 10) }' "$SASTORM_LOG" |
		sort -u | wc -l)
	is agents "$agents" -eq 12 && is good "${client[good]}" -eq 36
}

test_attributes() {
	local seen

	ask_server -- -n 9 -a pathrecord,ClassPortInfo,0x38 -T $T_LONG || return 1
	seen=$(awk '!/^#/ { seen[$3]++ } END {
		for (name in seen)
			print name "=" seen[name]
	}' "$SASTORM_LOG" | sort | xargs)
	[ "$seen" = "ClassPortInfo=3 MCMemberRecord=3 PathRecord=3" ] && return
	echo "# attributes: $seen"
	return 1
}

test_other_classes() {
	local class

	for class in 0x04 0x09 0x30; do
		ask_server -c $class -- -c $class -a 0x10 -n 2 -T $T_LONG ||
			return 1
		is "good in class $class" "${client[good]}" -eq 2 || return 1
	done
}

test_start_pattern() {
	ask_server -- -n 11 -m 11 --start even:1100 -T $T_LONG || return 1
	# The last one may start 1000 ms after the first.
	is "first to last" "${server[elapsed_us]}" -ge 950000 &&
		is good "${client[good]}" -eq 11
}

test_flood() {
	ask_server -- -m 8 --flood 1 -T $T_LONG || return 1
	is time "${client[elapsed_us]}" -ge 1000000 &&
		is good "${client[good]}" -eq "${client[requests]}" &&
		is arrivals "${server[arrivals]}" -eq "${client[requests]}" &&
		is requests "${client[requests]}" -gt 8
}

# 4 of 10 are answered BUSY: about 17 requests for 10 good answers
test_until_good() {
	ask_server --busy 0.4 -- -n 10 -m 4 --until-good -T $T_LONG || return 1
	is good "${client[good]}" -eq 10 &&
		is busy "${client[busy]}" -gt 0 &&
		is requests "${client[requests]}" -eq $((10 + client[busy]))
}

# No route leads there.
test_send_errors() {
	local status

	sastorm_ask -g 2001:db8::1 -n 3 2> "$SASTORM_DIR/err"
	status=$?
	is "exit status" "$status" -eq 1 && sastorm_client_accounts &&
		is "send errors" "${client[send_errors]}" -eq 3 &&
		is "lines on stderr" "$(wc -l < "$SASTORM_DIR/err")" -eq 1 &&
		! sastorm_ask -g 2001:db8::1 -n 3 --until-good 2> /dev/null &&
		is "send errors" "${client[send_errors]}" -eq 1
}

# JSON and fields are two forms of one report. Floating-point numbers are left
# out: jq writes 0.0 its own way.
# shellcheck disable=SC2016 # $path is jq's
as_fields='paths(scalars) as $path | select($path[0] != "attributes") |
	"\($path | join(".")) \(getpath($path))"'

test_json_same_as_fields() {
	local report

	sastorm_start --answers drop || return 1
	for report in json fields; do
		"$SASTORM" client -d rxe0 -g "$(rxe_gid rxe1)" -n 2 -m 2 \
			-T -1 --limit 0.3 --$report > "$SASTORM_DIR/$report"
	done
	sastorm_stop
	jq -r "$as_fields" "$SASTORM_DIR/json" | grep -v per_second \
		> "$SASTORM_DIR/from_json"
	grep -Ev 'per_second|^attributes' "$SASTORM_DIR/fields" |
		diff - "$SASTORM_DIR/from_json" &&
		grep -q '^unfinished 2$' "$SASTORM_DIR/from_json"
}

test_server_ends_by_itself() {
	sastorm_start --requests 4 && sastorm_ask -n 4 -T $T_LONG &&
		sastorm_wait && is arrivals "${server[arrivals]}" -eq 4 &&
		sastorm_start --idle 0.3 && sastorm_ask -n 5 -T $T_LONG &&
		sastorm_wait &&
		is arrivals "${server[arrivals]}" -eq 5
}

# A wrong command: exit status 2, one line on stderr, nothing on stdout.
refuses() {
	local status lines

	timeout 20 "$@" > "$SASTORM_DIR/out" 2> "$SASTORM_DIR/err"
	status=$?
	mapfile -t lines < "$SASTORM_DIR/err"
	[ $status -eq 2 ] && [ ! -s "$SASTORM_DIR/out" ] &&
		[ ${#lines[@]} -eq 1 ] && return
	echo "# $*: exit status $status, and:"
	sed 's/^/# /' "$SASTORM_DIR/out" "$SASTORM_DIR/err"
	return 1
}

bad_command_lines="
nobody
server
server --nonsense -d rxe1
server -d nosuch
server -d ../rxe1
server -d rxe1 -p 2
server -d rxe1 -c 0x01
server -d rxe1 -c 256
server -d rxe1 --answers busy,perhaps
server -d rxe1 --answers busy*0
server -d rxe1 --answers good --busy 0.1
server -d rxe1 --busy 1.5
server -d rxe1 --busy nan
server -d rxe1 --good 0.2 --busy 0.2
server -d rxe1 --delay 50-20
server -d rxe1 --rate 10
server -d rxe1 --rate 10 --queue 5 --full maybe
server -d rxe1 --segments 0
server -d rxe1 --log /nosuch/file
client -d rxe0 extra
client -d rxe0
client -d rxe0 -g 10.0.0.1
client -d rxe0 -g fe80::1 -l 5
client -d rxe0 -g fe80::1 -T 2147483648
client -d rxe0 -g fe80::1 -R x
client -d rxe0 -g fe80::1 -n 0
client -d rxe0 -g fe80::1 -m -1
client -d rxe0 -g fe80::1 -a NoRecord
client -d rxe0 -g fe80::1 -M Destroy
client -d rxe0 -g fe80::1 -c 0x04 --rmpp yes
client -d rxe0 -g fe80::1 --start now
client -d rxe0 -g fe80::1 --flood 1 -n 5
client -d rxe0 -g fe80::1 --flood 1 --until-good
"

test_bad_input() {
	local line status=0

	while IFS= read -r line; do
		# shellcheck disable=SC2086 # words of a command line
		[ -z "$line" ] || refuses "$SASTORM" $line || status=1
	done <<< "$bad_command_lines"
	refuses setpriv --reuid=65534 --clear-groups "$SASTORM" client \
		-d rxe0 -g fe80::1 || status=1
	grep -q "run as root" "$SASTORM_DIR/err" || status=1

	sastorm_start || return 1
	refuses "$SASTORM" server -d rxe1 || status=1
	sastorm_stop
	return $status
}

all_tests="bad_input drop_then_good late_busy_then_good busy_delivered other_status
time_out waits_in_log mix_agrees same_seed_same_decisions full_queue_busy
full_queue_drop delay rmpp no_answer_expected waits_for_ever agents attributes
other_classes start_pattern flood until_good send_errors json_same_as_fields
server_ends_by_itself"

run_tests() {
	local name

	for name; do
		if "test_$name"; then
			ktap_test_pass "$name"
		else
			ktap_test_fail "$name"
		fi
	done
}

ktap_print_header
for tool in jq setpriv; do
	command -v $tool > /dev/null || rxe_skip "no $tool command"
done
rxe_up
trap 'rxe_down; sastorm_clean_up' EXIT
# shellcheck disable=SC2086 # one word for each test
[ $# -gt 0 ] || set -- $all_tests
ktap_set_plan $#
run_tests "$@"
ktap_finished
