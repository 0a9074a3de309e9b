#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The events as trace-cmd and perf record and print them, against what sastorm
# counted. Both record the same storm. Runs in virtual time.

# shellcheck disable=SC2154 # client[] and server[] are those of sastorm.sh
# shellcheck source=/dev/null
. "$BUILD/kernel/source/tools/testing/selftests/kselftest/ktap_helpers.sh"
# shellcheck source=selftests/lib/rxe.sh
. "$TOP/selftests/lib/rxe.sh"
# shellcheck source=selftests/lib/sastorm.sh
. "$TOP/selftests/lib/sastorm.sh"

RECORD_DIR=$(mktemp -d)
EVENTS="ib_mad_post ib_mad_retry ib_mad_busy ib_mad_timeout ib_mad_done"
REQUESTS=200
declare -A expected

skip() {
	ktap_skip_all "$1"
	exit "$KSFT_SKIP"
}

# storm COMMAND...: COMMAND, and what it is told to run, runs the client
storm() {
	sastorm_start --busy 0.2 --drop 0.2 --seed 9 || return 1
	"$@" "$BUILD/load/sastorm" client -d rxe0 -g "$(rxe_gid rxe1)" --fields \
		-n $REQUESTS -m 32 -T 500 -R 2 > client 2> messages || return 1
	sastorm_stop
	# trace-cmd has its own to say on stdout
	grep -E '^[a-z_.0-9]+ [^ ]+$' client > fields
	sastorm_read_report client fields
}

# All at once
record_all() {
	local perf_events trace_events=()

	perf_events=$(printf 'ib_mad:%s,' $EVENTS)
	perf_events=${perf_events%,}
	mapfile -t trace_events < <(printf -- '-e\nib_mad:%s\n' $EVENTS)
	storm perf stat -a -x ' ' -o stat -e "$perf_events" -- \
		perf record -q -a -o perf.data -e "$perf_events" -- \
		trace-cmd record -q -o trace.dat "${trace_events[@]}" || return 1
	perf script -i perf.data > perf 2> messages &&
		trace-cmd report -i trace.dat > trace-cmd 2> messages
}

# The second retry of a request, which is its third attempt
record_filtered() {
	storm perf record -q -a -o perf.data -e ib_mad:ib_mad_retry --filter 'retry > 1' -- \
		trace-cmd record -q -o trace.dat -e ib_mad:ib_mad_retry -f 'retry > 1' ||
		return 1
	perf script -i perf.data > perf 2> messages &&
		trace-cmd report -i trace.dat > trace-cmd 2> messages
}

# Events as printed by perf ("ib_mad:ib_mad_post:") or trace-cmd ("ib_mad_post:")
printed() {
	grep -E "[ :]$2: " "$1"
}

counts_agree() {
	local event counted status=0

	for event in $EVENTS; do
		counted=$(printed "$1" "$event" | wc -l)
		[ "$counted" = "${expected[$event]}" ] && [ "$counted" -gt 0 ] && continue
		echo "# $event: $counted, expected ${expected[$event]}"
		status=1
	done
	return $status
}

# Text is text, and numbers are those of the storm
fields_are_readable() {
	local done_well

	done_well=$(printed "$1" ib_mad_done |
		grep -c "dev=rxe0 port=1 class=SUBN_ADM .* status=SUCCESS mad_status=0x0000")
	[ "$done_well" = "${client[good]}" ] &&
		[ "$(printed "$1" ib_mad_post | grep -c 'timeout_ms=500 retries=2 ')" = $REQUESTS ] &&
		[ "$(printed "$1" ib_mad_timeout | grep -c 'sends=3 .*cause=RETRIES')" = "${client[timeout]}" ] &&
		return
	echo "# $done_well done well of ${client[good]}, and such as:"
	printed "$1" ib_mad_done | head -n 2 | sed 's/^/# /'
	printed "$1" ib_mad_timeout | head -n 2 | sed 's/^/# /'
	return 1
}

filter_works() {
	local counted

	counted=$(printed "$1" ib_mad_retry | wc -l)
	[ "$counted" = "${server[attempts.3]}" ] && [ "$counted" -gt 0 ] && return
	echo "# $counted second retries, expected ${server[attempts.3]}"
	return 1
}

stat_agrees() {
	local event counted status=0

	for event in $EVENTS; do
		counted=$(awk -v event="ib_mad:$event" '$0 ~ event "( |$)" { print $1 }' stat)
		[ "$counted" = "${expected[$event]}" ] && continue
		echo "# $event: ${counted:-nothing}, expected ${expected[$event]}"
		status=1
	done
	return $status
}

expect() {
	expected=([ib_mad_post]=${client[requests]} [ib_mad_retry]=${server[retries]}
		[ib_mad_busy]=${server[busy]} [ib_mad_timeout]=${client[timeout]}
		[ib_mad_done]=${client[requests]})
}

not_recorded() {
	sed 's/^/# /' messages
	ktap_exit_fail_msg "the storm was not recorded"
}

check() {
	local description=$1

	shift
	if "$@"; then
		ktap_test_pass "$description"
	else
		ktap_test_fail "$description"
	fi
}

clean_up() {
	cd /
	rxe_down
	sastorm_clean_up
	rm -rf "$RECORD_DIR"
}

ktap_print_header
for program in perf trace-cmd; do
	command -v "$program" > /dev/null ||
		skip "no $program: install the packages linux-perf and trace-cmd"
done
[ -e /sys/module/ib_core/parameters/randomized_wait ] ||
	skip "ib_core does not have the events"
rxe_up
trap clean_up EXIT
cd "$RECORD_DIR" || exit "$KSFT_FAIL"
record_all && expect || not_recorded
ktap_set_plan 7
for program in trace-cmd perf; do
	check "$program: every count is sastorm's" counts_agree $program
	check "$program: fields are readable" fields_are_readable $program
done
check "perf stat: every count is sastorm's" stat_agrees
record_filtered || not_recorded
for program in trace-cmd perf; do
	check "$program: a filter keeps what it should" filter_works $program
done
ktap_finished
