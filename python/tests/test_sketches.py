"""Sketches: of C, of torch and of a loop over the definition in docs/sketches.md; and what a run records of them."""

import importlib.util
import json
import os
import random
import struct
import subprocess
import unittest
from unittest import mock

import support

MASK = (1 << 64) - 1
TORCH = importlib.util.find_spec("torch") is not None


def mixed(x):
    x = (x + 0x9E3779B97F4A7C15) & MASK
    x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9 & MASK
    x = (x ^ x >> 27) * 0x94D049BB133111EB & MASK
    return x ^ x >> 31


def defined(values, first=0):
    """The sums as docs/sketches.md has them, element by element."""
    sums = [0.0] * 256
    for i, x in enumerate(values, first):
        q, r = divmod(i, 256)
        sums[(r + mixed(q)) % 256] += -x if mixed(2**63 + i) >> 63 else x
    return sums


def unpacked(made):
    """Sums, squares, elements, not finite ones."""
    *sums, squares, count, nonfinite = struct.unpack("=257d2Q", made)
    return sums, squares, count, nonfinite


def sums_of(row):
    return row["sums"]


def checksum(data):
    """CRC-32C bit by bit: the polynomial 0x1edc6f41, reflected."""
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def parsed(data, check=False):
    """The tensors of sketches.tscope, by docs/sketches.md alone."""
    kinds = ("output", "grad", "param_grad", "update")
    types = (None, "float64", "float32", "tf32", "bfloat16", "float16",
             "float8_e4m3fn", "float8_e5m2", "float8_e4m3fnuz", "float8_e5m2fnuz")
    assert data[:16] == b"tssketch" + struct.pack("<2I", 1, 0)
    at, rows = 16, []
    while at < len(data):
        length, crc = struct.unpack_from("<2I", data, at)
        payload = data[at + 8 : at + 8 + length]
        assert len(payload) == length and (not check or checksum(data[at : at + 4] + payload) == crc)
        (step,), i = struct.unpack_from("<q", payload), 8
        while i < length:
            kind, dtype, flags, zero, name, same = struct.unpack_from("<4B2H", payload, i)
            i += 8
            row = {"step": step, "name": payload[i : i + name].decode(), "kind": kinds[kind], "dtype": types[dtype]}
            assert zero == 0 and flags < 8
            row.update({key: True for bit, key in ((1, "shard"), (2, "idle")) if flags & bit})
            i += name
            if same:
                row["same"] = payload[i : i + same].decode()
                i += same
            else:
                row["count"], row["squares"] = struct.unpack_from("<Qd", payload, i)
                i += 16
                if flags & 4:
                    (row["nonfinite"],) = struct.unpack_from("<Q", payload, i)
                    i += 8
                row["sums"] = struct.unpack_from("<256d", payload, i)
                i += 2048
            rows.append(row)
        at += 8 + length
    return rows


def distance(x, y):
    return (sum((a - b) ** 2 for a, b in zip(sums_of(x), sums_of(y))) / x["squares"]) ** 0.5


def of_dtensors(rank, folder):
    """What each of two processes does: one step of a layer whose parameters are cut by rows, by columns, and not at all."""
    import torch
    import torch.distributed as dist
    from torch.distributed.tensor import DTensor, Replicate, Shard, distribute_tensor, init_device_mesh

    import tscope

    dist.init_process_group("gloo", store=dist.FileStore(os.path.join(folder, "meeting"), 2), rank=rank, world_size=2)
    mesh = init_device_mesh("cpu", (2,))
    torch.manual_seed(3)
    values = {"rows": torch.randn(7, 300), "columns": torch.randn(6, 9), "bias": torch.randn(5)}
    grads = {name: torch.randn_like(value) for name, value in values.items()}

    class Net(torch.nn.Module):
        def __init__(self, cut):
            super().__init__()
            for name, value in values.items():
                place = {"rows": Shard(0), "columns": Shard(1), "bias": Replicate()}[name]
                self.register_parameter(name, torch.nn.Parameter(distribute_tensor(value, mesh, [place]) if cut else value.clone()))

        def forward(self, x):
            return x

    for cut, at in ((True, "d"), (False, "whole")):
        if not cut and rank:
            break
        model = Net(cut)
        optimizer = torch.optim.SGD(model.parameters(), 0.1)
        run = tscope.start(os.path.join(folder, "runs", at), rank=rank, world_size=2 if cut else 1)
        run.sketch(model, optimizer)
        with run.step():
            model(torch.ones(2, requires_grad=True))
            for name, p in model.named_parameters():
                p.grad = distribute_tensor(grads[name], mesh, p.placements) if isinstance(p, DTensor) else grads[name]
            optimizer.step()
        run.finish()
        assert run.trouble["cannot"] == 0, run._causes
    dist.destroy_process_group()


