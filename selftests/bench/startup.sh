#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# How long each tool takes until it counts, and its memory; bpftrace doing the
# same as madretry-top beside it. Inside the virtual machine, in real time.

MAX_START_S=1.0
MAX_RSS_KB=8192
RUNS=5

out=$(mktemp -d)
trap 'kill $(jobs -p) 2> /dev/null; rm -rf "$out"' EXIT

# Until it says something; then its memory: "SECONDS KILOBYTES"
measure() {
	local start=$EPOCHREALTIME pid

	: > "$out/said"
	"$@" > "$out/said" 2>&1 &
	pid=$!
	until [ -s "$out/said" ]; do
		kill -0 "$pid" 2> /dev/null || return 1
		sleep 0.01
	done
	echo "$EPOCHREALTIME $start $(awk '/^VmRSS/ { print $2 }' "/proc/$pid/status")" |
		awk '{ print $1 - $2, $3 }'
	kill -INT "$pid"
	wait "$pid" 2> /dev/null
	return 0
}

report() {
	local name=$1 file=$2

	printf '%-20s attached after %5.2f s, %6d KB resident\n' "$name" \
		"$(cut -d ' ' -f 1 "$file" | sort -g | sed -n "$((($(wc -l < "$file") + 1) / 2))p")" \
		"$(cut -d ' ' -f 2 "$file" | sort -g | tail -n 1)"
}

# within FILE: does the middle of the times keep the limit, and each memory?
within() {
	awk -v max_s=$MAX_START_S -v max_kb=$MAX_RSS_KB '
		{ s[NR] = $1; if ($2 > kb) kb = $2 }
		END {
			n = asort(s)
			exit s[int((n + 1) / 2)] > max_s || kb > max_kb
		}' "$1"
}

# measure_tool NAME [ARGUMENT]...
measure_tool() {
	local name=$1 i

	shift
	# The first run pays for reading the program from the host
	"$BUILD/tools/$name" --version > /dev/null
	for ((i = 0; i < RUNS; i++)); do
		measure "$BUILD/tools/$name" "$@" >> "$out/$name" || exit 1
	done
	report "$name" "$out/$name"
	within "$out/$name" || status=1
}

status=0
measure_tool madretry-top -v --json 1
measure_tool madretry-hist --json
measure_tool madretry-export --listen 9861
measure bpftrace "$TOP/selftests/bench/top.bt" > "$out/bpftrace"
report bpftrace "$out/bpftrace"
[ $status -eq 0 ] && answer=yes || answer=NO
echo "within $MAX_START_S s and $MAX_RSS_KB KB: $answer"
exit $status
