#!/usr/bin/env python3
"""Makes the demo's runs: small real PyTorch trainings on the CPU, three ranks over gloo.

    pip install torch==2.13.0        (CPU build; numpy is not needed)
    python3 make_runs.py OUT         writes OUT/base, OUT/rerun, OUT/order, OUT/lr, OUT/slow

A two-layer character model learns a synthetic text. Every rank draws its own batches, gradients are averaged by an
explicit all-reduce so that communication has a phase of its own. The five runs differ in one thing each:

    base    the reference
    rerun   nothing differs: the trajectory repeats bit for bit
    order   from step 80 on, rank 1 draws its batches from another seed
    lr      the learning rate is 3.1e-3 instead of 3e-3, from the start
    slow    rank 2 spends 6 ms more in its forward pass from step 60 on

The files are kept as data, so this is run again only to make new ones (times will differ, trajectories will not).
"""
import hashlib
import json
import os
import socket
import sys
import time

STEPS, WORLD, BATCH, CONTEXT, WIDTH = 160, 3, 16, 24, 48
RUNS = {
    "base": {},
    "rerun": {},
    "order": {"reseed_step": 80},
    "lr": {"lr": 3.1e-3},
    "slow": {"slow_step": 60},
}


def text():
    """A text with structure to learn: sums written out, from a fixed linear congruence."""
    state, lines = 12345, []
    for _ in range(4000):
        state = (state * 1103515245 + 12345) % 2**31
        a, b = state % 97, (state // 97) % 89
        lines.append(f"{a}+{b}={a + b};")
    return "".join(lines)


def digest(*tensors):
    h = hashlib.sha256()
    for t in tensors:
        h.update(bytes(t.detach().contiguous().view(-1).view(__import__("torch").uint8).tolist()))
    return h.hexdigest()[:16]


def train(rank, name, out, port):
    import torch
    import torch.distributed as dist
    import torch.nn.functional as F

    change = RUNS[name]
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True)
    dist.init_process_group("gloo", init_method=f"tcp://127.0.0.1:{port}", rank=rank, world_size=WORLD)

    chars = sorted(set(text()))
    ids = torch.tensor([chars.index(c) for c in text()])
    torch.manual_seed(7)
    model = torch.nn.Sequential(
        torch.nn.Embedding(len(chars), WIDTH),
        torch.nn.Flatten(),
        torch.nn.Linear(WIDTH * CONTEXT, 128),
        torch.nn.GELU(),
        torch.nn.Linear(128, len(chars)),
    )
    lr = change.get("lr", 3e-3)
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
    draw = torch.Generator().manual_seed(100 + rank)

    folder = os.path.join(out, name, f"rank{rank}")
    os.makedirs(folder)
    started, began = time.time(), time.perf_counter_ns()
    log = open(os.path.join(folder, "steps.jsonl"), "w")
    for step in range(STEPS):
        if rank == 1 and step == change.get("reseed_step"):
            draw.manual_seed(999)
        marks = [time.perf_counter_ns()]
        at = torch.randint(0, len(ids) - CONTEXT - 1, (BATCH,), generator=draw)
        batch = torch.stack([ids[i : i + CONTEXT] for i in at])
        target = ids[at + CONTEXT]
        marks.append(time.perf_counter_ns())
        loss = F.cross_entropy(model(batch), target)
        if rank == 2 and step >= change.get("slow_step", STEPS):
            time.sleep(0.006)
        marks.append(time.perf_counter_ns())
        optimizer.zero_grad()
        loss.backward()
        marks.append(time.perf_counter_ns())
        flat = torch.cat([p.grad.view(-1) for p in model.parameters()])
        dist.all_reduce(flat)
        flat /= WORLD
        offset = 0
        for p in model.parameters():
            p.grad.copy_(flat[offset : offset + p.numel()].view_as(p))
            offset += p.numel()
        marks.append(time.perf_counter_ns())
        grad_norm = float(torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0))
        optimizer.step()
        marks.append(time.perf_counter_ns())
        phases = ("data", "forward", "backward", "comm", "optimizer")
        record = {
            "step": step,
            "timestamp": time.time(),
            "phases": {p: (marks[i + 1] - marks[i]) / 1e9 for i, p in enumerate(phases)},
            "scalars": {"loss": loss.item(), "grad_norm": grad_norm, "lr": lr},
            "memory": {"rss": float(int(open("/proc/self/statm").read().split()[1]) * os.sysconf("SC_PAGESIZE"))},
            "samples": (step + 1) * BATCH * WORLD,
            "digests": {"batch": digest(batch), "params": digest(*model.parameters())},
        }
        log.write(json.dumps(record, separators=(",", ":")) + "\n")
    log.close()
    meta = {
        "name": f"chars-{name}",
        "config": {
            "model": {"width": WIDTH, "context": CONTEXT, "hidden": 128, "activation": "gelu"},
            "optimizer": {"name": "adamw", "lr": lr, "clip": 1.0},
            "batch_per_rank": BATCH,
            "steps": STEPS,
        },
        "rank": rank,
        "world_size": WORLD,
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
    with open(os.path.join(folder, "run.json"), "w") as f:
        json.dump(meta, f, indent=2)
    if rank == 0:
        facts = {
            "seeds": {"torch": 7, "data": 100},
            "determinism": {"use_deterministic_algorithms": True, "torch_threads": 1},
            "parallelism": {"data_parallel": WORLD, "backend": "gloo"},
            "data": {"name": "synthetic sums", "sha256": hashlib.sha256(text().encode()).hexdigest()},
        }
        with open(os.path.join(folder, "facts.json"), "w") as f:
            json.dump(facts, f, indent=2)
    dist.barrier()
    dist.destroy_process_group()


def main():
    import torch.multiprocessing as mp

    out = sys.argv[1]
    for name in RUNS:
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            port = s.getsockname()[1]
        mp.spawn(train, (name, out, port), nprocs=WORLD)
        print(name, "done")


if __name__ == "__main__":
    main()
