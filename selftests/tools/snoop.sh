#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Does madretry-snoop print every event, and only those asked for? One storm is
# watched by several of them with different filters, by the trace events
# themselves, and by sastorm's client and server; all must agree, exactly. For
# the virtual machine, in virtual time: on a slow one an answer may cross a
# retry, and then the counts of both sides rightly differ.
#
# As it is, it tests the mode "events". snoop_fentry.sh and snoop_kprobe.sh source
# it for the other modes, which the stock kernel has, too.

# shellcheck source=selftests/tools/lib.sh
. "$TOP/selftests/tools/lib.sh"
# shellcheck source=selftests/lib/rxe.sh
. "$TOP/selftests/lib/rxe.sh"
# shellcheck source=selftests/lib/sastorm.sh
. "$TOP/selftests/lib/sastorm.sh"
# shellcheck source=selftests/lib/trace.sh
. "$TOP/selftests/lib/trace.sh"

SNOOP=$BUILD/tools/madretry-snoop
REQUESTS=400
SLOW_MS=700		# with T = 500: those that were retried twice
SNOOP_PIDS=()

# snoop_start NAME [OPTION...]: its output is $TOP_DIR/NAME
snoop_start() {
	local name=$1

	shift
	: > "$TOP_DIR/$name"
	"$SNOOP" --mode "$TOP_MODE" "$@" > "$TOP_DIR/$name" &
	SNOOP_PIDS+=($!)
	# The first line says that it listens
	wait_until test -s "$TOP_DIR/$name" && return
	echo "# madretry-snoop $* did not start"
	return 1
}

snoop_stop() {
	kill "${SNOOP_PIDS[@]}" && wait "${SNOOP_PIDS[@]}"
	SNOOP_PIDS=()
}

# snoop_get NAME FILTER: of all its events
snoop_get() {
	jq -r "select(.type == \"event\") | $2" "$TOP_DIR/$1"
}

snoop_count() {
	snoop_get "$1" "select(${2:-true}) | 1" | wc -l
}

mixed_storm() {
	infers || trace_clear
	policy Y
	sastorm_start --good 0.6 --busy 0.2 --drop 0.2 --seed 5 || return 1
	snoop_start all --json -d rxe0 -p 1 -c SA &&
		snoop_start retries --json --retries &&
		snoop_start busy_timeouts --json --busy --timeouts &&
		snoop_start slower --json --slower $SLOW_MS &&
		snoop_start follow --json --timeouts --follow-tid &&
		snoop_start text || return 1
	sastorm_ask -n $REQUESTS -m 64 -T 500 -R 3 \
		-a PathRecord,NodeRecord || return 1
	sastorm_stop
	snoop_stop
	policy N
	infers || equal "lost trace records" "$(trace_lost)" 0
}

counts_equal() {
	equal posts "$(snoop_count all '.event == "post"')" $REQUESTS &&
		equal retries "$(snoop_count all '.event == "retry"')" \
			"${server[retries]}" &&
		equal BUSY "$(snoop_count all '.event == "busy"')" \
			"${server[busy]}" &&
		equal "BUSY delivered" \
			"$(snoop_count all '.dropped == false')" \
			"${client[busy]}" &&
		equal time-outs "$(snoop_count all '.event == "timeout"')" \
			"${client[timeout]}" &&
		equal dones "$(snoop_count all '.event == "done"')" \
			$REQUESTS &&
		equal good "$(snoop_count all \
			'.status == "SUCCESS" and .mad_status == 0')" \
			"${client[good]}" &&
		equal "timed out" "$(snoop_count all \
			'.status == "RESP_TIMEOUT_ERR"')" "${client[timeout]}"
}

# All of this would also hold if nothing happened
something_of_each() {
	local condition conditions=('.cause == "TIMEOUT"'
		'.cause == "RETRIES"' '.dropped == false')

	[ ! -e $POLICY/treat_busy_as_timeout ] ||
		conditions+=('.cause == "BUSY"' .dropped)
	for condition in "${conditions[@]}"; do
		[ "$(snoop_count all "$condition")" -gt 0 ] && continue
		echo "# no event with $condition"
		return 1
	done
}

