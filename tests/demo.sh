#!/usr/bin/env bash
# demo.sh BUILD - starts a real tscoped on an empty LMDB store, pushes the five sample runs and asks about them.
# Everything lies in a temporary folder that is removed at the end.
set -euo pipefail
build=$(readlink -f "$1")
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'kill "$server" 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$work"' EXIT
export PATH="$build:$PATH" TSCOPE_SERVER="unix:$work/tscoped.sock" XDG_DATA_HOME="$work/data" TSCOPE_PROJECT=demo
unset TSCOPE_STORE

run() { # prints the command as a user types it, then runs it; diff's 1 and 3 are answers, not failures
	printf '\n\033[1m$ %s\033[0m\n' "$*"
	local rc=0
	"$@" || rc=$?
	[ $rc -ne 2 ] && [ $rc -le 4 ] || { echo "demo: '$*' failed with exit $rc" >&2; exit 1; }
	[ $rc -eq 0 ] || echo "(exit $rc)"
}

printf '\033[1m$ tscoped --socket %s --store %s &\033[0m\n' "$work/tscoped.sock" "$work/store"
tscoped --socket "$work/tscoped.sock" --store "$work/store" 2>"$work/log" &
server=$!
for _ in $(seq 100); do
	[ -S "$work/tscoped.sock" ] && break
	sleep 0.05
done
[ -S "$work/tscoped.sock" ] || { cat "$work/log" >&2; exit 1; }

cd "$root/tests/golden/demo"
run tscope push runs/base runs/rerun runs/order runs/lr runs/slow
run tscope list --columns name,steps,ranks,config.optimizer.lr,state
run tscope diff base rerun
run tscope diff base order
run tscope diff base lr
run tscope analyze base
run tscope diff base slow
run tscope analyze slow --warmup 60
kill -TERM "$server"
wait "$server"
echo
echo "The server stopped cleanly. Its log had $(grep -c event=call "$work/log") calls; the store took $(du -sk "$work/store" | cut -f1) KiB."
