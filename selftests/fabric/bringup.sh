#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# OpenSM brings up fabrics of 2, 8 and 32 hosts, and what the diagnostic tools
# find in each is what was asked for.

# shellcheck source=/dev/null
. "$BUILD/kernel/source/tools/testing/selftests/kselftest/ktap_helpers.sh"
# shellcheck source-path=SCRIPTDIR source=lib.sh
. "$TOP/selftests/fabric/lib.sh"

sizes="2 8 32"

check() {	# description, command...
	local what=$1

	shift
	if "$@"; then
		ktap_test_pass "$what"
	else
		ktap_test_fail "$what"
	fi
}

equal() {	# what it is, what it should be
	[ "$1" = "$2" ] && return
	ktap_print_msg "is '$1', should be '$2'"
	return 1
}

host_names() {
	seq -f 'vfab%.0f' 0 $((FABRIC_HOSTS - 1))
}

# Nodes of one rail: the hosts, and their switch if there is one
node_names() {
	[ "$FABRIC_HOSTS" -eq 2 ] || echo switch0
	host_names
}

# The links of rail 1 as "from port to port", both directions
expected_links() {
	local host

	if [ "$FABRIC_HOSTS" -eq 2 ]; then
		printf '%s\n' 'vfab0 1 vfab1 1' 'vfab1 1 vfab0 1'
		return
	fi
	for ((host = 0; host < FABRIC_HOSTS; host++)); do
		echo "switch0 $((host + 1)) vfab$host 1"
		echo "vfab$host 1 switch0 $((host + 1))"
	done
}

lids_differ() {
	local lids

	lids=$(for host in $(host_names); do port_lid "$host" 1; done)
	equal "$(sort -nu <<< "$lids" | wc -l)" "$FABRIC_HOSTS" &&
		! grep -qx 0 <<< "$lids"
}

ibstat_sees_all() {
	equal "$(ibstat -l | sort -V)" "$(host_names | sort -V)" &&
		equal "$(ibstat vfab1 1 | awk '/^State/ { print $2 }')" Active &&
		equal "$(ibstat vfab1 1 | awk '/^Base lid/ { print $3 }')" "$(port_lid vfab1 1)"
}

sminfo_agrees() {
	equal "$(sminfo -C vfab1 -P 1 | sed 's/^sminfo: //; s/, activity.*state/ state/')" \
		"$(printf 'sm lid %d sm guid %#x state 3 SMINFO_MASTER' \
			"$(port_lid vfab0 1)" "$(port_guid vfab0 1)")"
}

# A link is a line below the node that it starts from.
ibnetdiscover_agrees() {
	local links

	links=$(ibnetdiscover -C vfab0 -P 1 | awk '
		/^(Ca|Switch)/ {
			id = $3; gsub(/"/, "", id)
			match($0, /# *"[^"]*"/)
			name[id] = substr($0, RSTART, RLENGTH)
			gsub(/[# "]/, "", name[id])
			node = id
		}
		/^\[/ {
			split($0, part, /[][]/)
			match($0, /"[HS]-[0-9a-f]*"\[[0-9]+\]/)
			peer = substr($0, RSTART, RLENGTH)
			split(peer, p, /["[\]]+/)
			line[++n] = node " " part[2] " " p[2] " " p[3]
		}
		END {
			for (i = 1; i <= n; i++) {
				split(line[i], f, " ")
				print name[f[1]], f[2], name[f[3]], f[4]
			}
		}')
	equal "$(sort <<< "$links")" "$(expected_links | sort)"
}

saquery_finds_nodes() {
	equal "$(saquery -C vfab1 -P 1 | sed -n 's/.*NodeDescription\.*//p' | sort)" \
		"$(node_names | sort)"
}

saquery_finds_path() {
	local from to

	from=$(port_lid "vfab$((FABRIC_HOSTS - 1))" 1)
	to=$(port_lid vfab1 1)
	equal "$(saquery -C vfab1 -P 1 --src-to-dst "$from:$to" |
		sed -n 's/.*\([sd]lid\)\.*/\1 /p' | sort | xargs)" "dlid $to slid $from"
}

smpquery_agrees() {
	local info

	info=$(smpquery -C vfab0 -P 1 nodeinfo "$(port_lid vfab1 1)")
	equal "$(awk -F'\\.\\.+' '/^PortGuid/ { print $2 }' <<< "$info")" "$(port_guid vfab1 1)" &&
		equal "$(awk -F'\\.\\.+' '/^NumPorts/ { print $2 }' <<< "$info")" 2 &&
		equal "$(smpquery -C vfab0 -P 1 portinfo "$(port_lid vfab1 1)" 1 |
			awk -F'\\.\\.+' '/^LinkState/ { print $2 }')" Active
}

iblinkinfo_agrees() {
	local up

	# every link is told of from both ends
	up=$(iblinkinfo -C vfab0 -P 1 | grep -c 'Active/  LinkUp')
	equal "$up" "$(expected_links | wc -l)"
}

# What perfquery counts grows by what it sends itself.
perfquery_counts() {
	local before after

	before=$(counter vfab1 1 rx_packets)
	after=$(perfquery -C vfab0 -P 1 "$(port_lid vfab1 1)" 1 |
		awk -F'\\.\\.+' '/^PortRcvPkts/ { print $2 }')
	[ "$after" -gt "$before" ] && [ "$after" -le "$(counter vfab1 1 rx_packets)" ]
}

switch_is_there() {
	[ "$FABRIC_HOSTS" -eq 2 ] && return
	equal "$(smpquery -C vfab0 -P 1 -D nodeinfo 0,1 |
		awk -F'\\.\\.+' '/^NumPorts/ { print $2 }')" "$FABRIC_HOSTS"
}

other_rail_is_down() {
	port_is vfab0 2 INIT && port_is vfab1 2 INIT
}

ktap_print_header
ktap_set_plan $((12 * $(wc -w <<< "$sizes") + 1))
for size in $sizes; do
	fabric_up "$size" || exit "$KSFT_FAIL"
	check "$size hosts: OpenSM makes every port ACTIVE" fabric_sm 1
	check "$size hosts: every port has a LID of its own" lids_differ
	check "$size hosts: the other rail is left alone" other_rail_is_down
	check "$size hosts: ibstat" ibstat_sees_all
	check "$size hosts: sminfo" sminfo_agrees
	check "$size hosts: ibnetdiscover" ibnetdiscover_agrees
	check "$size hosts: saquery, nodes" saquery_finds_nodes
	check "$size hosts: saquery, path" saquery_finds_path
	check "$size hosts: smpquery" smpquery_agrees
	check "$size hosts: iblinkinfo" iblinkinfo_agrees
	check "$size hosts: perfquery" perfquery_counts
	check "$size hosts: switch" switch_is_there
	fabric_down || ktap_print_msg "the module does not unload"
done

# Both rails as one subnet: one OpenSM brings up all ports.
fabric_up 3 isl=1 || exit "$KSFT_FAIL"
fabric_sm 1
check "3 hosts, isl=1: one subnet of both rails" fabric_wait_active 2
fabric_down
ktap_finished
