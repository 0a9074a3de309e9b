#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The demo of path migration, inside the virtual machine. Connections run messages
# from vfab1 to vfab2 and back; a cable is pulled, put back, and the other one is
# pulled. Both ends act as an application does: on port events, on what the SA says
# of the other end's ports, and on LAP and APR. Each step is shown as it happens.
set -u

. "$TOP/selftests/apm/lib.sh"

CONNECTIONS=3

say() {
	echo "demo: $*" >&2
}

die() {
	say "$*"
	exit 1
}

# The steps as they happen, and at the end how each connection fared
watch_steps() {
	"$BUILD/tools/apm-snoop" --summary > "$FABRIC_DIR/summary" &
	watchers=($!)
	"$BUILD/tools/apm-snoop" &
	watchers+=($!)
}

pull() {	# port
	say "the cable of vfab1 port $1 is pulled"
	knob vfab1 "$1" link 0
	apm wait migrated || die "not all connections have migrated"
	say "all $CONNECTIONS connections go over port $((3 - $1)), and are unprotected"
}

put_back() {	# port
	say "the cable of vfab1 port $1 is back"
	apm_mend vfab1 "$1" && apm wait armed || die "not all connections are armed again"
	say "all $CONNECTIONS connections have port $1 as their alternate path, and are armed"
}

summary() {
	echo
	printf '%-34s %8s %8s\n' '' active passive
	count_of "messages sent" msg_sent
	count_of "messages lost or doubled" msg_lost msg_twice msg_damaged msg_send_failed
	count_of "migrations" path_mig
	count_of "LAPs sent or received" lap_sent lap_received
	count_of "alternate paths loaded" rearm
}

count_of() {	# title, counters
	local title=$1 side name sum sums=()

	shift
	for side in active passive; do
		sum=0
		for name; do
			sum=$((sum + $(apm_counter "${side}_$name")))
		done
		sums+=("$sum")
	done
	printf '%-34s %8d %8d\n' "$title" "${sums[@]}"
}

apm_supported || die "ib_cm cannot send LAPs: these are not the project's modules"
apm_up || die "the fabric does not come up"
"$BUILD/apm/sa_notice" --device vfab2 --port 1 --port 2 --output $APM_DEBUGFS/notice &
subscriber=$!
apm_connect count=$CONNECTIONS life=15 && apm wait armed || die "cannot connect"
apm reset
watch_steps
sleep 3
apm set follow=1 traffic=1 interval_ms=20

for port in 1 2; do
	sleep 2
	pull $port
	sleep 2
	put_back $port
done
sleep 2
kill "$subscriber" "${watchers[@]}"
wait "$subscriber" "${watchers[@]}"
apm_intact
intact=$?
echo
cat "$FABRIC_DIR/summary"
summary
[ "$intact" -eq 0 ] || die "messages were lost"
