#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The real readers of what madretry-export says: node_exporter of its file, and
# a Prometheus server, which also evaluates every expression of the dashboard.
# For the virtual machine, in virtual time, as top.sh.

# shellcheck source=selftests/tools/lib.sh
. "$TOP/selftests/tools/lib.sh"
# shellcheck source=selftests/tools/export_lib.sh
. "$TOP/selftests/tools/export_lib.sh"
# shellcheck source=selftests/lib/rxe.sh
. "$TOP/selftests/lib/rxe.sh"
# shellcheck source=selftests/lib/sastorm.sh
. "$TOP/selftests/lib/sastorm.sh"

POLICY=/sys/module/ib_core/parameters
MONITORING=$BUILD/monitoring/usr/bin
DASHBOARD=$TOP/tools/export/madretry-grafana.json
NODE_PAGE=http://127.0.0.1:9100/metrics
REQUESTS=400

# With something of each kind
storm() {
	echo Y > $POLICY/treat_busy_as_timeout
	sastorm_start --good 0.6 --busy 0.2 --drop 0.2 --seed 3 || return 1
	sastorm_ask -n $REQUESTS -m 32 -T 500 -R 1 -a PathRecord,NodeRecord ||
		return 1
	sastorm_stop
	echo N > $POLICY/treat_busy_as_timeout
}

# The real reader of the file
node_exporter_reads_the_file() {
	local pid status=0

	"$MONITORING/prometheus-node-exporter" --web.listen-address 127.0.0.1:9100 \
		--collector.disable-defaults --collector.textfile \
		--collector.textfile.directory "$TOP_DIR/textfiles" \
		> "$TOP_DIR/node" 2>&1 &
	pid=$!
	wait_until curl -sf $NODE_PAGE -o "$TOP_DIR/scraped" ||
		{ tail -n 5 "$TOP_DIR/node"; return 1; }
	parse text < "$TOP_DIR/scraped" &&
		equals_value 0 node_textfile_scrape_error &&
		equals_value $REQUESTS madretry_requests_total &&
		equals_value "${server[retries]}" madretry_retries_total &&
		equals_value "${server[retries]}" \
			madretry_backoff_wait_seconds_count &&
		equal types "$(jq -r 'select(.name | startswith("madretry")) |
			.type' "$TOP_DIR/samples" | sort -u | xargs)" \
			"counter gauge histogram" || status=1
	kill $pid
	wait $pid
	return $status
}

is_scraped() {
	query 'madretry_counted_seconds' | grep -q .
}

# The values of an expression, one a line
query() {
	curl -sSfG http://127.0.0.1:9090/api/v1/query \
		--data-urlencode "query=$1" |
		jq -r '.data.result[] | .value[1]'
}

prometheus_start() {
	cat > "$TOP_DIR/prometheus.yml" <<END
global: { scrape_interval: 2s }
scrape_configs:
  - job_name: madretry
    static_configs: [ { targets: [ "127.0.0.1:$PORT" ] } ]
END
	"$MONITORING/prometheus" --config.file "$TOP_DIR/prometheus.yml" \
		--storage.tsdb.path "$TOP_DIR/tsdb" \
		--web.listen-address 127.0.0.1:9090 > "$TOP_DIR/prometheus" 2>&1 &
	wait_until is_scraped && return
	tail -n 5 "$TOP_DIR/prometheus"
	return 1
}

# The last ones are there after the next scrape
query_gives() {
	[ "$(query "$1")" = "$2" ]
}

prometheus_scrapes() {
	local retries=${server[retries]}

	prometheus_start && storm || return 1
	wait_until query_gives 'sum(madretry_requests_total)' \
		$((2 * REQUESTS)) &&
		wait_until query_gives 'sum(madretry_retries_total)' \
			$((retries + server[retries])) &&
		wait_until query_gives 'sum(madretry_outstanding_requests)' 0 &&
		query_gives 'madretry_info{mode="events"}' 1 && return
	for metric in requests_total retries_total outstanding_requests info; do
		echo "# $metric: $(query "sum(madretry_$metric)")"
	done
	return 1
}

# Grafana replaces these
expressions() {
	jq -r '.. | .expr? // empty' "$DASHBOARD" |
		sed 's/\$__rate_interval/1m/g; s/\$__range/1m/g; s/\$[a-z_]*/.*/g'
}

# All at once: in an emulated machine starting curl takes longer than the query
query_all() {
	sed 's/["\\]/\\&/g; s,.*,url = http://127.0.0.1:9090/api/v1/query\nget\ndata-urlencode = "query=&",; $!s,$,\nnext,' |
		curl -sS -K - | jq -r '[.data.result[]?.value[1]] | join(" ")'
}

# The second storm was between two scrapes, so there is something in each rate
every_expression_has_an_answer() {
	local expression answer status=0 count=0

	expressions > "$TOP_DIR/expressions"
	query_all < "$TOP_DIR/expressions" > "$TOP_DIR/answers"
	while read -r expression && read -r -u 3 answer; do
		((count++))
		[[ $answer == *[0-9]* ]] && [[ $answer != *NaN* ]] && continue
		echo "# '$answer' for $expression"
		status=1
	done < "$TOP_DIR/expressions" 3< "$TOP_DIR/answers"
	echo "# $count expressions"
	equal expressions $count "$(jq '[.. | .expr? // empty] | length' \
		"$DASHBOARD")" && [ $count -ge 10 ] && return $status
}

exports() {
	mkdir "$TOP_DIR/textfiles"
	export_start --listen $PORT -d rxe0 -c SA \
		--textfile "$TOP_DIR/textfiles/madretry.prom" 1 && storm && sleep 2
}

need_commands jq bpftool curl
export_need
[ -x "$MONITORING/prometheus" ] && [ -x "$MONITORING/prometheus-node-exporter" ] ||
	skip_all "no Prometheus: make monitoring"
ktap_print_header
rxe_up
trap 'end_jobs; rxe_down; sastorm_clean_up; rm -rf "$TOP_DIR"' EXIT
[ -e $POLICY/treat_busy_as_timeout ] || skip_all "no patched ib_core"
run_tests "$@" <<'END'
exports				a mixed storm is exported
node_exporter_reads_the_file	node_exporter reads the file, and its numbers equal
prometheus_scrapes		Prometheus scrapes, and its numbers equal
every_expression_has_an_answer	each expression of the dashboard has an answer
END
ktap_finished
