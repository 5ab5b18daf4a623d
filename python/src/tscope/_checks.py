"""What one run alone shows of training that goes wrong in silence, found in the digests of watched steps: docs/digests.md, "Checks".

Nothing here passes over the tensors once more, except over the gradient of one small parameter and a batch beside a watched step's.
"""

import weakref
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Callable, Optional

from tscope._compiles import compiles_backward
from tscope._digests import leaves, leaves_of, lies_plain, local, of_host, of_set, sum_of, whole
from tscope._recorder import zero_at

if TYPE_CHECKING:
    from tscope._run import Run

_LEAST = 3  # watched steps in a row from which something is said
_NAMED = 3  # parameters that are named
_WRITES = 32  # facts that are written as they change; behind that they are written at the end
_MASK = (1 << 64) - 1


class Findings:
    """The facts `session.checks.*`: they are written when what they say changes."""

    def __init__(self, run: "Run") -> None:
        self._run = run
        self._said: dict[str, Any] = {}
        self._unwritten: dict[str, Any] = {}
        self._writes = 0
        run._at_end.append(self.flush)

    def say(self, name: str, what: dict[str, Any], also: Optional[dict[str, Any]] = None) -> None:
        """Says what a check found. `also` does not make it new: it is written with it, and at the end.

        >>> Findings(run).say("kept", {"times": 3, "of": 3})
        """
        new = self._said.get(name) != what
        self._said[name] = what
        self._unwritten[name] = {**what, **(also or {})}
        if new and self._writes < _WRITES:
            self._writes += 1
            self.flush()

    def has(self, name: str) -> bool:
        """Whether something was said of this, which what is found later may take back.

        >>> Findings(run).has("kept")
        False
        """
        return name in self._said

    def flush(self) -> None:
        """Writes what has not been written.

        >>> Findings(run).flush()
        """
        if self._unwritten:
            found, self._unwritten = self._unwritten, {}
            self._run.facts({"session": {"checks": found}})


def listed(names: list[str]) -> str:
    """Returns the first names of a list, and how many more there are.

    >>> listed(["a", "b", "c", "d", "e"])
    'a, b, c and 2 more'
    """
    more = len(names) - _NAMED
    return ", ".join(names[:_NAMED]) + (f" and {more} more" if more > 0 else "")


class _Parameter:
    """What the watched steps have shown of one parameter."""

    def __init__(self) -> None:
        self.state = ""
        self.state_from = self.still_from = 0  # the watched steps since which it is so, and its bits are these
        self.state_for = self.still_for = 0  # how many they are
        self.bits: Optional[int] = None

    def see(self, step: int, state: str, bits: int) -> None:
        if state != self.state:
            self.state, self.state_from, self.state_for = state, step, 0
        if bits != self.bits:
            self.bits, self.still_from, self.still_for = bits, step, 0
        self.state_for += 1
        self.still_for += 1

    def found(self) -> Optional[tuple[str, int]]:
        """Returns why it is not trained and since when, if it is so for long enough."""
        if self.state_for < _LEAST:
            return None
        if self.state == "zero_gradient":
            return self.state, self.state_from
        if self.still_for >= _LEAST and self.state != "unused":
            return self.state, max(self.state_from, self.still_from)
        return None


def _rates(optimizer: Any) -> dict[int, Any]:
    """Returns the learning rate of each parameter that an optimizer holds; of one on a device, None: it would be waited for."""
    found: dict[int, Any] = {}
    for group in optimizer.param_groups:
        rate = group.get("lr")
        known = rate if isinstance(rate, (int, float)) else None
        found.update((id(p), known) for p in group["params"])
    return found


def _state(p: Any, grad: Any, rates: dict[int, Any]) -> str:
    if id(p) not in rates:
        return "unheld" if p.requires_grad and grad is not None else "unused"
    if not p.requires_grad:
        return "frozen"
    if grad is None:
        return "no_gradient"
    return "no_rate" if rates[id(p)] == 0 else "gradient"


