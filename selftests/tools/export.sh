#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Does madretry-export say what really happens, in a form that Prometheus
# reads? Its numbers are compared with those of sastorm's client and server,
# after they went through Prometheus' client library. For the virtual machine,
# in virtual time, as top.sh.
#
# As it is, it tests the mode "events". export_fentry.sh and export_kprobe.sh source
# it for the other modes, which the stock kernel has, too.

# shellcheck source=selftests/tools/lib.sh
. "$TOP/selftests/tools/lib.sh"
# shellcheck source=selftests/tools/export_lib.sh
. "$TOP/selftests/tools/export_lib.sh"
# shellcheck source=selftests/lib/rxe.sh
. "$TOP/selftests/lib/rxe.sh"
# shellcheck source=selftests/lib/sastorm.sh
. "$TOP/selftests/lib/sastorm.sh"

MONITORING=$BUILD/monitoring/usr/bin
REQUESTS=1000
ATTRIBUTES=PathRecord,NodeRecord,MCMemberRecord,ServiceRecord

# The mixed storm, exported in three ways at once
mixed_storm() {
	mkdir "$TOP_DIR/textfiles"
	policy Y
	sastorm_start --good 0.6 --busy 0.2 --drop 0.2 --seed 3 || return 1
	export_start --listen $PORT -d rxe0 -c SA \
		--textfile "$TOP_DIR/textfiles/madretry.prom" 1 || return 1
	sastorm_ask -n $REQUESTS -m 128 -T 500 -R 3 -a $ATTRIBUTES || return 1
	sastorm_stop
	policy N
	curl -sSf -H "$OPENMETRICS" $PAGE > "$TOP_DIR/openmetrics" &&
		curl -sSf $PAGE > "$TOP_DIR/text"
}

# All numbers against those of both sides of sastorm
samples_equal() {
	equals_value $REQUESTS madretry_requests_total &&
		equals_value $((client[good] + client[busy])) \
			madretry_responses_total &&
		equals_value "${client[timeout]}" madretry_timeouts_total &&
		equals_value "${client[timeout]}" madretry_timeouts_total \
			cause retries &&
		equals_value "${server[retries]}" madretry_retries_total &&
		equals_value "${client[busy]}" madretry_busy_responses_total \
			outcome delivered &&
		equals_value $((server[busy] - client[busy])) \
			madretry_busy_responses_total outcome dropped &&
		equals_value $((server[busy] - client[busy])) \
			madretry_retries_total cause busy &&
		equals_value 0 madretry_cancelled_requests_total &&
		equals_value 0 madretry_failed_requests_total &&
		equals_value 0 madretry_outstanding_requests &&
		equals_value 0 madretry_lost_events_total &&
		equals_value $((REQUESTS / 4)) madretry_requests_total \
			device rxe0 port 1 class SA attribute PathRecord &&
		equals_value 1 madretry_info mode "$TOP_MODE" &&
		histograms_equal
}

# With the backoff off every wait is T, 500 ms; between sends an eighth may pass
# besides, until the timer notices
histograms_equal() {
	local waits more_s=1e-6

	waits=$(waits_known)
	infers && more_s=$(awk -v waits="$waits" 'BEGIN { print waits / 16 }')
	equals_value $((client[good] + client[busy])) \
		madretry_response_time_seconds_count &&
		equals_value "$waits" madretry_backoff_wait_seconds_count &&
		equals_value 0 madretry_backoff_wait_seconds_bucket \
			le 0.255 &&
		equals_value "$waits" madretry_backoff_wait_seconds_bucket \
			le "$(infers && echo 1.023 || echo 0.511)" &&
		awk -v sum="$(value madretry_backoff_wait_seconds_sum)" \
			-v waits="$waits" -v more_s="$more_s" 'BEGIN {
			exit sum - waits / 2 > more_s || waits / 2 - sum > 1e-6
		}' || { echo "# the sum of the waits is wrong"; return 1; }
}

# All of this would also hold if nothing happened
something_of_each() {
	[ "${client[timeout]}" -gt 0 ] && [ "${client[busy]}" -gt 0 ] &&
		[ "${server[retries]}" -gt $((server[busy] - client[busy])) ] &&
		{ [ ! -e $POLICY/treat_busy_as_timeout ] ||
			[ $((server[busy] - client[busy])) -gt 0 ]; }
}

