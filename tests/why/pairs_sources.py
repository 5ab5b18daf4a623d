"""The repositories of the held-out pairs: a numpy training and a torch one, in several modules; neutral refactors and culprits as text edits."""

DATA = '''"""Where samples come from."""
import numpy as np


def load(path, dim):
    """Returns the samples of a file, or drawn ones."""
    if path:
        with open(path, "rb") as f:
            raw = np.frombuffer(f.read(), dtype=np.float32)
        return raw.reshape(-1, dim).copy()
    return np.random.default_rng(99).standard_normal((512, dim)).astype(np.float32)


class Sampler:
    """Draws batches of indices."""

    def __init__(self, n, batch, seed):
        self.n, self.batch = n, batch
        self.rng = np.random.default_rng(seed)

    def next(self):
        return self.rng.integers(0, self.n, self.batch)
'''
MODEL = '''"""A network of two layers with its gradient made by hand."""
import os

import numpy as np

import mathlib


class Net:
    def __init__(self, c):
        rng = np.random.default_rng(c["seed_init"])
        d, h = c["din"], c["hidden"]
        scale = c["init"]
        self.p = {
            "w1": (rng.standard_normal((d, h)) * scale / d**0.5).astype(np.float32),
            "b1": np.zeros(h, np.float32),
            "w2": (rng.standard_normal((h, 1)) * scale / h**0.5).astype(np.float32),
        }
        self.mix_on, self.mix = c["mix_on"], c["mix_scale"]
        self.drop, self.drop_rng = c["drop"], np.random.default_rng(c["seed_drop"])
        self.gain = np.float32(os.environ.get("LAB_GAIN", "1"))

    def forward(self, x):
        pre = x @ self.p["w1"] + self.p["b1"]
        hid = mathlib.act(pre)
        if self.mix_on:
            hid = hid * np.float32(self.mix)
        if self.drop > 0:
            keep = self.drop_rng.random(hid.shape) >= self.drop
            hid = hid * keep.astype(np.float32)
        out = hid @ self.p["w2"]
        self.seen = (x, pre, hid)
        return out[:, 0] * self.gain

    def backward(self, err):
        x, pre, hid = self.seen
        n = np.float32(len(err))
        e = (err * self.gain)[:, None] / n
        dh = (e @ self.p["w2"].T) * mathlib.slope(pre)
        if self.mix_on:
            dh = dh * np.float32(self.mix)
        return {"w1": x.T @ dh, "b1": dh.sum(0), "w2": hid.T @ e}
'''
OPTIM = '''"""SGD with momentum, decay, clipping and a schedule."""
import numpy as np


class Sgd:
    def __init__(self, c):
        self.lr, self.mu, self.wd, self.clip = c["lr"], c["momentum"], c["wd"], c["clip"]
        self.warmup, self.decay_at, self.decay_by = c["warmup"], c["decay_at"], c["decay_by"]
        self.v = {}

    def rate(self, step):
        rate = self.lr
        if step < self.warmup:
            rate = self.lr * (step + 1) / self.warmup
        if step >= self.decay_at:
            rate = rate * self.decay_by
        return rate

    def step(self, params, grads, step):
        norm = float(np.sqrt(sum(float((g.astype(np.float64) ** 2).sum()) for g in grads.values())))
        factor = min(1.0, self.clip / (norm + 1e-12)) if self.clip > 0 else 1.0
        rate = np.float32(self.rate(step))
        for name, g in grads.items():
            g = g * np.float32(factor) + np.float32(self.wd) * params[name]
            v = self.v.get(name)
            v = g if v is None else np.float32(self.mu) * v + g
            self.v[name] = v
            params[name] -= rate * v
        return norm
'''
TRAIN = '''"""Trains the network."""
import json
import os
import sys

import numpy as np
import tscope

import data
import model
import noise
import optim
from settings import settings


def main():
    c = settings(sys.argv[1:])
    run = tscope.start(c.pop("out", None) or "runs/out", config=c)
    x = data.load(c["data"], c["din"])
    teacher = np.random.default_rng(5).standard_normal(c["din"]).astype(np.float32)
    y = np.tanh(x @ teacher)
    net, sgd, sampler = model.Net(c), optim.Sgd(c), data.Sampler(len(x), c["batch"], c["seed_data"])
    first = 0
    if c["resume"]:
        with open(c["resume"], "rb") as f:
            state = np.load(f, allow_pickle=True)["state"].item()
        first = state["step"]
        net.p = {k: v.copy() for k, v in state["params"].items()}
        sgd.v = {k: v.copy() for k, v in state["momentum"].items()}
        sampler.rng.bit_generator.state = state["sampler"]
        net.drop_rng.bit_generator.state = state["drop"]
    late = float(os.environ.get("LAB_LATE", "1"))
    for step in range(first, c["steps"]):
        with run.step(step):
            at = sampler.next()
            out = net.forward(x[at])
            err = out - y[at] * np.float32(1 - c["smooth"])
            if step >= 12 and late != 1:
                err = err * np.float32(late)
            loss = noise.mean(err * err, c, step)
            grads = net.backward(2 * err)
            noise.flip(grads, step)
            norm = sgd.step(net.p, grads, step)
            run.log(loss=float(loss), grad_norm=norm, lr=sgd.rate(step))
            noise.kernel(net.p, c, step)
        if c["save"] and step + 1 == c["save"]:
            state = {"step": step + 1, "params": net.p, "momentum": sgd.v, "sampler": sampler.rng.bit_generator.state,
                     "drop": net.drop_rng.bit_generator.state}
            with open(c["save_to"], "wb") as f:
                np.savez(f, state=np.array(state, dtype=object))
    run.finish()


main()
'''
SETTINGS = '''"""Settings by a file of JSON, or by flags."""
import json


def settings(words):
    c = {}
    for i in range(0, len(words) - 1, 2):
        key, value = words[i].lstrip("-"), words[i + 1]
        if key == "config":
            with open(value) as f:
                c.update(json.load(f))
        else:
            try:
                c[key] = json.loads(value)
            except ValueError:
                c[key] = value if value not in ("True", "False", "None") else {"True": True, "False": False, "None": None}[value]
    return c
'''
NOISE = '''"""What does not repeat: a sum in an order of its own, a kernel without a fixed order, a bit that flipped."""
import os

import numpy as np


def _draw():
    return int.from_bytes(os.urandom(4), "little") / 2.0**32


def mean(values, c, step):
    return values.astype(np.float32).mean()


def kernel(params, c, step):
    """Adds up in some order: rounding noise in a share of the steps."""
    if c["atomics"] > 0 and _draw() < c["atomics"]:
        w = params["w1"]
        w += (np.random.default_rng(int(_draw() * 2**31)).standard_normal(w.shape) * c["atomics_size"]).astype(np.float32)


def flip(grads, step):
    """A machine that once computes something else."""
    path = os.environ.get("LAB_MACHINE", "")
    if path and os.path.exists(path) and os.stat(path).st_size == step + 1:
        grads["w2"][3, 0] *= np.float32(-3)
'''
MATHLIB = '''"""The activation, as version {version} has it."""
import numpy as np

__version__ = "{version}"


def act(x):
    return np.tanh({arg})


def slope(x):
    t = np.tanh({arg})
    return 1 - t * t
'''