nothing_is_lost() {
	local name

	for name in all retries busy_timeouts slower follow; do
		equal "last line of $name" "$(tail -n 1 "$TOP_DIR/$name" |
			jq -r '"\(.type) \(.events) \(.lost_events)"')" \
			"end $(snoop_count $name) 0" || return 1
	done
}

# same_as_trace EVENT FIELD...: the trace's fields of that name; the values of
# the events are sorted, as the times of two programs at one event differ
same_as_trace() {
	local event=$1 name fields=() differ

	shift
	for name; do
		fields+=(".$name")
	done
	differ=$(comm -3 <(trace_get "ib_mad_$event" "$@" | sort) \
		<(snoop_get all "select(.event == \"$event\") |
			[$(IFS=,; echo "${fields[*]}")] | join(\" \")" | sort) |
		head -n 4)
	[ -z "$differ" ] && return
	echo "# of ib_mad_$event in the trace, or printed, only:"
	echo "${differ//$'\n'/$'\n'# }" | sed 's/^/# /'
	return 1
}

fields_equal_the_trace() {
	same_as_trace post tid timeout_ms retries &&
		same_as_trace retry tid retry backoff_step retries_left \
			waited_ms wait_ms rand_ms budget_left_ms busy_drops \
			cause &&
		same_as_trace busy tid retry retry_in_ms busy_drops &&
		same_as_trace timeout tid sends total_ms busy_drops cause &&
		same_as_trace "done" tid sends busy_drops duration_us status
}

# In the order of the trace, at the same time but for what a program costs
times_equal_the_trace() {
	local event

	for event in post retry busy timeout "done"; do
		trace_get ib_mad_$event tid time_us
	done | sort -s -k1,1 > "$TOP_DIR/trace_times"
	for event in post retry busy timeout "done"; do
		snoop_get all "select(.event == \"$event\") |
			\"\(.tid) \(.monotonic_us)\""
	done | sort -s -k1,1 | paste - "$TOP_DIR/trace_times" | awk '
		$1 != $3 || $2 - $4 > 20000 || $4 - $2 > 20000 {
			if (!bad++)
				print "# printed " $1, $2 ", trace " $3, $4
		}
		END { exit bad || !NR }'
}

# Of each request as many sends as its server saw, and the waits between them: an
# answer may be under way for a while, so the server sees them somewhat later
sends_equal_the_log() {
	awk '!/^#/ {
		if ($2 in last)
			print $2, int(($1 - last[$2]) / 1000)
		last[$2] = $1
	}' "$SASTORM_LOG" | sort -s -k1,1 > "$TOP_DIR/log_waits"
	snoop_get all 'select(.event == "retry") | "\(.tid) \(.waited_ms)"' |
		sort -s -k1,1 | paste - "$TOP_DIR/log_waits" | awk '
		$1 != $3 || ($2 - $4) ^ 2 > 70 ^ 2 {
			if (!bad++)
				print "# printed " $1, $2 ", log " $3, $4
		}
		END { exit bad || !NR }'
}

# Who and where, by hand
request_is_described() {
	equal requests "$(snoop_get all '"\(.device)/\(.port) \(.class) \(
		.class_name) \(.method_name) \(.attribute) \(.attribute_name
		) \(.dgid) \(.dlid)"' | sort -u | paste -sd,)" \
		"rxe0/1 3 SA Get 17 NodeRecord $1 0,rxe0/1 3 SA Get 53 PathRecord $1 0"
}

described() {
	local gid

	# As inet_ntop() writes it
	gid=$(snoop_get all .dgid | head -n 1)
	# Other modes do not know it
	{ infers && [ "$gid" = null ]; } || equal GID "$(python3 -c "
import ipaddress
print(ipaddress.ip_address('$(rxe_gid rxe1)'))")" "$gid" || return 1
	request_is_described "$gid"
}

