#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Are the numbers of the one-liners about MADs right? All of them watch the same
# storms, and are compared with what sastorm's client and server counted and logged.
# With the patched modules, and the twins with the stock ones, in virtual time.
#
# usage: mad.sh [NAME]...     all one-liners, or those named

# shellcheck disable=SC2154 # client[] and server[] are those of sastorm.sh
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$TOP/selftests/oneliners/lib.sh"
# shellcheck source=selftests/lib/rxe.sh
. "$TOP/selftests/lib/rxe.sh"
# shellcheck source=selftests/lib/sastorm.sh
. "$TOP/selftests/lib/sastorm.sh"

PARAMETERS=/sys/module/ib_core/parameters
SLOW_MS=5900		# only the storm "waiting" has requests that take longer
PATH_RECORD=53
NODE_RECORD=17
PROBE_CLASS=9		# a vendor class without OUI

declare -A sum=()

# storm SERVER_OPTION... -- RETRIES CLIENT_OPTION...: adds up what is reported, and
# logs the arrivals with the number of retries that their requests may make
storm() {
	local options=() retries key

	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	retries=$2
	shift 2
	sastorm_start "${options[@]}" || return 1
	sastorm_ask -R "$retries" "$@"
	sastorm_stop
	sastorm_server_accounts && sastorm_client_accounts || return 1
	for key in requests good busy timeout; do
		((sum[$key] += client[$key]))
	done
	((sum[retries] += server[retries], sum[busy_sent] += server[busy]))
	awk -v retries="$retries" '!/^#/ { print $2, $3, $5, $6, retries }' \
		"$SASTORM_LOG" >> "$LINES_DIR/log"
}

policy() {
	local setting

	for setting; do
		echo "${setting#*=}" > "$PARAMETERS/${setting%%=*}" || return 1
	done
}

# Five requests that wait for 6 s; a mixed storm; answers that come after the next
# attempt's
storms() {
	storm --answers drop -- 0 -n 5 -m 5 -T 6000 -a NodeRecord &&
		storm --busy 0.2 --drop 0.2 --seed 9 -- 2 -n 200 -m 32 -T 500 \
			-a PathRecord,NodeRecord &&
		storm --answers good@150,good -- 3 -n 20 -m 1 -T 100 -a PathRecord
}

# Mixed again, BUSY waited out with backoff; answered, and given up, within a limit
# of time
policy_storms() {
	policy randomized_wait=Y treat_busy_as_timeout=Y &&
		storm --busy 0.3 --drop 0.2 --seed 4 -- 2 -n 100 -m 32 -T 500 \
			-a PathRecord &&
		policy retry_budget=time &&
		storm --answers drop,good -- 2 -n 4 -m 4 -T 1000 -a PathRecord &&
		storm --answers drop -- 2 -n 3 -m 3 -T 1000 -a PathRecord &&
		policy randomized_wait=N treat_busy_as_timeout=N retry_budget=retries
}

# A request is retried after 0.5 s, then given more time, then cancelled
probe() {
	insmod "$BUILD/mad/mad_probe.ko" dgid="$(rxe_gid rxe1)" mgmt_class=$PROBE_CLASS \
		timeout_ms=500 retries=9 flags=1 modify_after_ms=700 "$@" || return 1
	sleep 2
	rmmod mad_probe
}

probes() {
	local status

	sastorm_start -c $PROBE_CLASS --answers drop || return 1
	probe modify_to_ms=9000 && probe modify_to_ms=0
	status=$?
	sastorm_stop
	return $status
}

# What the log says of each request: "sends N", "left N" (retries) if it was
# answered well, "given_up ATTRIBUTE" if not at all. The last arrival decides.
of_log() {
	awk -v "path=$PATH_RECORD" -v "node=$NODE_RECORD" '
		{ last[$1] = $0 }
		END {
			for (tid in last) {
				split(last[tid], field)
				attr = field[2] == "PathRecord" ? path : node
				print "asked", attr
				print "sends", field[3]
				if (field[4] ~ /^good/)
					print "left", field[5] - field[3] + 1
				if (field[4] == "drop")
					print "given_up", attr
			}
		}' "$LINES_DIR/log" | grep -c "^$1$"
}