def set_aside(sizes: dict[str, int], still: set[str], foreign: str) -> bool:
    """Whether parameters that have gradients and are held by no optimizer lie as those do that people leave out on purpose: all ahead
    of what is trained (a backbone), or most of the model in several parts (around adapters). `sizes` has the numbers of elements, in
    the order of the model. `foreign` says what the optimizer holds that is none of the model's: nothing, something that is `used`, or
    `left`-over tensors without gradients, whose place in the model others have taken: then nobody meant it.

    >>> sizes = {"stem": 30, "body": 60, "head": 10}
    >>> set_aside(sizes, {"stem", "body"}, ""), set_aside(sizes, {"stem", "body"}, "left"), set_aside(sizes, {"body"}, "")
    (True, False, False)
    """
    if foreign == "left":
        return False
    row = [name in still for name in sizes]
    if False not in row:
        return foreign == "used"
    parts = sum(here and not before for before, here in zip([False, *row], row))
    most = 2 * sum(size for name, size in sizes.items() if name in still) > sum(sizes.values())
    return True not in row[row.index(False) :] or (parts > 1 and most)


def _foreign(rates: dict[int, Any], optimizer: Any, own: set[int]) -> str:
    """What an optimizer holds that is none of the model's parameters, for `set_aside`."""
    if own.issuperset(rates):
        return ""
    others = [p for group in optimizer.param_groups for p in group["params"] if id(p) not in own]
    return "left" if all(p.grad is None for p in others) else "used"


class Parts:
    """Parameters that are not trained while others are: which, why, and since when.

    >>> parts = Parts(Findings(run))
    >>> for step in (0, 100, 200):
    ...     parts.judge(step, {"w": "gradient", "b": "no_gradient"}, [("w", step), ("b", 7)], {"w"})
    >>> parts.untrained["no_gradient"]
    ['b']
    """

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._known: dict[str, _Parameter] = {}
        self._last: tuple[int, dict[str, str], list[tuple[str, int]]] = (0, {}, [])
        self._quiet = False  # whether that watched step was one that _known has not seen
        self.untrained: dict[str, list[str]] = {}

    def judge(
        self,
        step: int,
        states: dict[str, str],
        params: Iterable[tuple[str, int]],
        wide: set[str],
        aside: Callable[[set[str]], bool] = lambda still: False,
    ) -> None:
        """Takes the digests of parameters of a watched step, and what else is known of them: how they are, which are matrices, and
        whether those that no optimizer holds are set aside."""
        params = list(params)
        if self._is_quiet(states, params):
            self._quiet, self._last = True, (step, states, params)
            return
        self._catch_up()
        self._last = (step, states, params)
        since: dict[str, int] = {}
        before, self.untrained = self.untrained, {}
        for name, bits in params:
            known = self._known.setdefault(name, _Parameter())
            known.see(step, states.get(name, "unused"), bits)
            found = known.found()
            if found is not None:
                self.untrained.setdefault(found[0], []).append(name)
                since[found[0]] = max(since.get(found[0], 0), found[1])
        if not wide.intersection(self.untrained.get("gradient", [])):  # a bias in front of a normalization has next to no gradient
            self.untrained.pop("gradient", None)
        if "unheld" in self.untrained and aside(set(self.untrained["unheld"])):
            self.untrained["set_aside"], since["set_aside"] = self.untrained.pop("unheld"), since.pop("unheld")
        of = sum(state != "unused" for state in states.values())
        for why in {*before, *self.untrained}:
            names = self.untrained.get(why, [])
            found_now = {"parameters": len(names), "of": of, "names": listed(names), "first": since.get(why, 0)}
            self._findings.say(f"untrained_{why}", found_now, {"last": step})


    def may_rest(self) -> bool:
        """Whether nothing is found in a step behind the last one in which parameters and gradients are to each other as they were
        there, none of the gradients is zero, and every parameter has moved.

        >>> Parts(Findings(run)).may_rest()
        True
        """
        return not self.untrained and "zero_gradient" not in self._last[1].values()

    def passed(self, step: int, params: list[tuple[str, int]]) -> None:
        """Such a step came behind the last one that was judged, and was not judged.

        >>> Parts(Findings(run)).passed(100, [("w", 7)])
        """
        self._quiet, self._last = True, (step, self._last[1], params)

    def _is_quiet(self, states: dict[str, str], params: list[tuple[str, int]]) -> bool:
        """Whether every parameter moved, and all is as it was in the last watched step, which found nothing."""
        _, states_before, before = self._last
        if self.untrained or states != states_before or len(params) != len(before) or "zero_gradient" in states.values():
            return False
        return all(one[0] == other[0] and one[1] != other[1] for one, other in zip(params, before))

    def _catch_up(self) -> None:
        """Lets what is known of each parameter see that all moved in the last step, if that was a quiet one."""
        step, _, params = self._last
        quiet, self._quiet = self._quiet, False
        for name, bits in params if quiet else ():
            known = self._known[name]
            known.bits, known.still_from, known.still_for = bits, step, 1


