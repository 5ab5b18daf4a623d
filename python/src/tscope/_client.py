"""What tscope knows of runs, from Python: lists as tables, columns as arrays, reports as objects, by `tscope serve`."""

import json
from collections.abc import Sequence
from typing import Any, NamedTuple, Optional, Union, cast

from tscope import _answers
from tscope._errors import Invalid, NotFound
from tscope._serve import serve
from tscope._table import Table

_Names = Union[str, Sequence[str]]
_LOOKED_AT = 20  # runs, for the nearest name
_OF_LISTS = (
    "name id state steps first_step last_step ranks world_size started pushed project own_name who sweep group job parent"
).split()


def _given(**arguments: Any) -> dict[str, Any]:
    """Returns the arguments that were given, by the names of options."""
    return {name.replace("_", "-"): value for name, value in arguments.items() if value is not None and value != []}


def _listed(names: "Optional[_Names]") -> "Optional[list[str]]":
    return None if names is None else [names] if isinstance(names, str) else list(names)


def ask(verb: str, **arguments: Any) -> "_answers.AnyAnswer":
    """Asks any verb that only reads, with its words and options as arguments, and returns its answer (docs/python.md).

    >>> tscope.ask("explain", code="TIMING.STALLS").rules[0].code
    'TIMING.STALLS'
    """
    return cast("_answers.AnyAnswer", _ask(_answers.AnyAnswer, verb, _given(**arguments)))


def _ask(kind: Any, verb: str, arguments: dict[str, Any]) -> Any:
    text, exit_code, remarks = serve().call(verb, arguments)
    return kind(json.loads(text), verb, arguments, exit_code, remarks)


# -- lists --


def runs(
    filter: Optional[str] = None,
    columns: "Optional[_Names]" = None,
    *,
    sort: Optional[str] = None,
    limit: Optional[int] = None,
    project: Optional[str] = None,
) -> Table:
    """Returns runs as a table: those that `filter` matches, as `tscope list` takes it, newest push first. NotFound where it,
    the columns or the order name what no run records.

    >>> list(tscope.runs("steps>=1", columns=["name", "steps"], limit=1))
    ['name', 'steps']
    """
    wanted = _listed(columns)
    arguments = _given(filter=filter, columns=None if wanted is None else ",".join(wanted), sort=sort, limit=limit, project=project)
    if limit is None:
        arguments["all"] = True
    answer = json.loads(serve().call("list", arguments)[0])
    rows = answer["rows"]
    names = wanted if wanted is not None else answer["columns"]
    # Nobody asked for the usual columns, unless a filter that matches no run is what names one.
    usual = names if rows and wanted is None else []
    missing = [name for name in answer["unrecorded"] if name not in usual and name not in _OF_LISTS]
    if missing:
        _refuse(missing, rows or json.loads(serve().call("list", _given(limit=_LOOKED_AT, project=project))[0])["rows"])
    return Table({name: _cells(rows, name) for name in names}, len(rows))


def _cells(rows: "list[dict[str, Any]]", name: str) -> "list[Any]":
    if name == "name":
        return [row["name"] for row in rows]
    if name in ("id", "pushed"):
        return [row[name] if name in row else row["values"].get(name) for row in rows]
    return [row["values"].get(name) for row in rows]


def _refuse(missing: "list[str]", rows: "list[dict[str, Any]]") -> None:
    """Says which columns none of these runs has, with the nearest name that one of them has. Of no runs nothing is said."""
    from difflib import get_close_matches

    if not rows:
        return
    known = set(_OF_LISTS)
    for row in rows[:_LOOKED_AT]:
        run = RecordedRun(row["name"])
        known.update(run.facts)
        known.update(f"{column.partition('.')[2]}.{what}" for column in run.columns for what in ("last", "best", "mean", "min", "max"))
    said = []
    for name in missing:
        near = get_close_matches(name, known, 1)
        said.append(name + (f" (the nearest name is {near[0]})" if near else ""))
    raise NotFound("no run records " + ", ".join(said), "not_found")


# -- a run --


