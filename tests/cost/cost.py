#!/usr/bin/env python3
"""cost.py BUILD [--accept] [ROW...]: the instructions of our own code for a push, an analysis, a diff, a gate, a list and the readers, beside
those in instructions.txt. Fails where a row takes over 3 % more; --accept writes what was counted.

Time on a shared machine says little, but instructions say the same each time. Callgrind counts them, on the release programs and small
inputs that are made from seeds. Functions of libraries are left out: which memcpy or which SHA-256 runs is the processor's choice.
"""
import collections
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
TABLE = os.path.join(HERE, "instructions.txt")
ROOMS = "record|base|run|analysis|ingest|store|proto|service|cli"
OURS = re.compile(rf"(?:.*/\.\./\.\./|\.\./\.\./|{re.escape(ROOT)}/(?:build/\w+/)?)(?:{ROOMS})/")
PROGRAMS = ("tscope", "bench_list", "bench_import", "bench_recording")
MOST = 1.03
COST = re.compile(r"(?:[+-]?\d+|\*) (\d+)$")


def instructions(path):
    """Reads a file of callgrind: the sum over the lines of our own sources, without what the functions that they call take."""
    names, ours, called, total = {}, False, False, 0
    for line in open(path, encoding="utf-8", errors="replace"):
        file = re.match(r"(c?)f[lie]=\((\d+)\)(?: (.*))?", line)
        cost = COST.match(line)
        if file:
            names.setdefault(file[2], file[3])  # a name is written once
            ours = ours if file[1] else bool(OURS.match(names[file[2]]))
        elif line.startswith("calls="):
            called = True  # the next line is what the call took
        elif cost:
            total += int(cost[1]) if ours and not called else 0
            called = False
    return total


class Bench:
    """The inputs, and the programs that are counted."""

    def __init__(self, build, work):
        self.build, self.work = os.path.abspath(build), work
        home = os.path.join(work, "home")
        self.env = {"PATH": os.environ["PATH"], "LC_ALL": "C", "TZ": "UTC", "HOME": home, "XDG_DATA_HOME": home, "XDG_CONFIG_HOME": home,
                    "TSCOPE_STORE": os.path.join(work, "store"), "TSCOPE_PROJECT": "cost"}

    def run(self, program, *arguments, ok=(0,), before=()):
        command = [*before, os.path.join(self.build, program), *arguments]
        done = subprocess.run(command, cwd=self.work, env=self.env, capture_output=True, text=True)
        if done.returncode not in ok:
            sys.exit(f"cost: {' '.join(command)} ended with {done.returncode}: {done.stderr[-800:]}")

    def make_run(self, name, steps, *more):
        subprocess.run([sys.executable, os.path.join(ROOT, "tests/bench/make_run.py"), os.path.join(self.work, name), str(steps), *more],
                       check=True)

    def count(self, program, *arguments, ok=(0,)):
        out = os.path.join(self.work, "callgrind.out")
        self.run(program, *arguments, ok=ok, before=("valgrind", "--tool=callgrind", "--quiet", f"--callgrind-out-file={out}"))
        return instructions(out)

    def make(self):
        self.make_run("a", 20000)
        self.make_run("part", 20000, "--part", "14000")
        self.make_run("other", 20000, "--seed", "7")
        self.make_run("ranks", 200, "--ranks", "64")
        for i in range(6):
            self.make_run(f"base{i}", 2000, "--seed", str(100 + i))
        self.run("tscope", "push", "-q", "part", "other", "ranks", *(f"base{i}" for i in range(6)))
        self.run("bench_list", "many", "1000")
        for kind, name in (("events", "events.out.tfevents.1795000000.h.1.0"), ("wandb", "run-x.wandb")):
            os.mkdir(os.path.join(self.work, kind))
            self.run("bench_import", kind, f"{kind}/{name}", "2")
        self.run("bench_recording", "recorded", "10000")
        # A path is part of what is printed, and of what it takes to wrap lines.
        shutil.copy(os.path.join(ROOT, "tests/golden/trace/demo.json.gz"), self.work)
        shutil.copy(os.path.join(ROOT, "tests/golden/snapshot/batch8.pickle"), self.work)


