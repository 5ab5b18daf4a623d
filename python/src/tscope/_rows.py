"""Steps that log makes where the program begins none: those that W&B makes of the same calls."""

import operator
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Optional

from tscope._axis import Axis
from tscope._numbers import device_of, flat, on_host
from tscope._recorder import now_ns

if TYPE_CHECKING:
    from tscope._run import Run

_NUMBERS = 1  # the kind of a column, as Run._log_other has it
_STEP_MOST = (1 << 63) - 2


class Rows:
    """Steps that log makes: one a call; with commit=False, or with a step, as long as calls are of it. Its number never goes back.

    The first one waits for a second call, since what is logged before a program's own first step belongs to that; until then the
    recording has its numbers beside, for a program that is killed.

    >>> run = tscope.start("runs/rows")
    >>> run.log(loss=0.5, step=7)
    >>> run.log(accuracy=0.9, step=7)
    >>> run.log(loss=0.25, step=8)
    >>> run.finish()
    >>> run.summary()["steps"]
    2
    """

    def __init__(self, run: "Run") -> None:
        self.awaits = False  # steps that hooks or a framework begin
        self.next = 0  # the number of the row that is filled, or comes next
        self._run = run
        self._axis = Axis()
        self._at: Optional[int] = None  # the number of the row that is filled
        self._whole = False  # it is complete, and waits because it is the first
        self._made = False  # the recorder has it, and what else comes of it is late
        self._values: dict[str, Any] = {}  # of this row, which the recorder does not have
        self._beside: dict[int, dict[str, Any]] = {}  # amounts and memory for the row that comes, by kind
        self._later: dict[int, dict[str, Any]] = {}  # the same for the row behind a whole one
        self._told = 0  # when it was added to last
        self._names: set[str] = set()  # that the last step has
        self._by_axis = False  # a step had its number from an axis

    # --- what a program says ---

    def declare(self, name: str, step_metric: Any) -> None:
        """The program says over which number others are drawn.

        >>> Rows(run).declare("train/*", "train/step")
        """
        self._axis.declare(name, getattr(step_metric, "name", step_metric))

    def call(self, numbers: tuple[Any, ...], by_name: dict[str, Any]) -> None:
        """The program calls log outside of a step of its own, or with words that are no numbers.

        >>> Rows(run).call(({"loss": 0.5}, 7), {"commit": True})
        """
        if os.getpid() != self._run._pid:
            return
        if not by_name and not any(isinstance(table, Mapping) for table in numbers):
            self._run._cannot("log takes numbers by name, or a dictionary of them")
            return
        values, step, commit = self._words(numbers, by_name)
        if self._run._by_program():
            self._of_own_step(values, step)
        else:
            self._take(values, step, commit)

    def keep(self, kind: int, numbers: tuple[Any, ...], by_name: dict[str, Any]) -> None:
        """The program gives amounts or memory before the row that they belong to.

        >>> Rows(run).keep(2, (), {"tokens": 8192})
        """
        if os.getpid() != self._run._pid:
            return
        if self._made:  # this row is not over
            self._run._log_now(kind, self._flat([*numbers, by_name]))
            return
        of = self._later if self._whole else self._beside
        found = self._flat([*numbers, by_name])
        of.setdefault(kind, {}).update(found)
        if not self._whole:
            self._first(kind, found)
        self._run._hold(True)

    def _flat(self, tables: list[Any]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for table in tables:
            if isinstance(table, Mapping):
                found.update(flat(table, self._run._no_number))
            else:
                self._run._cannot("log takes numbers by name, or a dictionary of them")
        return found

    def _words(self, numbers: tuple[Any, ...], by_name: dict[str, Any]) -> tuple[dict[str, Any], Optional[int], Optional[bool]]:
        """Returns what a call says: numbers, the step, and whether that is complete."""
        tables = list(numbers)
        rest: list[Any] = []
        while len(tables) > 1 and not isinstance(tables[-1], Mapping):  # log(numbers, 7, True)
            rest.insert(0, tables.pop())
        said = {"step": None, "commit": None, **dict(zip(("step", "commit"), rest))}
        for name in ("step", "commit"):
            if name in by_name:
                said[name] = by_name.pop(name)
        if isinstance(by_name.get("data"), Mapping):
            tables.append(by_name.pop("data"))
        for _ in rest[2:]:
            self._run._cannot("log takes numbers, a step and commit, and no more without a name")
        commit = None if said["commit"] is None else bool(said["commit"])
        return self._flat([*tables, by_name] if by_name else tables), self._step(said["step"]), commit

    def _step(self, step: Any) -> Optional[int]:
        try:
            if step is None or isinstance(step, bool):
                raise TypeError("no number")
            found = int(step) if isinstance(step, float) and step.is_integer() else operator.index(step)
            if abs(found) <= _STEP_MOST:
                return found
        except (TypeError, ValueError, OverflowError, RuntimeError):
            pass
        if step is not None:
            self._run._cannot("the step of log is no whole number: its numbers are of the step under way; the number of the step")
        return None

    # --- steps that the program begins ---

    def _of_own_step(self, values: dict[str, Any], step: Optional[int]) -> None:
        """Numbers with a step, of a program that begins its own: of the open step or the last one, unless theirs is earlier."""
        run = self._run
        now = run._step_now()
        if step is None or now is None or step >= now:
            if step is not None and now is not None and step > now:
                run._tell("step", f"log was told step {step} in step {now}, with which its numbers are recorded")
            run._log_now(_NUMBERS, values)
            return
        for name, value in values.items():
            if device_of(value) == "cpu":
                run._late(step, _NUMBERS, name, on_host(value))
            else:
                run._arrivals.number(value, lambda number, name=name: run._late(step, _NUMBERS, name, number))  # type: ignore[misc]

    def go_on(self) -> None:
        """This is a further attempt of a run whose steps log makes: they go on behind the last one.

        >>> Rows(run).go_on()
        """
        from tscope import _recording

        try:
            before = _recording.of_run(self._run.directory, self._run.rank, self._run.world_size, _recording._RECENT)
            self.next = max([*before.times, *before.waited], default=-1) + 1
        except (OSError, ValueError) as error:
            self._run._cannot(f"the last step of the run that goes on: {error}")

    def hand_over(self) -> bool:
        """The program begins a step of its own: whether what was logged before joins it, or was a step itself.

        >>> Rows(run).hand_over()
        True
        """
        if self._run._step_now() is None:
            return True
        self._flush()
        return bool(self._beside)

    def join(self) -> None:
        """Gives the step that is open what was logged before it.

        >>> Rows(run).join()
        """
        self._put()
        self._at, self._whole, self._made = None, False, False
        self._beside, self._later = self._later, {}
        self._put()

    # --- steps that log makes ---

    def _take(self, values: dict[str, Any], step: Optional[int], commit: Optional[bool]) -> None:
        run = self._run
        if self.awaits and not any(name in self._values for name in values):
            self._add(values)
            return
        self.awaits = False  # the same is logged again: nothing else makes steps
        if step is not None and step < self.next:
            cause = "log was told a step lower than one before, and steps must rise"
            for _ in values:
                run._cannot(cause)
            return
        if self._whole or (step is not None and step > self.next):
            self._flush()
        if step is not None:
            self.next = step
        if self._at is None:
            self._at = self.next
        self._add(values)
        if step is None if commit is None else commit:
            self._whole = True
            self.next = self._at + 1
        if not self._waits():
            self._make()
            if self._whole:
                self._flush()

    def _add(self, values: dict[str, Any]) -> None:
        self._told = now_ns()
        if self._made:
            self._run._log_now(_NUMBERS, values)
            return
        kept = {name: _kept(value) for name, value in values.items()}
        self._values.update(kept)
        self._first(_NUMBERS, kept)
        self._run._hold(True)

    def _first(self, kind: int, values: dict[str, Any]) -> None:
        """Has the recording keep what waits for the first step, for a program that is killed. No device is asked."""
        run = self._run
        if run._step_now() is not None:
            return
        for name, value in values.items():
            if isinstance(value, float) or (isinstance(value, int) and abs(value) < 1 << 1023):
                run._ahead(self.next if self._at is None else self._at, kind, name, float(value))

    def _waits(self) -> bool:
        """Whether the row is not made yet: the first one may be the program's own, and another one may lack its axis."""
        return self._run._step_now() is None or (not self._whole and self._axis.may_come(self._values))

    def _make(self) -> None:
        """Makes a step of the row."""
        run, last = self._run, self._run._step_now()
        if self._made:
            return
        name, value = self._axis.of(self._values)
        number = self._at or 0
        if name is not None:
            if not self._by_axis:
                run.facts({"columns": {"step": {"source": name}}})
            self._by_axis = True
            number = value if value is not None else number if last is None else last
        elif self._by_axis and last is not None:
            number = max(number, last + 1)
        self._made = True
        if last is not None and number == last and self._names.isdisjoint(self._values):  # it stands at the step before it
            self._put()
            return
        self._names = set()
        run._begin_row(number, self._told if last is None else 0)  # since the step before
        self._put()
        run._end_row(self._told)

    def _put(self) -> None:
        """Gives the step that is open, or that ended last, what is there."""
        values, self._values = self._values, {}
        beside, self._beside = self._beside, {}
        self._run._hold(False)
        self._names.update(values)
        self._run._log_now(_NUMBERS, values)
        for kind, numbers in beside.items():
            self._run._log_now(kind, numbers)

    def _flush(self) -> None:
        """The row is over."""
        if self._at is not None:
            self._make()
        self._at, self._whole, self._made = None, False, False
        self._beside, self._later = {**self._beside, **self._later}, {}
        self._run._hold(bool(self._beside))

    def end(self) -> None:
        """The run ends: what waits is its last step.

        >>> Rows(run).end()
        """
        self._flush()
        if self._values or self._beside:
            self._at, self._told = self.next, now_ns()
            self._flush()


def kept_of(numbers: Any) -> Any:
    """Returns the numbers of a call as they are now; what is no table of numbers is left as it is.

    >>> kept_of({"loss": 0.5})
    {'loss': 0.5}
    """
    if not isinstance(numbers, Mapping):
        return numbers
    found = {}
    for name, value in numbers.items():
        try:
            found[name] = kept_of(value) if isinstance(value, Mapping) else _kept(value)
        except Exception:
            found[name] = value  # no number, which is counted when it is logged
    return found


def _kept(value: Any) -> Any:
    """Returns a value that what the program does to it later does not change."""
    if isinstance(value, (bool, int, float)):
        return value
    if device_of(value) == "cpu" and not hasattr(value, "copy_to_host_async"):
        return on_host(value)
    clone = getattr(value, "clone", None)
    return value.detach().clone() if callable(clone) else value
