"""torch's GradScaler, the loss scale of mixed precision: its scale at each step, and the steps of optimizers that it leaves out."""

import functools
from typing import TYPE_CHECKING, Any, Callable, Optional

from tscope._patches import on_scalers

if TYPE_CHECKING:
    from tscope._run import Run

_SETTINGS = ("init_scale", "growth_factor", "backoff_factor", "growth_interval")


class _Steps:
    """Who wants to know of the steps of scalers, while there is somebody. Nothing is read of a device: an optimizer that no hook of
    optimizers has seen while its scaler was told to step it was left out."""

    def __init__(self) -> None:
        self._begins: list[Callable[[Any], None]] = []
        self._skipped: list[Callable[[Any], None]] = []
        self._undo: list[Callable[[], None]] = []
        self._hook: Optional[Callable[[], None]] = None
        self._under_way: dict[int, bool] = {}  # optimizers that a scaler is told to step, and whether they have stepped

    def begins(self, told: Callable[[Any], None]) -> Callable[[], None]:
        """Has a function told of each scaler that is about to step an optimizer. Returns what takes that back."""
        return self._add(self._begins, len(self._begins), told)

    def skipped(self, told: Callable[[Any], None], first: bool = False) -> Callable[[], None]:
        """Has a function told of each optimizer whose step is left out, `first` before those that end the step of the run. Returns what
        takes that back."""
        return self._add(self._skipped, 0 if first else len(self._skipped), told)

    def _add(self, wanted: list[Callable[[Any], None]], at: int, told: Callable[[Any], None]) -> Callable[[], None]:
        wanted.insert(at, told)
        if not self._undo:
            self._undo = on_scalers("step", self._seen)
        return functools.partial(self._remove, wanted, told)

    def _remove(self, wanted: list[Callable[[Any], None]], told: Callable[[Any], None]) -> None:
        if told in wanted:
            wanted.remove(told)
        if not self._skipped and self._hook is not None:
            self._hook()
            self._hook = None
        if not self._begins and not self._skipped:
            for undo in self._undo:
                undo()
            self._undo = []

    def _seen(self, before: Any) -> Any:
        steps = self

        @functools.wraps(before)
        def step(scaler: Any, optimizer: Any, *args: Any, **kwargs: Any) -> Any:
            if not scaler.is_enabled():
                return before(scaler, optimizer, *args, **kwargs)
            steps._begin(scaler, optimizer)
            try:
                given = before(scaler, optimizer, *args, **kwargs)
            finally:
                stepped = steps._under_way.pop(id(optimizer), True)
            if not stepped:
                for told in list(steps._skipped):
                    told(optimizer)
            return given

        return step

    def _begin(self, scaler: Any, optimizer: Any) -> None:
        from torch.optim import optimizer as module

        for told in self._begins:
            told(scaler)
        if self._skipped and isinstance(optimizer, module.Optimizer):
            if self._hook is None:
                self._hook = module.register_optimizer_step_pre_hook(self._steps).remove
            self._under_way[id(optimizer)] = False

    def _steps(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        if id(optimizer) in self._under_way:
            self._under_way[id(optimizer)] = True


scaler_steps = _Steps()


class Scaler:
    """Records `scalars.grad_scale`, the scale of the gradients with which a scaler is about to step an optimizer, and how it moves.

    >>> Scaler(run).stop()
    """

    def __init__(self, run: "Run") -> None:
        self._run = run
        self._undo: Optional[Callable[[], None]] = None
        self._known = False

    def look_for(self) -> None:
        """Has the scalers of torch seen."""
        if self._undo is None:
            self._undo = scaler_steps.begins(self._note)

    def _note(self, scaler: Any) -> None:
        run = self._run
        try:
            if not run.enabled or scaler._scale is None:
                return
            run.log(grad_scale=scaler._scale)
            if not self._known:
                self._known = True
                how = {name: getattr(scaler, f"_{name}", None) for name in _SETTINGS}
                run.facts({"determinism": {"grad_scaler": {name: value for name, value in how.items() if value is not None}}})
        except Exception as error:
            run._cannot(f"the loss scale: {type(error).__name__}: {error}")

    def stop(self) -> None:
        """Takes that back."""
        undo, self._undo = self._undo, None
        if undo is not None:
            undo()
