#!/usr/bin/env python3
"""kernel_summary.py BUILD: reads the summary of a trace's kernels as docs/format.md has it, and compares it with what the trace was made of.

The trace is made here, so that what each kernel took in each step is known without reading the trace: names with arguments, names that are
cut, kernels that are joined because their text has no room, and from one to forty calls in a step."""
import hashlib
import json
import os
import random
import subprocess
import sys
import tempfile

TSCOPE = os.path.join(os.environ.get("TS_BUILD") or sys.argv[1], "tscope")
STEPS, KERNELS, STEP_NS = 4, 150, 50_000_000


def made():
    """Returns a trace, and the durations of each kernel in each step, by its name in a summary."""
    draw, took, events = random.Random(7), {}, []
    for step in range(STEPS):
        at = step * STEP_NS
        events.append({"ph": "X", "cat": "user_annotation", "name": f"ProfilerStep#{step + 5}", "pid": 1, "tid": 1, "ts": at / 1e3,
                       "dur": (STEP_NS - 1000) / 1e3, "args": {}})
        for k in range(KERNELS):
            bare = f"kernel_{k}" + ("_of_a_long_name" * 8 if k % 3 == 0 else "")
            for _ in range(draw.choice((0, 1, 2, 3, 4, 40)) if k % 10 else 40):
                at, ns, n = at + 1500, draw.choice((draw.randrange(1, 40), draw.randrange(200, 4000))), len(events)
                events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": at / 1e3, "dur": 0.5,
                               "args": {"correlation": n}})
                events.append({"ph": "X", "cat": "kernel", "name": bare + "(float*, int)", "pid": 0, "tid": 7, "ts": (at + 600) / 1e3,
                               "dur": ns / 1e3, "args": {"device": 0, "stream": 7, "correlation": n}})
                took.setdefault(short(bare), {}).setdefault(step, []).append(ns)
    return {"traceEvents": events}, took


def short(name):
    return name if len(name) <= 105 else name[:96] + "#" + hashlib.sha256(name.encode()).hexdigest()[:8]


def bin_of(ns):
    shift = 0
    while ns >> shift >= 32:
        shift += 1
    return 16 * shift + (ns >> shift)


def cell_of(step, durations, sketched):
    cell = [step, len(durations), sum(durations)]
    if len(durations) > 1:
        cell += [min(durations), max(durations)]
    before = 0
    for number in sorted({bin_of(ns) for ns in durations}) if sketched and len(durations) > 3 else ():
        cell += [number - before, sum(bin_of(ns) == number for ns in durations)]
        before = number
    return cell


def stored(trace):
    """Pushes the summary alone; returns the file that the run has of it."""
    with tempfile.TemporaryDirectory() as work:
        os.mkdir(os.path.join(work, "run"))
        with open(os.path.join(work, "run", "trace.json"), "w", encoding="utf-8") as f:
            json.dump(trace, f)
        store = ["--store", os.path.join(work, "store")]
        subprocess.run([TSCOPE, "push", os.path.join(work, "run"), "--summarize-traces", *store], check=True, stdout=subprocess.DEVNULL)
        return subprocess.run([TSCOPE, "export", "run", "--file", "trace.json.kernels.json", *store], check=True, capture_output=True).stdout


def main():
    trace, took = made()
    text = stored(trace)
    summary = json.loads(text)
    assert list(summary) == ["kernel_summary", "rank", "world_size", "cut", "clock_ns", "steps", "parts", "kernels"], list(summary)
    assert (summary["kernel_summary"], summary["rank"], summary["cut"], summary["clock_ns"]) == (1, None, False, 1), summary["clock_ns"]
    assert [(s[0], s[2]) for s in summary["steps"]] == [(step + 5, STEP_NS - 1000) for step in range(STEPS)], summary["steps"]
    for step in range(STEPS):
        assert sum(part[1 + step] for part in summary["parts"]) == summary["steps"][step][1], step
    named = [row for row in summary["kernels"] if isinstance(row[1], str)]
    for _, name, *cells in named:
        want = [cell_of(step, ns, True) for step, ns in sorted(took.pop(name).items())]
        assert cells == want, (name, cells, want)
    assert [sum(c[2] for c in row[2:]) for row in named] == sorted((sum(c[2] for c in row[2:]) for row in named), reverse=True)
    (category, joined, *cells), = [row for row in summary["kernels"] if not isinstance(row[1], str)]
    want = [cell_of(step, [ns for row in took.values() for ns in row.get(step, [])], False) for step in range(STEPS)]
    assert (category, joined, cells) == ("other", len(took), want), (joined, cells, want)
    print(f"{len(named)} kernels with names and {joined} joined in {len(text):,} bytes for {STEPS} steps: as the trace was made")


if __name__ == "__main__":
    main()
