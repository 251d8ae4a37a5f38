#!/usr/bin/env bash
# Many clients write for some time while the server is killed with SIGKILL again and again and starts from its logs.
# Succeeds if nothing is lost that was acknowledged. Talks to 127.0.0.1 only.
#
#   examples/replicated-kv/survive.sh [CLIENTS [SECONDS [KILLS]]]      by default 1000 clients, 30 s, 4 kills
#
# REPLICATED_KV is the binary to use, if it is not to be built.
set -euo pipefail

clients=${1:-1000}
seconds=${2:-30}
kills=${3:-4}

cd "$(dirname "$0")/../.."
binary=${REPLICATED_KV:-}
if [ -z "$binary" ]; then
    cargo build --quiet --release --package replicated-kv
    binary=${CARGO_TARGET_DIR:-target}/release/replicated-kv
fi
# A socket for each client, on both sides.
ulimit -n $((clients * 2 + 100)) 2>/dev/null || ulimit -n "$(ulimit -Hn)"

data=$(mktemp -d)
server=
trap 'if [ -n "$server" ]; then kill -9 "$server" 2>/dev/null || true; fi; rm -rf "$data"' EXIT

# start PORT: starts the server, waits until it listens, and leaves its port in `port`.
start() {
    : >"$data/said"
    "$binary" serve --port "$1" --data "$data" >"$data/said" &
    server=$!
    until grep -q '^listening on ' "$data/said"; do
        kill -0 "$server"
        sleep 0.05
    done
    port=$(sed -n 's/^listening on .*://p' "$data/said")
}

start 0
"$binary" load --port "$port" --clients "$clients" --seconds "$seconds" &
load=$!
for _ in $(seq "$kills"); do
    sleep $((seconds / (kills + 1)))
    kill -9 "$server"
    wait "$server" 2>/dev/null || true
    echo "killed the server with $(du -ch "$data"/*.log | tail -1 | cut -f1) of logs, and start it again"
    start "$port"
done
wait "$load"
