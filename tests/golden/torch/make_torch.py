#!/usr/bin/env python3
"""Records traces with PyTorch on a processor: python3 make_torch.py, here. OMP_NUM_THREADS=1.

`cpu.json.gz` has one process with all that the profiler can be asked for; `ddp/` has what tensorboard_trace_handler writes of two processes
that train together over gloo. The model is small, so that the files are. What names the machine is taken out; all else is as torch wrote it."""
import glob
import gzip
import os
import re
import shutil

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
from torch import nn
from torch.profiler import ProfilerActivity, profile, schedule, tensorboard_trace_handler

HERE = os.path.dirname(os.path.abspath(__file__))
ALL = {"record_shapes": True, "profile_memory": True, "with_stack": True, "with_flops": True, "with_modules": True}
PORT = 29517


def model():
    return nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 1))


def train(net, handler, **options):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    with profile(activities=[ProfilerActivity.CPU], schedule=schedule(wait=0, warmup=1, active=2), on_trace_ready=handler, **options) as prof:
        for _ in range(3):
            net(torch.ones(4, 16)).square().mean().backward()
            optimizer.step()
            optimizer.zero_grad()
            prof.step()


def compiled():
    """A step enters six regions, of which two end at a break; seven lookups, of which one finds that a frame was compiled too often."""
    torch._dynamo.config.recompile_limit = 2
    first, second = nn.Linear(8, 8), nn.Linear(8, 8)

    @torch.compile
    def broken(x):
        y = torch.relu(first(x))
        print(end="")
        y = torch.tanh(second(y))
        if y.sum() > 1e9:
            y = y * 2
        return y.square().sum()

    whole, limited = torch.compile(lambda x: torch.relu(first(x)).sum()), torch.compile(lambda x: (x * 2).sum(), dynamic=False)

    def step():
        x = torch.ones(8, 8)
        (whole(x) + broken(x)).backward()
        for n in (3, 4, 5):
            limited(torch.ones(n))

    for _ in range(3):
        step()
    with profile(activities=[ProfilerActivity.CPU], schedule=schedule(wait=0, warmup=1, active=3),
                 on_trace_ready=lambda p: p.export_chrome_trace(os.path.join(HERE, "compiled.json.gz"))) as prof:
        for _ in range(4):
            step()
            prof.step()
    print(torch._dynamo.explain(broken)(torch.ones(8, 8)).graph_break_count, "graph breaks in a call of broken")


def rank(r):
    os.environ.update(MASTER_ADDR="127.0.0.1", MASTER_PORT=str(PORT), RANK=str(r), WORLD_SIZE="2")
    dist.init_process_group("gloo")
    handler = tensorboard_trace_handler(os.path.join(HERE, "ddp"), worker_name=f"rank{r}", use_gzip=True)
    train(nn.parallel.DistributedDataParallel(model()), handler, record_shapes=True, with_stack=True)
    dist.destroy_process_group()


def nameless(path):
    with gzip.open(path, "rt", encoding="utf-8") as f:
        text = f.read()
    text = re.sub(r'("host_name": )"[^"]*"', r'\1"host"', text)
    text = re.sub(r'("traceName": )"[^"]*"', r'\1"trace.json"', text)
    with gzip.GzipFile(path, "wb", 9, mtime=0) as f:
        f.write(text.encode())


if __name__ == "__main__":
    shutil.rmtree(os.path.join(HERE, "ddp"), ignore_errors=True)
    train(model(), lambda p: p.export_chrome_trace(os.path.join(HERE, "cpu.json.gz")), **ALL)
    compiled()
    mp.spawn(rank, nprocs=2)
    for name in glob.glob(os.path.join(HERE, "**", "*.json.gz"), recursive=True):
        nameless(name)
