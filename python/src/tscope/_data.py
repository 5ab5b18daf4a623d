"""A loader whose waits are recorded."""

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from tscope import _indices
from tscope._recorder import now_ns

if TYPE_CHECKING:
    from tscope._run import Run

Batch = TypeVar("Batch")


class Data(Generic[Batch]):
    """A loader, which gives what it gave before; everything else that is asked of it, it asks of the loader.

    >>> run = tscope.start("runs/data")
    >>> [batch for batch in run.data([1, 2, 3])]
    [1, 2, 3]
    """

    def __init__(self, run: "Run", loader: Iterable[Batch], phase: str) -> None:
        self._run, self._loader, self._phase = run, loader, phase

    def __iter__(self) -> Iterator[Batch]:
        if not self._run.enabled:
            return iter(self._loader)
        return self._wait()

    def _wait(self) -> Iterator[Batch]:
        begin = now_ns()
        _indices.hold()
        try:
            yield from self._batches(begin)
        finally:
            _indices.release()

    def _batches(self, begin: int) -> Iterator[Batch]:
        run, phase = self._run, self._phase
        batches = iter(self._loader)
        while True:
            run._fetching = True
            try:
                batch = next(batches)
            except StopIteration:
                return
            finally:
                run._fetching = False
            run._add_ns(phase, now_ns() - begin)
            if phase == "data":
                run._drew(_indices.taken(batches))
            if run._watched is not None:
                run._watched.batch(batch)
            yield batch
            begin = now_ns()

    def __len__(self) -> int:
        return len(self._loader)  # type: ignore[arg-type]

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loader, name)


def _draws(loader: Any) -> list[Any]:
    """Returns the loader and what draws its batches. A loader that was given the latter does not know itself what that does: it has a
    sampler that it never asks, and no size of a batch."""
    found = [loader]
    while len(found) < 4 and getattr(found[-1], "batch_sampler", None) is not None:
        found.append(found[-1].batch_sampler)
    return found[::-1]


def settings(loader: Any) -> dict[str, Any]:
    """Returns the settings of a loader as facts: in `data` what changes the batches, in `work` what changes how soon they come.

    >>> settings([1, 2, 3])
    {'work': {'loader': {'type': 'builtins.list', 'batches': 3}}}
    """
    kind = type(loader)
    data: dict[str, Any] = {}
    work: dict[str, Any] = {"type": f"{kind.__module__}.{kind.__qualname__}"}
    for group, names in (
        (work, ("batch_size", "prefetch_factor", "persistent_workers", "pin_memory")),
        (data, ("num_workers", "drop_last")),
    ):
        for name in names:
            values = [value for one in _draws(loader) if isinstance(value := getattr(one, name, None), (bool, int))]
            if values:
                group[name] = values[0]
    if data.get("num_workers") and getattr(loader, "in_order", True) is False:
        data["in_order"] = False  # batches come as workers have them; recorded only where it is so
    samplers = [one.sampler for one in _draws(loader) if getattr(one, "sampler", None) is not None]
    if samplers:
        data["sampler"] = type(samplers[0]).__qualname__
    try:
        work["batches"] = len(loader)
        data["samples"] = len(loader.dataset)
    except Exception:  # an iterable has no length, and a loader's may raise anything
        pass
    fingerprint = fingerprint_of(getattr(loader, "dataset", None))
    if fingerprint:
        data["fingerprint"] = fingerprint
    return {"work": {"loader": work}, **({"data": data} if data else {})}


def fingerprint_of(dataset: Any) -> str:
    """Returns the fingerprint that Hugging Face's datasets keeps of a data set and of what was done to it, also of one within torch's
    Subset; "" where there is none.

    >>> fingerprint_of([1, 2])
    ''
    """
    for _ in range(8):  # a subset of a subset of ...
        found = getattr(dataset, "_fingerprint", None)
        if isinstance(found, str) and 0 < len(found) <= 256:
            return found
        dataset = getattr(dataset, "dataset", None)
        if dataset is None:
            break
    return ""
