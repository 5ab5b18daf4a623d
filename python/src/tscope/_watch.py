"""Digests every so many steps: of batches, of generators before the pass, and of what there is when the optimizer's step begins."""

import sys
from typing import TYPE_CHECKING, Any, Callable

from tscope._checks import Checks
from tscope._compiles import compiles
from tscope._digests import leaves, of_tensors, plain_types
from tscope._generators import Generators
from tscope._members import Members
from tscope._numbers import device_of
from tscope._rates import rates_of
from tscope._recorder import Quiet, Watched
from tscope._scaler import scaler_steps
from tscope._windows import ModuleHook

if TYPE_CHECKING:
    from tscope._run import Run


class PassHook(ModuleHook):
    """A hook that is no part of a graph, where a compiler traces it.

    >>> PassHook(run, None, print)(None, "given")
    given
    """

    def __init__(self, run: "Run", module: Any, act: Callable[..., None]) -> None:
        super().__init__(run, module, act)
        compiler = getattr(sys.modules.get("torch"), "compiler", None)
        self._compiling = getattr(compiler, "is_compiling", bool)

    def __call__(self, module: Any, *rest: Any) -> None:
        if not self._compiling():
            super().__call__(module, *rest)


class Watch(Watched):
    """What a run watches. Every digest is of the state before the optimizer's step changes it: that of the step's own forward pass.

    The digest of generators is of the moment before the pass: at the model's first forward of the step that has gradients. A hook is
    there from the step's beginning to that forward. One that is not called stays: a model that is compiled, whose graph has none, would
    be compiled again without it. Where no model is known, and where what begins the step is the model's forward itself, the step's
    beginning is the moment. _watched.c says at which steps all this is.
    """

    def __init__(self, run: "Run", model: Any, optimizer: Any, every: int) -> None:
        self._run, self._model, self._every = run, model, max(int(every), 1)
        self._optimizer: Any = None
        self.awaits = optimizer is not None
        self.generators = Generators()
        self._quiet, self._told = Quiet(), False
        self._hook_of: Any = None
        self._hooks: Any = None  # all that the optimizer has
        self._pass: Any = None  # the hook of the model
        self._checks = Checks(run)
        self._forget: Callable[[], None] = lambda: None
        self._members = Members(model) if model is not None else None
        self._names = {id(p): name for name, p in self._members.parameters()} if self._members is not None else {}
        self._keys: dict[tuple[str, str], str] = {}  # names of what the optimizer's state has, by a parameter's and a key
        self._schedule(run, model, self.generators.resting, self._every)
        if model is not None:
            run._trains(model)
        run.facts({"columns": _before("batch", "rng_pass"), "work": {"digests_every": self._every}})
        if optimizer is not None:
            self._follow(optimizer)
        run._watch_by(self)

    def _follow(self, optimizer: Any) -> None:
        """The optimizer is known."""
        self._optimizer, self.awaits, self.forced = optimizer, True, True
        self._told = any(optimizer is one for one in self._run._told_of)
        self._watches(optimizer, getattr(optimizer, "_optimizer_step_pre_hooks", None) if self._told else None)
        self._opens()
        self._forget = scaler_steps.skipped(lambda skipped: self._steps() if skipped is optimizer else None, first=True)
        self._run.facts({"columns": {**_before("params", "grads", "optimizer", "rng"), **self._of_buffers()}})

    def take_every(self, every: int) -> int:
        """Has digests taken every so many steps from the next one on. Returns how many it was before."""
        before, self._every = self._every, every
        self._schedule(self._run, self._model, self.generators.resting, every)
        self.now()
        return before

    # --- what _watched.c calls, in watched steps ---

    def _hook(self) -> None:
        """The optimizer's step is looked for."""
        if self._hooks is None:
            self._hook_of = self._optimizer.register_step_pre_hook(self._steps)
            self._hooks = self._hook_of.hooks_dict_ref()
        else:
            self._hooks[self._hook_of.id] = self._steps  # as it was registered before

    def _closes(self) -> None:
        """The step ends. A hook stays that waits for its optimizer, and one with which torch.compile may have taken the step."""
        if not compiles():
            self._unhook()

    def _unhook(self) -> None:
        if self._hooks is not None:
            self._hooks.pop(self._hook_of.id, None)
        self._hooked = 0

    def _await_pass(self) -> None:
        """The model's first forward with gradients is looked for."""
        if self._pass is None:
            self._pass = self._model.register_forward_pre_hook(PassHook(self._run, self._model, self._forward))

    def _forward(self, *_: Any) -> None:
        import torch

        if torch.is_grad_enabled():
            self._unhook_pass()
            if self._before_pass:
                self._before_pass = False
                self._take_generators()

    def _unhook_pass(self) -> None:
        hook, self._pass = self._pass, None
        if hook is not None:
            hook.remove()

    def _take_generators(self) -> None:
        """The pass begins."""
        self._log_generators("rng_pass")

    def _log_generators(self, name: str) -> None:
        try:
            self._run._log_digest(name, self.generators.digest())
        except Exception as error:
            self._run._cannot(f"the digest of generators: {type(error).__name__}: {error}")

    def _wanted(self, step: int) -> bool:
        return self.forced or step % self._every == 0

    def batch(self, batch: Any) -> None:
        """The loader gave a batch, for the step that is open or that comes next."""
        step = self._run._step_fed()
        wanted = self._wanted(step)
        if not wanted and not self._checks.batches.awaits:
            return
        self.forced = self.forced and self.awaits
        try:
            if any(device_of(leaf) != "cpu" for _, leaf in leaves(batch, "")):
                return  # it would have to be waited for
            if wanted:
                self._run._add_batch("batch", self._checks.batches.of(step, batch))
            else:
                self._checks.batches.beside(batch)
        except Exception as error:
            self._run._cannot(f"the digest of the batch: {type(error).__name__}: {error}")

    def _steps(self, *_: Any) -> None:
        try:
            self.take()
        except Exception as error:
            self._run._cannot(f"digests: {type(error).__name__}: {error}")

    def evaluates(self, model: Any) -> None:
        """An evaluation begins behind a step."""
        self._checks.evaluations.begin(model)

    def trains(self) -> None:
        """It is over: the next step begins."""
        self._checks.evaluations.end(self._run._step_fed())

    def take(self) -> None:
        """The optimizer's step begins."""
        step = self._run._step_now()
        if step is None or not self._run.enabled or not self._wanted(step):
            return
        self.forced = False
        if not (self._told and self._run._logs_rates):
            self._run.log(rates_of(self._optimizer))
        params = self._params()
        found = self._quiet.look(step, params, self._optimizer, plain_types())
        if found is None:
            self._of_devices(step, params)
        else:
            self._run._log_digest("params", found[0])
            self._run._log_digest("grads", found[1])
            if found[2] is not None:
                self._of_host(step, params, *found[2])
        if self._optimizer.state:
            self._one(step, "optimizer", self._state())
        else:
            self._run._log_digest("optimizer", 0)  # of nothing
        buffers = self._buffers()
        if buffers:
            self._one(step, "buffers", buffers)
        self._log_generators("rng")

    def _of_devices(self, step: int, params: list[tuple[str, Any]]) -> None:
        """Not all lies plain on the host: the digests come when they are made."""
        looked = self._check(step, params, self._quiet.unseen())
        self._one(step, "params", params, looked and looked.of_params)
        grads = [(name, grad) for name, p in params if (grad := p.grad) is not None]
        self._one(step, "grads", grads, looked and looked.of_grads, looked and looked.doubt)

    def _of_host(self, step: int, params: list[tuple[str, Any]], before: Any, *known: Any) -> None:
        """The digests of parameters and of gradients are made, and the checks have to see them."""
        looked = self._check(step, params, before)
        if looked is None:
            return
        of_params, of_grads, doubtful = known
        try:
            looked.of_params(of_params)
            looked.doubt(doubtful)
            looked.of_grads(of_grads)
            self._quiet.may = self._checks.may_rest()
        except Exception as error:
            self._run._cannot(f"checks: {type(error).__name__}: {error}")

    def _check(self, step: int, params: list[tuple[str, Any]], before: Any) -> Any:
        """Returns what takes the digests of this step; `before` is the step before, if that was not looked at."""
        try:
            if before is not None:
                self._checks.passed(*before)
            return self._checks.begin(step, params, self._optimizer)
        except Exception as error:
            self._run._cannot(f"checks: {type(error).__name__}: {error}")
            return None

    def _one(self, step: int, name: str, tensors: list[tuple[str, Any]], each: Any = None, doubt: Any = None) -> None:
        run = self._run
        at_once = True

        def arrived(bits: int) -> None:
            if at_once:
                run._log_digest(name, bits)
            else:
                run._late_digest(step, name, bits)

        try:
            of_tensors(tensors, run._arrivals, arrived, each, doubt)
        except Exception as error:
            run._cannot(f"the digest of {name}: {type(error).__name__}: {error}")
        at_once = False

    def _parameters(self) -> list[tuple[str, Any]]:
        names = self._names
        groups = enumerate(self._optimizer.param_groups)
        return [(names.get(id(p)) or f"{g}.{i}", p) for g, group in groups for i, p in enumerate(group["params"])]

    def _params(self) -> list[tuple[str, Any]]:
        return self._parameters() if self._members is None else self._members.parameters()

    def _buffers(self) -> list[tuple[str, Any]]:
        return [] if self._members is None else self._members.buffers()

    def _of_buffers(self) -> dict[str, Any]:
        """Returns the fact of their column: the step's own forward has changed them already. Empty where the model has none."""
        return {"digests.buffers": {"when": "after"}} if self._buffers() else {}

    def _state(self) -> list[tuple[str, Any]]:
        of, keys = self._optimizer.state, self._keys
        found: list[tuple[str, Any]] = []
        if not of:
            return found
        names = {id(p): name for name, p in self._parameters()}
        Tensor = sys.modules["torch"].Tensor
        for p, state in of.items():
            name = names.get(id(p))
            if name is None:
                continue
            for key, value in state.items():
                if isinstance(value, (Tensor, int, float)):
                    full = keys.get((name, key))
                    if full is None:
                        full = keys[name, key] = f"{name}.{key}"
                    found.append((full, value))
        return found

    def stop(self) -> None:
        """Takes its hooks off the optimizer, the model and a parameter."""
        self._run._watch_by(None)
        self._checks.stop()
        self._unhook()
        self._unhook_pass()
        forget, self._forget = self._forget, lambda: None
        forget()


def _before(*names: str) -> dict[str, Any]:
    return {f"digests.{name}": {"when": "before"} for name in names}
