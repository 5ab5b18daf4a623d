"""Where the program tscope is: the wheel has it inside, and pip puts it beside python."""

import os
import sys
from typing import NoReturn, Optional

_MACHINES = {3: "i686", 21: "ppc64le", 22: "s390x", 40: "armv7l", 62: "x86_64", 183: "aarch64", 243: "riscv64", 258: "loongarch64"}


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


def foreign(path: str) -> Optional[str]:
    """Says of a program or library that it is for another processor than this machine's; None where that is not so, or not known.

    >>> foreign(os.__file__)
    """
    try:
        with open(path, "rb") as file:
            head = file.read(20)
    except OSError:
        return None
    if head[:4] != b"\x7fELF" or len(head) < 20:
        return None
    here = os.uname().machine
    found = _MACHINES.get(int.from_bytes(head[18:20], "little"))
    if found is None or found == here or here not in _MACHINES.values():
        return None
    return f"{path} is for {found}, and this machine is {here}: install tscope-ml on a machine like this one"


def foreign_extension(why: ImportError) -> ImportError:
    """Returns what to raise where the extension cannot be imported: the error itself, or one that names the other processor.

    >>> foreign_extension(ImportError("no module"))
    ImportError('no module')
    """
    said = foreign(why.path) if why.path else None
    return ImportError(said, name=why.name, path=why.path) if said else why


def say_others() -> None:
    """Says in one line that the oscilloscope's files lie among those of this package; once in a process.

    >>> say_others()
    """
    global _said
    if _said:
        return
    _said = True
    for name in others(os.path.dirname(os.path.dirname(__file__))):
        from tscope._say import say

        say(f"{name} is another package whose files lie among those of tscope-ml; 'pip uninstall tscope', then install tscope-ml again")


_said = False


def others(folder: str) -> list[str]:
    """Returns the distributions called tscope, an oscilloscope's name on PyPI, whose files lie in this folder of packages.

    >>> others("/")
    []
    """
    try:
        return [name for name in os.listdir(folder) if name.startswith("tscope-") and name.endswith((".dist-info", ".egg-info"))]
    except OSError:
        return []
