#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The demo, inside the virtual machine: seven hosts ask a slow SA, first as Linux
# does today, then with randomized backoff and BUSY treated as a time-out.
# madretry-top watches; a table at the end says what the difference was.
set -u

. "$BUILD/kernel/source/tools/testing/selftests/kselftest/ktap_helpers.sh"
. "$TOP/selftests/fabric/lib.sh"

HOSTS=8
REQUESTS=130		# of each host but the SM's
OUTSTANDING=16
TIMEOUT_MS=250
RETRIES=2

# The SA serves so many requests a second from a queue of so many, answers BUSY
# when that is full, and loses three in ten, as OpenSM does with those that have
# waited too long.
SA_RATE=150
SA_QUEUE=32
SA_LOSS_PPM=300000

parameters=/sys/module/ib_core/parameters
results=/run/demo

say() { echo "demo: $*" >&2; }

die() {
	say "$*"
	exit 1
}

overload_sa() {
	knob vfab0 1 sa_rate "$SA_RATE"
	knob vfab0 1 sa_queue_len "$SA_QUEUE"
	knob vfab0 1 sa_overflow_busy 1
	knob vfab0 1 sa_drop_ppm "$SA_LOSS_PPM"
}

set_policy() {
	echo "$1" > "$parameters/randomized_wait"
	echo "$1" > "$parameters/treat_busy_as_timeout"
}

# One host's program cannot go on without its answers: whatever fails, it asks
# again at once.
ask_until_answered() {
	"$BUILD/load/sastorm" client -d "$1" -a ClassPortInfo --until-good \
		-n "$REQUESTS" -m "$OUTSTANDING" -T "$TIMEOUT_MS" -R "$RETRIES" \
		--fields > "$results/$1"
}

# IPoIB joins its multicast groups again: queries of the kernel's own
rejoin() {
	local interface

	for interface in $ipoib; do
		echo "link set $interface down"
		echo "link set $interface up"
	done | ip -batch -
}

sum() {
	cat "$results"/vfab* | awk -v key="$1" '$1 == key { n += $2 } END { print n + 0 }'
}

# What became of one phase: a line for the table
account() {
	local policy=$1 seconds=$2 wanted=$(((HOSTS - 1) * REQUESTS)) arrived

	arrived=$(($(counter vfab0 1 sa_requests) - arrived_before))
	printf '%-22s %8d %12.1f %9d %9d %10.1f s\n' "$policy" "$wanted" \
		"$(echo "$arrived $wanted" | awk '{ print $1 / $2 }')" \
		"$(sum busy)" "$(sum timeout)" "$seconds"
}

storm() {
	local host start=$EPOCHREALTIME jobs=()

	rm -f "$results"/vfab*
	arrived_before=$(counter vfab0 1 sa_requests)
	rejoin
	for ((host = 1; host < HOSTS; host++)); do
		ask_until_answered "vfab$host" &
		jobs+=($!)
	done
	wait "${jobs[@]}"
	account "$1" "$(echo "$start $EPOCHREALTIME" | awk '{ print $2 - $1 }')" \
		>> "$results/table"
}

both_storms() {
	set_policy N
	storm "as Linux does today"
	set_policy Y
	storm "madretry's policy"
}

# All of what the demo is to show, as madretry-top counted it
seen() {
	jq -es 'last.sum.total | .retries > 0 and .busy_dropped > 0 and .timeouts > 0' \
		"$results/json" > /dev/null
}

mkdir -p "$results"
trap 'kill $(jobs -p) 2> /dev/null' EXIT
fabric_up "$HOSTS" || die "the fabric does not load"
fabric_sm 1 || die "OpenSM did not bring the fabric up"
modprobe -q ib_ipoib
# Those of port 1, the rail that has an SM
ipoib=$(grep -lx 0 /sys/class/net/ib*/dev_port | awk -F / '{ print $5 }')
rejoin
overload_sa

"$BUILD/tools/madretry-top" --json > "$results/json" &
watcher=$!
both_storms &
storms=$!
if [ -t 1 ]; then
	timeout --foreground -s INT "$DEMO_SECONDS" "$BUILD/tools/madretry-top" -c SA 1
else
	"$BUILD/tools/madretry-top" -b -c SA 5 $(((DEMO_SECONDS + 4) / 5))
fi
if kill -0 "$storms" 2> /dev/null; then
	say "waiting for the last answers"
fi
wait "$storms"
kill "$watcher"
wait "$watcher"

echo
printf '%-22s %8s %12s %9s %9s %12s\n' "" requests "asked, times" "got BUSY" time-outs "all answered"
cat "$results/table"
seen || die "not all of retries, BUSY drops and time-outs were seen"
