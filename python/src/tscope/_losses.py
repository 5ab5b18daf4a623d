"""The loss of an optimizer's step, from what backward was called on in it: one tensor, or several micro-batches and their number.

docs/recording.md says which loss a step has.
"""

import math
import sys
import types
import weakref
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Callable, Optional

from tscope._numbers import Cannot, device_of, on_host

if TYPE_CHECKING:
    from tscope._run import Run

_NUMBER = 1  # the kind of a column, as Run._log_other has it
_MOST = 16  # micro-batches that have a column of their own
_KEPT = 4096  # micro-batches of a step whose losses are kept; those behind them are counted alone
_DEEPEST = 8  # nodes of a graph that are looked at for a division

# What gives a number to the next node as it is, or in another type or shape.
_ALIKE = {"ToCopyBackward0", "ViewBackward0", "UnsafeViewBackward0", "SqueezeBackward0", "ReshapeAliasBackward0", "CloneBackward0"}
_LOOKED_AT = {*_ALIKE, "DivBackward0", "MulBackward0", "AddBackward0", "SubBackward0"}
_OURS = ("torch.", "tscope.", "accelerate.", "functools", "contextlib")  # modules between the program and backward


class Part:
    """What a loss was divided by before backward was called on it."""

    __slots__ = ("by_product", "number", "of_sum", "tensor")

    def __init__(self, number: float = 1.0, tensor: int = 0, by_product: bool = False, of_sum: int = 0) -> None:
        self.number = number  # 1: it was not divided, or nobody sees by what
        self.tensor = tensor  # where a divisor lies that is a tensor of a device, and is not read; 0: it is a number
        self.by_product = by_product  # a multiplication by the reciprocal
        self.of_sum = of_sum  # how many elements were added up to what was divided; 0: it is no sum

    def key(self) -> tuple[float, int]:
        """Returns what is equal for two losses that were divided by the same.

        >>> Part(4.0).key()
        (4.0, 0)
        """
        return self.number, self.tensor


_WHOLE = Part()


def part_of(node: Any, depth: int = 0) -> Part:
    """Returns what the loss at a node of autograd's graph was divided by.

    >>> import torch
    >>> part_of((torch.ones(3, requires_grad=True).mean() / 4).grad_fn).number
    4.0
    >>> part_of((torch.ones(3, requires_grad=True).mean() / 4 * 1024).grad_fn).number
    4.0
    """
    kind = type(node).__name__
    if kind not in _LOOKED_AT:
        return _WHOLE
    while kind in _ALIKE and depth < _DEEPEST:
        node, depth = node.next_functions[0][0], depth + 1
        kind = type(node).__name__
    if kind in ("DivBackward0", "MulBackward0") and depth < _DEEPEST:
        return _divided(node, kind == "MulBackward0", depth)
    if kind in ("AddBackward0", "SubBackward0") and depth < _DEEPEST and node._saved_alpha == 1:
        one, other = (part_of(inner, depth + 1) if inner is not None else _WHOLE for inner, _ in node.next_functions)
        return one if one.key() == other.key() else _WHOLE
    return _WHOLE


def _divided(node: Any, by_product: bool, depth: int) -> Part:
    inner = [next_ for next_, _ in node.next_functions if next_ is not None]
    other = node._saved_other if node._saved_other is not None else node._saved_self
    if len(inner) != 1 or other is None or other.numel() != 1 or other.requires_grad:
        return _WHOLE
    if other.device.type != "cpu":
        return _WHOLE if by_product else Part(tensor=other.data_ptr())
    number = float(other)
    if by_product and number > 1:  # a weight, or a scale: of which of both it is nothing tells, and it is part of the loss
        return part_of(inner[0], depth + 1)
    if by_product:
        number = 1 / number if number else 1.0
    return Part(number, by_product=by_product, of_sum=_summed(inner[0]))


def _summed(node: Any) -> int:
    """Returns how many elements a node adds up; 0 where it is no sum."""
    kind = type(node).__name__
    if kind.startswith("SumBackward"):
        shape = node._saved_self_sym_sizes
    elif kind.startswith("NllLoss") and node._saved_reduction == 2:
        shape = node._saved_target.shape
    elif getattr(node, "_saved_reduction", 0) == 2 and node._saved_self is not None:
        shape = node._saved_self.shape
    else:
        return 0
    n = 1
    for size in shape:
        n *= int(size)
    return n


