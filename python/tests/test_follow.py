"""What a script tells W&B or TensorBoard is recorded, and the trackers have what they would have."""

import glob
import importlib.util
import json
import os
import struct
import subprocess
import sys
import types
import unittest

import support
import tscope
from tscope import _follow, _recording

WANDB = importlib.util.find_spec("wandb") is not None
TENSORBOARD = importlib.util.find_spec("tensorboard") is not None and importlib.util.find_spec("torch") is not None


def history(path):
    """Yields (step, {name: number}) of the rows that W&B wrote: records of a LevelDB log, each a message."""
    from wandb.proto import wandb_internal_pb2

    with open(path, "rb") as file:
        data = file.read()
    at, whole = 7, b""  # behind the magic
    while at + 7 <= len(data):
        if 32768 - at % 32768 < 7:
            at += 32768 - at % 32768
            continue
        _, length, kind = struct.unpack_from("<IHB", data, at)
        whole, at = whole + data[at + 7 : at + 7 + length], at + 7 + length
        if kind in (1, 4):
            record, whole = wandb_internal_pb2.Record.FromString(whole), b""
            if record.WhichOneof("record_type") == "history":
                cells = {item.key or ".".join(item.nested_key): json.loads(item.value_json) for item in record.history.item}
                yield record.history.step.num, cells


