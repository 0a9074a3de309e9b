#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Tests that the kernel of "make test-debug" notices what it is there for: each
# fault that kernel_fault.ko can do must end the machine with status 122, and
# doing none must not. Runs on the host, prints KTAP. BUILD is the debug
# kernel's build folder.
set -u

here=$(cd "$(dirname "$0")" && pwd -P)
: "${BUILD:?is the build folder of the debug kernel, build/debug}"

# shellcheck source=/dev/null
. "$BUILD/kernel/source/tools/testing/selftests/kselftest/ktap_helpers.sh"

faults="kasan deadlock atomic preempt rcu object leak"
readonly warned=122	# vm/run: the kernel reported a bug

err=$(mktemp)
trap 'rm -f "$err"' EXIT

# The insmod always fails; that it got as far as the fault is told by its words.
commit() {	# fault
	# shellcheck disable=SC2016 # expanded in the guest
	"$here/../vm/run" --no-tty --mem 3G -- sh -c \
		'insmod "$BUILD/fault/kernel_fault.ko" fault='"$1"' 2>&1 |
			grep -q "Operation canceled"' > /dev/null 2> "$err" < /dev/null
}

expect() {	# status wanted, fault, description
	local status

	commit "$2"
	status=$?
	if [ "$status" -eq "$1" ]; then
		ktap_test_pass "$3"
		return
	fi
	ktap_test_fail "$3"
	echo "# got status $status, wanted $1"
	tail -n 20 "$err" | sed 's/^/# /'
}

ktap_print_header
# shellcheck disable=SC2086 # a list
set -- $faults
ktap_set_plan $(($# + 1))
expect 0 none "no fault, no report"
for fault; do
	expect "$warned" "$fault" "$fault is reported"
done
ktap_finished
