"""One training over many jobs: whether this process goes on with a run that another one began, and where that run lies."""

import json
import os
import re
import sys
from typing import Callable, Optional

from tscope import _paths

EXIST = ("error", "new", "resume")
# How often a launcher has started the job again: Slurm's requeues, torchrun's restarts.
_COUNTS = ("SLURM_RESTART_COUNT", "TORCHELASTIC_RESTART_COUNT")


def restarted() -> bool:
    """Whether the launcher says that this job was requeued or restarted: Slurm, torchrun, or Ray Train that restores a checkpoint.

    >>> restarted()
    False
    """
    for name in _COUNTS:
        count = os.environ.get(name, "")
        if count.isascii() and count.isdigit() and int(count) > 0:
            return True
    train = sys.modules.get("ray.train")
    try:
        return train is not None and train.get_checkpoint() is not None
    except Exception:
        return False  # outside of a worker of Ray


def job() -> str:
    """Returns what the attempts of one job have in common, and another job has not; empty if nothing tells."""
    slurm, elastic = os.environ.get("SLURM_JOB_ID"), os.environ.get("TORCHELASTIC_RUN_ID")
    if slurm:
        return f"slurm {slurm}"
    if elastic:
        return f"torchrun {elastic}" + ("" if elastic != "none" else " " + os.environ.get("MASTER_PORT", ""))
    return ""


def _said_by(directory: str) -> "Optional[tuple[str, float]]":
    """Returns of which job a run is, and when it began; None if the folder holds none."""
    for at in (directory, os.path.join(directory, "rank0")):
        try:
            with open(os.path.join(at, "run.json"), encoding="utf-8") as file:
                began = float(json.load(file)["started"])
        except (OSError, ValueError, KeyError, TypeError):
            continue
        try:
            with open(os.path.join(at, "facts.json"), encoding="utf-8") as file:
                said = json.load(file)["session"].get("job", "")
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            said = ""
        return str(said), began
    return None


def last_of_job(directory: str, names: str) -> Optional[str]:
    """Returns the run beside `directory` that this job began last, among the folders whose name matches; None if there is none."""
    above, found = os.path.dirname(os.path.normpath(directory)), []
    try:
        inside = os.listdir(above or ".")
    except OSError:
        return None
    for name in inside:
        at = os.path.join(above, name)
        said = _said_by(at) if re.fullmatch(names, name) and _paths.is_run(at) else None
        if said is not None and (not job() or said[0] == job()):
            found.append((said[1], at))
    return max(found)[1] if found else None


def place(directory: Optional[str], exist: Optional[str], default: Callable[[], str]) -> tuple[str, str]:
    """Returns the folder of a run, and what is done if it holds one: for callers that take a new folder where nobody says another.

    A run that is resumed goes on in the folder of the job's last one; where that cannot be found, it is a new run.

    >>> place("runs/exp1", None, lambda: "runs/train-1")
    ('runs/exp1', 'new')
    """
    if exist is None:
        exist = "resume" if restarted() else "new"
    at = default() if directory is None else directory
    if exist != "resume":
        return at, exist
    name = os.path.basename(os.path.normpath(at))
    if directory is None:
        name = re.sub(r"-[0-9]{8}-[0-9]{6}$", "", name)  # the time of this start, which is not that of the first
    found = last_of_job(at, re.escape(name) + "(-[0-9]+)*")
    return (at, "new") if found is None else (found, "resume")
