"""Which samples the steps of a run had: digests of their indices, as the program itself sees them."""

import contextlib
import functools
import gc
import importlib.util
import io
import json
import os
import subprocess
import sys
import unittest

import support
import tscope
from tscope import _indices

TORCH = importlib.util.find_spec("torch") is not None


@unittest.skipUnless(TORCH, "torch is not installed")
class Indices(support.Case):
    def loader(self, **how):
        import torch

        how = {"batch_size": 4, "shuffle": True, **how}
        return torch.utils.data.DataLoader(torch.arange(22), **how)  # a sample is its index

    def expected(self, batches):
        """Returns the digest of the indices of the batches of a step."""
        digests = [_indices.of_indices(batch.tolist()) for batch in batches]
        return functools.reduce(lambda x, y: (x * 0x9E3779B97F4A7C15 + y) % 2**64, digests)

    def check(self, seen, directory="runs/exp1", first=0):
        steps = self.read(directory).steps
        self.assertEqual({step: row.get("digests.indices") for step, row in steps.items()},
                         {step: self.expected(batches) for step, batches in enumerate(seen, first)})
        for step, batches in enumerate(seen, first):
            drawn = [sample for batch in batches for sample in batch.tolist()]
            self.assertEqual(self.samples(steps[step], directory), (len(drawn), drawn))

    def samples(self, row, directory="runs/exp1"):
        """Returns how many samples a step drew, and which: a stream of bits, as docs/digests.md has it."""
        with open(f"{directory}/facts.json", encoding="utf-8") as file:
            columns = json.load(file)["columns"]
        for name in row:
            if name.startswith("digests.samples_"):
                self.assertEqual(columns[name], {"role": "observation"})
        return support.samples(row)

    def model(self):
        import torch

        model = torch.nn.Linear(1, 1)
        return model, torch.optim.SGD(model.parameters(), lr=1e-4)

    def test_as_the_program_sees_them(self):
        import torch

        for workers in (0, 2):
            for door in ("start", "auto"):
                for persists in (False, True) if workers else (False,):
                    with self.subTest(door, workers=workers, persists=persists):
                        support.shutil.rmtree("runs", ignore_errors=True)
                        torch.manual_seed(1)
                        model, optimizer = self.model()
                        loader = self.loader(num_workers=workers, persistent_workers=persists)
                        run = self.start() if door == "start" else tscope.auto(model, optimizer, "runs/exp1")
                        seen, left = [], []
                        for epoch in range(3):
                            for i, batch in enumerate(run.data(loader) if door == "start" else loader):
                                if epoch == 1 and i == 2:  # workers have drawn more
                                    left = [batch]  # it was given, too, and is one of the step that follows
                                    break
                                if door == "start":
                                    run.begin_step()
                                model(batch.float()[:, None]).sum().backward()
                                optimizer.step()
                                if door == "start":
                                    run.end_step()
                                seen.append([*left, batch])
                                left = []
                        run.finish()
                        self.check(seen)

    def test_accumulation(self):
        with self.start() as run:
            seen = []
            batches = iter(run.data(self.loader(drop_last=True)))
            for passed_over in (1, 0):
                with run.step():
                    seen.append([next(batches) for _ in range(passed_over + 2)])
        self.check(seen)
        with open("runs/exp1/facts.json", encoding="utf-8") as file:
            self.assertEqual(json.load(file)["work"]["loader"]["batches_per_step"], 2)

    def test_numbers_of_the_program(self):
        """The first number may be any; where numbers have gaps a batch that came before its step is not known, and none is wrong."""
        for numbers in ([1, 2, 3, 4, 5], [0, 10, 20, 30, 40]):
            support.shutil.rmtree("runs", ignore_errors=True)
            seen = {}
            with self.start() as run:
                for step, batch in zip(numbers, run.data(self.loader())):
                    with run.step(step):
                        seen[step] = self.expected([batch])
            found = {step: row["digests.indices"] for step, row in self.read().steps.items() if "digests.indices" in row}
            self.assertEqual(sorted(self.read().steps), numbers)
            self.assertEqual(found, {step: bits for step, bits in seen.items() if step in found})
            self.assertEqual(sorted(found), numbers if numbers[0] == 1 else [0])

    def test_samples_that_have_room(self):
        """Two bytes for each sample of a batch, and 128 bytes: of a batch of 512 of a large data set the first 50."""
        import torch

        class Large(torch.utils.data.Dataset):
            def __init__(self, n):
                self.n = n

            def __len__(self):
                return self.n

            def __getitem__(self, i):
                return i

        for n, size, known in ((60_000, 32, 32), (1_000_000, 32, 27), (1_000_000, 512, 50), (100, 128, 128), (60, 256, 128), (1, 3, 3)):
            with self.subTest(n=n, size=size):
                support.shutil.rmtree("runs", ignore_errors=True)
                order = [n - 1, *torch.randint(n, (size - 1,)).tolist()]
                with self.start() as run:
                    for batch in run.data(torch.utils.data.DataLoader(Large(n), batch_size=size, sampler=order)):
                        with run.step():
                            self.assertEqual(batch.tolist(), order)
                row = self.read().steps[0]
                self.assertEqual(self.samples(row), (size, order[:known]))
                words = sum(name.startswith("digests.samples_") for name in row)
                self.assertLessEqual(8 * words, min(2 * size + 3 + 7, 128))  # with 22 bits beside them, in whole words

    def test_a_loader_that_was_given_its_batches(self):
        """It has a sampler that it never asks, and no size of a batch: facts are those of what it was given."""
        import torch

        sampler = torch.utils.data.BatchSampler(torch.utils.data.RandomSampler(range(22)), batch_size=4, drop_last=True)
        with self.start() as run:
            for _ in run.data(torch.utils.data.DataLoader(torch.arange(22), batch_sampler=sampler)):
                with run.step():
                    pass
        with open("runs/exp1/facts.json", encoding="utf-8") as file:
            facts = json.load(file)
        self.assertEqual((facts["data"]["sampler"], facts["data"]["drop_last"]), ("RandomSampler", True))
        self.assertEqual((facts["work"]["loader"]["batch_size"], facts["work"]["loader"]["batches"]), (4, 5))

    def test_samples_that_are_no_indices(self):
        import torch

        class Named(torch.utils.data.Dataset):
            def __getitem__(self, name):
                return int(str(name)[-1])

        for order in (["a1", "a2"], [-2, -1], [1 << 48, 0]):
            with self.subTest(order), contextlib.redirect_stderr(io.StringIO()):
                support.shutil.rmtree("runs", ignore_errors=True)
                with self.start() as run:
                    for _ in run.data(torch.utils.data.DataLoader(Named(), batch_size=2, sampler=order)):
                        with run.step():
                            pass
                row = self.read().steps[0]
                self.assertIn("digests.indices", row)
                self.assertFalse(any(name.startswith("digests.samples_") for name in row))

    @unittest.skipUnless(os.environ.get("TSCOPE_PROGRAM"), "TSCOPE_PROGRAM names no program")
    def test_diff_names_the_samples(self):
        """From the step on at which a sampler draws others, `tscope diff` says which."""
        import torch

        order = torch.randperm(1000, generator=torch.Generator().manual_seed(3)).tolist()
        other = list(order)
        for place, sample in ((8 * 16 + 2, 17), (8 * 16 + 9, 5), (8 * 16 + 15, 8)):
            other[place] = sample
        turned = list(order)
        turned[8 * 16], turned[8 * 16 + 1] = order[8 * 16 + 1], order[8 * 16]
        for name, drawn in (("one", order), ("two", other), ("three", turned)):
            torch.manual_seed(0)
            model, optimizer = self.model()
            run = tscope.auto(model, optimizer, f"runs/{name}", digests_every=1)
            data = torch.arange(1000).float()
            for batch in torch.utils.data.DataLoader(data, batch_size=16, sampler=drawn[:320]):
                (model(batch[:, None] / 1000) ** 2).mean().backward()
                optimizer.step()
                optimizer.zero_grad()
            run.finish()
        a, b, c = order[8 * 16 + 2], order[8 * 16 + 9], order[8 * 16 + 15]
        said = f"at step 8, 3 of 16 samples differ: the second run has sample 17 instead of {a}, 5 instead of {b} and 8 instead of {c}"
        self.assertIn(said, self.diff("two"))
        x, y = order[8 * 16], order[8 * 16 + 1]
        said = "at step 8 the same 16 samples come in another order: the second run has sample "
        said += f"{y} instead of {x} and {x} instead of {y}"
        self.assertIn(said, self.diff("three"))

    def diff(self, name):
        words = [os.environ["TSCOPE_PROGRAM"], "diff", "runs/one", f"runs/{name}", "--no-pager"]
        done = subprocess.run(words, capture_output=True, text=True)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return " ".join(done.stdout.split())

    def test_goes_on(self):
        """Two batches a step, the first before it begins, in a run that goes on at step 6."""
        with self.start() as run:
            run.resumed_from("somewhere", step=6)
            given, seen = iter(run.data(self.loader(drop_last=True))), []
            for _ in range(2):
                first = next(given)
                with run.step():
                    seen.append([first, next(given)])
        self.check(seen, first=6)

    def test_evaluation_has_none(self):
        import torch

        model, optimizer = self.model()
        run = tscope.auto(model, optimizer, "runs/exp1")
        train, held = self.loader(), self.loader(batch_size=8)
        seen = []
        for _ in range(2):
            model.train()
            for batch in train:
                model(batch.float()[:, None]).sum().backward()
                optimizer.step()
                seen.append([batch])
            model.eval()
            with torch.no_grad():
                for batch in held:
                    model(batch.float()[:, None])
        run.finish()
        self.assertGreater(len(seen), 10)
        found = self.read().steps
        for step, batches in enumerate(seen):
            self.assertEqual(found[step]["digests.indices"], self.expected(batches), step)

    def test_zero_code(self):
        self.untouched("")

    def test_zero_code_beside_another_thread(self):
        """What another thread loads and calls before training is none of the steps'."""
        self.untouched(
            "import threading\n"
            "def warm():\n"
            "    for batch in torch.utils.data.DataLoader(torch.arange(3), batch_size=3): model(batch.float()[:, None]).sum()\n"
            "thread = threading.Thread(target=warm); thread.start(); thread.join()\n"
        )

    def untouched(self, more):
        text = (
            "import torch\n"
            "torch.manual_seed(1)\n"
            "model = torch.nn.Linear(1, 1)\n"
            "optimizer = torch.optim.SGD(model.parameters(), lr=1e-4)\n"
            "loader = torch.utils.data.DataLoader(torch.arange(22), batch_size=4, shuffle=True)\n"
            f"{more}"
            "for epoch in range(3):\n"
            "    for batch in loader:\n"
            "        model(batch.float()[:, None]).sum().backward(); optimizer.step(); optimizer.zero_grad()\n"
            "        print(*batch.tolist())\n"
        )
        with open("train.py", "w", encoding="utf-8") as file:
            file.write(text)
        words = [sys.executable, "-m", "tscope", "--directory", "runs/exp1", "train.py"]
        environment = {**os.environ, "OMP_NUM_THREADS": "1"}
        said = support.subprocess.run(words, capture_output=True, text=True, check=True, env=environment).stdout
        import torch

        self.check([[torch.tensor([int(word) for word in line.split()])] for line in said.splitlines()])

    @unittest.skipUnless(importlib.util.find_spec("accelerate"), "accelerate is not installed")
    def test_accelerate_fetches_ahead(self):
        import accelerate

        model, optimizer = self.model()
        accelerator = accelerate.Accelerator(cpu=True)
        model, optimizer, loader = accelerator.prepare(model, optimizer, self.loader())
        run = tscope.auto(model, optimizer.optimizer, "runs/exp1")
        seen = []
        for epoch in range(2):
            for batch in loader if epoch == 0 else accelerate.skip_first_batches(loader, 2):
                accelerator.backward(model(batch.float()[:, None]).sum())
                optimizer.step()
                seen.append([batch])
        run.finish()
        self.check(seen)

    def test_epochs_of_a_sampler(self):
        import torch

        sampler = torch.utils.data.DistributedSampler(range(22), num_replicas=2, rank=0)
        loader = self.loader(shuffle=False, sampler=sampler, num_workers=1)
        with self.start() as run:
            for epoch in range(3):
                sampler.set_epoch(epoch)
                for _ in run.data(loader):
                    with run.step():
                        pass
        told = [(step, value) for name, step, value in self.read().events if name == "events.sampler epoch"]
        self.assertEqual([value for _, value in told], [0.0, 1.0, 2.0])
        with open("runs/exp1/facts.json", encoding="utf-8") as file:
            self.assertIsInstance(json.load(file)["work"]["loader"]["base_seed"], int)

    def trained(self, name, seed=1, skip=0, steps=40):
        """Trains a run whose loss depends on its batches, without digests of them."""
        import torch

        torch.manual_seed(0)
        model, optimizer = self.model()
        generator = torch.Generator().manual_seed(seed)
        order = torch.randperm(512, generator=generator).tolist()[4 * skip :]
        loader = torch.utils.data.DataLoader(torch.arange(512), batch_size=4, sampler=order)
        with self.start(f"runs/{name}") as run:
            for i, batch in enumerate(run.data(loader)):
                if i == steps:
                    break
                with run.step():
                    loss = (model(batch.float()[:, None] / 512) - 1).square().mean()
                    loss.backward()
                    run.mark("backward")
                    optimizer.step()
                    optimizer.zero_grad()
                    run.log(loss=loss, lr=1e-4)

    @unittest.skipUnless(os.environ.get("TSCOPE_PROGRAM"), "TSCOPE_PROGRAM names no program")
    def test_diff(self):
        """Another order is found by the indices alone, at the step at which it begins, and no order that is the same."""
        self.trained("a")
        self.trained("same")
        self.trained("order", seed=2)
        self.trained("shifted", skip=3)
        words = [os.environ["TSCOPE_PROGRAM"], "diff", "--json", "--no-pager", "./runs/a"]
        environment = {**os.environ, "TSCOPE_STORE": os.path.join(self.folder, "store")}
        found = {}
        for name in ("same", "order", "shifted"):
            done = support.subprocess.run([*words, f"./runs/{name}"], capture_output=True, text=True, env=environment)
            found[name] = done.stdout
        self.assertNotIn("data_order", found["same"])
        answer = json.loads(found["order"])
        self.assertEqual((answer["diagnosis"]["cause"], answer["diagnosis"]["step"]), ("data_order", 0))
        shifted = json.loads(found["shifted"])["diagnosis"]
        self.assertIn("3 steps", shifted["sentence"] + " ".join(shifted["evidence_for"]))

    def test_no_indices(self):
        """An iterable has none, and no digest is made up."""
        import torch

        class Numbers(torch.utils.data.IterableDataset):
            def __iter__(self):
                return iter(range(8))

        with self.start() as run:
            for _ in run.data(torch.utils.data.DataLoader(Numbers(), batch_size=2)):
                with run.step():
                    pass
        self.assertFalse(any("digests.indices" in row for row in self.read().steps.values()))

    def test_patches_are_taken_back(self):
        from torch.utils.data.dataloader import _BaseDataLoaderIter as Iterator

        before = Iterator._next_index, Iterator._reset
        model, optimizer = self.model()
        run = tscope.auto(model, optimizer, "runs/exp1")
        for _ in run.data(self.loader()):
            break
        run.finish()
        gc.collect()
        self.assertEqual((Iterator._next_index, Iterator._reset), before)


if __name__ == "__main__":
    unittest.main()
