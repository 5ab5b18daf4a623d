#!/usr/bin/env python3
"""silent.py: trains small models of torch with the recorder beside them, clean ones and ones with a planted fault, and counts what
`tscope analyze` says of each from one run alone.

    python3 silent.py BUILD [NULLS [PLANTED]]

It needs torch and the package; without them it says so, and counts nothing.
"""
import collections
import contextlib
import copy
import json
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile

try:
    import torch
    import tscope
    from torch import nn
except ImportError as error:
    print(f"silent: skipped: {error}")
    sys.exit(0)

CODES = ("BATCHES_REPEAT", "EQUAL_BATCHES", "NOT_TRAINED", "PART_NOT_TRAINED", "GRADIENTS_KEPT", "GRADIENTS_STALE", "LOSS_CONSTANT",
         "INPUT_CONSTANT", "EVALUATION_CHANGES")
LEVELS = ("low", "medium", "high")
# What is planted, what has to be said of it, and at which severity at least.
FAULTS = {
    "one batch again and again": ("BATCHES_REPEAT", "medium"),
    "the input of one batch": ("INPUT_CONSTANT", "medium"),
    "the input of one sample": ("INPUT_CONSTANT", "medium"),
    "a copy is optimized": ("NOT_TRAINED", "high"),
    "a part is not held": ("PART_NOT_TRAINED", "medium"),
    "a backbone put in too late": ("PART_NOT_TRAINED", "medium"),
    "a part is frozen": ("PART_NOT_TRAINED", "low"),
    "a part is detached": ("PART_NOT_TRAINED", "low"),
    "a part at a rate of 0": ("PART_NOT_TRAINED", "low"),
    "gradients of zeros": ("PART_NOT_TRAINED", "medium"),
    "gradients of the first step": ("GRADIENTS_STALE", "high"),
    "gradients never cleared": ("GRADIENTS_KEPT", "high"),
    "a loss of no data": ("LOSS_CONSTANT", "high"),
    "evaluation in training mode": ("EVALUATION_CHANGES", "medium"),
    "evaluation that writes a weight": ("EVALUATION_CHANGES", "low"),
}
# What people do on purpose that looks like a fault, and what may be said of it, at which severity at most.
DESIGNS = {
    "": {},
    "alternating labels": {},
    "a mask": {},
    "a grid": {},
    "weights of classes": {},
    "codes of classes": {},
    "the head alone": {},
    "the head alone, gradients for all": {"PART_NOT_TRAINED": "low"},
    "biases alone, gradients for all": {"PART_NOT_TRAINED": "low"},
    "one batch to learn by heart": {"BATCHES_REPEAT": "medium"},
}
EVERY, STEPS = 10, 64  # seven watched steps


