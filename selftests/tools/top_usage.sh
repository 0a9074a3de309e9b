#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# madretry-top in scripts: command lines, right and wrong, missing rights,
# pipes that end, signals, and what is left behind. For the virtual machine.

# shellcheck source=selftests/tools/lib.sh
. "$TOP/selftests/tools/lib.sh"
# shellcheck source=selftests/lib/rxe.sh
. "$TOP/selftests/lib/rxe.sh"

not_loaded() {
	local status=0

	modprobe -r rdma_ucm ib_umad ib_uverbs iw_cm ib_cm ib_core
	[ ! -e /sys/module/ib_core ] ||
		{ echo "# ib_core is in use"; return 1; }
	refuses 1 "$MADRETRY_TOP" && says "ib_core is not loaded" &&
		says modprobe || status=1
	modprobe ib_core
	return $status
}

help_and_version() {
	"$MADRETRY_TOP" --help > "$TOP_DIR/help" && "$MADRETRY_TOP" --version |
		grep -q '^madretry-top [0-9]' &&
		grep -q -- '--json' "$TOP_DIR/help" &&
		grep -q 'Examples:' "$TOP_DIR/help"
}

# Arguments; after a "|" what the message has to say
bad_command_lines="
--nonsense	| nonsense
-z		| z
0		| interval '0'
-1		| option -- .1
0.05		| interval '0.05'
nan		| interval 'nan'
1x		| interval '1x'
1 0		| count '0'
1 -3		| option -- .3
1 2.5		| count '2.5'
1 2 3		| '3'
-d nosuch	| rxe0, rxe1
-d ../rxe0	| rxe0, rxe1
-d		| requires an argument
-p 2		| no device has a port 2
-d rxe0 -p 7	| rxe0 has no port 7
-p x		| port 'x'
-p 1x		| port '1x'
-c nosuch	| SA, 
-c 0		| class '0'
-c 256		| class '256'
-c ''		| class
-a nosuch	| none of any class
-a 0x10000	| attribute '0x10000'
-c PM -a PathRecord	| none of PM
--mode nosuch	| auto, events, fentry, kprobe
-s nosuch	| retries
-s trend	| 'trend' cannot
-s client	| needs --by client
--columns nosuch	| per_request
--columns p50,p50	| 'p50' is named twice
--columns ''	| column ''
--columns retries,	| column ''
--columns client	| needs --by client
--by nosuch	| attribute, destination, client
--by ''	| attribute, destination, client
--stuck=0	| --stuck '0'
--stuck=8193	| --stuck '8193'
--max-rows 0	| --max-rows '0'
--max-rows 1e9	| --max-rows '1e9'
"

wrong_command_lines() {
	local arguments message status=0

	rxe_up
	while IFS='|' read -r arguments message; do
		[ -n "$message" ] || continue
		# shellcheck disable=SC2086 # words of a command line
		eval "set -- $arguments"
		refuses 2 "$MADRETRY_TOP" "$@" && says "${message# }" ||
			status=1
	done <<< "$bad_command_lines"
	return $status
}

ways_to_name_a_class() {
	local name

	for name in SA sa 3 0x03 SubnAdm SUBN_ADM; do
		"$MADRETRY_TOP" -c $name 0.1 1 |
			grep -q '^Tracing MAD requests of class SA on all devices' &&
			continue
		echo "# -c $name"
		return 1
	done
}

columns_are_listed() {
	"$MADRETRY_TOP" --columns list > "$TOP_DIR/out" &&
		grep -q '^retries *RETR/s *retries sent \*$' "$TOP_DIR/out" &&
		grep -q '^timeouts_budget *TBUD/s *requests given up, no time left$' \
			"$TOP_DIR/out"
}

not_root() {
	refuses 1 setpriv --reuid=65534 --clear-groups "$MADRETRY_TOP" &&
		says "run as root"
}

# Rights as root, but without those that matter
without_capability() {
	refuses 1 setpriv --bounding-set -sys_admin "$MADRETRY_TOP" &&
		says "run as root"
}

# The rights that the tool can see are all there, but not in the right place
in_user_namespace() {
	refuses 1 unshare --user --map-root-user "$MADRETRY_TOP" &&
		says "outside of a container"
}

without_kernel_btf() {
	# shellcheck disable=SC2016 # for the inner shell
	refuses 1 unshare --mount sh -c \
		'mount -t tmpfs none /sys/kernel/btf && exec "$0" --mode events' \
		"$MADRETRY_TOP" && says CONFIG_DEBUG_INFO_BTF
}

without_module_btf() {
	# shellcheck disable=SC2016 # for the inner shell
	refuses 1 unshare --mount sh -c '
		cp /sys/kernel/btf/vmlinux /tmp/vmlinux.btf &&
		mount -t tmpfs none /sys/kernel/btf &&
		mv /tmp/vmlinux.btf /sys/kernel/btf/vmlinux &&
		exec "$0" --mode fentry' \
		"$MADRETRY_TOP" && says dwarves
}

locked_down() {
	# shellcheck disable=SC2016 # for the inner shell
	refuses 1 unshare --mount sh -c '
		mount -t tmpfs none /sys/kernel/security &&
		echo "none integrity [confidentiality]" \
			> /sys/kernel/security/lockdown && exec "$0"' \
		"$MADRETRY_TOP" && says "locked down"
}