# The same lines as those of all that fit the condition; what they say of the
# time, two programs cannot agree on
filter_is_exact() {
	local times='.time, .monotonic_us'

	# Nor what they measure themselves
	! infers || times+=', .waited_ms, .total_ms, .duration_us'
	cmp <(snoop_get "$1" "del($times) | tojson") \
		<(snoop_get all "select($2) | del($times) | tojson") && [ "$(snoop_count "$1")" -gt 0 ]
}

retries_only() {
	filter_is_exact retries '.event == "retry"'
}

busy_and_timeouts_only() {
	filter_is_exact busy_timeouts \
		'.event == "busy" or .event == "timeout"'
}

# Not those with exactly so many, which are there as well
slower_only() {
	filter_is_exact slower \
		".event == \"done\" and .duration_us > $((SLOW_MS * 1000))" &&
		[ "$(snoop_count slower)" -lt $REQUESTS ]
}

# Each request that timed out from its post to its end, and no other
whole_life() {
	local tids

	tids=$(snoop_get all 'select(.event == "timeout").tid' | sort)
	equal "TIDs followed" "$(snoop_get follow .tid | sort -u)" "$tids" &&
		cmp <(snoop_get follow '"\(.tid) \(.event) \(.retry)"' |
			sort -s -k1,1) \
		    <(snoop_get all '"\(.tid) \(.event) \(.retry)"' |
			grep -F "$tids" | sort -s -k1,1)
}

# What is printed before the rest of it happens: together, in order
in_order() {
	snoop_get follow '"\(.tid) \(.event) \(.monotonic_us)"' | awk '
		$2 == "post" { if (open[$1]++) bad = 1 }
		$3 < last[$1] { bad = 1 }
		$2 == "done" { if (event[$1] != "timeout") bad = 1 }
		{ last[$1] = $3; event[$1] = $2 }
		END { exit bad || !NR }'
}

# Text says the same, in columns that a program can take apart
text_equals() {
	sed '1,/^TIME /d' "$TOP_DIR/text" > "$TOP_DIR/lines"
	equal "lines of text" "$(wc -l < "$TOP_DIR/lines")" \
		"$(snoop_count all)" &&
		grep -q "^Mode $TOP_MODE" "$TOP_DIR/text" &&
		cmp <(awk '$8 == "retry" { print $6, $9, $12, $NF }' \
			"$TOP_DIR/lines") \
		    <(snoop_get all 'select(.event == "retry") | "\(.tid) \(
			.retry) \(.busy_drops) \(.cause)"') &&
		cmp <(awk '$8 == "done" { print $2, $3, $4, $5, $6, $7, $9 }' \
			"$TOP_DIR/lines") \
		    <(snoop_get all 'select(.event == "done") | "\(.device)/\(
			.port) \(.class_name) \(.method_name) \(.attribute_name
			) \(.tid) \(.dgid // "-") \(.sends - 1)"') &&
		times_of_text_equal &&
		! grep -q $'\033' "$TOP_DIR/text"
}

# What is inferred is marked; two programs infer nearly the same
times_of_text_equal() {
	if infers; then
		! awk '$8 == "retry"' "$TOP_DIR/lines" |
			grep -qv ' ~[0-9]* *- '
		return
	fi
	cmp <(awk '$8 == "retry" { print $10, $11 }
		$8 == "done" { print $13 }' "$TOP_DIR/lines") \
	    <(snoop_get all 'if .event == "retry" then "\(.waited_ms) \(
		.wait_ms)" elif .event == "done" then .duration_us / 1000
		else empty end' | awk 'NF == 1 { $1 = sprintf("%.3f", $1) }
		{ print }')
}

# One TID of two, given by the half that the program chose
one_tid() {
	sastorm_start --answers drop,good && snoop_start one --json \
		--follow-tid=0xabce || return 1
	sastorm_ask -n 2 -T 500 -R 1 --first-tid 0xabcd
	sastorm_stop
	snoop_stop
	equal events "$(snoop_get one '"\(.tid[-4:]) \(.event)"' |
		paste -sd,)" "abce post,abce retry,abce done"
}

