"""Names of the tools that came before are taken, and do what they say or say that they do not."""

import contextlib
import gzip
import importlib.util
import io
import json
import os
import subprocess
import unittest

import support
import tscope

PROGRAM = os.environ.get("TSCOPE_PROGRAM", "")


@unittest.skipUnless(importlib.util.find_spec("torch"), "needs torch")
class Seeds(support.Case):
    def profiled(self, kind, *words, **by_name):
        with contextlib.redirect_stderr(io.StringIO()) as said:
            prof = kind("runs/exp1", *words, **by_name).start()
            for i in range(6):
                prof.begin_step()
                prof.log(loss=i)
                prof.end_step()
            prof.finish()
        self.said = said.getvalue().splitlines()
        return prof.run

    def test_clock_of_another(self):
        run = self.profiled(tscope.Profiler, clock=lambda: 0)
        self.assertEqual(len(self.said), 2, "when it is given, and at the end")
        self.assertIn("clock", self.said[0])
        self.assertEqual((run.cannot, len(self.read().times)), (1, 6))
        self.assertEqual(self.facts()["session"]["not_recorded"]["count"], 1)

    def test_factor_of_flops(self):
        import torch

        self.profiled(tscope.AutoProfiler, torch.nn.Linear(2, 1), fwd_bwd_factor=2.0)
        self.assertIn("fwd_bwd_factor", self.said[0])

    def test_nothing_else_is_said(self):
        self.profiled(tscope.Profiler, "exp", 2, False, True, 50)
        self.assertEqual(self.said, [])

    def test_a_profiler_that_nobody_started_begins_with_its_first_step(self):
        prof = tscope.Profiler("runs/exp1")
        for i in prof.iter_data(range(3)):
            with prof.step():
                prof.log(loss=i)
        prof.finish()
        with prof.step():  # no second run begins behind the end
            prof.log(loss=9)
        self.assertEqual(len(self.read().times), 3)
        self.assertEqual(os.listdir("runs"), ["exp1"])

    @unittest.skipUnless(PROGRAM, "TSCOPE_PROGRAM names no program")
    def test_warmup_is_left_out_by_analyze(self):
        self.profiled(tscope.Profiler, warmup=2)
        environment = {**os.environ, "HOME": self.folder, "ASAN_OPTIONS": "detect_leaks=0"}
        for words, cut in (([], 2), (["--warmup", "0"], 0), (["--warmup", "4"], 4)):
            command = [PROGRAM, "analyze", "--json", *words, "./runs/exp1"]
            done = subprocess.run(command, env=environment, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            answer = json.loads(done.stdout)
            self.assertEqual(answer["measures"]["timing"]["step"]["count"], 6 - cut)

    @unittest.skipUnless(PROGRAM, "TSCOPE_PROGRAM names no program")
    def test_warmup_that_start_is_given(self):
        """As that of Profiler, also through init."""
        for i, begin in enumerate((tscope.start, lambda at, warmup: tscope.init(dir=at, name="exp", warmup=warmup))):
            run = begin(f"runs/w{i}", warmup=2)
            for k in range(6):
                with run.step():
                    run.log(loss=k)
            run.finish()
            environment = {**os.environ, "HOME": self.folder, "ASAN_OPTIONS": "detect_leaks=0"}
            done = subprocess.run([PROGRAM, "analyze", "--json", run.directory], env=environment, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(json.loads(done.stdout)["measures"]["timing"]["step"]["count"], 4)

    def test_warmup_that_is_no_number(self):
        with contextlib.redirect_stderr(io.StringIO()) as said, self.start(warmup="ten") as run, run.step():
            run.log(loss=1)
        self.assertIn("warmup: 'ten', which is no number of steps", said.getvalue())
        self.assertNotIn("warmup_steps", self.facts().get("work", {}))

    def test_warmup_of_a_number_that_is_no_int(self):
        class Number:  # as those of numpy
            def __index__(self):
                return 3

        with self.start(warmup=Number()) as run, run.step():
            run.log(loss=1)
        self.assertEqual(self.facts()["work"]["warmup_steps"], 3)

    def test_older_name_of_a_timer(self):
        with self.start() as run, run.step():

            @tscope.trace_timestep("augment", use_gpu=False)
            def augment():
                return 7

            self.assertEqual(augment(), 7)
        self.assertEqual([name for name, _, _ in self.read().regions if "cpu_wait" not in name], ["regions.augment"])

    def test_steps_of_axolotls_profiler(self):
        import torch

        model = torch.nn.Linear(8, 1)
        with self.start() as run:
            run.profile(profiler_steps=2, profiler_steps_start=3)
            for _ in range(8):
                with run.step():
                    model(torch.ones(4, 8)).sum().backward()
        self.assertEqual(run.trouble["cannot"], 0)
        steps = self.read().steps
        self.assertEqual([step for step, cells in sorted(steps.items()) if "phases.profiler" in cells], [2, 3, 4])
        with gzip.open("runs/exp1/trace.json.gz", "rt", encoding="utf-8") as file:
            names = {event.get("name", "") for event in json.load(file)["traceEvents"]}
        self.assertEqual(len([name for name in names if name.startswith("ProfilerStep")]), 2)


if __name__ == "__main__":
    unittest.main()
