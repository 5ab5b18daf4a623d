"""Regions: named parts of a program, as a block or as a function."""

import functools
from typing import TYPE_CHECKING, Any, Callable, TypeVar

from tscope._recorder import now_ns

if TYPE_CHECKING:
    from tscope._run import Run

Function = TypeVar("Function", bound=Callable[..., Any])


class Region:
    """A named part of a program: its durations are recorded, however often it runs.

    >>> run = tscope.start("runs/region")
    >>> with run.region("evaluate"):
    ...     pass
    >>> @run.region("tokenize")
    ... def tokenize(text):
    ...     return text.split()
    >>> tokenize("to be")
    ['to', 'be']
    """

    __slots__ = ("_begin", "_name", "_run")

    def __init__(self, run: "Run", name: str) -> None:
        self._run, self._name, self._begin = run, name, 0

    def __enter__(self) -> "Region":
        self._begin = now_ns()
        return self

    def __exit__(self, *exception: object) -> None:
        self._run._end_region(self._name, self._begin)

    def __call__(self, function: Function) -> Function:
        run, name = self._run, self._name
        import inspect

        if inspect.iscoroutinefunction(function):

            @functools.wraps(function)
            async def waited(*args: Any, **kwargs: Any) -> Any:
                with Region(run, name):
                    return await function(*args, **kwargs)

            return waited  # type: ignore[return-value]

        @functools.wraps(function)
        def timed(*args: Any, **kwargs: Any) -> Any:
            begin = now_ns()
            try:
                return function(*args, **kwargs)
            finally:
                run._end_region(name, begin)

        return timed  # type: ignore[return-value]
