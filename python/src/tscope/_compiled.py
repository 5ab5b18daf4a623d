"""Which code torch.compile made, by the keys of the caches of Inductor, of its autograd and of its choices of kernels; and when."""

import contextlib
import functools
import sys
import threading
from typing import TYPE_CHECKING, Any, Callable, Optional

from tscope._patches import patched
from tscope._recorder import digest_bytes, now_ns
from tscope._say import why

if TYPE_CHECKING:
    from tscope._run import Run

_KINDS = ("inductor", "aot_autograd", "autotune")


def keys_of(manager: Any) -> dict[str, dict[str, Any]]:
    """Returns for each cache how many entries this process has made or used, and the digest of their keys. `manager` is torch's list of
    them. A key follows from the graph, its shapes, the settings of the compiler, its version and the device.

    >>> class Entry:
    ...     key = "fk3"
    >>> class Manager:
    ...     _new_cache_artifacts = {"inductor": [Entry, Entry], "pgo": [Entry]}
    >>> keys_of(Manager)["inductor"]["entries"]
    1
    """
    found: dict[str, dict[str, Any]] = {}
    told = getattr(getattr(manager, "_cache_info", None), "artifacts", {})  # those that the program has saved, by their keys alone
    for kind in _KINDS:
        keys = {entry.key for entry in list(manager._new_cache_artifacts.get(kind, ()))} | set(told.get(kind, ()))
        if keys:
            found[kind] = {"entries": len(keys), "keys": f"{digest_bytes(chr(10).join(sorted(keys)).encode()):016x}"}
    return found


class Compiled:
    """The facts `determinism.compiled.*` of a run.

    >>> Compiled(run).look()
    """

    def __init__(self, run: "Run") -> None:
        self._run = run
        self._said: dict[str, Any] = {}

    def look(self) -> None:
        """Says what has been compiled so far, if it is not what was said."""
        manager = getattr(sys.modules.get("torch.compiler._cache"), "CacheArtifactManager", None)
        found = keys_of(manager) if manager is not None else {}
        if found != self._said:
            self._said = found
            self._run.facts({"determinism": {"compiled": found}})


class Compiling:
    """The time in which torch.compile compiles, the region `compile`; within a step it is a phase of that name, and not of forward or
    backward.

    >>> compiling = Compiling(run)
    >>> compiling.look()
    >>> compiling.stop()
    """

    def __init__(self, run: "Run") -> None:
        self._run, self._began, self._thread = run, 0, 0
        self._undo: Optional[Callable[[], None]] = None

    def look(self) -> None:
        """Has torch tell this thread, which makes the steps, from now on, also behind a reset of torch's compiler, which forgets it."""
        handler = _handler()
        if handler is not None and self._undo is None:
            self._thread = threading.get_ident()
            self._undo = patched(type(handler), "clear", self._stays(type(handler).clear))
        if handler is not None:
            self._register(handler)

    def _register(self, handler: Any) -> None:
        if self._begins not in handler.start_callbacks:
            handler.register_start_callback(self._begins)
            handler.register_end_callback(self._ends)

    def _stays(self, before: Callable[..., None]) -> Callable[..., None]:
        @functools.wraps(before)
        def clear(handler: Any) -> None:
            try:
                before(handler)
            finally:
                if handler is _handler():
                    self._register(handler)

        return clear

    def _begins(self, *_: Any) -> None:
        self._began = now_ns()

    def _ends(self, *_: Any) -> None:
        began, self._began = self._began, 0
        try:
            if began:
                self._run._end_region("compile", began)
            if began and threading.get_ident() == self._thread:
                self._run._add_ns("compile", now_ns() - began)
        except Exception as error:  # it would end training
            self._run._cannot(f"the time of torch.compile: {type(error).__name__}: {why(error)}")

    def stop(self) -> None:
        """Is told no more."""
        undo, self._undo = self._undo, None
        if undo is not None:
            undo()
        handler = _handler()
        with contextlib.suppress(Exception):
            if handler is not None and self._begins in handler.start_callbacks:
                handler.remove_start_callback(self._begins)
                handler.remove_end_callback(self._ends)


def _handler() -> Any:
    """Returns what tells when compiling begins and ends; None where nothing is compiled, or this torch has none."""
    return getattr(sys.modules.get("torch._dynamo.callback"), "callback_handler", None)
