"""A run that is being recorded."""

import atexit
import contextlib
import operator
import os
import sys
import weakref
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Callable, Optional, TypeVar, Union

from tscope import _as_wandb, _asked, _ending, _facts, _json, _needs, _paths, _ranks, _resume
from tscope._config import Config
from tscope._data import Data, settings
from tscope._indices import Indices
from tscope._numbers import Cannot, Late, device_of, flat, on_host
from tscope._observed import observe
from tscope._recorder import Recorder, adopt, know_tensors
from tscope._region import Region
from tscope._rows import Rows
from tscope._say import say, why
from tscope._summary import Summary

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

    # What few runs change stands in the class: in an object of at most 30 attributes the interpreter finds methods faster.
    _watched: Any = None
    _times_workers = False
    _told_of: Sequence[Any] = ()  # optimizers of which the hooks of a loop are told
    _logs_rates = False  # and their rates are logged in every step
    _begun_by: Any = None  # the model whose forward begins the steps: a hook that is added then comes too late
    _memory: Any = None
    _fetching = False  # run.data waits for its loader
    _first_left_out = ""  # a column beyond the limit
    _name = ""
    _about: Mapping[str, Any] = {}  # what W&B's init was told: project, group, tags, ...
    _first = True
    _accumulates = False  # that steps have several micro-batches has been said
    _every = 100
    _windows: Any = None
    _device: Any = None  # what times phases by a device's clock
    _wants_device = False
    _layers: Any = None
    _blamed: Any = None  # which exception was looked at last, and at which step
    _end: Optional[dict[str, Any]] = None  # what the last exception says of the end, if no step follows it
    _stopped: Optional[dict[str, Any]] = None  # the end, where an experiment asked for it
    _verdict = False
    _indices: Any = None  # which samples the steps had
    _first_step: Optional[int] = None  # the number of the first step that began
    _modes: Any = None  # which knows in which mode models train

    def __init__(self) -> None:
        self.directory: str = ""
        self.enabled = False
        self.rank = 0
        self.world_size = 1
        self.attempt = 0  # which of its run this recording is, from 1; 0: nothing is recorded
        self.cannot = 0  # how many values were not recorded
        self._arrivals = Late()
        self._at_end: list[Callable[[], None]] = []
        self._scopes: dict[int, Any] = {}
        self._pid = os.getpid()
        self._causes: dict[str, int] = {}  # why, and how many of them
        self._told: set[str] = set()
        self._rows = Rows(self)
        self._sums = Summary(self)
        self._config = Config()
        self._loaders: set[int] = set()
        self._torch: dict[str, Any] = {}
        self._heard: list[Callable[..., None]] = []  # who is told of what the program logs by name

    # --- what the extension calls ---

    def _cannot(self, cause: str) -> None:
        """Counts what cannot be recorded, and says each cause once."""
        self.cannot += 1
        if cause in self._causes or len(self._causes) < _CAUSES:
            self._causes[cause] = self._causes.get(cause, 0) + 1
            if self._causes[cause] == 1:
                say(f"{cause}; it is not recorded, and training goes on")

    def _tell(self, what: str, text: str) -> None:
        """Says something of a kind once in a run; nothing is lost by it."""
        if what not in self._told:
            self._told.add(what)
            say(text)

    def _log_row(self, kind: int, numbers: "tuple[Any, ...]", by_name: dict[str, Any]) -> None:
        """The program calls log where it has no step open, or with more than numbers."""
        try:
            self._rows.call(numbers, by_name)
        except Exception as error:
            self._cannot(f"log: {type(error).__name__}: {error}")

    def _keep(self, kind: int, numbers: "tuple[Any, ...]", by_name: dict[str, Any]) -> None:
        """The program gives amounts or memory where it has no step open."""
        try:
            self._rows.keep(kind, numbers, by_name)
        except Exception as error:
            self._cannot(f"log: {type(error).__name__}: {error}")

    def _hand_over(self) -> bool:
        """The program begins its first step behind what was logged."""
        return self._rows.hand_over()

    def _join(self) -> None:
        """That step is open."""
        self._rows.join()

    def _log_other(self, kind: int, name: str, value: Any) -> None:
        """Records a number that is neither a float nor an int: a tensor, an array, anything with .item()."""
        if not isinstance(name, str):
            self._cannot("the name of a column is no text")
            return
        if isinstance(value, Mapping):
            self._log_now(kind, dict(flat({name: value}, self._no_number)))
            return
        try:
            torch = sys.modules.get("torch")
            if type(value) is getattr(torch, "Tensor", None):
                know_tensors(type(value))  # the next one is read without a frame of Python
            of_jax = hasattr(value, "copy_to_host_async")
            if not of_jax and device_of(value) in ("cpu", "meta"):
                self._log_as(kind, name, on_host(value))
                return
            step = self._step_now()
            if step is None:
                raise Cannot("a tensor was logged before the first step")
            arrive = self._arrivals.array if of_jax else self._arrivals.number
            arrive(value, lambda number: self._late(step, kind, name, number))
        except Cannot as error:
            self._cannot(f"{name}: {error}")
        except Exception as error:
            self._cannot(f"{name}: {type(error).__name__}: {error}")

    def _over(self) -> None:
        """The program goes on with a run that has ended: what it gives is counted. One that never began has been said."""
        if self.directory and os.getpid() == self._pid:
            self._cannot("a call came when the run had ended")

    def _no_column(self, name: Any) -> None:
        """A number has no column: its name cannot be one, or there are as many as a recording takes."""
        length = len(name.encode("utf-8", "replace")) if isinstance(name, str) else 0
        if not 0 < length < 256 or "\0" in name or name.encode("utf-8", "replace").decode() != name:
            self._cannot("a column's name has to be 1 to 255 bytes of UTF-8")
            return
        first = self._first_left_out = self._first_left_out or name
        self._cannot(f"a recording takes at most {_COLUMNS:,} columns, and more were logged: the first left out is {first}")

    def _no_number(self, name: str, value: Any) -> None:
        self._cannot(f"{name}: a value of type {type(value).__name__} is no number")

    def _begins(self, back: int) -> None:
        """A step has begun that a window waits for, or whose phases a device times, or that has a lower number than the one before."""
        if self._wants_device:
            from tscope._device import phases_of

            self._wants_device = False
            self._device = phases_of(self)
            self._set_device(self._device)
            if self._device is not None:
                self._at_end.append(self._device.hand_over)
            if self._windows is None:
                self._wake(-1, False)
        step = self._step_now()
        if self._windows is not None and step is not None:
            self._windows.begins(step, bool(back))
        if self._device is not None:
            self._device.begin()

    def _ends(self) -> None:
        """A step ends in which a window is open."""
        step = self._step_now()
        if self._windows is not None and step is not None:
            self._windows.ends(step)

    def _drew(self, draw: Any) -> None:
        """The loader drew these samples for the step that is open or that comes next."""
        if draw is None or not self.enabled:
            return
        try:
            if self._indices is None:
                self._indices = Indices(self)
                self._at_end.append(self._indices.end)
            self._indices.add(draw)
        except Exception as error:
            self._cannot(f"the indices of the batch: {type(error).__name__}: {error}")

    def _trains(self, model: Any) -> None:
        """A model is trained whose mode is worth knowing."""
        if self._modes is not None:
            self._modes.add(model)

    def _add_window(self, window: Any) -> None:
        if self._windows is None:
            from tscope._windows import Windows

            self._windows = Windows(self)
            self._at_end.append(self._windows.stop)
        self._windows.add(window)

    def _blame(self, error: Any) -> None:
        """An exception leaves a step or the program: if memory ran out, the layer is named."""
        with contextlib.suppress(Exception):
            from tscope._blame import blame

            blame(self, error)

    def _leaves(self, error: Any) -> None:
        """An exception leaves a step, the run's block or the program. It is not kept: it would hold the tensors of its frames."""
        with contextlib.suppress(Exception):
            self._end = _ending.of_error(error, self._step_now()) or self._end

    def _ended(self) -> dict[str, Any]:
        """Returns what is known of the end at this moment: an exception that is on its way, or one that no step followed."""
        if self._stopped is not None:
            return self._stopped
        self._leaves(sys.exc_info()[1])
        now = self._step_now()
        followed = self._end is not None and now is not None and now > self._end.get("step", -1)
        return {"state": "finished"} if self._end is None or followed else self._end

    def _left_by(self, kind: Any, error: Any) -> None:
        """An exception leaves the step."""
        self._blame(error)
        self._leaves(error)
        if issubclass(kind, (Exception, KeyboardInterrupt)) and not issubclass(kind, StopIteration):
            self._event_text("exception", kind.__name__)

    def _tick(self) -> None:
        """Behind the first step, and then every so many: what is sampled, and what has arrived from a device."""
        if self._first:
            self._first = False
            self._tick_every(self._every)
            self.facts(_needs.files.facts(_needs.EARLY_S))
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
        self._knows(loader)
        return Data(self, loader, phase)

    def _knows(self, loader: Any) -> None:
        """Records the settings of the first loader that the program trains from, and how long workers work."""
        if not self.enabled or id(loader) in self._loaders:
            return
        self._loaders.add(id(loader))
        workers = getattr(loader, "num_workers", 0)
        if not self._times_workers and isinstance(workers, int) and workers > 0:
            from tscope._loading import Loading

            self._times_workers = True
            self._add_window(Loading(self))
        if len(self._loaders) == 1:
            with contextlib.suppress(Exception):
                self.facts(settings(loader))

    def region(self, name: str) -> Region:
        """Returns a context, or a decorator, which records how long a named part of the program takes.

        It may lie anywhere, nest and repeat, in any thread. Each time is recorded as `regions.NAME`, in seconds of the host's clock, of
        the step that is open when it ends, or that ended last; of one step they add up.

        >>> with run.region("evaluate"):
        ...     pass
        """
        return Region(self, name)

    def event(self, name: str, value: Union[None, float, str] = None) -> None:
        """Records that something happens now, with a number, a text or nothing more.

        The number is in whatever unit the name says. An event has the time at which it was recorded, and the step that is open then, or
        that ended last; before the first step it has none. It may come from any thread.

        >>> run.event("learning rate halved", 5e-4)
        >>> run.event("evaluation", "begins")
        """
        if not self.enabled:
            self._over()
            return
        try:
            if value is None or isinstance(value, str):
                self._event_text(name, value)
            else:
                self._event(name, on_host(value))
        except Exception as error:
            self._cannot(f"the event {name!r}: {error}")

    def define_metric(self, name: str, step_metric: Any = None, *_: Any, **__: Any) -> None:
        """Says which logged number is the axis of others, as to W&B: the steps that `log` makes are numbered by that of most numbers.

        `name` may end with "*". What else W&B takes here decides what it shows, and nothing of the record.

        >>> run.define_metric("train/*", step_metric="train/step")
        """
        try:
            self._rows.declare(name, step_metric)
        except Exception as error:
            self._cannot(f"define_metric: {type(error).__name__}: {error}")

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

    def watch(self, model: Any = None, optimizer: Any = None, every: int = 100, **of_wandb: Any) -> None:
        """Records digests every so many steps: of batches, parameters, gradients, the optimizer's state and random generators.

        Batches are those of `run.data`; the other digests are taken when the optimizer's step begins (docs/digests.md). A second call
        takes the place of the first. Of the words of W&B's watch, `log_freq` is `every`, and a criterion in the optimizer's place is
        taken and not used.

        >>> run.watch(every=10)
        """
        if not self.enabled:
            return
        try:
            from tscope._watch import Watch

            every = of_wandb.get("log_freq", every)
            if callable(optimizer) and not hasattr(optimizer, "step"):
                optimizer = None  # a criterion

            if self._watched is not None:
                self._watched.stop()
            self._watched = Watch(self, model, optimizer, every)
            self._at_end.append(self._watched.stop)
            _asked.asked.watched(self, model)
        except Exception as error:
            self._cannot(f"watch: {type(error).__name__}: {error}")

    def layers(self, model: Any, every: int = 100) -> Any:
        """Records time and memory of each layer, a module without children, every so many steps; returns what knows the heaviest.

        `scalars.layers/NAME/forward_ms` and `backward_ms` are of CUDA's clock where the model lies there, else of the host's (the fact
        `work.layers_clock`). `memory.layers/NAME/parameters` and `output` are bytes of tensors; `before`, `after` and `peak` are those
        of CUDA's allocator, the peak where the layer raised it. Other steps cost nothing.

        >>> import torch
        >>> model = torch.nn.Sequential(torch.nn.Linear(2, 64), torch.nn.Linear(64, 1))
        >>> layers = run.layers(model, every=2)
        >>> with run.step():
        ...     model(torch.ones(4, 2)).sum().backward()
        >>> [row["layer"] for row in layers.heaviest(1, by="memory")]
        ['0']
        """
        from tscope._layers import Layers, NoLayers

        if not self.enabled:
            return NoLayers()
        try:
            layers = Layers(self, model, every)
            self._add_window(layers)
            self._layers = layers
            return layers
        except Exception as error:
            self._cannot(f"layers: {type(error).__name__}: {error}")
            return NoLayers()

    def operations(self, model: Any = None, steps: Iterable[int] = (0,), of: str = "modules") -> None:
        """Records digests of what each operation of these steps was given and gave, so that `tscope diff` names the first that differs.

        of="modules": the forward of each module below the model, whose parameters count as given, seen by hooks. of="aten": each
        operation of torch in forward, backward and optimizer, seen by a TorchDispatchMode. These steps are slow and wait for a device.

        >>> import torch
        >>> model = torch.nn.Sequential(torch.nn.Linear(2, 3), torch.nn.Tanh())
        >>> run.operations(model, steps=[0])
        >>> with run.step():
        ...     loss = model(torch.ones(4, 2)).sum()
        """
        self._operations(model, steps, of, None)

    def _operations(self, model: Any, steps: Iterable[int], of: str, inputs: Optional[tuple[str, int]]) -> None:
        if not self.enabled:
            return
        try:
            from tscope._operations import Operations

            self._add_window(Operations(self, model, steps, of, inputs))
        except Exception as error:
            self._cannot(f"operations: {type(error).__name__}: {error}")

    def profile(self, wait: int = 5, warmup: int = 1, active: int = 3, repeat: int = 1, **options: Any) -> None:
        """Traces some steps with torch's profiler, into trace.json.gz in the folder of the run, where `tscope push` finds it.

        Of a cycle nothing is traced for `wait` steps, `warmup` steps are traced and thrown away, and `active` steps are kept. Further
        cycles write trace-STEP.json.gz beside it. `options` are those of torch.profiler.profile. The steps have a phase
        `profiler`, by which `GATE.exclude = phase:profiler` leaves them out. Axolotl's words are taken, too: `profiler_steps` of them
        are traced from step `profiler_steps_start` on, and with CUDA their memory is kept, as by `snapshot`.

        >>> run.profile(wait=10, warmup=1, active=2)
        """
        if not self.enabled:
            return
        try:
            from tscope._profiling import Profile, of_axolotl

            if "profiler_steps" in options:
                wait, warmup, active = of_axolotl(options)
                self._snapshot_if_cuda(wait + warmup, active)
            self._add_window(Profile(self, wait, warmup, active, repeat, options))
        except Exception as error:
            self._cannot(f"profile: {type(error).__name__}: {error}")

    def _snapshot_if_cuda(self, start: int, steps: int) -> None:
        torch = sys.modules.get("torch")
        if torch is not None and torch.cuda.is_available():
            self.snapshot(start, steps)

    def snapshot(self, start: int = 0, steps: int = 3) -> None:
        """Keeps the history of CUDA's memory over some steps, into snapshot.pickle in the folder of the run; without CUDA it says so.

        >>> run.snapshot(start=5, steps=2)
        """
        if not self.enabled:
            return
        try:
            from tscope._profiling import Snapshot

            self._add_window(Snapshot(self, start, steps))
        except Exception as error:
            self._cannot(f"snapshot: {error}")

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

        `step` is the first step that is executed now; without it, the one behind the checkpoint's. Where none has begun, steps that
        are not numbered begin with it.

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
            if step is not None and self._step_now() is None:
                self._begin_row(step, 0)  # a step that is given up leaves its number to the next
                self.cancel_step()
                self._rows.next = step
            if self._watched is not None:
                self._watched.now()
        except Exception as error:
            self._cannot(f"resumed_from: {error}")

    @property
    def summary(self) -> Summary:
        """What a run came to. Called, it gives what is known as one flat dictionary of numbers and short texts, for other trackers.

        `directory`, `steps`; `wall_s`, from the beginning of the first step to the end of the last; `step_time_median_s` and
        `step_time_p95_s`, from the end of a step to the end of the next; `phases.NAME.mean_s` and `phases.NAME.share`, of the time of
        all phases; `scalars.NAME`, the last number, `.first`, `.min` and `.mean`; `memory.NAME`, the last, and `.max`, in bytes;
        amounts by name; `tokens_per_s` and `samples_per_s` where the run says how many a step has. What is not known is absent; of a
        run of more than some 40,000 steps it is the last ones. `run.summary["best"] = 0.9` says something more: the fact
        other.summary.best.

        >>> sorted(run.summary())[:2]
        ['directory', 'steps']
        """
        return self._sums

    @property
    def config(self) -> Config:
        """The configuration: a dictionary that is read and written by attributes, too; what is set later is a fact, config.NAME.

        >>> run.config.epochs = 3
        >>> run.config["epochs"]
        3
        """
        return self._config

    @property
    def name(self) -> str:
        """The name of the run: the one that it was given, else that of its folder. One that is set later is the fact session.name.

        >>> run.name
        'exp1'
        """
        return self._name or (_paths.name_of(self.directory) if self.directory else "")

    @name.setter
    def name(self, name: str) -> None:
        self._name = str(name)
        self.facts({"session": {"name": self._name}})

    def _summarized(self) -> dict[str, Union[int, float, str]]:
        from tscope._recording import summary

        if not self.directory:
            return {}
        try:
            if self.enabled:
                self._sync(_SYNC_MS)
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

    def finish(self, exit_code: Optional[int] = None, quiet: Any = None) -> None:
        """Ends the run; again, it does nothing. A program that ends without it ends its runs, too. An exit code is that of a failure.

        >>> run.finish()
        """
        if not self.enabled or os.getpid() != self._pid:
            return
        self._or_said(self._sums.write)
        self._or_said(self._rows.end)
        if exit_code:
            self._end = {"exit": int(exit_code), **({} if self._step_now() is None else {"step": self._step_now()})}
        self._or_said(lambda: self.facts({"session": {"end": self._ended()}}))
        self._or_said(lambda: self.facts(_needs.files.facts()))
        self._let_go()
        left_out: list[str] = []
        self._or_said(lambda: left_out.append(self._left_out()))
        self.enabled, self._watched, self._windows, self._begun_by = False, None, None, None
        self._scopes.clear()
        _open.discard(self)
        answers = self._close()
        for text in filter(None, left_out):
            say(text)
        if answers and self._verdict:  # a file system that does not answer is not asked again
            from tscope import _verdict

            _verdict.say(self)

    def _left_out(self) -> str:
        """Returns what is said at the end of what was not recorded, which is a fact, too; "" where all was."""
        trouble = self.trouble
        counts = dict(self._causes)
        more = int(trouble["cannot"]) - sum(counts.values())
        if more:
            counts["other causes"] = more
        if trouble["lost_frames"]:
            counts[str(trouble["first"])] = int(trouble["lost_frames"])
        if not counts:
            return ""
        self.facts({"session": {"not_recorded": {"count": sum(counts.values()), "causes": counts}}})
        most = sorted(counts.items(), key=lambda item: -item[1])
        named = "; ".join(f"{cause} ({count:,})" for cause, count in most[:3]) + ("; and others" if len(most) > 3 else "")
        return f"not recorded in {_paths.shown(self.directory)}: {sum(counts.values()):,} in all: {named}"

    def _let_go(self) -> None:
        """Takes back every patch and hook: nothing of the program is kept alive by a run that has ended. Late values are read last."""
        while self._at_end:
            self._or_said(self._at_end.pop())
        self._or_said(lambda: self._arrivals.read(wait=True))

    def _or_said(self, act: Callable[[], None]) -> None:
        try:
            act()
        except Exception as error:
            self._cannot(f"finish: {error}")

    def _give_up(self) -> None:
        """The run could not begin, in part or at all: it records nothing."""
        self.enabled, self.directory = False, ""
        _open.discard(self)
        self._close()

    def __enter__(self) -> "Run":
        return self

    def __exit__(self, kind: Any, value: object, trace: object) -> None:
        if kind is not None and self.enabled:
            with contextlib.suppress(Exception):
                self._event_text("exception", getattr(kind, "__name__", "exception"))
            self._blame(value)
            self._leaves(value)
        self.finish()


