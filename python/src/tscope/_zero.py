"""Records a program that nobody touched: waits until it imports torch or a framework, and then patches what its loop calls."""

import contextlib
import functools
import importlib.abc
import os
import sys
from typing import Any, Callable, Optional

from tscope import _json, _ranks, _resume, _rows, _run
from tscope._paths import as_name, program_of
from tscope._recorder import is_secret
from tscope._say import say, why

# Frameworks that tell their callbacks more than hooks can see: where the class is whose objects get one, and what makes it.
_FRAMEWORKS = {
    "transformers.trainer": ("Trainer", "tscope.integrations.transformers"),
    "lightning.pytorch.trainer.trainer": ("Trainer", "tscope.integrations.lightning"),
    "pytorch_lightning.trainer.trainer": ("Trainer", "tscope.integrations.lightning"),
}
_KEPT_MOST = 1000  # calls of log that wait for a loop
_TRACKERS = ("wandb", "mlflow", "SummaryWriter")

_current: "Optional[Zero]" = None


class _Imports(importlib.abc.MetaPathFinder):
    """Tells when a module has been imported. What the program imports stays what it would have been."""

    def __init__(self, wanted: dict[str, Callable[[Any], None]]) -> None:
        self.wanted = wanted

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        """Finds what the others find, and has its loader tell."""
        if name not in self.wanted:
            return None
        then = self.wanted.pop(name)
        for finder in sys.meta_path:
            find = getattr(finder, "find_spec", None)
            spec = find(name, path, target) if finder is not self and find is not None else None
            if spec is not None:
                with contextlib.suppress(Exception):
                    _tell(spec.loader, then)
                return spec
        self.wanted[name] = then
        return None


def _tell(loader: Any, then: Callable[[Any], None]) -> None:
    execute = loader.exec_module

    @functools.wraps(execute)
    def exec_module(module: Any) -> None:
        del loader.exec_module
        execute(module)
        _quietly(then, module)

    loader.exec_module = exec_module


def _quietly(then: Callable[[Any], None], module: Any) -> None:
    try:
        then(module)
    except Exception as error:
        say(f"{module.__name__} is not seen: {type(error).__name__}: {why(error)}")


