#!/usr/bin/env python3
"""Makes the labelled pairs: small real PyTorch trainings on the CPU, of which two differ in one known thing.

    pip install torch==2.13.0 numpy      (CPU build)
    python3 make_pairs.py SPEC OUT [KIND/NAME...]      writes OUT/KIND/NAME for every run of SPEC, pairs.json or heldout.json

Kinds: chars32 and chars16 (a transformer of two layers over characters, float32 and bfloat16 autocast, dropout, AdamW, a cosine
schedule, clipping), mlp (dropout, AdamW), conv (batch normalization, SGD with momentum), gru (a recurrent regression, dropout, Adam). What a
run changes stands in SPEC; a run without changes is the kind's base. SPEC may say other seeds, steps and settings for all. Digests are SHA-256, cut to 64 bits: of the batch; of the gradients before clipping; of the
default generator before the forward pass; of the parameters as the step began (conv: as it ended).

The files are kept as data, so this is run again only to make new ones: on another machine the sums, and so the trajectories, differ.
"""
import contextlib
import copy
import hashlib
import json
import math
import os
import socket
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F
from torch.nn.attention import SDPBackend, sdpa_kernel

with open(sys.argv[1]) as f:
    SPEC = json.load(f)
RUNS, SETTINGS = SPEC["runs"], SPEC.get("settings", {})

STEPS, CHECKPOINT, CRASH = SETTINGS.get("steps", 120), SETTINGS.get("checkpoint", 60), SETTINGS.get("crash", 66)
BASE = {
    "chars": dict(batch=8, samples=384, lr=3e-3, weight_decay=0.01, clip=1.0, dropout=0.1, warmup=10, optimizer="adamw"),
    "mlp": dict(batch=16, samples=768, lr=2e-3, weight_decay=0.01, clip=1.0, dropout=0.2, warmup=0, optimizer="adamw"),
    "conv": dict(batch=16, samples=640, lr=0.02, weight_decay=1e-4, clip=2.0, dropout=0.0, warmup=0, optimizer="sgd"),
    "gru": dict(batch=12, samples=512, lr=4e-3, weight_decay=1e-3, clip=1.0, dropout=0.15, warmup=5, optimizer="adam"),
}
for kind, values in SETTINGS.get("base", {}).items():
    BASE[kind].update(values)
SEEDS = SETTINGS.get("seeds", {"init": 7, "train": 11, "data": 100})
CONTEXT, WIDTH = 32, 32


