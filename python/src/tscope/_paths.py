"""The folders of runs: the name under which a run will be pushed, a folder for a new run, and the notes beside checkpoints."""

import contextlib
import json
import os
import re
import shlex
from typing import Any, Optional

# As cli/core/run_name.c has them: folders that collect runs, and what is called alike in every run.
_KINDS = frozenset(
    "checkpoints experiments exps lightning_logs log logs mlruns models multirun output outputs results runs saved sweeps tb_logs"
    " tensorboard wandb work_dirs dvclive eval evaluation latest metrics profile run test train training val validation".split()
)
_COUNTED = re.compile(r"(checkpoint-|epoch_|rank|version_)?[0-9]+")
_NOTE = ".tscope"  # behind the name of a checkpoint: which run made it
_JOB = ".job"


def _tells_nothing(part: str) -> bool:
    return part in _KINDS or _COUNTED.fullmatch(part) is not None


def name_of(directory: str) -> str:
    """Returns the name that `tscope push` gives to the run in a folder (docs/run-directory.md, The name of a run).

    >>> name_of("/home/ada/lab/runs/gpt/exp1")
    'gpt/exp1'
    """
    real = os.path.realpath(directory)
    parts = [part for part in real.split(os.sep) if part]
    begin = len(parts) - 1
    for i in range(len(parts) - 2, -1, -1):
        above = os.sep + os.sep.join(parts[: i + 1])
        if parts[i] in _KINDS or any(os.path.lexists(os.path.join(above, mark)) for mark in (".git", ".tscope")):
            begin = i + 1
            break
    if all(_tells_nothing(part) for part in parts[begin:]):
        while begin > 0 and _tells_nothing(parts[begin]):
            begin -= 1
    return "/".join(re.sub(r"[^A-Za-z0-9._+=@-]", "-", part) for part in parts[begin:])


def _claim(directory: str, job: str) -> bool:
    """Whether this job may use a folder: it was the first of its ranks, or another of its ranks was."""
    os.makedirs(directory, exist_ok=True)
    path = os.path.join(directory, _JOB)
    mine = f"{path}.{os.getpid()}"
    with open(mine, "w", encoding="utf-8") as file:
        file.write(job)
    try:
        os.link(mine, path)  # with what is in it, so that no rank finds it empty
    except FileExistsError:
        pass
    except OSError:  # a file system without hard links: the last of several jobs that begin at once may win
        if not os.path.exists(path):
            os.replace(mine, path)
    with contextlib.suppress(FileNotFoundError):
        os.unlink(mine)
    with open(path, encoding="utf-8") as file:
        return file.read() == job


def candidates(directory: str, job: str) -> Any:
    """Yields folders for a new run: the one that was asked for, then with a number behind it. Ranks of one job get the same ones."""
    for i in range(1, 100_000):
        at = directory if i == 1 else f"{directory}-{i}"
        if not job or _claim(at, job):
            yield at


def write_note(checkpoint: str, run: str, directory: str, step: Optional[int]) -> None:
    """Writes beside a checkpoint which run made it, and behind which step."""
    new = checkpoint + _NOTE + ".new"
    with open(new, "w", encoding="utf-8") as file:
        json.dump({"run": run, "directory": os.path.realpath(directory), "step": step}, file)
        file.write("\n")
    os.replace(new, checkpoint + _NOTE)


def read_note(checkpoint: str) -> dict[str, Any]:
    """Returns what stands beside a checkpoint, or {} if nothing does."""
    try:
        with open(checkpoint + _NOTE, encoding="utf-8") as file:
            note = json.load(file)
    except (OSError, ValueError):
        return {}
    return note if isinstance(note, dict) else {}


def is_run(directory: str) -> bool:
    """Whether a run lies in a folder."""
    files = ("recording.tscope", "steps.jsonl")
    return any(os.path.exists(os.path.join(directory, *rank, file)) for file in files for rank in ((), ("rank0",)))


def program_of(words: list[str]) -> str:
    """Returns what a program is called, of its sys.argv: its file without .py, and of a package the folder.

    >>> program_of(["/home/ada/lab/train.py", "--lr", "0.1"]), program_of(["/lib/lab/__main__.py"]), program_of([""])
    ('train', 'lab', 'run')
    """
    folder, file = os.path.split(words[0] if words else "")
    name = os.path.splitext(file)[0]
    return (os.path.basename(folder) if name == "__main__" else name) or "run"


def as_name(text: Any) -> str:
    """Returns what a folder is called that has the name of a run.

    >>> as_name("base line"), as_name("../x")
    ('base-line', '-x')
    """
    return re.sub(r"[^A-Za-z0-9._+=@-]", "-", str(text)).strip(".") or "run"


def shown(directory: str) -> str:
    """Returns the path of a run's folder as tscope takes it on a command line.

    >>> shown("runs/exp 1")
    "'./runs/exp 1'"
    """
    return shlex.quote(directory if os.path.isabs(directory) else os.path.join(".", os.path.normpath(directory)))


def _kind(directory: str) -> "Optional[tuple[Any, float]]":
    """Returns what runs of one kind have in common, and when this one began; None if that is not recorded."""
    for at in (directory, os.path.join(directory, "rank0")):
        try:
            with open(os.path.join(at, "facts.json"), encoding="utf-8") as file:
                program = json.load(file)["session"]["program"]
            with open(os.path.join(at, "run.json"), encoding="utf-8") as file:
                run = json.load(file)
            config = run.get("config") or {}
            return (program, sorted(config) if isinstance(config, dict) else None), float(run["started"])
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            continue
    return None


def last_of_its_kind(directory: str) -> Optional[str]:
    """Returns the folder of the run before this one, beside it, of the same program and with the same names in its configuration.

    >>> last_of_its_kind("runs/exp1") is None
    True
    """
    mine = _kind(directory)
    parent = os.path.dirname(os.path.normpath(directory))
    if mine is None or not os.path.isdir(parent or "."):
        return None
    found = []
    for name in os.listdir(parent or "."):
        other = _kind(os.path.join(parent, name))
        if other is not None and other[0] == mine[0] and other[1] < mine[1]:
            found.append((other[1], os.path.join(parent, name)))
    return max(found)[1] if found else None
