"""Facts that are recorded without asking, beside those that `tscope facts` collects."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import unittest

import support
from tscope import _facts

PROGRAM = os.environ.get("TSCOPE_PROGRAM", "")


class Facts(support.Case):
    def repository(self):
        git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run([*git, "init", "-q", "-b", "main"], check=True)
        with open("train.py", "w", encoding="utf-8") as file:
            file.write("lr = 1\n")
        subprocess.run([*git, "add", "train.py"], check=True)
        for message in ("one", "two"):
            subprocess.run([*git, "commit", "-q", "--allow-empty", "-m", message], check=True)
        with open("train.py", "w", encoding="utf-8") as file:
            file.write("lr = 2\n")

    def test_without_asking(self):
        os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"
        self.addCleanup(os.environ.pop, "CUBLAS_WORKSPACE_CONFIG")
        self.start(config={"lr": 0.1}, facts={"seeds": {"data": 5}}).finish()
        facts = self.facts()
        self.assertEqual(facts["libraries"]["python"], ".".join(map(str, sys.version_info[:3])))
        self.assertEqual(facts["determinism"]["env"]["CUBLAS_WORKSPACE_CONFIG"], ":4096:8")
        self.assertEqual(facts["seeds"]["data"], 5)
        self.assertEqual(facts["hardware"]["cpu_count"], os.cpu_count())
        self.assertIn("unittest", facts["session"]["command"])
        self.assertRegex(facts["session"]["generators"]["python"], "^[0-9a-f]{16}$")
        with open("runs/exp1/run.json", encoding="utf-8") as file:
            self.assertEqual(json.load(file)["config"], {"lr": 0.1})

    def test_secrets_of_the_command(self):
        text = "import sys, tscope; tscope.start('runs/exp1').finish()"
        subprocess.run([sys.executable, "-c", text, "--api-key", "hunter2", "--token=hunter3", "--lr", "0.1"], check=True)
        command = self.facts()["session"]["command"]
        self.assertNotIn("hunter", command)
        self.assertIn("--lr 0.1", command)

    def test_groups(self):
        with self.assertRaisesRegex(ValueError, "'colour' is no group"):
            self.start(facts={"colour": 1}, strict=True)
        self.assertFalse(os.path.exists("runs"))

    def test_nothing_is_imported(self):
        said = self.script(
            "import sys, tscope\n"
            "with tscope.start('runs/exp1') as run:\n"
            "    for _ in run.data([1, 2]):\n"
            "        with run.step():\n"
            "            run.log(loss=1)\n"
            "print([name for name in ('torch', 'numpy') if name in sys.modules])\n"
        )
        self.assertEqual(said.strip(), "[]")

    def test_patch(self):
        self.repository()
        self.start(patch=True).finish()
        diff = subprocess.run(["git", "diff", "--binary", "HEAD"], check=True, capture_output=True, text=True).stdout
        self.assertEqual(self.facts()["session"]["patch"], diff)

    @unittest.skipUnless(PROGRAM, "TSCOPE_PROGRAM names no program")
    def test_same_as_the_program(self):
        self.repository()
        variables = dict.fromkeys("CI SLURM_JOB_ID LOCAL_RANK NCCL_ALGO PYTHONHASHSEED APPTAINER_CONTAINER".split(), "1")
        variables["MKL_CBWR"] = ""
        os.environ.update(variables)
        for name in variables:
            self.addCleanup(os.environ.pop, name, None)
        of_package = _facts.of_host(patch=True)
        words = ["facts", "--command", "train --token x", "--with-patch"]
        found = subprocess.run([PROGRAM, *words], check=True, capture_output=True, text=True)
        of_program = json.loads(found.stdout)
        self.assertEqual(of_program["session"].pop("command"), "train --token '<redacted>'")
        self.assertIn("unittest", of_package["session"].pop("command"))
        for facts in (of_package, of_program):
            facts["session"].pop("collected_at")
        self.assertEqual(of_package, {name: group for name, group in of_program.items() if name in _facts.GROUPS})
        self.assertEqual(of_package["determinism"]["env"]["NCCL_ALGO"], "1")
        self.assertEqual(of_package["session"]["topology"], {"LOCAL_RANK": "1"})
        self.assertIn("+lr = 2", of_package["session"]["patch"])

    def test_patch_with_a_secret(self):
        self.repository()
        with open("train.py", "w", encoding="utf-8") as file:
            file.write("api_key = 'hunter2'\n")
        said = self.script("import tscope; tscope.start('runs/exp1', patch=True).finish()")
        self.assertIn("the patch is left out", said)
        self.assertNotIn("patch", self.facts()["session"])
        diff = subprocess.run(["git", "diff", "--binary", "HEAD"], check=True, capture_output=True).stdout
        self.assertEqual(self.facts()["code"]["patch_sha256"], hashlib.sha256(diff).hexdigest())

    def test_digest_of_a_patch_of_any_length(self):
        self.repository()
        for n in range(0, 140, 7):
            with open("train.py", "w", encoding="utf-8") as file:
                file.write("x" * n + "\n")
            diff = subprocess.run(["git", "diff", "--binary", "HEAD"], check=True, capture_output=True).stdout
            self.assertEqual(_facts.of_host(patch=False)["code"]["patch_sha256"], hashlib.sha256(diff).hexdigest())

    @unittest.skipUnless(PROGRAM, "TSCOPE_PROGRAM names no program")
    def test_program_reads_them(self):
        self.start(config={"lr": 0.1}, facts={"data": {"name": "digits"}}).finish()
        os.makedirs("lone")
        for name in ("facts.json", "run.json"):
            shutil.copy(os.path.join("runs/exp1", name), "lone")
        found = subprocess.run([PROGRAM, "facts", "./lone", "data.name", "--raw"], check=True, capture_output=True, text=True)
        self.assertEqual(found.stdout.strip(), "digits")


if __name__ == "__main__":
    unittest.main()
