"""The short form of mode_rates.py: each loop once with each net and door, of which the right thing is said."""

import importlib.util
import os
import unittest

import support

if importlib.util.find_spec("torch") is not None:
    import mode_rates


@unittest.skipUnless(importlib.util.find_spec("torch"), "torch is not installed")
@unittest.skipUnless(os.environ.get("TSCOPE_PROGRAM"), "TSCOPE_PROGRAM names no program")
class Rates(support.Case):
    def test_what_is_said(self):
        os.environ["TSCOPE_STORE"] = os.path.join(self.folder, "store")
        self.addCleanup(os.environ.pop, "TSCOPE_STORE")
        for loop, (n, right, wrong) in mode_rates.rates("rates", 1).items():
            self.assertEqual((n, right), (8, 8), (loop, wrong))


if __name__ == "__main__":
    unittest.main()
