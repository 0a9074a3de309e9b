#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Does madretry-hist show what really happens? Its numbers are compared with
# those of sastorm's client and server, and those of its text and its picture
# with those of its JSON. For the virtual machine, in virtual time, as top.sh.
#
# As it is, it tests the mode "events". hist_fentry.sh and hist_kprobe.sh source
# it for the other modes, which the stock kernel has, too.

# shellcheck source=selftests/tools/lib.sh
. "$TOP/selftests/tools/lib.sh"
# shellcheck source=selftests/lib/rxe.sh
. "$TOP/selftests/lib/rxe.sh"
# shellcheck source=selftests/lib/sastorm.sh
. "$TOP/selftests/lib/sastorm.sh"

MADRETRY_HIST=$BUILD/tools/madretry-hist
HIST_JSON=$TOP_DIR/hist.json
HIST_TEXT=$TOP_DIR/hist.txt
SVG=$TOP_DIR/hist.svg
REQUESTS=1000
ATTRIBUTES=PathRecord,NodeRecord,MCMemberRecord,ServiceRecord

# hist_start FILE [OPTION]...: returns when it counts; adds to HIST_PIDS
hist_start() {
	local file=$1

	shift
	: > "$file"
	"$MADRETRY_HIST" --mode "$TOP_MODE" "$@" > "$file" &
	HIST_PIDS+=($!)
	wait_until test -s "$file" && return
	echo "# madretry-hist did not start"
	return 1
}

hist_stop() {
	kill "${HIST_PIDS[@]}"
	wait "${HIST_PIDS[@]}"
	HIST_PIDS=()
}

# A value of the last line
hist_get() {
	tail -n 1 "$HIST_JSON" | jq -r "$1"
}

# Seen as text, JSON and picture, and in intervals
mixed_storm() {
	HIST_PIDS=()
	policy Y
	sastorm_start --good 0.6 --busy 0.2 --drop 0.2 --seed 3 || return 1
	hist_start "$HIST_JSON" --json -d rxe0 -c SA --svg "$SVG" &&
		hist_start "$HIST_TEXT" -d rxe0 &&
		hist_start "$TOP_DIR/intervals" --json -d rxe0 1 || return 1
	sastorm_ask -n $REQUESTS -m 128 -T 500 -R 3 -a $ATTRIBUTES || return 1
	sastorm_stop
	hist_stop
	policy N
}

something_of_each() {
	[ "${client[timeout]}" -gt 0 ] && [ "${client[good]}" -gt 0 ] &&
		[ "${server[retries]}" -gt 0 ] && [ -s "$SVG" ]
}

sums_equal() {
	equal sums "$(hist_get '.sum | "\(.requests) \(.responses) \(
		.retries) \(.timeouts)"')" \
		"$REQUESTS $((client[good] + client[busy])) ${server[retries]} ${client[timeout]}" &&
		equal last "$(hist_get .last)" true
}

# of_kind KIND: all that is in the histograms of this kind
of_kind() {
	hist_get "[.histograms[] | select(.kind == \"$1\").buckets[].count] | add"
}

# With the backoff off every wait is T, 500 ms; between sends an eighth may pass
# besides, until the timer notices
waits_equal() {
	equal waits "$(of_kind wait)" "$(waits_known)" &&
		sum_of_waits_equals "$(hist_get '[.histograms[] |
			select(.kind == "wait").sum] | add')" &&
		equal "retry numbers" "$(hist_get '[.histograms[] |
			select(.kind == "wait").retry] | @csv')" 1,2,3 &&
		bounds_are_right "$(hist_get '[.histograms[] |
			select(.kind == "wait").buckets[] | "\(.from) \(.to)"] |
			unique | join(", ")')"
}

sum_of_waits_equals() {
	local least=$((500 * $(waits_known)))

	infers || { equal "sum of the waits" "$1" $least; return; }
	[ "$1" -ge $least ] && [ "$1" -le $((least * 9 / 8)) ] && return
	echo "# sum of the waits: $1, expected $least to an eighth more"
	return 1
}

bounds_are_right() {
	infers && { [ "$1" = "256 511, 512 1023" ] || [ "$1" = "512 1023" ]; } &&
		return
	equal bounds "$1" "256 511"
}

responses_equal() {
	equal responses "$(of_kind response)" \
		$((client[good] + client[busy])) &&
		equal attributes "$(hist_get '[.histograms[] |
			select(.kind == "response") |
			"\(.class_name) \(.attribute_name)"] | join(", ")')" \
			"SA MCMemberRecord, SA NodeRecord, SA PathRecord, SA ServiceRecord"
}

# Every request that has ended was sent as often as the server saw it
attempts_equal() {
	equal attempts "$(hist_get '[.histograms[] |
		select(.kind == "attempts") | .outcome as $outcome |
		.buckets[] | {outcome: $outcome, sends: (.from * .count), count}] |
		group_by(.outcome) | map("\(.[0].outcome) \(map(.count) | add)") |
		join(", ")')" \
		"answered $((client[good] + client[busy])), given up ${client[timeout]}" &&
		equal sends "$(hist_get '[.histograms[] |
			select(.kind == "attempts").buckets[] |
			.from * .count] | add')" \
			$((REQUESTS + server[retries]))
}

