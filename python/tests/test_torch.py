"""Loops of torch: by hand, instrumented, under pytscope's names, and on several ranks."""

import contextlib
import copy
import importlib.util
import io
import json
import os
import time
import unittest
import unittest.mock

import support
import tscope

TORCH = importlib.util.find_spec("torch") is not None


class Slow:
    """A data set whose items take a while."""

    def __init__(self, seconds, n=12):
        self.seconds, self.n = seconds, n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        import torch

        time.sleep(self.seconds)
        return torch.full((8,), float(i))


@unittest.skipUnless(TORCH, "torch is not installed")
class Loops(support.Case):
    def model(self):
        import torch

        torch.manual_seed(1)
        model = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.Tanh(), torch.nn.Linear(32, 1))
        return model, torch.optim.Adam(model.parameters(), lr=0.01)

    def loader(self, seconds=0.0, n=12):
        import torch

        return torch.utils.data.DataLoader(Slow(seconds, n), batch_size=2)

    def test_logs_tensors(self):
        import torch

        with self.start() as run, run.step():
            run.log(loss=torch.tensor(0.5, requires_grad=True), half=torch.tensor([2.0], dtype=torch.bfloat16))
            run.log(many=torch.zeros(3))
            run.log(nowhere=torch.zeros((), device="meta"))
        self.assertEqual(run.trouble["cannot"], 2)
        cells = self.read().steps[0]
        self.assertEqual((cells["scalars.loss"], cells["scalars.half"]), (0.5, 2.0))
        self.assertNotIn("scalars.many", cells)

    def test_tensors_of_every_kind(self):
        """A tensor of the host is read in C; what it is not, nothing is changed by it."""
        import torch

        class Mine(torch.Tensor):
            pass

        numbers = {
            "f64": torch.tensor(0.1, dtype=torch.float64), "f32": torch.tensor(0.1), "f16": torch.tensor(0.5, dtype=torch.float16),
            "i64": torch.tensor(2**40), "bool": torch.tensor(True), "one": torch.tensor([[3.0]]),
            "mine": torch.tensor(4.0).as_subclass(Mine),
            "parameter": torch.nn.Parameter(torch.tensor(5.0)), "graph": torch.tensor(6.0, requires_grad=True) * 2,
            "nan": torch.tensor(float("nan")),
        }  # fmt: skip
        none = {"complex": torch.tensor(1j), "many": torch.zeros(3), "empty": torch.zeros(0), "meta": torch.zeros((), device="meta")}
        with contextlib.redirect_stderr(io.StringIO()), self.start() as run:
            for _ in range(3):  # the first of them is seen by Python
                with run.step():
                    run.log(numbers)
                    for name, value in none.items():
                        run.log({name: value})
        self.assertEqual(run.trouble["cannot"], 3 * len(none))
        for cells in self.read().steps.values():
            found = {name[8:]: value for name, value in cells.items() if name.startswith("scalars.")}
            self.assertEqual({name: str(value) for name, value in found.items()}, {name: str(float(v)) for name, v in numbers.items()})

    def test_a_tensor_on_a_device_is_not_waited_for(self):
        """Where is_cpu is false, .item() is not called, however often a tensor was read before."""
        import torch

        with contextlib.redirect_stderr(io.StringIO()), self.start() as run:
            with run.step():
                run.log(loss=torch.tensor(1.0))
            patch = unittest.mock.patch.object
            away = patch(torch.Tensor, "is_cpu", False)
            with run.step(), patch(torch.Tensor, "item") as item, patch(run, "_log_other") as other, away:
                run.log(loss=torch.tensor(2.0))
            self.assertEqual((item.call_count, other.call_count), (0, 1))

    # --- what stands around the model's call ---

    def small(self, directory=None, **how):
        """Returns a model with its optimizer, and the run that records them."""
        import torch

        torch.manual_seed(0)
        model = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Dropout(0.1), torch.nn.Linear(8, 1))
        optimizer = torch.optim.AdamW(model.parameters())
        run = self.auto(model, optimizer, directory, digests_every=0, **how) if directory else None
        return model, optimizer, run

    def auto(self, *args, **how):
        run = tscope.auto(*args, **how)
        self.addCleanup(run.finish)
        return run

    def trained(self, model, optimizer, n=5, call=None):
        """Trains, and returns the bytes of the parameters."""
        import torch

        torch.manual_seed(3)
        for _ in range(n):
            optimizer.zero_grad()
            (call or model)(torch.randn(4, 8)).square().mean().backward()
            optimizer.step()
        return b"".join(bytes(p.detach().view(torch.uint8).numpy()) for p in model.parameters())

    def test_a_model_is_what_it_was(self):
        """Copies, files and replicas of a model that is recorded have nothing of it, and training is the same to the bit."""
        import torch

        plain = self.trained(*self.small()[:2])
        model, optimizer, run = self.small("runs/exp1")
        self.assertEqual(self.trained(model, optimizer), plain)
        with io.BytesIO() as file:
            torch.save(model, file)
            self.assertNotIn(b"tscope", file.getvalue())
            file.seek(0)
            loaded = torch.load(file, weights_only=False)
        replica = model._replicate_for_data_parallel()
        for other in (copy.deepcopy(model), copy.copy(model), loaded, replica):
            self.assertNotIsInstance(other.__dict__.get("_compiled_call_impl"), tscope._recorder.Around)
        copied = copy.deepcopy(model)
        with torch.no_grad():
            copied[2].bias.zero_()
            copied[2].weight.zero_()
        self.assertEqual(copied(torch.ones(1, 8)).item(), 0, "a copy calls itself")
        run.finish()
        self.assertNotIn("_compiled_call_impl", model.__dict__)
        self.assertEqual(len(self.read().times), 5)

    def test_a_model_whose_state_is_its_own(self):
        """A class that gives its dictionary away as it is: what stands around the call vanishes from copies all the same."""
        import torch

        class Own(torch.nn.Linear):
            def __getstate__(self):
                return self.__dict__.copy()

        model = Own(8, 1)
        self.auto(model, torch.optim.SGD(model.parameters(), lr=0.1), "runs/exp1")
        copied = copy.deepcopy(model)
        self.assertIsNone(copied._compiled_call_impl)
        self.assertEqual(copied(torch.ones(1, 8)).shape, (1, 1))

    def test_compilers(self):
        import torch

        plain, graphs = self.trained(*self.small()[:2]), []

        def backend(graph, _):
            graphs.append(graph)
            return graph

        model, optimizer, run = self.small("runs/in place")
        self.trained(model, optimizer, 2)
        model.compile(backend=backend)  # takes the place in which we stand
        self.trained(model, optimizer, 3)
        run.finish()
        self.assertEqual(len(self.read("runs/in place").times), 5)
        self.assertTrue(callable(model._compiled_call_impl), "what was compiled stays")
        torch._dynamo.reset()
        model, optimizer, _ = self.small()
        compiled = torch.compile(model, backend=backend, fullgraph=True)
        run = self.auto(compiled, optimizer, "runs/outside", digests_every=0)
        self.assertEqual(self.trained(model, optimizer, call=compiled), plain)
        self.assertEqual(run._step_now(), 4)
        torch._dynamo.reset()
        model, optimizer, run = self.small("runs/inside")
        function = torch.compile(lambda batch: model(batch), backend=backend, fullgraph=True)
        with contextlib.redirect_stderr(io.StringIO()) as said:
            self.assertEqual(self.trained(model, optimizer, call=function), plain)
        self.assertEqual(said.getvalue().count("give auto what torch.compile returned"), 1)
        self.assertEqual(len(graphs), 2, "one of each that may have no break")

    def test_several_stand_around_one_model(self):
        model, optimizer, first = self.small("runs/first")
        second = self.auto(model, optimizer, "runs/second", digests_every=0)
        third = self.auto(model, optimizer, "runs/third", digests_every=0)
        self.trained(model, optimizer, 2)
        second.finish()
        self.trained(model, optimizer, 2)
        first.finish()
        third.finish()
        self.assertEqual([len(self.read(f"runs/{name}").times) for name in ("first", "second", "third")], [4, 2, 4])
        self.assertNotIn("_compiled_call_impl", model.__dict__)

    def test_a_run_that_has_ended_keeps_no_model(self):
        import gc
        import weakref

        model, optimizer, run = self.small("runs/exp1")
        run.watch(model, optimizer, every=2)
        self.trained(model, optimizer)
        run.finish()
        kept = weakref.ref(model)
        del model, optimizer
        gc.collect()
        self.assertIsNone(kept())

    def test_exceptions_of_the_model_end_in_the_model(self):
        import traceback

        import torch

        class Fails(torch.nn.Linear):
            def forward(self, batch):
                raise ZeroDivisionError("of the model")

        model = Fails(8, 1)
        run = self.auto(model, torch.optim.SGD(model.parameters(), lr=0.1), "runs/exp1")
        for fault in (None, RuntimeError("ours")):
            with unittest.mock.patch.object(type(run), "_begins", side_effect=fault), self.assertRaises(ZeroDivisionError) as raised:
                run._wake(0, False)
                model(torch.ones(1, 8))
            files = [frame.filename for frame in traceback.extract_tb(raised.exception.__traceback__)]
            self.assertFalse(any("tscope/_" in file for file in files), files)

    def test_another_thread_that_evaluates(self):
        import threading

        import torch

        model, optimizer, run = self.small("runs/exp1")
        going = [True]

        def evaluate():
            while going:
                with torch.no_grad():
                    model(torch.ones(4, 8))

        self.trained(model, optimizer, 1)
        thread = threading.Thread(target=evaluate)
        thread.start()
        self.trained(model, optimizer, 50)
        going.clear()
        thread.join()
        run.finish()
        recording = self.read()
        self.assertEqual(len(recording.times), 51)
        self.assertTrue(all("phases.forward" in cells for cells in recording.steps.values()))

    def test_another_torch(self):
        """Without the place where a module's call is kept, hooks of torch see it."""
        with unittest.mock.patch("tscope._auto._CALLED", "_not_there"):
            model, optimizer, run = self.small("runs/exp1")
            self.assertEqual(self.trained(model, optimizer), self.trained(*self.small()[:2]))
            run.finish()
        self.assertEqual(len(self.read().times), 5)
        self.assertEqual(len(model._forward_hooks), 0)

    def test_tensors_of_a_device_are_read_later(self):
        import torch

        class Event:
            waited = now = 0  # a tensor arrives when three more have been asked for

            def record(self):
                Event.now += 1
                self.at = Event.now + 3

            def query(self):
                return self.at <= Event.now

            def synchronize(self):
                Event.waited += 1

        class Tensor:
            """What torch shows of a tensor on a device that this machine does not have."""

            device = torch.device("mps")

            def __init__(self, value):
                self.value = value

            def numel(self):
                return 1

            def detach(self):
                return self

            reshape = clone = lambda self, *_: self

            def __float__(self):
                return self.value

            def item(self):
                raise AssertionError("that would wait for the device")

        before = getattr(torch.mps, "Event", None)
        torch.mps.Event = Event
        self.addCleanup(setattr, torch.mps, "Event", before)
        with self.start() as run:
            for i in range(10):
                with run.step():
                    run.log(loss=Tensor(i / 2))
            self.assertEqual(Event.waited, 0)
        self.assertLessEqual(Event.waited, 4, "only what was under way at the end is waited for")
        self.assertEqual([cells["scalars.loss"] for _, cells in sorted(self.read().steps.items())], [i / 2 for i in range(10)])
        self.assertEqual(run.trouble["cannot"], 0)

    def test_auto_digests_batches(self):
        import torch

        model, optimizer = self.model()
        run = tscope.auto(model, optimizer, "runs/exp1", digests_every=2)
        rows = list(zip(torch.randn(32, 8), range(32)))
        loader = torch.utils.data.DataLoader(rows, batch_size=4, shuffle=True)
        fed = []
        for i, (batch, number) in enumerate(loader):
            if i % 2 == 0:
                fed.append([])
            fed[-1].append([batch, number])
            model(batch).square().mean().backward()
            if i % 2:
                optimizer.step()
            model.eval()
            with torch.no_grad():
                for other in torch.utils.data.DataLoader(rows[:4]):
                    model(other[0])
            model.train()
        run.finish()
        self.assertEqual(len(fed), 4)
        with open("runs/exp1/facts.json", encoding="utf-8") as file:
            facts = json.load(file)
        self.assertEqual((facts["data"]["sampler"], facts["work"]["loader"]["batches"]), ("RandomSampler", 8))
        self.assert_batches(self.read(), fed, every=2)

    def test_flops_that_are_computed_again(self):
        """The middle layer is checkpointed: its forward pass is no part of the model's FLOPs when it is done again."""
        import torch
        from torch.utils.checkpoint import checkpoint

        for reentrant in (False, True):
            first, middle, last = torch.nn.Linear(8, 16), torch.nn.Linear(16, 32), torch.nn.Linear(32, 4)

            class Net(torch.nn.Module):
                def __init__(self, reentrant, *layers):
                    super().__init__()
                    self.layers = torch.nn.ModuleList(layers)
                    self.reentrant = reentrant

                def forward(self, batch):
                    hidden = self.layers[0](batch)
                    return self.layers[2](checkpoint(lambda x: self.layers[1](x).relu(), hidden, use_reentrant=self.reentrant))

            model = Net(reentrant, first, middle, last)
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            run = tscope.auto(model, optimizer, f"runs/again{reentrant}", flops=True)
            for _ in range(3):
                model(torch.ones(2, 8)).sum().backward()
                optimizer.step()
                optimizer.zero_grad()
            run.finish()
            with open(f"runs/again{reentrant}/facts.json", encoding="utf-8") as file:
                work = json.load(file)["work"]
            forward = 2 * 2 * (8 * 16 + 16 * 32 + 32 * 4)
            self.assertEqual(work["flops_per_step"], 2 * forward + 2 * 2 * (16 * 32 + 32 * 4))
            self.assertEqual(work["recompute_flops_per_step"], 2 * 2 * 16 * 32)
            self.assertIn("without what was computed again", work["flops_convention"])

    def test_auto_without_an_optimizer(self):
        import torch

        model = torch.nn.Linear(3, 1)
        run = tscope.auto(model, None, "runs/exp1")
        for _ in range(4):  # a program that changes its parameters itself
            model.zero_grad()
            model(torch.ones(2, 3)).sum().backward()
            for p in model.parameters():
                p.data.add_(p.grad, alpha=-0.1)
        with contextlib.redirect_stderr(io.StringIO()) as said:
            run.finish()
        self.assertIn("no step of an optimizer was seen", said.getvalue())
        self.assertEqual(run.trouble["cannot"], 1)

    def test_auto(self):
        import torch

        model, optimizer = self.model()
        forward = model.forward

        def slow(batch):
            time.sleep(0.002)
            return forward(batch)

        model.forward = slow
        run = tscope.auto(model, optimizer, "runs/exp1", digests_every=2, flops=True)
        for _ in range(2):
            for batch in self.loader(0.002):
                loss = model(batch).square().mean()
                optimizer.zero_grad()
                loss.backward()
                time.sleep(0.003)
                optimizer.step()
                time.sleep(0.004)
                run.log(loss=loss)
            model.eval()
            with torch.no_grad():
                for batch in self.loader(0.001, 4):
                    model(batch)
            model.train()
        run.finish()
        recording = self.read()
        self.assertEqual(len(recording.times), 12)
        for step, cells in recording.steps.items():
            self.assertGreaterEqual(cells["phases.data"], 4_000_000, "two items of a batch")
            self.assertGreaterEqual(cells["phases.forward"], 2_000_000)
            self.assertGreaterEqual(cells["phases.backward"], 3_000_000)
            self.assertIn("scalars.loss", cells)
            if step not in (0, 6):
                self.assertGreaterEqual(cells["phases.between"], 3_900_000)
            if step > 0:  # without the wait for data, between is at most what lies between the ends of two steps
                whole = recording.times[step][0] - sum(recording.times[step - 1])
                self.assertEqual(cells["phases.between"] + cells["phases.data"], whole)
        evaluation = [name for name, _, _ in recording.regions]
        self.assertEqual((evaluation.count("regions.evaluation"), evaluation.count("regions.evaluation data")), (4, 4))
        self.assertEqual([step for step, cells in sorted(recording.steps.items()) if "digests.params" in cells], [0, 2, 4, 6, 8, 10])
        with open("runs/exp1/facts.json", encoding="utf-8") as file:
            facts = json.load(file)
        # Of a batch of two: the products of the layers, forward and for the gradients of both weights and of the hidden values.
        self.assertEqual(facts["work"]["flops_per_step"], 2 * 2 * (8 * 32 + 32) * 2 + 2 * 2 * 32)
        self.assertEqual(facts["work"]["recompute"], "none")
        self.assertEqual(facts["seeds"]["torch"], 1)
        # Everything is taken back.
        self.assertFalse(model._forward_hooks or model._forward_pre_hooks or optimizer._optimizer_step_pre_hooks)
        self.assertEqual(torch.utils.data.dataloader._BaseDataLoaderIter.__next__.__qualname__, "_BaseDataLoaderIter.__next__")
        self.assertFalse(hasattr(torch.utils.data.dataloader._BaseDataLoaderIter.__next__, "__wrapped__"))

    def test_accumulation_is_one_step(self):
        model, optimizer = self.model()
        run = tscope.auto(model, optimizer, "runs/exp1")
        for i, batch in enumerate(self.loader()):
            model(batch).sum().backward()
            if i % 3 == 2:
                optimizer.step()
                optimizer.zero_grad()
        run.finish()
        self.assertEqual(len(self.read().times), 2)

    def test_two_optimizers(self):
        import torch

        model, one = self.model()
        two = torch.optim.SGD(model.parameters(), lr=0.01)
        two.register_step_pre_hook(lambda *_: time.sleep(0.03))
        run = tscope.auto(model, [one, two], "runs/exp1")
        for batch in self.loader():
            model(batch).sum().backward()
            one.step()
            two.step()
        run.finish()
        times = self.read().times
        self.assertEqual(len(times), 6)
        self.assertGreaterEqual(min(duration for _, duration in times.values()), 30_000_000, "the second belongs to the step")

    def test_exception_of_the_model_passes(self):
        import torch

        model, optimizer = self.model()
        run = tscope.auto(model, optimizer, "runs/exp1")
        with self.assertRaises(RuntimeError):
            model(torch.ones(2, 9))
        model(torch.ones(2, 8)).sum().backward()
        optimizer.step()
        model.eval()
        with torch.no_grad(), self.assertRaises(RuntimeError):
            model(torch.ones(2, 9))
        model.train()
        model(torch.ones(2, 8)).sum().backward()
        optimizer.step()
        run.finish()
        recording = self.read()
        self.assertEqual(len(recording.times), 2)
        self.assertTrue(all("phases.forward" in cells for cells in recording.steps.values()))

    def test_a_model_that_calls_itself(self):
        import torch

        class Twice(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.inner = torch.nn.Linear(8, 8)
                self.calls = 0

            def forward(self, x, deep=0):
                self.calls += 1
                y = self.inner(x)
                time.sleep(0.003)
                return self(y, deep + 1) if deep < 2 else y

        model = Twice()
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        run = tscope.auto(model, optimizer, "runs/exp1")
        for _ in range(3):
            model(torch.ones(2, 8)).sum().backward()
            optimizer.step()
        run.finish()
        self.assertEqual(model.calls, 9)
        for cells in self.read().steps.values():
            self.assertGreaterEqual(cells["phases.forward"], 9_000_000, "all three calls")

    def test_copies_of_the_model(self):
        import copy
        import io

        import torch

        model, optimizer = self.model()
        run = tscope.auto(model, optimizer, "runs/exp1")
        average = copy.deepcopy(model)
        file = io.BytesIO()
        torch.save(model, file)
        file.seek(0)
        saved = torch.load(file, weights_only=False)
        for _ in range(2):
            model(torch.ones(2, 8)).sum().backward()
            average(torch.ones(2, 8))
            saved(torch.ones(2, 8))
            optimizer.step()
        run.finish()
        self.assertEqual(len(self.read().times), 2)

    def test_recomputation_and_inner_calls(self):
        import torch
        from torch.utils.checkpoint import checkpoint

        model, optimizer = self.model()
        forward = model.forward
        model.forward = lambda batch: checkpoint(forward, batch, use_reentrant=False)
        run = tscope.auto(model, optimizer, "runs/exp1")
        for _ in range(3):
            model(torch.ones(2, 8)).sum().backward()
            optimizer.step()
        run.finish()
        self.assertEqual(len(self.read().times), 3)

    def test_pytscope_names(self):
        model, optimizer = self.model()
        for _ in range(2):
            with tscope.AutoProfiler("runs/exp1", model, optimizer, measure_flops=True, peak_flops=1e12) as prof:
                for batch in self.loader():
                    loss = model(batch).sum()
                    loss.backward()
                    optimizer.step()
                    prof.log(loss=float(loss.detach()))
        self.assertEqual(len(self.read("runs/exp1").times), 6)
        self.assertEqual(len(self.read("runs/exp1-2").times), 6)
        with open("runs/exp1/facts.json", encoding="utf-8") as file:
            self.assertEqual(json.load(file)["work"]["peak_flops"], 1e12)

    def test_trace_step(self):
        model, optimizer = self.model()
        run = self.start()

        @tscope.trace_time("augment", use_gpu=False)
        def augment(batch):
            return batch + 1

        for batch in self.loader():
            with tscope.trace_step(model):
                model(augment(batch)).sum().backward()
                optimizer.step()
        run.finish()
        recording = self.read()
        self.assertEqual(len(recording.times), 6)
        self.assertEqual(len(recording.regions), 6)
        for step, cells in recording.steps.items():
            expected = {"phases.forward", "phases.backward", "phases.optimizer"} | ({"phases.data"} if step else set())
            self.assertLessEqual(expected, set(cells))
        self.assertFalse(model._forward_hooks)

    def test_ranks(self):
        script = (
            "import torch, torch.distributed as dist, tscope, time\n"
            "dist.init_process_group('gloo')\n"
            "model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(8, 1))\n"
            "optimizer = torch.optim.SGD(model.parameters(), lr=0.1)\n"
            "run = tscope.auto(model, optimizer, 'runs/exp1', exist='new')\n"
            "for i in range(5):\n"
            "    if dist.get_rank() == 1: time.sleep(0.02)\n"
            "    loss = model(torch.ones(4, 8)).sum()\n"
            "    loss.backward()\n"
            "    dist.all_reduce(loss.detach())\n"
            "    optimizer.step()\n"
            "    run.log(loss=loss)\n"
            "dist.destroy_process_group()\n"
        )
        with open("train.py", "w", encoding="utf-8") as file:
            file.write(script)
        self.script(
            "from torch.distributed.run import main\n"
            "main('--nproc-per-node 2 --rdzv-backend c10d --rdzv-endpoint localhost:0 train.py'.split())\n",
            OMP_NUM_THREADS="1",
        )
        for rank in (0, 1):
            recording = self.read(f"runs/exp1/rank{rank}")
            self.assertEqual((recording.rank, recording.world_size, len(recording.times)), (rank, 2, 5))
            self.assertEqual(recording.end["reason"], 1)
            self.assertTrue(all("phases.comm" in cells for cells in recording.steps.values()))
        self.assertEqual(os.listdir("runs"), ["exp1"])


if __name__ == "__main__":
    unittest.main()