# Each row of histogram NAME, map MAP, has as many as the log says of WORD
rows_are_the_logs() {
	local name=$1 map=$2 word=$3 row status=0

	for row in $(seq 0 10); do
		same "row $row" "$(lines_bin_sum "$name" "^@$map" "$row" "$row")" \
			"$(of_log "$word $row")" || status=1
	done
	return $status
}

all_retries() {
	same retries "$(lines_sum "$1")" "${sum[retries]}" && [ "${sum[retries]}" -gt 50 ]
}

check_retries_by_class() {
	all_retries retries-by-class &&
		same "of class SA, device $client_device" \
			"$(lines_sum retries-by-class "\[$client_device, 1, 3\]")" \
			"${sum[retries]}"
}

check_retries_per_second() {
	all_retries retries-per-second
}

# The late answers' storm waited 100 ms, the others 500 and more
check_backoff_by_retry() {
	local retry status=0

	same "waits of 100 ms" "$(lines_bin_sum backoff-by-retry '\[1\]' 64 64)" 20 ||
		status=1
	same "shorter waits" "$(lines_bin_sum backoff-by-retry '' -1 63)" 0 || status=1
	for retry in 1 2 3; do
		same "waits of retry $retry" \
			"$(lines_bin_sum backoff-by-retry "\\[$retry\\]")" \
			"$(($(of_log "sends [$((retry + 1))-9]")))" || status=1
	done
	return $status
}

# The waits of the policy have a random part, the others none
check_jitter() {
	same retries "$(lines_bin_sum jitter '' 0 448)" "${sum[retries]}" &&
		same "out of range" "$(lines_bin_sum jitter '' 512)" 0 &&
		[ "$(lines_bin_sum jitter '' 64)" -gt $((policy_retries / 2)) ] &&
		[ "$(lines_bin_sum jitter '' 64)" -le "$policy_retries" ]
}

check_response_time_by_class() {
	same responses "$(lines_bin_sum response-time-by-class '\[3\]')" \
		$((sum[good] + sum[busy])) &&
		[ "$(lines_bin_sum response-time-by-class '' 65536)" -ge 20 ] &&
		same "longer than any" \
			"$(lines_bin_sum response-time-by-class '' 8388608)" 0
}

check_giveup_time_by_attr() {
	local attr status=0

	for attr in $PATH_RECORD $NODE_RECORD; do
		same "given up, attribute $attr" \
			"$(lines_bin_sum giveup-time-by-attr "\\[3, $attr\\]")" \
			"$(of_log "given_up $attr")" || status=1
	done
	same "all" "$(lines_bin_sum giveup-time-by-attr)" "${sum[timeout]}" || status=1
	same "after 6 s" "$(lines_bin_sum giveup-time-by-attr '' 4096)" 5 || status=1
	same "before 1 s" "$(lines_bin_sum giveup-time-by-attr '' 0 511)" 0 || status=1
	return $status
}

check_timeouts_by_cause() {
	same "retries used up" "$(lines_sum timeouts-by-cause '\[rxe0, 3, 0\]')" \
		$((sum[timeout] - 3)) &&
		same "time used up" "$(lines_sum timeouts-by-cause '\[rxe0, 3, 1\]')" 3
}

check_timeouts_by_destination() {
	same time-outs \
		"$(lines_sum timeouts-by-destination "\\[$client_device, 0$to_rxe1\\]")" \
		"${sum[timeout]}"
}

check_busy_by_destination() {
	if lines_patched; then
		same "BUSY delivered" \
			"$(lines_sum busy-by-destination "\\[rxe0, 0$to_rxe1, 0\\]")" \
			"${sum[busy]}" &&
			same "BUSY dropped" \
				"$(lines_sum busy-by-destination "$to_rxe1, 1\\]")" \
				$((sum[busy_sent] - sum[busy])) &&
			[ "${sum[busy_sent]}" -gt "${sum[busy]}" ]
	else
		same BUSY "$(lines_sum busy-by-destination "\\[$client_device, 1, 0\\]")" \
			"${sum[busy]}"
	fi && [ "${sum[busy]}" -gt 20 ]
}

