#!/usr/bin/env python3
"""What a recorded step costs, from C and beside peers: record.py BUILD [ROUNDS]. Processor time of the training thread, not wall time."""
import os
import subprocess
import sys
import tempfile

# Each row is a function of (build, rounds) that yields (what, figure with its unit, goal or "", note). To add a language or a peer, add its function.


def ns(figures, name):
    return f"{figures[name]:.0f} ns ({figures[name + '_p10']:.0f} to {figures[name + '_p90']:.0f})"


def from_c(build, rounds):
    with tempfile.TemporaryDirectory(dir=build) as top:
        out = subprocess.run([os.path.join(build, "bench_record"), os.path.join(top, "run"), str(rounds),
                              os.path.join(build, "tscope-keeper")], check=True, capture_output=True, text=True).stdout
        size = os.path.getsize(os.path.join(top, "run", "recording.tscope"))
    f = {name: float(value) for name, value in (line.split() for line in out.splitlines())}
    yield "C: four marks, three numbers, checksum", ns(f, "recorded"), "150 ns", f"median (10 to 90 %) of {rounds} rounds of 1,000 steps"
    yield "C: the same without a run", ns(f, "null"), "", "run == NULL"
    yield "clock_gettime, six times", ns(f, "clock"), "", "what a step's reads of the kernel's clock would cost"
    yield "tscope_now_ns, six times", ns(f, "own_clock"), "", "what they cost"
    yield "C: faults, switches, waits", f"{f['faults']:.0f}, {f['switches']:.0f}, {f['waits']:.0f}", "", f"in {f['steps']:.0f} steps"
    yield "file", f"{size / (f['steps'] + 100000):.0f} bytes a step", "", ""


ROWS = [from_c]


def main():
    build, rounds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 1000
    print(f"{'a step of a recorded training':42} {'figure':>24} {'goal':>8}")
    for rows in ROWS:
        for what, figure, goal, note in rows(build, rounds):
            print(f"{what:42} {figure:>24} {goal:>8}  {note}".rstrip())


if __name__ == "__main__":
    main()
