#!/usr/bin/env python3
"""What tscope says of a real training to which something happens: trials.py BUILD [NAME...]. Three ranks that train with gloo are started by tscope run and watched by tscope
watch; then one is slowed or stopped, killed, or runs out of memory or disk, or others take the cores, or the server is killed. Prints for each what was said by whom, and the
seconds until it was said, from the moment at which it was done. `clean` starts trainings to which nothing happens, and counts what is found. `peers` runs the same script alone,
by torchrun, by tscope run and by TraceML, in turn, and prints the seconds of a step and what each says; `endings` kills, stops and breaks
one of two ranks under each, and prints which says so, and after how many seconds. PYTHON names the interpreter (default python3), which has torch and the package tscope, and
for `peers` and `endings` traceml-ai, too. Exits with 1 where something was not said."""
import glob
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time

BUILD = os.path.abspath(sys.argv[1])
TSCOPE, TSCOPED = os.path.join(BUILD, "tscope"), os.path.join(BUILD, "tscoped")
PYTHON = shutil.which(os.environ.get("PYTHON", "python3")) or sys.executable
RANKS, STEP, LONG, SECONDS = 3, 0.05, 600, 120
missed = []

TRAIN = '''
import json, os, sys, time
import torch
import torch.distributed as dist

steps, pace, victim, what, at = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]), sys.argv[4], int(sys.argv[5])
torch.set_num_threads(1)
dist.init_process_group("gloo")
rank = dist.get_rank()
torch.manual_seed(1)
model = torch.nn.Sequential(torch.nn.Linear(64, 256), torch.nn.Tanh(), torch.nn.Linear(256, 1))
net = torch.nn.parallel.DistributedDataParallel(model)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
inputs = torch.randn(64 * 64, 64)
data = torch.utils.data.TensorDataset(inputs, inputs[:, :1] + 0.1 * torch.randn(64 * 64, 1))
sampler = torch.utils.data.distributed.DistributedSampler(data)
kept, took, step = [], [], 0
while step < steps:
    sampler.set_epoch(step)
    for x, y in torch.utils.data.DataLoader(data, batch_size=64, sampler=sampler, drop_last=True):
        began = time.perf_counter()
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(net(x), y)
        loss.backward()
        time.sleep(pace)
        optimizer.step()
        took.append(time.perf_counter() - began)
        step += 1
        if rank == victim and step == at and what in ("wait", "raise"):
            open("reached", "w").close()
        if rank == victim and step == at and what == "raise":
            raise ValueError("a planted mistake")
        if rank == victim and step >= at and what == "eat":
            kept.append(torch.ones(8 << 20))
        if rank == victim and step >= at and what == "save":
            torch.save({"model": model.state_dict(), "step": step, "pad": torch.zeros(1 << 16)}, os.path.join(sys.argv[6], f"step{step}.pt"))
        if step == steps:
            break
if rank == 0 and len(sys.argv) > 6 and what == "time":
    with open(sys.argv[6], "w") as file:
        json.dump(took, file)
dist.destroy_process_group()
'''


def told(trial, who, seconds, text):
    """Prints a row; seconds None: it was not said."""
    when = "not said" if seconds is None else f"{seconds:6.1f} s"
    print(f"{trial:30} {who:12} {when:>9}  {' '.join(text.split())[:400]}", flush=True)
    if seconds is None:
        missed.append((trial, who))


