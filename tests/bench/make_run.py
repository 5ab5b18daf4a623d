#!/usr/bin/env python3
"""make_run.py OUT STEPS [--ranks N] [--part STEP] [--seed S]: a run directory in pytscope's format, seeded.

Four phases (integer nanoseconds), loss, grad_norm, four memory columns: some 325 bytes a step. --part adds 1e-6 to the loss
from that step on; everything else stays the same to the byte.
"""
import argparse
import json
import math
import multiprocessing
import os
import random


def write_rank(folder, rank, ranks, steps, part, seed):
    rnd = random.Random(seed + rank)
    gauss, uniform = rnd.gauss, rnd.random
    os.makedirs(folder, exist_ok=True)
    now, started = 1795167217.5, 1795167217.5
    with open(os.path.join(folder, "steps.jsonl"), "w", buffering=1 << 20) as f:
        for step in range(steps):
            data = int(2.2e6 + 3e5 * gauss(0, 1)) / 1e9
            forward = int(6.1e6 + 2e5 * gauss(0, 1)) / 1e9
            backward = int(1.25e7 + 4e5 * gauss(0, 1)) / 1e9
            optimizer = int(1.3e6 + 5e4 * gauss(0, 1)) / 1e9
            now += data + forward + backward + optimizer
            loss = 0.4 + 2.0 * math.exp(-step / (steps / 5)) + 0.02 * gauss(0, 1)
            norm = math.exp(0.1 * gauss(0, 1))
            alloc = 7000000000 + 4096 * int(8000 * uniform())
            if part is not None and step >= part:
                loss += 1e-6
            f.write(
                f'{{"step":{step},"timestamp":{now!r},"phases":{{"data":{data!r},"forward":{forward!r},'
                f'"backward":{backward!r},"optimizer":{optimizer!r}}},"scalars":{{"loss":{loss!r},"grad_norm":{norm!r}}},'
                f'"memory":{{"alloc":{float(alloc)!r},"reserved":9663676416.0,"peak_alloc":8912345600.0,'
                f'"peak_reserved":9663676416.0}}}}\n'
            )
    meta = {
        "name": "bench",
        "config": {"lr": 0.0003, "batch": 64},
        "rank": rank,
        "world_size": ranks,
        "environment": {"python": "3.11.2", "torch": "2.6.0", "gpu": "NVIDIA H100 80GB HBM3"},
        "started": started,
        "flops_per_step": 6e12,
        "peak_flops": 989e12,
        "wall_time": now - started,
        "n_steps": steps,
    }
    with open(os.path.join(folder, "run.json"), "w") as f:
        json.dump(meta, f, indent=2)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("out")
    p.add_argument("steps", type=int)
    p.add_argument("--ranks", type=int, default=1)
    p.add_argument("--part", type=int)
    p.add_argument("--seed", type=int, default=1)
    a = p.parse_args()
    with multiprocessing.Pool() as pool:
        pool.starmap(write_rank, [
            (a.out if a.ranks == 1 else os.path.join(a.out, f"rank{rank}"), rank, a.ranks, a.steps, a.part, a.seed)
            for rank in range(a.ranks)])


if __name__ == "__main__":
    main()
