"""What an experiment asks for by the environment: where a program that nobody touched is recorded, where it ends, what it records."""

import json
import os
import subprocess
import sys
import unittest

import support

try:
    import torch
except ImportError:
    torch = None

LOOP = """
import atexit, sys, tscope
atexit.register(lambda: print("exit handlers run"))
run = tscope.start("runs/mine")
for i in range(10):
    with run.step():
        run.log(loss=1 / (i + 1))
    tscope.log(behind=i)
print("the end")
"""
SECOND = 'run.finish()\nsecond = tscope.start("runs/other")\nfor i in range(3):\n    with second.step(): pass\n'
TWO = LOOP.replace('print("the end")', SECOND)
TORCH = """
import torch
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
STARTdef step():
    loss = (model(torch.randn(16, 4)) ** 2).mean()
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
for i in range(10):
    LOOP
print("the end")
"""


class Asked(support.Case):
    def program(self, source, *words, code=0, **asked):
        with open("train.py", "w", encoding="utf-8") as file:
            file.write(source)
        environment = {**os.environ, **{f"TSCOPE_{name.upper()}": str(value) for name, value in asked.items()}}
        done = subprocess.run([sys.executable, *words, "train.py"], env=environment, capture_output=True, text=True, timeout=120)
        self.assertEqual(done.returncode, code, done.stderr)
        return done

    def end(self, directory):
        with open(os.path.join(directory, "facts.json"), encoding="utf-8") as file:
            return json.load(file)["session"]["end"]

    def test_the_run_ends_behind_a_step_with_all_that_was_logged_of_it(self):
        done = self.program(LOOP, directory=os.path.join(self.folder, "asked"), stop=4)
        self.assertEqual(done.stdout, "exit handlers run\n")
        recording = self.read("asked")
        self.assertEqual(sorted(recording.times), [0, 1, 2, 3, 4])
        self.assertEqual(recording.steps[4]["scalars.behind"], 4.0)
        self.assertEqual(recording.end["reason"], 1)
        self.assertEqual(self.end("asked"), {"state": "finished", "stopped_behind": 4, "asked_by": "TSCOPE_STOP"})
        self.assertFalse(os.path.exists("runs"))

    def test_a_run_that_ends_before_ends_by_itself(self):
        done = self.program(LOOP, directory="asked", stop=40)
        self.assertEqual(done.stdout, "the end\nexit handlers run\n")
        self.assertEqual(self.end("asked"), {"state": "finished"})

    def test_a_further_run_of_the_program_has_a_folder_beside_it(self):
        self.program(TWO, directory="asked")
        self.assertEqual((len(self.read("asked").times), len(self.read("asked-2").times)), (10, 3))

    def test_a_program_that_does_not_let_itself_be_ended_is_ended(self):
        stubborn = LOOP.replace(
            "with run.step():", "try:\n        run.begin_step()\n    except BaseException:\n        break\n    if True:"
        )
        source = "import tscope._asked as a\na._GRACE_S = 0.2\n" + stubborn.replace('print("the end")', "import time\ntime.sleep(100)")
        self.program(source, directory="asked", stop=4)
        self.assertEqual(len(self.read("asked").times), 5)

    def test_in_a_thread(self):
        source = LOOP.replace("for i in", "def train():\n  for i in").replace("    with", "      with").replace(
            "        run.log", "          run.log").replace("    tscope.log", "      tscope.log")
        started = "import threading\nt = threading.Thread(target=train)\nt.start()\nt.join()\nprint('no')"
        source = source.replace('print("the end")', started)
        self.assertNotIn("no", self.program(source, directory="asked", stop=4).stdout)
        self.assertEqual(len(self.read("asked").times), 5)

    def test_what_names_no_steps_is_said(self):
        done = self.program(LOOP, directory="asked", stop="soon")
        self.assertIn("TSCOPE_STOP='soon' names no steps", done.stderr)
        self.assertEqual(len(self.read("asked").times), 10)

    @unittest.skipIf(torch is None, "no torch")
    def test_digests_and_operations_of_a_script_that_takes_none(self):
        source = TORCH.replace("START", 'import tscope\nrun = tscope.start("runs/mine")\n').replace("LOOP", "with run.step(): step()")
        self.program(source, directory="asked", stop=7, watch="3-5", operations="4-5")
        self.look("asked")

    @unittest.skipIf(torch is None, "no torch")
    def test_digests_and_operations_of_a_script_that_nobody_touched(self):
        self.program(TORCH.replace("START", "").replace("LOOP", "step()"), "-m", "tscope", directory="asked", stop=7, watch="3-5",
                     operations="4-5")
        self.look("asked")

    def look(self, directory):
        recording = self.read(directory)
        self.assertEqual(sorted(recording.times), list(range(8)))
        watched = [step for step, cells in recording.steps.items() if "digests.params" in cells]
        self.assertLessEqual({3, 4, 5}, set(watched))
        self.assertNotIn(7, watched)
        names = [(row["step"], row["name"]) for row in recording.digests]
        self.assertEqual(names, [(step, name) for step in (4, 5) for name in ("0 (Linear)", "1 (Tanh)", "2 (Linear)")])

    @unittest.skipIf(torch is None, "no torch")
    def test_every_operation_of_the_first_step(self):
        source = TORCH.replace("START", 'import tscope\nrun = tscope.start("runs/mine")\n').replace("LOOP", "with run.step(): step()")
        self.program(source, directory="asked", stop=1, operations="0:aten")
        rows = self.read("asked").digests
        self.assertEqual({row["step"] for row in rows}, {0})
        self.assertIn("aten.addmm.default", {row["name"] for row in rows})
        with open("asked/facts.json", encoding="utf-8") as file:
            lines = json.load(file)["session"]["operations"]["lines"]
        text = source.splitlines()
        model, backward = (1 + next(i for i, line in enumerate(text) if word in line) for word in ("loss = ", "backward()"))
        self.assertIn(f"aten.addmm.default\t0\ttrain.py:{model}\n", lines)
        self.assertIn(f"\ttrain.py:{backward}\n", lines)

    @unittest.skipIf(torch is None, "no torch")
    def test_what_a_call_was_given_is_saved(self):
        source = TORCH.replace("START", 'import tscope\nrun = tscope.start("runs/mine")\n').replace("LOOP", "with run.step(): step()")
        self.program(source, directory="asked", stop=2, operations="1-2:aten", inputs="2:aten.addmm.default#1")
        kept = torch.load("asked/operation-2-aten.addmm.default-1.pt", weights_only=True)
        bias, given, weights = kept["args"]
        self.assertEqual((kept["name"], kept["device"], kept["kwargs"], given.shape), ("aten.addmm.default", "cpu", {}, (16, 8)))
        self.assertTrue(torch.equal(torch.addmm(bias, given, weights), kept["out"]))
        self.assertEqual({row["step"] for row in self.read("asked").digests}, {1, 2})

    @unittest.skipIf(torch is None, "no torch")
    def test_what_cannot_be_saved_and_what_did_not_come_is_said(self):
        made = (
            "def step():\n"
            "    z = torch.ones(2, dtype=torch.complex64) * (2 + 3j)\n"
            "    z.clone(memory_format=torch.contiguous_format)\n"
        )
        source = TORCH.replace("START", 'import tscope\nrun = tscope.start("runs/mine")\n').replace("LOOP", "with run.step(): step()")
        source = source.replace("def step():\n", made)
        self.program(source, directory="asked", stop=1, inputs="1:aten.mul.Tensor")
        kept = torch.load("asked/operation-1-aten.mul.Tensor-0.pt", weights_only=True)
        self.assertTrue(torch.equal(torch.ops.aten.mul.Tensor(*kept["args"]), kept["out"]))
        done = self.program(source, directory="refused", stop=1, inputs="1:aten.clone.default")
        self.assertIn("aten.clone.default#0 of step 1 is not saved: Cannot: a memory_format cannot be saved", done.stderr)
        done = self.program(source, directory="never", stop=1, inputs="1:aten.addmm.default#7")
        self.assertIn("step 1 had 2 calls of aten.addmm.default: #7 did not come, and nothing of it is saved", done.stderr)
        left = [name for folder in ("refused", "never") for name in os.listdir(folder) if name.startswith("operation-")]
        self.assertEqual(left, [])

    @unittest.skipIf(torch is None, "no torch")
    def test_what_a_call_of_each_rank_was_given_is_saved_by_rank(self):
        source = TORCH.replace("START", 'import tscope\nrun = tscope.start("runs/mine")\n').replace("LOOP", "with run.step(): step()")
        source = source.replace("torch.randn(16, 4)", "torch.full((16, 4), 1.0 + run.rank)")
        self.ranks(2, source, TSCOPE_DIRECTORY="asked", TSCOPE_STOP="2", TSCOPE_INPUTS="1:aten.addmm.default")
        for rank in (0, 1):
            kept = torch.load(f"asked/rank{rank}/operation-1-aten.addmm.default-0.pt", weights_only=True)
            self.assertEqual(float(kept["args"][1][0, 0]), 1.0 + rank)

    @unittest.skipIf(torch is None, "no torch")
    def test_what_a_call_in_place_was_given_is_as_it_was_before(self):
        source = TORCH.replace("START", 'import tscope\nrun = tscope.start("runs/mine")\n').replace("LOOP", "with run.step(): step()")
        self.program(source, directory="asked", stop=1, inputs="1:aten.add_.Tensor")
        kept = torch.load("asked/operation-1-aten.add_.Tensor-0.pt", weights_only=True)
        self.assertFalse(torch.equal(kept["args"][0], kept["out"]))
        again = torch.ops.aten.add_.Tensor(kept["args"][0].clone(), *kept["args"][1:], **kept["kwargs"])
        self.assertTrue(torch.equal(again, kept["out"]))

    @unittest.skipIf(torch is None, "no torch")
    def test_an_operation_that_gives_nothing_back_gave_what_it_wrote(self):
        source = TORCH.replace("START", 'import tscope\nrun = tscope.start("runs/mine")\n').replace("LOOP", "with run.step(): step()")
        source = source.replace("lr=0.1", "lr=0.1, foreach=True")
        self.program(source, directory="asked", stop=1, operations="1:aten", inputs="1:aten._foreach_add_.List")
        [row] = [row for row in self.read("asked").digests if row["name"] == "aten._foreach_add_.List"]
        self.assertNotEqual(row["in"], row["out"])
        kept = torch.load("asked/operation-1-aten._foreach_add_.List-0.pt", weights_only=True)
        before, gradients = kept["args"]
        for was, gradient, now in zip(before, gradients, kept["out"][0]):
            self.assertTrue(torch.allclose(was - 0.1 * gradient, now) and not torch.equal(was, now))

    @unittest.skipIf(torch is None, "no torch")
    def test_a_tensor_that_is_laid_over_a_storage_has_no_digest(self):
        source = TORCH.replace("START", 'import copy, tscope\nrun = tscope.start("runs/mine")\n')
        source = source.replace("LOOP", "with run.step(): step(), copy.deepcopy(torch.ones(2))")
        self.program(source, directory="asked", stop=1, operations="1:aten")
        names = {row["name"] for row in self.read("asked").digests}
        self.assertEqual([name for name in names if name.startswith("aten.set_")], [])
        self.assertIn("aten.addmm.default", names)

    def test_what_names_no_call_is_said(self):
        done = self.program(LOOP, directory="asked", inputs="aten.mm.default")
        self.assertIn("TSCOPE_INPUTS='aten.mm.default' names no call", done.stderr)


if __name__ == "__main__":
    unittest.main()
