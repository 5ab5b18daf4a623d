#!/usr/bin/env python3
"""Writes src/tscope/_answers.pyi, the types of answers, from docs/schemas: make_answers.py [--check]. With --check it only says whether
the file is what it would write."""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
STUB = os.path.join(HERE, "src", "tscope", "_answers.pyi")
# The class, the verb, and the definition of the answer.
ROOTS = (
    ("Diff", "diff", "diff_answer"),
    ("Analysis", "analyze", "analysis"),
    ("Gate", "gate", "gate_answer"),
    ("CheckResume", "check-resume", "resume"),
    ("Show", "show", "show"),
)
PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool", "null": "None", "object": "dict[str, Any]"}
HEAD = """# Written by python/make_answers.py from docs/schemas.
from collections.abc import Iterator
from typing import Any, Optional, Union

class Record:
    def __init__(self, members: dict[str, Any]) -> None: ...
    def __getitem__(self, name: str) -> Any: ...
    def __contains__(self, name: object) -> bool: ...
    def __iter__(self) -> Iterator[str]: ...
    def __hash__(self) -> int: ...
    def to_dict(self) -> dict[str, Any]: ...

class Answer(Record):
    def __init__(self, members: dict[str, Any], verb: str, arguments: dict[str, Any], exit_code: int, remarks: str) -> None: ...
    @property
    def exit_code(self) -> int: ...
    @property
    def remarks(self) -> str: ...
    def brief(self) -> str: ...
    def page(self) -> str: ...
    def _repr_html_(self) -> str: ...

class AnyAnswer(Answer):
    def __getattr__(self, name: str) -> Any: ...
"""


def camel(text):
    return "".join(word.capitalize() for word in text.replace("-", "_").split("_"))


class Stub:
    """The classes of one verb."""

    def __init__(self, name, verb, root):
        with open(os.path.join(ROOT, "docs", "schemas", f"{verb}.schema.json"), encoding="utf-8") as file:
            self.defs = json.load(file)["$defs"]
        self.name, self.root = name, root
        self.done, self.classes = set(), []

    def class_of(self, definition):
        name = self.name if definition == self.root else self.name + camel(definition)
        if definition not in self.done:
            self.done.add(definition)
            self.write(name, self.defs[definition], "Answer" if definition == self.root else "Record")
        return name

    def write(self, name, schema, base):
        required = set(schema.get("required", ()))
        lines = []
        for key, of in schema.get("properties", {}).items():
            said = self.type_of(of, name + camel(key))
            if key.isidentifier():
                lines.append(f"    {key}: {said if key in required or said.startswith('Optional[') else f'Optional[{said}]'}")
        self.classes.append(f"class {name}({base}):\n" + ("\n".join(lines) if lines else "    ...") + "\n")

    def type_of(self, of, name):
        if "$ref" in of:
            definition = of["$ref"].rsplit("/", 1)[1]
            found = self.defs[definition]
            return self.class_of(definition) if found.get("type") == "object" and found.get("properties") else self.type_of(found, name)
        kinds = of.get("oneOf") or of.get("anyOf")
        if kinds is None and isinstance(of.get("type"), list):
            kinds = [{**of, "type": kind} for kind in of["type"]]
        if kinds is not None:
            if any(set(kind.get("enum", ())) >= {"NaN", "Infinity"} for kind in kinds):
                return "float"
            said = sorted({self.type_of(kind, name) for kind in kinds})
            if said == ["int", "str"]:
                return "int"  # beyond 2^53 it is a text of digits; nobody counts so far
            none = "None" in said
            rest = [text for text in said if text != "None"]
            whole = rest[0] if len(rest) == 1 else f"Union[{', '.join(rest)}]"
            return f"Optional[{whole}]" if none else whole
        if "enum" in of or "const" in of:
            return "str" if all(isinstance(value, str) for value in of.get("enum", [of.get("const")])) else "Any"
        if of.get("type") == "array":
            return f"list[{self.type_of(of['items'], name) if isinstance(of.get('items'), dict) else 'Any'}]"
        if of.get("type") == "object" and of.get("properties"):
            self.write(name, of, "Record")
            return name
        return PLAIN.get(of.get("type"), "Any")


def text():
    parts = [HEAD]
    for root in ROOTS:
        stub = Stub(*root)
        stub.class_of(root[2])
        parts.append("\n" + "\n".join(stub.classes))
    return "".join(parts)


def main():
    if "--check" not in sys.argv[1:]:
        with open(STUB, "w", encoding="utf-8") as file:
            file.write(text())
        return
    with open(STUB, encoding="utf-8") as file:
        if file.read() != text():
            sys.exit("python/src/tscope/_answers.pyi is not what docs/schemas say: run python3 python/make_answers.py")


main()
