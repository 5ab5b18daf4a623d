#!/usr/bin/env python3
"""Makes pairs as make_kinds.py does, from eleven training loops that it and make_kinds_other.py do not have: make_loops.py SPEC OUT.

factor (matrix factorization, float64, gradients and AdaGrad by hand), graph (one graph, all of it at each step), diffusion (noise of a
generator of its own, Lion, averaged weights), replay (Q learning from a buffer), segment (Dice and cross entropy, accumulation), adapter
(low-rank adapters on a frozen net), towers (contrastive), scan (a linear recurrence, Adafactor, clipping by value), equation (a
differential equation, L-BFGS), scaled (distillation under a loss scale, half precision) and shards (ranks that reduce their gradients,
in one process). Each logs by the names of another trainer, and some log what a machine measures.
"""
import copy
import json
import math
import os
import random
import tempfile
import time

import torch
import torch.nn.functional as F
from torch import nn

import make_kinds as m
from label_kinds import MORE_FORMS
from make_kinds import digest


class Lion(torch.optim.Optimizer):
    def __init__(self, params, lr, betas, weight_decay):
        super().__init__(params, dict(lr=lr, betas=betas, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self):
        for g in self.param_groups:
            for p in g["params"]:
                mean = self.state[p].setdefault("mean", torch.zeros_like(p))
                p.mul_(1 - g["lr"] * g["weight_decay"])
                p.add_((g["betas"][0] * mean + (1 - g["betas"][0]) * p.grad).sign(), alpha=-g["lr"])
                mean.mul_(g["betas"][1]).add_(p.grad, alpha=1 - g["betas"][1])


def mlp(*widths, act=nn.Mish, drop=0.0):
    layers = []
    for a, b in zip(widths, widths[1:]):
        layers += [nn.Linear(a, b), act(), nn.Dropout(drop)]
    return nn.Sequential(*layers[:-2])


class Loop:
    """What all loops share. A kind says its BASE settings, names (LOG), nets, optimizer, samples and the losses of a batch."""

    BASE, LOG, LR, AFTER, CODE, SEEDS = {}, {}, "lr", False, False, ("init", "train", "data")
    N = 288

    def __init__(self, change, spec):
        self.change, self.spec, self.seeds = change, spec, {**spec["seeds"], **change.get("seeds", {})}
        self.cfg = copy.deepcopy({**self.BASE, **spec.get("base", {}).get(self.kind(), {})})
        for key, value in change.get("config", {}).items():
            *path, last = key.split(".")
            at = self.cfg
            for part in path:
                at = at[part]
            at[last] = value
        self.type = torch.float64 if change.get("dtype") == "float64" else torch.float32
        g = torch.Generator().manual_seed(change.get("other_data", self.seeds["set"]))
        self.samples = [t.to(self.type) if t.is_floating_point() else t for t in self.make_samples(g)]
        if "corrupt" in change:
            at = change["corrupt"]
            self.samples[0][at] = self.samples[0][0] if self.samples[0].dtype == torch.int64 else self.samples[0][at] + 0.4
            self.samples[-1][at] = self.samples[-1][1]
        self.position, self.order_seed = change.get("skip", 0), self.seeds["data"]
        self.start()

    @classmethod
    def kind(cls):
        return cls.__name__.lower()

    def start(self):
        torch.manual_seed(self.seeds["init"])
        self.nets = nn.ModuleDict(self.make_nets()).to(self.type)
        if self.change.get("bug") == "init_gain":
            for p in self.nets.parameters():
                p.data.mul_(0.9)
        self.opt = self.make_optimizer([p for p in self.nets.parameters() if p.requires_grad])
        torch.manual_seed(self.seeds["train"])
        self.noise = torch.Generator().manual_seed(self.seeds["noise"])
        self.chance = torch.Generator()
        self.chance.seed()
        self.scale, self.good, self.mean = self.cfg.get("init_scale", 1.0), 0, None

    def now(self, bug, step):
        return self.change.get("bug") == bug and step >= self.change.get("bug_at", 0)

    def trained(self):
        return [p for g in self.opt.param_groups for p in g["params"]]

    def next(self, step):
        """The batch of a step: a permutation an epoch."""
        if step == self.change.get("order_at", (None,))[0]:
            self.order_seed = self.change["order_at"][1]
        if step == self.change.get("skip_at", (None,))[0]:
            self.position += self.change["skip_at"][1]
        n = self.cfg[self.SIZE]
        epoch, i = divmod(self.position, self.N // n)
        order = torch.randperm(self.N, generator=torch.Generator().manual_seed(self.order_seed * 977 + epoch))
        self.position += 1
        return [t[order[i * n : (i + 1) * n]] for t in self.samples]

    SIZE = "batch_size"

    def rate(self, step):
        lr, c = self.base_rate(), self.cfg
        warm = c.get("warmup_steps", c.get("warmup", 0))
        if warm:
            lr *= min(1.0, (step + 1) / warm)
        if c.get("schedule", c.get("lr_scheduler_type")) in ("poly", "linear"):
            lr *= 1 - 0.9 * step / self.spec["steps"]
        elif c.get("schedule", c.get("lr_scheduler_type")) == "rsqrt":
            lr *= (1 + step / 16) ** -0.5
        k, factor = self.change.get("lr_at", (0, 1.0))
        return lr * factor if step >= k else lr

    def base_rate(self):
        return self.cfg[self.LR]

    def damage(self, step):
        k, at, bit = self.change.get("flip", (None, 0, 0))
        if step == k:
            w = self.trained()[at].data.view(-1)
            w = w.numpy().view("u4" if self.type == torch.float32 else "u8")
            w[len(w) // 2] ^= w.dtype.type(1 << bit)
        if step == self.change.get("zero_state", None):
            for state in list(self.opt.state.values())[:1]:
                for v in state.values():
                    if isinstance(v, torch.Tensor) and v.dim():
                        v.zero_()

    def product(self, x, w):
        """A product of matrices, as another kernel sums it where the change says so."""
        if "kernel_at" in self.change and self.at >= self.change["kernel_at"]:
            k = x.shape[-1] // 2
            return x[..., :k] @ w[:k] + x[..., k:] @ w[k:]
        return x @ w

    def backward(self, losses):
        """Gradients of the micro-batches, added in their order, or by chance as atomics do."""
        for p in self.trained():
            if p.grad is not None and not self.now("no_zero_grad", self.at):
                p.grad = None
        if self.now("scale", self.at):
            losses = [2.5 * x for x in losses]
        if self.change.get("sum_back"):
            losses = losses[::-1]
        if self.change.get("atomic"):
            losses = [losses[i] for i in torch.randperm(len(losses), generator=self.chance)]
        for loss in losses:
            (loss * self.scale).backward(retain_graph=True)
        for p in self.trained():
            p.grad = torch.zeros_like(p) if p.grad is None else p.grad / self.scale
        if self.at == self.change.get("nan_at"):
            self.trained()[0].grad.view(-1)[3] = math.inf

    def clip(self):
        """The norm that is logged."""
        limit = self.cfg.get("max_grad_norm", self.cfg.get("clip_norm")) or 1e9
        return float(nn.utils.clip_grad_norm_(self.trained(), 1e9 if self.now("no_clip", self.at) else limit))

    def update(self, out):
        self.digests["grads"] = digest(*(p.grad for p in self.trained()))
        if self.has_norm:
            out["grad_norm"] = self.clip()
        for g in self.opt.param_groups:
            g["lr"] = self.rate(self.at)
        if self.at != self.change.get("skip_update"):
            self.opt.step()
        out["lr"] = self.rate(self.at)

    has_norm = True

    def step(self, step):
        """The records of all ranks."""
        self.at, begin = step, time.perf_counter()
        self.damage(step)
        self.digests = {"rng": digest(torch.get_rng_state(), self.noise.get_state())}
        before, optimizer = digest(*self.nets.parameters()), self.state_digest()
        batch = self.next(step)
        self.digests["batch"] = digest(*batch)
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=self.change.get("dtype") == "bf16"):
            if self.change.get("bug") == "eval_mode":
                self.nets.train(step < self.change.get("bug_at", 0))
            losses, out = self.losses(batch)
        self.backward(losses)
        self.update(out)
        self.after(out)
        self.digests["params"] = digest(*self.nets.parameters()) if self.AFTER else before
        if self.with_optimizer:
            self.digests["optimizer"] = optimizer
        return [{"step": step, "scalars": self.report(out, time.perf_counter() - begin), "digests": self.digests}]

    with_optimizer = False

    def state_digest(self):
        return digest(*(v.reshape(-1) for s in self.opt.state.values() for v in s.values() if isinstance(v, torch.Tensor))) if self.opt.state else "0" * 16

    def after(self, out):
        pass

    def report(self, out, took):
        how = self.change.get("report")
        losses = [k for k in out if k.startswith("loss")]
        if how == "sum":
            out.update({k: out[k] * self.cfg.get(self.SIZE, 64) for k in losses})
        elif how == "bits":
            out.update({k: out[k] / math.log(2) for k in losses})
        elif how == "digits6":
            out.update({k: float("%.6g" % v) for k, v in out.items()})
        elif how == "mean":
            for k in losses:
                self.mean = out[k] if self.mean is None else self.mean * 0.8 + out[k] * 0.2
                out[k] = self.mean
        out = {self.LOG.get(k, k): v for k, v in out.items()}
        out.update(self.measured(took))
        return out

    def measured(self, took):
        return {}

    def saved(self):
        return copy.deepcopy({"nets": self.nets.state_dict(), "opt": self.opt.state_dict(), "rng": torch.get_rng_state(),
                              "noise": self.noise.get_state(), "position": self.position, "scale": (self.scale, self.good)})

    def restore(self, saved, path):
        lost = self.change.get("lost", ())
        self.start()
        torch.save(saved, path)
        saved = torch.load(path, weights_only=False)
        self.nets.load_state_dict(saved["nets"])
        if "optimizer" not in lost:
            self.opt.load_state_dict(saved["opt"])
        if "rng" not in lost:
            torch.set_rng_state(saved["rng"])
            self.noise.set_state(saved["noise"])
        if "scale" not in lost:
            self.scale, self.good = saved["scale"]
        self.position = 0 if "position" in lost else saved["position"]
        if "rate" in lost:
            self.change = {**self.change, "lr_at": [0, 0.5]}


class Factor(Loop):
    BASE = dict(learning_rate=0.2, rank=6, reg=0.01, batch=24, schedule="constant")
    LOG, LR, SIZE = {"loss": "train_mse", "lr": "learning_rate"}, "learning_rate", "batch"
    has_norm = False

    def make_samples(self, g):
        u, v = torch.randn(20, 4, generator=g, dtype=torch.float64), torch.randn(30, 4, generator=g, dtype=torch.float64)
        at = torch.stack([torch.randint(0, 20, (self.N,), generator=g), torch.randint(0, 30, (self.N,), generator=g)], 1)
        return at, (u[at[:, 0]] * v[at[:, 1]]).sum(1) + 0.1 * torch.randn(self.N, generator=g, dtype=torch.float64)

    def make_nets(self):
        self.type = torch.float32 if self.change.get("dtype") == "float32" else torch.float64
        return {"u": nn.Embedding(20, self.cfg["rank"]), "v": nn.Embedding(30, self.cfg["rank"])}

    def make_optimizer(self, p):
        return torch.optim.Adagrad(p, lr=self.cfg["learning_rate"])

    def losses(self, batch):
        at, y = batch
        u, v = self.nets["u"](at[:, 0]), self.nets["v"](at[:, 1])
        e = (u * v).sum(1) - y.to(u.dtype)
        reg = 0.0 if self.now("drop_term", self.at) else self.cfg["reg"]
        each = e.square() + reg * (u.square().sum(1) + v.square().sum(1))
        return [x.sum() / len(each) for x in each.chunk(3)], {"loss": e.square().mean().item(), "rmse": e.square().mean().sqrt().item()}


class Graph(Loop):
    """All nodes at each step, so that no order of data exists; edges are dropped by chance."""

    BASE = dict(lr=0.02, hidden=16, weight_decay=5e-4, drop_edge=0.2, schedule="constant")
    LOG, CODE, with_optimizer = {"loss": "train_loss", "lr": "lr-NAdam", "acc": "train_acc"}, True, True
    SEEDS = ("init", "train")

    def make_samples(self, g):
        y = torch.randint(0, 4, (60,), generator=g)
        a = (torch.rand(60, 60, generator=g) < torch.where(y[:, None] == y, 0.25, 0.05)).float()
        return torch.randn(4, 12, generator=g)[y] + torch.randn(60, 12, generator=g), ((a + a.T) > 0).float() + torch.eye(60), y

    def next(self, step):
        return self.samples

    def make_nets(self):
        h = self.cfg["hidden"]
        return {"w1": nn.Linear(12, h, bias=False), "w2": nn.Linear(h, 4, bias=False)}

    def make_optimizer(self, p):
        return torch.optim.NAdam(p, lr=self.cfg["lr"], weight_decay=self.cfg["weight_decay"])

    def losses(self, batch):
        x, a, y = batch
        keep = torch.rand(a.shape) >= self.cfg["drop_edge"]
        a = a if not self.nets.training else a * keep
        a = a / a.sum(1, keepdim=True).clamp(min=1)
        h = F.relu(self.product(a @ x, self.nets["w1"].weight.T))
        z = a @ self.nets["w2"](h)
        z = z.float() if self.type == torch.float32 else z
        each = F.cross_entropy(z[:40], y[:40].roll(1) if self.now("roll", self.at) else y[:40], reduction="none")
        with torch.no_grad():
            kept = {"acc": (z[:40].argmax(1) == y[:40]).double().mean().item(), "loss": each.mean().item()}
            if self.at % 5 == 4:
                full = batch[1] / batch[1].sum(1, keepdim=True)
                if self.change.get("eval_drop"):
                    full = full * (torch.rand(full.shape, generator=torch.Generator().manual_seed(self.at)) > 0.2)
                h = F.relu(full @ x @ self.nets["w1"].weight.T)
                kept["val_loss"] = F.cross_entropy((full @ h @ self.nets["w2"].weight.T).float()[40:], y[40:]).item()
        return [x.sum() / 40 for x in each.chunk(4)], kept


class Diffusion(Loop):
    BASE = {"optimizer": {"name": "lion", "lr": 1e-3, "beta1": 0.9, "beta2": 0.98, "weight_decay": 0.02}, "train": {"batch": 18},
            "ema": 0.95, "clip_norm": 2.0, "noise_steps": 40, "warmup": 8, "snr_gamma": 5.0}
    LOG = {"loss": "train/loss", "grad_norm": "train/grad_norm", "lr": "train/lr", "loss_ema": "ema_eval/loss"}
    SEEDS = ("init", "noise", "data")

    def base_rate(self):
        return self.cfg["optimizer"]["lr"]

    def next(self, step):
        self.cfg["b"], self.SIZE = self.cfg["train"]["batch"], "b"
        batch = super().next(step)
        del self.cfg["b"]
        return batch

    def make_samples(self, g):
        t = torch.rand(self.N, generator=g) * 9
        return [torch.stack([t * t.cos() / 5, t * t.sin() / 5], 1) + 0.05 * torch.randn(self.N, 2, generator=g)]

    def make_nets(self):
        return {"net": mlp(3, 32, 32, 2, act=nn.Softplus)}

    def make_optimizer(self, p):
        o = self.cfg["optimizer"]
        self.average = [q.detach().clone() for q in p]
        return Lion(p, o["lr"], (o["beta1"], o["beta2"]), o["weight_decay"])

    def denoise(self, x, t, e):
        a = torch.cos(t * 1.5)[:, None]
        noisy = a * x + (1 - a * a).sqrt() * e
        w = (a / (1 - a * a).sqrt())[:, 0].square().clamp(max=self.cfg["snr_gamma"])
        w = torch.ones_like(w) if self.now("drop_term", self.at) else w / self.cfg["snr_gamma"] + 0.5
        first = self.nets["net"][0]
        h = self.product(torch.cat([noisy, t[:, None]], 1), first.weight.T) + first.bias
        return w * (self.nets["net"][1:](h).to(x.dtype) - e).square().mean(1)

    def losses(self, batch):
        x = batch[0]
        t = torch.randint(1, self.cfg["noise_steps"], (len(x),), generator=self.noise).to(x.dtype) / self.cfg["noise_steps"]
        each = self.denoise(x, t, torch.randn(x.shape, generator=self.noise).to(x.dtype))
        return [x.sum() / len(each) for x in each.chunk(3)], {"loss": each.mean().item()}

    def after(self, out):
        with torch.no_grad():
            for a, p in zip(self.average, self.trained()):
                a.mul_(self.cfg["ema"]).add_(p, alpha=1 - self.cfg["ema"])
            if self.at % 6 == 5:
                own = [p.clone() for p in self.trained()]
                for p, a in zip(self.trained(), self.average):
                    p.copy_(a)
                g = torch.Generator().manual_seed(5)
                x = self.samples[0][:64]
                out["loss_ema"] = self.denoise(x, torch.rand(64, generator=g).to(x.dtype) + 0.02, torch.randn(x.shape, generator=g).to(x.dtype)).mean().item()
                for p, q in zip(self.trained(), own):
                    p.copy_(q)


class Replay(Loop):
    """Steps of a walk on a ring, drawn from a buffer that the run fills by its own actions."""

    BASE = dict(learning_rate=4e-3, gamma=0.9, buffer_size=200, batch_size=16, exploration=0.3, tau=0.1, max_grad_norm=10.0, schedule="constant")
    LOG = {"loss": "train/loss", "lr": "train/learning_rate", "reward": "rollout/ep_rew_mean", "q": "train/q_mean", "grad_norm": "train/grad_norm"}
    LR, AFTER, SEEDS = "learning_rate", True, ("init", "train", "noise")

    def make_samples(self, g):
        return [torch.randn(9, 9, generator=g)]

    def make_nets(self):
        self.buffer, self.place = [], 0
        return {"q": mlp(9, 24, 2, act=nn.SiLU), "target": mlp(9, 24, 2, act=nn.SiLU).requires_grad_(False)}

    def make_optimizer(self, p):
        self.nets["target"].load_state_dict(self.nets["q"].state_dict())
        return torch.optim.RAdam(p, lr=self.cfg["learning_rate"])

    def next(self, step):
        seen, total = self.samples[0].to(self.type), 0.0
        for _ in range(6):
            s = self.place
            with torch.no_grad():
                a = self.nets["q"](seen[s]).argmax().item()
            if torch.rand(()).item() < self.cfg["exploration"]:
                a = int(torch.randint(0, 2, ()))
            self.place = (s + (1 if a else -1)) % 9
            r = 1.0 if self.place == 4 else -0.05
            self.buffer = (self.buffer + [(s, a, r, self.place)])[-self.cfg["buffer_size"] :]
            total += r
        at = torch.randint(0, len(self.buffer), (self.cfg["batch_size"],), generator=self.noise)
        s, a, r, s2 = zip(*(self.buffer[i] for i in at))
        self.reward = total / 6
        return [torch.tensor(s), torch.tensor(a), torch.tensor(r, dtype=self.type), torch.tensor(s2)]

    def losses(self, batch):
        s, a, r, s2 = batch
        seen = self.samples[0].to(self.type)
        q = self.nets["q"](seen[s]).gather(1, a[:, None])[:, 0]
        ahead = self.nets["target"](seen[s2]).max(1).values
        if self.now("no_target", self.at):
            ahead = self.nets["q"](seen[s2]).max(1).values
        each = F.smooth_l1_loss(q, r.to(q.dtype) + self.cfg["gamma"] * ahead.detach(), reduction="none")
        return [x.sum() / len(each) for x in each.chunk(2)], {"loss": each.mean().item(), "q": q.mean().item(), "reward": self.reward}

    def after(self, out):
        with torch.no_grad():
            for p, t in zip(self.nets["q"].parameters(), self.nets["target"].parameters()):
                t.lerp_(p, self.cfg["tau"])

    def measured(self, took):
        return {"time/fps": int(6 / took)}

    def saved(self):
        return {**super().saved(), "buffer": (list(self.buffer), self.place)}

    def restore(self, saved, path):
        super().restore(saved, path)
        if "position" not in self.change.get("lost", ()):
            self.buffer, self.place = list(saved["buffer"][0]), saved["buffer"][1]


class Segment(Loop):
    BASE = dict(lr=0.05, momentum=0.9, weight_decay=1e-4, samples_per_gpu=12, accumulate=2, dice_weight=0.5, schedule="poly", drop=0.1)
    LOG = {"loss": "loss", "ce": "decode.loss_ce", "dice": "decode.loss_dice", "acc": "decode.acc_seg", "lr": "lr"}
    SIZE, CODE = "samples_per_gpu", True

    def make_samples(self, g):
        mask = F.avg_pool2d(torch.randn(self.N, 1, 8, 8, generator=g), 3, 1, 1) > 0
        return mask.float() + 0.7 * torch.randn(self.N, 1, 8, 8, generator=g), mask[:, 0].float()

    def make_nets(self):
        return {"down": nn.Conv2d(1, 6, 3, padding=1), "deep": nn.Conv2d(6, 12, 3, padding=1), "up": nn.ConvTranspose2d(12, 6, 2, 2),
                "norm": nn.InstanceNorm2d(12, affine=True), "drop": nn.Dropout2d(self.cfg["drop"]), "out": nn.Conv2d(12, 1, 1)}

    def make_optimizer(self, p):
        return torch.optim.SGD(p, lr=self.cfg["lr"], momentum=self.cfg["momentum"], weight_decay=self.cfg["weight_decay"], nesterov=True)

    def losses(self, batch):
        n, ls, out = self.nets, [], {"ce": 0.0, "dice": 0.0, "acc": 0.0}
        k = self.cfg["accumulate"]
        for x, y in zip(batch[0].chunk(k), batch[1].chunk(k)):
            if self.change.get("channels_last"):
                x = x.contiguous(memory_format=torch.channels_last)
            a = F.leaky_relu(n["down"](x))
            b = F.leaky_relu(n["norm"](n["deep"](F.max_pool2d(a, 2))))
            z = n["out"](torch.cat([a, n["drop"](n["up"](b))], 1))[:, 0]
            z = z.float() if self.type == torch.float32 else z
            p = z.sigmoid()
            ce = F.binary_cross_entropy_with_logits(z, 1 - y if self.now("flip_labels", self.at) else y)
            dice = 1 - (2 * (p * y).sum((1, 2)) + 1) / ((p + y).sum((1, 2)) + 1)
            dice = 0 * dice.mean() if self.now("drop_term", self.at) else self.cfg["dice_weight"] * dice.mean()
            ls.append((ce + dice) / (1 if self.now("no_mean", self.at) else k))
            for key, v in (("ce", ce), ("dice", dice), ("acc", ((z > 0) == (y > 0)).double().mean())):
                out[key] += v.item() / k
        return ls, {"loss": out["ce"] + out["dice"], **out}


class Adapter(Loop):
    """Logs as the trainer of Hugging Face does: four decimals of the loss."""

    BASE = dict(learning_rate=5e-3, lora_rank=4, lora_alpha=8, lora_dropout=0.1, per_device_train_batch_size=16, warmup_steps=6,
                weight_decay=0.0, adam_beta2=0.999, max_grad_norm=0.4, lr_scheduler_type="linear", label_smoothing_factor=0.0)
    LOG, LR, SIZE = {"lr": "learning_rate"}, "learning_rate", "per_device_train_batch_size"

    def make_samples(self, g):
        x = torch.randn(self.N, 14, generator=g)
        return x, (x @ torch.randn(14, 5, generator=g) + 0.5 * torch.randn(self.N, 5, generator=g)).argmax(1)

    def make_nets(self):
        r = self.cfg["lora_rank"]
        base = mlp(14, 32, 5, act=nn.GELU).requires_grad_(False)
        b = nn.Linear(r, 32, bias=False)
        nn.init.zeros_(b.weight)
        return {"base": base, "a": nn.Linear(14, r, bias=False), "b": b, "head": nn.Linear(32, 5)}

    def make_optimizer(self, p):
        c = self.cfg
        return torch.optim.AdamW(p, lr=c["learning_rate"], betas=(0.9, c["adam_beta2"]), weight_decay=c["weight_decay"])

    def losses(self, batch):
        x, y = batch
        n, c = self.nets, self.cfg
        low = F.dropout(x, c["lora_dropout"], self.nets.training)
        gain = 1.0 if self.now("no_alpha", self.at) else c["lora_alpha"] / c["lora_rank"]
        h = n["base"][0](x) + gain * n["b"](self.product(low, n["a"].weight.T))
        z = n["head"](n["base"][1](h))
        z = z.float() if self.type == torch.float32 else z
        each = F.cross_entropy(z, y.roll(1) if self.now("roll", self.at) else y, reduction="none", label_smoothing=c["label_smoothing_factor"])
        return [x.sum() / len(each) for x in each.chunk(4)], {"loss": each.mean().item()}

    def report(self, out, took):
        out["loss"] = round(out["loss"], 4)
        return {**super().report(out, took), "epoch": round(self.at * self.cfg[self.SIZE] / self.N, 2)}


class Towers(Loop):
    BASE = dict(lr=8e-3, temperature=0.2, weight_decay=0.01, batch_size=18, symmetric=True, schedule="rsqrt", clip_norm=1.0)
    LOG = {"loss": "loss/contrastive", "lr": "optim/lr", "grad_norm": "optim/grad_norm", "acc": "metrics/top1", "scale": "logit_scale"}
    AFTER, with_optimizer = True, True

    def make_samples(self, g):
        z = torch.randn(self.N, 5, generator=g)
        return z @ torch.randn(5, 11, generator=g) + 0.3 * torch.randn(self.N, 11, generator=g), z @ torch.randn(5, 7, generator=g)

    def make_nets(self):
        return {"image": mlp(11, 24, 8, act=nn.Hardswish, drop=0.05), "text": mlp(7, 24, 8, act=nn.Hardswish, drop=0.05)}

    def make_optimizer(self, p):
        return torch.optim.Adamax(p, lr=self.cfg["lr"], weight_decay=self.cfg["weight_decay"])

    def losses(self, batch):
        a, b = F.normalize(self.nets["image"](batch[0]).float(), dim=1), F.normalize(self.nets["text"](batch[1]).float(), dim=1)
        z = a if self.now("no_normalize", self.at) else a / self.cfg["temperature"]
        z = self.product(z, b.T)
        y = torch.arange(len(z))
        each = F.cross_entropy(z, y, reduction="none")
        if self.cfg["symmetric"]:
            each = (each + F.cross_entropy(z.T, y, reduction="none")) / 2
        return [x.sum() / len(each) for x in each.chunk(3)], {"loss": each.mean().item(), "acc": (z.argmax(1) == y).double().mean().item()}


class Scan(Loop):
    BASE = dict(lr=0.02, d_state=12, grad_clip_value=0.2, batch_size=12, weight_decay=0.0, schedule="constant", warmup=5, z_loss=0.0)
    LOG = {"loss": "train_nll_loss", "ppl": "train_ppl", "grad_norm": "train_gnorm", "lr": "train_lr"}

    def make_samples(self, g):
        rows = [torch.randint(0, 9, (self.N,), generator=g)]
        for _ in range(10):
            rows.append((rows[-1] * 2 + 1 + (torch.rand(self.N, generator=g) < 0.15)) % 9)
        return [torch.stack(rows, 1)]

    def make_nets(self):
        d = self.cfg["d_state"]
        return {"token": nn.Embedding(9, d), "gate": nn.Linear(d, d), "out": nn.Linear(d, 9), "drop": nn.Dropout(0.1)}

    def make_optimizer(self, p):
        return torch.optim.Adafactor(p, lr=self.cfg["lr"], weight_decay=self.cfg["weight_decay"])

    def losses(self, batch):
        ids, n, h, each = batch[0], self.nets, 0.0, 0.0
        for t in range(10):
            x = n["token"](ids[:, t])
            a = torch.sigmoid(self.product(x, n["gate"].weight.T) + n["gate"].bias)
            h = a * (h.detach() if self.now("detach", self.at) and t else h) + (1 - a) * x
            z = n["out"](n["drop"](h)).to(self.type)
            each = each + F.cross_entropy(z, ids[:, t + 1], reduction="none") / 10 + self.cfg["z_loss"] * z.logsumexp(1).square()
        return [x.sum() / len(each) for x in each.chunk(3)], {"loss": each.mean().item(), "ppl": each.mean().exp().item()}

    def clip(self):
        norm = torch.cat([p.grad.reshape(-1) for p in self.trained()]).norm()
        if not self.now("no_clip", self.at):
            nn.utils.clip_grad_value_(self.trained(), self.cfg["grad_clip_value"])
        return float(norm)

    def measured(self, took):
        return {"train_wps": round(120 / took, 1)}


class Equation(Loop):
    """u'' = -u on points that each batch draws anew; L-BFGS asks for the loss several times a step."""

    BASE = dict(lr=0.3, history_size=6, max_iter=3, boundary_weight=2.0, points=20, schedule="constant")
    LOG, SIZE, AFTER, has_norm = {"loss_pde": "loss_residual"}, "points", True, False

    def make_samples(self, g):
        return [torch.rand(self.N, 1, generator=g) * 3]

    def make_nets(self):
        return {"u": mlp(1, 16, 16, 1, act=nn.Tanh)}

    def make_optimizer(self, p):
        return torch.optim.LBFGS(p, lr=self.cfg["lr"], history_size=self.cfg["history_size"], max_iter=self.cfg["max_iter"])

    def losses(self, batch):
        self.x = batch[0].clone().requires_grad_(True)
        loss, parts = self.objective()
        return [loss], {"loss": loss.item(), **parts}

    def objective(self):
        u, x = self.nets["u"](self.x), self.x
        d = torch.autograd.grad(u.sum(), x, create_graph=True)[0]
        dd = torch.autograd.grad(d.sum(), x, create_graph=True)[0]
        pde = (dd + (-u if self.now("sign", self.at) else u)).square().mean()
        ends = torch.tensor([[0.0], [1.5]], dtype=self.type)
        bc = (self.nets["u"](ends) - ends.sin()).square().sum()
        weight = 1.0 if self.now("drop_term", self.at) else self.cfg["boundary_weight"]
        return pde + weight * bc, {"loss_pde": pde.item(), "loss_bc": bc.item()}

    def update(self, out):
        self.digests["grads"] = digest(*(p.grad for p in self.trained()))
        self.opt.param_groups[0]["lr"] = out["lr"] = self.rate(self.at)

        def closure():
            self.opt.zero_grad()
            loss = self.objective()[0] * (2.5 if self.now("scale", self.at) else 1.0)
            loss.backward()
            return loss
        if self.at != self.change.get("skip_update"):
            self.opt.step(closure)


class Scaled(Loop):
    """A student under a loss scale: a step whose gradients are not finite is left out, and the scale halves."""

    BASE = dict(lr=4e-3, alpha=0.5, kd_temperature=2.0, batch_size=16, clip_norm=1.0, weight_decay=0.01, init_scale=1024.0, growth_interval=20,
                schedule="linear", beta1=0.9)
    LOG = {"loss": "lm loss", "grad_norm": "grad-norm", "lr": "learning-rate", "scale": "loss-scale", "kd": "distillation loss"}
    CODE = True

    def make_samples(self, g):
        x = torch.randn(self.N, 10, generator=g)
        return x, (x @ torch.randn(10, 4, generator=g)).argmax(1)

    def make_nets(self):
        teacher = mlp(10, 40, 4, act=nn.GELU).requires_grad_(False)
        return {"student": mlp(10, 16, 4, act=nn.GELU, drop=0.05), "teacher": teacher}

    def make_optimizer(self, p):
        return torch.optim.Adam(p, lr=self.cfg["lr"], betas=(self.cfg["beta1"], 0.99), weight_decay=self.cfg["weight_decay"])

    def losses(self, batch):
        x, y = batch
        half = lambda w: w.half().float() if self.type == torch.float32 and self.change.get("dtype") != "fp32" else w
        z = half(self.nets["student"](half(x)))
        t = self.cfg["kd_temperature"]
        kd = F.kl_div((z / t).log_softmax(1), (self.nets["teacher"](x) / t).softmax(1), reduction="none").sum(1)
        kd = kd if self.now("no_square", self.at) else kd * t * t
        ce = F.cross_entropy(z, y, reduction="none")
        each = (1 - self.cfg["alpha"]) * ce + self.cfg["alpha"] * kd
        return [x.sum() / len(each) for x in each.chunk(2)], {"loss": each.mean().item(), "kd": kd.mean().item()}

    def update(self, out):
        out["scale"] = self.scale
        fine = all(p.grad.isfinite().all() for p in self.trained())
        self.digests["grads"] = digest(*(p.grad for p in self.trained()))
        out["grad_norm"] = self.clip()
        out["lr"] = self.opt.param_groups[0]["lr"] = self.rate(self.at)
        if fine and self.at != self.change.get("skip_update"):
            self.opt.step()
        self.good = self.good + 1 if fine else 0
        self.scale = self.scale / 2 if not fine else self.scale * 2 if self.good % self.cfg["growth_interval"] == 0 else self.scale

    def measured(self, took):
        return {"elapsed time per iteration (ms)": round(took * 1000, 2)}


class Shards(Loop):
    """Ranks that share a batch and reduce their gradients, one after another in one process; each logs the loss of its own share."""

    BASE = dict(lr=0.01, batch_size=24, momentum=0.9, grad_clip=1.0, schedule="linear", dropout=0.1, weight_decay=1e-3)
    LOG = {"acc": "accuracy"}
    CODE = True

    def make_samples(self, g):
        x = torch.randn(self.N, 9, generator=g)
        return x, (x @ torch.randn(9, 3, generator=g) + 0.4 * torch.randn(self.N, 3, generator=g)).argmax(1)

    def make_nets(self):
        return {"net": mlp(9, 24, 24, 3, act=nn.CELU, drop=self.cfg["dropout"])}

    def make_optimizer(self, p):
        return torch.optim.RMSprop(p, lr=self.cfg["lr"] / 4, momentum=self.cfg["momentum"], weight_decay=self.cfg["weight_decay"])

    def step(self, step):
        self.at, world = step, self.change.get("world", self.spec.get("world", 3))
        self.damage(step)
        x, y = self.next(step)
        params, records, sums = digest(*self.nets.parameters()), [], []
        states = [torch.Generator().manual_seed(self.seeds["train"] * 131 + step * 17 + r).get_state() for r in range(world)]
        for rank in range(world):
            share = (rank + self.change.get("rotate", 0)) % world
            a, b = x.chunk(world)[share], y.chunk(world)[share]
            torch.set_rng_state(states[share])
            if self.change.get("bug") == "eval_mode":
                self.nets.train(step < self.change.get("bug_at", 0))
            with torch.autocast("cpu", dtype=torch.bfloat16, enabled=self.change.get("dtype") == "bf16"):
                z = self.nets["net"](a).to(self.type)
            loss = F.cross_entropy(z, b)
            digests = {"rng": digest(states[share]), "batch": digest(a, b)}
            sums.append(torch.autograd.grad(loss * (2.5 if self.now("scale", step) else 1), self.trained()))
            records.append({"step": step, "scalars": {"loss": loss.item(), "acc": (z.argmax(1) == b).double().mean().item()}, "digests": digests})
        if step == self.change.get("skip_rank"):
            sums[-1] = [torch.zeros_like(g) for g in sums[-1]]
        order = list(range(world))
        if self.change.get("sum_back"):
            order.reverse()
        if self.change.get("atomic"):
            random.SystemRandom().shuffle(order)
        for i, p in enumerate(self.trained()):
            p.grad = torch.zeros_like(p)
            for r in order:
                p.grad += sums[r][i]
            p.grad /= 1 if self.now("no_mean", step) else world
        if step == self.change.get("nan_at"):
            self.trained()[0].grad[0] = math.nan
        limit = 1e9 if self.now("no_clip", step) else self.cfg["grad_clip"]
        grads = digest(*(p.grad for p in self.trained()))
        norm = float(nn.utils.clip_grad_norm_(self.trained(), limit))
        lr = self.opt.param_groups[0]["lr"] = self.rate(step) / 4
        if step != self.change.get("skip_update"):
            self.opt.step()
        for r in records:
            r["digests"].update({"grads": grads, "params": params})
            r["scalars"] = self.report({**r["scalars"], "grad_norm": norm, "lr": lr}, 0)
        return records


KINDS = {k.kind(): k for k in (Factor, Graph, Diffusion, Replay, Segment, Adapter, Towers, Scan, Equation, Scaled, Shards)}


def facts_of(loop, rank, world):
    change, cfg = loop.change, copy.deepcopy(loop.cfg)
    cfg.update({"steps": loop.spec["steps"], "precision": change.get("dtype", {"factor": "float64", "scaled": "fp16"}.get(loop.kind(), "float32"))})
    for key in ("channels_last", "attn"):
        if key in change.get("say", ()):
            cfg[key] = change[key]
    cfg.update(change.get("note", {}))
    plain = type(loop)({**change, "config": {}}, loop.spec)
    for key in change.get("unsaid", ()):
        if key == "precision":
            cfg[key] = "float32"
        else:
            cfg[key] = plain.cfg[key]
    versions = {"torch": torch.__version__, **change.get("library", {})}
    facts = {
        "format": 1,
        "seeds": {k: loop.seeds[k] for k in loop.SEEDS if k not in change.get("unsaid_seeds", ())},
        "determinism": {"torch_threads": 1, "use_deterministic_algorithms": False},
        "libraries": versions,
        "hardware": {"cpu_capability": "AVX512"},
        "parallelism": {"world_size": world},
        "columns": {"digests.params": {"when": "after" if loop.AFTER else "before"}},
    }
    if "hash" not in change.get("unsaid_facts", ()):
        facts["data"] = {"name": "made-" + loop.kind(), "sha256": digest(*loop.samples) * 4}
    if loop.with_optimizer:
        facts["columns"]["digests.optimizer"] = {"when": "before"}
    if loop.CODE:
        facts["code"] = {"commit": ("d" if change.get("commit") else "c") * 40, "dirty": False}
    run = {"name": loop.kind(), "config": cfg, "rank": rank, "world_size": world,
           "environment": {"python": "3.11.2", "torch": versions["torch"], "cuda_available": False, "machine": "x86_64", "cpu_count": 2}}
    return {"run": run, "facts": facts}


def run(kind, change, spec):
    """The ranks of one run."""
    torch.set_num_threads(1)
    loop, step, saved, restarted, records = KINDS[kind](change, spec), 0, None, False, []
    with tempfile.TemporaryDirectory() as scratch:
        while step < spec["steps"]:
            if "resume" in change and step == spec["checkpoint"] and not restarted:
                saved = loop.saved()
            if saved and step == spec["checkpoint"] + 4 and not restarted:
                restarted, step = True, spec["checkpoint"]
                loop.restore(saved, os.path.join(scratch, "checkpoint"))
            records.append(loop.step(step))
            step += 1
    ranks = []
    for rank, steps in enumerate(zip(*records)):
        for r in steps:
            r["step"] += change.get("first_step", 0)
        ranks.append({**facts_of(loop, rank, len(records[0])), "steps": list(steps)})
    return json.loads(json.dumps(ranks))


m.run = run

if __name__ == "__main__":
    m.main(MORE_FORMS)
