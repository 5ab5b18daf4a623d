"""Steps at which a run looks how training is set: some of the first, and then so seldom that nobody is slowed down by it."""

import sys
import time
from typing import TYPE_CHECKING, Any, Optional

from tscope._compiled import Compiled, Compiling
from tscope._modes import Modes
from tscope._recorder import now_ns
from tscope._scaler import Scaler
from tscope._settings import Settings
from tscope._windows import Window

if TYPE_CHECKING:
    from tscope._run import Run

# What looking may cost on the average: a two-thousandth of a step, or of a short one so many ns.
_SHARE, _LEAST_NS = 2000, 50


class Observed(Window):
    """Looks at settings, modes and the loss scale, at the steps 0, 1, 3, 7, 15, ... until what a look costs says when the next one is.

    >>> Observed(run).next
    0
    """

    def __init__(self, run: "Run") -> None:
        self._run, self.modes = run, Modes(run)
        self._settings, self._scaler, self._compiled = Settings(run), Scaler(run), Compiled(run)
        self._compiling = Compiling(run)
        self._began = self._cost = 0
        self._first: Optional[int] = None

    def begin(self, step: int) -> None:
        """A step begins that is looked at."""
        self._began = now_ns()
        if self._run._first_step is None:
            self._run._first_step = step
        torch = sys.modules.get("torch")
        if torch is not None and hasattr(torch, "nn"):
            self._scaler.look_for()
            self._compiling.look()
            self._settings.begin(torch)
            self.modes.begin(torch)
        self._cost = now_ns() - self._began

    def end(self, step: int) -> None:
        """It ends."""
        at = now_ns()
        self._settings.end(step)
        self.modes.end(step)
        self._compiled.look()
        cost = self._cost + self.modes.cost + now_ns() - at
        apart = cost // max((at - self._began) // _SHARE, _LEAST_NS)
        first = self._first = step if self._first is None else min(step, self._first)
        self.next = step + 1 + min(apart, step - first)  # at the beginning each look is twice as far as the one before

    def stop(self) -> None:
        """Takes everything back, and says what was seen last."""
        self._settings.stop()
        self.modes.stop()
        self._scaler.stop()
        self._compiling.stop()
        self._compiled.look()


class CpuTime(Window):
    """The CPU time of the process and all its threads, in seconds: where steps are long that of each step, `cpu_time`, else
    `cpu_time_mean`, that of a step on the average since the row that has the last one. The first steps decide which of them a run has;
    where these were long only because they were the first, it goes over to the mean.

    >>> CpuTime(run).next
    0
    """

    _FIRST, _SHORT, _LONG_NS, _APART_NS = 5, 8, 5_000_000, 100_000_000

    def __init__(self, run: "Run") -> None:
        self._run = run
        self._last: Optional[tuple[int, int, int]] = None  # step, and at its end the clock and the CPU time
        self._name = ""
        self._short = 0  # steps in a row, each of which was looked at, and short

    def end(self, step: int) -> None:
        """The step ends."""
        now, cpu = now_ns(), time.process_time_ns()
        last, self._last = self._last, (step, now, cpu)
        steps = step - last[0] if last is not None else 0
        if last is None or steps <= 0:  # the first, or training went back
            self.next = step + self._FIRST
            return
        each = (now - last[1]) // steps
        self._short = self._short + 1 if self._name == "cpu_time" and each < self._LONG_NS else 0
        if not self._name or self._short == self._SHORT:
            self._name = "cpu_time" if each >= self._LONG_NS else "cpu_time_mean"
            self._run.facts({"columns": {self._name: {"role": "observation"}}})
        else:
            self._run.amount({self._name: (cpu - last[2]) / 1e9 / steps})
        self.next = step + (1 if self._name == "cpu_time" else 1 + self._APART_NS // max(each, 1))


def observe(run: "Run") -> Any:
    """Has a run that begins looked at, and returns what knows the modes of its models.

    >>> observe(run).cost
    0
    """
    observed = Observed(run)
    run._add_window(observed)
    run._add_window(CpuTime(run))
    return observed.modes
