#!/usr/bin/env python3
"""Trains a small GPT and a CNN on the CPU, changes one thing at a time, and prints what `tscope diff` says of it.

    python3 python/tests/diagnosed.py PROGRAM [--steps N] [--seed N] [--by LOOP]... [gpt|cnn]...

Each is trained by a loop that is recorded by hand (`run.data`, `run.watch`, marks, losses), by one that only `tscope.auto` sees, and
where they are installed by transformers' Trainer and by Lightning with their callbacks. The configuration says nothing of what was
changed: the diagnosis has what is recorded without asking. A row is right if the class that is named is the change's, or is one that
does not separate it from what was not recorded; exit 1 if one is wrong.
"""
import argparse
import contextlib
import importlib.util
import io
import json
import logging
import os
import subprocess
import sys
import tempfile
import warnings

import torch
from torch import nn

import tscope

CONTEXT = 32
BATCH = 16

NEXT = object()  # the seed after that of the base

# The change, what is passed to `train`, and which classes of docs/divergence.md are right.
CHANGES = (
    ("nothing", {}, {"identical"}),
    ("another seed", {"seed": NEXT}, {"init", "init_or_data"}),
    ("learning rate x 1.5", {"rate": 1.5}, {"config"}),
    ("dropout 0.1 to 0.2", {"dropout": 0.2}, {"code", "computation"}),
    ("another activation", {"activation": nn.Tanh}, {"code", "computation"}),
    ("order of the data", {"order": NEXT}, {"data_order", "order_or_set"}),
    ("initial weights x 1.5", {"scale": 1.5}, {"init"}),
)


class Block(nn.Module):
    """A layer of a transformer."""

    def __init__(self, width, heads, dropout, activation):
        super().__init__()
        self.heads = heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), activation(), nn.Linear(4 * width, width), nn.Dropout(dropout))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = (part.view(b, t, self.heads, -1).transpose(1, 2) for part in self.qkv(self.norm1(x)).split(c, 2))
        seen = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.dropout(self.out(seen.transpose(1, 2).reshape(b, t, c)))
        return x + self.mlp(self.norm2(x))


class GPT(nn.Module):
    """Which letter comes next."""

    def __init__(self, letters, dropout, activation, width=48, layers=2, heads=4):
        super().__init__()
        self.token, self.place = nn.Embedding(letters, width), nn.Embedding(CONTEXT, width)
        self.blocks = nn.Sequential(*(Block(width, heads, dropout, activation) for _ in range(layers)))
        self.norm, self.head = nn.LayerNorm(width), nn.Linear(width, letters)

    def forward(self, x):
        return self.head(self.norm(self.blocks(self.token(x) + self.place.weight[: x.shape[1]]))).transpose(1, 2)


class CNN(nn.Sequential):
    """Which of ten patterns a noisy picture shows."""

    def __init__(self, dropout, activation):
        super().__init__(nn.Conv2d(1, 8, 3, padding=1), activation(), nn.MaxPool2d(2), nn.Conv2d(8, 16, 3, padding=1), activation(),
                         nn.MaxPool2d(2), nn.Flatten(), nn.Dropout(dropout), nn.Linear(16 * 16, 10))


def samples(kind):
    """Returns pairs of what is seen and what is to be said: windows of this program's text, or pictures."""
    draw = torch.Generator().manual_seed(0)
    if kind == "gpt":
        with open(__file__, encoding="utf-8") as file:
            text = file.read()
        letters = sorted(set(text))
        code = torch.tensor([letters.index(c) for c in text])
        return [(code[i : i + CONTEXT], code[i + 1 : i + CONTEXT + 1]) for i in range(0, len(code) - CONTEXT - 1, 3)], len(letters)
    patterns = torch.rand(10, 1, 16, 16, generator=draw)
    return [(patterns[i % 10] + 0.8 * torch.randn(1, 16, 16, generator=draw), torch.tensor(i % 10)) for i in range(1200)], 10


def train(kind, how, directory, steps, *, seed=1, order=1, rate=1.0, dropout=0.1, scale=1.0, activation=nn.GELU):
    """Trains, and records the run into the directory."""
    torch.manual_seed(seed)
    torch.use_deterministic_algorithms(True)
    data, letters = samples(kind)
    model = GPT(letters, dropout, activation) if kind == "gpt" else CNN(dropout, activation)
    with torch.no_grad():
        for p in model.parameters():
            p *= scale
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3 * rate)
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        LOOPS[how](model, optimizer, data, order, directory, {"model": kind, "batch": BATCH}, steps)


def forever(loader):
    while True:
        yield from loader


def loader_of(data, order):
    shuffle = torch.Generator().manual_seed(order)
    return torch.utils.data.DataLoader(data, batch_size=BATCH, shuffle=True, drop_last=True, generator=shuffle)


