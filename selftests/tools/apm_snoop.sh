#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Does apm-snoop print every step of path migration, and add them up rightly?
# Connections of selftests/apm migrate and are armed again; what is printed must
# agree with what the consumer counted and with the trace events. For the virtual
# machine; with --stock, on a kernel without these events, as far as that goes.

# shellcheck source-path=SCRIPTDIR source=../apm/lib.sh
. "$TOP/selftests/apm/lib.sh"

SNOOP=$BUILD/tools/apm-snoop
OUT=$(mktemp -d)
ROUNDS=3	# each way
PIDS=()

stock=
apm_supported || stock=1

# start NAME [OPTION...]: output in $OUT/NAME, messages in $OUT/NAME.err
start() {
	local name=$1 end=$((SECONDS + 20))

	shift
	: > "$OUT/$name"
	"$SNOOP" "$@" > "$OUT/$name" 2> "$OUT/$name.err" &
	PIDS+=($!)
	# The first line says that it listens
	until [ -s "$OUT/$name" ]; do
		[ $SECONDS -lt $end ] || { ktap_print_msg "no apm-snoop $*"; return 1; }
		sleep 0.1
	done
}

stop() {
	kill "${PIDS[@]}" && wait "${PIDS[@]}"
	PIDS=()
}

# steps NAME FILTER: of all steps in the file
steps() {
	jq -r "select(.type == \"step\") | $2" "$OUT/$1"
}

# how_many CONDITION
how_many() {
	steps all "select($1) | 1" | wc -l
}

# conn DEVICE FILTER: of the summary's connection
conn() {
	jq -r "select(.type == \"connection\" and .device == \"$1\") | $2" \
		"$OUT/summary"
}

one_round() {	# port
	apm migrate && apm wait migrated || return 1
	[ -n "$stock" ] || lap "$1"
}

# Nobody is told that a queue pair is armed: leave apm-snoop time to ask
lap() {
	apm lap side=active port="$1" && apm wait armed && apm wait idle &&
		sleep 0.5
}

# A LAP is refused, the next one accepted; at the end the active end migrates
# and nobody proposes another path
rounds() {
	local round

	start all --json && start summary --summary --json && start text &&
		start one --json -d vfab1 || return 1
	apm_connect && apm wait armed && apm set traffic=1 && sleep 0.5 ||
		return 1
	qpn=$(apm_state active qpn)
	local_id=$(apm_state active local_id)
	for ((round = 0; round < ROUNDS; round++)); do
		one_round 1 && one_round 2 || return 1
	done
	apm migrate && apm wait migrated && apm set answer=reject status=3 &&
		apm lap side=active port=1 && apm wait idle &&
		apm set answer=accept && lap 1 && apm migrate && apm wait migrated
	# The end of it is to be measured
	sleep 1
	stop
}

# Of a stock kernel: one migration is all that it allows
one_migration() {
	start all --json && start summary --summary --json && start text &&
		start one --json -d vfab1 || return 1
	apm_connect && apm wait armed || return 1
	qpn=$(apm_state active qpn)
	local_id=$(apm_state active local_id)
	one_round 1 && apm_forge lap vfab1
	sleep 1
	stop
}

same() {	# counter, condition
	local counted printed

	counted=$(apm_counter "$1")
	printed=$(how_many "$2")
	[ "$counted" = "$printed" ] && return
	ktap_print_msg "$1 is $counted, printed are $printed"
	return 1
}

# The active end is on vfab1, the passive one on vfab2
counts_agree() {
	local side device status=0

	for side in active passive; do
		device=.device==\"vfab$([ $side = active ] && echo 1 || echo 2)\"
		same ${side}_path_mig "$device and .cause == \"PATH_MIG\"" &&
			same ${side}_notify "$device and .event == \"icm_migrate\"" ||
			status=1
		# The stock kernel cannot send one
		[ -n "$stock" ] ||
			same ${side}_lap_sent "$device and .cause == \"LAP_SENT\"" ||
			status=1
		same ${side}_lap_received "$device and .cause == \"LAP_RECEIVED\"" &&
			same ${side}_apr_sent "$device and .cause == \"APR_SENT\"" &&
			same ${side}_apr_received "$device and .cause == \"APR_RECEIVED\"" &&
			same ${side}_apr_success "$device and .cause == \"APR_RECEIVED\" and .apr_status == \"SUCCESS\"" ||
			status=1
	done
	[ "$(apm_counter active_path_mig)" -gt 0 ] && return $status
}

nothing_is_lost() {
	equal "end $(how_many true) 0" "$(tail -n 1 "$OUT/all" |
		jq -r '"\(.type) \(.steps) \(.lost_events)"')"
}

