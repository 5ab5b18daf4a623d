"""How training is set at its steps: flags, autocast, the loss scale, modes of models, CPU time; and that looking changes nothing."""

import importlib.util
import os
import subprocess
import sys
import time
import unittest
import unittest.mock

import support
import tscope
from tscope import _digests

TORCH = importlib.util.find_spec("torch") is not None

# A training with everything that draws random numbers; `door` is how it is recorded. It prints a digest of all that it computed.
TRAINING = """
import contextlib, hashlib, random, sys
import torch
door = sys.argv[1]
if door != "none":
    import tscope
torch.manual_seed(3), random.seed(5)
model = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.BatchNorm1d(8), torch.nn.Dropout(0.2), torch.nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
data = torch.utils.data.TensorDataset(torch.randn(64, 6), torch.arange(64))
loader = torch.utils.data.DataLoader(data, batch_size=8, shuffle=True, num_workers=int(sys.argv[2]))
run = tscope.start("runs/exp1") if door == "start" else tscope.auto(model, optimizer, "runs/exp1") if door == "auto" else None
sums = hashlib.sha256()
for epoch in range(4):
    for x, at in run.data(loader) if door == "start" else loader:
        with run.step() if door == "start" else contextlib.nullcontext():
            with torch.autocast("cpu", torch.bfloat16):
                loss = model(x).float().square().mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            sums.update(loss.detach().numpy().tobytes() + at.numpy().tobytes() + torch.get_rng_state().numpy().tobytes())
for p in [*model.parameters(), *model.buffers()]:
    sums.update(p.detach().numpy().tobytes())
print(sums.hexdigest(), torch.rand(1).item(), random.random())
"""


COMPILED = """
import sys, torch, tscope
model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.GELU(), torch.nn.Linear(4, 1))
compiled = torch.compile(model, dynamic=False)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for name, sizes in (("runs/exp1", (8, 8, 8)), ("runs/exp2", (8, 9, 8))):
    run = tscope.start(name)
    for n in sizes:
        with run.step():
            compiled(torch.ones(n, 4)).sum().backward()
            optimizer.step()
            optimizer.zero_grad()
    run.finish()
    if name == "runs/exp1":
        _, saved = torch.compiler.save_cache_artifacts()  # which empties torch's list of what is new
        for kind in ("inductor", "aot_autograd"):
            print(f"{kind}={','.join(getattr(saved, kind + '_artifacts'))}")
"""

LOADING = """
import sys, time
import torch
door = sys.argv[1]
if door != "zero":
    import tscope
torch.set_num_threads(1)

class Slow(torch.utils.data.Dataset):
    def __len__(self):
        return 40

    def __getitem__(self, i):
        time.sleep(0.01)
        return torch.ones(3)

model = torch.nn.Linear(3, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
loader = torch.utils.data.DataLoader(Slow(), batch_size=2, num_workers=2)
run = tscope.start("runs/start") if door == "start" else tscope.auto(model, optimizer, "runs/auto") if door == "auto" else None
for x in run.data(loader) if door == "start" else loader:
    if door == "start":
        run.begin_step()
    loss = model(x).sum()
    time.sleep(0.06)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
    if door == "start":
        run.end_step()
if run is not None:
    run.finish()
"""


def model(torch):
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4), torch.nn.Dropout(0.1), torch.nn.Linear(4, 1))


