#!/usr/bin/env python3
"""mutants.py FOLDER [--n=29] [--seed=1] [--rooms=analysis,store,ingest] [--only=K] [--near=1]: plants mutants; says which of them live.

A mutant is one small fault at a place that chance chooses: a comparison turned or made strict, one more or less, a condition negated, a
call left out, true for false. The tests of the folder that it lies in are run, and, where they let it live, those of the room and of
the handlers that use the room: unit tests alone, so no transcript, golden answer or corpus counts. Who lives shows a line that no test
needs: a test is missing, the line does nothing, or the mutant says the same in other words.

FOLDER is where the tree is copied to and built (preset dev); it is used again. --only=K plants the mutant alone that is printed with
this number, and --near=1 runs the tests of the mutant's folder alone."""
import os
import random
import re
import shutil
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LIMIT_S = 300  # a mutant that lets a test run on for so long has died
# What, a pattern of a line of code, and what stands in its place.
OPERATORS = [
    ("a bound is strict", r" <= (?!0)", " < "), ("a bound is not strict", r" < (?!0)", " <= "),
    ("a bound is strict", r" >= ", " > "), ("a bound is not strict", r" > (?!0)", " >= "),
    ("equal is unequal", r" == ", " != "), ("unequal is equal", r" != ", " == "),
    ("both is either", r" && ", " || "), ("either is both", r" \|\| ", " && "),
    ("one less", r" \+ 1\b(?!\.)", ""), ("one more", r" - 1\b(?!\.)", ""),
    ("the second is the first", r"\b(\w+) = 0; \1 <", r"\1 = 1; \1 <"),
    ("a condition is negated", r"^(\t+)if \((?!!)(.*)\)$", r"\1if (!(\2))"),
    ("a call is left out",
     r"^(\t+)(?!return|free|ts_free|\(void\)|ts_arena_finish|ts_buf_finish|close|TS_DOOR|else|do|while)\w+\([^;]*\);$", r"\1;"),
    ("true is false", r"\breturn true;", "return false;"), ("false is true", r"\breturn false;", "return true;"),
    ("added is taken off", r" \+= (?!1;)", " -= "), ("less is more", r"(?<=[\w)]) - (?=[a-z(])", " + "),
]
# No code, or code whose fault no unit test is to find: assertions, out of memory, words.
NO_CODE = re.compile(r'^\s*(?:/?\*|//|#|TS_DOOR|TS_WORDS|static const|case )|"|ts_arena_error|err->status|TS_NO_MEMORY|capacity|\bcap\b')


def sources(rooms):
    files = subprocess.run(["git", "ls-files", *(f"{room}/*.c" for room in rooms)], cwd=ROOT, capture_output=True, text=True,
                           check=True).stdout.split()
    return [f for f in files if not re.match(r"(?:test|fuzz|bench|dump|make)_", os.path.basename(f))]


def places(files):
    """All mutants that can be planted: file, line, what, the new line."""
    found = []
    for file in files:
        body = False
        with open(os.path.join(ROOT, file), encoding="utf-8") as lines:
            for number, line in enumerate(lines.read().split("\n"), 1):
                body = (body or line == "{") and line != "}"
                if not body or NO_CODE.search(line):
                    continue
                for what, pattern, new in OPERATORS:
                    if re.search(pattern, line):
                        found.append((file, number, what, re.sub(pattern, new, line, count=1)))
    return found


class Tree:
    """A copy of the tree that mutants are planted in."""

    def __init__(self, folder):
        self.folder, self.build = os.path.abspath(folder), os.path.join(os.path.abspath(folder), "build/dev")
        files = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, capture_output=True, text=True,
                               check=True).stdout.split("\n")
        for file in files:
            source, copy = os.path.join(ROOT, file), os.path.join(self.folder, file)
            if not os.path.isfile(source):
                continue
            os.makedirs(os.path.dirname(copy), exist_ok=True)
            with open(source, "rb") as a:
                data = a.read()
            if not os.path.exists(copy) or open(copy, "rb").read() != data:
                shutil.copy(source, copy)
        self.env = {**os.environ, "CCACHE_BASEDIR": self.folder}
        self.call("cmake", "--preset", "dev", check=True)
        self.targets = re.findall(r"^((?:[\w/]+/)(test_\w+)): ", self.call("ninja", "-C", self.build, "-t", "targets", "all")[1], re.M)

    def call(self, *command, check=False, limit=3600):
        try:
            done = subprocess.run(command, cwd=self.folder, env=self.env, capture_output=True, text=True, errors="replace", timeout=limit)
        except subprocess.TimeoutExpired:
            return -1, ""
        if check and done.returncode:
            sys.exit(f"{' '.join(command)}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done.returncode, done.stdout

    def tests_below(self, *folders):
        return [(path, name) for path, name in self.targets if path.startswith(tuple(f"{folder}/" for folder in folders))]

    def run(self, tests):
        """Returns the name of the first test that fails; "" if none does, None if the tree cannot be built."""
        if not tests:
            return ""
        if self.call("ninja", "-C", self.build, *(path for path, _ in tests))[0]:
            return None
        names = "|".join(name for _, name in tests)
        status, said = self.call("ctest", "--test-dir", self.build, "-R", f"^({names})$", "-j2", "--stop-on-failure", "--timeout",
                                 str(LIMIT_S))
        failed = re.search(r"^\s*\d+ - (\S+) \(", said, re.M)
        return failed[1] if failed else "" if status == 0 else "a test"

    def try_mutant(self, file, number, line, near_alone):
        """Returns the test that finds it, "" if none does, None if it is no program."""
        path = os.path.join(self.folder, file)
        with open(path, encoding="utf-8") as f:
            text = f.read()
        lines = text.split("\n")
        lines[number - 1] = line
        room, folder = file.split("/")[0], os.path.dirname(file)
        near = self.tests_below(folder)
        far = [t for t in self.tests_below(*dict.fromkeys([room, "service/handlers"])) if t not in near]
        try:
            with open(path, "w", encoding="utf-8") as f:
                f.write("\n".join(lines))
            found = self.run(near)
            return found if found or found is None or near_alone else self.run(far)
        finally:
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)


def main():
    options = dict(re.findall(r"--(\w+)=(\S+)", " ".join(sys.argv[2:])))
    n, rooms = int(options.get("n", 29)), options.get("rooms", "analysis,store,ingest").split(",")
    tree, chance, lives, tried = Tree(sys.argv[1]), random.Random(int(options.get("seed", 1))), [], 0
    found = places(sources(rooms))
    by_room = {room: [p for p in found if p[0].startswith(room + "/")] for room in rooms}
    near, number_of = "near" in options, 0
    while tried < n:
        # By room, then by operator: else bounds of analysis are all that there is.
        room = by_room[rooms[chance.randrange(len(rooms))]]
        what = chance.choice(sorted({p[2] for p in room}))
        file, number, what, line = chance.choice([p for p in room if p[2] == what])
        number_of += 1
        if "only" in options and number_of != int(options["only"]):
            continue
        begin = time.time()
        killer = tree.try_mutant(file, number, line, near)
        if killer is None:
            continue
        tried = n if "only" in options else tried + 1
        if not killer:
            lives.append((file, number, what, line))
        print(f"{number_of:3} {'dies by ' + killer if killer else 'LIVES':32} {file}:{number} {what} ({time.time() - begin:.0f} s)\n"
              f"      {line.strip()}", flush=True)
    tried = 1 if "only" in options else n
    print(f"{tried - len(lives)} of {tried} mutants die by unit tests; {len(lives)} live")
    return 0


if __name__ == "__main__":
    sys.exit(main())
