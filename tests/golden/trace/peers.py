#!/usr/bin/env python3
"""peers.py BUILD [CORPUS]: holds tscope's figures to those of Axolotl's analyze_profile.py (067b021c) and KempnerForge's profiler (5666d0d1),
by models of both in Python, which read the files by json.load and pickle: on the files of this folder, and on the real ones of CORPUS.

Each figure is computed twice: as the tool computes it, and with its errors mended. tscope must have the mended one in every file. The
table says in how many files the tool itself has it, and by which word of docs/peers.md it is off in the others."""
import collections
import decimal
import glob
import gzip
import json
import os
import pickle
import re
import subprocess
import sys
import tempfile

sys.setrecursionlimit(100000)
HERE = os.path.dirname(os.path.abspath(__file__))
TSCOPE = os.path.join(os.path.abspath(sys.argv[1]), "tscope")
DEVICE = {"kernel": "kernel", "Kernel": "kernel", "gpu_memcpy": "copy", "Memcpy": "copy", "gpu_memset": "fill", "Memset": "fill"}
HOST = {"cpu_op", "Operator"}
CALLS = {"cuda_runtime", "cuda_driver", "mtia_runtime", "Runtime"}
MARKS = {"user_annotation", "UserAnnotation"}
KEPT = ("kernel", "gpu_memcpy", "cpu_op", "python_function", "ac2g", "Runtime")  # by Axolotl
# Axolotl's categories by its patterns, KempnerForge's four, and the category that tscope gives a kernel of that name.
CATEGORIES = [
    ("ScatterMoE bwd LoRA (split)", "_group_bwd_lora_split _group_bwd_da _group_bwd_db", "mixture_of_experts"), ("ScatterMoE bwd LoRA (fused)", "_group_bwd_lora", "mixture_of_experts"),
    ("ScatterMoE bwd dX", "_scatter2scatter_lora_dx", "mixture_of_experts"), ("ScatterMoE fwd", "_scatter2scatter_lora", "mixture_of_experts"),
    ("BnB Dequantization", "dequantize kdequantizeblockwise", "quantization"), ("Flash Attention", "flash_fwd_kernel fmha", "attention"),
    ("CCE Loss", "_cce_", "loss"), ("LoRA QKV Kernel", "lora_qkv", "other"), ("LoRA O Kernel", "lora_o", "other"), ("LoRA MLP Kernel", "lora_mlp", "other"),
    ("LoRA Activation (SwiGLU/GEGLU)", "swiglu geglu", "elementwise"), ("DoRA Weight Norm", "linalg_norm dora_scale", "other"),
    ("GEMM/CUTLASS", "cutlass gemm gemv cublas", "gemm"), ("Triton (norms etc)", "triton_", "fused"), ("Conv1d", "conv1d causal_conv", "convolution"),
    ("Optimizer", "adam", "optimizer"), ("Dtype Conversion", "_to_copy to_copy", "other"), ("Elementwise/Fill", "elementwise cast", "elementwise"),
    ("Elementwise/Fill", "fill_", "fill"), ("Elementwise/Fill", "copy_kernel", "copy"), ("TopK/Sort", "topk sort", "sort"),
    ("Index/Gather/Scatter", "index gather scatter", "index"), ("matmul", "matmul nvjet", "gemm"), ("comm", "nccl allreduce allgather reduce_scatter", "communication")]


def load(path):
    with (gzip.open if path.endswith(".gz") else open)(path, "rb") as f:
        data = json.loads(f.read().decode("utf-8", "replace"), parse_float=decimal.Decimal, strict=False)  # a double has no room for ns since 1970
    return data if isinstance(data, dict) else {"traceEvents": data}


def ask(*words):
    done = subprocess.run([TSCOPE, *words, "--json"], capture_output=True, text=True)
    answer = json.loads(done.stdout)
    return None if "error" in answer else answer


def ns(us):
    return int((decimal.Decimal(us) * 1000).to_integral_value(decimal.ROUND_HALF_EVEN))


def took(e):
    return max(ns(e["dur"]), 0)


