#!/usr/bin/env python3
"""peers.py BUILD [CORPUS]: holds `tscope analyze --as axolotl` and `--as kempner` to a model of both tools in Python, which reads the file by
json.load: on the traces of this folder, and on the real traces and snapshots of CORPUS, line by line.

The model of Axolotl adds doubles of microseconds in the order of the file, as its script does. That of KempnerForge makes the rows of
torch's key_averages() from the trace: of the host by name, with what each launched, and of devices, and prints its table."""
import bisect
import collections
import decimal
import glob
import gzip
import itertools
import json
import os
import pickle
import re
import subprocess
import sys

sys.setrecursionlimit(100000)
HERE = os.path.dirname(os.path.abspath(__file__))
TSCOPE = os.path.join(os.path.abspath(sys.argv[1]), "tscope")
KEPT = ("kernel", "gpu_memcpy", "cpu_op", "python_function", "ac2g", "Runtime")
RULE = "=" * 75
TABLE = [  # traces.md A2
    ("ScatterMoE bwd LoRA (split)", "_group_bwd_lora_split _group_bwd_da _group_bwd_db"), ("ScatterMoE bwd LoRA (fused)", "_group_bwd_lora"),
    ("ScatterMoE bwd dX", "_scatter2scatter_lora_dx"), ("ScatterMoE fwd", "_scatter2scatter_lora"), ("BnB Dequantization", "dequantize"),
    ("Flash Attention", "flash fmha"), ("CCE Loss", "_cce_"), ("LoRA QKV Kernel", "lora_qkv"), ("LoRA O Kernel", "lora_o"),
    ("LoRA MLP Kernel", "lora_mlp"), ("LoRA Activation (SwiGLU/GEGLU)", "swiglu geglu"), ("DoRA Weight Norm", "linalg_norm dora_scale"),
    ("GEMM/CUTLASS", "cutlass gemm gemv cublas"), ("Triton (norms etc)", "triton"), ("Conv1d", "conv1d causal_conv"), ("Optimizer", "adam optim"),
    ("Dtype Conversion", "_to_copy to_copy"), ("Elementwise/Fill", "fill elementwise cast copy_kernel"), ("Memory ops", "memcpy memset"),
    ("TopK/Sort", "topk sort"), ("Index/Gather/Scatter", "index gather scatter")]
ADVICE = [("GEMM", "GEMM/matmul dominates ({:.0f}%). Consider FP8 training, LoRA (fewer params), or smaller batch size to reduce compute."),
          ("Attention", "Attention dominates ({:.0f}%). Ensure FlashAttention v2/v3 is active. Consider reducing sequence length or using sliding window."),
          ("Fill", "Elementwise/Fill ops dominate ({:.0f}%). Enable kernel fusion (Liger, torch.compile) to reduce memory-bound elementwise operations."),
          ("ScatterMoE", "MoE routing/scatter dominates ({:.0f}%). Check expert count and capacity factor. Verify ScatterMoE kernels are using optimal block sizes.")]


