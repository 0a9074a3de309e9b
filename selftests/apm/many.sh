#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# A thousand connections (CONNECTIONS) lose their path by one link failure: all
# migrate, and all are armed again by LAP and APR when the link is back.

# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$TOP/selftests/apm/lib.sh"

# On the debug kernel the answers to a thousand LAPs take longer than a LAP waits.
[ ! -e /sys/kernel/debug/kmemleak ] || : "${CONNECTIONS:=200}"
CONNECTIONS=${CONNECTIONS:-1000}
WAIT=timeout_ms=240000

connect_all() {
	apm connect active=vfab1 passive=vfab2 life=16 cm_timeout=18 size=64 \
		count="$CONNECTIONS" $WAIT && apm wait established $WAIT &&
		apm send && apm wait quiet $WAIT && apm wait armed $WAIT
}

# Each has messages under way when the link goes.
all_migrate() {
	apm send messages=3 || return 1
	knob vfab1 1 link 0
	apm send && apm wait quiet $WAIT && apm wait migrated $WAIT &&
		apm_counts active_path_mig="$CONNECTIONS" passive_path_mig="$CONNECTIONS" \
			active_notify="$CONNECTIONS" passive_notify="$CONNECTIONS"
}

all_rearm() {
	apm set follow=1 && apm_mend vfab1 1 &&
		apm wait active_apr_success messages="$CONNECTIONS" $WAIT &&
		apm send && apm wait quiet $WAIT && apm wait armed $WAIT &&
		apm wait idle $WAIT
}

all_intact() {
	apm_intact && apm_counts active_rearm="$CONNECTIONS" passive_rearm="$CONNECTIONS" \
		active_established="$CONNECTIONS" active_failed=0
}

check() {
	if "${@:2}"; then
		ktap_test_pass "$1"
	else
		grep -v ' 0$' $APM_DEBUGFS/counters | sed 's/^/# /'
		ktap_test_fail "$1"
	fi
}

apm_begin 5
check "$CONNECTIONS connections are armed" connect_all
check "one link goes: all migrate" all_migrate
check "the link is back: all are armed again" all_rearm
check "no message lost or doubled" all_intact
apm_clean
apm_end
