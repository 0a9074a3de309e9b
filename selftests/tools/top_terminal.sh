#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The screen of madretry-top, in a terminal that tmux provides: keys, resizing,
# and the terminal as it was afterwards, however the program ends. For the
# virtual machine.

# shellcheck source=selftests/tools/lib.sh
. "$TOP/selftests/tools/lib.sh"
# shellcheck source=selftests/lib/rxe.sh
. "$TOP/selftests/lib/rxe.sh"
# shellcheck source=selftests/lib/sastorm.sh
. "$TOP/selftests/lib/sastorm.sh"

export LC_ALL=C
unset TMUX

term() {
	tmux -f /dev/null -L madretry "$@"
}

# A shell in a window of 80 columns and 24 lines, for the tests to type into
open_terminal() {
	term -u new-session -d -x 80 -y 24 \
		"env PS1='ready\$ ' MADRETRY_TOP='$MADRETRY_TOP' TOP_DIR='$TOP_DIR' bash --norc --noediting" &&
		wait_until on_screen '^ready\$'
}

close_terminal() {
	term kill-server 2> /dev/null
}

screen() {
	term capture-pane -p
}

on_screen() {
	screen | grep -q -- "$1"
}

shows() {
	wait_until on_screen "$1" && return
	echo "# no '$1' on the screen:"
	screen | sed 's/^/#  /'
	return 1
}

no_longer_shows() {
	wait_until not_on_screen "$1" && return
	echo "# still '$1' on the screen"
	return 1
}

not_on_screen() {
	! on_screen "$1"
}

keys() {
	term send-keys "$@"
}

command_line() {
	keys -l "$1"
	keys Enter
}

# Starts the program between two "stty -g"
start_top() {
	rm -f "$TOP_DIR"/stty.* "$TOP_DIR/status"
	command_line "clear; stty -g > \$TOP_DIR/stty.before; ${1:-} \$MADRETRY_TOP ${2:-}; echo \$? > \$TOP_DIR/status; stty -g > \$TOP_DIR/stty.after"
	shows '^TOTAL'
}

# Has it ended with status 0, and is the terminal what it was?
ended_well() {
	wait_until test -s "$TOP_DIR/stty.after" ||
		{ echo "# it has not ended"; return 1; }
	equal "exit status" "$(cat "$TOP_DIR/status")" 0 &&
		equal "stty -g" "$(cat "$TOP_DIR/stty.after")" \
			"$(cat "$TOP_DIR/stty.before")" &&
		shows '^ready\$' && cursor_is_shown && typing_works
}

cursor_is_shown() {
	equal "cursor flag" "$(term display-message -p '#{cursor_flag}')" 1 &&
		equal "alternate screen" \
			"$(term display-message -p '#{alternate_on}')" 0
}

typing_works() {
	command_line 'echo to"get"her'
	shows '^together'
}

make_rows() {
	echo Y > /sys/module/ib_core/parameters/treat_busy_as_timeout
	sastorm_start --answers busy,good || return 1
	sastorm_ask -n 40 -m 40 -T 1000 -a "$1"
	sastorm_stop
	echo N > /sys/module/ib_core/parameters/treat_busy_as_timeout
}

first_row() {
	screen | sed -n 3p
}

first_row_is() {
	[[ $(first_row) == *$1* ]]
}

screen_has_all_parts() {
	start_top && make_rows PathRecord,NodeRecord,MCMemberRecord,0x77 &&
		shows '^madretry-top \[events\] ..:..:.., up .*every 1s, by attribute, sort retries$' &&
		shows '^DEVICE *CLASS *ATTRIBUTE *REQ/s *RETR/s *BDRP/s *BDLV/s *TMO/s *OUTST *P99 *TREND$' &&
		shows '^rxe0/1 *SA *PathRecord ' && shows '^rxe0/1 *SA *0x0077 ' &&
		shows '^q quit ' &&
		shows 'SA .*: retries by the wait that followed, ms' &&
		shows '^RETRY *COUNT *>=512 *RESPONSE *COUNT' &&
		shows '^ *1 *10 *10 *[<>]=*[0-9.]*[um]s *[0-9]* #'
}

totals_key() {
	keys t
	shows '^DEVICE .* REQ *RETR ' && shows '^TOTAL *40 *40 *40 *0 *0 *0 ' &&
		keys t && shows '^DEVICE .* REQ/s '
}

select_keys() {
	keys Home
	shows "^rxe0/1 SA NodeRecord: retries" || return 1
	keys Down
	shows "^rxe0/1 SA PathRecord: retries" || return 1
	keys End
	shows "^rxe0/1 SA 0x0077: retries" || return 1
	keys k k
	shows "^rxe0/1 SA PathRecord: retries" || return 1
	keys PageUp
	shows "^rxe0/1 SA NodeRecord: retries"
}

