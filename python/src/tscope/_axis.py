"""The axis of what log was told: which of its numbers is the step, as `tscope push` finds it in a log of W&B (docs/importers.md)."""

from typing import Any, Optional

# How the integrations of Lightning and Hugging Face, and scripts like theirs, log the step.
_KNOWN = ("trainer/global_step", "train/global_step", "global_step")
_MOST = 1024  # declarations that are kept


class Axis:
    """Which number is the step: that over which most numbers so far are drawn by `define_metric`; without any, a known name.

    >>> axis = Axis()
    >>> axis.declare("eval/*", "epoch")
    >>> axis.of({"eval/loss": 0.5, "epoch": 3}), axis.of({"loss": 0.5})
    (('epoch', 3), ('epoch', None))
    """

    def __init__(self) -> None:
        self.declares = False  # that there is an axis
        self._names: dict[str, str] = {}  # of numbers: their axis
        self._begins: dict[str, str] = {}  # how names of numbers begin
        self._drawn: dict[str, int] = {}  # how many numbers are drawn over an axis
        self._seen: set[str] = set()  # axes that had a value
        self._none = 0  # numbers that are drawn over none
        self._rows = 0
        self._known = dict.fromkeys(_KNOWN, 0)  # rows that have it; -1: it had a value that is no whole number

    def declare(self, name: str, step_metric: Optional[str]) -> None:
        """Says over which number another one is drawn, or all whose names begin so: "train/*".

        >>> Axis().declare("train/*", "train/step")
        """
        if not step_metric or len(self._names) + len(self._begins) >= _MOST:
            return
        if name.endswith("*"):
            self._begins[name[:-1]] = step_metric
        else:
            self._names[name] = step_metric
        self._drawn.setdefault(step_metric, 0)
        self.declares = True

    def _over(self, name: str) -> Optional[str]:
        if name in self._names:
            return self._names[name]
        begins = [begin for begin in self._begins if name.startswith(begin)]
        return self._begins[max(begins, key=len)] if begins else None

    def _count(self, values: dict[str, Any]) -> None:
        self._rows += 1
        self._seen.update(name for name in values if name in self._drawn)
        for name in values if self.declares else ():
            if name in self._drawn:
                continue
            axis = self._over(name)
            if axis in self._seen:
                self._drawn[str(axis)] += 1
            else:
                self._none += 1
        for name in _KNOWN:
            if name in values and self._known[name] >= 0:
                self._known[name] = self._known[name] + 1 if _whole(values[name]) is not None else -1

    def _chosen(self) -> Optional[str]:
        if not self.declares:
            return next((name for name, rows in self._known.items() if rows > 0 and 2 * rows >= self._rows), None)
        best = max(self._drawn, key=lambda name: self._drawn[name])
        return best if self._drawn[best] >= max(self._none, 1) else None

    def of(self, values: dict[str, Any]) -> tuple[Optional[str], Optional[int]]:
        """Returns the name of the axis and its value in this row, or None.

        >>> Axis().of({"loss": 0.5, "train/global_step": 40})
        ('train/global_step', 40)
        """
        self._count(values)
        name = self._chosen()
        return name, None if name is None or name not in values else _whole(values[name])

    def may_come(self, values: dict[str, Any]) -> bool:
        """Whether the value of a declared axis may still join a row.

        >>> Axis().may_come({"loss": 0.5})
        False
        """
        return self.declares and not any(name in self._drawn for name in values)


def _whole(value: Any) -> Optional[int]:
    try:
        number = float(value)
        return int(number) if number.is_integer() and abs(number) < 1 << 53 else None
    except (TypeError, ValueError, OverflowError, RuntimeError):
        return None