def _is_zero(grad: Any) -> bool:
    """Whether a tensor of the host is zero in every element: most end with the first."""
    size = grad.element_size()
    if size in (2, 4, 8) and grad.is_floating_point() and lies_plain(grad):
        return zero_at(grad.data_ptr(), grad.nbytes, size)
    grad = local(grad)
    return not grad.reshape(-1)[:64].any() and not grad.any()


class Zeros:
    """Which gradients are zero in every element: looked up at once on the host, and asked of a device, to be read when it is done."""

    def __init__(self, late: Any) -> None:
        self._late = late
        self._asked: dict[Any, list[tuple[str, Any]]] = {}
        self.found: set[str] = set()

    def ask(self, name: str, grad: Any) -> None:
        """Asks of one gradient.

        >>> import torch
        >>> zeros = Zeros(None)
        >>> zeros.ask("a", torch.zeros(3)), zeros.ask("b", torch.ones(3)), sorted(zeros.found)
        (None, None, ['a'])
        """
        if not grad.is_cpu:
            self._asked.setdefault(grad.device, []).append((name, local(grad).count_nonzero()))
        elif _is_zero(grad):
            self.found.add(name)

    def begin(self) -> None:
        """Has what was asked of devices read, before the digests that are asked behind it.

        >>> import torch
        >>> Zeros(None).begin()
        """
        import torch

        for part in self._asked.values():
            names = [name for name, _ in part]
            self._late.words(torch.stack([count for _, count in part]), lambda counts, names=names: self._take(names, counts))

    def _take(self, names: list[str], counts: list[int]) -> None:
        self.found.update(name for name, count in zip(names, counts) if count == 0)


class Kept:
    """Whether the gradients of the optimizer's last step are there still when the next backward pass comes, which then adds to them.

    It is asked as torch adds to a gradient, of the node that does: no graph of torch.compile knows of it, and to ask for gradients that
    are added to nothing does not come there. Gradients that were cleared once are so by the program, and no more is looked at.
    """

    def __init__(self, run: "Run", findings: Findings) -> None:
        self._run, self._findings = run, findings
        self._hook: Any = None
        self._node: Any = None  # torch keeps it only as long as a graph has it
        self.times = self._first = 0
        self.cleared = False

    def look(self, step: int, name: str, p: Any, used: "Callable[[], Optional[int]]") -> None:
        """Looks at a parameter's gradient when the next one comes; `used` returns the digest of that which the optimizer used."""
        import torch

        self.stop()
        if compiles_backward():
            return

        def comes(_: Any) -> None:
            try:
                self.stop()
                self._compare(step, name, p, used)
            except Exception as error:
                self._run._cannot(f"the gradient before a pass: {type(error).__name__}: {error}")

        with torch.enable_grad():
            self._node = p.view_as(p).grad_fn.next_functions[0][0]
        self._hook = self._node.register_prehook(comes)

    def _compare(self, step: int, name: str, p: Any, used: "Callable[[], Optional[int]]") -> None:
        import torch

        if p.grad is None or p.grad.device.type == "cpu":
            self._judge(step, name, used(), None if p.grad is None else of_host(p.grad))
            return
        total, n = sum_of(local(p.grad))
        self._run._arrivals.words(torch.stack([total]), lambda sums: self._judge(step, name, used(), whole(sums[0] & _MASK, n)))

    def _judge(self, step: int, name: str, used: Optional[int], before: Optional[int]) -> None:
        if used is None:
            return  # it was zero, or is not known
        self.cleared = used != before
        self.times += not self.cleared
        self._first = step if self.times == 1 and not self.cleared else self._first
        said = self._findings.has("kept")  # which is taken back
        if said if self.cleared else self.times >= _LEAST and (self.times < 8 or self.times & (self.times - 1) == 0):
            found = {"times": self.times, "of": self.times + self.cleared, "name": name, "first": self._first}
            self._findings.say("kept", found, {"last": step})

    def stop(self) -> None:
        """Takes its hook off."""
        hook, self._hook, self._node = self._hook, None, None
        if hook is not None:
            hook.remove()


