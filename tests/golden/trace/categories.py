#!/usr/bin/env python3
"""categories.py BUILD FILE...: how much of the time of kernels has the category of the operator that launched it, in real traces.

The label of a kernel is told by the operators around its launch, innermost first, by the table below, which knows nothing of the
program's; names count only where an operator launches other things too (layouts of a convolution, routing of experts). Kernels
whose operators do not decide have no label, and their time is left out. --wrong prints what differs.
"""
import bisect
import collections
import gzip
import json
import os
import re
import subprocess
import sys

POINTWISE = (r"add|sub|mul|div|pow|rsqrt|sqrt|exp|neg|silu|gelu|relu|sigmoid|tanh|where|clamp|clamp_min|threshold|gt|lt|ge|le|eq|ne|cos|sin|abs|"
             r"reciprocal|logical_not|arange|tril|triu|floor|round|rsub|lerp|remainder|erf|log|leaky_relu|hardtanh|isnan|isinf")
LABELS = [(c, re.compile(p, re.IGNORECASE)) for c, p in (
    ("communication", r"c10d|symm_mem|record_param_comms|all_reduce|all_gather|reduce_scatter|all2all|all_to_all"),
    ("copy", r"reshape_and_cache"), ("convolution", r"convolution"), ("attention", r"attention|flash_attn|fmha|sage"),
    ("mixture_of_experts", r"moe"), ("normalization", r"layer_norm|batch_norm|group_norm|rms_norm|rmsnorm"), ("softmax", r"_softmax"),
    ("loss", r"nll_loss|cross_entropy"), ("rotary", r"rotary"), ("embedding", r"embedding"), ("quantization", r"quant"),
    ("gemm", r"^aten::(mm|addmm|bmm|baddbmm|_scaled_mm|matmul|linear)$"), ("random", r"dropout|bernoulli|normal_|uniform_"),
    ("pooling", r"pool2d|pool3d|upsample"), ("sort", r"^aten::(sort|topk|_unique2|argsort)"), ("fill", r"^aten::(fill_|zero_|zeros|ones)$"),
    ("copy", r"^aten::(copy_|cat|clone|_to_copy|flip|roll|stack)$"),
    ("index", r"^aten::(index.*|_index_put.*|gather|scatter.*|masked_.*|nonzero|index_select)$"),
    ("reduction", r"^aten::(sum|mean|max|min|amax|argmax|cumsum|norm|linalg_vector_norm|any|all|std|var)$"),
    ("elementwise", rf"^aten::({POINTWISE}|bitwise_.*)(_)?(_backward)?$"))]
LAYOUT = re.compile(r"nchwtonhwc|nhwctonchw|transpose|convert")
PARTS = re.compile(r"im2d|im2col|col2im|flip_filter|subtensor|scalepacked|elementwise_kernel")


def label(operators, name):
    """What a kernel may be called; nothing: its operators do not decide."""
    name = name.lower()
    if name.startswith(("triton_poi", "triton_red", "triton_per")):
        return ("fused",)
    gemm = ("gemm",) if name.startswith(("bmm_", "cijk", "nvjet")) else ()
    for operator in operators[:3]:
        for category, pattern in LABELS:
            if not pattern.search(operator):
                continue
            if category == "convolution" and LAYOUT.search(name):
                return ("copy",)
            if category == "convolution" and PARTS.search(name):
                return ("convolution", "elementwise")
            if category == "mixture_of_experts":
                return gemm or (("quantization",) if "quant" in name else (category,))
            if category in ("attention", "normalization", "softmax") and re.search(r"copy_kernel|fillfunctor|reshape_and_cache", name):
                return ("copy", "fill", category)
            return (category,)
    return gemm


def events_of(path):
    with open(path, "rb") as f:
        data = f.read()
    trace = json.loads((gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode("utf-8", "replace"), strict=False)
    return [e for e in (trace["traceEvents"] if isinstance(trace, dict) else trace) if isinstance(e, dict) and e.get("ph") == "X"]


def launches_of(events):
    """A function from a kernel to the operators around its launch, innermost first; None: a graph launched it."""
    threads, calls, external = collections.defaultdict(list), {}, {}
    for e in events:
        category, args = str(e.get("cat", "")).lower(), e.get("args") or {}
        if category in ("cpu_op", "operator"):
            threads[e["pid"], e["tid"]].append((float(e["ts"]), float(e["ts"]) + float(e.get("dur", 0)), e["name"]))
            external[args.get("External id", args.get("external id"))] = e["name"]
        elif category.endswith(("_runtime", "_driver")) or category == "runtime":
            calls[args.get("correlation")] = e
    for spans in threads.values():
        spans.sort(key=lambda s: (s[0], -s[1]))
    begins = {thread: [s[0] for s in spans] for thread, spans in threads.items()}

    def of(kernel):
        args = kernel.get("args") or {}
        call = calls.get(args.get("correlation"))
        if call and "Graph" in call["name"]:
            return None
        if not call:
            return [external[args["External id"]]] if args.get("External id") in external else []
        thread, at, around = (call["pid"], call["tid"]), float(call["ts"]), []
        i = bisect.bisect_right(begins.get(thread, []), at) - 1
        for begin, end, name in reversed(threads[thread][max(0, i - 600):i + 1]):
            if begin <= at <= end:
                around.append(name)
        return around

    return of


def score(tscope, path):
    events = events_of(path)
    of = launches_of(events)
    done = subprocess.run([tscope, "analyze", "--json", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    ours = {k["name"]: k["category"] for k in json.loads(done.stdout)["kernels"]}
    all_time = labelled = right = other = 0.0
    wrong = collections.Counter()
    for e in events:
        if str(e.get("cat", "")).lower() != "kernel":
            continue
        time, category, operators = float(e.get("dur", 0)), ours.get(e["name"]), of(e)
        all_time += time
        other += time * (category == "other")
        labels = label(operators or [], e["name"])
        if not labels:
            continue
        labelled += time
        right += time * (category in labels)
        if category not in labels:
            wrong["/".join(labels), category, (operators or ["?"])[0], e["name"][:80]] += time
    return all_time, labelled, right, other, wrong


def main():
    files = [a for a in sys.argv[2:] if not a.startswith("--")]
    rows = []
    print(f"{'trace':<60} {'kernels ms':>10} {'labelled':>9} {'right':>8} {'other':>7}")
    for path in files:
        time, labelled, right, other, wrong = score(os.path.join(sys.argv[1], "tscope"), path)
        if not labelled:
            continue
        rows.append((labelled / time, right / labelled, other / time))
        print(f"{os.path.basename(path)[:60]:<60} {time / 1e3:>10.1f} {100 * labelled / time:>7.1f} % {100 * right / labelled:>6.2f} % {100 * other / time:>5.2f} %")
        for row, lost in wrong.most_common(5) if "--wrong" in sys.argv else ():
            print(f"    {100 * lost / time:.2f} %: label {row[0]}, ours {row[1]}, {row[2]}: {row[3]}")
    if rows:
        means = [100 * sum(r[i] for r in rows) / len(rows) for i in range(3)]
        print(f"{len(rows)} traces, means: labelled {means[0]:.1f} %, right {means[1]:.2f} %, other {means[2]:.2f} %")
    return 0


if __name__ == "__main__":
    sys.exit(main())
