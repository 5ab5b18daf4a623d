"""train_letters.py RUN: a small language model in plain Python, trained and recorded: which letter follows the three before it.

Three letters are embedded, a hidden layer with tanh looks at all of them, and a softmax over the letters of the text comes out; the
gradient is made by hand. What has to do with recording are the lines with `run` in them. It needs nothing but Python and tscope.
"""

import argparse
import math
import os
import random
from operator import mul

import tscope

CONTEXT, WIDTH, HIDDEN, BATCH = 3, 6, 20, 16

parser = argparse.ArgumentParser()
parser.add_argument("run")
parser.add_argument("--lr", type=float, default=1.0)
parser.add_argument("--seed", type=int, default=1)
parser.add_argument("--steps", type=int, default=400)
parser.add_argument("--text", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "LICENSE"))
args = parser.parse_args()

with open(args.text, encoding="utf-8") as file:
    text = " ".join("".join(c if c.isalpha() else " " for c in file.read().lower()).split())
letters = sorted(set(text))
code = [letters.index(c) for c in text]
draw = random.Random(args.seed)


def matrix(rows, columns, scale):
    """Returns a matrix of numbers around 0."""
    return [[draw.gauss(0, scale) for _ in range(columns)] for _ in range(rows)]


embedding = matrix(len(letters), WIDTH, 1)
inner = matrix(HIDDEN, CONTEXT * WIDTH, (CONTEXT * WIDTH) ** -0.5)
outer = matrix(len(letters), HIDDEN, HIDDEN**-0.5)


def batches():
    """Yields what the steps learn from: places of the text."""
    for _ in range(args.steps):
        yield [draw.randrange(CONTEXT, len(code)) for _ in range(BATCH)]


def forward(at):
    """Returns what one place of the text is seen as, layer by layer, and the chance of each letter to come next."""
    seen = [x for c in code[at - CONTEXT : at] for x in embedding[c]]
    hidden = [math.tanh(sum(map(mul, row, seen))) for row in inner]
    scores = [math.exp(sum(map(mul, row, hidden))) for row in outer]
    total = sum(scores)
    return at, seen, hidden, [s / total for s in scores]


def backward(passes):
    """Returns the gradients of the three matrices, as sums over the batch."""
    grads = [[[0.0] * len(m[0]) for _ in m] for m in (embedding, inner, outer)]
    for at, seen, hidden, chances in passes:
        off = [p - (i == code[at]) for i, p in enumerate(chances)]
        back = [sum(map(mul, off, column)) * (1 - h * h) for column, h in zip(zip(*outer), hidden)]
        below = [sum(map(mul, back, column)) for column in zip(*inner)]
        for row, d in zip(grads[2], off):
            row[:] = [g + d * h for g, h in zip(row, hidden)]
        for row, d in zip(grads[1], back):
            row[:] = [g + d * x for g, x in zip(row, seen)]
        for i, c in enumerate(code[at - CONTEXT : at]):
            grads[0][c] = [g + d for g, d in zip(grads[0][c], below[i * WIDTH : (i + 1) * WIDTH])]
    return grads


def update(grads, rate):
    """Goes a step against the gradients, and returns their norm."""
    for weights, grad in zip((embedding, inner, outer), grads):
        for row, g in zip(weights, grad):
            row[:] = [w - rate * d / BATCH for w, d in zip(row, g)]
    return math.sqrt(sum(d * d for grad in grads for row in grad for d in row)) / BATCH


config = {"lr": args.lr, "seed": args.seed, "batch": BATCH, "hidden": HIDDEN}
run = tscope.start(args.run, config=config, facts={"seeds": {"train": args.seed}})
run.watch(every=1)
rate = args.lr
for i, batch in enumerate(run.data(batches())):
    if i == args.steps // 2:
        rate /= 2
        run.event("rate halved", rate)
    with run.step():
        passes = [forward(at) for at in batch]
        loss = -sum(math.log(p[code[at]]) for at, _, _, p in passes) / BATCH
        run.mark("forward")
        grads = backward(passes)
        run.mark("backward")
        norm = update(grads, rate)
        run.mark("optimizer")
        run.log(loss=loss, grad_norm=norm, lr=rate)
run.finish()
