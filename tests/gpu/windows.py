"""The trace and the snapshot of a recorded run, read back by tscope and held against torch's own figures of the same window."""

import json
import os
import subprocess

import torch
from harmless import begin
from training import ROOT, Training


def analyzed(context, path):
    """Returns what `tscope analyze` says of a file."""
    words = [context.program, "analyze", os.path.abspath(path), "--json", "--warmup", "0"]
    done = subprocess.run(words if path.endswith(".gz") else words[:-2], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"tscope analyze {path}: exit {done.returncode}: {done.stderr}{done.stdout}")
    return json.loads(done.stdout)


def of_device(rows):
    """Returns the us of each kernel, copy and fill by torch's key_averages: what is of the device, and no annotation."""
    found = {}
    for row in rows:
        if str(row.device_type).endswith("CUDA") and not getattr(row, "is_user_annotation", False):
            found[row.key] = found.get(row.key, 0.0) + row.self_device_time_total
    return found


def farthest(ours, theirs):
    """Returns how far a figure of ours lies from theirs of the same name, as a share of it or of 10 us, and which name is the worst.

    >>> farthest({"a": 99.0, "b": 1.0}, {"a": 100.0, "b": 1.0, "c": 5.0})
    (0.01, 'a')
    """
    apart = [(abs(us - theirs.get(name, 0.0)) / max(theirs.get(name, 0.0), 10.0), name) for name, us in ours.items()]
    return max(apart, default=(1.0, "none"))


def trace(context):
    """Traces three steps by `run.profile`."""
    training, rows = Training(context.device), []
    run = begin(context, "trace")
    run.profile(wait=3, warmup=1, active=3, on_trace_ready=lambda prof: rows.extend(prof.key_averages()))
    training.record(run, 8)
    run.finish()
    if not context.program:
        context.table.leave_out("the trace of the run", "--program names no tscope to read it")
        return
    found = analyzed(context, os.path.join(context.folder, "trace", "trace.json.gz"))
    counts = {row["name"]: row["count"] for row in found["work"]["operators"]}
    theirs = {row.key: row.count for row in rows if row.key in counts}
    wrong = sum(counts[name] < n for name, n in theirs.items())  # an operator that calls itself counts once there
    context.table.must(f"operators of the run's trace, fewer times than by key_averages, of {len(theirs)}", str(wrong), "0",
                       wrong == 0 and counts["aten::mm"] == theirs.get("aten::mm"))
    if context.device != "cuda":
        context.table.leave_out("device time by kernel, of the trace beside key_averages", "no kernel runs on a host")
        return
    expected = of_device(rows)
    whole = sum(expected.values())
    apart = abs(found["kernel_sum_ns"] / 1e3 - whole) / whole if whole else 1.0  # a profiler that saw no kernel shows nothing
    context.table.must(f"device time of the trace, by tscope beside key_averages ({whole / 1e3:,.1f} ms)", f"{apart:.2%}", "1 %",
                       apart <= 0.01)
    worst, name = farthest({row["name"]: row["sum_ns"] / 1e3 for row in found["kernels"]}, expected)
    what = f"the same by kernel, the worst of {len(found['kernels'])}: {name[:40]}"
    context.table.must(what, f"{worst:.2%}", "1 %", worst <= 0.01)


def peak_of(context, path):
    """Returns what tscope says of the first device of a snapshot: the peak of what was requested, the least that was allocated then,
    and how many bytes contradict each other."""
    device = analyzed(context, path)["devices"][0]
    return device["history"]["peak_bytes"], device["peak_allocated_least_bytes"], device["history"]["baseline_error_bytes"]


def snapshot(context):
    """Keeps the history of two steps by `run.snapshot`, and torch's peaks of the same steps."""
    if not context.program:
        context.table.leave_out("the snapshot of the run", "--program names no tscope to read it")
        return
    if context.device != "cuda":
        # That the figures are found where they are looked for, in a snapshot whose peak tests/golden/snapshot/make.py chose.
        peak, least, error = peak_of(context, os.path.join(ROOT, "tests", "golden", "snapshot", "batch2.pickle"))
        context.table.must("the peak of a snapshot that the tree has is read", f"{peak:,} bytes", "36 MiB",
                           (peak, error) == (36 << 20, 0) and least >= peak)
        context.table.leave_out("the peak of the run's snapshot", "torch records the history of CUDA's memory alone")
        return
    training = Training(context.device)
    run = begin(context, "snapshot", memory_every=0)
    run.snapshot(start=3, steps=2)
    training.record(run, 3)
    torch.cuda.reset_peak_memory_stats()
    training.record(run, 2)
    stats = torch.cuda.memory_stats()
    run.finish()
    peak, least, error = peak_of(context, os.path.join(context.folder, "snapshot", "snapshot.pickle"))
    requested, allocated = stats["requested_bytes.all.peak"], stats["allocated_bytes.all.peak"]
    context.table.must(f"the peak of the snapshot, requested: {peak:,} bytes; apart from torch's", f"{peak - requested:,}", "0",
                       peak == requested)
    context.table.must("the same, allocated at least; below max_memory_allocated by", f"{allocated - least:,} bytes", "0 or more",
                       allocated >= least)
    context.table.must("bytes by which its events and blocks contradict each other", f"{error:,}", "0", error == 0)