class Given:
    """One loss on which backward was called."""

    __slots__ = ("arrives", "number", "part", "site")

    def __init__(self, part: Part, site: Any) -> None:
        self.number: Optional[float] = None  # None: it is on its way from a device
        self.part, self.site = part, site  # the site: where in the program backward was called
        self.arrives: Optional[Callable[[], None]] = None

    def arrived(self, number: float) -> None:
        """The number is there.

        >>> given = Given(_WHOLE, None)
        >>> given.arrived(0.5)
        >>> given.number
        0.5
        """
        self.number = number
        if self.arrives is not None:
            self.arrives()


def _read(run: "Run", loss: Any, given: Given) -> None:
    if device_of(loss) in ("cpu", "meta"):
        given.arrived(on_host(loss))
    else:
        run._arrivals.number(loss, given.arrived)


def _site() -> Any:
    """Returns where the program called backward: a function and a place in it."""
    frame: Optional[types.FrameType] = sys._getframe(2)
    while frame is not None and str(frame.f_globals.get("__name__")).startswith(_OURS):
        frame = frame.f_back
    return (frame.f_code, frame.f_lasti) if frame is not None else None


def _sites(given: list[Given]) -> list[list[Given]]:
    """Returns the losses by the places that gave them, if these differ as those of several losses do: each has as many."""
    by_site: dict[Any, list[Given]] = {}
    for one in given:
        by_site.setdefault(one.site, []).append(one)
    found = list(by_site.values())
    return found if len({len(part) for part in found}) == 1 else [given]


class Losses:
    """The losses on which backward was called since an optimizer stepped last. Nothing here waits for a device, or keeps a graph."""

    def __init__(self, synced: Callable[[], bool] = lambda: True) -> None:
        self._synced = synced  # whether a backward pass reduces gradients; one of a micro-batch need not
        self._given: list[Given] = []
        self._n = 0  # how many they were
        self._split = True  # losses of several places may be several losses
        self._first: Optional[list[Given]] = None  # of a closure that is called again
        self.moves: Optional[tuple[weakref.ref[Any], int]] = None  # a parameter, and its version when backward had given it a gradient
        self._unscaled: Any = None
        self._tensor = getattr(sys.modules.get("torch"), "Tensor", None)
        self._usual: Any = None  # where the program called backward first in the last step
        self._alike: Optional[Given] = None  # the first one of this step, whose division is that of the next
        self.several = False  # a step had more than one, or one that was thrown away
        self.plain: Optional[tuple[Any, int]] = None  # of the last loss, if on the host: its type, and its bytes if these are it
        self._factor = 0.0  # by which the losses of the last whole step were divided, and whose number it was

    def look(self, tensors: Any, weights: Any = None) -> "list[tuple[Any, Part]]":
        """Backward is called on tensors. Returns what losses they are, which `add` takes when it has returned.

        >>> import torch
        >>> Losses().look(torch.ones(3))
        []
        """
        self.plain = None
        if weights is None and self._unscaled is None and hasattr(tensors, "grad_fn"):  # the common case
            return [self._seen(tensors)] if tensors.numel() == 1 else []
        losses = tensors if isinstance(tensors, (tuple, list)) else (tensors,)
        if weights is not None and any(w is not None for w in (weights if isinstance(weights, (tuple, list)) else (weights,))):
            return []
        result, unscaled = self._unscaled or (None, None)
        self._unscaled = None
        if result is not None and unscaled is not None and len(losses) == 1 and result() is losses[0]:
            return [unscaled]
        if any(not hasattr(loss, "grad_fn") or loss.numel() != 1 for loss in losses):
            return []
        return [(loss.detach(), part_of(loss.grad_fn)) for loss in losses]

    def _seen(self, loss: Any) -> "tuple[Any, Part]":
        """Returns one loss, read if it lies on the host: a copy aside costs more."""
        node = loss.grad_fn
        value = loss.item() if type(loss) is self._tensor and loss.is_cpu else None
        if not isinstance(value, float):
            return loss.detach(), part_of(node)
        self.plain = (loss.dtype, 0 if loss._is_view() else loss.nbytes)  # bytes of a view may be those of -x
        return value, part_of(node)

    def give(self, number: float, again: bool) -> None:
        """A loss was seen while steps had one, and neither where backward was called on it nor what it was divided by was looked at.
        Where the model was called `again` behind it, both are those of the loss that follows; else that one is another loss."""
        given = Given(_WHOLE, (self._usual if again else None, 0))
        given.number = number
        self._n += 1
        self._given.append(given)
        self._alike = given if again else None

    def scaled(self, loss: Any, result: Any) -> None:
        """A GradScaler gave a multiple of a loss, on which backward is called instead."""
        if hasattr(loss, "grad_fn") and hasattr(result, "grad_fn") and loss.numel() == 1:
            self._unscaled = (weakref.ref(result), (loss.detach(), part_of(loss.grad_fn)))

    def add(self, run: "Run", found: "list[tuple[Any, Part]]") -> None:
        """Backward has returned. A loss of the host is read now, one of a device copied aside: the program may change it later."""
        if not found:
            return
        site = _site()
        if not self._n:
            self._usual = site
        self._n += 1
        self._split = self._split and self._synced()
        if len(self._given) >= _KEPT:
            return
        if self._alike is not None:
            self._alike.part, self._alike = found[0][1], None
        for i, (loss, part) in enumerate(found):
            given = Given(part, (site, i))
            if isinstance(loss, float):
                given.arrived(loss)
            else:
                _read(run, _of_mesh(loss), given)
            self._given.append(given)

    def probe(self, param: Any) -> None:
        """Backward gave a gradient to a parameter, the first time since the last step.

        >>> import torch
        >>> losses = Losses()
        >>> losses.probe(torch.ones(2, requires_grad=True))
        """
        self.moves = (weakref.ref(param), param._version)

    def _moved(self) -> bool:
        """Whether parameters were changed since backward gave them gradients, as SAM does, which computes a second loss then: the first
        one is that of the parameters that are trained. Those that are restored behind a loss that is not finite were not."""
        param, version = self.moves if self.moves is not None else (None, 0)
        held = param() if param is not None else None
        if held is None or held._version == version:
            return False
        return all(one.number is None or math.isfinite(one.number) for one in self._given)

    def discard(self, again: bool = False) -> None:
        """The gradients are thrown away. What a closure gave when it was called first stays, since it is what the step returns, and so
        does what SAM moved parameters by."""
        if self._given and self._first is None:
            moved = not again and self._moved()
            self.several = self.several or not again
            if again or moved:
                self._first = self._given
        self._given, self._n, self._split, self._alike, self.moves = [], 0, True, None, None

    def take(self, parts: bool = False) -> "Optional[Taken]":
        """An optimizer steps. Returns the losses of its step, or None; `parts` says that they are known to add up."""
        given, n, split = self._given, self._n, self._split
        if self._first is not None:
            given, n, split = self._first, len(self._first), True
        self._given, self._n, self._split, self._first, self._alike, self.moves = [], 0, True, None, None, None
        if not given:
            return None
        if n == len(given) == 1:
            return Taken([given], 1, True)
        self.several = True
        groups = _sites(given) if split and n <= _KEPT else [given]
        k = max(len(group) for group in groups)
        alike = len({one.part.key() for one in given}) == 1
        return Taken(groups, n if len(groups) == 1 else k, parts or (alike and self._adds_up(given[0].part, k)))

    def _adds_up(self, part: Part, k: int) -> bool:
        """Whether k losses that were divided by the same are parts of one, so that they add up to it."""
        n = part.number
        if k == 1 or part.tensor:
            return True
        if n in (1, part.of_sum):  # what was added up was divided by its own number
            return False
        if abs(n - k) < 1e-6 * k:
            self._factor = n
            return True
        if part.of_sum:
            return n > part.of_sum
        return n == self._factor or (n > k and n == int(n) and not part.by_product)


