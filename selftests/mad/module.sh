#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The patched ib_core as a module: the distribution's own modules load beside
# it, its parameters take and refuse values, and devices and modules can go
# while requests wait.

. "$TOP/selftests/mad/lib.sh"
. "$TOP/selftests/lib/stack.sh"

is_patched() {
	mad_have_policy && equal ib_core "$(basename "$(readlink -f /sys/module/ib_core)")"
}

# A module of the distribution is signed, one that was built here is not
stock_module_loads() {
	modprobe "$1" || return 1
	[ -d "/sys/module/$1" ] && equal "" "$(cat "/sys/module/$1/taint")"
}

# A kernel may have been built without drivers for hardware
check_stock_module() {
	local description="the distribution's $1 loads beside it"

	if modprobe -qn "$1"; then
		mad_check "$description" stock_module_loads "$1"
	else
		ktap_test_skip "$description"
	fi
}

parameter() {
	local name=$1 value=$2 expected=$3

	mad_policy "$name=$value" && equal "$expected" "$(cat "$MAD_PARAMETERS/$name")"
}

refuses() {
	local name=$1 value=$2 before

	before=$(cat "$MAD_PARAMETERS/$name")
	! mad_policy "$name=$value" 2> /dev/null &&
		equal "$before" "$(cat "$MAD_PARAMETERS/$name")"
}

parameters_take_values() {
	parameter randomized_wait 1 Y && parameter randomized_wait N N &&
		parameter treat_busy_as_timeout y Y &&
		parameter retry_budget time 'time' &&
		parameter retry_classes sa 0x03 &&
		parameter retry_classes cm,0x04,6 0x04,0x06,0x07 &&
		parameter retry_classes sm 0x01,0x81 &&
		parameter retry_classes all all &&
		parameter retry_classes none none &&
		parameter retry_classes sm,gs all &&
		parameter retry_classes gs gs
}

parameters_refuse_values() {
	refuses randomized_wait maybe && refuses treat_busy_as_timeout 2 &&
		refuses retry_budget both && refuses retry_budget '' &&
		refuses retry_classes foo && refuses retry_classes '' &&
		refuses retry_classes 256 && refuses retry_classes sa,,cm &&
		refuses retry_classes 1-3
}

defaults() {
	equal "N N retries gs" "$(cd "$MAD_PARAMETERS" &&
		cat randomized_wait treat_busy_as_timeout retry_budget retry_classes | xargs)"
}

# Requests that wait for minutes, from a program that is still there
start_waiting() {
	trace_clear
	sastorm_start --answers drop || return 1
	sastorm_ask -n 20 -m 20 -T 100 -R 99 &
	client_job=$!
	fabric_wait enough_retries
}

enough_retries() {
	[ "$(trace_count ib_mad_retry)" -ge 40 ]
}

all_completed() {
	equal 20 "$(trace_count ib_mad_post)" && equal 20 "$(trace_count ib_mad_done)" &&
		equal WR_FLUSH_ERR "$(trace_get ib_mad_done status | sort -u)"
}

program_ends() {
	local status

	mad_policy randomized_wait=Y
	start_waiting || return 1
	pkill -KILL -f 'sastorm client'
	wait "$client_job"
	all_completed
	status=$?
	sastorm_stop
	return $status
}

device_goes() {
	local status

	start_waiting || return 1
	transport_remove
	all_completed
	status=$?
	pkill -KILL -f 'sastorm client'
	wait "$client_job"
	sastorm_stop
	transport_down
	return $status
}

# All the way down, and up again
core_unloads() {
	stack_unload &&
		modprobe ib_core randomized_wait=1 retry_classes=sa &&
		equal "Y N retries 0x03" "$(cd "$MAD_PARAMETERS" &&
			cat randomized_wait treat_busy_as_timeout retry_budget retry_classes | xargs)" &&
		modprobe -r ib_core &&
		! modprobe ib_core retry_budget=never 2> /dev/null
}

modules="ib_umad rdma_cm ib_uverbs rdma_rxe ib_ipoib mlx5_ib"

mad_begin 13
mad_check "ib_core is the patched one" is_patched
for module in $modules; do
	check_stock_module "$module"
done
mad_check "the parameters are off by default" defaults
mad_check "the parameters take values" parameters_take_values
mad_check "the parameters refuse values" parameters_refuse_values
mad_default_policy
mad_check "a program is killed while its requests back off: flushed" program_ends
mad_check "a device goes while requests back off: flushed" device_goes
trace_stop
mad_check "ib_core unloads and takes parameters when loaded" core_unloads
ktap_finished