sort_keys() {
	local i

	keys S S		# from retries back to attribute
	shows 'sort attribute' || return 1
	keys s s s s s s s s s s s s	# once around, past the trend, and on
	shows 'sort requests' || return 1
	keys S
	shows 'sort attribute' && wait_until first_row_is 0x0077 &&
		keys r && shows 'sort attribute up' &&
		wait_until first_row_is PathRecord && keys r s s &&
		shows 'sort retries'
}

filter_key() {
	keys f
	shows '^Filter: _' || return 1
	keys -l nodex
	keys BSpace
	shows '^Filter: node_' && no_longer_shows '^rxe0/1 .*PathRecord ' &&
		shows '^rxe0/1 .*NodeRecord ' || return 1
	keys Enter
	shows 'filter node' || return 1
	keys / x
	shows 'no row passes the filter' || return 1
	keys Escape
	shows 'filter node' && shows '^rxe0/1 .*NodeRecord ' || return 1
	keys f BSpace BSpace BSpace BSpace Enter
	shows '^rxe0/1 .*PathRecord ' && no_longer_shows 'filter node'
}

time_on_screen() {
	screen | grep -o '..:..:.., up'
}

pause_key() {
	local before

	keys p
	shows '^PAUSED' || return 1
	before=$(time_on_screen)
	sleep 2.5
	equal "time when paused" "$(time_on_screen)" "$before" || return 1
	keys p
	no_longer_shows '^PAUSED' && wait_until time_goes_on "$before"
}

time_goes_on() {
	[ "$(time_on_screen)" != "$1" ]
}

# The list of columns, and what the table then has
columns_key() {
	keys c
	shows '^Columns, from left to right' && shows '^\[x\] DEVICE ' &&
		shows '^\[ \] RESP/s ' || return 1
	keys j j Space		# the attribute goes
	shows '^\[ \] ATTRIBUTE ' || return 1
	# Past TO, CLIENT and REQ/s: retries come first
	keys j j j j '<' '<' '<' '<' '<' '<'
	keys c
	shows '^RETR/s *DEVICE *CLASS *REQ/s ' || return 1
	keys c d c
	shows '^DEVICE *CLASS *ATTRIBUTE *REQ/s *RETR/s '
}

view_key() {
	keys v
	shows '^no outstanding request' && no_longer_shows '^RETRY' || return 1
	keys v
	no_longer_shows '^no outstanding request' || return 1
	keys Tab
	shows '^RETRY *COUNT'
}

# Requests that have been retried are known before anybody wants to see them;
# others, from then on
oldest_requests() {
	sastorm_start --answers drop || return 1
	"$BUILD/load/sastorm" client -d rxe0 -g "$(rxe_gid rxe1)" -T 1000 -R 90 \
		-a NodeRecord > /dev/null &
	sleep 3
	keys v
	shows '^oldest outstanding requests$' &&
		shows '^ *AGE ATTEMPT *NEXT REQUEST *TO *TID' &&
		shows '^ *[0-9.]*s *[1-9][0-9]*/91 .* SA NodeRecord ' || return 1
	"$BUILD/load/sastorm" client -d rxe0 -g "$(rxe_gid rxe1)" -T 90000 \
		-R 0 > /dev/null &
	shows '^ *[0-9.]*m*s *1/1 *[789][0-9.]*s SA PathRecord ' ||
		return 1
	kill %2 %3
	shows '^no outstanding request' || return 1
	keys v v
	sastorm_stop
}

by_key() {
	keys g
	shows 'by destination, sort' &&
		shows '^counting started anew, by destination' &&
		shows '^DEVICE *CLASS *TO *REQ/s ' && make_rows PathRecord &&
		shows '^rxe0/1 *SA *fe80::[0-9a-f:]*[ +]' || return 1
	keys g
	shows '^DEVICE *CLASS *CLIENT *REQ/s ' && make_rows PathRecord &&
		shows '^rxe0/1 *SA *sastorm\[[0-9]*\] ' || return 1
	keys g g g g g
	shows 'by attribute, sort' && shows '^DEVICE *CLASS *ATTRIBUTE *REQ/s '
}

# What the trend is of, in block characters where the locale has them
trend_in_blocks() {
	start_top "env LC_ALL=C.UTF-8" && make_rows PathRecord,NodeRecord &&
		shows '^rxe0/1 *SA *PathRecord .*█' && quit_key || return 1
	start_top && make_rows PathRecord,NodeRecord &&
		shows '^rxe0/1 *SA *PathRecord .* [_.]*#[_.]*$' && quit_key
}

