"""Steps that log makes where the program begins none are those that W&B makes of the same calls."""

import contextlib
import glob
import importlib.util
import io
import json
import os
import random
import re
import signal
import subprocess
import sys
import time
import unittest

import support
import tscope

WANDB = importlib.util.find_spec("wandb") is not None

# What W&B 0.31.0 wrote of these calls, read from its file by hand: (arguments, words), and rows of (step, numbers).
CALLS = (
    (({"a": 1},), {}),
    (({},), {}),
    (({"a": 2},), {}),
    (({"b": 1},), {"commit": False}),
    (({"b": 2},), {}),
    (({"c": 1},), {"step": 10}),
    (({"c": 2},), {}),
    (({"d": 1},), {"step": 5}),
    (({"d": 2},), {"step": 20, "commit": True}),
    (({"d": 3},), {"step": 20}),
    (({"d": 4},), {"step": 21}),
    (({"n": {"x": 1, "y": {"z": 2}}, "big": 2**60},), {}),
    (({},), {"commit": True}),
    (({},), {"step": 30}),
    (({"last": 1},), {"commit": False}),
)
ROWS = {
    0: {"a": 1}, 1: {}, 2: {"a": 2}, 3: {"b": 2}, 10: {"c": 2}, 20: {"d": 2}, 21: {"d": 4, "n.x": 1, "n.y.z": 2, "big": 2.0**60},
    22: {}, 30: {"last": 1},
}  # fmt: skip


# Loops as W&B's documentation has them: the quickstart, an axis of its own, explicit steps, commit=False.
SCRIPTS = {
    "quickstart": """
with wandb.init(entity="me", project="my-awesome-project", config={"learning_rate": 0.02, "epochs": 10}) as run:
    epochs = run.config["epochs"]
    offset = random.random() / 5
    for epoch in range(2, epochs):
        acc = 1 - 2**-epoch - random.random() / epoch - offset
        loss = 2**-epoch + random.random() / epoch + offset
        run.log({"acc": acc, "loss": loss})
""",
    "axis": """
run = wandb.init(project="axes")
run.define_metric("custom_step")
run.define_metric("validation_loss", step_metric="custom_step")
for i in range(200):
    run.log({"train_loss": random.random() / (i + 1), "custom_step": i**2, "validation_loss": random.expovariate(1)})
wandb.finish()
""",
    "explicit": """
wandb.init(project="axes")
for step in range(0, 1000, 7):
    wandb.log({"train/loss": random.gauss(0, 1), "train/lr": 1e-3 * 0.99**step}, step=step)
    if step % 49 == 0:
        wandb.log({"val/acc": random.random(), "val": {"top1": random.random(), "n": step}}, step=step)
wandb.log({"final": 1e-310, "inf": float("inf")})
""",
    "commit": """
wandb.init(project="commit", config={"batch_size": 64})
wandb.config.update({"epochs": 5})
for epoch in range(wandb.config.epochs):
    for batch in range(30):
        wandb.log({"train/loss": random.random(), "train/epoch": epoch + batch / 30}, commit=False)
        if batch % 3 == 0:
            wandb.log({"grad": random.random()}, commit=False)
        wandb.log({"lr": 0.1 * 0.9**epoch})
    wandb.log({"val/loss": random.random(), "val/acc": random.random()}, commit=False)
wandb.run.summary["best"] = 0.25
wandb.finish()
""",
}


