#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# RMPP: a response in segments of which some are lost. The sender, ib_mad on the
# server's side, waits for an ACK of each window and sends it again; each ACK
# that moves the window starts the backoff over. Runs in virtual time.

. "$TOP/selftests/mad/lib.sh"

SEGMENTS=200

ask_table() {
	trace_clear
	sastorm_start --segments $SEGMENTS --rmpp-timeout "$1" --rmpp-retries 6 ||
		return 1
	sastorm_ask -M GetTable -a NodeRecord -T 60000 -R 0
	sastorm_stop
}

# Retries of the response, method GetTableResp
rmpp_retries() {
	trace_events ib_mad_retry | grep -c "method=0x92.*cause=RMPP"
}

complete_without_loss() {
	ask_table 200
	equal 1 "${client[good]}" && equal 0 "$(rmpp_retries)" &&
		equal 0 "$(trace_count ib_mad_backoff_reset)"
}

complete_with_loss() {
	transport_lose 10 || return 1
	ask_table "$1"
	transport_lose 0
	equal "1 0" "${client[good]} ${client[rmpp_corrupt]}" && [ "$(rmpp_retries)" -gt 1 ]
}

# Every backoff that had begun is started over by the ACK of its window
starts_over() {
	local resets

	resets=$(trace_count ib_mad_backoff_reset)
	[ "$resets" -gt 0 ] &&
		equal RMPP_ACK "$(trace_get ib_mad_backoff_reset cause | sort -u)" &&
		[ "$(trace_get ib_mad_retry backoff_step | sort -n | tail -n 1)" -lt "$(trace_get ib_mad_retry retry | sort -n | tail -n 1)" ]
}

# T = 200 and the first retry of a window: 200 to 711
first_retry_of_a_window() {
	trace_events ib_mad_retry | grep "backoff_step=1 " |
		sed -n 's/.* wait_ms=\([^ ]*\).*/\1/p' | between 200 711
}

# A time-out above 2 s waits 2 s for an ACK, and backs off from there
two_second_rule() {
	transport_lose 10 || return 1
	ask_table 9000
	transport_lose 0
	equal 1 "${client[good]}" &&
		trace_events ib_mad_retry | grep "backoff_step=1 " |
			sed -n 's/.* wait_ms=\([^ ]*\).*/\1/p' | between 2000 2511
}

mad_begin 7
mad_check "off, no loss: no retry" complete_without_loss
mad_check "off, one packet in ten lost: complete" complete_with_loss 200
mad_policy randomized_wait=Y
mad_check "backoff, no loss: no retry, no start over" complete_without_loss
mad_check "backoff, one packet in ten lost: complete" complete_with_loss 200
mad_check "an ACK that moves the window starts over" starts_over
mad_check "the first retry of a window waits as the table says" first_retry_of_a_window
mad_check "the wait for an ACK is 2 s, then backs off" two_second_rule
mad_end
