"""Counts how often `tscope diff A B --rounding R` names a module of two clean runs, and how often the right one of a planted bug.

    python3 python/tests/sketch_rates.py FOLDER [train|more|held] [SEEDS] [FIRST SEED]

It trains small nets through the package, on the CPU, and asks the program that TSCOPE_PROGRAM names. The limits in
analysis/diverge/sketch_diff.h were chosen on the nets and seeds of `train` and `more`; those of `held` were not looked at before.
"""

import contextlib
import json
import os
import subprocess
import sys
import time
from collections import defaultdict
from unittest import mock

import torch
import torch.distributed as dist
from torch import nn
from torch.nn import functional

import tscope
from tscope import _perturb

STEPS, EVERY = 11, 5  # so that the steps 0, 5 and 10 are sketched
AT_ONCE = ("stale",)  # bugs that a later step shows: every step is sketched, or the weights have moved before it is seen


# --- nets; each has layers.0, layers.1, ... ---


class Sum(torch.autograd.Function):
    """The all-reduce of Megatron's row-parallel layers; its gradient goes through."""

    @staticmethod
    def forward(ctx, x):
        x = x.clone()
        dist.all_reduce(x)
        return x

    @staticmethod
    def backward(ctx, grad):
        return grad


class Copy(torch.autograd.Function):
    """What a column-parallel layer is given; the gradients of the ranks are added."""

    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        grad = grad.contiguous().clone()
        dist.all_reduce(grad)
        return grad


class Linear(nn.Linear):
    """A linear layer; cut by columns (its outputs) or rows (its inputs), this rank's part."""

    cut, reduces = None, True

    def shard(self, cut, rank, world):
        dimension = 0 if cut == "columns" else 1
        self.cut, self.rank, self.world = cut, rank, world
        self.weight = nn.Parameter(self.weight.detach().chunk(world, dimension)[rank].clone())
        if cut == "columns":
            self.bias = nn.Parameter(self.bias.detach().chunk(world)[rank].clone())

    def forward(self, x):
        if self.cut == "columns":
            return functional.linear(Copy.apply(x), self.weight, self.bias)
        if self.cut == "rows":
            y = functional.linear(x, self.weight)
            return (Sum.apply(y) if self.reduces else y) + self.bias
        return functional.linear(x, self.weight, self.bias)


class RMSNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return x * torch.rsqrt(x.float().square().mean(-1, keepdim=True) + 1e-6).to(x.dtype) * self.weight


