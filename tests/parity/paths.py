#!/usr/bin/env python3
"""Holds the answers about a folder to those about the pushed run, and those of one thread to those of two: paths.py BUILD.

A folder is analyzed without being stored, and with a second thread where this process may use two cores. Every sample run, and long
runs with restarts, odd lines and several ranks, give the same bytes in all three ways; so does a diff of two of them.
"""
import glob
import json
import os
import random
import subprocess
import sys
import tempfile

TSCOPE = os.path.join(os.path.abspath(sys.argv[1]), "tscope")
SAMPLES = ["tests/golden/demo/runs/*", "tests/golden/pytscope/*", "tests/golden/pytscope-expected/*", "tests/golden/pairs/heldout/gru/*"]
CORES = sorted(os.sched_getaffinity(0))
bad = 0


def write_long(folder, seed, steps, odd=False, restart=False):
    rnd = random.Random(seed)
    os.makedirs(folder)
    with open(os.path.join(folder, "steps.jsonl"), "w") as f:
        order = list(range(steps))
        if restart:
            order = order[: steps // 2] + order[steps // 2 - 700:]
        for step in order:
            record = {"step": step, "timestamp": 1.7e9 + 0.02 * step + 0.001 * rnd.random(),
                      "phases": {"data": rnd.lognormvariate(-6, 0.3), "forward": 0.006, "backward": 0.012 + 0.001 * rnd.random()},
                      "scalars": {"loss": 3 * 0.9999 ** step + 0.05 * rnd.gauss(0, 1), "grad_norm": rnd.lognormvariate(0, 0.3)},
                      "memory": {"alloc": 4096.0 * rnd.randrange(9000), "reserved": 1e9}}
            if odd and step % 3001 == 7:
                record["scalars"]["loss"] = float("nan")
            if odd and step % 4001 == 9:
                record["note"] = "text"
            if odd and step % 977 == 3:
                record["phases"]["data"] = 0.4
            f.write(json.dumps(record) + "\n" + ("not a record\n" if odd and step % 5003 == 11 else ""))


def run(store, cores, *words):
    done = subprocess.run([TSCOPE, *words], capture_output=True, env={**os.environ, "TSCOPE_STORE": store, "TSCOPE_SERVER": "", "TSCOPE_PROJECT": "paths"},
                          preexec_fn=lambda: os.sched_setaffinity(0, cores))
    if done.returncode not in (0, 1, 3):
        sys.exit(f"{' '.join(words)} ended with {done.returncode}: {done.stderr.decode()[-500:]}")
    return done.returncode, done.stdout


def expect_same(what, answers):
    global bad
    if any(a != answers[0] for a in answers):
        print(f"{what}: the answers differ")
        bad += 1


def main():
    folders = [f for pattern in SAMPLES for f in sorted(glob.glob(pattern)) if glob.glob(f + "/**/steps.jsonl", recursive=True)]
    with tempfile.TemporaryDirectory() as work:
        store = os.path.join(work, "store")
        for name, more in {"plain": {}, "odd": {"odd": True}, "restarted": {"odd": True, "restart": True}}.items():
            write_long(os.path.join(work, name), len(name), 20_000, **more)
            folders.append(os.path.join(work, name))
        for rank in range(3):
            write_long(os.path.join(work, "ranks", f"rank{rank}"), rank, 9_000, odd=rank == 2)
        folders.append(os.path.join(work, "ranks"))
        for i, folder in enumerate(folders):
            folder = os.path.abspath(folder)
            run(store, CORES, "push", folder, "--name", f"r{i}")
            expect_same(folder, [run(store, CORES, "analyze", "--json", folder), run(store, CORES[:1], "analyze", "--json", folder),
                                 run(store, CORES, "analyze", "--json", "--fresh", f"r{i}"),
                                 run(store, CORES[:1], "analyze", "--json", "--fresh", f"r{i}")])
        a, b = folders[-4], folders[-3]
        expect_same("diff", [run(store, CORES, "diff", "--json", a, b), run(store, CORES[:1], "diff", "--json", a, b)])
    print(f"{len(folders)} runs, {len(CORES)} cores: {bad or 'no'} answers differ")
    sys.exit(1 if bad or len(folders) < 12 else 0)


if __name__ == "__main__":
    main()