class Recipe:
    """A training that chance draws, as people write them."""

    def __init__(self, seed):
        draw = random.Random(seed)
        torch.manual_seed(seed)
        self.kind = draw.choice(["mlp", "cnn", "attention"])
        self.accumulation = draw.choice([1, 1, 2, 4])
        self.clear_behind, self.set_to_none = draw.random() < 0.5, draw.random() < 0.8
        self.clip, self.evaluate, self.schedule = draw.random() < 0.4, draw.random() < 0.6, draw.random() < 0.5
        self.untouched = draw.random() < 0.5  # tscope.auto records it, which sees evaluations
        self.average = draw.random() < 0.2  # an average of the weights is evaluated
        self.model, shape = {"mlp": self.mlp, "cnn": self.cnn, "attention": self.attention}[self.kind](draw)
        if draw.random() < 0.15:
            self.model.double()
        real = next(self.model.parameters()).dtype
        n = draw.choice([256, 400, 1000])
        self.x = torch.randn(n, *shape, dtype=real)
        self.y = (self.x.reshape(n, -1)[:, :4] + 0.5 * torch.randn(n, 4)).argmax(1)
        self.parts = [module for module in self.model if any(True for _ in module.parameters())]
        self.optimizer = draw.choice(["sgd", "momentum", "adam", "adamw", "rmsprop"])
        self.batch, self.shuffle = draw.choice([8, 16, 32]), draw.random() < 0.85
        self.design = draw.choice(list(DESIGNS)) if draw.random() < 0.6 else ""

    def may_be_said(self):
        """The findings that a clean training of this kind may have, by their highest severity."""
        order = {} if self.shuffle else {"BATCHES_REPEAT": "medium"}  # a fixed order is there, and is no fault
        return {**order, **DESIGNS[self.design]}

    @staticmethod
    def mlp(draw):
        width, act = draw.choice([8, 24, 48]), draw.choice([nn.ReLU, nn.Tanh, nn.GELU])
        return nn.Sequential(nn.Linear(12, width), act(), nn.Dropout(draw.choice([0.0, 0.2])), nn.Linear(width, width), act(),
                             nn.LayerNorm(width), nn.Linear(width, 4)), (12,)

    @staticmethod
    def cnn(draw):
        c, norm = draw.choice([4, 8]), draw.choice([nn.BatchNorm2d, lambda n: nn.GroupNorm(2, n)])
        return nn.Sequential(nn.Conv2d(2, c, 3, padding=1), norm(c), nn.ReLU(), nn.Conv2d(c, c, 3, padding=1), norm(c), nn.ReLU(),
                             nn.AdaptiveAvgPool2d(2), nn.Flatten(), nn.Linear(4 * c, 4)), (2, 6, 6)

    @staticmethod
    def attention(draw):
        d = draw.choice([8, 16])
        return nn.Sequential(nn.Linear(6, d), nn.TransformerEncoderLayer(d, 2, 2 * d, draw.choice([0.0, 0.1]), batch_first=True,
                                                                         norm_first=draw.random() < 0.5),
                             nn.Flatten(), nn.Linear(5 * d, 4)), (5, 6)

    def optimizers(self, held):
        make = {"sgd": lambda p: torch.optim.SGD(p, lr=0.05), "momentum": lambda p: torch.optim.SGD(p, lr=0.02, momentum=0.9),
                "adam": lambda p: torch.optim.Adam(p, lr=2e-3), "adamw": lambda p: torch.optim.AdamW(p, lr=2e-3),
                "rmsprop": lambda p: torch.optim.RMSprop(p, lr=1e-3)}[self.optimizer]
        return make(held)


def warm_and_cool(step):
    """The factor of a schedule that warms up and cools down."""
    return min(1, (step + 1) / 5) * (1 + math.cos(math.pi * step / STEPS)) / 2 + 0.01


class Pairs(torch.utils.data.Dataset):
    """Samples that are drawn as they are asked for, and are by turns of one class and of the other, as those of a siamese network."""

    def __init__(self, x, y):
        self.x, self.classes = x, [(y < 2).nonzero()[:, 0], (y >= 2).nonzero()[:, 0]]

    def __len__(self):
        return len(self.x)

    def __getitem__(self, i):
        of = self.classes[i % 2]
        return self.x[of[torch.randint(len(of), ())]], torch.tensor(float(i % 2), dtype=self.x.dtype)


