"""A loop with an Accelerator of Hugging Face that logs to the tracker."""

import importlib.util
import json
import os
import unittest

import support
import tscope

THERE = all(importlib.util.find_spec(name) is not None for name in ("torch", "accelerate"))


@unittest.skipUnless(THERE, "accelerate is not installed")
class Loops(support.Frameworks):
    def train(self, tracker, *, load=None, save=None, fails_at=None, epochs=1, named=False, accumulate=2):
        """Trains, with an evaluation behind every epoch, and returns the model."""
        import torch
        from accelerate import Accelerator

        torch.manual_seed(0)
        accelerator = Accelerator(cpu=True, gradient_accumulation_steps=accumulate, log_with=tracker)
        if tracker is not None:
            accelerator.init_trackers("exp1", config={"lr": 0.1})
        model = torch.nn.Linear(8, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        rows = torch.randn(48, 8, generator=torch.Generator().manual_seed(1))
        model, optimizer, loader = accelerator.prepare(model, optimizer, torch.utils.data.DataLoader(rows, batch_size=4))
        if named:
            tracker.steps(model, optimizer)
        step = 0
        if load:
            accelerator.load_state(load)
            step = 6
        for epoch in range(step // 6, epochs):
            for batch in loader:
                with accelerator.accumulate(model):
                    if step == fails_at:
                        raise ZeroDivisionError("of the model")
                    loss = model(batch).square().mean()
                    accelerator.backward(loss)
                    optimizer.step()
                    optimizer.zero_grad()
                if accelerator.sync_gradients:
                    step += 1
                    accelerator.log({"loss": loss.detach(), "note": "no number"}, step=step)
            model.eval()
            with torch.no_grad():
                accelerator.log({"eval_loss": model(rows).square().mean()}, step=step)
            model.train()
            if save:
                accelerator.save_state(f"{save}-{epoch}")
        accelerator.end_training()
        return accelerator.unwrap_model(model)

    def tracker(self, *args, **options):
        from tscope.integrations.accelerate import TscopeTracker

        tracker = TscopeTracker(*args, **options)
        self.addCleanup(lambda: tracker.run.finish())
        return tracker

    def test_records_what_the_loop_logs(self):
        tracker = self.tracker("runs/exp1")
        self.train(tracker, epochs=2)
        self.assertEqual(tracker.run.trouble["cannot"], 0)
        recording = self.read()
        self.assertEqual(sorted(recording.times), list(range(12)), "a step is the optimizer's, of two micro-batches")
        for step, cells in recording.steps.items():
            self.assertEqual(cells["scalars.lr"], 0.1)
            self.assertLess({"scalars.loss", "phases.forward", "phases.backward", "phases.optimizer", "phases.data"}, set(cells))
            self.assertEqual("scalars.eval_loss" in cells, step in (5, 11))
        self.assertEqual([name for name, _, _ in recording.regions], ["regions.evaluation"] * 2)
        with open("runs/exp1/run.json", encoding="utf-8") as file:
            self.assertEqual(json.load(file)["config"], {"lr": 0.1})

    def test_loss_is_the_mean_of_the_micro_batches(self):
        import torch
        from accelerate import Accelerator

        for n in (1, 2, 4, 8):
            torch.manual_seed(0)
            accelerator = Accelerator(cpu=True, gradient_accumulation_steps=n, log_with=self.tracker(f"runs/{n}"))
            accelerator.init_trackers("exp1")
            model = torch.nn.Linear(8, 1)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            loader = torch.utils.data.DataLoader(torch.randn(64, 8), batch_size=4)
            model, optimizer, loader = accelerator.prepare(model, optimizer, loader)
            printed, losses = [], []
            for batch in loader:
                with accelerator.accumulate(model):
                    loss = model(batch).square().mean()
                    accelerator.backward(loss)
                    losses.append(loss.item())
                    optimizer.step()
                    optimizer.zero_grad()
                if accelerator.sync_gradients:
                    printed.append(sum(losses) / n)
                    losses = []
            accelerator.end_training()
            found = [cells for _, cells in sorted(self.read(f"runs/{n}").steps.items())]
            self.assertEqual(len(found), 16 // n)
            for cells, loss in zip(found, printed):
                self.assertAlmostEqual(cells["scalars.loss"] / loss, 1, delta=1e-6)

    def test_the_first_forward_is_seen(self):
        import torch

        self.train(self.tracker("runs/exp1"), accumulate=1)
        recording = self.read()
        self.assertEqual(len(recording.times), 12)
        rows = torch.randn(48, 8, generator=torch.Generator().manual_seed(1))
        self.assertLess({"digests.params", "digests.rng_pass"}, set(recording.steps[0]))
        self.train(self.tracker("runs/exp2", digests_every=3), accumulate=1)
        self.assert_batches(self.read("runs/exp2"), [[rows[4 * i : 4 * i + 4]] for i in range(12)], every=3)

    def test_training_is_the_same(self):
        from accelerate import Accelerator

        before = Accelerator.save_state
        one = self.train(None)
        two = self.train(self.tracker("runs/exp1", digests_every=2), named=True)
        self.assertEqual(self.digest(one), self.digest(two))
        for name in ("digests.params", "digests.rng_pass"):
            self.assertEqual(sum(name in cells for cells in self.read().steps.values()), 3)
        self.assertIs(Accelerator.save_state, before, "everything is taken back")

    def test_goes_on_from_a_state(self):
        self.train(self.tracker("runs/one", digests_every=1), epochs=2, save="state", named=True)
        self.train(self.tracker("runs/two", digests_every=1), epochs=2, load="state-0", named=True)
        with open("runs/two/facts.json", encoding="utf-8") as file:
            lineage = json.load(file)["lineage"]
        self.assertEqual(lineage, {"checkpoint": "state-0", "parent": "one", "resumed_step": 6})
        self.assertEqual(sorted(self.read("runs/two").times), list(range(6, 12)))
        self.check_resume("two", "runs/one", "runs/two")

    def test_takes_its_hooks_back(self):
        from accelerate import Accelerator

        from tscope._auto import _waits

        for config in ({"lr": 0.1}, None):
            accelerator = Accelerator(cpu=True, log_with=self.tracker("runs/exp1"))
            accelerator.init_trackers("exp1", config=config)
            self.assertEqual(len(_waits._autos), 1)
            accelerator.end_training()
            self.assertEqual(len(_waits._autos), 0)

    def test_broken_recording_stops_nobody(self):
        one = self.train(None)
        broken = self.broken(besides=("begin_step", "end_step", "_end_region"))  # which are the hooks' of tscope.auto
        said = []
        self.quietly(lambda: said.append(self.train(self.tracker(run=broken))))
        self.assertEqual(self.digest(one), self.digest(said[0]))

    def test_folder_that_cannot_be_made_stops_nobody(self):
        with open("runs", "w", encoding="utf-8"):
            pass
        said = self.quietly(lambda: self.train(self.tracker("runs/exp1")))
        self.assertEqual(said.count("nothing is recorded, and training goes on"), 1, said)
        with self.assertRaises(OSError):
            self.quietly(lambda: self.train(self.tracker("runs/exp1", strict=True)))

    def test_exceptions_of_training_pass(self):
        tracker = self.tracker("runs/exp1")
        with self.assertRaisesRegex(ZeroDivisionError, "of the model"):
            self.train(tracker, fails_at=3)
        tracker.run.finish()
        self.assertEqual(len(self.read().times), 3)

    def test_example_of_the_readme(self):
        import accelerate

        class Cpu(accelerate.Accelerator):
            def __init__(self, **how):
                super().__init__(cpu=True, **how)

        names = {"Accelerator": Cpu, "cfg": {"lr": 0.1}}
        self.example("init_trackers", names)
        names["accelerator"].log({"loss": 0.5}, step=0)
        names["accelerator"].end_training()
        self.assertTrue(os.path.exists("runs/exp1/recording.tscope"))
        self.assertIsNone(tscope._run.latest())


if __name__ == "__main__":
    unittest.main()
