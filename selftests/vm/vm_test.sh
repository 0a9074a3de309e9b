#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests selftests/vm/run itself. Runs on the host, prints KTAP.
set -u

here=$(cd "$(dirname "$0")" && pwd -P)
BUILD=${BUILD:-$(cd "$here/../.." && pwd -P)/build}
export BUILD
run=$here/run

# shellcheck source=/dev/null
. "$BUILD/kernel/source/tools/testing/selftests/kselftest/ktap_helpers.sh"

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export TMPDIR=$work/tmp	# what a run leaves behind would be seen here
mkdir "$TMPDIR"

# Prints what the machine said when a check fails.
check() {	# description, shell condition...
	local description=$1

	shift
	if "$@"; then
		ktap_test_pass "$description"
		return
	fi
	ktap_test_fail "$description"
	echo "# failed: $*"
	sed 's/^/# /' "$work/err" 2> /dev/null | tail -n 20
}

is() {	# got, wanted
	[ "$1" = "$2" ] && return
	echo "# got '$1', wanted '$2'"
	return 1
}

# Runs in the machine; leaves out, err and status in $work.
vm() {
	"$run" --no-tty "$@" > "$work/out" 2> "$work/err" < /dev/null
	status=$?
}

err_has() {	# fixed string
	grep -qF -- "$1" "$work/err"
}

wait_for_text() {	# file, text; up to 60 s
	local i

	for ((i = 0; i < 600; i++)); do
		grep -qF "$2" "$1" 2> /dev/null && return
		sleep 0.1
	done
	echo "# no '$2' in $1"
	return 1
}

ends_within() {	# seconds, pid
	local i

	[ -n "$2" ] || return 1
	for ((i = 0; i < $1 * 10; i++)); do
		# A zombie is gone, too: whoever must wait for it may be slow.
		grep -q '^State:.[^Z]' "/proc/$2/status" 2> /dev/null || return 0
		sleep 0.1
	done
	return 1
}

test_output_and_status() {
	local wanted

	wanted=$(seq 1 150000 | sha256sum)
	vm -- sh -c 'seq 1 150000; seq 1 150000 | tac >&2; exit 255'
	check "exit status 255" is "$status" 255
	check "a megabyte of stdout is complete" \
		is "$(sha256sum < "$work/out")" "$wanted"
	check "a megabyte of stderr is complete and apart" \
		is "$(tac "$work/err" | sha256sum)" "$wanted"
}

test_two_at_once() {
	local other

	"$run" --stock --no-tty -- sh -c 'echo stock; exit 7' \
		> "$work/out2" 2> /dev/null &
	other=$!
	vm -- sh -c 'echo patched'
	wait "$other"
	check "two at once: status of the first" is "$?" 7
	check "two at once: output of the first" is "$(cat "$work/out2")" stock
	check "two at once: status of the second" is "$status" 0
	check "two at once: output of the second" is "$(cat "$work/out")" patched
}

test_hang() {
	local begin=$SECONDS

	vm --timeout 5 -- sh -c 'echo sleeping > /dev/kmsg; sleep 1000'
	check "hung: status" is "$status" 124
	check "hung: ended soon after the limit" \
		test $((SECONDS - begin)) -le 100
	check "hung: kernel log shown" err_has "sleeping"
	check "hung: the hung process shown" err_has "hrtimer_nanosleep"
}

test_panic() {
	vm -- sh -c 'echo before; echo c > /proc/sysrq-trigger'
	check "panic: status" is "$status" 120
	check "panic: kernel log shown" err_has "sysrq triggered crash"
	check "panic: output from before is there" \
		is "$(cat "$work/out")" before
}

test_reboot() {
	vm -- sh -c 'echo b > /proc/sysrq-trigger; sleep 100'
	check "guest ended without a status: status" is "$status" 121
}

# 512 is what the kernel sets after a WARN().
test_kernel_warning() {
	vm -- sh -c 'echo seen > /dev/kmsg; echo 512 > /proc/sys/kernel/tainted'
	check "kernel warning: status" is "$status" 122
	check "kernel warning: kernel log shown" err_has "seen"
	vm --allow-warn -- sh -c 'echo 512 > /proc/sys/kernel/tainted; exit 3'
	check "kernel warning allowed: the command's status" is "$status" 3
}

# Starts a run in the background: pid is supervise's, qemu its child's.
start_background() {
	local i

	rm -f "$work/out"
	env --default-signal=INT "$run" --no-tty -- \
		sh -c 'echo started; sleep 1000' > "$work/out" 2> "$work/err" &
	pid=$!
	for ((i = 0; i < 300; i++)); do
		qemu=$(pgrep -P "$pid" -f qemu-system) && return
		sleep 0.1
	done
}