def load(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as f:
        data = json.loads(f.read().decode("utf-8", "replace"), parse_float=decimal.Decimal)  # a double has no room for ns since 1970
    return (data if isinstance(data, dict) else {"traceEvents": data})


def category(name):
    low = name.lower()
    return next((word for word, parts in TABLE if any(p in low for p in parts.split())), "Other")


class Axolotl:
    def __init__(self, trace, label):
        self.label, self.out = label, []
        self.kept = [e for e in trace["traceEvents"] if e.get("cat") in KEPT and e.get("ph") == "X"]
        for e in self.kept:
            e["b"], e["d"] = float(e.get("ts", 0)), float(e.get("dur", 0))

    def say(self, line=""):
        self.out.append(line)

    def heading(self, text):
        self.out += ["", RULE, "  " + text, RULE]

    def lines(self):
        events = [e for e in self.kept if e["cat"] in ("kernel", "gpu_memcpy")]
        if not events:
            return ["  No CUDA kernel events found!"]
        self.cut, behind = None, events
        if len(events) > 1000:
            low, high = min(e["b"] for e in events), max(e["b"] for e in events)
            self.cut = low + (high - low) * 0.45
            behind = [e for e in events if e["b"] > self.cut]
            self.say(f"  Excluding step 0 (warmup): {len(events):,} -> {len(behind):,} events")
        self.steps = self.count_steps(sorted(e["b"] for e in behind))
        self.timing(behind)
        self.host()
        self.summary()
        return self.out

    @staticmethod
    def count_steps(begins):
        if len(begins) < 100:
            return 1
        gaps = [b - a for a, b in zip(begins, begins[1:])]
        limit = max(sorted(gaps)[len(gaps) // 2] * 50, 100000)
        return 1 + sum(g > limit for g in gaps)

    def timing(self, events):
        kernels, cats, fills = collections.OrderedDict(), collections.OrderedDict(), collections.OrderedDict()
        for e in events:
            row = kernels.setdefault(e.get("name", "unknown"), [0.0, 0])
            row[0], row[1] = row[0] + e["d"], row[1] + 1
            if "fill" in e.get("name", "").lower():
                dims = e.get("args", {}).get("Input Dims", "unknown")
                row = fills.setdefault(str(dims), [0, 0])
                row[0], row[1] = row[0] + e["d"], row[1] + 1
        for name, (us, n) in kernels.items():
            row = cats.setdefault(category(name), [0, 0])
            row[0], row[1] = row[0] + us, row[1] + n
        host = [e for e in self.kept if e["cat"] in ("cpu_op", "python_function") and (self.cut is None or e["b"] > self.cut)]
        self.total, self.cats, self.fills = sum(us for us, _ in kernels.values()), cats, sum(us for us, _ in fills.values())
        self.wall = max(e["b"] + e["d"] for e in host) - min(e["b"] for e in host) if host else 0
        n = self.steps
        self.heading("Trace: " + self.label)
        self.say()
        self.say(f"  CUDA kernel time: {self.total / 1e6:.2f}s over {n} steps (~{self.total / n / 1e6:.2f}s/step)")
        if self.wall:
            self.say(f"  Wall clock span:  {self.wall / 1e6:.2f}s over {n} steps (~{self.wall / n / 1e6:.2f}s/step)")
        self.out += ["", f"  {'Category':<40} {'Total':>9} {'%':>6} {'Count':>7} {'Per step':>9}", "  " + "-" * 75]
        if not self.total:
            raise ZeroDivisionError
        for word, (us, count) in self.longest(cats):
            self.say(f"  {word:<40} {us / 1000:>8.1f}ms {us / self.total * 100:>5.1f}% {count:>7} {us / n / 1000:>7.1f}ms")
        self.out += ["", "  Top 15 individual kernels:"]
        for name, (us, count) in self.longest(kernels)[:15]:
            self.say(f"    {name[:62]:<62} {us / 1000:>7.1f}ms ({us / self.total * 100:>4.1f}%) x{count:<5} avg={us / count / 1000:.3f}ms")
        if self.fills:
            self.out += ["", f"  Fill/zero_ kernel breakdown by tensor size (total: {self.fills / 1000:.1f}ms, {self.fills / self.total * 100:.1f}% of CUDA time):",
                         f"    {'Input Dims':<50} {'Time':>9} {'Count':>7}", "    " + "-" * 70]
            for dims, (us, count) in self.longest(fills)[:10]:
                self.say(f"    {dims[:50]:<50} {us / 1000:>7.1f}ms {count:>7}")

    @staticmethod
    def longest(rows):
        return sorted(rows.items(), key=lambda r: -r[1][0])

    def host(self):
        wall = max(0, max(e["b"] + e["d"] for e in self.kept)) - min(e["b"] for e in self.kept)
        wall = max(wall, 0)
        work = [e for e in self.kept if e["cat"] == "kernel"]
        used = sum(e["d"] for e in work)
        share = used / wall * 100 if wall else 0
        self.heading("CPU Overhead: " + self.label)
        self.out += ["", f"  Wall clock:       {wall / 1e6:.2f}s (~{wall / self.steps / 1e6:.2f}s/step)",
                     f"  CUDA kernel time: {used / 1e6:.2f}s ({len(work):,} kernels)", f"  GPU utilization:  {share:.1f}%",
                     f"  CPU overhead:     {(wall - used) / 1e6:.2f}s ({100 - share:.1f}%)"]
        copies = collections.OrderedDict()
        for e in self.kept:
            if e["cat"] == "gpu_memcpy":
                where = next((w for p, w in (("DtoH", "GPU→CPU (offload)"), ("HtoD", "CPU→GPU (reload)"), ("DtoD", "GPU→GPU")) if p in e["name"]), e["name"])
                row = copies.setdefault(where, [0, 0])
                row[0], row[1] = row[0] + e["d"], row[1] + 1
        if copies:
            us = sum(row[0] for row in copies.values())
            self.out += ["", f"  Memory transfers: {us / 1e6:.3f}s (0.00GB, {us / wall * 100:.1f}% of wall)"]
            for where, (us, count) in self.longest(copies):
                self.say(f"    {where:30s} {us / 1e6:.3f}s  x{count:>5}  0.00GB")
        ops = [e["d"] for e in self.kept if e["cat"] in ("cpu_op", "python_function") and re.search("checkpoint|recompute", e["name"].lower())]
        if ops:
            self.out += ["", f"  Gradient checkpoint CPU ops: {sum(ops) / 1e6:.3f}s (x{len(ops)})"]

    def summary(self):
        self.heading("SUMMARY & RECOMMENDATIONS")
        us, word = (self.wall, "wall clock: ") if self.wall > 0 else (self.total, "CUDA time:  ")
        self.out += ["", f"  Estimated per-step {word}{us / self.steps / 1e6:.2f}s", "", "  Top optimization recommendations:"]
        said, cats = [], self.longest(self.cats)
        share = cats[0][1][0] / self.total * 100
        if share > 30:
            said.append(next((t.format(share) for part, t in ADVICE if part in cats[0][0]),
                             f"'{cats[0][0]}' dominates ({share:.0f}%). Focus optimization efforts here first."))
        for name, (us, _) in cats:
            if name == "Memory ops" and us / self.total * 100 > 10:
                said.append(f"Memory ops are {us / self.total * 100:.0f}% of CUDA time. Consider gradient checkpointing, reducing activation "
                            "recomputation, or pinned memory for data loading.")
        if self.fills / self.total * 100 > 5:
            said.append(f"Fill/zero_ kernels consume {self.fills / self.total * 100:.1f}% of CUDA time. Large zero-fills suggest excessive "
                        "tensor allocation. Consider reusing buffers or lazy initialization.")
        if self.wall > 0 and self.total / self.wall * 100 < 50:
            said.append(f"GPU utilization is ~{self.total / self.wall * 100:.0f}% (CUDA time vs wall clock). CPU-side bottleneck likely. Profile data "
                        "loading, reward computation, or weight sync overhead.")
        self.out += [f"    {i}. {s}" for i, s in enumerate(said[:3], 1)] or ["    No major issues detected."]
        self.say()


def ns(us):
    return round(decimal.Decimal(us) * 1000)


DEVICE = {"kernel", "gpu_memcpy", "gpu_memset", "Kernel", "Memcpy", "Memset"}
HOST = {"cpu_op", "Operator"}
CALLS = {"cuda_runtime", "cuda_driver", "mtia_runtime", "Runtime"}
BUCKETS = [("gemm mm matmul dot bmm cublas nvjet cutlass", 0), ("nccl allreduce allgather reduce_scatter", 1), ("memcpy memset", 2)]


def bucket(key):
    return next((n for parts, n in BUCKETS if any(p in key.lower() for p in parts.split())), 3)


def external(e):
    args = e.get("args", {})
    return args.get("External id", args.get("external id"))


class Operators:
    """The innermost operator around each call, by a stack for each thread."""

    def __init__(self, events):
        self.launched, self.by_id = {}, {}
        # Some versions repeat the correlation there.
        self.has_external = any(external(e) not in (None, e["args"].get("correlation")) for e in events if e.get("cat") in DEVICE)
        threads = collections.defaultdict(list)
        for e in events:
            cat = e.get("cat")
            if cat in HOST and not e["name"].startswith("ProfilerStep#"):
                threads[e["pid"], e["tid"]].append((ns(e["ts"]), -ns(e["ts"]) - ns(e["dur"]), 0, e))
                if external(e) is not None:
                    self.by_id.setdefault(external(e), e)
            elif cat in CALLS and "correlation" in e.get("args", {}):
                threads[e["pid"], e["tid"]].append((ns(e["ts"]), -ns(e["ts"]) - ns(e["dur"]), 1, e))
        for rows in threads.values():
            self.walk(sorted(rows, key=lambda r: r[:3]))

    def walk(self, rows):
        stack = []
        for begin, minus_end, is_call, e in rows:
            while stack and (stack[-1][0] <= begin or False):
                stack.pop()
            if is_call:
                inner = next((op for end, op in reversed(stack) if end >= -minus_end), None)
                self.launched.setdefault(e["args"]["correlation"], inner)
            else:
                stack.append((-minus_end, e))

    def of(self, e):
        correlation = e.get("args", {}).get("correlation")
        if self.launched.get(correlation):
            return self.launched[correlation]
        return self.by_id.get(external(e)) if self.has_external else None


def flops(e):
    dims = e.get("args", {}).get("Input Dims", e.get("args", {}).get("Input dims"))
    at = {"aten::mm": 0, "aten::bmm": 0, "aten::addmm": 1, "aten::baddbmm": 1}.get(e["name"])
    n = 1
    if not dims:
        return 0
    if at is not None:
        if len(dims) < at + 2 or len(dims[at]) < 2 or len(dims[at + 1]) < 2:
            return 0
        for d in dims[at]:
            n *= d
        return 2 * n * dims[at + 1][-1]
    said = e["args"].get("Concrete Inputs")
    if e["name"] == "aten::conv2d" and said and len(said) > 6 and all(said[3:6]) and len(dims[0]) == len(dims[1]) == 4:
        stride, padding, dilation = ((v * 2)[:2] for v in map(json.loads, said[3:6]))
        (batch, channels, *size), (outs, _, *kernel) = dims[0], dims[1]
        at = [(size[i] + 2 * padding[i] - dilation[i] * (kernel[i] - 1) - 1) // stride[i] + 1 for i in range(2)]
        return 2 * batch * at[0] * at[1] * kernel[0] * kernel[1] * channels * outs // int(said[6])
    if e["name"] in ("aten::mul", "aten::add"):
        for d in dims[0]:
            n *= d
        return n
    return 0


MARKS = {"user_annotation", "UserAnnotation"}
LEFT_OUT = {"[memory]", "[OutOfMemory]", "profiler::_record_function_enter", "profiler::_record_function_enter_new", "profiler::_record_function_exit",
            "aten::is_leaf", "aten::output_nr", "aten::_version"}


class Averages:
    """key_averages() of torch 2.13 (autograd/profiler_util.py), and its table()."""

    def __init__(self, trace):
        events = [e for e in trace["traceEvents"] if isinstance(e, dict)]
        spans = [e for e in events if e.get("ph") == "X"]
        operators = Operators(spans)
        self.all = []
        for e in spans:
            e["own"] = 0
        for e in spans:
            cat, name = e.get("cat"), e["name"]
            step = name.startswith("ProfilerStep#")
            if cat in DEVICE or cat == "gpu_user_annotation":
                is_a = "device" if cat in DEVICE else "device mark"
                op = operators.of(e) if is_a == "device" else None
                if op:
                    op["own"] += ns(e["dur"])
            elif cat in MARKS or (cat in HOST and step):
                is_a = "mark"
            elif (cat in HOST or cat in CALLS or cat == "overhead") and name not in LEFT_OUT:
                is_a = "host"
            else:
                continue
            self.all.append({"e": e, "is": is_a, "name": "ProfilerStep*" if step else name, "at": ns(e["ts"]), "end": ns(e["ts"]) + ns(e["dur"]),
                             "took": ns(e["dur"]), "up": None, "sub": []})
        self.all.sort(key=lambda x: (x["at"], -x["end"]))
        self.tree()
        self.memory([e for e in events if e.get("name") == "[memory]" and "Bytes" in e.get("args", {})])
        self.rows = {}
        for x in self.all:
            if self.loose and self.loose[0][0] < x["at"]:
                self.add_loose()
            self.add(x)
        self.add_loose()

    def tree(self):
        threads = collections.defaultdict(list)
        for x in self.all:
            x["kernels"] = x["e"]["own"]
            if not x["is"].startswith("device"):
                threads[x["e"]["pid"], x["e"]["tid"]].append(x)
        for rows in threads.values():
            stack = []
            for x in rows:
                while stack and (x["at"] >= stack[-1]["end"] or x["end"] > stack[-1]["end"]):
                    stack.pop()
                if stack:
                    x["up"] = stack[-1]
                    stack[-1]["sub"].append(x)
                stack.append(x)
        while True:
            gone = set()
            for x in self.all:
                up = x["up"]
                if up and up["name"] == x["name"] and len(up["sub"]) == 1:
                    up["sub"], up["kernels"] = x["sub"], x["kernels"]
                    for sub in x["sub"]:
                        sub["up"] = up
                    gone.add(id(x))
            self.all = [x for x in self.all if id(x) not in gone]
            if not gone:
                return

    def memory(self, instants):
        done = sorted((ns(e["ts"]), 0 if e["args"].get("Device Type") == 0 else 1, int(e["args"]["Bytes"])) for e in instants)
        at, sums = [d[0] for d in done], [[0, 0]]
        for _, place, size in done:
            sums.append([sums[-1][0] + size * (place == 0), sums[-1][1] + size * (place == 1)])
        held = [0] * (len(done) + 1)
        for x in self.all:
            i, j = bisect.bisect_left(at, x["at"]), bisect.bisect_right(at, x["end"])
            host = not x["is"].startswith("device")
            x["mem"] = [b - a for a, b in zip(sums[i], sums[j])] if host else [0, 0]
            held[i] += host
            held[j] -= host
        inside = list(itertools.accumulate(held))
        self.loose = [d for d, n in zip(done, inside) if not n]
        self.remembers = bool(done)

    def add_loose(self):
        for _, place, size in self.loose:
            row = self.rows.setdefault(("[memory]", "host"), {"n": 0, "cpu": 0, "self": 0, "cuda": 0, "own": 0, "flops": 0, "mem": [0, 0], "own mem": [0, 0]})
            row["n"] += 1
            row["mem"][place] += size
            row["own mem"][place] += size
        self.loose = []

    def device_time(self, x):
        if "cuda" not in x:
            x["cuda"] = x["took"] if x["is"].startswith("device") else x["kernels"] + sum(self.device_time(y) for y in x["sub"])
        return x["cuda"]

    def add(self, x):
        row = self.rows.setdefault((x["name"], x["is"]), {"n": 0, "cpu": 0, "self": 0, "cuda": 0, "own": 0, "flops": 0, "mem": [0, 0], "own mem": [0, 0]})
        row["n"] += 1
        row["cuda"] += self.device_time(x)
        row["own"] += x["took"] if x["is"].startswith("device") else x["kernels"]
        row["flops"] += flops(x["e"]) if x["e"].get("cat") in HOST else 0
        if not x["is"].startswith("device"):
            row["cpu"] += x["took"]
            row["self"] += x["took"] - sum(y["took"] for y in x["sub"])
            for p in range(2):
                row["mem"][p] += x["mem"][p]
                row["own mem"][p] += x["mem"][p] - sum(y["mem"][p] for y in x["sub"])

    def table(self, by, limit):
        def took(t):
            return f"{t / 1e9:.3f}s" if t >= 1e9 else f"{t / 1e6:.3f}ms" if t >= 1e6 else f"{t / 1e3:.3f}us"

        def share(t, whole):
            return f"{t * 100 / whole:.2f}%" if whole else "NaN"

        def size(n):
            unit = next((u for u in (3, 2, 1) if abs(n) >= 1024**u), 0)
            return f"{n / 1024**unit:.2f} {('B', 'KB', 'MB', 'GB')[unit]}" if unit else f"{n} B"

        rows = list(self.rows.items())
        cpu, cuda = sum(r["self"] for _, r in rows), sum(r["own"] for k, r in rows if k[1] == "device")
        device, memory = any(r["own"] > 0 for _, r in rows), any(r["own mem"][1] > 0 for _, r in rows)
        counted = [r["flops"] for _, r in rows if r["flops"]]
        width = min(55, max(len(k[0]) for k, _ in rows) + 4)
        head = ["Name", "Self CPU %", "Self CPU", "CPU total %", "CPU total", "CPU time avg"]
        head += ["Self CUDA", "Self CUDA %", "CUDA total", "CUDA time avg"] * device
        head += (["CPU Mem", "Self CPU Mem"] + ["CUDA Mem", "Self CUDA Mem"] * memory) * self.remembers + ["# of Calls"]
        unit = min(5, (len(str(min(counted))) - 1) // 3) if counted else 0
        head += ["Total " + ("", "K", "M", "G", "T", "P")[unit] + "FLOPs"] * bool(counted)

        def line(cells):
            return "  ".join(c.rjust(width if i == 0 else 12) for i, c in enumerate(cells))

        rule = "  ".join(["-" * width] + ["-" * 12] * (len(head) - 1))
        out = [rule, line(head), rule]
        for (name, _), r in sorted(rows, key=lambda x: x[1][by], reverse=True)[:limit]:
            cells = [name if len(name) < 52 else name[:52] + "...", share(r["self"], cpu), took(r["self"]), share(r["cpu"], cpu), took(r["cpu"]), took(r["cpu"] / r["n"])]
            cells += [took(r["own"]), share(r["own"], cuda), took(r["cuda"]), took(r["cuda"] / r["n"])] * device
            cells += [size(v) for p in range(1 + memory) for v in (r["mem"][p], r["own mem"][p])] * self.remembers + [str(r["n"])]
            cells += ([f"{r['flops'] / 1000**unit:8.3f}"] if r["flops"] else ["--"]) * bool(counted)
            out.append(line(cells))
        return out + [rule, f"Self CPU time total: {took(cpu)}"] + [f"Self CUDA time total: {took(cuda)}"] * device


def kempner(trace, folder):
    averages = Averages(trace)
    rows = [[key[0], r["own"], r["n"], r["flops"]] for key, r in averages.rows.items()]
    rows.sort(key=lambda r: -r[1])
    took, count, sums = 0, 0, [0] * 4
    for name, t, _, f in rows:
        if "profilerstep" not in name.lower():
            took, count = took + t, count + f
            sums[bucket(name)] += t
    share = [100 * s / max(took, 1000) for s in sums]
    achieved = count / (took / 1e9) / 1e12 if took else 0
    device = next((d.get("name", "") for d in trace.get("deviceProperties", trace.get("computeProperties", [])) or []), "")
    peak = next((p for n, p in (("H200", 989), ("H100", 989), ("H800", 989), ("A100", 312), ("A10G", 125), ("L40S", 362), ("RTX 4090", 330), ("RTX 3090", 142)) if n in device), 0)
    out = ["", "=" * 100, "TOP CUDA KERNELS (by total CUDA time)", "=" * 100, *(averages.table("cuda", 30) if rows else []), ""]
    out += ["", "=" * 100, "TOP CUDA KERNELS (by FLOPS)", "=" * 100, *(averages.table("flops", 20) if rows else []), ""]
    out += ["", "=" * 100, "AGGREGATE GPU TIME BREAKDOWN", "=" * 100, f"  Total CUDA time:    {took / 1e9:.3f} s"]
    out += [f"  {w:<20}{s / 1e9:.3f} s ({p:.1f}%)" for w, s, p in zip(("MatMul/GEMM:", "Communication:", "Memory ops:", "Other kernels:"), sums, share)]
    out.append(f"  Total FLOPS:        {count / 1e12:.2f} TFLOP")
    if took:
        out.append(f"  Achieved TFLOPS:    {achieved:.1f}")
        out += [f"  GPU peak (bf16):    {peak} TFLOPS", f"  Kernel efficiency:  {100 * achieved / peak:.1f}%"] if peak else []
    out += ["", "# Profiling Summary", "", "**Date**", f"**GPU**: {device or 'unknown'}", f"**Traces**: `{folder}/`", "", "## GPU Time Breakdown", "",
            "| Category | Time (s) | % |", "|----------|--------:|---:|"]
    out += [f"| {w} | {s / 1e9:.3f} | {p:.1f} |" for w, s, p in zip(("MatMul/GEMM", "Communication (NCCL)", "Memory ops", "Other kernels"), sums, share)]
    out += [f"| **Total** | **{took / 1e9:.3f}** | **100.0** |", "", "## Efficiency", "", "| Metric | Value |", "|--------|------:|",
            f"| Total FLOPS | {count / 1e12:.2f} TFLOP |", f"| Achieved TFLOPS | {achieved:.1f} |"]
    out += [f"| GPU peak (bf16) | {peak} TFLOPS |", f"| Kernel efficiency | {100 * achieved / peak:.1f}% |"] if peak else ["| GPU peak (bf16) | by its compute capability TFLOPS |"]
    out += ["", "## Top CUDA Kernels", "", "| Kernel | CUDA (ms) | % | Calls | GFLOPS |", "|--------|----------:|---:|------:|-------:|"]
    for name, t, n, f in rows[:20]:
        if "profilerstep" not in name.lower():
            gflops = f"{f / 1e9:.1f}" if f else "—"
            out.append(f"| {name[:57] + '...' if len(name) > 60 else name} | {t / 1e6:.1f} | {100 * t / max(took, 1000):.1f} | {n} | {gflops} |")
    return out + ["", "## Viewing Traces", "", "Load the `.json` trace files in [Perfetto UI](https://ui.perfetto.dev/) or TensorBoard:", "", "```bash",
                  f"tensorboard --logdir {folder}", "```"]


class Plain(pickle.Unpickler):
    def find_class(self, module, name):
        raise pickle.UnpicklingError(f"{module}.{name} in a snapshot, which is plain data")


OWN = ("torch/autograd/", "torch/utils/checkpoint", "torch/nn/modules/module.py", "torch/_dynamo/", "torch/_compile", "torch/_ops", "torch/_functorch/",
       "torch/_inductor/", "torch/library", "torch/cuda", "torch/_C", "<frozen", "<unknown>", "fire/core.py", "runpy")


def blamed(frames):
    python = [f for f in frames or [] if f["filename"].endswith(".py")]
    return next((f for f in python if not any(o in f["filename"] for o in OWN)), python[0] if python else None)


def source(file, function):
    for word, hit in (("Gradient checkpoint recompute", "checkpoint" in file.lower() or "backward" in function), ("BnB dequantization", "bitsandbytes" in file),
                      ("ScatterMoE LoRA", "scattermoe" in file or "scatter" in function.lower()),
                      ("Optimizer", "adam" in function.lower() or "optim" in file.lower() or "inductor" in file), ("LayerNorm", "norm" in function.lower()),
                      ("FLA linear attention", "fla/" in file or "gated_delta" in file)):
        if hit:
            return word
    return "Other"


def short(path):
    for part, front in (("/site-packages/", "..."), ("/axolotl/src/", "axolotl/"), ("/axolotl/", "axolotl/")):
        if part in path:
            return front + path.split(part)[1]
    return ".../" + "/".join(path.split("/")[-3:]) if len(path) > 60 else path


class AxolotlMemory:
    """traces.md A6; events are those of the first device."""

    def __init__(self, snapshot, label):
        self.label, self.out, self.segments = label, [], snapshot["segments"]
        self.events = (snapshot.get("device_traces") or [[]])[0]
        self.reserved, self.allocated = (sum(s[k] for s in self.segments) for k in ("total_size", "allocated_size"))

    def heading(self, what):
        self.out += ["", RULE, f"  {what}: {self.label}", RULE, ""]

    def lines(self):
        self.memory()
        if self.events:
            self.peak()
        if self.segments:
            self.fragmentation()
        self.churn()
        return self.out

    def memory(self):
        active = sorted((b["size"] for s in self.segments for b in s["blocks"] if b["state"] == "active_allocated"), reverse=True)
        self.heading("Memory")
        self.out += [f"  Reserved:    {self.reserved / 1e9:.2f} GB", f"  Allocated:   {self.allocated / 1e9:.2f} GB"]
        self.out += [f"  Utilization: {self.allocated / self.reserved * 100:.1f}%" if self.reserved else ""]
        self.out += [f"  Fragmentation: {(self.reserved - self.allocated) / self.reserved * 100 if self.reserved else 0:.1f}%",
                     f"  Segments: {len(self.segments)}, Active blocks: {len(active)}", "", "  Largest active allocations:"]
        self.out += [f"    {size / 1e6:>10.1f} MB" for size in active[:10]]
        self.sizes = collections.Counter(e["size"] for e in self.events if e["action"] == "alloc")
        self.sizes = sorted(self.sizes.items(), key=lambda r: -r[0] * r[1])
        self.out += ["", "  Top allocation churn (alloc count x size):", f"    {'Size':>12} {'Count':>8} {'Total churned':>14}", "    " + "-" * 38]
        self.out += [f"    {size / 1e6:>10.1f}MB {n:>8} {size * n / 1e9:>12.2f}GB" for size, n in self.sizes[:15] if size >= 1e6]

    def peak(self):
        now, peak, at, live, then = 0, 0, 0, {}, {}
        for i, e in enumerate(self.events):
            if e["action"] == "alloc":
                now += e["size"]
                live[e["addr"]] = e
                if now > peak:
                    peak, at = now, i
            elif e["action"] == "free_requested" and e["addr"] in live:
                now -= live.pop(e["addr"])["size"]
        for e in self.events[:at + 1] if peak else []:
            if e["action"] == "alloc":
                then[e["addr"]] = e
            elif e["action"] == "free_requested":
                then.pop(e["addr"], None)
        kept = self.allocated / 1e9 - now / 1e9
        self.heading("Peak Memory")
        self.out.append(f"  Profiled peak (transient):  {peak / 1e9:.2f} GB  (at event {at:,} / {len(self.events):,})")
        if kept > 0:
            self.out += [f"  Persistent baseline:       {kept:.2f} GB  (model + optimizer, allocated before profiling)",
                         f"  Estimated total peak:      {kept + peak / 1e9:.2f} GB"]
        self.out.append(f"  Transient headroom:        {peak / 1e9 - now / 1e9:.2f} GB above end-of-trace")
        rows = {}
        for e in then.values():
            top = blamed(e.get("frames"))
            row = rows.setdefault(source(top["filename"], top["name"]) if top else "Unknown", [0, 0])
            row[0], row[1] = row[0] + e["size"], row[1] + 1
        if rows:
            self.out += ["", "  Allocations live at peak:", f"    {'Category':<35} {'Size':>10} {'Count':>7}", "    " + "-" * 55]
        for word, (size, n) in sorted(rows.items(), key=lambda r: -r[1][0]):
            text = f"{size / 1e9:.2f} GB" if size >= 1e9 else f"{size / 1e6:.1f} MB"
            self.out.append(f"    {word:<35} {text:>10} {n:>7}")

    def fragmentation(self):
        active = inactive = pinned = 0
        gaps, buckets = [], collections.Counter()
        for s in self.segments:
            name = next(w for w, least in ((">=1 GB", 1 << 30), ("256MB-1GB", 1 << 28), ("64-256MB", 1 << 26), ("2-64MB", 1 << 21), ("<2MB", 0)) if s["total_size"] >= least)
            buckets[name] += 1
            buckets[name, "bytes"] += s["total_size"]
            states = [None] + [b["state"] for b in s["blocks"]] + [None]
            for i, b in enumerate(s["blocks"], 1):
                if b["state"] == "active_allocated":
                    active += b["size"]
                    pinned += b["size"] < 2 << 20 and states[i - 1] == states[i + 1] == "inactive"
                elif b["state"] == "inactive":
                    inactive += b["size"]
                    gaps.append((b["size"], s["total_size"]))
        self.heading("Fragmentation")
        self.out += [f"  Reserved:     {self.reserved / 1e9:.2f} GB across {len(self.segments)} segments", f"  Allocated:    {active / 1e9:.2f} GB",
                     f"  Inactive:     {inactive / 1e9:.2f} GB ({inactive / self.reserved * 100 if self.reserved else 0:.1f}% fragmentation)"]
        if pinned:
            self.out.append(f"  Pinned small blocks (<2MB between inactive): {pinned} (prevent segment merging)")
        self.out += ["", "  Segment size distribution:"]
        for name in (">=1 GB", "256MB-1GB", "64-256MB", "2-64MB", "<2MB"):
            if buckets[name]:
                self.out.append(f"    {name:<12} {buckets[name]:>4} segments  {buckets[name, 'bytes'] / 1e9:>6.2f} GB")
        if gaps:
            self.out += ["", "  Largest inactive gaps (freed but unreclaimable):"]
            wide = [g for g in sorted(gaps, key=lambda g: -g[0])[:20] if g[0] >= 32 << 20][:10]
            self.out += [f"    {g / 1e6:>8.0f} MB gap in {s / 1e6:.0f} MB segment" for g, s in wide]
        if inactive > 0.1 * self.reserved and len(self.segments) > 10:
            self.out += ["", "  → FIX: Set PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True",
                         "    This eliminates segment fragmentation by growing segments in-place,",
                         f"    which would reclaim up to {inactive / 1e9:.1f} GB of wasted memory."]

    def churn(self):
        wanted = [(size, n) for size, n in self.sizes[:5] if size >= 1e6]
        if wanted:
            self.out += ["", RULE, f"  Allocation Churn: {self.label}", RULE]
        for size, n in wanted:
            frames, rows = collections.Counter(), {}
            for e in self.events:
                if e["action"] == "alloc" and e["size"] == size:
                    top = blamed(e.get("frames")) or {"filename": "<unknown>", "name": "<no attribution>", "line": 0}
                    frames[top["filename"], top["name"], top["line"]] += 1
            for (file, function, line), count in frames.items():
                row = rows.setdefault(source(file, function), [0, []])
                row[0] += count
                row[1].append((function, short(file), line, count))
            self.out += ["", f"  {size / 1e6:.1f}MB × {n:,} = {n * size / 1e9:.0f}GB churn:"]
            for word, (count, names) in sorted(rows.items(), key=lambda r: -r[1][0]):
                self.out.append(f"    {count / n * 100:>4.0f}%  {word} ({count} allocs)")
                self.out += [f"           {f:35s} {p}:{line} (x{c})" for f, p, line, c in sorted(names, key=lambda r: -r[3])[:3]]


def axolotl_memory(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as f:
        snapshot = Plain(f).load()
    return AxolotlMemory(snapshot if isinstance(snapshot, dict) else {"segments": snapshot}, path).lines()


def right_peaks(corpus):
    """The peak beside theirs is that of exact_replay.json, of the device with the highest."""
    with open(os.path.join(corpus, "snapshots", "exact_replay.json"), encoding="utf-8") as f:
        exact = json.load(f)
    bad, seen = [], 0
    for path in sorted(glob.glob(os.path.join(corpus, "snapshots", "*.pickle"))):
        devices = [d for name, d in exact.items() if name.split("#")[0] == os.path.basename(path) and d.get("events")]
        numbers = [n for line in ask(path, "axolotl")["lines"] for n in line["numbers"] if n["what"] == "peak_gb"]
        peak = max((d["peak_total_requested"] for d in devices), default=None)
        if peak and numbers:
            seen += 1
            bad += [] if numbers[0]["right"] == peak / 1e9 else [f"{os.path.basename(path)}: {numbers[0]} and not {peak}"]
    print(f"--as axolotl: the right peak of {seen - len(bad)} of {seen} snapshots is that of exact_replay.json")
    return bad


def ask(path, tool):
    done = subprocess.run([TSCOPE, "analyze", "--as", tool, "--json", path], capture_output=True, text=True)
    return json.loads(done.stdout)


def compare(path, tool, model):
    answer = ask(path, tool)
    if "error" in answer:
        return answer["error"]["message"]
    ours = [line["text"] for line in answer["lines"] if "(no row)" not in line["text"] and "(it stops" not in line["text"]]
    ours = ["**Date**" if line.startswith("**Date**") else line for line in ours]
    for _ in (line for line in answer["lines"] if "(no row)" in line["text"] and line["text"].startswith("  Top ")):
        del ours[ours.index("  Top allocation churn (alloc count x size):") - 1]  # the empty line before rows that it does not print
    if ours == model:
        return None
    at = next((i for i, (a, b) in enumerate(zip(ours, model)) if a != b), min(len(ours), len(model)))
    return f"line {at + 1}: tscope {ours[at:at + 1]} and the model {model[at:at + 1]}"


def axolotl(path):
    model = Axolotl(load(path), path)
    try:
        return model.lines()
    except ZeroDivisionError:
        return model.out


def run(tool, model, paths, what):
    alike = 0
    for path in paths:
        wrong = compare(path, tool, model(path))
        alike += not wrong
        if wrong:
            print(f"{tool} {os.path.basename(path)}: {wrong}")
    print(f"--as {tool}: {alike} of {len(paths)} {what} line by line")
    return len(paths) - alike


def main():
    paths = [os.path.join(HERE, f) for f in ("trace.json", "cpu.json")]
    if len(sys.argv) > 2:
        paths += sorted(p for p in glob.glob(os.path.join(os.path.abspath(sys.argv[2]), "traces", "**", "*json*"), recursive=True)
                        if "exact_" not in p and "variants" not in p)
    snapshots = glob.glob(os.path.join(HERE, "../snapshot*/*.pickle*"))
    wrong = []
    if len(sys.argv) > 2:
        snapshots += glob.glob(os.path.join(os.path.abspath(sys.argv[2]), "snapshots", "*.pickle"))
        wrong = right_peaks(os.path.abspath(sys.argv[2]))
    lists = [p for p in snapshots if "list" in os.path.basename(p)]  # which its script does not read
    bad = run("axolotl", axolotl_memory, sorted(set(snapshots) - set(lists)), "snapshots") + len(wrong)
    for line in wrong:
        print(line)
    for tool, model in (("axolotl", axolotl), ("kempner", lambda p: kempner(load(p), os.path.dirname(p)))):
        bad += run(tool, model, paths, "traces")
    return bad


sys.exit(1 if main() else 0)
