"""Records training runs for tscope, "git for training runs": two lines in a training script, at a cost nobody notices."""

from typing import Any

from tscope._region import Region
from tscope._run import Run, start

__all__ = ["Region", "Run", "start"]

_LATER: dict[str, str] = {}


def __getattr__(name: str) -> Any:
    """What a program may never need is imported when it is asked for."""
    if name not in _LATER:
        raise AttributeError(f"module 'tscope' has no attribute {name!r}")
    import importlib

    return getattr(importlib.import_module(_LATER[name]), name)
