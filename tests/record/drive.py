"""drive.py - runs record_drive.c and holds its recording to what it said: no step is missing, and none is wrong."""
import fcntl
import os
import struct
import subprocess
import time

import recording

PROGRESS = struct.Struct("<QQQq")


class Drive:
    """A recorder, whose keeper is a process of its own, or with keeper="thread" a thread of it."""

    def __init__(self, build, top, steps, pause_us=0, threads=0, flush_ms=1000, limit=0, directory=None, stderr=None, keeper="process"):
        self.run = directory or os.path.join(top, "run")
        self.file = os.path.join(self.run, "recording.tscope")
        self.progress = os.path.join(top, "progress")
        words = [os.path.join(build, "tests/record/record_drive"), self.run, self.progress, steps, pause_us, threads, flush_ms, limit]
        keepers = {"process": os.path.join(os.path.abspath(build), "tests/record/record_keeper"), "thread": ""}
        environ = {**os.environ, "TS_PROGRESS": self.progress, "TSCOPE_KEEPER": keepers[keeper]}
        self.process = subprocess.Popen([str(w) for w in words], stdout=subprocess.PIPE, stderr=stderr, text=True, env=environ)

    def said(self):
        """Returns steps ended, regions, flushes, and when the last began."""
        try:
            with open(self.progress, "rb") as f:
                return PROGRESS.unpack(f.read(PROGRESS.size))
        except (OSError, struct.error):
            return 0, 0, 0, 0

    def wait(self, which, least):
        """Waits until the number at this place of what it says is large enough."""
        for _ in range(20000):
            if self.said()[which] >= least:
                return
            time.sleep(0.001)
        self.process.kill()
        raise AssertionError(f"the recorder does not get on: {self.said()}")

    def bytes(self):
        """Returns the file, as soon as nobody holds it any more."""
        with open(self.file, "rb") as f:
            fcntl.lockf(f, fcntl.LOCK_SH, 1)
            return f.read()


def check_steps(parsed):
    """Holds every step that is there to its numbers, and returns the set of them."""
    seen = set()
    for number, _, duration, cells in parsed.steps:
        named = parsed.named(cells)
        assert number not in seen, f"step {number} is there twice"
        # A column whose frame a power cut or an error took away has its number for a name, and its cell is no number of the step.
        phases = sum(v for k, v in named.items() if k in ("phase.forward", "phase.other", "phase.step"))
        assert duration >= 0 and (phases == duration or any(k.startswith("unknown.") for k in named)), (number, named)
        assert named.get("number.loss", 1 / (number + 1)) == 1 / (number + 1), (number, named)
        assert named.get("number.square", number * number) == number * number, (number, named)
        seen.add(number)
    return seen


def parse(data):
    parsed = recording.parse(data)
    return parsed, check_steps(parsed)
