"""The test of a device (tests/gpu), rehearsed on the host, so that it works where there is one; and that it says why it is skipped."""

import importlib.util
import os
import re
import subprocess
import sys
import unittest

import support

GPU = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "gpu")
TORCH = importlib.util.find_spec("torch") is not None
# A digest that is wrong, as if the gradients were those of another step.
PLANTED = """
import sys
sys.path.insert(0, sys.argv[1])
import check
from tscope import _watch
one = _watch.Watch._one
doubled = lambda kind, tensors: [(name, 2 * t) for name, t in tensors] if kind == "grads" else tensors
_watch.Watch._one = lambda watch, step, kind, tensors, *_: one(watch, step, kind, doubled(kind, tensors))
_watch.Quiet = type("Quiet", (), {"may": False, "look": lambda *_: None, "unseen": lambda *_: None})  # as where tensors lie on a device
check.PARTS = (check.sums.digests,)
sys.exit(check.main([sys.argv[2], "--device", "cpu"]))
"""


class Gpu(support.Case):
    def rehearse(self, *words):
        environment = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
        return subprocess.run([sys.executable, *words], capture_output=True, text=True, env=environment)

    @unittest.skipUnless(TORCH, "torch is not installed")
    def test_rehearsal(self):
        program = os.environ.get("TSCOPE_PROGRAM", "")
        done = self.rehearse(os.path.join(GPU, "check.py"), self.folder, "--device", "cpu", "--program", program)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("0 of ", done.stdout)
        self.assertIn("device   none: a rehearsal on the host", done.stdout)
        self.assertRegex(done.stdout, r"to the bit as without a record .* equal +equal +yes")
        # Each row that needs a device is left out with a reason, and none is there with a figure of the host.
        left = re.findall(r"(?m)^left out: (.+): (.+)$", done.stdout)
        self.assertEqual(len(left), 6, done.stdout)
        self.assertNotRegex(done.stdout, r"(?m)^synchronizations")
        if program:
            self.assertRegex(done.stdout, r"operators of the run's trace, .* yes")

    @unittest.skipUnless(TORCH, "torch is not installed")
    def test_what_does_not_hold_is_said(self):
        done = self.rehearse("-c", PLANTED, GPU, self.folder)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"recorded digests of grads .* 3 +0 +NO")
        self.assertRegex(done.stdout, r"recorded digests of params .* 0 +0 +yes")

    def test_skipped_with_a_sentence(self):
        """A Python without torch: one that sees no installed package."""
        bare = os.path.join(self.folder, "bare")
        with open(bare, "w", encoding="utf-8") as file:
            file.write(f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n')
        os.chmod(bare, 0o755)
        done = self.rehearse(os.path.join(GPU, "start.py"), self.folder, "--ask", "--python", bare)
        self.assertEqual(done.returncode, 77, done.stdout + done.stderr)
        self.assertRegex(done.stdout, "^skipped: .*bare: it has no torch")
        done = self.rehearse(os.path.join(GPU, "start.py"), self.folder, "--ask", "--wheels", self.folder)
        self.assertEqual((done.returncode, done.stdout), (77, f"skipped: {self.folder} has no wheel\n"))

    def test_what_counts_as_a_wait(self):
        """What the profiler of a device names, by its documents: launches, queries and copies to pinned memory are none."""
        if not TORCH:
            self.skipTest("torch is not installed")
        text = ("import sys; sys.path[:0] = sys.argv[1:]\nimport harmless, windows\n"
                "print(harmless.waits_of(['cudaLaunchKernel', 'cudaEventQuery', 'cudaEventRecord', 'cudaMemcpyAsync', "
                "'Memcpy DtoH (Device -> Pinned)', 'cudaStreamSynchronize', 'Memcpy DtoH (Device -> Pageable)']))\n"
                "print(windows.farthest({'a': 99.0, 'b': 1.0}, {'a': 100.0, 'b': 1.0, 'c': 5.0}))\n"
                "print(windows.farthest({'a': 99.0}, {}), windows.farthest({}, {'a': 1.0}))")
        done = self.rehearse("-c", text, GPU)
        self.assertEqual(done.stdout, "2\n(0.01, 'a')\n(9.9, 'a') (1.0, 'none')\n", done.stderr)


if __name__ == "__main__":
    unittest.main()
