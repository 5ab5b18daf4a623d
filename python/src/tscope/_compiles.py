"""Whether the program uses torch.compile: what that has looked at must stay as it is, or it would compile again."""

import sys


def compiles() -> bool:
    """Returns whether torch.compile was called in this process. A backend of None is that of functions which it leaves alone.

    >>> compiles()
    False
    """
    frames = sys.modules.get("torch._dynamo.eval_frame")
    backends = getattr(frames, "cached_backends", None) or {}
    return any(backend is not None for backend in list(backends.values()))