# Of three retries, one less for each attempt after the first
retries_left_equal() {
	equal "retries left" "$(hist_get '[.histograms[] |
		select(.kind == "retries_left").buckets[]] | group_by(.from) |
		map("\(.[0].from) \(map(.count) | add)") | join(", ")')" \
		"$(hist_get '[.histograms[] | select(.kind == "attempts" and
			.outcome == "answered").buckets[]] | group_by(-.from) |
			map("\(4 - .[0].from) \(map(.count) | add)") | join(", ")')" &&
		equal "not known" "$(hist_get .left_unknown)" 0
}

# Ten requests of 1500 ms, answered at the first retry, after 500 ms
time_left_equals() {
	HIST_PIDS=()
	echo Y > $POLICY/randomized_wait
	echo time > $POLICY/retry_budget
	sastorm_start --answers drop,good && hist_start "$HIST_JSON" --json ||
		return 1
	sastorm_ask -n 10 -m 10 -T 500 -R 3
	sastorm_stop
	hist_stop
	echo retries > $POLICY/retry_budget
	echo N > $POLICY/randomized_wait
	equal "time left" "$(hist_get '.histograms[] |
		select(.kind == "time_left") |
		"\(.unit) \(.attribute_name) \(.count) \(.buckets)"')" \
		'ms PathRecord 10 [{"from":512,"to":1023,"count":10}]'
}

