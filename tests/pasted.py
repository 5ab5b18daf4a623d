#!/usr/bin/env python3
"""What README.md installs, records and asks does what it says when it is pasted: pasted.py BUILD.

pip installs the package into an empty environment, the loop records runs/exp1 and, with another learning rate, runs/exp2, and tscope pushes,
analyzes and compares them. The loop is README.md's own; only the model, the loss, the optimizer and the schedule that it names are made here: a
line that is fitted to points.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

PARTS = '''
import random

lr = float(__import__("sys").argv[1])
cfg = {"lr": lr}
draw = random.Random(1)
loader = [[(x, 3 * x + 1) for x in (draw.uniform(-1, 1) for _ in range(8))] for _ in range(400)]


class Line:
    """A model, its loss, its optimizer and its schedule."""

    w = b = 0.0

    def __call__(self, batch):
        self.batch = batch
        self.off = [self.w * x + self.b - y for x, y in batch]
        return self

    def item(self):
        return sum(e * e for e in self.off) / len(self.off)

    def backward(self):
        self.dw = sum(2 * e * x for e, (x, _) in zip(self.off, self.batch)) / len(self.off)
        self.db = sum(2 * e for e in self.off) / len(self.off)

    def step(self):
        self.w -= lr * self.dw
        self.b -= lr * self.db

    def get_last_lr(self):
        return [lr]


model = opt = sched = Line()
'''


def do(command, where, env, *expect):
    ran = subprocess.run(["bash", "-c", command], cwd=where, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if ran.returncode not in (expect or (0,)):
        sys.exit(f"pasted: '{command}' ended with {ran.returncode}, not {expect or 0}:\n{ran.stdout}")
    return ran.stdout


def section(readme, name):
    with open(readme, encoding="utf-8") as file:
        return re.search(rf"^## {name}\n(.*?)^## ", file.read(), re.S | re.M).group(1)


def indented(text):
    """Returns the indented blocks of a text."""
    found = re.split(r"\n(?:\n|(?! {4}).*\n)+", "\n" + re.sub(r"^```.*?^```$", "", text, flags=re.S | re.M))
    return ["\n".join(line[4:] for line in block.split("\n")) for block in found if block.startswith("    ")]


def blocks(readme):
    """Returns the loop and the commands of the section that records."""
    text = section(readme, "Record, push, ask")
    return re.search(r"^```python\n(.*?)^```$", text, re.S | re.M).group(1), indented(text)[0]


def copy_of_the_package(tree):
    """Copies what `pip install ./python` reads, so that nothing is written into the tree."""
    sys.path.insert(0, "python/tests")
    import run

    run.copy(tree)


def main():
    build = os.path.abspath(sys.argv[1])
    with tempfile.TemporaryDirectory(prefix="tscope-pasted-") as top:
        install = next(block for block in indented(section("README.md", "Install")) if block.startswith("pip install ./python"))
        loop, commands = blocks("README.md")
        tree = os.path.join(top, "tree")
        os.makedirs(tree)
        copy_of_the_package(tree)
        python = "/usr/bin/python3" if os.path.exists("/usr/bin/python3") else sys.executable
        keep = {k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")}
        # pip takes nothing from the network: setuptools is the system's.
        env = dict(keep, PATH=f"{top}/venv/bin:{os.environ['PATH']}", HOME=top, LC_ALL="C.UTF-8", NO_COLOR="1", COLUMNS="100", PIP_NO_INDEX="1",
                   PIP_NO_BUILD_ISOLATION="0", PIP_DISABLE_PIP_VERSION_CHECK="1", TSCOPE_WITH_PROGRAM=f"{build}/tscope")
        do(f"{python} -m venv --system-site-packages {top}/venv", tree, env)
        do(install, tree, env)
        shutil.rmtree(os.path.join(tree, "python"))  # what is imported from here on is what was installed
        for name, rate in (("exp1", 0.1), ("exp2", 0.2)):
            with open(os.path.join(tree, "train.py"), "w", encoding="utf-8") as file:
                file.write(PARTS + loop.replace("exp1", name) + "\n")
            said = do(f"python train.py {rate}", tree, env)
            if said:
                sys.exit(f"pasted: the loop says\n{said}")
        push, analyze, diff, gate = commands.split("\n")
        # How long the steps of this machine take decides whether the gate says that it cannot judge yet, or that it asks for pairs.
        wanted = {push: ((0,), "2 runs: 2 created"), analyze: ((0,), "VERDICT"), diff: ((1,), "The learning rate differs from step 0 on: it is 0.1"),
                  gate: ((0, 4), "the gate has 1 baseline so far")}
        for command, (expect, words) in wanted.items():
            said = " ".join(do(command, tree, env, *expect).split())
            if words not in said:
                sys.exit(f"pasted: '{command}' does not say '{words}':\n{said}")
        print(f"{len(loop.splitlines())} lines of recording and {len(commands.splitlines())} commands")


if __name__ == "__main__":
    main()