class Rows(support.Case):
    def rows(self, directory="runs/exp1"):
        """Returns the numbers of the recorded steps."""
        recording = self.read(directory)
        self.assertEqual(sorted(recording.times), sorted(recording.steps))
        return {
            step: {name[8:]: value for name, value in cells.items() if name.startswith("scalars.")}
            for step, cells in sorted(recording.steps.items())
        }

    def test_steps_of_wandb(self):
        with self.start() as run, contextlib.redirect_stderr(io.StringIO()) as said:
            for arguments, words in CALLS:
                run.log(*arguments, **words)
        self.assertEqual(self.rows(), ROWS)
        self.assertEqual(run.cannot, 2)
        self.assertEqual(said.getvalue().count("steps must rise"), 1)

    def test_forms_of_a_call(self):
        class Whole:
            def __index__(self):
                return 4

        with self.start() as run, contextlib.redirect_stderr(io.StringIO()) as said:
            run.log(loss=1, step=0)
            run.log({"loss": 2}, 1)
            run.log({"loss": 3}, 2, True)
            run.log(data={"loss": 4}, step=3.0)
            run.log({"loss": 5}, step=Whole())
            tscope.log({"loss": 6}, {"lr": 0.5}, step=5)
            run.log({"loss": 7}, step="six", commit=True)  # of the step under way
            run.log(1.5)
            run.log({"loss": 8}, 6, True, "more")
        self.assertEqual([cells["loss"] for cells in self.rows().values()], [1, 2, 3, 4, 5, 7, 8])
        self.assertEqual(list(self.rows()), list(range(7)))
        self.assertEqual(run.cannot, 3)
        self.assertEqual(len(said.getvalue().splitlines()), 3)

    @unittest.skipUnless(WANDB, "needs wandb")
    def test_any_calls_are_as_wandb_has_them(self):
        draw = random.Random(7)
        calls = []
        for _ in range(300):
            numbers = {name: draw.choice((draw.random(), draw.randrange(9))) for name in draw.sample("abcde", draw.randrange(4))}
            words = {"step": draw.randrange(400)} if draw.random() < 0.05 else {}
            if draw.random() < 0.4:
                words["commit"] = draw.random() < 0.5
            calls.append((numbers, words))
        with open("calls.json", "w", encoding="utf-8") as file:
            json.dump(calls, file)
        script = (
            "import json, wandb\n"
            "run = wandb.init(settings=wandb.Settings(x_disable_stats=True, console='off'))\n"
            "for numbers, words in json.load(open('calls.json')):\n    run.log(numbers, **words)\n"
            "run.finish()\n"
        )
        self.script(script, WANDB_MODE="offline", WANDB_SILENT="true")
        from test_follow import history

        (path,) = glob.glob("wandb/offline-run-*/*.wandb")
        theirs = {step: {n: v for n, v in cells.items() if not n.startswith("_")} for step, cells in history(path)}
        with self.start() as run, contextlib.redirect_stderr(io.StringIO()):
            for numbers, words in calls:
                run.log(numbers, **words)
        self.assertGreater(len(theirs), 50)
        self.assertEqual(self.rows(), theirs)

    @unittest.skipUnless(WANDB, "needs wandb")
    def test_scripts_of_wandb(self):
        """What `import tscope as wandb` records, with the command and without, is what W&B writes: the same steps and bits."""
        from test_follow import history

        environment = {"WANDB_MODE": "offline", "WANDB_SILENT": "true", "WANDB_CONSOLE": "off", "OMP_NUM_THREADS": "1"}
        environment["PYTHONPATH"] = os.path.dirname(os.path.dirname(tscope.__file__))
        for name, text in SCRIPTS.items():
            with self.subTest(name):
                for module in ("wandb", "tscope"):
                    with open(f"{module}_{name}.py", "w", encoding="utf-8") as file:
                        file.write(f"import random\nimport {module} as wandb\nrandom.seed(5)\n{text}")
                for words in ([f"wandb_{name}.py"], [f"tscope_{name}.py"], ["-m", "tscope", "--no-verdict", f"tscope_{name}.py"]):
                    done = subprocess.run([sys.executable, *words], env={**os.environ, **environment}, capture_output=True, text=True)
                    self.assertEqual(done.returncode, 0, done.stderr)
                (path,) = glob.glob("wandb/offline-run-*/*.wandb")
                theirs = {step: {n: float(v) for n, v in cells.items() if not n.startswith("_")} for step, cells in history(path)}
                if name == "axis":  # as `tscope push` numbers them
                    theirs = {int(cells["custom_step"]): cells for cells in theirs.values()}
                ours = glob.glob("runs/*/*")
                self.assertEqual(len(ours), 2)
                for directory in ours:
                    self.assertEqual(self.rows(directory), theirs)
                support.shutil.rmtree("wandb")
                support.shutil.rmtree("runs")

    def test_time_of_a_step_is_that_since_the_one_before(self):
        with self.start() as run:
            run.log(loss=1)
            for i in range(3):
                time.sleep(0.01)
                for _ in run.data([0]):
                    pass
                run.amount(tokens=100 + i)
                run.log(loss=i)
        recording = self.read()
        self.assertEqual(sorted(recording.times), [0, 1, 2, 3])
        for step in (1, 2, 3):
            cells, (begin, duration) = recording.steps[step], recording.times[step]
            self.assertEqual(begin, sum(recording.times[step - 1]), "it begins where the one before ended")
            self.assertGreater(duration, 9_000_000)
            self.assertEqual(sum(ns for name, ns in cells.items() if name.startswith("phases.")), duration)
            self.assertEqual(cells["tokens"], 99 + step)
            self.assertEqual("phases.data" in cells, step > 1, "the first wait came while the first step was waited with")

    def test_before_a_programs_own_steps(self):
        """One call belongs to the first step; what is logged again and again was steps."""
        with self.start() as run:
            run.log(parameters=7)
            for i in range(2):
                with run.step():
                    run.log(loss=i)
                run.log(evaluation=i)
        self.assertEqual(self.rows(), {0: {"parameters": 7, "loss": 0, "evaluation": 0}, 1: {"loss": 1, "evaluation": 1}})
        with self.start("runs/exp2") as run:
            run.log(loss=5)
            run.log(loss=6)
            with run.step():
                run.log(loss=7)
        self.assertEqual(self.rows("runs/exp2"), {0: {"loss": 5}, 1: {"loss": 6}, 2: {"loss": 7}})

    def test_step_in_a_step_of_the_programs_own(self):
        with self.start() as run, contextlib.redirect_stderr(io.StringIO()) as said:
            for i in range(3):
                with run.step():
                    run.log({"loss": i, "more": {"deep": i}}, step=i)
                    run.log(count=i, step=i + 100)
            run.log(evaluation=0.5, step=1)
        self.assertEqual(said.getvalue().count("log was told step 100 in step 0"), 1)
        self.assertEqual(len(said.getvalue().splitlines()), 1)
        rows = self.rows()
        self.assertEqual(rows[1], {"loss": 1, "more.deep": 1, "count": 1, "evaluation": 0.5})
        self.assertEqual([rows[i]["count"] for i in range(3)], [0, 1, 2])

    def test_one_step_that_waits(self):
        with self.start() as run:
            run.log(loss=1)
        self.assertEqual(self.rows(), {0: {"loss": 1}})
        with self.start("runs/exp2") as run:
            run.log(loss=1, commit=False)
            run.log(accuracy=2, commit=False)
        self.assertEqual(self.rows("runs/exp2"), {0: {"loss": 1, "accuracy": 2}})

    def test_killed_program_keeps_what_was_logged(self):
        self.script(
            "import os, signal, tscope\nrun = tscope.start('runs/exp1')\n"
            "for i in range(500):\n    run.log({'loss': i}, step=i)\n"
            "os.kill(os.getpid(), signal.SIGKILL)\n",
            expect=-signal.SIGKILL,
        )
        self.assertEqual([cells["loss"] for cells in self.rows().values()], list(range(500)))

    @unittest.skipUnless(os.environ.get("TSCOPE_PROGRAM"), "TSCOPE_PROGRAM names no program")
    def test_killed_program_keeps_its_first_row(self):
        """What waits for the first step is there if the program is killed before one, and otherwise nowhere but in that step."""
        own = "run.log(setup=3, loss=9)\nfor i in range(2):\n    with run.step():\n        run.log(loss=i)\n"
        cases = (
            ("run.log(loss=0.5, accuracy=2)\n", [(0, {"accuracy": 2, "loss": 0.5})]),
            ("run.log({'loss': float('inf'), 'n': 2**60}, step=7)\n", [(7, {"loss": "Infinity", "n": 2.0**60})]),
            ("run.log(loss=0.5, commit=False)\nrun.log(loss=0.25, lr=1, commit=False)\n", [(0, {"loss": 0.25, "lr": 1})]),
            ("run.log(loss=0.5)\nrun.log(loss=0.25)\n", [(0, {"loss": 0.5}), (1, {"loss": 0.25})]),
            (own, [(0, {"loss": 0, "setup": 3}), (1, {"loss": 1})]),
            ("run.log({'loss': 0.5 if run.attempt == 1 else 0.25})\n", [(0, {"loss": 0.5}), (1, {"loss": 0.25})]),  # started again
        )
        for number, (text, want) in enumerate(cases):
            script = f"import os, signal, tscope\nrun = tscope.init(project='p', id='exp{number}', resume='allow')\n{text}"
            for _ in range(2 if "attempt" in text else 1):
                self.script(script + "os.kill(os.getpid(), signal.SIGKILL)\n", expect=-signal.SIGKILL)
                for path in glob.glob(f"runs/p/exp{number}/*.tscope"):
                    support.check_sums(path)  # which waits for the keeper
            for words in (["push", "-q", f"runs/p/exp{number}"], ["export", "-q", f"exp{number}", f"back{number}"]):
                where = {**os.environ, "TSCOPE_STORE": os.path.join(self.folder, "store")}
                subprocess.run([os.environ["TSCOPE_PROGRAM"], *words], env=where, check=True, capture_output=True)
            with self.subTest(text), open(f"back{number}/steps.jsonl", encoding="utf-8") as file:
                rows = [json.loads(line, parse_constant=str) for line in file]
                self.assertEqual([(row["step"], row["scalars"]) for row in rows], want)
                self.assertTrue(all(row["timestamp"] > 1.7e9 for row in rows))

    # --- the axis ---

    def test_axis_that_is_declared(self):
        with self.start() as run:
            run.define_metric("custom_step")
            run.define_metric("validation_loss", step_metric="custom_step")
            for i in range(10):
                run.log({"train_loss": 1 / (i + 1), "validation_loss": 2 / (i + 1), "custom_step": i**2})
        self.assertEqual(list(self.rows()), [i**2 for i in range(10)])
        self.assertEqual(self.facts()["columns"]["step"]["source"], "custom_step")

    def test_axis_of_few_numbers_is_none(self):
        with self.start() as run:
            run.define_metric("eval/*", step_metric="epoch")
            for i in range(20):
                run.log({"loss": i})
                if i % 5 == 4:
                    run.log({"eval/loss": i, "epoch": i // 5})
        self.assertEqual(list(self.rows()), list(range(24)))

    def test_axis_by_its_name(self):
        with self.start() as run:
            for i in range(5):
                run.log({"train/loss": i, "train/global_step": 10 * i})
                run.log({"eval/loss": i})
        rows = self.rows()
        self.assertEqual(list(rows), [0, 10, 20, 30, 40])
        self.assertEqual([cells["eval/loss"] for cells in rows.values()], list(range(5)))

    def test_axis_that_comes_last(self):
        with self.start() as run:
            run.define_metric("*", step_metric="at")
            for i in range(3):
                run.log({"loss": i}, commit=False)
                run.log({"at": 7 * i})
        self.assertEqual(self.rows(), {7 * i: {"loss": i, "at": 7 * i} for i in range(3)})

    # --- what is not recorded ---

    def test_what_is_left_out_is_said_at_the_end_and_in_the_record(self):
        with contextlib.redirect_stderr(io.StringIO()) as said, self.start() as run:
            for i in range(5):
                run.log({"loss": i, "note": "a text", "image": object()})
            run.log(loss=1, step=1)
        causes = {
            "note: a value of type str is no number": 5, "image: a value of type object is no number": 5,
            "log was told a step lower than one before, and steps must rise": 1,
        }  # fmt: skip
        last = said.getvalue().splitlines()[-1]
        self.assertTrue(last.startswith("tscope: not recorded in ./runs/exp1: 11 in all: "), last)
        self.assertEqual(self.facts()["session"]["not_recorded"], {"count": 11, "causes": causes})

    def test_marks_outside_of_steps(self):
        with contextlib.redirect_stderr(io.StringIO()) as said, self.start() as run:
            for i in range(3):
                run.mark("forward")
                run.log(loss=i)
        self.assertEqual(said.getvalue().splitlines()[-1],
                         "tscope: not recorded in ./runs/exp1: 3 in all: a phase was marked outside of a step (3)")

    def test_nothing_is_said_where_all_is_recorded(self):
        with contextlib.redirect_stderr(io.StringIO()) as said, self.start() as run:
            for i in range(5):
                run.log({"loss": i})
        self.assertEqual(said.getvalue(), "")
        self.assertNotIn("not_recorded", self.facts()["session"])

    def test_log_without_a_run(self):
        said = self.script("import tscope\nfor i in range(3):\n    tscope.log(loss=i)\n")
        self.assertEqual(said, "tscope: tscope.log was called 3 times without a run: tscope.start(DIR) or tscope.init() begins one\n")
        said = self.script("import tscope\nrun = tscope.start('runs/exp1', ranks=[1])\ntscope.log(loss=1)\n")
        self.assertEqual(said, "")

    def test_many_columns(self):
        said = self.script(
            "import tscope\nrun = tscope.start('runs/exp1')\n"
            "for i in range(70):\n    run.log({f'layer{i}/{k}': k for k in range(1000)})\n"
            "print(run.trouble['cannot'])\nrun.finish()\n"
        )
        lines = said.splitlines()
        self.assertRegex(said, r"15000 columns are there, and the recording takes at most 16000: the last was layer14/\d+;")
        (first,) = set(re.findall(r"the first left out is (layer15/\d+)", said))
        left_out = 70000 - 15000 - int(first[8:])
        self.assertEqual(lines[0], str(left_out))
        self.assertRegex(lines[-1], rf"not recorded in ./runs/exp1: {left_out:,} in all: .*16,000 columns.*{first}")
        self.assertLess(len(lines), 6)
        rows = self.rows()
        self.assertEqual((len(rows[0]), len(rows[15]), len(rows[16])), (1000, int(first[8:]), 0))


@unittest.skipUnless(importlib.util.find_spec("torch"), "needs torch")
class OfTorch(support.Case):
    def test_what_is_logged_later_does_not_change_with_its_tensor(self):
        import torch

        total = torch.zeros(())
        with self.start() as run:
            for _ in range(3):
                total += 1
                run.log({"total": total})
        self.assertEqual([cells["scalars.total"] for _, cells in sorted(self.read().steps.items())], [1, 2, 3])

    def test_with_hooks(self):
        """Numbers before the first step of a loop that hooks see are of that step, and no steps."""
        import torch

        model = torch.nn.Linear(2, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        run = tscope.auto(model, optimizer, "runs/exp1")
        run.log(parameters=3)
        run.log(samples=4)
        for i in range(3):
            model(torch.ones(4, 2)).sum().backward()
            optimizer.step()
            run.log({"mine": i}, step=i)
        run.finish()
        steps = self.read().steps
        self.assertEqual(sorted(steps), [0, 1, 2])
        self.assertEqual((steps[0]["scalars.parameters"], steps[0]["scalars.samples"]), (3, 4))
        self.assertEqual([steps[i]["scalars.mine"] for i in range(3)], [0, 1, 2])


@unittest.skipUnless(importlib.util.find_spec("torch"), "needs torch")
class Zero(support.Case):
    LOOP = (
        "model = torch.nn.Linear(2, 1)\noptimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
        "for i in range(4):\n    optimizer.zero_grad()\n    loss = model(torch.ones(4, 2)).sum()\n    loss.backward()\n"
        "    optimizer.step()\n"
    )

    def record(self, text):
        with open("train.py", "w", encoding="utf-8") as file:
            file.write(text)
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": os.path.dirname(os.path.dirname(tscope.__file__))}
        words = [sys.executable, "-m", "tscope", "--no-verdict", "--directory", "runs/exp1", "train.py"]
        done = subprocess.run(words, capture_output=True, text=True, env=environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        steps = self.read().steps
        return {s: {n[8:]: v for n, v in cells.items() if n.startswith("scalars.")} for s, cells in sorted(steps.items())}

    def test_before_a_loop_of_torch(self):
        rows = self.record("import torch, tscope\ntscope.log(parameters=3)\n" + self.LOOP + "    tscope.log(mine=i)\n")
        self.assertEqual(list(rows), [0, 1, 2, 3])
        self.assertEqual([cells["mine"] for cells in rows.values()], [0, 1, 2, 3])
        self.assertEqual(rows[0]["parameters"], 3)

    def test_without_a_loop_of_torch(self):
        for first in ("import tscope\n", "import torch, tscope\n"):
            with self.subTest(first):
                support.shutil.rmtree("runs", ignore_errors=True)
                rows = self.record(first + "for i in range(4):\n    tscope.log({'loss': i}, step=2 * i)\n")
                self.assertEqual(rows, {2 * i: {"loss": i} for i in range(4)})


if __name__ == "__main__":
    unittest.main()
