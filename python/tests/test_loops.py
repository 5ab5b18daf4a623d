"""Loops of torch as projects write them, trained for real: nanoGPT's, torchtune's, and models that are sharded."""

import importlib.util
import json
import math
import os
import unittest

import support
import tscope

TORCH = importlib.util.find_spec("torch") is not None


def gpt():
    """Returns a small GPT: its forward pass gives logits and, with targets, the loss."""
    import torch
    from torch import nn

    class Block(nn.Module):
        def __init__(self, width):
            super().__init__()
            self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
            self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
            self.mlp = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))

        def forward(self, x):
            b, t, c = x.shape
            q, k, v = (part.view(b, t, 2, c // 2).transpose(1, 2) for part in self.qkv(self.norm1(x)).split(c, 2))
            y = nn.functional.scaled_dot_product_attention(q, k, v, is_causal=True)
            x = x + self.out(y.transpose(1, 2).reshape(b, t, c))
            return x + self.mlp(self.norm2(x))

    class Gpt(nn.Module):
        def __init__(self, vocabulary=32, length=16, width=32):
            super().__init__()
            self.tokens, self.places = nn.Embedding(vocabulary, width), nn.Embedding(length, width)
            self.blocks = nn.ModuleList(Block(width) for _ in range(2))
            self.head = nn.Linear(width, vocabulary)

        def forward(self, tokens, targets=None):
            x = self.tokens(tokens) + self.places(torch.arange(tokens.shape[1]))
            for block in self.blocks:
                x = block(x)
            logits = self.head(x)
            return logits, None if targets is None else nn.functional.cross_entropy(logits.flatten(0, 1), targets.flatten())

    torch.manual_seed(0)
    return Gpt()


@unittest.skipUnless(TORCH, "torch is not installed")
class Loops(support.Frameworks):
    def nanogpt(self, directory, *, steps=12, load=None, save=None):
        """The loop of nanoGPT: accumulation, clipping, a rate by the step, an evaluation every few steps, a checkpoint."""
        import torch

        data = torch.randint(0, 32, (2000,), generator=torch.Generator().manual_seed(3))
        draw = torch.Generator().manual_seed(4)

        def get_batch():
            at = torch.randint(len(data) - 17, (4,), generator=draw)
            return torch.stack([data[i : i + 16] for i in at]), torch.stack([data[i + 1 : i + 17] for i in at])

        model = gpt()
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        run = tscope.auto(model, optimizer, directory, digests_every=4, config={"lr": 1e-3}) if directory else None
        first = 0
        if load:
            state = torch.load(load, weights_only=False)
            model.load_state_dict(state["model"])
            optimizer.load_state_dict(state["optimizer"])
            draw.set_state(state["draw"])
            torch.set_rng_state(state["rng"])
            first = state["step"]
            run.resumed_from(load)
        losses = []
        x, y = get_batch()
        for step in range(first, steps):
            rate = 1e-3 * 0.5 * (1 + math.cos(math.pi * step / 12))
            for group in optimizer.param_groups:
                group["lr"] = rate
            if step % 4 == 0:
                model.eval()
                with torch.no_grad():
                    held = torch.stack([model(*get_batch())[1] for _ in range(2)]).mean()
                model.train()
                if run:
                    run.log(val_loss=held)
            for _ in range(2):
                _, loss = model(x, y)
                loss = loss / 2
                x, y = get_batch()
                loss.backward()
            norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad(set_to_none=True)
            losses.append(loss.item() * 2)
            if run:
                run.log(loss=loss * 2, lr=rate, grad_norm=norm)
                run.amount(tokens=2 * 4 * 16)
            if save and step == 7:
                torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "draw": draw.get_state(),
                            "rng": torch.get_rng_state(), "step": step + 1}, save)
                run.checkpoint(save)
        if run:
            run.finish()
        return model, losses

    def test_nanogpt(self):
        plain, losses = self.nanogpt(None)
        recorded, _ = self.nanogpt("runs/exp1")
        self.assertEqual(self.digest(plain), self.digest(recorded), "training is the same")
        recording = self.read()
        self.assertEqual([cells["scalars.loss"] for _, cells in sorted(recording.steps.items())], losses)
        for step, cells in recording.steps.items():
            self.assertLess({"phases.forward", "phases.backward", "phases.optimizer", "scalars.grad_norm", "tokens"}, set(cells))
            self.assertEqual(("digests.params" in cells, "digests.rng_pass" in cells), (step % 4 == 0,) * 2)
        self.assertEqual([name for name, _, _ in recording.regions], ["regions.evaluation"] * 6)

    def test_nanogpt_goes_on(self):
        self.nanogpt("runs/one", save="ckpt.pt")
        self.nanogpt("runs/two", load="ckpt.pt")
        self.assertEqual(sorted(self.read("runs/two").times), [8, 9, 10, 11])
        # The batch that nanoGPT fetches ahead is not in its checkpoint: the run goes on with the next one.
        self.check_resume("two", "runs/one", "runs/two", expect=(1, "The run did not resume correctly: loss at step 8"))

    def test_torchtune(self):
        """The loop of torchtune's recipes: the loss outside of the model, summed over tokens, gradients scaled before the step."""
        import torch

        model = gpt()
        optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
        schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda step: min(1.0, (step + 1) / 4))
        rows = torch.randint(0, 32, (48, 16), generator=torch.Generator().manual_seed(3))
        loader = torch.utils.data.DataLoader(rows, batch_size=4)
        run = tscope.auto(model, optimizer, "runs/exp1", digests_every=0)
        loss_of = torch.nn.CrossEntropyLoss(reduction="sum")
        expected, running, tokens = [], 0.0, 0
        for epoch in range(2):
            for i, batch in enumerate(loader):
                logits, _ = model(batch[:, :-1])
                count = batch[:, 1:].numel()
                loss = loss_of(logits.flatten(0, 1), batch[:, 1:].flatten())
                tokens += count
                running = running + loss.detach()
                loss.backward()
                if (i + 1) % 3 == 0:
                    for p in model.parameters():
                        p.grad *= 1 / tokens
                    norm = torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                    optimizer.step()
                    optimizer.zero_grad(set_to_none=True)
                    schedule.step()
                    run.log(loss=running / tokens, lr=schedule.get_last_lr()[0], grad_norm=norm, epoch=epoch)
                    run.amount(tokens=tokens)
                    expected.append((running / tokens).item())
                    running, tokens = 0.0, 0
        run.finish()
        recording = self.read()
        self.assertEqual([cells["scalars.loss"] for _, cells in sorted(recording.steps.items())], expected)
        self.assertEqual({cells["tokens"] for cells in recording.steps.values()}, {180.0})
        self.assertTrue(all("phases.data" in cells for cells in recording.steps.values()))

    def test_sharded(self):
        for rank, said in enumerate(self.ranks(2, SHARDED)):
            for name in ("fsdp", "fully_shard"):
                found = json.loads(next(line for line in said.splitlines() if line.startswith(f'["{name}"')))
                self.assertTrue(found[1], "training is the same")
                self.assertEqual(found[2], 0)
                recording = self.read(f"runs/{name}/rank{rank}")
                self.assertEqual(len(recording.times), 5)
                for step, cells in recording.steps.items():
                    self.assertLess({"phases.forward", "phases.backward", "phases.optimizer", "scalars.loss"}, set(cells))
                    self.assertEqual("digests.params" in cells, step % 2 == 0, "of this rank's part")
                    self.assertEqual("digests.rng_pass" in cells, step % 2 == 0)
                self.assertEqual([name for name, _, _ in recording.regions], ["regions.evaluation"])

    def test_example_of_the_readme(self):
        import torch

        os.environ.update(RANK="0", WORLD_SIZE="1", MASTER_ADDR="127.0.0.1", MASTER_PORT="0")
        torch.distributed.init_process_group("gloo", store=torch.distributed.HashStore(), rank=0, world_size=1)
        self.addCleanup(torch.distributed.destroy_process_group)
        model = torch.nn.Linear(8, 1)
        names = {"model": model, "optimizer": torch.optim.SGD(model.parameters(), lr=0.1), "tscope": tscope,
                 "DistributedDataParallel": torch.nn.parallel.DistributedDataParallel}
        self.example("tscope.auto(", names)
        names["model"](torch.ones(2, 8)).sum().backward()
        names["optimizer"].step()
        names["run"].finish()
        self.assertIn("phases.comm", self.read().steps[0])


