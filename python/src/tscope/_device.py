"""Phases by a device's clock: an event at the beginning of the step and at each mark, read some steps later when it is done."""

import sys
from typing import TYPE_CHECKING, Any, Callable, Optional

from tscope._recorder import now_ns

if TYPE_CHECKING:
    from tscope._run import Run

_MOST = 2048  # steps whose events are under way; beyond that a step's phases are given up and counted


class Events:
    """A pool of CUDA's events. Taking one records it on the current stream; it is given back when its time was read."""

    def __init__(self, cuda: Any) -> None:
        self._cuda = cuda
        self._free: list[Any] = []

    def now(self) -> Any:
        """Returns an event that is recorded now, or None while a CUDA graph is captured.

        >>> class Cuda:
        ...     is_current_stream_capturing = staticmethod(lambda: True)
        >>> Events(Cuda).now()
        """
        if self._cuda.is_current_stream_capturing():
            return None
        event = self._free.pop() if self._free else self._cuda.Event(enable_timing=True)
        event.record()
        return event

    def give(self, events: list[Any]) -> None:
        """Takes events back.

        >>> Events(None).give([])
        """
        self._free.extend(event for event in events if event is not None)


def cuda() -> Any:
    """Returns torch.cuda if the program has imported torch and there is a device of CUDA, else None. Nothing is initialised here."""
    torch = sys.modules.get("torch")
    try:
        return torch.cuda if torch is not None and torch.cuda.is_available() else None
    except Exception:
        return None


class DevicePhases:
    """Times the phases of a run: the device's time is from the event before to the phase's own; the host's is a region of its name."""

    def __init__(self, run: "Run", events: Events) -> None:
        self._run, self._events = run, events
        self._marks: list[tuple[str, Any]] = []
        self._host = 0
        self._under_way = 0

    def begin(self) -> None:
        """A step has begun; the one before has ended."""
        self.hand_over()
        self._marks.append(("", self._now()))
        self._step = self._run._step_now()
        self._host = now_ns()

    def mark(self, name: str) -> None:
        """A phase ends."""
        self._run._end_region(name, self._host)
        self._marks.append((name, self._now()))
        self._host = now_ns()

    def _now(self) -> Any:
        try:
            return self._events.now()
        except Exception as error:  # of a device that has failed; who calls us would not say it
            self._run._cannot(f"an event of the device: {type(error).__name__}: {error}")
            return None

    def hand_over(self) -> None:
        """Has the events of the step read when the last of them is done."""
        marks, self._marks = self._marks, []
        if len(marks) < 2 or self._step is None:
            self._events.give([event for _, event in marks])
        elif any(event is None for _, event in marks) or self._under_way >= _MOST:
            self._events.give([event for _, event in marks])
            why = "an event is missing, as while a CUDA graph is captured, or the device is thousands of steps behind"
            self._run._cannot(f"the device's phases of a step: {why}")
        else:
            self._under_way += 1
            step = self._step
            self._run._arrivals.event(marks[-1][1], lambda: self._arrived(step, marks))

    def _arrived(self, step: int, marks: list[tuple[str, Any]]) -> None:
        self._under_way -= 1
        phases: dict[str, int] = {}
        try:
            for (_, before), (name, event) in zip(marks, marks[1:]):
                phases[name] = phases.get(name, 0) + int(before.elapsed_time(event) * 1e6)
        except RuntimeError as error:  # marks on several streams or devices, an earlier one of which is not done
            self._run._cannot(f"the device's phases of a step: {error}")
            return
        self._events.give([event for _, event in marks])
        for name, ns in phases.items():
            self._run._late_ns(step, name, ns)


def phases_of(run: "Run", there: Callable[[], Any] = cuda) -> Optional[DevicePhases]:
    """Returns what times the phases of a run by a device, or None where there is none: they are the host's then, which is said once.

    >>> phases_of(run, there=lambda: None)
    """
    found = there()
    if found is None:
        run._cannot("device_phases: torch has no CUDA here, so phases are timed by the host's clock; the device's time of a phase")
        return None
    return DevicePhases(run, Events(found))
