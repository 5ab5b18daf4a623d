"""The names of W&B's quickstart, so that `import tscope as wandb` records it: init, finish, config, summary, and what does nothing."""

import os
import sys
import time
from collections.abc import Mapping
from typing import Any, Optional

from tscope import _paths, _ranks, _resume, _run, _zero
from tscope._config import Config
from tscope._say import say, why

# Of W&B's API: what has no place in a recording. A call does nothing, which is said once.
_NOTHING = frozenset(
    "AlertLevel ArtifactTTL Artifact Audio Classes EvalTable Graph Histogram Html Image JoinedTable Molecule Object3D Plotly Settings"
    " Table Video alert box3d ensure_configured link_model log_artifact log_code log_model login mark_preempting pin_config_keys"
    " plot plot_table restore save setup teardown termerror termlog termwarn unwatch use_artifact use_model util visualize".split()
)
_NEEDED = frozenset("Api agent attach controller sweep".split())  # what a program cannot go on without
_ERRORS = frozenset("CommError Error UsageError".split())
_OF_START = frozenset("rank world_size ranks exist facts flush_ms memory_every patch device_phases verdict warmup strict".split())
# Words of W&B's init that are about its server, or ask for what is always so.
_PASSED_BY = frozenset("mode force reinit resume settings allow_val_change anonymous save_code resume_from fork_from".split())
_said: set[str] = set()
_begun: "list[_run.Run]" = []  # by init


class Nothing:
    """Stands for an object of W&B of which nothing is recorded: whatever is asked of it does nothing.

    >>> bool(Nothing("cat.png").show(caption="a cat"))
    False
    """

    def __init__(self, *_: Any, **__: Any) -> None:
        pass

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name in ("item", "numel", "size", "copy_to_host_async", "device"):
            raise AttributeError(name)
        return self

    def __call__(self, *_: Any, **__: Any) -> "Nothing":
        return self

    def __enter__(self) -> "Nothing":
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def __iter__(self) -> Any:
        return iter(())

    def __bool__(self) -> bool:
        return False


def _once(text: str) -> None:
    if text not in _said and len(_said) < 64:
        _said.add(text)
        say(text)


def nothing(name: str) -> Any:
    """Returns what stands for a name of W&B that has no place in a recording, and says so once.

    >>> nothing("Image").__name__
    'Image'
    """
    _once(f"{name} of W&B is not recorded, and does nothing here")
    return type(name, (Nothing,), {})


def attribute(name: str) -> Any:
    """Returns what W&B's module has under a name; AttributeError where it has nothing, or where a program could not go on.

    >>> attribute("run") is run
    True
    """
    current = _run.latest()
    if name == "run":
        return current
    if name == "config":
        return _before if current is None else current.config
    if name == "summary":
        return {} if current is None else current.summary
    if name in ("define_metric", "watch"):
        return getattr(current, name) if current is not None else nothing(f"{name} before init")
    if name == "join":
        return finish
    if name in _ERRORS:
        return type(name, (Exception,), {})
    if name in _NOTHING:
        return nothing(name)
    if name in _NEEDED:
        raise AttributeError(f"tscope has no {name}: it records runs, and does not plan or query them")
    raise AttributeError(f"module 'tscope' has no attribute {name!r}")


_before = Config()  # what the program sets before it begins a run


def in_notebook() -> bool:
    """Whether the program runs in the kernel of a notebook.

    >>> in_notebook()
    False
    """
    ask = getattr(sys.modules.get("IPython"), "get_ipython", None)
    try:
        return getattr(ask() if ask is not None else None, "kernel", None) is not None
    except Exception:
        return False


def _place(directory: Any, project: Any, leaf: Optional[str]) -> str:
    """Returns DIRECTORY/runs/PROJECT/LEAF; without a leaf, the program's name and the time, but for several ranks."""
    parts = [os.fspath(directory)] if directory else []
    parts += ["runs", *([_paths.as_name(project)] if project else [])]
    if not leaf and _ranks.here(None, None)[1] > 1:
        leaf = _paths.program_of(sys.argv)  # ranks that begin at different seconds agree on it
    return os.path.join(*parts, _paths.as_name(leaf) if leaf else f"{_paths.program_of(sys.argv)}-{time.strftime('%Y%m%d-%H%M%S')}")


def _open_run(reinit: Any) -> "Optional[_run.Run]":
    """Returns the run that init is to return again: the one that is open, unless it ends because another one begins."""
    run = _run.latest()
    if run is None or reinit == "create_new":
        return None
    if reinit in (True, "finish_previous") or (reinit in (None, "default") and in_notebook()):
        say(f"the run in {_paths.shown(run.directory)} ends here: another one begins")
        run.finish()
        return None
    say(f"the run in {_paths.shown(run.directory)} is open, and init returns it again; finish() ends it, and so does reinit=True")
    return run


