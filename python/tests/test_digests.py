"""Digests: of C, of torch and of a loop over the definition in docs/digests.md, on the same bytes."""

import contextlib
import importlib.util
import json
import os
import random
import re
import struct
import subprocess
import unittest
import unittest.mock

import support
from tscope import _digests
from tscope._recorder import digest_bytes

MASK = (1 << 64) - 1
PROGRAM = os.environ.get("TSCOPE_PROGRAM", "")
TORCH = importlib.util.find_spec("torch") is not None


def mixed(z):
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9 & MASK
    z = (z ^ z >> 27) * 0x94D049BB133111EB & MASK
    return z ^ z >> 31


def defined(data):
    """The digest as docs/digests.md has it, word by word."""
    total = 0
    for i in range(0, len(data), 8):
        word = int.from_bytes(data[i : i + 8], "little")
        row, column = divmod(i // 8, 4096)
        a = mixed((column + 1) * 0x9E3779B97F4A7C15 & MASK) | 1
        b = mixed(((1 << 32) + row + 1) * 0x9E3779B97F4A7C15 & MASK) & ~1
        total += word * (a + b)
    return mixed((total + len(data) * 0x9E3779B97F4A7C15) & MASK)


class Digests(support.Case):
    def setUp(self):
        super().setUp()
        self.random = random.Random(7)

    def test_splitmix(self):
        # The first numbers of SplitMix64 from the seed 1234567, from its author's program.
        golden = 0x9E3779B97F4A7C15
        found = [mixed(1234567 + (i + 1) * golden & MASK) for i in range(2)]
        self.assertEqual(found, [6457827717110365317, 3203168211198807973])
        self.assertEqual([_digests.finish(1234567 + (i + 1) * golden & MASK) for i in range(2)], found)

    def test_c_is_as_defined(self):
        for n in (0, 1, 7, 8, 9, 63, 32767, 32768, 32769, 100_003):
            data = self.random.randbytes(n)
            self.assertEqual(digest_bytes(data), defined(data), n)

    def test_vectors_of_the_document(self):
        path = os.environ.get("TSCOPE_DOCS")
        if not path:
            self.skipTest("TSCOPE_DOCS names no folder")
        with open(os.path.join(path, "digests.md"), encoding="utf-8") as file:
            vectors = re.findall(r"^\| (?:none|the bytes?|40,000)[^|]*\| `([0-9a-f]{16})` \|$", file.read(), re.M)
        data = (b"", b"\0", bytes(range(256)), bytes(i % 251 for i in range(40_000)))
        self.assertEqual(vectors, [f"{digest_bytes(bytes_):016x}" for bytes_ in data])

    def test_every_change_is_seen(self):
        data = bytearray(self.random.randbytes(70_000))
        whole = digest_bytes(bytes(data))
        for _ in range(2000):
            at, bit = self.random.randrange(len(data)), 1 << self.random.randrange(8)
            data[at] ^= bit
            self.assertNotEqual(digest_bytes(bytes(data)), whole)
            data[at] ^= bit
        top = bytearray(data)
        top[7] ^= 0x80  # of the first word, whose factor is odd
        self.assertNotEqual(digest_bytes(bytes(top)), whole)
        for _ in range(200):
            a, b = (8 * self.random.randrange(len(data) // 8) for _ in range(2))
            swapped = bytearray(data)
            swapped[a : a + 8], swapped[b : b + 8] = data[b : b + 8], data[a : a + 8]
            self.assertEqual(digest_bytes(bytes(swapped)) == whole, swapped == data)
        self.assertNotEqual(digest_bytes(bytes(data) + b"\0"), whole)

    def test_batches(self):
        batch = {"ids": [1, 2, 3], "more": ("a", None, b"b")}
        self.assertEqual(_digests.of_batch(batch), _digests.of_batch(dict(reversed(batch.items()))))
        self.assertNotEqual(_digests.of_batch(batch), _digests.of_batch({"ids": [1, 3, 2], "more": ("a", None, b"b")}))


@unittest.skipUnless(TORCH, "torch is not installed")
class Torch(support.Case):
    def test_torch_is_as_c(self):
        import torch

        torch.manual_seed(5)
        shapes = [(0,), (1,), (3,), (5, 7), (4096,), (8193,), (1000, 37), (2, 4096, 9)]
        types = [torch.float32, torch.float64, torch.bfloat16, torch.float16, torch.int8, torch.int64, torch.bool, torch.complex64]
        for dtype in types:
            for shape in shapes:
                tensor = (torch.randn(shape, dtype=torch.float64) * 100).to(dtype)
                total, n = _digests.sum_of(tensor)
                data = bytes(tensor.contiguous().reshape(-1).view(torch.uint8).tolist()) if tensor.numel() else b""
                self.assertEqual(_digests.whole(int(total) & MASK, n), digest_bytes(data), (dtype, shape))
                self.assertEqual(_digests.of_host(tensor), digest_bytes(data), (dtype, shape))

    def test_strides_and_offsets(self):
        import torch

        table = torch.randn(64, 65)
        for tensor in (table.t(), table[1:, 1:], table.reshape(-1)[3:], table.reshape(-1)[1:-1], table[:, ::2], table[5]):
            total, n = _digests.sum_of(tensor)
            copy = tensor.clone(memory_format=torch.contiguous_format)
            self.assertEqual(_digests.whole(int(total) & MASK, n), _digests.of_host(copy))
            self.assertEqual(_digests.of_host(tensor), _digests.of_host(copy))

    def test_numbers_that_lie_nowhere(self):
        """A tensor may wrap another, or have given its memory back. It says that its numbers lie at 0, where nothing may be read."""
        import torch

        from tscope._numbers import Cannot
        from tscope._recorder import digest_at, digest_tensors, sketch_at, zero_at
        from tscope._sketches import sketched

        class Wrapper(torch.Tensor):
            """As what an asynchronous collective of torch gives: an operation on it is one on what it wraps."""

            @staticmethod
            def __new__(cls, inside):
                made = torch.Tensor._make_wrapper_subclass(cls, inside.size(), dtype=inside.dtype, device=inside.device)
                made.inside = inside
                return made

            @classmethod
            def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
                if function is torch.ops.aten.detach.default:
                    return Wrapper(args[0].inside)
                inside = [given.inside if isinstance(given, Wrapper) else given for given in args]
                return function(*inside, **(kwargs or {}))

        class Closed(Wrapper):
            """As a quantized weight: nobody knows what it wraps."""

            @classmethod
            def __torch_dispatch__(cls, function, types, args=(), kwargs=None):
                return Closed(args[0].inside)

        plain = torch.randn(5, 3)
        wrapper = Wrapper(plain)
        self.assertEqual(wrapper.data_ptr(), 0)
        self.assertEqual(_digests.of_host(wrapper), _digests.of_host(plain))
        self.assertEqual(sketched(wrapper), sketched(plain))
        freed = torch.randn(5, 3)
        freed.untyped_storage().resize_(0)
        turned = torch.randn(5, 3).T
        turned.untyped_storage().resize_(0)
        for nowhere in (Closed(plain), freed, turned, torch._efficientzerotensor(3)):
            with self.assertRaisesRegex(Cannot, "do not lie in memory"):
                _digests.of_host(nowhere)
            with self.assertRaisesRegex(Cannot, "do not lie in memory"):
                sketched(nowhere)
            _, known, left = digest_tensors([("a", nowhere)], _digests.plain_types(), None)
            self.assertEqual((known, [name for name, _ in left]), ([], ["a"]))
        for read in (lambda: digest_at(0, 8), lambda: sketch_at(1, 0, 2, 0), lambda: zero_at(0, 8, 4)):
            with self.assertRaisesRegex(ValueError, "do not lie in memory"):
                read()
        self.assertEqual(_digests.of_host(torch.ones(0)), digest_bytes(b""))

        model = torch.nn.Linear(3, 3)
        model.register_buffer("closed", Closed(plain), persistent=False)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        run = self.start()
        run.watch(model, optimizer, every=1)
        for _ in range(3):
            with run.step():
                model(torch.ones(2, 3)).sum().backward()
                optimizer.step()
        run.finish()
        self.assertTrue(any("do not lie in memory" in cause for cause in run._causes), run._causes)
        self.assertTrue(all("digests.params" in row for row in self.read().steps.values()), "what lies in memory is recorded")

    def train(self, directory, *, steps=6, change=None, load=None, every=2):
        import torch

        torch.manual_seed(3)
        model = torch.nn.Linear(8, 4)
        optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
        first = 0
        run = self.start(directory)
        if load:
            state = torch.load(load)
            model.load_state_dict(state["model"])
            optimizer.load_state_dict(state["optimizer"])
            first = state["step"] + 1
            run.resumed_from(load)
        run.watch(model, optimizer, every=every)
        generator = torch.Generator().manual_seed(11)
        batches = [torch.randn(16, 8, generator=generator) for _ in range(steps)]
        for step, batch in enumerate(run.data(batches[first:]), first):
            with run.step(step):
                optimizer.zero_grad()
                loss = model(batch).square().mean()
                loss.backward()
                if change == step:
                    model.weight.grad[0, 0] += 1e-6
                optimizer.step()
                run.log(loss=loss)
            if step == 2:
                path = f"{os.path.basename(directory)}.pt"
                torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step}, path)
                run.checkpoint(path)
        run.finish()
        self.assertEqual(run.trouble["cannot"], 0)
        return self.read(directory).steps

    def test_watch(self):
        names = ["digests.batch", "digests.params", "digests.grads", "digests.optimizer", "digests.rng", "digests.rng_pass"]
        one, two = self.train("runs/one"), self.train("runs/two")
        for step, cells in one.items():
            self.assertEqual([name in cells for name in names], [step in (0, 2, 3, 4)] * 6, step)  # 3: behind the checkpoint
            self.assertEqual([cells.get(name) for name in names], [two[step].get(name) for name in names])
        self.assertEqual(len({one[step]["digests.params"] for step in (0, 2, 3, 4)}), 4)
        changed = self.train("runs/three", change=2)
        self.assertEqual(changed[2]["digests.params"], one[2]["digests.params"])
        self.assertNotEqual(changed[2]["digests.grads"], one[2]["digests.grads"])
        self.assertNotEqual(changed[3]["digests.params"], one[3]["digests.params"])
        self.assertEqual(changed[3]["digests.batch"], one[3]["digests.batch"])

    def test_generators_that_are_not_drawn_from(self):
        import torch

        from tscope._generators import Generators

        generators = Generators()
        torch.manual_seed(3)
        before = generators.digest()
        random.seed(5)
        self.assertNotEqual(generators.digest(), before, "it was seeded after the watch began")
        generators = Generators()
        self.assertEqual(generators.digest(), before)
        torch.rand(1)
        self.assertNotEqual(generators.digest(), before)

    def test_gradients_of_zeros(self):
        """As torch says it: -0 is 0, NaN is not, and one number at the end decides."""
        import torch

        from tscope._checks import _is_zero

        for kind in (torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.complex64, torch.float8_e5m2):
            for n in (1, 2, 3, 7, 1000):
                for last in (0.0, -0.0, 1e-3, -1.0, float("nan")):
                    grad = torch.zeros(n).index_fill(0, torch.tensor([n - 1]), last).to(kind)
                    wide = torch.zeros(2, n).index_fill(1, torch.tensor([n - 1]), last).to(kind).T
                    with self.subTest(kind, n=n, last=last):
                        self.assertEqual([_is_zero(grad), _is_zero(wide)], [last == 0] * 2)

    def test_generators_whose_memory_is_read(self):
        """Those of Python and NumPy are told where they differ from the beginning, and only there; also half of a pair left over."""
        from tscope import _generators

        def words(n):  # as many as a state has: what tells how many were drawn is then as before
            return [random.getrandbits(32) for _ in range(n)]

        pairs = [(random, random.gauss, random.getstate, random.setstate, words, "_python_rests")]
        with contextlib.suppress(ImportError):
            import numpy

            state_of = (numpy.random.get_state, numpy.random.set_state)
            pairs.append((numpy.random, numpy.random.normal, *state_of, lambda n: numpy.random.bytes(4 * n), "_numpy_rests"))
        for module, normal, get, put, drawn, rests in pairs:
            for left_over in (False, True):
                module.seed(3)
                drawn(5)  # what is drawn next changes no word
                if left_over:
                    normal(0, 1)
                state, told, slowly = get(), [], []
                with unittest.mock.patch.object(_generators, "_resting", return_value=None):
                    slow = _generators.Generators()
                generators = _generators.Generators()
                plain = generators.digest()
                memory = getattr(generators, rests)
                self.assertIs(memory is not None and memory.rests(), not left_over, "the memory is not what it was")
                for act in (lambda: None, lambda m=module: m.seed(4), lambda n=normal: n(0, 1), lambda n=normal: n(0, 1),
                            lambda p=put, s=state: p(s), lambda d=drawn: d(624), lambda p=put, s=state: p(s), lambda d=drawn: d(3),
                            lambda p=put, s=state: p(s), lambda n=normal: n(0, 1)):
                    act()
                    told.append(generators.digest())
                    slowly.append(slow.digest())
                self.assertEqual(told, slowly)
                self.assertEqual([bits == plain for bits in told], [True, False, False, False, *[True, False] * 3])

    def test_the_state_of_torch_whose_memory_is_read(self):
        """The digest of all generators is kept as long as nobody draws, seeds or puts a state, in whatever part of it."""
        import torch

        from tscope import _generators

        torch.manual_seed(3)
        torch.randn(1)  # half of a pair is left over
        state = torch.get_rng_state()
        with unittest.mock.patch.object(_generators, "_resting", return_value=None):
            slow = _generators.Generators()
        generators = _generators.Generators()
        generators.digest()
        if generators.resting is None:
            self.skipTest("this torch, Python or NumPy has its state elsewhere")
        self.assertTrue(generators.resting.rests())
        put = lambda: torch.set_rng_state(state)  # noqa: E731
        for act in (lambda: torch.randn(1), lambda: torch.rand(1), lambda: torch.rand(624), lambda: torch.manual_seed(4), random.random,
                    put, lambda: torch.randn(3, dtype=torch.float64), put):
            act()
            self.assertFalse(generators.resting.rests())
            self.assertEqual(generators.digest(), slow.digest())
        with unittest.mock.patch.object(generators, "_ask", side_effect=AssertionError):
            self.assertEqual(generators.digest(), slow.digest())

    def test_steps_that_go_back(self):
        import torch

        model = torch.nn.Linear(3, 2)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        run = self.start()
        run.watch(model, optimizer, every=4)
        hooked = []
        for step in (0, 1, 2, 3, 4, 5, 6, 2, 3, 4, 5, 9, 12, 13):
            with run.step(step):
                hooked.append((step, bool(optimizer._optimizer_step_pre_hooks)))
                model(torch.ones(1, 3)).sum().backward()
                if step == 13:
                    run._watched.now()  # within a step, as a checkpoint does
                optimizer.step()
        run.finish()
        self.assertEqual([step for step, is_there in hooked if is_there], [0, 4, 4, 12])  # others ask nothing of the optimizer
        names = ("digests.params", "digests.grads", "digests.rng_pass")
        rows = self.read().steps
        found = {step: [name in cells for name in names] for step, cells in rows.items() if "digests.params" in cells}
        self.assertEqual(found, {0: [True] * 3, 4: [True] * 3, 12: [True] * 3, 13: [True, True, False]})

    def drawing(self, directory, body, *, before="", p=0.1, steps=6, every=1, watch=True):
        """Trains a net with dropout by the loss that `body` returns; `before` is executed before each step."""
        import torch

        torch.manual_seed(3)
        model = torch.nn.Sequential(torch.nn.Linear(8, 32), torch.nn.Dropout(p), torch.nn.Linear(32, 4))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        generator = torch.Generator().manual_seed(11)
        batches = [torch.randn(16, 8, generator=generator) for _ in range(steps)]
        run = self.start(directory)
        if watch:
            run.watch(model, optimizer, every=every)
        for step, batch in enumerate(run.data(batches)):
            exec(before, {"torch": torch, "step": step})
            self.assertFalse(model._forward_pre_hooks, "a hook is left between steps")
            with run.step():
                loss = body(model, batch)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
                run.log(loss=loss)
        run.finish()
        self.assertEqual(run.trouble["cannot"], 0, run.trouble)
        return self.read(directory).steps, [bytes(p.detach().numpy()) for p in model.parameters()]

    def test_generators_before_the_pass(self):
        """The state is that before the first forward of the step which is trained from; to take it changes nothing."""
        import torch

        from tscope._generators import Generators

        states = []

        def body(model, batch):
            with torch.no_grad():
                model(batch)  # draws, and is no pass
            torch.rand(1)
            states.append(generators.digest())
            return model(batch[:8]).square().mean() + model(batch[8:]).square().mean()  # of two micro-batches

        generators = Generators()
        one, weights = self.drawing("runs/one", body)
        taken = [cells["digests.rng_pass"] for _, cells in sorted(one.items())]
        self.assertEqual((taken, len(set(states))), (states, 6))
        self.assertTrue(all(cells["digests.rng"] != cells["digests.rng_pass"] for cells in one.values()))
        _, plain = self.drawing("runs/plain", body, watch=False)
        self.assertEqual(weights, plain)
        seldom, _ = self.drawing("runs/seldom", body, every=4)
        self.assertEqual([step for step, cells in sorted(seldom.items()) if "digests.rng_pass" in cells], [0, 4])
        with open("runs/one/facts.json", encoding="utf-8") as file:
            self.assertEqual(json.load(file)["columns"]["digests.rng_pass"], {"when": "before"})

    def test_generators_where_no_model_is_known(self):
        import torch

        for optimizer, expected in ((True, [0, 2, 3, 4]), (False, [0, 2, 3, 4])):
            with self.subTest(optimizer):
                weight = torch.nn.Parameter(torch.ones(4))
                sgd = torch.optim.SGD([weight], lr=0.1)
                run = self.start(f"runs/{optimizer}")
                run.watch(optimizer=sgd if optimizer else None, every=2)
                for step, batch in enumerate(run.data([torch.ones(4)] * 6)):
                    with run.step():
                        (weight * torch.rand(4) * batch).sum().backward()
                        sgd.step()
                    if step == 2:
                        run.checkpoint("state.pt")
                run.finish()
                steps = self.read(run.directory).steps
                found = [step for step, cells in sorted(steps.items()) if "digests.rng_pass" in cells]
                self.assertEqual((found, run.trouble["cannot"]), (expected, 0))
                self.assertEqual(len({steps[step]["digests.rng_pass"] for step in expected}), 4)

    def test_a_pass_that_is_compiled(self):
        """The hook is no part of a graph, breaks none and has none compiled again; a copy of the model has none that does anything."""
        import copy
        import pickle

        import torch

        class Model(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.inner = torch.nn.Sequential(torch.nn.Linear(8, 4), torch.nn.Dropout(0.1))

            def forward(self, x):
                return self.inner(x)

        graphs = []

        def backend(graph, _):
            graphs.append(graph)
            return graph.forward

        wrapped = torch.compile(Model(), backend=backend, fullgraph=True)
        inner, plain = Model(), torch.nn.Sequential(torch.nn.Linear(8, 4), torch.nn.Dropout(0.1))
        within = Model()
        ways = (
            (wrapped, wrapped, True),
            (inner, torch.compile(inner, backend=backend, fullgraph=True), False),  # in a graph no hook is called
            (within, torch.compile(lambda x: within(x), backend=backend, fullgraph=True), False),
            (plain, copy.deepcopy(plain), False),
            (plain, lambda x: pickle.loads(pickle.dumps(plain))(x) + plain(x), True),
        )
        for i, (model, call, seen) in enumerate(ways):
            with self.subTest(i):
                graphs.clear()
                torch.compiler.reset()
                optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
                run = self.start(f"runs/{i}")
                run.watch(model, optimizer, every=2)
                for _ in range(5):
                    with run.step():
                        if i == 3:
                            call = copy.deepcopy(model)
                        call(torch.ones(2, 8)).sum().backward()
                        optimizer.step()
                run.finish()
                self.assertEqual(len(graphs), i < 3)
                found = [step for step, cells in sorted(self.read(f"runs/{i}").steps.items()) if "digests.rng_pass" in cells]
                self.assertEqual((found, run.trouble["cannot"]), ([0, 2, 4] if seen else [], 0), run.trouble)

    @unittest.skipUnless(PROGRAM, "TSCOPE_PROGRAM names no program")
    def test_who_drew_is_told(self):
        """A draw between two steps is another stream of random numbers. A pass that draws otherwise from the same state is none."""
        import torch

        def body(model, batch):
            return model(batch).square().mean()

        def noisy(model, batch):
            model[0].register_forward_hook(lambda *_: (torch.rand(1), None)[1])
            return body(model, batch)

        self.drawing("runs/base", body)
        self.drawing("runs/drew", body, before="if step == 3: torch.rand(1)")
        self.drawing("runs/dropout", body, p=0.3)
        self.drawing("runs/noisy", noisy)
        told = {}
        for name in ("drew", "dropout", "noisy"):
            done = subprocess.run([PROGRAM, "diff", "./runs/base", f"./runs/{name}", "--json"], capture_output=True, text=True)
            found = json.loads(done.stdout)["diagnosis"]
            told[name] = (found["cause"], found["confidence"], found.get("step"))
        self.assertEqual(told["drew"], ("rng_stream", "high", 3))
        self.assertEqual([told[name][::2] for name in ("dropout", "noisy")], [("computation", 0)] * 2, told)

    def test_wrappers_do_not_change_names(self):
        """A model in DDP's or torch.compile's wrapper has the digests that it has without."""
        import copy

        import torch

        class Wrapper(torch.nn.Module):
            def __init__(self, name, inner):
                super().__init__()
                setattr(self, name, inner)
                self.forward = inner.forward

        torch.manual_seed(1)
        model = torch.nn.Sequential(torch.nn.Linear(8, 4), torch.nn.BatchNorm1d(4))
        found = []
        for names in ((), ("module",), ("_orig_mod", "module"), ("module", "_orig_mod")):
            wrapped = copy.deepcopy(model)
            for name in names:
                wrapped = Wrapper(name, wrapped)
            optimizer = torch.optim.Adam(wrapped.parameters(), lr=0.1)
            run = self.start("runs/" + "".join(names))
            run.watch(wrapped, optimizer, every=1)
            for _ in range(3):
                with run.step():
                    optimizer.zero_grad()
                    wrapped(torch.arange(16.0).view(2, 8)).square().sum().backward()
                    optimizer.step()
            run.finish()
            steps = self.read(run.directory).steps
            found.append([[steps[i]["digests." + name] for name in ("params", "grads", "optimizer", "buffers")] for i in range(3)])
        self.assertEqual(found, [found[0]] * 4)

    def test_buffers(self):
        """A second forward in training mode changes running statistics, and nothing else."""
        import torch

        found = {}
        for what in ("once", "twice", "evaluated"):
            torch.manual_seed(1)
            model = torch.nn.Sequential(torch.nn.Linear(8, 4), torch.nn.BatchNorm1d(4))
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
            run = self.start(f"runs/{what}")
            run.watch(model, optimizer, every=1)
            for step in range(3):
                with run.step():
                    optimizer.zero_grad()
                    model(torch.arange(16.0).view(2, 8)).square().sum().backward()
                    optimizer.step()
                if what != "once" and step == 1:
                    model.train(what == "twice")
                    with torch.no_grad():
                        model(torch.ones(2, 8))
                    model.train()
            run.finish()
            found[what] = self.read(f"runs/{what}").steps
            with open(f"runs/{what}/facts.json", encoding="utf-8") as file:
                self.assertEqual(json.load(file)["columns"]["digests.buffers"], {"when": "after"})
        equal = [found["once"][i]["digests.buffers"] == found["twice"][i]["digests.buffers"] for i in range(3)]
        self.assertEqual(equal, [True, True, False])
        for i in range(3):
            self.assertEqual(found["once"][i]["digests.params"], found["twice"][i]["digests.params"])
            self.assertEqual(found["once"][i]["digests.buffers"], found["evaluated"][i]["digests.buffers"])
        model = torch.nn.Linear(8, 4)
        run = self.start("runs/none")
        run.watch(model, torch.optim.SGD(model.parameters(), lr=0.1))
        run.finish()
        with open("runs/none/facts.json", encoding="utf-8") as file:
            self.assertNotIn("digests.buffers", json.load(file)["columns"])

    def test_restart(self):
        one = self.train("runs/one")
        again = self.train("runs/again", load="one.pt")
        for name in ("batch", "params", "grads", "optimizer"):
            self.assertEqual(again[3]["digests." + name], one[3]["digests." + name], name)

    def test_late_values(self):
        import torch

        from tscope._numbers import Late

        class Event:
            done = False

            def record(self):
                self.done = False

            def query(self):
                return self.done

            def synchronize(self):
                self.done = True

        late, got, events = Late(), [], []
        late._add = lambda copy, arrived, source=None: events.append((copy.copy_(source) if source is not None else copy, arrived))
        found = []
        _digests.of_tensors([("w", torch.ones(3)), ("b", torch.zeros(5))], late, found.append)
        self.assertEqual((len(found), events, got), (1, [], []))

    def test_of_tensors(self):
        import torch

        # Whatever way a tensor goes, its digest is that of its bytes in the order of its indices.
        grid = torch.arange(24.0).reshape(4, 6)
        named = {
            "plain": grid, "parameter": torch.nn.Parameter(grid), "strided": grid.T, "part": grid[1:3], "empty": torch.zeros(0),
            "one": torch.tensor(3), "channels": torch.randn(2, 3, 4, 4).to(memory_format=torch.channels_last),
            "half": torch.ones(3, dtype=torch.bfloat16), "long": torch.ones(1 << 17),
        }
        bits = {name: defined(bytes(t.detach().contiguous().reshape(-1).view(torch.uint8).numpy())) for name, t in named.items()}
        bits.update(rate=defined(struct.pack("<d", 0.5)), count=defined(struct.pack("<d", 3.0)))
        found, each, doubted = [], {}, []
        values = [*named.items(), ("rate", 0.5), ("count", 3)]
        _digests.of_tensors(values, None, found.append, each.update, doubted.extend)
        self.assertEqual(each, bits)
        whole = mixed(sum(mixed(defined(name.encode()) + one & MASK) for name, one in bits.items()) & MASK)
        self.assertEqual(found, [whole])
        # Of what may be zero in every element nothing is left out; the first word of most others tells.
        zeros = [("none", torch.zeros(9)), ("signs", -torch.zeros(9)), ("last", torch.eye(3)[2]), ("halves", torch.zeros(5).half())]
        doubted.clear()
        values = [*zeros, ("ones", torch.ones(9)), ("columns", torch.zeros(3, 3).T)]
        _digests.of_tensors(values, None, found.append, None, doubted.extend)
        self.assertEqual(doubted, ["none", "signs", "last", "halves", "columns"])
        for wrong in ([("a",)], [torch.ones(1)], [(1, torch.ones(1))]):
            with self.assertRaises(TypeError):
                _digests.of_tensors(wrong, None, found.append)
        with self.assertRaises(_digests.Cannot):
            _digests.of_tensors([("s", torch.ones(3).to_sparse())], None, found.append)

    def test_members(self):
        import torch

        from tscope._members import Members
        from tscope._names import name_of

        class Ties(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.a, self.norm = torch.nn.Linear(3, 3), torch.nn.BatchNorm1d(3)
                self.b, self.none = torch.nn.Sequential(torch.nn.Linear(3, 3), self.a), None
                self.b[0].weight = self.a.weight
                self.register_parameter("absent", None)
                self.register_buffer("extra", torch.ones(2), persistent=False)

        inner = torch.nn.Linear(2, 2)

        class Own(torch.nn.Module):
            def named_modules(self, memo=None, prefix="", remove_duplicate=True):
                yield f"{prefix}.mine", inner

        def check(members, model):
            for mine, theirs in ((members.parameters(), model.named_parameters()), (members.buffers(), model.named_buffers())):
                expected = [(name_of(path), id(tensor)) for path, tensor in theirs]
                self.assertEqual([(name, id(tensor)) for name, tensor in mine], expected)

        model = Ties()
        members = Members(model)

        def replaced():
            model.a.bias = torch.nn.Parameter(torch.ones(3))

        def untied():
            model.b[0].weight = torch.nn.Parameter(torch.ones(3, 3))

        def swapped():
            model.b[0] = torch.nn.Linear(3, 4)

        def longer():
            model.b.append(torch.nn.LayerNorm(3))

        def gone():
            del model.norm

        def own():
            model.own = Own()

        for change in (None, None, replaced, untied, swapped, longer, gone, own, None):
            if change is not None:
                change()
            check(members, model)
        model.b = model  # a model in itself: torch goes around once
        check(Members(model), model)


if __name__ == "__main__":
    unittest.main()