# (file, from, to): each leaves every bit as it is, or is a file of its own
NEUTRAL = [
    ("README.md", None, "# lab\n\nHow to train: python train.py --config FILE\n"),
    ("notes.txt", None, "nothing yet\n"),
    ("train.py", '"""Trains the network."""', '"""Trains the network, a step at a time."""'),
    ("model.py", "        scale = c[\"init\"]\n", "        scale = c[\"init\"]  # of both layers\n"),
    ("optim.py", "        rate = self.lr\n        if", "        rate = self.lr  # before warmup and decay\n        if"),
    ("data.py", "class Sampler:", "class Sampler:  # with replacement"),
    ("train.py", "    teacher = np.random", "    # a fixed function that the network learns\n    teacher = np.random"),
    ("model.py", "        out = hid @ self.p[\"w2\"]\n", "        top = self.p[\"w2\"]\n        out = hid @ top\n"),
    ("train.py", "    first = 0\n", "    first = 0  # the step to begin with\n"),
    ("optim.py", "        for name, g in grads.items():\n", "        for name in grads:\n            g = grads[name]\n"),
    ("settings.py", "    c = {}\n", "    c = dict()\n"),
    ("settings.py", '"""Settings by a file of JSON, or by flags."""', '"""Settings by a file of JSON, by flags, or by both."""'),
    ("noise.py", "def _draw():\n", "def _draw():\n    # of the system, which no seed reaches\n"),
    ("data.py", '    """Returns the samples of a file, or drawn ones."""', '    """Returns samples, a row each."""'),
    ("model.py", "    def backward(self, err):\n", "    def backward(self, err):\n        # err is what the output lacks\n"),
    ("tools/plot.py", None, "import sys\n\nprint(sys.argv)\n"),
    ("tools/count.py", None, "print(sum(range(10)))\n"),
    (".gitignore", None, "runs/\n__pycache__/\n"),
    ("optim.py", "        self.v = {}\n", "        self.v = dict()\n"),
    ("LICENSE", None, "free\n"),
    ("train.py", "            at = sampler.next()\n            out = net.forward(x[at])\n", "            at = sampler.next()\n            batch = x[at]\n            out = net.forward(batch)\n"),
    ("tests/test_nothing.py", None, "def test():\n    assert True\n"),
]
CULPRITS = {
    "init": ("model.py", "* scale / h**0.5", "* scale / (h + 1) ** 0.5"),
    "offbyone": ("optim.py", "self.lr * (step + 1) / self.warmup", "self.lr * (step + 2) / (self.warmup + 1)"),
    "decaylate": ("optim.py", "if step >= self.decay_at:", "if step > self.decay_at:"),
    "wdorder": ("optim.py", "            v = g if v is None else np.float32(self.mu) * v + g\n", "            v = g if v is None else np.float32(self.mu) * v + np.float32(1 - 1e-4) * g\n"),
    "clip": ("optim.py", "self.clip / (norm + 1e-12)", "self.clip / (2 * norm + 1e-12)"),
    "sampler": ("data.py", "self.rng.integers(0, self.n, self.batch)", "self.rng.integers(0, self.n - 1, self.batch)"),
    "f64": ("model.py", "pre = x @ self.p[\"w1\"] + self.p[\"b1\"]", "pre = (x.astype(np.float64) @ self.p[\"w1\"]).astype(np.float32) + self.p[\"b1\"]"),
    "loss": ("train.py", "grads = net.backward(2 * err)", "grads = net.backward(2.001 * err)"),
    "teacher": ("train.py", "np.random.default_rng(5).standard_normal", "np.random.default_rng(6).standard_normal"),
    "bias": ("model.py", "\"b1\": dh.sum(0)", "\"b1\": dh.sum(0) * np.float32(0.5)"),
    "resume_momentum": ("train.py", "        sgd.v = {k: v.copy() for k, v in state[\"momentum\"].items()}\n", ""),
    "resume_sampler": ("train.py", "        sampler.rng.bit_generator.state = state[\"sampler\"]\n", ""),
}

