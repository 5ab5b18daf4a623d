"""tscope reproduce: a training in a repository of git is run again, bit for bit or to the first step that differs."""

import importlib.util
import json
import os
import shutil
import signal
import subprocess
import sys
import time
import unittest
import zipfile

import support

PROGRAM = os.environ.get("TSCOPE_PROGRAM", "")
TRAIN = """
import os, random, sys, time, tscope
random.seed(int(os.environ.get("OMP_NUM_THREADS", "1")))
with open("data/numbers.txt") as file:
    numbers = [float(line) for line in file]
run = tscope.start("runs/a")
weight, i = 0.5, 0
while i < int(sys.argv[1]):
    with run.step():
        x = numbers[i % len(numbers)] + random.random()
        loss = (weight * x - 1) ** 2
        weight -= 0.01 * 2 * (weight * x - 1) * x
        run.log(loss=loss)
    i += 1
    time.sleep(float(os.environ.get("LAB_SLOW", "0")))
"""


FROM = """
import sys, torch, tscope
torch.manual_seed(3)
run = tscope.start(sys.argv[1])
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Dropout(0.5), torch.nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
first = 0
if len(sys.argv) > 2:
    state = torch.load(sys.argv[2], weights_only=False)
    run.resumed_from(sys.argv[2])
    first = state["step"]
    model.load_state_dict(state["model"])
    optimizer.load_state_dict(state["optimizer"])
    torch.set_rng_state(state["random"])
for step in range(first, 20):
    with run.step(step):
        loss = (model(torch.randn(16, 4)) - 1).pow(2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        run.log(loss=loss.detach())
    if step == 9 and not first:
        state = {"step": 10, "model": model.state_dict(), "optimizer": optimizer.state_dict(), "random": torch.get_rng_state()}
        torch.save(state, "../ten.pt")
        run.checkpoint("../ten.pt")
"""


