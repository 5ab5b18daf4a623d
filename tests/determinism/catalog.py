#!/usr/bin/env python3
"""Every operation on torch's own list of those that do not repeat is in the catalog, and no other one is called listed: catalog.py BUILD.

The list is the documentation of torch.use_deterministic_algorithms in the torch that is installed, so a new release shows what is missing.
Exits 77 without torch."""
import os
import re
import subprocess
import sys

try:
    import torch
except ImportError:
    print("skipped: there is no torch")
    sys.exit(77)

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))


def listed():
    """Returns the operations of the list by whether they raise an error, and the names that are only mentioned."""
    text = torch.use_deterministic_algorithms.__doc__
    acts, throws = text.split("will throw a\n    :class:`RuntimeError`", 2)[-2:]
    acts = acts.split("will act\n    deterministically", 1)[1]
    return tuple(set(re.findall(r"\* :(?:class|func):`([^`]+)`", part)) for part in (acts, throws))


def catalog(build):
    """Returns the same of docs/determinism.md's second table, as the program prints it."""
    tables = subprocess.run([os.path.join(build, "analysis/determinism/test_determinism"), "--tables"], capture_output=True, text=True, check=True).stdout
    rows = [line.split(" | ") for line in tables.split("| on torch's list |", 1)[1].split("\n")[2:] if line.startswith("| `torch")]
    acts = {name for row in rows if row[3] == "repeats" for name in re.findall(r"`([^`]+)`", row[0])}
    throws = {name for row in rows if row[3] == "raises an error" for name in re.findall(r"`([^`]+)`", row[0])}
    names = {name for row in rows for name in re.findall(r"`([^`]+)`", row[1])}
    return acts, throws, names


def exists(name):
    """Whether the torch that is installed has an operation of this recorded name, in place or not."""
    base, _, overload = name.partition(".")
    found = [getattr(torch.ops.aten, spelt) for spelt in (base, base + "_") if hasattr(torch.ops.aten, spelt)]
    return any(not overload or overload in packet.overloads() for packet in found)


def main():
    acts, throws = listed()
    ours_act, ours_throw, names = catalog(sys.argv[1])
    problems = [f"torch's list has {name}, and the catalog lacks it" for name in sorted((acts | throws) - ours_act - ours_throw)]
    problems += [f"the catalog calls {name} listed, and torch's list lacks it" for name in sorted((ours_act | ours_throw) - acts - throws)]
    # One that is on both lists (it depends on its arguments) has no deterministic form of the whole.
    problems += [f"{name} raises an error by torch's list, and the catalog says that it repeats" for name in sorted(ours_act & throws - acts)]
    problems += [f"{name} repeats by torch's list, and the catalog says that it raises an error" for name in sorted(ours_throw & acts - throws)]
    problems += [f"torch has no operation aten.{name}" for name in sorted(names) if not exists(name)]
    for problem in problems:
        print(problem)
    print(f"torch {torch.__version__}: {len(acts | throws)} on its list, {len(names)} recorded names, {len(problems)} problems")
    return 1 if problems or len(acts) < 20 or len(throws) < 20 else 0


if __name__ == "__main__":
    sys.exit(main())
