"""Timers of regions under the names of TraceML and KempnerForge: by CUDA's events where there is CUDA, else by the host's clock."""

import functools
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Callable, Optional, TypeVar

from tscope import _run
from tscope._recorder import now_ns

Function = TypeVar("Function", bound=Callable[..., Any])


def _cuda() -> Any:
    """Returns torch.cuda if the program uses it, else None."""
    torch = sys.modules.get("torch")
    return torch.cuda if torch is not None and torch.cuda.is_initialized() else None


class CUDATimer:
    """Times what lies between start and stop; it waits for the device only when it is read.

    >>> timer = CUDATimer()
    >>> timer.start()
    >>> timer.stop()
    >>> timer.elapsed_ms() >= 0
    True
    """

    def __init__(self) -> None:
        self._begin: Any = None
        self._end: Any = None

    @staticmethod
    def _now() -> Any:
        cuda = _cuda()
        if cuda is None:
            return now_ns()
        event = cuda.Event(enable_timing=True)
        event.record()
        return event

    def start(self) -> None:
        """Begins to time.

        >>> CUDATimer().start()
        """
        self._begin, self._end = self._now(), None

    def stop(self) -> None:
        """Ends what `start` began.

        >>> timer = CUDATimer()
        >>> timer.start()
        >>> timer.stop()
        """
        if self._begin is not None:
            self._end = self._now()

    def elapsed_ms(self) -> float:
        """Returns the milliseconds between start and stop; 0.0 where one of them is missing.

        >>> CUDATimer().elapsed_ms()
        0.0
        """
        if self._end is None or isinstance(self._begin, int) != isinstance(self._end, int):
            return 0.0
        if isinstance(self._end, int):
            return float(self._end - self._begin) / 1e6
        self._end.synchronize()
        return float(self._begin.elapsed_time(self._end))


class CUDATimerCollection:
    """Timers by name; not enabled, it does nothing, and every time is 0.0.

    >>> timers = CUDATimerCollection(["forward", "backward"])
    >>> timers.start("forward")
    >>> timers.stop("forward")
    >>> sorted(timers.elapsed_all())
    ['backward', 'forward']
    """

    def __init__(self, regions: Iterable[str], enabled: bool = True) -> None:
        self.enabled = enabled
        self._timers = {name: CUDATimer() for name in regions}

    def start(self, name: str) -> None:
        """Begins to time a region.

        >>> CUDATimerCollection(["forward"]).start("forward")
        """
        if self.enabled:
            self._timers[name].start()

    def stop(self, name: str) -> None:
        """Ends what `start` began.

        >>> CUDATimerCollection(["forward"]).stop("forward")
        """
        if self.enabled:
            self._timers[name].stop()

    def elapsed_ms(self, name: str) -> float:
        """Returns the milliseconds of a region; 0.0 if it has not ended.

        >>> CUDATimerCollection(["forward"]).elapsed_ms("forward")
        0.0
        """
        return self._timers[name].elapsed_ms() if self.enabled else 0.0

    def elapsed_all(self) -> dict[str, float]:
        """Returns the milliseconds of all regions.

        >>> CUDATimerCollection(["forward"], enabled=False).elapsed_all()
        {'forward': 0.0}
        """
        return {name: self.elapsed_ms(name) for name in self._timers}


def trace_time(name: str, use_gpu: bool = True) -> Callable[[Function], Function]:
    """Returns a decorator which records how long a function takes, into the run that began last.

    The host's time is the region `name`; with use_gpu, where the program uses CUDA, the device's time is the phase `name` of the
    step, read some steps later.

    >>> @trace_time("tokenize")
    ... def tokenize(text):
    ...     return text.split()
    >>> tokenize("to be")
    ['to', 'be']
    """

    def decorate(function: Function) -> Function:
        @functools.wraps(function)
        def timed(*args: Any, **kwargs: Any) -> Any:
            run = _run.latest()
            if run is None:
                return function(*args, **kwargs)
            cuda = _cuda() if use_gpu else None
            begin, first = now_ns(), _event(cuda)
            try:
                return function(*args, **kwargs)
            finally:
                run._end_region(name, begin)
                if first is not None:
                    _device_time(run, name, first, _event(cuda))

        return timed  # type: ignore[return-value]

    return decorate


trace_timestep = trace_time  # TraceML's older name of it


def _event(cuda: Any) -> Any:
    if cuda is None or cuda.is_current_stream_capturing():
        return None
    event = cuda.Event(enable_timing=True)
    event.record()
    return event


def _device_time(run: _run.Run, name: str, first: Any, last: Any) -> None:
    step = run._step_now()
    if last is not None and step is not None:
        run._arrivals.event(last, lambda: run._late_ns(step, name, int(first.elapsed_time(last) * 1e6)))


@contextmanager
def trace_step(model: Any = None) -> Iterator[None]:
    """Makes a step of a block, in the run that began last; the model's forward, the backward and optimizers are its phases.

    >>> import torch
    >>> model = torch.nn.Linear(2, 1)
    >>> with trace_step(model):
    ...     model(torch.ones(4, 2)).sum().backward()
    >>> run.trouble["cannot"]
    0
    """
    run: Optional[_run.Run] = _run.latest()
    if run is None:
        yield
        return
    hooks: Any = None
    if model is not None:
        hooks = run._scopes.get(id(model))
        if hooks is None:
            try:
                from tscope._auto import Auto

                hooks = run._scopes[id(model)] = Auto(run, model, [], scoped=True)
                run._at_end.append(hooks.stop)
            except Exception as error:
                run._cannot(f"trace_step: {type(error).__name__}: {error}")
    with run.step():
        if hooks is not None:
            hooks.open = True
        try:
            yield
        finally:
            if hooks is not None:
                hooks.open = False
