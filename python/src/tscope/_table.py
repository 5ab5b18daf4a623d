"""Columns of one length: what `tscope.runs` and `frame` give, which pandas, polars, pyarrow and DuckDB take without a copy."""

import array
import html
from collections.abc import Iterator, Sequence
from typing import Any, Optional, Union

_FLOATS = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}
_INT64 = range(-(1 << 63), 1 << 63)
_SHOWN = 20  # rows


def _kind(values: Sequence[Any]) -> str:
    """Returns what a column of JSON values is: "bool", "int", "float" or "text". One of several kinds is text.

    >>> _kind([1, None]), _kind([1, "NaN"]), _kind([0.5, "Infinity"]), _kind([True, 1]), _kind(["9007199254740993", 1])
    ('int', 'float', 'float', 'text', 'int')
    """
    kinds = {type(value) for value in values} - {type(None)}
    if not kinds:
        return "text"
    if kinds == {bool}:
        return "bool"
    if not kinds <= {int, float, str}:
        return "text"
    texts = {value for value in values if type(value) is str}
    if texts and kinds == {str}:
        return "float" if texts <= set(_FLOATS) else "text"
    if texts - set(_FLOATS):
        whole = int in kinds and float not in kinds and all(text.lstrip("-").isdigit() and int(text) in _INT64 for text in texts)
        return "int" if whole else "text"
    if float in kinds or texts:
        return "float"
    return "int" if all(value is None or value in _INT64 for value in values) else "float"


def _said(value: Any) -> str:
    if isinstance(value, str):
        return value
    import json

    return json.dumps(value)


class Words:
    """A column of texts of which few differ: numbers of words, -1 where there is none. numpy has to be installed.

    >>> import numpy
    >>> Words(numpy.array([1, -1, 0]), ["a", "b"]).tolist()
    ['b', None, 'a']
    """

    def __init__(self, codes: Any, words: "list[str]") -> None:
        self.codes, self.words = codes, words

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, i: int) -> "Optional[str]":
        code = int(self.codes[i])
        return None if code < 0 else self.words[code]

    def __iter__(self) -> "Iterator[Optional[str]]":
        return iter(self.tolist())

    def tolist(self) -> "list[Optional[str]]":
        """Returns the texts.

        >>> import numpy
        >>> Words(numpy.array([0]), ["a"]).tolist()
        ['a']
        """
        words = [*self.words, None]  # of which -1 is the last
        return [words[code] for code in self.codes.tolist()]


