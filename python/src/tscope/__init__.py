"""Records training runs for tscope, "git for training runs": two lines in a training script, at a cost nobody notices."""

from typing import TYPE_CHECKING, Any

from tscope._program import foreign_extension as _foreign_extension
from tscope._program import say_others as _say_others

try:
    from tscope._region import Region
    from tscope._run import Run, log, start
except ImportError as _why:
    raise _foreign_extension(_why) from None

if TYPE_CHECKING:
    from tscope import testing as testing
    from tscope._auto import auto
    from tscope._client import RecordedRun, analyze, ask, check_resume, diff, gate, get, runs
    from tscope._errors import Damaged, Denied, Invalid, NotFound, TscopeError, Unavailable
    from tscope._follow import follow
    from tscope._init import finish, init
    from tscope._profilers import AutoProfiler, Profiler
    from tscope._serve import use
    from tscope._timers import CUDATimer, CUDATimerCollection, trace_step, trace_time, trace_timestep
    from tscope._trace import trace

    __version__: str

__all__ = [
    "AutoProfiler",
    "CUDATimer",
    "CUDATimerCollection",
    "Damaged",
    "Denied",
    "Invalid",
    "NotFound",
    "Profiler",
    "RecordedRun",
    "Region",
    "Run",
    "TscopeError",
    "Unavailable",
    "analyze",
    "ask",
    "auto",
    "check_resume",
    "diff",
    "finish",
    "follow",
    "gate",
    "get",
    "init",
    "log",
    "runs",
    "start",
    "trace",
    "trace_step",
    "trace_time",
    "trace_timestep",
    "use",
]

_LATER = {
    "AutoProfiler": "tscope._profilers",
    "CUDATimer": "tscope._timers",
    "CUDATimerCollection": "tscope._timers",
    "Damaged": "tscope._errors",
    "Denied": "tscope._errors",
    "Invalid": "tscope._errors",
    "NotFound": "tscope._errors",
    "Profiler": "tscope._profilers",
    "RecordedRun": "tscope._client",
    "TscopeError": "tscope._errors",
    "Unavailable": "tscope._errors",
    "analyze": "tscope._client",
    "ask": "tscope._client",
    "auto": "tscope._auto",
    "check_resume": "tscope._client",
    "diff": "tscope._client",
    "finish": "tscope._init",
    "follow": "tscope._follow",
    "gate": "tscope._client",
    "get": "tscope._client",
    "init": "tscope._init",
    "runs": "tscope._client",
    "trace": "tscope._trace",
    "trace_step": "tscope._timers",
    "trace_time": "tscope._timers",
    "trace_timestep": "tscope._timers",
    "use": "tscope._serve",
}


def __getattr__(name: str) -> Any:
    """What a program may never need is imported when it is asked for; further names are those of W&B, for `import tscope as wandb`."""
    import importlib

    if name == "__version__":
        return importlib.import_module("tscope._facts").version()
    if name == "testing":
        return importlib.import_module("tscope.testing")
    if name.startswith("_"):
        raise AttributeError(f"module 'tscope' has no attribute {name!r}")
    if name not in _LATER:
        return importlib.import_module("tscope._init").attribute(name)
    return getattr(importlib.import_module(_LATER[name]), name)


_say_others()