def sums():
    """A text with structure to learn: sums written out, from a fixed linear congruence."""
    state, lines = 12345, []
    for _ in range(1500):
        state = (state * 1103515245 + 12345) % 2**31
        a, b = state % 97, (state // 97) % 89
        lines.append(f"{a}+{b}={a + b};")
    return "".join(lines)


class Block(torch.nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.n1, self.n2 = torch.nn.LayerNorm(WIDTH), torch.nn.LayerNorm(WIDTH)
        self.qkv, self.out = torch.nn.Linear(WIDTH, 3 * WIDTH), torch.nn.Linear(WIDTH, WIDTH)
        self.up, self.down = torch.nn.Linear(WIDTH, 4 * WIDTH), torch.nn.Linear(4 * WIDTH, WIDTH)
        self.drop = torch.nn.Dropout(dropout)

    def forward(self, x):
        n, t, w = x.shape
        q, k, v = (y.view(n, t, 4, w // 4).transpose(1, 2) for y in self.qkv(self.n1(x)).split(w, 2))
        x = x + self.drop(self.out(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(n, t, w)))
        return x + self.drop(self.down(F.gelu(self.up(self.n2(x)))))


class Chars(torch.nn.Module):
    def __init__(self, symbols, dropout):
        super().__init__()
        self.token, self.place = torch.nn.Embedding(symbols, WIDTH), torch.nn.Embedding(CONTEXT, WIDTH)
        self.blocks = torch.nn.Sequential(Block(dropout), Block(dropout))
        self.norm, self.head = torch.nn.LayerNorm(WIDTH), torch.nn.Linear(WIDTH, symbols)

    def forward(self, x):
        return self.head(self.norm(self.blocks(self.token(x) + self.place.weight))).flatten(0, 1)


class Adding(torch.nn.Module):
    """Reads pairs of a number and a mark, and is to say the sum of the marked numbers."""

    def __init__(self, dropout):
        super().__init__()
        self.rnn = torch.nn.GRU(2, 24, num_layers=2, batch_first=True, dropout=dropout)
        self.head = torch.nn.Linear(24, 1)

    def forward(self, x):
        return self.head(self.rnn(x)[0][:, -1])[:, 0]


def make_model(kind, dropout, symbols):
    if kind == "gru":
        return Adding(dropout)
    if kind == "chars":
        return Chars(symbols, dropout)
    if kind == "mlp":
        layers = []
        for a, b in ((24, 64), (64, 64)):
            layers += [torch.nn.Linear(a, b), torch.nn.SiLU(), torch.nn.Dropout(dropout)]
        return torch.nn.Sequential(*layers, torch.nn.Linear(64, 10))
    conv = lambda a, b: (torch.nn.Conv2d(a, b, 3, padding=1, bias=False), torch.nn.BatchNorm2d(b), torch.nn.ReLU())
    return torch.nn.Sequential(*conv(3, 12), *conv(12, 16), torch.nn.MaxPool2d(2), *conv(16, 24),
                               torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(24, 8))


class Data:
    """Samples in memory, drawn in the order of a permutation an epoch. Its state is the position and the seed."""

    def __init__(self, kind, base, change):
        g = torch.Generator().manual_seed(SETTINGS.get("dataset_seed", 1))
        n = base["samples"]
        self.kind, self.batch, self.change = kind, base["batch"], change
        if kind == "chars":
            text = sums()
            self.symbols = len(set(text))
            order = sorted(set(text))
            ids = torch.tensor([order.index(c) for c in text])
            at = torch.randint(0, len(ids) - CONTEXT - 1, (n,), generator=g)
            self.x = torch.stack([ids[i : i + CONTEXT] for i in at])
            self.y = torch.stack([ids[i + 1 : i + CONTEXT + 1] for i in at])
        elif kind == "mlp":
            self.symbols = 10
            self.x = torch.randn(n, 24, generator=g)
            self.y = (self.x @ torch.randn(24, 10, generator=g) + torch.randn(n, 10, generator=g)).argmax(1)
        elif kind == "gru":
            self.symbols = 0
            marks = torch.zeros(n, 16).scatter_(1, torch.stack([torch.randperm(16, generator=g)[:2] for _ in range(n)]), 1.0)
            self.x = torch.stack([torch.rand(n, 16, generator=g), marks], 2)
            self.y = (self.x[:, :, 0] * marks).sum(1)
        else:
            self.symbols = 8
            self.y = torch.randint(0, 8, (n,), generator=g)
            self.x = torch.randn(8, 3, 10, 10, generator=g)[self.y] * 0.5 + torch.randn(n, 3, 10, 10, generator=g)
        if "replace_sample" in change:  # one sample becomes a copy of another
            self.x[change["replace_sample"]] = self.x[0]
            self.y[change["replace_sample"]] = self.y[0]
        if "replace_label" in change:
            at = change["replace_label"]
            self.y[at] = (self.y[at] + 1) % self.symbols
        self.test = slice(n - 128, n)
        self.n = n - 128
        self.seed, self.position = change.get("data_seed", SEEDS["data"]), 0
        self.order = change.get("order_seed")

    def sha256(self):
        return hashlib.sha256(self.x.numpy().tobytes() + self.y.numpy().tobytes()).hexdigest()

    def epoch(self):
        return self.position // (self.n // self.batch)

    def next(self):
        per, epoch = self.n // self.batch, self.epoch()
        batches = torch.randperm(self.n, generator=torch.Generator().manual_seed(self.seed * 1000 + epoch)).view(per, self.batch)
        if self.order is not None:  # the same batches, in another order
            batches = batches[torch.randperm(per, generator=torch.Generator().manual_seed(self.order + epoch))]
        at = batches[self.position % per]
        self.position += 1
        return self.x[at], self.y[at]


def digest(*tensors):
    h = hashlib.sha256()
    for t in tensors:
        h.update(t.detach().contiguous().numpy().tobytes())
    return h.hexdigest()[:16]


class Training:
    def __init__(self, kind, change, rank=0, world=1):
        self.family, self.change, self.rank, self.world = kind.rstrip("0123456789"), change, rank, world
        self.after = kind == "conv"
        self.bf16 = change.get("precision", "bf16" if kind.endswith("16") else "fp32") == "bf16"
        self.base = dict(BASE[self.family])
        self.base.update({k: v for k, v in change.items() if k in self.base})
        self.data = Data(self.family, self.base, change)
        self.build()
        for _ in range(change.get("extra_draws", 0)):
            torch.rand(1)

    def build(self):
        torch.manual_seed(self.change.get("init_seed", SEEDS["init"]))
        self.model = make_model(self.family, self.base["dropout"], self.data.symbols)
        if self.change.get("channels_last"):
            self.model = self.model.to(memory_format=torch.channels_last)
        p = list(self.model.parameters())
        if self.base["optimizer"] == "adamw":
            self.optimizer = torch.optim.AdamW(p, lr=self.base["lr"], weight_decay=self.base["weight_decay"])
        elif self.base["optimizer"] == "adam":
            self.optimizer = torch.optim.Adam(p, lr=self.base["lr"], weight_decay=self.base["weight_decay"])
        else:
            self.optimizer = torch.optim.SGD(p, lr=self.base["lr"], momentum=0.9, weight_decay=self.base["weight_decay"])
        torch.manual_seed(self.change.get("train_seed", SEEDS["train"]))

    def rate(self, step):
        lr = self.base["lr"]
        if self.base["warmup"]:
            lr *= min(1.0, (step + 1) / self.base["warmup"]) * (0.55 + 0.45 * math.cos(math.pi * step / STEPS))
        k, factor = self.change.get("lr_factor", (0, 1.0))
        if step >= k:
            lr *= factor
        if step == self.change.get("lr_spike", (None, 0))[0]:
            lr *= self.change["lr_spike"][1]
        return lr

    def save(self):
        return copy.deepcopy((self.model.state_dict(), self.optimizer.state_dict(), torch.get_rng_state(), self.data.position))

    def restore(self, saved):
        """What a restart does: everything anew, then what the checkpoint holds and the program cares to load."""
        forget = self.change.get("forget", ())
        self.build()
        model, optimizer, rng, position = copy.deepcopy(saved)
        self.model.load_state_dict(model)
        if "optimizer" not in forget:
            self.optimizer.load_state_dict(optimizer)
        if "rng" not in forget:
            torch.set_rng_state(rng)
        self.data.position = 0 if "position" in forget else position

    def damage(self, step):
        """Faults of the state: a weight nudged by one ulp, a bit of a weight turned, a weight lost."""
        parameters = list(self.model.parameters())
        for name, act in (("ulp", None), ("flip", None), ("infinite", None)):
            k, at, *bit = self.change.get(name, (None, 0))
            if k != step:
                continue
            weights = parameters[at].data.view(-1).numpy()
            i = len(weights) // 3
            if name == "ulp":
                weights[i] = np.nextafter(weights[i], np.float32(np.inf))
            elif name == "flip":
                weights.view(np.uint32)[i] ^= np.uint32(1 << bit[0])
            else:
                weights[i] = np.inf

    def loss(self, x, y):
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=self.bf16):
            logits = self.model(x)
        if self.family == "gru":
            return F.mse_loss(logits.float(), y), logits
        return F.cross_entropy(logits.float(), y.flatten()), logits

    def evaluate(self):
        if self.change.get("eval_draws"):  # a subset drawn from the default generator
            torch.randint(0, 128, (64,))
        self.model.eval()
        x, y = self.data.x[self.data.test], self.data.y[self.data.test]
        half = slice(0, self.change.get("eval_samples", 128))
        with torch.no_grad():
            value = self.loss(x[half], y[half])[0].item()
        self.model.train()
        return value

    def kernels(self, step):
        math_from = self.change.get("math_attention")
        stack = contextlib.ExitStack()
        if math_from is not None and step >= math_from:
            stack.enter_context(sdpa_kernel(SDPBackend.MATH))
        if self.change.get("mkldnn") is False:
            stack.enter_context(torch.backends.mkldnn.flags(enabled=False))
        return stack

    def step(self, step):
        change = self.change
        self.damage(step)
        if step == change.get("reseed", (None, 0))[0]:
            self.data.seed = change["reseed"][1]
        if step == change.get("skip", (None, 0))[0]:
            self.data.position += change["skip"][1]
        lr = self.rate(step)
        for group in self.optimizer.param_groups:
            group["lr"] = lr
        epoch = self.data.epoch()
        x, y = self.data.next()
        if self.world > 1:
            x, y = x.chunk(self.world)[self.rank], y.chunk(self.world)[self.rank]
        digests = {"batch": digest(x, y), "rng": digest(torch.get_rng_state())}
        if not self.after:
            digests["params"] = digest(*self.model.parameters())
        if change.get("channels_last"):
            x = x.contiguous(memory_format=torch.channels_last)
        self.optimizer.zero_grad()
        pieces, total, times = change.get("accumulate", 1), 0.0, [0, 0, 0]
        with self.kernels(step):
            for px, py in zip(x.chunk(pieces), y.chunk(pieces)):
                t0 = time.perf_counter_ns()
                loss, logits = self.loss(px, py)
                t1 = time.perf_counter_ns()
                (loss / pieces).backward()
                times[0], times[1] = times[0] + t1 - t0, times[1] + time.perf_counter_ns() - t1
                total += loss.detach()
        total = total / pieces
        parameters = list(self.model.parameters())
        if step == change.get("gradient", (None,))[0]:
            _, at, factor = change["gradient"]
            parameters[at].grad.mul_(factor)
        if self.world > 1:
            import torch.distributed as dist

            for p in parameters:
                dist.all_reduce(p.grad)
                p.grad /= self.world
            dist.all_reduce(total)
            total /= self.world
        digests["grads"] = digest(*(p.grad for p in parameters))
        t0 = time.perf_counter_ns()
        norm = float(torch.nn.utils.clip_grad_norm_(parameters, self.base["clip"]))
        self.optimizer.step()
        times[2] = time.perf_counter_ns() - t0
        if self.after:
            digests["params"] = digest(*parameters)
        scalars = {"loss": self.report(total, logits, y), "grad_norm": norm, "lr": lr}
        if step % 20 == 19:
            scalars["val_loss"] = self.evaluate()
        return {
            "step": step,
            "timestamp": time.time(),
            "epoch": epoch,
            "phases": {n: t / 1e9 for n, t in zip(("forward", "backward", "optimizer"), times)},
            "scalars": scalars,
            "digests": digests,
        }

    def report(self, total, logits, y):
        """The loss as it is logged, which need not be the loss that was trained on."""
        how = self.change.get("report")
        if how == "rounded":
            return round(total.item(), 4)
        if how == "reduction":  # of each sample first, then their mean, as doubles
            each = F.cross_entropy(logits.detach().double(), y.flatten(), reduction="none")
            return (each.sum() / each.numel()).item()
        if how == "penalty":  # with the penalty on the weights that the optimizer applies by itself
            squares = sum(float(p.detach().square().sum()) for p in self.model.parameters())
            return total.item() + 0.5 * self.base["weight_decay"] * squares
        return total.item()


def describe(kind, name, training, rank, world, started, began):
    base, change = training.base, training.change
    config = {
        "model": {"kind": training.family, "dropout": base["dropout"]},
        "optimizer": {k: base[k] for k in ("lr", "weight_decay", "clip", "warmup")},
        "schedule": "cosine" if base["warmup"] else "constant",
        "batch_size": base["batch"],
        "accumulate": change.get("accumulate", 1),
        "precision": "bf16" if training.bf16 else "fp32",
        "steps": STEPS,
        "evaluation": {"every": 20, "samples": change.get("eval_samples", 128)},
    }
    config["optimizer"]["name"] = base["optimizer"]
    config.update(change.get("say", {}).get("config", {}))
    meta = {
        "name": f"{kind}-{name}",
        "config": config,
        "rank": rank,
        "world_size": world,
        "environment": {
            "python": sys.version.split()[0],
            "torch": torch.__version__,
            "cuda_available": False,
            "machine": "x86_64",
            "cpu_count": os.cpu_count(),
        },
        "started": started,
        "wall_time": (time.perf_counter_ns() - began) / 1e9,
        "n_steps": STEPS,
    }
    facts = {
        "format": 1,
        "seeds": {k: change.get(f"{k}_seed", seed) for k, seed in SEEDS.items()},
        "determinism": {
            "use_deterministic_algorithms": torch.are_deterministic_algorithms_enabled(),
            "torch_threads": torch.get_num_threads(),
            "float32_matmul_precision": torch.get_float32_matmul_precision(),
            "mkldnn": change.get("mkldnn", True),
        },
        "libraries": {"mkl": "2024.2", "onednn": "3.12.0"},
        "hardware": {"cpu_capability": torch.backends.cpu.get_cpu_capability()},
        "parallelism": {"data_parallel": world},
        "data": {"name": f"synthetic {training.family}", "samples": base["samples"], "sha256": training.data.sha256()},
    }
    if training.family == "chars":
        facts["determinism"]["attention"] = "math" if change.get("math_attention") == 0 else "auto"
        if "report" not in change:
            facts["columns"] = {"scalars.loss": {"precision": "f32"}, "scalars.grad_norm": {"precision": "f32"}}
    if change.get("channels_last"):
        facts["config"] = {"memory_format": "channels_last"}
    if "checkpoint" in change:
        facts["lineage"] = {"resumed_step": CHECKPOINT}
    for path in change.get("unsaid", ()):  # what this user did not write down, or wrote down wrongly
        group, key = path.split(".")
        if group in facts and key in facts[group]:
            if group == "seeds":
                facts[group][key] = SEEDS[key]
            else:
                del facts[group][key]
    return meta, facts


def train(kind, name, out, rank=0, world=1):
    change = RUNS[kind][name]
    torch.set_num_threads(change.get("threads", 1))
    torch.set_float32_matmul_precision(change.get("matmul_precision", "highest"))
    torch.use_deterministic_algorithms(True)
    folder = os.path.join(out, kind, name, *([f"rank{rank}"] if world > 1 else []))
    os.makedirs(folder)
    started, began = time.time(), time.perf_counter_ns()
    training, records, saved = Training(kind, change, rank, world), [], None
    for step in range(STEPS if "checkpoint" not in change else CRASH):
        if step == CHECKPOINT and "checkpoint" in change:
            saved = training.save()
        records.append(training.step(step))
    if saved:
        training.restore(saved)
        records += [training.step(step) for step in range(CHECKPOINT, STEPS)]
    with open(os.path.join(folder, "steps.jsonl"), "w") as log:
        for record in records:
            log.write(json.dumps(record, separators=(",", ":")) + "\n")
    meta, facts = describe(kind, name, training, rank, world, started, began)
    with open(os.path.join(folder, "run.json"), "w") as f:
        json.dump(meta, f, indent=1)
    with open(os.path.join(folder, "facts.json"), "w") as f:
        json.dump(facts, f, indent=1)


def one_of_many(rank, kind, name, out, world, port):
    import torch.distributed as dist

    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=world)
    train(kind, name, out, rank, world)
    dist.barrier()
    dist.destroy_process_group()


def main():
    import torch.multiprocessing as mp

    out, only = sys.argv[2], sys.argv[3:]
    for kind, runs in RUNS.items():
        for name, change in runs.items():
            if only and f"{kind}/{name}" not in only:
                continue
            if change.get("world", 1) > 1:
                with socket.socket() as s:
                    s.bind(("127.0.0.1", 0))
                    port = s.getsockname()[1]
                mp.spawn(one_of_many, (kind, name, out, change["world"], port), nprocs=change["world"])
            else:
                train(kind, name, out)
            print(kind, name, "done", flush=True)


if __name__ == "__main__":
    main()
