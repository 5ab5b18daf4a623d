"""How a run ended, as the facts below session.end: by itself, by an exception, a signal or an exit code."""

from typing import Any, Optional

_MOST = 500  # bytes of a message that are kept
_ORDERLY = (StopIteration, StopAsyncIteration, GeneratorExit)  # ends of loops, and no failures


def line(text: str) -> str:
    """Returns a text in one line, cut.

    >>> line("CUDA error:\\n  an illegal memory access")
    'CUDA error: an illegal memory access'
    """
    words = " ".join(text.split()).encode(errors="replace")
    return words[:_MOST].decode(errors="ignore")


def of_error(error: Optional[BaseException], step: Optional[int]) -> Optional[dict[str, Any]]:
    """Returns what an exception says of the end of a run, if nothing follows it; None where it is no failure.

    >>> of_error(ValueError("no such layer"), 3)
    {'type': 'ValueError', 'message': 'no such layer', 'step': 3}
    >>> of_error(SystemExit(3), None), of_error(StopIteration(), 3), of_error(KeyboardInterrupt(), 3)
    ({'exit': 3}, None, {'signal': 'SIGINT', 'step': 3})
    """
    if error is None or isinstance(error, _ORDERLY):
        return None
    end: dict[str, Any]
    if isinstance(error, KeyboardInterrupt):
        end = {"signal": "SIGINT"}
    elif isinstance(error, SystemExit):
        if error.code is None or error.code == 0:
            return None
        end = {"exit": error.code} if isinstance(error.code, int) else {"exit": 1, "message": line(str(error.code))}
    else:
        end = {"type": type(error).__name__}
        message = line(str(error))
        if message:
            end["message"] = message
    return end if step is None else {**end, "step": step}
