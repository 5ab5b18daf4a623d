#!/usr/bin/env bash
# demo.sh BUILD - starts a real tscoped on an empty LMDB store, pushes five sample runs and asks about them, on two screens of 100 columns.
# Everything lies in a temporary folder that is removed at the end. An exit status that is not the expected one is a failure.
set -euo pipefail
build=$(readlink -f "$1")
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'kill "$server" 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$work"' EXIT
export PATH="$build:$PATH" TSCOPE_SERVER="unix:$work/tscoped.sock" XDG_DATA_HOME="$work/data" TSCOPE_PROJECT=demo COLUMNS=100
unset TSCOPE_STORE
bold='' dim='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
	export FORCE_COLOR=1
	bold=$'\033[1m' dim=$'\033[2m' plain=$'\033[0m'
fi

# step POINT STATUS LINES MEANING COMMAND...: says what the command is for, runs it, prints the lines that LINES (of sed) selects,
# how many are left out and where, and what they mean.
step() {
	local point=$1 status=$2 lines=$3 means=$4 rc=0
	shift 4
	printf '\n%s# %s%s\n%s$ %s%s\n' "$dim" "$point" "$plain" "$bold" "$*" "$plain"
	"$@" >"$work/out" 2>&1 || rc=$?
	[ $rc -eq "$status" ] || { cat "$work/out" >&2; echo "demo: '$*' ended with $rc, not $status" >&2; exit 1; }
	sed -n "$lines" "$work/out" >"$work/shown"
	diff --unchanged-group-format='%=' --old-group-format="${dim}[lines cut: %dn]${plain}
" "$work/out" "$work/shown" || true
	printf '%s-> %s%s\n' "$dim" "$means" "$plain"
}

printf '%s# A server for five real trainings of three ranks on one machine. TSCOPE_SERVER names its socket.%s\n' "$dim" "$plain"
printf '%s$ tscoped --socket tscoped.sock --store store &%s\n' "$bold" "$plain"
tscoped --socket "$work/tscoped.sock" --store "$work/store" 2>"$work/log" &
server=$!
for _ in $(seq 100); do
	[ -S "$work/tscoped.sock" ] && break
	sleep 0.05
done
[ -S "$work/tscoped.sock" ] || { cat "$work/log" >&2; exit 1; }

cd "$root/tests/golden/demo"
step "Store runs. Each gets a name, and an id that is a hash of its content." 0 p \
	"Blocks that runs share are sent and stored once; pushed again, nothing is sent." \
	tscope push runs/base runs/rerun runs/order runs/lr runs/slow
step "Find runs by what they recorded." 0 p "The filter reads any fact; --columns and --sort take any fact too." \
	tscope list 'config.optimizer.lr<0.00305' --columns name,steps,ranks,config.optimizer.lr --sort name
step "Did a repeat compute the same?" 0 1,2p "Exit 0: the same bits in every loss, norm and digest of 160 steps." \
	tscope diff base rerun
step "Where do two runs first differ, and why?" 1 '1,7p;/SERIES/,/loss.*[0-9]/p' \
	"Exit 1: one rank read other batches from step 80 on; README.md shows the whole answer." \
	tscope diff base order
step "The same for a changed setting." 1 1,6p "The learning rate; all that was computed before the first update agrees." \
	tscope diff base lr
step "What limits a run?" 0 '1,10p;/FINDINGS/,/devices/p' \
	"A straggler: rank 2 makes the others wait. The rest is a page of times, memory and losses." \
	tscope analyze slow --warmup 60
step "Did the slow rank change what was computed?" 0 '1,2p;/OUTCOMES/,/step time, median/p' \
	"No, only the times differ. Whether they do for sure is a question for a gate: ./dev rehearsal." \
	tscope diff base slow
kill -TERM "$server"
wait "$server"
printf '\nThe server stopped after %d calls; the five runs take %d KiB. Next: docs/tutorial.md\n' \
	"$(grep -c event=call "$work/log")" "$(du -sk "$work/store" | cut -f1)"
