#!/usr/bin/env python3
"""What tscope run adds to a training, and how fast tscope watch is: live.py BUILD [PAIRS [SECONDS]]. Pairs of the same loop, alone and started by tscope run, in turn; each says itself how
long its steps took, so that what is compared is the training, and what the start and the end add is said apart. Prints a row for each way in
which it prints: into a file, a pipe and a terminal; and of what the process beside it and its observations take. Then ranks record for SECONDS (default 40; 0: none)
ten steps a second, and it prints how long a recorded step takes to the screen of tscope watch, from its folder and through a server that it is pushed to every 10 s, and
what watching 64 ranks takes of a core; and a thousand runs are pushed every 10 s, and it prints how long a list takes meanwhile."""
import fcntl
import json
import os
import pty
import random
import re
import select
import shutil
import signal
import struct
import statistics
import subprocess
import sys
import tempfile
import termios
import threading
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


# --- watch ---


class Screen:
    """tscope watch in a terminal: when it first showed each step."""

    def __init__(self, words, env):
        self.shown, self.stopped, self.text = [], False, ""
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.environ.update(env, TERM="xterm", LC_ALL="C.UTF-8")
            os.execvp(words[0], words)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 100, 0, 0))
        self.reader = threading.Thread(target=self.read)
        self.reader.start()

    def read(self):
        while not self.stopped:
            if not select.select([self.fd], [], [], 0.2)[0]:
                continue
            try:
                piece = os.read(self.fd, 1 << 16)
            except OSError:
                return
            now = time.time()
            self.text = re.sub(r"\033\[[0-9;?]*[A-Za-z]", "", self.text + piece.decode("utf-8", "replace"))[-20000:]
            steps = re.findall(r"step ([0-9,]+)", self.text)
            newest = max((int(step.replace(",", "")) for step in steps), default=-1)
            if newest >= 0 and (not self.shown or newest > self.shown[-1][0]):
                self.shown.append((newest, now))

    def cpu(self):
        """Seconds of a core so far, of it and of the process that asks."""
        tree = [self.pid, *(int(name) for name in os.listdir("/proc") if name.isdigit() and parent_of(name) == self.pid)]
        return [ran(pid) for pid in tree]

    def end(self):
        self.stopped = True
        self.reader.join()
        os.kill(self.pid, signal.SIGTERM)
        os.waitpid(self.pid, 0)
        os.close(self.fd)


def stat_of(pid):
    with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
        return file.read().rpartition(")")[2].split()


def ran(pid):
    with open(f"/proc/{pid}/schedstat", encoding="utf-8") as file:
        return int(file.read().split()[0]) / 1e9


def parent_of(pid):
    try:
        return int(stat_of(pid)[1])
    except OSError:
        return 0


def delays(recorded, shown):
    """Seconds from each recorded step to the first frame with it or a later one."""
    took, at = [], 0
    for step, when in recorded:
        while at < len(shown) and shown[at][0] < step:
            at += 1
        if at < len(shown) and when > shown[0][1]:
            took.append(shown[at][1] - when)
    return sorted(took)


