"""A GPT and a CNN with one thing changed at a time: `tscope diff` names what was changed (diagnosed.py, in a short form)."""

import importlib.util
import os
import subprocess
import sys
import unittest

PROGRAM = os.environ.get("TSCOPE_PROGRAM", "")
HERE = os.path.dirname(os.path.abspath(__file__))


class Diagnosed(unittest.TestCase):
    @unittest.skipUnless(PROGRAM, "TSCOPE_PROGRAM names no program")
    @unittest.skipUnless(importlib.util.find_spec("torch"), "torch is not installed")
    def test_what_was_changed_is_named(self):
        variables = {name: value for name, value in os.environ.items() if name not in ("TSCOPE_SERVER", "TSCOPE_STORE")}
        words = [sys.executable, os.path.join(HERE, "diagnosed.py"), PROGRAM, "--steps", "20"]
        done = subprocess.run(words, capture_output=True, text=True, env=variables)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        loops = 2 + sum(importlib.util.find_spec(name) is not None for name in ("transformers", "lightning"))
        self.assertEqual(done.stdout.count(" right "), 14 * loops)


if __name__ == "__main__":
    unittest.main()
