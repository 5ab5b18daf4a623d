"""The short form of sketch_rates.py: clean pairs in which nothing may be named, and six bugs that are named by their module."""

import importlib.util
import os
import unittest

import support

if importlib.util.find_spec("torch") is not None:
    import sketch_rates


@unittest.skipUnless(importlib.util.find_spec("torch"), "torch is not installed")
@unittest.skipUnless(os.environ.get("TSCOPE_PROGRAM"), "TSCOPE_PROGRAM names no program")
class Rates(support.Case):
    def test_false_names_and_power(self):
        os.environ["TSCOPE_STORE"] = os.path.join(self.folder, "store")
        self.addCleanup(os.environ.pop, "TSCOPE_STORE")
        rates = sketch_rates.Rates("rates", "held", seeds=1, layers=1).run()
        table = "\n".join(rates.table())
        self.assertGreaterEqual(sum(map(len, rates.clean.values())), 20, table)
        self.assertEqual(rates.false_names(), [], table)
        bugs = {bug: found for (kind, bug), found in rates.bugs.items() if kind == "fp32"}
        self.assertEqual(sorted(bugs), ["bf16", "double", "mask", "reduce", "scale", "stale"])
        for bug, found in bugs.items():
            for *of, where, row in found:
                self.assertTrue(sketch_rates.is_right(where, row), (bug, of, where, row, table))
        print(table)

        # Of two ranks the shards are added up, and have as many elements as the whole.
        (net,) = (net for net in sketch_rates.NETS["held"] if net.startswith("gpt"))
        at = [rates.at(net, rates.seeds[0], name) for name in ("a", "two", "r")]
        tensors = sketch_rates.diff(*at)
        self.assertGreater(tensors["sharded_count"], 50)
        self.assertEqual((tensors["sizes_count"], tensors["only_a_count"], tensors["only_b_count"]), (0, 0, 0))


if __name__ == "__main__":
    unittest.main()