adopt(Run)
_as_wandb.add_to(Run)


def latest() -> Optional[Run]:
    """Returns the run that began last and has not ended, or None.

    >>> latest() is run
    True
    """
    return _latest if _latest is not None and _latest.enabled else None


def _watch_excepthook() -> None:
    """Has an exception that ends the program looked at, before what was there says it."""
    before = sys.excepthook

    def said(kind: Any, error: Any, trace: Any) -> None:
        for run in list(_open):
            run._blame(error)
            run._leaves(error)
        before(kind, error, trace)

    said._tscope = True  # type: ignore[attr-defined]
    if not getattr(before, "_tscope", False):
        sys.excepthook = said


def begun() -> Optional[Run]:
    """Returns the run of this process that began last, also if it has ended, or None.

    >>> run.finish()
    >>> begun() is run
    True
    """
    return _latest


def log(*numbers: dict[str, Any], **by_name: Any) -> None:
    """Records numbers into the run that began last, as its `log` does; where none was begun, that is said when the program ends.

    They count for the step that is open, or behind its end for the step that ended last: what is logged behind `optimizer.step()` is of
    that step, and so is an evaluation between two steps. A program that begins no steps makes one with each call.

    >>> run.begin_step()
    >>> tscope.log(loss=0.5)
    """
    run = latest()
    if run is None:
        _log_without_run(numbers, by_name)
        return
    for wanted in run._heard:
        wanted(*numbers, by_name)
    run.log(*numbers, **by_name)