class Extension(support.Case):
    def test_c_is_as_defined(self):
        import ctypes

        from tscope._recorder import sketch_at

        numbers = [float(random.Random(n).randrange(-1000, 1000)) for n in range(3000)]
        for form, kind in ((0, ctypes.c_double), (1, ctypes.c_float)):
            for n, first in ((0, 0), (1, 255), (3000, 12_345)):
                array = (kind * max(n, 1))(*numbers[:n])
                found = unpacked(sketch_at(form, ctypes.addressof(array), n, first))
                self.assertEqual(found, (defined(numbers[:n], first), sum(x * x for x in numbers[:n]), n, 0))


@unittest.skipUnless(TORCH, "torch is not installed")
class Torch(support.Case):
    def test_torch_is_as_c(self):
        """Whole numbers add exactly in any order, so both give the same bits."""
        import torch

        from tscope import _sketches

        generator = torch.Generator().manual_seed(3)
        for dtype in (torch.float64, torch.float32, torch.bfloat16, torch.float16):
            for shape in ((), (1,), (0,), (255,), (7, 300), (3, 4096 * 256 - 1)):
                tensor = torch.randint(-100, 100, shape, generator=generator).to(dtype)
                if tensor.numel() > 10:
                    tensor.view(-1)[7] = float("nan")
                    tensor.view(-1)[9] = float("-inf")
                on_device = _sketches.packed(_sketches.on_device(tensor).tolist(), tensor.numel())
                self.assertEqual(unpacked(_sketches.sketched(tensor)), unpacked(on_device), (dtype, shape))
                self.assertEqual(unpacked(on_device)[3], 2 if tensor.numel() > 10 else 0)
                if 0 < tensor.numel() < 3000:
                    values = [x if abs(x) < 1000 else 0.0 for x in tensor.double().reshape(-1).tolist()]
                    self.assertEqual(unpacked(on_device)[0], defined(values))

    def test_the_same_bits_again(self):
        import torch

        from tscope import _sketches

        tensor = torch.randn(500_000)
        made = _sketches.sketched(tensor)
        self.assertEqual(_sketches.sketched(tensor.clone()), made)
        self.assertEqual(_sketches.sketched(tensor.view(1000, 500).t().contiguous().t()), made)
        self.assertTrue(torch.equal(_sketches.on_device(tensor), _sketches.on_device(tensor.clone())))

    def test_shards_add_up(self):
        import torch

        from tscope import _sketches

        whole = torch.randn(6, 40, 64)
        sums = unpacked(_sketches.sketched(whole))
        for dimension, cuts in ((2, 2), (2, 4), (1, 2), (0, 3)):
            shards = whole.chunk(cuts, dimension)
            parts = []
            for i, shard in enumerate(shards):
                offsets = [0, 0, 0]
                offsets[dimension] = i * shard.shape[dimension]
                parts.append(unpacked(_sketches.sketched(shard, (whole.shape, offsets))))
            for at in range(256):
                self.assertAlmostEqual(sum(p[0][at] for p in parts), sums[0][at], delta=1e-12 * sums[1] ** 0.5)
            self.assertAlmostEqual(sum(p[1] for p in parts), sums[1], delta=1e-12 * sums[1])
            self.assertEqual(sum(p[2] for p in parts), whole.numel())
        for place in (((6, 40, 64), (0, 0, 1)), ((6, 40), (0, 0)), ((6, 40, 64), (0, 0, -1))):
            with self.assertRaises(_sketches.Cannot):
                _sketches.sketched(whole, place)

    def test_a_stretch_on_a_device(self):
        import torch

        from tscope import _sketches

        whole = torch.randint(-50, 50, (9, 150_000)).float()  # whole numbers add exactly; the parts cross blocks of the pattern
        sums = unpacked(_sketches.sketched(whole))
        parts = [_sketches.on_device(*_sketches.placed(whole[i : i + 3], (whole.shape, (i, 0)))) for i in (0, 3, 6)]
        self.assertEqual(sum(parts).tolist()[:257], [*sums[0], sums[1]])

    def test_dtensors_of_two_ranks(self):
        """The sketches of shards that two processes record add up to that of the whole, and no rank of a replica counts twice."""
        import torch

        if not torch.distributed.is_available() or importlib.util.find_spec("torch.distributed.tensor") is None:
            self.skipTest("this torch has no DTensor")
        torch.multiprocessing.spawn(of_dtensors, (self.folder,), nprocs=2)
        found = {}
        for rank in range(2):
            for row in self.rows(f"{self.folder}/runs/d/rank{rank}"):
                if row["kind"] == "param_grad":
                    found.setdefault(row["name"], []).append(row)
        whole = {row["name"]: row for row in self.rows(f"{self.folder}/runs/whole") if row["kind"] == "param_grad"}
        self.assertEqual(set(found), set(whole))
        for name, rows in found.items():
            self.assertEqual((len(rows), sum(row["count"] for row in rows)), (1 if name == "bias" else 2, whole[name]["count"]), name)
            for a, b in zip(map(sum, zip(*(row["sums"] for row in rows))), whole[name]["sums"]):
                self.assertAlmostEqual(a, b, delta=1e-9)
            self.assertAlmostEqual(sum(row["squares"] for row in rows), whole[name]["squares"], delta=1e-9)

    def net(self):
        import torch

        torch.manual_seed(4)
        return torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.Tanh(), torch.nn.Linear(32, 8))

    def train(self, directory, model=None, *, steps=4, optimizer=True, **how):
        import torch

        model = model or self.net()
        sgd = torch.optim.SGD(model.parameters(), lr=0.1)
        run = self.start(directory)
        run.sketch(model, sgd if optimizer else None, **{"every": 2, **how})
        generator = torch.Generator().manual_seed(5)
        for _ in range(steps):
            with run.step():
                loss = model(torch.randn(24, 16, generator=generator)).square().mean()
                sgd.zero_grad()
                loss.backward()
                sgd.step()
            with torch.no_grad():
                model(torch.zeros(1, 16))
        run.finish()
        self.assertEqual(run.trouble["cannot"], 0, run._causes)
        return self.rows(directory), model

    def rows(self, directory, repeats=False):
        with open(os.path.join(directory, "sketches.tscope"), "rb") as file:
            found = parsed(file.read())
        return [row for row in found if repeats == ("same" in row)]

    def test_what_a_run_records(self):
        rows, model = self.train("runs/a")
        params = ["0.weight", "0.bias", "2.weight", "2.bias"]
        order = [(n, "output") for n in "012"] + [(n, "grad") for n in "210"]
        order += [(n, kind) for kind in ("param_grad", "update") for n in params]
        self.assertEqual([(r["step"], r["name"], r["kind"]) for r in rows], [(s, *what) for s in (0, 2) for what in order])
        self.assertEqual({r["dtype"] for r in rows}, {"float32"})
        found = {(r["name"], r["kind"]): r for r in rows if r["step"] == 2}
        for name in params:  # the update is what stochastic gradient descent makes of the gradient
            grad, update = found[name, "param_grad"], found[name, "update"]
            for g, u in zip(sums_of(grad), sums_of(update)):
                self.assertAlmostEqual(u, -0.1 * g, delta=1e-6)
            self.assertLess(abs(update["squares"] / (0.01 * grad["squares"]) - 1), 0.5)
        self.assertFalse(model._forward_hooks or model._forward_pre_hooks or any(m._forward_hooks for m in model.modules()))

    def test_an_update_that_is_lost_in_rounding_is_left_out(self):
        import torch

        for dtype, lr, there in ((torch.float32, 1e-2, True), (torch.float32, 1e-7, False), (torch.bfloat16, 1e-2, False)):
            model = torch.nn.Linear(8, 8, bias=False).to(dtype)
            run = self.start(f"runs/{dtype}-{lr}")
            optimizer = torch.optim.SGD(model.parameters(), lr)
            run.sketch(model, optimizer)
            with run.step():
                model(torch.ones(2, 8, dtype=dtype)).sum().backward()
                optimizer.step()
            run.finish()
            self.assertEqual("update" in [row["kind"] for row in self.rows(run.directory)], there, (dtype, lr))

    def test_what_another_module_gave(self):
        import torch

        torch.manual_seed(4)
        inner = torch.nn.Sequential(torch.nn.Linear(16, 8), torch.nn.Dropout(0.0), torch.nn.Identity(), torch.nn.ReLU(inplace=True))
        self.train("runs/a", torch.nn.Sequential(inner, torch.nn.Dropout(0.5)), steps=1)
        repeats = {row["name"]: (row["same"], row.get("idle", False)) for row in self.rows("runs/a", repeats=True)}
        self.assertEqual(repeats, {"0.1": ("0.0", True), "0.2": ("0.0", True), "0": ("0.3", False), "(model)": ("1", False)})
        names = [row["name"] for row in self.rows("runs/a") if row["kind"] == "output"]
        self.assertEqual(names, ["0.0", "0.3", "1"])

    def test_the_file(self):
        self.train("runs/a")
        with open("runs/a/sketches.tscope", "rb") as file:
            data = file.read()
        rows = parsed(data, check=True)
        self.assertLess(len(data) / len([row for row in rows if "sums" in row]), 2150)

    def test_a_disk_that_errs_or_hangs(self):
        import threading

        from tscope import _sketch_file

        said, row = [], ({"name": "m", "kind": "output", "dtype": "float32"}, bytes(2072))
        file = _sketch_file.SketchFile("/dev/full/none", said.append)
        file.put(0, [row])
        file.close()
        self.assertEqual(len(said), 1, said)
        hangs, said = threading.Event(), []
        file = _sketch_file.SketchFile("f", said.append)
        with mock.patch.object(file, "_write", lambda text: hangs.wait()), mock.patch.object(_sketch_file, "_WAITING", 5000), \
                mock.patch.object(_sketch_file, "_PATIENCE", 0.05):
            for step in range(10):
                file.put(step, [row])
            file.close()
            hangs.set()
        self.assertEqual(file.dropped, 8)
        self.assertTrue(any("does not answer" in s for s in said) and any("too slow for 8 steps" in s for s in said), said)

    def test_patterns_and_no_optimizer(self):
        rows, _ = self.train("runs/a", optimizer=False, modules=["2*"])
        self.assertEqual([(r["step"], r["name"], r["kind"]) for r in rows], [(s, "2", k) for s in (0, 2) for k in ("output", "grad")])

    def test_shards_are_said_and_a_file_of_others_is_left_alone(self):
        rows, _ = self.train("runs/a", shards={"1": ((24, 64), (0, 32))})
        outputs = {(r["name"], r.get("shard", False)) for r in rows if r["kind"] == "output"}
        self.assertEqual(outputs, {("0", False), ("1", True), ("2", False)})
        self.assertEqual({r["count"] for r in rows if r["name"] == "1"}, {24 * 32})
        run = self.start("runs/b")
        with open("runs/b/sketches.tscope", "w", encoding="utf-8") as file:
            file.write("of others\n")
        model = self.net()
        run.sketch(model)
        with run.step():
            model(model[0].weight.new_ones(2, 16))
        run.finish()
        self.assertEqual(run.trouble["cannot"], 1)
        with open("runs/b/sketches.tscope", encoding="utf-8") as file:
            self.assertEqual(file.read(), "of others\n")

    def test_recording_changes_nothing(self):
        import torch

        _, model = self.train("runs/a", every=1)
        _, other = self.train("runs/b", every=100)
        for p, q in zip(model.parameters(), other.parameters()):
            self.assertTrue(torch.equal(p, q))

    def test_a_device_is_read_later(self):
        """What a tensor of a device goes through, with the host in its place."""
        from tscope import _numbers, _sketches, _sketching

        host, _ = self.train("runs/a")
        event = mock.Mock(query=lambda: True)
        with mock.patch.object(_sketching, "sketched", lambda t, shard: _sketches.on_device(*_sketches.placed(t, shard))), \
                mock.patch.object(_numbers, "_new_event", lambda torch, kind: event):
            device, _ = self.train("runs/b")
        self.assertEqual(len(device), len(host))
        for a, b in zip(host, device):
            self.assertEqual([a[k] for k in ("step", "name", "kind", "count")], [b[k] for k in ("step", "name", "kind", "count")])
            self.assertLess(distance(a, b), 1e-12)
        event.synchronize.assert_called()  # at the end of the run alone

    def test_perturbed_by_an_ulp(self):
        rows, _ = self.train("runs/a", every=1)
        other, _ = self.train("runs/r", every=1, perturb=True)
        with open("runs/r/facts.json", encoding="utf-8") as file:
            self.assertEqual(json.load(file)["work"]["perturbation"], 2.0**-23)
        for a, b in zip(rows, other):
            if a["kind"] in ("output", "grad"):  # a parameter may swallow a difference
                self.assertGreater(distance(a, b), 1e-9, a["name"])
            self.assertLess(distance(a, b), 1e-3, a["name"])
        # The input of a linear layer is what was perturbed: so far goes its output.
        self.assertLess(abs(distance(rows[0], other[0]) / 2**-23 - 1), 0.7)

    def test_tokens_are_perturbed_behind_their_embedding(self):
        import torch

        from tscope._perturb import Perturbing

        model = torch.nn.Sequential(torch.nn.Embedding(50, 64), torch.nn.Linear(64, 64))
        seen, tokens = [], torch.arange(50)
        hook = model[1].register_forward_pre_hook(lambda _, args: seen.append(args[0].detach().clone()))
        model(tokens)
        before = torch.get_rng_state()
        sizes = []
        perturbing = Perturbing(model, True, sizes.append)
        model(tokens)
        with torch.no_grad():
            model(tokens)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            coarse = Perturbing(model, True, sizes.append)
            coarse.perturbed(torch.ones(1))
            coarse.remove()
        self.assertTrue(torch.equal(before, torch.get_rng_state()))
        perturbing.remove()
        model(tokens)
        hook.remove()
        moved = (seen[1] / seen[0] - 1).abs()
        self.assertTrue(2**-25 < moved.mean() < 2**-22 and moved.max() <= 2**-22)
        self.assertTrue(torch.equal(seen[0], seen[2]) and torch.equal(seen[0], seen[3]))
        self.assertEqual(sizes, [2.0**-23, 2.0**-7])

    def test_checkpointed_modules(self):
        import torch
        from torch.utils.checkpoint import checkpoint

        class Net(torch.nn.Module):
            def __init__(self, inner, reentrant):
                super().__init__()
                self.inner, self.reentrant = inner, reentrant

            def forward(self, x):
                return checkpoint(self.inner, x.requires_grad_(), use_reentrant=self.reentrant)

        plain, _ = self.train("runs/plain")
        for reentrant in (True, False):
            rows, _ = self.train(f"runs/{reentrant}", Net(self.net(), reentrant))
            found = {(r["step"], r["name"], r["kind"]): r for r in rows}
            self.assertEqual(len(found), len(rows))
            for row in plain:
                other = found[row["step"], "inner." + row["name"], row["kind"]]
                self.assertEqual(other["sums"], row["sums"])

    def test_names_without_wrappers(self):
        from tscope._sketching import name_of

        self.assertEqual(name_of("module.layers.0._checkpoint_wrapped_module.mlp"), "layers.0.mlp")
        self.assertEqual(name_of("a.module.b"), "a.module.b")

    def test_trouble_never_reaches_training(self):
        import torch

        class Odd(torch.nn.Module):
            def forward(self, x):
                return {"sparse": x.to_sparse(), "n": 3}

        class Net(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self.odd, self.linear = Odd(), torch.nn.Linear(4, 4)

            def forward(self, x):
                self.odd(x)
                if x.sum() > 1e6:
                    raise ValueError("ours")
                return self.linear(x)

        model = Net()
        run = self.start("runs/a")
        run.sketch(model, every=1, shards=lambda name, kind, tensor: ((1,), (0,)) if name == "linear" else None)
        with self.assertRaisesRegex(ValueError, "ours"), run.step():
            model(torch.full((4, 4), 1e9))
        with run.step():
            model(torch.ones(4, 4)).sum().backward()
        os.mkdir("runs/a/sketches.tscope")
        run.finish()
        self.assertGreater(run.trouble["cannot"], 2)
        self.assertTrue(any("sparse" in said for said in run._causes) and any("shard" in said for said in run._causes), run._causes)

    @unittest.skipUnless(os.environ.get("TSCOPE_PROGRAM"), "TSCOPE_PROGRAM names no program")
    def test_diff_names_the_module(self):
        program = os.environ["TSCOPE_PROGRAM"]
        self.train("runs/a")
        self.train("runs/r", perturb=True)
        wrong = self.net()
        wrong[1].register_forward_hook(lambda module, args, output: 1.01 * output)
        self.train("runs/b", wrong)
        wrong = self.net()
        wrong[1].register_full_backward_hook(lambda module, args, output: (2 * args[0],))
        self.train("runs/c", wrong)
        environment = {**os.environ, "TSCOPE_STORE": os.path.join(self.folder, "store")}
        for name, said in (("b", "the output of 1, at step 0"), ("c", "the gradient of the output of 0, at step 0")):
            done = subprocess.run([program, "diff", "./runs/a", f"./runs/{name}", "--rounding", "./runs/r", "--json"],
                                  env=environment, capture_output=True, text=True)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertIn(said, json.loads(done.stdout)["tensors"]["sentence"])


if __name__ == "__main__":
    unittest.main()
