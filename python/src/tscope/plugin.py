"""The plugin for pytest: the fixture `tscope_record` records trainings of a test. pytest finds it where tscope-ml is installed."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tscope._run import Run


class Recording:
    """Starts runs in a folder of the test: `tscope_record("whole")` is a run, and ends the one before, if that goes on.

    >>> Recording(Path("runs/of_a_test")).path("whole").name
    'whole'
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._runs: list[Run] = []

    def path(self, name: str) -> Path:
        """Returns where the run of this name lies.

        >>> Recording(Path("a")).path("b").as_posix()
        'a/b'
        """
        return self.folder / name

    def __call__(self, name: str = "run", **how: Any) -> "Run":
        from tscope._run import start

        self.finish()
        run = start(str(self.path(name)), name=name, **how)
        self._runs.append(run)
        return run

    def finish(self) -> None:
        """Ends the run that goes on.

        >>> Recording(Path("a")).finish()
        """
        while self._runs:
            self._runs.pop().finish()


@pytest.fixture  # type: ignore
def tscope_record(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Recording]:
    """Records trainings of a test, each in a folder of its own below tmp_path/tscope: `run = tscope_record("whole")`."""
    recording = Recording(tmp_path / "tscope" / re.sub(r"[^\w.-]+", "-", request.node.name))
    yield recording
    recording.finish()
