"""What is said at the end of training, in ten lines: what bound it, what to try, where the run lies, with what it is compared."""

import atexit
import json
import os
import subprocess
import sys
import textwrap
from typing import TYPE_CHECKING, Any, Optional

from tscope import _blame, _paths, _recording
from tscope._program import program
from tscope._say import why, write

if TYPE_CHECKING:
    from tscope._run import Run
    from tscope._zero import Zero

_WIDTH, _LINES = 80, 10
_PATIENCE_S = 20  # for tscope analyze


def _asked(directory: str) -> Optional[dict[str, Any]]:
    """Returns what `tscope analyze` says of a run, or None where it cannot say anything."""
    tscope = program()
    if tscope is None:
        return None
    words = [tscope, "analyze", "--json", "--no-pager", os.path.abspath(directory)]
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, timeout=_PATIENCE_S)
        answer = json.loads(done.stdout)
        return answer if done.returncode == 0 and isinstance(answer.get("bound"), dict) else None
    except (OSError, ValueError, AttributeError, subprocess.SubprocessError):
        return None


def _time(seconds: float) -> str:
    for unit, name in ((1.0, "s"), (1e-3, "ms"), (1e-6, "us")):
        if seconds >= unit:
            return f"{seconds / unit:.3g} {name}"
    return f"{seconds / 1e-9:.3g} ns"


def _memory(bound: dict[str, Any]) -> str:
    """Returns that memory limits the run, and what would save most of it; "" where no snapshot of memory shows that."""
    for fix in (bound.get("memory_fixes") or [])[:1]:
        saves = _blame.size(fix["saves_most_bytes"])
        return f"{bound.get('memory')}; try: {fix['name']}: {fix['how']} (saves at most {saves} at the peak)"
    return ""


def _found(answer: dict[str, Any]) -> list[str]:
    """Returns what the analysis says bound the run, what else it found, and what it would try first."""
    found = [str(answer["bound"].get("sentence") or ""), _memory(answer["bound"])]
    high = [str(finding.get("title")) for finding in answer.get("findings") or [] if finding.get("severity") == "high"]
    if high:
        found.append(f"found: {'; '.join(high[:2])}")
    for fix in (answer["bound"].get("fixes") or [])[:1]:
        found.append(f"try: {fix['name']}: {fix['how']} (saves at most {fix['wins_most_ratio']:.0%})")
    for fix in (answer["bound"].get("worth_checking") or [])[: 0 if answer["bound"].get("fixes") else 1]:
        found.append(f"worth checking: {fix['name']}: {fix['how']} ({fix['check']})")
    return [text for text in found if text]


def _shares(summary: dict[str, Any]) -> str:
    shares = {name[7:-6]: value for name, value in summary.items() if name.startswith("phases.") and name.endswith(".share")}
    most = sorted(shares.items(), key=lambda item: -item[1])
    return ", ".join(f"{name} {share:.0%}" for name, share in most[:5] if share >= 0.005)


def _numbers(summary: dict[str, Any]) -> str:
    steps = int(summary["steps"])
    if not steps:
        return "no step was recorded"
    said = f"{steps:,} step{'s' * (steps != 1)}"
    if "step_time_median_s" in summary:
        said += f", median {_time(float(summary['step_time_median_s']))}, p95 {_time(float(summary['step_time_p95_s']))}"
    loss = summary.get("scalars.loss")
    if isinstance(loss, float):
        said += f", loss {summary['scalars.loss.first']:.4g} to {loss:.4g}"
    return said


def lines(directory: str, rank: int = 0, world_size: int = 1, more: "tuple[str, ...]" = ()) -> list[str]:
    """Returns the verdict on a run in at most ten lines of at most 80 columns; `more` are lines about what was not seen.

    >>> run = tscope.start("runs/judged")
    >>> with run.step():
    ...     run.log(loss=0.5)
    >>> run.finish()
    >>> print(lines("runs/judged")[0])
    tscope: 1 step, median ...s, p95 ...s, loss 0.5 to 0.5
    """
    summary: dict[str, Any] = _recording.summary(directory, rank, world_size)
    told = [_numbers(summary)]
    if summary["steps"]:
        answer = _asked(directory)
        told.extend(_found(answer) if answer is not None else [f"time: {_shares(summary)}"])
        if program() is None:
            told.append("tscope analyze says what bound it: name the program in TSCOPE or on PATH")
    shown = _paths.shown(directory)
    last = [f"run: {shown}"]
    before = _paths.last_of_its_kind(directory)
    if before is not None:
        last.extend(_command("tscope diff", _paths.shown(before), shown))
    return _laid_out(told, last + [line for text in more for line in _wrapped(text)])


def _command(*words: str) -> list[str]:
    """Returns a command to be copied, on several lines if it is long."""
    if len("  " + " ".join(words)) <= _WIDTH:
        return [" ".join(words)]
    return [f"{word} \\" for word in words[:-1]] + [words[-1]]


def _wrapped(text: str, most: Optional[int] = None) -> list[str]:
    how: dict[str, Any] = {} if most is None else {"max_lines": most, "placeholder": " ..."}
    # A path or a line of code is to be copied: it is broken between words alone.
    return textwrap.wrap(text, _WIDTH - 8, break_long_words=most is not None, break_on_hyphens=False, **how)


def _laid_out(told: list[str], last: list[str]) -> list[str]:
    """Returns ten lines: where the run lies and what was not seen, and before that what there is room for."""
    last = last[: _LINES - 1]
    first: list[str] = []
    for i, text in enumerate(told):
        room = _LINES - len(last) - len(first) - (len(told) - i - 1)
        if room > 0:
            first.extend(_wrapped(text, min(room, 3)))
    found = first[: _LINES - len(last)] + last
    return [("tscope: " if i == 0 else "  ") + line for i, line in enumerate(found)]


def say(run: "Run", more: "tuple[str, ...]" = ()) -> None:
    """Prints the verdict on a run that has ended, on standard error; of several ranks, rank 0 alone does.

    >>> say(tscope.Run())  # one that recorded nothing
    """
    if run.rank != 0 or not run.directory:
        return
    try:
        write("\n".join(lines(run.directory, run.rank, run.world_size, more)))
    except Exception as error:
        write(f"tscope: no verdict on {run.directory}: {type(error).__name__}: {why(error)}")


def _say_all(run: "Optional[Run]", unseen: "tuple[str, ...]", verdict: bool) -> None:
    if run is not None and verdict:
        say(run, unseen)
        return
    said = ([f"recorded in {_paths.shown(run.directory)}"] if run is not None and run.directory else []) + list(unseen)
    if said:
        write("\n".join("tscope: " + "\n  ".join(_wrapped(line)) for line in said))


def _is_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


def end(zero: "Zero", wanted: Optional[bool]) -> None:
    """Ends the recording of a program, and says what there is to say.

    >>> from tscope import _zero
    >>> end(_zero.install(), wanted=False)
    """
    zero.stop()
    if wanted is not False and zero.rank() == 0:
        _say_all(zero.last(), tuple(zero.unseen()), _is_terminal() if wanted is None else wanted)


def at_exit(zero: "Zero", wanted: Optional[bool]) -> None:
    """Has the end of the program end its recording, and say what there is to say: by default the verdict on a terminal alone.

    >>> from tscope import _zero
    >>> zero = _zero.install()
    >>> at_exit(zero, wanted=False)
    >>> zero.stop()
    """
    pid = os.getpid()
    zero.verdict = wanted
    atexit.register(lambda: end(zero, wanted) if os.getpid() == pid else None)