def watched(build, ranks, seconds, server):
    """Returns the delays, and the shares of a core of watch and of the process that asks."""
    folder = tempfile.mkdtemp()
    tscope, env, serving = os.path.join(build, "tscope"), {"TSCOPE_STORE": os.path.join(folder, "store"), "TSCOPE_SERVER": ""}, None
    if server:
        address = "unix:" + os.path.join(folder, "socket")
        serving = subprocess.Popen([os.path.join(build, "tscoped"), "--store", os.path.join(folder, "served"), "--socket", os.path.join(folder, "socket")],
                                   stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        env["TSCOPE_SERVER"] = address
    run = os.path.join(folder, "run")
    training = subprocess.Popen([os.path.join(build, "bench_watch"), run, str(ranks), "10", str(seconds)], stdout=subprocess.PIPE, text=True)
    time.sleep(4)
    pushing = threading.Event()

    def push():
        while not pushing.wait(10):
            subprocess.run([tscope, "push", "-q", "--name", "live", run], env={**os.environ, **env}, capture_output=True, check=False)

    if server:
        subprocess.run([tscope, "push", "-q", "--name", "live", run], env={**os.environ, **env}, capture_output=True, check=True)
        threading.Thread(target=push).start()
    screen = Screen([tscope, "watch", "live" if server else run], env)
    time.sleep(4)
    cpu, began = screen.cpu(), time.monotonic()
    time.sleep(max(1, seconds - 10))
    share = [100 * (after - before) / (time.monotonic() - began) for before, after in zip(cpu, screen.cpu())]
    pushing.set()
    out, _ = training.communicate()
    screen.end()
    if serving:
        serving.terminate()
        serving.wait()
    shutil.rmtree(folder, ignore_errors=True)
    until = screen.shown[-1][0] if screen.shown else -1
    recorded = [(int(a), float(b)) for a, b in (line.split() for line in out.splitlines()) if int(a) <= until]
    return delays(recorded, screen.shown), share


def watch_rows(build, seconds):
    print(f"\n{'tscope watch, ten steps a second':34} {'steps':>7} {'p50':>9} {'p99':>9} {'at most':>9} {'of a core':>11} {'and asking':>11}")
    for what, ranks, server in (("one rank, from its folder", 1, False), ("64 ranks, from their folder", 64, False), ("one rank, pushed every 10 s", 1, True)):
        took, share = watched(build, ranks, seconds, server)
        share += [0.0] * (2 - len(share))
        limit = "12 s" if server else "1.5 s"
        if not took:
            print(f"{what:34} nothing was shown")
            continue
        print(f"{what:34} {len(took):>7} {took[len(took) // 2]:>7.2f} s {took[int(0.99 * (len(took) - 1))]:>7.2f} s {limit:>9} {share[0]:>9.2f} % {share[1]:>9.2f} %",
              flush=True)


# --- many runs that push ---


def pushing(build, runs, seconds):
    """So many runs that grow by ten steps and are pushed every ten seconds into one server on two cores: prints how many pushes came through, and how long lists take meanwhile."""
    folder, tscope = tempfile.mkdtemp(), os.path.join(build, "tscope")
    env = {**os.environ, "TSCOPE_SERVER": "unix:" + os.path.join(folder, "socket"), "TSCOPE_STORE": os.path.join(folder, "store")}
    cores = [] if len(os.sched_getaffinity(0)) <= 2 else ["taskset", "-c", ",".join(map(str, sorted(os.sched_getaffinity(0))[:2]))]
    serving = subprocess.Popen([*cores, os.path.join(build, "tscoped"), "--store", os.path.join(folder, "served"), "--socket", os.path.join(folder, "socket")],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    while not os.path.exists(os.path.join(folder, "socket")):
        time.sleep(0.05)
    over, done, turns = threading.Event(), [], iter(range(1 << 40))

    def push():
        while not over.is_set():
            turn = next(turns)
            wait = began + turn * 10 / runs - time.monotonic()
            if wait > 0 and over.wait(wait):
                return
            path = os.path.join(folder, f"run{turn % runs}")
            os.makedirs(path, exist_ok=True)
            with open(os.path.join(path, "steps.jsonl"), "a", encoding="utf-8") as file:
                file.write("".join(f'{{"step": {turn // runs * 10 + i}, "scalars": {{"loss": {1 / (i + 1 + turn % runs)}}}}}\n' for i in range(10)))
            ran = subprocess.run([tscope, "push", "-q", "--name", f"live{turn % runs}", path], env=env, capture_output=True, check=False)
            done.append(ran.returncode == 0)
    began = time.monotonic()
    threads = [threading.Thread(target=push) for _ in range(16)]
    for thread in threads:
        thread.start()
    took = []
    while time.monotonic() < began + seconds:
        at = time.monotonic()
        subprocess.run([tscope, "list", "--limit", "20"], env=env, capture_output=True, check=False)
        took.append(time.monotonic() - at)
        time.sleep(0.1)
    over.set()
    passed = time.monotonic() - began
    for thread in threads:
        thread.join()
    serving.terminate()
    serving.wait()
    shutil.rmtree(folder, ignore_errors=True)
    took.sort()
    print(f"{f'{runs} runs pushed every 10 s':34} {sum(done) / passed:>7.1f} pushes a second of {runs / 10:.0f}, {done.count(False)} failed; a list of 20, with its process: "
          f"p50 {1000 * took[len(took) // 2]:.0f} ms, p99 {1000 * took[int(0.99 * (len(took) - 1))]:.0f} ms", flush=True)


# --- the process beside a training ---


def private(pid):
    """Returns the bytes that a process alone has."""
    with open(f"/proc/{pid}/smaps_rollup", encoding="utf-8") as file:
        return sum(1024 * int(line.split()[1]) for line in file if line.startswith("Private_"))


def on_core(pid):
    """Returns the seconds that a process ran so far."""
    with open(f"/proc/{pid}/schedstat", encoding="utf-8") as file:
        return int(file.read().split()[0]) / 1e9


def beside(tscope, seconds):
    """What the process beside a training takes, that looks at its steps and its machine each second."""
    folder = tempfile.mkdtemp()
    job = subprocess.Popen([tscope, "run", "-q", "-d", "run", "--", "sleep", str(seconds + 4)], cwd=folder)
    time.sleep(2)
    with open(f"/proc/{job.pid}/task/{job.pid}/children", encoding="utf-8") as file:
        pids = [int(word) for word in file.read().split()]
    own = [pid for pid in pids if not open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8").read().split()]
    before, began = sum(map(on_core, own)), time.perf_counter()
    time.sleep(seconds)
    took = (sum(map(on_core, own)) - before) / (time.perf_counter() - began)
    memory = sum(map(private, own))
    job.wait()
    shutil.rmtree(folder)
    print(f"{'the process beside it':34} {100 * took:>20.3f} % of a core over {seconds} s, {memory / 2**20:.1f} MiB of its own", flush=True)


GPU = {"busy": 0.9, "memory_busy": 0.4, "memory_bytes": 6e10, "memory_limit_bytes": 0, "sm_clock_mhz": 1755, "sm_clock_limit_mhz": 0, "memory_clock_mhz": 0, "power_w": 612, "power_limit_w": 0, "power_default_w": 0,
       "temperature_c": 61, "throttled_by_power": 0.4, "throttled_by_heat": 0, "throttled_by_others": 0, "pcie_received_bytes_per_s": 5e9, "pcie_sent_bytes_per_s": 3e9,
       "nvlink_received_bytes_per_s": 9e10, "nvlink_sent_bytes_per_s": 9e10, "ecc_corrected": 0, "ecc_uncorrected": 0, "xid": 0}

ROUGH = ("busy", "by_power", "per_s", "waiting", "throttled", "steal")  # of which two digits are written


def day(tscope, gpus):
    """What the observations of 24 hours take: those of this machine, again and again, and of so many GPUs, each value that moves moved by up to 30 %."""
    folder = tempfile.mkdtemp()
    env = {**os.environ, "TSCOPE_STORE": os.path.join(folder, "store")}
    env.pop("TSCOPE_SERVER", None)
    subprocess.run([tscope, "run", "-q", "-d", "run", "--", "sleep", "6.5"], cwd=folder, env=env, check=True)
    path, draw = os.path.join(folder, "run", "machine.tscope"), random.Random(1)
    with open(path, encoding="utf-8") as file:
        head, *rows = [line.rstrip("\n").split(",") for line in file]
    head += [f"gpu{gpu}_{name}" for gpu in range(gpus) for name in GPU]
    rows = [[*row, *[str(value) for _ in range(gpus) for value in GPU.values()]] for row in rows]
    with open(path, "w", encoding="utf-8") as file:
        file.write(",".join(head) + "\n")
        for number, second in enumerate([*range(1, 601), *range(610, 86401, 10)]):
            values = [value and f"{float(value) * draw.uniform(0.7, 1.3):.{2 if name.endswith(ROUGH) else 3}g}"
                      for name, value in zip(head[1:], rows[number % len(rows)][1:])]
            file.write(f"{second}.0," + ",".join(values) + "\n")
    raw = os.path.getsize(path)
    sent = json.loads(subprocess.run([tscope, "push", "run", "--json"], cwd=folder, env=env, capture_output=True, check=True).stdout)
    shutil.rmtree(folder)
    print(f"{f'24 hours of observations, {gpus} GPUs':34} {raw / 1e6:>20.2f} MB in the folder, {new_bytes(sent) / 1e6:.2f} MB in the store", flush=True)


def new_bytes(answer):
    """The bytes that a push stored, wherever its answer has them."""
    if isinstance(answer, dict):
        return next((value for key, value in answer.items() if key in ("sent_bytes", "stored_bytes")), 0) or sum(map(new_bytes, answer.values()))
    return sum(map(new_bytes, answer)) if isinstance(answer, list) else 0


def main():
    tscope, pairs = os.path.abspath(os.path.join(sys.argv[1], "tscope")), int(sys.argv[2]) if len(sys.argv) > 2 else 15
    if len(sys.argv) <= 3 or sys.argv[3] != "0":
        watch_rows(os.path.abspath(sys.argv[1]), int(sys.argv[3]) if len(sys.argv) > 3 else 40)
        pushing(os.path.abspath(sys.argv[1]), 1000, int(sys.argv[3]) if len(sys.argv) > 3 else 40)
    if pairs:
        run_rows(tscope, pairs)


def run_rows(tscope, pairs):
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
    beside(tscope, 20)
    day(tscope, 0)
    day(tscope, 8)


if __name__ == "__main__":
    main()
