#!/usr/bin/env python3
"""alarms.py BUILD [CORPUS]: counts how often each rule on traces fires: on the real traces of CORPUS, whose exact_timeline.json says what
share each exposed communication has, and on made traces (seeded) of which it is known what is wrong with them, mostly nothing.

Fails if a made trace has a finding that was not put into it or lacks one that was, or if DIST.EXPOSED_COMM fires on a real trace against
the exact figures, or does not fire where they say that it should."""
import collections
import glob
import json
import os
import random
import subprocess
import sys
import tempfile

TSCOPE = os.path.join(os.path.abspath(sys.argv[1]), "tscope")
STEPS, KERNELS = 5, 60


def ask(path):
    done = subprocess.run([TSCOPE, "analyze", "--json", path], capture_output=True, text=True)
    return json.loads(done.stdout)


def codes(answer):
    return {f["code"]: f["severity"] for f in answer["findings"]}


class Made:
    """A job of two ranks that is well: kernels lie back to back, launched ahead, and an all-reduce hides behind them."""

    def __init__(self, seed, wrong):
        self.random, self.wrong, self.events, self.correlation, self.operator = random.Random(seed), wrong, [], 0, None
        self.device = 1_000_000_000  # ns
        self.host = self.device - 2_000_000
        if "compiling" in wrong:
            self.event("user_annotation", "_compile.compile_inner (dynamo_timed)", self.host - 9_000_000, 8_000_000, 1, 1)
        for step in range(STEPS):
            begin = self.host
            for kernel in range(KERNELS):
                self.kernel(kernel)
            self.event("user_annotation", f"ProfilerStep#{step}", begin, self.host - begin, 1, 1)

    def event(self, category, name, ts, dur, pid, tid, **args):
        self.events.append({"ph": "X", "cat": category, "name": name, "pid": pid, "tid": tid, "ts": ts / 1000, "dur": dur / 1000, "args": args})

    def launch(self, gap):
        """The host asks; returns when the device can begin: after its last work, or after the call where it had none."""
        self.correlation += 1
        if "launch" in self.wrong:
            self.host = max(self.host, self.device + 100)
        if "host" in self.wrong or "loader" in self.wrong:
            before, self.host = self.host, max(self.host, self.device) + gap
            if "loader" in self.wrong:
                self.event("user_annotation", "enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", before + 100, self.host - before - 200, 1, 1)
        if self.operator:
            self.event("cpu_op", self.operator, self.host - 50, 3100, 1, 1)
        self.event("cuda_runtime", "cudaLaunchKernel", self.host, 3000, 1, 1, correlation=self.correlation)
        called, self.host = self.host, self.host + 4000
        return max(self.device, called + 4500)

    def run(self, category, name, dur, stream=7, at=None):
        begin = self.launch(dur) if at is None else at
        self.event(category, name, begin, dur, 0, stream, correlation=self.correlation, stream=stream, device=0)
        if stream == 7:
            self.device = begin + dur
        return begin

    def kernel(self, i):
        short = "launch" in self.wrong
        self.operator = "aten::mm"
        dur = int(self.random.lognormvariate(0, 0.5) * (3000 if short else 40_000)) + 500
        kind = self.random.random()
        fills = 0.3 if "fills" in self.wrong else 0.02
        elementwise = 0.6 if "elementwise" in self.wrong else 0.1
        if kind < fills:
            self.run("kernel", "void at::native::vectorized_elementwise_kernel<4, at::native::FillFunctor<float>>(int)", dur // 2 if fills < 0.1 else dur)
        elif kind > 0.8:
            self.operator = "aten::_scaled_dot_product_attention_math" if "attention" in self.wrong else "aten::_scaled_dot_product_flash_attention"
            self.run("kernel", "ampere_sgemm_128x64_nn" if "attention" in self.wrong else "pytorch_flash::flash_fwd_kernel", dur)
        elif kind < fills + elementwise:
            self.run("kernel", "void at::native::vectorized_elementwise_kernel<4, at::native::CUDAFunctor_add<float>>(int)", dur)
        else:
            self.run("kernel", "ampere_sgemm_128x64_nn", dur)
        self.operator = None
        if i % 20 == 19 and "sync" in self.wrong:  # reads a loss, and then takes an eighth of the work's time to ask for more
            self.event("cuda_runtime", "cudaStreamSynchronize", self.host, self.device - self.host + 2000, 1, 1)
            self.host = self.device + 130_000
        if i % 20 == 10:
            name = "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*, unsigned long, ncclWork*)"
            if "communication" in self.wrong:
                begin = self.run("kernel", name, 30 * dur, stream=20, at=self.device)
                self.device = begin + 30 * dur
            else:
                self.run("kernel", name, dur // 2, stream=20, at=self.device - dur)
        if i == 0:
            self.run("gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 800_000 if "copies" in self.wrong else 5000)


# What is wrong, and the rules that fire.
WRONG = {"communication": ["DIST.EXPOSED_COMM"], "host": ["TRACE.HOST_BOUND"], "sync": ["TRACE.SYNC"], "launch": ["TRACE.LAUNCH_BOUND"],
         "copies": ["TRACE.COPIES"], "fills": ["TRACE.FILLS"], "elementwise": ["TRACE.ELEMENTWISE"], "loader": ["TRACE.HOST_BOUND", "TRACE.LOADER"],
         "attention": ["TRACE.MATH_ATTENTION"], "compiling": ["TRACE.RECOMPILED"]}
RULES = sorted({code for codes in WRONG.values() for code in codes})



def made(seeds):
    bad = []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "trace.json")
        for wrong in [None, *WRONG]:
            fired = collections.Counter()
            for seed in range(seeds):
                trace = Made(seed, {wrong})
                with open(path, "w", encoding="utf-8") as f:
                    json.dump({"distributedInfo": {"rank": 0, "world_size": 2, "backend": "nccl"}, "traceEvents": trace.events}, f)
                fired.update(codes(ask(path)).keys())
            print(f"made, {wrong or 'nothing'} wrong: {seeds} traces; " + (", ".join(f"{c} {n}" for c, n in sorted(fired.items())) or "no finding"))
            for code in RULES:
                if fired[code] != (seeds if code in WRONG.get(wrong, ()) else 0):
                    bad.append(f"made, {wrong} wrong: {code} fired on {fired[code]} of {seeds}")
    return bad


def should(exact):
    share = exact["exposed_comm_ns"] / exact["total_ns"] if exact["total_ns"] else 0
    return "high" if share >= 0.15 else "medium" if share >= 0.05 else None


def in_order(answer):
    """By time; a sum of durations counts as shorter by 1 % of the devices' time (trace_answer.h)."""
    span = sum(d["timeline"]["span_ns"] for d in answer["devices"])
    sums = ("TRACE.MATH_ATTENTION", "TRACE.ELEMENTWISE", "TRACE.FILLS")
    weights = [a["saves_most_ns"] - (0.01 * span if a["code"] in sums else 0) for a in answer["advice"]]
    return weights == sorted(weights, reverse=True)


def real(corpus):
    exact = json.load(open(os.path.join(corpus, "exact_timeline.json"), encoding="utf-8"))
    files = {os.path.basename(p): p for p in glob.glob(os.path.join(corpus, "**", "*json*"), recursive=True)}
    fired, unchecked, bad, devices = collections.Counter(), collections.Counter(), [], 0
    for name, wanted in exact.items():
        answer = ask(files.get(name) or files[name + ".gz"])
        found = codes(answer)
        fired.update(f"{c}, {s}" for c, s in found.items())
        unchecked.update(u["code"] for u in answer["unchecked"])
        devices += len(answer["devices"]) > 1
        if len(answer["devices"]) == 1 and found.get("DIST.EXPOSED_COMM") != should(wanted):
            bad.append(f"{name}: DIST.EXPOSED_COMM is {found.get('DIST.EXPOSED_COMM')} and should be {should(wanted)}")
        if len(answer["advice"]) > 3 or not in_order(answer):
            bad.append(f"{name}: advice is not in order")
    print(f"real: {len(exact)} traces, {devices} of several devices")
    for code in RULES:
        print(f"  {code:20} high {fired[code + ', high']:3}  medium {fired[code + ', medium']:3}  low {fired[code + ', low']:3}  unchecked {unchecked[code]:3}")
    return bad


wrong = made(20) + real(os.path.abspath(sys.argv[2])) if len(sys.argv) > 2 else made(3)
for line in wrong:
    print(line)
sys.exit(1 if wrong else 0)
