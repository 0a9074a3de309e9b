#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Which mode do the tools choose, and what do they say about it? Obstacles are
# real ones: modules without BTF, with that of another kernel, a kernel that is
# locked down. For the virtual machine, with and without --stock.

# shellcheck source=selftests/tools/lib.sh
. "$TOP/selftests/tools/lib.sh"
# shellcheck source=selftests/lib/stack.sh
. "$TOP/selftests/lib/stack.sh"

if [ -e /sys/module/ib_core/parameters/randomized_wait ] ||
	{ modprobe -q ib_core &&
	  [ -e /sys/module/ib_core/parameters/randomized_wait ]; }; then
	BEST=events
else
	BEST=fentry
fi

start_line() {
	"$MADRETRY_TOP" --json "$@" 0.1 1 > "$TOP_DIR/out" 2> "$TOP_DIR/err" ||
		{ echo "# $(head -c 500 "$TOP_DIR/err")"; return 1; }
	head -n 1 "$TOP_DIR/out"
}

# MODE PART_OF_REASON [OPTION]...
chooses() {
	local mode=$1 reason=$2 line

	shift 2
	line=$(start_line "$@") || { echo "$line"; return 1; }
	equal mode "$(jq -r .mode <<< "$line")" "$mode" &&
		[[ $(jq -r .mode_reason <<< "$line") == *"$reason"* ]] &&
		[ ! -s "$TOP_DIR/err" ] && return
	echo "# $line"
	return 1
}

best_by_default() {
	if [ $BEST = events ]; then
		chooses events null
	else
		chooses fentry "ib_mad:ib_mad_post is missing"
	fi
}

each_when_asked() {
	local mode

	for mode in events fentry kprobe; do
		[ $mode != events ] || [ $BEST = events ] || continue
		chooses $mode null --mode $mode || return 1
	done
}

text_says_mode() {
	"$MADRETRY_TOP" --mode fentry 0.1 1 > "$TOP_DIR/out" &&
		grep -q '^Mode fentry' "$TOP_DIR/out" &&
		grep -q 'waits are inferred' "$TOP_DIR/out"
}

events_refused() {
	refuses 1 "$MADRETRY_TOP" --mode events &&
		says "cannot trace in mode events: .*ib_mad_post is missing"
}

other_tools_have_modes() {
	local tool

	"$BUILD/tools/madretry-hist" --json --mode kprobe 0.1 1 |
		head -n 1 | jq -e '.mode == "kprobe" and .waits_inferred' \
		> /dev/null || { echo "# madretry-hist"; return 1; }
	for tool in hist export snoop; do
		refuses 2 "$BUILD/tools/madretry-$tool" --mode nosuch &&
			says "auto, events, fentry, kprobe" || return 1
	done
}

# A copy of the loaded ib_core, changed by objcopy, takes its place
with_other_ib_core() {
	stack_unload || return 1
	objcopy "$@" "$(modinfo -n ib_core)" "$TOP_DIR/ib_core.ko" &&
		insmod "$TOP_DIR/ib_core.ko" && return
	modprobe ib_core
	return 1
}

own_ib_core() {
	stack_unload && modprobe ib_core
}

module_without_btf() {
	local status=0

	with_other_ib_core --remove-section .BTF || return 1
	chooses kprobe "the module ib_core has no BTF" || status=1
	refuses 1 "$MADRETRY_TOP" --mode fentry && says "has no BTF" ||
		status=1
	own_ib_core || status=1
	return $status
}

# A first type that this kernel has no kind for
module_of_another_kernel() {
	local file status=0

	file=$(modinfo -n ib_core)
	objcopy -O binary --only-section .BTF --set-section-flags .BTF=alloc \
		"$file" "$TOP_DIR/btf" || return 1
	# After a header of 24 bytes and the type's name
	printf '\377\377\377\177' |
		dd of="$TOP_DIR/btf" bs=1 seek=28 conv=notrunc 2> /dev/null
	with_other_ib_core --update-section .BTF="$TOP_DIR/btf" || return 1
	[ ! -e /sys/kernel/btf/ib_core ] ||
		{ echo "# the kernel has accepted it"; status=1; }
	chooses kprobe "BTF mismatch" || status=1
	own_ib_core || status=1
	return $status
}

nothing_works() {
	# shellcheck disable=SC2016 # for the inner shell
	refuses 1 unshare --mount sh -c '
		mount -t tmpfs none /sys/kernel/tracing &&
		mount -t tmpfs none /sys/kernel/debug &&
		mount -t tmpfs none /sys/kernel/btf && exec "$0"' \
		"$MADRETRY_TOP" && says "tracefs is not mounted"
}

verbose_says_why() {
	"$MADRETRY_TOP" -v --mode auto --json 0.1 1 > "$TOP_DIR/out" \
		2> "$TOP_DIR/err"
	[ $BEST = events ] || says "not in mode events: "
}

# There is no way back from these, so they are the last
locked_down_integrity() {
	lock_down integrity && chooses $BEST ""
}

locked_down_confidentiality() {
	lock_down confidentiality && refuses 1 "$MADRETRY_TOP" &&
		says "locked down (confidentiality)"
}

lock_down() {
	local file=/sys/kernel/security/lockdown

	[ -e $file ] || mount -t securityfs none /sys/kernel/security
	echo "$1" > $file && grep -q "\[$1\]" $file && return
	echo "# the kernel cannot be locked down"
	return 1
}

need_commands jq bpftool objcopy unshare
ktap_print_header
[ -d /sys/module/ib_core ] || skip_all "no module ib_core for this kernel"
trap 'rm -rf "$TOP_DIR"' EXIT
mount -t tracefs none /sys/kernel/tracing 2> /dev/null
tests="best_by_default		auto is the best that this kernel can do
each_when_asked			each mode when it is asked for
text_says_mode			text says the mode and what it lacks
other_tools_have_modes		other tools have the option, too
module_without_btf		ib_core without BTF: kprobe
module_of_another_kernel	ib_core with BTF of another kernel: kprobe
nothing_works			neither BTF nor tracefs: one line
verbose_says_why		-v says why not a better mode
none_attached			nothing is left attached"
[ $BEST = events ] || tests+="
events_refused			mode events on a stock kernel: one line"
tests+="
locked_down_integrity		locked down (integrity) it works
locked_down_confidentiality	locked down (confidentiality) it says so"
run_tests "$@" <<< "$tests"
ktap_finished
