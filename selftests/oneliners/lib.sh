# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# Runs the one-liners of bpf/oneliners, for tests to source.
#
#   lines_begin            TAP header; ends the test as skipped without bpftrace
#   lines_start NAME[=ARGUMENT]...
#                          start NAME.bt of each, or NAME.stock.bt on a kernel that
#                          has not the events, at once; returns when all are attached
#   lines_stop NAME...     end them
#   lines_out NAME         print what it has printed
#   lines_sum NAME [KEYS [MAP]]
#                          sum of the numbers in its maps, of the keys (regular
#                          expression) and the map given
#   lines_bins NAME        print its histograms, a line "KEYS LOW COUNT" for each row
#   lines_bin_sum NAME [KEYS [LOW [HIGH]]]
#                          sum of the rows from LOW to HIGH
#   lines_check NAME DESCRIPTION COMMAND [ARG]...
#                          one test; shows what the one-liner printed if it fails
#   same WHAT ACTUAL EXPECTED
#
# The program is $BPFTRACE, "bpftrace" if that is not set. Needs BUILD, TOP and root.

# shellcheck source=/dev/null
. "$BUILD/kernel/source/tools/testing/selftests/kselftest/ktap_helpers.sh"

BPFTRACE=${BPFTRACE:-bpftrace}
LINES_START_S=600	# bpftrace needs some seconds of an emulated processor
LINES_CHILD="/bin/sh $TOP/selftests/oneliners/attached"	# -c takes no script
LINES_DIR=$(mktemp -d)
declare -A lines_pid lines_child

lines_begin() {
	ktap_print_header
	command -v "${BPFTRACE%% *}" > /dev/null || {
		ktap_skip_all "no bpftrace: install the package bpftrace"
		exit "$KSFT_SKIP"
	}
	mkfifo "$LINES_DIR/ready"
	exec {LINES_READY}<> "$LINES_DIR/ready"
}

# Do the running modules have the events of madretry?
lines_patched() {
	[ -e /sys/module/ib_core/parameters/randomized_wait ]
}

lines_file() {
	local file=$TOP/bpf/oneliners/$1

	if ! lines_patched && [ -e "$file.stock.bt" ]; then
		echo "$file.stock.bt"
	else
		echo "$file.bt"
	fi
}

lines_start() {
	local line name child argument left=$#

	for line; do
		name=${line%%=*}
		argument=()
		[ "$line" = "$name" ] || argument=("${line#*=}")
		# shellcheck disable=SC2086 # words of a command
		$BPFTRACE -c "$LINES_CHILD $LINES_DIR/ready $name" \
			"$(lines_file "$name")" "${argument[@]}" \
			> "$LINES_DIR/$name" 2> "$LINES_DIR/$name.err" &
		lines_pid[$name]=$!
	done
	while ((left-- > 0)); do
		read -r -t $LINES_START_S -u "$LINES_READY" name child || {
			lines_complain
			return 1
		}
		lines_child[$name]=$child
	done
}

lines_complain() {
	local name

	for name in "${!lines_pid[@]}"; do
		[ -n "${lines_child[$name]:-}" ] ||
			ktap_print_msg "$name is not attached: $(tail -n 3 "$LINES_DIR/$name.err")"
	done
}

lines_stop() {
	local name

	for name; do
		kill "${lines_child[$name]}"
	done
	for name; do
		wait "${lines_pid[$name]}"
	done
}

lines_end() {
	kill "${lines_child[@]}" 2> /dev/null
	rm -rf "$LINES_DIR"
}

lines_out() {
	cat "$LINES_DIR/$1"
}

# A line is "@MAP[KEYS]: NUMBER"; with a stack it ends the key's last line
lines_sum() {
	KEYS=${2:-} MAP=^${3:-@} awk '
		/^@/ { key = $0 }
		/: -?[0-9]+$/ && key ~ ENVIRON["MAP"] && key ~ ENVIRON["KEYS"] {
			sum += $NF
		}
		END { print sum + 0 }' "$LINES_DIR/$1"
}

# A header "@MAP[KEYS]: ", rows "[LOW, HIGH) COUNT |@@@ |"; K is 1024
lines_bins() {
	awk '
		function number(text) {
			gsub(/[^-0-9KM]/, "", text)
			return text * (text ~ /K/ ? 1024 : text ~ /M/ ? 1048576 : 1)
		}
		/^@/ { sub(/: *$/, ""); key = $0 }
		/^[[(].*\|$/ {
			low = /^\(/ ? -1 : number($1)
			sub(/ *\|.*/, "")
			print key, low, $NF
		}' "$LINES_DIR/$1"
}

lines_bin_sum() {
	lines_bins "$1" | KEYS=${2:-} awk -v low="${3:--1}" -v high="${4:-1e12}" '
		$0 ~ ENVIRON["KEYS"] && $(NF - 1) >= low && $(NF - 1) <= high { sum += $NF }
		END { print sum + 0 }'
}

lines_check() {
	local name=$1 description=$2

	shift 2
	if "$@"; then
		ktap_test_pass "$name: $description"
	else
		sed 's/^/# /' "$LINES_DIR/$name" "$LINES_DIR/$name.err" | head -n 60
		ktap_test_fail "$name: $description"
	fi
}

same() {
	[ "$2" = "$3" ] && return
	ktap_print_msg "$1: '$2', expected '$3'"
	return 1
}