class Training:
    """A training of three ranks by tscope run, and tscope watch beside it; with the moments at which each line of theirs came."""

    def __init__(self, *script, options=(), before=None, folder=None, ranks=RANKS):
        self.home = folder or tempfile.mkdtemp(prefix="tscope-trial-")
        self.folder = os.path.join(self.home, "run")
        self.env = {**os.environ, "TSCOPE_STORE": os.path.join(self.home, "store"), "PATH": os.path.dirname(PYTHON) + ":" + os.environ["PATH"], "OMP_NUM_THREADS": "1"}
        self.env.pop("TSCOPE_SERVER", None)
        with open(os.path.join(self.home, "train.py"), "w", encoding="utf-8") as file:
            file.write(TRAIN)
        self.lines = {"run": [], "watch": []}
        self.job = self.start("run", "run", "-d", self.folder, "--nproc-per-node", str(ranks), "--launcher", "own", *options, "--", PYTHON, "train.py", *map(str, script),
                              preexec_fn=before)
        self.wait(lambda: os.path.exists(os.path.join(self.folder, "launch.json")), 60)
        self.watch = self.start("watch", "watch", self.folder)

    def start(self, who, *words, **how):
        job = subprocess.Popen([TSCOPE, *words], cwd=self.home, env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", **how)

        def read():
            for line in job.stdout:
                self.lines[who].append((time.monotonic(), line.rstrip()))
        threading.Thread(target=read, daemon=True).start()
        return job

    @staticmethod
    def wait(holds, seconds=LONG):
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            try:
                if holds():
                    return True
            except (OSError, ValueError, KeyError):
                pass
            time.sleep(0.2)
        return False

    def steps(self):
        """Of the rank that has least."""
        shown = subprocess.run([TSCOPE, "show", "--json", self.folder], cwd=self.home, env=self.env, capture_output=True, check=False)
        return json.loads(shown.stdout)["run"]["step_count"] if shown.returncode == 0 else 0

    def reach(self, steps):
        if not self.wait(lambda: self.steps() >= steps):
            raise RuntimeError(f"the training made no {steps} steps: {self.lines['run'][-3:]}")

    def ranks(self):
        """The processes by their rank."""
        found = {}
        for path in glob.glob("/proc/[0-9]*/environ"):
            try:
                with open(path, "rb") as file:
                    text = file.read()
                with open(path.replace("environ", "cmdline"), "rb") as file:
                    words = file.read().split(b"\0")
            except OSError:
                continue
            if self.home.encode() in text and b"train.py" in b" ".join(words) and os.path.realpath(PYTHON) == os.path.realpath(path.replace("environ", "exe")):
                rank = re.search(rb"(?:^|\0)RANK=(\d+)", text)
                if rank:
                    found[int(rank.group(1))] = int(path.split("/")[2])
        return found

    def end(self):
        with open(os.path.join(self.folder, "launch.json"), encoding="utf-8") as file:
            return json.load(file)["session"]["launch"]["end"]

    def said(self, trial, who, pattern, began, wait=LONG):
        """Prints the first line that it said since, and when."""
        def find():
            return next(((when, line) for when, line in self.lines[who] if when >= began - 1 and re.search(pattern, line)), None)
        self.wait(find, wait)
        found = find()
        told(trial, who, found and max(0.0, found[0] - began), found[1] if found else f"(last: {self.lines[who][-1][1] if self.lines[who] else 'nothing'})")

    def shows(self, trial, pattern, began):
        """Prints what tscope show says of how it ended."""
        shown = subprocess.run([TSCOPE, "show", "--json", self.folder], cwd=self.home, env=self.env, capture_output=True, check=False)
        sentence = (json.loads(shown.stdout).get("ending") or {}).get("sentence", "") if shown.returncode == 0 else shown.stderr.decode()
        told(trial, "show", time.monotonic() - began if re.search(pattern, sentence) else None, sentence or "(nothing)")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for job in (self.job, self.watch):
            if job.poll() is None:
                job.terminate()
            try:
                job.wait(40)
            except subprocess.TimeoutExpired:
                job.kill()
                job.wait()
        shutil.rmtree(self.home, ignore_errors=True)


def killed():
    with Training(100000, STEP, -1, "nothing", 0) as t:
        t.reach(100)
        began = time.monotonic()
        os.kill(t.ranks()[1], signal.SIGKILL)
        t.said("rank 1 killed", "run", "rank 1", began)
        t.said("rank 1 killed", "watch", "death", began)
        t.shows("rank 1 killed", "rank 1.*SIGKILL|SIGKILL.*rank 1", began)


def stopped():
    """Waits with what is usual: 30 s at least."""
    with Training(100000, STEP, -1, "nothing", 0) as t:
        t.reach(100)
        began, pid = time.monotonic(), t.ranks()[1]
        os.kill(pid, signal.SIGSTOP)
        said = t.wait(lambda: t.end()["state"] == "hung", 120)
        told("rank 1 stopped (SIGSTOP)", "launch.json", time.monotonic() - began if said else None, t.end().get("message", ""))
        t.said("rank 1 stopped (SIGSTOP)", "run", "it hangs: ", began, 120)
        t.said("rank 1 stopped (SIGSTOP)", "watch", "hang", began, 120)
        t.shows("rank 1 stopped (SIGSTOP)", "rank 1", began)
        began = time.monotonic()
        os.kill(pid, signal.SIGCONT)
        said = t.wait(lambda: t.end()["state"] == "running", 60)
        told("and goes on", "launch.json", time.monotonic() - began if said else None, "running" if said else str(t.end()))
        t.said("and goes on", "run", "it goes on", began, 60)


def slowed():
    with Training(100000, STEP, -1, "nothing", 0) as t:
        t.reach(600)
        began, pid, over = time.monotonic(), t.ranks()[1], threading.Event()

        def pulses():
            while not over.wait(0.1):
                os.kill(pid, signal.SIGSTOP)
                time.sleep(0.1)
                os.kill(pid, signal.SIGCONT)
        thread = threading.Thread(target=pulses)
        thread.start()
        t.said("rank 1 slowed by pulses", "watch", r"finding.*(SLOWDOWN|STRAGGLER|COMM|IMBALANCE|STALL|WAIT)", began)
        over.set()
        thread.join()


def crowded():
    with Training(100000, STEP, -1, "nothing", 0) as t:
        t.reach(400)
        before = next((line for _, line in t.lines["watch"] if "MACHINE.NEIGHBOURS" in line), None)
        if before:
            told("cores taken by others", "watch", 0.0, f"said before they were, since this machine has others that compute: {before}")
            return
        began = time.monotonic()
        hogs = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2 * (os.cpu_count() or 1))]
        try:
            t.said("cores taken by others", "watch", r"finding.*(MACHINE\.|SLOWDOWN|STALL|JITTER)", began, 120)
        finally:
            for hog in hogs:
                hog.kill()
                hog.wait()