_LOOKED_AT = 64  # samples of a part, and numbers of each


def of_samples(part: Any, rows: set[int], alone: bool) -> bool:
    """Whether numbers that every batch has alike are those of samples, which nobody makes alike on purpose: one row for each sample (a
    number of `rows`, which other parts have), more different numbers than labels, masks and one-hot codes have, in no grid, and each
    sample with others; or, where no other part of real numbers changes (`alone`), with several numbers of its own.

    >>> import torch
    >>> x, labels = torch.randn(16, 8), torch.tensor([0.0, 1.0]).repeat(8)
    >>> of_samples(x, {16}, False), of_samples(labels, {16}, False), of_samples(torch.linspace(0, 1, 16), {16}, False)
    (True, False, False)
    >>> of_samples(x[:1].expand_as(x), {16}, False), of_samples(x[:1].expand_as(x), {16}, True), of_samples(x, {4}, False)
    (False, True, False)
    """
    if not part.shape[0] or (rows and not rows.intersection(part.shape[:2])):
        return False
    seen = [tuple(row) for row in part[:_LOOKED_AT].reshape(len(part[:_LOOKED_AT]), -1)[:, :_LOOKED_AT].tolist()]
    numbers = {number for row in seen for number in row}
    if len(numbers) < 3:
        return False
    if 2 * len(set(seen)) > len(seen):
        return 2 * len(numbers) > len(seen) and not _in_steps([row[0] for row in seen])
    return alone and len(set(seen[0])) > 2 and not _in_steps(list(seen[0]))


def _in_steps(numbers: list[float]) -> bool:
    """Whether numbers are those of a grid: each as much above the last."""
    steps = [b - a for a, b in zip(numbers, numbers[1:])]
    return len(steps) > 1 and steps[0] != 0 and max(abs(step - steps[0]) for step in steps) <= 1e-3 * abs(steps[0])


class Batches:
    """Whether batches that follow each other are the same, and which part of them always is.

    >>> batches = Batches(Findings(run))
    >>> for step in (0, 100, 200):
    ...     _ = batches.of(step, [1, 2]), batches.beside([1, 2])
    >>> batches.again
    3
    """

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self.awaits = False  # the batch that follows a watched step's
        self._last = self._step = self._from = 0
        self.again = self.pairs = 0
        self._leaves: dict[str, tuple[int, int, int]] = {}  # digest, since which watched step, for how many

    def of(self, step: int, batch: Any) -> int:
        """Returns the digest of a watched step's batch."""
        found = leaves_of(batch)
        digest = of_set((path, bits) for path, bits, _ in found)
        if not self.awaits or step != self._step:
            self._see(step, batch, found)
        self.awaits, self._last, self._step = True, digest, step
        return digest

    def beside(self, batch: Any) -> None:
        """Takes the batch that follows a watched step's."""
        self.awaits = False
        self.pairs += 1
        if of_set((path, bits) for path, bits, _ in leaves_of(batch)) == self._last:
            self.again += 1
            self._from = self._step if self.again == 1 else self._from
        if self.again >= _LEAST or self._findings.has("batch"):
            found = {"again": self.again, "all": self.again == self.pairs, "first": self._from}
            self._findings.say("batch", found, {"of": self.pairs, "last": self._step})

    def _see(self, step: int, batch: Any, found: list[tuple[str, int, bool]]) -> None:
        seen = {}
        for path, bits, _ in found:
            before, since, times = self._leaves.get(path, (None, step, 0))
            seen[path] = (bits, since, times + 1) if before == bits else (bits, step, 1)
        self._leaves = seen
        longest = max((times for _, _, times in seen.values()), default=0)
        moving = {path for path, (_, _, times) in seen.items() if times < _LEAST}
        same = [path for path, _, real in found if real and seen[path][2] >= _LEAST and seen[path][2] == longest and moving]
        if same:
            parts = dict(leaves(batch, ""))
            rows = {n for n in (next(iter(getattr(parts[path], "shape", ())), 0) for path in moving) if n}
            alone = not any(real for path, _, real in found if path in moving)
            same = [path for path in same if of_samples(parts[path], rows, alone)]
        if same or self._findings.has("input"):
            since = max((seen[path][1] for path in same), default=0)
            self._findings.say(
                "input",
                {"parts": len(same), "names": listed([path or "the batch" for path in same]), "first": since},
                {"last": step, "times": longest},
            )