check_who_asks_sa() {
	local attr status=0

	for attr in $PATH_RECORD $NODE_RECORD; do
		same "asked by sastorm for attribute $attr" \
			"$(lines_sum who-asks-sa "\\[sastorm, [1-9][0-9]*, $attr\\]")" \
			"$(of_log "asked $attr")" || status=1
	done
	same all "$(lines_sum who-asks-sa)" "${sum[requests]}" || status=1
	return $status
}

check_attempts_per_request() {
	rows_are_the_logs attempts-per-request sends sends &&
		same requests "$(lines_bin_sum attempts-per-request)" "${sum[requests]}"
}

check_budget_left() {
	rows_are_the_logs budget-left retries_left left || return 1
	same "with a limit of time" "$(lines_bin_sum budget-left '^@left_ms' 512 512)" \
		"$(lines_patched && echo 4 || echo 0)"
}

# The last answer may come after the client has gone
check_late_answers() {
	local late

	late=$(lines_sum late-answers '\[3\]')
	same "of the 20" "$((late == 19 || late == 20)) of $late" "1 of $late"
}

check_outstanding() {
	same "first second" "$(lines_out outstanding | sed -n 's/^@.*\]: //p' | head -n 1)" 5 &&
		same "at the end" "$(lines_out outstanding | sed -n 's/^@.*\]: //p' | tail -n 1)" 0
}

check_slow_requests() {
	same lines "$(lines_out slow-requests | grep -c ' class 0x03 .* 1 sends')" 5
}

check_cancelled() {
	same "given more time" "$(lines_sum cancelled "\\[$PROBE_CLASS, 0\\]")" 1 &&
		same cancelled "$(lines_sum cancelled "\\[$PROBE_CLASS, 1\\]")" 1
}

check_backoff_resets() {
	same "after one retry, by MRA" \
		"$(lines_sum backoff-resets "\\[$PROBE_CLASS, 0, 1\\]")" 1 &&
		same all "$(lines_sum backoff-resets)" 1
}

names() {
	echo outstanding retries-by-class retries-per-second backoff-by-retry \
		response-time-by-class giveup-time-by-attr timeouts-by-destination \
		busy-by-destination who-asks-sa attempts-per-request budget-left \
		late-answers slow-requests
	! lines_patched || echo jitter timeouts-by-cause
}

# These watch a request of a kernel module, which the others would count
probe_names() {
	! lines_patched || echo cancelled backoff-resets
}

clean_up() {
	lines_end
	rxe_down
	sastorm_clean_up
}

# "rxe0" of the events, or its index as the kernel's own events have it
device_key() {
	if lines_patched; then
		echo rxe0
	else
		rdma dev show rxe0 | sed 's/:.*//'
	fi
}

among() {
	local name wanted=" $1 "

	shift
	for name; do
		[ "$wanted" = "  " ] || [[ $wanted == *" $name "* ]] || continue
		echo "$name"
	done
}

lines_begin
rxe_up
trap clean_up EXIT
# shellcheck disable=SC2046 # lists of names
{
	mapfile -t watching < <(among "$*" $(names))
	mapfile -t probing < <(among "$*" $(probe_names))
}
client_device=$(device_key)
to_rxe1=
lines_patched &&
	to_rxe1=", $(ip -6 -o address show dev rxeveth1 scope link | sed 's,.*inet6 \([^/]*\)/.*,\1,')"
lines_start "${watching[@]/#slow-requests/slow-requests=$SLOW_MS}" "${probing[@]}" ||
	ktap_exit_fail_msg "not all one-liners are attached"
storms || ktap_exit_fail_msg "the storms went wrong"
policy_retries=${sum[retries]}
! lines_patched || policy_storms || ktap_exit_fail_msg "the storms of the policy went wrong"
policy_retries=$((sum[retries] - policy_retries))
lines_stop "${watching[@]}"
if [ ${#probing[@]} -gt 0 ]; then
	probes || ktap_exit_fail_msg "mad_probe does not work"
	lines_stop "${probing[@]}"
fi
ktap_set_plan $((${#watching[@]} + ${#probing[@]}))
for name in "${watching[@]}" "${probing[@]}"; do
	lines_check "$name" "its numbers are right" "check_${name//-/_}"
done
[ -z "${SHOW:-}" ] || for name in "${watching[@]}" "${probing[@]}"; do
	echo "#== $(lines_file "$name")"
	lines_out "$name"
done
ktap_finished
