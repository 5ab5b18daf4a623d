"""The reduction of gradients by DistributedDataParallel: seen, and not changed."""

import importlib.util
import json
import os
import re
import subprocess
import unittest

import support

TORCH = importlib.util.find_spec("torch") is not None
PROGRAM = os.environ.get("TSCOPE_PROGRAM", "")

# Trains each way that it is told, and prints digests of every gradient of every step and of the parameters at the end.
TRAINS = """
import hashlib, json, sys
import torch, torch.distributed as dist, tscope
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks

def train(directory, how):
    torch.manual_seed(0)
    kind = torch.bfloat16 if "bf16" in how else torch.float32
    model = torch.nn.Sequential(*[torch.nn.Linear(100, 100, dtype=kind) for _ in range(6)], torch.nn.Linear(100, 1, dtype=kind))
    ddp = torch.nn.parallel.DistributedDataParallel(model, bucket_cap_mb=0.05, gradient_as_bucket_view="view" in how)
    optimizer = torch.optim.SGD(ddp.parameters(), lr=0.01)
    calls = []
    def own(state, bucket):
        calls.append(1)
        return default_hooks.allreduce_hook(None, bucket)
    if "own before" in how:
        ddp.register_comm_hook(None, own)
    if "own builtin" in how:
        ddp._register_builtin_comm_hook(dist.BuiltinCommHookType.ALLREDUCE)
    run = tscope.auto(model if "inner" in how else ddp, optimizer, directory, digests_every=0) if directory else None
    seen = hashlib.sha256()
    torch.manual_seed(dist.get_rank())
    for step in range(5):
        optimizer.zero_grad(set_to_none="view" not in how)
        batch = torch.randn(8, 100, dtype=kind)
        if "accumulate" in how:
            with ddp.no_sync():
                ddp(batch).square().sum().backward()
        ddp(batch).square().sum().backward()
        if step == 2 and "own after" in how and directory:
            ddp.register_comm_hook(None, own)
        for p in ddp.parameters():
            seen.update(p.grad.contiguous().view(torch.uint8).numpy().tobytes())
        optimizer.step()
    for p in ddp.parameters():
        seen.update(p.detach().contiguous().view(torch.uint8).numpy().tobytes())
    if run:
        run.finish()
    return {"digest": seen.hexdigest(), "calls": len(calls), "cannot": run.cannot if run else 0}

dist.init_process_group("gloo")
for how in sys.argv[1:]:
    print(json.dumps([train(None, how), train(f"runs/{how}", how)]), flush=True)
dist.destroy_process_group()
"""

# A rank whose forward pass sleeps.
SLOW = """
import time, torch, torch.distributed as dist, tscope
dist.init_process_group("gloo")
torch.manual_seed(0)
class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(64, 64)
    def forward(self, batch):
        time.sleep(0.02 if dist.get_rank() == 2 else 0.01)
        return self.inner(batch)
model = torch.nn.parallel.DistributedDataParallel(Model())
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
run = tscope.auto(model, optimizer, "runs/slow", digests_every=0)
for step in range(60):
    loss = model(torch.randn(8, 64)).square().mean()
    loss.backward()
    optimizer.step()
    run.log(loss=loss)
run.finish()
dist.destroy_process_group()
"""


# A model that is called without its DDP, so that the copies part: sometimes, and first.
AROUND = """
import torch, torch.distributed as dist, tscope
dist.init_process_group("gloo")
torch.manual_seed(0)
model = torch.nn.Linear(8, 1)
ddp = torch.nn.parallel.DistributedDataParallel(model)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
run = tscope.auto(model, optimizer, "runs/around", digests_every=2)
torch.manual_seed(dist.get_rank())
for step in range(8):
    loss = (ddp if step % 2 else model)(torch.randn(4, 8)).sum()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
run.finish()
dist.destroy_process_group()
"""

# The run ends while training goes on.
ENDS = """
import torch, torch.distributed as dist, tscope
dist.init_process_group("gloo")
torch.manual_seed(0)
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
run = tscope.auto(model, optimizer, "runs/ends", digests_every=0)
for step in range(6):
    model(torch.randn(4, 8)).sum().backward()
    optimizer.step()
    if step == 2:
        run.finish()
dist.destroy_process_group()
"""

