"""The loss scale of mixed precision, from torch's GradScaler."""

from typing import TYPE_CHECKING, Any, Callable, Optional

from tscope._patches import patched

if TYPE_CHECKING:
    from tscope._run import Run

_SETTINGS = ("init_scale", "growth_factor", "backoff_factor", "growth_interval")


class Scaler:
    """Records `scalars.grad_scale`, the scale of the gradients with which a scaler is about to step an optimizer, and how it moves.

    A step that is skipped is one behind which the scale is smaller.

    >>> Scaler(run).stop()
    """

    def __init__(self, run: "Run") -> None:
        self._run = run
        self._undo: Optional[Callable[[], None]] = None
        self._known = False

    def look_for(self, torch: Any) -> None:
        """Patches the scaler of torch, once."""
        kind = getattr(getattr(torch, "amp", None), "GradScaler", None)
        if self._undo is None and kind is not None:
            self._undo = patched(kind, "step", self._noted(kind.step))

    def _noted(self, before: Any) -> Any:
        def step(scaler: Any, *args: Any, **kwargs: Any) -> Any:
            self._note(scaler)
            return before(scaler, *args, **kwargs)

        step.__wrapped__ = before  # type: ignore[attr-defined]
        return step

    def _note(self, scaler: Any) -> None:
        run = self._run
        try:
            if not run.enabled or not scaler.is_enabled() or scaler._scale is None:
                return
            run.log(grad_scale=scaler._scale)
            if not self._known:
                self._known = True
                how = {name: getattr(scaler, f"_{name}", None) for name in _SETTINGS}
                run.facts({"determinism": {"grad_scaler": {name: value for name, value in how.items() if value is not None}}})
        except Exception as error:
            run._cannot(f"the loss scale: {type(error).__name__}: {error}")

    def stop(self) -> None:
        """Takes its patch back."""
        undo, self._undo = self._undo, None
        if undo is not None:
            undo()