openmetrics_equals() {
	parse openmetrics < "$TOP_DIR/openmetrics" && samples_equal &&
		equal units "$(jq -r .unit "$TOP_DIR/samples" | sort -u |
			xargs)" seconds &&
		equal types "$(jq -r .type "$TOP_DIR/samples" | sort -u |
			xargs)" "counter gauge histogram info"
}

text_equals() {
	parse text < "$TOP_DIR/text" && samples_equal &&
		equal types "$(jq -r .type "$TOP_DIR/samples" | sort -u |
			xargs)" "counter gauge histogram"
}

promtool_accepts() {
	[ -x "$MONITORING/promtool" ] ||
		{ echo "# no promtool: make monitoring"; return 1; }
	"$MONITORING/promtool" check metrics < "$TOP_DIR/text" \
		> "$TOP_DIR/promtool" 2>&1 && [ ! -s "$TOP_DIR/promtool" ] &&
		return
	sed 's/^/# /' "$TOP_DIR/promtool"
	return 1
}

something_left() {
	export_stop
	[ ! -e "$TOP_DIR/textfiles/madretry.prom" ] ||
		{ echo "# the file outlives the exporter"; return 1; }
	equal files "$(find "$TOP_DIR/textfiles" -type f)" ""
}

# Ten answers, half a second late each
sum_of_response_times() {
	sastorm_start --answers good@500 && export_start --listen $PORT ||
		return 1
	sastorm_ask -n 10 -m 1 -T 5000
	sastorm_stop
	curl -sSf -H "$OPENMETRICS" $PAGE | parse openmetrics || return 1
	export_stop
	equals_value 10 madretry_response_time_seconds_count &&
		equals_value 10 madretry_response_time_seconds_bucket \
			le 1.048575 &&
		equals_value 0 madretry_response_time_seconds_bucket \
			le 0.262143 &&
		value madretry_response_time_seconds_sum | awk '
			{ print "# " $1 " s"; exit $1 < 5 || $1 > 5.5 }'
}

too_many_rows() {
	local attributes=0x40 i

	for i in {1..9}; do
		attributes+=,0x4$i
	done
	sastorm_start && export_start --listen $PORT --max-rows 4 || return 1
	sastorm_ask -n 100 -m 10 -T 500 -a "$attributes"
	sastorm_stop
	curl -sSf -H "$OPENMETRICS" $PAGE | parse openmetrics || return 1
	export_stop
	equals_value 100 madretry_requests_total &&
		equals_value 60 madretry_requests_total device "(other)" &&
		equal series "$(jq -r 'select(.name == "madretry_requests_total") |
			.name' "$TOP_DIR/samples" | wc -l)" 5
}

# From before the program starts until it says that it counts, and its memory
starts_fast_and_small() {
	local before after peak limit_ms=1500

	# As in top.sh
	infers && limit_ms=1800
	[ "$TOP_MODE" != kprobe ] || limit_ms=3000
	before=$(date +%s%N)
	export_start --listen $PORT || return 1
	after=$(date +%s%N)
	curl -sSf $PAGE > "$TOP_DIR/text"
	peak=$(awk '$1 == "VmHWM:" { print $2 }' "/proc/$EXPORT_PID/status")
	export_stop
	echo "# serving after $(((after - before) / 1000000)) ms, at most $peak kB"
	[ $((after - before)) -lt ${limit_ms}000000 ]
}

need_commands jq bpftool curl
export_need
ktap_print_header
rxe_up
trap 'end_jobs; rxe_down; sastorm_clean_up; rm -rf "$TOP_DIR"' EXIT
infers || [ -e $POLICY/treat_busy_as_timeout ] ||
	skip_all "no patched ib_core"
run_tests "$@" <<'END'
mixed_storm			a mixed storm of 1000 requests is exported
something_of_each		it has something of each kind
openmetrics_equals		OpenMetrics, parsed by the client library, equals sastorm
text_equals			the older text format equals sastorm
promtool_accepts		promtool finds nothing wrong
something_left			nothing is left when it ends
sum_of_response_times		the sum of ten response times
too_many_rows			what finds no row is counted in (other)
starts_fast_and_small		serving soon
none_attached			nothing is left attached
END
ktap_finished