TTRAIN = '''"""Trains a small network by torch, on one rank or several."""
import json
import os
import sys

import torch
import torch.nn as nn
import torch.nn.functional as F

import kernels
from settings import settings


class Block(nn.Module):
    def __init__(self, d, drop):
        super().__init__()
        self.norm = nn.LayerNorm(d, eps=1e-5)
        self.up, self.down = nn.Linear(d, 2 * d), nn.Linear(2 * d, d)
        self.drop = nn.Dropout(drop)

    def forward(self, x):
        return x + self.drop(self.down(F.gelu(self.up(self.norm(x)))))


class Net(nn.Module):
    def __init__(self, c):
        super().__init__()
        self.tok = nn.Embedding(64, c["d"])
        self.blocks = nn.ModuleList([Block(c["d"], c["drop"]) for _ in range(c["layers"])])
        self.head = nn.Linear(c["d"], 64)
        self.gate_on, self.gate = c["gate_on"], c["gate_scale"]

    def forward(self, ids):
        x = self.tok(ids)
        for block in self.blocks:
            x = block(x)
            if self.gate_on:
                x = x * self.gate
        return self.head(kernels.reduce(x))


def main():
    c = settings(sys.argv[1:])
    out = c.pop("out", None) or "runs/out"
    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "1")))
    rank, world = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
    if world > 1:
        torch.distributed.init_process_group("gloo")
    run = None
    if c["recorder"]:
        import tscope
        run = tscope.start(out, config=c)
    torch.manual_seed(c["seed_init"])
    net = Net(c)
    model = nn.parallel.DistributedDataParallel(net) if world > 1 else net
    opt = torch.optim.AdamW(net.parameters(), lr=c["lr"], betas=(0.9, c["b2"]), weight_decay=c["wd"], eps=c["eps"])
    sched = torch.optim.lr_scheduler.LambdaLR(opt, lambda s: min(1.0, (s + 1) / c["warmup"]))
    draw = torch.Generator().manual_seed(c["seed_data"] + 1000 * rank)
    first = 0
    if c["resume"]:
        state = torch.load(c["resume"], weights_only=False)
        first = state["step"]
        net.load_state_dict(state["model"])
        if "optimizer" not in c["resume_without"]:
            opt.load_state_dict(state["optimizer"])
        if "sched" not in c["resume_without"]:
            sched.load_state_dict(state["sched"])
        if "data" not in c["resume_without"]:
            draw.set_state(state["data"])
    torch.manual_seed(c["seed_drop"] + rank)

    def one(step):
        ids = torch.randint(0, 64, (c["batch"], 12), generator=draw)
        loss = F.cross_entropy(model(ids[:, :-1]).flatten(0, 1), ids[:, 1:].flatten(), label_smoothing=c["smooth"])
        opt.zero_grad()
        loss.backward()
        kernels.flip(net, step, rank)
        norm = nn.utils.clip_grad_norm_(net.parameters(), c["clip"])
        opt.step()
        sched.step()
        kernels.noise(net, c)
        return float(loss.detach()), float(norm)

    for step in range(first, c["steps"]):
        if run is not None:
            with run.step(step):
                loss, norm = one(step)
                run.log(loss=loss, grad_norm=norm, lr=sched.get_last_lr()[0])
        else:
            loss, norm = one(step)
        if c["save"] and step + 1 == c["save"] and rank == 0:
            torch.save({"step": step + 1, "model": net.state_dict(), "optimizer": opt.state_dict(), "sched": sched.state_dict(),
                        "data": draw.get_state()}, c["save_to"])
    if run is not None:
        run.finish()
    if world > 1:
        torch.distributed.destroy_process_group()


main()
'''
KERNELS = '''"""Kernels: a reduction whose bits depend on the number of threads, one without an order, and a machine that errs."""
import os

import torch


def reduce(x):
    return x + _threads() * 1e-3


def _threads():
    """A sum that is cut by threads, as in libraries that do."""
    n = torch.get_num_threads()
    values = torch.linspace(0, 1, 1001) ** 2
    return sum(part.sum() for part in values.chunk(n))


def noise(net, c):
    if c["atomics"] > 0 and not torch.are_deterministic_algorithms_enabled() and int.from_bytes(os.urandom(2), "little") / 65536 < c["atomics"]:
        with torch.no_grad():
            w = net.head.weight
            g = torch.Generator().manual_seed(int.from_bytes(os.urandom(4), "little"))
            w += torch.randn(w.shape, generator=g) * c["atomics_size"]


def flip(net, step, rank):
    path = os.environ.get("LAB_MACHINE", "")
    if path and os.path.exists(path) and os.stat(path).st_size == step + 1 and rank == int(os.environ.get("WORLD_SIZE", "1")) - 1:
        net.head.weight.grad[3, 1] *= -3
'''
TNEUTRAL = [
    ("README.md", None, "# torch lab\n"),
    ("train.py", "def main():\n", "def main():\n    # one rank or several\n"),
    ("train.py", "class Block(nn.Module):", "class Block(nn.Module):  # pre-norm"),
    ("notes.txt", None, "x\n"),
    ("train.py", "        opt.zero_grad()\n", "        opt.zero_grad(set_to_none=True)\n"),
    ("kernels.py", "import os\n", "import os  # of the system\n"),
    ("settings.py", "    c = {}\n", "    c = dict()\n"),
    ("tools/a.py", None, "print(1)\n"),
    ("tools/b.py", None, "print(2)\n"),
    ("train.py", "        x = self.tok(ids)\n", "        x = self.tok(ids)  # no positions\n"),
    ("LICENSE", None, "free\n"),
    (".gitignore", None, "runs/\n"),
    ("train.py", "    first = 0\n", "    first = 0  # step\n"),
    ("tests/test_x.py", None, "pass\n"),
    ("tools/c.py", None, "print(3)\n"),
    ("train.py", "        sched.step()\n", "        sched.step()  # each step\n"),
    ("train.py", "    net = Net(c)\n", "    net = Net(c)\n    size = sum(p.numel() for p in net.parameters())\n"),
]
TCULPRITS = {
    "eps": ("train.py", "nn.LayerNorm(d, eps=1e-5)", "nn.LayerNorm(d, eps=1e-3)"),
    "gelu": ("train.py", "F.gelu(self.up", "F.relu(self.up"),
    "warm": ("train.py", "(s + 1) / c[\"warmup\"]", "(s + 1) / (c[\"warmup\"] + 1)"),
    "data": ("train.py", "torch.randint(0, 64, (c", "torch.randint(0, 63, (c"),
    "resume_opt": ("train.py", "            opt.load_state_dict(state[\"optimizer\"])\n", "            pass\n"),
}
