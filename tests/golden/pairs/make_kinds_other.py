#!/usr/bin/env python3
"""Makes pairs of the same nine kinds as make_kinds.py, from models, optimizers, data, logs and settings that the sets made by it do not
have, so that what was mended by those is asked anew: make_kinds_other.py SPEC OUT.

Some runs log what a machine measures (eta, it/s, data_wait), which differs each time. Names of series and of settings are those that
trainers in use give them.
"""
import math
import time

import torch
import torch.distributed as dist
import torch.nn.functional as F
from torch import nn

import make_kinds as m
from make_kinds import digest

m.AFTER = ("transformer", "moe", "embedding", "policy")
m.WITH_CODE = ("cnn", "policy", "gan", "embedding", "ddp")
m.BASE = {
    "transformer": dict(optim={"lr": 2e-3, "betas": [0.9, 0.98], "eps": 1e-8, "weight_decay": 0.05}, max_grad_norm=0.5, batch_size=8,
                        accumulation=1, attn_dropout=0.0, z_weight=1e-4, schedule="cosine"),
    "cnn": dict(lr=2e-3, wd=0.02, beta2=0.99, batch_size=12, mixup=0.0, drop_rate=0.1, schedule="constant"),
    "gru": dict(lr=2e-3, alpha=0.95, clip_value=0.5, batch_size=10, huber_delta=0.5, schedule="constant"),
    "vae": dict(learning_rate=3e-3, momentum=0.8, batch_size=16, beta=0.3, free_bits=0.05, schedule="cosine"),
    "policy": dict(lr=3e-3, gamma=0.9, gae_lambda=0.9, entropy_coef=0.01, value_coef=0.5, episodes=6, clip=1.0, schedule="constant"),
    "moe": dict(lr=3e-3, top_k=2, router_noise=0.1, aux_weight=0.02, router_z=1e-3, batch_size=16, schedule="constant"),
    "gan": dict(g_lr=5e-4, d_lr=1e-3, d_steps=2, batch_size=16, noise_dim=4, schedule="constant"),
    "embedding": dict(lr=5e-3, table_lr=2e-2, batch_size=24, margin=0.2, buckets=64, schedule="constant"),
    "ddp": dict(lr=0.05, momentum=0.9, weight_decay=1e-4, batch_size=12, nesterov=True, schedule="cosine"),
}
NAMES = {
    "transformer": {"loss": "train/loss", "grad_norm": "train/grad_norm", "lr": "train/lr"},
    "gru": {"lr": "learning_rate"},
    "vae": {"loss": "train_loss", "grad_norm": "gradient_norm"},
    "policy": {"loss": "loss/total", "loss_value": "loss/value", "grad_norm": "grad_norm/policy"},
    "gan": {"loss_d": "d_loss", "loss_g": "g_loss", "lr_g": "g_lr", "lr_d": "d_lr"},
}


class Block(nn.Module):
    def __init__(self, cfg, change):
        super().__init__()
        self.qkv, self.out, self.up, self.down = nn.Linear(32, 96), nn.Linear(32, 32), nn.Linear(32, 64), nn.Linear(64, 32)
        self.p, self.change = cfg["attn_dropout"], change

    def forward(self, x):
        n, t, w = x.shape
        q, k, v = (y.view(n, t, 4, 8).transpose(1, 2) for y in self.qkv(F.layer_norm(x, (w,))).split(w, 2))
        p = self.p if self.training else 0.0
        x = x + self.out(F.scaled_dot_product_attention(q, k, v, dropout_p=p, is_causal=True).transpose(1, 2).reshape(n, t, w))
        h = self.up(F.layer_norm(x, (w,)))
        h = F.gelu(h, approximate="tanh") if self.change.get("gelu") else F.gelu(h)
        return x + self.down(h)


class Text(nn.Module):
    def __init__(self, cfg, change):
        super().__init__()
        self.token, self.place, self.block = nn.Embedding(12, 32), nn.Embedding(16, 32), Block(cfg, change)

    def forward(self, x):
        return F.linear(self.block(self.token(x) + self.place.weight), self.token.weight)


