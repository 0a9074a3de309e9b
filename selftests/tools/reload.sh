#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What comes and goes while the tools run: devices may, and no request of theirs
# is lost from the numbers; ib_core and ib_cm may not, in no mode. When the tool
# has ended they can be replaced, and the next one counts. For the virtual
# machine.

# shellcheck source=selftests/tools/lib.sh
. "$TOP/selftests/tools/lib.sh"
# shellcheck source=selftests/lib/rxe.sh
. "$TOP/selftests/lib/rxe.sh"
# shellcheck source=selftests/lib/sastorm.sh
. "$TOP/selftests/lib/sastorm.sh"
# shellcheck source=selftests/lib/stack.sh
. "$TOP/selftests/lib/stack.sh"

REQUESTS=40
MODES="events fentry kprobe"

need_commands jq bpftool
[ -e /sys/module/ib_core/parameters/randomized_wait ] || MODES="fentry kprobe"

# TOOL MODE; apm-snoop chooses its own. Returns when it has attached
tool_start() {
	local tool=$1 mode=$2 options=(--json)

	case $tool in
	madretry-top | madretry-hist) options+=(1) ;;
	madretry-export) options=(--textfile "$TOP_DIR/metrics" 1) ;;
	esac
	[ "$tool" = apm-snoop ] || options+=(--mode "$mode")
	"$BUILD/tools/$tool" "${options[@]}" > "$TOP_DIR/out" 2> "$TOP_DIR/err" &
	TOOL_PID=$!
	wait_until attached && return
	echo "# $tool did not start: $(head -c 300 "$TOP_DIR/err")"
	return 1
}

attached() {
	! none_attached > /dev/null
}

# madretry-export says where it writes to; nothing else is to be said
said_too_much() {
	grep -v '^madretry-export: writing ' "$TOP_DIR/err"
}

# Ends well when asked to
tool_stop() {
	local status

	kill "$TOOL_PID"
	wait "$TOOL_PID"
	status=$?
	[ $status -eq 0 ] && ! said_too_much > /dev/null &&
		wait_until none_attached && return
	echo "# status $status: $(said_too_much | head -c 300)"
	return 1
}

# MODULE TOOL MODE: with nothing else that uses the module
holds() {
	local module=$1 tool=$2 mode=$3 status=0

	tool_start "$tool" "$mode" || return 1
	if rmmod "$module" 2> /dev/null; then
		echo "# $module was unloaded while $tool ran in mode $mode"
		status=1
	fi
	kill -0 "$TOOL_PID" || status=1
	tool_stop || status=1
	if [ -d "/sys/module/$module" ] && ! rmmod "$module"; then
		echo "# $tool in mode $mode has left $module in use"
		return 1
	fi
	modprobe "$module" && return $status
}

tools_hold_ib_core() {
	local tool mode

	stack_unload && modprobe ib_core || return 1
	for mode in $MODES; do
		for tool in top hist snoop export; do
			holds ib_core madretry-$tool "$mode" || return 1
		done
	done
}

apm_snoop_holds_ib_cm() {
	modprobe ib_cm && holds ib_cm apm-snoop best
}

storm() {
	sastorm_start --good 1 && sastorm_ask -n $REQUESTS -T 20000 &&
		sastorm_stop
}

requests_shown() {
	[ "$(top_get .sum.total.requests)" = "$1" ]
}

requests_are() {
	equal requests "$(top_get .sum.total.requests)" "$1" &&
		equal responses "$(top_get .sum.total.responses)" "$1"
}

# DEVICE...: what the rows of the last snapshot name
devices_are() {
	equal devices "$(top_get '[.rows[].device] | unique | join(" ")')" "$*"
}

# With a driver that is loaded only while the tool runs, twice. Numbers are shown
# before it goes: mode kprobe needs that to know the names.
devices_come_and_go() {
	local mode round

	for mode in $MODES; do
		TOP_MODE=$mode
		top_start -c SA 1 || return 1
		for round in 1 2; do
			rxe_up && storm && wait_until requests_shown \
				$((round * REQUESTS)) || return 1
			rxe_down
			rmmod rdma_rxe || return 1
		done
		top_stop && requests_are $((2 * REQUESTS)) && devices_are rxe0 ||
			{ echo "# in mode $mode"; return 1; }
	done
}

run_tests "$@" << 'END'
tools_hold_ib_core ib_core cannot be unloaded while a tool runs, and is free after it
apm_snoop_holds_ib_cm ib_cm cannot be unloaded while apm-snoop runs, and is free after it
devices_come_and_go devices that come and go while a tool runs are counted, and keep their names
END
ktap_finished
