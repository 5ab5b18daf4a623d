#!/usr/bin/env python3
"""trace_peers.py PEER FILE: what a peer does with a trace, for trace.py to time: `hta` reads it and computes its breakdown in time;
`axolotl` does what the analysis script of Axolotl does before and while it counts kernels (json.load of the text, its filter of events, its
sums by name and category), written again here because the script is in no package."""
import collections
import json
import sys

PEER, FILE = sys.argv[1:]
KEPT = {"kernel", "gpu_memcpy", "cpu_op", "python_function", "ac2g", "Runtime"}
WORDS = ("flash", "fmha", "cutlass", "gemm", "gemv", "cublas", "triton", "conv1d", "adam", "optim", "to_copy", "fill", "elementwise", "cast",
         "memcpy", "memset", "topk", "sort", "index", "gather", "scatter")


def axolotl():
    with open(FILE, encoding="utf-8") as file:
        events = [e for e in json.load(file)["traceEvents"] if e.get("cat") in KEPT or e.get("ph") == "M"]
    work = [e for e in events if e.get("ph") == "X" and e.get("cat") in ("kernel", "gpu_memcpy")]
    starts = sorted({e["ts"] for e in work})
    cut = starts[0] + 0.45 * (starts[-1] - starts[0]) if len(work) > 1000 else starts[0]
    names, categories = collections.defaultdict(lambda: [0, 0, 0]), collections.Counter()
    for event in work:
        if event["ts"] < cut:
            continue
        row = names[event["name"]]
        row[0] += event["dur"]
        row[1] += 1
        row[2] = max(row[2], event["dur"])
    for name, row in names.items():
        categories[next((w for w in WORDS if w in name.lower()), "other")] += row[0]
    print(len(work), len(categories))


def hta():
    from hta.trace_analysis import TraceAnalysis

    print(len(TraceAnalysis(trace_files={0: FILE}).get_temporal_breakdown(visualize=False)))


{"axolotl": axolotl, "hta": hta}[PEER]()
