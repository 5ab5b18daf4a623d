"""A small real training: a transformer that learns the bytes of this tree's documents, in bfloat16 by autocast, with AdamW."""

import glob
import os
from dataclasses import dataclass

import torch
from torch import nn

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


@dataclass
class Size:
    """How large model and batches are, and how many steps each part of the test makes."""

    width: int
    depth: int
    heads: int
    length: int
    batch: int
    steps: int


SIZES = {"cuda": Size(512, 8, 8, 1024, 16, 200), "cpu": Size(32, 2, 2, 32, 4, 24)}


class Block(nn.Module):
    def __init__(self, size):
        super().__init__()
        width = size.width
        self.heads = size.heads
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

    def forward(self, x):
        b, t, c = x.shape
        q, k, v = (part.view(b, t, self.heads, c // self.heads).transpose(1, 2) for part in self.qkv(self.norm1(x)).split(c, 2))
        y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
        x = x + self.out(y.transpose(1, 2).reshape(b, t, c))
        return x + self.mlp(self.norm2(x))


class Model(nn.Module):
    def __init__(self, size):
        super().__init__()
        self.tokens, self.places = nn.Embedding(256, size.width), nn.Embedding(size.length, size.width)
        self.blocks = nn.ModuleList(Block(size) for _ in range(size.depth))
        self.norm, self.head = nn.LayerNorm(size.width), nn.Linear(size.width, 256)
        self.register_buffer("order", torch.arange(size.length), persistent=False)

    def forward(self, tokens):
        x = self.tokens(tokens) + self.places(self.order)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x))


def corpus():
    """Returns the bytes of the documents of the tree."""
    text = b""
    for path in sorted(glob.glob(os.path.join(ROOT, "docs", "*.md"))):
        with open(path, "rb") as file:
            text += file.read()
    return torch.frombuffer(bytearray(text), dtype=torch.uint8)


def nothing(*_):
    """A mark that nobody takes."""


class Training:
    """A model, its optimizer and its batches, all from one seed. A step waits for nothing: batches lie in pinned memory."""

    def __init__(self, device, seed=1):
        self.device, self.size = torch.device(device), SIZES[device]
        torch.manual_seed(seed)
        self.model = Model(self.size).to(self.device)
        self.optimizer = torch.optim.AdamW(self.model.parameters(), lr=3e-4)
        text, draw = corpus(), torch.Generator().manual_seed(seed)
        starts = torch.randint(0, len(text) - self.size.length - 1, (self.size.steps, self.size.batch, 1), generator=draw)
        self.held = text[starts + torch.arange(self.size.length + 1)]
        if device == "cuda":
            self.held = self.held.pin_memory()
        self.made = 0

    def batches(self, n):
        """Gives the next n batches, each a tensor of the host."""
        for _ in range(n):
            yield self.held[self.made % len(self.held)]
            self.made += 1

    def step(self, batch, mark=nothing, before_optimizer=nothing):
        """Makes one step, and returns its loss where it lies."""
        tokens = batch.to(self.device, non_blocking=True).long()
        mark("copy")
        with torch.autocast(self.device.type, torch.bfloat16):
            logits = self.model(tokens[:, :-1])
        loss = nn.functional.cross_entropy(logits.float().flatten(0, 1), tokens[:, 1:].flatten())
        mark("forward")
        loss.backward()
        mark("backward")
        before_optimizer()
        self.optimizer.step()
        self.optimizer.zero_grad()
        mark("optimizer")
        return loss.detach()

    def train(self, n):
        """Makes n steps without a record, and returns their losses."""
        return [self.step(batch) for batch in self.batches(n)]

    def record(self, run, n, before_optimizer=nothing, own_mark=nothing, in_step=nothing):
        """Makes n steps with a record, and returns their losses. `own_mark` is called right before each mark of the run."""

        def mark(name):
            own_mark(name)
            run.mark(name)

        losses = []
        for batch in run.data(self.batches(n)):
            with run.step():
                own_mark("")
                losses.append(self.step(batch, mark, before_optimizer))
                run.log(loss=losses[-1])
                in_step()
        return losses
