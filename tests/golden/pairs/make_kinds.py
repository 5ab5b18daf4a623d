#!/usr/bin/env python3
"""Makes pairs of runs of nine kinds of training, of which two differ in one known thing, and their labels: make_kinds.py SPEC OUT.

    pip install torch==2.13.0 numpy      (CPU build)
    python3 make_kinds.py kinds1.json kinds1.xz          kinds1.json says what each pair changes

Kinds: transformer, cnn, gru, vae, policy (a policy gradient), moe (a mixture of experts), gan, embedding (sparse), ddp (two ranks over
gloo). Each pair is the kind's base and one run with a change, or two runs with changes. OUT is one JSON object, compressed by xz: the
runs with all that they recorded, and the pairs with the labels that follow from how they were made (label_kinds.py; `also` in a pair
names a second class that is right). score_kinds.py asks
`tscope diff` about each pair in nine forms of its logs.

Digests are SHA-256, cut to 64 bits: of the batch, of the default generator before the forward pass, of the gradients before clipping, and
of the parameters before (or, for cnn, vae, gan and ddp, after) the update.
"""
import copy
import hashlib
import json
import lzma
import math
import os
import sys
import tempfile

import numpy as np
import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn.functional as F
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from label_kinds import FORMS, labels_of

AFTER = ("cnn", "vae", "gan", "ddp")
WITH_CODE = ("transformer", "gru", "vae", "moe", "ddp")
BASE = {
    "transformer": dict(lr=3e-3, weight_decay=0.01, clip=1.0, eps=1e-8, beta2=0.99, dropout=0.1, batch_size=8, schedule="cosine"),
    "cnn": dict(lr=0.02, weight_decay=1e-4, momentum=0.9, batch_size=16, schedule="constant", augment=0.1),
    "gru": dict(lr=4e-3, weight_decay=0.0, clip=1.0, eps=1e-8, beta2=0.999, dropout=0.1, batch_size=12, schedule="constant"),
    "vae": dict(lr=2e-3, weight_decay=0.0, eps=1e-8, beta2=0.999, batch_size=16, kl_weight=0.5, schedule="constant"),
    "policy": dict(lr=1e-2, gamma=0.95, entropy=0.01, episodes=8, clip=0.5, schedule="constant"),
    "moe": dict(lr=3e-3, weight_decay=0.01, clip=1.0, top_k=2, aux_weight=0.01, batch_size=16, schedule="constant"),
    "gan": dict(generator={"lr": 1e-3}, discriminator={"lr": 2e-3}, beta1=0.5, batch_size=16, schedule="constant"),
    "embedding": dict(lr=0.05, batch_size=32, buckets=64, schedule="constant"),
    "ddp": dict(lr=3e-3, weight_decay=0.01, clip=1.0, batch_size=12, schedule="cosine"),
}
WIDTH = 24


def digest(*tensors):
    h = hashlib.sha256()
    for t in tensors:
        t = t.detach().to_dense() if t.is_sparse else t.detach()
        h.update(t.contiguous().view(torch.uint8).numpy().tobytes())
    return h.hexdigest()[:16]