class Table:
    """A table: `table["loss"]` is a column, `len(table)` says how many rows it has. It is no Mapping, since polars copies the
    columns of one.

    >>> t = Table({"name": ["a", "b"], "loss": [0.5, None]})
    >>> len(t), t.columns, t["name"]
    (2, ['name', 'loss'], ['a', 'b'])
    """

    def __init__(self, columns: "dict[str, Any]", n: Optional[int] = None) -> None:
        self._columns = columns
        self.n: int = n if n is not None else (len(next(iter(self._columns.values()))) if self._columns else 0)

    def __getitem__(self, name: str) -> Any:
        if name not in self._columns:
            from difflib import get_close_matches

            from tscope._errors import NotFound

            near = get_close_matches(name, self._columns, 1)
            raise NotFound(f"the table has no column {name}" + (f"; the nearest name is {near[0]}" if near else ""), "not_found")
        column = self._columns[name]
        if not isinstance(column, list) or _kind(column) != "float":
            return column
        try:
            import numpy
        except ImportError:
            return column
        return numpy.array([float("nan") if v is None else _FLOATS.get(v, v) for v in column])

    @property
    def columns(self) -> "list[str]":
        """The names of its columns."""
        return list(self._columns)

    def __iter__(self) -> Iterator[str]:
        return iter(self._columns)

    def __len__(self) -> int:
        return self.n

    def rows(self) -> "list[dict[str, Any]]":
        """Returns the rows as dictionaries; what a row does not have is None.

        >>> Table({"name": ["a"], "loss": [0.5]}).rows()
        [{'name': 'a', 'loss': 0.5}]
        """
        columns = {name: column if isinstance(column, list) else column.tolist() for name, column in self._columns.items()}
        return [dict(zip(columns, row)) for row in zip(*columns.values())]

    # -- Arrow --

    def _buffers(self, name: str) -> "_Column":
        column = self._columns[name]
        if isinstance(column, Words):
            return _of_codes(name, column)
        if not isinstance(column, list):
            return _of_array(name, column)
        return {"bool": _of_bools, "int": _of_ints, "float": _of_floats, "text": _of_texts}[_kind(column)](name, column)

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        """Returns the table as a stream of Arrow; another schema that is asked for is not made, which Arrow allows.

        >>> type(Table({"loss": [0.5]}).__arrow_c_stream__()).__name__
        'PyCapsule'
        """
        from tscope._recorder import arrow_stream

        return arrow_stream(self.n, tuple(self._buffers(name) for name in self._columns))

    def to_arrow(self) -> Any:
        """Returns a table of pyarrow, which has to be installed.

        >>> import pyarrow
        >>> Table({"loss": [0.5]}).to_arrow().num_rows
        1
        """
        import pyarrow

        return pyarrow.table(self)

    def to_pandas(self) -> Any:
        """Returns a DataFrame of pandas, which has to be installed.

        >>> import pandas
        >>> len(Table({"loss": [0.5]}).to_pandas())
        1
        """
        import pandas

        columns = {name: self[name] for name in self._columns}
        for name, column in columns.items():
            if isinstance(column, Words):
                columns[name] = pandas.Categorical.from_codes(column.codes, column.words)
            elif hasattr(column, "mask"):
                import numpy

                columns[name] = pandas.arrays.IntegerArray(column.data, numpy.ma.getmaskarray(column))
        return pandas.DataFrame(columns)

    def to_polars(self) -> Any:
        """Returns a DataFrame of polars, which has to be installed.

        >>> import polars
        >>> Table({"loss": [0.5]}).to_polars().height
        1
        """
        import polars

        return polars.DataFrame(self)

    # -- for people --

    def _cells(self) -> "list[list[str]]":
        rows = [list(self._columns)]
        for i in range(min(self.n, _SHOWN)):
            cells = (column[i] for column in self._columns.values())
            rows.append(["-" if cell is None else f"{cell:.6g}" if isinstance(cell, float) else str(cell) for cell in cells])
        return rows

    def __repr__(self) -> str:
        rows = self._cells()
        widths = [max(len(row[i]) for row in rows) for i in range(len(self._columns))]
        lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
        return "\n".join(lines + [f"({self.n - _SHOWN} more rows)"] * (self.n > _SHOWN))

    def _repr_html_(self) -> str:
        head, *rows = self._cells()
        table = "".join(f"<th>{html.escape(name)}</th>" for name in head)
        body = "".join("<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
        more = f"<p>{self.n - _SHOWN} more rows</p>" * (self.n > _SHOWN)
        return f"<table><thead><tr>{table}</tr></thead><tbody>{body}</tbody></table>{more}"


_Column = tuple[Any, ...]  # what arrow_stream takes


def _address(data: Union[bytes, bytearray, "array.array[Any]"]) -> "tuple[int, object]":
    held = data if isinstance(data, array.array) else array.array("B", data)
    return held.buffer_info()[0] if len(held) else 0, held


def _valid(column: Sequence[Any]) -> "tuple[int, int, object]":
    """Returns how many cells are missing, and the bits that say which."""
    nulls = column.count(None)
    if not nulls:
        return 0, 0, None
    bits = "".join("0" if value is None else "1" for value in reversed(column))
    at, held = _address(int(bits, 2).to_bytes((len(column) + 7) // 8, "little"))
    return nulls, at, held


def _of_words(name: str, column: Sequence[Any], form: str, code: str, words: Sequence[Any]) -> _Column:
    nulls, valid, bits = _valid(column)
    at, held = _address(array.array(code, words))
    return name, form, nulls, (valid, at), (bits, held)


def _of_floats(name: str, column: "list[Any]") -> _Column:
    return _of_words(name, column, "g", "d", [0.0 if v is None else _FLOATS[v] if type(v) is str else v for v in column])


def _of_ints(name: str, column: "list[Any]") -> _Column:
    return _of_words(name, column, "l", "q", [0 if v is None else int(v) for v in column])


def _of_bools(name: str, column: "list[Any]") -> _Column:
    nulls, valid, kept = _valid(column)
    bits = "".join("1" if value else "0" for value in reversed(column)) or "0"
    at, held = _address(int(bits, 2).to_bytes((len(column) + 7) // 8, "little"))
    return name, "b", nulls, (valid, at), (kept, held)


def _of_texts(name: str, column: "list[Any]") -> _Column:
    nulls, valid, bits = _valid(column)
    texts = [b"" if value is None else _said(value).encode("utf-8", "replace") for value in column]
    ends, end = array.array("q", [0]), 0
    for text in texts:
        end += len(text)
        ends.append(end)
    at, held = _address(b"".join(texts))
    return name, "U", nulls, (valid, ends.buffer_info()[0], at), (bits, ends, held)


def _of_codes(name: str, column: Words) -> _Column:
    """Words go once, and beside them of each row the number of its word."""
    import numpy

    missing = column.codes < 0
    codes = numpy.where(missing, 0, column.codes).astype("i4")
    nulls, bits = int(missing.sum()), numpy.packbits(~missing, bitorder="little")
    _, _, _, (_, ends, at), held = _of_texts("", list(column.words))
    kept = (bits, codes, held)
    return name, "i", nulls, (int(bits.ctypes.data) if nulls else 0, int(codes.ctypes.data)), kept, (len(column.words), (0, ends, at))


def _of_array(name: str, column: Any) -> _Column:
    """Takes an array of numpy as it lies in memory, or a view of words."""
    if isinstance(column, memoryview):
        held = array.array(column.format, column)
        return name, {"d": "g", "q": "l", "Q": "L"}[column.format], 0, (0, held.buffer_info()[0]), held
    import numpy

    held, nulls, valid, bits = numpy.ascontiguousarray(column), 0, 0, None
    if isinstance(column, numpy.ma.MaskedArray):
        mask = numpy.ma.getmaskarray(column)
        held, nulls, bits = numpy.ascontiguousarray(column.data), int(mask.sum()), numpy.packbits(~mask, bitorder="little")
        valid = int(bits.ctypes.data) if nulls else 0
    return name, {"f8": "g", "i8": "l", "u8": "L"}[held.dtype.str[1:]], nulls, (valid, int(held.ctypes.data)), (bits, held)