def group(limit):
    """A control group of its own with so much memory: its path, or None where none can be made."""
    top = next((top for top in ("/sys/fs/cgroup/memory", "/sys/fs/cgroup") if os.path.exists(os.path.join(top, "cgroup.procs"))), None)
    path = f"{top}/tscope-trial-{os.getpid()}"
    try:
        os.mkdir(path)
        with open(os.path.join(path, "memory.limit_in_bytes" if top.endswith("memory") else "memory.max"), "w", encoding="utf-8") as file:
            file.write(str(limit))
    except (OSError, TypeError) as error:
        print(f"no control group can be made here ({error}): memory that runs out is not tried")
        return None
    return path


def kills(path):
    """How many processes of a control group the kernel killed for want of memory."""
    name = next(name for name in ("memory.oom_control", "memory.events") if os.path.exists(os.path.join(path, name)))
    with open(os.path.join(path, name), encoding="utf-8") as file:
        return int(re.search(r"oom_kill (\d+)", file.read()).group(1))


def memory():
    """32 MiB a step from step 100 on, of a limit of 1.5 GiB."""
    path = group(3 << 29)
    if not path:
        return

    def join():
        with open(os.path.join(path, "cgroup.procs"), "w", encoding="utf-8") as file:
            file.write(str(os.getpid()))
    with Training(100000, STEP, 1, "eat", 100, before=join) as t:
        t.wait(lambda: kills(path) > 0)
        began = time.monotonic()
        t.said("memory of a control group", "run", "memory", began)
        t.said("memory of a control group", "watch", "death.*memory", began)
        t.shows("memory of a control group", "memory", began)
    t.wait(lambda: not os.rmdir(path), 10)


