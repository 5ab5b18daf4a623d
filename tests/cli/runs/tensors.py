#!/usr/bin/env python3
"""Writes runs of a toy net that recorded sketches of its tensors, by the definition in docs/sketches.md alone.
tensors.py [--into FOLDER]: ref; rounding, whose input is perturbed; bf16, clean; split, clean on two ranks; scale, whose attention is wrong."""
import base64
import json
import os
import random
import struct
import sys

MASK = (1 << 64) - 1
NAMES = ["embed", "layers.0.attn", "layers.0.mlp", "layers.1.attn", "layers.1.mlp", "head"]
SIZE = 640


def mix(x):
    x = (x + 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ x >> 30) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ x >> 27) * 0x94D049BB133111EB) & MASK
    return x ^ x >> 31


PLACES = [((i + mix(i // 256)) % 256, -1 if mix(2**63 + i) >> 63 else 1) for i in range(SIZE)]


def sketch(values, first):
    sums = [0.0] * 256
    for i, x in enumerate(values, first):
        sums[PLACES[i][0]] += PLACES[i][1] * x
    return {"count": len(values), "squares": sum(x * x for x in values), "sums": base64.b64encode(struct.pack("<256d", *sums)).decode()}


def tensors(size, bug):
    """(kind, name, values) of one step: each module adds a relative error of that size to what it was given, and keeps it."""
    exact, noise = random.Random(1), random.Random(size)
    x = [exact.uniform(-1, 1) for _ in range(SIZE)]
    for kind, names in (("output", NAMES), ("grad", NAMES[::-1])):
        for name in names:
            weight = [exact.uniform(-1, 1) for _ in range(SIZE)]
            x = [a * (1 + size * noise.choice((-1, 1))) * 0.6 + b * 0.8 for a, b in zip(x, weight)]
            if bug and (kind, name) == ("output", "layers.1.attn"):
                x = [1.05 * a for a in x]
            yield kind, name, x


def write(into, run, size, dtype, ranks=1, bug=False, facts=None):
    for rank in range(ranks):
        folder = os.path.join(into, run, *(["rank%d" % rank] if ranks > 1 else []))
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "steps.jsonl"), "w") as file:
            file.writelines('{"step":%d,"scalars":{"loss":%r}}\n' % (step, 2.5 - step / 64) for step in range(3))
        with open(os.path.join(folder, "sketches.jsonl"), "w") as file:
            for kind, name, x in tensors(size, bug):
                part = SIZE // ranks
                record = {"step": 2, "name": name, "kind": kind, "dtype": dtype, **sketch(x[rank * part : (rank + 1) * part], rank * part)}
                file.write(json.dumps(record | ({"shard": True} if ranks > 1 else {})) + "\n")
        if facts:
            with open(os.path.join(folder, "facts.json"), "w") as file:
                json.dump({"format": 1, **facts}, file)


into = sys.argv[2] if sys.argv[1:2] == ["--into"] else "."
write(into, "ref", 0, "fp32")
write(into, "rounding", 2**-23, "fp32", facts={"work": {"perturbation": 2**-23}})
write(into, "bf16", 2**-9, "bf16")
write(into, "split", 2**-25, "fp32", ranks=2)
write(into, "scale", 2**-25, "fp32", ranks=2, bug=True)