class Residual(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.a, self.b, self.c = nn.Conv2d(3, 12, 3, padding=1), nn.Conv2d(12, 12, 3, padding=1), nn.Conv2d(12, 12, 3, padding=1)
        self.norm, self.drop, self.head = nn.GroupNorm(3, 12), nn.Dropout(cfg["drop_rate"]), nn.Linear(12, 6)

    def forward(self, x):
        x = F.silu(self.a(x))
        x = x + F.silu(self.norm(self.c(F.silu(self.b(x)))))
        return self.head(self.drop(x.mean((2, 3))))


class Sequence(nn.Module):
    def __init__(self):
        super().__init__()
        self.rnn, self.head = nn.LSTM(2, 12, bidirectional=True, batch_first=True), nn.Linear(24, 1)

    def forward(self, x):
        return self.head(self.rnn(x)[0].mean(1))[:, 0]


class Router(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        self.cfg, self.gate = cfg, nn.Linear(16, 6)
        self.experts = nn.ModuleList(nn.Sequential(nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 8)) for _ in range(6))

    def forward(self, x):
        logits = self.gate(x)
        noisy = logits + self.cfg["router_noise"] * torch.randn(logits.shape).to(logits.dtype)
        w, at = noisy.topk(self.cfg["top_k"], -1)
        mask = torch.zeros_like(logits).scatter(1, at, w.softmax(-1))
        aux = 6 * (logits.softmax(-1).mean(0) * (mask > 0).to(x.dtype).mean(0)).sum()
        z = logits.logsumexp(-1).square().mean()
        return sum(mask[:, i : i + 1] * e(x) for i, e in enumerate(self.experts)), aux, z


def networks(kind, cfg, change, wide):
    """wide: of a spec that says so, with other activations."""
    def mlp(*n):
        n = (n[0], *(a + a // 2 if wide else a for a in n[1:-1]), n[-1])
        return nn.Sequential(*sum(([nn.Linear(a, b), nn.ELU() if wide else nn.Tanh()] for a, b in zip(n, n[1:])), [])[:-1])

    if kind == "transformer":
        return {"": Text(cfg, change)}
    if kind == "cnn":
        net = Residual(cfg)
        return {"": net.to(memory_format=torch.channels_last) if change.get("channels_last") else net}
    if kind == "gru":
        return {"": Sequence()}
    if kind == "vae":
        return {"": nn.ModuleDict({"encoder": mlp(20, 32, 12), "decoder": mlp(6, 32, 20)})}
    if kind == "policy":
        return {"": nn.ModuleDict({"actor": mlp(3, 16, 2), "critic": mlp(3, 16, 1)})}
    if kind == "moe":
        return {"": Router(cfg)}
    if kind == "gan":
        return {"discriminator": mlp(2, 24, 1), "generator": mlp(cfg["noise_dim"], 24, 2)}
    if kind == "embedding":
        return {"": nn.ModuleDict({"table": nn.Embedding(64, 8, sparse=True), "head": mlp(8, 8, 1)})}
    return {"": mlp(12, 32, 32, 5)}


class Sums:
    """Gradients that are added in an order of chance, as atomics do: the stand-in for kernels that do not repeat."""

    def __init__(self):
        self.g = torch.Generator()
        self.g.seed()

    def __call__(self, parts):
        order = torch.randperm(len(parts), generator=self.g)
        total = parts[order[0]].clone()
        for i in order[1:]:
            total += parts[i]
        return total


def ten_bits(x):
    """The values of TF32: the mantissa rounded to ten bits."""
    bits = x.detach().contiguous().view(torch.int32)
    return x + (((bits + 0x1000) & ~0x1FFF).view(torch.float32) - x.detach())


class Other(m.Training):
    def start(self):
        c = self.cfg
        torch.manual_seed(self.seeds["init"])
        wide = self.spec.get("wide", False)
        self.nets = networks(self.kind, c, self.change, wide)
        for net in self.nets.values():
            net.to(self.float)
            if self.change.get("tf32"):
                for layer in net.modules():
                    if isinstance(layer, nn.Linear):
                        layer.register_forward_pre_hook(lambda _, x: (ten_bits(x[0]),))
        net = self.nets.get("")
        if self.change.get("bug") == "init_bias":
            for p in self.parameters():
                if p.dim() == 1:
                    p.data.add_(0.05)
        if wide and self.kind in ("cnn", "vae", "moe", "ddp", "gru"):
            rate, p = c.get("lr", c.get("learning_rate")), net.parameters()
            opt = {"": torch.optim.SGD(p, lr=20 * rate, momentum=0.9) if self.kind == "cnn" else
                   torch.optim.RMSprop(p, lr=rate) if self.kind == "moe" else
                   torch.optim.AdamW(p, lr=rate, weight_decay=c.get("weight_decay", 0.01), betas=(0.9, c.get("beta2", 0.999)))}
        elif self.kind == "transformer":
            o = c["optim"]
            groups = [{"params": [p for p in net.parameters() if p.dim() > 1], "weight_decay": o["weight_decay"]},
                      {"params": [p for p in net.parameters() if p.dim() < 2],
                       "weight_decay": o["weight_decay"] if self.change.get("bug") == "decay_all" else 0.0}]
            opt = {"": torch.optim.AdamW(groups, lr=o["lr"], betas=o["betas"], eps=o["eps"])}
        elif self.kind == "cnn":
            opt = {"": torch.optim.AdamW(net.parameters(), lr=c["lr"], weight_decay=c["wd"], betas=(0.9, c["beta2"]))}
        elif self.kind == "gru":
            opt = {"": torch.optim.RMSprop(net.parameters(), lr=c["lr"], alpha=c["alpha"])}
        elif self.kind == "vae":
            opt = {"": torch.optim.SGD(net.parameters(), lr=c["learning_rate"], momentum=c["momentum"])}
        elif self.kind == "gan":
            opt = {n: torch.optim.RMSprop(net.parameters(), lr=c[n[0] + "_lr"]) for n, net in self.nets.items()}
        elif self.kind == "embedding":
            opt = {"": torch.optim.Adam(net["head"].parameters(), lr=c["lr"]),
                   "table": torch.optim.SparseAdam(list(net["table"].parameters()), lr=c["table_lr"])}
        elif self.kind == "ddp":
            opt = {"": torch.optim.SGD(net.parameters(), lr=c["lr"], momentum=c["momentum"], weight_decay=c["weight_decay"],
                                       nesterov=c["nesterov"])}
        else:
            opt = {"": torch.optim.Adam(net.parameters(), lr=c["lr"], betas=(0.9, c.get("beta2", 0.999)))}
        self.optimizers = opt
        torch.manual_seed(self.seeds["train"])
        self.aug = torch.Generator().manual_seed(self.seeds["aug"])
        self.sums = Sums()

    def base_rate(self, name):
        c = self.cfg
        return {"transformer": lambda: c["optim"]["lr"], "vae": lambda: c["learning_rate"], "gan": lambda: c.get(name[:1] + "_lr", 0)}.get(
            self.kind, lambda: c["table_lr"] if name == "table" else c["lr"])()

    def now(self, bug, step):
        return self.change.get("bug") == bug and step >= self.change.get("bug_at", 0)

    def update(self, names, loss, scalars, step, digests):
        """One update of the optimizers called so, from one loss."""
        p = [q for name in names for g in self.optimizers[name].param_groups for q in g["params"]]
        if not self.now("no_zero_grad", step):
            for q in p:
                q.grad = None
        loss = loss * (3.0 if self.now("scale", step) else 1.0)
        if isinstance(loss, torch.Tensor) and loss.dim():  # a loss of each sample
            if self.change.get("atomic"):
                parts = [torch.autograd.grad(part.sum() / len(loss), p, retain_graph=True) for part in loss.chunk(4)]
                for i, q in enumerate(p):
                    q.grad = self.sums([x[i] for x in parts])
            else:
                n = self.cfg.get("accumulation", 1)
                for part in loss.chunk(n):
                    (part.sum() / len(loss)).backward(retain_graph=True)
        else:
            loss.backward()
        if step == self.change.get("nan_at"):
            p[0].grad.view(-1)[1] = math.inf
        if self.world > 1:
            for q in p:
                dist.all_reduce(q.grad)
                q.grad /= 1 if self.now("no_mean", step) else self.world
        digests.append(digest(*(q.grad for q in p)))
        dense = [q for q in p if not q.grad.is_sparse]
        limit = self.cfg.get("max_grad_norm", self.cfg.get("clip")) or 1e9
        norm = None
        if self.kind == "gru":
            norm = torch.cat([q.grad.reshape(-1) for q in dense]).norm()
            if not self.now("no_clip", step):
                nn.utils.clip_grad_value_(dense, self.cfg["clip_value"])
        elif self.kind not in ("gan", "embedding"):
            norm = nn.utils.clip_grad_norm_(dense, limit)
        if norm is not None:
            scalars["grad_norm"] = float(norm)
        for name in names:
            lr = self.rate(step, self.base_rate(name))
            for g in self.optimizers[name].param_groups:
                g["lr"] = lr
            if not self.now("skip_update", step) or step != self.change["bug_at"]:
                self.optimizers[name].step()
            scalars["lr" + (f"_{name[0]}" if name else "")] = lr

    def episode_batch(self):
        """Episodes on a line: move to 0; the policy's actions are normal."""
        c, env = self.cfg, torch.Generator().manual_seed(self.seeds["data"] * 1000 + self.at)
        net, rows = self.nets[""], []
        for _ in range(c["episodes"]):
            x, v, path = torch.randn(1, generator=env).item(), 0.0, []
            for t in range(8):
                state = torch.tensor([x, v, t / 8]).to(self.float)
                with torch.no_grad():
                    mean, log = net["actor"](state)
                    a = (mean + log.clamp(-2, 1).exp() * torch.randn(()).to(mean.dtype)).item()
                    value = net["critic"](state).item()
                v = max(-1.0, min(1.0, v + 0.3 * a))
                x += 0.3 * v
                path.append((state, a, value, -x * x))
            advantage, nexts = 0.0, 0.0
            for state, a, value, reward in reversed(path):
                advantage = reward + c["gamma"] * nexts - value + c["gamma"] * c["gae_lambda"] * advantage
                nexts = value
                rows.append((state, a, advantage, advantage + value, reward))
        state, a, advantage, target, reward = zip(*rows)
        as_tensor = lambda x: torch.tensor(x, dtype=self.float)
        return torch.stack(state), as_tensor(a), as_tensor(advantage), as_tensor(target), sum(reward) / c["episodes"]

    def objectives(self, step, scalars, digests):
        """Yields (names of optimizers, loss) in the order of their updates."""
        kind, c, bug, net = self.kind, self.cfg, self.change.get("bug"), self.nets.get("")
        if kind == "policy":
            states, actions, advantage, target, reward = self.episode_batch()
            digests["batch"] = digest(states, actions, target)
            mean, log = net["actor"](states).unbind(-1)
            log = log.clamp(-2, 1)
            if bug == "normalize":
                advantage = (advantage - advantage.mean()) / (advantage.std() + 1e-6)
            logp = -0.5 * ((actions - mean) / log.exp()) ** 2 - log
            value = F.mse_loss(net["critic"](states)[:, 0], target)
            entropy = log.mean()
            loss = -(logp * advantage).mean() + c["value_coef"] * value - c["entropy_coef"] * entropy
            scalars.update({"loss": loss.item(), "loss_value": value.item(), "entropy": entropy.item(), "return": reward})
            yield [""], loss
            return
        x, y = self.data.next(step, self.change)
        if self.world > 1:
            share = (self.rank + self.change.get("rotate", 0)) % self.world
            x, y = x.chunk(self.world)[share], y.chunk(self.world)[share]
        digests["batch"] = digest(x, y)
        x = x.to(self.float) if x.is_floating_point() else x
        y = y.to(self.float) if y.is_floating_point() else y
        if bug == "roll" and step >= self.change.get("bug_at", 0):
            y = y.roll(1, 0)
        if kind == "gan":
            d, g = self.nets["discriminator"], self.nets["generator"]
            for _ in range(c["d_steps"]):
                z = torch.randn(len(x), c["noise_dim"]).to(self.float)
                loss = F.relu(1 - d(x)).mean() + F.relu(1 + d(g(z).detach())).mean()
                scalars["loss_d"] = loss.item()
                yield ["discriminator"], loss
            z = torch.randn(len(x), c["noise_dim"]).to(self.float)
            loss = -d(g(z)).mean() if bug != "non_saturating" else F.softplus(-d(g(z))).mean()
            scalars["loss_g"] = loss.item()
            yield ["generator"], loss
            return
        if kind == "transformer":
            out = net(x)
            each = F.cross_entropy(out.transpose(1, 2), y, reduction="none").mean(1)
            each = each + (0.0 if bug == "drop_term" else c["z_weight"]) * out.logsumexp(-1).square().mean(1)
            scalars["train/acc"] = (out.argmax(-1) == y).double().mean().item()
        elif kind == "cnn":
            x = torch.where(torch.rand(len(x), 1, 1, 1, generator=self.aug) < 0.5, x.flip(3), x)
            x = (1 - c["mixup"]) * x + c["mixup"] * x.roll(1, 0)
            if self.change.get("channels_last"):
                x = x.contiguous(memory_format=torch.channels_last)
            out = net(x)
            each = F.cross_entropy(out, y, reduction="none", label_smoothing=0.1 if bug == "smoothing" else 0.0)
            scalars["accuracy"] = (out.argmax(-1) == y).double().mean().item()
        elif kind == "gru":
            out = net(x)
            each = F.huber_loss(out, y, reduction="none", delta=c["huber_delta"])
            scalars["mae"] = (out - y).abs().mean().item()
        elif kind == "vae":
            mean, log = net["encoder"](x).chunk(2, -1)
            z = mean + torch.randn(mean.shape).to(mean.dtype) * (0.5 * log).exp()
            recon = (net["decoder"](z) - x).square().mean(1)
            kl = (-0.5 * (1 + log - mean**2 - log.exp())).clamp(min=c["free_bits"]).mean(1)
            each = recon + (1.0 if bug == "unweighted" else c["beta"]) * kl
            scalars.update({"recon_loss": recon.mean().item(), "kl": kl.mean().item()})
        elif kind == "moe":
            out, aux, z = net(x)
            each = F.cross_entropy(out, y, reduction="none") + c["aux_weight"] * aux
            each = each + (0.0 if bug == "drop_term" else c["router_z"]) * z
            scalars.update({"aux_loss": aux.item(), "accuracy": (out.argmax(-1) == y).double().mean().item()})
        elif kind == "embedding":
            out = net["head"](net["table"](x).sum(1))[:, 0]
            each = F.relu(c["margin"] + 1 - (2 * y - 1) * out)
            if self.change.get("atomic"):
                each = each + 0 * sum(p.sum() for p in net["head"].parameters())
        else:
            out = net(x)
            each = F.cross_entropy(out, y, reduction="none")
            scalars["accuracy"] = (out.argmax(-1) == y).double().mean().item()
        scalars["loss"] = (each.sum() if bug == "sum" else each.mean()).item()
        yield list(self.optimizers), each if kind != "embedding" else each.mean()

    def step(self, step):
        self.at, begin = step, time.perf_counter()
        self.damage(step)
        digests, scalars, grads = {"rng": digest(torch.get_rng_state())}, {}, []
        before = digest(*self.parameters())
        with torch.autocast("cpu", dtype=torch.bfloat16, enabled=self.change.get("dtype") == "bf16"):
            for names, loss in self.objectives(step, scalars, digests):
                self.update(names, loss, scalars, step, grads)
        if self.change.get("reacts") and not math.isfinite(scalars.get("grad_norm", 0.0)):
            self.bad += 1
            for p, q in zip(self.parameters(), self.last):
                p.data.copy_(q)
            for o in self.optimizers.values():
                o.state.clear()
        self.last = [p.detach().clone() for p in self.parameters()]
        digests["grads"] = grads[0] if len(grads) == 1 else digest(*(torch.tensor(list(bytes.fromhex(g)), dtype=torch.uint8) for g in grads))
        digests["params"] = digest(*self.parameters()) if self.kind in m.AFTER else before
        out = self.report(scalars, step)
        took = time.perf_counter() - begin
        if self.kind in ("transformer", "gan", "gru"):
            out.update({"eta": round(took * (self.spec["steps"] - step), 3), "it/s": round(1 / took, 1), "data_wait": round(took / 9, 6)})
        if self.kind in ("moe", "ddp"):
            out.update({"samples_per_second": round(16 / took, 1), "elapsed_s": round(begin % 1000, 2)})
        return {"step": step, "scalars": out, "digests": digests}

    def report(self, scalars, step):
        how = self.change.get("report")
        losses = [n for n in scalars if n.startswith("loss")]
        if how == "bits":  # bits per symbol in place of nats
            scalars.update({n: scalars[n] / math.log(2) for n in losses})
        elif how == "sum":
            scalars.update({n: scalars[n] * self.cfg.get("batch_size", 48) for n in losses})
        elif how == "digits6":
            scalars.update({n: float("%.6g" % scalars[n]) for n in losses})
        elif how == "digits7":
            scalars.update({n: float("%.7g" % v) for n, v in scalars.items()})
        elif how == "smooth":
            for n in losses:
                self.mean = getattr(self, "mean", scalars[n]) * 0.9 + scalars[n] * 0.1
                scalars[n] = self.mean
        names = NAMES.get(self.kind, {})
        if self.change.get("log") == "plain":
            names = {}
        return {names.get(k, k): v for k, v in scalars.items()}


m.Training = Other

if __name__ == "__main__":
    m.main()
