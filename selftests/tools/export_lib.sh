# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# Runs madretry-export and reads what it says, for tests to source.
#
#   export_need             skip the test if something is missing
#   export_start [OPTION...]
#                           returns when it serves or writes; what it says is in
#                           $TOP_DIR/export.err
#   export_stop             end it
#   parse openmetrics|text  read an exposition on stdin, with Prometheus' client
#                           library, into $TOP_DIR/samples: a JSON object each
#   value NAME [LABEL VALUE]...
#                           print the sum of these samples
#   equals_value NUMBER NAME [LABEL VALUE]...
#                           is that the sum of these samples?
#
# Needs lib.sh sourced.

MADRETRY_EXPORT=$BUILD/tools/madretry-export
EXPORT_PID=
PORT=9861
# shellcheck disable=SC2034 # for the tests
PAGE=http://127.0.0.1:$PORT/metrics
# What Prometheus sends
# shellcheck disable=SC2034 # for the tests
OPENMETRICS='Accept: application/openmetrics-text;version=1.0.0,application/openmetrics-text;version=0.0.1;q=0.75,text/plain;version=0.0.4;q=0.5,*/*;q=0.1'

export_need() {
	[ -x "$MADRETRY_EXPORT" ] || skip_all "madretry-export was not built"
	/usr/bin/python3 -c 'import prometheus_client' 2> /dev/null ||
		skip_all "no Prometheus client library: install python3-prometheus-client"
}

parse() {
	/usr/bin/python3 "$TOP/selftests/tools/metrics.py" "$1" \
		> "$TOP_DIR/samples" 2> "$TOP_DIR/parse.err" && return
	sed 's/^/# /' "$TOP_DIR/parse.err"
	return 1
}

value() {
	# shellcheck disable=SC2016 # variables of jq
	jq -rs --arg name "$1" '$ARGS.positional as $wanted |
		[.[] | select(.name == $name) | select(. as $sample |
			all(range(0; $wanted | length; 2);
			    $sample.labels[$wanted[.]] == $wanted[. + 1])) |
			.value] | add | . // "none"' \
		"$TOP_DIR/samples" --args "${@:2}"
}

equals_value() {
	equal "$2 ${*:3}" "$(value "${@:2}")" "$1"
}

export_start() {
	: > "$TOP_DIR/export.err"
	"$MADRETRY_EXPORT" --mode "$TOP_MODE" "$@" 2> "$TOP_DIR/export.err" &
	EXPORT_PID=$!
	wait_until grep -q 'serving http\|writing ' "$TOP_DIR/export.err" &&
		return
	echo "# madretry-export did not start: $(cat "$TOP_DIR/export.err")"
	return 1
}

export_stop() {
	kill "$EXPORT_PID"
	wait "$EXPORT_PID"
}