class Mix(nn.Module):
    """Causal attention over the heads that it is given."""

    scale, shift, fused = 1.0, 0, False

    def __init__(self, head):
        super().__init__()
        self.head = head

    def forward(self, q, k, v):
        q, k, v = (t.unflatten(-1, (-1, self.head)).transpose(1, 2) for t in (q, k, v))
        if self.fused:
            y = functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        else:
            scores = q @ k.transpose(-1, -2) * (self.scale / self.head**0.5)
            mask = torch.ones(scores.shape[-2:], dtype=torch.bool).tril(self.shift)
            y = scores.masked_fill(~mask, float("-inf")).softmax(-1).to(v.dtype) @ v
        return y.transpose(1, 2).flatten(-2)


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.q, self.k, self.v, self.proj = (Linear(width, width) for _ in range(4))
        self.mix = Mix(width // heads)

    def forward(self, x):
        return self.proj(self.mix(self.q(x), self.k(x), self.v(x)))


class MLP(nn.Module):
    def __init__(self, width, act):
        super().__init__()
        self.fc1, self.act, self.fc2 = Linear(width, 4 * width), act(), Linear(4 * width, width)

    def forward(self, x):
        return self.fc2(self.act(self.fc1(x)))


class Layer(nn.Module):
    def __init__(self, width, heads, norm, act):
        super().__init__()
        self.norm1, self.attn, self.norm2, self.mlp = norm(width), Attention(width, heads), norm(width), MLP(width, act)

    def forward(self, x):
        x = x + self.attn(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class GPT(nn.Module):
    bugs = {"scale": "attn.mix", "mask": "attn.mix", "stale": "mlp.fc1", "double": "mlp", "bf16": "mlp.fc1"}
    vocabulary, length = 67, 24

    def __init__(self, width, heads, layers, norm, act):
        super().__init__()
        self.tokens, self.places = nn.Embedding(self.vocabulary, width), nn.Embedding(self.length, width)
        self.layers = nn.ModuleList(Layer(width, heads, norm, act) for _ in range(layers))
        self.norm, self.head = norm(width), Linear(width, self.vocabulary)

    def forward(self, ids):
        x = self.tokens(ids) + self.places.weight
        for layer in self.layers:
            x = layer(x)
        return self.head(self.norm(x))

    def batch(self, generator):
        ids = torch.randint(0, self.vocabulary, (8, self.length + 1), generator=generator)
        ids[:, 2::3] = (ids[:, 1:-1:3] + ids[:, 0:-2:3]) % self.vocabulary
        return ids[:, :-1], ids[:, 1:]

    def loss(self, output, target):
        return functional.cross_entropy(output.flatten(0, 1).float(), target.flatten())

    def shard(self, rank, world):
        for layer in self.layers:
            for part in (layer.attn.q, layer.attn.k, layer.attn.v, layer.mlp.fc1):
                part.shard("columns", rank, world)
            for part in (layer.attn.proj, layer.mlp.fc2):
                part.shard("rows", rank, world)

    def place(self, name, kind, tensor, rank, world):
        """Where the shard of a rank lies: the argument `shards` of run.sketch."""
        of = ".".join(name.split(".")[2:])  # in its layer
        columns = of.rpartition(".")[0] if kind in ("param_grad", "update") else of
        if of in ("attn.proj.weight", "mlp.fc2.weight") or (kind in ("output", "grad") and of in ("attn.mix", "mlp.act")):
            dimension = tensor.dim() - 1
        elif columns in ("attn.q", "attn.k", "attn.v", "mlp.fc1"):
            dimension = 0 if kind in ("param_grad", "update") else tensor.dim() - 1
        else:
            return None
        shape, offsets = list(tensor.shape), [0] * tensor.dim()
        shape[dimension], offsets[dimension] = shape[dimension] * world, shape[dimension] * rank
        return shape, offsets


class Block(nn.Module):
    def __init__(self, inner, norm, act, through):
        super().__init__()
        self.inner, self.norm, self.act, self.through = inner, norm, act, through

    def forward(self, x):
        y = self.act(self.norm(self.inner(x)))
        return x + y if self.through else y


class Dense(nn.Module):
    bugs = {"scale": "inner", "stale": "norm", "double": "", "bf16": "inner"}

    def __init__(self, width, layers, norm, act, through):
        super().__init__()
        self.first, self.last = Linear(20, width), Linear(width, 10)
        self.layers = nn.ModuleList(Block(Linear(width, width), norm(width), act(), through) for _ in range(layers))

    def forward(self, x):
        x = self.first(x)
        for layer in self.layers:
            x = layer(x)
        return self.last(x)

    def batch(self, generator):
        x = torch.randn(64, 20, generator=generator)
        return x, x[:, :10].argmax(1)

    def loss(self, output, target):
        return functional.cross_entropy(output.float(), target)


class Convolutions(Dense):
    def __init__(self, width, layers, norm, act, through):
        nn.Module.__init__(self)
        self.first, self.last, self.pool = nn.Conv2d(3, width, 3, padding=1), Linear(width * 16, 10), nn.MaxPool2d(2)
        self.layers = nn.ModuleList(Block(nn.Conv2d(width, width, 3, padding=1), norm(width), act(), through) for _ in range(layers))

    def forward(self, x):
        x = self.first(x)
        for layer in self.layers:
            x = layer(x)
        return self.last(self.pool(x).flatten(1))

    def batch(self, generator):
        x = torch.randn(16, 3, 8, 8, generator=generator)
        return x, x.mean((2, 3)).argmax(1)


def groups(width):
    return nn.GroupNorm(4, width)


NETS = {
    "train": {
        "gpt2": lambda: GPT(64, 4, 2, nn.LayerNorm, nn.GELU),
        "relu": lambda: Dense(64, 4, nn.LayerNorm, nn.ReLU, False),
        "conv": lambda: Convolutions(16, 3, nn.BatchNorm2d, nn.ReLU, False),
    },
    # These were looked at, too, when limits of before were counted on them.
    "more": {
        "gpt3": lambda: GPT(48, 6, 3, RMSNorm, nn.SiLU),
        "tanh": lambda: Dense(96, 5, nn.BatchNorm1d, nn.Tanh, True),
        "resnet": lambda: Convolutions(12, 4, groups, nn.LeakyReLU, True),
    },
    "held": {
        "gpt4": lambda: GPT(40, 4, 4, nn.LayerNorm, nn.ReLU),
        "gelu": lambda: Dense(128, 3, nn.LayerNorm, nn.GELU, True),
        "swish": lambda: Dense(48, 6, RMSNorm, nn.SiLU, False),
        "elu": lambda: Convolutions(8, 5, nn.BatchNorm2d, nn.ELU, True),
    },
}
SEEDS = {"train": 100, "more": 9000, "held": 20000}


# --- clean changes and bugs ---


class Double(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x.view_as(x)

    @staticmethod
    def backward(ctx, grad):
        return 2 * grad


def plant(model, bug, layer):
    """Plants a bug in a layer. Returns the module whose name, or the beginning of whose name, is to be named."""
    where = f"layers.{layer}" + ("." + model.bugs.get(bug, "attn.proj") if model.bugs.get(bug, "attn.proj") else "")
    part = model.get_submodule(where)
    forward = part.forward
    if bug == "scale" and isinstance(part, Mix):
        part.scale = 1.05
    elif bug == "scale":
        part.forward = lambda x: 1.05 * forward(x)
    elif bug == "mask":
        part.shift = 1
    elif bug == "reduce":
        part.reduces = False
    elif bug == "double":
        part.forward = lambda x: Double.apply(forward(x))
    elif bug == "bf16":
        part.forward = lambda x: coarse(part, x)
    elif bug == "stale":
        kept = []

        def stale(x):
            y = forward(x)
            found, kept[:] = kept[:] or [y], [y.detach()]
            return torch.cat([found[0][:1], y[1:]])

        part.forward = stale
    return where


def coarse(part, x):
    x, w, b = x.bfloat16(), part.weight.bfloat16(), part.bias.bfloat16()
    y = functional.conv2d(x, w, b, padding=1) if isinstance(part, nn.Conv2d) else functional.linear(x, w, b)
    return y.float()


_linear, _conv2d = functional.linear, functional.conv2d


def split_linear(x, w, b=None):
    k = w.shape[1] // 2
    y = _linear(x[..., :k], w[:, :k]) + _linear(x[..., k:], w[:, k:])
    return y if b is None else y + b


def split_conv2d(x, w, b=None, *how):
    k = w.shape[1] // 2
    y = _conv2d(x[:, :k], w[:, :k], None, *how) + _conv2d(x[:, k:], w[:, k:], None, *how)
    return y if b is None else y + b[:, None, None]


def clean_way(model, way, on_exit):
    """Changes nothing but rounding."""
    if "split" in way:
        on_exit.enter_context(mock.patch.object(functional, "linear", split_linear))
        on_exit.enter_context(mock.patch.object(functional, "conv2d", split_conv2d))
        on_exit.callback(torch.set_num_threads, torch.get_num_threads())
        torch.set_num_threads(2)
        for part in model.modules():
            if isinstance(part, Mix):
                part.fused = True
    if way == "whole":
        model.bfloat16()


def record(at, group, net, seed, *, way="", perturb=False, noise=0, bug=None, layer=0, every_step=False, rank=0, world=1):
    """Trains a net for a few steps, and records it at a folder. Returns the name of the module with the bug."""
    torch.manual_seed(seed)
    model, where = NETS[group][net](), None
    if world > 1:
        model.shard(rank, world)
    if bug:
        where = plant(model, bug, layer)
    adam = isinstance(model, GPT)
    with contextlib.ExitStack() as on_exit:
        on_exit.enter_context(mock.patch.object(_perturb, "_SEED", _perturb._SEED + noise))
        clean_way(model, way, on_exit)
        optimizer = torch.optim.AdamW(model.parameters(), 1e-3) if adam else torch.optim.SGD(model.parameters(), 0.05, momentum=0.9)
        run = tscope.start(at, rank=rank, world_size=world)
        shards = (lambda name, kind, tensor: model.place(name, kind, tensor, rank, world)) if world > 1 else None
        run.sketch(model, optimizer, every=1 if every_step else EVERY, shards=shards, perturb=perturb)
        generator = torch.Generator().manual_seed(seed + 1)
        for _ in range(2 if every_step else STEPS):
            with run.step():
                given, target = model.batch(generator)
                given = given.bfloat16() if way == "whole" and given.is_floating_point() else given
                with torch.autocast("cpu", dtype=torch.bfloat16, enabled="autocast" in way):
                    loss = model.loss(model(given), target)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                run.log(loss=loss)
        run.finish()
    assert run.trouble["cannot"] == 0, run._causes
    return where


def of_two(rank, folder, jobs):
    """What each of two processes does: all the runs that are cut in two."""
    torch.set_num_threads(1)
    store = dist.FileStore(os.path.join(folder, "meeting"), 2)
    dist.init_process_group("gloo", store=store, rank=rank, world_size=2)
    for at, how in jobs:
        record(at, rank=rank, world=2, **how)
        dist.barrier()
    dist.destroy_process_group()


# --- pairs ---


def diff(a, b, r):
    """Returns the tensors of the answer."""
    done = subprocess.run([os.environ["TSCOPE_PROGRAM"], "diff", a, b, "--rounding", r, "--json"], capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)["tensors"]


def named(tensors):
    """Returns the row of the first tensor above rounding, or None."""
    return None if tensors.get("first") is None else tensors["rows"][tensors["first"]]


class Rates:
    """Runs and pairs of one group of nets."""

    def __init__(self, folder, group, seeds, layers=2, first=None):
        self.folder, self.group, self.layers = os.path.abspath(folder), group, layers
        first = SEEDS[group] if first is None else first
        self.seeds = range(first, first + seeds)
        self.clean = defaultdict(list)  # by kind of pair: (net, seed, row that was named, greatest ratio of each part)
        self.bugs = defaultdict(list)  # by kind of pair and bug: (net, seed, layer, where it is, row that was named)

    def at(self, *words):
        return os.path.join(self.folder, "-".join(str(w) for w in words))

    def cut_in_two(self):
        """Has two processes record the runs under tensor parallelism."""
        jobs = []
        for net in (n for n in NETS[self.group] if n.startswith("gpt")):
            for seed in self.seeds:
                how = {"group": self.group, "net": net, "seed": seed}
                jobs.append((self.at(net, seed, "two"), how))
                jobs.append((self.at(net, seed, "two-autocast"), {**how, "way": "autocast"}))
                for layer in range(self.layers):
                    for way in ("", "autocast"):
                        jobs.append((self.at(net, seed, "two", way, layer), {**how, "way": way, "bug": "reduce", "layer": layer}))
        torch.multiprocessing.spawn(of_two, (self.folder, jobs), nprocs=2)

    def run(self):
        os.makedirs(self.folder, exist_ok=True)
        self.cut_in_two()
        for net in NETS[self.group]:
            for seed in self.seeds:
                self.one(net, seed)
        return self

    def one(self, net, seed):
        def made(*words, **how):
            at = self.at(net, seed, *words)
            return at, record(at, self.group, net, seed, **how)

        a, r = made("a")[0], made("r", perturb=True)[0]
        coarse_r, _ = made("coarse", way="autocast")
        at_once = [made("1", *w, every_step=True, **h)[0]
                   for w, h in ((("a",), {}), (("r",), {"perturb": True}), (("coarse",), {"way": "autocast"}))]
        pairs = {
            "fp32, other noise": made("noise", perturb=True, noise=1)[0],
            "fp32, other kernels": made("split", way="split")[0],
            "bf16 autocast": coarse_r,
            "bf16 whole": made("whole", way="whole")[0],
        }
        if net.startswith("gpt"):
            pairs["fp32, two ranks"] = self.at(net, seed, "two")
            pairs["bf16 autocast, two ranks"] = self.at(net, seed, "two-autocast")
        for kind, b in pairs.items():
            self.judge_clean(kind, net, seed, a, b, r)
            if kind.startswith("bf16") and b != coarse_r:
                self.judge_clean(kind + ", by a run in bf16", net, seed, a, b, coarse_r)
        b, r = made("split-autocast", way="split autocast")[0], made("r-autocast", way="autocast", perturb=True)[0]
        self.judge_clean("bf16 both, other kernels", net, seed, coarse_r, b, r)
        r = self.at(net, seed, "r")
        for layer in range(self.layers):
            for bug in NETS[self.group][net]().bugs:
                how = {"bug": bug, "layer": layer, "every_step": bug in AT_ONCE}
                ref, fine, rough = at_once if bug in AT_ONCE else (a, r, coarse_r)
                b, where = made(bug, layer, **how)
                self.judge("fp32", bug, net, seed, layer, where, ref, b, fine)
                if bug != "bf16":
                    b, where = made("autocast", bug, layer, way="autocast", **how)
                    self.judge("bf16", bug, net, seed, layer, where, ref, b, fine)
                    self.judge("bf16, by a run in bf16", bug, net, seed, layer, where, ref, b, rough)
            if net.startswith("gpt"):
                where = f"layers.{layer}.attn.proj"
                self.judge("fp32", "reduce", net, seed, layer, where, a, self.at(net, seed, "two", "", layer), r)
                b = self.at(net, seed, "two", "autocast", layer)
                self.judge("bf16", "reduce", net, seed, layer, where, a, b, r)
                self.judge("bf16, by a run in bf16", "reduce", net, seed, layer, where, a, b, coarse_r)

    def judge_clean(self, kind, net, seed, a, b, r):
        tensors = diff(a, b, r)
        greatest = {row["part"]: (row["over_rounding_ratio"] or 0, row["limit_ratio"] or 0) for row in tensors["rows"]}
        self.clean[kind].append((net, seed, named(tensors), greatest))

    def judge(self, kind, bug, net, seed, layer, where, a, b, r):
        self.bugs[kind, bug].append((net, seed, layer, where, named(diff(a, b, r))))

    def false_names(self):
        return [(kind, *of) for kind, found in self.clean.items() for of in found if of[2]]

    def table(self):
        """Yields the lines of the two tables."""
        yield f"{'clean pair':42} {'n':>4} {'named':>5}   greatest ratio, and its limit: forward, backward, update"
        for kind, found in self.clean.items():
            parts = []
            for part in ("forward", "backward", "update"):
                ratios = [greatest[part] for *_, greatest in found if part in greatest]
                parts.append("{:6.2f} / {:<4g}".format(*max(ratios, default=(0, 0), key=lambda r: r[0] / (r[1] or 1))))
            yield f"{kind:42} {len(found):4} {sum(1 for of in found if of[2]):5}   {'  '.join(parts)}"
        clean = sum(map(len, self.clean.values()))
        yield f"{'all':42} {clean:4} {len(self.false_names()):5}   at most {bound(len(self.false_names()), clean):.1%} at 95 %"
        yield f"{'bug':42} {'n':>4} {'right':>5} {'wrong':>5} {'none':>5}"
        for (kind, bug), found in sorted(self.bugs.items()):
            right = sum(is_right(where, row) for *_, where, row in found)
            none = sum(row is None for *_, row in found)
            yield f"{kind + ': ' + bug:42} {len(found):4} {right:5} {len(found) - right - none:5} {none:5}"


def is_right(where, row):
    """Whether what was named is the module with the bug, or a part of it."""
    return row is not None and (row["name"] == where or row["name"].startswith(where + "."))


def bound(k, n):
    """The upper end of Clopper and Pearson's one-sided interval at 95 %, by bisection."""
    from math import comb

    low, high = k / n, 1.0
    for _ in range(60):
        p = (low + high) / 2
        tail = sum(comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k + 1))
        low, high = (p, high) if tail > 0.05 else (low, p)
    return high


def main():
    folder, group, seeds, first = (*sys.argv[1:], *("rates", "held", "4", "")[len(sys.argv) - 1 :])
    torch.set_num_threads(1)
    began = time.time()
    rates = Rates(os.path.join(folder, group), group, int(seeds), first=int(first) if first else None).run()
    print("\n".join(rates.table()))
    for of in rates.false_names():
        print("false:", of)
    for (kind, bug), found in rates.bugs.items():
        for *of, where, row in found:
            if row is not None and not is_right(where, row):
                print("wrong:", kind, bug, *of, where, "named", row["name"], row["kind"], row["over_rounding_ratio"])
    print(f"{time.time() - began:.0f} s")


if __name__ == "__main__":
    main()
