#!/usr/bin/env bash
# bench.sh BUILD [STEPS] - speed and size, each beside a peer or a physical limit, in one run. Figures are CPU seconds (user
# and system) of whole processes: wall time on a shared machine says little. pytscope comes from PyPI where it is reachable.
set -euo pipefail
cd "$(dirname "$0")/../.."
peer=build/bench/venv
if [ ! -x "$peer/bin/pytscope" ]; then
	python3 -m venv "$peer" && "$peer/bin/pip" install -q pytscope==0.2.1 >/dev/null 2>&1 || echo "pytscope is not reachable: its side is left out" >&2
fi
# Readers of other tools' logs, and a finder of change points, beside which ours are measured; without them their side is left out.
for package in tensorboard==2.21.0 wandb==0.19.11 apache-otava==0.8.0; do
	[ -x "$peer/bin/pip" ] || continue
	"$peer/bin/pip" show -q "${package%%=*}" 2>/dev/null || "$peer/bin/pip" install -q "$package" >/dev/null 2>&1 || true
done
exec python3 tests/bench/bench.py "$@"
