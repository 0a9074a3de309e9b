#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The tables of tracepoints/README.md against the format files of the running
# kernel: same events, same fields, same types, nothing more and nothing less.

. "$BUILD/kernel/source/tools/testing/selftests/kselftest/ktap_helpers.sh"

readme=$TOP/tracepoints/README.md
events=/sys/kernel/tracing/events

# Fields of a section of the README as "name type", sorted
documented() {
	awk -F '|' -v section="## $1" '
		/^## / { inside = $0 == section }
		inside && $2 ~ /`/ {
			gsub(/[ `]/, "", $2)
			gsub(/^ *`|` *$/, "", $3)
			print $2, $3
		}' "$readme" | sort
}

# Fields of an event as the kernel has them, in the same form. The common
# fields of all trace events end at the first blank line.
in_kernel() {
	awk -F ';' '
		/^$/ { own = 1 }
		own && /field:/ {
			sub(/.*field:(__data_loc )?/, "", $1)
			match($1, / [^ ]*$/)
			type = substr($1, 1, RSTART - 1)
			name = substr($1, RSTART + 1)
			if (match(name, /\[.*/)) {
				type = type substr(name, RSTART)
				name = substr(name, 1, RSTART - 1)
			}
			print name, type
		}' "$events/$1/format" | sort
}

# As SYSTEM/EVENT
documented_events() {
	sed -n -e 's,^## \(ib_mad_[a-z_]*\)$,ib_mad/\1,p' \
		-e 's,^## \(icm_[a-z_]*\)$,ib_cma/\1,p' \
		-e 's,^## \(ib_qp_[a-z_]*\)$,rdma_core/\1,p' "$readme"
}

check_event() {
	local event=$1 difference

	if [ ! -r "$events/$event/format" ]; then
		ktap_test_fail "$event: the kernel does not have it"
		return
	fi
	difference=$(diff <({ documented "Fields of every ${event%/*} event"; documented "${event#*/}"; } | sort) \
		<(in_kernel "$event")) || true
	if [ -n "$difference" ]; then
		while read -r line; do
			ktap_print_msg "$line"
		done <<< "$difference"
		ktap_test_fail "$event: README (<) and kernel (>) differ"
	else
		ktap_test_pass "$event: $(in_kernel "$event" | wc -l) fields as documented"
	fi
}

# Every event with the first fields of ours is ours and has to be documented
check_undocumented() {
	local extra

	extra=$(comm -13 <(documented_events | sort) \
		<(grep -lE 'field:(const void \* send_buf|u32 remote_qpn|bool is_user);' \
			"$events"/{ib_mad,ib_cma,rdma_core}/*/format |
			awk -F / '{ print $(NF - 2) "/" $(NF - 1) }' | sort))
	if [ -n "$extra" ]; then
		ktap_test_fail "events without documentation: $extra"
	else
		ktap_test_pass "no event is undocumented"
	fi
}

ktap_print_header
modprobe -q ib_cm
if [ ! -d "$events/ib_mad" ] || [ ! -d "$events/ib_cma" ]; then
	ktap_skip_all "ib_core or ib_cm is not loaded"
	exit "$KSFT_SKIP"
fi
mapfile -t names < <(documented_events)
ktap_set_plan $((${#names[@]} + 1))
for name in "${names[@]}"; do
	check_event "$name"
done
check_undocumented
ktap_finished