test_signals() {
	start_background
	wait_for_text "$work/out" started
	kill -INT "$pid"
	wait "$pid"
	check "SIGINT: status" is "$?" 130
	check "SIGINT: QEMU is gone" ends_within 2 "$qemu"

	# While it boots: later the agent would miss supervise, and end as well.
	start_background
	kill -KILL "$pid"
	wait "$pid" 2> /dev/null
	check "SIGKILL: QEMU is gone" ends_within 2 "$qemu"
	check "no temporary file is left" is "$(ls -A "$TMPDIR")" ""
}

# Also below /tmp, which the guest sees empty but for this.
test_odd_path() {
	local top="$work/a  b,c=d/repo" saved=$BUILD

	mkdir -p "$top/selftests" "$top/build"
	cp -r "$here" "$top/selftests/vm"
	cp -r "$BUILD/vm" "$top/build/vm"
	cat > "$top/say" <<-'END'
		#!/bin/sh
		printf '%s\n' "$PWD" "$BUILD" "$@"
	END
	chmod +x "$top/say"
	BUILD=$top/build
	(cd "$top" && "$top/selftests/vm/run" --no-tty -- ./say 'a  b' '' "c'd" \
		> "$work/out" 2> "$work/err" < /dev/null)
	check "path with spaces and commas: status" is "$?" 0
	BUILD=$saved
	check "path with spaces and commas: folder and arguments" \
		is "$(cat "$work/out")" \
		"$(printf '%s\n' "$top" "$top/build" 'a  b' '' "c'd")"
	rm -rf "$work/a  b,c=d"
}

test_virtual_time() {
	local begin=$SECONDS slept

	# Files are read in between: the clock must not jump meanwhile.
	# shellcheck disable=SC2016 # expanded in the guest
	vm --virtual-time -- sh -c 'a=$(date +%s%N); sleep 600
		find /usr/lib/python3* /usr/share/doc -name "*a*" -type f 2> /dev/null |
			head -n 100 | xargs cat > /dev/null
		b=$(date +%s%N); echo $(((b - a) / 1000000))'
	slept=$(cat "$work/out")
	check "virtual time: status" is "$status" 0
	check "virtual time: ten minutes take less than five" \
		test $((SECONDS - begin)) -lt 300
	check "virtual time: the guest saw ten minutes and up to 5 s" \
		test "${slept:-0}" -ge 600000 -a "${slept:-0}" -le 605000
}

# The terminal is made by script(1). The guest prints its window's size at the
# start and when it changes; the host changes it once it sees the first.
test_terminal() {
	cat > "$work/terminal" <<-END
		stty rows 33 cols 101
		stty -g > "$work/before"
		(
			until grep -q 'size 33 101' "$work/typescript"; do
				sleep 0.2
			done
			stty rows 44 cols 90 < /dev/tty
		) &
		"$run" -- bash -c 'report() { echo size \$(stty size); }
			trap "report; seq 30000; exit 9" WINCH
			test -t 0 && test -t 2 && echo is a terminal
			report
			for i in {1..40}; do sleep 0.5; done
			exit 8'
		echo status \$?
		stty -g > "$work/after"
		stty rows 33 cols 101
	END
	cp "$work/terminal" "$work/err"
	script -qfec "bash '$work/terminal'" "$work/typescript" \
		< /dev/null > /dev/null 2>&1
	cp "$work/typescript" "$work/err"
	check "terminal: the command has one" err_has "is a terminal"
	check "terminal: size at the start" err_has "size 33 101"
	check "terminal: a change of size arrives" err_has "size 44 90"
	check "terminal: output is complete" \
		test "$(grep -cE '^[0-9]+.?$' "$work/err")" = 30000
	check "terminal: exit status" err_has "status 9"
	check "terminal: restored" \
		is "$(cut -d: -f1-4 "$work/after")" "$(cut -d: -f1-4 "$work/before")"
}

test_bad_input() {
	vm
	check "no command: status" is "$status" 125
	vm --mem lots -- true
	check "bad size: status" is "$status" 125
	check "bad size: one line" is "$(wc -l < "$work/err")" 1
	BUILD=$work/nowhere vm -- true
	check "not built: status" is "$status" 125
	check "not built: says what to run" err_has "make vm"
	vm -- /no/such/program
	check "no such program: status" is "$status" 127
}

ktap_print_header
ktap_set_plan 39
test_bad_input
test_output_and_status
test_two_at_once
test_hang
test_panic
test_reboot
test_kernel_warning
test_signals
test_odd_path
test_virtual_time
test_terminal
ktap_finished