# Trains a sharded model both ways with and without a record, and prints whether the parts of the parameters are the same.
SHARDED = """
import json, torch, torch.distributed as dist, tscope
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard
dist.init_process_group("gloo")

def train(kind, recorded):
    torch.manual_seed(0)
    model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.Tanh(), torch.nn.Linear(64, 1))
    if kind == "fsdp":
        model = FullyShardedDataParallel(model, device_id=torch.device("cpu"))
    else:
        fully_shard(model, mesh=init_device_mesh("cpu", (dist.get_world_size(),)))
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
    run = tscope.auto(model, optimizer, f"runs/{kind}", digests_every=2) if recorded else None
    torch.manual_seed(dist.get_rank())
    for _ in range(5):
        loss = model(torch.randn(8, 64)).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if run:
            run.log(loss=loss)
    model.eval()
    with torch.no_grad():
        model(torch.randn(8, 64))
    if run:
        run.finish()
    parts = [p.to_local() if hasattr(p, "to_local") else p for p in model.parameters()]
    return [bytes(p.detach().contiguous().view(torch.uint8).numpy()) for p in parts], run.cannot if run else 0

for kind in ("fsdp", "fully_shard"):
    without, _ = train(kind, False)
    given, cannot = train(kind, True)
    print(json.dumps([kind, given == without, cannot]), flush=True)
dist.destroy_process_group()
"""


if __name__ == "__main__":
    unittest.main()
