"""A run that is being recorded."""

import atexit
import contextlib
import os
import sys
import weakref
from collections.abc import Iterable
from typing import Any, Callable, Optional, TypeVar, Union

from tscope import _facts, _json, _paths, _ranks
from tscope._data import Data, settings
from tscope._numbers import Cannot, Late, device_of, on_host
from tscope._recorder import Recorder
from tscope._region import Region

Batch = TypeVar("Batch")

_open: "weakref.WeakSet[Run]" = weakref.WeakSet()
_latest: "Optional[Run]" = None


class Run(Recorder):
    """A run that is being recorded, as `tscope.start` returns it; as a context it ends with its block.

    >>> with tscope.start("runs/exp1", config={"lr": 1e-3}) as run:
    ...     for batch in run.data([1, 2, 3]):
    ...         with run.step():
    ...             loss = 1 / batch
    ...             run.mark("forward")
    ...             run.log(loss=loss)
    >>> run.summary()["steps"]
    3
    """

    # What a step calls stands in the extension: step, begin_step, end_step, cancel_step, mark, log, amount, memory.

    def __init__(self) -> None:
        self.directory: str = ""
        self.enabled = False
        self.rank = 0
        self.world_size = 1
        self.cannot = 0  # how many values were not recorded
        self._arrivals = Late()
        self._watched: Any = None
        self._memory: Any = None
        self._fetching = False  # run.data waits for its loader
        self._at_end: list[Callable[[], None]] = []
        self._scopes: dict[int, Any] = {}
        self._pid = os.getpid()
        self._said: set[str] = set()
        self._loaders: set[int] = set()
        self._first = True
        self._torch: dict[str, Any] = {}
        self._every = 100

    # --- what the extension calls ---

    def _cannot(self, why: str) -> None:
        """Counts what cannot be recorded, and says each cause once."""
        self.cannot += 1
        if why not in self._said and len(self._said) < 16:
            self._said.add(why)
            print(f"tscope: {why}; it is not recorded, and training goes on", file=sys.stderr)

    def _log_other(self, kind: int, name: str, value: Any) -> None:
        """Records a number that is neither a float nor an int: a tensor, an array, anything with .item()."""
        if not isinstance(name, str):
            self._cannot("the name of a column is no text")
            return
        try:
            if device_of(value) in ("cpu", "meta"):
                self._log_as(kind, name, on_host(value))
                return
            step = self._step_now()
            if step is None:
                raise Cannot("a tensor was logged before the first step")
            self._arrivals.number(value, lambda number: self._late(step, kind, name, number))
        except Cannot as error:
            self._cannot(f"{name}: {error}")
        except Exception as error:
            self._cannot(f"{name}: {type(error).__name__}: {error}")

    def _left_by(self, kind: Any) -> None:
        """An exception leaves the step."""
        if issubclass(kind, (Exception, KeyboardInterrupt)) and not issubclass(kind, StopIteration):
            self._event_text("exception", kind.__name__)

    def _tick(self) -> None:
        """Behind the first step, and then every so many: what is sampled, and what has arrived from a device."""
        if self._first:
            self._first = False
            self._tick_every(self._every)
            now = _facts.of_torch()
            if now != self._torch:
                self.facts(now)
        self._arrivals.read()
        if self._memory is not None:
            self._memory(self)

    # --- the program's side ---

    def data(self, loader: Iterable[Batch], phase: str = "data") -> Data[Batch]:
        """Returns the loader; the time that the loop waits for it is recorded as a phase of the step that follows.

        >>> for batch in run.data(["a", "b"]):
        ...     print(batch)
        a
        b
        """
        if self.enabled and id(loader) not in self._loaders:
            self._loaders.add(id(loader))
            with contextlib.suppress(Exception):
                if len(self._loaders) == 1:
                    self.facts(settings(loader))
        return Data(self, loader, phase)

    def region(self, name: str) -> Region:
        """Returns a context, or a decorator, which records how long a named part of the program takes.

        >>> with run.region("evaluate"):
        ...     pass
        """
        return Region(self, name)

    def event(self, name: str, value: Union[None, float, str] = None) -> None:
        """Records that something happens now, with a number, a text or nothing more.

        >>> run.event("learning rate halved", 5e-4)
        >>> run.event("evaluation", "begins")
        """
        if not self.enabled:
            return
        try:
            if value is None or isinstance(value, str):
                self._event_text(name, value)
            else:
                self._event(name, on_host(value))
        except Exception as error:
            self._cannot(f"the event {name!r}: {error}")

    def digest(self, name: str, out: Any, given: Any = None, kind: Optional[str] = None) -> None:
        """Records the digest of a tensor, or of what an operation gave and was given; each an integer, bytes or a tensor.

        `kind` is "param", "grad", "activation", "collective", "rng" or None.

        >>> run.digest("layers.3.attention", out=b"what it gave", given=b"what it was given", kind="activation")
        """
        if not self.enabled:
            return
        try:
            from tscope._digests import bits_of

            has_in = given is not None
            self._digest_row(name, kind, has_in, bits_of(given) if has_in else 0, bits_of(out))
        except Exception as error:
            self._cannot(f"the digest {name!r}: {error}")

    def watch(self, model: Any = None, optimizer: Any = None, every: int = 100) -> None:
        """Records digests every so many steps: of batches, parameters, gradients, the optimizer's state and random generators.

        Batches are those of `run.data`; the other digests are taken when the optimizer's step begins (docs/digests.md).

        >>> run.watch(every=10)
        """
        if not self.enabled:
            return
        try:
            from tscope._watch import Watch

            self._watched = Watch(self, model, optimizer, every)
            self._at_end.append(self._watched.stop)
        except Exception as error:
            self._cannot(f"watch: {type(error).__name__}: {error}")

    def sketch(
        self,
        model: Any,
        optimizer: Any = None,
        every: int = 100,
        *,
        modules: Any = None,
        shards: Any = None,
        perturb: Union[bool, float] = False,
    ) -> None:
        """Records sketches every so many steps: of modules' outputs and their gradients, and of parameters' gradients and updates.

        `tscope diff A B --rounding R` names the first that differs by more than rounding; R is the recipe of A with `perturb=True`.
        `modules` are patterns of names. Where tensors are shards, `shards` says of which whole: (shape, offsets) by name, or a function
        of name, kind and tensor (docs/sketches.md).

        >>> import torch
        >>> model = torch.nn.Linear(2, 1)
        >>> run.sketch(model, torch.optim.SGD(model.parameters(), lr=0.1), every=10)
        """
        if not self.enabled:
            return
        try:
            from tscope._sketching import Sketching

            self._at_end.append(Sketching(self, model, optimizer, every, modules, shards, perturb).stop)
        except Exception as error:
            self._cannot(f"sketch: {type(error).__name__}: {error}")

    def facts(self, facts: dict[str, Any]) -> None:
        """Adds facts that became known later, in the groups of facts.json (docs/run-directory.md).

        >>> run.facts({"data": {"name": "tiny-shakespeare"}, "work": {"tokens_per_step": 8192}})
        """
        if not self.enabled:
            return
        try:
            self._facts(_json.text(_facts.checked(facts)) or "{}")
        except Exception as error:
            self._cannot(f"facts: {error}")

    def checkpoint(self, path: Union[str, "os.PathLike[str]"], step: Optional[int] = None) -> None:
        """Says that a checkpoint of this run lies at a path, from the state behind a step (the last one).

        A small note is written beside it, at PATH.tscope, so that a run which loads it finds out whose it is.

        >>> run.checkpoint("runs/exp1/step40.pt")
        """
        if not self.enabled:
            return
        try:
            at = os.fspath(path)
            step = self._step_now() if step is None else step
            self._event_text("checkpoint", at)
            if self.rank == 0:
                _paths.write_note(at, _paths.name_of(self.directory), self.directory, step)
            if self._watched is not None:
                self._watched.now()
        except Exception as error:
            self._cannot(f"checkpoint: {error}")

    def resumed_from(self, where: Union[str, "os.PathLike[str]"], step: Optional[int] = None) -> None:
        """Says that training goes on from a checkpoint, or from the end of a run: a path of either, or a run's name.

        `step` is the first step that is executed now; without it, the one behind the checkpoint's.

        >>> run.resumed_from("runs/exp1/step40.pt", step=41)
        """
        if not self.enabled:
            return
        try:
            at = os.fspath(where)
            note = _paths.read_note(at)
            lineage: dict[str, Any] = {"checkpoint": at} if note or not _paths.is_run(at) else {}
            if note:
                lineage["parent"] = _paths.name_of(note["directory"]) if os.path.isdir(str(note.get("directory"))) else note.get("run")
                if step is None and isinstance(note.get("step"), int):
                    step = note["step"] + 1
            elif _paths.is_run(at):
                lineage["parent"] = _paths.name_of(at)
            elif not os.path.exists(at):
                lineage = {"parent": at}
            if step is not None:
                lineage["resumed_step"] = step
            self.facts({"lineage": lineage})
            self._event_text("resumed", at)
            if self._watched is not None:
                self._watched.now()
        except Exception as error:
            self._cannot(f"resumed_from: {error}")

    def summary(self) -> dict[str, Union[int, float, str]]:
        """Returns what is known of the run as one flat dictionary, for the summary of another tracker.

        >>> sorted(run.summary())[:2]
        ['directory', 'steps']
        """
        from tscope._recording import summary

        if not self.directory:
            return {}
        try:
            return summary(self.directory, self.rank, self.world_size)
        except Exception as error:
            self._cannot(f"summary: {error}")
            return {}

    @property
    def trouble(self) -> dict[str, Union[int, bool, str]]:
        """What was not recorded since the beginning, and why first.

        >>> run.trouble["cannot"]
        0
        """
        return {**self._trouble(), "cannot": self.cannot + self._arrivals.given_up}

    def finish(self) -> None:
        """Ends the run; again, it does nothing. A program that ends without it ends its runs, too.

        >>> run.finish()
        """
        if not self.enabled or os.getpid() != self._pid:
            return
        try:
            for stop in reversed(self._at_end):
                stop()
            self._arrivals.read(wait=True)
        except Exception as error:
            self._cannot(f"finish: {error}")
        self.enabled = False
        _open.discard(self)
        self._close()

    def __enter__(self) -> "Run":
        return self

    def __exit__(self, kind: Any, value: object, trace: object) -> None:
        if kind is not None and self.enabled:
            with contextlib.suppress(Exception):
                self._event_text("exception", getattr(kind, "__name__", "exception"))
        self.finish()


