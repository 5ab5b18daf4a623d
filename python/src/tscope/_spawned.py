"""Ranks that a program starts by torch.multiprocessing.spawn: each is recorded as one that a launcher has started."""

import functools
import pickle
import sys
from typing import Any, Callable

from tscope import _verdict, _zero
from tscope._recorder import Between
from tscope._say import say, why


class Spawned:
    """What a process is to call. Where it is unpickled, in the process, it is recorded.

    >>> import pickle
    >>> pickle.loads(pickle.dumps(Spawned(max, {"options": {}})))(3, 4)
    4
    """

    def __init__(self, function: Callable[..., Any], how: dict[str, Any]) -> None:
        self.function, self.how = function, how

    def __call__(self, *args: Any) -> Any:
        return self.function(*args)

    def __reduce__(self) -> "tuple[Any, ...]":
        return recorded, (self.function, self.how)


def recorded(function: Callable[..., Any], how: dict[str, Any]) -> Any:
    """Returns a function that does the same, recorded as `how` says; between it and the program there is no frame.

    >>> recorded(max, {"options": {}})(1, 2)
    2
    """

    def begins(place: int, *_: Any) -> Any:
        zero = _zero.install(how.get("directory"), how.get("digests_every", 100), **how["options"])
        zero.config, zero.place = how.get("config") or {}, place
        return zero

    def ends(zero: Any) -> None:
        error = sys.exc_info()[1]
        if error is not None:
            zero.left_by(error)
        _verdict.end(zero, how.get("verdict"))

    return Between(begins, function, ends)


def _recorded_there(function: Callable[..., Any], zero: Any) -> Callable[..., Any]:
    """Returns the function as one whose process is recorded; as it is, where how that is done cannot be handed over."""
    try:
        how = zero.how()
        pickle.dumps(how)
    except Exception as error:
        say(f"the processes that are spawned are not recorded: {type(error).__name__}: {why(error)}; training goes on")
        return function
    return Spawned(function, how)


def starts(zero: Any, before: Callable[..., Any]) -> Callable[..., Any]:
    """Returns what stands in the place of torch.multiprocessing.start_processes. Processes that are forked are not recorded: they have
    the recorder of this one, which is another process's.

    >>> starts(zero, before).__name__  # doctest: +SKIP
    'start_processes'
    """

    @functools.wraps(before)
    def start_processes(fn: Any, *args: Any, **kwargs: Any) -> Any:
        method = kwargs.get("start_method", args[4] if len(args) > 4 else "spawn")
        if zero.spawns() and method == "spawn":
            fn = _recorded_there(fn, zero)
        return before(fn, *args, **kwargs)

    return start_processes
