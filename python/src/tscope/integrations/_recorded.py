"""What the integrations have in common: a run that begins with training, and hooks of a framework that cannot disturb it."""

import functools
from collections.abc import Iterable, Mapping
from typing import Any, Callable, Optional

from tscope._auto import _directory
from tscope._resume import place
from tscope._run import Run, is_refusal, start
from tscope._say import say
from tscope._zero import current


def quiet(hook: Callable[..., None]) -> Callable[..., None]:
    """Makes a hook of something that records: what goes wrong in it is counted, said once, and never reaches training.

    With strict=True among the options of `tscope.start`, what `start` raises does.
    """

    @functools.wraps(hook)
    def guarded(self: Any, *args: Any, **kwargs: Any) -> None:
        try:
            hook(self, *args, **kwargs)
        except Exception as error:
            if is_refusal(error):
                raise
            self._broken(hook.__name__, error)

    return guarded


class Recorded:
    """A run that is given, or that begins in a folder when training does."""

    def __init__(self, run: Optional[Run] = None, directory: Any = None, **options: Any) -> None:
        self.run: Run = run if run is not None else Run()
        self._given = run is not None
        self._how, self._directory = options, directory
        self._default = _directory()
        self._undo: list[Callable[[], None]] = []
        self._used = False

    def _broken(self, where: str, error: Exception) -> None:
        try:
            self.run._cannot(f"{type(self).__name__}.{where}: {type(error).__name__}: {error}")
        except Exception:
            say(f"{where} is not recorded, and training goes on")

    def _begin(self, config: Any = None) -> bool:
        """Begins the run, a new one for each training; in one that was given, what the framework was told becomes a fact."""
        if not self._given:
            how = dict(self._how)
            how.setdefault("config", config)
            if self._used:  # a second training of this process goes on with no run of an earlier one
                self.run.finish()
                how.setdefault("exist", "new")
            self._used = True
            at, how["exist"] = place(self._directory, how.get("exist"), lambda: self._default)
            try:
                self.run = start(at, **how)
            finally:
                if not self.run.enabled:
                    self._take_back()
            if self._undo:  # what was hooked before it began
                self.run._at_end.append(self._take_back)
        elif config is not None:
            self.run.facts({"config": config})
        self.run._rows.awaits = True
        zero = current()
        if zero is not None and self.run.enabled:
            zero.hand_on(self.run)
        return self.run.enabled

    def __reduce__(self) -> Any:
        """A copy, in another process or of a model that has hooks, records nothing until it is told that training begins."""
        return _again, (type(self), {"directory": self._directory, **self._how})

    def _at_end(self, undo: Callable[[], None]) -> None:
        """Has something taken back when training ends, or the run."""
        self._undo.append(undo)
        if self._take_back not in self.run._at_end:
            self.run._at_end.append(self._take_back)

    def _take_back(self) -> None:
        while self._undo:
            try:
                self._undo.pop()()
            except Exception as error:
                self._broken("end", error)


def _again(kind: Any, how: dict[str, Any]) -> Any:
    return kind(**how)


def numbers(values: Any, besides: Iterable[str] = ()) -> dict[str, Any]:
    """Returns those of a framework's values that are numbers, or tensors of one number, by name.

    >>> numbers({"loss": 0.5, "note": "x", "nested": {"a": 1}})
    {'loss': 0.5}
    """
    if not isinstance(values, Mapping):
        return {}
    return {str(name): value for name, value in values.items() if name not in besides and _is_number(value)}


def _is_number(value: Any) -> bool:
    if isinstance(value, (bool, int, float)):
        return True
    numel = getattr(value, "numel", None)
    if callable(numel):
        return bool(numel() == 1)
    return callable(getattr(value, "item", None)) and getattr(value, "size", 1) == 1


def unwrapped(optimizer: Any) -> Any:
    """Returns the optimizer of torch that another one stands around.

    >>> class Around:
    ...     optimizer = "the optimizer"
    >>> unwrapped(Around())
    'the optimizer'
    """
    for _ in range(8):
        inner = getattr(optimizer, "optimizer", None) or getattr(optimizer, "_optimizer", None)
        if inner is None:
            break
        optimizer = inner
    return optimizer