class Evaluations:
    """Whether an evaluation writes what training goes on with, by the counters that torch keeps of what is written into a tensor.

    >>> import torch
    >>> evaluations, model = Evaluations(Findings(run)), torch.nn.BatchNorm1d(2)
    >>> for step in (50, 100):
    ...     evaluations.begin(model)
    ...     with torch.no_grad():
    ...         _ = model(torch.ones(3, 2))
    ...     evaluations.end(step)
    >>> evaluations.times, evaluations.of
    (2, 2)
    """

    def __init__(self, findings: Findings) -> None:
        self._findings = findings
        self._model: Any = None
        self._before: dict[str, tuple[int, int]] = {}
        self.times = self.of = 0
        self._first = 0

    def begin(self, model: Any) -> None:
        """The first forward of an evaluation begins."""
        self._model = weakref.ref(model)
        self._before = _versions(model)

    def end(self, step: int) -> None:
        """The next step of training begins."""
        model = self._model() if self._model is not None else None
        self._model = None
        if model is None:
            return
        now = _versions(model)
        # A tensor that another one has taken the place of was moved, not written.
        written = [
            name for name, (tensor, version) in self._before.items() if now.get(name, (0, 0))[0] == tensor and now[name][1] != version
        ]
        if {name for name, _ in model.named_parameters()} <= set(written):
            written = []  # weights were put in as a whole: an average that was evaluated is taken out again, or a checkpoint is loaded
        self.of += 1
        self.times += bool(written)
        self._first = step if self.times == 1 and written else self._first
        if self.times > 1 and written:
            statistics = sum(name.rpartition(".")[2] in _STATISTICS for name in written)
            found = {"statistics": statistics, "others": len(written) - statistics, "names": listed(written), "first": self._first}
            every = (step - self._first) // (self.times - 1)
            self._findings.say("evaluation", found, {"times": self.times, "of": self.of, "every": every, "last": step})


_STATISTICS = ("running_mean", "running_var", "num_batches_tracked")


def _versions(model: Any) -> dict[str, tuple[int, int]]:
    found = {}
    for tensors in (model.named_parameters(), model.named_buffers()):
        for name, tensor in tensors:
            if not tensor.is_inference():
                found[name] = (id(tensor), tensor._version)
    return found


