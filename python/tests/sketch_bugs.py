"""Counts how often `tscope diff` names the right thing of eleven planted bugs, and anything of two clean runs, with and without R.

    python3 python/tests/sketch_bugs.py FOLDER [SEEDS] [FIRST SEED] [all|clean]
    python3 python/tests/sketch_bugs.py cost

It trains GPTs with dropout, of 2 to 5 layers and widths of 32 to 96 by the seed, four steps by AdamW with clipping, sketched in each,
on the CPU, and asks the program that TSCOPE_PROGRAM names. Right is the module, or what all gradients, updates or one of them have in
common (docs/sketches.md). Thresholds were set on the seeds 55501 and 7001 to 7003; judge on others. `cost` prints the time of a
sketch over that of a sum of torch.
"""

import contextlib
import functools
import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections import defaultdict
from unittest import mock

import torch
from torch import nn
from torch.nn import functional
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten

import sketch_rates
import tscope
from tscope._sketches import on_device, sketched

BUGS = ("mask", "reduce", "stale", "scale", "init", "dropoff", "eps", "decay", "noclip", "rate", "doubled")
CLEAN = ("noise", "threads", "mkldnn", "halves", "parts")
STEPS = 4


class Layer(sketch_rates.Layer):
    def __init__(self, width, heads):
        super().__init__(width, heads, nn.LayerNorm, nn.GELU)
        self.drop = nn.Dropout(0.1)

    def forward(self, x):
        x = x + self.drop(self.attn(self.norm1(x)))
        return x + self.mlp(self.norm2(x))


class GPT(sketch_rates.GPT):
    def __init__(self, width, heads, layers):
        super().__init__(width, heads, 1, nn.LayerNorm, nn.GELU)
        self.layers = nn.ModuleList(Layer(width, heads) for _ in range(layers))


def plant(model, bug, at, optimizer):
    """Plants a bug. Returns what is to be named: the beginning of a name, or a group."""
    layer, name = model.layers[at], f"layers.{at}"
    if bug == "mask":
        layer.attn.mix.shift = 1
        return f"{name}.attn.mix"
    if bug == "scale":
        layer.attn.mix.scale = 1.2
        return f"{name}.attn.mix"
    if bug == "init":
        with torch.no_grad():
            layer.mlp.fc2.weight.mul_(1.5)
        return f"{name}.mlp.fc2"
    if bug == "dropoff":
        layer.drop.p = 0.0
        return f"{name}.drop"
    if bug == "eps":
        layer.norm1.eps = 1e-2
        return f"{name}.norm1"
    if bug == "decay":
        group, odd = optimizer.param_groups[0], layer.mlp.fc1.weight
        group["params"] = [p for p in group["params"] if p is not odd]
        optimizer.add_param_group({**{k: v for k, v in group.items() if k != "params"}, "params": [odd], "weight_decay": 0.0})
        return f"{name}.mlp.fc1.weight"
    if bug == "doubled":  # which makes the norm larger, by which all others are clipped
        layer.mlp.fc1.weight.register_hook(lambda grad: 2 * grad)
        return f"{name}.mlp.fc1.weight"
    if bug == "rate":
        optimizer.param_groups[0]["lr"] *= 2
    return {"reduce": "gradients", "stale": "accumulated", "noclip": "clipped", "rate": "updates"}[bug]


def clean_way(way, on_exit):
    """Changes nothing but rounding."""
    if way == "threads":
        on_exit.callback(torch.set_num_threads, 1)
        torch.set_num_threads(2)
    elif way == "mkldnn":
        on_exit.callback(torch._C._set_mkldnn_enabled, True)
        torch._C._set_mkldnn_enabled(False)
    elif way == "halves":
        on_exit.enter_context(mock.patch.object(functional, "linear", sketch_rates.split_linear))


def record(at, seed, *, bug="", way="", perturb=False):
    """Trains and records. Returns what is to be named."""
    shutil.rmtree(at, ignore_errors=True)
    draw = random.Random(seed)
    layers, width = draw.randrange(2, 6), draw.choice((32, 48, 64, 96))
    torch.manual_seed(seed)
    model = GPT(width, 4, layers)
    optimizer = torch.optim.AdamW(model.parameters(), 3e-3, weight_decay=0.1)
    to_name = plant(model, bug, draw.randrange(layers), optimizer) if bug else None
    if way == "parts":
        model.head.forward = lambda x: torch.cat([functional.linear(p, model.head.weight, model.head.bias) for p in x.chunk(2)])
    generator = torch.Generator().manual_seed(seed + 1)
    with contextlib.ExitStack() as on_exit:
        clean_way(way, on_exit)
        if way == "noise":
            on_exit.enter_context(mock.patch("tscope._perturb._SEED", 99))
        run = tscope.start(at)
        run.sketch(model, optimizer, every=1, perturb=perturb or way == "noise")
        for _ in range(STEPS):
            with run.step():
                given, target = model.batch(generator)
                loss = model.loss(model(given), target)
                (loss * target.numel() if bug == "reduce" else loss).backward()
                if bug != "noclip":
                    nn.utils.clip_grad_norm_(model.parameters(), 0.1)
                optimizer.step()
                if bug != "stale":
                    optimizer.zero_grad()
        run.finish()
    return to_name


