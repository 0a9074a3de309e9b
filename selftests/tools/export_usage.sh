#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# madretry-export as a program that runs for months: command lines, HTTP, the
# file and who reads it, what it may do, and its unit for systemd. For the
# virtual machine.

# shellcheck source=selftests/tools/lib.sh
. "$TOP/selftests/tools/lib.sh"
# shellcheck source=selftests/tools/export_lib.sh
. "$TOP/selftests/tools/export_lib.sh"
# shellcheck source=selftests/lib/rxe.sh
. "$TOP/selftests/lib/rxe.sh"

FOLDER=$TOP_DIR/folder
FILE=$FOLDER/madretry.prom

help_and_version() {
	"$MADRETRY_EXPORT" --help > "$TOP_DIR/help" &&
		"$MADRETRY_EXPORT" --version | grep -q '^madretry-export [0-9]' &&
		grep -q -- '--textfile' "$TOP_DIR/help" &&
		grep -q 'Examples:' "$TOP_DIR/help"
}

# Arguments; after a "|" what the message has to say
bad_command_lines="
--listen		| requires an argument
--listen 0		| port from 1 to 65535
--listen 65536		| port from 1 to 65535
--listen x		| port from 1 to 65535
--listen 127.0.0.1:	| port from 1 to 65535
--listen :9861		| 0.0.0.0:PORT
--listen ::1:9861	| .IPV6-ADDRESS.:PORT
--listen no.such.host.invalid:9861 | names no address
--format json		| openmetrics, text
--json			| unrecognized option
1 2			| COUNT is for --textfile
0			| interval '0'
--listen 9861 5		| INTERVAL is for --textfile
--listen 9861 --format text | --format is for --textfile
--textfile x 1 2 3	| '3'
-d nosuch		| rxe0, rxe1
-c nosuch		| SA, 
"

wrong_command_lines() {
	local arguments message status=0

	while IFS='|' read -r arguments message; do
		[ -n "$message" ] || continue
		# shellcheck disable=SC2086 # words of a command line
		set -- $arguments
		refuses 2 "$MADRETRY_EXPORT" "$@" && says "${message# }" ||
			status=1
	done <<< "$bad_command_lines"
	return $status
}

not_root() {
	refuses 1 setpriv --reuid=65534 --clear-groups "$MADRETRY_EXPORT" &&
		says "run as root"
}

prints_once() {
	"$MADRETRY_EXPORT" 0.2 > "$TOP_DIR/out" 2> "$TOP_DIR/err" &&
		[ ! -s "$TOP_DIR/err" ] &&
		equal "last line" "$(tail -n 1 "$TOP_DIR/out")" "# EOF" &&
		parse openmetrics < "$TOP_DIR/out" &&
		equals_value 1 madretry_info mode events &&
		"$MADRETRY_EXPORT" --format text 0.1 > "$TOP_DIR/out" &&
		parse text < "$TOP_DIR/out" &&
		! grep -q EOF "$TOP_DIR/out"
}

output_ends() {
	timeout $WAIT_S "$MADRETRY_EXPORT" 600 2> "$TOP_DIR/err" | true
	equal "exit status" "${PIPESTATUS[0]}" 0 && [ ! -s "$TOP_DIR/err" ] &&
		! "$MADRETRY_EXPORT" 0.1 > /dev/full 2> "$TOP_DIR/err" &&
		says "No space left"
}

# status PATH [OPTION...]: the status of the answer, and its type
answer() {
	curl -sS -o "$TOP_DIR/body" -w '%{http_code} %{content_type}' \
		"${@:2}" "http://127.0.0.1:$PORT$1"
}

http_answers() {
	export_start --listen $PORT || return 1
	equal metrics "$(answer /metrics)" \
		"200 text/plain; version=0.0.4; charset=utf-8" &&
		equal openmetrics "$(answer /metrics -H "$OPENMETRICS")" \
			"200 application/openmetrics-text; version=1.0.0; charset=utf-8" &&
		equal HEAD "$(answer /metrics -I)" \
			"200 text/plain; version=0.0.4; charset=utf-8" &&
		equal root "$(answer /)" "200 text/html; charset=utf-8" &&
		grep -q 'href="/metrics"' "$TOP_DIR/body" &&
		equal other "$(answer /x)" "404 text/plain; charset=utf-8" &&
		equal POST "$(answer /metrics -d x)" \
			"405 text/plain; charset=utf-8" || return 1
	export_stop
}