# same_fields EVENT NAME_IN_TRACE=NAME_HERE...
same_fields() {
	local event=$1 pair names=() fields=() differ

	shift
	for pair; do
		names+=("${pair%%=*}")
		fields+=(".${pair#*=}")
	done
	differ=$(diff <(trace_get "$event" "${names[@]}" | sed 's/\bnone\b/0/') \
		<(steps all "select(.event == \"$event\" and (.inferred | not)) |
			[$(IFS=,; echo "${fields[*]}")] |
			map(. // 0) | join(\" \")") | head -n 4)
	[ -z "$differ" ] && return
	ktap_print_msg "$event in the trace and printed: ${differ//$'\n'/$'\n'# }"
	return 1
}

# In the order of the trace. Names of nothing are null here, 0 or none there
fields_are_the_traces() {
	trace_get icm_apm_state apr_status | grep -qx REJECT &&
		same_fields icm_apm_state dev=device local_id=local_id \
			remote_id=remote_id qpn=qpn old_state=old_state \
			new_state=new_state cause=cause apr_status=apr_status \
			alt_port=alt_port alt_dlid=alt_dlid &&
		same_fields icm_migrate dev=device local_id=local_id qpn=qpn \
			old_port=old_port new_port=new_port old_dlid=old_dlid \
			new_dlid=new_dlid &&
		same_fields ib_qp_path_mig dev=device qpn=qpn port=port \
			alt_port=alt_port state=state
}

# No event says that a queue pair is armed: as often as it was asked to rearm
armed_is_seen() {
	local device

	for device in vfab1 vfab2; do
		equal "$(how_many ".device == \"$device\" and .cause == \"MODIFY\" and .state == \"REARM\"")" \
			"$(how_many ".device == \"$device\" and .cause == \"QUERY\" and .state == \"ARMED\"")" ||
			return 1
	done
}

# An event of the queue pair has no communication ID, others have had it before
identity_is_known() {
	local what='.cause == "PATH_MIG"'

	[ -z "$stock" ] || what='.event == "icm_migrate"'
	equal "$qpn $local_id" "$(steps all "select(.device == \"vfab1\" and
		$what) | \"\(.qpn) \(.local_id)\"" | tail -n 1)"
}

since_is_the_difference() {
	steps all '"\(.device) \(.monotonic_us) \(.since_ms)"' | awk '
		$1 in last && ($2 - last[$1] - $3 * 1000) ^ 2 > 4 {
			print "# " $0; bad = 1
		}
		{ last[$1] = $2 }
		END { exit bad || !NR }'
}

migrations=$((2 * ROUNDS + 2))

summary_agrees() {
	equal "$qpn $local_id $migrations $((migrations - 1)) 1 true" \
		"$(conn vfab1 '"\(.qpn) \(.local_id) \(.migrations) \(.rearmed
			) \(.failed) \(.stuck)"')" &&
		equal "$(apm_counter passive_path_mig)" "$(conn vfab2 .migrations)"
}

# The active end proposed no path after its last migration
timeline_is_told() {
	equal "ARMED,MIGRATED" "$(conn vfab1 '[.timeline[].step] | join(",")')"
}

# At least from each migration until it was asked to rearm, at most until the next
# migration: in between, each apm-snoop asks at times of its own
unprotected_is_added_up() {
	steps all 'select(.device == "vfab1" and .event == "ib_qp_path_mig" and
		(.inferred | not)) | "\(.monotonic_us) \(.state)"' |
		awk -v summary="$(conn vfab1 '.unprotected_ms - .timeline[-1].ms')" '
		$2 == "REARM" { rearm = $1; if (gone) least += $1 - gone; gone = 0 }
		$2 == "MIGRATED" && rearm {
			gone = $1; more += $1 - rearm; rearm = 0
		}
		END {
			least /= 1000
			most = least + more / 1000
			print "# " least " to " most " ms, summary " summary " ms"
			exit !least || summary < least - 1 || summary > most + 1
		}'
}

stuck_is_first() {
	equal true "$(jq -r 'select(.type == "connection").stuck' \
		"$OUT/summary" | head -n 1)"
}

text_agrees() {
	equal "$(how_many true)" "$(($(wc -l < "$OUT/text") - 2))" &&
		head -n 1 "$OUT/text" | grep -q "mode $mode" &&
		equal "$(steps all '"\(.device)/\(.port) \(.qpn) \(.cause)"' |
			sed 's,/null,,; s/null/-/g')" \
			"$(awk 'NR > 2 { print $2, $3, $8 }' "$OUT/text")" &&
		! grep -q $'\033' "$OUT/text"
}

one_device() {
	equal "$(steps all 'select(.device == "vfab1") |
			"\(.cause) \(.state)"')" \
		"$(steps one '"\(.cause) \(.state)"')"
}

# Said on stderr, and in the first line
mode_is_said() {
	equal $mode "$(head -n 1 "$OUT/all" | jq -r .mode)" || return 1
	if [ -n "$stock" ]; then
		grep -q "no event icm_apm_state" "$OUT/all.err" &&
			equal 1 "$(wc -l < "$OUT/all.err")"
	else
		equal 0 "$(wc -c < "$OUT/all.err")"
	fi
}

# What has come is told, and for whom; what ib_cm makes of it is not
lap_is_seen() {
	equal "LAP_RECEIVED null null" "$(steps all 'select(.cause ==
		"LAP_RECEIVED") | "\(.cause) \(.old_state) \(.new_state)"')"
}

