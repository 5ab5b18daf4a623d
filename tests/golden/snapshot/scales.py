#!/usr/bin/env python3
"""scales.py BUILD [SEED [lengths]]: says of 120 made trainings (from that seed on, 0) which batch would fit in a device, from snapshots at
two or three small batches, and finds the batch that truly fits by running them there. Gradients or activations hold most at the small
batches. With `lengths` it is the sequence length, and half of the trainings keep scores that grow with its square.

Prints how often the truth lies between the bounds, and what the bounds and the likely size are of the truth; fails if it lies there in
fewer than 108 (90 %)."""
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
CALL = frame(TORCH + "nn/modules/module.py", 1790, "_call_impl")
ENGINE = frame("??", 0, "torch::autograd::Engine::evaluate_function()")
SETUP = [frame(TORCH + "nn/modules/module.py", 1325, "convert"), MAIN]
FORWARD = [frame("/home/ada/lab/net.py", 31, "forward"), CALL, MAIN]
SCORES = [frame("/home/ada/lab/net.py", 54, "attention"), *FORWARD]
BACKWARD = [frame("??", 0, "torch::autograd::generated::MmBackward0::apply(std::vector<at::Tensor>&&)"), ENGINE]
STEP = [frame(TORCH + "optim/adamw.py", 134, "_init_group"), frame(TORCH + "optim/optimizer.py", 493, "wrapper"), MAIN]
ZERO = [frame(TORCH + "optim/optimizer.py", 955, "zero_grad"), MAIN]


def train(seed, size, capacity, lengths):
    """Three steps of a net; None: they do not fit."""
    draw = random.Random(seed)
    layers = [(draw.randrange(8, 65) << 20, draw.randrange(1, 40) << (14 if lengths else 18), 0) for _ in range(draw.randrange(3, 11))]
    if lengths and draw.random() < 0.5:
        layers = [(weight, unit, draw.randrange(16, 257)) for weight, unit, _ in layers]
    heap, state = Heap(capacity), []
    tries = [heap.alloc(weight, SETUP) for weight, _, _ in layers]
    for _ in range(3):
        saved, gradients = [], []
        for _, unit, square in layers:
            saved.append([heap.alloc(size * unit, FORWARD)] + ([heap.alloc(size * size * square, SCORES)] if square else []))
            tries.append(heap.alloc(size * unit // 2, FORWARD))
            if None in saved[-1] or None in tries:
                return None
            heap.free(tries.pop(), FORWARD)
        for weight, _, _ in reversed(layers):
            gradients.append(heap.alloc(weight, BACKWARD))
            if None in gradients:
                return None
            for block in reversed(saved.pop()):
                heap.free(block, BACKWARD)
        if not state:
            state = [heap.alloc(2 * weight, STEP) for weight, _, _ in layers]
        if None in state:
            return None
        for gradient in gradients:
            heap.free(gradient, ZERO)
    return heap


def reserved(heap):
    now = most = 0
    for e in heap.events:
        now += {"segment_alloc": e["size"], "segment_free": -e["size"]}.get(e["action"], 0)
        most = max(most, now)
    return most


def truth(seed, capacity, lengths):
    low, high = 1, 2
    while train(seed, high, capacity, lengths):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if train(seed, middle, capacity, lengths) else (low, middle)
    return low


def say(name, shares):
    shares = sorted(shares)
    print(f"{name} (said of {len(shares)}): {shares[0]:.2f} to {shares[-1]:.2f} of the truth, {shares[len(shares) // 2]:.2f} in the middle")


def main():
    first, lengths, within = int(sys.argv[2]) if len(sys.argv) > 2 else 0, "lengths" in sys.argv[3:], 0
    of_truth = {"least_size": [], "likely_size": [], "most_size": []}
    what, small, greatest = ("length", [64, 96, 128, 256, 384, 512], 6) if lengths else ("batch", [1, 2, 3, 4, 6, 8], 4)
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + 120):
            draw = random.Random(seed)
            sizes = sorted(draw.sample(small, draw.choice([2, 3])))
            files = [os.path.join(folder, f"{size}.pickle") for size in sizes]
            for size, path in zip(sizes, files):
                heap = train(seed, size, 1 << 60, lengths)
                with open(path, "wb") as f:
                    pickle.dump(heap.snapshot(), f, protocol=4)
            device = int(draw.uniform(1.5, greatest) * reserved(heap)) >> 20
            more = [word for path in files[1:] for word in ("--with", path)]
            done = subprocess.run([TSCOPE, "analyze", "--json", "--scale", f"{what}=" + ",".join(map(str, sizes)), *more, "--device-memory",
                                   f"{device}MiB", files[0]], capture_output=True, text=True)
            fit, true = json.loads(done.stdout)["fit"], truth(seed, device << 20, lengths)
            within += (fit["least_size"] or 0) <= true <= fit["most_size"]
            for key, of in of_truth.items():
                if fit[key] is not None:
                    of.append(fit[key] / true)
    print(f"120 made trainings: the {what} that truly fits lies between the bounds in {within}")
    for name, shares in zip(("at least", "likely", "at most"), of_truth.values()):
        say(name, shares)
    return 0 if within >= 108 else 1


sys.exit(main())
