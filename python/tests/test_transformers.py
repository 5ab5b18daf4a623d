"""A Trainer of Hugging Face transformers that trains with the callback."""

import functools
import importlib.util
import json
import unittest

import support
import tscope

THERE = all(importlib.util.find_spec(name) is not None for name in ("torch", "transformers", "accelerate"))


@unittest.skipUnless(THERE, "transformers is not installed")
class Trainers(support.Frameworks):
    def trainer(self, callback=None, steps=8, out="out", model=None, **more):
        import torch
        import transformers

        class Data(torch.utils.data.Dataset):
            def __len__(self):
                return 64

            def __getitem__(self, i):
                tokens = torch.randint(0, 64, (16,), generator=torch.Generator().manual_seed(i))
                return {"input_ids": tokens, "labels": tokens}

        transformers.logging.set_verbosity_error()
        transformers.set_seed(0)
        if model is None:
            shape = transformers.GPT2Config(vocab_size=64, n_positions=16, n_embd=32, n_layer=2, n_head=2)
            model = transformers.GPT2LMHeadModel(shape)
        how = {"per_device_train_batch_size": 4, "gradient_accumulation_steps": 2, "logging_steps": 1, "eval_strategy": "steps",
               "eval_steps": 4, "save_steps": 4, "max_grad_norm": 0.5, **more}
        args = transformers.TrainingArguments(out, max_steps=steps, report_to=[], use_cpu=True, disable_tqdm=True, **how)
        return transformers.Trainer(model, args, train_dataset=Data(), eval_dataset=Data(), callbacks=[callback] if callback else [])

    def callback(self, *args, **options):
        from tscope.integrations.transformers import TscopeCallback

        callback = TscopeCallback(*args, **options)
        self.addCleanup(lambda: callback.run.finish())
        return callback

    def test_records_what_trainer_knows(self):
        callback = self.callback(directory="runs/exp1", digests_every=2)
        trainer = self.trainer(callback)
        fed, step = [], trainer.training_step

        def training_step(model, inputs, *rest):
            if len(fed) == trainer.state.global_step:
                fed.append([])
            fed[-1].append(dict(inputs))
            return step(model, inputs, *rest)

        trainer.training_step = training_step
        self.quietly(trainer.train)
        callback.run.finish()
        self.assertEqual(callback.run.trouble["cannot"], 0)
        recording = self.read()
        self.assert_batches(recording, fed[1:4], first=2, every=2)
        self.assertEqual(sorted(recording.times), list(range(1, 9)), "steps have the numbers that Trainer gives them")
        logged = {}
        for entry in trainer.state.log_history:
            logged.setdefault(entry["step"], {}).update(entry)
        for step, cells in recording.steps.items():
            self.assertAlmostEqual(cells["scalars.loss"] / logged[step]["loss"], 1, delta=1e-6)
            for name, ours in (("grad_norm", "grad_norm"), ("learning_rate", "lr"), ("epoch", "epoch")):
                self.assertEqual(cells[f"scalars.{ours}"], logged[step][name], (step, name))
            self.assertEqual((cells["samples"], cells["tokens"]), (8, 128), "two micro-batches of four times sixteen")
            self.assertLess({"phases.data", "phases.forward", "phases.backward", "phases.optimizer"}, set(cells))
            self.assertEqual("scalars.eval_loss" in cells, step in (4, 8))
            for name in ("digests.grads", "digests.rng_pass"):
                self.assertEqual(name in cells, step in (1, 5) or step % 2 == 0, "and behind a checkpoint")
        self.assertEqual(recording.steps[4]["scalars.eval_loss"], logged[4]["eval_loss"])
        names = [name for name, _, _ in recording.regions]
        self.assertEqual((names.count("regions.evaluation"), names.count("regions.evaluation data")), (16, 16))
        saved = [("events.checkpoint", "out/checkpoint-4"), ("events.checkpoint", "out/checkpoint-8")]
        self.assertEqual([(name, value) for name, _, value in recording.events], [("events.sampler epoch", 0.0), *saved])
        with open("runs/exp1/run.json", encoding="utf-8") as file:
            config = json.load(file)["config"]
        self.assertEqual((config["max_grad_norm"], config["model"]["n_embd"]), (0.5, 32))

    def test_what_trainer_prints_is_the_mean_of_its_steps(self):
        for n in (1, 2, 4, 8):
            callback = self.callback(directory=f"runs/{n}")
            trainer = self.trainer(callback, gradient_accumulation_steps=n, logging_steps=2, eval_strategy="no", save_strategy="no")
            parts, step = [], trainer.training_step

            def training_step(model, inputs, *rest, step=step, parts=parts):
                loss = step(model, inputs, *rest)
                parts.append(loss.item())
                return loss

            trainer.training_step = training_step
            self.quietly(trainer.train)
            callback.run.finish()
            found = self.read(f"runs/{n}").steps
            for i in range(8):
                self.assertAlmostEqual(found[i + 1]["scalars.loss"] / sum(parts[n * i : n * i + n]), 1, delta=1e-6)
                self.assertEqual(found[i + 1].get("micro_batches", 1), n)
                micro = [found[i + 1][f"scalars.micro_loss.{j}"] for j in range(n)] if n > 1 else []
                self.assertAlmostEqual(sum(micro) / n, found[i + 1]["scalars.loss"] if micro else 0, delta=1e-5)
            printed = {entry["step"]: entry["loss"] for entry in trainer.state.log_history if "loss" in entry}
            self.assertEqual(sorted(printed), [2, 4, 6, 8])
            for i, loss in printed.items():
                both = found[i]["scalars.loss"] + found[i - 1]["scalars.loss"]
                self.assertAlmostEqual(both / 2 / loss, 1, delta=1e-6)

    def test_loss_is_that_of_trainer_where_a_step_says_none(self):
        callback = self.callback(directory="runs/exp1")
        callback._on_backward = lambda: None
        trainer = self.trainer(callback, logging_steps=4)
        self.quietly(trainer.train)
        callback.run.finish()
        means = {entry["step"]: entry["loss"] for entry in trainer.state.log_history if "loss" in entry}
        self.assertEqual({step: cells["scalars.loss"] for step, cells in self.read().steps.items() if "scalars.loss" in cells}, means)

    def test_training_is_the_same(self):
        digests = []
        for callback in (None, self.callback(directory="runs/exp1")):
            trainer = self.trainer(callback)
            self.quietly(trainer.train)
            digests.append(self.digest(trainer.model))
        self.assertEqual(*digests)
        model = trainer.model
        self.assertFalse(model._forward_hooks or model._forward_pre_hooks, "everything is taken back")

    def test_goes_on_from_a_checkpoint(self):
        one = self.callback(directory="runs/one")
        self.quietly(self.trainer(one, save_total_limit=2).train)
        one.run.finish()
        two = self.callback(directory="runs/two")
        trainer = self.trainer(two)
        self.quietly(lambda: trainer.train(resume_from_checkpoint="out/checkpoint-4"))
        two.run.finish()
        with open("runs/two/facts.json", encoding="utf-8") as file:
            lineage = json.load(file)["lineage"]
        self.assertEqual(lineage, {"checkpoint": "out/checkpoint-4", "parent": "one", "resumed_step": 5})
        self.assertEqual(sorted(self.read("runs/two").times), [5, 6, 7, 8])
        self.check_resume("two", "runs/one", "runs/two")

    def test_several_ranks(self):
        said = self.ranks(2, RANKS)
        losses = next(json.loads(line[7:]) for line in said[0].splitlines() if line.startswith("losses "))
        mean = [0.0] * 4
        for rank in range(2):
            recording = self.read(f"runs/exp1/rank{rank}")
            self.assertEqual((recording.rank, sorted(recording.times)), (rank, [1, 2, 3, 4]))
            self.assertTrue(all("phases.comm" in cells for cells in recording.steps.values()), "DDP is around the model that is hooked")
            mean = [so_far + recording.steps[i + 1]["scalars.loss"] / 2 for i, so_far in enumerate(mean)]
        for ours, theirs in zip(mean, losses):
            self.assertAlmostEqual(ours, theirs, places=6)

    def test_broken_recording_stops_nobody(self):
        expected = self.trainer()
        self.quietly(expected.train)
        trainer = self.trainer(self.callback(run=self.broken()))
        self.quietly(trainer.train)
        self.assertEqual(self.digest(trainer.model), self.digest(expected.model))

    def test_folder_that_cannot_be_made_stops_nobody(self):
        with open("runs", "w", encoding="utf-8"):
            pass
        trainer = self.trainer(self.callback(directory="runs/exp1"))
        self.assertEqual(self.quietly(trainer.train).count("nothing is recorded, and training goes on"), 1)
        self.assertEqual(trainer.state.global_step, 8)
        strict = self.trainer(self.callback(directory="runs/exp1", strict=True))
        with self.assertRaises(OSError):
            self.quietly(strict.train)

    def test_exceptions_of_training_pass(self):
        import torch

        before = torch.Tensor.backward
        callback = self.callback(directory="runs/exp1")
        trainer = self.trainer(callback)
        forward = trainer.model.forward

        @functools.wraps(forward)
        def fails(*args, **kwargs):
            if trainer.state.global_step == 3:
                raise ZeroDivisionError("of the model")
            return forward(*args, **kwargs)

        trainer.model.forward = fails
        with self.assertRaisesRegex(ZeroDivisionError, "of the model"):
            self.quietly(trainer.train)
        callback.run.finish()
        self.assertEqual(sorted(self.read().times), [1, 2, 3])
        self.assertIs(torch.Tensor.backward, before)

    def test_example_of_the_readme(self):
        trainer = self.trainer(steps=2, save_strategy="no", eval_strategy="no")
        import transformers

        names = {"Trainer": transformers.Trainer, "model": trainer.model, "args": trainer.args, "train": trainer.train_dataset}
        self.example("trainer = Trainer(", names)
        self.quietly(names["trainer"].train)
        tscope._run.latest().finish()
        self.assertEqual(len(self.read().times), 2)


# Two ranks of a Trainer, which wraps the model into DDP itself; prints the losses that it logged.
RANKS = """
import json, transformers, torch
from tscope.integrations.transformers import TscopeCallback
transformers.logging.set_verbosity_error()
transformers.set_seed(0)
rows = [torch.randint(0, 64, (16,), generator=torch.Generator().manual_seed(i)) for i in range(64)]
model = transformers.GPT2LMHeadModel(transformers.GPT2Config(vocab_size=64, n_positions=16, n_embd=32, n_layer=2, n_head=2))
args = transformers.TrainingArguments("out", max_steps=4, per_device_train_batch_size=4, gradient_accumulation_steps=2, logging_steps=1,
    report_to=[], use_cpu=True, disable_tqdm=True, save_strategy="no")
callback = TscopeCallback(directory="runs/exp1")
trainer = transformers.Trainer(model, args, train_dataset=[{"input_ids": row, "labels": row} for row in rows], callbacks=[callback])
trainer.train()
callback.run.finish()
if args.process_index == 0:
    print("losses", json.dumps([entry["loss"] for entry in trainer.state.log_history if "loss" in entry]))
torch.distributed.destroy_process_group()
"""


if __name__ == "__main__":
    unittest.main()