# Rank 2 is killed between two steps; the others print what their training raises.
DIES = """
import os, sys, time, traceback
import torch, torch.distributed as dist
dist.init_process_group("gloo")
torch.manual_seed(0)
layers = [torch.nn.Linear(64, 64) for _ in range(4)]
model = torch.nn.parallel.DistributedDataParallel(torch.nn.Sequential(*layers), bucket_cap_mb=0.01)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
if sys.argv[1]:
    import tscope
    run = tscope.auto(model, optimizer, sys.argv[1], digests_every=0)
try:
    for step in range(8):
        if step == 4 and dist.get_rank() == 2:
            os.kill(os.getpid(), 9)
        if step == 4 and sys.argv[2] == "gone":
            time.sleep(0.3)
        loss = model(torch.randn(8, 64)).square().mean()
        loss.backward()
        optimizer.step()
except RuntimeError:
    traceback.print_exc()
os._exit(0)
"""


@unittest.skipUnless(TORCH, "torch is not installed")
class Reductions(support.Case):
    def train(self, ranks, *ways):
        """Trains each way, without and with a record, and yields (way, without, with, recording of rank 0)."""
        lines = [line for line in self.ranks(ranks, TRAINS, *ways)[0].splitlines() if line.startswith("[{")]
        for way, line in zip(ways, lines):
            yield (way, *json.loads(line), self.read(f"runs/{way}/rank0"))

    def test_gradients_are_the_same_to_the_bit(self):
        for way, without, given, recording in self.train(3, "plain", "bf16 accumulate inner", "view"):
            with self.subTest(way):
                self.assertEqual(given["digest"], without["digest"])
                seen = way != "view"  # of views on three ranks nobody knows how DDP divides: they are left alone
                self.assertEqual(given["cannot"], 0 if seen else 1)
                for step, cells in recording.steps.items():
                    self.assertEqual("phases.comm" in cells, seen)
                    inside = [cells.get(f"phases.{name}", 0) for name in ("forward", "backward", "comm", "optimizer", "other")]
                    self.assertEqual(sum(inside), recording.times[step][1], "what training waits for is no part of backward")
                self.assertEqual(len(recording.regions), 5 if seen else 0)

    def test_hooks_of_the_program(self):
        ways = ("view", "own before", "own after", "own builtin")
        for way, without, given, recording in self.train(2, *ways):
            with self.subTest(way):
                self.assertEqual(given["digest"], without["digest"])
                self.assertEqual(given["cannot"], 1 if way.startswith("own") else 0, "it is said that the reduction is not seen")
                self.assertEqual(given["calls"] > 0, way in ("own before", "own after"))
                promised = self.facts(f"runs/{way}/rank0")["session"].get("replicas")
                self.assertEqual(promised, None if way == "own before" else "DistributedDataParallel")
                self.assertEqual(len(recording.regions), {"view": 5, "own after": 3}.get(way, 0))

    def test_a_model_that_is_called_without_its_ddp(self):
        self.ranks(2, AROUND)
        self.assertEqual(self.facts("runs/around/rank1")["session"]["replicas"], "DistributedDataParallel")
        if PROGRAM:
            home = {**os.environ, "HOME": self.folder}
            done = subprocess.run([PROGRAM, "analyze", "runs/around"], capture_output=True, text=True, env=home)
            self.assertRegex(done.stdout, r"HIGH +Copies of the model differ between ranks \(DIST.REPLICAS\)")

    def test_run_that_ends_before_training(self):
        self.ranks(2, ENDS)

    def test_error_of_another_rank_is_as_without_us(self):
        """Rank 2 is killed. What the others print of it ends where it would, and says what it would."""
        for way in ("gone", "gone at once"):
            found = {}
            for directory in ("", "runs/died " + way):
                said = self.ranks(3, DIES, directory, way, expect=(0, 0, -9))
                self.assertFalse(any("tscope" in text for text in said[:2]), said)
                found[bool(directory)] = [re.findall(r'File "([^"]+)", line [0-9]+, in (\w+)', text) for text in said[:2]]
                for text in said[:2]:
                    self.assertRegex(text.strip().splitlines()[-1], r"^RuntimeError: \[")
            self.assertEqual(found[True], found[False])

    def test_slow_rank_waits_for_nobody(self):
        self.ranks(3, SLOW)
        waits = []
        for rank in range(3):
            cells = self.read(f"runs/slow/rank{rank}").steps
            waits.append(sorted(step["phases.comm"] for step in cells.values())[len(cells) // 2] / 1e6)
        self.assertGreater(min(waits[:2]), 5, "the others wait ten milliseconds")
        self.assertLess(waits[2], 5)
        if not PROGRAM:
            return
        for words in (["push", "runs/slow"], ["analyze", "slow"]):
            done = subprocess.run([PROGRAM, *words], capture_output=True, text=True, env={**os.environ, "HOME": self.folder})
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        said = done.stdout
        self.assertRegex(said, r"(?s)rank 2\b.*DIST\.STRAGGLER|DIST\.STRAGGLER.*rank 2\b")


if __name__ == "__main__":
    unittest.main()
