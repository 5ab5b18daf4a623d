#!/usr/bin/env python3
"""alarms.py BUILD [CORPUS]: counts how often each rule on memory snapshots fires, and what is advised first: on the real snapshots of CORPUS,
and on made ones (seeded) of which it is known what is wrong with them, mostly nothing.

Fails if a made snapshot has a finding that was not put into it or lacks one that was, if its first advice is not the one against that, or if
anything is advised where nothing is wrong."""
import collections
import glob
import json
import os
import pickle
import random
import subprocess
import sys
import tempfile

from make import Heap, frame

TSCOPE = os.path.join(os.path.abspath(sys.argv[1]), "tscope")
TORCH = "/venv/lib/python3.12/site-packages/torch/"
MAIN = frame("/home/ada/lab/train.py", 88, "<module>")
ENGINE = [frame("??", 0, "torch::autograd::Engine::evaluate_function()")]
SETUP = [frame(TORCH + "nn/modules/module.py", 1325, "convert"), frame(TORCH + "nn/modules/module.py", 915, "_apply"), MAIN]
CALL = frame(TORCH + "nn/modules/module.py", 1790, "_call_impl")
BACKWARD = [frame("??", 0, "torch::autograd::generated::MmBackward0::apply(std::vector<at::Tensor>&&)")] + ENGINE
GRADIENT = [frame("??", 0, "torch::autograd::AccumulateGrad::apply(std::vector<at::Tensor>&&)")] + ENGINE
STEP = [frame(TORCH + "optim/adamw.py", 134, "_init_group"), frame(TORCH + "optim/optimizer.py", 493, "wrapper"), MAIN]
ZERO = [frame(TORCH + "optim/optimizer.py", 955, "zero_grad"), MAIN]
EMPTY = [frame(TORCH + "cuda/memory.py", 222, "empty_cache"), MAIN]
KEEP = [frame("/home/ada/lab/plots.py", 9, "remember"), MAIN]
UNIT, LAYERS, STEPS, PLENTY = 32 << 20, 8, 4, 1 << 60


def forward(layer):
    return [frame("/home/ada/lab/net.py", 30 + layer, f"layer{layer}"), CALL, MAIN]


class Training:
    """A net of which activations hold most, whose gradients are freed after each step, and one thing that is wrong."""

    def __init__(self, seed, wrong):
        draw = random.Random(seed)
        self.wrong, self.heap, self.gradients = wrong, Heap(PLENTY), []
        self.weights = [draw.randrange(4, 9) * UNIT for _ in range(LAYERS)]
        self.sizes = [draw.randrange(20, 29) * UNIT for _ in range(LAYERS)]
        if wrong == "retries":
            self.heap.capacity = 11 * sum(self.weights) // 3 + 13 * sum(self.sizes) // 10
        for w in self.weights:
            self.heap.alloc(w, SETUP)
        for w in self.weights:  # before the first step, so that no state lies where activations were
            self.heap.alloc((8 if wrong == "state" else 2) * w, STEP)
        for step in range(STEPS):
            if not self.train(step):
                return
        if wrong in ("fragments", "fragmented"):
            self.hold()
        if wrong == "fragmented":
            self.refuse(max(self.sizes) + UNIT)

    def train(self, step):
        heap, acts = self.heap, []
        for layer, size in enumerate(self.sizes):
            if self.wrong == "retries":
                size = size * (10 + step) // 10
            acts.append(heap.alloc(size, forward(layer)))
            for _ in range(60 if self.wrong == "churn" and layer == 3 else 1):
                heap.free(heap.alloc(10 * UNIT, forward(layer)), forward(layer))
        if step == 1 and self.wrong == "carried":
            heap.alloc(8 * UNIT, KEEP)
        if step == STEPS - 1 and self.wrong == "memory":
            self.refuse(max(self.sizes))
            return False
        self.zero(self.wrong == "gradients")
        for layer in reversed(range(LAYERS)):
            heap.free(acts[layer], BACKWARD)
            self.gradients.append(heap.alloc(self.weights[layer], GRADIENT))
        heap.free(heap.alloc(UNIT, STEP), STEP)
        self.zero(self.wrong != "gradients")
        if self.wrong == "emptied":
            heap.give_back(EMPTY)
        return True

    def zero(self, now):
        for gradient in self.gradients if now else []:
            self.heap.free(gradient, ZERO)
        if now:
            self.gradients = []

    def hold(self):
        """Leaves a small tensor in each segment in which activations lay."""
        held = [self.heap.alloc(size - UNIT, forward(0)) for size in sorted(self.sizes, reverse=True)]
        for _ in held:
            self.heap.alloc(UNIT, KEEP)
        for one in held:
            self.heap.free(one, forward(0))

    def refuse(self, size):
        """The device is full of the segments in which something is in use."""
        heap = self.heap
        heap.capacity = sum(total for base, total in heap.segments if any(base <= a < base + total for a in heap.used)) + UNIT // 2
        self.heap.alloc(size, forward(1))

    def peak(self):
        """The most that was reserved."""
        now = most = 0
        for e in self.heap.events:
            now += {"segment_alloc": e["size"], "segment_free": -e["size"]}.get(e["action"], 0)
            most = max(most, now)
        return most


