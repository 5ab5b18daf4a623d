#!/usr/bin/env python3
"""fail_calls.py RELEASE_BUILD FAILCALL_SO STRIDE: each call to the system that a command makes on a store fails once, with EIO, ENOSPC,
ENOMEM and EINTR, alone or (but EINTR) with all that follow; every STRIDE-th of these faults is tried, from a random start. The command must end by itself; if it fails it says
why; if it says that it has done its work, the work is done; what was in the store before is there and verify finds no damage; and
the same command then succeeds without a fault."""
import errno
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from programs import names_of, write_run  # noqa: E402

BUILD, FAILCALL, STRIDE = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), int(sys.argv[3])
# A signal interrupts one call, not all of them.
FAULTS = [(e, stays) for e in (errno.EIO, errno.ENOSPC, errno.ENOMEM) for stays in (False, True)] + [(errno.EINTR, False)]


class Place:
    """A store with three runs, of which one has lost its name, and a run to push; copied afresh for each try."""

    def __init__(self, top):
        self.top, self.first, self.store = top, f"{top}/first", f"{top}/store"
        for n in range(4):
            write_run(f"{top}/run{n}", n)
        shutil.rmtree(self.first, ignore_errors=True)
        for n in range(3):
            self.must(self.first, "push", f"{top}/run{n}", "--name", f"run{n}", "--branch", "main")
        with open(f"{top}/keep.policy", "w", encoding="utf-8") as f:
            f.write("RETENTION.branch = */main: last 1\n")
        self.must(self.first, "rm", "run2")
        self.before = self.names(self.first)

    def tscope(self, store, *words, **env):
        return subprocess.run([f"{BUILD}/{words[0]}", *words[1:]] if words[0] == "tscoped" else [f"{BUILD}/tscope", *words], text=True,
                              capture_output=True, timeout=60,
                              env={**os.environ, "TSCOPE_STORE": store, "TSCOPE_SERVER": "", "TSCOPE_PROJECT": "fault", **env})

    def must(self, store, *words):
        done = self.tscope(store, *words)
        if done.returncode:
            sys.exit(f"{words}: exit {done.returncode}: {done.stdout}{done.stderr}")
        return done

    def names(self, store):
        return names_of(lambda *words: self.must(store, *words))

    def fresh(self):
        shutil.rmtree(self.store, ignore_errors=True)
        shutil.rmtree(f"{self.top}/copy", ignore_errors=True)
        shutil.copytree(self.first, self.store)


def pushed(place):
    return "fault/run3" in place.names(place.store)


def removed(place):
    return "fault/run0" not in place.names(place.store)


def pruned(place):
    log = json.loads(place.must(place.store, "log", "branch:main", "--json").stdout)
    if len(log["entries"]) + log["pruned_count"] != 3:
        sys.exit(f"entries that are missing are not counted: {log}")
    return log["pruned_count"] == 2


def copied(place):
    if not os.path.isdir(f"{place.top}/copy"):
        return False
    return place.names(f"{place.top}/copy") == place.before and not place.tscope(f"{place.top}/copy", "verify").returncode


COMMANDS = {  # its words, whether its work is done, and which of the earlier names it may take away
    "push": (lambda p: ("push", f"{p.top}/run3", "--name", "run3"), pushed, set()),
    "rm": (lambda p: ("rm", "run0"), removed, {"fault/run0"}),
    "gc": (lambda p: ("gc",), lambda p: True, set()),
    "policy": (lambda p: ("gc", "--policy", f"{p.top}/keep.policy", "--apply"), pruned, set()),
    "backup": (lambda p: ("tscoped", "--store", p.store, "--socket", f"{p.top}/socket", "--backup", f"{p.top}/copy"), copied, set()),
}


def count_calls(place, words):
    place.fresh()
    path = f"{place.top}/count"
    done = place.tscope(place.store, *words, LD_PRELOAD=FAILCALL, TS_FAIL_COUNT=path)
    if done.returncode:
        sys.exit(f"{words} without a fault: {done}")
    with open(path, encoding="utf-8") as f:
        return int(f.read())


def try_one(place, name, at, error, stays):
    words, is_done, may_go = COMMANDS[name]
    fault = {"LD_PRELOAD": FAILCALL, "TS_FAIL_AT": str(at), "TS_FAIL_ERRNO": str(error), **({"TS_FAIL_ON": "1"} if stays else {})}
    where = f"{name}, call {at} {errno.errorcode[error]}{' and all that follow' if stays else ''}"
    place.fresh()
    try:
        done = place.tscope(place.store, *words(place), **fault)
    except subprocess.TimeoutExpired:
        return f"{where}: does not end"
    if done.returncode < 0:
        return f"{where}: died by signal {-done.returncode}"
    if done.returncode and not done.stderr.strip():
        return f"{where}: exit {done.returncode} and no word"
    verify = place.tscope(place.store, "verify")
    if verify.returncode:
        return f"{where}: verify says {verify.stdout}{verify.stderr}"
    lost = {n for n, run in place.before.items() if place.names(place.store).get(n) != run} - may_go
    if lost:
        return f"{where}: lost {lost}"
    if done.returncode == 0 and not is_done(place):
        return f"{where}: exit 0, and the work is not done: {done.stdout}{done.stderr}"
    # What failed only after its work was done (a copy that could not be read again, say) has nothing left to do.
    if done.returncode and (name == "gc" or not is_done(place)):
        again = place.tscope(place.store, *words(place))
        if again.returncode or not is_done(place):
            return f"{where}: afterwards, without a fault: {again.stdout}{again.stderr}"
    return None


def main():
    rnd, wrong = random.Random(14), []
    with tempfile.TemporaryDirectory(prefix="tscope-calls-") as top:
        place = Place(top)
        print(f"{'command':8} {'calls':>6} {'faults':>6} {'tried':>6} {'wrong':>6}")
        for name, (words, _, _) in COMMANDS.items():
            calls, bad = count_calls(place, words(place)), len(wrong)
            faults = [(at, *fault) for at in range(1, calls + 1) for fault in FAULTS]
            tried = faults[rnd.randrange(STRIDE)::STRIDE]
            wrong += [said for said in (try_one(place, name, *fault) for fault in tried) if said]
            print(f"{name:8} {calls:6} {len(faults):6} {len(tried):6} {len(wrong) - bad:6}", flush=True)
            if not tried:
                sys.exit("nothing was tried")
    if wrong:
        sys.exit("\n".join(wrong[:20]))


if __name__ == "__main__":
    main()
