"""Windows of torch's profiler and of its snapshots of memory, whose files lie in the folder of the run."""

import os
from typing import TYPE_CHECKING, Any, Optional

from tscope import _recording
from tscope._device import cuda
from tscope._recorder import now_ns
from tscope._windows import Window

if TYPE_CHECKING:
    from tscope._run import Run


def _place(run: "Run", name: str) -> str:
    return os.path.join(os.path.dirname(_recording.at(run.directory, run.rank, run.world_size)), name)


def of_axolotl(io_options: dict[str, Any]) -> tuple[int, int, int]:
    """Takes Axolotl's words out of the options: how many steps to wait, to trace and throw away, and to keep.

    >>> of_axolotl({"profiler_steps": 4, "profiler_steps_start": 10})
    (9, 1, 4)
    """
    active, first = int(io_options.pop("profiler_steps")), int(io_options.pop("profiler_steps_start", 0))
    warmup = min(first, 1)
    return first - warmup, warmup, active


class Profile(Window):
    """Traces of torch's profiler: nothing for `wait` steps, thrown away for `warmup` steps, kept for `active` steps.

    The time that the profiler takes is the phase `profiler` of these steps, by which a gate leaves them out (docs/gate.md).
    """

    def __init__(self, run: "Run", wait: int, warmup: int, active: int, repeat: int, options: dict[str, Any]) -> None:
        if min(wait, warmup) < 0 or min(active, repeat) < 1:
            raise ValueError("wait and warmup are at least 0, active and repeat at least 1")
        self._run, self._wait, self._warmup, self._active, self._left = run, wait, warmup, active, repeat
        self._options = options
        self._prof: Any = None
        self._steps = 0  # of this cycle
        self._first = 0  # active step
        self._written = 0
        self.next = wait if run._step_now() is None else run._step_fed() + wait

    def begin(self, step: int) -> None:
        """A step has begun. A cycle begins with its warm-up.

        >>> Profile(run, 0, 1, 1, 1, {}).end(0)
        """
        begin = now_ns()
        if self._prof is None:
            from torch.profiler import profile, schedule

            self._steps, self._first = 0, step + self._warmup
            cycle = schedule(wait=0, warmup=self._warmup, active=self._active, repeat=1)
            self._prof = profile(schedule=cycle, **{"record_shapes": True, "profile_memory": True, "with_flops": True, **self._options})
            self._prof.start()
        if self._steps == self._warmup:
            self._run._event_text("profiler", "begins")
        self._run._add_ns("profiler", max(now_ns() - begin, 1))

    def end(self, step: int) -> None:
        """The step ends, and with the last active one the cycle.

        >>> Profile(run, 0, 1, 1, 1, {}).end(0)
        """
        if self._prof is None:
            return
        begin = now_ns()
        self._steps += 1
        self.next = step + 1
        if self._steps < self._warmup + self._active:
            self._prof.step()
        else:
            self._left -= 1
            self._finish()
            self.next = step + 1 + self._wait if self._left > 0 else None
        self._run._add_ns("profiler", max(now_ns() - begin, 1))

    def _finish(self) -> None:
        prof, self._prof = self._prof, None
        prof.stop()
        # `tscope push` keeps all of them: the first by its name, the others by how they begin.
        path = _place(self._run, "trace.json.gz" if self._written == 0 else f"trace-{self._first}.json.gz")
        new = path.replace(".json.gz", ".new.json.gz")
        prof.export_chrome_trace(new)
        os.replace(new, path)
        self._written += 1
        self._run._event_text("profiler", f"wrote {os.path.basename(path)}: steps from {self._first}")

    def stop(self) -> None:
        """Ends a cycle that is under way; what it traced is written if a step of it was active.

        >>> Profile(run, 0, 1, 1, 1, {}).stop()
        """
        if self._prof is not None and self._steps > self._warmup:
            self._finish()
        elif self._prof is not None:
            prof, self._prof = self._prof, None
            prof.stop()


class Snapshot(Window):
    """A history of the memory of CUDA over some steps, which is written at the end of the last: snapshot.pickle."""

    def __init__(self, run: "Run", start: int, steps: int, there: Any = cuda) -> None:
        if start < 0 or steps < 1:
            raise ValueError("start is at least 0, and steps at least 1")
        self._cuda = there()
        if self._cuda is None:
            raise RuntimeError("a snapshot of memory needs CUDA, and torch has none here")
        self._run, self._last = run, start + steps - 1
        self._on = False
        self.next = start

    def begin(self, step: int) -> None:
        """A step has begun whose history is kept."""
        if not self._on:
            self._cuda.memory._record_memory_history(enabled="all", stacks="all")
            self._on = True
            self._run._event_text("memory snapshot", "begins")
        self.next = step + 1

    def end(self, step: int) -> None:
        """The step ends, and with the last one the history."""
        if step >= self._last:
            self.stop()

    def stop(self) -> None:
        """Writes what there is."""
        self.next: Optional[int] = None
        if not self._on:
            return
        self._on = False
        try:
            path = _place(self._run, "snapshot.pickle")
            self._cuda.memory._dump_snapshot(path)
            self._run._event_text("memory snapshot", f"wrote {os.path.basename(path)}")
        finally:
            self._cuda.memory._record_memory_history(enabled=None)