def diff(a, b, r=None):
    how = ["--rounding", r] if r else []
    done = subprocess.run([os.environ["TSCOPE_PROGRAM"], "diff", a, b, *how, "--json"], capture_output=True, text=True)
    assert done.returncode in (0, 1, 3), done.stderr
    return json.loads(done.stdout)["tensors"]


def is_right(to_name, tensors):
    if tensors.get("first") is None:
        return None
    name = tensors["rows"][tensors["first"]]["name"]
    return tensors["group"] == to_name or name == to_name or name.startswith(to_name + ".")


def count(folder, seeds, first, bugs):
    false, right = defaultdict(list), defaultdict(list)
    for seed in range(first, first + seeds):
        at = {name: os.path.join(folder, f"{seed}-{name}") for name in ("a", "r", *CLEAN, *BUGS)}
        record(at["a"], seed)
        record(at["r"], seed, perturb=True)
        for how, r in (("R", at["r"]), ("estimate", None)):
            for way in CLEAN:
                record(at[way], seed, way=way)
                tensors = diff(at["a"], at[way], r)
                false[how, way].append((seed, None if tensors.get("first") is None else tensors["rows"][tensors["first"]]))
            for bug in bugs:
                to_name = record(at[bug], seed, bug=bug)
                tensors = diff(at["a"], at[bug], r)
                found = is_right(to_name, tensors)
                right[how, bug].append(found)
                if found is not True:
                    print("not right:", how, bug, seed, to_name, tensors["group"], tensors["sentence"][:120], flush=True)
    return false, right


def tell(false, right):
    for how in ("R", "estimate"):
        clean = [(way, *of) for (by, way), found in false.items() if by == how for of in found]
        named = [of for of in clean if of[2]]
        most = sketch_rates.bound(len(named), len(clean))
        print(f"{how}: {len(named)} of {len(clean)} clean pairs named, at most {most:.1%} at 95 %")
        for way, seed, row in named:
            print("  false:", way, seed, row["name"], row["kind"], row["step"], row["over_rounding_ratio"])
        all_of = [found for (by, _), of in right.items() if by == how for found in of]
        wrong = sum(found is not True for found in all_of)
        if not all_of:
            continue
        least = 1 - sketch_rates.bound(wrong, len(all_of))
        print(f"{how}: {len(all_of) - wrong} of {len(all_of)} bugs right, at least {least:.1%} at 95 %")
        for (by, bug), of in right.items():
            if by == how:
                true = sum(found is True for found in of)
                print(f"  {bug:8} {true:4} right {of.count(False):4} wrong {of.count(None):4} none of {len(of)}")


def cost():
    """Prints passes over memory: the time of a sketch over that of a sum of as many elements, on one thread, the best of five."""
    torch.set_num_threads(1)

    def best(call):
        times = []
        for _ in range(5):
            began = time.perf_counter()
            call()
            times.append(time.perf_counter() - began)
        return min(times)

    for dtype in (torch.float32, torch.bfloat16):
        for n in (10**5, 10**6, 10**7, 10**8):
            tensor, other = torch.randn(n).to(dtype), torch.empty(n, dtype=dtype)
            took, a_sum = best(functools.partial(sketched, tensor)), best(tensor.sum)
            a_copy = best(functools.partial(other.copy_, tensor))
            print(f"{dtype!s:15} {n:>11,} elements: {took / n * 1e9:5.2f} ns each, {took / a_sum:5.1f} sums, "
                  f"{took / a_copy:5.1f} copies")


class Touched(TorchDispatchMode):
    """Counts the bytes of what torch's operations read and write, but for views."""

    bytes = 0

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        made = func(*args, **(kwargs or {}))
        if not func.is_view:
            tensors = [t for t in tree_flatten((args, kwargs, made))[0] if isinstance(t, torch.Tensor)]
            self.bytes += sum(t.numel() * t.element_size() for t in {t.data_ptr(): t for t in tensors}.values())
        return made


def device_cost():
    """Prints passes over memory of the form in operations of torch, which a device gets: bytes touched over those of the tensor."""
    for dtype in (torch.float32, torch.bfloat16):
        tensor = torch.randn(4 * 1024 * 1024).to(dtype)
        on_device(tensor)  # makes the signs, which are kept
        with Touched() as touched:
            on_device(tensor)
        print(f"{dtype!s:15} operations of torch touch {touched.bytes / tensor.nbytes:5.1f} times its bytes")


def main():
    if sys.argv[1] == "cost":
        cost()
        device_cost()
        return
    folder, seeds, first, which = (*sys.argv[1:], *("bugs", "6", "810000", "all")[len(sys.argv) - 1 :])
    torch.set_num_threads(1)
    began = time.time()
    os.makedirs(folder, exist_ok=True)
    tell(*count(folder, int(seeds), int(first), BUGS if which == "all" else ()))
    print(f"{time.time() - began:.0f} s")


if __name__ == "__main__":
    main()
