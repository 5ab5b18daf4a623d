"""Answers as objects: their members are those of docs/schemas, and they print as the command prints. _answers.pyi has the types."""

import html
import json
from collections.abc import Iterator
from typing import Any

_FLOATS = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


def _wrapped(value: Any) -> Any:
    if isinstance(value, dict):
        return Record(value)
    if isinstance(value, list):
        return [_wrapped(item) for item in value]
    return _FLOATS.get(value, value) if type(value) is str else value


class Record:
    """An object of a document: `record.step` and `record["step"]` are its member `step`. Numbers that are not finite, which JSON
    writes as texts, are numbers again.

    >>> Record({"cause": "config", "tiers": [{"answer": "fails"}]}).tiers[0].answer
    'fails'
    """

    def __init__(self, members: "dict[str, Any]") -> None:
        self._members = members

    def __getattr__(self, name: str) -> Any:
        members = self.__dict__.get("_members", {})
        if name in members:
            return _wrapped(members[name])
        raise AttributeError(f"the document has no member {name!r}; it has {', '.join(members)}")

    def __getitem__(self, name: str) -> Any:
        return _wrapped(self._members[name])

    def __contains__(self, name: object) -> bool:
        return name in self._members

    def __iter__(self) -> Iterator[str]:
        return iter(self._members)

    def __dir__(self) -> "list[str]":
        return [*super().__dir__(), *self._members]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Record) and self._members == other._members

    def __hash__(self) -> int:
        return hash(json.dumps(self._members, sort_keys=True))

    def __repr__(self) -> str:
        return f"Record({self._members!r})"

    def to_dict(self) -> "dict[str, Any]":
        """Returns the document as JSON has it.

        >>> Record({"step": 7}).to_dict()
        {'step': 7}
        """
        return self._members


class Answer(Record):
    """What a verb answered: its document, and the text and the page of the command when they are asked for.

    >>> print(Answer({"verdict": "pass"}, "gate", {}, 0, "").exit_code)
    0
    """

    def __init__(self, members: "dict[str, Any]", verb: str, arguments: "dict[str, Any]", exit_code: int, remarks: str) -> None:
        super().__init__(members)
        self._verb, self._arguments = verb, arguments
        self._forms: dict[str, str] = {}
        self._exit_code, self._remarks = exit_code, remarks

    @property
    def exit_code(self) -> int:
        """The exit code of the command."""
        return self._exit_code

    @property
    def remarks(self) -> str:
        """What the command says on standard error."""
        return self._remarks

    def _form(self, form: str) -> str:
        if form not in self._forms:
            from tscope._serve import serve

            self._forms[form] = serve().call(self._verb, {**self._arguments, "answer": form})[0]
        return self._forms[form]

    def __str__(self) -> str:
        return self._form("text").rstrip("\n")

    def __repr__(self) -> str:
        return str(self)

    def brief(self) -> str:
        """Returns the answer in at most 1,500 tokens: what was found, what that rests on, and what to ask next.

        >>> tscope.diff("exp1", "exp1").brief().splitlines()[0]
        'verdict: same'
        """
        return self._form("brief")

    def page(self) -> str:
        """Returns the report with its figures, as a page of HTML that needs nothing else.

        >>> tscope.diff("exp1", "exp1").page()[:15]
        '<!DOCTYPE html>'
        """
        return self._form("page")

    def _repr_html_(self) -> str:
        """The page in a frame of its own, in which no script runs and whose style touches nothing of the notebook."""
        page = _without_scripts(self.page())
        height = min(900, 160 + 22 * len(str(self).splitlines()))
        return (
            f'<iframe sandbox="" srcdoc="{html.escape(page)}" title="tscope {html.escape(self._verb)}"'
            f' style="width:100%;height:{height}px;border:0;resize:vertical;overflow:auto"></iframe>'
        )


def _without_scripts(page: str) -> str:
    """Returns a page without its scripts, without which it reads as well.

    >>> _without_scripts("<p>a</p><script>x()</script><p>b</p>")
    '<p>a</p><p>b</p>'
    """
    parts = page.split("<script")
    return parts[0] + "".join(part.partition("</script>")[2] for part in parts[1:])


class AnyAnswer(Answer):
    """What `tscope.ask` returns."""


class Diff(Answer):
    """What `tscope.diff` returns."""


class Analysis(Answer):
    """What `tscope.analyze` returns."""


class Gate(Answer):
    """What `tscope.gate` returns."""


class CheckResume(Answer):
    """What `tscope.check_resume` returns."""


class Show(Answer):
    """What `show` of a run returns."""