class Follow(support.Case):
    def setUp(self):
        super().setUp()
        self.addCleanup(_follow._followed.clear)

    def script(self, text, name="train.py", **environment):
        """Runs a script, and returns the folder of its run."""
        with open(name, "w", encoding="utf-8") as file:
            file.write(text)
        source = os.path.dirname(os.path.dirname(tscope.__file__))
        variables = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": source, "WANDB_MODE": "offline", "WANDB_SILENT": "true"}
        done = subprocess.run([sys.executable, name], capture_output=True, text=True, env={**variables, **environment}, timeout=300)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.said = done.stderr
        return sorted(glob.glob("runs/*"))

    def rows(self, directory):
        """Returns the numbers of the recorded rows by step."""
        steps = self.read(directory).steps
        return {s: {n[8:]: v for n, v in cells.items() if n.startswith("scalars.")} for s, cells in sorted(steps.items())}

    # --- without the libraries: a class that has a SummaryWriter's methods ---

    def writer(self):
        class SummaryWriter:
            def __init__(self):
                self.told = []

            def add_scalar(self, tag, scalar_value, global_step=None, walltime=None):
                if tag == "wrong":
                    raise TypeError("wrong")
                self.told.append((tag, scalar_value, global_step))
                return "given"

            def add_scalars(self, main_tag, tag_scalar_dict, global_step=None):
                self.told.append((main_tag, tag_scalar_dict, global_step))

        return SummaryWriter

    def test_steps_are_those_of_the_tracker(self):
        kind = self.writer()
        tscope.follow(kind, "runs/exp1", config={"lr": 0.1})
        tscope.follow(kind)  # once
        writer = kind()
        for step in range(0, 30, 10):
            self.assertEqual(writer.add_scalar("loss", step / 4, step), "given")
            writer.add_scalar("lr", 0.1, global_step=step)
        writer.add_scalars("val", {"a": 1, "b": 2}, 10)
        writer.add_scalar("epoch", 0.5, 1)  # an axis of its own
        writer.add_scalar("none", 3.0)
        with self.assertRaises(TypeError):
            writer.add_scalar("wrong", 1, 40)
        tscope._run.latest().finish()
        rows = self.rows("runs/exp1")
        self.assertEqual(rows, {
            0: {"loss": 0.0, "lr": 0.1},
            10: {"loss": 2.5, "lr": 0.1, "val/a": 1.0, "val/b": 2.0},
            20: {"loss": 5.0, "lr": 0.1, "none": 3.0},
        })
        self.assertEqual(self.read().events, [("events.epoch", None, 0.5)])
        self.assertEqual(len(writer.told), 9)

    def test_a_run_that_has_steps_keeps_them(self):
        writer = self.writer()()
        run = self.start()
        tscope.follow(writer)
        for step in range(4):
            with run.step():
                writer.add_scalar("loss", step, step)
            writer.add_scalar("behind", step)
            writer.add_scalar("ahead", step, 10 * step + 50)
        writer.add_scalar("again", 7, 1)
        run.finish()
        self.assertEqual(self.rows("runs/exp1"), {
            s: {"loss": s, "behind": s, "ahead": s, **({"again": 7} if s == 1 else {})} for s in range(4)
        })
        self.assertEqual(os.listdir("runs"), ["exp1"])

    def test_what_fails_here_stays_here(self):
        kind = self.writer()
        os.makedirs("runs/exp1/rank0")
        tscope.follow(kind, "runs/exp1")  # a run lies there
        writer = kind()
        for step in range(3):
            self.assertEqual(writer.add_scalar("loss", 1, step), "given")
        self.assertEqual(len(writer.told), 3)
        with self.assertRaises(TypeError):
            tscope.follow(object())

    def test_mlflow(self):
        told = []
        mlflow = types.ModuleType("mlflow")
        mlflow.log_metric = lambda key, value, step=None: told.append((key, value, step))
        mlflow.log_metrics = lambda metrics, step=None: told.append((metrics, step))
        mlflow.log_param = mlflow.log_params = lambda *_: None
        tscope.follow(mlflow, "runs/exp1")
        mlflow.log_params({"lr": 0.1})
        mlflow.log_metric("loss", 0.5, step=0)
        mlflow.log_metrics({"loss": 0.25, "lr": 1}, 1)
        tscope._run.latest().finish()
        self.assertEqual(self.rows("runs/exp1"), {0: {"loss": 0.5}, 1: {"loss": 0.25, "lr": 1.0}})
        self.assertEqual(len(told), 2)
        with open("runs/exp1/run.json", encoding="utf-8") as file:
            self.assertEqual(json.load(file)["config"], {"lr": 0.1})

    # --- with them ---

    LOGS = (
        "run = wandb.init(project='p', name='nice', config={'lr': 0.1, 'opt': {'name': 'adam'}})\n"
        "for i in range(5):\n"
        "    wandb.log({'loss': 1 / (i + 1), 'eval': {'acc': i / 10}, 'text': 'x'}, commit=False)\n"
        "    run.log({'lr': 0.1})\n"
        "wandb.log({'loss': 9.0}, step=3)\n"  # W&B gives it up
        "wandb.log({'a': 7.0}, step=10); run.log({'b': 8.0}, step=10); wandb.log({'c': 1})\n"
        "wandb.log({'last': 2})\n"
        "wandb.config.update({'added': 3})\n"
        "wandb.finish()\n"
    )

    @unittest.skipUnless(WANDB, "wandb is not installed")
    def test_wandb_has_what_it_would_have_and_so_has_the_run(self):
        self.script("import wandb\n" + self.LOGS)
        (plain,) = glob.glob("wandb/offline-run-*/*.wandb")
        os.rename("wandb", "before")
        plain = list(history(plain.replace("wandb/", "before/", 1)))
        for text in ("import wandb, tscope\ntscope.follow(wandb)\n" + self.LOGS,
                     "import wandb, tscope\n" + self.LOGS.replace("\n", "\ntscope.follow(wandb)\n", 1)):
            before = set(glob.glob("runs/*")) | set(glob.glob("wandb/offline-run-*/*.wandb"))
            self.script(text)
            directory, path = sorted((set(glob.glob("runs/*")) | set(glob.glob("wandb/offline-run-*/*.wandb"))) - before)
            known = ("_timestamp", "_runtime", "_wandb")
            of = [(s, {n: v for n, v in cells.items() if not n.startswith(known)}) for s, cells in history(path)]
            self.assertEqual(of, [(s, {n: v for n, v in cells.items() if not n.startswith(known)}) for s, cells in plain])
            numbers = {s: {n: v for n, v in cells.items() if isinstance(v, (int, float)) and n != "_step"} for s, cells in of}
            self.assertEqual(len(numbers), 7)
            self.assertEqual(self.rows(directory), numbers)
            with open(directory + "/run.json", encoding="utf-8") as file:
                run = json.load(file)
            self.assertEqual((run["name"], run["config"]), ("nice", {"lr": 0.1, "opt": {"name": "adam"}}))
            with open(directory + "/facts.json", encoding="utf-8") as file:
                self.assertEqual(json.load(file)["config"], {"added": 3})

    @unittest.skipUnless(WANDB, "wandb is not installed")
    def test_summary_goes_to_wandb(self):
        (directory,) = self.script(
            "import tscope, wandb\n"
            "run = tscope.start('runs/exp1')\n"
            "for i in range(10):\n"
            "    with run.step():\n"
            "        run.mark('forward'); run.log(loss=1 / (i + 1)); run.amount(tokens=100)\n"
            "run.finish()\n"
            "other = wandb.init(project='p')\n"
            "other.summary.update(run.summary())\n"
            "import json; json.dump({key: other.summary[key] for key in run.summary()}, open('told.json', 'w'))\n"
            "wandb.finish()\n"
        )
        with open("told.json", encoding="utf-8") as file:
            told = json.load(file)
        summary = _recording.summary(directory, 0, 1)
        self.assertEqual(told, summary)
        self.assertEqual((told["steps"], told["scalars.loss"], told["scalars.loss.min"], told["tokens"]), (10, 0.1, 0.1, 100.0))

    @unittest.skipUnless(TENSORBOARD, "tensorboard is not installed")
    def test_tensorboard(self):
        logs = (
            "from torch.utils.tensorboard import SummaryWriter\n{}"
            "with SummaryWriter('tb') as writer:\n{}"
            "    for i in range(0, 50, 10):\n"
            "        writer.add_scalar('loss/train', 1 / (i + 1), i)\n"
            "        writer.add_scalar('lr', 0.5, global_step=i)\n"
            "    writer.add_scalars('val', {{'x': 1.5}}, 20)\n"
            "    writer.add_text('note', 'hello', 3)\n"
            "    writer.add_hparams({{'lr': 0.5}}, {{'best': 1.0}}, run_name='h')\n"
        )
        from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

        for line in (("import tscope; tscope.follow(SummaryWriter)\n", ""), ("", "    import tscope; tscope.follow(writer)\n")):
            before = set(glob.glob("runs/*"))
            self.script(logs.format(*line))
            (directory,) = set(glob.glob("runs/*")) - before
            wrote = EventAccumulator("tb").Reload()
            os.rename("tb", "tb" + directory.replace("/", "-"))
            expected = {}
            for tag in wrote.Tags()["scalars"]:
                for event in wrote.Scalars(tag):
                    expected.setdefault(event.step, {})[tag] = event.value
            rows = self.rows(directory)
            self.assertEqual(sorted(rows), [0, 10, 20, 30, 40])
            for step, cells in expected.items():
                for tag, value in cells.items():
                    self.assertAlmostEqual(rows[step][tag], value, places=6)
            self.assertEqual(rows[20]["val/x"], 1.5)
            with open(directory + "/facts.json", encoding="utf-8") as file:
                self.assertEqual(json.load(file)["config"], {"lr": 0.5})


if __name__ == "__main__":
    unittest.main()
