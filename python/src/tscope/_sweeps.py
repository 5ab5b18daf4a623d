"""Which search for settings this run is part of: asked of Hydra, Ray Tune and Optuna where the program has imported them. What agents
and schedulers say in the environment is recorded with the facts of the host."""

import contextlib
import gc
import sys
import types
from typing import Any, Optional

_FRAMES = 64  # of callers, in which Optuna's trial is looked for


def _hydra() -> Optional[dict[str, Any]]:
    asked = sys.modules.get("hydra.core.hydra_config")
    if asked is None or not asked.HydraConfig.initialized():
        return None
    config = asked.HydraConfig.get()
    if getattr(config.mode, "name", config.mode) != "MULTIRUN":
        return None
    return {"id": str(config.sweep.dir), "trial": config.job.num, "settings": [str(word) for word in config.overrides.task]}


def _ray() -> Optional[dict[str, Any]]:
    tune = sys.modules.get("ray.tune")
    context = tune.get_context() if tune is not None else None
    trial = context.get_trial_id() if context is not None else None
    return {"id": str(context.get_experiment_name()), "trial": str(trial)} if context is not None and trial else None


def _is_asked() -> bool:
    """Whether a trial is alive at all; most programs that have Optuna never ask for one."""
    made = getattr(sys.modules.get("optuna.trial"), "Trial", None)
    return any(type(holder) is made for holder in gc.get_referrers(made)) if made is not None else False


def _trial(frames: list[types.FrameType]) -> Optional[dict[str, Any]]:
    for frame in frames:
        for value in list(frame.f_locals.values()):
            if type(value).__module__.startswith("optuna.trial") and hasattr(value, "study"):
                return {"id": str(value.study.study_name), "trial": int(value.number)}
    return None


def _optuna() -> Optional[dict[str, Any]]:
    """Optuna keeps no trial for who asks, but hands one to the function that trains: it is a variable of a caller.

    Up to Python 3.12 whoever looks at the variables of a function that runs keeps what they hold until it returns, so that a model
    which was deleted stays in memory. So Optuna's own functions are asked first, those of the program only where it asks for trials.
    """
    if "optuna" not in sys.modules:
        return None
    frames: list[types.FrameType] = []
    frame: Optional[types.FrameType] = sys._getframe(1)
    while frame is not None and len(frames) < _FRAMES:
        frames.append(frame)
        frame = frame.f_back
    found = _trial([each for each in frames if str(each.f_globals.get("__name__")).startswith("optuna.")])
    return found or (_trial(frames) if _is_asked() else None)


def at_start() -> dict[str, Any]:
    """Returns the facts of the search that this run is part of, or {}.

    >>> at_start()
    {}
    """
    found = {}
    for name, ask in (("hydra", _hydra), ("ray", _ray), ("optuna", _optuna)):
        with contextlib.suppress(Exception):
            said = ask()
            if said:
                found[name] = said
    return {"session": {"sweep": found}} if found else {}
