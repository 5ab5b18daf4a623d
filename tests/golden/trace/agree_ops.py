#!/usr/bin/env python3
"""agree_ops.py BUILD CORPUS: holds what tscope says of the work of devices to figures that this program computes from the JSON itself.

Of each trace: own work by operator, copies by direction, fills, small grids, and, where torch is installed, operations by the formulas of
torch.utils.flop_counter, called with the shapes of the trace; then a model is recorded on the CPU, and its operations are held
to those that FlopCounterMode counts while it runs."""
import ast
import collections
import decimal
import glob
import gzip
import json
import os
import subprocess
import sys
import tempfile

TSCOPE, CORPUS = os.path.join(os.path.abspath(sys.argv[1]), "tscope"), os.path.abspath(sys.argv[2])
DEVICE = {"kernel": "kernel", "Kernel": "kernel", "gpu_memcpy": "copy", "Memcpy": "copy", "gpu_memset": "fill", "Memset": "fill"}
try:
    import torch
    from torch.utils import flop_counter
except ImportError:
    torch = None


def ns(value):
    return int((decimal.Decimal(value) * 1000).to_integral_value(decimal.ROUND_HALF_EVEN))


def read(path):
    opened = gzip.open(path, "rt", encoding="utf-8", errors="replace") if path.endswith(".gz") else open(path, encoding="utf-8")
    with opened as f:
        whole = json.load(f, parse_float=decimal.Decimal, strict=False)
    events = whole if isinstance(whole, list) else whole["traceEvents"]
    events = [e for e in events if e.get("ph") == "X" and "ts" in e and "dur" in e]
    for i, e in enumerate(events):
        e["row"], e["at"], e["ns"], e["args"] = i, ns(e["ts"]), max(ns(e["dur"]), 0), e.get("args") or {}
        e["to"] = e["at"] + e["ns"]
    return (whole if isinstance(whole, dict) else {}), events


def is_operator(e):
    return e.get("cat") in ("cpu_op", "Operator") and not (e["cat"] == "Operator" and e["name"].startswith("ProfilerStep#"))


def external(e):
    return e["args"].get("External id", e["args"].get("external id"))


OUTWARD = {"user_annotation": 0, "python_function": 2, "cpu_op": 3, "Operator": 3, "cuda_runtime": 4, "cuda_driver": 4, "mtia_runtime": 4,
           "Runtime": 4}
NO_HOST = {*DEVICE, "cuda_sync", "overhead", "Trace", "gpu_user_annotation"}


class Threads:
    """The spans of the host of each thread by begin; those of one time from the outer to the inner."""

    def __init__(self, events):
        self.of = collections.defaultdict(list)
        for e in events:
            if e.get("cat") not in NO_HOST:
                self.of[e["pid"], e["tid"]].append(e)
        for items in self.of.values():
            items.sort(key=lambda e: (e["at"], -e["to"], 3 if is_operator(e) else 0 if e["name"].startswith("ProfilerStep#") else
                                      OUTWARD.get(e.get("cat"), 1), e["row"]))
            open_spans = []
            for e in items:
                while open_spans and not (open_spans[-1]["to"] >= e["to"] and open_spans[-1]["to"] > e["at"]):
                    open_spans.pop()
                e["parent"] = open_spans[-1] if open_spans else None
                open_spans.append(e)

    def around(self, e):
        """The operators around a span: what encloses it, then what encloses that, and so on."""
        while e["parent"]:
            e = e["parent"]
            if is_operator(e):
                yield e


def launchers(events):
    """The operator of each event of a device, and all operators around its call, the innermost first."""
    operators = [e for e in events if is_operator(e)]
    work = [e for e in events if e.get("cat") in DEVICE]
    threads, calls, ids = Threads(events), {}, {}
    for e in events:
        if e.get("cat") in ("cuda_runtime", "cuda_driver", "mtia_runtime", "Runtime") and "correlation" in e["args"]:
            calls.setdefault(e["args"]["correlation"], e)
    for e in operators:
        ids.setdefault(external(e), e)
    useful = any(external(e) is not None and external(e) != e["args"].get("correlation") for e in work)
    for e in work:
        call = calls.get(e["args"].get("correlation"))
        around = list(threads.around(call)) if call else []
        if not around and useful and external(e) is not None and external(e) in ids:
            around = [ids[external(e)]]
            around += list(threads.around(around[0]))
        e["around"] = around
    return operators, work, threads