class Zero:
    """The recording of a program that nobody touched. Where it begins a run of its own, this one stays out of the way."""

    def __init__(self, directory: Optional[str], digests_every: int, options: dict[str, Any]) -> None:
        self.directory, self.digests_every, self.options = directory, digests_every, options
        self.config: dict[str, Any] = {}
        self.loop: Any = None
        self.run: Optional[_run.Run] = None
        self.framework = ""
        self.tracker: Any = None  # of an Accelerator
        self.installed = False
        self.place: Optional[int] = None  # of a process that the program has spawned
        self.verdict: Optional[bool] = None  # as `_verdict.at_exit` has it
        self._spawned = False  # the program has spawned processes, which are its ranks
        self._logged: list[tuple[tuple[Any, ...], dict[str, Any]]] = []  # before there was a run
        self._by_log = False  # what is logged makes the steps
        self._tried = False  # a run was begun, whether or not it could be recorded
        self._pid = os.getpid()
        self._imports = _Imports({"torch": self._torch, "torch._dynamo.utils": self._dynamo, "argparse": self._argparse})
        self._imports.wanted.update({name: functools.partial(self._framework, name) for name in _FRAMEWORKS})
        self._imports.wanted["torch.multiprocessing.spawn"] = self._spawn
        self._imports.wanted.update({"accelerate.data_loader": self._loaders, "accelerate.accelerator": self._accelerate})

    def install(self) -> None:
        """Puts the patches where what they belong to is there already, and waits for the rest."""
        for name in [name for name in self._imports.wanted if name in sys.modules]:
            _quietly(self._imports.wanted.pop(name), sys.modules[name])
        sys.meta_path.insert(0, self._imports)
        self.installed = True

    def _torch(self, torch: Any) -> None:
        from tscope._loop import Loop

        self.loop = Loop(self._start, self.digests_every)

    def _dynamo(self, utils: Any) -> None:
        if self.loop is not None:
            self.loop.hide_from(utils)

    def _spawn(self, module: Any) -> None:
        """Processes that torch.multiprocessing spawns train instead of this one."""
        from tscope import _spawned

        for owner in (module, sys.modules.get("torch.multiprocessing")):
            before = getattr(owner, "start_processes", None)
            if before is not None:
                owner.start_processes = _spawned.starts(self, before)  # type: ignore[union-attr]

    def spawns(self) -> bool:
        """Whether processes that begin now are those of the training: not where this one trains, or a framework has its own.

        >>> Zero("runs/spawned", 0, {}).spawns()
        False
        """
        if not self.installed or os.getpid() != self._pid or self.framework or self._tried or _run.begun() is not None:
            return False
        self._spawned = True
        return True

    def how(self) -> dict[str, Any]:
        """Returns how a process that begins is recorded, for `_spawned.recorded`. The configuration is as a run records it: what a
        program parses may be a function, a lock or a file, which no process can be handed.

        >>> Zero("runs/spawned", 0, {}).how()["directory"]
        'runs/spawned'
        """
        found = {"directory": self.directory, "digests_every": self.digests_every, "options": self.options}
        return {**found, "config": _json.plain(self.config), "verdict": self.verdict}

    def _argparse(self, argparse: Any) -> None:
        """What the program parsed last is its configuration."""
        parser = argparse.ArgumentParser
        before = parser.parse_known_args

        @functools.wraps(before)
        def parse_known_args(*args: Any, **kwargs: Any) -> Any:
            found = before(*args, **kwargs)
            with contextlib.suppress(Exception):
                if self.run is None:
                    self.config = {key: "<redacted>" if is_secret(key) else value for key, value in vars(found[0]).items()}
            return found

        parser.parse_known_args = parse_known_args

    def where(self) -> dict[str, Any]:
        """Returns how a run of this program begins, as arguments of `tscope.start`."""
        from tscope._auto import _directory

        exist = self.options.get("exist")
        if self.directory is not None:
            return {**self.options, "directory": self.directory, "exist": exist}
        name = self.options.get("name")
        # Ranks that begin at different seconds agree on a folder by its number.
        leaf = as_name(name) if name else program_of(sys.argv) if _ranks.here(None, None)[1] > 1 else None
        directory, exist = _resume.place(None, exist, lambda: os.path.join("runs", leaf) if leaf else _directory())
        return {**self.options, "directory": directory, "exist": exist}

    def _start(self) -> Optional[_run.Run]:
        """The first step of a loop begins."""
        tracker = self.tracker
        other = tracker.run if tracker and tracker.run.enabled else None
        if self._tried or os.getpid() != self._pid or self.framework or _run.begun() is not other:
            return None
        self._tried = True
        if _stands_alone(self.place):
            return None
        try:
            config = self.config or None
            run: _run.Run = _run.start(config=config, **self.where()) if tracker is None else tracker.begun(config)
        except Exception as error:
            say(f"{why(error)}; nothing is recorded, and training goes on")
            return None
        if not run.enabled:
            return None
        self.run = run
        self.run._rows.awaits = True
        self.hand_on(run)
        self.run.facts({"columns": {
            "scalars.loss": {"source": "what backward() was called on: of several losses the sum, of micro-batches the mean"},
            "scalars.lr": {"source": "the optimizer's groups"},
        }})
        return self.run

    def keeps(self, numbers: "tuple[Any, ...]", by_name: dict[str, Any]) -> bool:
        """Takes what the program logs before it has a run: a loop may begin one, and else this does. Whether it was taken.

        >>> Zero("runs/kept", 0, {}).keeps(({"loss": 0.5},), {})  # the program has begun one itself
        False
        """
        if os.getpid() != self._pid or self._tried or _run.begun() is not None:
            return False
        self._logged.append((tuple(_rows.kept_of(table) for table in numbers), _rows.kept_of(by_name)))
        if not self.sees_steps() or len(self._logged) >= _KEPT_MOST:
            self._begin_by_log()
        return True

    def _begin_by_log(self) -> None:
        """No loop that hooks could see has begun: what is logged makes the steps."""
        self._tried = self._by_log = True
        self.run = _run.start(config=self.config or None, **self.where())
        self.hand_on(self.run)

    def hand_on(self, run: _run.Run) -> None:
        """Gives a run that has begun what was logged before.

        >>> zero = Zero("runs/kept", 0, {})
        >>> zero.hand_on(run)
        """
        logged, self._logged = self._logged, []
        for numbers, by_name in logged:
            run.log(*numbers, **by_name)

    def _framework(self, name: str, module: Any) -> None:
        """A framework's trainer gets a callback, if there is one for it; else its loop is seen as any other."""
        owner, integration = _FRAMEWORKS[name]
        before = getattr(module, owner).__init__

        @functools.wraps(before)
        def __init__(trainer: Any, *args: Any, **kwargs: Any) -> None:
            before(trainer, *args, **kwargs)
            try:
                self._call_back(trainer, integration)
            except ImportError:
                pass
            except Exception as error:
                say(f"{name}: {type(error).__name__}: {why(error)}; its loop is seen as any other")

        getattr(module, owner).__init__ = __init__

    def _call_back(self, trainer: Any, integration: str) -> None:
        if os.getpid() != self._pid or (_run.begun() is not None and not self.framework):
            return
        kind = importlib.import_module(integration).TscopeCallback
        theirs = trainer.callback_handler.callbacks if hasattr(trainer, "callback_handler") else trainer.callbacks
        if not any(isinstance(callback, kind) for callback in theirs):  # else the program has its own
            theirs.append(kind(**self.where()))
        self.framework = integration.rpartition(".")[2]
        if self.loop is not None:
            self.loop.stop()

    def _loaders(self, module: Any) -> None:
        from tscope._auto import _waits

        _waits.look_for_accelerate()

    def _accelerate(self, module: Any) -> None:
        """An Accelerator gets a tracker, which knows what the program logs, saves and loads; its steps are seen as any other's."""
        before = module.Accelerator.__init__

        @functools.wraps(before)
        def __init__(accelerator: Any, *args: Any, **kwargs: Any) -> None:
            before(accelerator, *args, **kwargs)
            try:
                self._track(accelerator)
            except Exception as error:
                say(f"accelerate: {type(error).__name__}: {why(error)}; what it logs is not seen")

        module.Accelerator.__init__ = __init__

    def _track(self, accelerator: Any) -> None:
        if os.getpid() != self._pid or self.framework or _run.begun() is not None or "transformers.trainer" in sys.modules:
            return
        from tscope.integrations.accelerate import TscopeTracker

        if not any(isinstance(tracker, TscopeTracker) for tracker in accelerator.log_with):  # else the program has its own
            if self.tracker is None:
                self.tracker = TscopeTracker(hooks=False, digests_every=0, **self.where())
                self.tracker.start()
            accelerator.log_with.append(self.tracker)

    def unseen(self) -> list[str]:
        """Returns what could not be seen, each with the line to add."""
        if self.framework or self._by_log or self._spawned or (self.run is None and _run.begun() is not None):
            return []
        loop = self.loop
        if loop is None or not loop.seen["optimizer"]:
            return ["no step of a torch optimizer was seen: add run = tscope.start(DIR) and, in the loop, with run.step():"]
        if not loop.steps:
            return ["no backward pass of an optimizer's step was seen: add run = tscope.start(DIR) and, in the loop, with run.step():"]
        found = []
        joined, name = loop.joined
        if joined > 1:
            found.append(f"{joined} steps of {name} are recorded as one step, since the step of another optimizer was waited for: "
                         "to say what a step is, add run = tscope.start(DIR) and, in the loop, with run.step():")
        if not loop.seen["forward"]:
            found.append("no module was called in training: the forward passes are in phases.between")
        if not loop.seen["loss"] and "scalars.loss" not in (self.run.summary() if self.run else ()):
            found.append("the loss was not seen: add tscope.log(loss=loss)")
        if not loop.seen["data"]:
            found.append("waits for data were not seen: add for batch in run.data(loader):")
        found.extend(f"what {name} is told was not recorded: add tscope.follow({name})" for name in _unfollowed())
        return found

    def sees_steps(self) -> bool:
        """Whether a loop of torch is there, whose steps are those of the run."""
        return bool(self.framework) or self.loop is not None

    def left_by(self, error: BaseException) -> None:
        """An exception leaves the program."""
        run = self.last()
        if run is None or not run.enabled:
            return
        run._leaves(error)
        if isinstance(error, (Exception, KeyboardInterrupt)):
            run._event_text("exception", type(error).__name__)

    def last(self) -> Optional[_run.Run]:
        """Returns the run of this program: the one that it began itself, if it did."""
        return _run.begun()

    def rank(self) -> int:
        """Returns the rank of this process."""
        run = self.last()
        return run.rank if run is not None else int(_ranks.here(None, None)[0])

    def stop(self) -> None:
        """Takes the patches back, and ends the run."""
        self.installed = False
        if self.loop is not None:
            self.loop.stop()
        with contextlib.suppress(ValueError):
            sys.meta_path.remove(self._imports)
        if self._logged and _run.begun() is None and os.getpid() == self._pid:
            self._begin_by_log()
        if self.run is not None:
            self.run.finish()


def _stands_alone(place: Optional[int]) -> bool:
    """Whether a process that was spawned, and is not the first, belongs to no group of ranks: it is said, and not recorded."""
    if not place or _ranks.here(None, None)[1] > 1:
        return False
    say(f"process {place} of those that were spawned is in no group of torch.distributed; it is not recorded, and training goes on")
    return True


def current() -> Optional[Zero]:
    """Returns the recording of this program as nobody touched it, or None.

    >>> isinstance(current(), (Zero, type(None)))
    True
    """
    return _current if _current is not None and _current.installed else None


def _unfollowed() -> list[str]:
    """Returns the trackers that the program itself has imported, and does not have followed."""
    from tscope import _follow

    names = vars(sys.modules["__main__"])
    return [name for name in _TRACKERS if name in names and not _follow.follows(names[name])]


def install(directory: Optional[str] = None, digests_every: int = 100, **options: Any) -> Zero:
    """Has the program that runs in this process recorded, and returns what ends that.

    >>> zero = install("runs/zero")
    >>> zero.stop()
    """
    global _current
    _current = Zero(directory, digests_every, options)
    _current.install()
    return _current
