"""The loss of a step is what the script prints: of one backward pass, of several micro-batches, and of several losses."""

import contextlib
import importlib.util
import io
import json
import os
import signal
import subprocess
import sys
import traceback
import unittest

import support
import tscope

THERE = importlib.util.find_spec("torch") is not None

HEAD = (
    "import torch, sys\n"
    "torch.manual_seed(0); torch.set_num_threads(1)\n"
    "model = torch.nn.Linear(4, 1); optimizer = torch.optim.SGD(model.parameters(), lr=0.01)\n"
    "def one(k=8): return (model(torch.randn(k, 4)) - 3).square()\n"
)

# What is done with each of n micro-batches, whose loss is `loss`; the loop prints the mean of these.
FORMS = {
    "divided": "loss = one().mean(); (loss / n).backward()",
    "by product": "loss = one().mean(); (loss * (1 / n)).backward()",
    "in parts": "loss = one().mean(); extra = model.weight.square().sum(); (loss / n + extra / n).backward(); loss = loss + extra",
    "in another type": "loss = one().mean(); (loss / n).double().backward()",
    "not divided": "loss = one().mean(); loss.backward()",
    "a sum by its own number": "loss = one().sum() / 8; loss.backward()",
    "scaled": "loss = one().mean(); scaler.scale(loss / n).backward()",
}


class Between(unittest.TestCase):
    def test_what_stands_between_is_not_seen(self):
        """Neither what it raises, nor a frame of it where the function raises."""
        told = []

        def before(*given, **named):
            told.append((given, named))
            return "seen" if given else None

        def after(seen):
            told.append(seen)
            raise ValueError(seen)

        def function(*given, **named):
            return 1 / given[0] if given else named

        between = tscope._recorder.Between(before, function, after)
        self.assertEqual((between(2), between(a=1), between.__name__, between.__wrapped__), (0.5, {"a": 1}, "function", function))
        self.assertEqual(told, [((2,), {}), "seen", ((), {"a": 1})])
        try:
            between(0)
        except ZeroDivisionError as error:
            self.assertEqual([frame.f_code.co_name for frame, _ in traceback.walk_tb(error.__traceback__)][1:], ["function"])
        self.assertEqual(tscope._recorder.Between(lambda: None, function, after)(4), 0.25)  # before takes no arguments
        with self.assertRaises(KeyboardInterrupt):
            tscope._recorder.Between(before, function, lambda seen: signal.raise_signal(signal.SIGINT))(1)