class Series(NamedTuple):
    """A column with the steps of its values.

    >>> Series([0], [0.5]).values
    [0.5]
    """

    steps: Any
    values: Any


class RecordedRun:
    """A run that was recorded: by its name, tag, branch, id or path.

    >>> tscope.get("exp1").name
    'exp1'
    """

    def __init__(self, name: str, project: Optional[str] = None) -> None:
        self.name, self.project = name, project
        self._facts: Optional[dict[str, Any]] = None
        self._about: Optional[list[Any]] = None

    def __repr__(self) -> str:
        return f"tscope.get({self.name!r})"

    def _columns_there(self) -> "list[Any]":
        if self._about is None:
            self._about = serve().columns(self.name, [], None, False, self.project)
        return self._about

    @property
    def columns(self) -> "list[str]":
        """The names of its columns: scalars.loss, phases.forward, memory.alloc, timestamp, ..."""
        return sorted({column.name for column in self._columns_there()})

    @property
    def ranks(self) -> "list[int]":
        """The ranks that recorded columns."""
        return sorted({column.rank for column in self._columns_there()})

    @property
    def facts(self) -> "dict[str, Any]":
        """What is recorded of its configuration, code, host and libraries, by path; of the job, as `tscope facts` shows it."""
        if self._facts is None:
            text = serve().call("facts", _given(run=self.name, project=self.project))[0]
            rows = [row for row in json.loads(text)["facts"] if row["rank"] is None and row["effective"]]
            self._facts = {row["path"]: row["fact"].get("value") for row in rows}
        return self._facts

    @property
    def steps(self) -> Any:
        """The steps that its lowest rank recorded, as an array."""
        lowest = min(self.ranks, default=None)
        there = [column for column in self._columns_there() if column.rank == lowest]
        if not there:
            return []
        longest = max(there, key=lambda column: column.rows)
        found = serve().columns(self.name, [longest.name], lowest, True, self.project)
        return found[0].steps

    def column(self, name: str, *, ranks: "Union[int, str, None]" = None) -> Any:
        """Returns the values of a column as an array: of the lowest rank that has it, of one rank, or with ranks="all" a dictionary
        of all ranks. `loss` is scalars.loss, as in `tscope plot`.

        >>> len(tscope.get("exp1").column("loss")) > 0
        True
        """
        found = serve().columns(self.name, [name], ranks, False, self.project)
        return {values.rank: values.values for values in found} if ranks == "all" else found[0].values

    def series(self, name: str, *, rank: Optional[int] = None) -> Series:
        """Returns a column with its steps.

        >>> int(tscope.get("exp1").series("loss").steps[0])
        0
        """
        found = serve().columns(self.name, [name], rank, True, self.project)[0]
        return Series(found.steps, found.values)

    def frame(self, columns: "Optional[_Names]" = None, *, rank: Optional[int] = None) -> Table:
        """Returns columns of one rank as a table with a row for each step that one of them has; a number that a step lacks is NaN,
        a digest that it lacks is masked. numpy has to be installed.

        >>> import numpy
        >>> list(tscope.get("exp1").frame("loss"))
        ['step', 'loss']
        """
        import numpy

        lowest = rank if rank is not None else min(self.ranks, default=None)
        wanted = _listed(columns) or sorted({c.name for c in self._columns_there() if c.rank == lowest and c.type in ("f64", "u64")})
        found = serve().columns(self.name, wanted, lowest, True, self.project) if wanted else []
        steps = _all_steps(numpy, [values.steps for values in found])
        table: dict[str, Any] = {"step": steps}
        for values in found:
            if isinstance(values.values, list):
                raise Invalid(f"{values.name} is a text; column({values.asked!r}) gives it", "invalid")
            if len(values.steps) == len(steps):
                table[values.asked] = values.values
                continue
            if values.type == "u64":  # a digest as a float would be another one's, too
                column = numpy.ma.array(numpy.zeros(len(steps), values.values.dtype), mask=True)
            else:
                column = numpy.full(len(steps), numpy.nan)
            column[numpy.searchsorted(steps, values.steps)] = values.values
            table[values.asked] = column
        return Table(table, len(steps))

    def show(self) -> "_answers.Show":
        """Returns what the run holds, as `tscope show` does.

        >>> tscope.get("exp1").show().run.step_count > 0
        True
        """
        return cast("_answers.Show", _ask(_answers.Show, "show", _given(run=self.name, project=self.project)))


