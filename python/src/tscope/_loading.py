"""How long the workers of DataLoaders work on batches, which is apart from how long training waits for them."""

import mmap
import struct
import sys
import time
from typing import TYPE_CHECKING, Any, Callable, Optional

from tscope._patches import patched
from tscope._recorder import now_ns
from tscope._windows import Window

if TYPE_CHECKING:
    from tscope._run import Run

_SLOTS, _SLOT = 256, struct.Struct("=QQ")  # ns, and batches, of one worker

_shared: Optional[mmap.mmap] = None  # anonymous: workers that are forked write there, each into a slot of its own


def _timed(before: Callable[..., Any]) -> Callable[..., Any]:
    def fetch(fetcher: Any, index: Any) -> Any:
        info = sys.modules["torch.utils.data"].get_worker_info()
        if info is None:
            return before(fetcher, index)
        begin = time.perf_counter_ns()
        batch = before(fetcher, index)
        _add(info, time.perf_counter_ns() - begin)
        return batch

    return fetch


def _add(info: Any, ns: int) -> None:
    """A worker has made a batch. Those of two loaders that work at once, and have the same number, may lose one between them."""
    if _shared is not None:
        at = info.id % _SLOTS * _SLOT.size
        spent, batches = _SLOT.unpack_from(_shared, at)
        _SLOT.pack_into(_shared, at, spent + ns, batches + 1)


def spent() -> tuple[int, int]:
    """Returns for how many ns workers have worked, all together, and on how many batches.

    >>> spent() >= (0, 0)
    True
    """
    if _shared is None:
        return 0, 0
    slots = list(_SLOT.iter_unpack(_shared[:]))
    return sum(ns for ns, _ in slots), sum(batches for _, batches in slots)


def patches(module: Any) -> list[Callable[[], None]]:
    """Has workers that begin from now on say how long they work; `module` is torch's of what fetches samples. Returns what takes that
    back.

    >>> patches(None)
    []
    """
    global _shared
    kinds = [getattr(module, name, None) for name in ("_MapDatasetFetcher", "_IterableDatasetFetcher")]
    known = [kind for kind in kinds if kind is not None and "fetch" in kind.__dict__]
    if known and _shared is None:
        _shared = mmap.mmap(-1, _SLOTS * _SLOT.size)
    return [patched(kind, "fetch", _timed(kind.__dict__["fetch"])) for kind in known]


class Loading(Window):
    """Records the amount `loading_time`: for how long the workers of the loaders worked, all together, in seconds a step on the average
    since the row that had the last one. Of workers that were not forked nothing is known, and nothing is recorded.

    >>> Loading(run).next
    0
    """

    _APART_NS = 20_000_000

    def __init__(self, run: "Run") -> None:
        self._run = run
        self._last: Optional[tuple[int, int, int]] = None  # step, and at its end the clock and the time of workers
        self._said = False

    def end(self, step: int) -> None:
        """The step ends."""
        now, (ns, batches) = now_ns(), spent()
        last, self._last = self._last, (step, now, ns)
        steps = step - last[0] if last is not None else 0
        if last is None or steps <= 0:  # the first, or training went back
            self.next = step + 1
            return
        if batches:
            if not self._said:
                self._said = True
                self._run.facts({"columns": {"loading_time": {"role": "observation"}}})
            self._run.amount({"loading_time": max(ns - last[2], 0) / 1e9 / steps})
        self.next = step + 1 + self._APART_NS // max((now - last[1]) // steps, 1)
