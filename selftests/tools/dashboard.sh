#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Is the dashboard one that Grafana can load? What can be told without Grafana,
# which Debian does not have: its shape, its variables, its panels' places.
# export_monitoring.sh evaluates its expressions.

. "$BUILD/kernel/source/tools/testing/selftests/kselftest/ktap_helpers.sh"

DASHBOARD=$TOP/tools/export/madretry-grafana.json

# holds DESCRIPTION FILTER: is what FILTER gives true?
holds() {
	if jq -e "$2" "$DASHBOARD" > /dev/null; then
		ktap_test_pass "$1"
	else
		ktap_test_fail "$1"
	fi
}

command -v jq > /dev/null || { ktap_skip_all "no jq"; exit "$KSFT_SKIP"; }
ktap_print_header
ktap_set_plan 8
holds "it has what Grafana asks of a dashboard" '
	(.title | length > 0) and (.uid | length > 0) and (.schemaVersion | type == "number") and
	(.time | has("from") and has("to")) and (.panels | length > 0)'
holds "panels have numbers of their own" '
	[.panels[].id] | length == (unique | length)'
holds "panels are of known kinds" '
	[.panels[].type] - ["stat", "timeseries", "heatmap", "table"] == []'
holds "panels have a title and a description" '
	all(.panels[]; (.title | length > 0) and (.description | length > 0))'
holds "panels lie in 24 columns" '
	all(.panels[].gridPos; .x >= 0 and .w > 0 and .h > 0 and .x + .w <= 24)'
holds "no panel covers another" '
	[.panels[].gridPos] as $places | all(
		range($places | length) as $i | range($i) as $j |
		[$places[$i], $places[$j]];
		.[0].x + .[0].w <= .[1].x or .[1].x + .[1].w <= .[0].x or
		.[0].y + .[0].h <= .[1].y or .[1].y + .[1].h <= .[0].y)'
holds "each query has a letter of its own and a data source that is a variable" '
	all(.panels[]; ([.targets[].refId] | length == (unique | length)) and
		all(.targets[]; .datasource.uid == "${datasource}" and
			.expr != ""))'
holds "each variable that is used is there, and the other way round" '
	([.templating.list[].name] | sort) as $there |
	([.. | strings | scan("\\$\\{?([a-z_]+)")[0]] | unique |
		map(select(startswith("__") | not))) == $there'
ktap_finished
