"""The patches by which losses are seen: of backward, of GradScaler.scale, and of Optimizer.zero_grad, which throws gradients away."""

import contextlib
import functools
import math
import sys
import threading
from collections.abc import Iterable
from typing import Any, Callable, Optional

from tscope._losses import Losses, OfOptimizers, Taken
from tscope._patches import on_scalers, patched
from tscope._rates import placed, rates_of
from tscope._recorder import Between, One
from tscope._run import Run
from tscope._say import why
from tscope._scaler import scaler_steps

_COMMON = 3  # steps in a row after which others are expected to be like them


def compiling() -> Callable[[], bool]:
    """Returns what tells whether torch.compile traces the call that is under way.

    >>> compiling()()
    False
    """
    compiler = getattr(sys.modules.get("torch"), "compiler", None)
    return getattr(compiler, "is_compiling", bool)


class Backward:
    """The patches of one owner, which says what it wants to see: everything by default. Its `losses` are told.

    >>> import torch
    >>> class Owner(Backward):
    ...     def ended(self):
    ...         print(self.losses.take().loss())
    >>> owner = Owner(run)
    >>> torch.ones((), requires_grad=True).backward()
    1.0
    >>> owner.take_back()
    """

    def __init__(self, run: Run, enter: Optional[Callable[..., Any]] = None) -> None:
        import torch
        from torch.optim import Optimizer

        self.run, self.losses = run, Losses(self.synced)
        self.inside = 0  # the thread that is in an outermost backward
        self._under_way: Any = None  # the losses of that backward
        self._early: Any = None  # they, where they were added before it has returned
        self._compiling = compiling()
        self._undo = [
            patched(torch.autograd, "backward", Between(enter or self._enter, torch.autograd.backward, self._leave)),
            patched(Optimizer, "zero_grad", self._discarding(Optimizer.zero_grad)),
            *on_scalers("scale", self._scaled),
        ]

    # --- what an owner says ---

    def wanted(self) -> bool:
        """Whether a call of this thread, at this moment, is one of the loop."""
        return True

    def looks(self) -> bool:
        """Whether the loss of the backward pass that begins may be one of a step."""
        return self.run.enabled

    def synced(self) -> bool:
        """Whether a backward pass reduces gradients; one of a micro-batch need not."""
        return True

    def begins(self) -> None:
        """The outermost backward begins."""

    def ended(self) -> None:
        """The outermost backward has returned, or raised; its loss is known."""

    def discards(self) -> bool:
        """Whether zero_grad throws away what backward gave before: not where that may be another optimizer's."""
        return True

    def steps(self) -> bool:
        """Whether an optimizer's step is under way, which called what is seen now."""
        return False

    def trained(self) -> Any:
        """Returns a parameter to which backward gave a gradient, or None."""
        return None

    def scales(self) -> None:
        """A GradScaler gave a multiple of a loss, on which backward is called next."""

    # --- the patches ---

    def _enter(self, tensors: Any, grad_tensors: Any = None, *args: Any, **kwargs: Any) -> Any:
        me = threading.get_ident()
        if self._compiling() or self.inside == me or not self.wanted():
            return None
        self.inside = me
        try:
            self.begins()
            self._under_way = self.losses.look(tensors, grad_tensors) if self.looks() else []
            return self._under_way
        except Exception as error:
            self.cannot(error)
            return []

    def take(self) -> "Optional[Taken]":
        """An optimizer steps. Returns the losses of its step, or None; where a hook of the backward pass has it step, that pass's."""
        if self.inside and self._under_way:
            self._early, self._under_way = self._under_way, None
            self.losses.add(self.run, self._early)
        return self.losses.take()

    def _leave(self, found: Any) -> None:
        if self.inside != threading.get_ident():  # another thread has the loop now
            return
        self.inside = 0
        try:
            if found is not self._early or not found:
                self.losses.add(self.run, found)
            self._early = self._under_way = None
            param = self.trained() if found and self.losses.moves is None else None
            if param is not None:
                self.losses.probe(param)
        except Exception as error:
            self.cannot(error)
        self.ended()

    def _scaled(self, before: Any) -> Any:
        seen = self

        @functools.wraps(before)
        def scale(scaler: Any, outputs: Any) -> Any:
            result = before(scaler, outputs)
            with contextlib.suppress(Exception):
                if seen.wanted():
                    seen.scales()
                    seen.losses.scaled(outputs, result)
            return result

        return scale

    def _discarding(self, before: Any) -> Any:
        seen = self

        @functools.wraps(before)
        def zero_grad(optimizer: Any, *args: Any, **kwargs: Any) -> Any:
            try:
                if seen.wanted() and not seen._compiling() and seen.discards():
                    seen.discarded()
            except Exception as error:  # of an optimizer, or its groups, that are not as torch's are
                seen.cannot(error)
            return before(optimizer, *args, **kwargs)

        return zero_grad

    def discarded(self) -> None:
        """The gradients are thrown away, and with them what backward gave."""
        self.losses.discard(again=self.steps())

    def cannot(self, error: Exception) -> None:
        """Says once what is not recorded."""
        self.run._cannot(f"the loss: {type(error).__name__}: {why(error)}")

    def forget(self) -> None:
        """Another thread has the loop now: what was seen of this one counts no more."""
        self.inside, self.losses = 0, Losses(self.synced)

    def take_back(self) -> None:
        """Takes the patches back."""
        for undo in reversed(self._undo):
            undo()
        self._undo.clear()