# One that connects and asks nothing, or half of it, keeps nobody waiting
http_slow_clients() {
	export_start --listen $PORT || return 1
	exec 5<> /dev/tcp/127.0.0.1/$PORT 6<> /dev/tcp/127.0.0.1/$PORT
	printf 'GET /metrics HTTP/1.1\r\nHo' >&6
	equal metrics "$(answer /metrics -m 5)" \
		"200 text/plain; version=0.0.4; charset=utf-8" || return 1
	exec 5>&- 6>&-
	export_stop
}

# Loopback alone, unless told otherwise
addresses() {
	local address

	for address in $PORT 127.0.0.1:$PORT localhost:$PORT "[::1]:$PORT" \
		"0.0.0.0:$PORT"; do
		export_start --listen "$address" || return 1
		[[ $address == *:* ]] || address=127.0.0.1:$address
		curl -sSf "http://$address/metrics" > "$TOP_DIR/out" ||
			{ echo "# $address"; return 1; }
		if [[ $address == 0.0.0.0:* ]]; then
			equal socket "$(ss -Hltn "sport = $PORT" |
				awk '{ print $4 }')" "0.0.0.0:$PORT" || return 1
		elif [[ $address != \[* ]]; then
			equal socket "$(ss -Hltn "sport = $PORT" |
				awk '{ print $4 }')" "127.0.0.1:$PORT" || return 1
		fi
		export_stop
	done
}

port_in_use() {
	export_start --listen $PORT || return 1
	refuses 1 "$MADRETRY_EXPORT" --listen $PORT &&
		says "cannot listen on $PORT: another program does; choose another port" &&
		refuses 1 "$MADRETRY_EXPORT" --listen 192.0.2.1:$PORT &&
		says "Cannot assign requested address" || return 1
	export_stop
}

# Started again at once, though connections of before linger
starts_again_at_once() {
	export_start --listen $PORT && answer /metrics > /dev/null &&
		export_stop && export_start --listen $PORT && export_stop
}

capabilities() {
	local names

	names=$(awk '/^Cap(Inh|Prm|Eff|Amb|Bnd):/ { print $2 }' \
		"/proc/$EXPORT_PID/status" | sort -u | xargs)
	equal "capabilities of $1" "$names" "$2" &&
		equal "no new privileges" "$(awk '/^NoNewPrivs/ { print $2 }' \
			"/proc/$EXPORT_PID/status")" 1
}

gives_up_capabilities() {
	export_start --listen $PORT && capabilities HTTP 0000000000000000 &&
		# It still reads what the kernel counts
		answer /metrics > /dev/null && export_stop || return 1
	export_start --textfile "$FILE" &&
		capabilities "the file" 0000000000000000 && export_stop ||
		return 1
	# In a folder of somebody else it needs CAP_DAC_OVERRIDE
	chown 65534 "$FOLDER"
	export_start --textfile "$FILE" 0.2 && wait_until test -s "$FILE" &&
		capabilities "another's folder" \
			"0000000000000000 0000000000000002" && export_stop ||
		return 1
	chown 0 "$FOLDER"
}

unwritable_files() {
	refuses 1 "$MADRETRY_EXPORT" --textfile "$TOP_DIR/no/file" &&
		says "cannot write $TOP_DIR/no/file: No such file" &&
		refuses 1 "$MADRETRY_EXPORT" --textfile "$FOLDER" &&
		says "Is a directory" &&
		refuses 1 "$MADRETRY_EXPORT" --textfile /sys/madretry.prom &&
		says "cannot write /sys/madretry.prom: Permission denied\|Operation not permitted" &&
		equal "left behind" "$(ls -A "$FOLDER")" ""
}

counted_seconds() {
	awk '$1 == "madretry_counted_seconds" { print $2 }'
}

# A reader that has the file open keeps all of it while the next is written
file_is_replaced() {
	local before after

	export_start --textfile "$FILE" --format openmetrics 0.2 &&
		wait_until test -s "$FILE" || return 1
	exec 5< "$FILE"
	before=$(counted_seconds < "$FILE")
	sleep 1
	after=$(counted_seconds < "$FILE")
	cat <&5 > "$TOP_DIR/old"
	exec 5<&-
	equal "old file" "$(counted_seconds < "$TOP_DIR/old")" "$before" &&
		equal "its end" "$(tail -n 1 "$TOP_DIR/old")" "# EOF" &&
		awk -v a="$before" -v b="$after" 'BEGIN { exit a >= b }' &&
		equal "rights" "$(stat -c %a "$FILE")" 644 || return 1
	export_stop
}

