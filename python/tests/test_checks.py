"""Checks of one run alone: small trainings in which something is wrong, and the same ones where nothing is."""

import importlib.util
import json
import unittest
import unittest.mock

import support

TORCH = importlib.util.find_spec("torch") is not None


class Alike(list):
    """Batches of inputs and targets that change, with a third part that does not."""

    def __init__(self, inputs, part):
        super().__init__((x, x.sum(1, keepdim=True), part) for x in inputs)


@unittest.skipUnless(TORCH, "torch is not installed")
class Checks(support.Case):
    def train(self, directory, *, steps=6, held=None, change=None, batches=None, clear=True, backward=None, every=2, accumulation=1):
        """Trains two layers with a scale between them, and returns what the run says of itself."""
        import torch

        torch.manual_seed(3)
        model = torch.nn.Sequential(torch.nn.Linear(8, 6), torch.nn.Tanh(), torch.nn.Linear(6, 1))
        if change is not None:
            change(model)
        optimizer = torch.optim.SGD(held(model) if held else model.parameters(), lr=0.1)
        generator = torch.Generator().manual_seed(11)
        given = batches or [(torch.randn(16, 8, generator=generator), torch.randn(16, 1, generator=generator)) for _ in range(20)]
        run = self.start(directory)
        run.watch(model, optimizer, every=every)
        fed = iter(run.data(given))
        for _ in range(steps):
            with run.step():
                if clear:
                    optimizer.zero_grad()
                for _part in range(accumulation):
                    x, y, *_ = next(fed)
                    loss = (model(x) - y).square().mean()
                    (backward or torch.Tensor.backward)(loss)
                optimizer.step()
                run.log(loss=loss)
        run.finish()
        self.assertEqual(run.trouble["cannot"], 0)
        with open(f"{directory}/facts.json", encoding="utf-8") as file:
            return json.load(file).get("session", {}).get("checks", {})

    def test_clean(self):
        for i, how in enumerate(({}, {"accumulation": 2}, {"every": 1, "steps": 12})):
            self.assertEqual(self.train(f"runs/clean{i}", **how), {})

    def test_steps_that_are_not_looked_at(self):
        """Digests, and what is found with its first step, are the same where every watched step is looked at."""
        from tscope import _watch

        class Never:
            may = False
            look = unseen = lambda self, *_: None

        def change(step, model, optimizer):
            if step == 5:
                optimizer.param_groups[0]["lr"] = 0.05  # which says nothing
            if step == 7:
                model[0].weight.register_hook(lambda grad: grad * 0)
            if step == 12:
                model[2].weight.requires_grad_(False)
            if step == 17:
                model[2].weight.requires_grad_(True)

        def train(directory, momentum):
            import torch

            torch.manual_seed(3)
            model = torch.nn.Sequential(torch.nn.Linear(8, 6, bias=False), torch.nn.BatchNorm1d(6), torch.nn.Linear(6, 1))
            optimizer = torch.optim.SGD(model.parameters(), lr=0.1, momentum=momentum)
            run = self.start(directory)
            run.watch(model, optimizer, every=1)
            looked = []
            with unittest.mock.patch.object(run._watched._checks, "begin", wraps=run._watched._checks.begin) as begin:
                for step in range(24):
                    change(step, model, optimizer)
                    with run.step():
                        optimizer.zero_grad()
                        model(torch.randn(16, 8)).square().mean().backward()
                        optimizer.step()
                    looked.append(begin.call_count)
            run.finish()
            self.assertEqual(run.trouble["cannot"], 0)
            with open(f"{directory}/facts.json", encoding="utf-8") as file:
                return json.load(file)["session"]["checks"], self.read(directory).steps, looked

        for momentum in (0.0, 0.9):
            found, rows, looked = train(f"runs/quiet{momentum}", momentum)
            with unittest.mock.patch.object(_watch, "Quiet", Never):
                all_found, all_rows, all_looked = train(f"runs/loud{momentum}", momentum)
            self.assertEqual(found, all_found)
            self.assertIn("untrained_zero_gradient", found)
            for step, cells in rows.items():
                digests = {name: value for name, value in cells.items() if name.startswith("digests.")}
                self.assertEqual(digests, {name: all_rows[step].get(name) for name in digests}, step)
                self.assertIn("digests.grads", digests)
            self.assertEqual(all_looked, list(range(1, 25)))
            self.assertLess(looked[6], 4, "quiet steps are looked at")

    def test_quiet_steps(self):
        # Steps in which every parameter moves are counted and not looked through; what is found is what looking through all finds.
        import random

        from tscope._checks import Findings, Parts

        class Loud(Parts):
            def _is_quiet(self, states, params):
                return False

        class Said(Findings):
            def __init__(self):
                self.all = []

            def say(self, name, what, also=None):
                self.all.append((name, what, also))

        kinds = ("gradient", "gradient", "gradient", "unheld", "zero_gradient", "frozen", "no_gradient")
        rng, found = random.Random(5), 0
        for _ in range(300):
            sides = Parts(Said()), Loud(Said())
            names, bits, states = ["a", "b", "c"], {}, {}
            for step in range(0, 3000, 100):
                if not states or rng.random() < 0.1:
                    states = {name: rng.choice(kinds[: rng.choice((3, 7))]) for name in names}
                still = {name for name in names if rng.random() < 0.15}
                bits = {name: bits[name] if bits and name in still else rng.random() for name in names}
                for side in sides:
                    side.judge(step, states, list(bits.items()), {"a"})
            self.assertEqual(sides[0]._findings.all, sides[1]._findings.all)
            found += len(sides[0]._findings.all)
        self.assertGreater(found, 300)

    def test_parts(self):
        def first(model):
            return model[2].parameters()

        def frozen(model):
            model[0].requires_grad_(False)

        def detached(model):
            model[0].register_forward_hook(lambda module, given, out: out.detach())

        def zero(model):
            model[0].weight.register_hook(lambda grad: grad * -0.0)

        def no_rate(model):
            return [{"params": model[2].parameters()}, {"params": model[0].parameters(), "lr": 0.0}]

        def last(model):
            return model[0].parameters()

        both = {"parameters": 2, "of": 4, "names": "0.weight, 0.bias", "first": 0}
        found = self.train("runs/unheld", held=last)
        self.assertEqual(found, {"untrained_unheld": {**both, "names": "2.weight, 2.bias", "last": 4}})
        self.assertEqual(self.train("runs/frozen", change=frozen), {"untrained_frozen": {**both, "last": 4}})
        self.assertEqual(self.train("runs/detached", change=detached), {"untrained_no_gradient": {**both, "last": 4}})
        self.assertEqual(self.train("runs/rate", held=no_rate), {"untrained_no_rate": {**both, "last": 4}})
        found = self.train("runs/zero", change=zero)
        self.assertEqual(found["untrained_zero_gradient"], {"parameters": 1, "of": 4, "names": "0.weight", "first": 0, "last": 4})
        # Two watched steps say nothing yet.
        self.assertEqual(self.train("runs/short", held=first, steps=4), {})

    def test_set_aside(self):
        import torch

        def head(model):
            return model[2].parameters()

        def replaced(model):
            held = list(model.parameters())
            model[0] = torch.nn.Linear(8, 6)
            return held

        def apart(model):
            # A module of its own, which no loss reaches before its optimizer is made, as a head beside a model that is watched.
            head = torch.nn.Linear(1, 1)
            head(torch.ones(1, 1)).sum().backward()
            return head.parameters()

        both = {"parameters": 2, "of": 4, "names": "0.weight, 0.bias", "first": 0, "last": 4}
        self.assertEqual(self.train("runs/head", held=head), {"untrained_set_aside": both})
        self.assertEqual(self.train("runs/replaced", held=replaced), {"untrained_unheld": both})
        biases = self.train("runs/biases", held=lambda model: [model[0].bias, model[2].bias])
        self.assertEqual(biases, {"untrained_set_aside": {**both, "names": "0.weight, 2.weight"}})
        weights = self.train("runs/weights", held=lambda model: [model[0].weight, model[2].weight])
        self.assertEqual(weights, {"untrained_unheld": {**both, "names": "0.bias, 2.bias"}})

        def nothing(model):
            model[2].requires_grad_(False)  # what is added, which alone the optimizer holds

        two = {"of": 4, "first": 0, "last": 4, "parameters": 2}
        backbone, head_alone = {**two, "names": "0.weight, 0.bias"}, {**two, "names": "2.weight, 2.bias"}
        found = self.train("runs/nothing", change=nothing, held=head)
        self.assertEqual(found, {"untrained_unheld": backbone, "untrained_frozen": head_alone})
        all_of = {**both, "parameters": 4, "names": "0.weight, 0.bias, 2.weight and 1 more"}
        self.assertEqual(self.train("runs/apart", held=apart, clear=False), {"untrained_set_aside": all_of})

    def test_thawed(self):
        import torch

        models = []

        def backward(loss):
            if self.thaw == 7:
                models[0][0].requires_grad_(True)
            self.thaw += 1
            torch.Tensor.backward(loss)

        def frozen(model):
            models.append(model)
            model[0].requires_grad_(False)

        self.thaw = 0
        found = self.train("runs/thawed", change=frozen, backward=backward, steps=14)
        self.assertEqual(found["untrained_frozen"]["parameters"], 0)

    def test_kept(self):
        found = self.train("runs/kept", clear=False, steps=7)
        self.assertEqual(found, {"kept": {"times": 3, "of": 3, "name": "2.bias", "first": 0, "last": 4}})

    def test_kept_under_torch_compile(self):
        """They are found in what is compiled, which is not compiled again for it."""
        import torch

        for backend in ("eager", "aot_eager"):
            for clear in (False, True):
                for place in ("in place", "around"):
                    with self.subTest(backend, clear=clear, place=place):
                        torch.compiler.reset()
                        graphs = []

                        def compiled(graph, example, backend=backend, graphs=graphs):
                            graphs.append(graph)
                            return torch._dynamo.lookup_backend(backend)(graph, example)

                        def change(model, place=place, compiled=compiled):
                            if place == "in place":
                                model.compile(backend=compiled)
                            else:
                                model[2] = torch.compile(model[2], backend=compiled)

                        found = self.train(f"runs/{backend} {clear} {place}", clear=clear, steps=7, change=change)
                        self.assertEqual(found.get("kept", {}).get("times"), None if clear else 3)
                        self.assertEqual(len(graphs), 1)

    def test_kept_no_more(self):
        """A look that finds the gradients cleared takes back what was said, and none follows it."""
        import torch

        optimizers = []

        def held(model):
            return model.parameters()

        def backward(loss, at=(4,)):
            if self.done in at:
                optimizers[0].zero_grad()
            self.done += 1
            loss.backward()

        real = torch.optim.SGD.__init__
        for name, at, expected in (("late", (7, 8), (3, 4)), ("early", (1,), None)):
            self.done = 0
            optimizers.clear()

            def made(optimizer, *args, **how):
                optimizers.append(optimizer)
                real(optimizer, *args, **how)

            with unittest.mock.patch.object(torch.optim.SGD, "__init__", made):
                found = self.train(f"runs/{name}", clear=False, steps=16, held=held, backward=lambda loss, at=at: backward(loss, at))
            told = found.get("kept")
            self.assertEqual(told and (told["times"], told["of"]), expected)

    def test_gradients_of_another_kind_are_not_kept(self):
        import torch

        models = []

        def backward(loss):
            # As a penalty does it: gradients that are asked for and added to nothing, before those of the last step are cleared.
            torch.autograd.grad(loss, list(models[0].parameters()), retain_graph=True)
            models[0].zero_grad()
            loss.backward()

        self.assertEqual(self.train("runs/penalty", clear=False, steps=8, backward=backward, change=models.append), {})

    def test_batches(self):
        import torch

        x, others = torch.randn(16, 8), [torch.randn(16, 1) for _ in range(20)]
        found = self.train("runs/same", batches=[(x, others[0])] * 20, steps=7)
        self.assertEqual(found["batch"], {"again": 3, "all": True, "first": 0, "of": 3, "last": 4})
        found = self.train("runs/input", batches=[(x, y) for y in others], steps=6)
        self.assertEqual(found, {"input": {"parts": 1, "names": "[0]", "first": 0, "last": 4, "times": 3}})
        # A cycle of two batches, which is one of the watched steps: they are the same there, and others beside them.
        cycle = [(torch.randn(16, 8), torch.randn(16, 1)) for _ in range(2)] * 10
        self.assertEqual(self.train("runs/cycle", batches=cycle, steps=7), {})

    def test_parts_that_are_alike_by_design(self):
        import torch

        draw = torch.Generator().manual_seed(5)
        x = [torch.randn(16, 8, generator=draw) for _ in range(20)]
        for name, part in (
            ("labels", torch.tensor([0.0, 1.0]).repeat(8)[:, None]),
            ("codes", torch.eye(4).repeat(4, 1)),
            ("mask", torch.ones(16, 8)),
            ("grid", torch.linspace(0, 1, 16)[:, None]),
            ("grids", torch.linspace(0, 1, 40).expand(16, 40)),
            ("weights", torch.rand(10, generator=draw)),
            ("classes", torch.arange(3.0).repeat(6)[:16]),
        ):
            with self.subTest(name):
                self.assertEqual(self.train(f"runs/{name}", batches=Alike(x, part), steps=6), {})
        # A sample again and again is an input where no real number beside it changes, and may be a design where one does.
        one = torch.randn(1, 8, generator=draw).expand(16, 8).contiguous()
        self.assertEqual(self.train("runs/one", batches=Alike(x, one), steps=6), {})
        codes = [torch.randint(9, (16, 1), generator=draw) for _ in range(20)]
        found = self.train("runs/stuck", batches=[(one, y) for y in codes], steps=6)
        self.assertEqual(found["input"]["names"], "[0]")

    def evaluate(self, directory, *, switch=True, spoil=None):
        """Trains with a normalization and evaluates behind every fourth step, and returns what the run says of it."""
        import torch

        import tscope

        torch.manual_seed(3)
        model = torch.nn.Sequential(torch.nn.Linear(8, 6, bias=False), torch.nn.BatchNorm1d(6), torch.nn.Linear(6, 1))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        run = tscope.auto(model, optimizer, directory, digests_every=2)
        for step in range(12):
            optimizer.zero_grad()
            model(torch.randn(16, 8)).square().mean().backward()
            optimizer.step()
            if step % 4 == 3:
                model.train(not switch)
                with torch.no_grad():
                    for _ in range(2):
                        model(torch.randn(16, 8))
                    if spoil:
                        spoil(model)
                model.train()
        run.finish()
        with open(f"{directory}/facts.json", encoding="utf-8") as file:
            return json.load(file).get("session", {}).get("checks", {})

    def test_evaluation(self):
        self.assertEqual(self.evaluate("runs/evaluated"), {})
        found = self.evaluate("runs/in_training", switch=False)["evaluation"]
        names = "1.running_mean, 1.running_var, 1.num_batches_tracked"
        self.assertIn(found.pop("names"), (names, "1.num_batches_tracked"))
        # The evaluation behind the last step has no step behind it.
        self.assertEqual((found["times"], found["of"], found["others"], found["first"], found["every"]), (2, 2, 0, 4, 4))
        found = self.evaluate("runs/spoilt", spoil=lambda model: model[0].weight.mul_(0.999))["evaluation"]
        self.assertEqual((found["statistics"], found["others"], found["names"]), (0, 1, "0.weight"))

        def swap(model):
            for p in model.parameters():
                p.mul_(2).mul_(0.5)

        self.assertEqual(self.evaluate("runs/average", spoil=swap), {})

    def test_hooks_do_not_stay(self):
        import torch

        model = torch.nn.Linear(2, 1)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        run = self.start("runs/hooks")
        run.watch(model, optimizer, every=1)
        with run.step():
            model(torch.ones(1, 2)).sum().backward()
            optimizer.step()
        node = model.bias.view_as(model.bias).grad_fn.next_functions[0][0]
        called = []
        with unittest.mock.patch.object(run._watched._checks._kept, "_compare", side_effect=lambda *_: called.append(1)):
            self.assertIs(run._watched._checks._kept._node, node)
            for _ in range(3):
                model(torch.ones(1, 2)).sum().backward()
            self.assertEqual(called, [1])  # by the next pass alone
            with run.step():
                optimizer.step()
            run.finish()
            model(torch.ones(1, 2)).sum().backward()
            self.assertEqual(called, [1])


if __name__ == "__main__":
    unittest.main()
