#!/usr/bin/env python3
"""Writes compare.jsonl from a folder of TraceML's summaries and the answers of its compare:

    tests/golden/traceml/make_compare.py CORPUS > tests/golden/traceml/compare.jsonl

CORPUS has compare_cases/index_min.json and the files that it names. Of each file only the keys stay that the rule reads, or that
say which job it was. Where a is that of the first line it is left out."""
import json
import os
import sys

AVERAGE = ("step_time_ms step_time_cpu_ms step_time_gpu_ms total_step_ms input_wait_ms h2d_ms forward_ms backward_ms optimizer_ms "
           "compute_ms residual_ms").split()
KEEP = ["schema_version", "meta.world_size", "meta.nodes_observed", "meta.gpus_observed", "primary_diagnosis.status",
        "system.diagnosis.status", "system.global.average.gpu_util_percent", "process.diagnosis.status", "step_time.diagnosis.status",
        "step_time.global.window.diagnosis_clock", "step_time.global.window.steps_analyzed",
        "step_memory.diagnosis.status",
        "step_memory.global.worst.peak_reserved_bytes.value", "step_memory.global.median.peak_reserved_bytes.value"]
KEEP += ["step_time.global.average." + m for m in AVERAGE]
KEEP += ["step_time.global.worst." + m + ".value" for m in ("step_time_cpu_ms", "step_time_gpu_ms", "total_step_ms")]


def reduced(summary):
    out = {k: {} for k in ("system", "process", "step_time", "step_memory")}
    for path in KEEP:
        at, to, keys = summary, out, path.split(".")
        for key in keys[:-1]:
            at = at.get(key) if isinstance(at, dict) else None
        if not isinstance(at, dict) or keys[-1] not in at:
            continue
        for key in keys[:-1]:
            to = to.setdefault(key, {})
        to[keys[-1]] = at[keys[-1]]
    return out


def main():
    corpus = sys.argv[1]
    with open(os.path.join(corpus, "compare_cases/index_min.json"), encoding="utf-8") as f:
        index = json.load(f)
    first = None
    for case in index:
        line = {"expected": {k: v for k, v in case.items() if k not in ("a", "b")}}
        for side in "ab":
            with open(os.path.join(corpus, case[side]), encoding="utf-8") as f:
                line[side] = reduced(json.load(f))
        first = first or line["a"]
        if case is not index[0] and line["a"] == first:
            del line["a"]
        print(json.dumps(line, separators=(",", ":")))


main()