def direction(name):
    way = next((w for k, w in (("HtoD", "host_to_device"), ("DtoH", "device_to_host"), ("DtoD", "device_to_device"),
                               ("PtoP", "peer_to_peer"), ("HostToDevice", "host_to_device"), ("DeviceToHost", "device_to_host"),
                               ("DeviceToDevice", "device_to_device")) if k in name), "unknown")
    return way, "pageable" if "Pageable" in name else "pinned" if "Pinned" in name else "unsaid"


def sums(rows, key):
    out = collections.Counter()
    for r in rows:
        out[key(r)] += r["ns"]
    return {k: v for k, v in out.items() if v}


def flops_of(e):
    """Operations by the formulas of torch itself, products by ours; None: none is said."""
    name, dims = e["name"].replace("aten::", ""), e["args"].get("Input Dims", e["args"].get("Input dims"))
    packet = getattr(torch.ops.aten, name, None) if torch and e["name"].startswith("aten::") else None
    formula = flop_counter.flop_registry.get(packet) if packet else None
    if not formula or not dims or name in ("_flash_attention_forward", "_efficient_attention_forward", "cudnn_convolution"):
        return None
    try:
        if "convolution" in name:
            inputs = [ast.literal_eval(v) if v else None for v in e["args"]["Concrete Inputs"]]
            if name == "convolution_backward":
                shapes = [dims[1], dims[2]]
                return conv_backward(dims, inputs, shapes)
            out = list(dims[0])
            for i in range(2, len(out)):
                k = i - 2
                out[i] = (out[i] + 2 * inputs[4][k] - inputs[5][k] * (dims[1][i] - 1) - 1) // inputs[3][k] + 1
            return flop_counter.conv_flop_count(dims[0], dims[1], out, transposed=inputs[6])
        if "attention" in name:
            backward = name.endswith("backward")
            return flop_counter.sdpa_backward_flop_count(*dims[:4]) if backward else flop_counter.sdpa_flop_count(*dims[:3])
        first = 1 if name in ("addmm", "baddbmm") else 0
        return product(dims[first:first + 2])
    except (KeyError, IndexError, AssertionError, TypeError, ValueError, SyntaxError):
        return None


def product(pair):
    a, b = pair
    batch = a[0] if len(a) == 3 else 1
    assert a[-1] == b[-2]
    return 2 * batch * a[-2] * a[-1] * b[-1]


def conv_backward(dims, inputs, shapes):
    flops, transposed = 0, inputs[7]
    groups = inputs[9]

    def t(s):
        return [s[1], s[0]] + list(s[2:])
    if inputs[10][0]:
        flops += flop_counter.conv_flop_count(dims[0], dims[2], shapes[0], not transposed)
    if inputs[10][1] and transposed:
        flops += flop_counter.conv_flop_count(t(dims[0]), t(dims[1]), t(shapes[1]), transposed=False) // groups
    elif inputs[10][1]:
        flops += flop_counter.conv_flop_count(t(dims[1]), t(dims[0]), t(shapes[1]), transposed=False) // groups
    return flops


def check(name, ours, wanted, bad):
    if ours == wanted:
        return 1
    keys = [k for k in {*ours, *wanted} if ours.get(k) != wanted.get(k)] if isinstance(ours, dict) else []
    bad.append(f"{name}: {[(k, ours.get(k), wanted.get(k)) for k in keys[:3]] or (ours, wanted)}")
    return 0