intervals_add_up() {
	local kind

	for kind in wait response attempts retries_left; do
		equal "sum of $kind" "$(jq -s "[.[1:][].histograms[] |
			select(.kind == \"$kind\").buckets[].count] | add" \
			"$TOP_DIR/intervals")" "$(of_kind $kind)" || return 1
	done
	equal requests "$(jq -s '[.[1:][].sum.requests] | add' \
		"$TOP_DIR/intervals")" $REQUESTS &&
		[ "$(wc -l < "$TOP_DIR/intervals")" -gt 3 ]
}

# Every line of the text, as "KIND FROM TO COUNT"
text_numbers() {
	awk '
		/^Wait after a retry/ { kind = "wait" }
		/^Response time/ { kind = "response" }
		/^Attempts per request/ { kind = "attempts" }
		/^Retries left/ { kind = "retries_left" }
		/ -> [0-9]+ : / && $5 { print kind, $1, $3, $5 }
		/^ +[0-9]+ : / && $3 { print kind, $1, $1, $3 }' "$HIST_TEXT"
}

json_numbers() {
	hist_get '.histograms[] | .kind as $kind | .buckets[] |
		"\($kind) \(.from) \(.to) \(.count)"'
}

# Of times that each program measures itself, only how many there are
comparable() {
	if infers; then
		awk '
			/^(wait|response) / { times[$1] += $4; next }
			{ print }
			END { print "wait", times["wait"]; print "response", times["response"] }'
	else
		cat
	fi
}

text_equals() {
	[ -n "$(text_numbers)" ] &&
		equal numbers "$(text_numbers | comparable)" \
			"$(json_numbers | comparable)" &&
		grep -q "^[0-9:]*  in [0-9.]* s: $REQUESTS requests, " \
			"$HIST_TEXT"
}

picture_is_xml() {
	xmllint --noout "$SVG" && equal root "$(xmllint --xpath \
		'name(/*)' "$SVG")" svg
}

# The picture needs no other file, and nothing sticks out of it
picture_is_complete() {
	! grep -qE 'href|url\(|@import|<script' "$SVG" && awk '
		match($0, /viewBox="0 0 [0-9]+ [0-9]+/) {
			split(substr($0, RSTART, RLENGTH), box, " ")
			width = box[3]; height = box[4]
		}
		match($0, /translate\([0-9]+ [0-9]+/) {
			split(substr($0, RSTART + 10, RLENGTH - 10), at, " ")
		}
		match($0, / x="[0-9.]+" y="[0-9.]+" width="[0-9.]+/) {
			split(substr($0, RSTART, RLENGTH), number, "\"")
			if (at[1] + number[2] + number[6] > width ||
			    at[2] + number[4] + 12 > height)
				bad++
			bars++
		}
		END { exit bad || !bars }' "$SVG"
}

# Bars carry the numbers that they stand for
picture_equals() {
	local numbers

	numbers=$(awk -F '"' '
		/<g class="histogram"/ { kind = $4 }
		/<rect class="bar"/ {
			match($0, /<title>[^<]*/)
			split(substr($0, RSTART + 7, RLENGTH - 7), word, "[ :]+")
			print kind, $4, word[2] == "to" ? word[3] : $4, $6
		}' "$SVG")
	equal numbers "$numbers" "$(json_numbers)" &&
		grep -q ": $REQUESTS requests, " "$SVG"
}

# Bars are as long as their numbers: the longest of a histogram has 172 pixels
bars_equal() {
	awk -F '"' '
		/<g class="histogram"/ { n++ }
		/<rect class="bar"/ {
			bar[n, ++bars[n]] = $6 " " $12
			if ($6 > most[n])
				most[n] = $6
		}
		END {
			for (i = 1; i <= n; i++) {
				for (j = 1; j <= bars[i]; j++) {
					split(bar[i, j], a, " ")
					want = a[1] / most[i] * 172
					if (want < 1)
						want = 1
					if (a[2] - want > 0.1 || want - a[2] > 0.1) {
						print "# " a[1] " of " most[i] ": " a[2]
						bad++
					}
				}
			}
			exit bad || !n
		}' "$SVG"
}

split_options() {
	local by expected

	while read -r by expected; do
		HIST_PIDS=()
		sastorm_start --answers drop,good &&
			hist_start "$HIST_JSON" --json --by "$by" || return 1
		sastorm_ask -n 20 -m 20 -T 200 -R 1 -a PathRecord,NodeRecord
		sastorm_stop
		hist_stop
		equal "by $by" "$(hist_get '[.histograms[] | "\(.kind)/\(
			.device // "")/\(.port // "")/\(.class_name // "")/\(
			.attribute_name // "")"] | unique | join(",")')" \
			"$expected" || return 1
	done <<-'END'
	all attempts////,response////,retries_left////,wait////
	class attempts///SA/,response///SA/,retries_left///SA/,wait///SA/
	attribute attempts///SA/NodeRecord,attempts///SA/PathRecord,response///SA/NodeRecord,response///SA/PathRecord,retries_left///SA/NodeRecord,retries_left///SA/PathRecord,wait///SA/
	row attempts/rxe0/1/SA/NodeRecord,attempts/rxe0/1/SA/PathRecord,response/rxe0/1/SA/NodeRecord,response/rxe0/1/SA/PathRecord,retries_left/rxe0/1/SA/NodeRecord,retries_left/rxe0/1/SA/PathRecord,wait///SA/
	END
}

nothing_happened() {
	"$MADRETRY_HIST" --svg "$SVG" 0.1 1 > "$HIST_TEXT" &&
		grep -q ' 0 requests' "$HIST_TEXT" && xmllint --noout "$SVG" &&
		grep -q 'Nothing was counted' "$SVG"
}

picture_cannot_be_written() {
	refuses 1 "$MADRETRY_HIST" --svg "$TOP_DIR/no/such.svg" 1 1 &&
		says "cannot write .*/no/such.svg: No such file" &&
		refuses 1 "$MADRETRY_HIST" --svg "$TOP_DIR" 1 1 &&
		says "Is a directory" &&
		refuses 2 "$MADRETRY_HIST" --by port 1 1 && says "attribute, row"
}

starts_fast_and_small() {
	local before began after peak limit_ms=1000

	# As in top.sh
	infers && limit_ms=1800
	[ "$TOP_MODE" != kprobe ] || limit_ms=3000
	HIST_PIDS=()
	before=$(date +%s%N)
	hist_start "$HIST_JSON" --json || return 1
	began=$(head -n 1 "$HIST_JSON" | jq -er .time) || return 1
	after=$(date -d "$began" +%s%N)
	peak=$(awk '$1 == "VmHWM:" { print $2 }' "/proc/${HIST_PIDS[0]}/status")
	hist_stop
	echo "# attached after $(((after - before) / 1000000)) ms, at most $peak kB"
	[ $((after - before)) -gt 0 ] &&
		[ $((after - before)) -lt ${limit_ms}000000 ] && [ "$peak" -lt 8192 ]
}

# What is shown does not depend on the mode, and what is left of a budget of time
# only the events know
tests() {
	if infers; then
		grep -v '^picture_\|^bars_\|^split_\|^time_left_\|^nothing_'
	else
		cat
	fi <<'END'
mixed_storm		a mixed storm of 1000 requests is seen
something_of_each	it has something of each kind
sums_equal		sums equal sastorm
waits_equal		waits equal the server's retries
responses_equal		response times are as many as the client's responses
attempts_equal		attempts equal what the server has seen
retries_left_equal	retries left are those that were not made
intervals_add_up	intervals add up to all
text_equals		text has the numbers of JSON
picture_is_xml		the picture is well-formed
picture_is_complete	the picture is complete, and nothing sticks out
picture_equals		the picture has the numbers of JSON
bars_equal		its bars are as long as their numbers
split_options		histograms by class, attribute, row, and for all
time_left_equals	time left of a budget
nothing_happened	nothing to show
picture_cannot_be_written	a folder that is not there, and wrong options
starts_fast_and_small	attached soon, in less than 8 MB
none_attached		nothing is left attached
END
}

need_commands jq bpftool xmllint
[ -x "$MADRETRY_HIST" ] || skip_all "madretry-hist was not built"
ktap_print_header
rxe_up
trap 'end_jobs; rxe_down; sastorm_clean_up; rm -rf "$TOP_DIR"' EXIT
infers || [ -e $POLICY/treat_busy_as_timeout ] ||
	skip_all "no patched ib_core"
run_tests "$@" < <(tests)
ktap_finished
