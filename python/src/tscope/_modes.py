"""In which mode models train: training, evaluation (dropout does nothing, batch normalization keeps its statistics), or partly so."""

import gc
import os
import sys
import threading
import weakref
from collections import Counter
from typing import TYPE_CHECKING, Any, Callable, Optional

from tscope._compiles import compiles, compiles_backward, compiles_steps
from tscope._recorder import now_ns

if TYPE_CHECKING:
    from tscope._run import Run

_MODELS = 8  # that are looked at
_PATIENCE = 8  # steps in which a model is looked for


class Modes:
    """The modes of a run's models as an optimizer steps that has their parameters, at the steps that are looked at.

    Models are those that `Auto` and the loop of `python -m tscope` tell. Where nobody does, the outermost module that is called with
    gradients in a step is one; it is found by a patch of Module.__call__, which is there until that call alone. Where torch.compile is
    used, which would look at the patch, it is looked for once among all objects, by the parameters that the optimizer holds. Where
    it has compiled an optimizer's step, which looks at the hooks of all, modes are those as the gradient of a parameter comes that is
    updated in that step (_InBackward).

    >>> Modes(run).cost
    0
    """

    def __init__(self, run: "Run") -> None:
        self._run = run
        self.cost = 0  # ns that this step's look took in an optimizer's step
        self._models: list[weakref.ref[Any]] = []
        self._call: Any = None
        self._looked = 0
        self._searches = False
        self._hook: Optional[Callable[[], None]] = None
        self._compiling: Any = None
        self._in_backward: Optional[_InBackward] = None
        self._thread = 0
        self._open = False
        self._seen: list[dict[str, Any]] = []
        self._tally: dict[str, Any] = {}
        self._said: dict[str, Any] = {}

    def add(self, module: Any) -> None:
        """Says that a module is a model which is trained."""
        if len(self._models) < _MODELS and not any(known() is module for known in self._models):
            self._models.append(weakref.ref(module))

    def begin(self, torch: Any) -> None:
        """A step begins that is looked at."""
        self.cost = 0
        self._seen = []
        self._thread = threading.get_ident()
        self._models = [known for known in self._models if known() is not None]
        optimizers = sys.modules.get("torch.optim.optimizer")
        if self._hook is None and optimizers is not None and not compiles_steps(optimizers):
            self._compiling = getattr(getattr(torch, "compiler", None), "is_compiling", lambda: False)
            self._hook = optimizers.register_optimizer_step_pre_hook(self._steps).remove
        elif self._hook is None and optimizers is not None:
            self._ask_in_backward(optimizers)
        if self._hook is not None and not self._models and self._looked < _PATIENCE:
            self._searches = compiles()
            self._looked = _PATIENCE if self._searches else self._looked + 1
            if not self._searches:
                self._look_for(torch)
        self._open = True

    def _ask_in_backward(self, optimizers: Any) -> None:
        if self._in_backward is None and self._looked < _PATIENCE:
            self._looked += 1
            found = [one for one in gc.get_objects() if issubclass(type(one), optimizers.Optimizer)]
            held = {id(p) for optimizer in found for group in optimizer.param_groups for p in group["params"]}
            if held and not self._models:
                self._search(held)
            self._in_backward = _InBackward(held, self._see, self._run) if held else None
        if self._in_backward is not None:
            self._in_backward.ask([model for known in self._models if (model := known()) is not None])

    # --- which model ---

    def _look_for(self, torch: Any) -> None:
        Module = torch.nn.Module
        before, modes, pid = Module.__call__, self, os.getpid()

        def __call__(module: Any, *args: Any, **kwargs: Any) -> Any:
            if not modes._compiling() and threading.get_ident() == modes._thread and os.getpid() == pid:
                try:
                    if torch.is_grad_enabled() and any(p.requires_grad for p in module.parameters()):
                        modes._found()
                        modes.add(module)
                except Exception as error:
                    modes._run._cannot(f"the model: {type(error).__name__}: {error}")
            return before(module, *args, **kwargs)

        self._call = (Module, before, __call__)
        Module.__call__ = __call__

    def _found(self) -> None:
        """Takes the patch back. torch.compile, if it was imported meanwhile, took it for torch's own."""
        call, self._call = self._call, None
        if call is None:
            return
        Module, before, mine = call
        if Module.__call__ is mine:
            Module.__call__ = before
        utils = sys.modules.get("torch._dynamo.utils")
        if getattr(utils, "unpatched_nn_module_call", None) is mine:
            utils.unpatched_nn_module_call = before  # type: ignore[union-attr]

    def _search(self, held: set[int]) -> None:
        """Takes the modules that no other module has and that have parameters which an optimizer holds."""
        self._searches = False
        Module = sys.modules["torch"].nn.Module
        every = [module for module in gc.get_objects() if issubclass(type(module), Module) and "_modules" in module.__dict__]
        inside = {id(child) for module in every for child in module._modules.values() if not hasattr(module, "_orig_mod")}
        for module in every:
            # What torch.compile returned stands around the model.
            outermost = id(module) not in inside and "_orig_mod" not in module._modules
            if outermost and any(id(p) in held for p in module.parameters()):
                self.add(module)

    # --- which mode ---

    def _steps(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        """An optimizer's step begins."""
        if self._compiling() or not self._open:
            return
        began = now_ns()
        try:
            held = {id(p) for group in optimizer.param_groups for p in group["params"]}
            if self._searches and not self._models:
                self._search(held)
            for known in self._models:
                model = known()
                if model is not None:
                    self._see(model, held)
        except Exception as error:
            self._run._cannot(f"the mode of the model: {type(error).__name__}: {error}")
        self.cost += now_ns() - began

    def _see(self, model: Any, held: set[int]) -> None:
        modules, parameters = list(model.modules()), list(model.parameters())
        updated = sum(id(p) in held and p.requires_grad for p in parameters)
        if not updated:
            return
        resting = [module for module in modules if not module.training]
        norms, drops = [m for m in resting if _is_norm(m)], [m for m in resting if _drops(m)]
        classes = Counter(type(module).__name__ for module in (*norms, *drops))
        self._seen.append({
            "modules": len(modules), "modules_in_eval": len(resting), "parameters": len(parameters), "updated": updated,
            "norms_in_eval": len(norms), "dropouts_in_eval": len(drops),
            "classes_in_eval": ", ".join(f"{name} ({n})" for name, n in classes.most_common(5)),
        })

    def end(self, step: int) -> None:
        """The step ends."""
        self._open = False
        self._found()
        if self._in_backward is not None and not self._in_backward.updated():
            self._seen = []
        if self._hook is not None and not compiles():  # what was compiled with the hook is kept with it
            self._hook()
            self._hook = None
        if not self._seen:
            return
        worst = max(self._seen, key=lambda seen: seen["modules_in_eval"] / seen["modules"])
        kind = "whole" if worst["modules_in_eval"] == worst["modules"] else "part" if worst["modules_in_eval"] else ""
        tally = self._tally
        tally["observed"] = tally.get("observed", 0) + 1
        for name in ("whole", "part"):
            tally[name] = tally.get(name, 0) + (name == kind)
        tally["last"] = step
        if kind and tally[kind] == 1:
            tally[f"first_{kind}"] = step
        if tally["observed"] == 1 or (kind and tally[kind] == 1 and not (kind == "part" and tally["whole"])):
            tally.update(worst)
            self._say()

    def _say(self) -> None:
        if self._tally != self._said:
            self._said = dict(self._tally)
            self._run.facts({"work": {"modes": self._said}})

    def stop(self) -> None:
        """Takes everything back, and says what was seen."""
        self._open = False
        self._found()
        if self._in_backward is not None:
            self._in_backward.stop()
        hook, self._hook = self._hook, None
        if hook is not None:
            hook()
        if self._tally:
            self._say()


class _InBackward:
    """Looks at models as the gradient of one of their parameters comes, of the node that adds it up, of which no graph knows; `held`
    are the parameters of optimizers. What was seen counts if one of these parameters is written to in the step, by torch's counter.

    >>> _InBackward(set(), print, run).updated()
    False
    """

    def __init__(self, held: set[int], see: Callable[[Any, set[int]], None], run: "Run") -> None:
        self._held, self._see, self._run = held, see, run
        self._hooks: list[Any] = []
        self._nodes: list[Any] = []  # torch keeps them only as long as a graph has them
        self._written: list[tuple[Any, int]] = []

    def ask(self, models: list[Any]) -> None:
        """Has these models looked at in the next backward pass."""
        import torch

        self.stop()
        if compiles_backward():
            return
        for model in models:
            p = next((p for p in model.parameters() if p.requires_grad and id(p) in self._held), None)
            if p is not None:
                with torch.enable_grad():
                    node = p.view_as(p).grad_fn.next_functions[0][0]
                self._nodes.append(node)
                self._hooks.append(node.register_prehook(self._comes(model, p)))

    def _comes(self, model: Any, p: Any) -> Callable[[Any], None]:
        left = [True]

        def comes(_: Any) -> None:
            if left:
                left.clear()
                try:
                    self._written.append((p, p._version))
                    self._see(model, self._held)
                except Exception as error:
                    self._run._cannot(f"the mode of the model: {type(error).__name__}: {error}")

        return comes

    def updated(self) -> bool:
        """Whether what was looked at was updated behind that. It is looked at no more."""
        found = any(p._version != version for p, version in self._written)
        self.stop()
        return found

    def stop(self) -> None:
        """Takes its hooks off."""
        for hook in self._hooks:
            hook.remove()
        self._hooks, self._nodes, self._written = [], [], []


def _is_norm(module: Any) -> bool:
    """Whether a module has statistics that it keeps in evaluation mode and updates in training mode."""
    return bool(getattr(module, "track_running_stats", False)) and getattr(module, "running_mean", None) is not None


def _drops(module: Any) -> bool:
    """Whether a module drops numbers in training mode."""
    kind = type(module).__name__
    rate = getattr(module, "p", None) if "Dropout" in kind or "DropPath" in kind else getattr(module, "dropout", None)
    return isinstance(rate, (int, float)) and not isinstance(rate, bool) and rate > 0