_without_run = 0  # calls of log that had none


def _log_without_run(numbers: "tuple[Any, ...]", by_name: dict[str, Any]) -> None:
    """What is logged where no run is open: `python -m tscope` may begin one for it; else it is counted."""
    global _without_run
    zero = getattr(sys.modules.get("tscope._zero"), "current", lambda: None)()
    if zero is not None and zero.keeps(numbers, by_name):
        return
    if _latest is None:
        _without_run += 1
    else:
        _latest._over()


@atexit.register
def _finish_all() -> None:
    for run in list(_open):
        run.finish()
    if _without_run and _latest is None:
        say(f"tscope.log was called {_without_run:,} times without a run: tscope.start(DIR) or tscope.init() begins one")


def is_refusal(error: BaseException) -> bool:
    """Whether an exception is one that `start` raised because its caller asked for it: it is to reach the program.

    >>> is_refusal(OSError("no space left on device"))
    False
    """
    return getattr(error, "_of_start", False)


_needs.files.begin()  # what is read before a run begins belongs to it, too

_COLUMNS = 16_000  # record/frame.h
_CAUSES = 16  # that are said and counted one by one
_SYNC_MS = 1000  # so long a summary waits for the numbers of the last steps
_HELD = {"error": 'exist="new" records beside it, exist="resume" goes on with it', "resume": 'exist="new" records beside it'}
_here: "dict[str, weakref.ref[Run]]" = {}  # runs that this process began, by their folder's real path


