"""`import tscope as wandb` records the loop of W&B's quickstart; a cell that is run twice makes two runs."""

import contextlib
import glob
import io
import json
import os
import subprocess
import sys
import types
import unittest
from unittest import mock

import support
import tscope
from tscope import _init

QUICKSTART = """
import random
import {} as wandb
random.seed(3)
run = wandb.init(
    entity="my-awesome-team-name",
    project="my-awesome-project",
    config={{"learning_rate": 0.02, "architecture": "CNN", "dataset": "CIFAR-100", "epochs": 10}},
)
epochs = 10
offset = random.random() / 5
for epoch in range(2, epochs):
    acc = 1 - 2**-epoch - random.random() / epoch - offset
    loss = 2**-epoch + random.random() / epoch + offset
    run.log({{"acc": acc, "loss": loss}})
run.finish()
"""


class Init(support.Case):
    def setUp(self):
        super().setUp()
        self.addCleanup(_init._said.clear)
        self.addCleanup(_init._begun.clear)

    def quietly(self, act, *words, **by_name):
        with contextlib.redirect_stderr(io.StringIO()) as said:
            given = act(*words, **by_name)
        self.said = said.getvalue()
        return given

    def scalars(self, directory):
        steps = self.read(directory).steps
        return [{n[8:]: v for n, v in steps[step].items() if n.startswith("scalars.")} for step in sorted(steps)]

    def test_quickstart(self):
        import random

        self.assertEqual(self.script(QUICKSTART.format("tscope")), "")
        (directory,) = glob.glob("runs/my-awesome-project/*")
        random.seed(3)
        offset = random.random() / 5
        expected = []
        for epoch in range(2, 10):
            acc = 1 - 2**-epoch - random.random() / epoch - offset
            expected.append({"acc": acc, "loss": 2**-epoch + random.random() / epoch + offset})
        self.assertEqual(self.scalars(directory), expected)
        with open(directory + "/run.json", encoding="utf-8") as file:
            self.assertEqual(json.load(file)["config"]["architecture"], "CNN")
        self.assertEqual(self.facts(directory)["other"], {"entity": "my-awesome-team-name", "project": "my-awesome-project"})

    def test_quickstart_by_command(self):
        with open("train.py", "w", encoding="utf-8") as file:
            file.write(QUICKSTART.format("tscope"))
        environment = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(tscope.__file__))}
        for words, where in (((), "runs/my-awesome-project/train-*"), (("--directory", "elsewhere/a"), "elsewhere/a")):
            command = [sys.executable, "-m", "tscope", "--no-verdict", *words, "train.py"]
            done = subprocess.run(command, capture_output=True, text=True, env=environment)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            (directory,) = glob.glob(where)
            self.assertEqual(len(self.scalars(directory)), 8)

    def test_names_of_the_module(self):
        tscope.config.seed = 5
        run = self.quietly(tscope.init, project="p", name="a b", config=types.SimpleNamespace(lr=0.1).__dict__, tags=["x"], group="g")
        self.assertEqual((run.directory, run.name, run.id, run.project, run.tags), ("runs/p/a-b", "a b", "a-b", "p", ["x"]))
        self.assertIs(tscope.run, run)
        self.assertEqual(dict(tscope.config), {"seed": 5, "lr": 0.1})
        tscope.config.update({"lr": 0.2}, allow_val_change=True)
        run.config["epochs"] = 3
        tscope.define_metric("*", step_metric="at")
        for i in range(3):
            tscope.log({"loss": i, "at": 2 * i}, commit=True)
        tscope.summary["best"] = 0.5
        run.summary.update({"last": 2})
        run.name = "c"
        tscope.finish(exit_code=3)
        facts = self.facts("runs/p/a-b")
        self.assertEqual(facts["config"], {"lr": 0.2, "epochs": 3})
        self.assertEqual(facts["other"], {"project": "p", "tags": ["x"], "group": "g", "summary": {"best": 0.5, "last": 2}})
        self.assertEqual((facts["session"]["name"], facts["session"]["end"]), ("c", {"exit": 3, "step": 4}))
        self.assertEqual((run.summary["best"], run.summary["loss"], run.summary.get("nothing")), (0.5, 2.0, None))
        self.assertEqual(sorted(self.read("runs/p/a-b").steps), [0, 2, 4])
        self.assertIsNone(tscope.run)
        self.assertRegex(tscope.__version__, r"^\d+\.\d+\.\d+(\.dev0(\+g[0-9a-f]+)?)?$")

    def test_configuration_that_is_assigned(self):
        """An older quickstart says wandb.config = {...}."""
        self.addCleanup(lambda: vars(tscope).pop("config", None))
        tscope.config = {"lr": 0.1}
        run = self.quietly(tscope.init, name="a")
        self.assertEqual(dict(run.config), {"lr": 0.1})
        tscope.config = {"lr": 0.5}
        run.finish()
        self.assertEqual(self.facts("runs/a")["config"], {"lr": 0.5})

    def test_what_has_no_place_ends_no_training(self):
        run = self.quietly(tscope.init, name="a", monitor_gym=True, settings=tscope.Settings(console="off"), config="file.yaml")
        self.assertIn("init has no use for monitor_gym", self.said)
        with contextlib.redirect_stderr(io.StringIO()) as said:
            for _ in range(3):
                cats = [tscope.Image("cat.png", caption="a cat")]
                run.log({"loss": 1.0, "cats": cats, "table": tscope.Table(columns=["a"], data=[[1]])})
                tscope.watch(None, log="all", log_freq=10)
                tscope.save("model.pt")
                run.log_artifact(tscope.Artifact("model", type="model").add_file("model.pt"))
                run.alert(title="low", text="accuracy")
                with contextlib.suppress(tscope.Error):
                    tscope.login()
            run.finish()
        lines = said.getvalue().splitlines()
        self.assertEqual(len(lines), len(set(lines)), "each is said once")
        self.assertEqual(run.trouble["cannot"], 6)
        self.assertEqual(self.scalars("runs/a"), [{"loss": 1.0}] * 3)
        for name in ("sweep", "nothing_of_the_kind"):
            with self.assertRaisesRegex(AttributeError, name):
                getattr(tscope, name)
        self.assertFalse(hasattr(tscope, "nothing_of_the_kind"))

    def test_disabled_and_impossible(self):
        run = self.quietly(tscope.init, mode="disabled")
        run.log({"loss": 1})
        self.assertEqual((run.enabled, self.said, os.path.exists("runs")), (False, "", False))
        with open("runs", "w", encoding="utf-8"):
            pass
        run = self.quietly(tscope.init, project="p")
        run.log({"loss": 1})
        self.assertEqual((run.enabled, len(self.said.splitlines())), (False, 1))

    def test_init_while_a_run_is_open(self):
        """W&B returns the open one, in a notebook ends it."""
        first = self.quietly(tscope.init, name="a", config={"lr": 1})
        self.assertIs(self.quietly(tscope.init, name="b", config={"epochs": 2}), first)
        self.assertIn("the run in ./runs/a is open, and init returns it again", self.said)
        self.assertEqual(dict(first.config), {"lr": 1, "epochs": 2})
        second = self.quietly(tscope.init, name="b", reinit=True)
        self.assertEqual((first.enabled, second.directory), (False, "runs/b"))
        with mock.patch.object(_init, "in_notebook", return_value=True):
            third = self.quietly(tscope.init, name="b")
        self.assertEqual((second.enabled, third.directory), (False, "runs/b-2"))
        self.assertEqual(len(self.said.splitlines()), 1)

    def test_ranks_agree_on_a_folder(self):
        said = self.ranks(2, "import time, os, tscope\ntime.sleep(1.1 * int(os.environ['RANK']))\nrun = tscope.init(project='p')\n"
                          "run.log({'loss': 1})\nprint(run.directory)\nrun.finish()\n", MASTER_PORT="29511", TORCHELASTIC_RUN_ID="job")
        self.assertEqual(len({line.splitlines()[-1] for line in said}), 1, said)
        (directory,) = glob.glob("runs/p/*")
        self.assertEqual(sorted(glob.glob(directory + "/rank*")), [directory + "/rank0", directory + "/rank1"])

    @unittest.skipUnless(os.environ.get("TSCOPE_PROGRAM"), "TSCOPE_PROGRAM names no program")
    def test_loss_by_the_name_that_scripts_give_it(self):
        """list has the loss of a run that logs train/loss, and no other run's."""
        for name, column in (("slash", "train/loss"), ("plain", "loss"), ("other", "val/loss")):
            with tscope.init(project="p", name=name) as run:
                for i in range(1, 4):
                    run.log({column: 1 / i})
        where = {**os.environ, "TSCOPE_STORE": os.path.join(self.folder, "store")}
        program = os.environ["TSCOPE_PROGRAM"]
        subprocess.run([program, "push", "-q", *glob.glob("runs/p/*")], env=where, check=True, capture_output=True)
        for words, want in (([], {"plain", "slash"}), (["loss.last<0.34"], {"plain", "slash"}), (["train/loss.last<0.34"], {"slash"})):
            done = subprocess.run([program, "list", *words, "--json"], env=where, check=True, capture_output=True, text=True)
            rows = json.loads(done.stdout)["rows"]
            found = {row["name"].split("/")[-1] for row in rows if words or row["values"].get("loss.last") == 1 / 3}
            self.assertEqual(found, want)

    def test_run_of_an_id_goes_on(self):
        for at in range(3):
            with self.quietly(tscope.init, project="p", id="abc", resume="allow") as run:
                self.assertEqual((run.attempt, run.resumed), (at + 1, at > 0))
                for i in range(2):
                    run.log({"loss": 2 * at + i})
        from tscope import _recording

        steps = _recording.of_run("runs/p/abc", 0, 1).steps
        self.assertEqual([steps[i]["scalars.loss"] for i in range(6)], list(range(6)))


