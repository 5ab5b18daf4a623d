#!/usr/bin/env python3
"""doors.py [--write]: how many conditions the doors of each room check (base/door.h). Fails where a room has fewer than tests/doors.txt
says, so that a change that takes some out says so; --write writes what was counted.

A door of `a && b` checks two conditions. One that asks a function of this tree whether something holds, as
TS_DOOR(ts_facts_hold(facts)), checks what that function does: the conditions that it returns, and those on which it returns false.
An assert() checks its own, and TS_DOOR_ALL or TS_DOOR_SORTED count once, whatever they go through. Tests are left out."""
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
TABLE = os.path.join(HERE, "doors.txt")
NO_PART = re.compile(r"(^|/)(test_|testing\.|fuzz_|bench_|make_)|^(tests|python)/")
DOOR = re.compile(r"\b(TS_DOOR(?:_ALL|_SORTED|_HELD)?|assert)\(")
HELPER = re.compile(r"^(?:static |inline )*bool (\w*holds?(?:_\w+)?)\([^;{}]*\)\n\{\n(.*?)^\}", re.M | re.S)


def code_of(text):
    """Returns a source without comments, preprocessor lines and texts."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    text = re.sub(r"^#(?:.*\\\n)*.*$", "", text, flags=re.M)
    return re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text)


def within(text, at):
    """Returns what stands in the parentheses that are open before `at`."""
    depth = 1
    for i in range(at, len(text)):
        depth += (text[i] == "(") - (text[i] == ")")
        if not depth:
            return text[at:i]
    return text[at:]


def checks(expression, helpers, asked):
    """Returns how many conditions an expression has, with those of the helpers that it asks."""
    n = 0
    for condition in re.split(r"&&|\|\|", expression):
        called = [name for name in re.findall(r"\b(\w+)\(", condition) if name in helpers and name not in asked]
        n += sum(of_helper(name, helpers, asked) for name in called) or 1
    return n


def of_helper(name, helpers, asked=frozenset()):
    """Returns how many conditions a helper checks."""
    body, n = helpers[name], 0
    for m in re.finditer(r"\bif \(", body):
        condition = within(body, m.end())
        if re.match(r"\)\s*(?:\{\s*)?return false;", body[m.end() + len(condition):]):
            n += checks(condition, helpers, asked | {name})
    for m in re.finditer(r"\breturn ([^;]*);", body):
        n += 0 if m[1] in ("true", "false") else checks(m[1], helpers, asked | {name})
    return n


def condition_of(kind, arguments):
    """Returns the condition of a door, which is its last argument."""
    return arguments if kind in ("TS_DOOR", "TS_DOOR_HELD", "assert") else arguments.split(",", 2)[2]


def counted():
    """Returns how many conditions the doors of each room check."""
    names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.c", "*.h"], cwd=ROOT, capture_output=True, text=True,
                           check=True).stdout.split()
    code = {}
    for name in names:
        if not NO_PART.search(name) and os.path.exists(os.path.join(ROOT, name)):
            with open(os.path.join(ROOT, name), encoding="utf-8") as file:
                code[name] = code_of(file.read())
    shared, rooms = {}, {}
    for text in code.values():
        shared.update({m[1]: m[2] for m in HELPER.finditer(text) if m[1].startswith("ts_")})
    for name, text in code.items():
        helpers = {**shared, **{m[1]: m[2] for m in HELPER.finditer(text)}}
        found = [checks(condition_of(m[1], within(text, m.end())), helpers, frozenset()) for m in DOOR.finditer(text)]
        room = name.split("/")[0]
        rooms[room] = rooms.get(room, 0) + sum(found)
    return {room: n for room, n in sorted(rooms.items()) if n}


def main():
    rooms = counted()
    lines = [f"{room:10}{n:6}" for room, n in rooms.items()] + [f"{'all':10}{sum(rooms.values()):6}"]
    print("\n".join(lines))
    if sys.argv[1:] == ["--write"]:
        with open(TABLE, "w", encoding="utf-8") as file:
            file.write("\n".join(lines) + "\n")
        return 0
    with open(TABLE, encoding="utf-8") as file:
        least = {line.split()[0]: int(line.split()[1]) for line in file if not line.startswith("all")}
    fewer = [f"{room}: {rooms.get(room, 0)} conditions, and there were {n}" for room, n in least.items() if rooms.get(room, 0) < n]
    print("\n".join(fewer) if fewer else "no room has fewer than before")
    return 1 if fewer else 0


if __name__ == "__main__":
    sys.exit(main())
