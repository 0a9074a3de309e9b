#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# "make install" into an empty root: then each tool works from there, and each
# manual page, while the source tree and the build folder are out of sight. For
# the virtual machine.

# shellcheck source=selftests/tools/lib.sh
. "$TOP/selftests/tools/lib.sh"

ROOT=/tmp/root
SBIN=$ROOT/usr/sbin

# ktap_helpers.sh is loaded; nothing else of the tree is needed any more
is_installed() {
	make -s -C "$TOP/tools" BUILD="$BUILD" install PREFIX=/usr \
		DESTDIR=$ROOT > /tmp/make.log 2>&1 ||
		{ sed 's/^/# /' /tmp/make.log; return 1; }
	equal "files in wrong places" "$(cd $ROOT && find . -type f |
		grep -vE '^\./usr/(sbin/[a-z-]+|share/man/man([78])/[a-z-]+\.\2|share/madretry/(schema|grafana)/[a-z.-]+\.json|lib/systemd/system/[a-z-]+\.service)$')" ""
}

# The build folder may be one of the tree's
tree_is_gone() {
	mount -t tmpfs none "$BUILD" && mount -t tmpfs none "$TOP" &&
		cd / && [ ! -e "$TOP/Makefile" ] && [ ! -e "$BUILD/tools" ]
}

# Each says what it is, and names neither of the folders
programs_stand_alone() {
	local program name

	for program in "$SBIN"/*; do
		name=${program##*/}
		"$program" --version | grep -q "^$name [0-9]" &&
			"$program" --help | grep -q Examples: ||
			{ echo "# $name"; return 1; }
		! ldd "$program" | grep -E 'not found|/tmp/' || return 1
	done
}

# For a moment, with the real kernel
programs_work() {
	local program name output

	for program in "$SBIN"/*; do
		name=${program##*/}
		case $name in
		madretry-top) output=$("$program" -b 0.1 1) ;;
		madretry-hist) output=$("$program" 0.1 1) ;;
		madretry-export) output=$("$program" 0.1) ;;
		*) output=$(for_a_moment "$program") ;;
		esac || { echo "# $name: status $?"; return 1; }
		[ -n "$output" ] || { echo "# $name says nothing"; return 1; }
	done
}

# A tool that ends when it is told to
for_a_moment() {
	timeout --preserve-status -s INT 3 "$1"
}

each_has_a_page() {
	local name page

	for name in "$SBIN"/*; do
		name=${name##*/}
		page=$ROOT/usr/share/man/man8/$name.8
		mandoc -T ascii -W warning,stop "$page" | sed 's,.\x08,,g' |
			grep -q "^ *$name [-—–] " ||
			{ echo "# $page"; return 1; }
	done
	equal pages "$(ls $ROOT/usr/share/man/man8)" \
		"$(cd "$SBIN" && printf '%s.8\n' *)" &&
		mandoc -T ascii -W warning,stop $ROOT/usr/share/man/man7/*.7 > /dev/null
}

# What a page says about files is there
rest_is_there() {
	jq -e '.panels | length > 5' \
		$ROOT/usr/share/madretry/grafana/madretry.json > /dev/null &&
		jq -e '."$schema"' $ROOT/usr/share/madretry/schema/*.json \
			> /dev/null &&
		equal ExecStart "$(sed -n 's/^ExecStart=\([^ ]*\).*/\1/p' \
			$ROOT/usr/lib/systemd/system/madretry-export.service)" \
			/usr/sbin/madretry-export
}

need_commands jq bpftool mandoc
ktap_print_header
modprobe -q ib_core
[ -e /sys/module/ib_core/parameters/randomized_wait ] ||
	skip_all "no patched ib_core"
run_tests "$@" <<'END'
is_installed		make install puts each file in its place
tree_is_gone		neither source tree nor build folder
programs_stand_alone	each program needs neither
programs_work		each program works
each_has_a_page		each program has a manual page
rest_is_there		unit, dashboard and schemas
none_attached		nothing is left attached
END
ktap_finished
