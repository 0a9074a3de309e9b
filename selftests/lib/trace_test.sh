#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Can what trace.sh reads be relied on? The trace events of a storm against what
# sastorm counted and logged. Runs with the patched modules, in virtual time.

# shellcheck source=/dev/null
. "$BUILD/kernel/source/tools/testing/selftests/kselftest/ktap_helpers.sh"
# shellcheck source=selftests/lib/rxe.sh
. "$TOP/selftests/lib/rxe.sh"
# shellcheck source=selftests/lib/sastorm.sh
. "$TOP/selftests/lib/sastorm.sh"
# shellcheck source=selftests/lib/trace.sh
. "$TOP/selftests/lib/trace.sh"

PARAMETERS=/sys/module/ib_core/parameters
SA=0x03

# check DESCRIPTION COMMAND...
check() {
	local description=$1

	shift
	if "$@"; then
		ktap_test_pass "$description"
	else
		ktap_test_fail "$description"
	fi
}

# equal WHAT EXPECTED ACTUAL
equal() {
	[ "$2" = "$3" ] && return
	echo "# $1: expected '$2', got '$3'"
	return 1
}

# 1000 requests, some of them answered BUSY, some not at all. No more than 16 at a
# time: on the debug kernel 64 are more than it takes out of the receive queue, and
# what is lost there is a retry that no server counts.
storm() {
	trace_clear
	sastorm_start --busy 0.2 --drop 0.2 --seed 9 || return 1
	sastorm_ask -n 1000 -m 16 -T 500 -R 2
	sastorm_stop
	sastorm_server_accounts && sastorm_client_accounts
}

# awk's sum of column $1 on stdin
sum() {
	awk -v column="$1" '{ sum += $column } END { print sum + 0 }'
}

done_with() {
	trace_get ib_mad_done status mad_status | grep -c "^$1$"
}

counts_agree() {
	storm &&
		equal lost 0 "$(trace_lost)" &&
		equal posts "${client[requests]}" "$(trace_count ib_mad_post)" &&
		equal retries "${server[retries]}" "$(trace_count ib_mad_retry)" &&
		equal sends "${server[arrivals]}" \
			"$(trace_get ib_mad_done sends | sum 1)" &&
		equal BUSY "${server[busy]}" "$(trace_count ib_mad_busy)" &&
		equal time-outs "${client[timeout]}" \
			"$(trace_count ib_mad_timeout)" &&
		equal "good ones done" "${client[good]}" \
			"$(done_with "SUCCESS 0x0000")" &&
		equal "BUSY ones done" "${client[busy]}" \
			"$(done_with "SUCCESS 0x0001")" &&
		equal "timed out ones done" "${client[timeout]}" \
			"$(done_with "RESP_TIMEOUT_ERR 0x0000")"
}

busy_is_dropped() {
	counts_agree &&
		equal "BUSY dropped and delivered" "${server[busy]}" \
			"$(($(trace_get ib_mad_done busy_drops | sum 1) +
			    client[busy]))" &&
		[ "$(trace_get ib_mad_busy action | grep -c DROPPED)" -gt 0 ]
}

# Every arrival at the server comes after the send that the events report, by
# less than the time until the next send: TID by TID, in order.
times_are_the_logs() {
	{
		trace_get ib_mad_post tid time_us
		trace_get ib_mad_retry tid time_us
	} | sort > "$SASTORM_DIR/sends"
	awk '!/^#/ { print $2, $1 }' "$SASTORM_LOG" | sort |
		paste - "$SASTORM_DIR/sends" | awk '
		$1 != $3 || $2 < $4 || $2 > $4 + 500000 {
			if (!bad++)
				print "# arrival " $1, $2 ", send " $3, $4
		}
		END { exit bad || !NR }'
}

other_class_is_filtered() {
	trace_clear
	sastorm_start -c 0x04 || return 1
	sastorm_ask -c 0x04 -a 0x10 -n 5 -T 1000
	sastorm_stop
	equal good 5 "${client[good]}" && equal events 0 "$(trace_count ib_mad_post)"
}

fields_by_name() {
	trace_clear
	sastorm_start --answers drop,good || return 1
	sastorm_ask -a NodeRecord -T 700 -R 1 --first-tid 0xabcd
	sastorm_stop
	equal post "rxe0 0x0011 700 1" \
		"$(trace_get ib_mad_post dev attr timeout_ms retries)" &&
		equal tid abcd "$(trace_get ib_mad_retry tid | tail -c 5)" &&
		equal "an unknown field" "1 " "$(trace_get ib_mad_retry retry nosuch)"
}

small_buffer_overflows() {
	trace_stop
	TRACE_BUFFER_KB=16
	trace_start $SA && storm && [ "$(trace_lost)" -gt 0 ] && trace_clear &&
		equal "lost after clearing" 0 "$(trace_lost)"
}

stop_removes_it() {
	trace_stop
	[ ! -e "$TRACE_INSTANCE" ]
}

clean_up() {
	echo N > $PARAMETERS/treat_busy_as_timeout
	trace_stop
	rxe_down
	sastorm_clean_up
}

ktap_print_header
[ -e $PARAMETERS/treat_busy_as_timeout ] ||
	rxe_skip "ib_core has no retry policy"
rxe_up
trap clean_up EXIT
trace_start $SA || ktap_exit_fail_msg "cannot trace the events of ib_mad"
ktap_set_plan 7
check "events and sastorm count the same" counts_agree
check "times are those of sastorm's log" times_are_the_logs
echo Y > $PARAMETERS/treat_busy_as_timeout
check "the same with BUSY dropped" busy_is_dropped
check "events of other classes are left out" other_class_is_filtered
check "fields are found by name" fields_by_name
check "lost records are reported" small_buffer_overflows
check "the instance is removed" stop_removes_it
ktap_finished
