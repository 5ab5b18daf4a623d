"""Finds the training loop of a program that nobody touched: its models, optimizers, losses and steps, from the patches of _zero.py."""

import contextlib
import functools
import os
import threading
import weakref
from typing import Any, Callable, Optional

from tscope._auto import Auto, _waits
from tscope._backward import Backward, first_with_gradient, of_several, tell_skipped, train_the_same
from tscope._compiles import compiles
from tscope._losses import Evaluation, OfOptimizers
from tscope._patches import patched
from tscope._rates import rates_of
from tscope._recorder import now_ns
from tscope._run import Run
from tscope._say import why
from tscope._scaler import scaler_steps

_PATIENCE, _PATIENCE_MOST = 64, 256  # steps of one optimizer after which a step no longer waits for another one: at first, and ever


def _quiet(hook: Callable[..., None]) -> Callable[..., None]:
    """Makes a hook of something that records: what goes wrong in it is counted, said once, and never reaches training."""

    @functools.wraps(hook)
    def guarded(self: "Loop", *args: Any) -> None:
        try:
            hook(self, *args)
        except Exception as error:
            self._cannot(error)

    return guarded


class Loop:
    """The loop, as it is seen. A step begins with the outermost forward of a module that is trained, and ends with the optimizer's
    step: of several optimizers, when each that takes part has stepped.

    While models are still being found, and where there are several of them or of optimizers, every outermost forward is seen by a patch
    of Module.__call__. One model with one optimizer is handed over to `Auto`, whose hooks cost less, until something else turns up.

    Where no module is called in training, as where torch.compile made one function of the forward pass, or where tensors alone are
    trained, steps begin with the backward pass; the first one behind it, when it has given gradients to an optimizer.
    """

    def __init__(self, start: Callable[[], Optional[Run]], digests_every: int) -> None:
        import torch

        self.torch, self._start, self._digests_every = torch, start, digests_every
        self.run = Run()  # records nothing until a loop begins
        self.undo: list[Callable[[], None]] = []
        self.steps = 0
        self.seen: dict[str, int] = dict.fromkeys(("forward", "backward", "optimizer", "loss", "data"), 0)
        self._pid = os.getpid()
        self._thread = 0  # whose calls are those of the loop
        self._trainer: Any = None  # the same as an object
        self._starting = threading.Lock()  # held by the thread that begins the run, which takes a while
        self._owned = False  # an optimizer has stepped in it: no other thread takes the loop
        self._likely = (False, False)  # before that: how much speaks for it
        self._callers: set[int] = set()  # other threads that call models in training
        self._steps_of: dict[int, bool] = {}  # whether an optimizer that steps in a thread which calls no model is the loop's
        self._makers: dict[int, int] = {}  # by optimizer, the thread that made it
        self._auto: Optional[Auto] = None
        self._models: weakref.WeakSet[Any] = weakref.WeakSet()
        self._called: weakref.WeakSet[Any] = weakref.WeakSet()  # outermost modules, also those that are called without gradients
        self._known: dict[int, weakref.ref[Any]] = {}  # modules that began a step, or went on with one
        self._in_eval: weakref.WeakSet[Any] = weakref.WeakSet()  # called with gradients and in evaluation mode
        self._optimizers: dict[int, weakref.ref[Any]] = {}  # in the order in which they were made
        self._waited: set[int] = set()  # optimizers for which a step waits
        self._given_up: set[int] = set()  # those for which one waited in vain, and which have not stepped since
        self._patience = _PATIENCE
        self._stepped: dict[int, int] = {}  # in the open step
        self._stepped_ns = 0  # when the last of them ended
        self.joined = (0, "")  # the most steps of an optimizer that are one since another one was waited for in vain, and its class
        self._ever: set[int] = set()
        self._of_step: dict[int, dict[str, Any]] = {}  # rates by optimizer
        self._of_optimizers = OfOptimizers()
        self._roots: dict[int, Any] = {}  # outermost modules of the open step
        self._open = self._closure = False
        self._without = False  # steps begin with backward
        self._inside = 0  # the thread that is in an outermost forward
        self._depth = 0  # of optimizers: one may call another
        self._evaluating = 0
        self._evaluated: Any = None  # the module that the evaluation behind the last step called
        self._evaluation = Evaluation()
        self._maybe: Any = None  # a model that was called in evaluation mode with gradients, and how long it took, ns
        self._began = 0  # when that call began; 0: none is under way
        self._phase = "backward"  # what the time since the last mark belongs to
        self._loaders: dict[int, Any] = {}  # by thread, the first one before an optimizer stepped
        self._batches: dict[int, Any] = {}  # and the last one
        self._draws: dict[int, Any] = {}  # and which samples that has
        self._call: Any = None
        self._compiling = getattr(getattr(torch, "compiler", None), "is_compiling", lambda: False)
        self._hook()

    # --- patches ---

    def _hook(self) -> None:
        """Patches what a loop of torch calls."""
        from torch.optim import Optimizer
        from torch.optim import optimizer as module

        self.undo.append(module.register_optimizer_step_pre_hook(self.before_optimizer).remove)
        self.undo.append(module.register_optimizer_step_post_hook(self.after_optimizer).remove)
        self.undo.append(patched(Optimizer, "__init__", _with_a_look(Optimizer.__init__, self._made)))
        self._backward = _LoopBackward(self)
        self.undo.append(self._backward.take_back)
        self.undo.append(scaler_steps.skipped(self._skipped))
        self._look_for_models()

    def _look_for_models(self) -> None:
        """Has outermost forwards seen by a patch, until there is one model with one optimizer."""
        if self._call is None:
            Module = self.torch.nn.Module
            before = Module.__call__
            self._call = (before, self._outermost(before))
            Module.__call__ = self._call[1]
            _waits.add(self)  # type: ignore[arg-type]

    def hide_from(self, utils: Any) -> None:
        """Has torch.compile, which looks at Module.__call__ when it is imported, take a call of a module for what it is."""
        if self._call is not None and getattr(utils, "unpatched_nn_module_call", None) is self._call[1]:
            utils.unpatched_nn_module_call = self._call[0]

    def _found(self) -> None:
        if self._call is not None:
            before, mine = self._call
            if self.torch.nn.Module.__call__ is mine:
                self.torch.nn.Module.__call__ = before
                self._call = None
                _waits.remove(self)  # type: ignore[arg-type]

    # --- the thread: that whose optimizer steps first has the loop ---

    def _mine(self) -> bool:
        """Whether this call is of the thread that trains, in the process that was started; workers and other threads are not seen."""
        return threading.get_ident() == self._thread or (not self._thread and os.getpid() == self._pid)

    def _speaks_for(self, module: Any) -> tuple[bool, bool]:
        """Returns what speaks for this thread, which calls a module: an optimizer holds the module's; it is the main one."""
        mine = {id(p) for p in module.parameters()}
        held = any(id(p) in mine for optimizer in self._alive() for group in optimizer.param_groups for p in group["params"])
        return held, threading.current_thread() is threading.main_thread()

    def _takes(self, module: Any) -> bool:
        """Another thread than that of the loop calls a module. Returns whether the loop is this one's from now on.

        Until an optimizer has stepped nobody knows which of them trains: a warm-up, a reward model or a preview may come first.
        """
        try:
            if self._backward.inside or os.getpid() != self._pid or not (module.training and self.torch.is_grad_enabled()):
                return False
            self._callers.add(threading.get_ident())
            if self._is_taken() or not self.run.enabled:
                return False
            likely = self._speaks_for(module)
            if likely <= self._likely:
                return False
            self._give(likely)
            self._equip(module)
            return True
        except Exception as error:
            self._cannot(error)
            return False

    def _is_taken(self) -> bool:
        """Whether an optimizer has stepped in a thread that is still there."""
        if self._owned and not self._trainer.is_alive():
            self._owned, self._likely = False, (False, False)
        return self._owned

    def _give(self, likely: tuple[bool, bool]) -> None:
        """The loop is this thread's; the step that another one has begun is none."""
        if self._open:
            self.run.cancel_step()
        if self.run._indices is not None:
            self.run._indices.forget()
        self._callers.add(self._thread)
        self._thread, self._trainer, self._likely = threading.get_ident(), threading.current_thread(), likely
        self._open, self._inside, self._depth, self._evaluating, self._maybe, self._began = False, 0, 0, 0, None, 0
        self._backward.forget()
        self._roots.clear()
        self._of_step.clear()
        self._of_optimizers = OfOptimizers()

    def _own(self) -> None:
        """An optimizer of this thread has stepped. Those that other threads train with are not waited for."""
        self._owned = True
        me = threading.get_ident()
        for key, maker in self._makers.items():
            if maker != me and maker in self._callers:
                self._optimizers.pop(key, None)
                self._waited.discard(key)
        self._loaders.clear()
        self._batches.clear()
        self._draws.clear()

    def _steps(self, optimizer: Any) -> bool:
        """An optimizer steps. Returns whether the loop has to do with it."""
        me = threading.get_ident()
        if me == self._thread:
            if not self._owned:
                self._own()
            return True
        if os.getpid() != self._pid:
            return False
        if not self._thread:
            return True
        calls = me in self._callers
        if not calls and self._steps_for(optimizer):
            return True
        if self._is_taken():
            self.run._cannot("a second thread trains, too; what it does")
        if self._owned or not calls:
            return False
        self._give((True, True))
        self._own()
        return True

    def _steps_for(self, optimizer: Any) -> bool:
        """Whether an optimizer steps for the thread that calls the model: in a hook of the backward pass, or beside it."""
        known = self._steps_of.get(id(optimizer))
        if known is None:
            roots = [self._auto.model] if self._auto is not None else [made() for made in self._roots.values()]
            held = {id(p) for root in roots if root is not None for p in root.parameters()}
            known = self._steps_of[id(optimizer)] = any(id(p) in held for group in optimizer.param_groups for p in group["params"])
        self._owned = self._owned or known
        return known

    # --- forward ---

    def _outermost(self, before: Any) -> Any:
        compiling, loop, ident = self._compiling, self, threading.get_ident

        def __call__(module: Any, *args: Any, **kwargs: Any) -> Any:
            if compiling():
                return before(module, *args, **kwargs)
            me = ident()
            if loop._inside == me or not (loop._mine() or loop._takes(module)):
                return before(module, *args, **kwargs)
            if loop._backward.inside or not loop._before_forward(module):
                return before(module, *args, **kwargs)
            loop._inside, given = me, None
            try:
                given = before(module, *args, **kwargs)
                return given
            finally:
                if loop._inside == me:  # else another thread has the loop now
                    loop._inside = 0
                    loop._after_forward(module, given)

        return __call__

    def _before_forward(self, module: Any) -> bool:
        """A module is called that no other module calls. Returns whether the loop has to do with it."""
        try:
            known = self._known.get(id(module))
            known = known if known is not None and known() is module else None
            if known is None:
                self._called.add(module)
            trains = self.torch.is_grad_enabled() and (known is not None or any(p.requires_grad for p in module.parameters()))
            if trains and not (module.training or module in self._in_eval):
                self._models.add(module)  # it may turn out to be trained so
                trains = False
                if not self._open and not self.seen["optimizer"]:
                    self._maybe, self._began = (weakref.ref(module), 0), now_ns()
                    return True
            if not trains:
                if module not in self._models or (self._open and module.training):
                    return False
                if not self._open and self.run._watched is not None and self._evaluated is None:
                    self._evaluated = weakref.ref(module)
                    self.run._watched.evaluates(module)
                self._evaluating = now_ns()
                return True
            return self._begin(module, known)
        except Exception as error:
            self._cannot(error)
            return False

    def _begin(self, module: Any, known: Any) -> bool:
        if self._without and self._open and not (self._known or self.steps):  # what backward was called for was no step of the training
            self.run.cancel_step()
            self._backward.discarded()
            self._open = self._without = False
        if not self._open:
            if not (self.run.enabled or self._start_run(module)):
                return False
            if self._evaluated is not None:
                self._evaluated = None
                if self.run._watched is not None:
                    self.run._watched.trains()
            if known is None:
                self.run._trains(module)
            self._begin_step()
        else:
            self.run.mark(self._phase)
        self.seen["forward"] += 1
        if known is None:
            known = self._known[id(module)] = weakref.ref(module)
            self._models.update(_unwrapped(module))
        self._roots[id(module)] = known
        return True

    def _begin_without(self) -> None:
        """A step begins in which no module is called."""
        if self._auto is not None or not (self.run.enabled or self._start_run(self.torch.nn.Module())):
            return
        self._without = True
        self._begin_step()
        self._phase = "backward"

    def _begin_step(self) -> None:
        self._open, self._closure = True, self._depth > 0
        self._roots.clear()
        self._stepped.clear()
        self.run.begin_step()

    def _start_run(self, module: Any) -> bool:
        """Begins the run; returns whether it did. Another thread that calls a model meanwhile may take the loop afterwards."""
        if not self._starting.acquire(blocking=False):
            return False
        try:
            if self.run.enabled:  # another thread has begun it since this one looked
                return False
            run = self._start() or self.run
            self._likely = self._speaks_for(module)
            self._thread, self._trainer, self.run = threading.get_ident(), threading.current_thread(), run
            self._equip(module)
            return run.enabled
        finally:
            self._starting.release()

    def _equip(self, module: Any) -> None:
        """The thread that trains is known, or seems to be: so are its loader, its batch and its optimizer."""
        loader, batch, draw = (found.get(self._thread) for found in (self._loaders, self._batches, self._draws))
        if loader is not None:
            self.run._knows(loader)
        optimizers = self._alive()
        if len(optimizers) == 1 and self._likely[0]:
            self._watch(module, optimizers[0])
        if self.run._watched is not None and batch is not None:
            self.run._watched.batch(batch)
        self.run._drew(draw)

    def _alive(self) -> "list[Any]":
        """Returns the optimizers that somebody still has."""
        return [optimizer for optimizer in (made() for made in self._optimizers.values()) if optimizer is not None]

    def _watch(self, model: Any, optimizer: Any) -> None:
        if self._digests_every > 0 and self.run._watched is None:
            self.run.watch(model, optimizer, every=self._digests_every)

    @_quiet
    def _after_forward(self, module: Any, given: Any) -> None:
        if self._began:
            self._maybe, self._began = (self._maybe[0], now_ns() - self._began), 0
        elif self._evaluating:
            self.run._end_region("evaluation", self._evaluating)
            if self._open:  # a phase of its own, and no part of the next one
                self.run._add_ns("evaluation", now_ns() - self._evaluating)
            self._evaluating = 0
            if not module.training:
                self._evaluation.add(self.run, given)
        elif self._open:
            self.run.mark("forward")
            self._phase = "backward"

    @_quiet
    def waited(self, ns: int) -> None:
        """A DataLoader gave a batch after a wait."""
        if not self._mine():
            self.seen["data"] += not self._owned
            return
        self.seen["data"] += 1
        if self._is_training():
            self.run._add_ns("data", ns)
        else:
            self.run._end_region("evaluation data", now_ns() - ns)

    def _is_training(self) -> bool:
        return any(model.training or model in self._in_eval for model in self._models)

    @_quiet
    def loads(self, loader: Any) -> None:
        """A loop over a DataLoader begins. The first one before the run begins is taken for that of the training."""
        if not self._owned and os.getpid() == self._pid:
            self._loaders.setdefault(threading.get_ident(), loader)
        if self._mine() and self.run.enabled and not self.run._loaders and self._is_training():
            self.run._knows(loader)

    @_quiet
    def fed(self, batch: Any) -> None:
        """A DataLoader gave a batch. What it gave last before the run begins is that of the first step."""
        if not self._owned and os.getpid() == self._pid:
            self._batches[threading.get_ident()] = batch
        if self._mine() and self.run.enabled and self.run._watched is not None and self._is_training():
            self.run._watched.batch(batch)

    @_quiet
    def drew(self, draw: Any) -> None:
        """The DataLoader drew these samples for that batch."""
        if not self._owned and os.getpid() == self._pid:
            self._draws[threading.get_ident()] = draw
        if self._mine() and self.run.enabled and self._is_training():
            self.run._drew(draw)

    # --- backward ---

    @_quiet
    def backward_begins(self) -> None:
        """Backward is called. One that follows a forward in evaluation mode shows that the model is trained so."""
        maybe, self._maybe = self._maybe, None
        module = maybe[0]() if maybe is not None and not self._open else None
        if maybe is not None and module is not None:
            self._in_eval.add(module)
            if not (self.run.enabled or self._start_run(module)):
                return
            self.run._add_ns("forward", maybe[1])
            self._begin(module, None)
        elif self._open:
            if self._without and not self._roots:
                self.run.mark("other")
        elif self._without:
            self._begin_without()

    @_quiet
    def backward_ended(self) -> None:
        """Backward has returned."""
        self.seen["backward"] += 1
        if self._open:
            self.run.mark("backward")
        elif self._gives_gradients():
            self._begin_without()
        if not (self._open or self.run.enabled):  # it is of no step, and so is its loss
            self._backward.losses.discard()

    def _gives_gradients(self) -> bool:
        """Whether an optimizer would step now, of a training in which no module is called."""
        if self._known or self._auto is not None or self._models:
            return False
        return first_with_gradient(self._alive()) is not None

    def synced(self) -> bool:
        """Whether DistributedDataParallel reduces gradients now: within no_sync() it does not."""
        models = [known() for known in self._roots.values()] if self._auto is None else [self._auto.model]
        return all(model is None or model.__dict__.get("require_backward_grad_sync", True) for model in models)

    # --- optimizer ---

    @_quiet
    def _made(self, optimizer: Any) -> None:
        if self._mine() or (not self._owned and os.getpid() == self._pid):
            if self.seen["optimizer"]:  # another training may begin: who stepped in the last one is waited for when it steps again
                self._waited.clear()
                self._given_up.clear()
            self._optimizers[id(optimizer)] = weakref.ref(optimizer)
            self._waited.add(id(optimizer))
            self._makers[id(optimizer)] = threading.get_ident()

    @_quiet
    def before_optimizer(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        """An optimizer's step begins."""
        if self._compiling() or not self._steps(optimizer):
            return
        self._depth += 1
        if self._depth > 1:
            return
        if self._auto is not None:
            if not self._auto.open or self._auto_of() is not optimizer:
                self._take_back()
            elif len(args) < 2 and not kwargs:  # a closure computes the loss later
                self._log(optimizer)
        elif self._open:
            self.run.mark(self._phase)

    @_quiet
    def after_optimizer(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        """An optimizer's step ends, and the step where it is the last."""
        if self._compiling() or not self._steps(optimizer):
            return
        self._depth = max(self._depth - 1, 0)
        if self._depth:
            return
        self.seen["optimizer"] += 1
        if self._auto is not None:
            self.steps += 1
            self._log(optimizer)
            return
        if not self._open:
            for model in [model for model in self._models if not model.training]:
                self._in_eval.add(model)
            return
        self.run.mark("optimizer")
        self._phase = "optimizer"
        key = id(optimizer)
        self._of_optimizers.add(key, self._backward.take())
        self._of_step[key] = rates_of(optimizer)
        self._stepped[key] = self._stepped.get(key, 0) + 1
        self._stepped_ns = now_ns()
        if self._is_last(key, optimizer):
            self._end(optimizer)

    @_quiet
    def _skipped(self, optimizer: Any) -> None:
        """A GradScaler leaves the optimizer's step out; the step of the run ends as with it."""
        if not self.run.enabled or not self._steps(optimizer):
            return
        auto = self._auto
        self.before_optimizer(optimizer, (optimizer,), {})
        if self._open or auto is not None:
            tell_skipped(self.run)
        if auto is not None and self._auto is auto:
            auto.before_optimizer()
            auto.after_optimizer()
        self.after_optimizer(optimizer, (optimizer,), {})

    def _is_last(self, now: int, optimizer: Any) -> bool:
        """Whether all optimizers that take part have stepped. One that never did is waited for until another one has stepped twice,
        but where its turn may come, as that of a generator behind its critic, as long as one that did; and not if it trains the same
        parameters. Turns are as long as they are: who comes after all is waited for twice as long from then on. There is a most,
        because a process that is killed loses the step that is open."""
        self._optimizers = {key: made for key, made in self._optimizers.items() if made() is not None}
        if now in self._given_up:
            self._given_up.remove(now)
            self._patience = min(2 * self._patience, _PATIENCE_MOST)
        self._ever.add(now)
        self._waited.add(now)
        if self._stepped[now] == 2:
            self._waited = {key for key in self._waited if key in self._ever or self._has_a_turn(key)}
        elif self._stepped[now] > self._patience:
            self._waits_no_more(optimizer)
        self._waited &= {*self._optimizers, now}
        left = [self._optimizers[key]() for key in self._waited - set(self._stepped)]
        return all(other is not None and train_the_same((optimizer, other)) for other in left)

    def _waits_no_more(self, optimizer: Any) -> None:
        """One optimizer has stepped so often that those which have not are waited for no more, until they do."""
        missing = self._waited & set(self._optimizers) - set(self._stepped)
        if missing:
            self._joins(optimizer)
        self._given_up |= missing
        self._waited -= missing

    def _joins(self, optimizer: Any) -> None:
        self.joined = max(self.joined, (self._stepped[id(optimizer)], type(optimizer).__name__))

    def _has_a_turn(self, key: int) -> bool:
        """Whether an optimizer that never stepped may only wait for its turn: a module of its parameters is called, and no backward
        pass that another one stepped for gave them gradients."""
        made = self._optimizers.get(key)
        optimizer = made() if made is not None else None
        if optimizer is None:
            return False
        mine = {id(p): p for group in optimizer.param_groups for p in group["params"] if p.requires_grad}
        called = any(id(p) in mine for module in self._called for p in module.parameters())
        return called and all(p.grad is None for p in mine.values())

    def _log(self, optimizer: Any) -> None:
        """Records the loss of a step that `Auto` records, and its rates; what lies on a device is read later."""
        taken = self._backward.take()
        if taken is not None:
            self.seen["loss"] += 1
            taken.record(self.run)
            self.run.log(rates_of(optimizer))

    def _log_all(self) -> None:
        """Records losses and rates of the step; of several, by the place of the optimizer in the order in which they were made."""
        order = list(self._optimizers)
        self.seen["loss"] += self._of_optimizers.record(self.run, order)
        self.run.log(of_several(self._of_step, order))
        self._of_step.clear()

    def _end(self, optimizer: Any) -> None:
        """The step ends. What lies behind it is between steps."""
        self._log_all()
        self.run.end_step()
        self.steps += 1
        self._open = False
        one = len(self._roots) == 1 and len(self._stepped) == 1 and len(self._optimizers) <= 1 and not self._closure
        # Where steps began without a module, further ones will, whatever a module was called for in this one.
        model = next(iter(self._roots.values()))() if one and not self._without else None
        # What torch.compile has looked at stays as it is: else it would compile it again, with hooks in it.
        if model is not None and model.training and not compiles():
            self._hand_over(model, optimizer)

    def _waits_in_vain(self) -> bool:
        missing = self._waited & set(self._optimizers) - set(self._stepped)
        return bool(self._stepped) and (not missing <= self._ever or max(self._stepped.values()) > _PATIENCE)

    def _end_in_vain(self) -> None:
        """The program ends while its step waits in vain: what the optimizers did that stepped is a step, until the last of them had
        ended; where another pass has begun behind it, until now."""
        self._log_all()
        if self._phase == "optimizer":
            self.run._end_row(self._stepped_ns)
        else:
            self.run.end_step()
        self.steps += 1
        for key in self._stepped:
            made = self._optimizers.get(key)
            optimizer = made() if made is not None else None
            if optimizer is not None and self._stepped[key] > 1:
                self._joins(optimizer)

    def _hand_over(self, model: Any, optimizer: Any) -> None:
        self._found()
        if self._call is not None:
            return
        try:
            self._auto = Auto(self.run, model, [optimizer])
            self._auto_of = weakref.ref(optimizer)
            self._watch(model, optimizer)
        except Exception as error:
            self._auto = None
            self._cannot(error)
            self._look_for_models()

    def _take_back(self) -> None:
        """Something else turned up: another optimizer, or a step without a forward of the model."""
        auto, self._auto = self._auto, None
        if auto is not None:
            auto.stop()
        self._open = False
        self._look_for_models()

    # --- the end ---

    def _cannot(self, error: Exception) -> None:
        self.run._cannot(f"the loop: {type(error).__name__}: {why(error)}")

    def stop(self) -> None:
        """Takes everything back. A step that is open was not finished by the program, and is none; but it is one where it waits for an
        optimizer that never stepped, or has waited for long."""
        if self._open and self._waits_in_vain():
            try:
                self._end_in_vain()
            except Exception as error:
                self._cannot(error)
        elif self._open or (self._auto is not None and self._auto.open):
            self.run.cancel_step()
        self._open = False
        self._loaders.clear()
        self._batches.clear()
        self._draws.clear()
        if self._auto is not None:
            self._auto.open = False
            self._auto.stop()
            self._auto = None
        self._found()
        for undo in reversed(self.undo):
            with contextlib.suppress(Exception):
                undo()
        self.undo.clear()


class _LoopBackward(Backward):
    """What a loop sees of backward, in its own thread."""

    def __init__(self, loop: Loop) -> None:
        super().__init__(loop.run)
        self._loop = loop

    def wanted(self) -> bool:
        """Whether this thread is the one that trains."""
        return self._loop._mine()

    def synced(self) -> bool:
        """Whether gradients are reduced now."""
        return self._loop.synced()

    def looks(self) -> bool:
        """Whether the run has begun, or may begin behind this backward pass."""
        return self.run.enabled or bool(self._loop._optimizers)

    def begins(self) -> None:
        """Backward begins; the run may have begun since the last one."""
        self._loop.backward_begins()
        self.run = self._loop.run

    def ended(self) -> None:
        """Backward has returned."""
        self._loop.backward_ended()

    def discards(self) -> bool:
        """Whether one optimizer was made, or each trains the same."""
        return len(self._loop._optimizers) <= 1 or train_the_same(self._loop._alive())

    def steps(self) -> bool:
        """Whether an optimizer is within its step."""
        return self._loop._depth > 0

    def trained(self) -> Any:
        """Returns a parameter of the optimizers."""
        return first_with_gradient(self._loop._alive())


def _with_a_look(before: Any, look: Callable[[Any], None]) -> Any:
    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        before(self, *args, **kwargs)
        look(self)

    __init__.__wrapped__ = before  # type: ignore[attr-defined]
    return __init__


def _unwrapped(module: Any) -> list[Any]:
    """Returns a module, and what DistributedDataParallel or torch.compile has wrapped in it: evaluation often calls that."""
    found = [module]
    while len(found) < 8:
        parts = getattr(found[-1], "_modules", {})
        inner = parts.get("module") or parts.get("_orig_mod")
        if inner is None or len(parts) != 1:
            break
        found.append(inner)
    return found
