#!/usr/bin/env python3
"""What README.md and docs/tutorial.md show is what the programs print today: readme.py BUILD [--update].

Indented lines that begin with `$ ` are commands (`> ` goes on with one), which run in order in a folder of the document's own; the lines below
one are what it prints. `...` at the end says that it prints more. A command without lines below it may print anything. A block of Python
that begins with `# NAME.py` is a file of that folder. Python there has a simulated clock, and dates stand for any date.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

DOCUMENTS = {"README.md": "tests/golden/demo", "docs/tutorial.md": None}  # with the folder that its commands find
INDENT = "    "
DATE = re.compile(r"\b20\d\d-\d\d-\d\d \d\d:\d\d(:\d\d)?Z")
# Python reads this at its start. A run differs from another by its arguments alone, and begins an hour after it.
CLOCK = '''
import os, platform, random, sys, time

class Clock:
    now = None

    def go_on(self, seconds):
        if self.now is None:
            self.draw = random.Random(" ".join(sys.argv))
            self.speed = 1 + self.draw.gauss(0, 0.004)
            self.now = 1767225600 + 3600.0 * len(os.listdir("runs") if os.path.isdir("runs") else [])
        self.now += seconds * self.speed * (1 + abs(self.draw.gauss(0, 0.02)))
        return self.now

clock = Clock()
time.sleep = clock.go_on
time.perf_counter = lambda: clock.go_on(2e-4)
time.time = lambda: clock.go_on(2e-5)
platform.node = lambda: "laptop"
'''


def steady(line):
    return DATE.sub(lambda m: "2026-01-01 00:00:00Z"[:len(m.group(0)) - 1] + "Z", line)


def commands(lines):
    """Yields (command, first line of its output, line behind its output)."""
    at = 0
    while at < len(lines):
        if not lines[at].startswith(INDENT + "$ "):
            at += 1
            continue
        words = [lines[at][len(INDENT) + 2:]]
        at += 1
        while at < len(lines) and lines[at].startswith(INDENT + "> "):
            words.append(lines[at][len(INDENT) + 2:])
            at += 1
        end = at
        # An empty line belongs to the output if more of it follows.
        for i in range(at, len(lines)):
            if lines[i].startswith(INDENT + "$ ") or (lines[i] and not lines[i].startswith(INDENT)):
                break
            if lines[i]:
                end = i + 1
        yield "\n".join(words), at, end
        at = end


def environment(folder, build):
    os.makedirs(folder + "/clock")
    with open(folder + "/clock/sitecustomize.py", "w", encoding="utf-8") as f:
        f.write(CLOCK)
    keep = {k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")}
    return dict(keep, PATH=build + ":" + os.environ["PATH"], HOME=folder, LOGNAME="ada", TZ="UTC0", COLUMNS="100", NO_COLOR="1", PYTHONPATH=folder + "/clock", LC_ALL="C.UTF-8")


def check(document, sample, build, update):
    """Runs the commands of the document; returns its lines, with what the programs print in place of what it says they do."""
    with open(document, encoding="utf-8") as f:
        text = f.read()
    lines = text.split("\n")
    with tempfile.TemporaryDirectory(prefix="tscope-readme-") as top:
        folder = os.path.join(top, "here")
        shutil.copytree(sample, folder) if sample else os.makedirs(folder)
        env = environment(top, build)
        for block in re.findall(r"^```python\n(# (\w+\.py) .*?)^```$", text, re.S | re.M):
            with open(os.path.join(folder, block[1]), "w", encoding="utf-8") as f:
                f.write(block[0])
        moved = 0
        for command, start, end in commands(text.split("\n")):
            ran = subprocess.run(["bash", "-c", command], cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            if ran.returncode not in (0, 1):
                sys.exit(f"{document}:{start}: '{command}' ended with {ran.returncode}: {ran.stdout}")
            shown = lines[start + moved:end + moved]
            if not shown:
                continue
            printed = [(INDENT + steady(line)).rstrip() for line in ran.stdout.rstrip("\n").split("\n")]
            if shown[-1] == INDENT + "..." and len(printed) >= len(shown):
                printed = printed[:len(shown) - 1] + [INDENT + "..."]
            if shown != printed and not update:
                sys.exit(f"{document}:{start + 1}: '{command}' prints\n" + "\n".join(printed) + "\nRewrite it by: python3 tests/readme.py BUILD --update")
            lines[start + moved:end + moved] = printed
            moved += len(printed) - len(shown)
    return "\n".join(lines)


def main():
    build, update = os.path.abspath(sys.argv[1]), "--update" in sys.argv
    for document, sample in DOCUMENTS.items():
        text = check(document, sample, build, update)
        if update:
            with open(document, "w", encoding="utf-8") as f:
                f.write(text)


if __name__ == "__main__":
    main()