def by_hand(model, optimizer, data, order, directory, config, steps):
    with tscope.start(directory, config=config) as run:
        run.watch(model, optimizer, every=10)
        for _, (x, y) in zip(range(steps), run.data(forever(loader_of(data, order)))):
            with run.step():
                loss = nn.functional.cross_entropy(model(x), y)
                run.mark("forward")
                optimizer.zero_grad()
                loss.backward()
                run.mark("backward")
                optimizer.step()
                run.mark("optimizer")
                run.log(loss=loss, lr=optimizer.param_groups[0]["lr"])


def by_auto(model, optimizer, data, order, directory, config, steps):
    run = tscope.auto(model, optimizer, directory, config=config, digests_every=10)
    for _, (x, y) in zip(range(steps), forever(loader_of(data, order))):
        loss = nn.functional.cross_entropy(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        run.log(loss=loss)
    run.finish()


class WithLoss(nn.Module):
    """A model as Trainer wants it."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, x, labels):
        said = self.model(x)
        return {"loss": nn.functional.cross_entropy(said, labels), "logits": said}


def by_trainer(model, optimizer, data, order, directory, config, steps):
    import transformers

    from tscope.integrations.transformers import TscopeCallback

    with tempfile.TemporaryDirectory() as out:
        args = transformers.TrainingArguments(
            out, max_steps=steps, per_device_train_batch_size=BATCH, seed=torch.initial_seed(), data_seed=order, max_grad_norm=0.0,
            lr_scheduler_type="constant", dataloader_drop_last=True, report_to=[], use_cpu=True, disable_tqdm=True, save_strategy="no",
            logging_strategy="no")
        constant = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda _: 1.0)
        callback = TscopeCallback(directory=directory, config=config, digests_every=10)
        transformers.Trainer(WithLoss(model), args, train_dataset=[{"x": x, "labels": y} for x, y in data], callbacks=[callback],
                             optimizers=(optimizer, constant)).train()
        callback.run.finish()


def by_lightning(model, optimizer, data, order, directory, config, steps):
    import lightning

    from tscope.integrations.lightning import TscopeCallback

    class Module(lightning.LightningModule):
        def __init__(self):
            super().__init__()
            self.model = model

        def training_step(self, batch, _):
            return nn.functional.cross_entropy(self.model(batch[0]), batch[1])

        def configure_optimizers(self):
            return optimizer

    logging.getLogger("lightning.pytorch").setLevel(logging.ERROR)
    callback = TscopeCallback(directory=directory, config=config, digests_every=10)
    trainer = lightning.Trainer(max_steps=steps, accelerator="cpu", logger=False, enable_checkpointing=False, enable_progress_bar=False,
                                enable_model_summary=False, callbacks=[callback])
    trainer.fit(Module(), loader_of(data, order))
    callback.run.finish()


LOOPS = {"by hand": by_hand, "by auto": by_auto}
LOOPS.update({"by Trainer": by_trainer} if importlib.util.find_spec("transformers") else {})
LOOPS.update({"by Lightning": by_lightning} if importlib.util.find_spec("lightning") else {})


def ask(program, *words, expect=(0,)):
    done = subprocess.run([program, *words], capture_output=True, text=True)
    if done.returncode not in expect:
        sys.exit(f"{' '.join(words)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def one_loop(program, kind, how, steps, seed, where):
    """Trains by one loop in all ways, and returns how many of the diagnoses are wrong."""
    wrong = 0
    base = os.path.join(where, "base")
    train(kind, how, base, steps, seed=seed, order=seed)
    for name, change, right in CHANGES:
        other = os.path.join(where, name.replace(" ", "-").replace("/", "-"))
        changed = {key: seed + 1 if value is NEXT else value for key, value in change.items()}
        train(kind, how, other, steps, **{"seed": seed, "order": seed, **changed})
        ask(program, "push", "-q", base, other)
        said = json.loads(ask(program, "diff", "--json", os.path.basename(base), os.path.basename(other), expect=(0, 1)))["diagnosis"]
        good = said["cause"] in right
        wrong += not good
        words = "{cause}, {confidence}: {sentence}".format_map(said)
        print(f"{kind}  {how:12}  {name:21}  {'right' if good else 'WRONG'}  {words}", flush=True)
    return wrong


def main():
    p = argparse.ArgumentParser()
    p.add_argument("program")
    p.add_argument("--steps", type=int, default=100)
    p.add_argument("--seed", type=int, default=1)
    p.add_argument("--by", action="append", choices=[how[3:] for how in LOOPS])
    p.add_argument("kinds", nargs="*", default=["gpt", "cnn"])
    args = p.parse_args()
    torch.set_num_threads(1)
    wrong = 0
    for kind in args.kinds:
        for how in [how for how in LOOPS if not args.by or how[3:] in args.by]:
            with tempfile.TemporaryDirectory(prefix="tscope-diagnosed-") as where:
                os.environ.update(XDG_DATA_HOME=where, TSCOPE_PROJECT="default")
                wrong += one_loop(os.path.abspath(args.program), kind, how, args.steps, args.seed, where)
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
