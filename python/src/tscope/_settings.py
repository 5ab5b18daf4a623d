"""How torch is set while it trains: the flags that decide which kernels run and with how many bits, and autocast."""

from typing import TYPE_CHECKING, Any, Callable, Optional

from tscope._compiles import compiles
from tscope._facts import determinism
from tscope._patches import patched

if TYPE_CHECKING:
    from tscope._run import Run

_TOLD = 64  # changes of a run that are told; a program that changes a flag for every batch is known after that
_KINDS = ("cuda", "cpu", "mps", "xpu", "hpu")


def _autocast(torch: Any) -> set[str]:
    """Returns where autocast is on now, and with which type: "cuda bfloat16"."""
    return {_said(kind, torch.get_autocast_dtype(kind)) for kind in _KINDS if torch.is_autocast_enabled(kind)}


def _said(kind: str, dtype: Any) -> str:
    return f"{kind} {str(dtype).rpartition('.')[2]}"


class Settings:
    """The settings of a run: those of the first step are facts, in `determinism`; a later change is an event, and a fact with its step,
    or with the steps among which it is, since not every step is looked at.

    Autocast is on in a step where the step enters it, or it is on as the step begins or ends. What a compiled graph enters is not seen.

    >>> Settings(run).end(0)
    """

    def __init__(self, run: "Run") -> None:
        self._run = run
        self._torch: Any = None
        self._entered: set[str] = set()
        self._undo: Optional[Callable[[], None]] = None
        self._before: dict[str, Any] = {}
        self._changes: dict[str, str] = {}
        self._told = self._looked = 0  # the last step that was looked at

    def begin(self, torch: Any) -> None:
        """A step begins that is looked at."""
        self.stop()
        self._torch = torch
        self._entered = set()
        if not hasattr(torch, "get_autocast_dtype"):  # torch before 2.4
            return
        self._entered = _autocast(torch)
        kind, entered = torch.amp.autocast_mode.autocast, self._entered
        before = kind.__enter__

        def __enter__(context: Any) -> Any:
            if context._enabled:
                entered.add(_said(context.device, context.fast_dtype))
            return before(context)

        self._undo = patched(kind, "__enter__", __enter__)

    def end(self, step: int) -> None:
        """The step ends."""
        self.stop()
        torch = self._torch
        if torch is None:
            return
        now = determinism(torch)
        if hasattr(torch, "get_autocast_dtype"):
            found = self._entered | _autocast(torch)
            if found or not compiles():
                now["autocast"] = ", ".join(sorted(found)) or "off"
        before, behind = self._before, self._looked
        self._before, self._looked = {**before, **now}, step
        if not before:
            self._run.facts({"determinism": now})
            return
        changed = {name: value for name, value in now.items() if name in before and before[name] != value}
        if changed and self._told < _TOLD:
            self._tell(behind + 1, step, before, changed)

    def _tell(self, first: int, step: int, before: dict[str, Any], changed: dict[str, Any]) -> None:
        since = f"one of the steps {first} to {step}" if first < step else f"step {step}"
        for name, value in changed.items():
            self._told += 1
            self._run.event("setting changed", f"{name}: {_word(before[name])} to {_word(value)}")
            earlier = self._changes.get(name, "")
            self._changes[name] = f"{earlier}{', ' if earlier else ''}{_word(value)} from {since} on"
        self._run.facts({"determinism": {"changed": self._changes}})

    def stop(self) -> None:
        """Takes its patch back."""
        undo, self._undo = self._undo, None
        if undo is not None:
            undo()


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
