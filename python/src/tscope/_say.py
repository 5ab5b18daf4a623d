"""Lines on standard error, which nothing that goes wrong there makes an exception of: it may be closed, or a pipe that nobody reads."""

import contextlib
import sys

from tscope._ending import line


def write(text: str) -> None:
    """Prints lines on standard error, if there is one.

    >>> write("tscope: 3 steps\\n  run: runs/exp1")
    """
    if sys.stderr is not None:  # print takes None for standard output
        with contextlib.suppress(Exception):
            print(text, file=sys.stderr)


def say(text: str) -> None:
    """Prints a line of tscope's on standard error, if there is one.

    >>> say("runs/exp1 cannot be written")
    """
    write(f"tscope: {text}")


def why(error: BaseException) -> str:
    """Returns what an exception says, in one line; its type where it says nothing, or cannot be asked.

    >>> why(OSError(28, "No space left on device")), why(MemoryError())
    ('[Errno 28] No space left on device', 'MemoryError')
    """
    try:
        return line(str(error)) or type(error).__name__
    except Exception:
        return type(error).__name__
