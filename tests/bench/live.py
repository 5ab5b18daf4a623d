#!/usr/bin/env python3
"""What tscope run adds to a training: live.py BUILD [PAIRS]. Pairs of the same loop, alone and started by tscope run, in turn; each says itself how
long its steps took, so that what is compared is the training, and what the start and the end add is said apart. Prints a row for each way in
which it prints: into a file, a pipe and a terminal."""
import os
import pty
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

LOOP = """
import sys, time
def step():
    n = 0
    for i in range(40000):
        n += i * i
    return n
began = time.perf_counter()
for i in range(300):
    step()
    print("step", i, "loss", 1 / (i + 1), flush=True)
open(sys.argv[1], "w").write(repr(time.perf_counter() - began))
"""


def once(words, folder, to):
    """Returns the seconds of the steps, and of the whole."""
    began = time.perf_counter()
    if to == "a terminal":
        pid, fd = pty.fork()
        if pid == 0:
            os.chdir(folder)
            os.execvp(words[0], words)
        while True:
            try:
                if not os.read(fd, 65536):
                    break
            except OSError:
                break
        os.waitpid(pid, 0)
        os.close(fd)
    elif to == "a pipe":
        subprocess.run(words, cwd=folder, capture_output=True, check=True)
    else:
        with open(os.path.join(folder, "out"), "wb") as out:
            subprocess.run(words, cwd=folder, stdout=out, stderr=subprocess.STDOUT, check=True)
    whole = time.perf_counter() - began
    with open(os.path.join(folder, "took"), encoding="utf-8") as file:
        return float(file.read()), whole


def interval(values):
    """Returns the median, and the ends of an interval of 95 % for it, by order statistics."""
    values = sorted(values)
    n = len(values)
    reach = int(0.98 * n ** 0.5)
    return statistics.median(values), values[max(0, n // 2 - reach)], values[min(n - 1, n // 2 + reach)]


def main():
    tscope, pairs = os.path.abspath(os.path.join(sys.argv[1], "tscope")), int(sys.argv[2]) if len(sys.argv) > 2 else 15
    print(f"{'what tscope run adds':34} {'to the steps, median':>22} {'95 % of it':>22} {'start and end':>14}")
    for to in ("a file", "a pipe", "a terminal"):
        steps, ends = [], []
        for i in range(pairs):
            folder = tempfile.mkdtemp()
            alone = [sys.executable, "-c", LOOP, "took"]
            launched = [tscope, "run", "-q", "-d", "run", "--no-auto", "--", *alone]
            took = {}
            for which in (("alone", "run") if i % 2 else ("run", "alone")):
                took[which] = once(alone if which == "alone" else launched, folder, to)
            shutil.rmtree(folder)
            steps.append(100 * (took["run"][0] / took["alone"][0] - 1))
            ends.append((took["run"][1] - took["run"][0]) - (took["alone"][1] - took["alone"][0]))
        middle, low, high = interval(steps)
        print(f"{'300 steps that print into ' + to:34} {middle:>+20.2f} % {f'{low:+.2f} to {high:+.2f} %':>22} {1000 * statistics.median(ends):>11.1f} ms", flush=True)


if __name__ == "__main__":
    main()
