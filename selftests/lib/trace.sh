# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# Reads the project's MAD trace events, for tests to source.
#
#   trace_start [CLASS]  record the ib_mad retry events, of one management class
#                        (number) if given, in a trace instance of the test's own
#   trace_clear          forget what was recorded
#   trace_stop           end it
#   trace_events EVENT   print the recorded lines of an event, oldest first
#   trace_get EVENT FIELD...
#                        print these fields of each of them, one event a line;
#                        the field time_us is when it was emitted, in
#                        microseconds on CLOCK_MONOTONIC, as in sastorm's log
#   trace_times EVENT    the same as trace_get EVENT time_us
#   trace_count EVENT    print how many there are
#   trace_lost           print how many records were overwritten since
#                        trace_start or trace_clear, for lack of room; a test
#                        that counts events wants 0

TRACE_INSTANCE=/sys/kernel/tracing/instances/selftest.$$
TRACE_EVENTS="ib_mad_post ib_mad_retry ib_mad_busy ib_mad_timeout ib_mad_done ib_mad_backoff_reset"

# For each processor: room for 10,000 requests with some retries each.
TRACE_BUFFER_KB=${TRACE_BUFFER_KB:-8192}

trace_start() {
	local class=${1:-} event events=$TRACE_INSTANCE/events/ib_mad

	mkdir "$TRACE_INSTANCE" || return 1
	echo "$TRACE_BUFFER_KB" > "$TRACE_INSTANCE/buffer_size_kb" &&
		echo mono > "$TRACE_INSTANCE/trace_clock" || return 1
	# Test classes alone, so that the subnet's own traffic does not count.
	for event in $TRACE_EVENTS; do
		[ -z "$class" ] ||
			echo "mgmt_class == $((class))" \
				> "$events/$event/filter" || return 1
		echo 1 > "$events/$event/enable" || return 1
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

# A line is "TASK [CPU] FLAGS SECONDS.MICROSECONDS: EVENT: NAME=VALUE...", of
# which TASK may hold blanks, so the time is found from the event's name.
trace_get() {
	awk -v event="$1" -v wanted="${*:2}" '
		BEGIN { columns = split(wanted, column) }
		start = index($0, ": " event ": ") {
			split("", value)
			time = substr($0, 1, start - 1)
			gsub(/.* |\./, "", time)
			value["time_us"] = time
			fields = split(substr($0, start), field)
			for (i = 3; i <= fields; i++) {
				equal = index(field[i], "=")
				name = substr(field[i], 1, equal - 1)
				value[name] = substr(field[i], equal + 1)
			}
			line = ""
			for (i = 1; i <= columns; i++)
				line = line (i > 1 ? " " : "") value[column[i]]
			print line
		}' "$TRACE_INSTANCE/trace"
}

trace_times() {
	trace_get "$1" time_us
}

trace_count() {
	grep -c " $1: " "$TRACE_INSTANCE/trace"
}

trace_lost() {
	awk '/^(overrun|dropped events):/ { lost += $NF } END { print lost + 0 }' \
		"$TRACE_INSTANCE"/per_cpu/cpu*/stats
}