# A TID and a condition: only if it comes true
one_tid_conditionally() {
	sastorm_start --answers drop,good && snoop_start yes --json \
		--follow-tid=0xabcd --retries &&
		snoop_start no --json --follow-tid=0xabcd --timeouts ||
		return 1
	sastorm_ask -n 2 -T 500 -R 1 --first-tid 0xabcd
	sastorm_stop
	snoop_stop
	equal "retried ones" "$(snoop_get yes .event | paste -sd,)" \
		post,retry,done && equal "timed out ones" "$(snoop_count no)" 0
}

others_are_left_out() {
	sastorm_start && snoop_start cm --json -c CM &&
		snoop_start rxe1 --json -d rxe1 || return 1
	sastorm_ask -n 3 -T 500
	sastorm_stop
	snoop_stop
	equal "events of CM and rxe1" \
		"$(snoop_count cm) $(snoop_count rxe1)" "0 0"
}

ends_after_count() {
	sastorm_start && snoop_start count --json -n 4 || return 1
	sastorm_ask -n 10 -T 500
	sastorm_stop
	# By itself
	wait "${SNOOP_PIDS[0]}"
	SNOOP_PIDS=()
	equal events "$(snoop_count count)" 4 &&
		equal "last line" "$(tail -n 1 "$TOP_DIR/count" |
			jq -c '[.type, .events]')" '["end",4]'
}

# Stopped, it cannot empty its buffer: what was lost is said, and how much
lost_is_said() {
	sastorm_start || return 1
	: > "$TOP_DIR/lost"
	"$SNOOP" --mode "$TOP_MODE" --json --buffer 64 -c SA > "$TOP_DIR/lost" \
		2> "$TOP_DIR/err" &
	SNOOP_PIDS=($!)
	wait_until test -s "$TOP_DIR/lost" || return 1
	kill -STOP "${SNOOP_PIDS[0]}"
	sastorm_ask -n 1000 -m 32 -T 500
	sastorm_stop
	kill -CONT "${SNOOP_PIDS[0]}"
	snoop_stop
	[ "$(snoop_count lost)" -lt 2000 ] && equal "printed and lost" \
		"$(tail -n 1 "$TOP_DIR/lost" |
			jq '.events + .lost_events')" 2000 &&
		says "events were lost: .*--buffer"
}

# In the other modes there are no trace events to compare with
tests() {
	if infers; then
		grep -v _the_trace
	else
		cat
	fi <<'END'
mixed_storm		a mixed storm, watched in six ways
something_of_each	it has something of each kind
counts_equal		as many events of each kind as sastorm counted
nothing_is_lost		nothing is lost, and the last line says so
fields_equal_the_trace	every field is the trace's
times_equal_the_trace	times are the trace's
sends_equal_the_log	sends and waits are the server's
described		device, class, attribute, destination
retries_only		--retries: these only, and all
busy_and_timeouts_only	--busy --timeouts: these only, and all
slower_only		--slower: these only, and all
whole_life		--timeouts --follow-tid: from the post to the end
in_order		what is followed is in order
text_equals		text has the numbers of JSON
one_tid			--follow-tid=TID: one request
one_tid_conditionally	the same, if it is retried
others_are_left_out	other classes and devices are left out
ends_after_count	-n ends it
lost_is_said		lost events are counted and said
none_attached		nothing is left attached
END
}

clean_up() {
	trace_stop
	rxe_down
	sastorm_clean_up
	rm -rf "$TOP_DIR"
}

need_commands jq bpftool
ktap_print_header
rxe_up
trap clean_up EXIT
infers || [ -e $POLICY/treat_busy_as_timeout ] ||
	skip_all "no patched ib_core"
infers || trace_start 3 || ktap_exit_fail_msg "cannot trace the events of ib_mad"
run_tests "$@" < <(tests)
ktap_finished