closed_stdout() {
	timeout $WAIT_S "$MADRETRY_TOP" >&- 2> "$TOP_DIR/err"
	equal "exit status" $? 1 && says "standard output is closed"
}

full_stdout() {
	timeout $WAIT_S "$MADRETRY_TOP" -b 0.1 > /dev/full 2> "$TOP_DIR/err"
	equal "exit status" $? 1 && says "No space left" &&
		equal "lines" "$(wc -l < "$TOP_DIR/err")" 1
}

# The reader leaves at once: no message, and no waiting for the next interval
pipe_ends() {
	local options

	for options in "-b 600" "--json 600"; do
		# shellcheck disable=SC2086 # words of a command line
		timeout $WAIT_S "$MADRETRY_TOP" $options 2> "$TOP_DIR/err" |
			head -n 1 > "$TOP_DIR/out"
		equal "exit status" "${PIPESTATUS[0]}" 0 || return 1
		[ -s "$TOP_DIR/out" ] && [ ! -s "$TOP_DIR/err" ] || return 1
	done
}

closed_stderr_and_stdin() {
	"$MADRETRY_TOP" --json 0.1 1 2>&- <&- > "$TOP_DIR/out" &&
		equal lines "$(jq -s length "$TOP_DIR/out")" 2
}

count_ends() {
	"$MADRETRY_TOP" --json 0.1 3 > "$TOP_DIR/out" &&
		equal types "$(jq -r '"\(.type) \(.last)"' "$TOP_DIR/out" |
			xargs)" \
			"start null snapshot false snapshot false snapshot true" &&
		"$MADRETRY_TOP" -b 0.1 3 > "$TOP_DIR/out" &&
		equal tables "$(grep -c '^TOTAL' "$TOP_DIR/out")" 3
}

interval_is_kept() {
	"$MADRETRY_TOP" --json 0.5 4 > "$TOP_DIR/out" || return 1
	equal "seconds of 4 intervals" \
		"$(tail -n 1 "$TOP_DIR/out" | jq '.since_start_s | round')" 2
}

# Each of these ends it, with a last snapshot
signals_end_it() {
	local signal

	for signal in INT TERM HUP QUIT; do
		: > "$TOP_OUT"
		# A shell's background jobs ignore SIGINT
		env --default-signal=INT,QUIT "$MADRETRY_TOP" --json 600 \
			> "$TOP_OUT" &
		TOP_PID=$!
		wait_until test -s "$TOP_OUT"
		kill -$signal $TOP_PID
		wait $TOP_PID
		equal "exit status after $signal" $? 0 &&
			equal "last after $signal" "$(top_get .last)" true ||
			return 1
	done
}

no_terminal_is_text() {
	"$MADRETRY_TOP" 0.1 1 > "$TOP_DIR/out" < /dev/null &&
		head -n 1 "$TOP_DIR/out" | grep -q '^Tracing MAD requests' &&
		! grep -q $'\033' "$TOP_DIR/out"
}

verbose_shows_the_kernel() {
	"$MADRETRY_TOP" -v --json 0.1 1 > "$TOP_DIR/out" 2> "$TOP_DIR/err" &&
		says "processed .* insns" && equal lines \
			"$(jq -s length "$TOP_DIR/out")" 2
}

# make install and nothing else: the program and its page
installed_program_works() {
	local root=$TOP_DIR/root

	make -s -C "$TOP/tools" BUILD="$BUILD" install PREFIX=/usr \
		DESTDIR="$root" > "$TOP_DIR/out" 2>&1 ||
		{ sed 's/^/# /' "$TOP_DIR/out"; return 1; }
	(cd / && "$root/usr/sbin/madretry-top" 0.1 1 > "$TOP_DIR/out") &&
		grep -q '^TOTAL' "$TOP_DIR/out" &&
		[ -s "$root/usr/share/man/man8/madretry-top.8" ]
}

need_commands jq bpftool setpriv unshare
ktap_print_header
modprobe -q ib_core
[ -e /sys/module/ib_core/parameters/randomized_wait ] ||
	skip_all "no patched ib_core"
trap 'rxe_down; rm -rf "$TOP_DIR"' EXIT
run_tests "$@" <<'END'
not_loaded			ib_core is not loaded
help_and_version		--help and --version
wrong_command_lines		wrong command lines: one line, status 2
ways_to_name_a_class		a class by number and by name
columns_are_listed		--columns list
not_root			not root
without_capability		root without CAP_SYS_ADMIN
in_user_namespace		root of a user namespace
without_kernel_btf		a kernel without BTF
without_module_btf		an ib_core without BTF
locked_down			a kernel that is locked down
none_attached			none of these left anything attached
closed_stdout			standard output is closed
full_stdout			standard output is full
pipe_ends			the reader of a pipe ends
closed_stderr_and_stdin		neither stdin nor stderr
count_ends			COUNT ends it
interval_is_kept		INTERVAL is kept
signals_end_it			signals end it with a last snapshot
no_terminal_is_text		without a terminal it prints text
verbose_shows_the_kernel	-v shows what the kernel says
installed_program_works		make install and nothing else
none_attached			nothing is left attached
END
ktap_finished
