# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# What the tests of ib_mad's retries share, for them to source. They run on the
# transport that TRANSPORT names; selftests/lib/transport.sh describes it.
#
#   mad_begin PLAN       TAP header and plan, transport, trace of class SA
#   mad_end              take all of it down and end the test
#   mad_policy NAME=VALUE...
#                        set module parameters of ib_core
#   mad_default_policy   set all of them back
#   mad_measure          print the times between the arrivals of the request at
#                        the server, in milliseconds, one a line
#   mad_check DESCRIPTION COMMAND [ARG]...
#                        one test: does COMMAND succeed?
#   mad_earliest MS      print when a wait of MS has ended at the earliest,
#   mad_latest MS        and at the latest
#   between LOW HIGH     is every number on stdin in the range?
#   equal EXPECTED ACTUAL
#                        are the two equal?

. "$BUILD/kernel/source/tools/testing/selftests/kselftest/ktap_helpers.sh"
. "$TOP/selftests/lib/transport.sh"
. "$TOP/selftests/lib/trace.sh"

MAD_PARAMETERS=/sys/module/ib_core/parameters
MAD_CLASS_SA=0x03

# A wait starts within a jiffy, so it may end one early: 4 ms at 250 Hz.
mad_earliest() {
	echo $(($1 - 4))
}

# The kernel's timer wheel lets a timer be late by an eighth of its time. Add
# 10 ms: two jiffies of rounding, and the way.
mad_latest() {
	echo $(($1 + $1 / 8 + 10))
}

mad_have_policy() {
	[ -e "$MAD_PARAMETERS/randomized_wait" ]
}

mad_begin() {
	ktap_print_header
	trap 'trace_stop; transport_down; sastorm_clean_up' EXIT
	transport_up
	if mad_have_policy; then
		trace_start "$MAD_CLASS_SA" || ktap_exit_fail_msg "no trace events"
		mad_default_policy
	fi
	ktap_set_plan "$1"
}

mad_end() {
	if mad_have_policy; then
		mad_default_policy
	fi
	ktap_finished
}

mad_policy() {
	local setting

	for setting; do
		echo "${setting#*=}" > "$MAD_PARAMETERS/${setting%%=*}" || return 1
	done
}

mad_default_policy() {
	mad_policy randomized_wait=N treat_busy_as_timeout=N \
		retry_budget=retries retry_classes=gs
}

mad_measure() {
	awk '!/^#/ { t = $1 / 1000; if (n++) printf "%.0f\n", t - last; last = t }' \
		"$SASTORM_LOG"
}

between() {
	awk -v low="$1" -v high="$2" '
		{ n++; if ($1 < low || $1 > high) bad = bad " " $1 }
		END {
			if (bad != "") print "# not in " low ".." high ":" bad
			exit bad != "" || !n
		}'
}

equal() {
	[ "$1" = "$2" ] && return
	echo "# expected '$1', got '$2'"
	return 1
}

mad_check() {
	local description=$1

	shift
	if "$@"; then
		ktap_test_pass "$description"
	else
		ktap_test_fail "$description"
	fi
}
