#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Request/response pairs a second through umad over rxe, side by side in one
# virtual machine: the stock ib_core, the patched one with its events off, with
# madretry-top attached, and with bpftrace doing the same counting, in turns. Inside the virtual machine.

. "$BUILD/kernel/source/tools/testing/selftests/kselftest/ktap_helpers.sh"
. "$TOP/selftests/lib/rxe.sh"
. "$TOP/selftests/lib/sastorm.sh"
. "$TOP/selftests/lib/stack.sh"

ROUNDS=6
FLOOD_S=1
# One at a time: with more, the time of a pair depends on who wakes whom and
# falls into two classes that lie 15 % apart
OUTSTANDING=1
MIN_PATCHED=0.98
MIN_ATTACHED=0.90

results=$(mktemp -d)
trap 'kill $(jobs -p) 2> /dev/null; rxe_down; rm -rf "$results"; sastorm_clean_up' EXIT

# Replace the RDMA stack; "stock" or "patched"
load_modules() {
	stack_unload && modprobe -d "$BUILD/vm/$1" -a ib_umad rdma_rxe
}

# Two figures for the table of $1
measure() {
	measure_once "$1" && measure_once "$1"
}

measure_once() {
	sastorm_start || return 1
	sastorm_ask --flood $FLOOD_S -m $OUTSTANDING -T 5000 || return 1
	sastorm_stop
	# shellcheck disable=SC2154 # filled in by sastorm_ask
	echo "${client[completed_per_second]}" >> "$results/$1"
}

wait_for_line() {
	local end=$((SECONDS + 60))

	until [ -s "$1" ]; do
		[ $SECONDS -lt $end ] || return 1
		sleep 0.1
	done
}

# measure_with NAME COMMAND [ARG]...: while COMMAND counts; its first line of
# output says that it does
measure_with() {
	local name=$1 watcher

	shift
	: > "$results/output"
	"$@" > "$results/output" 2>&1 &
	watcher=$!
	wait_for_line "$results/output" && measure "$name"
	kill "$watcher" && wait "$watcher"
}

round() {
	load_modules stock && rxe_up && measure stock && rxe_down &&
		load_modules patched && rxe_up && measure patched &&
		measure_with attached "$BUILD/tools/madretry-top" --json 0.5 &&
		rxe_down
}

# Whatever disturbs a figure makes it smaller, so the largest counts
best() {
	sort -g "$results/$1" | tail -n 1
}

row() {
	printf '%-34s %10.0f  (%.0f to %.0f)\n' "$1" "$(best "$2")" \
		"$(sort -g "$results/$2" | head -n 1)" "$(best "$2")"
}

# ratio DESCRIPTION A B MINIMUM: fails if A / B is below it
ratio() {
	awk -v name="$1" -v a="$(best "$2")" -v b="$(best "$3")" -v min="$4" 'BEGIN {
		printf "%-34s %10.3f  (at least %s: %s)\n", name, a / b, min,
			a / b >= min ? "yes" : "NO"
		exit a / b < min
	}'
}

for ((i = 0; i < ROUNDS; i++)); do
	round || { echo "bench: a round failed" >&2; exit 1; }
done
if ! rxe_up || ! measure_with bpftrace bpftrace "$TOP/selftests/bench/top.bt"; then
	echo "bench: bpftrace could not be measured" >&2
	exit 1
fi
status=0
echo "umad pairs a second of guest time, best of $((2 * ROUNDS))"
row "stock ib_core" stock
row "patched, events off" patched
row "patched, madretry-top attached" attached
row "patched, bpftrace attached" bpftrace
ratio "patched / stock" patched stock $MIN_PATCHED || status=1
ratio "attached / not attached" attached patched $MIN_ATTACHED || status=1
ratio "for comparison: bpftrace" bpftrace patched 0
exit $status