class Look:
    """What the checks take of one watched step: the digests of parameters and of gradients, by name, as they are made."""

    def __init__(self, checks: "Checks", step: int, layout: "_Layout", parameters: list[tuple[str, Any]]) -> None:
        self._checks, self._step, self._layout, self._parameters = checks, step, layout, parameters
        self._zeros: Optional[Zeros] = None  # where one may be
        self._params: list[tuple[str, int]] = []
        self._used: list[tuple[str, int]] = []

    def _asked(self) -> Zeros:
        if self._zeros is None:
            self._zeros = Zeros(self._checks._run._arrivals)
        return self._zeros

    def ask(self) -> None:
        """Has the zeros of devices counted, before the digests that are asked behind them. On the host they are seen with these."""
        states, zeros = self._layout.states, self._asked()
        for name, p in self._parameters:
            grad = p.grad
            if grad is not None and not grad.is_cpu and states[name] == "gradient" and not grad.is_sparse and grad.numel():
                zeros.ask(name, grad)
        zeros.begin()

    def doubt(self, names: list[str]) -> None:
        """These gradients of the host may be zero in every element."""
        grads = {name: p.grad for name, p in self._parameters}
        for name in names:
            if self._layout.states[name] == "gradient" and grads[name] is not None and grads[name].numel():
                self._asked().ask(name, grads[name])

    def of_params(self, digests: list[tuple[str, int]]) -> None:
        """The digests of the parameters have come."""
        self._params = digests

    def of_grads(self, digests: list[tuple[str, int]]) -> None:
        """Those of the gradients have come, behind those of the parameters."""
        states, self._used, self._parameters = self._layout.states, digests, []
        if self._zeros is not None and self._zeros.found:
            states = {**states, **dict.fromkeys(self._zeros.found, "zero_gradient")}
        self._checks._parts.judge(self._step, states, self._params, self._layout.wide, self._aside)

    def _aside(self, still: set[str]) -> bool:
        states = self._layout.states
        if self._layout.foreign != "used" and "gradient" not in states.values():
            return False  # nothing is trained that they could be set aside for
        sizes = {name: size for name, size in self._layout.sizes.items() if states[name] != "unused"}
        return set_aside(sizes, still, self._layout.foreign)

    def used(self, name: str) -> Optional[int]:
        """Returns the digest of the gradient that the optimizer used, or None where it was zero or is not known."""
        return None if self._zeros is not None and name in self._zeros.found else dict(self._used).get(name)


class _Layout:
    """How parameters, gradients and the optimizer are to each other, which seldom changes: where `key` is another one."""

    def __init__(self, key: Any, parameters: list[tuple[str, Any]], optimizer: Any) -> None:
        self.key = key
        rates = _rates(optimizer)
        self.states = {name: _state(p, p.grad, rates) for name, p in parameters}
        self.sizes = {name: p.numel() for name, p in parameters}
        updated = [(name, p) for name, p in parameters if self.states[name] == "gradient" and p.numel() and not p.grad.is_sparse]
        self.wide = {name for name, p in updated if p.dim() > 1}
        self.smallest = min(updated, key=lambda named: self.sizes[named[0]], default=("", None))[0]
        self.on_host = all(p.is_cpu for _, p in parameters)
        self.foreign = _foreign(rates, optimizer, {id(p) for _, p in parameters}) if "unheld" in self.states.values() else ""


def _key(parameters: list[tuple[str, Any]], optimizer: Any) -> Any:
    groups = [(group.get("lr"), group["params"]) for group in optimizer.param_groups]
    held = [(lr if isinstance(lr, (int, float)) else None, *map(id, params)) for lr, params in groups]
    return held, [(id(p), p.requires_grad, p.grad is None, p.is_cpu) for _, p in parameters]


class Checks:
    """The checks of a run that is watched."""

    def __init__(self, run: "Run") -> None:
        self._run = run
        self._findings = Findings(run)
        self._parts, self._kept = Parts(self._findings), Kept(run, self._findings)
        self._layout: Optional[_Layout] = None
        self.batches = Batches(self._findings)
        self.evaluations = Evaluations(self._findings)

    def begin(self, step: int, parameters: list[tuple[str, Any]], optimizer: Any) -> Look:
        """The optimizer's step begins. Returns what takes the digests of this step."""
        key, layout = _key(parameters, optimizer), self._layout
        # What an optimizer holds beside the model is looked at each time: others may take its gradients.
        if layout is None or layout.key != key or layout.foreign or "unheld" in layout.states.values():
            layout = self._layout = _Layout(key, parameters, optimizer)
        look = Look(self, step, layout, parameters)
        if not layout.on_host:
            look.ask()
        if layout.smallest and not self._kept.cleared:
            name = layout.smallest
            self._kept.look(step, name, dict(parameters)[name], lambda: look.used(name))
        return look

    def may_rest(self) -> bool:
        """Whether a step that is like the last one need not be looked at."""
        layout = self._layout
        if layout is None or layout.foreign or "unheld" in layout.states.values():
            return False
        return (self._kept.cleared or not layout.smallest) and self._parts.may_rest()

    def passed(self, step: int, parameters: list[tuple[str, int]]) -> None:
        """A step was not looked at, which had these digests of parameters."""
        self._parts.passed(step, parameters)

    def stop(self) -> None:
        """Takes its hooks off."""
        self._kept.stop()
