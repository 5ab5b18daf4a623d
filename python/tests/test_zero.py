"""python -m tscope: a script that nobody touched behaves as under python, and is recorded."""

import glob
import importlib.util
import json
import os
import shutil
import subprocess
import sys
import time
import unittest
import unittest.mock

import support
import tscope
from tscope import _verdict

TORCH = importlib.util.find_spec("torch") is not None


class Zero(support.Case):
    def write(self, path, text):
        os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)

    def run_python(self, *words, **environment):
        source = os.path.dirname(os.path.dirname(tscope.__file__))
        variables = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": source, "TSCOPE": "/nowhere", **environment}
        return subprocess.run([sys.executable, *words], capture_output=True, text=True, env=variables, timeout=300)

    def recorded(self, *words, options=(), expect=0, **environment):
        """Runs a script recorded, and returns the run's folder, its recording and what was said."""
        before = set(glob.glob("runs/*"))
        done = self.run_python("-m", "tscope", *options, *words, **environment)
        self.assertEqual(done.returncode, expect, done.stdout + done.stderr)
        (directory,) = set(glob.glob("runs/*")) - before
        return directory, self.read(directory) if os.path.exists(directory + "/recording.tscope") else None, done.stderr


class Plain(Zero):
    """Without torch."""

    WHO = (
        "import os, sys\n"
        "main = sys.modules['__main__']\n"
        "print(sys.argv, sys.path, __name__, __file__, __package__, __doc__, __spec__ and __spec__.name)\n"
        "print(main.__dict__ is globals(), type(__builtins__).__name__, sorted(globals()))\n"
    )

    def same(self, *words, tail=None):
        """Runs python with words, and again recorded; fails where their output, errors or exit differ."""
        plain = self.run_python(*words)
        ours = self.run_python("-m", "tscope", "--no-verdict", *words)
        self.assertEqual((plain.stdout, plain.returncode), (ours.stdout, ours.returncode), ours.stderr)
        self.assertEqual(plain.stderr, ours.stderr)
        self.assertEqual(glob.glob("runs"), [])
        return ours

    def test_is_what_python_runs(self):
        self.write("lab/train.py", '"A training."\n' + self.WHO)
        self.same("lab/train.py", "--lr", "0.1", "-m", "--name", "x")
        self.same(os.path.abspath("lab/train.py"))
        self.write("lab/__init__.py", "import sys\nprint('init', sys.argv)\n")
        self.write("lab/other.py", "from . import train\n" + self.WHO)
        self.write("lab/__main__.py", "from .train import os\n" + self.WHO)
        self.same("-m", "lab.other", "-m", "x")
        self.same("-m", "lab", "--lr", "1")
        self.write("folder/__main__.py", "import near\n" + self.WHO)
        self.write("folder/near.py", "print('near')\n")
        self.same("folder", "x")
        shutil.make_archive("packed", "zip", "folder")
        self.same("packed.zip", "x")

    def test_ends_as_it_would(self):
        for text, code in (
            ("import sys; sys.exit(3)", 3),
            ("import sys; sys.exit('a text')", 1),
            ("raise SystemExit", 0),
            ("def f():\n    raise ValueError('boom')\ntry:\n    f()\nexcept ValueError as e:\n    raise KeyError(1) from e\n", 1),
            ("import os; os._exit(7)", 7),
            ("raise KeyboardInterrupt", -2),
            ("x = = 1\n", 1),
            ("import argparse\np = argparse.ArgumentParser()\np.add_argument('--lr', type=float)\np.parse_args(['--lr', 'x'])", 2),
            ("import sys\nsys.excepthook = lambda k, v, t: print('hook', k, v)\nraise ValueError(1)", 1),
            ("import atexit\natexit.register(print, 'at exit')\nimport threading\n"
             "threading.Thread(target=lambda: print('thread')).start()", 0),
        ):
            with self.subTest(text):
                self.write("train.py", text)
                self.assertEqual(self.same("train.py").returncode, code)

    def test_what_is_not_there(self):
        done = self.run_python("-m", "tscope", "nothing.py")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertRegex(done.stderr, r"^tscope: can't open file '/.*/nothing.py': \[Errno 2\] No such file or directory\n$")
        done = self.run_python("-m", "tscope", "-m", "no_such_module")
        self.assertEqual(done.returncode, 1)
        self.assertIn("No module named no_such_module", done.stderr)
        self.assertEqual(self.run_python("-m", "tscope", "--name", "a").returncode, 2)
        self.assertEqual(self.run_python("-m", "tscope", "-m").returncode, 2)
        for words in ([], ["--help"]):
            done = self.run_python("-m", "tscope", *words)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            self.assertIn("--directory DIR", done.stdout)

    def test_children_are_plain(self):
        self.write("train.py", (
            "import multiprocessing, pickle, sys\n"
            "class Item:\n"
            "    def __init__(self, value): self.value = value\n"
            "def work(item):\n"
            "    return item.value + 1, sys.argv, __name__, 'tscope._zero' in sys.modules\n"
            "if __name__ == '__main__':\n"
            "    print(type(pickle.loads(pickle.dumps(Item(1)))) is Item)\n"
            "    with multiprocessing.get_context('spawn').Pool(2) as pool:\n"
            "        print(pool.map(work, [Item(1), Item(2)]))\n"
            "    with multiprocessing.get_context('fork').Pool(2) as pool:\n"
            "        print([result[:3] for result in pool.map(work, [Item(1), Item(2)])])\n"
        ))
        self.same("train.py")

    def test_says_what_was_not_seen(self):
        self.write("train.py", "print('no torch')\n")
        done = self.run_python("-m", "tscope", "train.py")
        self.assertEqual(done.stdout, "no torch\n")
        self.assertIn("run = tscope.start(DIR)", done.stderr)
        self.assertFalse(os.path.exists("runs"))

    def test_stays_out_of_the_way_of_a_run(self):
        self.write("train.py", "import tscope\nwith tscope.start('runs/own') as run, run.step():\n    tscope.log(loss=1)\n")
        directory, recording, said = self.recorded("train.py", options=["--verdict"])
        self.assertEqual((directory, len(recording.times)), ("runs/own", 1))
        self.assertNotIn("add ", said)

    ANSWER = {
        "bound": {"sentence": "input-bound: " + "waiting " * 30, "fixes": [
            {"name": "more workers", "how": "DataLoader(num_workers=8), " + "and so on " * 40, "wins_most_ratio": 0.25}]},
        "findings": [{"severity": "high", "title": "It waits"}, {"severity": "low", "title": "Never mind"}],
    }

    def judge(self, answer, directory="runs/exp1", **how):
        """Returns the verdict on a run when the program tscope gives an answer."""
        self.write("answer", answer)
        self.write("tscope", f"#!/bin/sh\necho \"$@\" >{self.folder}/asked\ncat {self.folder}/answer\n")
        os.chmod("tscope", 0o755)
        with unittest.mock.patch.dict(os.environ, {"TSCOPE": os.path.abspath("tscope")}):
            found = _verdict.lines(directory, **how)
        self.assertLessEqual(len(found), 10)
        self.assertLessEqual(max(map(len, found)), 80)
        self.assertTrue(found[0].startswith("tscope: "))
        return "\n".join(found)

    def record(self, directory, config, **options):
        with self.start(directory, config=config, **options) as run:
            for i in range(20):
                with run.step():
                    run.mark("forward")
                    run.log(loss=1 / (i + 1))

    def test_verdict(self):
        self.record("runs/exp1", {"lr": 0.1})
        said = self.judge(json.dumps(self.ANSWER))
        self.assertRegex(said, r"^tscope: 20 steps, median \S+ \ws, p95 \S+ \ws, loss 1 to 0.05\n  input-bound: waiting")
        for part in ("\n  found: It waits\n", "\n  try: more workers: DataLoader(num_workers=8), and", "\n  run: ./runs/exp1"):
            self.assertIn(part, said)
        self.assertNotIn("Never mind", said)
        self.assertNotIn("tscope diff", said)
        check = {"name": "fewer copies", "how": "pin_memory=True", "check": "print(loader.pin_memory) says False"}
        self.assertNotIn("worth", self.judge(json.dumps({"bound": {**self.ANSWER["bound"], "worth_checking": [check]}})))
        said = self.judge(json.dumps({"bound": {"sentence": "compute-bound", "fixes": [], "worth_checking": [check, check]}}))
        self.assertEqual(said.count("\n  worth checking: fewer copies: pin_memory=True"), 1)
        with open("asked", encoding="utf-8") as file:
            self.assertEqual(file.read(), f"analyze --json --no-pager {self.folder}/runs/exp1\n")
        self.record("runs/other", {"lr": 0.1, "depth": 3})
        self.record("runs/exp2", {"lr": 0.2})
        os.makedirs("runs/none")
        many = tuple(f"this was not seen, number {i}: add tscope.log(loss=loss)" for i in range(3))
        said = self.judge(json.dumps(self.ANSWER), "runs/exp2", more=many)
        self.assertIn("\n  tscope diff ./runs/exp1 ./runs/exp2\n", said)
        self.assertIn("number 2", said)

    def test_verdict_of_memory(self):
        self.record("runs/exp1", {})
        bound = {"sentence": "compute-bound", "fixes": [], "memory": "memory limits the run: a request of 24 MiB was refused"}
        fix = {"name": "let segments expand", "how": "set PYTORCH_CUDA_ALLOC_CONF", "saves_most_bytes": 29 << 20}
        for fixes in ([fix], [fix, {"name": "another", "how": "", "saves_most_bytes": 1}]):
            said = " ".join(self.judge(json.dumps({"bound": {**bound, "memory_fixes": fixes}})).split())
            self.assertIn("compute-bound memory limits the run: a request of 24 MiB was refused; try: let segments expand: "
                          "set PYTORCH_CUDA_ALLOC_CONF (saves at most 29.0 MiB at the peak) run: ", said)
        # What does not limit is not said, and an older program says nothing of memory.
        for more in ({"memory": "memory does not limit the batch", "memory_fixes": []}, {"memory": None, "memory_fixes": []}, {}):
            self.assertNotIn("memory", self.judge(json.dumps({"bound": {"sentence": "compute-bound", "fixes": [], **more}})))

    def test_verdict_without_an_analysis(self):
        self.record("runs/exp1", {})
        for answer in ("", "[]", "{}", '{"bound": 1}', "not JSON", '{"bound": {"fixes": null, "memory_fixes": null}}'):
            with self.subTest(answer):
                said = self.judge(answer)
                self.assertIn("20 steps", said)
                self.assertNotIn("bound", said)
        self.assertRegex(self.judge(""), r"time: (forward|other|between) \d+%")
        with self.start("runs/empty"):
            pass
        self.assertIn("no step was recorded", self.judge("{}", "runs/empty"))

    def test_verdict_is_said_where_it_is_wanted(self):
        text = "import sys, tscope\nwith tscope.start(sys.argv[1], verdict=len(sys.argv) > 2) as run, run.step():\n    pass\n"
        self.write("train.py", text)
        self.assertEqual(self.run_python("train.py", "runs/a").stderr, "")
        self.assertIn("tscope: 1 step,", self.run_python("train.py", "runs/b", "verdict").stderr)
        self.assertEqual(self.run_python("train.py", "runs/c", "verdict", RANK="1", WORLD_SIZE="2").stderr, "")
        self.assertEqual(self.run_python("-m", "tscope", "train.py", "runs/d").stderr, "tscope: recorded in ./runs/d\n")
        self.assertIn("tscope: 1 step,", self.run_python("-m", "tscope", "--verdict", "train.py", "runs/e").stderr)
        ours, theirs = os.openpty()  # a terminal
        self.addCleanup(os.close, ours)
        source = os.path.dirname(os.path.dirname(tscope.__file__))
        words = [sys.executable, "-m", "tscope", "train.py", "runs/f"]
        subprocess.run(words, stderr=theirs, env={**os.environ, "PYTHONPATH": source, "TSCOPE": "/nowhere"}, check=True)
        os.close(theirs)
        self.assertIn("tscope: 1 step,", os.read(ours, 4096).decode())

    @unittest.skipUnless(os.environ.get("TSCOPE_PROGRAM"), "TSCOPE_PROGRAM names no tscope")
    def test_verdict_of_the_program(self):
        with self.start("runs/exp1") as run:
            for _ in run.data(time.sleep(0.002) for _ in range(100)):
                with run.step():
                    run.mark("forward")
        with unittest.mock.patch.dict(os.environ, {"TSCOPE": os.environ["TSCOPE_PROGRAM"]}):
            found = _verdict.lines("runs/exp1")
        self.assertIn("input-bound: ", found[1])
        self.assertIn("  try: ", "\n".join(found))
        self.assertLessEqual(len(found), 10)

    def test_a_module_that_is_called_as_torch_is(self):
        self.write("torch.py", "x = 1\n")
        self.write("train.py", "import torch, sys\nprint(torch.x, type(torch.__spec__.loader).__name__, torch.__loader__.__dict__)\n")
        plain, ours = self.run_python("train.py"), self.run_python("-m", "tscope", "train.py")
        self.assertEqual((plain.stdout, plain.returncode), (ours.stdout, ours.returncode))