@unittest.skipUnless(THERE, "torch is not installed")
class Losses(support.Case):
    def zero(self, text, name="zero"):
        """Runs a script recorded, and returns the numbers that it printed and the cells of its steps."""
        with open("train.py", "w", encoding="utf-8") as file:
            file.write(text)
        source = os.path.dirname(os.path.dirname(tscope.__file__))
        words = [sys.executable, "-m", "tscope", "--directory", f"runs/{name}", "train.py"]
        done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": source, "TSCOPE": "/nowhere"})
        self.assertEqual(done.returncode, 0, done.stderr)
        return [float(line) for line in done.stdout.split()], self.cells(f"runs/{name}")

    def auto(self, text, name="auto"):
        """Does the same in this process, with tscope.auto behind the line that makes the optimizer."""
        printed = []
        before, line, after = text.partition("model = ")
        made, newline, rest = after.partition("\n")
        names = {"print": lambda *values: printed.append(float(values[0])), "tscope": tscope}
        run = "run = tscope.auto(model, optimizer, DIRECTORY, digests_every=1)"
        exec(f"{before}{line}{made}\n{run}{newline}{rest}\nrun.finish()\n", {**names, "DIRECTORY": f"runs/{name}"})
        return printed, self.cells(f"runs/{name}")

    def cells(self, directory):
        return [cells for _, cells in sorted(self.read(directory).steps.items())]

    def loop(self, form, n, steps=5):
        head = "scaler = torch.amp.GradScaler('cpu', init_scale=1024.0)\n" if form == "scaled" else ""
        step = "scaler.step(optimizer); scaler.update()" if form == "scaled" else "optimizer.step()"
        return HEAD + head + (
            f"n = {n}\n"
            f"for k in range({steps}):\n"
            "    total = 0.0\n"
            "    for j in range(n):\n"
            f"        {FORMS[form]}\n"
            "        total += loss.item() / n\n"
            f"    {step}; optimizer.zero_grad(); print(total)\n"
        )

    def equal(self, found, places=1e-6):
        printed, cells = found
        self.assertEqual(len(printed), len(cells))
        for step, (expected, row) in enumerate(zip(printed, cells)):
            self.assertAlmostEqual(row.get("scalars.loss", float("nan")) / expected, 1, delta=places, msg=f"step {step}")
        return cells

    def test_loss_is_what_is_printed(self):
        for form in FORMS:
            for n in (1, 2, 3, 4, 8):
                with self.subTest(form, n=n):
                    cells = self.equal(self.auto(self.loop(form, n), f"{form} {n}"))
                    self.assertEqual([row.get("micro_batches", 1) for row in cells], [n] * 5)
                    for row in cells:
                        micro = [row[f"scalars.micro_loss.{i}"] for i in range(n)] if n > 1 else []
                        self.assertNotIn(f"scalars.micro_loss.{n}", row)
                        if micro:
                            self.assertAlmostEqual(sum(micro) / n / row["scalars.loss"], 1, delta=1e-6)

    def test_a_script_that_nobody_touched(self):
        for form, n in (("divided", 1), ("divided", 2), ("divided", 4), ("divided", 8), ("not divided", 4), ("scaled", 4)):
            with self.subTest(form, n=n):
                name = f"{form} {n}".replace(" ", "-")
                cells = self.equal(self.zero(self.loop(form, n), name))
                self.assertEqual([row.get("micro_batches", 1) for row in cells], [n] * 5)
                with open(f"runs/{name}/facts.json", encoding="utf-8") as file:
                    self.assertEqual(json.load(file)["work"].get("gradient_accumulation_steps"), n if n > 1 else None)

    def test_what_is_normalized_by_all_of_the_step(self):
        """Sums that are divided by the number of tokens of the whole step add up to its loss."""
        text = HEAD + (
            "for k in range(4):\n"
            "    total = 0.0\n"
            "    for j in range(3): loss = one(8).sum() / 24; loss.backward(); total += loss.item()\n"
            "    optimizer.step(); optimizer.zero_grad(); print(total)\n"
        )
        cells = self.equal(self.auto(text))
        self.assertAlmostEqual(sum(cells[0][f"scalars.micro_loss.{i}"] for i in range(3)) / 3 / cells[0]["scalars.loss"], 1, delta=1e-6)

    def test_losses_of_several_lines_add_up(self):
        text = HEAD + (
            "for k in range(4):\n"
            "    first = one().mean(); first.backward()\n"
            "    second = 2 * one().mean(); second.backward()\n"
            "    optimizer.step(); optimizer.zero_grad(); print(first.item() + second.item())\n"
        )
        for row in self.equal(self.auto(text)):
            self.assertNotIn("micro_batches", row)
        together = text.replace("; first.backward()", "").replace("second.backward()", "torch.autograd.backward([first, second])")
        self.equal(self.auto(together, "together"))

    def test_the_last_window_may_be_shorter(self):
        text = HEAD + (
            "total = 0.0\n"
            "for i in range(10):\n"
            "    loss = one().mean() / 4; loss.backward(); total += loss.item()\n"
            "    if i % 4 == 3 or i == 9: optimizer.step(); optimizer.zero_grad(); print(total); total = 0.0\n"
        )
        self.assertEqual([row["micro_batches"] for row in self.equal(self.auto(text))], [4, 4, 2])

    def test_micro_batches_without_reduction(self):
        """Two lines of which one is within no_sync() are not two losses."""
        text = HEAD + (
            "for k in range(4):\n"
            "    model.require_backward_grad_sync = False\n"
            "    first = one().mean(); first.backward()\n"
            "    model.require_backward_grad_sync = True\n"
            "    second = one().mean(); second.backward()\n"
            "    optimizer.step(); optimizer.zero_grad(); print((first.item() + second.item()) / 2)\n"
        )
        self.equal(self.auto(text))

    def test_gradients_that_are_thrown_away(self):
        text = HEAD + (
            "for k in range(4):\n"
            "    one().mean().backward(); optimizer.zero_grad()\n"
            "    loss = one().mean(); loss.backward(); optimizer.step(); optimizer.zero_grad(); print(loss.item())\n"
        )
        self.equal(self.auto(text))

    def test_optimizers_without_groups(self):
        """An optimizer that is not as torch's are trains as it does without us."""
        text = HEAD.replace("; optimizer = torch.optim.SGD(model.parameters(), lr=0.01)", "") + (
            "class Flat(torch.optim.Optimizer):\n"
            "    def __init__(self, params):\n"
            "        super().__init__(params, {'lr': 0.1}); self.inner = torch.optim.SGD(self.param_groups[0]['params'], lr=0.1)\n"
            "        del self.param_groups\n"
            "    def step(self, closure=None): self.inner.step()\n"
            "    def zero_grad(self, set_to_none=True): self.inner.zero_grad()\n"
            "optimizer = Flat(model.parameters())\n"
            "for k in range(4): loss = one().mean(); optimizer.zero_grad(); loss.backward(); optimizer.step(); print(loss.item())\n"
        )
        self.assertEqual(len(self.zero(text, "flat")[0]), 4)

    def test_losses_that_are_multiplied(self):
        """The loss is as it was given: whether a factor is a scale, or a weight or the size of a batch, is nowhere to be seen."""
        forms = {
            "loss * 1024": 1, "256 * loss": 1, "loss * 100": 1, "loss / 1024": 1, "loss * scale": 1, "loss / n * 256": 2,
            "(loss * 256) / n": 2, "loss * 1024 + extra": 1, "extra + loss * 1024": 1, "loss * 256 + extra * 128": 1,
        }  # fmt: skip
        for form, n in forms.items():
            step = (
                "    total = 0.0\n"
                f"    for j in range(n): loss = one().mean(); extra = model.weight.square().mean(); ({form}).backward(); "
                f"total += ({form}).item()\n"
            )  # fmt: skip
            rate = "for group in optimizer.param_groups: group['lr'] = 1e-6\n"
            text = (
                f"{HEAD}{rate}n = {n}; scale = 1024.0\nfor k in range(6):\n{step}"
                "    optimizer.step(); optimizer.zero_grad(); print(total); scale /= 4\n"
            )  # fmt: skip
            with self.subTest(form):
                cells = self.equal(self.auto(text, f"auto {form.replace('/', 'over')}"))
                self.assertEqual([row.get("scalars.loss_scale") for row in cells], [None] * 6)
                self.assertEqual([row.get("micro_batches", 1) for row in cells], [n] * 6)

    def test_optimizers_that_step_in_backward(self):
        """A hook has each parameter's optimizer step as soon as there is its gradient: the loss is that of the step it is in."""
        text = HEAD.replace("; optimizer = torch.optim.SGD(model.parameters(), lr=0.01)", "") + (
            "optimizers = {p: torch.optim.SGD([p], lr=0.01) for p in model.parameters()}\n"
            "def step(p): optimizers[p].step(); optimizers[p].zero_grad()\n"
            "for p in model.parameters(): p.register_post_accumulate_grad_hook(step)\n"
            "for k in range(6): loss = one().mean(); loss.backward(); print(loss.item())\n"
        )
        self.equal(self.zero(text))
        made, step, loop = text.partition("def step")
        printed: list[float] = []
        begun = "run = tscope.auto(model, list(optimizers.values()), 'runs/auto')\n"
        exec(f"{made}{begun}{step}{loop}run.finish()\n", {"print": printed.append, "tscope": tscope})
        self.equal((printed, self.cells("runs/auto")))

    def test_sam_that_begins_late(self):
        """Behind steps with one loss each, of which less is looked at: the first step of SAM has no loss, as nobody has looked whether
        the parameters were moved by the one that was thrown away; those behind it have their first one."""
        text = HEAD + (
            "for k in range(12):\n"
            "    loss = one().mean(); loss.backward(); print(loss.item())\n"
            "    if k >= 6:\n"
            "        with torch.no_grad():\n"
            "            moved = [p.grad * 0.5 for p in model.parameters()]\n"
            "            for p, e in zip(model.parameters(), moved): p.add_(e)\n"
            "        optimizer.zero_grad(); one().mean().backward()\n"
            "        with torch.no_grad():\n"
            "            for p, e in zip(model.parameters(), moved): p.sub_(e)\n"
            "    optimizer.step(); optimizer.zero_grad()\n"
        )
        printed, cells = self.auto(text)
        self.assertNotIn("scalars.loss", cells[6])
        self.equal((printed[:6] + printed[7:], cells[:6] + cells[7:]))

    def test_the_first_loss_of_sam(self):
        """SAM moves the parameters by the gradients of one loss, throws these away, and applies those of a second one: the first is
        that of what is trained, by hand and by an optimizer that uses another one. What moved nothing is none."""
        by_hand = (
            "for k in range(6):\n"
            "    loss = one().mean(); loss.backward(); print(loss.item())\n"
            "    with torch.no_grad():\n"
            "        moved = [p.grad * 0.05 for p in model.parameters()]\n"
            "        for p, e in zip(model.parameters(), moved): p.add_(e)\n"
            "    optimizer.zero_grad(); one().mean().backward()\n"
            "    with torch.no_grad():\n"
            "        for p, e in zip(model.parameters(), moved): p.sub_(e)\n"
            "    optimizer.step(); optimizer.zero_grad()\n"
        )
        self.equal(self.auto(HEAD + by_hand))
        self.equal(self.zero(HEAD + by_hand, "by hand"))
        optimizer = (
            "class Sam(torch.optim.Optimizer):\n"
            "    def __init__(self, params, lr):\n"
            "        super().__init__(params, {'lr': lr})\n"
            "        self.base = torch.optim.SGD(self.param_groups, lr=lr); self.param_groups = self.base.param_groups\n"
            "    @torch.no_grad()\n"
            "    def first_step(self):\n"
            "        for p in self.param_groups[0]['params']:\n"
            "            self.state[p]['old'] = p.clone(); p.add_(p.grad, alpha=0.05)\n"
            "        self.zero_grad()\n"
            "    @torch.no_grad()\n"
            "    def second_step(self):\n"
            "        for p in self.param_groups[0]['params']: p.copy_(self.state[p]['old'])\n"
            "        self.base.step(); self.zero_grad()\n"
            "optimizer = Sam(model.parameters(), 0.01)\n"
            "for k in range(6):\n"
            "    loss = one().mean(); loss.backward(); optimizer.first_step()\n"
            "    one().mean().backward(); optimizer.second_step(); print(loss.item())\n"
        )
        head = HEAD.replace("; optimizer = torch.optim.SGD(model.parameters(), lr=0.01)", "")
        self.equal(self.zero(head + optimizer, "by an optimizer"))
        thrown = (
            "for k in range(6):\n"
            "    one().mean().backward(); optimizer.zero_grad()\n"
            "    loss = one().mean(); loss.backward(); optimizer.step(); print(loss.item())\n"
        )
        self.equal(self.auto(HEAD + thrown, "thrown away"))

    def test_closures(self):
        """A step returns the loss of its closure's first call; LBFGS calls it again."""
        for kind in ("LBFGS(model.parameters(), max_iter=4)", "SGD(model.parameters(), lr=0.1)"):
            for n in (1, 3):
                with self.subTest(kind, n=n):
                    text = HEAD.replace("SGD(model.parameters(), lr=0.01)", kind) + (
                        "def closure():\n"
                        "    optimizer.zero_grad(); total = 0.0\n"
                        f"    for j in range({n}): loss = one().mean() / {n}; loss.backward(); total += loss.item()\n"
                        "    return total\n"
                        "for k in range(4): print(optimizer.step(closure))\n"
                    )
                    with contextlib.redirect_stderr(io.StringIO()) as said:
                        self.assertEqual(len(self.equal(self.auto(text, f"{kind[:3]} {n}"))), 4)
                    self.assertEqual(said.getvalue(), "")  # the model's forward is yet to come

    def test_steps_that_are_not_like_those_before(self):
        """What is seen of a common step for less counts where the step turns out to be none."""
        extra = "extra = model.weight.square().%s(); extra.backward()"
        others = {  # what is done before backward is called on the loss, and behind that; and the loss of the step
            "thrown away": ("one().mean().backward(); optimizer.zero_grad()", "0", "loss"),
            "of another line": (extra % "sum", "0", "loss + extra"),
            "of another line behind": ("0", extra % "mean", "loss + extra"),
            "divided": ("loss = loss / 2", "0", "loss"),
            "of another kind of rate": ("optimizer.param_groups[0]['lr'] = torch.tensor(0.01)", "0", "loss"),
        }
        for name, (before, behind, whole) in others.items():
            with self.subTest(name):
                text = HEAD + (
                    "for k in range(12):\n"
                    "    loss = one().mean()\n"
                    f"    if k in (6, 9): {before}\n"
                    "    loss.backward()\n"
                    f"    if k in (6, 9): {behind}\n"
                    f"    optimizer.step(); optimizer.zero_grad(); print(({whole} if k in (6, 9) else loss).item())\n"
                )
                printed, cells = self.auto(text, name)
                self.assertEqual(len(cells), 12)
                if name == "thrown away":  # by SAM, or for good: of the first one nobody has looked
                    self.assertNotIn("scalars.loss", cells.pop(6))
                    printed.pop(6)
                self.equal((printed, cells))

    def test_how_a_loss_lies(self):
        """A loss is read where it lies, but where its bytes are not its number, as those of a view that is negated."""
        mean = "one().mean()"
        for name, loss in {"double": f"{mean}.double().square()", "half": f"{mean}.bfloat16().square()",
                           "negated": f"torch.complex({mean}, {mean}).conj().imag"}.items():
            with self.subTest(name):
                step = "loss.backward(); optimizer.step(); optimizer.zero_grad(); print(loss.item())"
                text = HEAD + f"for k in range(8): loss = {loss}; {step}\n"
                self.assertEqual(len(self.equal(self.auto(text, name))), 8)

    def test_micro_batches_that_begin_later(self):
        text = HEAD + (
            "for k in range(12):\n"
            "    n = 1 if k < 6 else 4; total = 0.0\n"
            "    for j in range(n): loss = one().mean(); (loss if n == 1 else loss / n).backward(); total += loss.item() / n\n"
            "    optimizer.step(); optimizer.zero_grad(); print(total)\n"
        )
        self.assertEqual([row.get("micro_batches", 1) for row in self.equal(self.auto(text))], [1] * 6 + [4] * 6)
        self.equal(self.auto(text.replace("/ n).backward()", "/ 1).backward()"), "whole"))

    def test_another_thread_s_backward_is_none_of_the_loop_s(self):
        text = HEAD + (
            "import threading; other = torch.nn.Linear(4, 1)\n"
            "def beside():\n"
            "    for _ in range(2): other(torch.ones(4, 4)).mean().backward()\n"
            "for k in range(8):\n"
            "    other(torch.ones(4, 4)).mean().backward()\n"
            "    loss = one().mean(); thread = threading.Thread(target=beside); thread.start(); thread.join()\n"
            "    loss.backward(); optimizer.step(); optimizer.zero_grad(); print(loss.item())\n"
        )
        self.equal(self.auto(text))

    def test_steps_that_a_scaler_leaves_out(self):
        """They are steps, with a loss and digests of their own, which the next one does not inherit."""
        text = HEAD + (
            "scaler = torch.amp.GradScaler('cpu', init_scale=1024.0)\n"
            "for k, x in enumerate(torch.utils.data.DataLoader(torch.randn(64, 4), batch_size=8)):\n"
            "    loss = model(x).square().mean(); scaler.scale(loss).backward()\n"
            "    if k in (0, 3): model.weight.grad.fill_(float('inf'))\n"
            "    scaler.step(optimizer); scaler.update(); optimizer.zero_grad(); print(loss.item())\n"
        )
        for how, name in ((self.auto, "auto"), (self.zero, "zero")):
            cells = self.equal(how(text))
            self.assertEqual(len(cells), 8)
            self.assertEqual([step for event, step, _ in self.read(f"runs/{name}").events if "skipped" in event], [0, 3])
            if how == self.auto:
                self.assertEqual(cells[0]["digests.params"], cells[1]["digests.params"])
                self.assertEqual(len({row["digests.batch"] for row in cells}), 8)
                self.assertEqual(len({row["digests.params"] for row in cells}), 6)

    def test_rates_of_groups(self):
        groups = {
            "[{'params': [model.weight]}, {'params': [model.bias], 'lr': 0.5}]": {"lr.0": 0.01, "lr.1": 0.5},
            "[{'params': [model.weight], 'name': 'w'}, {'params': [model.bias], 'lr': 0.5, 'name': 'b'}]": {"lr.w": 0.01, "lr.b": 0.5},
            "[{'params': [model.weight]}, {'params': [model.bias]}]": {"lr": 0.01},
        }
        for i, (given, expected) in enumerate(groups.items()):
            text = HEAD.replace("model.parameters()", given) + (
                "for k in range(3): loss = one().mean(); loss.backward(); optimizer.step(); optimizer.zero_grad(); print(loss.item())\n"
            )
            found = [self.auto(text, f"auto{i}")[1]] + ([self.zero(text)[1]] if i == 0 else [])
            for row in (row for cells in found for row in cells):
                self.assertEqual({name[8:]: value for name, value in row.items() if name.startswith("scalars.lr")}, expected)

    def test_evaluations_have_their_own_names(self):
        """Their time is in no other phase of a step, and their losses are not those of training."""
        model = (
            "import time\n"
            "class Model(torch.nn.Linear):\n"
            "    def forward(self, x):\n"
            "        if not self.training: time.sleep(0.2)\n"
            "        y = super().forward(x); return y, y.square().mean() + (not self.training) * x.mean()\n"
        )
        text = HEAD.replace("model = torch.nn.Linear(4, 1)", model + "model = Model(4, 1)") + (
            "def evaluate():\n"
            "    model.eval()\n"
            "    with torch.no_grad(): losses = [model(torch.full((2, 4), 5.0 + i))[1].item() for i in range(2)]\n"
            "    model.train(); shown.append(sum(losses) / 2)\n"
            "shown = []\n"
            "for k in range(6):\n"
            "    loss = model(torch.randn(8, 4))[1]; loss.backward()\n"
            "    if k == 3: evaluate()\n"
            "    optimizer.step(); optimizer.zero_grad()\n"
            "    if k in (0, 4): evaluate()\n"
            "    print(loss.item())\n"
        )
        shows = "import atexit; atexit.register(lambda: open('shown', 'w').write(repr(shown)))\n"
        for how, name in ((self.auto, "auto"), (self.zero, "zero")):
            cells = self.equal(how(text.replace("shown = []\n", "shown = []\n" + (shows if how == self.zero else ""))))
            self.assertEqual(["scalars.evaluation_loss" in row for row in cells], [True, False, False, True, True, False])
            for phase in ("backward", "optimizer"):
                self.assertLess(cells[3]["phases." + phase], 400_000_000)
            self.assertGreaterEqual(cells[3]["phases.evaluation"], 400_000_000)
            self.assertEqual([name for name, _, _ in self.read(f"runs/{name}").regions], ["regions.evaluation"] * 6)
        with open("shown", encoding="utf-8") as file:
            shown = json.loads(file.read())
        for row, expected in zip((cells[0], cells[3], cells[4]), shown):
            self.assertAlmostEqual(row["scalars.evaluation_loss"], expected, delta=1e-6 * abs(expected))

    def test_vectors_are_no_losses(self):
        text = HEAD + (
            "for k in range(3):\n"
            "    one().backward(torch.ones(8, 1)); optimizer.step(); optimizer.zero_grad(); print(0)\n"
        )
        printed, cells = self.auto(text)
        for row in cells:
            self.assertEqual([name for name in row if name.startswith("scalars.")], ["scalars.lr"])
        self.assertEqual(len(cells), len(printed))

    def test_what_the_program_says_counts(self):
        for where in ("before", "behind"):
            say = "run.log(loss=loss.item() + 1)"
            text = HEAD + (
                "for k in range(70):\n"
                f"    loss = one().mean(); loss.backward(); {say if where == 'before' else '0'}\n"
                f"    optimizer.step(); optimizer.zero_grad(); {say if where == 'behind' else '0'}\n"
                "    print(loss.item() + 1)\n"
            )
            self.equal(self.auto(text, where))

    def test_several_optimizers(self):
        text = HEAD.replace("optimizer = ", "other = torch.optim.SGD([model.bias], lr=0.5); optimizer = ") + (
            "for k in range(4):\n"
            "    one().mean().backward(); optimizer.step(); two = one().sum(); two.backward(); other.step(); print(two.item())\n"
        )
        before, after = text.split("lr=0.01)\n", 1)
        printed = []
        exec(f"{before}lr=0.01)\nrun = tscope.auto(model, [optimizer, other], 'runs/two')\n{after}run.finish()\n",
             {"tscope": tscope, "print": printed.append})
        cells = self.cells("runs/two")
        self.assertEqual([row["scalars.loss.1"] for row in cells], printed)
        for row in cells:
            self.assertEqual((row["scalars.lr.0"], row["scalars.lr.1"]), (0.01, 0.5))

    def test_a_model_that_is_trained_in_evaluation_mode(self):
        """Its first step is one, and digests are those of the same training in training mode, of the same steps."""
        text = HEAD + "MODE\nfor x in torch.utils.data.DataLoader(torch.randn(160, 4), batch_size=8):\n" + (
            "    loss = model(x).square().mean(); loss.backward(); optimizer.step(); optimizer.zero_grad(); print(loss.item())\n"
        )
        train = self.equal(self.auto(text.replace("MODE", "model.train()"), "train"))
        still = self.equal(self.auto(text.replace("MODE", "model.eval()"), "eval"))
        self.assertEqual((len(train), len(still)), (20, 20))
        for one, two in zip(train, still):
            for name in ("batch", "params", "grads", "rng"):
                self.assertEqual(one["digests." + name], two["digests." + name], name)
            self.assertIn("phases.forward", two)
        self.equal(self.zero(text.replace("MODE", "model.eval()")))

    def test_evaluation_before_training_is_no_step(self):
        text = HEAD + (
            "model.eval()\nfor k in range(3): one()\nmodel.train()\n"
            "for k in range(4): loss = one().mean(); loss.backward(); optimizer.step(); optimizer.zero_grad(); print(loss.item())\n"
        )
        self.assertEqual(len(self.equal(self.auto(text))), 4)
        self.assertEqual(len(self.equal(self.zero(text))), 4)

    def test_graphs_are_not_kept(self):
        import gc
        import weakref

        import torch

        from tscope._losses import Losses

        losses, run = Losses(), self.start()
        class Hook:
            def __call__(self, gradient):
                return None

        hook = Hook()
        node = weakref.ref(hook)
        hidden = torch.ones(3, requires_grad=True).exp()
        hidden.register_hook(hook)
        loss = hidden.sum() / 2
        losses.add(run, losses.look(loss))
        del loss, hidden, hook
        gc.collect()
        self.assertIsNone(node())

    def test_losses_of_a_device_are_not_waited_for(self):
        import torch

        from tscope._losses import Losses

        class Tensor:
            device, placements, grad_fn = torch.device("mps"), None, None

            def numel(self):
                return 1

            def detach(self):
                return self

            def item(self):
                raise AssertionError("that would wait for the device")

        with self.start() as run:
            arrive, losses = [], Losses()
            run._arrivals.number = lambda tensor, arrived: arrive.append(arrived)
            for _ in range(2):
                with run.step():
                    for _ in range(3):
                        losses.add(run, losses.look(Tensor()))
                    losses.take().record(run)
            for number, arrived in enumerate(arrive):
                arrived(float(number))
        self.assertEqual([row["scalars.loss"] for row in self.cells("runs/exp1")], [1.0, 4.0])


if __name__ == "__main__":
    unittest.main()