# Read as often as this machine can, it is complete each time
file_is_always_complete() {
	local i bad=0

	export_start --textfile "$FILE" --format openmetrics 0.1 &&
		wait_until test -s "$FILE" || return 1
	for ((i = 0; i < 300; i++)); do
		mapfile -t lines < "$FILE"
		[ "${lines[0]}" = "# TYPE madretry info" ] &&
			[ "${lines[-1]}" = "# EOF" ] || ((bad++))
		# Who reads *.prom sees one file alone
		set -- "$FOLDER"/*.prom
		[ $# -eq 1 ] || ((bad++))
	done
	export_stop
	equal "incomplete" $bad 0
}

# The disk is full for a while: it says so once, the file stays, and goes on
disk_is_full() {
	local disk=$TOP_DIR/disk

	mkdir "$disk" && mount -t tmpfs -o size=64k none "$disk" || return 1
	export_start --textfile "$disk/madretry.prom" --format openmetrics 0.2 &&
		wait_until test -s "$disk/madretry.prom" || return 1
	dd if=/dev/zero of="$disk/filler" bs=4k count=100 2> /dev/null
	wait_until grep -q "cannot write $disk/madretry.prom: No space left" \
		"$TOP_DIR/export.err" || return 1
	sleep 1
	equal messages "$(grep -c 'No space' "$TOP_DIR/export.err")" 1 &&
		equal "last line" "$(tail -n 1 "$disk/madretry.prom")" "# EOF" ||
		return 1
	rm "$disk/filler"
	wait_until grep -q "is written again" "$TOP_DIR/export.err" || return 1
	export_stop
	equal "left behind" "$(ls -A "$disk")" ""
	umount "$disk"
}

# Ended by a signal it takes the file along; a wanted number of them stays
file_and_end() {
	local signal

	for signal in INT TERM HUP QUIT; do
		env --default-signal=INT,QUIT "$MADRETRY_EXPORT" \
			--textfile "$FILE" 0.2 2> "$TOP_DIR/err" &
		wait_until test -s "$FILE" && kill -$signal $! && wait $! ||
			{ echo "# SIG$signal: status $?"; return 1; }
		equal "after SIG$signal" "$(ls -A "$FOLDER")" "" || return 1
	done
	"$MADRETRY_EXPORT" --textfile "$FILE" 0.2 2 2> "$TOP_DIR/err" &&
		equal "after 2" "$(ls -A "$FOLDER")" madretry.prom &&
		awk -v s="$(counted_seconds < "$FILE")" \
			'BEGIN { exit s < 0.4 || s > 3 }' && rm "$FILE"
}

# As it is installed; the machine forgets it
unit_is_good() {
	make -s -C "$TOP/tools" BUILD="$BUILD" install PREFIX=/usr \
		> "$TOP_DIR/out" 2>&1 || { cat "$TOP_DIR/out"; return 1; }
	systemd-analyze verify madretry-export.service > "$TOP_DIR/out" 2>&1 &&
		[ ! -s "$TOP_DIR/out" ] || { sed 's/^/# /' "$TOP_DIR/out"; return 1; }
	systemd-analyze security --offline=true --threshold=25 \
		madretry-export.service > "$TOP_DIR/out" 2>&1 ||
		{ tail -n 1 "$TOP_DIR/out" | sed 's/^/# /'; return 1; }
	equal capabilities "$(sed -n 's/^CapabilityBoundingSet=//p' \
		/usr/lib/systemd/system/madretry-export.service)" CAP_SYS_ADMIN
}

need_commands jq bpftool curl ss setpriv systemd-analyze
export_need
ktap_print_header
modprobe -q ib_core
[ -e /sys/module/ib_core/parameters/randomized_wait ] ||
	skip_all "no patched ib_core"
rxe_up
mkdir "$FOLDER"
trap 'end_jobs; rxe_down; rm -rf "$TOP_DIR"' EXIT
run_tests "$@" <<'END'
help_and_version	--help and --version
wrong_command_lines	wrong command lines: one line, status 2
not_root		not root
prints_once		printed once, in both formats
output_ends		the reader of its output ends, or it is full
http_answers		HTTP: pages, methods, types
http_slow_clients	HTTP: clients that ask nothing keep nobody waiting
addresses		addresses to listen on
port_in_use		a port in use, an address of another machine
starts_again_at_once	started again at once
gives_up_capabilities	it gives up its capabilities
unwritable_files	files that cannot be written
file_is_replaced	a reader keeps the file that it has opened
file_is_always_complete	the file is complete whenever it is read
disk_is_full		the disk is full for a while
file_and_end		the file goes with the program, unless counted
unit_is_good		systemd finds nothing wrong with the unit
none_attached		nothing is left attached
END
ktap_finished
