# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# What the tests of the tools share, for them to source.
#
#   top_start [OPTION...]   start madretry-top --json in mode $TOP_MODE; returns
#                           when it counts
#   top_stop                end it with SIGTERM; its last snapshot is then read by
#   top_get PATH            print a value of the last snapshot, such as
#                           .sum.total.requests
#   run_tests [FUNCTION]... runs each test that is a line of stdin, "FUNCTION
#                           DESCRIPTION", or only those named; sets the plan
#   equal WHAT ACTUAL EXPECTED
#                           a comparison that says what differs
#   refuses STATUS COMMAND [ARG]...
#                           does COMMAND end with STATUS, one line on stderr
#                           (kept in $TOP_DIR/err) and nothing on stdout?
#   wait_until COMMAND [ARG]...
#                           wait until COMMAND succeeds, some seconds
#   none_attached           are no programs of the tools in the kernel?
#   infers                  does $TOP_MODE infer waits, from the times between sends?
#   policy Y|N              set treat_busy_as_timeout where there is one: what the
#                           stock ib_core does not have is not tested
#   waits_known             how many waits of the last storm of lib/sastorm.sh can
#                           be known in $TOP_MODE

# shellcheck source=/dev/null
. "$BUILD/kernel/source/tools/testing/selftests/kselftest/ktap_helpers.sh"

MADRETRY_TOP=$BUILD/tools/madretry-top
TOP_DIR=$(mktemp -d)
TOP_OUT=$TOP_DIR/json
TOP_PID=
TOP_MODE=${TOP_MODE:-events}	# a test may set it before it sources this
POLICY=/sys/module/ib_core/parameters
WAIT_S=60	# as long as anything may take on a slow machine

skip_all() {
	ktap_skip_all "$1"
	exit "$KSFT_SKIP"
}

need_commands() {
	local name

	for name; do
		PATH=$PATH:/usr/sbin command -v "$name" > /dev/null ||
			skip_all "no $name command"
	done
	[ -x "$MADRETRY_TOP" ] || skip_all "madretry-top was not built"
}

# What a test that failed has left running would disturb the next
end_jobs() {
	local pids

	mapfile -t pids < <(jobs -p)
	[ ${#pids[@]} -eq 0 ] || kill "${pids[@]}" 2> /dev/null
	wait
}

run_tests() {
	local wanted=" $* " name description names=() descriptions=() i

	while read -r name description; do
		[ $# -eq 0 ] || [[ $wanted == *" $name "* ]] || continue
		names+=("$name")
		descriptions+=("$description")
	done
	ktap_set_plan "${#names[@]}"
	for i in "${!names[@]}"; do
		if "${names[i]}"; then
			ktap_test_pass "${descriptions[i]}"
		else
			ktap_test_fail "${descriptions[i]}"
			end_jobs
		fi
	done
}

equal() {
	[ "$2" = "$3" ] && return
	echo "# $1: '$2', expected '$3'"
	return 1
}

wait_until() {
	local end=$((SECONDS + WAIT_S))

	until "$@"; do
		[ "$SECONDS" -lt "$end" ] || return 1
		sleep 0.1
	done
}

top_start() {
	: > "$TOP_OUT"
	"$MADRETRY_TOP" --json --mode "$TOP_MODE" "$@" > "$TOP_OUT" &
	TOP_PID=$!
	# The first line says that counting has begun
	wait_until test -s "$TOP_OUT" && return
	echo "# madretry-top did not start"
	return 1
}

top_stop() {
	kill "$TOP_PID"
	wait "$TOP_PID"
}

# A long line that is being written is not read yet
top_get() {
	head -n "$(wc -l < "$TOP_OUT")" "$TOP_OUT" | tail -n 1 | jq -r "$1"
}

refuses() {
	local expected=$1 status lines

	shift
	timeout -k 1 $WAIT_S "$@" > "$TOP_DIR/out" 2> "$TOP_DIR/err" < /dev/null
	status=$?
	mapfile -t lines < "$TOP_DIR/err"
	[ $status -eq "$expected" ] && [ ! -s "$TOP_DIR/out" ] &&
		[ ${#lines[@]} -eq 1 ] && return
	echo "# $*: exit status $status, and:"
	head -q -n 5 "$TOP_DIR/out" "$TOP_DIR/err" | sed 's/^/# /'
	return 1
}

says() {
	grep -q -- "$1" "$TOP_DIR/err" && return
	echo "# '$1' is not in: $(cat "$TOP_DIR/err")"
	return 1
}

infers() {
	[ "$TOP_MODE" != events ]
}

policy() {
	[ ! -e $POLICY/treat_busy_as_timeout ] ||
		echo "$1" > $POLICY/treat_busy_as_timeout
}

# A wait that is inferred is known when it has ended: not that of a retry which
# was answered
# shellcheck disable=SC2154 # client[] and server[] are those of sastorm.sh
waits_known() {
	infers || { echo "${server[retries]}"; return; }
	awk -v timeouts="${client[timeout]}" -v retries="${server[retries]}" '
		!/^#/ && ++sends[$2] == 2 { retried++ }
		END { print retries - (retried - timeouts) }' "$SASTORM_LOG"
}

none_attached() {
	! PATH=$PATH:/usr/sbin bpftool prog list | grep 'name mr_'
}