class Again(support.Case):
    """A second start of a process in one folder."""

    def cell(self, **how):
        with contextlib.redirect_stderr(io.StringIO()) as said:
            run = tscope.start("runs/exp1", **how)
            run.log(loss=1)
        return run, said.getvalue()

    def test_cell_that_is_run_twice(self):
        first, said = self.cell()
        self.assertEqual(said, "")
        second, said = self.cell()
        self.assertEqual(said, "tscope: ./runs/exp1 holds a run: this one is recorded in ./runs/exp1-2\n")
        self.assertEqual((first.enabled, second.enabled), (False, True))
        second.finish()
        self.assertEqual(self.cell()[0].directory, "runs/exp1-3")
        self.assertEqual([self.read(at).end["reason"] for at in ("runs/exp1", "runs/exp1-2")], [1, 1])

    def test_folder_of_another_process(self):
        self.script("import tscope\ntscope.start('runs/exp1').finish()\n")
        run, said = self.cell()
        self.assertFalse(run.enabled)
        self.assertIn('exist="new" records beside it, exist="resume" goes on with it', said)
        with self.assertRaisesRegex(FileExistsError, 'exist="new"'):
            tscope.start("runs/exp1", strict=True)
        with mock.patch.object(_init, "in_notebook", return_value=True):
            run, said = self.cell()
        self.assertEqual((run.directory, len(said.splitlines())), ("runs/exp1-2", 1))
        os.makedirs("runs/other")
        with open("runs/other/steps.jsonl", "w", encoding="utf-8"):
            pass
        with self.assertRaisesRegex(FileExistsError, 'exist="new"'):
            tscope.start("runs/other", exist="resume", strict=True)

    def test_notebook(self):
        self.assertFalse(_init.in_notebook())
        shell = types.SimpleNamespace(kernel=object())
        with mock.patch.dict(sys.modules, {"IPython": types.SimpleNamespace(get_ipython=lambda: shell)}):
            self.assertTrue(_init.in_notebook())
        with mock.patch.dict(sys.modules, {"IPython": types.SimpleNamespace(get_ipython=lambda: None)}):
            self.assertFalse(_init.in_notebook())


if __name__ == "__main__":
    unittest.main()