def summed(pairs):
    """Sum and count by key."""
    out = collections.defaultdict(lambda: [0, 0])
    for key, value in pairs:
        out[key][0], out[key][1] = out[key][0] + value, out[key][1] + 1
    return {k: tuple(v) for k, v in out.items()}


def union(events):
    length, end = 0, None
    for begin, until in sorted((ns(e["ts"]), ns(e["ts"]) + took(e)) for e in events):
        length += max(0, until - (begin if end is None else max(begin, end)))
        end = until if end is None else max(end, until)
    return length


def in_operators(events, operators):
    """For each event (its thread and time) the operator that is innermost on its thread: of those that hold it the last that began."""
    threads = collections.defaultdict(list)
    for row, e in enumerate(operators):
        threads[e["pid"], e["tid"]].append((ns(e["ts"]), -ns(e["ts"]) - took(e), row, e["name"]))
    asked = collections.defaultdict(list)
    for key, thread, at in events:
        asked[thread].append((at, key))
    out = {}
    for thread, times in asked.items():
        rows, stack, next_row = sorted(threads[thread]), [], 0
        for at, key in sorted(times, key=lambda t: t[0]):
            while next_row < len(rows) and rows[next_row][0] <= at:
                begin, end = rows[next_row][0], -rows[next_row][1]
                while stack and (stack[-1][0] <= begin or stack[-1][0] < end):
                    stack.pop()
                stack.append((end, rows[next_row][3]))
                next_row += 1
            while stack and stack[-1][0] < at:
                stack.pop()
            out[key] = stack[-1][1] if stack else None
    return out


def is_operator(e):
    return e.get("cat") in HOST and not (e["cat"] == "Operator" and e["name"].startswith("ProfilerStep#"))


def product(e):
    """FLOPs of a product by its shapes; 0 of another operator."""
    at = {"aten::mm": 0, "aten::bmm": 0, "aten::addmm": 1, "aten::baddbmm": 1}.get(e["name"])
    dims = e.get("args", {}).get("Input Dims", e.get("args", {}).get("Input dims"))
    a, b = (dims + [[], []])[at:at + 2] if at is not None and dims else ([], [])
    size = 2 * b[-1] if len(a) > 1 and len(b) > 1 else 0
    for d in a:
        size *= d
    return int(size)


