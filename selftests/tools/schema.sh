#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Every line of every tool's JSON against its schema. For the virtual machine,
# in virtual time, as top.sh.

# shellcheck source=selftests/tools/lib.sh
. "$TOP/selftests/tools/lib.sh"
# shellcheck source=selftests/lib/rxe.sh
. "$TOP/selftests/lib/rxe.sh"
# shellcheck source=selftests/lib/sastorm.sh
. "$TOP/selftests/lib/sastorm.sh"

POLICY=/sys/module/ib_core/parameters
SCHEMAS=$TOP/tools/schema
# One for each of these, and for no other
TOOLS="apm-snoop madretry-hist madretry-snoop madretry-top"

# start_tool NAME TOOL [OPTION]...: its output goes to a file of this name
start_tool() {
	local file=$TOP_DIR/$1.json tool=$BUILD/tools/$2

	shift 2
	: > "$file"
	"$tool" --json "$@" > "$file" &
	PIDS+=($!)
	wait_until test -s "$file" && return
	echo "# $tool did not start"
	return 1
}

storm() {
	sastorm_ask "$@" -m 32 -T 300 -R 3
	return 0
}

# With all that a line can have: retries, BUSY, time-outs, waits without end,
# rows for which there is no room
lines_are_written() {
	PIDS=()
	echo Y > $POLICY/treat_busy_as_timeout
	sastorm_start --good 0.6 --busy 0.2 --drop 0.2 --seed 3 || return 1
	start_tool hist-intervals madretry-hist 1 &&
		start_tool hist-all madretry-hist &&
		start_tool hist-row madretry-hist --by row --max-rows 2 &&
		start_tool top madretry-top 0.5 &&
		start_tool top-few madretry-top --max-rows 2 &&
		start_tool top-all madretry-top \
			--by client,destination,attribute &&
		start_tool top-stuck madretry-top --by destination --stuck 0.2 &&
		start_tool snoop madretry-snoop &&
		start_tool apm apm-snoop || return 1
	storm -n 500 -a PathRecord,NodeRecord,0x77,0x78
	storm -n 20 -c 0x2e
	sastorm_stop
	sleep 1
	kill "${PIDS[@]}" && wait "${PIDS[@]}"
	echo N > $POLICY/treat_busy_as_timeout
	jq -es '.[-1].histograms | map(.kind) | unique | length >= 2' \
		"$TOP_DIR/hist-all.json" > /dev/null &&
		grep -q '(other)' "$TOP_DIR/hist-row.json" &&
		grep -q '(other)' "$TOP_DIR/top-few.json" &&
		grep -q '"tid":"' "$TOP_DIR/top-stuck.json" &&
		[ "$(wc -l < "$TOP_DIR/hist-intervals.json")" -gt 3 ] &&
		[ "$(wc -l < "$TOP_DIR/top.json")" -gt 3 ] &&
		equal "kinds of events" "$(jq -rs '[.[].event] | unique |
			join(" ")' "$TOP_DIR/snoop.json")" \
			" busy done post retry timeout"
}

# validate FILE...: each with the schema of the tool that its name begins with
validate() {
	local file tool pairs=()

	for file; do
		tool=${file##*/}
		tool=madretry-${tool%%[-.]*}
		pairs+=("$SCHEMAS/${tool/madretry-apm/apm-snoop}.schema.json=$file")
	done
	/usr/bin/python3 "$TOP/selftests/tools/validate.py" "${pairs[@]}" \
		> "$TOP_DIR/valid" 2>&1
}

lines_are_valid() {
	local status=0

	validate "$TOP_DIR"/{apm,hist,top,snoop}*.json || status=1
	sed "s,^$TOP_DIR/,# ," "$TOP_DIR/valid"
	return $status
}

# few_lines NAME: the last line of each kind of NAME.json, into NAME.few
few_lines() {
	[ -e "$TOP_DIR/$1.few" ] ||
		jq -cs 'group_by(.type + .event // "")[] | .[-1]' \
			"$TOP_DIR/$1.json" > "$TOP_DIR/$1.few"
}

# A schema that accepts everything would be none: change lines in one place
bad_lines_are_not() {
	local name change count=0 changed files=()

	while read -r name change; do
		changed=$TOP_DIR/$name-bad-$((++count)).json
		few_lines "$name"
		jq -c "$change" "$TOP_DIR/$name.few" > "$changed"
		cmp -s "$TOP_DIR/$name.few" "$changed" &&
			{ echo "# changes nothing: $change"; return 1; }
		files+=("$changed")
	done <<-'END'
	top del(.time)
	top .more = 1
	top .type = "stop"
	top if .rows then .sum.total.requests = -1 else . end
	top if .rows then .rows[0].more = 1 else . end
	top if .rows then del(.rows[0].total.p50_us) else . end
	top if .rows then .rows[0].class = "SA" else . end
	hist-all .mode = "magic"
	hist-all if .histograms then .histograms[0].unit = "s" else . end
	hist-all if .histograms then .histograms[0].buckets[0].count = 0 else . end
	hist-all if .histograms then del(.histograms[0].sum) else . end
	apm .version = 1
	apm if .type == "end" then .steps = -1 else . end
	snoop .tid = 7
	snoop if .event == "done" then .retry = 1 else . end
	snoop if .event == "done" then del(.status) else . end
	snoop if .event == "retry" then .cause = "BAD" else . end
	END
	validate "${files[@]}"
	equal "files with bad lines" \
		"$(awk -F '[: ]+' '/ lines are valid$/ && $2 < $4' \
			"$TOP_DIR/valid" | wc -l)" $count && return
	awk -F '[: ]+' '/ lines are valid$/ && $2 == $4 {
		print "# accepted: " $1
	}' "$TOP_DIR/valid"
	return 1
}

one_for_each_tool() {
	equal schemas "$(cd "$SCHEMAS" && ls)" \
		"$(printf '%s.schema.json\n' $TOOLS)"
}

need_commands jq bpftool
/usr/bin/python3 -c 'import jsonschema' 2> /dev/null ||
	skip_all "no jsonschema: install python3-jsonschema"
ktap_print_header
rxe_up
trap 'end_jobs; rxe_down; sastorm_clean_up; rm -rf "$TOP_DIR"' EXIT
[ -e $POLICY/treat_busy_as_timeout ] || skip_all "no patched ib_core"
run_tests "$@" <<'END'
lines_are_written	lines of each tool, with all that they can have
lines_are_valid		each line is valid
bad_lines_are_not	lines that were changed are not
one_for_each_tool	there is a schema for each tool
END
ktap_finished