def disk():
    """A disk of 16 MiB that checkpoints fill; the folder of the run lies on it, too."""
    home = tempfile.mkdtemp(prefix="tscope-trial-")
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16m", "none", home], capture_output=True, check=False).returncode:
        print("no disk can be mounted here: a full one is not tried")
        return
    with Training(100000, STEP, 1, "save", 100, home, folder=home) as t:
        t.wait(lambda: os.statvfs(home).f_bavail * os.statvfs(home).f_frsize < 400 << 10 or t.job.poll() is not None)  # less than a checkpoint
        began = time.monotonic()
        t.said("a disk that is full", "run", "was the first", began)
        t.said("a disk that is full", "watch", "death", began)
        t.shows("a disk that is full", "disk|[Ss]pace", began)
        steps = t.steps()
        told("a disk that is full", "show", 0.0 if steps >= 90 else None, f"{steps} steps were recorded")
    subprocess.run(["umount", "-l", home], check=False)


def server():
    home = tempfile.mkdtemp(prefix="tscope-trial-")
    address = "unix:" + os.path.join(home, "socket")

    def serve():
        return subprocess.Popen([TSCOPED, "--store", os.path.join(home, "served"), "--socket", os.path.join(home, "socket")], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def row():
        ran = subprocess.run([TSCOPE, "list", "--server", address, "--json"], capture_output=True, check=False)
        rows = json.loads(ran.stdout)["rows"] if ran.returncode == 0 else []
        return rows[0]["values"] if rows else {}
    one = serve()
    Training.wait(lambda: os.path.exists(os.path.join(home, "socket")), 30)
    with Training(1200, STEP, -1, "nothing", 0, options=("--push=2", "--server", address, "--name", "live")) as t:
        said = t.wait(lambda: row().get("steps", 0) >= 100)
        one.kill()
        one.wait()
        began, at = time.monotonic(), t.steps()
        t.wait(lambda: t.steps() >= at + 150)
        told("the server killed", "show", time.monotonic() - began if said and t.job.poll() is None else None, f"the training goes on: from step {at} to {t.steps()} while nobody serves")
        began = time.monotonic()
        one = serve()
        said = t.wait(lambda: row().get("steps", 0) > at + 150)
        told("the server is back", "list", time.monotonic() - began if said else None, f"{row().get('steps')} steps, {row().get('state')}")
        t.job.wait(LONG)
        said = t.wait(lambda: row().get("steps") == 1200, 30)
        told("the server is back", "run", 0.0 if said and t.job.returncode == 0 else None, f"exit code {t.job.returncode}; {t.lines['run'][-1][1] if t.lines['run'] else ''}; list: {row().get('steps')} steps, "
             f"{row().get('state')}")
        one.terminate()
        one.wait()
    shutil.rmtree(home, ignore_errors=True)


def clean():
    """Trainings to which nothing happens: what watch says of them, and analyze at the end."""
    runs, steps, found, watched = int(os.environ.get("RUNS", "10")), int(os.environ.get("STEPS", "400")), {}, {}
    for _ in range(runs):
        with Training(steps, 0.02, -1, "nothing", 0) as t:
            t.job.wait(LONG)
            try:
                t.watch.wait(60)
            except subprocess.TimeoutExpired:
                pass
            ran = subprocess.run([TSCOPE, "analyze", "--json", t.folder], cwd=t.home, env=t.env, capture_output=True, check=False)
            for finding in json.loads(ran.stdout)["findings"]:
                found[finding["code"]] = found.get(finding["code"], 0) + 1
            for _, line in t.lines["watch"]:
                if code := re.search(r" finding.*?: ([A-Z_]+\.[A-Z_]+)", line):
                    watched[code.group(1)] = watched.get(code.group(1), 0) + 1
    print(f"{runs} clean trainings of {steps} steps and {RANKS} ranks; watch said: {watched or 'nothing'}; analyze at the end: {found or 'nothing'}", flush=True)


def peers():
    home = tempfile.mkdtemp(prefix="tscope-trial-")
    env = {**os.environ, "PATH": os.path.dirname(PYTHON) + ":" + os.environ["PATH"], "OMP_NUM_THREADS": "1", "TSCOPE_STORE": os.path.join(home, "store")}
    with open(os.path.join(home, "train.py"), "w", encoding="utf-8") as file:
        file.write(TRAIN)
    steps, rounds = int(os.environ.get("STEPS", "300")), int(os.environ.get("ROUNDS", "5"))
    torchrun = [PYTHON, "-m", "torch.distributed.run", "--nproc-per-node", str(RANKS)]
    ways = {"torchrun": torchrun + ["train.py"], "tscope run": [TSCOPE, "run", "-q", "-d", "RUN", "--nproc-per-node", str(RANKS), "train.py"]}
    traceml = os.path.join(os.path.dirname(PYTHON), "traceml")
    if os.path.exists(traceml):
        ways["traceml run"] = [traceml, "run", "train.py", "--nproc-per-node", str(RANKS), "--mode", "summary", "--args"]
    else:
        print("traceml-ai is not installed for this Python: it is not tried")
    took, last = {way: {} for way in ways}, {}  # by turn
    for turn in range(rounds):
        for way in (list(ways) if turn % 2 else reversed(ways)):
            path = os.path.join(home, "took")
            words = [word.replace("RUN", f"run{turn}") for word in ways[way]] + [str(steps), "0.01", "-1", "time", "0", path]
            ran = subprocess.run(words, cwd=home, env=env, capture_output=True, text=True, errors="replace", check=False)
            last[way] = (ran.stdout + ran.stderr).strip()
            if ran.returncode or not os.path.exists(path):
                print(f"{way}: ended with {ran.returncode}: {last[way][-600:]}")
                continue
            with open(path, encoding="utf-8") as file:
                took[way][turn] = statistics.median(json.load(file)[50:])
            os.remove(path)
    for way, medians in took.items():
        ratios = [median / took["torchrun"][turn] for turn, median in medians.items() if turn in took["torchrun"]]
        print(f"{way:14} {len(medians)} trainings: a step takes {1000 * statistics.median(medians.values()):.2f} ms; of that under torchrun "
              f"{statistics.median(ratios):.3f} times ({min(ratios):.3f} to {max(ratios):.3f})" if ratios else f"{way:14} no training beside one of torchrun ended",
              flush=True)
    said = subprocess.run([TSCOPE, "analyze", "run0", "--no-pager"], cwd=home, env=env, capture_output=True, text=True, check=False).stdout
    print("--- what tscope analyze says\n" + said[:6000])
    print("--- what traceml says\n" + last.get("traceml run", "(not tried)")[-6000:])
    shutil.rmtree(home, ignore_errors=True)


def rank_of(home, rank):
    """The process of a rank of a training in this folder, or None."""
    for path in glob.glob("/proc/[0-9]*/environ"):
        try:
            with open(path, "rb") as file:
                env = file.read().split(b"\0")
            with open(path.replace("environ", "cmdline"), "rb") as file:
                words = file.read().split(b"\0")
            inside = os.readlink(path.replace("environ", "cwd")) == home
        except OSError:
            continue
        if inside and b"RANK=%d" % rank in env and b"1000000" in words:
            return int(path.split("/")[2])
    return None


def ended(way, words, ending, what, act, pattern):
    """Starts two ranks, does something to rank 1 at its step 100, and prints when that was said first, if it was within SECONDS."""
    home = os.path.realpath(tempfile.mkdtemp(prefix="tscope-trial-"))
    env = {**os.environ, "PATH": os.path.dirname(PYTHON) + ":" + os.environ["PATH"], "OMP_NUM_THREADS": "1", "TSCOPE_STORE": os.path.join(home, "store")}
    with open(os.path.join(home, "train.py"), "w", encoding="utf-8") as file:
        file.write(TRAIN)
    lines, pid = [], None
    job = subprocess.Popen([*words, "1000000", str(STEP), "1", what, "100"], cwd=home, env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                           text=True, errors="replace", start_new_session=True)

    def read():
        for line in job.stdout:
            lines.append((time.monotonic(), line.rstrip()))
    threading.Thread(target=read, daemon=True).start()
    try:
        if not Training.wait(lambda: os.path.exists(os.path.join(home, "reached")), 300):
            print(f"{ending:24} {way:12} made no 100 steps: {lines[-1:]}", flush=True)
            return
        began, pid = time.monotonic(), rank_of(home, 1)
        if act is not None and pid is None:
            print(f"{ending:24} {way:12} has no process of rank 1", flush=True)
            return
        if act is not None:
            os.kill(pid, act)

        def first():
            return next(((when, line) for when, line in lines if re.search(pattern, line)), None)
        Training.wait(lambda: first() or job.poll() is not None, SECONDS)
        time.sleep(2)  # what is printed last
        found = first()
        when = f"{max(0.0, found[0] - began):6.1f} s" if found else "not said"
        print(f"{ending:24} {way:12} {when:>9}  {' '.join((found[1] if found else f'within {SECONDS} s').split())[:200]}", flush=True)
    finally:
        if pid is not None and act == signal.SIGSTOP and rank_of(home, 1) == pid:
            os.kill(pid, signal.SIGCONT)
        for number in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(job.pid, number)
                job.wait(20)
            except (ProcessLookupError, subprocess.TimeoutExpired):
                pass
        for rank in range(2):
            if left := rank_of(home, rank):
                os.kill(left, signal.SIGKILL)
        shutil.rmtree(home, ignore_errors=True)


def endings():
    """What each launcher says of a rank that ends or hangs, and how soon: of two ranks, by the lines that it prints."""
    ways = {"torchrun": [PYTHON, "-m", "torch.distributed.run", "--nproc-per-node", "2", "train.py"],
            "tscope run": [TSCOPE, "run", "-d", "run", "--nproc-per-node", "2", "train.py"]}
    traceml = os.path.join(os.path.dirname(PYTHON), "traceml")
    if os.path.exists(traceml):
        ways["traceml run"] = [traceml, "run", "train.py", "--nproc-per-node", "2", "--mode", "summary", "--args"]
    else:
        print("traceml-ai is not installed for this Python: it is not tried")
    for ending, what, act, pattern in (("rank 1 killed", "wait", signal.SIGKILL, r"SIGKILL|exitcode *: -9"), ("rank 1 raises", "raise", None, r"ValueError: a planted mistake"),
                                       ("rank 1 aborts", "wait", signal.SIGABRT, r"SIGABRT|exitcode *: -6"), ("rank 1 stopped", "wait", signal.SIGSTOP, r"hangs|no step|is stopped")):
        for way, words in ways.items():
            ended(way, words, ending, what, act, pattern)


TRIALS = (killed, stopped, slowed, crowded, memory, disk, server, clean, peers, endings)


def main():
    has = subprocess.run([PYTHON, "-c", "import torch, tscope"], capture_output=True, check=False).returncode == 0
    if not has:
        print(f"{PYTHON} has no torch, or no package tscope: nothing is tried")
        return 0
    for trial in TRIALS:
        if not sys.argv[2:] or trial.__name__ in sys.argv[2:]:
            try:
                trial()
            except RuntimeError as error:  # the machine is too busy for this one; the others may be tried
                told(trial.__name__, "trials", None, str(error))
    for trial, who in missed:
        print(f"not said: {trial}, by {who}")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
