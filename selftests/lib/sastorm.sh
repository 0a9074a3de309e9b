# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0
# Runs sastorm's server and its client, for tests to source. The server is on
# SASTORM_SERVER and the client on SASTORM_CLIENT, which are rxe1 and rxe0 unless
# transport.sh says otherwise.
#
#   sastorm_start [OPTION...]   start the server; returns when it can answer
#   sastorm_stop                end it; fills in server[] with its report
#   sastorm_ask [OPTION...]     run the client; fills in client[] with its report
#   sastorm_server_accounts     does every arrival that was reported, or request,
#   sastorm_client_accounts     appear under exactly one outcome?
#
# The fields are those of the reports, such as ${client[good]} and
# ${client[latency_us.good.p50]}. While the server runs, and after, $SASTORM_LOG
# has a line for each arrival. selftests/load/README.md describes both.
# Starting a program costs much in an emulated machine, so this starts few.
# Needs rxe.sh sourced and rxe_up done, or the same of transport.sh.

SASTORM_START_S=20	# seconds that the server may take to start

SASTORM_SERVER=rxe1
SASTORM_CLIENT=rxe0
SASTORM_TO=()		# client's options for the way to the server; none: its GID
SASTORM_DIR=$(mktemp -d)
SASTORM_LOG=$SASTORM_DIR/arrivals
SASTORM_PID=
declare -A server client

mkfifo "$SASTORM_DIR/ready"
exec {SASTORM_READY}<> "$SASTORM_DIR/ready"

# sastorm_read_report NAME FILE: the fields of a report into an array.
sastorm_read_report() {
	local -n fields=$1
	local key value

	fields=()
	while read -r key value; do
		# shellcheck disable=SC2004,SC2034 # the caller's, and associative
		fields[$key]=$value
	done < "$2"
}

sastorm_start() {
	local pid

	"$BUILD/load/sastorm" server -d "$SASTORM_SERVER" --fields --log "$SASTORM_LOG" \
		--pid-file "$SASTORM_DIR/ready" "$@" > "$SASTORM_DIR/server" &
	SASTORM_PID=$!
	read -r -t $SASTORM_START_S -u "$SASTORM_READY" pid
	[ "$pid" = "$SASTORM_PID" ] && return
	echo "# the server did not start: sastorm server $*"
	return 1
}

# Wait for a server that ends by itself.
sastorm_wait() {
	wait "$SASTORM_PID"
	sastorm_read_report server "$SASTORM_DIR/server"
}

# It may have ended with its device
sastorm_stop() {
	kill "$SASTORM_PID" 2> /dev/null
	sastorm_wait
}

# The client's exit status is the status of this.
sastorm_ask() {
	local status to=("${SASTORM_TO[@]}")

	[ ${#to[@]} -gt 0 ] || to=(-g "$(rxe_gid "$SASTORM_SERVER")")
	"$BUILD/load/sastorm" client -d "$SASTORM_CLIENT" "${to[@]}" --fields "$@" \
		> "$SASTORM_DIR/client"
	status=$?
	sastorm_read_report client "$SASTORM_DIR/client"
	return $status
}

sastorm_server_accounts() {
	local key sum=0

	for key in good busy other_status dropped full_busy full_dropped \
		refused send_errors pending; do
		sum=$((sum + server[$key]))
	done
	((server[arrivals] == sum)) &&
		((server[arrivals] == server[first_attempts] + server[retries]))
}

sastorm_client_accounts() {
	local key sum=0

	for key in good busy other_status timeout sent send_errors \
		unfinished; do
		sum=$((sum + client[$key]))
	done
	((client[requests] == sum))
}

sastorm_clean_up() {
	rm -rf "$SASTORM_DIR"
}
