#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# madretry-snoop in scripts: command lines, right and wrong, missing rights,
# pipes that end, signals, and what is left behind. For the virtual machine.

# shellcheck source=selftests/tools/lib.sh
. "$TOP/selftests/tools/lib.sh"
# shellcheck source=selftests/lib/rxe.sh
. "$TOP/selftests/lib/rxe.sh"

SNOOP=$BUILD/tools/madretry-snoop

not_loaded() {
	local status=0

	modprobe -r rdma_ucm ib_umad ib_uverbs iw_cm ib_cm ib_core
	[ ! -e /sys/module/ib_core ] ||
		{ echo "# ib_core is in use"; return 1; }
	refuses 1 "$SNOOP" && says "ib_core is not loaded" &&
		says modprobe || status=1
	modprobe ib_core
	return $status
}

help_and_version() {
	"$SNOOP" --help > "$TOP_DIR/help" && "$SNOOP" --version |
		grep -q '^madretry-snoop [0-9]' &&
		grep -q -- '--follow-tid' "$TOP_DIR/help" &&
		grep -q 'Examples:' "$TOP_DIR/help" &&
		# Nothing is counted in rows or at intervals
		! grep -q -e --max-rows -e INTERVAL "$TOP_DIR/help"
}

# Arguments; after a "|" what the message has to say
bad_command_lines="
--nonsense	| nonsense
0		| duration '0'
1x		| duration '1x'
1 2		| '2' is one argument too many
-n 0		| --count '0'
-n 1.5		| --count '1.5'
--slower	| requires an argument
--slower -1	| --slower '-1'
--slower x	| --slower 'x'
--follow-tid=	| --follow-tid ''
--follow-tid=x	| --follow-tid 'x'
--follow-tid=0x	| --follow-tid '0x'
--follow-tid=-1	| --follow-tid '-1'
--follow-tid=0x10000000000000000 | --follow-tid
--buffer 63	| --buffer '63'
--buffer 100	| power of two
--max-rows 5	| max-rows
-d nosuch	| rxe0, rxe1
-p 2		| no device has a port 2
-c nosuch	| SA, 
"

wrong_command_lines() {
	local arguments message status=0

	rxe_up
	while IFS='|' read -r arguments message; do
		[ -n "$message" ] || continue
		# shellcheck disable=SC2086 # words of a command line
		eval "set -- $arguments"
		refuses 2 "$SNOOP" "$@" && says "${message# }" || status=1
	done <<< "$bad_command_lines"
	return $status
}

not_root() {
	refuses 1 setpriv --reuid=65534 --clear-groups "$SNOOP" &&
		says "run as root"
}

in_user_namespace() {
	refuses 1 unshare --user --map-root-user "$SNOOP" &&
		says "outside of a container"
}

closed_stdout() {
	timeout $WAIT_S "$SNOOP" >&- 2> "$TOP_DIR/err"
	equal "exit status" $? 1 && says "standard output is closed"
}

full_stdout() {
	timeout $WAIT_S "$SNOOP" > /dev/full 2> "$TOP_DIR/err"
	equal "exit status" $? 1 && says "No space left" &&
		equal "lines" "$(wc -l < "$TOP_DIR/err")" 1
}

# The reader leaves at once, and nothing happens that could be printed
pipe_ends() {
	local options

	for options in "" --json; do
		# shellcheck disable=SC2086 # none, or one
		timeout $WAIT_S "$SNOOP" $options 2> "$TOP_DIR/err" |
			head -n 1 > "$TOP_DIR/out"
		equal "exit status" "${PIPESTATUS[0]}" 0 || return 1
		[ -s "$TOP_DIR/out" ] && [ ! -s "$TOP_DIR/err" ] || return 1
	done
}

duration_ends() {
	local start=$SECONDS

	"$SNOOP" --json 2 > "$TOP_DIR/out" || return 1
	equal types "$(jq -r .type "$TOP_DIR/out" | paste -sd,)" start,end &&
		[ $((SECONDS - start)) -ge 2 ]
}

# Each of these ends it; what was printed before is complete
signals_end_it() {
	local signal pid

	for signal in INT TERM HUP QUIT; do
		: > "$TOP_DIR/out"
		# A shell's background jobs ignore SIGINT
		env --default-signal=INT,QUIT "$SNOOP" --json -c 0x30 \
			> "$TOP_DIR/out" &
		pid=$!
		wait_until test -s "$TOP_DIR/out"
		"$BUILD/load/sastorm" client -d rxe0 -g "$(rxe_gid rxe1)" \
			-c 0x30 -a 1 -n 7 -m 7 -T 20000 --limit 0.2 > /dev/null
		kill -$signal $pid
		wait $pid
		equal "exit status after $signal" $? 0 &&
			equal "events after $signal" "$(jq -r '.event // .type
				' "$TOP_DIR/out" | sort | uniq -c | xargs)" \
				"7 done 1 end 7 post 1 start" &&
			equal "last line after $signal" "$(tail -n 1 \
				"$TOP_DIR/out" | jq -c '[.type, .events]')" \
				'["end",14]' || return 1
	done
}

# Neither a terminal nor a name of one: the same text
no_terminal() {
	env -u TERM "$SNOOP" 0.2 > "$TOP_DIR/out" < /dev/null &&
		equal lines "$(cut -d ' ' -f 1 "$TOP_DIR/out" |
			paste -sd,)" Tracing,Mode,TIME && ! grep -q $'\033' "$TOP_DIR/out"
}

verbose_shows_the_kernel() {
	"$SNOOP" -v --json 0.1 > "$TOP_DIR/out" 2> "$TOP_DIR/err" &&
		says "processed .* insns" && equal lines \
			"$(jq -s length "$TOP_DIR/out")" 2
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
not_root			not root
in_user_namespace		root of a user namespace
none_attached			none of these left anything attached
closed_stdout			standard output is closed
full_stdout			standard output is full
pipe_ends			the reader of a pipe ends
duration_ends			DURATION ends it
signals_end_it			signals end it, and all is printed
no_terminal			without a terminal it prints the same
verbose_shows_the_kernel	-v shows what the kernel says
none_attached			nothing is left attached
END
ktap_finished