@unittest.skipIf(not PROGRAM, "no program tscope")
class Reproduce(support.Case):
    def setUp(self):
        super().setUp()
        self.home = os.path.join(self.folder, "home")
        self.environment = {**os.environ, "HOME": self.home, "OMP_NUM_THREADS": "3"}
        for name in ("XDG_STATE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "TSCOPE_STORE", "TSCOPE_SERVER", "TSCOPE_PROJECT"):
            self.environment.pop(name, None)
        os.makedirs("home")
        os.makedirs("repo/data")
        os.chdir("repo")
        self.write("train.py", TRAIN)
        self.write(".gitignore", "runs/\ndata/\n")
        self.write("data/numbers.txt", "".join(f"{i / 7}\n" for i in range(30)))
        self.git("init", "-q", "-b", "main")
        self.git("add", "-A")
        self.git("commit", "-qm", "first")

    def write(self, path, text):
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def git(self, *words):
        named = ("-c", "user.name=ada", "-c", "user.email=ada@lab")
        return subprocess.run(["git", *named, *words], check=True, capture_output=True, text=True).stdout

    def train(self, steps=30, **environment):
        subprocess.run([sys.executable, "train.py", str(steps)], check=True, env={**self.environment, **environment}, timeout=60)

    def tscope(self, *words, code=0, **environment):
        done = subprocess.run([PROGRAM, *words], env={**self.environment, **environment}, capture_output=True, text=True, timeout=120,
                              stdin=subprocess.DEVNULL)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def again(self, *words, code=0, **environment):
        done = self.tscope("reproduce", "./runs/a", "--yes", "-d", "runs/b", *words, code=code, **environment)
        self.untouched()
        return done

    def untouched(self):
        self.assertEqual(len(self.git("worktree", "list").splitlines()), 1)
        self.assertLessEqual(set(os.listdir(os.path.join(self.home, ".local/state/tscope/runner"))), {".worktrees.lock"})

    def change(self, act):
        """Changes what the record says of the session."""
        with open("runs/a/facts.json", encoding="utf-8") as file:
            facts = json.load(file)
        act(facts)
        self.write("runs/a/facts.json", json.dumps(facts))

    def test_bit_for_bit_with_uncommitted_changes_and_files_that_git_does_not_track(self):
        self.write("train.py", TRAIN.replace("0.01", "0.02"))
        self.train()
        self.write("train.py", "raise SystemExit('not this one')\n")
        status = self.git("status", "--porcelain")
        done = self.again()
        self.assertIn("Bit for bit the same in 30 steps", done.stdout)
        self.assertIn("+        weight -= 0.02", done.stderr)
        self.assertIn("OMP_NUM_THREADS=3", done.stderr)
        self.assertEqual(self.git("status", "--porcelain"), status)
        self.assertEqual(sorted(self.read("runs/b").times), list(range(30)))

    def test_variables_are_as_recorded(self):
        self.train()
        done = self.again("--steps", "5", OMP_NUM_THREADS="4", LAB_SLOW="x")  # x is no number: what A did not have is unset
        self.assertIn("Bit for bit the same in 5 steps", done.stdout)
        self.assertEqual(sorted(self.read("runs/b").times), list(range(5)))

    def test_a_variable_whose_value_is_not_recorded_is_named(self):
        self.train(LAB_SLOW="0.0")
        done = self.again(LAB_SLOW="0.001")
        self.assertIn("variables that have another value here: LAB_SLOW", done.stdout)
        shutil.rmtree("runs/b")
        self.assertIn("not set here, of which the record has no value: LAB_SLOW", self.again().stdout)

    def test_the_answer_as_json(self):
        self.train()
        planned = json.loads(self.tscope("reproduce", "./runs/a", "--dry-run", "--json").stdout)
        self.assertEqual((planned["verdict"], planned["folder"], planned["command"][-2:]), ("planned", None, ["train.py", "30"]))
        same = json.loads(self.again("--json").stdout)
        self.assertEqual((same["verdict"], same["same_step_count"], same["first_step"]), ("same", 30, None))
        self.assertGreater(same["same_series_count"], 0)
        self.assertTrue(same["folder"].endswith("/runs/b"))
        shutil.rmtree("runs/b")
        lines = [f"{i / 7}\n" for i in range(30)]
        lines[17] = "0.25\n"
        self.write("data/numbers.txt", "".join(lines))
        parted = json.loads(self.again("--json", code=1).stdout)
        self.assertEqual((parted["verdict"], parted["first_step"]), ("parted", 17))
        self.assertRegex(" ".join(parted["differs_here"]), "numbers.txt is not the one that it read")
        shutil.rmtree("runs/b")
        os.remove("data/numbers.txt")
        lacking = json.loads(self.again("--json", code=3).stdout)
        self.assertEqual((lacking["verdict"], lacking["folder"]), ("not_known", None))
        self.assertRegex(" ".join(lacking["missing_here"]), "numbers.txt, which it read, is not here")

    def test_data_that_changed_is_named_with_the_step(self):
        self.train()
        lines = [f"{i / 7}\n" for i in range(30)]
        lines[17] = "0.25\n"
        self.write("data/numbers.txt", "".join(lines))
        done = self.again(code=1)
        self.assertIn("step 17", done.stdout)
        self.assertRegex(done.stdout, "data/numbers.txt is not the one that it read")

    def test_what_is_missing_is_said_and_nothing_is_executed(self):
        self.train()
        shutil.copytree("runs/a", "kept")
        commit = self.git("rev-parse", "HEAD").strip()
        cases = (
            (lambda facts: facts["session"].pop("command"), "the command: there is no fact session.command"),
            (lambda facts: facts["session"].update(command="python train.py | tee log"), "what only a shell understands"),
            (lambda facts: facts["session"].update(command="python train.py --api-key x"), "a secret in the command"),
            (lambda facts: facts["code"].update(commit="0" * 40), "the commit 000000000000 is not in"),
            (lambda facts: facts["code"].pop("commit"), "the code: there is no fact code.commit"),
            (lambda facts: facts["code"].update(dirty=True, patch_sha256="0" * 64), "only their digest is recorded"),
        )
        for act, said in cases:
            self.change(act)
            done = self.tscope("reproduce", "./runs/a", "--yes", "-d", "runs/b", code=3)
            self.assertIn(said, " ".join(done.stdout.split()))
            self.assertFalse(os.path.exists("runs/b"))
            shutil.rmtree("runs/a")
            shutil.copytree("kept", "runs/a")
        os.rename("data/numbers.txt", "data/moved.txt")
        self.assertIn("numbers.txt, which it read, is not here", self.again(code=3).stdout)
        os.rename("data/moved.txt", "data/numbers.txt")
        self.git("commit", "-q", "--allow-empty", "--amend", "-m", "other")
        self.git("reflog", "expire", "--expire=all", "--all")
        self.assertIn("so it may be anybody's", self.again(code=3).stdout)
        self.git("branch", "kept", commit)
        shutil.rmtree("runs/b")
        self.again("--steps", "2")

    def wheel(self, version, factor):
        """Makes a package of one module, in a folder that stands for an index."""
        os.makedirs("../index", exist_ok=True)
        info = f"lab_factor-{version}.dist-info"
        files = {"lab_factor.py": f"FACTOR = {factor}\n",
                 f"{info}/METADATA": f"Metadata-Version: 2.1\nName: lab_factor\nVersion: {version}\n",
                 f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: lab\nRoot-Is-Purelib: true\nTag: py3-none-any\n"}
        files[f"{info}/RECORD"] = "".join(f"{name},,\n" for name in [*files, f"{info}/RECORD"])
        with zipfile.ZipFile(f"../index/lab_factor-{version}-py3-none-any.whl", "w") as archive:
            for name, text in files.items():
                archive.writestr(name, text)

    def test_an_environment_is_built_as_it_was_recorded(self):
        taken = "\ntry:\n    from lab_factor import FACTOR\nexcept ImportError:\n    FACTOR = 1.0\nrandom.seed"
        self.write("train.py", TRAIN.replace("loss = (", "loss = FACTOR * (").replace("random.seed", taken))
        self.git("commit", "-qam", "factor")
        self.train()
        self.wheel("1.0", 1.0)
        self.wheel("2.0", 1.5)
        index = os.path.abspath("../index")
        here = {"PATH": os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"], "PIP_NO_INDEX": "1", "PIP_FIND_LINKS": index,
                "UV_NO_INDEX": "1", "UV_FIND_LINKS": index}
        for version, code in (("1.0", 0), ("2.0", 1)):
            self.change(lambda facts, version=version: facts["session"]["packages"].update(
                list=f"lab_factor=={version}\ntscope_ml==0.2\nown==1.0 @ file:///home/ada/own\n-r==x\n"))
            done = self.again("--build", code=code, **here)
            self.assertIn(f"lab_factor=={version}", done.stderr)
            self.assertRegex(done.stderr, "not built +own, which came from file:///home/ada/own")
            self.assertRegex(done.stderr, "not built +-r==x, which is no package of an index")
            shutil.rmtree("runs/b")
        # Built once; the log of the second time would say so.
        done = self.again("--build", code=1, **here)
        self.assertIn(", which is there", done.stderr)
        shutil.rmtree("runs/b")
        self.change(lambda facts: facts["session"]["packages"].update(list="lab_factor==3.0\n"))
        done = self.again("--build", code=3, **here)
        self.assertRegex(done.stdout, r"(?s)could not be built: .*\.log")
        self.assertFalse(os.path.exists("runs/b"))

    def test_nothing_is_executed_without_a_yes(self):
        self.train()
        done = self.tscope("reproduce", "./runs/a", "-d", "runs/b", code=2)
        self.assertIn("train.py 30", done.stderr)
        self.assertIn("nothing was executed", done.stderr)
        self.assertIn("train.py 30", self.tscope("reproduce", "./runs/a", "-d", "runs/b", "--dry-run").stdout)
        self.assertFalse(os.path.exists("runs/b"))

    def test_a_training_that_never_ends_ends_where_the_record_does(self):
        training = subprocess.Popen([sys.executable, "train.py", "1000000000"], env={**self.environment, "LAB_SLOW": "0.01"})
        time.sleep(2)
        training.kill()
        training.wait()
        self.assertIn("Bit for bit the same in ", self.again().stdout)

    def test_a_training_that_fails_is_not_known(self):
        self.train()
        self.change(lambda facts: facts["session"].update(command="python train.py none"))
        done = self.again(code=3)
        self.assertIn("exit code 1", done.stdout)
        with open("runs/b/output.txt", encoding="utf-8") as file:
            self.assertIn("ValueError", file.read())

    @unittest.skipIf(importlib.util.find_spec("torch") is None, "no torch")
    def test_from_a_checkpoint_that_lies_elsewhere(self):
        self.write("from.py", FROM)
        self.git("add", "from.py")
        self.git("commit", "-qm", "from")
        self.tscope("reproduce", "./runs/a", "--yes", code=2)  # there is no such run
        for words in (["runs/whole"], ["runs/a", os.path.realpath("../ten.pt")]):
            subprocess.run([sys.executable, "from.py", *words], check=True, env=self.environment, timeout=120)
        done = self.again()
        self.assertIn("Bit for bit the same in 10 steps", done.stdout)
        shutil.rmtree("runs/b")
        os.rename("../ten.pt", "../moved.pt")
        done = self.again(code=3)
        self.assertIn("ten.pt, which it read, is not here", done.stdout)
        shutil.rmtree("runs/b", ignore_errors=True)
        done = self.again("--from", "../moved.pt")
        self.assertIn("Bit for bit the same in 10 steps", done.stdout)
        self.assertIn("moved.pt", done.stderr)
        self.assertNotIn("is not the one", done.stdout)
        import torch

        state = torch.load("../moved.pt", weights_only=False)
        state["optimizer"]["state"][0]["exp_avg"] *= 1.01
        torch.save(state, "../other.pt")
        shutil.rmtree("runs/b")
        done = self.again("--from", "../other.pt", code=1)
        self.assertIn("step 11", done.stdout)  # the state of the optimizer acts on the next step
        self.assertIn("other.pt is not the one that it went on from", done.stdout)
        done = self.tscope("reproduce", "./runs/whole", "--yes", "--from", "../moved.pt", code=2)
        self.assertIn("it names none", done.stderr)

    def test_a_driver_that_is_killed_leaves_nothing(self):
        self.train(LAB_SLOW="0.001")
        self.change(lambda facts: facts["session"].update(command=f"{sys.executable} train.py 1000000000"))
        driver = subprocess.Popen([PROGRAM, "reproduce", "./runs/a", "--yes", "-d", "runs/b"], stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, env={**self.environment, "LAB_SLOW": "100"})
        state = os.path.join(self.home, ".local/state/tscope/runner")
        until = time.monotonic() + 30
        while not os.path.exists("runs/b/recording.tscope") and time.monotonic() < until:
            time.sleep(0.05)
        self.assertEqual(len(self.git("worktree", "list").splitlines()), 2)
        driver.send_signal(signal.SIGKILL)
        driver.wait()
        while len(os.listdir(state)) > 1 and time.monotonic() < until:
            time.sleep(0.05)
        self.untouched()

    def test_a_record_says_what_it_has_and_lacks(self):
        self.train()
        self.assertIn("tscope reproduce can run it again", self.tscope("show", "./runs/a", "--reproduce").stdout)
        self.assertNotIn("cannot be run again", self.tscope("push", "runs/a").stderr)
        self.change(lambda facts: facts["session"].pop("command"))
        self.assertIn("lacks", self.tscope("show", "./runs/a", "--reproduce", code=3).stdout)
        shutil.copytree("runs/a", "runs/c")
        done = self.tscope("push", "runs/c", "runs/a")
        self.assertEqual(done.stderr.count("cannot be run again"), 1, done.stderr)


if __name__ == "__main__":
    unittest.main()
