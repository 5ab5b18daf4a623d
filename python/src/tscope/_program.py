"""Where the program tscope is: the wheel has it inside, and pip puts it beside python."""

import os
from typing import Optional


def program() -> Optional[str]:
    """Returns the path of the program tscope: what TSCOPE names, what came with this package, or what PATH has; None without it.

    >>> isinstance(program(), (str, type(None)))
    True
    """
    import shutil
    import sysconfig

    named = os.environ.get("TSCOPE")
    if named:
        return shutil.which(named)
    for scheme in (None, "posix_user"):
        folder = sysconfig.get_path("scripts", scheme) if scheme else sysconfig.get_path("scripts")
        found = shutil.which(os.path.join(folder, "tscope"))
        if found:
            return found
    return shutil.which("tscope")


def others(folder: str) -> list[str]:
    """Returns the distributions called tscope, an oscilloscope's name on PyPI, whose files lie in this folder of packages.

    >>> others("/")
    []
    """
    try:
        return [name for name in os.listdir(folder) if name.startswith("tscope-") and name.endswith((".dist-info", ".egg-info"))]
    except OSError:
        return []