# What is wrong: the rules that fire, and the first advice (None: none). A request that is refused makes the allocator give back what it can,
# and gradients that stay may lie where activations were.
MAY = {("gradients", "MEMORY.FRAGMENTS")}
WRONG = {
    "nothing": ((), None),
    "memory": (("MEMORY.OUT_OF_MEMORY", "MEMORY.RETRIES"), "use activation checkpointing"),
    "fragmented": (("MEMORY.OOM_FRAGMENTED", "MEMORY.FRAGMENTS", "MEMORY.RETRIES"), "let segments expand"),
    "fragments": (("MEMORY.FRAGMENTS",), "let segments expand"),
    "headroom": (("MEMORY.HEADROOM",), "use activation checkpointing"),
    "retries": (("MEMORY.RETRIES",), "let segments expand"),
    "emptied": (("MEMORY.EMPTIED",), None),
    "carried": (("MEMORY.CARRIED",), "keep nothing on the device from step to step"),
    "gradients": (("MEMORY.GRADIENTS_KEPT",), "free gradients before the forward pass"),
    "state": (("MEMORY.OPTIMIZER_STATE",), None),
    "churn": (("MEMORY.CHURN",), None),
}
RULES = sorted({code for codes, _ in WRONG.values() for code in codes})


def ask(path, *options):
    done = subprocess.run([TSCOPE, "analyze", "--json", *options, os.path.abspath(path)], capture_output=True, text=True)
    return json.loads(done.stdout)["devices"]


def made(seeds):
    bad = []
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "snapshot.pickle")
        for wrong, (codes, first) in WRONG.items():
            fired = collections.Counter()
            for seed in range(seeds):
                training = Training(seed, wrong)
                with open(path, "wb") as f:
                    pickle.dump(training.heap.snapshot(), f, protocol=4)
                peak = training.peak()
                device = {"headroom": peak + UNIT, "memory": None, "fragmented": None, "retries": None}.get(wrong, 2 * peak)
                answer = ask(path, *(["--device-memory", f"{device >> 20}MiB"] if device else []))[0]
                got = tuple(sorted(f["code"] for f in answer["findings"]))
                fired.update(got)
                advice = answer["fixes"][0]["name"] if answer["fixes"] else None
                if any((wrong, code) in MAY for code in got):
                    got, advice = tuple(code for code in got if (wrong, code) not in MAY), first
                if got != tuple(sorted(codes)) or advice != first:
                    bad.append(f"made, {wrong} wrong, seed {seed}: {', '.join(got) or 'no finding'}; first advice: {advice}")
            print(f"made, {wrong} wrong: {seeds} snapshots; " + (", ".join(f"{c} {n}" for c, n in sorted(fired.items())) or "no finding"))
    return bad


def real(corpus):
    fired, unchecked, advised, limits, devices = collections.Counter(), collections.Counter(), collections.Counter(), collections.Counter(), 0
    files = sorted(glob.glob(os.path.join(corpus, "*.pickle")))
    bad = []
    for path in files:
        for device in ask(path):
            devices += 1
            fired.update(f"{f['code']}, {f['severity']}" for f in device["findings"])
            unchecked.update(u["code"] for u in device["unchecked"])
            advised.update(f["name"] for f in device["fixes"])
            limits.update([device["limit"] or "not known"])
            if device["limit"] and not device["refused"] and not device["allocator"]["retries_count"]:
                bad.append(f"{path}: memory is said to limit without a refused request or a retry, and without a capacity")
    print(f"real: {len(files)} snapshots, {devices} devices")
    for code in RULES:
        print(f"  {code:24} high {fired[code + ', high']:3}  medium {fired[code + ', medium']:3}  low {fired[code + ', low']:3}  unchecked {unchecked[code]:3}")
    for what, counts in (("advised", advised), ("memory", limits)):
        for name, n in counts.most_common():
            print(f"  {what}: {name} {n}")
    return bad


found = made(20) + real(sys.argv[2]) if len(sys.argv) > 2 else made(2)
for line in found:
    print(line)
sys.exit(1 if found else 0)
