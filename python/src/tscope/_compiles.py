"""Whether the program uses torch.compile: what that has looked at must stay as it is, or it would compile again."""

import sys
from typing import Any


def compiles() -> bool:
    """Returns whether torch.compile was called in this process. A backend of None is that of functions which it leaves alone.

    >>> compiles()
    False
    """
    frames = sys.modules.get("torch._dynamo.eval_frame")
    backends = getattr(frames, "cached_backends", None) or {}
    return any(backend is not None for backend in list(backends.values()))


def compiles_steps(optimizers: Any) -> bool:
    """Returns whether torch.compile has compiled an optimizer's step, by which it looks at the hooks of all optimizers; `optimizers` is
    torch's module of them. Where that cannot be asked, any use of torch.compile counts.

    >>> compiles_steps(None)
    False
    """
    if not compiles():
        return False
    try:
        from torch._C._dynamo.eval_frame import _debug_get_cache_entry_list as compiled

        around = optimizers.Optimizer.profile_hook_step.__code__.co_consts  # the function that stands around all steps is among them
        return any(bool(compiled(code)) for code in around if hasattr(code, "co_code"))
    except Exception:
        return True


def compiles_backward() -> bool:
    """Returns whether backward passes as a whole are compiled, with the hooks that they meet.

    >>> compiles_backward()
    False
    """
    if not compiles():
        return False
    asked = getattr(sys.modules.get("torch._dynamo.config"), "compiled_autograd", False)
    return bool(asked or getattr(sys.modules.get("torch._dynamo.compiled_autograd"), "compiled_autograd_enabled", False))
