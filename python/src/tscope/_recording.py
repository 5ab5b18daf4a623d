"""Reads recording.tscope (docs/recording.md) for the summary of a run; the reader of `tscope push` also counts damage."""

import math
import os
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Optional, Union

_CHUNK = 65536
_FURTHER = re.compile(r"recording\.[1-9][0-9]*\.tscope")
_MAGIC = b"\x89TSCR\r\n\x1a"
_COLUMN, _STEP, _LATE, _REGION, _EVENT, _DIGEST, _WAITED, _END = 1, 2, 3, 4, 5, 6, 7, 15
_NO_STEP = -(1 << 63)
# Of enum tscope_kind: how the columns of a kind are called, and what their values are.
_KINDS = {1: ("phases.", "q"), 2: ("phases.", "q"), 3: ("regions.", "q"), 4: ("scalars.", "d"), 5: ("memory.", "d"), 6: ("", "d"),
          7: ("digests.", "Q"), 8: ("events.", "d")}
_FIRST = 8  # chunks that are always read, since names stand there
_RECENT = 64  # chunks that a summary reads, from the end: 4 MiB, some 40,000 steps


@dataclass
class Recording:
    """What a recording says. Times are ns of the recorder's clock; cells of phases and regions are ns, digests integers."""

    rank: int = 0
    world_size: int = 1
    unix_ns: int = 0  # the wall clock at ...
    clock_ns: int = 0  # ... this time of the recorder's
    steps: dict[int, dict[str, Any]] = field(default_factory=dict)
    times: dict[int, tuple[int, int]] = field(default_factory=dict)  # of a step: begin, duration
    regions: list[tuple[str, Optional[int], int]] = field(default_factory=list)
    events: list[tuple[str, Optional[int], Union[float, str]]] = field(default_factory=list)
    digests: list[dict[str, Any]] = field(default_factory=list)
    waited: list[int] = field(default_factory=list)  # numbers of steps that no step came behind, in attempts without any
    end: Optional[dict[str, int]] = None
    chunks: int = 0  # that have not been read


def _frames(chunk: bytes, at: int) -> Iterator[tuple[int, bytes]]:
    while at + 8 <= len(chunk):
        (word,) = struct.unpack_from("<I", chunk, at)
        length, kind = word & 0xFFFFFF, word >> 24
        if length < 8 or length % 8 or at + length > len(chunk):
            return
        yield kind, chunk[at : at + length]
        at += length


def _cells(frame: bytes, count_at: int, cells_at: int, columns: dict[int, tuple[str, str]]) -> dict[str, Any]:
    (n,) = struct.unpack_from("<H", frame, count_at)
    numbers = struct.unpack_from(f"<{n}H", frame, cells_at)
    values_at = cells_at + (2 * n + 7) // 8 * 8
    found = {}
    for i, number in enumerate(numbers):
        if number in columns:  # else nothing sound says what it is
            name, form = columns[number]
            (found[name],) = struct.unpack_from("<" + form, frame, values_at + 8 * i)
    return found


def _step_or_none(step: int) -> Optional[int]:
    return None if step == _NO_STEP else step


def _take(r: Recording, kind: int, frame: bytes, columns: dict[int, tuple[str, str]]) -> None:
    if kind == _COLUMN:
        number, what, length = struct.unpack_from("<HBB", frame, 8)
        prefix, form = _KINDS.get(what, ("", "Q"))
        columns[number] = (prefix + frame[16 : 16 + length].decode("utf-8", "replace"), form)
    elif kind == _STEP:
        step, begin, duration = struct.unpack_from("<qqq", frame, 8)
        r.steps[step] = _cells(frame, 32, 40, columns)
        r.times[step] = (begin, duration)
    elif kind == _LATE:
        (step,) = struct.unpack_from("<q", frame, 8)
        r.steps.setdefault(step, {}).update(_cells(frame, 16, 24, columns))
    elif kind == _REGION:
        number, _, _, step, _, duration = struct.unpack_from("<HHIqqq", frame, 8)
        r.regions.append((columns.get(number, ("", ""))[0], _step_or_none(step), duration))
    elif kind == _EVENT:
        number, form, length, step, _ = struct.unpack_from("<HHIqq", frame, 8)
        value = frame[32 : 32 + length].decode("utf-8", "replace") if form == 2 else struct.unpack_from("<d", frame, 32)[0]
        r.events.append((columns.get(number, ("", ""))[0], _step_or_none(step), value))
    elif kind == _DIGEST:
        step, out, given, has_in, what, length, occurrence = struct.unpack_from("<qQQBBHI", frame, 8)
        r.digests.append({"step": step, "name": frame[40 : 40 + length].decode("utf-8", "replace"), "out": out,
                          "in": given if has_in else None, "kind": what, "occurrence": occurrence})
    elif kind == _WAITED:
        r.waited = list(struct.unpack_from("<q", frame, 16))
    elif kind == _END:
        time, steps, lost, waits, reason = struct.unpack_from("<qQQQI", frame, 8)
        r.end = {"time": time, "steps": steps, "lost": lost, "waits": waits, "reason": reason}


