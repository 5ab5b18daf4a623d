#!/usr/bin/env python3
"""compiled.py BUILD [CORPUS]: holds what `tscope analyze` says of graph breaks to the recorded program of tests/golden/torch (make_torch.py says
what a step of it does) and, there and on a corpus of real traces, to a count that compares every span with every other."""
import collections
import glob
import gzip
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TSCOPE = os.path.join(os.path.abspath(sys.argv[1]), "tscope")
RECORDED = os.path.join(HERE, "..", "torch", "compiled.json.gz")
A_STEP = {"region_entry_count": 6, "graph_break_count": 2, "lookup_count": 7, "fallback_count": 1}
bad = []


def kind(e):
    name = e["name"]
    for word, starts in (("region", "Torch-Compiled Region"), ("graph", ("CompiledFunction", "## Call CompiledFxGraph", "autograd::engine::evaluate_function: "))):
        if name.startswith(starts):
            return word
    return "lookup" if name == "TorchDynamo Cache Lookup" else None


def spans_of(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as f:
        trace = json.loads(f.read().decode("utf-8", "replace"), strict=False, parse_float=str)
    threads = collections.defaultdict(list)
    for e in trace if isinstance(trace, list) else trace["traceEvents"]:
        if isinstance(e, dict) and e.get("ph") == "X" and e.get("cat") in ("cpu_op", "user_annotation", "Operator"):
            whole, _, part = str(e["ts"]).partition(".")
            begin = int(whole) * 1000 + int((part + "000")[:3])
            whole, _, part = str(e["dur"]).partition(".")
            threads[e["pid"], e["tid"]].append((begin, begin + int(whole) * 1000 + int((part + "000")[:3]), kind(e)))
    return threads


def count(threads):
    out = collections.Counter()
    for spans in threads.values():
        marked = sorted((s for s in spans if s[2]), key=lambda s: (s[0], -s[1]))
        within = lambda a, b: a is not b and b[0] <= a[0] and a[1] <= b[1]
        broken = set()
        for s in marked:
            if s[2] == "region":
                out["region_entry_count"] += 1
                around = [o for o in marked if within(s, o) and o[2] != "lookup"]
                inner = max(around, key=lambda o: (o[0], -o[1]), default=None)
                broken |= {inner} if inner and inner[2] == "region" else set()
            out["lookup_count"] += s[2] == "lookup"
        out["graph_break_count"] += len(broken)
        for i, s in enumerate(marked):  # the next lookup or region of the thread; without stacks nothing else tells places apart
            if s[2] == "lookup":
                then = next((o for o in marked[i + 1:] if o[2] in ("lookup", "region")), None)
                follows = any(o[0] >= s[1] for o in spans)
                out["fallback_count"] += then[2] == "lookup" if then else follows
    return out


def said(path):
    done = subprocess.run([TSCOPE, "analyze", "--json", path], capture_output=True, text=True)
    return json.loads(done.stdout)["work"]["marks"]["graph_breaks"]


def compare(path, says, wanted):
    for what in A_STEP:
        unknown = what == "fallback_count" and not (wanted["lookup_count"] and wanted["region_entry_count"])
        unknown |= what == "graph_break_count" and not wanted["region_entry_count"] and says["graph_call_count"] > 0
        if says[what] != (None if unknown else wanted[what]):
            bad.append(f"{os.path.basename(path)}: {what} is {says[what]}, and not {None if unknown else wanted[what]}")


says = said(RECORDED)
for key, n in A_STEP.items():
    if says[key] != 3 * n or says["in_steps_" + key] != 3 * n:
        bad.append(f"{key} is {says[key]}, and not {3 * n}")
SENTENCES = ("Compiled regions were entered 18 times (6 a step); 6 entries (2 a step) ended at a graph break",
             "Of 21 lookups for compiled code 3 (1 a step) found none")
text = " ".join(subprocess.run([TSCOPE, "analyze", RECORDED], capture_output=True, text=True).stdout.split())
bad += [f"the text does not say: {s}" for s in SENTENCES if s not in text]
paths = [RECORDED] + sorted(glob.glob(os.path.join(sys.argv[2], "*.json.gz")) if len(sys.argv) > 2 else [])
for path in paths:
    wanted, says = count(spans_of(path)), said(path)
    compare(path, says, wanted)
    if any(wanted.values()) or says["graph_call_count"]:
        print(f"{os.path.basename(path)[:60]:60} {dict(wanted)}, {says['graph_call_count']} calls of graphs alone")
for line in bad:
    print(line)
print(f"{len(paths)} traces, {len(bad)} errors")
sys.exit(1 if bad else 0)
