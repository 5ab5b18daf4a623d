"""Where the program tscope is: the wheel has it inside, and pip puts it beside python."""

import os
import sys
from typing import NoReturn, Optional


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


def main() -> NoReturn:
    """Is the program tscope from here on, under the name of the distribution: `uvx tscope-ml diff a b`.

    >>> callable(main)
    True
    """
    found = program()
    if found is None:
        sys.exit("tscope: this package was installed without the program; 'pip install tscope-ml' brings it")
    os.execv(found, ["tscope", *sys.argv[1:]])


def others(folder: str) -> list[str]:
    """Returns the distributions called tscope, an oscilloscope's name on PyPI, whose files lie in this folder of packages.

    >>> others("/")
    []
    """
    try:
        return [name for name in os.listdir(folder) if name.startswith("tscope-") and name.endswith((".dist-info", ".egg-info"))]
    except OSError:
        return []
