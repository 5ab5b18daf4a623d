"""Layers, blame for memory that ran out, digests of operations, windows of the profiler, and phases by a device's clock."""

import contextlib
import copy
import gzip
import importlib.util
import io
import json
import os
import pickle
import time
import unittest

import support
import tscope

TORCH = importlib.util.find_spec("torch") is not None


def sleeper(seconds, back=0.0):
    """Returns a layer that takes this long forward, and so long backward."""
    import torch

    class Slow(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            time.sleep(seconds)
            return x * 1

        @staticmethod
        def backward(ctx, grad):
            time.sleep(back)
            return grad

    class Sleeper(torch.nn.Module):
        def forward(self, x):
            return Slow.apply(x)

    return Sleeper()


class Greedy:
    """Returns a layer whose forward raises."""

    def __new__(cls, error):
        import torch

        class Attention(torch.nn.Module):
            def forward(self, x):
                raise error

        return Attention()


@unittest.skipUnless(TORCH, "torch is not installed")
class Layers(support.Case):
    def net(self, *more):
        import torch

        torch.manual_seed(1)
        return torch.nn.Sequential(torch.nn.Linear(8, 64), torch.nn.ReLU(inplace=True), *more, torch.nn.Linear(64, 1))

    def test_time_and_memory_of_layers(self):
        import torch

        model = self.net(sleeper(0.1, 0.15))  # far more than a small product takes where other programs want the CPU, too
        model(torch.ones(4, 8))  # the first product of a process starts torch's threads
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        run = tscope.auto(model, optimizer, "runs/exp1")
        layers = run.layers(model, every=2)
        for _ in range(4):
            model(torch.ones(4, 8)).sum().backward()
            optimizer.step()
        self.assertEqual([row["layer"] for row in layers.heaviest(1)], ["2"])
        self.assertEqual([row["layer"] for row in layers.heaviest(1, "memory")], ["0"])
        run.finish()
        steps = self.read().steps
        timed = [step for step, cells in sorted(steps.items()) if any("layers/" in name for name in cells)]
        self.assertEqual(timed, [0, 2])
        for step in timed:
            cells = steps[step]
            self.assertGreaterEqual(cells["scalars.layers/2/forward_ms"], 100)
            self.assertLess(cells["scalars.layers/2/forward_ms"], 100 + 1000)
            self.assertGreaterEqual(cells["scalars.layers/2/backward_ms"], 150)
            self.assertLess(cells["scalars.layers/0/backward_ms"], 150)
            self.assertIn("scalars.layers/3/backward_ms", cells)
            # Of f32: 8 x 64 weights and 64 biases; an output of 4 x 64.
            self.assertEqual(cells["memory.layers/0/parameters"], 4 * (8 * 64 + 64))
            self.assertEqual(cells["memory.layers/0/output"], 4 * 4 * 64)
            self.assertNotIn("memory.layers/0/peak", cells, "unknown without CUDA's allocator")
        with open("runs/exp1/facts.json", encoding="utf-8") as file:
            self.assertEqual(json.load(file)["work"]["layers_clock"], "host")
        self.assertFalse([module for module in model.modules() if module._forward_hooks or module._forward_pre_hooks])
        self.assertEqual(run.trouble["cannot"], 0)

    def test_gradients_are_the_same(self):
        import torch

        one, two = self.net(), self.net()
        one(torch.ones(4, 8)).sum().backward()
        run = self.start()
        run.layers(two, every=1)
        with run.step():
            two(torch.ones(4, 8)).sum().backward()
        for p, q in zip(one.parameters(), two.parameters()):
            self.assertTrue(torch.equal(p.grad, q.grad))

    def test_copies_in_a_timed_step(self):
        import torch

        model = self.net()
        with self.start() as run:
            run.layers(model, every=1)
            run.operations(model, steps=[0])
            with run.step():
                model(torch.ones(4, 8))
                copy.copy(model[0])(torch.ones(4, 8))
                average, saved = copy.deepcopy(model), pickle.loads(pickle.dumps(model))
                average(torch.ones(4, 8))
                saved(torch.ones(4, 8))
        self.assertEqual(run.trouble["cannot"], 0)
        self.assertEqual(self.read().steps[0]["memory.layers/0/output"], 4 * 4 * 64)

    def blamed(self, error, leave):
        """Returns what is said and recorded of an exception that a layer raises, and that leaves by `leave`."""
        import torch

        model, said = self.net(Greedy(error)), io.StringIO()
        with contextlib.redirect_stderr(said), self.assertRaises(type(error)):
            leave(model, torch.ones(4, 8))
        events = [value for name, _, value in self.read().events if name == "events.out of memory"]
        return said.getvalue(), events

    def test_the_layer_is_blamed(self):
        def step(model, batch):
            with self.start() as run:
                run.layers(model, every=1)
                with run.step():
                    model(batch)

        error = RuntimeError("CUDA out of memory. Tried to allocate 20.00 MiB. GPU 0 has a total capacity of 8 MiB")
        said, events = self.blamed(error, step)
        self.assertEqual(said.count("\n"), 2, said)
        self.assertIn("at step 0, in the forward of 2 (Attention), which asked for 20.00 MiB\n", said)
        self.assertIn("layers that held most: 0 ", said)
        self.assertEqual(len(events), 1)
        self.assertIn("2 (Attention)", events[0])

    def test_memory_of_the_host(self):
        def alone(model, batch):
            run = self.start()
            with run:
                model(batch)

        said, events = self.blamed(MemoryError(), alone)
        self.assertIn("before the first step, in the forward of 2 (Attention), which asked for an amount that is not known", said)
        self.assertIn("the memory of layers is not known", events[0])

    def test_an_exception_that_ends_the_program(self):
        said = self.script(
            "import torch, tscope\n"
            "class Big(torch.nn.Module):\n"
            "    def forward(self, x): return torch.empty(1 << 60, dtype=torch.uint8)\n"
            "model = torch.nn.Sequential(torch.nn.Linear(8, 8), Big())\n"
            "run = tscope.auto(model, torch.optim.SGD(model.parameters(), lr=0.1), 'runs/exp1')\n"
            "model(torch.ones(4, 8))\n",
            expect=1,
            PYTHONPATH=os.path.dirname(os.path.dirname(tscope.__file__)),
        )
        self.assertIn("tscope: out of memory at step 0, in the forward of 1 (Big), which asked for 1152921504606846976 bytes\n", said)
        self.assertEqual([name for name, _, _ in self.read().events if "memory" in name], ["events.out of memory"])

    def test_other_exceptions_are_not_blamed(self):
        def step(model, batch):
            with self.start() as run, run.step():
                model(batch)

        said, events = self.blamed(RuntimeError("shapes do not fit"), step)
        self.assertEqual((said, events), ("", []))

    # --- operations ---

    def recorded(self, directory, model, of):
        import torch

        torch.manual_seed(2)
        with self.start(directory) as run:
            run.operations(model, steps=[1], of=of)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            for _ in range(3):
                with run.step():
                    loss = model(torch.ones(4, 8)).sum()
                    loss.backward()
                    optimizer.step()
                    optimizer.zero_grad()
                    run.log(loss=loss)
        self.assertEqual(run.trouble["cannot"], 0)
        return self.read(directory).digests

    def first(self, a, b):
        """Returns the name of the first operation whose inputs agree and whose output differs."""
        self.assertEqual({row["step"] for row in a + b}, {1})
        return next((x["name"] for x, y in zip(a, b) if x["in"] == y["in"] and x["out"] != y["out"]), None)

    def changed(self):
        """Returns a net that is the same but for one layer, and only from the second step on."""
        import torch

        class Tanh(torch.nn.Tanh):
            calls = 0

            def forward(self, x):
                self.calls += 1
                return super().forward(x) * (1 + 1e-6) if self.calls > 1 else super().forward(x)

        Tanh.__name__ = "Tanh"
        return self.net(Tanh())

    def test_the_first_operation_that_differs(self):
        import torch

        a, again, b = (self.recorded(f"runs/{name}", net, "modules") for name, net in (
            ("a", self.net(torch.nn.Tanh())), ("again", self.net(torch.nn.Tanh())), ("b", self.changed())))
        self.assertEqual([row["name"] for row in a], ["0 (Linear)", "1 (ReLU)", "2 (Tanh)", "3 (Linear)"])
        self.assertIsNone(self.first(a, again))
        self.assertEqual(self.first(a, b), "2 (Tanh)")
        other = self.net(torch.nn.Tanh())
        with torch.no_grad():
            other[3].bias += 1
        weights = self.recorded("runs/weights", other, "modules")
        self.assertNotEqual(a[3]["out"], weights[3]["out"])
        self.assertIsNone(self.first(a[3:], weights[3:]), "other weights are other inputs")
        a, again = (self.recorded(f"runs/{name}", self.net(torch.nn.Tanh()), "aten") for name in ("aten", "aten-again"))
        self.assertEqual(a, again)
        names = [row["name"] for row in a]
        self.assertIn("aten.tanh.default", names)
        self.assertIn("aten.tanh_backward.default", names, "the backward pass, too")

    def test_memory_that_nothing_was_written_to(self):
        """What lies in new memory is no output of an operation: nothing of it has a digest until it is written."""
        import torch

        from tscope._operations import _Unwritten

        unwritten, ops = _Unwritten(), torch.ops.aten
        memory = torch.empty(64)
        unwritten.follow(torch, ops.empty.memory_format, ([64],), memory)
        self.assertTrue(unwritten.has(memory))
        view = memory.view(8, 8)
        unwritten.follow(torch, ops.view.default, (memory, [8, 8]), view)
        self.assertTrue(unwritten.has(view), "a view of it")
        other = torch.ones(3)
        unwritten.follow(torch, ops.add.Tensor, (other, other), other + other)
        self.assertTrue(unwritten.has(memory), "another operation")
        unwritten.follow(torch, ops.bernoulli_.float, (memory, 0.5), memory.bernoulli_(0.5))
        self.assertFalse(unwritten.has(memory), "it was written in place")
        unwritten.follow(torch, ops.empty.memory_format, ([64],), memory)
        unwritten.follow(torch, ops.mul.Tensor, (other, 2.0), memory)
        self.assertFalse(unwritten.has(memory), "the place was free, and another tensor lies there")

    @unittest.skipUnless(os.environ.get("TSCOPE_PROGRAM"), "TSCOPE_PROGRAM names no program")
    def test_diff_names_it(self):
        import subprocess

        import torch

        self.recorded("runs/a", self.net(torch.nn.Tanh()), "modules")
        self.recorded("runs/b", self.changed(), "modules")
        done = subprocess.run([os.environ["TSCOPE_PROGRAM"], "diff", "./runs/a", "./runs/b"], capture_output=True, text=True)
        self.assertIn("2 (Tanh)", done.stdout)

    # --- windows ---

    def test_profile(self):
        import torch

        model = self.net()
        with self.start() as run:
            run.profile(wait=2, warmup=1, active=2, repeat=2)
            for _ in range(12):
                with run.step():
                    model(torch.ones(4, 8)).sum().backward()
        self.assertEqual(run.trouble["cannot"], 0)
        with gzip.open("runs/exp1/trace.json.gz", "rt", encoding="utf-8") as file:
            names = {event.get("name", "") for event in json.load(file)["traceEvents"]}
        self.assertEqual({name for name in names if name.startswith("ProfilerStep")}, {"ProfilerStep#1", "ProfilerStep#2"})
        self.assertIn("aten::addmm", names)
        # Two steps are waited for, then one of warm-up and two that are kept; and again.
        steps = self.read().steps
        self.assertEqual([step for step, cells in sorted(steps.items()) if "phases.profiler" in cells], [2, 3, 4, 7, 8, 9])
        self.assertEqual(sorted(name for name in os.listdir("runs/exp1") if "trace" in name), ["trace-8.json.gz", "trace.json.gz"])

    def test_profile_that_the_run_ends_in(self):
        with self.start() as run:
            run.profile(wait=0, warmup=0, active=5)
            with run.step():
                pass
        self.assertTrue(os.path.exists("runs/exp1/trace.json.gz"))

    def test_snapshot(self):
        from tscope import _profiling

        class Cuda:
            """What torch.cuda shows of the history of memory."""

            calls = []

            class memory:
                _record_memory_history = staticmethod(lambda **how: Cuda.calls.append(how["enabled"]))
                _dump_snapshot = staticmethod(lambda path: Cuda.calls.append(path))

        with self.start() as run:
            run._add_window(_profiling.Snapshot(run, 1, 2, lambda: Cuda))
            for _ in range(4):
                with run.step():
                    pass
        self.assertEqual(Cuda.calls, ["all", "runs/exp1/snapshot.pickle", None])
        said = io.StringIO()
        with contextlib.redirect_stderr(said), self.start("runs/exp2") as run:
            run.snapshot()
        if not __import__("torch").cuda.is_available():
            self.assertIn("needs CUDA", said.getvalue())

    # --- a device's clock ---

    def test_phases_by_the_clock_of_a_device(self):
        from tscope import _device

        class Cuda:
            """A device that is four events behind, and on whose clock each event is 5 ms after the one before."""

            recorded = made = waited = 0

            class Event:
                def __init__(self, enable_timing):
                    assert enable_timing
                    Cuda.made += 1

                def record(self):
                    Cuda.recorded += 1
                    self.at = Cuda.recorded

                def query(self):
                    return self.at + 4 <= Cuda.recorded

                def synchronize(self):
                    Cuda.waited += 1

                def elapsed_time(self, other):
                    return 5.0 * (other.at - self.at)

            is_current_stream_capturing = staticmethod(lambda: False)

        before, _device.phases_of.__defaults__ = _device.phases_of.__defaults__, (lambda: Cuda,)
        self.addCleanup(setattr, _device.phases_of, "__defaults__", before)
        with self.start(device_phases=True) as run:
            for _ in run.data(range(20)):
                with run.step():
                    run.mark("forward")
                    run.mark("forward")
                    run.mark("optimizer")
            self.assertEqual(Cuda.waited, 0, "no step waits for the device")
        self.assertLessEqual(Cuda.made, 16, "events are used again")
        recording = self.read()
        for cells in recording.steps.values():
            self.assertEqual((cells["phases.forward"], cells["phases.optimizer"]), (10_000_000, 5_000_000))
        host = sorted(cells["phases.data"] + cells["phases.other"] for cells in recording.steps.values())
        self.assertLess(host[len(host) // 2], 5_000_000, "the host's; a busy machine may make some of them long")
        self.assertEqual([name for name, _, _ in recording.regions].count("regions.forward"), 40)
        self.assertEqual(run.trouble["cannot"], 0)

    def test_without_a_device_phases_are_the_hosts(self):
        if __import__("torch").cuda.is_available():
            self.skipTest("there is a device")
        said = io.StringIO()
        with contextlib.redirect_stderr(said), self.start(device_phases=True) as run, run.step():
            run.mark("forward")
        self.assertIn("timed by the host's clock", said.getvalue())
        self.assertIn("phases.forward", self.read().steps[0])


if __name__ == "__main__":
    unittest.main()
