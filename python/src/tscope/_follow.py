"""Records what a script tells another tracker, too: W&B, TensorBoard or MLflow."""

import functools
import os
from array import array
from bisect import bisect_left
from collections.abc import Mapping
from typing import Any, Callable, Optional

from tscope import _resume, _run
from tscope._numbers import device_of, flat, on_host
from tscope._say import say, why

_NUMBER = 1  # the kind of a column, as Run._log_other has it
_followed: "dict[str, Tracker]" = {}


class Tracker:
    """A tracker that is followed. Where the run has no steps but those that the tracker is told, each of these is one.

    A number of an earlier step joins that step's; of a step that is not there (an axis of its own, such as epochs) it is an event.
    """

    def __init__(self, options: dict[str, Any]) -> None:
        self.options = options
        self.config: Callable[[], Any] = dict
        self.name: Optional[str] = None
        self._run: Optional[_run.Run] = None
        self._steps = array("q")  # that were begun here
        self._pid = os.getpid()
        self._told: dict[str, Any] = {}

    def run(self) -> Optional[_run.Run]:
        """Returns the run that is recorded into: the one that is open, or a new one."""
        if os.getpid() != self._pid:
            return None
        if self._run is None or not self._run.enabled:
            self._run = _run.latest() or self._begin()
            if not self._run.enabled:
                self._pid = -1  # it was said why, and it would be so again
                return None
            self._steps = array("q")
            self._run._at_end.append(self._tell_config)
            self._tell_config()
        return self._run

    def _begin(self) -> "_run.Run":
        from tscope import _auto, _zero

        zero = _zero.current()
        if zero is not None:
            where = zero.where()
        else:
            directory, exist = _resume.place(None, self.options.get("exist"), _auto._directory)
            where = {"directory": directory, "exist": exist}
        options = {"name": self.name, **where, **self.options}
        self._told = {**_plain(self.config()), **_plain(options.pop("config", None) or {})}
        return _run.start(config=self._told or None, **options)

    def _tell_config(self) -> None:
        """The tracker's configuration may grow until the end."""
        now = _plain(self.config())
        new = {key: value for key, value in now.items() if key not in self._told or self._told[key] != value}
        if self._run is not None and new:
            self._told = now
            self._run.facts({"config": new})

    def take(self, numbers: Mapping[str, Any], step: Optional[int]) -> None:
        """Records numbers of a step of the tracker; None is the step that is under way."""
        run = self.run()
        if run is None:
            return
        found = dict(flat(numbers, lambda name, value: run._cannot("a tracker was told what is no number")))
        if not found:
            return
        last = run._step_now()
        mine = last is None or (len(self._steps) > 0 and self._steps[-1] == last)
        if mine and not _hooked() and (last is None or (step is not None and step > last)):
            run.begin_step(step if step is not None else 0)
            run.log(found)
            run.end_step()
            self._steps.append(step if step is not None else 0)
        elif step is None or last is None or step >= last:
            run.log(found)
        else:
            self._earlier(run, found, step, mine)

    def _earlier(self, run: _run.Run, numbers: dict[str, Any], step: int, mine: bool) -> None:
        place = bisect_left(self._steps, step)
        known = not mine or (place < len(self._steps) and self._steps[place] == step)
        for name, value in numbers.items():
            if not known:
                run.event(name, value)
            elif device_of(value) == "cpu":
                run._late(step, _NUMBER, name, on_host(value))
            else:
                run._arrivals.number(value, functools.partial(run._late, step, _NUMBER, name))

    def safely(self, numbers: Any, step: Optional[int]) -> None:
        """Records, and has nothing reach the program."""
        try:
            self.take(numbers, step)
        except Exception as error:
            if _run.is_refusal(error):
                raise
            if self._run is not None:
                self._run._cannot(f"what a tracker was told: {type(error).__name__}: {error}")
            else:
                say(f"what a tracker was told is not recorded: {why(error)}")
                self._pid = -1  # said once


def _hooked() -> bool:
    """Whether the steps of the run are those of a loop that is seen by hooks."""
    from tscope import _zero

    zero = _zero.current()
    return zero is not None and zero.sees_steps()


def _plain(config: Any) -> dict[str, Any]:
    try:
        return {str(key): value for key, value in dict(config).items()}
    except (TypeError, ValueError):
        return {}


# --- Weights & Biases ---


def _wandb(wandb: Any, tracker: Tracker) -> None:
    rows: dict[str, int] = {}  # of a run of W&B, the step of its row that is being filled
    before = wandb.Run.log

    @functools.wraps(before)
    def log(run: Any, data: Any, step: Optional[int] = None, commit: Optional[bool] = None, *args: Any, **kwargs: Any) -> Any:
        row = rows.get(run.id)
        if row is None:
            row = rows[run.id] = _first_row(run)
        done = before(run, data, step, commit, *args, **kwargs)  # raises what it raises, and then nothing is recorded
        if isinstance(data, Mapping) and (step is None or step >= row):  # an earlier one is given up by W&B
            row = row if step is None else int(step)
            tracker.name = tracker.name or getattr(run, "name", None)
            tracker.config = functools.partial(dict, run.config)
            tracker.safely(data, row)
            rows[run.id] = row + ((step is None) if commit is None else bool(commit))
        return done

    wandb.Run.log = log
    if getattr(wandb, "run", None) is not None:  # begun already: wandb.log is bound to what was there before
        wandb.log = wandb.run.log