def _keeper() -> Optional[str]:
    """Returns the path of the program that writes the file, beside the extension or as $TSCOPE_KEEPER says; None: a thread has to."""
    beside = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tscope-keeper")
    return os.environ.get("TSCOPE_KEEPER", beside) or None


def _open_at(run: Run, directory: str, exist: str, name: Optional[str], config: Any, facts: Any, flush_ms: int) -> None:
    """Opens the recording in the folder, or with exist="new" in the first that is free; with "resume" it may be a further attempt."""
    job = _ranks.job() if run.world_size > 1 else ""
    places = _paths.candidates(directory, job) if exist == "new" else [directory]
    for at in places:
        try:
            run._open(at, name, config, facts, run.rank, run.world_size, flush_ms, exist == "resume", _keeper())
        except FileExistsError as error:
            if exist == "new":
                continue
            raise FileExistsError(f"{error}: {_HELD[exist]}") from None
        run.directory, run.attempt = at, run._attempt()
        _here[os.path.realpath(directory)] = _here[os.path.realpath(at)] = weakref.ref(run)
        return


def _begin(run: Run, directory: Any, config: Any, options: dict[str, Any]) -> None:
    """Begins to record into a run, unless this rank is none of those that record."""
    ranks = options["ranks"]
    run.rank, run.world_size = _ranks.here(options["rank"], options["world_size"])
    wanted = None if ranks == "all" else {ranks} if isinstance(ranks, int) else set(ranks)
    if wanted is not None and run.rank not in wanted:
        return
    every = options["memory_every"]
    samples = every > 0
    run._torch = _facts.of_torch()
    found = _facts.at_start(options["patch"])
    if _resume.job():
        found = _facts.merge(found, {"session": {"job": _resume.job()}})
    known = _json.text(_facts.merge(found, _facts.checked(_json.plain(options["facts"] or {}))))
    _open_at(run, os.fspath(directory), options["exist"], options["name"], _json.text(config), known, options["flush_ms"])
    if samples:
        from tscope._memory import sampler

        run._memory = sampler(every == 1)
        run._every = every
    run._tick_every(1)
    run._modes = observe(run)
    if options["device_phases"]:
        run._wants_device = True
        run._wake(0, False)
    run._config, run._name = Config(config, lambda new: run.facts({"config": new})), options["name"] or ""
    run.enabled, run._verdict = True, options["verdict"]
    _declare_warmup(run, options["warmup"])
    _asked.asked.of(run)
    _open.add(run)
    _watch_excepthook()