def latest() -> Optional[Run]:
    """Returns the run that began last and has not ended, or None.

    >>> latest() is run
    True
    """
    return _latest if _latest is not None and _latest.enabled else None


@atexit.register
def _finish_all() -> None:
    for run in list(_open):
        run.finish()


def _open_at(run: Run, directory: str, exist: str, name: Optional[str], config: Any, facts: Any, flush_ms: int) -> None:
    """Opens the recording in the folder, or with exist="new" in the first that is free."""
    job = _ranks.job() if run.world_size > 1 else ""
    places = _paths.candidates(directory, job) if exist == "new" else [directory]
    for at in places:
        try:
            run._open(at, name, config, facts, run.rank, run.world_size, flush_ms)
        except FileExistsError:
            if exist != "new":
                raise
            continue
        run.directory = at
        return


def start(
    directory: Union[str, "os.PathLike[str]"],
    config: Any = None,
    *,
    name: Optional[str] = None,
    rank: Optional[int] = None,
    world_size: Optional[int] = None,
    ranks: Union[str, int, Iterable[int]] = "all",
    exist: str = "error",
    facts: Optional[dict[str, Any]] = None,
    flush_ms: int = 1000,
    memory_every: int = 100,
    patch: bool = False,
) -> Run:
    """Begins to record a run into a folder, and returns it.

    `config` is a dictionary, a dataclass or a namespace of hyper-parameters. Rank and world size are those of torch.distributed or of
    the launcher; `ranks` says which of them record. A folder that holds a run is an error, or with exist="new" the run goes into
    DIRECTORY-2, -3, ... `facts` are added to those that are found here; `memory_every` is the steps between two samples of memory, 0
    for none; `patch` keeps the text of uncommitted changes, not only their digest.

    >>> run = tscope.start("runs/first", config={"lr": 1e-3}, facts={"data": {"name": "digits"}})
    >>> run.rank, run.world_size
    (0, 1)
    """
    if exist not in ("error", "new"):
        raise ValueError(f'exist is "error" or "new", not {exist!r}')
    run = Run()
    run.rank, run.world_size = _ranks.here(rank, world_size)
    wanted = None if ranks == "all" else {ranks} if isinstance(ranks, int) else set(ranks)
    if wanted is not None and run.rank not in wanted:
        return run
    run._torch = _facts.of_torch()
    found = _facts.at_start(patch)
    known = _json.text(_facts.merge(found, _facts.checked(_json.plain(facts or {}))))
    _open_at(run, os.fspath(directory), exist, name, _json.text(config), known, flush_ms)
    global _latest
    run.enabled = True
    _open.add(run)
    _latest = run
    if memory_every > 0:
        from tscope._memory import sampler

        run._memory = sampler(memory_every == 1)
        run._every = memory_every
    run._tick_every(1)
    return run