def _all_steps(numpy: Any, each: "list[Any]") -> Any:
    """Returns the steps that one of these has, in order; mostly all are the same. A stable sort merges what is sorted in parts."""
    if not each:
        return numpy.empty(0, "i8")
    if all(numpy.array_equal(steps, each[0]) for steps in each[1:]):
        return each[0]
    steps = numpy.sort(numpy.concatenate(each), kind="stable")
    return steps[numpy.concatenate([[True], steps[1:] != steps[:-1]])]


def get(name: str, *, project: Optional[str] = None) -> RecordedRun:
    """Returns a run by its name, tag, branch, the first digits of its id, or the path of its folder. NotFound where there is none.

    >>> tscope.get("exp1").columns[-1]
    'timestamp'
    """
    run = RecordedRun(str(name), project)
    run._columns_there()
    return run


# -- reports --


def diff(
    a: str,
    b: str,
    *,
    ignore: "Optional[_Names]" = None,
    repeats: "Optional[_Names]" = None,
    all: bool = False,
    by: Optional[str] = None,
    rounding: Optional[str] = None,
    policy: Optional[str] = None,
    project: Optional[str] = None,
) -> "_answers.Diff":
    """Returns the first step at which two runs differ, and why, as `tscope diff` says it.

    >>> tscope.diff("exp1", "exp1").verdict
    'same'
    """
    arguments = _given(
        runs=[str(a), str(b)],
        ignore=_listed(ignore),
        repeats=_listed(repeats),
        all=all or None,
        by=by,
        rounding=rounding,
        policy=policy,
        project=project,
    )
    return cast("_answers.Diff", _ask(_answers.Diff, "diff", arguments))


def analyze(
    run: str,
    *,
    warmup: Optional[int] = None,
    rank: Optional[int] = None,
    policy: Optional[str] = None,
    fresh: bool = False,
    project: Optional[str] = None,
) -> "_answers.Analysis":
    """Returns what limits a run, and what is wrong with it, as `tscope analyze` says it.

    >>> isinstance(tscope.analyze("exp1").findings, list)
    True
    """
    arguments = _given(run=str(run), warmup=warmup, rank=rank, policy=policy, fresh=fresh or None, project=project)
    return cast("_answers.Analysis", _ask(_answers.Analysis, "analyze", arguments))


def gate(
    *candidates: str,
    baseline: "_Names",
    metric: "Optional[_Names]" = None,
    better: Optional[str] = None,
    paired: "Optional[_Names]" = None,
    policy: Optional[str] = None,
    workload: Optional[str] = None,
    across: "Optional[_Names]" = None,
    project: Optional[str] = None,
) -> "_answers.Gate":
    """Returns whether a run is slower than its baselines, as `tscope gate` says it.

    >>> isinstance(tscope.gate("exp1", baseline="base").sentence, str)
    True
    """
    arguments = _given(
        candidates=[str(candidate) for candidate in candidates],
        baseline=_listed(baseline),
        metric=_listed(metric),
        better=better,
        paired=_listed(paired),
        policy=policy,
        workload=workload,
        across=_listed(across),
        project=project,
    )
    return cast("_answers.Gate", _ask(_answers.Gate, "gate", arguments))


def check_resume(
    run: str, parent: Optional[str] = None, *, tolerance: Optional[float] = None, project: Optional[str] = None
) -> "_answers.CheckResume":
    """Returns whether a run resumed correctly from its parent, as `tscope check-resume` says it.

    >>> tscope.check_resume("resumed", "base").verdict in ("correct", "wrong", "unknown")
    True
    """
    arguments = _given(
        run=str(run),
        parent=None if parent is None else str(parent),
        tolerance=None if tolerance is None else repr(tolerance),
        project=project,
    )
    return cast("_answers.CheckResume", _ask(_answers.CheckResume, "check-resume", arguments))
