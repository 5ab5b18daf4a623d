"""Profiler and AutoProfiler with pytscope's signatures: a program changes its import. What they write is a recording of tscope."""

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, Callable, Optional, TypeVar

from tscope._auto import instrument
from tscope._recorder import Step, now_ns
from tscope._run import Run, start

Batch = TypeVar("Batch")


def _synchronize() -> None:
    torch = sys.modules.get("torch")
    if torch is None:
        return
    if torch.cuda.is_initialized():
        torch.cuda.synchronize()
    elif sys.platform == "darwin" and torch.backends.mps.is_available():
        torch.mps.synchronize()


class Profiler:
    """The Profiler of pytscope, which records into a folder that holds no run yet: RUN_DIR, or RUN_DIR-2, ... where it does.

    Some things differ on purpose: steps of the warm-up are recorded, and `tscope analyze` leaves them out of times; time that no mark
    covers is not lost; `flush_every` is not needed, since what ended is written within 20 ms; a `clock` is not used, which is said.

    >>> with Profiler("runs/profiled", config={"lr": 0.1}) as prof:
    ...     for batch in prof.iter_data([1, 2]):
    ...         with prof.step():
    ...             prof.mark("forward")
    ...             prof.log(loss=0.5)
    >>> prof.run.summary()["steps"]
    2
    """

    def __init__(
        self,
        run_dir: Any,
        name: str = "run",
        warmup: int = 0,
        sync: bool = False,
        collect_memory: bool = False,
        flush_every: int = 200,
        only_rank_zero: bool = True,
        distributed: bool = False,
        clock: Optional[Callable[[], int]] = None,
        config: Any = None,
    ) -> None:
        self.run = Run()  # records nothing until start(), or until the first step or its data
        self._began = False
        self._sync, self._config = sync, config
        self._how: dict[str, Any] = {
            "name": name,
            "config": config,
            "ranks": "all" if distributed or not only_rank_zero else 0,
            "memory_every": 1 if collect_memory else 100,
            "warmup": warmup,
            "exist": "new",
        }
        self._where = run_dir
        self._unused = [] if clock is None else ["clock: phases are timed by the recorder's own clock, so another one"]

    def start(self) -> "Profiler":
        """Begins the run.

        >>> Profiler("runs/profiled").start().finish()
        """
        self._began = True
        if not self.run.enabled:
            self.run = start(self._where, **self._how)
            for what in self._unused if self.run.enabled else ():
                self.run._cannot(what)
        return self

    def _begin(self) -> None:
        """Begins the run where the program did not: neither by start() nor by `with`."""
        if not self._began:
            self.start()

    def finish(self) -> None:
        """Ends the run; again, it does nothing.

        >>> Profiler("runs/profiled").finish()
        """
        self.run.finish()

    def step(self) -> Step:
        """Returns the context of a step.

        >>> with Profiler("runs/profiled").start().step():
        ...     pass
        """
        self._begin()
        return self.run.step()

    def begin_step(self) -> None:
        """Begins a step.

        >>> Profiler("runs/profiled").start().begin_step()
        """
        self._begin()
        if self._sync:
            _synchronize()
        self.run.begin_step()

    def end_step(self) -> None:
        """Ends the step.

        >>> Profiler("runs/profiled").start().end_step()
        """
        self.run.end_step()

    def mark(self, phase: str) -> None:
        """Adds the time since the last mark to a phase.

        >>> Profiler("runs/profiled").start().mark("forward")
        """
        if self._sync:
            _synchronize()
        self.run.mark(phase)

    def log(self, **scalars: Any) -> None:
        """Records numbers of the step.

        >>> prof = Profiler("runs/profiled").start()
        >>> with prof.step():
        ...     prof.log(loss=0.5)
        """
        self.run.log(scalars)

    def iter_data(self, loader: Iterable[Batch]) -> Iterator[Batch]:
        """Gives what the loader gives; the wait is the phase `data` of the step.

        >>> list(Profiler("runs/profiled").start().iter_data([1, 2]))
        [1, 2]
        """
        self._begin()
        return iter(self.run.data(loader))

    def set_data_time(self, seconds: float) -> None:
        """Adds seconds to the phase `data` of the step that follows.

        >>> Profiler("runs/profiled").start().set_data_time(0.01)
        """
        self.run._add_ns("data", int(seconds * 1e9))

    @contextmanager
    def comm(self) -> Iterator[None]:
        """Times a block into the phase `comm`; the time before it stays with the phase that is marked next.

        >>> with Profiler("runs/profiled").start().comm():
        ...     pass
        """
        if self._sync:
            _synchronize()
        begin = now_ns()
        try:
            yield
        finally:
            if self._sync:
                _synchronize()
            self.run._add_ns("comm", now_ns() - begin)

    def __enter__(self) -> Any:
        return self.start()

    def __exit__(self, *exception: object) -> None:
        self.finish()


class AutoProfiler(Profiler):
    """The AutoProfiler of pytscope: a loop of torch that is not touched (see `tscope.auto`).

    >>> import torch
    >>> model = torch.nn.Linear(2, 1)
    >>> optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    >>> with AutoProfiler("runs/automatic", model, optimizer) as prof:
    ...     for _ in range(2):
    ...         model(torch.ones(4, 2)).sum().backward()
    ...         optimizer.step()
    >>> prof.run.summary()["steps"]
    2
    """

    def __init__(
        self,
        run_dir: Any,
        model: Any,
        optimizer: Any = None,
        *,
        name: str = "run",
        warmup: int = 0,
        sync: bool = False,
        collect_memory: bool = False,
        capture_comm: bool = True,
        distributed: bool = False,
        flush_every: int = 200,
        config: Any = None,
        measure_flops: bool = False,
        flops_per_step: Optional[float] = None,
        peak_flops: Optional[float] = None,
        fwd_bwd_factor: float = 3.0,
    ) -> None:
        super().__init__(run_dir, name, warmup, sync, collect_memory, flush_every, True, distributed, None, config)
        self._model, self._optimizer, self._comm, self._flops = model, optimizer, capture_comm, measure_flops
        known = {"flops_per_step": flops_per_step, "peak_flops": peak_flops}
        if fwd_bwd_factor != 3.0:
            self._unused.append("fwd_bwd_factor: the FLOPs of the real backward are counted, so a factor")
        self._known = {key: value for key, value in known.items() if value is not None}

    def start(self) -> "AutoProfiler":
        """Begins the run, and puts hooks on the model and the optimizer.

        >>> import torch
        >>> AutoProfiler("runs/automatic", torch.nn.Linear(2, 1)).start().finish()
        """
        if not self.run.enabled:
            super().start()
            if self._known:
                self.run.facts({"work": self._known})
            instrument(self.run, self._model, self._optimizer, comm=self._comm, flops=self._flops)
        return self