def list_sorted(bench):
    bench.env["TSCOPE_STORE"] = os.path.join(bench.work, "many")
    return bench.count("tscope", "list", "--all-projects", "-c", "name,loss.last,val_acc.best", "--sort", "-val_acc.best")


# In this order, since a push comes before what asks for its run.
ROWS = {
    "push": lambda b: b.count("tscope", "push", "-q", "a"),
    "analyze": lambda b: b.count("tscope", "analyze", "--fresh", "a"),
    "analyze, cached": lambda b: b.count("tscope", "analyze", "a"),
    "analyze, 64 ranks": lambda b: b.count("tscope", "analyze", "--fresh", "ranks"),
    "diff, parts late": lambda b: b.count("tscope", "diff", "a", "part", ok=(1,)),
    "diff, again": lambda b: b.count("tscope", "diff", "a", "part", ok=(1,)),
    "diff, nothing alike": lambda b: b.count("tscope", "diff", "a", "other", ok=(1,)),
    "gate": lambda b: b.count("tscope", "gate", "base5", "--baseline", "base[0-4]", ok=(0, 1, 3)),
    "read steps.jsonl": lambda b: b.count("bench_import", "read", "recorded/json"),
    "read a recording": lambda b: b.count("bench_import", "read", "recorded/recording"),
    "read TensorBoard events": lambda b: b.count("bench_import", "read", "events"),
    "read a W&B log": lambda b: b.count("bench_import", "read", "wandb"),
    "analyze a trace": lambda b: b.count("tscope", "analyze", "demo.json.gz"),
    "show a memory snapshot": lambda b: b.count("tscope", "show", "batch8.pickle"),
    "list, sorted by a metric": list_sorted,
}


def accepted():
    lines = [line.rstrip("\n").rsplit(None, 1) for line in open(TABLE)] if os.path.exists(TABLE) else []
    return {name: int(n) for name, n in lines}


def main():
    names = [a for a in sys.argv[2:] if a != "--accept"] or list(ROWS)
    missing = [p for p in PROGRAMS if not os.path.exists(os.path.join(sys.argv[1], p))]
    if missing or not shutil.which("valgrind"):
        print(f"cost: skipped, since {'valgrind' if not missing else sys.argv[1] + '/' + missing[0]} is missing")
        sys.exit(77)
    was, now, worse = accepted(), collections.OrderedDict(), []
    top = tempfile.mkdtemp(prefix="tscope-cost-")
    # Beside a file, readers look in the two folders above it: what others have in /tmp is no cost of theirs.
    work = os.path.join(top, "in", "it")
    try:
        os.makedirs(work)
        bench = Bench(sys.argv[1], work)
        bench.make()
        for name in names:
            now[name] = ROWS[name](bench)
            change = f"{100 * (now[name] / was[name] - 1):+6.2f} %" if name in was else "   new"
            print(f"{name:26} {now[name]:>14,} {change}", flush=True)
            if name not in was or now[name] > MOST * was[name]:
                worse.append(name)
    finally:
        shutil.rmtree(top, ignore_errors=True)
    if "--accept" in sys.argv:
        with open(TABLE, "w") as out:
            out.writelines(f"{name:26} {n}\n" for name, n in {**was, **now}.items() if name in ROWS)
    elif worse:
        sys.exit(f"cost: over {MOST - 1:.0%} more instructions than tests/cost/instructions.txt has, or not in it: {', '.join(worse)}. If it has to be so, "
                 f"python3 tests/cost/cost.py {sys.argv[1]} --accept writes the new counts, and the commit says what they buy.")


if __name__ == "__main__":
    main()
