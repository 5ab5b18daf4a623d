"""The tables of a profiler's trace, by `tscope serve`: events, operators, kernels and more as columns, which DuckDB and pandas take."""

from typing import Any, Optional

from tscope._errors import NotFound
from tscope._serve import serve
from tscope._table import Table, Words

_NOT_SAID = -(1 << 63)


def _column(numpy: Any, values: Any) -> Any:
    """Numbers that a row does not say are masked; where all rows say theirs, the array is a plain one."""
    if isinstance(values, tuple):
        return Words(*values)
    if values.dtype.kind != "i":
        return values
    missing = values == _NOT_SAID
    return numpy.ma.array(values, mask=missing) if missing.any() else values


class Trace:
    """A trace: `trace["kernels"]` is a table, `trace.tables` says which there are and how many rows each has. It needs numpy.

    `trace.cut` is true where the file ends, or ended when it was pushed, too early: then rows of any table may be missing.

    >>> import numpy
    >>> "kernels" in tscope.trace("trace.json.gz").tables
    True
    """

    def __init__(self, name: str, file: Optional[str] = None, rank: Optional[int] = None, project: Optional[str] = None) -> None:
        self._asked = (file, rank, project)
        self.name = name
        self.tables: dict[str, int]
        self.cut: bool
        self.tables, self.cut = serve().trace(name, None, *self._asked)

    def __repr__(self) -> str:
        return f"tscope.trace({self.name!r})"

    def __getitem__(self, name: str) -> Table:
        import numpy

        if name not in self.tables:
            raise NotFound(f"a trace has no table {name}; it has {', '.join(self.tables)}", "not_found")
        rows, columns = serve().trace(self.name, name, *self._asked)
        return Table({column: _column(numpy, values) for column, values in columns.items()}, rows)


def trace(name: str, *, file: Optional[str] = None, rank: Optional[int] = None, project: Optional[str] = None) -> Trace:
    """Returns the tables of a trace: of a file that a profiler wrote, or of a run, whose `file` and `rank` say which where it has
    several.

    >>> import numpy
    >>> len(tscope.trace("trace.json.gz")["kernels"]) > 0
    True
    """
    return Trace(str(name), file, rank, project)