@unittest.skipUnless(TORCH, "torch is not installed")
class Loops(Zero):
    """With torch: what is recorded of loops."""

    MODEL = (
        "import torch, time\n"
        "torch.manual_seed(1)\n"
        "model = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1))\n"
        "optimizer = torch.optim.Adam(model.parameters(), lr=0.01)\n"
        "loss_of = torch.nn.MSELoss()\n"
    )
    STEP = "loss = loss_of(model(torch.ones(4, 8)), torch.zeros(4, 1)); optimizer.zero_grad(); loss.backward(); optimizer.step()"

    def test_a_plain_loop(self):
        self.write("train.py", self.MODEL + (
            "import argparse\n"
            "p = argparse.ArgumentParser()\n"
            "p.add_argument('--width', type=int, default=8)\n"
            "p.add_argument('--api-key')\n"
            "args = p.parse_args()\n"
            "class Data(torch.utils.data.Dataset):\n"
            "    def __len__(self): return 12\n"
            "    def __getitem__(self, i): time.sleep(0.001); return torch.full((8,), float(i))\n"
            "loader = torch.utils.data.DataLoader(Data(), batch_size=2)\n"
            "schedule = torch.optim.lr_scheduler.ExponentialLR(optimizer, 0.5)\n"
            "losses = []\n"
            "for epoch in range(2):\n"
            "    model.train()\n"
            "    for batch in loader:\n"
            "        loss = loss_of(model(batch), torch.zeros(2, 1))\n"
            "        optimizer.zero_grad(); loss.backward(); time.sleep(0.002); optimizer.step()\n"
            "        losses.append(loss.item())\n"
            "    model.eval()\n"
            "    with torch.no_grad():\n"
            "        for batch in loader: model(batch)\n"
            "    schedule.step()\n"
            "print(losses)\n"
        ))
        plain = self.run_python("train.py")
        directory, recording, said = self.recorded("train.py", "--api-key", "x")
        self.assertEqual(len(recording.times), 12)
        losses = json.loads(plain.stdout)
        self.assertEqual([cells["scalars.loss"] for _, cells in sorted(recording.steps.items())], losses)
        self.assertEqual([cells["scalars.lr"] for _, cells in sorted(recording.steps.items())], [0.01] * 6 + [0.005] * 6)
        for step, cells in recording.steps.items():
            self.assertLessEqual({"phases.forward", "phases.backward", "phases.optimizer"}, set(cells))
            self.assertGreaterEqual(cells["phases.backward"], 2_000_000)
            if step:
                self.assertGreaterEqual(cells["phases.data"], 2_000_000)
        regions = [name for name, _, _ in recording.regions]
        self.assertEqual((regions.count("regions.evaluation"), regions.count("regions.evaluation data")), (12, 12))
        with open(directory + "/run.json", encoding="utf-8") as file:
            self.assertEqual(json.load(file)["config"], {"width": 8, "api_key": "<redacted>"})
        with open(directory + "/facts.json", encoding="utf-8") as file:
            facts = json.load(file)
        self.assertIn("backward()", facts["columns"]["scalars.loss"]["source"])
        self.assertEqual((facts["session"]["program"], facts["seeds"]["torch"]), ("train", 1))
        self.assertEqual(said, f"tscope: recorded in ./{directory}\n")

    def test_digests(self):
        import torch

        self.write("train.py", self.MODEL + (
            "loader = torch.utils.data.DataLoader(torch.arange(96.0).view(12, 8), batch_size=2)\n"
            "for batch in loader:\n"
            "    loss = model(batch).square().mean(); optimizer.zero_grad(); loss.backward(); optimizer.step()\n"
        ))
        recording = self.recorded("train.py", options=("--digests-every", "3"))[1]
        rows = torch.arange(96.0).view(12, 8)
        self.assert_batches(recording, [[rows[2 * i : 2 * i + 2]] for i in range(6)], every=3)
        with open(glob.glob("runs/*/facts.json")[0], encoding="utf-8") as file:
            facts = json.load(file)
        self.assertEqual((facts["data"]["num_workers"], facts["data"]["sampler"]), (0, "SequentialSampler"))
        self.assertEqual(facts["work"]["loader"]["batch_size"], 2)
        for step, cells in recording.steps.items():
            for name in ("digests.params", "digests.grads", "digests.rng", "digests.rng_pass"):
                self.assertEqual(name in cells, step % 3 == 0)
        recording = self.recorded("train.py", options=("--digests-every", "0"))[1]
        digests = {name for cells in recording.steps.values() for name in cells if name.startswith("digests.")}
        self.assertEqual(digests, {"digests.indices", "digests.samples_0"})  # which every step has

    def test_torch_that_is_imported_late_and_a_crash(self):
        self.write("train.py", "def main():\n" + "".join(f"    {line}\n" for line in self.MODEL.splitlines()) + (
            "    for i in range(5):\n"
            f"        {self.STEP}\n"
            "    model(torch.ones(4, 9))\n"
            "main()\n"
        ))
        plain = self.run_python("train.py")
        _, recording, said = self.recorded("train.py", expect=1)
        self.assertEqual(len(recording.times), 5)
        self.assertEqual(recording.end["reason"], 1)
        self.assertIn(("events.exception", 5, "RuntimeError"), recording.events)
        lines = [line for line in said.splitlines() if not line.startswith("tscope: ")]
        self.assertEqual(lines[-1], plain.stderr.splitlines()[-1])
        expected = [line for line in plain.stderr.splitlines() if "train.py" in line]
        self.assertEqual([line for line in lines if "train.py" in line], expected)
        ours = [line for line in lines if "/tscope/" in line]
        self.assertLessEqual(len(ours), 2, said)

    def test_two_models_and_two_optimizers(self):
        self.write("train.py", (
            "import torch, time\n"
            "G, D = torch.nn.Linear(4, 8), torch.nn.Linear(8, 1)\n"
            "g, d = torch.optim.SGD(G.parameters(), lr=0.1), torch.optim.SGD(D.parameters(), lr=0.2)\n"
            "for i in range(6):\n"
            "    real, noise = torch.ones(2, 8), torch.ones(2, 4)\n"
            "    d.zero_grad(); (D(G(noise).detach()).mean() - D(real).mean()).backward(); d.step()\n"
            "    g.zero_grad(); time.sleep(0.002); (-D(G(noise)).mean()).backward(); g.step()\n"
        ))
        _, recording, _ = self.recorded("train.py")
        self.assertEqual(len(recording.times), 6)
        for cells in recording.steps.values():
            self.assertEqual((cells["scalars.lr.0"], cells["scalars.lr.1"]), (0.1, 0.2))
            expected = {"scalars.loss.0", "scalars.loss.1", "phases.forward", "phases.backward", "phases.optimizer"}
            self.assertLessEqual(expected, set(cells))

    def test_a_step_ends_when_each_optimizer_has_stepped(self):
        """Also where one of them steps for the first time behind several steps of another; one that never steps is not waited for."""
        head = (
            "import torch\n"
            "G, D, E = torch.nn.Linear(4, 8), torch.nn.Linear(8, 1), torch.nn.Linear(8, 1)\n"
            "g, d = torch.optim.SGD(G.parameters(), lr=0.1), torch.optim.SGD(D.parameters(), lr=0.2)\n"
            "def critic():\n"
            "    d.zero_grad(); (D(G(torch.randn(2, 4)).detach()).mean() - D(torch.ones(2, 8)).mean()).backward(); d.step()\n"
            "def make(): g.zero_grad(); (-D(G(torch.randn(2, 4))).mean()).backward(); g.step()\n"
            "def encode(): e.zero_grad(); E(torch.ones(2, 8)).mean().backward(); e.step()\n"
        )
        made = head + "e = torch.optim.SGD(E.parameters(), lr=0.3)\n"
        cut = 1 + 35 + 1  # 65 critics are a step, 35 are by themselves, and the generator belongs to the next critic
        ways = (  # the first are of Wasserstein
            *((head, f"for i in range(6):\n    for k in range({n}): critic()\n    make()\n", 6, 6) for n in (5, 20, 64)),
            (head, "for i in range(8):\n    for k in range(100): critic()\n    make()\n", cut + 7, cut + 7),
            (head, "for i in range(30):\n    critic()\n    if i % 5 == 4: make()\n", 6, 6),
            (head, "for i in range(30):\n    critic()\n    if i % 5 == 0: make()\n", 6, 6),
            (head, "for i in range(12): (critic, make)[i % 2]()\n", 6, 6),
            (made, "for i in range(6): critic(); critic(); make(); encode()\n", 6, 7),  # nobody called the encoder before
            (head, "for i in range(20): d.zero_grad(); D(torch.ones(2, 8)).mean().backward(); d.step()\n", 19, 20),
            (head, "for i in range(20): d.zero_grad(); D(G(torch.ones(2, 4))).mean().backward(); d.step()\n", 19, 20),
        )
        for number, (top, loop, least, most) in enumerate(ways):
            self.write(f"train{number}.py", top + loop)
            steps = len(self.recorded(f"train{number}.py")[1].times)
            self.assertTrue(least <= steps <= most, f"{loop}: {steps}")

    def test_a_program_that_ends_while_a_step_waits_in_vain(self):
        """A generator that is called without gradients may have its turn, and never does: the critic's steps are not lost for that."""
        head = (
            "import sys, torch\n"
            "from tscope._recorder import now_ns\n"
            "G, D = torch.nn.Linear(4, 2), torch.nn.Linear(2, 1)\n"
            "g, d = torch.optim.SGD(G.parameters(), lr=0.1), torch.optim.Adam(D.parameters(), lr=0.2)\n"
            "def fake():\n    with torch.no_grad(): return G(torch.ones(3, 4))\n"
            "def critic(): d.zero_grad(); D(fake()).mean().backward(); d.step()\n"
            "def make(): g.zero_grad(); D(G(torch.ones(2, 4))).mean().backward(); g.step()\n"
        )
        ways = (
            ("for i in range(1): critic()\nprint('behind', now_ns(), file=sys.stderr)\n", 0, 1, 0),
            ("for i in range(11): critic()\nD(fake()).mean()\nraise ValueError()\n", 1, 1, 11),
            ("for i in range(30): critic()\n", 0, 1, 30),
            ("for i in range(100): critic()\n", 0, 1 + 35, 65),
            ("for i in range(3): critic(); make()\ncritic()\n", 0, 3, 0),  # the generator's part of the last one is missing
            ("for i in range(3): critic(); make()\nfor i in range(70): critic()\n", 0, 3 + 1 + 5, 65),
            # Behind a turn of 100 one waits twice as long; the last step was not finished, and is long enough to be kept.
            ("for i in range(370):\n    critic()\n    if i in (99, 199, 299): make()\n", 0, 1 + 35 + 1 + 2 + 1, 70),
        )
        for number, (loop, ends, steps, joined) in enumerate(ways):
            with self.subTest(loop):
                self.write(f"train{number}.py", head + loop)
                _, recording, said = self.recorded(f"train{number}.py", expect=ends)
                self.assertEqual(len(recording.times), steps)
                self.assertTrue({"scalars.loss", "scalars.loss.1"} & set(recording.steps[0]), recording.steps[0])
                said = " ".join(said.split())
                self.assertNotIn("no backward pass", said)
                self.assertEqual(f"{joined} steps of Adam are recorded as one step" in said, joined > 0, said)
                self.assertEqual("are recorded as one step" in said, joined > 0, said)
                if "behind" in loop:  # what the program does behind its last step is no part of it
                    self.assertLessEqual(recording.times[0][1], int(said.split()[said.split().index("behind") + 1]))

    def test_critics_and_optimizers_that_never_step(self):
        self.write("train.py", self.MODEL + (
            "other = torch.optim.SGD(model.parameters(), lr=1.0)\n"
            f"for i in range(20):\n    {self.STEP}\n"
            f"for i in range(4):\n    {self.STEP}; {self.STEP}; other.step()\n"
        ))
        _, recording, _ = self.recorded("train.py")
        self.assertEqual(len(recording.times), 20 + 4 + 4)  # one that trains the same parameters is not waited for

    def test_one_training_after_another(self):
        """The optimizer of the first one lives on, and is not waited for in the second."""
        self.write("train.py", (
            "import torch\n"
            "kept = []\n"
            "for k in range(2):\n"
            "    model = torch.nn.Linear(8, 1); optimizer = torch.optim.SGD(model.parameters(), lr=0.1); kept.append(optimizer)\n"
            "    for i in range(30):\n"
            "        loss = model(torch.ones(4, 8)).square().mean(); loss.backward(); optimizer.step(); optimizer.zero_grad()\n"
        ))
        _, recording, _ = self.recorded("train.py")
        self.assertGreaterEqual(len(recording.times), 59)  # the second model is found at its first forward

    def test_accumulation_closures_and_models_that_train_in_evaluation_mode(self):
        self.write("train.py", self.MODEL + (
            "for i in range(12):\n"
            "    (loss_of(model(torch.ones(4, 8)), torch.zeros(4, 1)) / 3).backward()\n"
            "    if i % 3 == 2: optimizer.step(); optimizer.zero_grad()\n"
            "def closure():\n"
            "    optimizer.zero_grad(); loss = loss_of(model(torch.ones(4, 8)), torch.zeros(4, 1)); loss.backward(); return loss\n"
            "for i in range(5): optimizer.step(closure)\n"
        ))
        self.assertEqual(len(self.recorded("train.py")[1].times), 4 + 5)
        self.write("tune.py", self.MODEL + f"model.eval()\nfor i in range(5):\n    {self.STEP}\n")
        self.assertEqual(len(self.recorded("tune.py")[1].times), 5)

    def test_scaled_losses(self):
        self.write("train.py", self.MODEL + (
            "scaler = torch.amp.GradScaler('cpu', init_scale=1024.0)\n"
            "for i in range(4):\n"
            "    loss = loss_of(model(torch.ones(4, 8)), torch.zeros(4, 1)); optimizer.zero_grad()\n"
            "    scaler.scale(loss).backward(); scaler.step(optimizer); scaler.update(); print(loss.item())\n"
        ))
        losses = [float(line) for line in self.run_python("train.py").stdout.split()]
        _, recording, _ = self.recorded("train.py")
        self.assertEqual([cells["scalars.loss"] for _, cells in sorted(recording.steps.items())], losses)

    def test_what_is_compiled(self):
        """Hooks and patches are no part of a graph, break none, and have none compiled again."""
        model = (
            "class Model(torch.nn.Module):\n"
            "    def __init__(self): super().__init__(); self.inner = torch.nn.Sequential(torch.nn.Linear(8, 1), torch.nn.Tanh())\n"
            "    def forward(self, x): return self.inner(x) * 2\n"
            "model = Model(); optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
        )
        wrapped = "call = model = torch.compile(model, backend=count, fullgraph=True)"
        ways = (
            ("", wrapped, 6),
            (model, wrapped, 6),
            (model, "model.compile(backend=count, fullgraph=True); call = model", 6),
            (model, "call = torch.compile(lambda x: model(x), backend=count, fullgraph=True)", 6),  # called in a graph
        )
        for own, way, steps in ways:
            with self.subTest(way):
                self.write("train.py", self.MODEL + own + (
                    "graphs = []\n"
                    "def count(graph, inputs): graphs.append(len(graph.graph.nodes)); return graph.forward\n"
                    f"{way}\n"
                    "for i in range(6):\n"
                    "    loss = loss_of(call(torch.ones(4, 8)), torch.zeros(4, 1))\n"
                    "    optimizer.zero_grad(); loss.backward(); optimizer.step()\n"
                    "print(graphs, loss.item())\n"
                ))
                plain = self.run_python("train.py")
                ours = self.run_python("-m", "tscope", "train.py")
                self.assertEqual((plain.stdout, plain.returncode), (ours.stdout, ours.returncode), ours.stderr)
                run = self.read(max(glob.glob("runs/*")))
                self.assertEqual(len(run.times), steps)
                self.assertEqual("no module was called in training" in ours.stderr, "lambda" in way, ours.stderr)
                self.assertAlmostEqual(run.steps[steps - 1]["scalars.loss"], float(plain.stdout.split()[-1]), 6)

    def test_tensors_that_are_trained_without_a_module(self):
        """Steps begin with backward; each loss is that which the program prints, the first one, too, also of several micro-batches."""
        for k in (1, 2):
            with self.subTest(k):
                self.write("train.py", (
                    "import torch\n"
                    "w = torch.zeros(3, requires_grad=True); optimizer = torch.optim.SGD([w], lr=0.1)\n"
                    "for i in range(5):\n"
                    "    optimizer.zero_grad(); total = 0.0\n"
                    f"    for j in range({k}):\n"
                    f"        loss = ((w - torch.arange(3.0) - j) ** 2).mean() / {k}; loss.backward(); total += loss.item()\n"
                    "    optimizer.step(); print(total)\n"
                ))
                plain, ours = self.run_python("train.py"), self.run_python("-m", "tscope", "train.py")
                self.assertEqual((plain.stdout, plain.returncode), (ours.stdout, ours.returncode), ours.stderr)
                run = self.read(max(glob.glob("runs/*")))
                self.assertEqual(sorted(run.steps), [0, 1, 2, 3, 4])
                for step, loss in enumerate(plain.stdout.split()):
                    self.assertAlmostEqual(run.steps[step]["scalars.loss"], float(loss), 6)

    def test_a_module_that_is_called_once_in_a_training_without_modules(self):
        """Before a step, and within one: no step is lost, also behind it."""
        for where in ("if i == 2: model(torch.ones(4, 8))\n    loss = ", "loss = "):
            with self.subTest(where):
                self.write("train.py", self.MODEL + (
                    "def forward(x):\n"
                    "    for layer in model: x = layer.forward(x)\n"
                    "    return x\n"
                    "for i in range(6):\n"
                    f"    {where}(forward(torch.ones(4, 8)) ** 2).mean()\n"
                    "    optimizer.zero_grad(); loss.backward()\n"
                    "    if i == 3: model(torch.ones(4, 8))\n"
                    "    optimizer.step(); print(loss.item())\n"
                ))
                printed = [float(line) for line in self.run_python("-m", "tscope", "train.py").stdout.split()]
                steps = self.read(max(glob.glob("runs/*"))).steps
                self.assertEqual([cells["scalars.loss"] for _, cells in sorted(steps.items())], printed)

    def test_a_backward_pass_before_the_training_is_no_step(self):
        self.write("train.py", self.MODEL + (
            "z = torch.ones(2, requires_grad=True); other = torch.optim.SGD([z], lr=0.1); (z * z).sum().backward(); del other\n"
            "for i in range(4):\n"
            "    loss = loss_of(model(torch.ones(4, 8)), torch.zeros(4, 1)); optimizer.zero_grad(); loss.backward(); optimizer.step()\n"
            "    print(loss.item())\n"
        ))
        printed = [float(line) for line in self.run_python("-m", "tscope", "train.py").stdout.split()]
        steps = self.read(max(glob.glob("runs/*"))).steps
        self.assertEqual([cells["scalars.loss"] for _, cells in sorted(steps.items())], printed)
        self.assertEqual(sorted(steps), [0, 1, 2, 3])

    def test_a_backward_pass_before_the_training_gives_no_loss(self):
        """Not even where the program sets gradients to zero behind the optimizer's step alone."""
        self.write("train.py", self.MODEL + (
            "z = torch.full((2,), 7.0, requires_grad=True); (z * z).sum().backward()\n"
            "for i in range(4):\n"
            "    loss = loss_of(model(torch.ones(4, 8)), torch.zeros(4, 1)); loss.backward(); optimizer.step(); optimizer.zero_grad()\n"
            "    print(loss.item())\n"
        ))
        printed = [float(line) for line in self.run_python("-m", "tscope", "train.py").stdout.split()]
        steps = self.read(max(glob.glob("runs/*"))).steps
        self.assertEqual([cells["scalars.loss"] for _, cells in sorted(steps.items())], printed)

    def test_workers_record_nothing(self):
        self.write("train.py", (
            "import sys\n" + self.MODEL + "class Data(torch.utils.data.Dataset):\n"
            "    def __len__(self): return 8\n"
            "    def __getitem__(self, i):\n"
            "        inner = torch.nn.Linear(8, 1); o = torch.optim.SGD(inner.parameters(), lr=1.0)\n"
            "        inner(torch.ones(8)).sum().backward(); o.step()\n"
            "        return torch.ones(8)\n"
            "if __name__ == '__main__':\n"
            "    for how in ('fork', 'spawn'):\n"
            "        for batch in torch.utils.data.DataLoader(Data(), batch_size=2, num_workers=2, multiprocessing_context=how):\n"
            f"            {self.STEP}\n"
        ))
        _, recording, _ = self.recorded("train.py")
        self.assertEqual(len(recording.times), 8)
        self.assertEqual(len(glob.glob("runs/*")), 1)

    def test_other_threads_are_not_the_loop(self):
        self.write("train.py", self.MODEL + (
            "import threading\n"
            "going, other = True, torch.nn.Linear(8, 1)\n"
            "tune = torch.optim.SGD(other.parameters(), lr=0.1)\n"
            "def beside():\n"
            "    while going: other(torch.ones(4, 8)).sum().backward(); tune.step()\n"
            f"{self.STEP}\n"
            "thread = threading.Thread(target=beside); thread.start()\n"
            f"for i in range(50):\n    {self.STEP}\n"
            "going = False; thread.join()\n"
        ))
        _, recording, _ = self.recorded("train.py")
        self.assertLessEqual(abs(len(recording.times) - 50), 1)

    def test_a_step_that_is_not_finished_is_none(self):
        """It is not one that could not be recorded."""
        for steps in (0, 5):
            self.write("train.py", self.MODEL + f"for i in range({steps}):\n    {self.STEP}\nmodel(torch.ones(4, 8))\n")
            _, recording, _ = self.recorded("train.py")
            self.assertEqual((len(recording.times), recording.end["lost"]), (steps, 0))

    def in_threads(self, text):
        """Trains in a script in which other threads are, and returns the recorded losses, those that it printed and what was said."""
        self.write("train.py", self.MODEL + "import threading\nother = torch.nn.Linear(8, 1)\n" + (
            "def call():\n    for _ in range(3): other(torch.ones(4, 8)).sum()\n"
            "def tune():\n"
            "    tunes = torch.optim.SGD(other.parameters(), lr=0.1)\n"
            "    for _ in range(3): other(torch.ones(4, 8)).sum().backward(); tunes.step()\n"
            "def beside(what):\n    thread = threading.Thread(target=what); thread.start(); thread.join()\n"
            "def train(middle=lambda: None, step=lambda: optimizer.step()):\n"
            "    for i in range(5):\n"
            "        optimizer.zero_grad(); loss = model(torch.randn(4, 8)).square().mean()\n"
            "        middle(); loss.backward(); step(); print(loss.item())\n"
        ) + text)
        directory = f"runs/{len(glob.glob('runs/*'))}"
        done = self.run_python("-m", "tscope", "--no-verdict", "--directory", directory, "train.py")
        self.assertEqual(done.returncode, 0, done.stderr)
        steps = self.read(directory).steps
        return [steps[step].get("scalars.loss") for step in sorted(steps)], [float(x) for x in done.stdout.split()], done.stderr

    def test_a_name_is_that_of_the_folder(self):
        loop = "for i in range(3):\n    model(torch.randn(4, 8)).square().mean().backward(); optimizer.step()\n"
        self.write("train.py", self.MODEL + loop)
        for want in ("runs/base-line", "runs/base-line-2"):
            directory, recording, _ = self.recorded("train.py", options=("--name", "base line"))
            self.assertEqual(directory, want)
            self.assertEqual(len(recording.times), 3)
            with open(f"{directory}/run.json", encoding="utf-8") as file:
                self.assertEqual(json.load(file)["name"], "base line")

    def test_the_thread_whose_optimizer_steps_has_the_loop(self):
        for text in (
            "beside(call); train()",  # a warm-up
            "train(middle=lambda: beside(call))",  # a preview
            "model(torch.ones(1, 8)).sum(); beside(call); train()",
            "beside(train)",
            "other(torch.ones(1, 8)); beside(train)",
            "train(step=lambda: beside(optimizer.step))",  # the optimizer in another thread than the model
            "import concurrent.futures as f\npool = f.ThreadPoolExecutor(1)\n"
            "pool.submit(call).result(); train(); pool.submit(call).result()",
        ):
            with self.subTest(text):
                recorded, printed, said = self.in_threads(text)
                self.assertEqual((recorded, said), (printed, ""))

    def test_another_thread_begins_the_run_meanwhile(self):
        """To begin a run takes a while, in which the thread that trains may call its model: it has the loop from its next call on."""
        recorded, printed, said = self.in_threads(
            "import tscope._run as runs\n"
            "begins, goes_on, begun, done = (threading.Event() for _ in range(4))\n"
            "start = runs.start\n"
            "def slow(*args, **how):\n"
            "    if threading.current_thread() is not threading.main_thread(): begins.set(); goes_on.wait(60)\n"
            "    return start(*args, **how)\n"
            "def stays(): call(); begun.set(); done.wait(60)\n"
            "runs.start = slow\n"
            "thread = threading.Thread(target=stays); thread.start(); begins.wait(60)\n"
            "train(); goes_on.set(); begun.wait(60); train(); done.set(); thread.join()\n"
        )
        self.assertEqual((recorded, said), (printed[5:], ""))

    def test_two_threads_that_train(self):
        """The first that steps has the loop, for as long as it is there; the other one is said."""
        recorded, printed, said = self.in_threads(
            "import itertools\ncount = itertools.count()\ntrain(middle=lambda: beside(tune) if next(count) == 2 else None)\n"
        )
        self.assertEqual(recorded, printed)
        self.assertEqual(said.count("tscope: a second thread trains, too"), 1)
        recorded, printed, said = self.in_threads("beside(tune); train()")
        self.assertEqual(recorded[-4:], printed[1:], "the first step of a second training is that by which it is found")

    def test_what_cannot_be_recorded_is_said_once(self):
        self.write("train.py", self.MODEL + f"for i in range(5):\n    {self.STEP}\nprint('trained')\n")
        done = self.run_python("-m", "tscope", "--directory", "train.py/run", "train.py")
        self.assertEqual((done.returncode, done.stdout), (0, "trained\n"), done.stderr)
        self.assertRegex(done.stderr, r"\Atscope: .*train\.py/run.*; nothing is recorded, and training goes on\n\Z")

    def test_the_programs_own_run_that_cannot_be_recorded_is_not_made_up_for(self):
        self.write("train.py", "import tscope\n" + self.MODEL + (
            "run = tscope.start('train.py/run')\n"
            f"for i in range(5):\n    with run.step():\n        {self.STEP}\n"
        ))
        done = self.run_python("-m", "tscope", "train.py")
        self.assertEqual((done.returncode, done.stderr.count("training goes on")), (0, 1), done.stderr)
        self.assertEqual(glob.glob("runs/*"), [])

    def test_a_run_of_its_own(self):
        self.write("train.py", "import tscope\n" + self.MODEL + (
            "run = tscope.start('runs/own')\n"
            f"for i in range(5):\n    with run.step():\n        {self.STEP}\n"
            f"run.finish()\nfor i in range(5):\n    {self.STEP}\n"
        ))
        directory, recording, said = self.recorded("train.py")
        self.assertEqual((directory, len(recording.times), said), ("runs/own", 5, "tscope: recorded in ./runs/own\n"))

    def test_says_what_to_add(self):
        self.write("train.py", self.MODEL + (
            "for i in range(3):\n"
            "    optimizer.zero_grad(); model(torch.ones(2, 8)).backward(torch.ones(2, 1)); optimizer.step()\n"
        ))
        _, recording, said = self.recorded("train.py")
        self.assertIn("add tscope.log(loss=loss)", said)
        self.write("train.py", "import types\nSummaryWriter = types.SimpleNamespace(add_scalar=0)\n" + self.MODEL + self.STEP)
        said = " ".join(self.recorded("train.py")[2].split())
        self.assertIn("what SummaryWriter is told was not recorded: add tscope.follow(SummaryWriter)", said)
        self.write("train.py", "import tscope\n" + self.MODEL + (
            "for i in range(3):\n"
            "    optimizer.zero_grad(); out = model(torch.ones(2, 8)); out.backward(torch.ones(2, 1)); tscope.log(loss=i)\n"
            "    optimizer.step()\n"
        ))
        _, recording, said = self.recorded("train.py")
        self.assertEqual([cells["scalars.loss"] for _, cells in sorted(recording.steps.items())], [0, 1, 2])
        self.assertNotIn("add tscope.log", said)

    @unittest.skipUnless(importlib.util.find_spec("transformers"), "transformers is not installed")
    def test_trainer(self):
        self.write("train.py", (
            "import torch\n"
            "from transformers import Trainer, TrainingArguments\n"
            "class Model(torch.nn.Module):\n"
            "    def __init__(self): super().__init__(); self.inner = torch.nn.Linear(8, 1)\n"
            "    def forward(self, x=None, labels=None):\n"
            "        y = self.inner(x).squeeze(-1); return {'loss': ((y - labels) ** 2).mean(), 'logits': y}\n"
            "data = [{'x': torch.randn(8), 'labels': torch.tensor(1.0)} for _ in range(32)]\n"
            "args = TrainingArguments('out', max_steps=6, per_device_train_batch_size=2, gradient_accumulation_steps=2, report_to=[],\n"
            "                         use_cpu=True, save_strategy='no', disable_tqdm=True, eval_strategy='steps', eval_steps=3)\n"
            "Trainer(Model(), args, train_dataset=data, eval_dataset=data[:8]).train()\n"
        ))
        _, recording, said = self.recorded("train.py")
        self.assertEqual(len(recording.times), 6)
        for cells in recording.steps.values():
            self.assertLessEqual({"phases.forward", "phases.backward", "phases.optimizer", "scalars.loss", "scalars.lr"}, set(cells))
        self.assertIn("regions.evaluation", {name for name, _, _ in recording.regions})
        self.assertNotIn("add ", said)

    @unittest.skipUnless(importlib.util.find_spec("lightning"), "lightning is not installed")
    def test_lightning(self):
        self.write("train.py", (
            "import lightning, torch\n"
            "class Model(lightning.LightningModule):\n"
            "    def __init__(self): super().__init__(); self.inner = torch.nn.Linear(8, 1)\n"
            "    def training_step(self, batch, i): return self.inner(batch).square().mean()\n"
            "    def validation_step(self, batch, i): self.log('val', self.inner(batch).mean())\n"
            "    def configure_optimizers(self): return torch.optim.SGD(self.parameters(), lr=0.1)\n"
            "loader = torch.utils.data.DataLoader(torch.randn(24, 8), batch_size=4)\n"
            "lightning.Trainer(max_epochs=2, accelerator='cpu', logger=False, enable_checkpointing=False, enable_progress_bar=False,\n"
            "                  enable_model_summary=False).fit(Model(), loader, loader)\n"
        ))
        _, recording, said = self.recorded("train.py")
        self.assertEqual(len(recording.times), 12)
        for cells in recording.steps.values():
            self.assertLessEqual({"phases.forward", "phases.backward", "phases.optimizer", "scalars.loss", "scalars.lr"}, set(cells))
        self.assertIn("regions.evaluation", {name for name, _, _ in recording.regions})
        self.assertNotIn("add ", said)

    @unittest.skipUnless(importlib.util.find_spec("accelerate"), "accelerate is not installed")
    def test_accelerate(self):
        self.write("train.py", self.MODEL + (
            "from accelerate import Accelerator\n"
            "accelerator = Accelerator(cpu=True, gradient_accumulation_steps=2)\n"
            "loader = torch.utils.data.DataLoader(torch.ones(24, 8), batch_size=4)\n"
            "model, optimizer, loader = accelerator.prepare(model, optimizer, loader)\n"
            "for batch in loader:\n"
            "    with accelerator.accumulate(model):\n"
            "        accelerator.backward(model(batch).square().mean()); optimizer.step(); optimizer.zero_grad()\n"
        ))
        self.assertEqual(len(self.recorded("train.py")[1].times), 3)

    @unittest.skipUnless(importlib.util.find_spec("accelerate"), "accelerate is not installed")
    def test_what_accelerate_is_told(self):
        import torch

        self.write("train.py", self.MODEL + (
            "import sys\n"
            "from accelerate import Accelerator\n"
            "accelerator = Accelerator(cpu=True)\n"
            "accelerator.init_trackers('x', config={'width': 32})\n"
            "loader = torch.utils.data.DataLoader(torch.arange(96.0).view(12, 8), batch_size=2)\n"
            "model, optimizer, loader = accelerator.prepare(model, optimizer, loader)\n"
            "if len(sys.argv) > 1: accelerator.load_state(sys.argv[1])\n"
            "for batch in loader:\n"
            "    loss = model(batch).square().mean()\n"
            "    accelerator.backward(loss); optimizer.step(); optimizer.zero_grad()\n"
            "    accelerator.log({'double': 2 * loss.item()})\n"
            "accelerator.save_state('state')\n"
            "accelerator.end_training()\n"
        ))
        directory, recording, _ = self.recorded("train.py", options=("--digests-every", "2"))
        rows = torch.arange(96.0).view(12, 8)
        self.assert_batches(recording, [[rows[2 * i : 2 * i + 2]] for i in range(6)], every=2)
        for cells in recording.steps.values():
            self.assertEqual(cells["scalars.double"], 2 * cells["scalars.loss"])
        with open(directory + "/run.json", encoding="utf-8") as file:
            self.assertEqual(json.load(file)["config"], {"width": 32})
        directory = self.recorded("train.py", "state")[0]
        with open(directory + "/facts.json", encoding="utf-8") as file:
            self.assertEqual(json.load(file)["lineage"]["checkpoint"], "state")

    def test_ranks(self):
        self.write("train.py", (
            "import torch, torch.distributed as dist\n"
            "dist.init_process_group('gloo')\n"
            "model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(8, 1))\n"
            "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
            "for i in range(5): model(torch.ones(4, 8)).sum().backward(); optimizer.step()\n"
            "model.module(torch.ones(1, 8)).sum().item()\n"
            "dist.destroy_process_group()\n"
        ))
        launcher = "--nproc-per-node 2 --rdzv-backend c10d --rdzv-endpoint localhost:0 -m tscope --verdict train.py"
        for directory in ("runs/train", "runs/train-2"):
            done = self.run_python("-m", "torch.distributed.run", *launcher.split())
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stderr.count("tscope: 5 steps"), 1, done.stderr)
            for rank in (0, 1):
                recording = self.read(f"{directory}/rank{rank}")
                self.assertEqual((recording.rank, recording.world_size, len(recording.times)), (rank, 2, 5))
        self.assertIn("tscope diff ./runs/train ./runs/train-2", done.stderr)

    def test_ranks_that_are_spawned(self):
        """As one that a launcher has started; the traceback of one has no frame of ours."""
        self.write("train.py", (
            "import argparse, os, sys, torch, torch.distributed as dist\n"
            "def train(rank, world, to, fails):\n"
            "    dist.init_process_group('gloo', init_method='file://' + to, rank=rank, world_size=world)\n"
            "    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(8, 1))\n"
            "    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
            "    for i in range(5): model(torch.ones(4, 8)).sum().backward(); optimizer.step()\n"
            "    if fails: raise ValueError('planted')\n"
            "    dist.destroy_process_group()\n"
            "if __name__ == '__main__':\n"
            "    parser = argparse.ArgumentParser(); parser.add_argument('--fails', action='store_true'); args = parser.parse_args()\n"
            "    torch.multiprocessing.spawn(train, (2, os.path.abspath('meet' + str(args.fails)), args.fails), 2)\n"
        ))
        done = self.run_python("-m", "tscope", "--directory", "runs/spawned", "train.py")
        self.assertEqual((done.returncode, done.stderr.count("recorded in ./runs/spawned")), (0, 1), done.stderr)
        self.assertNotIn("no step of a torch optimizer", done.stderr)
        for rank in (0, 1):
            recording = self.read(f"runs/spawned/rank{rank}")
            self.assertEqual((recording.rank, recording.world_size, len(recording.times)), (rank, 2, 5))
        with open("runs/spawned/rank0/run.json", encoding="utf-8") as file:
            self.assertEqual(json.load(file)["config"], {"fails": False})
        done = self.run_python("-m", "tscope", "--directory", "runs/failed", "train.py", "--fails")
        self.assertEqual(done.returncode, 1)
        self.assertNotIn("_spawned.py", done.stderr.partition("terminated with")[2])
        for rank in (0, 1):
            with open(f"runs/failed/rank{rank}/facts.json", encoding="utf-8") as file:
                end = json.load(file)["session"].get("end", {})
            if end.get("type") == "ValueError":
                break
        self.assertEqual((end.get("type"), end.get("message")), ("ValueError", "planted"))

    def test_ranks_that_are_spawned_by_a_program_whose_arguments_cannot_be_pickled(self):
        """A function, an open file and a lock: the program trains as it does without us, and they are recorded as text."""
        self.write("train.py", (
            "import argparse, os, threading, torch, torch.distributed as dist\n"
            "def train(rank, world, to):\n"
            "    dist.init_process_group('gloo', init_method='file://' + to, rank=rank, world_size=world)\n"
            "    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(8, 1))\n"
            "    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
            "    for i in range(3): model(torch.ones(4, 8)).sum().backward(); optimizer.step()\n"
            "    dist.destroy_process_group()\n"
            "if __name__ == '__main__':\n"
            "    parser = argparse.ArgumentParser(); parser.add_argument('--lr', type=float, default=0.1)\n"
            "    parser.add_argument('--log', type=argparse.FileType('w'), default='log.txt')\n"
            "    parser.set_defaults(func=lambda args: args, lock=threading.Lock()); parser.parse_args()\n"
            "    torch.multiprocessing.spawn(train, (2, os.path.abspath('meet')), 2)\n"
        ))
        done = self.run_python("-m", "tscope", "--directory", "runs/spawned", "train.py")
        self.assertEqual((done.returncode, done.stderr.count("recorded in ./runs/spawned")), (0, 1), done.stderr)
        self.assertEqual([len(self.read(f"runs/spawned/rank{rank}").times) for rank in (0, 1)], [3, 3])
        with open("runs/spawned/rank0/run.json", encoding="utf-8") as file:
            self.assertEqual(json.load(file)["config"]["lr"], 0.1)


if __name__ == "__main__":
    unittest.main()
