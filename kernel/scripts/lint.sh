#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Check style: checkpatch and sparse on kernel code, kernel-doc, shellcheck on
# scripts, mandoc on manual pages, heads of one-liners, SPDX lines on all. Prints
# what is wrong.
#
# usage: lint.sh             BUILD=folder (default: build/ at the top of the tree)
#
# Sparse looks only at modules that have been built, with the files that this
# project wrote.
set -uo pipefail

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
BUILD=$(cd "${BUILD:-$top/build}" && pwd)
checkpatch=$BUILD/kernel/source/scripts/checkpatch.pl
kernel_doc=$BUILD/kernel/source/scripts/kernel-doc
bad=0

cd "$top" || exit 1

complain() {
	[ -z "$1" ] && return
	printf '%s\n' "$1"
	bad=1
}

tracked() {
	git ls-files --cached --others --exclude-standard -- "$@"
}

# Exceptions: a trace header is made of macros that checkpatch takes for
# statements, as all trace headers are. A mailbox patch gets its Signed-off-by
# from who mails it (series.sh), and a commit of the kernel cannot be looked up
# here.
lint_kernel_code() {
	complain "$(tracked 'kernel/*.[ch]' 'selftests/mad/*.[ch]' 'selftests/fabric/*.[ch]' 'selftests/apm/*.[ch]' 'tracepoints/misc/*.h' |
		grep -vE 'fabric/.*_test.c|apm/(cm_|sa_notice)' |
		xargs -r perl "$checkpatch" --no-tree --strict --terse -q -f |
		grep -v '^total: 0')"
	complain "$(tracked 'tracepoints/events/*.h' |
		xargs -r perl "$checkpatch" --no-tree --strict --terse -q \
			--ignore COMPLEX_MACRO,TRAILING_SEMICOLON,MULTISTATEMENT_MACRO_USE_DO_WHILE,PARENTHESIS_ALIGNMENT,OPEN_ENDED_LINE -f |
		grep -v '^total: 0')"
	# From stdin: checkpatch takes a file that git knows for source code
	complain "$(tracked 'kernel/hooks/*.patch' | while read -r file; do
		perl "$checkpatch" --no-tree --strict --terse -q \
			--ignore MISSING_SIGN_OFF,UNKNOWN_COMMIT_ID - < "$file" |
			sed "s,^-:,$file:,"
	done | grep -v '^total: 0')"
	complain "$(tracked 'kernel/*.[ch]' 'tracepoints/misc/*.h' |
		xargs -r perl "$kernel_doc" -none 2>&1 | grep -v '^Checking')"
}

# One file at a time, as kbuild's C=2 would, with the flags that built it
lint_sparse() {
	local file object

	for file in kernel/core/*.c; do
		object=$BUILD/kernel/tree/drivers/infiniband/core/$(basename "$file" .c)
		[ -e "$object.o" ] || continue
		complain "$(sparse_flags "$object" |
			(cd "$BUILD/kernel/kbuild" && xargs -0 sparse) 2>&1 |
			grep -F "$(basename "$file")")"
	done
}

# The arguments of the compiler that matter to sparse, from kbuild's record of a
# build, NUL separated.
sparse_flags() {
	sed -n '1s/^[^ ]* := [^ ]* //p' "$(dirname "$1")/.$(basename "$1").o.cmd" |
		sed 's/ ; .*//' | tr -d '\\' | xargs -n 1 printf '%s\n' |
		awk '
			/^-[ID]/ || /^\/.*\.[ch]$/ { print; next }
			/^-include$/ { print; getline; print }' |
		tr '\n' '\0'
	printf '%s\0' -D__CHECKER__ -Wbitwise -Wno-return-void \
		-Wno-unknown-attribute
}

lint_scripts() {
	complain "$(tracked | while read -r file; do
		case $(head -c 64 "$file" 2>/dev/null | head -n 1) in
		'#!'*sh* | '# shellcheck shell='*) echo "$file" ;;
		esac
	done | xargs -r shellcheck -x -S warning -f gcc)"
}

lint_manual() {
	complain "$(tracked 'tools/man/*.[1-8]' | xargs -r mandoc -T lint -W warning)"
}

# A one-liner says what it shows, needs and prints, and its folder's README has it.
# bpftrace 0.17 aborts on the raw trace points of a module.
lint_oneliners() {
	complain "$(tracked 'bpf/oneliners/*.bt' | while read -r file; do
		for line in '^ \* Needs: ' '^ \* Read: '; do
			grep -q "$line" "$file" || echo "$file: no line '$line'"
		done
		! grep -n '^rawtracepoint:' "$file" ||
			echo "$file: bpftrace 0.17 aborts on rawtracepoint"
		grep -qF "$(basename "$file")" bpf/oneliners/README.md ||
			echo "$file: not in bpf/oneliners/README.md"
		[ -x "$file" ] || echo "$file: not executable"
	done)"
}

# The first lines of every file name its licence. Documentation need not.
lint_licence() {
	complain "$(tracked | grep -vE '\.md$|^\.gitignore$|\.patch$|\.json$|/modules$|/new-files$|tests\.list$' |
		while read -r file; do
			head -n 5 "$file" | grep -q 'SPDX-License-Identifier: ' ||
				echo "$file: no SPDX-License-Identifier"
		done)"
}

lint_kernel_code
rm -f .checkpatch-camelcase.*
lint_sparse
lint_scripts
lint_manual
lint_oneliners
lint_licence
[ "$bad" -eq 0 ] && echo "lint: clean"
exit "$bad"
