"""Instruments a loop of torch that nobody touched: its steps, phases, waits for data and blocking collectives."""

import contextlib
import functools
import os
import sys
import time
from collections.abc import Iterable
from typing import Any, Callable, Optional, Union

from tscope import _indices
from tscope._backward import Seen
from tscope._flops import StepFlops
from tscope._losses import Evaluation
from tscope._patches import patched
from tscope._recorder import Around, Hooks, around, now_ns
from tscope._reduction import look_for
from tscope._resume import place
from tscope._run import Run, start
from tscope._say import why

_COLLECTIVES = (
    "all_reduce all_gather all_gather_into_tensor reduce_scatter reduce_scatter_tensor reduce broadcast all_to_all all_to_all_single"
).split()

_CALLED = "_compiled_call_impl"  # what Module.__call__ calls instead of _call_impl, where it is there


class Auto(Hooks):
    """Hooks on a model and its optimizers. A step begins with the model's outermost forward and ends with the last optimizer's step.

    A forward without gradients, or of a model that is not in training mode, is evaluation: a region of its own, and no step. What lies
    between two steps is the recorder's phase `between`, less the waits for a DataLoader, which are `data`. _hooks.c has the hooks.
    """

    def __init__(
        self, run: Run, model: Any, optimizers: list[Any], *, comm: bool = True, flops: bool = False, scoped: bool = False
    ) -> None:
        import torch

        self._bind(run, model, torch.is_grad_enabled)
        self.waiting_for = len(optimizers)  # optimizers whose step ends the step; 0: whichever comes first
        self.scoped = scoped  # trace_step begins and ends the steps
        self.count_flops = flops
        self._batch: Any = None  # the last one, while it is not known whether the model is trained in evaluation mode
        self._draw: Any = None  # and which samples it has
        self._evaluation = Evaluation()
        self.undo: list[Callable[[], None]] = []
        self._hook(optimizers)
        run._trains(model)
        if not scoped:
            run._begun_by = model
            run._rows.awaits = True
        _waits.add(self)
        self.undo.append(lambda: _waits.remove(self))
        if comm:
            self._patch_collectives()
            self.undo.append(look_for(run, model, lambda: self.open))

    def _hook(self, optimizers: list[Any]) -> None:
        """Hooks of the optimizers are torch's own; what stands around the model's call is cheaper. `stop` takes all of it back."""
        handles = self._around() or self._hooks_of_model()
        if optimizers:
            for optimizer in optimizers:
                handles.append(optimizer.register_step_pre_hook(self.before_optimizer).remove)
                handles.append(optimizer.register_step_post_hook(self.after_optimizer).remove)
            self.run._told_of = optimizers
        else:
            from torch.optim import optimizer as module

            handles.append(module.register_optimizer_step_pre_hook(self.before_optimizer).remove)
            handles.append(module.register_optimizer_step_post_hook(self.after_optimizer).remove)
        self.undo.extend(handles)

    def _around(self) -> list[Callable[[], None]]:
        """Has the model's call seen. Returns what takes that back, or nothing where this torch does not ask for it (before 2.1)."""
        names = getattr(self.model, "__dict__", {})
        if not hasattr(type(self.model), _CALLED):
            return []
        inner = names.get(_CALLED)
        mine = names[_CALLED] = around(self, self.model._call_impl if inner is None else inner)
        if getattr(self.model, _CALLED, None) is not mine:
            names.pop(_CALLED)
            return []
        return [functools.partial(_unwrap, self.model, mine)]

    def _hooks_of_model(self) -> list[Callable[[], None]]:
        pre = self.model.register_forward_pre_hook(self.before_forward)
        try:
            post = self.model.register_forward_hook(self.after_forward, always_call=True)
        except TypeError:  # torch before 2.1: a forward that raises is put right by the next optimizer's step
            post = self.model.register_forward_hook(self.after_forward)
        return [pre.remove, post.remove]

    def _unseen(self) -> None:
        """An optimizer steps, and no forward was seen: none was called, or torch.compile has taken the model into a graph."""
        said = "no forward of the model was seen when its optimizer stepped (give auto what torch.compile returned)"
        self.run._cannot(f"auto: {said}; the step")

    def loads(self, loader: Any) -> None:
        """A loop over a DataLoader begins. The first one of training is what the run knows of loaders."""
        if not self.run._loaders and not self.is_evaluation():
            self.run._knows(loader)

    def fed(self, batch: Any) -> None:
        """A DataLoader gave a batch. One of training has a digest, in steps that are watched."""
        watched = self.run._watched
        if watched is None:
            return
        if not self.is_evaluation():
            watched.batch(batch)
        elif not self.known:
            self._batch = batch

    def trains(self) -> None:
        """Backward is called. After a forward in evaluation mode, when no optimizer has stepped, it shows that the model is trained so:
        the step begins here, with the time of that forward and what the loader gave before it."""
        if self.open or not self.forward_ns or self.scoped:
            return
        begun_by, self.run._begun_by = self.run._begun_by, None  # the generators are no longer as they were before the pass
        self.backward_begins()
        self.run._begun_by = begun_by
        batch, self._batch = self._batch, None
        draw, self._draw = self._draw, None
        if batch is not None:
            self.run._watched.batch(batch)
        self.run._drew(draw)

    # --- an evaluation between two steps, by the first forward of it and the next one in training ---

    def _evaluates(self) -> None:
        if self.run._watched is not None:
            self.run._watched.evaluates(self.model)

    def _trains(self) -> None:
        if self.run._watched is not None:
            self.run._watched.trains()

    def _evaluated(self, output: Any) -> None:
        """A forward of an evaluation has ended: the loss among what it gave is one of the evaluation."""
        self._evaluation.add(self.run, output)

    def drew(self, draw: Any) -> None:
        """The DataLoader drew these samples for that batch."""
        if not self.is_evaluation():
            self.run._drew(draw)
        elif not self.known:
            self._draw = draw

    # --- collectives ---

    def _patch_collectives(self) -> None:
        from tscope._ranks import distributed

        group = distributed()
        if group is None:
            return
        for name in _COLLECTIVES:
            function = getattr(group, name, None)
            if function is not None:
                setattr(group, name, self._timed(function))
                self.undo.append(functools.partial(setattr, group, name, function))

    def _timed(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def timed(*args: Any, **kwargs: Any) -> Any:
            if kwargs.get("async_op") or not self.open:
                return function(*args, **kwargs)
            begin = now_ns()
            try:
                return function(*args, **kwargs)
            finally:
                self.run._add_ns("comm", now_ns() - begin)

        return timed

    # --- FLOPs, of the second step, with all its micro-batches and its real backward ---

    def _begin_flops(self) -> None:
        self.count_flops = False
        try:
            self.flops = StepFlops()
            self.flops.begin()
        except Exception as error:
            self.flops = None
            self.run._cannot(f"FLOPs: {type(error).__name__}: {error}")

    def _end_flops(self) -> None:
        try:
            self.run.facts({"work": self.flops.end()})
        except Exception as error:
            self.run._cannot(f"FLOPs: {type(error).__name__}: {error}")
        self.flops = None

    def __deepcopy__(self, memo: Any) -> "Auto":
        return _of_a_copy()

    def __reduce__(self) -> Any:
        return _of_a_copy, ()

    def stop(self) -> None:
        """Takes everything back, and ends the step that is open."""
        if self.flops is not None:
            self._end_flops()
        for undo in reversed(self.undo):
            with contextlib.suppress(Exception):
                undo()
        self.undo.clear()
        self.run._told_of = []
        if self.run._begun_by is self.model:
            self.run._begun_by = None
        if self.open and not self.scoped:
            self.open = False
            if not self.known:
                ends = "parameters that a program changes itself have steps where it says so: with run.step()"
                self.run._cannot(f"auto: no step of an optimizer was seen, which ends a step ({ends}); every step but one")
            self.run.end_step()


def _unwrap(model: Any, mine: Around) -> None:
    """Takes what stands around a model's call out of the chain of those."""
    mine.hooks = None
    before, at = None, model.__dict__.get(_CALLED)
    while at is not mine and isinstance(at, Around):
        before, at = at, at.inner
    if at is not mine:
        return  # somebody else stands around it
    if before is not None:
        before.inner = mine.inner
    elif mine.inner == model._call_impl:
        del model.__dict__[_CALLED]
    else:
        model.__dict__[_CALLED] = mine.inner


def _recompiled(before: Callable[..., Any]) -> Callable[..., Any]:
    """Module.compile puts what it compiles where we stand: behind us from now on."""

    @functools.wraps(before)
    def compiles(module: Any, *args: Any, **kwargs: Any) -> Any:
        outer = module.__dict__.get(_CALLED)
        done = before(module, *args, **kwargs)
        if isinstance(outer, Around):
            inner = outer
            while isinstance(inner.inner, Around):
                inner = inner.inner
            inner.inner, module.__dict__[_CALLED] = module.__dict__[_CALLED], outer
        return done

    return compiles


def _replicated(before: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """A replica of DataParallel has what its original has, and would call that."""

    @functools.wraps(before)
    def replicate(module: Any) -> Any:
        replica = before(module)
        if isinstance(replica.__dict__.get(_CALLED), Around):
            del replica.__dict__[_CALLED]
        return replica

    return replicate


def _of_a_copy() -> Auto:
    """Returns what the hooks of a copy of the model belong to (an average of weights, a model saved whole): they do nothing."""
    return Auto.__new__(Auto)


def _quietly(auto: Any, told: Callable[..., None], *what: Any) -> None:
    """Tells a loop something; what it raises never reaches the program."""
    try:
        told(*what)
    except Exception as error:
        auto.run._cannot(f"a loader: {type(error).__name__}: {why(error)}")


class _Ahead:
    """What was drawn for the batches of a loader of Accelerate, which gives one when it has fetched the next or has found none.

    Batches that it skips are fetched and not given.
    """

    def __init__(self) -> None:
        self.drawn: list[Any] = []
        self.ended = False

    def given(self) -> Any:
        """Returns what was drawn for the batch that is given now."""
        last = -1 if self.ended else -2
        draw = self.drawn[last] if len(self.drawn) >= -last else None
        del self.drawn[:-1]
        return draw


class _Waits:
    """The patches of loaders' iterators and of modules, which are there while a loop is instrumented: of DataLoader's, and of
    Accelerate's, which fetches a batch ahead of the one that it gives."""

    def __init__(self) -> None:
        self._autos: list[Auto] = []
        self._undo: list[Callable[[], None]] = []
        self._ahead: list[_Ahead] = []  # loaders of Accelerate that are fetching
        self._knows_accelerate = False

    def add(self, auto: Auto) -> None:
        """Has an instrumented loop told of waits and batches."""
        self._autos.append(auto)
        if not self._undo:
            from torch.utils.data import DataLoader
            from torch.utils.data.dataloader import _BaseDataLoaderIter as Iterator

            self._undo.append(patched(Iterator, "__next__", self._timed(Iterator.__next__)))
            self._undo.append(patched(DataLoader, "__iter__", self._noticed(DataLoader.__iter__)))
            self._patch_modules()
            _indices.hold()
            self._undo.append(_indices.release)
        self.look_for_accelerate()

    def _patch_modules(self) -> None:
        from torch.nn import Module

        for name, made in (("compile", _recompiled), ("_replicate_for_data_parallel", _replicated)):
            if hasattr(Module, name):
                self._undo.append(patched(Module, name, made(getattr(Module, name))))

    def look_for_accelerate(self) -> None:
        """Patches the loaders of Accelerate, if the program has imported it."""
        module = sys.modules.get("accelerate.data_loader")
        if module is None or self._knows_accelerate or not self._undo:
            return
        self._knows_accelerate = True
        for name in ("DataLoaderShard", "DataLoaderDispatcher"):
            kind = getattr(module, name, None)
            if kind is not None:
                self._undo.append(patched(kind, "__iter__", self._one_by_one(kind.__iter__)))

    def _noticed(self, before: Callable[[Any], Any]) -> Callable[[Any], Any]:
        @functools.wraps(before)
        def batches(loader: Any) -> Any:
            for auto in self._autos:
                _quietly(auto, auto.loads, loader)
            return before(loader)

        return batches

    def _timed(self, before: Callable[[Any], Any]) -> Callable[[Any], Any]:
        autos = self._autos

        @functools.wraps(before)
        def timed(iterator: Any) -> Any:
            begin = now_ns()
            try:
                batch = before(iterator)
            except StopIteration:
                if self._ahead:
                    self._ahead[-1].ended = True
                raise
            waited = now_ns() - begin
            for auto in autos:
                if not auto.run._fetching:  # run.data counts it
                    _quietly(auto, auto.waited, waited)
            if all(auto.run._fetching for auto in autos):
                return batch  # run.data asks for the indices, too
            draw = _indices.taken(iterator)
            if self._ahead:
                self._ahead[-1].drawn.append(draw)
            else:
                self._tell(batch, draw)
            return batch

        return timed

    def _one_by_one(self, before: Callable[[Any], Any]) -> Callable[[Any], Any]:
        @functools.wraps(before)
        def batches(loader: Any) -> Any:
            fetched, ahead = before(loader), _Ahead()
            while True:
                self._ahead.append(ahead)
                try:
                    batch = next(fetched)
                except StopIteration:
                    return
                finally:
                    self._ahead.remove(ahead)
                self._tell(batch, ahead.given() if type(loader).__name__ == "DataLoaderShard" else None)
                yield batch

        return batches

    def _tell(self, batch: Any, draw: Any) -> None:
        for auto in self._autos:
            if not auto.run._fetching:
                _quietly(auto, auto.fed, batch)
                _quietly(auto, auto.drew, draw)

    def remove(self, auto: Auto) -> None:
        """Forgets a loop; with the last one, the patches."""
        self._autos.remove(auto)
        if not self._autos:
            for undo in reversed(self._undo):
                undo()
            self._undo.clear()
            self._knows_accelerate = False


_waits = _Waits()


def _directory() -> str:
    """Returns runs/PROGRAM-TIME, for a run that was given no folder."""
    program = os.path.splitext(os.path.basename(sys.argv[0]))[0] or "run"
    return os.path.join("runs", f"{program}-{time.strftime('%Y%m%d-%H%M%S')}")


def instrument(run: Run, model: Any, optimizer: Any = None, *, comm: bool = True, flops: bool = False) -> None:
    """Has a loop recorded into a run that has begun.

    >>> import torch
    >>> model = torch.nn.Linear(2, 1)
    >>> instrument(run, model, torch.optim.SGD(model.parameters(), lr=0.1))
    """
    if not run.enabled:
        return
    optimizers = [] if optimizer is None else list(optimizer) if isinstance(optimizer, (list, tuple)) else [optimizer]
    try:
        hooks = Auto(run, model, optimizers, comm=comm, flops=flops)
        run._at_end.append(hooks.stop)
        run._at_end.append(Seen(hooks, optimizers).take_back)
    except Exception as error:
        run._cannot(f"auto: {type(error).__name__}: {error}")


def auto(
    model: Any,
    optimizer: Union[Any, Iterable[Any], None] = None,
    directory: Union[str, "os.PathLike[str]", None] = None,
    *,
    run: Optional[Run] = None,
    digests_every: int = 100,
    flops: bool = False,
    **options: Any,
) -> Run:
    """Records a training loop of torch without touching it, and returns the run, for what the loop logs.

    A step is from the model's forward to the end of the optimizer's step (of the last one, of several); phases are `forward`,
    `backward`, `optimizer`, `data` (waits for a DataLoader), `comm` (blocking collectives) and `between`. `flops` counts those of the
    second step. Without `directory` the run goes to runs/PROGRAM-TIME; `options` are those of `tscope.start`.

    >>> import torch
    >>> model = torch.nn.Linear(2, 1)
    >>> optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    >>> run = tscope.auto(model, optimizer, "runs/auto")
    >>> for _ in range(3):
    ...     loss = model(torch.ones(4, 2)).sum()
    ...     loss.backward()
    ...     optimizer.step()
    >>> run.finish()
    >>> run.summary()["steps"]
    3
    """
    if run is None:
        if directory is None:
            directory, options["exist"] = place(None, options.get("exist"), _directory)
        run = start(directory, **options)
    instrument(run, model, optimizer, flops=flops)
    if digests_every > 0 and optimizer is not None and not isinstance(optimizer, (list, tuple)):
        run.watch(model, optimizer, every=digests_every)
    return run