class Taken:
    """The losses of one step."""

    def __init__(self, groups: list[list[Given]], micro_batches: int, adds_up: bool) -> None:
        self._groups, self.micro_batches, self._adds_up = groups, micro_batches, adds_up

    def is_one(self) -> bool:
        """Whether it is one loss, and known.

        >>> Taken([[_of(1.0)]], 1, True).is_one()
        True
        """
        return self.micro_batches == len(self._groups) == len(self._groups[0]) == 1 and self._groups[0][0].number is not None

    def loss(self) -> float:
        """Returns the loss of the step: of several losses their sum; of several micro-batches the sum of what backward was given, if
        that is the loss divided by their number, else their mean.

        >>> Taken([[_of(1.0), _of(3.0)]], 2, False).loss()
        2.0
        """
        total = 0.0
        for group in self._groups:
            part = sum(given.number or 0.0 for given in group)
            total += part if self._adds_up else part / len(group)
        return total

    def micro(self) -> list[float]:
        """Returns the losses of the first micro-batches, as they were before they were divided.

        >>> Taken([[_of(1.0), _of(3.0)]], 2, True).micro()
        [2.0, 6.0]
        """
        n = min(min(len(group) for group in self._groups), _MOST)
        whole = (self._groups[0][0].part.number if self._adds_up else 1.0) if self.micro_batches > 1 else 1.0
        whole = self.micro_batches if self._adds_up and (whole == 1.0 or self._groups[0][0].part.of_sum) else whole
        return [whole * sum(group[i].number or 0.0 for group in self._groups) for i in range(n)]

    def record(self, run: "Run", suffix: str = "") -> None:
        """Records the loss of the step that is open, or of the last one, when all of it has come from the device."""
        step = run._step_now()
        if step is None:
            return
        first = self._groups[0][0].number
        if self.is_one() and first is not None:
            if suffix or not run._says_loss(step):
                run._log_as(_NUMBER, f"loss{suffix}", first)
            return
        if self.micro_batches > 1:
            _says(run, self.micro_batches)
            run.amount({f"micro_batches{suffix}": self.micro_batches})
        late = [given for group in self._groups for given in group if given.number is None]
        if not late:
            for name, value in self._columns(run, step, suffix).items():
                run._log_as(_NUMBER, name, value)
            return
        left = len(late)

        def arrives() -> None:
            nonlocal left
            left -= 1
            if left == 0:
                for name, value in self._columns(run, step, suffix).items():
                    run._late(step, _NUMBER, name, value)

        for given in late:
            given.arrives = arrives

    def _columns(self, run: "Run", step: int, suffix: str) -> dict[str, float]:
        """Returns the numbers by the names of their columns. A loss that the program says itself counts."""
        found = {} if not suffix and run._says_loss(step) else {f"loss{suffix}": self.loss()}
        if self.micro_batches > 1:
            found.update({f"micro_loss{suffix}.{i}": value for i, value in enumerate(self.micro())})
        return found