def _first_row(run: Any) -> int:
    """Returns the step with which a run of W&B begins: another than 0 where it was resumed."""
    try:
        return int(run.step)
    except Exception:
        return 0


# --- TensorBoard ---


def _writer(writer: Any, tracker: Tracker) -> None:
    """Follows a SummaryWriter, or all of them where it is the class."""
    bound = not isinstance(writer, type)

    def wrapped(name: str, take: Callable[..., None]) -> None:
        before = getattr(writer, name)

        @functools.wraps(before)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            done = before(*args, **kwargs)
            try:
                take(*(args if bound else args[1:]), **kwargs)
            except Exception as error:
                if _run.is_refusal(error):
                    raise
                say(f"{name}: {type(error).__name__}: {why(error)}; it is not recorded")
            return done

        setattr(writer, name, wrapper)

    def scalar(tag: str, scalar_value: Any, global_step: Any = None, *_: Any, **__: Any) -> None:
        tracker.safely({tag: scalar_value}, None if global_step is None else int(global_step))

    def scalars(main_tag: str, tag_scalar_dict: Any, global_step: Any = None, *_: Any, **__: Any) -> None:
        found = {f"{main_tag}/{tag}": value for tag, value in tag_scalar_dict.items()}
        tracker.safely(found, None if global_step is None else int(global_step))

    hparams: dict[str, Any] = {}
    tracker.config = lambda: hparams

    def parameters(hparam_dict: Any, *_: Any, **__: Any) -> None:
        hparams.update(hparam_dict)

    wrapped("add_scalar", scalar)
    wrapped("add_scalars", scalars)
    if hasattr(writer, "add_hparams"):
        wrapped("add_hparams", parameters)


# --- MLflow ---


def _mlflow(mlflow: Any, tracker: Tracker) -> None:
    parameters: dict[str, Any] = {}
    tracker.config = lambda: parameters

    def wrapped(name: str, take: Callable[..., None]) -> None:
        before = getattr(mlflow, name)

        @functools.wraps(before)
        def wrapper(*args: Any, **kwargs: Any) -> Any:
            done = before(*args, **kwargs)
            take(*args, **kwargs)
            return done

        setattr(mlflow, name, wrapper)

    wrapped("log_metric", lambda key, value, step=None, *_, **__: tracker.safely({key: value}, step))
    wrapped("log_metrics", lambda metrics, step=None, *_, **__: tracker.safely(metrics, step))
    wrapped("log_param", lambda key, value, *_, **__: parameters.update({key: value}))
    wrapped("log_params", lambda params, *_, **__: parameters.update(params))


def _key(tracker: Any) -> str:
    name = str(getattr(tracker, "__name__", None) or type(tracker).__name__)
    return f"{name} {id(tracker)}" if "SummaryWriter" in name else name


def follows(tracker: Any) -> bool:
    """Whether a tracker is followed.

    >>> import json
    >>> follows(json)
    False
    """
    return _key(tracker) in _followed


def follow(tracker: Any, directory: Optional[str] = None, **options: Any) -> None:
    """Has every number that a script logs to another tracker recorded, too: one added line, and nothing of the tracker changes.

    `tracker` is the module wandb or mlflow, or a SummaryWriter of TensorBoard or tensorboardX, its class or one writer. Numbers go into
    the run that is open; with none, the first of them begins one, in `directory` or runs/PROGRAM-TIME, with `options` of
    `tscope.start`. Where nothing else makes steps, the tracker's are the run's; the time of a step is that since the step before.

    >>> class SummaryWriter:
    ...     def add_scalar(self, tag, scalar_value, global_step=None):
    ...         pass
    ...     def add_scalars(self, main_tag, tag_scalar_dict, global_step=None):
    ...         pass
    >>> tscope.follow(SummaryWriter)
    >>> SummaryWriter().add_scalar("loss/train", 0.5, 10)
    """
    name = _key(tracker)
    if name in _followed:
        return
    found = Tracker({**options, **({} if directory is None else {"directory": directory})})
    if name == "wandb":
        _wandb(tracker, found)
    elif name == "mlflow":
        _mlflow(tracker, found)
    elif hasattr(tracker, "add_scalar"):
        _writer(tracker, found)
    else:
        raise TypeError(f"{name.partition(' ')[0]} is no tracker that can be followed: wandb, mlflow or a SummaryWriter is")
    _followed[name] = found
