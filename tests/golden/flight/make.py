#!/usr/bin/env python3
"""Makes dumps of torch's Flight Recorder, of three ranks that train with gloo: make.py [FOLDER]; needs torch (2.13 made those here).
late: rank 1 does not come to the fourth collective, and the others wait there. other: rank 1 calls a broadcast where the others sum.
Each as the pickle that torch writes, NAME_rank_R, and as JSON."""
import os
import subprocess
import sys
import time

WHAT = {"late": 29571, "other": 29572}


def call(dist, torch, what, rank):
    if what == "other" and rank == 1:
        return dist.broadcast(torch.ones(8), src=1, async_op=True)
    return None if what == "late" and rank == 1 else dist.all_reduce(torch.ones(8), async_op=True)


def rank_of(what, rank):
    import torch
    import torch.distributed as dist
    from torch._C import _distributed_c10d as core

    os.environ.update(RANK=str(rank), WORLD_SIZE="3", MASTER_ADDR="127.0.0.1", MASTER_PORT=str(WHAT[what]), TORCH_FR_BUFFER_SIZE="100")
    dist.init_process_group("gloo")
    for _ in range(3):
        dist.all_reduce(torch.ones(3, 4))
    waits = call(dist, torch, what, rank)
    time.sleep(2)
    for name, text in ((f"{what}_rank_{rank}", core._dump_fr_trace()), (f"{what}{rank}.json", core._dump_fr_trace_json())):
        with open(name, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
    time.sleep(2)
    os._exit(waits is None)


def main():
    if len(sys.argv) > 2:
        return rank_of(sys.argv[1], int(sys.argv[2]))
    os.chdir(sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.abspath(__file__)))
    for what in WHAT:
        for job in [subprocess.Popen([sys.executable, os.path.abspath(__file__), what, str(rank)]) for rank in range(3)]:
            job.wait()
    return 0


if __name__ == "__main__":
    sys.exit(main())
