#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The ends act by themselves, as an application would: the active one on its ports'
# events, the passive one on the SA's notices, to which sa_notice has subscribed.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$TOP/selftests/apm/lib.sh"

notices=$FABRIC_DIR/notices

subscribed() {
	[ "$(grep -c subscribed "$notices.err")" -eq 1 ]
}

subscribe() {
	"$BUILD/apm/sa_notice" --device vfab2 --port 1 --port 2 \
		> "$notices" 2> "$notices.err" &
	subscriber=$!
	fabric_wait subscribed
}

# sa_notice says what the SA says: a port goes, and comes back.
has_line() {
	grep -qx "$1" "$notices"
}

short_gid() {
	port_gid "$1" "$2" | sed 's/0000:0000:0000:/:/; s/:0*\([0-9a-f]\)/:\1/g'
}

prints_notices() {
	local gid

	gid=$(short_gid vfab1 1)
	subscribe || return 1
	knob vfab1 1 link 0
	fabric_wait has_line "out $gid" || return 1
	knob vfab1 1 link 1
	fabric_wait has_line "in $gid" || return 1
	kill "$subscriber"
	wait "$subscriber" || return 1
	# it has said goodbye: nothing comes any more, also not to nobody
	: > "$notices"
	knob vfab1 1 link 0
	fabric_wait_state vfab1 1 DOWN && apm_mend vfab1 1 && equal "" "$(< "$notices")"
}

no_sa() {
	! "$BUILD/apm/sa_notice" --device nosuch > "$notices" 2> "$notices.err" &&
		equal "" "$(< "$notices")" && equal 1 "$(wc -l < "$notices.err")"
}

# No message runs, so the passive end has nothing else to learn it from
passive_follows() {
	local port

	apm_connect && apm_armed && apm set follow=1 || return 1
	"$BUILD/apm/sa_notice" --device vfab2 --port 1 --port 2 \
		--output $APM_DEBUGFS/notice 2> "$notices.err" &
	subscriber=$!
	fabric_wait subscribed || return 1
	for port in 1 2; do
		apm reset
		knob vfab1 $port link 0
		apm wait passive_notice_out && apm wait migrated || return 1
		apm_counts active_migrate=1 passive_migrate=1 active_path_mig=1 \
			passive_path_mig=1 active_msg_sent=0 passive_msg_sent=0 || return 1
		knob vfab1 $port link 1
		apm wait passive_notice_in && apm wait active_apr_success &&
			apm_armed || return 1
	done
	kill "$subscriber"
	wait "$subscriber"
}

apm_begin 4
apm_check "sa_notice prints ports going out of and in service" prints_notices
apm_check "sa_notice without its device: one line, status 2" no_sa
apm_check "the passive end migrates on the SA's notice, re-arms on LAP" passive_follows
apm_end
