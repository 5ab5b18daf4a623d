#!/usr/bin/env bash
# demo.sh BUILD - trains three small models that record themselves, and pushes them and three trainings of three ranks to a real tscoped, which is
# asked about them, on three screens of 100 columns. Everything lies in a temporary folder that is removed at the end. An exit status
# that is not the expected one is a failure.
set -euo pipefail
build=$(readlink -f "$1")
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
server=''
trap '[ -z "$server" ] || kill "$server" 2>/dev/null || true; wait 2>/dev/null || true; rm -rf "$work"' EXIT
export PATH="$build:$PATH" TSCOPE_SERVER="unix:$work/tscoped.sock" XDG_DATA_HOME="$work/data" TSCOPE_PROJECT=demo COLUMNS=100
# pip takes nothing from the network: setuptools is Debian's. The program that it installs is the one that was built.
export TSCOPE_WITH_PROGRAM="$build/tscope"
export PIP_NO_INDEX=1 PIP_NO_BUILD_ISOLATION=0 PIP_DISABLE_PIP_VERSION_CHECK=1
unset TSCOPE_STORE
python=python3
[ ! -x /usr/bin/python3 ] || python=/usr/bin/python3
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
	[ -s "$work/out" ] || echo '[nothing]' >"$work/out"
	sed -n "$lines" "$work/out" >"$work/shown"
	diff --unchanged-group-format='%=' --old-group-format="${dim}[lines cut: %dn]${plain}
" "$work/out" "$work/shown" || true
	printf '%s-> %s%s\n' "$dim" "$means" "$plain"
}

# The package is built in a copy, so that nothing is written into the tree; the programs lie beside it.
mkdir "$work/tree"
cp -r "$root"/{python,record,base,run,ingest,launch} "$root/CMakeLists.txt" "$root/LICENSE" "$work/tree/"
"$python" -m venv --system-site-packages "$work/venv"
PATH="$work/venv/bin:$PATH"
cd "$work/tree"
step "Recording is a package without dependencies." 0 '$p' "From C and C++ it is record/tscope.h, with libc alone." \
	pip install ./python
cd python/example
step "Train a small language model. Ten lines of its program have to do with recording." 0 p \
	"Recording takes half a microsecond a step, and the digest of a batch more." \
	python3 train_letters.py runs/first
step "Train it again: the same program, the same seed." 0 p "The folder runs/again has seeds, versions, code and command, too." \
	python3 train_letters.py runs/again
sed 's,rate /= 2,rate /= 4,' train_letters.py >train_changed.py
step "And once with one line changed, as people do." 1 p "From the middle of the training on, steps are half as large." \
	diff train_letters.py train_changed.py
python3 train_changed.py runs/changed

printf '\n%s$ tscoped --socket tscoped.sock --store store &%s  # a server, whose socket TSCOPE_SERVER names\n' "$bold" "$plain"
tscoped --socket "$work/tscoped.sock" --store "$work/store" 2>"$work/log" &
server=$!
for _ in $(seq 100); do
	[ -S "$work/tscoped.sock" ] && break
	sleep 0.05
done
[ -S "$work/tscoped.sock" ] || { cat "$work/log" >&2; exit 1; }

step "Store the runs. Each gets a name, and an id that is a hash of its content." 0 p \
	"Blocks that runs share are sent and stored once; pushed again, nothing is sent." \
	tscope push runs/first runs/again runs/changed
step "Find runs by what they recorded." 0 p "The filter reads any fact; --columns and --sort take any column or fact." \
	tscope list 'config.lr=1 and loss.last<3' --columns name,steps,config.lr,loss.best --sort name
step "What limits a run?" 0 1,9p "Where the time goes. The rest is a page of findings, times and losses." \
	tscope analyze first
step "Did a repeat compute the same?" 0 1,2p "Exit 0: the same bits in every loss, norm and batch of 400 steps." \
	tscope diff first again
step "What did the changed line change, and from which step on?" 1 '1,/  b  /p;/SERIES/,/loss.*[0-9]/p;/^EVENTS/,/rate/p' \
	"Exit 1. Up to step 199 the two are the same bit for bit; then one rate is half of the other." \
	tscope diff first changed
cd "$root/tests/golden/demo"
step "Runs of several ranks are pushed alike: these trained on three, on one machine." 0 p \
	"One read other batches on one rank, and one had a slow rank." \
	tscope push runs/base runs/order runs/slow
step "Where do two runs first differ, and why?" 1 1,7p "One rank read other batches from step 80 on; the tutorial shows whole answers." \
	tscope diff base order
step "What limits a run with a straggler?" 0 '1,10p;/FINDINGS/,/devices/p' "Rank 2 makes the others wait." \
	tscope analyze slow --warmup 60
kill -TERM "$server"
wait "$server"
printf '\nThe server stopped after %d calls; the six runs take %d KiB. Next: docs/tutorial.md\n' \
	"$(grep -c event=call "$work/log")" "$(du -sk "$work/store" | cut -f1)"
