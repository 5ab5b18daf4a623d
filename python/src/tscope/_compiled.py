"""Which code torch.compile made: the keys of the caches of Inductor, of its autograd and of its choices of kernels."""

import sys
from typing import TYPE_CHECKING, Any

from tscope._recorder import digest_bytes

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