def _where(directory: Any, project: Any, identity: Any, name: Any, resume: Any) -> dict[str, Any]:
    """Returns the folder of a new run, and what is done if it holds one, as arguments of start."""
    zero = _zero.current()
    given: dict[str, Any] = {}
    if zero is not None and not _begun:
        given = {key: value for key, value in zero.options.items() if value is not None}
        if zero.directory is not None:
            return {**given, "directory": zero.directory, "exist": given.get("exist") or ("resume" if _resume.restarted() else "new")}
    identity = identity if isinstance(identity, str) else None
    name = name if isinstance(name, str) else None
    goes_on = (resume in (True, "allow", "must", "auto") and identity is not None) or _resume.restarted()
    at = _place(directory, project, identity or name)
    if identity is None and name is None and _resume.restarted():
        at, exist = _resume.place(None, "resume", lambda: at)
        return {**given, "directory": at, "exist": exist}
    if resume == "must" and not (identity and _paths.is_run(at)):
        _once(f"there is no run in {_paths.shown(at)} to go on with: a new one begins")
    return {**given, "directory": at, "exist": "resume" if goes_on else "error" if resume == "never" else "new"}


def _configuration(config: Any) -> dict[str, Any]:
    """Returns the configuration that init was given, with what was set before."""
    if isinstance(config, (str, os.PathLike)):
        _once(f"config={config!r} is a file's name, which is not read: give a dictionary")
        config = None
    set_before = vars(sys.modules["tscope"]).pop("config", None)  # wandb.config = {...}
    found = Config(_before)
    for given in (set_before, config):
        if given is not None:
            found.update(given)
    return found.as_dict()


def init(
    entity: Optional[str] = None,
    project: Optional[str] = None,
    dir: Any = None,
    id: Optional[str] = None,
    name: Optional[str] = None,
    notes: Optional[str] = None,
    tags: Any = None,
    config: Any = None,
    *,
    group: Optional[str] = None,
    job_type: Optional[str] = None,
    mode: Optional[str] = None,
    reinit: Any = None,
    resume: Any = None,
    **others: Any,
) -> "_run.Run":
    """Begins a run as `wandb.init` does, in DIR/runs/PROJECT/NAME, and returns it; nothing is sent anywhere.

    A folder that holds a run stays as it is: the new one has a number behind its name. With `id` and `resume` ("allow", "must", True)
    the run of that id goes on. While a run is open, init returns it again, and in a notebook ends it, as W&B does. mode="disabled"
    records nothing. `others` are options of `tscope.start`; words of W&B that mean nothing here are taken. It never raises.

    >>> with tscope.init(project="letters", name="first", config={"lr": 0.1}, reinit="create_new") as run:
    ...     run.log({"loss": 0.5})
    >>> run.directory, run.config.lr
    ('runs/letters/first', 0.1)
    """
    if mode == "disabled":
        return _run.Run()
    try:
        return _init(
            {"entity": entity, "project": project, "notes": notes, "tags": tags, "group": group, "job_type": job_type},
            dir, id, name, config, reinit, resume, others,
        )  # fmt: skip
    except Exception as error:
        if _run.is_refusal(error):
            raise
        say(f"init: {why(error)}; nothing is recorded, and training goes on")
        return _run.Run()


def _init(
    about: dict[str, Any], directory: Any, identity: Any, name: Any, config: Any, reinit: Any, resume: Any, others: dict[str, Any]
) -> "_run.Run":
    said = _configuration(config)
    run = _open_run(reinit)
    if run is not None:
        run.config.update(said)
        return run
    how = {**_where(directory, about["project"], identity, name, resume), **{k: v for k, v in others.items() if k in _OF_START}}
    for word in others:
        if word not in _OF_START and word not in _PASSED_BY:
            _once(f"init has no use for {word}: it is not recorded, and changes nothing")
    if isinstance(name, str):
        how["name"] = name
    run = _run.start(how.pop("directory"), said or None, **how)
    _begun.append(run)
    run._about = {key: value for key, value in about.items() if value is not None}
    if run._about:
        run.facts({"other": dict(run._about)})
    run._at_end.append(lambda: _set_at_last(run))
    if run.attempt > 1:
        run._rows.go_on()
    return run


def _set_at_last(run: "_run.Run") -> None:
    """A program that said `wandb.config = {...}` in the run means its configuration."""
    later = vars(sys.modules["tscope"]).get("config")
    if isinstance(later, Mapping):
        run.config.update(later)


def finish(exit_code: Optional[int] = None, quiet: Any = None) -> None:
    """Ends the run that began last; without one it does nothing. Another exit code than 0 says that it failed.

    >>> tscope.finish()
    """
    run = _run.latest()
    if run is not None:
        run.finish(exit_code)