@unittest.skipUnless(TORCH, "torch is not installed")
class Observed(support.Case):
    def train(self, trained, steps=4, run=None, around=None, before=lambda i: None):
        """Trains in the steps of a run that calls them itself, or with hooks where `run` is None."""
        import contextlib

        import torch

        optimizer = torch.optim.SGD(trained.parameters(), lr=0.01)
        hooked = tscope.auto(trained, optimizer, "runs/exp1") if run is None else None
        for i in range(steps):
            before(i)
            with contextlib.ExitStack() as stack:
                if run is not None:
                    stack.enter_context(run.step())
                with around() if around else contextlib.nullcontext():
                    loss = trained(torch.randn(4, 4)).sum()
                loss.backward()
                optimizer.step()
        if hooked is not None:
            hooked.finish()
        else:
            run.finish()
        return self.facts()

    def test_nothing_changes(self):
        """Parameters, batches, losses and generators have the same bits as without a recording."""

        for workers in ("0", "2"):
            plain = self.script(TRAINING, words=("none", workers), OMP_NUM_THREADS="1")
            for door in ("start", "auto"):
                with self.subTest(door, workers=workers):
                    support.shutil.rmtree("runs", ignore_errors=True)
                    self.assertEqual(self.script(TRAINING, words=(door, workers), OMP_NUM_THREADS="1"), plain)
                    self.assertEqual(len(self.read().steps), 32)
            with open("train.py", "w", encoding="utf-8") as file:
                file.write(TRAINING)
            words = [sys.executable, "-m", "tscope", "--directory", "runs/zero" + workers, "train.py", "none", workers]
            done = support.subprocess.run(words, capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"})
            self.assertEqual(done.stdout, plain, done.stderr)
            self.assertEqual(self.facts("runs/zero" + workers)["determinism"]["autocast"], "cpu bfloat16")

    def test_autocast_at_the_step(self):
        import torch

        torch.compiler.reset()  # a graph of another test would enter it unseen
        for run in (True, False):
            with self.subTest(start=run):
                support.shutil.rmtree("runs", ignore_errors=True)
                on = lambda: torch.autocast("cpu", torch.bfloat16)  # noqa: E731
                facts = self.train(model(torch), run=self.start() if run else None, around=on)
                self.assertEqual(facts["determinism"]["autocast"], "cpu bfloat16")
                support.shutil.rmtree("runs", ignore_errors=True)
                off = lambda: torch.autocast("cpu", enabled=False)  # noqa: E731
                facts = self.train(model(torch), run=self.start() if run else None, around=off)
                self.assertEqual(facts["determinism"]["autocast"], "off")

    def test_a_flag_that_changes(self):
        import torch

        def change(i):
            torch.backends.cudnn.benchmark = i >= 3
            torch.set_float32_matmul_precision("high" if i in (4, 5) else "highest")

        self.addCleanup(setattr, torch.backends.cudnn, "benchmark", torch.backends.cudnn.benchmark)
        run = self.start()
        with unittest.mock.patch("tscope._observed._LEAST_NS", 10**15):
            facts = self.train(model(torch), steps=8, run=run, before=change)
        self.assertEqual(facts["determinism"]["changed"]["cudnn_benchmark"], "true from step 3 on")
        self.assertEqual(facts["determinism"]["changed"]["float32_matmul_precision"], "high from step 4 on, highest from step 6 on")
        self.assertIs(facts["determinism"]["cudnn_benchmark"], False)
        told = [(step, text) for name, step, text in self.read().events if name == "events.setting changed"]
        self.assertIn((3, "cudnn_benchmark: false to true"), told)

    def test_a_flag_that_changes_between_two_looks(self):
        import torch

        def change(i):
            torch.backends.cudnn.benchmark = i >= 5

        self.addCleanup(setattr, torch.backends.cudnn, "benchmark", torch.backends.cudnn.benchmark)
        run = self.start()
        with unittest.mock.patch("tscope._observed._LEAST_NS", 1), unittest.mock.patch("tscope._observed._SHARE", 10**15):
            facts = self.train(model(torch), steps=9, run=run, before=change)  # of which 0, 1, 3 and 7 are looked at
        self.assertEqual(facts["determinism"]["changed"]["cudnn_benchmark"], "true from one of the steps 4 to 7 on")

    def test_flags_that_change_all_the_time_are_told_so_often(self):
        import torch

        run = self.start()

        def change(i):
            torch.set_float32_matmul_precision("high" if i % 2 else "highest")

        with unittest.mock.patch("tscope._observed._LEAST_NS", 10**15):
            self.train(model(torch), steps=200, run=run, before=change)
        torch.set_float32_matmul_precision("highest")
        told = [name for name, _, _ in self.read().events if name == "events.setting changed"]
        self.assertLess(len(told), 70)
        self.assertGreaterEqual(len(told), 64)

    def test_loss_scale(self):
        import torch

        trained = model(torch)
        optimizer = torch.optim.SGD(trained.parameters(), lr=0.01)
        scaler = torch.amp.GradScaler("cpu", init_scale=1024.0, growth_interval=3)
        printed = []
        with self.start() as run:
            for i in range(8):
                with run.step():
                    loss = trained(torch.randn(4, 4)).sum() * (float("inf") if i == 4 else 1)
                    scaler.scale(loss).backward()
                    printed.append(scaler.get_scale())
                    scaler.step(optimizer)
                    scaler.update()
                    optimizer.zero_grad()
        self.assertEqual([row["scalars.grad_scale"] for _, row in sorted(self.read().steps.items())], printed)
        self.assertEqual(printed[3:6], [2048.0, 2048.0, 1024.0])
        self.assertEqual(self.facts()["determinism"]["grad_scaler"]["growth_interval"], 3)
        self.assertNotIn("step", getattr(torch.amp.GradScaler.step, "__wrapped__", torch.nn).__dict__)
        self.assertFalse(hasattr(torch.amp.GradScaler.step, "__wrapped__"))

    def test_modes(self):
        import torch

        cases = (("train", 0, 0), ("eval", 1, 0), ("part", 0, 1))
        for word, whole, part in cases:
            for run in (True, False):
                with self.subTest(word, start=run):
                    support.shutil.rmtree("runs", ignore_errors=True)
                    trained = model(torch)
                    trained.train(word != "eval")
                    trained[1].train(word == "train")
                    modes = self.train(trained, run=self.start() if run else None)["work"]["modes"]
                    self.assertEqual((modes["whole"] > 0, modes["part"] > 0), (whole, part))
                    self.assertEqual(modes["observed"], max(modes["observed"], modes["whole"] + modes["part"]))
                    self.assertEqual(modes["modules_in_eval"], {"train": 0, "eval": 5, "part": 1}[word])
                    self.assertEqual((modes["parameters"], modes["updated"]), (6, 6))
                    self.assertEqual(modes["classes_in_eval"], {
                        "train": "", "eval": "BatchNorm1d (1), Dropout (1)", "part": "BatchNorm1d (1)"}[word])
                    self.assertNotIn("trained", torch.nn.Module.__call__.__code__.co_freevars)

    def test_an_evaluation_in_the_step_is_none_of_the_training(self):
        import torch

        trained = model(torch)
        optimizer = torch.optim.SGD(trained.parameters(), lr=0.01)
        with self.start() as run:
            for _ in range(4):
                with run.step():
                    trained.train()
                    trained(torch.randn(4, 4)).sum().backward()
                    optimizer.step()
                    trained.eval()
                    with torch.no_grad():
                        trained(torch.randn(4, 4))
        self.assertEqual(self.facts()["work"]["modes"]["whole"], 0)

    def test_a_model_that_is_not_updated_is_none(self):
        """A teacher in evaluation mode, called first and with gradients, is no model of the optimizer's."""
        import torch

        teacher, student = model(torch).eval(), model(torch)
        optimizer = torch.optim.SGD(student.parameters(), lr=0.01)
        with self.start() as run:
            for _ in range(4):
                with run.step():
                    x = torch.randn(4, 4)
                    (student(x) - teacher(x).detach()).square().mean().backward()
                    optimizer.step()
        modes = self.facts()["work"]["modes"]
        self.assertEqual((modes["observed"] > 0, modes["whole"], modes["part"]), (True, 0, 0))

    def test_patches_are_taken_back(self):
        import torch
        from torch.optim import optimizer as optimizers

        called, entered = torch.nn.Module.__call__, torch.amp.autocast_mode.autocast.__enter__
        hooks = len(optimizers._global_optimizer_pre_hooks)
        self.train(model(torch), run=self.start())
        self.assertIs(torch.nn.Module.__call__, called)
        self.assertIs(torch.amp.autocast_mode.autocast.__enter__, entered)
        self.assertEqual(len(optimizers._global_optimizer_pre_hooks), hooks)

    def test_nothing_is_compiled_again(self):
        text = (
            "import sys, torch\n"
            "from torch._dynamo.utils import counters\n"
            "if sys.argv[1] == 'start':\n"
            "    import tscope\n"
            "    run = tscope.start('runs/exp1')\n"
            "model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4))\n"
            "optimizer = torch.optim.SGD(model.parameters(), lr=0.01)\n"
            "@torch.compile(backend='eager')\n"
            "def loss_of(x):\n"
            "    with torch.autocast('cpu', torch.bfloat16):\n"
            "        return model(x).float().sum()\n"
            "for i in range(6):\n"
            "    if sys.argv[1] == 'start': run.begin_step()\n"
            "    loss_of(torch.ones(3, 4)).backward(); optimizer.step(); optimizer.zero_grad()\n"
            "    if sys.argv[1] == 'start': run.end_step()\n"
            "print(dict(counters['frames']), counters['stats']['unique_graphs'], dict(counters['graph_break']))\n"
        )
        self.assertEqual(self.script(text, words=("start",)), self.script(text, words=("none",)))

    def test_time_of_compiling(self):
        """It is a phase of the steps that compile, and no part of forward, also where one compiles again; and of no other step."""
        text = (
            "import time, torch\n"
            "HEAD\n"
            "def slow(graph, inputs): time.sleep(0.3); return graph\n"
            "inner = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.Tanh())\n"
            "model = torch.compile(inner, backend=slow, dynamic=False)\n"
            "optimizer = torch.optim.SGD(inner.parameters(), lr=0.01)\n"
            "for i in range(6):\n"
            "    BEGIN\n"
            "    loss = model(torch.ones(3 if i < 3 else 4, 4)).sum(); MARK; loss.backward(); optimizer.step(); optimizer.zero_grad()\n"
            "    END\n"
            "TAIL\n"
        )
        start = {"HEAD": "import tscope; run = tscope.start('runs/exp1')", "BEGIN": "run.begin_step()", "MARK": "run.mark('forward')",
                 "END": "run.end_step()", "TAIL": "run.finish()"}
        for way, words in (("start", start), ("zero", dict.fromkeys(start, "pass"))):
            script = text
            for word, by in words.items():
                script = script.replace(word, by)
            with open("train.py", "w", encoding="utf-8") as file:
                file.write(script)
            zero = "import sys; sys.argv = ['tscope', '--directory', 'runs/exp2', 'train.py']; import tscope.__main__ as m; m.main()"
            self.script(script if way == "start" else zero)
            recording = self.read("runs/exp1" if way == "start" else "runs/exp2")
            for step, cells in recording.steps.items():
                if step not in (0, 3):
                    self.assertNotIn("phases.compile", cells, f"{way}: {step}")
                    continue
                self.assertGreaterEqual(cells["phases.compile"], 0.3e9, f"{way}: {step}")
                phases = sum(value for name, value in cells.items() if name.startswith("phases.") and name != "phases.between")
                self.assertLessEqual(phases, recording.times[step][1], "the phases of a step are no longer than it is")

    def test_time_of_compiling_behind_a_reset(self):
        """The first compilation behind it is a phase, too, at a step at which settings are not looked at."""
        self.script(
            "import time, torch, tscope\n"
            "def slow(graph, inputs): time.sleep(0.3); return graph\n"
            "inner = torch.nn.Linear(4, 4)\n"
            "model = torch.compile(inner, backend=slow)\n"
            "run = tscope.start('runs/exp1')\n"
            "before = torch._dynamo.callback.CompilationCallbackHandler.clear\n"
            "for i in range(8):\n"
            "    if i in (2, 4, 5, 6): torch.compiler.reset()\n"
            "    run.begin_step(); model(torch.ones(3, 4)).sum(); run.mark('forward'); run.end_step()\n"
            "run.finish()\n"
            "assert torch._dynamo.callback.CompilationCallbackHandler.clear is before\n"
            "assert not torch._dynamo.callback.callback_handler.start_callbacks\n"
        )
        compiled = {step for step, cells in self.read("runs/exp1").steps.items() if "phases.compile" in cells}
        self.assertEqual(compiled, {0, 2, 4, 5, 6})

    def test_behind_what_was_compiled(self):
        """Modes are looked at where torch.compile was used in the process before, or is: what it has compiled stays as it is."""
        text = (
            "import json, sys, torch\n"
            "from torch._dynamo.utils import counters\n"
            "def loop(run, trained, call, compiled=False):\n"
            "    optimizer = torch.optim.SGD(trained.parameters(), lr=0.01)\n"
            "    step = torch.compile(lambda: optimizer.step(), backend='eager') if compiled else optimizer.step\n"
            "    for i in range(4):\n"
            "        if run: run.begin_step()\n"
            "        call(torch.ones(4, 4)).sum().backward(); step(); optimizer.zero_grad()\n"
            "        if run: run.end_step()\n"
            "def model():\n"
            "    return torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4), torch.nn.Dropout(0.1))\n"
            "before, within, teacher = model(), model(), model()\n"
            "loop(None, before, torch.compile(before, backend='eager'))\n"
            "inner = torch.compile(within, backend='eager')\n"
            "loop(None, within, inner)\n"
            "steps = 'steps' in sys.argv[1]\n"
            "if steps: loop(None, before, before, True)\n"
            "frames = dict(counters['frames'])\n"
            "for name, trained, call in (('plain', model(), None), ('within', within, inner)):\n"
            "    run = None\n"
            "    if not sys.argv[1].startswith('none'):\n"
            "        import tscope\n"
            "        run = tscope.start('runs/' + name)\n"
            "    trained[1].eval()\n"
            "    loop(run, trained, call or trained, steps)\n"
            "    if run: run.finish()\n"
            "if run:\n"  # a gradient that nobody trains with, as of a picture of what a model looks at
            "    run, optimizer = tscope.start('runs/looked'), torch.optim.SGD(before.parameters(), lr=0.01)\n"
            "    for i in range(4):\n"
            "        with run.step(): before.eval()(torch.ones(4, 4)).sum().backward()\n"
            "    run.finish()\n"
            "print(json.dumps(counters['frames']), json.dumps(counters['stats']['unique_graphs']))\n"
        )
        for word in ("start", "start-steps"):  # as an optimizer's step is compiled, which looks at the hooks of all
            with self.subTest(word):
                said = [self.script(text, words=(one,)).splitlines()[0] for one in (word, word.replace("start", "none"))]
                self.assertEqual(said[0], said[1])  # behind which torch may warn, with the time
                for name in ("plain", "within"):
                    modes = self.facts(f"runs/{name}")["work"]["modes"]
                    self.assertEqual((modes["modules"], modes["modules_in_eval"], modes["classes_in_eval"]), (4, 1, "BatchNorm1d (1)"))
                    self.assertEqual((modes["whole"], modes["part"]), (0, modes["observed"]))
                self.assertNotIn("modes", self.facts("runs/looked").get("work", {}))
                support.shutil.rmtree("runs")

    def test_compiled(self):
        # The keys are those under which torch saves the code, as it tells when it is asked to hand them over.
        said = self.script(COMPILED, TORCHINDUCTOR_CACHE_DIR=os.path.join(self.folder, "cache"), OMP_NUM_THREADS="1")
        told = dict(line.split("=", 1) for line in said.splitlines() if "=" in line)
        found = self.facts()["determinism"]["compiled"]
        self.assertEqual(sorted(found), ["aot_autograd", "inductor"])
        for kind, known in found.items():
            keys = told[kind].split(",")
            digest = _digests.bits_of("\n".join(sorted(keys)).encode())
            self.assertEqual(known, {"entries": len(keys), "keys": f"{digest:016x}"})
        self.assertNotEqual(found["inductor"], self.facts("runs/exp2")["determinism"]["compiled"]["inductor"])  # with one shape more

    def test_settings_of_cuda(self):
        import torch

        from tscope import _facts

        names = {"cublas_workspace_size", "cublaslt_workspace_size", "cudnn_benchmark_limit", "blas_library", "linalg_library"}
        self.assertFalse(names & set(_facts.determinism(torch)))  # a program that has not begun to use CUDA is asked nothing of it
        patch, kind = unittest.mock.patch, torch.backends.cuda
        with patch.object(torch.cuda, "is_initialized", lambda: True), patch.object(kind, "cublas_workspace_size", lambda: 8519680):
            found = _facts.determinism(torch)
        self.assertEqual(found["cublas_workspace_size"], 8519680)
        self.assertEqual(found["blas_library"], kind.preferred_blas_library().name)
        self.assertEqual(found["linalg_library"], kind.preferred_linalg_library().name)
        self.assertNotIn("cublaslt_workspace_size", found)  # torch for CPUs does not tell it: unknown, and not 0

    def test_loading_time(self):
        # Two workers that take 20 ms a batch, for steps of 60 ms: training waits for none but the first, and they work 20 ms a step.
        for door in ("start", "auto", "zero"):
            with self.subTest(door):
                words = ["-m", "tscope", "--directory", "runs/zero"] if door == "zero" else []
                with open("loading.py", "w", encoding="utf-8") as file:
                    file.write(LOADING)
                done = subprocess.run([sys.executable, *words, "loading.py", door], capture_output=True, text=True)
                self.assertEqual(done.returncode, 0, done.stderr)
                steps = self.read(f"runs/{door}").steps
                known = [row["loading_time"] for row in steps.values() if "loading_time" in row]
                self.assertGreater(len(known), 5)
                self.assertGreater(sum(known) / len(known), 0.015)
                self.assertLess(sum(known) / len(known), 0.05)
                waits = [row.get("phases.data", 0) for step, row in steps.items() if step > 1]
                self.assertLess(sorted(waits)[len(waits) // 2], 10_000_000)  # ns

    def test_no_loading_time(self):
        import torch

        run = self.start()
        for _ in run.data(torch.utils.data.DataLoader(list(range(8)), batch_size=2)):
            with run.step():
                time.sleep(0.03)
        run.finish()
        self.assertFalse(any("loading_time" in row for row in self.read().steps.values()))  # without workers it is the wait

    def test_cpu_time_of_first_steps_that_are_slow(self):
        """Only the first steps are long: CPU time is asked for in each of a few more, and then seldom."""
        clock = [0]
        with self.start() as run, unittest.mock.patch("tscope._observed.now_ns", lambda: clock[0]):
            for i in range(3000):
                with run.step():
                    clock[0] += 50_000_000 if i < 4 else 100_000
        steps = self.read().steps
        each = [step for step, row in steps.items() if "cpu_time" in row]
        self.assertEqual((each[0], len(each)), (6, 7))
        self.assertEqual([step for step, row in steps.items() if "cpu_time_mean" in row], list(range(13 + 1 + 1000, 3000, 1001)))

    def test_cpu_time(self):
        """Of long steps each has its own, of short ones some have the mean since the last one."""
        with self.start() as run:
            for i in range(12):
                with run.step():
                    until = time.process_time() + (0.02 if i >= 8 else 0.006)
                    while time.process_time() < until:
                        pass
        steps = self.read().steps
        known = {step: row["cpu_time"] for step, row in steps.items() if "cpu_time" in row}
        self.assertEqual(sorted(known), list(range(6, 12)))
        for step, took in known.items():
            self.assertAlmostEqual(took, 0.02 if step >= 8 else 0.006, delta=0.004)
        with self.start("runs/exp2") as run:
            for _ in range(40000):
                with run.step():
                    sum(range(100))
        steps = self.read("runs/exp2").steps
        known = [row["cpu_time_mean"] for row in steps.values() if "cpu_time_mean" in row]
        self.assertFalse(any("cpu_time" in row for row in steps.values()))
        self.assertGreater(len(known), 1)
        self.assertLess(max(known), 2e-3)  # not the 20 ms of all steps between two rows
        self.assertGreater(min(known), 1e-7)

    def test_modes_that_change(self):
        """The third epoch trains in evaluation mode: every step cannot be looked at, and one of them is."""
        import torch

        trained = model(torch)
        modes = self.train(trained, steps=30, run=self.start(), before=lambda i: trained.train(i < 10))["work"]["modes"]
        self.assertGreater(modes["whole"], 0)
        self.assertGreaterEqual(modes["first_whole"], 10)
        self.assertEqual((modes["norms_in_eval"], modes["dropouts_in_eval"]), (1, 1))

    def test_seldom(self):
        run = self.start()
        looks = 0
        window = run._windows._all[0]
        begin = window.begin

        def counted(step):
            nonlocal looks
            looks += 1
            begin(step)

        window.begin = counted
        for _ in range(20000):
            run.begin_step()
            run.end_step()
        self.assertTrue(3 <= looks < 600, looks)


if __name__ == "__main__":
    unittest.main()
