"""What a training needs to be run again, beside its code and its command: the interpreter, the packages, and the files that it read.

Files are seen by an audit hook in C: each that Python opens for reading, once. What a library opens by itself (Arrow, HDF5, Rust), and
what workers of a loader open, is not seen.
A file's digest is of its size and of blocks of it: the first, the last, and some between that its size alone chooses; so it costs the
same for a terabyte, and a change between the blocks that keeps the size is not seen.
"""

import atexit
import contextlib
import os
import re
import stat
import sys
import time
from typing import Any, Optional

from tscope._recorder import see_opens

_TEXT_MOST = 256 << 10  # bytes of the list of packages
_FILES_MOST = 1000
_BLOCK = 64 << 10
_BLOCKS = 16  # of a file that is longer than so many
_BUDGET_S = 2.0  # that reading them may take when the run ends
EARLY_S = 0.02  # and behind the first step, for a run that is killed
_INFO = re.compile(r"(.+?)-([^-]+)\.(?:dist|egg)-info")
_CODE = (".py", ".pyc", ".pyi", ".so", ".pth", ".egg-link")
_NO_DATA = ("/proc/", "/sys/", "/dev/", "/etc/")


def packages(path: Optional[list[str]] = None) -> str:
    """Returns the packages that can be imported, "NAME==VERSION" a line, as their folders are called; of one of a commit its origin.

    >>> any(line.startswith("pip==") or line for line in packages().splitlines()) or packages() == ""
    True
    """
    found: dict[str, str] = {}
    for folder in sys.path if path is None else path:
        with contextlib.suppress(OSError), os.scandir(folder or ".") as entries:
            for entry in entries:
                match = _INFO.fullmatch(entry.name)
                if match and match[1].lower() not in found:  # the first one is imported
                    found[match[1].lower()] = f"{match[1]}=={match[2]}{_origin(entry.path)}"
    return "".join(f"{found[name]}\n" for name in sorted(found))


def _origin(info: str) -> str:
    """Returns where a package was installed from, if that is no index: a folder here, or a commit."""
    try:
        with open(os.path.join(info, "direct_url.json"), encoding="utf-8") as file:
            text = file.read(_BLOCK)
    except (OSError, ValueError):
        return ""
    url = re.search(r'"url": *"([^"@]+)"', text)
    commit = re.search(r'"commit_id": *"([0-9a-f]+)"', text)
    return f" @ {url[1]}{'@' + commit[1] if commit else ''}" if url else ""


def _conda() -> str:
    prefix = os.environ.get("CONDA_PREFIX", "")
    if not prefix:
        return ""
    try:
        names = os.listdir(os.path.join(prefix, "conda-meta"))
    except OSError:
        return ""
    return "".join(f"{name[:-5]}\n" for name in sorted(names) if name.endswith(".json"))


def _listed(text: str) -> dict[str, str]:
    """Returns a list by digest, and by content unless it is too long."""
    import hashlib

    bits = text.encode("utf-8", "replace")
    digest = {"sha256": hashlib.sha256(bits).hexdigest()}
    return {**digest, "list": text} if len(bits) <= _TEXT_MOST else digest


def at_start() -> dict[str, Any]:
    """Returns the facts of the interpreter and its packages.

    >>> at_start()["session"]["interpreter"]["program"] == sys.executable
    True
    """
    session: dict[str, Any] = {
        "interpreter": {"program": sys.executable, "prefix": sys.prefix, "path": "\n".join(sys.path)},
        "working_directory": os.getcwd(),
    }
    for name, text in (("packages", packages()), ("conda_packages", _conda())):
        if text:
            session[name] = _listed(text)
    found = image()
    if found:
        session["image"] = found
    return {"session": session}


def image(about: str = "/run/.containerenv") -> dict[str, str]:
    """Returns what is known inside of a container of the image that it was made of: name and id as podman writes them, the file of
    Apptainer with a digest of its blocks, the build of NVIDIA's images, and what whoever starts the container says in TSCOPE_IMAGE.

    >>> image("none")
    {}
    """
    found: dict[str, str] = {}
    with contextlib.suppress(OSError, ValueError), open(about, encoding="utf-8") as file:
        for name, value in re.findall(r'^(image|imageid)="?([^"\n]{1,1000})"?$', file.read(_BLOCK), re.MULTILINE):
            found["name" if name == "image" else "id"] = value
    path = os.environ.get("APPTAINER_CONTAINER") or os.environ.get("SINGULARITY_CONTAINER") or ""
    digest = digest_of(path) if path else None
    if path:
        found["file"] = path
    if digest is not None:
        found["digest"] = f"{digest[1]} {digest[0]}"
    for variable, name in (("NVIDIA_BUILD_ID", "nvidia_build"), ("TSCOPE_IMAGE", "said")):
        if os.environ.get(variable):
            found[name] = os.environ[variable]
    return found