def loader_of(r):
    """What gives the batches of a training: input, target and what the design adds to it."""
    if r.design == "alternating labels":
        return torch.utils.data.DataLoader(Pairs(r.x, r.y), batch_size=r.batch, drop_last=True)
    data = torch.utils.data.TensorDataset(r.x, r.y)
    extra = {
        "a mask": lambda n: torch.ones(n, r.x.shape[1], dtype=r.x.dtype),
        "a grid": lambda n: torch.linspace(0, 1, 24, dtype=r.x.dtype).expand(n, 24),
        "weights of classes": lambda n: torch.tensor([0.3, 0.9, 0.5, 1.7], dtype=r.x.dtype),
        "codes of classes": lambda n: torch.eye(4, dtype=r.x.dtype).repeat(n // 4, 1),
    }.get(r.design)

    def collate(samples):
        x, y = torch.utils.data.default_collate(samples)
        return (x, y) if extra is None else (x, y, extra(len(x)))

    return torch.utils.data.DataLoader(data, batch_size=r.batch, shuffle=r.shuffle, drop_last=True, collate_fn=collate)


def loss_of(r, out, y):
    """The loss of a batch before it is divided."""
    if r.design == "alternating labels":
        return nn.functional.binary_cross_entropy_with_logits(out[:, 0], y)
    return nn.functional.cross_entropy(out, y)


def evaluate(r, fault):
    """What people do between two epochs."""
    model, weights = r.model, None
    if r.average:
        weights = {name: value.clone() for name, value in model.state_dict().items()}
        model.load_state_dict({name: value * 0.99 if value.is_floating_point() else value for name, value in weights.items()})
    model.train(fault == "evaluation in training mode")
    with torch.no_grad():
        nn.functional.cross_entropy(model(r.x[:64]), r.y[:64])
        if fault == "evaluation that writes a weight":
            next(model.parameters()).mul_(0.999)
    if weights is not None:
        model.load_state_dict(weights)
    model.train()


def train(folder, seed, fault=""):
    """One run. The faults are those of FAULTS."""
    r = Recipe(seed)
    model, part = r.model, list(r.parts[-2].parameters())
    held = list(model.parameters())
    others = [p for p in held if all(p is not q for q in part)]
    if fault:
        r.design = ""
    if r.design.startswith("the head alone"):
        for module in r.parts[:-1]:
            module.requires_grad_("gradients" in r.design)
        held = list(r.parts[-1].parameters())
    elif r.design.startswith("biases alone"):
        held = [p for name, p in model.named_parameters() if name.endswith("bias")]
    if fault == "a copy is optimized":
        held = [nn.Parameter(p.detach().clone()) for p in held]
    elif fault == "a part is not held":
        held = others
    elif fault == "a part is frozen":
        r.parts[-2].requires_grad_(False)
    elif fault == "a part at a rate of 0":
        held = [{"params": others}, {"params": part, "lr": 0.0}]
    elif fault == "gradients of zeros":
        for p in part:
            p.register_hook(lambda grad: grad * -0.0)
    optimizer = r.optimizers(held)
    rate = torch.optim.lr_scheduler.LambdaLR(optimizer, warm_and_cool) if r.schedule else None
    if fault == "a part is detached":
        r.parts[-2].register_forward_hook(lambda module, given, out: out.detach())
    if fault == "the input of one sample":
        r.x = r.x[:1].expand_as(r.x).contiguous()
    loader = loader_of(r)
    if fault:
        r.untouched, r.average = fault.startswith("evaluation"), False
        r.evaluate |= r.untouched
    if fault == "evaluation in training mode" and not any(isinstance(module, nn.BatchNorm2d) for module in model):
        model.append(nn.BatchNorm1d(4, dtype=r.x.dtype))
        optimizer = r.optimizers(model.parameters())
    if fault == "a backbone put in too late":
        model[0] = copy.deepcopy(model[0])
    if r.untouched:
        run = tscope.auto(model, optimizer, folder, digests_every=EVERY, memory_every=0)
    else:
        run = tscope.start(folder, memory_every=0)
        run.watch(model, optimizer, every=EVERY)

    def epochs():
        first = next(iter(loader))
        while True:
            if fault == "one batch again and again" or r.design == "one batch to learn by heart":
                yield first
            elif fault == "the input of one batch":
                yield from ((first[0], batch[1]) for batch in loader)
            else:
                yield from loader

    fed, kept = iter(epochs() if r.untouched else run.data(epochs())), None
    for step in range(STEPS):
        with contextlib.nullcontext() if r.untouched else run.step():
            if not r.clear_behind and fault != "gradients never cleared":
                optimizer.zero_grad(set_to_none=r.set_to_none)
            for _ in range(r.accumulation):
                x, y, *_ = next(fed)
                out = model(x)
                loss = loss_of(r, out, y) / r.accumulation
                if fault == "a loss of no data":
                    loss = out.sum() * 0 + 1.5
                loss.backward()
            if fault == "gradients of the first step":
                kept = kept or [None if p.grad is None else p.grad.clone() for p in model.parameters()]
                for p, grad in zip(model.parameters(), kept):
                    p.grad = None if grad is None else grad.clone()
            elif r.clip:
                nn.utils.clip_grad_norm_([p for p in model.parameters() if p.grad is not None], 1.0)
            optimizer.step()
            if rate is not None:
                rate.step()
            if r.clear_behind and fault != "gradients never cleared":
                optimizer.zero_grad(set_to_none=r.set_to_none)
            run.log(loss=loss)
        if r.evaluate and step % 16 == 15:
            evaluate(r, fault)
    run.finish()
    return r


def said(program, folder):
    """The findings of the kinds above that `tscope analyze` has of a run, with their severities."""
    text = subprocess.run([program, "analyze", folder, "--json"], capture_output=True, text=True).stdout
    found = ((finding["code"].rpartition(".")[2], finding["severity"]) for finding in json.loads(text)["findings"])
    return {code: severity for code, severity in found if code in CODES}


def bound(n, hits):
    """The upper 95 % bound of a rate, by Clopper and Pearson, on one side."""
    low, high = hits / n, 1.0
    for _ in range(60):
        p = (low + high) / 2
        below = sum(math.comb(n, k) * p**k * (1 - p) ** (n - k) for k in range(hits + 1))
        low, high = (p, high) if below > 0.05 else (low, p)
    return high


def main():
    program = os.path.join(os.path.abspath(sys.argv[1]), "tscope")
    nulls, planted = (int(sys.argv[i]) if len(sys.argv) > i else default for i, default in ((2, 300), (3, 20)))
    torch.set_num_threads(1)
    folder = tempfile.mkdtemp(prefix="tscope-silent-")
    wrong = 0
    try:
        alarms, designs, designs_said = collections.Counter(), collections.Counter(), collections.Counter()
        for seed in range(nulls):
            at = os.path.join(folder, f"null{seed}")
            r = train(at, seed)
            expected = r.may_be_said()
            found = {
                code: severity
                for code, severity in said(program, at).items()
                if code not in expected or LEVELS.index(severity) > LEVELS.index(expected[code])
            }
            alarms.update(list(found))
            designs[r.design] += 1
            designs_said[r.design] += bool(found)
            if found:
                print(f"  clean training {seed} ({r.kind}, {r.optimizer}, {r.design or 'plain'}): {found}")
            shutil.rmtree(at)
        for code in CODES:
            n = alarms[code]
            wrong += n > 0.01 * nulls
            print(f"silent, clean training of torch: {code:<20} n {nulls:4}  {n:3} alarms  below {100 * bound(nulls, n):.1f} %")
        for design in DESIGNS:
            print(f"silent, clean by design: {design or 'plain':<34} n {designs[design]:4}  {designs_said[design]:3} with alarms")
        for fault, (code, least) in FAULTS.items():
            hits = 0
            for seed in range(10_000, 10_000 + planted):
                at = os.path.join(folder, f"fault{seed}")
                train(at, seed, fault)
                severity = said(program, at).get(code)
                hits += severity is not None and LEVELS.index(severity) >= LEVELS.index(least)
                shutil.rmtree(at)
            wrong += hits < 0.9 * planted
            print(f"silent, planted: {fault:<32} n {planted:4}  {hits:3} found as {code}, {least} or more")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return wrong > 0


if __name__ == "__main__":
    sys.exit(main())