class Trace:
    def __init__(self, path):
        self.events = [e for e in load(path)["traceEvents"] if isinstance(e, dict)]
        self.spans = [e for e in self.events if e.get("ph") == "X" and "ts" in e and "dur" in e]
        self.work = [e for e in self.spans if e.get("cat") in DEVICE]
        self.operators = [e for e in self.spans if is_operator(e)]
        self.instants = [e for e in self.events if e.get("name") == "[memory]" and "Bytes" in e.get("args", {})]
        self.names = summed((e["name"], took(e)) for e in self.work)

    # --- Axolotl ---

    def kept(self):
        """What it counts as work, behind its cut, and the word of each of its errors that shows in this trace."""
        events, wrong = [e for e in self.spans if e["cat"] in ("kernel", "gpu_memcpy")], set()
        wrong |= {"unseen"} if len(events) < len(self.work) else set()
        if len(events) > 1000:
            low, high = min(float(e["ts"]) for e in events), max(float(e["ts"]) for e in events)
            behind = [e for e in events if float(e["ts"]) > low + (high - low) * 0.45]
            wrong |= {"cut"} if len(behind) < len(events) else set()
            events = behind
        return events, wrong

    def device_time(self):
        events, wrong = self.kept()
        return sum(took(e) for e in events), sum(s for s, _ in self.names.values()), wrong

    def kernels(self):
        events, wrong = self.kept()
        return summed((e["name"], took(e)) for e in events), self.names, wrong

    def steps(self):
        begins = sorted(float(e["ts"]) for e in self.kept()[0])
        gaps = [b - a for a, b in zip(begins, begins[1:])]
        theirs = 1 + sum(g > max(sorted(gaps)[len(gaps) // 2] * 50, 100000) for g in gaps) if len(begins) >= 100 else 1
        marks = {e["name"] for e in self.spans if e["name"].startswith("ProfilerStep#") and e.get("cat") in MARKS | HOST}
        return theirs, len(marks), {"steps"}

    def utilization(self):
        """It adds the durations of kernels alone; what is right is the time that devices were busy."""
        return sum(took(e) for e in self.spans if e["cat"] == "kernel"), union(self.work), {"twice", "unseen"}

    def copies(self):
        def way(name):
            return next((w for p, w in (("DtoH", "device_to_host"), ("HtoD", "host_to_device"), ("DtoD", "device_to_device"), ("PtoP", "peer_to_peer")) if p in name), "other")
        theirs = summed((way(e["name"]), took(e)) for e in self.spans if e["cat"] == "gpu_memcpy")
        return theirs, summed((way(e["name"]), took(e)) for e in self.work if DEVICE[e["cat"]] == "copy"), {"unseen"}

    def copied(self):
        return 0, sum(int(e["args"].get("bytes", 0)) for e in self.work if DEVICE[e["cat"]] == "copy"), {"bytes"}

    def checkpoints(self):
        theirs = [e for e in self.spans if e["cat"] in ("cpu_op", "python_function") and re.search("checkpoint|recompute", e["name"].lower())]
        mended = [e for e in self.spans if (is_operator(e) or e["cat"] == "python_function") and re.search("checkpoint|recompute", e["name"].lower())]
        return len(theirs), len(mended), {"unseen"}

    # --- KempnerForge, which prints torch's key_averages() ---

    def own_times(self):
        """Self CUDA of operators. torch takes a chain of operators of one name for one, and loses what the outer one launched itself."""
        calls = [e for e in self.spans if e.get("cat") in CALLS and "correlation" in e.get("args", {})]
        inner = in_operators([(e["args"]["correlation"], (e["pid"], e["tid"]), ns(e["ts"])) for e in reversed(calls)], self.operators)
        if any(e["args"].get("correlation") not in inner for e in self.work):
            return None  # agree_ops.py has the rule by "External id"
        mended = summed((inner[e["args"]["correlation"]], took(e)) for e in self.work)
        return None, {k: v for k, v in mended.items() if k}, {"nested"}

    def calls(self):
        return None, {k: n for k, (_, n) in summed((e["name"], 0) for e in self.operators).items()}, {"nested"}

    def total_time(self):
        """Its "Total CUDA time" adds the rows of operators and annotations to those of their kernels."""
        device = sum(s for s, _ in self.names.values())
        marks = sum(took(e) for e in self.spans if e["cat"] == "gpu_user_annotation" and not e["name"].startswith("ProfilerStep"))
        own = self.own_times()
        return (None if own is None else device + marks + sum(s for s, _ in own[1].values())), device, {"twice"}

    def products(self):
        """FLOPs of matrix products by shapes, as torch counts them: again where one stands within another, as autocast has it."""
        theirs, mended, until = collections.Counter(), collections.Counter(), {}
        for e in sorted(self.operators, key=lambda e: (ns(e["ts"]), -took(e))):
            count, thread = product(e), (e["pid"], e["tid"])
            theirs[e["name"]] += count
            if count and ns(e["ts"]) >= until.get(thread, ns(e["ts"])):
                until[thread] = ns(e["ts"]) + took(e)
                mended[e["name"]] += count
        return +theirs, +mended, {"twice"}

    def memory(self):
        """Memory by operator: what the operator's own thread allocated less what it freed. torch counts what all threads did meanwhile."""
        inner = in_operators([(i, (e["pid"], e["tid"]), ns(e["ts"])) for i, e in enumerate(self.instants)], self.operators)
        mended = collections.Counter()
        for i, e in enumerate(self.instants):
            mended[e["args"].get("Device Type") == 0, inner[i]] += int(e["args"]["Bytes"])
        return None, dict(mended), {"thread"}


def of_trace(answer):
    """tscope's figures by the names of the methods above."""
    work, sums = answer["work"], collections.Counter()
    host = answer["host"]
    for place in answer["memory"]:
        for row in place["operators"]:
            sums[place["host"], row["operator"]] += int(row["allocated_bytes"]) - int(row["freed_bytes"])
    copies, calls, flops = collections.defaultdict(lambda: [0, 0]), collections.Counter(), collections.Counter()
    for c in work["copies"]:
        copies[c["direction"]][0] += int(c["copied"]["sum_ns"])
        copies[c["direction"]][1] += int(c["copied"]["count"])
    for row in host["operators"]:
        calls[row["name"]] += int(row["count"])
    for row in work["flops"]["by_shape"]:
        if row["operator"] in ("aten::mm", "aten::bmm", "aten::addmm", "aten::baddbmm"):
            flops[row["operator"]] += int(row["sum_flops"])
    marked = [r for r in host["operators"] + host["python"] if re.search("checkpoint|recompute", r["name"].lower())]
    return {
        "device_time": int(answer["kernel_sum_ns"]), "total_time": int(answer["kernel_sum_ns"]), "steps": len(answer["steps"]),
        "kernels": {k["name"]: (int(k["sum_ns"]), int(k["count"])) for k in answer["kernels"]}, "utilization": int(answer["timeline"]["busy_ns"]),
        "copies": {k: tuple(v) for k, v in copies.items()}, "copied": sum(int(c["byte_count"] or 0) for c in work["copies"]),
        "checkpoints": sum(int(r["count"]) for r in marked), "calls": dict(calls), "memory": dict(sums),
        "own_times": {r["name"]: (int(r["own"]["sum_ns"]), int(r["own"]["count"])) for r in work["operators"] if int(r["own"]["count"])},
        "products": +flops}


TRACE = {  # figure of the tool, and where tscope has it
    "device_time": ("Axolotl: CUDA kernel time", "kernel_sum_ns"), "kernels": ("Axolotl: each kernel, time and count", "kernels[]"),
    "steps": ("Axolotl: steps", "steps[]"), "utilization": ("Axolotl: GPU utilization, its time", "timeline.busy_ns"),
    "copies": ("Axolotl: copies by direction", "work.copies[].copied"), "copied": ("Axolotl: bytes of copies", "work.copies[].byte_count"),
    "checkpoints": ("Axolotl: operators of checkpoints", "host.operators[], host.python[]"), "total_time": ("KempnerForge: Total CUDA time", "kernel_sum_ns"),
    "own_times": ("KempnerForge: Self CUDA by operator", "work.operators[].own"), "calls": ("KempnerForge: # of calls", "host.operators[].count"),
    "products": ("KempnerForge: FLOPs of products", "work.flops.by_shape[]"), "memory": ("KempnerForge: memory by operator", "memory[].operators[]")}


class Plain(pickle.Unpickler):
    def find_class(self, module, name):
        raise pickle.UnpicklingError(f"{module}.{name} in a snapshot, which is plain data")


class Snapshot:
    """What Axolotl's script computes of a snapshot: sums over all devices, and events of the first device alone."""

    def __init__(self, path):
        with (gzip.open if path.endswith(".gz") else open)(path, "rb") as f:
            data = Plain(f).load()
        self.segments = data["segments"]
        traces = data.get("device_traces") or [[]]
        self.devices = sorted({s.get("device", 0) for s in self.segments} | {i for i, t in enumerate(traces) if t})
        self.traces = {d: traces[d] if d < len(traces) else [] for d in self.devices}
        self.first = traces[0]

    def blocks(self, free=False, used=False):
        for s in self.segments:
            busy = any(b["state"] != "inactive" for b in s["blocks"])
            for i, b in enumerate(s["blocks"]):
                if (b["state"] == "inactive") == free and (busy or not used):
                    yield s, i, b

    def reserved(self):
        both = tuple(sum(s[k] for s in self.segments) for k in ("total_size", "allocated_size"))
        return both, both, set()

    def sizes(self):
        count = collections.Counter(sum(s["total_size"] >= least for least in (2 << 20, 64 << 20, 256 << 20, 1 << 30)) for s in self.segments)
        return count, count, set()

    def pinned(self):
        n = 0
        for s, i, b in self.blocks():
            states = [None, *(x["state"] for x in s["blocks"]), None]
            n += b["size"] < 2 << 20 and states[i] == states[i + 2] == "inactive"
        return n, n, set()

    def gaps(self):
        theirs = sorted((b["size"] for _, _, b in self.blocks(free=True)), reverse=True)[:10]
        return theirs, sorted((b["size"] for _, _, b in self.blocks(free=True, used=True)), reverse=True)[:10], {"cache"}

    def churn(self):
        def top(events):
            return sum(e["size"] for e in events if e["action"] == "alloc")
        return top(self.first), sum(top(t) for t in self.traces.values()), {"device"}

    def peak(self):
        now = most = 0
        live = {}
        for e in self.first:
            if e["action"] == "alloc":
                now, live[e["addr"]] = now + e["size"], e["size"]
                most = max(most, now)
            elif e["action"] == "free_requested" and e["addr"] in live:
                now -= live.pop(e["addr"])
        return max(0, sum(s["allocated_size"] for s in self.segments) - now) + most, max((self.replay(d) for d in self.devices if self.traces[d]), default=None), {"baseline"}

    def replay(self, device):
        """The most that was requested: what is in use at the end, with all events undone."""
        end = sum(b.get("requested_size", b["size"]) for s in self.segments if s.get("device", 0) == device for b in s["blocks"] if b["state"] != "inactive")
        sign = {"alloc": 1, "free_completed": -1}
        changes = [sign.get(e["action"], 0) * e["size"] for e in self.traces[device]]
        now = most = end - sum(changes)
        for c in changes:
            now += c
            most = max(most, now)
        return most


def of_snapshot(answer):
    devices = answer["devices"]
    sizes = collections.Counter()
    for d in devices:
        for i, row in enumerate(d["free"]["segments_by_size"]):
            sizes[i] += int(row["segment_count"])
    gaps = sorted((int(g["bytes"]) for d in devices for g in d["gaps"]), reverse=True)[:10]
    return {"reserved": tuple(sum(int(d["end"][k]) for d in devices) for k in ("reserved_bytes", "allocated_bytes")), "sizes": +sizes,
            "pinned": sum(int(d["free"]["pinned_count"]) for d in devices), "gaps": gaps,
            "churn": sum(int(k["churned_bytes"] or 0) for d in devices for k in d["kinds"]),
            "peak": max((int(d["history"]["peak_bytes"]) for d in devices if d["history"]["peak_bytes"] is not None), default=None)}


SNAPSHOT = {
    "reserved": ("Axolotl: reserved, allocated", "end.reserved_bytes, allocated_bytes"), "sizes": ("Axolotl: segments by size", "free.segments_by_size"),
    "pinned": ("Axolotl: pinned small blocks", "free.pinned_count"), "gaps": ("Axolotl: largest inactive gaps", "gaps[]"),
    "churn": ("Axolotl: bytes asked for", "kinds[].churned_bytes"), "peak": ("Axolotl: estimated total peak", "history.peak_bytes")}


def hold(figures, model, ours, paths):
    """Prints a row for each figure; returns how many are not as they should be."""
    seen = {f: collections.Counter() for f in figures}
    why = {f: set() for f in figures}
    bad = []
    for path in paths:
        answer = ask("analyze", path)
        if answer is None:
            continue
        mine, theirs = ours(answer), model(path)
        for figure in figures:
            found = getattr(theirs, figure)()
            if found is None:
                continue
            said, mended, words = found
            seen[figure]["files"] += 1
            seen[figure]["right"] += mine[figure] == mended
            seen[figure]["theirs"] += said == mended
            why[figure] |= words if said is not None and said != mended else set()
            seen[figure]["modelled"] += said is not None
            if mine[figure] != mended:
                bad.append(f"{os.path.basename(path)}: {figure}: tscope has {str(mine[figure])[:300]} and the model {str(mended)[:300]}")
    for figure, (name, field) in figures.items():
        n = seen[figure]
        own = f"{n['theirs']} of {n['modelled']}" if n["modelled"] else "-"
        print(f"{name:<38} {field:<38} {n['right']:>3} of {n['files']:<3} {own:>9}  {', '.join(sorted(why[figure]))}")
    return bad


def categories():
    """A made trace with a kernel of each pattern's name."""
    names = {word: want for _, words, want in CATEGORIES for word in words.split()}
    events = [{"ph": "X", "cat": "kernel", "name": w, "pid": 0, "tid": 7, "ts": i, "dur": 1, "args": {"device": 0, "stream": 7}} for i, w in enumerate(names)]
    with tempfile.NamedTemporaryFile("w", suffix=".json") as f:
        json.dump({"traceEvents": events}, f)
        f.flush()
        got = {k["name"]: k["category"] for k in ask("analyze", f.name)["kernels"]}
    return [f"a kernel {w} is {got.get(w)} and not {want}" for w, want in names.items() if got.get(w) != want]


def by_step(a, b):
    """Axolotl's comparison: the time of each kernel by step, before and after, over all steps."""
    tables = {t["table"]: t["rows"] for t in ask("diff", "--all", "--warmup", "0", a, b)["tables"]}
    bad, seen = [], 0
    for side, path in (("a", a), ("b", b)):
        trace, steps = Trace(path), len(ask("analyze", path)["steps"])
        for row in tables["kernels"]:
            time = sum(t for name, (t, _) in trace.names.items() if name.split("(")[0] == row["name"].split("(")[0])
            seen += time > 0
            if abs(float(row[side]["mean_ns"]) - time / steps) > 1:
                bad.append(f"{os.path.basename(path)}: {row['name']}: {row[side]['mean_ns']} ns a step and not {time / steps}")
    return bad if seen >= 4 else [f"{seen} kernels by step to compare, and not 4"]


def documented():
    """docs/peers.md names fields that the schemas have, and headings that the program prints."""
    root = os.path.join(HERE, "../../..")
    texts = {}
    for kind, pattern in (("fields", "docs/schemas/*.json"), ("headings", "cli/*/*.[ch]")):
        texts[kind] = ""
        for path in glob.glob(os.path.join(root, pattern)):
            with open(path, encoding="utf-8") as f:
                texts[kind] += f.read()
    bad = []
    with open(os.path.join(root, "docs/peers.md"), encoding="utf-8") as f:
        rows = [line.split(" | ") for line in f.read().split("## By what")[0].split("\n") if line.startswith("| ") and line.count(" | ") == 2]
    for row in rows:
        words = re.findall(r"`([\w.\[\]]+)`", row[2])
        bad += [f"docs/peers.md: no schema has the field {w}" for w in words if any(f'"{k}": ' not in texts["fields"] for k in w.replace("[]", "").split("."))]
        bad += [f"docs/peers.md: no heading is {h}" for h in re.findall(r'"([A-Z][^"]+)"', row[1]) if h not in texts["headings"]]
    return bad if len(rows) > 40 else [f"docs/peers.md has only {len(rows)} rows that can be checked"]


def main():
    corpus = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else None
    paths = [os.path.join(HERE, f) for f in ("trace.json", "cpu.json", "slower.json", "demo.json.gz")]
    snapshots = glob.glob(os.path.join(HERE, "../snapshot/*.pickle*"))
    if corpus:
        paths += sorted(p for p in glob.glob(os.path.join(corpus, "traces", "**", "*json*"), recursive=True) if "exact_" not in p and "variants" not in p)
        snapshots += glob.glob(os.path.join(corpus, "snapshots", "*.pickle"))
    snapshots = sorted(p for p in snapshots if "list" not in os.path.basename(p))  # the script does not read those of torch 1
    print(f"{'figure of the tool':<38} {'field of tscope':<38} {'tscope':>10} {'the tool':>9}  off by")
    bad = hold(TRACE, Trace, of_trace, paths) + hold(SNAPSHOT, Snapshot, of_snapshot, snapshots)
    bad += categories() + documented() + by_step(os.path.join(HERE, "trace.json"), os.path.join(HERE, "slower.json"))
    for line in bad:
        print(line)
    return 1 if bad else 0


sys.exit(main())
