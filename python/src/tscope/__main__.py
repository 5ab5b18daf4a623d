"""python -m tscope: runs a training script that nobody touched, and records it."""

import argparse
import builtins
import importlib.machinery
import io
import os
import sys
import types
import zipfile
from typing import Any, NoReturn, Optional

from tscope import _program, _resume, _verdict, _zero

_USAGE = "python -m tscope [OPTIONS] (SCRIPT | -m MODULE) [ARGUMENTS]"
_LAST = "-m"  # behind it the program's words begin, as they do behind the first word without a dash


def _options() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(
        prog="python -m tscope",
        usage=_USAGE,
        description="Runs a training script as python does, and records it: the steps of a loop of torch, phases, losses and rates. "
        "Also under torchrun: torchrun ... -m tscope SCRIPT.",
        allow_abbrev=False,
    )
    p.add_argument("--directory", metavar="DIR", help="the folder of the run (default: runs/NAME, without a name runs/SCRIPT-TIME)")
    p.add_argument("--exist", choices=_resume.EXIST, help="what a folder that holds a run means: an error, a new folder beside it, or "
                   "that the run goes on (default: it goes on where the launcher says that the job was requeued or restarted)")
    p.add_argument("--name", help="the name of the run")
    p.add_argument("--memory-every", type=int, default=100, metavar="N", help="steps between samples of memory, 0: none (default: 100)")
    p.add_argument("--digests-every", type=int, default=100, metavar="N", help="steps between two with digests, 0: none (default: 100)")
    p.add_argument("--patch", action="store_true", default=True, help="keep the text of uncommitted changes (the default)")
    p.add_argument("--no-patch", action="store_false", dest="patch", help="keep only the digest of uncommitted changes")
    p.add_argument("--verdict", action="store_true", default=None, help="say at the end what bound the run, also where no terminal is")
    p.add_argument("--no-verdict", action="store_false", dest="verdict", help="say nothing at the end")
    p.add_argument("-m", dest="module", nargs=0, action=_Module, help="the script is a module, as for python -m")
    return p


class _Module(argparse.Action):
    """-m stands in the help; `split` has taken it from the words before they are parsed."""

    def __call__(self, *_: Any) -> None:
        raise AssertionError("-m is the program's")


def split(words: list[str]) -> tuple[list[str], list[str]]:
    """Returns the options of tscope, and what is the program's own: a script or -m with a module, and all that follows.

    >>> split(["--directory", "runs/a", "train.py", "--name", "b"])
    (['--directory', 'runs/a'], ['train.py', '--name', 'b'])
    """
    i = 0
    while i < len(words) and words[i].startswith("-") and words[i] not in (_LAST, "--"):
        i += 2 if words[i] in ("--directory", "--exist", "--name", "--memory-every", "--digests-every") else 1
    return words[:i], words[i + (words[i : i + 1] == ["--"]) :]


def _fail(text: str, code: int) -> NoReturn:
    print(f"tscope: {text}", file=sys.stderr)
    sys.exit(code)


def _of_script(path: str) -> tuple[types.CodeType, dict[str, Any]]:
    """Returns the code of a script, and the names that python gives it."""
    at = os.path.abspath(path)
    if os.path.isdir(at) or zipfile.is_zipfile(at):
        return _of_folder(at)
    try:
        with io.open_code(at) as file:
            source = file.read()
    except OSError as error:
        _fail(f"can't open file {at!r}: [Errno {error.errno}] {error.strerror}", 2)
    if not sys.flags.safe_path if hasattr(sys.flags, "safe_path") else not sys.flags.isolated:
        sys.path[0] = os.path.dirname(os.path.realpath(path))
    loader = importlib.machinery.SourceFileLoader("__main__", at)
    names = {"__file__": at, "__cached__": None, "__loader__": loader, "__package__": None, "__spec__": None}
    return compile(source, at, "exec", dont_inherit=True), names


def _of_folder(at: str) -> tuple[types.CodeType, dict[str, Any]]:
    """Returns the code of __main__.py in a folder or an archive."""
    import runpy

    sys.path[0] = at
    _, spec, code = runpy._get_main_module_details(_NoModule)  # type: ignore[attr-defined]
    return code, _names(spec)


def _names(spec: Any) -> dict[str, Any]:
    names = {"__file__": spec.origin, "__cached__": spec.cached, "__loader__": spec.loader, "__package__": spec.parent}
    return {**names, "__spec__": spec}


def _of_module(name: str) -> tuple[types.CodeType, dict[str, Any]]:
    """Returns the code of a module that is run as a script, and the names that python -m gives it."""
    import runpy

    sys.argv[0] = "-m"  # what its packages see while they are imported
    _, spec, code = runpy._get_module_details(name, _NoModule)  # type: ignore[attr-defined]
    sys.argv[0] = spec.origin
    return code, _names(spec)


class _NoModule(Exception):
    """What runpy raises where there is no such module."""


def _hide(ours: int) -> None:
    """Has an uncaught exception printed without the frames that are ours, which are the first."""
    before = sys.excepthook

    def excepthook(kind: Any, value: Any, trace: Any) -> None:
        shown, n = trace, 0
        while shown is not None and (n < ours or shown.tb_frame.f_code.co_filename == __file__):
            shown, n = shown.tb_next, n + 1
        before(kind, value.with_traceback(shown), shown)

    sys.excepthook = excepthook


def _depth() -> int:
    frame: Optional[types.FrameType] = sys._getframe(1)
    n = 0
    while frame is not None:
        frame, n = frame.f_back, n + 1
    return n


def main() -> None:
    """Runs the program that the command line names, recorded; its exit is that of this process.

    >>> split(["--no-verdict", "-m", "lab.train", "--lr", "0.1"])
    (['--no-verdict'], ['-m', 'lab.train', '--lr', '0.1'])
    """
    _program.say_others()
    options, program = split(sys.argv[1:])
    args = _options().parse_args(options)
    if not program and not options:
        _options().print_help()
        sys.exit(0)
    if not program or program == [_LAST]:
        _options().error("no script is named")
    _hide(_depth())
    by_module = program[0] == _LAST
    sys.argv[:] = program[1:] if by_module else program
    del sys.modules["__main__"]
    module = types.ModuleType("__main__")
    sys.modules["__main__"] = module
    try:
        code, names = _of_module(program[1]) if by_module else _of_script(program[0])
    except _NoModule as error:
        _fail(f"{sys.executable}: {error}", 1)
    vars(module).update(names, __builtins__=builtins)
    if sys.version_info < (3, 14):
        vars(module)["__annotations__"] = {}
    how = {"exist": args.exist, "name": args.name, "memory_every": args.memory_every, "patch": args.patch}
    zero = _zero.install(args.directory, args.digests_every, **how)
    _verdict.at_exit(zero, args.verdict)
    try:
        exec(code, vars(module))
    except BaseException as error:
        zero.left_by(error)
        raise


if __name__ == "__main__":
    main()
