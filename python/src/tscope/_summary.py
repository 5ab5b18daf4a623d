"""What a run came to: called, all that is known of it; and, as trackers have it, numbers that the program says at the end."""

import time
from collections.abc import Iterator, MutableMapping
from typing import TYPE_CHECKING, Any, Union

from tscope import _json

if TYPE_CHECKING:
    from tscope._run import Run

_EVERY_S = 1.0  # between two times that what was set is written, but for the end


class Summary(MutableMapping[str, Any]):
    """`run.summary()` is what the recording says; `run.summary["best"] = 0.9` is recorded as the fact other.summary.best.

    >>> run = tscope.start("runs/summary")
    >>> run.log(loss=0.5)
    >>> run.summary["best"] = 0.25
    >>> run.finish()
    >>> run.summary["loss"], run.summary["best"], run.summary()["steps"]
    (0.5, 0.25, 1)
    """

    def __init__(self, run: "Run") -> None:
        self.__dict__.update(_run=run, _set={}, _new={}, _written=0.0)

    def __call__(self) -> dict[str, Union[int, float, str]]:
        found: dict[str, Union[int, float, str]] = self._run._summarized()
        return found

    def _all(self) -> dict[str, Any]:
        recorded = self()
        last = {name[8:]: value for name, value in recorded.items() if name.startswith("scalars.")}
        ends = tuple(name + end for name in list(last) for end in (".first", ".min", ".mean"))
        return {**{name: value for name, value in last.items() if name not in ends}, **self._set}

    def __getitem__(self, name: str) -> Any:
        return self._set[name] if name in self._set else self._all()[name]

    def __setitem__(self, name: str, value: Any) -> None:
        self._set[str(name)] = value
        self._new[str(name)] = value
        if time.monotonic() - self._written >= _EVERY_S:
            self.write()

    def __delitem__(self, name: str) -> None:
        del self._set[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._all())

    def __len__(self) -> int:
        return len(self._all())

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"the summary has no {name!r}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        self[name] = value

    def write(self) -> None:
        """Records what was set since the last time.

        >>> run.summary.write()
        """
        new: dict[str, Any] = dict(self._new)
        if not new:
            return
        self.__dict__.update(_new={}, _written=time.monotonic())
        self._run.facts({"other": {"summary": {name: _number(value) for name, value in new.items()}}})


def _number(value: Any) -> Any:
    """Returns a tensor or an array of one number as that number, and else what JSON has of a value."""
    item = getattr(value, "item", None)
    if callable(item):
        try:
            value = item()
        except (TypeError, ValueError, RuntimeError):
            return str(value)
    return _json.plain(value)
