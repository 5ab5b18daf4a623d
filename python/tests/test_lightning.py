"""A Trainer of Lightning that fits with the callback."""

import importlib
import importlib.util
import json
import logging
import os
import sys
import unittest

import support
import tscope

# Both packages are one code under two names; the tests that a process of its own runs take the other one.
NAME = os.environ.get("TSCOPE_TEST_LIGHTNING", "lightning.pytorch")
THERE = importlib.util.find_spec("torch") is not None and importlib.util.find_spec(NAME.partition(".")[0]) is not None


def module():
    """Returns a LightningModule that logs a step's loss, a mean of the epoch and a validation's loss."""
    import torch

    lightning = importlib.import_module(NAME)

    class Module(lightning.LightningModule):
        fails_at = None

        def __init__(self, lr=0.1):
            super().__init__()
            self.save_hyperparameters()
            self.net = torch.nn.Linear(8, 1)

        def training_step(self, batch, number):
            if self.global_step == self.fails_at:
                raise ZeroDivisionError("of the model")
            loss = self.net(batch).square().mean()
            self.log("train_loss", loss, on_step=True, on_epoch=True)
            return loss

        def validation_step(self, batch, number):
            self.log("val_loss", self.net(batch).square().mean())

        test_step = validation_step

        def configure_optimizers(self):
            optimizer = torch.optim.SGD(self.parameters(), lr=self.hparams.lr)
            return [optimizer], [torch.optim.lr_scheduler.StepLR(optimizer, 1, gamma=0.5)]

    torch.manual_seed(0)
    return Module()