stock_summary() {
	equal "$qpn 1 0 true" "$(conn vfab1 \
		'"\(.qpn) \(.migrations) \(.rearmed) \(.stuck)"')"
}

# The schema allows these lines, and not everything
schema_fits() {
	local schema=$TOP/tools/schema/apm-snoop.schema.json

	/usr/bin/python3 "$TOP/selftests/tools/validate.py" \
		"$schema=$OUT/all" "$schema=$OUT/summary" > "$OUT/valid" ||
		{ sed 's/^/# /' "$OUT/valid"; return 1; }
	jq -c 'if .type == "step" then .qpn = "2" else .type = "x" end' \
		"$OUT/all" > "$OUT/bad"
	! /usr/bin/python3 "$TOP/selftests/tools/validate.py" \
		"$schema=$OUT/bad" > "$OUT/valid" &&
		grep -q ': 0 of ' "$OUT/valid"
}

refuses() {	# status, words of the message, arguments
	local status=$1 message=$2

	shift 2
	timeout -k 1 20 "$SNOOP" "$@" > "$OUT/out" 2> "$OUT/err" < /dev/null
	equal "$status" $? && [ ! -s "$OUT/out" ] &&
		equal 1 "$(wc -l < "$OUT/err")" && grep -q -- "$message" "$OUT/err"
}

wrong_command_lines() {
	refuses 2 nonsense --nonsense && refuses 2 "duration 'x'" x &&
		refuses 2 "one argument too many" 1 2 &&
		refuses 2 "vfab1, vfab2" -d nosuch &&
		refuses 2 "vfab0 has no port 7" -d vfab0 -p 7 &&
		refuses 2 "option -- .c" -c SA
}

not_root() {
	timeout -k 1 20 setpriv --reuid=65534 --clear-groups "$SNOOP" \
		> "$OUT/out" 2> "$OUT/err"
	equal 1 $? && [ ! -s "$OUT/out" ] && grep -q "run as root" "$OUT/err"
}

# The reader leaves at once; DURATION; signals
ends() {
	local signal pid

	timeout 20 "$SNOOP" 2> /dev/null | head -n 1 > "$OUT/out"
	equal 0 "${PIPESTATUS[0]}" || return 1
	"$SNOOP" --json 1 2> /dev/null > "$OUT/out" &&
		equal start,end "$(jq -r .type "$OUT/out" | paste -sd,)" ||
		return 1
	for signal in INT TERM HUP QUIT; do
		: > "$OUT/out"
		env --default-signal=INT,QUIT "$SNOOP" --json > "$OUT/out" \
			2> /dev/null &
		pid=$!
		until [ -s "$OUT/out" ]; do
			sleep 0.1
		done
		kill -$signal $pid
		wait $pid
		equal 0 $? && equal end "$(tail -n 1 "$OUT/out" | jq -r .type)" ||
			return 1
	done
}

none_attached() {
	! PATH=$PATH:/usr/sbin bpftool prog list | grep 'name mr_'
}

check() {
	if "${@:2}"; then
		ktap_test_pass "$1"
	else
		ktap_test_fail "$1"
	fi
}

mode=$([ -n "$stock" ] && echo fentry || echo events)
ktap_print_header
[ -x "$SNOOP" ] || fabric_skip "apm-snoop was not built"
apm_up || ktap_exit_fail_msg "the fabric does not come up"
trap 'kill "${PIDS[@]}" 2> /dev/null; rm -rf "$OUT"' EXIT
trace_start_apm() {
	local event

	mkdir "$TRACE_INSTANCE" && echo mono > "$TRACE_INSTANCE/trace_clock" ||
		return 1
	for event in ib_cma/icm_apm_state ib_cma/icm_migrate \
		rdma_core/ib_qp_path_mig; do
		echo 1 > "$TRACE_INSTANCE/events/$event/enable" || return 1
	done
}
if [ -n "$stock" ]; then
	ktap_set_plan 16
	check "one migration and a forged LAP, watched in four ways" one_migration
	check "a LAP that arrives" lap_is_seen
	check "the summary" stock_summary
else
	trace_start_apm || ktap_exit_fail_msg "cannot trace"
	ktap_set_plan 19
	check "$migrations migrations and a refused LAP, watched in four ways" rounds
	check "every field is the trace's" fields_are_the_traces
	check "that it is armed is seen, each time" armed_is_seen
	check "the summary has the consumer's numbers" summary_agrees
	check "the timeline ends with the last migration" timeline_is_told
	check "time without protection is added up" unprotected_is_added_up
	trace_stop
fi
check "as many steps of each kind as the consumer counted" counts_agree
check "nothing is lost, and the last line says so" nothing_is_lost
check "queue pair and communication ID belong together" identity_is_known
check "the time since the last step" since_is_the_difference
check "connections that are stuck come first" stuck_is_first
check "text has the steps of JSON" text_agrees
check "-d leaves out other devices" one_device
check "the schema fits" schema_fits
check "the mode is said" mode_is_said
check "wrong command lines: one line, status 2" wrong_command_lines
check "not root" not_root
check "DURATION, signals and the end of the reader end it" ends
check "nothing is left attached" none_attached
ktap_finished
