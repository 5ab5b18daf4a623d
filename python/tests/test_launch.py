"""`tscope run` starts a script, and ranks of it: they are recorded into one folder, and what ended them is told."""

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = os.environ.get("TSCOPE_PROGRAM", "")
TRAINS = """
import os, sys, time, torch
import torch.distributed as dist
if "RANK" in os.environ:
    dist.init_process_group("gloo")
rank = int(os.environ.get("RANK", 0))
model = torch.nn.Linear(4, 1)
trained = torch.nn.parallel.DistributedDataParallel(model) if "RANK" in os.environ else model
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(16):
    optimizer.zero_grad()
    loss = trained(torch.ones(8, 4)).pow(2).mean()
    loss.backward()
    optimizer.step()
    if step == 12 and sys.argv[1] == "killed" and rank == 1:
        os.kill(os.getpid(), 9)
    if step == 12 and sys.argv[1] == "raises":
        raise ValueError("no such layer")
"""


@unittest.skipUnless(PROGRAM, "TSCOPE_PROGRAM names no program")
@unittest.skipUnless(importlib.util.find_spec("torch"), "torch is not installed")
class Launch(unittest.TestCase):
    def setUp(self):
        self.path = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.path)
        with open(os.path.join(self.path, "train.py"), "w", encoding="utf-8") as file:
            file.write(TRAINS)

    def run_it(self, how, *options):
        path = os.path.dirname(sys.executable) + os.pathsep + os.environ["PATH"]
        variables = {**os.environ, "PATH": path, "OMP_NUM_THREADS": "1"}
        words = [PROGRAM, "run", "-d", "run", *options, "train.py", how]
        return subprocess.run(words, cwd=self.path, env=variables, capture_output=True, text=True, timeout=300)

    def ending(self):
        shown = subprocess.run([PROGRAM, "show", "--json", "./run"], cwd=self.path, capture_output=True, text=True, check=True)
        return json.loads(shown.stdout)["ending"]

    def there(self, *names):
        return [os.path.exists(os.path.join(self.path, "run", name)) for name in names]

    def test_a_script_is_recorded(self):
        done = self.run_it("whole")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.there("recording.tscope", "launch.json", "output.txt"), [True] * 3)
        self.assertEqual(self.ending()["state"], "finished")

    def test_without_a_record(self):
        done = self.run_it("whole", "--no-auto")
        self.assertEqual((done.returncode, self.there("recording.tscope")), (0, [False]), done.stderr)

    def test_an_exception_has_its_step_and_its_line(self):
        done = self.run_it("raises")
        self.assertEqual(done.returncode, 1)
        ending = self.ending()
        self.assertEqual((ending["state"], ending["step"], ending["type"]), ("crashed", 12, "ValueError"))
        self.assertIn("train.py:18", ending["sentence"])

    def killed(self, launcher):
        done = self.run_it("killed", "--nproc-per-node", "3", "--launcher", launcher)
        self.assertEqual(self.there(*(f"rank{rank}/recording.tscope" for rank in range(3))), [True] * 3, done.stderr)
        ending = self.ending()
        said = (ending["state"], ending["type"], ending["ranks"])
        self.assertEqual(said, ("killed", "SIGKILL", [1]), done.stderr)
        return done.returncode

    def test_of_three_ranks_one_is_killed(self):
        self.assertEqual(self.killed("own"), 137)

    def test_of_three_ranks_of_torchrun_one_is_killed(self):
        self.assertEqual(self.killed("torchrun"), 1)


if __name__ == "__main__":
    unittest.main()