@unittest.skipUnless(THERE, "lightning is not installed")
class Fits(support.Frameworks):
    def trainer(self, *callbacks, epochs=2, **more):
        lightning = importlib.import_module(NAME)
        logging.getLogger(NAME).setLevel(logging.ERROR)
        how = {"accumulate_grad_batches": 2, "log_every_n_steps": 1, "gradient_clip_val": 0.5, **more}
        return self.quietly_made(lightning.Trainer, max_epochs=epochs, accelerator="cpu", devices=1, callbacks=list(callbacks),
                                 logger=False, enable_progress_bar=False, enable_model_summary=False, default_root_dir="out", **how)

    def quietly_made(self, kind, **how):
        made = []
        self.quietly(lambda: made.append(kind(**how)))
        return made[0]

    def loader(self):
        import torch

        return torch.utils.data.DataLoader(torch.randn(32, 8, generator=torch.Generator().manual_seed(1)), batch_size=4)

    def fit(self, trainer, model, **how):
        return self.quietly(lambda: trainer.fit(model, self.loader(), self.loader(), **how))

    def callback(self, *args, **options):
        from tscope.integrations.lightning import TscopeCallback

        callback = TscopeCallback(*args, **options)
        self.addCleanup(lambda: callback.run.finish())
        return callback

    def test_records_what_lightning_knows(self):
        callback = self.callback(directory="runs/exp1", digests_every=2)
        losses, means, fed = [], [], []

        lightning = importlib.import_module(NAME)

        class Notes(lightning.Callback):
            def on_train_batch_end(self, trainer, pl_module, outputs, batch, batch_idx):
                losses.append(outputs["loss"].item())
                if batch_idx % 2 == 0:
                    fed.append([])
                fed[-1].append(batch)

            def on_train_epoch_end(self, trainer, pl_module):
                means.append((trainer.callback_metrics["train_loss_epoch"].item(), trainer.callback_metrics["val_loss"].item()))

        trainer = self.trainer(callback, Notes())
        model = module()
        self.fit(trainer, model)
        self.quietly(lambda: trainer.test(model, self.loader()))
        callback.run.finish()
        self.assertEqual(callback.run.trouble["cannot"], 0)
        recording = self.read()
        self.assertEqual(sorted(recording.times), list(range(8)), "steps have the numbers that loggers have")
        self.assert_batches(recording, fed, every=2)
        for step, cells in recording.steps.items():
            both = losses[2 * step], losses[2 * step + 1]
            self.assertEqual((cells["scalars.loss"], cells["micro_batches"]), (sum(both), 2))
            self.assertEqual([cells[f"scalars.micro_loss.{i}"] for i in range(2)], [2 * loss for loss in both])
            self.assertEqual((cells["scalars.lr"], cells["scalars.epoch"]), (0.1 / 2 ** (step // 4), step // 4))
            self.assertAlmostEqual(cells["scalars.train_loss_step"], 2 * losses[2 * step + 1], places=6)
            self.assertLess({"phases.data", "phases.forward", "phases.backward", "phases.optimizer"}, set(cells))
            for name in ("digests.grads", "digests.rng_pass"):
                self.assertEqual(name in cells, step in (0, 4) or step % 2 == 0)
        for epoch, step in ((0, 3), (1, 7)):
            cells = recording.steps[step]
            self.assertEqual(cells["scalars.train_loss_epoch"], means[epoch][0])
            if epoch == 0:  # the test's takes its place behind the last step, under the module's name for it
                self.assertEqual(cells["scalars.val_loss"], means[epoch][1])
        names = [name for name, _, _ in recording.regions]
        found = (names.count("regions.evaluation"), names.count("regions.evaluation data"))
        self.assertEqual(found, (3, 18), "two validations and the sanity check")
        self.assertEqual([name for name, _, _ in recording.events], ["events.checkpoint"] * 2)
        with open("runs/exp1/run.json", encoding="utf-8") as file:
            self.assertEqual(json.load(file)["config"], {"lr": 0.1})

    def test_loss_is_the_mean_of_the_micro_batches(self):
        for n in (1, 2, 4, 8):
            callback, model, printed = self.callback(directory=f"runs/{n}"), module(), []
            step = model.training_step

            def training_step(batch, number, step=step, printed=printed):
                loss = step(batch, number)
                printed.append(loss.item())
                return loss

            model.training_step = training_step
            self.fit(self.trainer(callback, epochs=1, accumulate_grad_batches=n), model)
            callback.run.finish()
            found = [cells for _, cells in sorted(self.read(f"runs/{n}").steps.items())]
            self.assertEqual(len(found), 8 // n)
            for i, cells in enumerate(found):
                self.assertAlmostEqual(cells["scalars.loss"] / (sum(printed[n * i : n * i + n]) / n), 1, delta=1e-6)

    def test_samples_of_each_step(self):
        """Also with workers, epochs that are left early, validations within them, and a length that is not known."""
        import torch

        class Unsized(torch.utils.data.BatchSampler):
            __len__ = None  # Lightning fetches ahead then

        def trains(fetches, workers):
            callback, model, seen = self.callback(directory=f"runs/{fetches}{workers}"), module(), []
            data = [(torch.full((8,), float(i)) / 30, i) for i in range(30)]

            def training_step(batch):
                if fetches == "itself":
                    batch, _, _ = next(batch)
                seen.append(batch[1].tolist())
                return model.net(batch[0]).square().mean()

            if fetches == "itself":
                type(model).training_step = lambda self, dataloader_iter: training_step(dataloader_iter)
            else:
                model.training_step = training_step
            validates = model.validation_step
            model.validation_step = lambda batch, batch_idx: validates(batch[0], batch_idx)
            how = {"num_workers": workers, "persistent_workers": workers > 0}
            sampler = torch.utils.data.RandomSampler(data)
            loader = (torch.utils.data.DataLoader(data, batch_sampler=Unsized(sampler, 4, False), **how) if fetches == "unsized" else
                      torch.utils.data.DataLoader(data, batch_size=4, shuffle=True, **how))
            others = torch.utils.data.DataLoader(data, batch_size=5, shuffle=True)
            trainer = self.trainer(callback, epochs=3, accumulate_grad_batches=1, val_check_interval=2,
                                   **{} if fetches == "unsized" else {"limit_train_batches": 6})
            self.quietly(lambda: trainer.fit(model, loader, others))
            callback.run.finish()
            with open(f"runs/{fetches}{workers}/facts.json", encoding="utf-8") as file:
                seed = json.load(file)["work"]["loader"].get("base_seed")
            return seed, seen, [support.samples(row)[1] for _, row in sorted(self.read(f"runs/{fetches}{workers}").steps.items())]

        for fetches, workers in (("ahead", 0), ("ahead", 2), ("unsized", 0), ("itself", 0)):
            with self.subTest(fetches, workers=workers):
                seed, seen, found = trains(fetches, workers)
                self.assertEqual(len(seen), 24 if fetches == "unsized" else 18)
                if fetches == "itself":
                    self.assertEqual(found, [[]] * 18, "it is not known when the module fetches")
                elif fetches == "unsized":
                    self.assertEqual(found, [[], *seen[1:]], "the first was fetched before training began")
                else:
                    self.assertEqual(found, seen)
                self.assertEqual(seed is not None, workers > 0)

    def test_training_is_the_same(self):
        digests = []
        for callbacks in ((), (self.callback(directory="runs/exp1"),)):
            trainer, model = self.trainer(*callbacks), module()
            self.fit(trainer, model)
            digests.append(self.digest(model))
        self.assertEqual(*digests)
        self.assertNotIn("save_checkpoint", vars(trainer), "everything is taken back")

    def test_goes_on_from_a_checkpoint(self):
        lightning = importlib.import_module(NAME)
        two = self.callback(directory="runs/two")
        saves = lightning.callbacks.ModelCheckpoint("saved", save_top_k=-1)
        zero = self.callback(directory="runs/zero")
        self.fit(self.trainer(zero, saves, epochs=3), module())
        zero.run.finish()
        self.fit(self.trainer(two, epochs=3), module(), ckpt_path="saved/epoch=1-step=8.ckpt")
        two.run.finish()
        with open("runs/two/facts.json", encoding="utf-8") as file:
            lineage = json.load(file)["lineage"]
        self.assertEqual(lineage, {"checkpoint": "saved/epoch=1-step=8.ckpt", "parent": "zero", "resumed_step": 8})
        self.assertEqual(sorted(self.read("runs/two").times), [8, 9, 10, 11])
        # Lightning restores no generator of random numbers, and tscope says so.
        self.check_resume("two", "runs/zero", "runs/two", expect=(1, "The random generators were not restored"))

    def test_broken_recording_stops_nobody(self):
        models = []
        for callbacks in ((), (self.callback(run=self.broken()),)):
            models.append(module())
            self.fit(self.trainer(*callbacks), models[-1])
        self.assertEqual(*map(self.digest, models))

    def test_folder_that_cannot_be_made_stops_nobody(self):
        with open("runs", "w", encoding="utf-8"):
            pass
        said = self.fit(self.trainer(self.callback(directory="runs/exp1")), module())
        self.assertEqual(said.count("nothing is recorded, and training goes on"), 1, said)
        with self.assertRaises(OSError):
            self.fit(self.trainer(self.callback(directory="runs/exp1", strict=True)), module())

    def test_exceptions_of_training_pass(self):
        callback, model = self.callback(directory="runs/exp1"), module()
        model.fails_at = 3
        with self.assertRaisesRegex(ZeroDivisionError, "of the model"):
            self.fit(self.trainer(callback), model)
        callback.run.finish()
        recording = self.read()
        self.assertEqual(sorted(recording.times), [0, 1, 2, 3])
        self.assertEqual(recording.events, [("events.exception", 3, "ZeroDivisionError")])

    def test_manual_optimization(self):
        import torch

        model, callback = module(), self.callback(directory="runs/exp1")
        model.automatic_optimization = False

        def step(batch, batch_idx):
            for optimizer in model.optimizers():
                loss = model.net(batch).square().mean()
                optimizer.zero_grad()
                model.manual_backward(loss)
                optimizer.step()

        model.training_step = step
        model.configure_optimizers = lambda: [torch.optim.SGD(model.parameters(), lr=0.1), torch.optim.SGD(model.parameters(), lr=0.2)]
        self.fit(self.trainer(callback, accumulate_grad_batches=1, gradient_clip_val=None), model)
        callback.run.finish()
        recording = self.read()
        self.assertEqual(sorted(recording.times), list(range(16)), "one with two optimizers is one")
        self.assertTrue(all("phases.optimizer" in cells for cells in recording.steps.values()))

    def test_example_of_the_readme(self):
        names = {"L": importlib.import_module(NAME)}
        self.quietly(lambda: self.example("L.Trainer(", names))
        self.fit(names["trainer"], module())
        tscope._run.latest().finish()
        self.assertEqual(len(self.read().times), 16)

    @unittest.skipIf(NAME == "pytorch_lightning" or importlib.util.find_spec("pytorch_lightning") is None, "it is no other package")
    def test_the_other_name_of_the_package(self):
        import subprocess

        done = subprocess.run([sys.executable, "-m", "unittest", "test_lightning.Fits.test_records_what_lightning_knows"],
                              cwd=os.path.dirname(os.path.abspath(__file__)), capture_output=True, text=True,
                              env={**os.environ, "TSCOPE_TEST_LIGHTNING": "pytorch_lightning"})
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertNotIn("skipped", done.stderr)


if __name__ == "__main__":
    unittest.main()
