#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Without a policy ib_mad does what it has always done: R + 1 sends, the wait T
# after each, BUSY delivered at once. All of it is measured from outside, at the
# server and at the caller, so that the very same test runs on the stock kernel
# and on the patched one.

. "$TOP/selftests/mad/lib.sh"

# Ask once with the given answers; T = 300, R = 4
ask() {
	sastorm_start --answers "$1" || return 1
	sastorm_ask -T 300 -R 4
	sastorm_stop
}

# Arrivals, then the interval between any two of them
sends() {
	equal "$1" "${server[arrivals]}" &&
		{ [ "$1" -eq 1 ] || mad_measure | between "$(mad_earliest 300)" "$(mad_latest 300)"; }
}

gives_up_after() {
	equal 1 "${client[timeout]}" &&
		echo $((client[elapsed_us] / 1000)) | between "$1" "$2"
}

no_answer() {
	ask drop && sends 5
}

late_answer() {
	ask 'drop*2,good' && sends 3 && equal 1 "${client[good]}"
}

busy_answer() {
	ask 'busy*9' && sends 1 && equal 1 "${client[busy]}"
}

no_retries() {
	sastorm_start --answers drop || return 1
	sastorm_ask -T 400 -R 0
	sastorm_stop
	sends 1 && gives_up_after "$(mad_earliest 400)" "$(mad_latest 400)"
}

no_response_expected() {
	sastorm_start --answers drop || return 1
	sastorm_ask -T 0 -R 5
	sleep 3
	sastorm_stop
	sends 1 && equal 1 "${client[sent]}"
}

mad_begin 6
mad_check "no answer: 5 sends, 300 ms apart" no_answer
mad_check "no answer: given up after 5 waits" gives_up_after 1500 $(($(mad_latest 300) * 5))
mad_check "answered at the third attempt: 3 sends" late_answer
mad_check "BUSY: delivered at once, no retry" busy_answer
mad_check "no retries asked: 1 send, given up after T" no_retries
mad_check "no response expected: 1 send, whatever retries" no_response_expected
mad_end
