"""What else a run of W&B has: what the recording knows of it, and calls that do nothing here, which is said once."""

import os
from typing import Any

from tscope._say import say

_NOTHING = (
    "alert display finish_artifact get_project_url get_url link_artifact link_model log_artifact log_code log_model mark_preempting"
    " pin_config_keys restore save status to_html unwatch upsert_artifact use_artifact use_model write_logs"
).split()
_TOLD = ("entity", "group", "job_type", "notes", "project", "tags")  # what init was told; facts of the run, other.NAME
_ABSENT = ("project_url", "sweep_id", "sweep_url", "url")


def _does_nothing(name: str) -> Any:
    def call(run: Any, *_: Any, **__: Any) -> Any:
        from tscope._init import Nothing

        if name not in run._told:
            run._told.add(name)
            say(f"{name} of W&B is not recorded, and does nothing here")
        return Nothing()

    call.__name__ = name
    call.__doc__ = f"""Does nothing: {name} of W&B has no place in a recording, which is said once.

        >>> _ = run.{name}()
        """
    return call


def _told(name: str) -> property:
    def get(run: Any) -> Any:
        return run._about.get(name, () if name == "tags" else None)

    def put(run: Any, value: Any) -> None:
        run._about = {**run._about, name: value}
        run.facts({"other": {name: value}})

    example = f">>> run.{name}\n" + ("()\n" if name == "tags" else "")
    return property(get, put, doc=f"Says what init was told as {name}; what is set later is the fact other.{name}.\n\n{example}")


def _absent(name: str) -> property:
    return property(lambda run: None, doc=f"None: a run that is recorded here has no {name}.\n\n>>> run.{name}\n")


def _known() -> dict[str, property]:
    def folder(run: Any) -> str:
        return os.path.basename(os.path.normpath(run.directory)) if run.directory else ""

    return {
        "id": property(folder, doc="The last part of the folder of the run.\n\n>>> run.id.isascii()\nTrue\n"),
        "dir": property(lambda run: run.directory, doc="The folder of the run.\n\n>>> run.dir == run.directory\nTrue\n"),
        "disabled": property(lambda run: not run.enabled, doc="Whether nothing is recorded.\n\n>>> run.disabled\nFalse\n"),
        "offline": property(lambda run: True, doc="True: nothing is sent anywhere.\n\n>>> run.offline\nTrue\n"),
        "resumed": property(lambda run: run.attempt > 1, doc="Whether this is a further attempt.\n\n>>> run.resumed\nFalse\n"),
    }


def add_to(kind: type) -> None:
    """Gives the class of runs these names.

    >>> run.project is None, run.offline
    (True, True)
    """
    found: dict[str, Any] = {name: _does_nothing(name) for name in _NOTHING}
    found.update({name: _told(name) for name in _TOLD})
    found.update({name: _absent(name) for name in _ABSENT})
    found.update(_known())
    for name, value in found.items():
        if not hasattr(kind, name):
            setattr(kind, name, value)