# --- files ---


def digest_of(path: str) -> Optional[tuple[int, str]]:
    """Returns the size of a file and the digest of its size and blocks; None where it is no regular file, or cannot be read.

    >>> with open("ten", "wb") as file:
    ...     _ = file.write(b"0123456789")
    >>> digest_of("ten")
    (10, '0a8328c47369bc78')
    """
    import hashlib

    try:
        with open(path, "rb", buffering=0) as file:
            about = os.fstat(file.fileno())
            if not stat.S_ISREG(about.st_mode):
                return None
            size = about.st_size
            sum_of = hashlib.sha256(b"%d\n" % size)
            for at in blocks_of(size):
                file.seek(at)
                sum_of.update(file.read(_BLOCK))
            return size, sum_of.hexdigest()[:16]
    except (OSError, ValueError):
        return None


def blocks_of(size: int) -> list[int]:
    """Returns where the blocks begin that a file of a size is known by.

    >>> blocks_of(10), blocks_of(1 << 40)[:2], blocks_of(1 << 40)[-1] == (1 << 40) - 65536
    ([0], [0, 73300770816], True)
    """
    if size <= _BLOCK * _BLOCKS:
        return list(range(0, max(size, 1), _BLOCK))
    return [(size - _BLOCK) * i // (_BLOCKS - 1) for i in range(_BLOCKS)]


class Files:
    """The files that the program reads, as an audit hook sees them. A hook stays for the life of a process; it is made once."""

    def __init__(self) -> None:
        self.read: dict[str, None] = {}
        self.written: set[str] = set()
        self._known: dict[str, tuple[str, str]] = {}  # by path as it was opened: where it is, and its line; "": it is no data
        self.more = 0  # beyond the most
        self._left_out = 0  # as it was said last
        self._hooked = False
        self._roots = tuple({os.path.join(os.path.realpath(p), "") for p in (sys.prefix, sys.base_prefix, os.path.dirname(__file__))})

    def begin(self) -> None:
        """Looks from now on."""
        if not self._hooked:
            self._hooked = True
            see_opens(self._opens)
            atexit.register(see_opens, None)

    def _opens(self, path: Any, mode: Any, flags: Any) -> None:
        if type(path) is not str or path in self.read:
            return
        writes = any(c in mode for c in "wax+") if mode is not None else isinstance(flags, int) and flags & 3
        if writes:
            self.written.add(path)
        elif not path.endswith(_CODE) and not path.startswith(_NO_DATA):
            if len(self.read) < _FILES_MOST:
                self.read[path] = None
            else:
                self.more += 1

    def facts(self, budget_s: float = _BUDGET_S) -> dict[str, Any]:
        """Returns what was read, "DIGEST SIZE PATH" a line, and how much of it is not known. A file that was written, too, is none.

        >>> Files().facts()
        {}
        """
        left_out, until = 0, time.monotonic() + budget_s
        for path in [path for path in list(self.read) if path not in self._known]:  # reading opens them, and threads others
            real = os.path.realpath(path)
            ours = real.startswith(self._roots) or "\n" in real
            if not ours and time.monotonic() > until:
                left_out += 1
                continue
            found = None if ours else digest_of(real)
            self._known[path] = (real, f"{found[1]} {found[0]} {real}\n" if found is not None else "")
        written = {os.path.realpath(path) for path in list(self.written)}
        lines = [line for real, line in self._known.values() if line and real not in written]
        session: dict[str, Any] = {}
        text = "".join(sorted(set(lines), key=lambda line: line.split(" ", 2)[2]))
        if text or self._hooked:  # that nothing was read is known, too
            session["files_read"] = {**(_listed(text) if text else {}), "count": len(set(lines))}
        if self.more or left_out or self._left_out:  # facts that were said behind the first step stay, unless they are said again
            session.setdefault("files_read", {})["left_out"] = self._left_out = self.more + left_out
        return {"session": session} if session else {}


files = Files()
