# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# Reads the project's MAD trace events, for tests to source.
#
#   trace_start [CLASS]  record the ib_mad retry events, of one management class
#                        (number) if given, in a trace instance of the test's own
#   trace_clear          forget what was recorded
#   trace_stop           end it
#   trace_events EVENT   print the recorded lines of an event, oldest first
#   trace_get EVENT FIELD
#                        print a field of each of them, one a line
#   trace_times EVENT    print when they were emitted, in microseconds
#   trace_count EVENT    print how many there are

TRACE_INSTANCE=/sys/kernel/tracing/instances/selftest.$$
TRACE_EVENTS="ib_mad_post ib_mad_retry ib_mad_busy ib_mad_timeout ib_mad_done ib_mad_backoff_reset"

trace_start() {
	local class=${1:-} event

	mkdir "$TRACE_INSTANCE" || return 1
	# Test classes alone, so that the subnet's own traffic does not count.
	for event in $TRACE_EVENTS; do
		[ -z "$class" ] ||
			echo "mgmt_class == $((class))" \
				> "$TRACE_INSTANCE/events/ib_mad/$event/filter"
		echo 1 > "$TRACE_INSTANCE/events/ib_mad/$event/enable" ||
			return 1
	done
}

trace_clear() {
	echo > "$TRACE_INSTANCE/trace"
}

trace_stop() {
	rmdir "$TRACE_INSTANCE" 2> /dev/null
}

trace_events() {
	grep " $1: " "$TRACE_INSTANCE/trace"
}

trace_get() {
	trace_events "$1" | sed -n "s/.* $2=\([^ ]*\).*/\1/p"
}

trace_times() {
	trace_events "$1" |
		sed -n "s/.* \([0-9]*\)\.\([0-9]\{6\}\): $1: .*/\1\2/p"
}

trace_count() {
	trace_events "$1" | wc -l
}