def _says(run: "Run", micro_batches: int) -> None:
    """Says once how many micro-batches a step has."""
    if not run._accumulates:
        run._accumulates = True
        run.facts({"work": {"gradient_accumulation_steps": micro_batches}})


def _of(number: float) -> Given:
    """Returns a loss of one of two micro-batches that is known.

    >>> _of(1.0).number
    1.0
    """
    given = Given(Part(2.0), None)
    given.number = number
    return given


def _of_mesh(loss: Any) -> Any:
    """Returns this rank's copy of a loss of which each rank has one; another would have to be reduced, which all ranks wait for."""
    if type(loss).__name__ != "DTensor":
        return loss
    if not all(placement.is_replicate() for placement in loss.placements):
        raise Cannot("a loss that is spread over ranks has to be reduced first")
    return loss.to_local()


class OfOptimizers:
    """The losses of one step of several optimizers, until the last one has stepped.

    >>> losses = OfOptimizers()
    >>> losses.add(7, Taken([[_of(0.5)]], 1, True))
    >>> losses.record(run, [7])
    True
    """

    def __init__(self) -> None:
        self._taken: dict[int, Taken] = {}

    def add(self, optimizer: int, taken: Optional[Taken]) -> None:
        """An optimizer, by its id, has stepped. Losses of one that steps again count with its last step."""
        if taken is not None:
            self._taken[optimizer] = taken

    def record(self, run: "Run", order: Iterable[int]) -> bool:
        """Records them: of several by the place of the optimizer in `order`. Returns whether there was one."""
        places = {key: i for i, key in enumerate(order)}
        taken, self._taken = self._taken, {}
        for key, found in taken.items():
            found.record(run, f".{places[key]}" if len(taken) > 1 and key in places else "")
        return bool(taken)


class Evaluation:
    """The losses that a model in evaluation mode gives itself: their mean since the last step, as `evaluation_loss` of that step."""

    def __init__(self) -> None:
        self._step: Optional[int] = None
        self._sum = [0.0, 0.0]  # and how many they are

    def add(self, run: "Run", output: Any) -> None:
        """A forward gave something; before the first step, and without a loss in it, nothing is recorded."""
        try:
            loss, step = _loss_in(output), run._step_now()
            if loss is None or step is None:
                return
            if step != self._step:
                self._step, self._sum = step, [0.0, 0.0]
            so_far = self._sum

            def arrived(number: float) -> None:
                so_far[0], so_far[1] = so_far[0] + number, so_far[1] + 1
                run._late(step, _NUMBER, "evaluation_loss", so_far[0] / so_far[1])

            if device_of(loss) == "cpu":
                arrived(on_host(loss))
            else:
                run._arrivals.number(loss, arrived)
        except Exception as error:
            run._cannot(f"the loss of an evaluation: {type(error).__name__}: {error}")


def _loss_in(output: Any) -> Any:
    """Returns the loss among what a model gave: what is called so, or the first single number of floating point."""
    found = output.get("loss") if isinstance(output, Mapping) else getattr(output, "loss", None)
    parts = output if isinstance(output, (tuple, list)) else (output,)
    for one in (found, *parts):
        if hasattr(one, "is_floating_point") and hasattr(one, "dim") and one.dim() == 0 and one.is_floating_point():
            return one.detach()
    return None