def _declare_warmup(run: Run, warmup: Any) -> None:
    try:
        steps = operator.index(warmup) if warmup is not None else 0  # also a number of numpy
    except TypeError:
        steps = -1
    if steps > 0:
        run.facts({"work": {"warmup_steps": steps}})
    elif steps < 0:
        run._cannot(f"warmup: {warmup!r}, which is no number of steps,")


def _again(directory: Any) -> str:
    """Returns what is done where nobody says it, if the folder holds a run: "new" where this process began it, or a notebook runs.

    Of this process a run that is still open ends, as W&B has it where a cell is run twice.
    """
    try:
        begun_here = _here.get(os.path.realpath(os.fspath(directory)))
    except (TypeError, ValueError):
        return "error"  # which opening it says
    before = begun_here() if begun_here is not None else None
    if before is not None:
        before.finish()
    if begun_here is not None:
        return "new"
    from tscope._init import in_notebook

    return "new" if in_notebook() else "error"


def start(
    directory: Union[str, "os.PathLike[str]"],
    config: Any = None,
    *,
    name: Optional[str] = None,
    rank: Optional[int] = None,
    world_size: Optional[int] = None,
    ranks: Union[str, int, Iterable[int]] = "all",
    exist: Optional[str] = None,
    facts: Optional[dict[str, Any]] = None,
    flush_ms: int = 1000,
    memory_every: int = 100,
    patch: bool = True,
    device_phases: bool = False,
    verdict: bool = False,
    warmup: int = 0,
    strict: bool = False,
) -> Run:
    """Begins to record a run into a folder, and returns it.

    `config` is a dictionary, a dataclass or a namespace of hyper-parameters. Rank and world size are those of torch.distributed or of
    the launcher; `ranks` says which of them record. A folder that holds a run is left as it is, and nothing is recorded; with
    exist="new" the run goes into DIRECTORY-2, -3, ..., and with exist="resume" the run there goes on: this is a further attempt of one
    training, beside the earlier ones. That is so without being asked where the launcher says that the job was requeued or restarted
    (Slurm, torchrun, Ray Train). In a notebook, and where this process began the run that the folder holds, "new" is so without being
    asked, but for strict=True: a cell may be run twice; what was still open ends, and one line says where the new one is.

    `facts` are added to those that are found here; `memory_every` is the steps between two samples of memory, 0 for none; `flush_ms`
    is the milliseconds whose steps a loss of power may cost; `patch` keeps the text of uncommitted changes; without it their digest is
    kept. `device_phases` has CUDA time the phases that are marked, by events that are read when they are done; the host's times of them
    are regions then. `verdict` says at the end, on standard error, what bound the run and what to try: in ten lines, on rank 0 alone.
    `warmup` is how many first steps `tscope analyze` leaves out of times, as its --warmup does; without it, analyze finds them.

    A run that cannot be recorded, whatever the cause, is said in one line on standard error, and training goes on: what is returned has
    `enabled` False, and its methods do nothing. With strict=True the cause is raised instead. A word for `exist` that there is none of
    is always raised, as Python raises an argument that there is none of: the first run of a program shows it.

    >>> run = tscope.start("runs/first", config={"lr": 1e-3}, facts={"data": {"name": "digits"}})
    >>> run.rank, run.world_size
    (0, 1)
    >>> tscope.start("runs/first", exist="error").enabled
    False
    """
    asked = exist is not None
    directory, exist = _asked.asked.place(directory, exist)
    if exist is None:
        exist = "resume" if _resume.restarted() else "error" if strict else _again(directory)
    if exist not in _resume.EXIST:
        raise ValueError(f'exist is "error", "new" or "resume", not {exist!r}')
    options = {
        "name": name, "rank": rank, "world_size": world_size, "ranks": ranks, "exist": exist, "facts": facts, "flush_ms": flush_ms,
        "memory_every": memory_every, "patch": patch, "device_phases": device_phases, "verdict": verdict, "warmup": warmup,
    }  # fmt: skip
    global _latest
    _latest = run = Run()
    try:
        _begin(run, directory, config, options)
    except BaseException as error:
        run._give_up()
        if strict or not isinstance(error, Exception):
            error._of_start = True  # type: ignore[attr-defined]
            raise
        say(f"{why(error)}; nothing is recorded, and training goes on")
    if run.enabled and not asked and run.directory != os.fspath(directory) and run.rank == 0:
        say(f"{_paths.shown(os.fspath(directory))} holds a run: this one is recorded in {_paths.shown(run.directory)}")
    return run