help_key() {
	keys h
	shows 'keys and columns' && shows '^q  *quit' &&
		not_on_screen '^OUTST ' || return 1
	keys Down Down Down Down Down	# more than the window has lines
	shows '^OUTST *requests not yet completed' || return 1
	keys h
	shows '^TOTAL'
}

quit_key() {
	keys q
	ended_well
}

no_line_is_longer_than() {
	local longest

	longest=$(screen | awk '{ if (length > n) n = length } END { print n }')
	[ "$longest" -le "$1" ] || { echo "# a line of $longest"; return 1; }
}

resize() {
	start_top || return 1
	term resize-window -x 40 -y 10
	shows '^q quit .* f filter$' && shows '^DEVICE *CLASS *ATTRIBUTE' &&
		shows '^TOTAL' && no_line_is_longer_than 40 || return 1
	term resize-window -x 20 -y 4
	shows '^TOTAL' || return 1
	term resize-window -x 5 -y 2
	sleep 1.5
	term resize-window -x 1 -y 1
	sleep 1.5
	term resize-window -x 150 -y 50
	shows '^madretry-top ' && shows ' P50 *P99 *TREND$' || return 1
	term resize-window -x 80 -y 24
	shows '^q quit .*t totals$' && quit_key
}

starts_in_a_small_window() {
	term resize-window -x 40 -y 10
	start_top && shows '^q quit .* f filter$' && quit_key || return 1
	term resize-window -x 80 -y 24
}

ended_by_signal() {
	start_top || return 1
	pkill -"$1" -x madretry-top && ended_well
}

ended_by_sigterm() {
	ended_by_signal TERM
}

ended_by_control_c() {
	start_top || return 1
	keys C-c
	# bash stops the rest of the line when its command is interrupted;
	# this one was not, it ended by itself
	ended_well
}

stopped_and_continued() {
	start_top || return 1
	keys C-z
	shows 'Stopped' && cursor_is_shown || return 1
	command_line fg
	shows '^TOTAL' && shows '^madretry-top ' && keys q &&
		wait_until on_screen '^ready\$' && cursor_is_shown &&
		typing_works
}

count_ends_the_screen() {
	start_top "" "0.5 3" && ended_well
}

ends_with_its_terminal() {
	start_top || return 1
	close_terminal
	wait_until not_running && open_terminal
}

not_running() {
	! pgrep -x madretry-top > /dev/null
}

# The text goes below the command line, not into a screen of its own
text_without() {
	start_top "$1" "0.5 1" && shows '^Tracing MAD requests' &&
		equal "alternate screen" \
			"$(term display-message -p '#{alternate_on}')" 0 &&
		ended_well
}

text_when_term_is_unset() {
	text_without "env -u TERM"
}

text_when_term_is_unknown() {
	text_without "env TERM=nosuch"
}

text_when_term_is_dumb() {
	text_without "env TERM=dumb"
}

need_commands tmux bpftool pkill
ktap_print_header
[ -e /sys/module/ib_core/parameters/randomized_wait ] ||
	modprobe -q ib_core
[ -e /sys/module/ib_core/parameters/randomized_wait ] ||
	skip_all "no patched ib_core"
rxe_up
trap 'close_terminal; rxe_down; sastorm_clean_up; rm -rf "$TOP_DIR"' EXIT
open_terminal || ktap_exit_fail_msg "tmux gives no terminal"
run_tests "$@" <<'END'
screen_has_all_parts		title, table, backoff and keys
totals_key			t shows totals
select_keys			arrows, Home, End, PageUp and k select a row
sort_keys			s, S and r sort
filter_key			f and / filter, Escape takes back
pause_key			p pauses and goes on
columns_key			c chooses columns and their order
view_key			v changes what is below the table
oldest_requests			v shows the oldest requests
by_key				g tells rows apart by something else
help_key			h shows the keys and the columns
quit_key			q quits and gives the terminal back
trend_in_blocks			trends, in blocks or ASCII
resize				windows down to one character
starts_in_a_small_window	started in 40x10
ended_by_sigterm		SIGTERM gives the terminal back
ended_by_control_c		Ctrl-C gives the terminal back
stopped_and_continued		Ctrl-Z and fg
count_ends_the_screen		COUNT ends it
ends_with_its_terminal		it ends when the terminal goes
text_when_term_is_unset		TERM unset: text
text_when_term_is_unknown	TERM unknown: text
text_when_term_is_dumb		TERM=dumb: text
none_attached			nothing is left attached
END
ktap_finished