class Layer(nn.Module):
    def __init__(self, dropout, change):
        super().__init__()
        self.n1, self.n2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
        self.qkv, self.out = nn.Linear(WIDTH, 3 * WIDTH), nn.Linear(WIDTH, WIDTH)
        self.up, self.down, self.drop = nn.Linear(WIDTH, 2 * WIDTH), nn.Linear(2 * WIDTH, WIDTH), nn.Dropout(dropout)
        self.gelu = "tanh" if change.get("gelu") == "tanh" else "none"

    def forward(self, x):
        n, t, w = x.shape
        q, k, v = (y.view(n, t, 2, w // 2).transpose(1, 2) for y in self.qkv(self.n1(x)).split(w, 2))
        x = x + self.drop(self.out(F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(n, t, w)))
        return x + self.drop(self.down(F.gelu(self.up(self.n2(x)), approximate=self.gelu)))


class Experts(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.k = cfg["top_k"]
        self.gate = nn.Linear(16, 4)
        self.experts = nn.ModuleList(nn.Sequential(nn.Linear(16, 24), nn.SiLU(), nn.Linear(24, 8)) for _ in range(4))

    def forward(self, x):
        p = self.gate(x).softmax(-1)
        w, at = p.topk(self.k, -1)
        mask = torch.zeros_like(p).scatter(1, at, w / w.sum(-1, keepdim=True))
        aux = 4 * (p.mean(0) * (mask > 0).float().mean(0)).sum()
        return sum(mask[:, i : i + 1] * e(x) for i, e in enumerate(self.experts)), aux


class Gru(nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.rnn, self.head = nn.GRU(2, 16, num_layers=2, batch_first=True, dropout=dropout), nn.Linear(16, 1)

    def forward(self, x):
        return self.head(self.rnn(x)[0][:, -1])[:, 0]


class Chars(nn.Module):
    def __init__(self, cfg, change):
        super().__init__()
        self.token, self.place = nn.Embedding(12, WIDTH), nn.Embedding(16, WIDTH)
        self.layers = nn.Sequential(Layer(cfg["dropout"], change), Layer(cfg["dropout"], change))
        self.head = nn.Linear(WIDTH, 12)

    def forward(self, x):
        return self.head(self.layers(self.token(x) + self.place.weight))


def build(kind, cfg, change):
    """The networks of a kind, by the name of their optimizer."""
    mlp = lambda *n: nn.Sequential(*sum(([nn.Linear(a, b), nn.SiLU()] for a, b in zip(n, n[1:])), [])[:-1])
    if kind == "transformer":
        return {"": Chars(cfg, change)}
    if kind == "cnn":
        conv = lambda a, b: (nn.Conv2d(a, b, 3, padding=1, bias=False), nn.BatchNorm2d(b), nn.ReLU())
        net = nn.Sequential(*conv(3, 8), nn.MaxPool2d(2), *conv(8, 16), nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 6))
        return {"": net.to(memory_format=torch.channels_last) if change.get("channels_last") else net}
    if kind == "gru":
        return {"": Gru(cfg["dropout"])}
    if kind == "vae":
        return {"": nn.ModuleDict({"encoder": mlp(20, 24, 8), "decoder": mlp(4, 24, 20)})}
    if kind == "policy":
        return {"": mlp(6, 16, 3)}
    if kind == "moe":
        return {"": Experts(cfg)}
    if kind == "gan":
        return {"discriminator": mlp(2, 16, 16, 1), "generator": mlp(4, 16, 2)}
    if kind == "embedding":
        return {"": nn.ModuleDict({"bag": nn.EmbeddingBag(cfg["buckets"], 8, sparse=True, mode="sum"), "head": nn.Linear(8, 1)})}
    return {"": mlp(12, 24, 24, 5)}


class Data:
    """Samples in memory, drawn by one permutation an epoch."""

    def __init__(self, kind, cfg, change, seeds):
        g = torch.Generator().manual_seed(change.get("other_data", seeds["set"]))
        n = 384
        self.n, self.kind, self.batch = n, kind, cfg.get("batch_size", 1)
        if kind == "transformer":
            rows = [torch.randint(0, 12, (n,), generator=g)]
            for i in range(16):
                rows.append((rows[-1] * 5 + 3 + (torch.rand(n, generator=g) < 0.2)) % 12)
            ids = torch.stack(rows, 1)
            self.x, self.y = ids[:, :16], ids[:, 1:]
        elif kind == "cnn":
            self.y = torch.randint(0, 6, (n,), generator=g)
            self.x = torch.randn(6, 3, 8, 8, generator=g)[self.y] * 0.5 + torch.randn(n, 3, 8, 8, generator=g)
        elif kind == "gru":
            marks = torch.zeros(n, 10).scatter_(1, torch.stack([torch.randperm(10, generator=g)[:2] for _ in range(n)]), 1.0)
            self.x = torch.stack([torch.rand(n, 10, generator=g), marks], 2)
            self.y = (self.x[:, :, 0] * marks).sum(1)
        elif kind == "vae":
            self.x = torch.randn(n, 4, generator=g) @ torch.randn(4, 20, generator=g)
            self.y = torch.zeros(n)
        elif kind == "gan":
            angle = torch.rand(n, generator=g) * 6.283
            self.x, self.y = torch.stack([angle.cos(), angle.sin()], 1), torch.zeros(n)
        elif kind == "embedding":
            self.x = torch.randint(0, cfg["buckets"], (n, 5), generator=g)
            self.y = (torch.randn(cfg["buckets"], generator=g)[self.x].sum(1) > 0).float()
        else:
            self.x = torch.randn(n, 16 if kind == "moe" else 12, generator=g)
            self.y = (self.x @ torch.randn(self.x.shape[1], 8 if kind == "moe" else 5, generator=g)).argmax(1)
        if "corrupt" in change:
            at = change["corrupt"]
            self.x[at] = self.x[0] if self.x.dtype == torch.int64 else self.x[at] + 0.5
            self.y[at] = self.y[0]
        self.seed, self.position = change.get("order_seed", seeds["data"]), change.get("skip", 0)

    def sha256(self):
        return hashlib.sha256(self.x.numpy().tobytes() + self.y.numpy().tobytes()).hexdigest()

    def next(self, step, change):
        if step == change.get("order_at", (None, 0))[0]:
            self.seed = change["order_at"][1]
        if step == change.get("skip_at", (None, 0))[0]:
            self.position += change["skip_at"][1]
        per = self.n // self.batch
        epoch, i = divmod(self.position, per)
        order = torch.randperm(self.n, generator=torch.Generator().manual_seed(self.seed * 1000 + epoch))
        self.position += 1
        at = order[i * self.batch : (i + 1) * self.batch]
        return self.x[at], self.y[at]


class Training:
    def __init__(self, kind, change, spec, rank=0, world=1):
        self.kind, self.change, self.spec, self.rank, self.world = kind, change, spec, rank, world
        self.cfg = json.loads(json.dumps({**BASE[kind], **spec.get("base", {}).get(kind, {})}))
        for key, value in change.get("config", {}).items():
            part, *rest = key.split(".")
            if rest:
                self.cfg[part][rest[0]] = value
            else:
                self.cfg[part] = value
        self.seeds = {**spec["seeds"], **change.get("seeds", {})}
        self.float = torch.float64 if change.get("dtype") == "float64" else torch.float32
        self.data = Data(kind, self.cfg, change, self.seeds)
        self.bad = 0
        self.start()

    def start(self):
        torch.manual_seed(self.seeds["init"])
        self.nets = build(self.kind, self.cfg, self.change)
        if self.change.get("bug") == "init_scale":
            for p in self.parameters():
                p.data.mul_(1.1)
        self.optimizers = {}
        for name, net in self.nets.items():
            net.to(self.float)
            c = {**self.cfg, **(self.cfg[name] if name else {})}
            p = list(net.parameters())
            if self.kind == "cnn":
                o = torch.optim.SGD(p, lr=c["lr"], momentum=c["momentum"], weight_decay=c["weight_decay"])
            elif self.kind == "embedding":
                o = torch.optim.SGD(p, lr=c["lr"])
            else:
                betas = (c.get("beta1", 0.9), c.get("beta2", 0.999))
                o = torch.optim.AdamW(p, lr=c["lr"], betas=betas, eps=c.get("eps", 1e-8), weight_decay=c.get("weight_decay", 0.0))
            self.optimizers[name] = o
        torch.manual_seed(self.seeds["train"])
        self.aug = torch.Generator().manual_seed(self.seeds["aug"])

    def parameters(self):
        return [p for net in self.nets.values() for p in net.parameters()]

    def rate(self, step, lr):
        if self.cfg["schedule"] == "cosine":
            lr *= min(1.0, (step + 1) / 6) * (0.55 + 0.45 * math.cos(math.pi * step / self.spec["steps"]))
        elif self.cfg["schedule"] == "step" and step >= self.spec["steps"] // 2:
            lr *= 0.3
        k, factor = self.change.get("lr_at", (0, 1.0))
        if step >= k:
            lr *= factor
        return lr * 0.5**self.bad

    def damage(self, step):
        k, at, bit = self.change.get("flip", (None, 0, 0))
        if k == step and self.rank == 0:
            w = self.parameters()[at].data.view(-1).numpy()
            w.view(np.uint32)[len(w) // 3] ^= np.uint32(1 << bit)

    def rollout(self):
        """Episodes of a small world, whose actions the policy draws."""
        states, actions, returns, total = [], [], [], 0.0
        for _ in range(self.cfg["episodes"]):
            s, rewards = torch.randint(0, 6, (1,), generator=self.env).item(), []
            for t in range(8):
                x = F.one_hot(torch.tensor(s), 6).to(self.float)
                a = torch.distributions.Categorical(logits=self.nets[""](x).detach()).sample().item()
                s2 = (s + a + 1) % 6
                states.append(s), actions.append(a), rewards.append(1.0 if s2 == 3 else -0.1)
                s = s2
            g = 0.0
            out = []
            for r in reversed(rewards):
                g = r + self.cfg["gamma"] * g
                out.append(g)
            returns += out[::-1]
            total += sum(rewards)
        return torch.tensor(states), torch.tensor(actions), torch.tensor(returns), total / self.cfg["episodes"]

    def losses(self, batch):
        """Named losses to differentiate in turn, and what else is logged."""
        x, y = batch
        bug, net = self.change.get("bug"), self.nets.get("")
        if x.is_floating_point():
            x = x.to(self.float)
        if self.kind == "cnn":
            x = x + self.cfg["augment"] * torch.randn(x.shape, generator=self.aug).to(self.float)
            if self.change.get("channels_last"):
                x = x.contiguous(memory_format=torch.channels_last)
        smoothing = 0.1 if bug == "smoothing" else 0.0
        if bug == "shift":
            y = y.roll(1, 0)
        if self.kind in ("transformer", "cnn", "ddp", "moe"):
            out = net(x)
            aux = None
            if self.kind == "moe":
                out, aux = out
            out = out.float() if self.float == torch.float32 else out
            loss = F.cross_entropy(out.flatten(0, -2), y.flatten(), label_smoothing=smoothing)
            extra = {"accuracy": (out.argmax(-1) == y).float().mean().item()}
            if aux is not None:
                extra["aux_loss"] = aux.item()
                loss = loss + (0 if bug == "drop_term" else self.cfg["aux_weight"]) * aux
            return {"": loss}, extra
        if self.kind == "gru":
            out = net(x)
            loss = F.l1_loss(out, y.to(out.dtype)) if bug == "other_loss" else F.mse_loss(out, y.to(out.dtype))
            return {"": loss}, {"mean_output": out.mean().item()}
        if self.kind == "vae":
            mean, log = net["encoder"](x).chunk(2, -1)
            z = mean + torch.randn(mean.shape).to(mean.dtype) * (0.5 * log).exp()
            recon = F.mse_loss(net["decoder"](z), x)
            kl = -0.5 * (1 + log - mean**2 - log.exp()).mean()
            return {"": recon + (0 if bug == "drop_term" else self.cfg["kl_weight"]) * kl}, {"recon": recon.item(), "kl": kl.item()}
        if self.kind == "embedding":
            out = net["head"](net["bag"](x))[:, 0]
            return {"": F.binary_cross_entropy_with_logits(out, y.to(out.dtype))}, {"accuracy": ((out > 0) == (y > 0)).float().mean().item()}
        raise AssertionError(self.kind)

    def update(self, name, loss, scalars, step, digests):
        bug, o = self.change.get("bug"), self.optimizers[name]
        p = [q for g in o.param_groups for q in g["params"]]
        if not (bug == "no_zero_grad" and step >= self.change.get("bug_at", 0)):
            o.zero_grad()
        scale = 2.0 if bug == "scale" and step >= self.change.get("bug_at", 0) else 1.0
        (loss * scale).backward()
        if step == self.change.get("nan_at"):
            p[0].grad.view(-1)[0] = math.nan
        if self.world > 1:
            for q in p:
                dist.all_reduce(q.grad)
                q.grad /= 1 if bug == "no_mean" else self.world
        digests.append(digest(*(q.grad for q in p)))
        clip = self.cfg.get("clip")
        if self.kind not in ("gan", "embedding"):
            scalars["grad_norm"] = float(nn.utils.clip_grad_norm_(p, clip if clip else 1e9))
        lr = self.rate(step, {**self.cfg, **(self.cfg[name] if name else {})}["lr"])
        if bug == "skip_update" and step == self.change["bug_at"]:
            lr = 0.0
        for g in o.param_groups:
            g["lr"] = lr
        o.step()
        if bug == "skip_update" and step == self.change["bug_at"]:
            lr = self.rate(step, self.cfg["lr"])
        scalars["lr" + (f"_{name[0]}" if name else "")] = lr

    def step(self, step):
        self.damage(step)
        digests, scalars, grads = {"rng": digest(torch.get_rng_state())}, {}, []
        before = digest(*self.parameters())
        context = sdpa_kernel(SDPBackend.MATH) if self.change.get("math_attention", 1e9) <= step else None
        if context:
            context.__enter__()
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=self.change.get("dtype") == "bf16"):
            if self.kind == "policy":
                self.env = torch.Generator().manual_seed(self.seeds["data"] * 1000 + step)
                states, actions, returns, reward = self.rollout()
                digests["batch"] = digest(states, actions, returns)
                logp = self.nets[""](F.one_hot(states, 6).to(self.float)).log_softmax(-1)
                advantage = returns if self.change.get("bug") == "no_baseline" else returns - returns.mean()
                entropy = -(logp.exp() * logp).sum(-1).mean()
                loss = -(logp.gather(1, actions[:, None])[:, 0] * advantage).mean() - self.cfg["entropy"] * entropy
                scalars = {"loss": loss.item(), "reward": reward, "entropy": entropy.item()}
                self.update("", loss, scalars, step, grads)
            elif self.kind == "gan":
                x, _ = self.data.next(step, self.change)
                digests["batch"] = digest(x)
                x = x.to(self.float)
                d, g = self.nets["discriminator"], self.nets["generator"]
                z = torch.randn(len(x), 4).to(self.float)
                loss_d = F.softplus(-d(x)).mean() + F.softplus(d(g(z).detach())).mean()
                self.update("discriminator", loss_d, scalars, step, grads)
                loss_g = d(g(z)).mean() if self.change.get("bug") == "sign" else F.softplus(-d(g(z))).mean()
                self.update("generator", loss_g, scalars, step, grads)
                scalars = {"loss_d": loss_d.item(), "loss_g": loss_g.item(), **scalars}
            else:
                x, y = self.data.next(step, self.change)
                if self.world > 1:
                    share = (self.rank + self.change.get("rotate", 0)) % self.world
                    x, y = x.chunk(self.world)[share], y.chunk(self.world)[share]
                digests["batch"] = digest(x, y)
                losses, extra = self.losses((x, y))
                scalars = {"loss": losses[""].item(), **extra}
                self.update("", losses[""], scalars, step, grads)
        if context:
            context.__exit__(None, None, None)
        if self.change.get("reacts") and not math.isfinite(scalars.get("grad_norm", 0.0)):
            self.bad += 1
            for p, q in zip(self.parameters(), self.last):
                p.data.copy_(q)
            for o in self.optimizers.values():
                o.state.clear()
        self.last = [p.detach().clone() for p in self.parameters()]
        digests["grads"] = grads[0] if len(grads) == 1 else hashlib.sha256("".join(grads).encode()).hexdigest()[:16]
        digests["params"] = digest(*self.parameters()) if self.kind in AFTER else before
        return {"step": step, "scalars": self.report(scalars, step), "digests": digests}

    def report(self, scalars, step):
        """What is logged, which need not be what was computed."""
        how = self.change.get("report")
        for name in [n for n in scalars if n.startswith("loss")]:
            if how == "ratio":
                scalars[name] *= 1.4426950408889634
            elif how == "sum":
                scalars[name] *= 16.0 if step % 3 else 15.0
            elif how == "digits7":
                scalars[name] = float("%.7g" % scalars[name])
        if self.change.get("log") == "train/":
            scalars = {("train/" + k if k.startswith("loss") else k): v for k, v in scalars.items()}
        return scalars

    def save(self):
        state = {n: (net.state_dict(), self.optimizers[n].state_dict()) for n, net in self.nets.items()}
        return copy.deepcopy({"nets": state, "rng": torch.get_rng_state(), "aug": self.aug.get_state(), "position": self.data.position})

    def restore(self, saved, path):
        lost = self.change.get("lost", ())
        self.start()
        torch.save(saved, path)
        saved = torch.load(path, weights_only=False)
        for name, (net, optimizer) in saved["nets"].items():
            self.nets[name].load_state_dict(net)
            if "optimizer" not in lost:
                self.optimizers[name].load_state_dict(optimizer)
        if "rng" not in lost:
            torch.set_rng_state(saved["rng"])
            self.aug.set_state(saved["aug"])
        self.data.position = 0 if "position" in lost else saved["position"]
        if "rate" in lost:
            self.change = {**self.change, "lr_at": [self.spec["checkpoint"], 0.4]}


def facts_of(t):
    change, cfg = t.change, json.loads(json.dumps(t.cfg))
    if change.get("dtype"):
        cfg["precision"] = change["dtype"]
    else:
        cfg["precision"] = "float32"
    for key in ("math_attention", "channels_last", "gelu"):
        if key in change and key in change.get("say", ()):
            cfg[key] = change[key]
    cfg["steps"] = t.spec["steps"]
    cfg.update(change.get("note", {}))
    for key in change.get("unsaid", ()):
        cfg.pop(key, None)
        if key in BASE[t.kind]:
            cfg[key] = BASE[t.kind][key]
        if key == "precision":
            cfg[key] = "float32"
    facts = {
        "format": 1,
        "seeds": {k: v for k, v in t.seeds.items() if k != "set"},
        "determinism": {"use_deterministic_algorithms": False, "torch_threads": change.get("threads", 1)},
        "libraries": {"mkl": "2024.2"},
        "hardware": {"cpu_capability": "AVX512"},
        "parallelism": {"world_size": t.world},
        "data": {"name": t.kind, "samples": t.data.n, "sha256": t.data.sha256()},
        "columns": {"digests.params": {"when": "after" if t.kind in AFTER else "before"}},
    }
    for group, keys in change.get("unsaid_facts", {}).items():
        for key in keys:
            facts[group].pop(key, None)
    if t.kind in WITH_CODE:
        facts["code"] = {"commit": "b" * 40 if change.get("commit") else "a" * 40, "dirty": False}
    run = {
        "name": t.kind, "config": cfg, "rank": t.rank, "world_size": t.world,
        "environment": {"python": "3.11.7", "torch": torch.__version__, "cuda_available": False, "machine": "x86_64", "cpu_count": 2},
    }
    return {"run": run, "facts": facts}


def train(kind, change, spec, rank=0, world=1):
    torch.set_num_threads(change.get("threads", 1))
    t = Training(kind, change, spec, rank, world)
    records, saved, step, last, restarted = [], None, 0, spec["steps"], False
    with tempfile.TemporaryDirectory() as scratch:
        while step < last:
            if "resume" in change and step == spec["checkpoint"] and not restarted:
                saved = t.save()
            if saved and step == spec["checkpoint"] + 4 and not restarted:
                restarted, step = True, spec["checkpoint"]
                t.restore(saved, os.path.join(scratch, "checkpoint"))
            records.append(t.step(step))
            step += 1
    first = change.get("first_step", 0)
    for r in records:
        r["step"] += first
    if change.get("log") == "two":
        records = [x for r in records for x in ({**r, "scalars": {k: v for k, v in r["scalars"].items() if not k.startswith("lr")}},
                                                {"step": r["step"], "scalars": {k: v for k, v in r["scalars"].items() if k.startswith("lr")}})]
    return {**facts_of(t), "steps": records}


def worker(rank, world, kind, change, spec, folder):
    dist.init_process_group("gloo", init_method=f"file://{folder}/rendezvous", rank=rank, world_size=world)
    with open(os.path.join(folder, str(rank)), "w") as f:
        json.dump(train(kind, change, spec, rank, world), f)
    dist.destroy_process_group()


def run(kind, change, spec):
    """The ranks of one run."""
    if kind == "embedding":
        torch.manual_seed(0)
    world = change.get("world", 2) if kind == "ddp" else 1
    if world == 1:
        return [train(kind, change, spec)]
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(worker, (world, kind, change, spec, folder), nprocs=world)
        ranks = []
        for rank in range(world):
            with open(os.path.join(folder, str(rank))) as f:
                ranks.append(json.load(f))
    return ranks


def main(forms=FORMS):
    with open(sys.argv[1]) as f:
        spec = json.load(f)
    runs, pairs = {}, []
    for pair in spec["pairs"]:
        kind, names = pair["kind"], []
        for change in (pair.get("base", {}), pair["change"]):
            name = kind + " " + json.dumps(change, sort_keys=True)
            names.append(name)
            if name not in runs or pair.get("again") and change is pair["change"]:
                runs[name + (" again" if name in runs else "")] = run(kind, change, spec)
        if pair.get("again"):
            names[1] += " again"
        print(kind, json.dumps(pair["change"]), flush=True)
        if pair.get("found") == "batch":  # the first batch that has the sample
            a, b = (runs[n] for n in names)
            pair["at"] = min((x["step"] for p, q in zip(a, b) for x, y in zip(p["steps"], q["steps"])
                              if x["digests"]["batch"] != y["digests"]["batch"]), default=0)
        also = {"also": pair["also"]} if "also" in pair else {}
        pairs.append({"kind": kind, "a": names[0], "b": names[1], "truth": pair["truth"], "at": pair["at"], **also})
    for pair in pairs:
        pair["labels"] = labels_of(pair, runs[pair["a"]], runs[pair["b"]], forms)
    with lzma.open(sys.argv[2], "wt", preset=9) as f:
        json.dump({"runs": runs, "pairs": pairs}, f, separators=(",", ":"))


if __name__ == "__main__":
    main()