def read(path: str, recent: Optional[int] = None) -> Recording:
    """Returns what stands in a recording; with `recent`, of its first and its last chunks only.

    >>> run = tscope.start("runs/read")
    >>> with run.step():
    ...     run.log(loss=0.5)
    >>> run.finish()
    >>> read("runs/read/recording.tscope").steps[0]["scalars.loss"]
    0.5
    """
    r = Recording()
    columns: dict[int, tuple[str, str]] = {}
    frames: list[tuple[int, bytes]] = []
    with open(path, "rb") as file:
        if file.read(8) != _MAGIC:
            raise ValueError(f"{path} is no recording of tscope")
        r.rank, r.world_size, r.unix_ns, r.clock_ns = struct.unpack("<24xiiqq", file.read(48))
        size = os.fstat(file.fileno()).st_size  # a copy may end within a chunk
        used = [i for i in range(-(-size // _CHUNK)) if _in_use(file, i)]
        left_out = set() if recent is None else set(used[_FIRST:-recent])
        r.chunks = len(left_out)
        for i in used:
            if i not in left_out:
                file.seek(i * _CHUNK)
                frames.extend(_frames(file.read(_CHUNK), 160 if i == 0 else 32))
    # A column may stand behind what uses it, in the chunk of another thread; a late value behind it, too.
    for wanted in ((_COLUMN,), (_STEP,), (_LATE, _REGION, _EVENT, _DIGEST, _WAITED, _END)):
        for kind, frame in frames:
            if kind in wanted:
                _take(r, kind, frame, columns)
        if wanted == (_COLUMN,):  # of two columns that are called alike the first counts
            first: dict[str, int] = {}
            columns = {number: about for number, about in sorted(columns.items()) if first.setdefault(about[0], number) == number}
    if r.times:
        r.waited = []
    return r


def _in_use(file: Any, chunk: int) -> bool:
    file.seek(chunk * _CHUNK + (128 if chunk == 0 else 0))
    return bool(file.read(4) == b"CHNK")


def at(directory: str, rank: int, world_size: int) -> str:
    """Returns the path of the recording of a rank.

    >>> at("runs/exp1", 3, 8)
    'runs/exp1/rank3/recording.tscope'
    """
    alone, of_rank = os.path.join(directory, "recording.tscope"), os.path.join(directory, f"rank{rank}", "recording.tscope")
    if rank == 0 and os.path.exists(alone) != os.path.exists(of_rank):  # the run may have begun with another number of ranks
        return alone if os.path.exists(alone) else of_rank
    return of_rank if world_size > 1 or rank > 0 else alone


def of_run(directory: str, rank: int, world_size: int, recent: Optional[int] = None) -> Recording:
    """Returns what the attempts of a run recorded, as one: of a step that was executed again its last execution, and Unix times.

    >>> run = tscope.start("runs/resumed")
    >>> with run.step():
    ...     run.log(loss=0.5)
    >>> run.finish()
    >>> run = tscope.start("runs/resumed", exist="resume")
    >>> with run.step():
    ...     run.log(loss=0.25)
    >>> run.finish()
    >>> run.attempt, of_run("runs/resumed", 0, 1).steps[0]["scalars.loss"]
    (2, 0.25)
    """
    first = at(directory, rank, world_size)
    numbers = sorted(int(name.split(".")[1]) for name in os.listdir(os.path.dirname(first) or ".") if _FURTHER.fullmatch(name))
    paths = [path for path in (first, *(f"{first[:-7]}.{number}.tscope" for number in numbers)) if os.path.exists(path)]
    if not paths or paths == [first]:
        return read(first, recent)
    whole = Recording()
    for path in paths:
        try:
            one = read(path, recent)
        except ValueError:
            continue  # it was killed before it had a header
        whole.rank, whole.world_size, whole.end = one.rank, one.world_size, None
        whole.steps.update(one.steps)
        whole.times.update({step: (begin + one.unix_ns - one.clock_ns, took) for step, (begin, took) in one.times.items()})
        whole.regions += one.regions
        whole.events += one.events
        whole.digests += one.digests
        whole.waited += one.waited
        whole.chunks += one.chunks
    return whole


def _quantile(values: list[float], q: float) -> float:
    values = sorted(values)
    at = q * (len(values) - 1)
    below = int(at)
    above = min(below + 1, len(values) - 1)
    return values[below] + (values[above] - values[below]) * (at - below)


def _step_seconds(r: Recording) -> list[float]:
    """Returns how long steps took, each from the end of the one before; where one is missing, from its own beginning."""
    found, before = [], None
    for step in sorted(r.times):
        begin, duration = r.times[step]
        end = begin + duration
        found.append((end - before[1] if before is not None and before[0] == step - 1 and before[1] <= begin else duration) / 1e9)
        before = (step, end)
    return found


def _of_columns(r: Recording, steps: list[int]) -> dict[str, Union[int, float, str]]:
    """Returns what is said of each column: the last number, first, least and mean; the most of memory; the sum of amounts."""
    columns: dict[str, list[float]] = {}
    for step in steps:
        for name, value in r.steps[step].items():
            if not name.startswith("digests."):
                columns.setdefault(name, []).append(value)
    found: dict[str, Union[int, float, str]] = {}
    phases = {name: sum(values) for name, values in columns.items() if name.startswith("phases.")}
    whole = sum(phases.values())
    for name, values in sorted(columns.items()):
        finite = [value for value in values if math.isfinite(value)]
        if name in phases:
            found[f"{name}.mean_s"] = phases[name] / 1e9 / len(steps)
            found[f"{name}.share"] = phases[name] / whole if whole else 0.0
            continue
        found[name] = values[-1]
        if name.startswith("scalars."):
            found[f"{name}.first"] = values[0]
            if finite:
                found[f"{name}.min"], found[f"{name}.mean"] = min(finite), sum(finite) / len(finite)
        elif name.startswith("memory.") and finite:
            found[f"{name}.max"] = max(finite)
    return found


def summary(directory: str, rank: int, world_size: int) -> dict[str, Union[int, float, str]]:
    """Returns a flat dictionary of what a run did, numbers and short texts: of its last 40,000 steps or so.

    The keys are those that `Run.summary` names.

    >>> run = tscope.start("runs/summed")
    >>> with run.step():
    ...     run.log(loss=0.5)
    >>> run.finish()
    >>> summary("runs/summed", 0, 1)["scalars.loss"]
    0.5
    """
    r = of_run(directory, rank, world_size, _RECENT)
    found: dict[str, Union[int, float, str]] = {"directory": directory}
    steps = sorted(r.times)
    found["steps"] = r.end["steps"] if r.end else max(r.times) - min(r.times) + 1 if r.chunks else len(steps)
    if not steps:
        return found
    seconds = _step_seconds(r)
    found["wall_s"] = (sum(r.times[steps[-1]]) - r.times[steps[0]][0]) / 1e9
    found["step_time_median_s"], found["step_time_p95_s"] = _quantile(seconds, 0.5), _quantile(seconds, 0.95)
    found.update(_of_columns(r, steps))
    for name in ("tokens", "samples"):
        amounts = [(r.steps[step][name], took) for step, took in zip(steps, seconds) if name in r.steps[step]]
        if sum(took for _, took in amounts) > 0:
            found[f"{name}_per_s"] = sum(amount for amount, _ in amounts) / sum(took for _, took in amounts)
    return found