def compare(path, bad):
    label = os.path.basename(path)
    answer = json.loads(subprocess.run([TSCOPE, "analyze", "--json", path], capture_output=True, text=True, check=False).stdout)["work"]
    whole, events = read(path)
    operators, work, threads = launchers(events)
    agreed = check(f"{label}: own", {o["name"]: int(o["own"]["sum_ns"]) for o in answer["operators"] if int(o["own"]["sum_ns"])},
                   sums([e for e in work if e["around"]], lambda e: e["around"][0]["name"]), bad)
    total = collections.Counter()
    for e in work:
        for o in {o["name"] for o in e["around"]}:
            total[o] += e["ns"]
    agreed += check(f"{label}: total", {o["name"]: int(o["total"]["sum_ns"]) for o in answer["operators"] if int(o["total"]["sum_ns"])},
                    {k: v for k, v in total.items() if v}, bad)
    agreed += check(f"{label}: copies", {(c["direction"], c["host_memory"], int(c["copied"]["count"]), int(c["byte_count"] or 0)):
                                         int(c["copied"]["sum_ns"]) for c in answer["copies"]}, copies(work), bad)
    sms = {d.get("id"): d.get("numSms", 0) for d in whole.get("deviceProperties", [])}
    small = [e for e in work if DEVICE[e["cat"]] == "kernel" and e["args"].get("grid") and sms.get(e["args"].get("device"), 0) > 0 and
             e["args"]["grid"][0] * e["args"]["grid"][1] * e["args"]["grid"][2] < sms[e["args"]["device"]]]
    agreed += check(f"{label}: small grids", int(answer["use"]["all"]["small"]["sum_ns"]), sum(e["ns"] for e in small), bad)
    counted = 0
    if torch:
        known = {id(e): flops_of(e) for e in operators}
        outermost = [e for e in operators if known[id(e)] is not None and
                     not any(known[id(o)] is not None for o in threads.around(e))]
        wanted = collections.Counter()
        for e in outermost:
            wanted[e["name"]] += known[id(e)]
        ours = collections.Counter()
        for r in answer["flops"]["by_shape"]:
            if r["operator"] not in ("aten::_flash_attention_forward", "aten::_efficient_attention_forward"):
                ours[r["operator"]] += int(r["sum_flops"])
        counted = sum(wanted.values())
        agreed += check(f"{label}: operations", {k: v for k, v in ours.items() if v}, {k: v for k, v in wanted.items() if v}, bad)
    print(f"{label[:60]:60} {len(work):6} events, {counted:16} operations: {agreed} of {5 if torch else 4} tables agree")


def copies(work):
    out = {}
    for e in work:
        if DEVICE[e["cat"]] == "copy":
            row = out.setdefault(direction(e["name"]), [0, 0, 0])
            row[0] += 1
            row[1] += int(e["args"].get("bytes") or 0)
            row[2] += e["ns"]
    return {(*k, v[0], v[1]): v[2] for k, v in out.items()}


def recorded(bad):
    """A model on the CPU, recorded while FlopCounterMode counts."""
    def step():
        net = torch.nn.Sequential(torch.nn.Conv2d(4, 8, 3, stride=2, padding=1), torch.nn.ConvTranspose2d(8, 6, 3, stride=2, output_padding=1),
                                  torch.nn.Flatten(), torch.nn.Linear(6 * 18 * 18, 16))
        x = torch.randn(2, 4, 16, 16, requires_grad=True)
        y = torch.bmm(net(x).view(2, 4, 4), torch.randn(2, 4, 5))
        torch.baddbmm(torch.randn(2, 4, 5), y, torch.randn(2, 5, 5)).sum().backward()
    torch.manual_seed(0)
    with flop_counter.FlopCounterMode(display=False) as counter:
        step()
    with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], record_shapes=True) as profile:
        step()
    wanted = {"aten::" + str(k).split(".")[-1]: v for k, v in counter.get_flop_counts()["Global"].items()}
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.json")
        profile.export_chrome_trace(path)
        answer = json.loads(subprocess.run([TSCOPE, "analyze", "--json", path], capture_output=True, text=True, check=True).stdout)["work"]
    ours = collections.Counter()
    for r in answer["flops"]["by_shape"]:
        ours[r["operator"]] += int(r["sum_flops"])
    check("recorded", dict(ours), wanted, bad)
    print(f"recorded with torch {torch.__version__}: {dict(ours)}; FlopCounterMode: {wanted}")


wrong = []
for trace in sorted(glob.glob(os.path.join(CORPUS, "*.json.gz")) + glob.glob(os.path.join(CORPUS, "dlrm8", "*.json"))):
    compare(trace, wrong)
if torch:
    recorded(wrong)
for line in wrong:
    print(line)
sys.exit(1 if wrong else 0)