class Seen(Backward):
    """The losses and rates of a loop whose steps the hooks of a model make (`Auto`): they are recorded as the optimizers step."""

    def __init__(self, auto: Any, optimizers: Iterable[Any]) -> None:
        import torch

        self._auto, self._given = auto, list(optimizers)
        self._of, self._rates = OfOptimizers(), {}  # type: ignore[var-annotated]
        self._closures = False  # an optimizer was given one, which calls backward within its step
        self._inside = False
        self._unsure = False  # which loss is that of this step
        self._one = One(auto, torch.Tensor, self._enter, self._before)
        self._common = 0  # steps in a row that had one loss
        super().__init__(auto.run, self._one.before)
        auto.loss = self._one  # which is told of the optimizers' steps
        auto.run._logs_rates = len(self._given) == 1
        self._undo.append(scaler_steps.skipped(self._skipped))

    def _behind_steps(self, hook: Callable[..., None]) -> list[Callable[[], None]]:
        if self._given:
            return [optimizer.register_step_post_hook(hook).remove for optimizer in self._given]
        from torch.optim import optimizer as module

        return [module.register_optimizer_step_post_hook(hook).remove]

    def take_back(self) -> None:
        """Takes everything back."""
        self._auto.loss = None
        self._auto.run._logs_rates = False
        super().take_back()

    def synced(self) -> bool:
        """Whether DistributedDataParallel reduces gradients now: within no_sync() it does not."""
        return bool(self._auto.model.__dict__.get("require_backward_grad_sync", True))

    def wanted(self) -> bool:
        """Whether a step of the loop is open, or may be, and this thread is the one that called the model."""
        auto = self._auto
        return bool(auto.open or auto.forward_ns) and auto.thread == threading.get_ident()

    def _discarding(self, before: Any) -> Any:
        auto, discarding = self._auto, super()._discarding(before)

        @functools.wraps(before)
        def zero_grad(optimizer: Any, *args: Any, **kwargs: Any) -> Any:
            if auto.open or auto.forward_ns:
                return discarding(optimizer, *args, **kwargs)
            return before(optimizer, *args, **kwargs) if args or kwargs else before(optimizer)  # between steps, as in most loops

        return zero_grad

    def begins(self) -> None:
        """The outermost backward begins: of a model in evaluation mode, it shows that this is trained."""
        self._auto.trains()
        self._regain()

    def _regain(self) -> None:
        """A step is not common any more: what was seen of it counts."""
        found = self._one.take()
        if found is not None:
            self.losses.give(*found)

    def discarded(self) -> None:
        """The gradients are thrown away. Of a loss that was seen for less nobody has looked whether parameters were moved by it, as SAM
        does, or it counts no more: this step has no loss, and the next one is looked at."""
        found = self._one.take()
        if found is not None and math.isfinite(found[0]):
            self._unsure = self.losses.several = True
            self._one.unlearn()
        super().discarded()

    def discards(self) -> bool:
        """Whether there is one optimizer, or each trains the same."""
        return len(self._given) <= 1 or train_the_same(self._given)

    def steps(self) -> bool:
        """Whether the optimizer is within its step."""
        return self._inside

    def trained(self) -> Any:
        """Returns a parameter of the optimizer."""
        return first_with_gradient(self._given)

    def scales(self) -> None:
        """What backward is called on is not the loss."""
        self._one.unlearn()

    def _before(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        if len(args) < 2 and not kwargs:  # the first is the optimizer itself
            self._record(optimizer)
            return
        self._inside = True
        if not self._closures:
            self._closures = True
            self._undo.extend(self._behind_steps(self._after_closure))

    def _skipped(self, optimizer: Any) -> None:
        """A GradScaler leaves the optimizer's step out; the step of the run ends as with it."""
        if not self._given or any(optimizer is given for given in self._given):
            self._auto.before_optimizer()
            self._record(optimizer)
            tell_skipped(self.run)
            self._auto.after_optimizer()

    def _after_closure(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        if self._inside:
            self._inside = False
            self._record(optimizer)

    def _record(self, optimizer: Any) -> None:
        try:
            self._regain()
            taken = self.take()
            if self._unsure:
                self._unsure, taken = False, None
            if not self.run.enabled or self.run._step_now() is None:
                return
            if len(self._given) <= 1:
                if taken is not None:
                    taken.record(self.run)
                rates = rates_of(optimizer)
                self.run.log(rates)
                self._learn(taken is not None and taken.is_one() and type(rates.get("lr")) is float)
                return
            self._of.add(id(optimizer), taken)
            self._rates[id(optimizer)] = rates_of(optimizer)
            if self._auto.stepped + 1 >= self._auto.waiting_for:
                self._record_all()
        except Exception as error:
            self.cannot(error)

    def _learn(self, common: bool) -> None:
        """A step ended that was, or was not, like most. What all have in common is seen for less."""
        plain = self.losses.plain
        self._common = self._common + 1 if common and plain is not None else 0
        if plain is not None and self._common >= _COMMON and not self.losses.several:
            self._one.learn(*plain)

    def _record_all(self) -> None:
        order = [id(optimizer) for optimizer in self._given]
        self._of.record(self.run, order)
        self.run.log(of_several(self._rates, order))
        self._rates.clear()


def first_with_gradient(optimizers: Iterable[Any]) -> Any:
    """Returns the first parameter of optimizers that has a gradient, or None.

    >>> first_with_gradient([])
    """
    params = (param for optimizer in optimizers for group in optimizer.param_groups for param in group["params"])
    return next((param for param in params if param.grad is not None), None)


def train_the_same(optimizers: Iterable[Any]) -> bool:
    """Whether optimizers train the same parameters, as SAM does and the optimizer that it uses: by the first one, and their number.

    >>> train_the_same([])
    True
    """
    first = [optimizer.param_groups[0]["params"] if optimizer.param_groups else [] for optimizer in optimizers]
    return len({(id(params[0]) if params else 0, len(params)) for params in first}) <= 1


def tell_skipped(run: Run) -> None:
    """Says that the optimizer's step of this step was left out.

    >>> tell_skipped(run)
    """
    run.event("optimizer skipped", "the gradients hold inf or NaN (GradScaler)")


def of_several(rates: dict[int, dict[str, Any]], order: list[int]) -> dict[str, Any]:
    """Returns the rates of optimizers by the names of their columns: of several, with the optimizer's place in `order`.

    >>> of_several({7: {"lr": 0.1}, 8: {"lr.head": 0.2}}, [7, 8])
    {'lr.0': 0.1, 'lr.1.head': 0.2}
    """
    found: dict[str, Any] = {}
    for key, named in rates.items():
        found.update(placed(named, order.index(key) if len(rates) > 1 and key in order else None))
    return found
