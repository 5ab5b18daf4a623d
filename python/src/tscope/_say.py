"""Lines on standard error, which nothing that goes wrong there makes an exception or a wait of: it may be closed, a pipe that nobody
reads, or a file on a disk that does not answer."""

import contextlib
import sys

from tscope import _recorder
from tscope._ending import line


def write(text: str) -> None:
    """Writes lines on standard error, if there is one; what the program put in its place, such as a notebook's, is printed to.

    >>> write("tscope: 3 steps\\n  run: runs/exp1")
    """
    stream, own = sys.stderr, sys.__stderr__
    with contextlib.suppress(Exception):
        if own is not None and stream is own and not own.closed:
            _recorder.say(f"{text}\n".encode(errors="backslashreplace"))
        elif stream is not None:  # print takes None for standard output
            print(text, file=stream)


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
