#!/usr/bin/env python3
"""bench.py BUILD [STEPS [folder]]: the bench table. Prints what was measured, the peer or limit beside it, and the goal. With `folder`
only the analysis of a folder is measured, for runs of three lengths. Everything is smaller where there are fewer STEPS than a million,
and the goals, which are for a million, are not judged."""
import getpass
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

BUILD = os.path.abspath(sys.argv[1])
STEPS = int(sys.argv[2]) if len(sys.argv) > 2 else 1_000_000
HERE = os.path.dirname(os.path.abspath(__file__))
DATA = os.path.abspath(f"build/bench/data-{STEPS}")
PYTSCOPE = os.path.abspath("build/bench/venv/bin/pytscope")
TSCOPE = os.path.join(BUILD, "tscope")
FULL = 1_000_000
rows = []


def scaled(full, least):
    """What is `full` where there are a million steps."""
    return max(least, min(full, full * STEPS // FULL))


class Measured:
    def __init__(self, cpu, wall, anon, rss, code, out):
        self.cpu, self.wall, self.anon, self.rss, self.code, self.out = cpu, wall, anon, rss, code, out


def measure(*command, env=None, ok=(0,)):
    """Runs a command. CPU seconds come from its rusage, and the peak of anonymous memory from /proc, read every 2 ms."""
    out = tempfile.TemporaryFile()
    began = time.monotonic()
    child = subprocess.Popen(command, stdout=out, stderr=subprocess.DEVNULL, env={**os.environ, **(env or {})})
    peak, done = [0], threading.Event()

    def watch():
        while not done.is_set():
            try:
                for line in open(f"/proc/{child.pid}/status"):
                    if line.startswith("RssAnon"):
                        peak[0] = max(peak[0], int(line.split()[1]) * 1024)
            except OSError:
                return
            done.wait(0.002)

    watcher = threading.Thread(target=watch)
    watcher.start()
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.monotonic() - began
    done.set()
    watcher.join()
    child.returncode = os.waitstatus_to_exitcode(status)
    out.seek(0)
    m = Measured(usage.ru_utime + usage.ru_stime, wall, peak[0], usage.ru_maxrss * 1024, child.returncode, out.read())
    if child.returncode not in ok:
        sys.exit(f"bench: {' '.join(command)} ended with {child.returncode}: {m.out[-500:]!r}")
    return m


def best(n, *command, **kw):
    return min((measure(*command, **kw) for _ in range(scaled(n, 1))), key=lambda m: m.cpu)


def row(what, ours, beside, ratio, goal, met):
    judged = met is not None and STEPS >= FULL
    rows.append((what, ours, beside, ratio, goal, "-" if not judged else "yes" if met else "NO"))
    print(f"  {what}: {ours} | {beside} | {ratio} | goal {goal} | {rows[-1][-1]}", flush=True)


def made(name, steps, *more):
    path = os.path.join(DATA, name)
    if not os.path.exists(os.path.join(path, "done")):
        subprocess.run([sys.executable, os.path.join(HERE, "make_run.py"), path, str(steps), *more], check=True)
        open(os.path.join(path, "done"), "w").close()
    return path


def tree_bytes(path):
    """Bytes that the files take on the disk (LMDB's data file is sparse only beyond its end)."""
    return sum(os.stat(os.path.join(d, f)).st_blocks * 512 for d, _, fs in os.walk(path) for f in fs)


def store_env(path):
    return {"TSCOPE_STORE": path, "TSCOPE_SERVER": "", "TSCOPE_PROJECT": "bench"}


def have_peer():
    return os.path.exists(PYTSCOPE)


def run_lengths():
    for steps in (STEPS // 100, STEPS // 10, STEPS):
        run_folder(made(f"length-{steps}", steps) if steps < STEPS else made("a", STEPS), steps, store_env(os.path.join(DATA, "no-store")))


def run_backup(work, many, n):
    """What a backup costs of which all but 100 runs are in an earlier one."""
    full, new = os.path.join(work, "backup"), os.path.join(work, "new")
    tscoped = (os.path.join(BUILD, "tscoped"), "--store", many, "--socket", "none", "--backup")
    whole = measure(*tscoped, full)
    for i in range(100):
        os.makedirs(os.path.join(new, f"r{i}"))
        with open(os.path.join(new, f"r{i}", "steps.jsonl"), "w") as f:
            f.writelines(json.dumps({"step": s, "scalars": {"loss": 1 / (s + 1 + i)}}) + "\n" for s in range(50))
    measure(TSCOPE, "push", *(os.path.join(new, f"r{i}") for i in range(100)), env=store_env(many))
    since = []
    for i in range(5):
        since.append(measure(*tscoped, os.path.join(work, f"since{i}"), "--since", full))
    fastest = min(since, key=lambda m: m.wall)
    row(f"backup of 100 new runs among {n:,}, and its check", f"{fastest.wall * 1e3:.0f} ms, {tree_bytes(os.path.join(work, 'since0')):,} B",
        f"a whole backup {whole.wall * 1e3:.0f} ms, {tree_bytes(full):,} B", "-", "< 1 s", fastest.wall < 1)


def cpu_of(pid):
    """Seconds of CPU of a process, to the nanosecond."""
    return sum(int(open(f"/proc/{pid}/task/{task}/schedstat").read().split()[0]) for task in os.listdir(f"/proc/{pid}/task")) / 1e9


def run_walls(work, many, n):
    """What a server does for somebody who may see one project of a hundred, beside what it does for its administrator."""
    socket, project = os.path.join(work, "s.sock"), "project-3"
    server = subprocess.Popen([os.path.join(BUILD, "tscoped"), "--store", many, "--socket", socket, "--log-level", "error",
                               "--grant", f"user:{getpass.getuser()} admin *"])
    try:
        env = {"TSCOPE_STORE": "", "TSCOPE_SERVER": "unix:" + socket, "TSCOPE_PROJECT": project}
        while not os.path.exists(socket) and server.poll() is None:
            time.sleep(0.02)
        made_token = subprocess.run([TSCOPE, "token", "make", "bench", "--role", "push", "--for", project, "--expires", "1d"], text=True,
                                    capture_output=True, check=True, env={**os.environ, **env}).stdout
        token = re.search(r"tscope_[a-z2-7]{58}", made_token).group()
        folders = os.path.join(work, "again")
        for i in range(200):
            os.makedirs(os.path.join(folders, f"r{i:03}"))
            with open(os.path.join(folders, f"r{i:03}", "steps.jsonl"), "w") as f:
                f.writelines(json.dumps({"step": s, "scalars": {"loss": 2 / (s + 1 + i)}}) + "\n" for s in range(50))
        measure(TSCOPE, "push", "-q", folders, env=env)
        for what, command in (("a page of list", ("list",)), ("a push of 200 runs again", ("push", "-q", folders)), ("a diff", ("diff", "r000", "r001"))):
            took = {"": [], token: []}
            for _ in range(scaled(15, 2)):
                for who in took:
                    began = cpu_of(server.pid)
                    measure(TSCOPE, *command, env={**env, "TSCOPE_TOKEN": who}, ok=(0, 1))
                    took[who].append(cpu_of(server.pid) - began)
            whole, walled = min(took[""]), min(took[token])
            row(f"{what} in a store of {n:,} runs, by who may see one project", f"{walled * 1e3:.2f} ms CPU of the server",
                f"by its administrator {whole * 1e3:.2f} ms", f"{walled / whole:.2f}x", "<= 1.2x", walled <= 1.2 * whole)
    finally:
        server.terminate()
        server.wait()


def main():
    print(f"bench: {STEPS:,} steps; building the data once in {os.path.relpath(DATA)}")
    if sys.argv[3:] == ["folder"]:
        run_lengths()
        print_table()
        return
    a = made("a", STEPS)
    b = made("b", STEPS, "--part", str(STEPS * 7 // 10))
    flat = made("flat", 12_800)
    wide = made("wide", 200, "--ranks", "64")
    size = os.path.getsize(os.path.join(a, "steps.jsonl"))
    work = tempfile.mkdtemp(prefix="bench-", dir=os.path.dirname(DATA))
    try:
        run_table(a, b, flat, wide, size, work)
    finally:
        shutil.rmtree(work, ignore_errors=True)
    print_table()


def print_table():
    widths = [max(len(r[i]) for r in [("what", "tscope", "beside", "ratio", "goal", "met")] + rows) for i in range(6)]
    print()
    for r in [("what", "tscope", "beside", "ratio", "goal", "met")] + rows:
        print("  ".join(c.ljust(w) for c, w in zip(r, widths)).rstrip())


def beside_peer(what, cpu, peer, least):
    """Makes one row: our CPU seconds beside those of pytscope, which may be missing."""
    shown = f"{cpu * 1e3:.1f} ms CPU"
    if peer is None:
        row(what, shown, "pytscope not reachable", "-", f">= {least:,}x", None)
    else:
        row(what, shown, f"pytscope {peer:.1f} s CPU", f"{peer / cpu:,.0f}x less", f">= {least:,}x", peer / cpu >= least)


def looped(times, *command, env):
    """Returns the CPU seconds of one of many calls, because a call of a few milliseconds is too short to be timed alone."""
    text, times = " ".join(command), scaled(times, 1)
    loop = best(3, "sh", "-c", f"i=0; while [ $i -lt {times} ]; do {text} >/dev/null; i=$((i+1)); done", env=env)
    return loop.cpu / times


def run_folder(a, steps, env):
    """Analyzes a folder that is not stored, in turns with pytscope, because other work on the machine slows whoever runs beside it."""
    turns = [(measure(TSCOPE, "analyze", a, env=env), measure(PYTSCOPE, "analyze", a) if have_peer() else None) for _ in range(scaled(2, 1))]
    turns += [(measure(TSCOPE, "analyze", a, env=env), None) for _ in range(scaled(3, 0))]
    ours, peers = [o for o, _ in turns], [p for _, p in turns if p]
    wall, cpu, rss = (min(m.wall for m in ours), min(m.cpu for m in ours), max(m.rss for m in ours))
    what = f"analyze a folder of {steps:,} steps"
    if not peers:
        row(what, f"{wall * 1e3:.0f} ms wall, {cpu * 1e3:.0f} ms CPU, {rss / 1e6:.0f} MB", "pytscope not reachable", "-", ">= 80x", None)
        return None
    peer = min(peers, key=lambda m: m.wall)
    row(f"{what}, wall", f"{wall * 1e3:.0f} ms", f"pytscope {peer.wall:.2f} s", f"{peer.wall / wall:.0f}x less", ">= 80x",
        peer.wall / wall >= 80 if steps >= FULL else None)
    row(f"{what}, CPU", f"{cpu * 1e3:.0f} ms", f"pytscope {peer.cpu:.2f} s", f"{peer.cpu / cpu:.0f}x less", "-", None)
    row(f"{what}, memory", f"{rss / 1e6:.0f} MB", f"pytscope {peer.rss / 1e6:.0f} MB", f"{peer.rss / rss:.0f}x less", "-", None)
    return peer.cpu


def run_analyze(a, env):
    peer = run_folder(a, STEPS, env)
    beside_peer("analyze, nothing cached", best(5, TSCOPE, "analyze", "--fresh", "a", env=env).cpu, peer, 20)
    measure(TSCOPE, "analyze", "a", env=env)
    beside_peer("analyze, reductions cached", looped(50, TSCOPE, "analyze", "a", env=env), peer, 1000)


def run_ranks(work):
    """Runs 64 ranks with a tenth of the steps each. The directory is created again each time, because it is large."""
    path, env = os.path.join(work, "ranks64"), store_env(os.path.join(work, "ranks-store"))
    steps = STEPS // 10
    subprocess.run([sys.executable, os.path.join(HERE, "make_run.py"), path, str(steps), "--ranks", "64"], check=True)
    measure(TSCOPE, "push", path, env=env)
    shutil.rmtree(path)
    ours = best(2, TSCOPE, "analyze", "--fresh", "ranks64", env=env)
    row(f"analyze, 64 ranks x {steps:,} steps", f"{ours.cpu:.2f} s CPU, {ours.anon / 1e6:.0f} MB",
        f"{64 * steps / ours.cpu / 1e6:.1f} M rank-steps/s", "-", "< 6 s", ours.cpu < 6)


def run_diff(work):
    """At the server, without a process or a socket: runs of ten times the steps, loss and gradient norm, or digests. Those of four
    columns are held against a walk over both runs' plain arrays in memory, which knows of no blocks."""
    goals = {"last block": ("share all but the last block", 0.01), "wholly different": ("nothing in common", 1),
             "as float32": ("one as float32", 1), "every third step": ("one logged every third step", 1),
             "digests, last block": ("digests that share all but the last block", 0.01),
             "digests, wholly different": ("digests with nothing in common", 1)}
    store = os.path.join(work, "diff-store")
    ours = measure(os.path.join(BUILD, "bench_diff"), store, str(10 * STEPS))
    shutil.rmtree(store)
    _, scanned, where = measure(os.path.join(BUILD, "bench_diff"), "--scan", str(10 * STEPS)).out.decode().strip().split("\t")
    for line in ours.out.decode().splitlines():
        name, seconds, answer = line.split("\t", 2)
        what, most = goals[name]
        beside, ratio = "-", "-"
        if name == "digests, last block":
            if not re.search(where + r"\b", answer):
                sys.exit(f"bench: Diff says '{answer}', and the digests part at {where}")
            beside, ratio = f"all of them in memory {float(scanned) * 1e3:.0f} ms", f"{float(scanned) / float(seconds):.0f}x less"
        row(f"Diff of {10 * STEPS:,} steps, {what}", f"{float(seconds) * 1e3:.2f} ms wall", beside, ratio, f"< {most * 1e3:g} ms",
            float(seconds) < most)
    row("those, anonymous memory", f"{ours.anon / 1e6:.0f} MB", f"a column {10 * STEPS * 8 / 1e6:.0f} MB", "-", "< 64 MB", ours.anon < 64e6)


def run_matrix(work):
    """Compares the first different steps of each two of 100 runs with the family tree from which the runs were made."""
    store, runs = os.path.join(work, "matrix"), 100
    made = subprocess.run([os.path.join(BUILD, "bench_matrix"), store, str(runs), str(STEPS)], capture_output=True, text=True, check=True)
    want = [tuple(map(int, line.split())) for line in made.stdout.splitlines()]
    ours = min((measure(TSCOPE, "diff", "--json", *(f"r{i:03d}" for i in range(runs)), env=store_env(store), ok=(1,)) for _ in range(3)),
               key=lambda m: m.wall)
    got = [(p["a"], p["b"], p["first_step"]) for p in json.loads(ours.out)["pairs"]]
    if got != want:
        sys.exit("bench: the matrix is not what the family tree says")
    row(f"diff, {runs} x {runs} runs of {STEPS:,} steps", f"{ours.wall * 1e3:.0f} ms wall, {ours.anon / 1e6:.0f} MB",
        f"{len(want):,} pairs right", "-", "< 1 s", ours.wall < 1)
    shutil.rmtree(store)


def run_reduce(work):
    """A stored run to the numbers that a gate compares, anew and from the cache, beside reading its columns; in one process."""
    store = os.path.join(work, "reduce")
    steps, each = scaled(100_000, 4000), scaled(2000, 200)
    ours = measure(os.path.join(BUILD, "bench_reduce"), store, str(steps), "64", str(each))
    shutil.rmtree(store)
    took = {name: float(seconds) for name, seconds in (line.split("\t") for line in ours.out.decode().splitlines())}
    row(f"reduce a run of {steps:,} steps", f"{took['one'] * 1e3:.1f} ms CPU", f"read its 9 columns {took['columns'] * 1e3:.1f} ms",
        f"{took['one'] / took['columns']:.1f}x its CPU", "< 100 ms", took["one"] < 0.1)
    row(f"reduce 64 ranks of {each:,} steps", f"{took['many'] * 1e3:.1f} ms CPU", "-", "-", "< 200 ms", took["many"] < 0.2)
    row("one of 10,000 reductions in the cache", f"{took['cached'] * 1e6:.1f} us CPU", "-", "-", "< 15 us", took["cached"] < 15e-6)


def run_gate(work):
    """A candidate against twenty stored baselines: anew, and once their reductions are cached; the diff of the loss is never cached."""
    store = os.path.join(work, "gate")
    steps = scaled(100_000, 2000)
    ours = measure(os.path.join(BUILD, "bench_gate"), store, "20", str(steps))
    shutil.rmtree(store)
    took = {name: float(seconds) for name, seconds in (line.split("\t") for line in ours.out.decode().splitlines())}
    row(f"gate against 20 baselines of {steps:,} steps", f"{took['cached'] * 1e3:.1f} ms wall", f"the first time {took['first'] * 1e3:.0f} ms", "-",
        "< 50 ms", took["cached"] < 0.05)


def run_trend(work):
    """The step time of many runs of a branch, of which the second half is slower: the first time, and with cached reductions."""
    store, runs = os.path.join(work, "trend"), scaled(10_000, 300)
    subprocess.run([os.path.join(BUILD, "bench_trend"), store, str(runs)], check=True, stdout=subprocess.DEVNULL)
    first = measure(TSCOPE, "trend", "default/main", "--json", env=store_env(store))
    ours = best(5, TSCOPE, "trend", "default/main", "--json", env=store_env(store))
    changes = json.loads(ours.out)["changes"]
    if len(changes) != 1 or abs(changes[0]["at"] - runs // 2) > 1:
        sys.exit("bench: the trend does not find the change that was made")
    shutil.rmtree(store)
    row(f"trend over {runs:,} runs", f"{ours.wall * 1e3:.0f} ms wall, {ours.anon / 1e6:.0f} MB", f"the first time {first.wall * 1e3:.0f} ms", "-",
        "< 300 ms", ours.wall < 0.3)


def run_trend_peer(work):
    """Seeded series of 300 runs: what our trend claims, and what Apache Otava finds in the same values. A false change is worse than none,
    and a step must be found at most two runs from its place. Otava sees neither hosts nor weekdays."""
    series = os.path.join(work, "series")
    with open(series, "wb") as out:
        out.write(measure(os.path.join(BUILD, "bench_trend_peer"), str(scaled(40, 2))).out)
    python = os.path.join(os.path.dirname(PYTSCOPE), "python")
    if subprocess.run([python, "-c", "import otava"], capture_output=True).returncode if os.path.exists(python) else True:
        row("trend beside Apache Otava", "-", "apache-otava 0.8.0 is not installed", "-", "-", None)
        return
    kinds = json.loads(measure(python, os.path.join(HERE, "trend_peer.py"), series).out)
    for name, k in kinds.items():
        def shown(who):
            right = f"found in {k[who + '_found']}, " if k["step"] else f"called a drift in {k[who + '_drift']}, " if k["drift"] else ""
            return f"{right}{k[who + '_extra'] / k['n']:.2f} false changes a series"

        row(f"trend, {name}, {k['n']} series", shown("ours"), f"Otava {shown('peer')}", "-", "fewer false, no fewer found",
            k["ours_extra"] <= k["peer_extra"] and k["ours_found"] >= k["peer_found"])


def run_import(what, make, mib, peer_script, peer_mib, least, work):
    """Reads a log of another tool: our bytes per second beside those of its own Python reader on a smaller file of the same kind."""
    big, small = os.path.join(work, "import", "big"), os.path.join(work, "import", "small")
    for where, size in ((big, mib), (small, peer_mib)):
        os.makedirs(where)
        measure(os.path.join(BUILD, "bench_import"), make[0], os.path.join(where, make[1]), str(size))
    runs = [measure(os.path.join(BUILD, "bench_import"), "read", os.path.join(big, make[1]) if make[0] == "text" else big) for _ in range(3)]
    speed = max(int(n) / float(s) for s, n, _ in (r.out.split() for r in runs)) / 1e6
    python = os.path.join(os.path.dirname(PYTSCOPE), "python")
    peer = None
    if os.path.exists(python):
        try:
            took = measure(python, "-c", peer_script, os.path.join(small, make[1]))
            peer = os.path.getsize(os.path.join(small, make[1])) / float(took.out.split()[-1]) / 1e6
        except (SystemExit, ValueError, IndexError):
            pass  # it is not installed
    shutil.rmtree(os.path.join(work, "import"))
    row(f"read {what}, per core", f"{speed:.0f} MB/s", f"its Python reader {peer:.1f} MB/s" if peer else "its Python reader is not installed",
        f"{speed / peer:,.0f}x" if peer else "-", f">= {least} MB/s", speed >= least)
    row(f"read {what}, anonymous memory", f"{max(r.anon for r in runs) / 1e6:.0f} MB", f"input {mib * 1.048576:.0f} MB", "-", "< 100 MB",
        max(r.anon for r in runs) < 100e6)


TENSORBOARD_READER = """
import sys, time
from tensorboard.backend.event_processing.event_file_loader import EventFileLoader
began = time.process_time()
n = sum(len(e.summary.value) for e in EventFileLoader(sys.argv[1]).Load())
print(n, time.process_time() - began)
"""


# The SDK of this version reads its logs in Python: blocks, messages, and the numbers of the history.
WANDB_READER = """
import json, sys, time
from wandb.proto import wandb_internal_pb2 as pb
from wandb.sdk.internal.datastore import DataStore
log = DataStore()
log.open_for_scan(sys.argv[1])
began = time.process_time()
n = 0
while (data := log.scan_data()) is not None:
    record = pb.Record()
    record.ParseFromString(data)
    n += len([json.loads(item.value_json) for item in record.history.item])
print(n, time.process_time() - began)
"""


# A text log has no reader of its own: what people write for one, a regular expression for each line.
TEXT_READER = """
import re, sys, time
line = re.compile(r"iter (\\d+): loss ([0-9.]+), time ([0-9.]+)ms, mfu ([0-9.]+)%")
began = time.process_time()
n = sum(4 for text in open(sys.argv[1]) for m in [line.match(text)] if m and [float(x) for x in m.groups()])
print(n, time.process_time() - began)
"""


def run_imports(work):
    mib = scaled(300, 1)
    run_import("TensorBoard events", ("events", "events.out.tfevents.1795000000.h.1.0"), mib, TENSORBOARD_READER, min(mib, 10), 300, work)
    run_import("W&B logs", ("wandb", "run-x.wandb"), mib, WANDB_READER, min(mib, 10), 150, work)
    mib = scaled(100, 1)
    run_import("printed logs, by guessed templates", ("text", "train.log"), mib, TEXT_READER, min(mib, 10), 15, work)


def run_snapshot(work):
    """A memory snapshot of 100 MB beside pickle.load, and its replay beside what Axolotl's script does with one."""
    path, script = os.path.join(work, "snapshot.pickle"), os.path.join(HERE, "snapshot.py")
    subprocess.run([sys.executable, script, "make", path, str(scaled(100, 1))], check=True)
    size = os.path.getsize(path)
    for what, mode, peer in (("snapshot: read", "read", "load"), ("snapshot: read and replay", "replay", "axolotl")):
        ours, theirs = best(3, os.path.join(BUILD, "bench_snapshot"), mode, path), measure(sys.executable, script, peer, path)
        row(f"{what} ({size / 1e6:.0f} MB)", f"{ours.cpu:.2f} s, {ours.anon / size:.2f} x its size", f"{peer}: {theirs.cpu:.2f} s, {theirs.anon / size:.1f} x",
            f"{theirs.cpu / ours.cpu:.1f} x", "< 1 s, < 3 x its size" if mode == "read" else "faster",
            ours.cpu < 1 and ours.anon < 3 * size if mode == "read" else ours.cpu < theirs.cpu)


def run_recordings(work):
    """Reads a recording beside the same run as steps.jsonl: processor time of both, and anonymous memory."""
    for what, late in (("a recording", ()), ("a recording with late values", ("late",))):
        where = os.path.join(work, "recorded")
        measure(os.path.join(BUILD, "bench_recording"), where, str(STEPS), *late)
        best_of, anon = {}, 0
        for kind in ("recording", "json"):
            runs = [measure(os.path.join(BUILD, "bench_import"), "read", os.path.join(where, kind)) for _ in range(3)]
            best_of[kind] = min(float(r.out.split()[0]) for r in runs)
            anon = max(r.anon for r in runs) if kind == "recording" else anon
        ratio = best_of["json"] / best_of["recording"]
        row(f"read {what}, {STEPS:,} steps", f"{best_of['recording']:.2f} s", f"steps.jsonl {best_of['json']:.2f} s", f"{ratio:.1f}x as fast",
            "-" if late else ">= 1.8x", None if late else ratio >= 1.8)
        row(f"read {what}, anonymous memory", f"{anon / 1e6:.0f} MB", f"input {tree_bytes(os.path.join(where, 'recording')) / 1e6:.0f} MB", "-",
            "< 300 MB", anon < 300e6)
        shutil.rmtree(where)


def run_table(a, b, flat, wide, size, work):
    store = os.path.join(work, "store")
    env = store_env(store)

    read = best(3, "sh", "-c", f"cat {a}/steps.jsonl | sha256sum")
    pushes = []
    for i in range(3):
        pushes.append(measure(TSCOPE, "push", a, env=store_env(os.path.join(work, f"p{i}"))))
        shutil.rmtree(os.path.join(work, f"p{i}"))
    first = min(pushes, key=lambda m: m.cpu)
    measure(TSCOPE, "push", a, env=env)
    speed = size / 1e6 / first.cpu
    row("push, input per core", f"{speed:.0f} MB/s ({first.cpu:.2f} s)",
        f"read and sha256sum {size / 1e6 / read.cpu:.0f} MB/s", f"{first.cpu / read.cpu:.1f}x its CPU", ">= 200 MB/s", speed >= 200)
    row("push, anonymous memory", f"{max(p.anon for p in pushes) / 1e6:.0f} MB", f"input {size / 1e6:.0f} MB", "-", "< 300 MB",
        max(p.anon for p in pushes) < 300e6)
    on_disk = tree_bytes(store) / STEPS
    row("size on disk", f"{on_disk:.1f} B/step", f"input {size / STEPS:.0f} B/step", f"{size / STEPS / on_disk:.1f}x smaller", "<= 36 B/step",
        on_disk <= 36)
    second = json.loads(measure(TSCOPE, "push", a, "--json", env=env).out)["pushes"][0]
    row("second push", f"{second['sent_object_count']} objects sent", "-", "-", "none", second["sent_object_count"] == 0)

    run_analyze(a, env)

    measure(TSCOPE, "push", b, env=env)
    row("nothing: /bin/true", f"{looped(50, '/bin/true', env=env) * 1e3:.2f} ms CPU", "-", "-", "-", None)
    beside_peer("diff", looped(50, TSCOPE, "diff", "a", "b", env=env), measure(PYTSCOPE, "diff", a, b).cpu if have_peer() else None, 5000)
    run_ranks(work)
    run_matrix(work)
    run_reduce(work)
    run_gate(work)
    run_trend(work)
    run_trend_peer(work)
    run_diff(work)
    run_imports(work)
    run_recordings(work)
    run_snapshot(work)

    sizes = {}
    for name, path in (("flat", flat), ("wide", wide)):
        where = os.path.join(work, name)
        measure(TSCOPE, "push", path, env=store_env(where))
        sizes[name] = tree_bytes(where)
    row("64 ranks x 200 steps on disk", f"{sizes['wide']:,} B", f"1 rank x 12,800: {sizes['flat']:,} B", f"{sizes['wide'] / sizes['flat']:.2f}x",
        "<= 2x", sizes["wide"] <= 2 * sizes["flat"])

    many, n = os.path.join(work, "many"), scaled(100_000, 1000)
    subprocess.run([os.path.join(BUILD, "bench_list"), many, str(n)], check=True, stdout=subprocess.DEVNULL)
    page = best(5, TSCOPE, "list", "--all-projects", env=store_env(many))
    row(f"list, a page of {n:,} runs", f"{page.wall * 1e3:.1f} ms wall", "-", "-", "< 50 ms", page.wall < 0.05)
    run_backup(work, many, n)
    ordered = best(9, TSCOPE, "list", "--all-projects", "-c", "name,loss.last,val_acc.best", "--sort", "-val_acc.best", env=store_env(many))
    chosen = best(9, TSCOPE, "list", "val_acc.best>0.9", "--all-projects", "-c", "name,loss.last,val_acc.best", "--sort", "-loss.last",
                  env=store_env(many))
    row(f"list, {n:,} runs, one metric as filter, sorted by another", f"{chosen.wall * 1e3:.0f} ms wall, {chosen.cpu * 1e3:.0f} ms CPU", "-", "-", "< 50 ms",
        chosen.wall < 0.05)
    opened = measure(TSCOPE, "list", "seeds.torch<5", "--all-projects", env=store_env(many))
    kept = best(9, TSCOPE, "list", "seeds.torch<5", "--all-projects", env=store_env(many))
    row(f"list, {n:,} runs, a fact as filter, by a new process", f"{kept.wall * 1e3:.0f} ms wall, {kept.cpu * 1e3:.0f} ms CPU",
        f"the first time, from the runs {opened.cpu * 1e3:.0f} ms CPU", f"{kept.cpu / opened.cpu:.2f}x its CPU", "< 150 ms CPU", kept.cpu < 0.15)
    limit = min(float(subprocess.run([os.path.join(BUILD, "bench_list"), many], capture_output=True, text=True, check=True).stdout) for _ in range(9))
    row(f"list, {n:,} runs sorted by a metric", f"{ordered.wall * 1e3:.0f} ms wall, {ordered.cpu * 1e3:.0f} ms CPU",
        f"reading the same records {limit:.0f} ms", f"{ordered.cpu * 1e3 / limit:.1f}x its CPU", "< 50 ms", ordered.wall < 0.05)

    run_walls(work, many, n)

    echo = subprocess.run([os.path.join(BUILD, "bench_echo"), str(min(1, STEPS / FULL))], capture_output=True, text=True, check=True).stdout
    calls = {}
    for line in echo.split("\n"):
        m = re.match(r"(.+), (\d) in flight\s+(\d+)\s+([\d.]+)\s+[\d.]+\s+([\d.]+)x", line)
        if m:
            calls[m.group(1), m.group(2)] = (m.group(4), m.group(3), float(m.group(5)))
    for (what, flight), (p50, rate, ratio) in calls.items():
        if what.startswith("tscoped"):
            bare = calls["bare echo", flight]
            # Calls that may read or write much use a thread of their own. Their goal is that of the other calls.
            judged = not what.endswith("by the pool")
            row(f"{what}, {flight} in flight", f"p50 {p50} us, {int(rate):,}/s", f"bare C-core echo {bare[0]} us, {int(bare[1]):,}/s",
                f"{ratio:.2f}x", "<= 1.3x" if judged else "-", ratio <= 1.3 if judged else None)


if __name__ == "__main__":
    main()
