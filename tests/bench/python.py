#!/usr/bin/env python3
"""How fast tscope is from Python: python.py BUILD [RUNS [VALUES [PEERS]]] (default 100000, 10000000, and a tenth of RUNS for peers).

Makes an environment with the package, numpy, polars and, where pip gives them, mlflow and trackio. Prints a row for the import of the package, the first answer, a table of RUNS runs, a
column of VALUES values beside numpy.load of the same ones, and for mlflow.search_runs over PEERS runs in SQLite with as many metrics, and trackio over a tenth of them. CPU is that of all processes."""
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
CLOCK = '''
import json, os, resource, sys, time
def cpu():
    own, others = resource.getrusage(resource.RUSAGE_SELF), 0.0
    for stat in __import__("glob").glob("/proc/[0-9]*/stat"):
        try:
            fields = open(stat).read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[1]) == os.getpid():
            others += (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return own.ru_utime + own.ru_stime + others
def timed(call, times=5):
    best = (9e9, 9e9)
    for _ in range(times):
        c, t = cpu(), time.perf_counter()
        result = call()
        best = min(best, (time.perf_counter() - t, cpu() - c))
    return (*best, result)
'''
RUNS = CLOCK + '''
import tscope
t = time.perf_counter()
tscope.runs(limit=1)
first = time.perf_counter() - t
wall, used, table = timed(lambda: tscope.runs(columns=["name", "id", "steps", "seeds.torch", "loss.last", "val_acc.best", "started"]), 3)
import polars
arrow, _, frame = timed(lambda: polars.DataFrame(table))
assert frame.height == len(table)
print(json.dumps({"first": first, "wall": wall, "cpu": used, "n": len(table), "arrow": arrow}))
'''
COLUMN = CLOCK + '''
import numpy, tscope
run = tscope.get("big")
wall, used, column = timed(lambda: run.column("loss"))
series, _, pair = timed(lambda: run.series("loss"), 3)
load, loaded, want = timed(lambda: numpy.load(sys.argv[1]))
assert (column == want).all() and (pair.values == want).all()
print(json.dumps({"wall": wall, "cpu": used, "series": series, "load": load}))
'''
MLFLOW = CLOCK + '''
import sqlite3, uuid, logging
logging.disable(logging.WARNING)
import mlflow
path, n = sys.argv[1], int(sys.argv[2])
mlflow.set_tracking_uri("sqlite:///" + path)
with mlflow.start_run() as run:
    mlflow.log_param("seed", 1)
    for name in ("loss", "val_loss", "val_acc", "grad_norm", "lr", "val_f1", "tokens"):
        mlflow.log_metric(name, 0.5)
# All others are copies of its rows, since the client needs minutes for so many.
db = sqlite3.connect(path)
for table in ("runs", "params", "metrics", "latest_metrics", "tags"):
    rows = db.execute(f"SELECT * FROM {table} WHERE run_uuid = ?", (run.info.run_id,)).fetchall()
    names = [d[1] for d in db.execute(f"PRAGMA table_info({table})")]
    at = names.index("run_uuid")
    db.executemany(f"INSERT INTO {table} VALUES ({','.join('?' * len(names))})",
                   ((*row[:at], f"{i:032x}", *row[at + 1:]) for i in range(n - 1) for row in rows))
db.commit()
wall, used, frame = timed(lambda: mlflow.search_runs(search_all_experiments=True, max_results=n), 1)
print(json.dumps({"wall": wall, "cpu": used, "n": len(frame)}))
'''
TRACKIO = CLOCK + '''
import datetime, sqlite3
from trackio.sqlite_storage import SQLiteStorage
n = int(sys.argv[1])
metrics = {name: 0.5 for name in ("loss", "val_loss", "val_acc", "grad_norm", "lr", "val_f1", "tokens")}
SQLiteStorage.bulk_log("bench", "run", [metrics], steps=[0], config={"seed": 1}, run_id="0" * 32)
# All others are copies of its rows, as of MLflow.
db = sqlite3.connect(SQLiteStorage.get_project_db_path("bench"))
for table in [row[0] for row in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]:
    names = [d[1] for d in db.execute(f"PRAGMA table_info({table})") if d[1] != "id"]
    if not {"run_name", "run_id"} <= set(names):
        continue
    for row in db.execute(f"SELECT {','.join(names)} FROM {table}").fetchall():
        rows = ([f"{i:032x}" if k == "run_id" else f"run{i}" if k == "run_name" else f"{i:032x}" if k == "log_id" else v for k, v in zip(names, row)] for i in range(1, n))
        db.executemany(f"INSERT INTO {table} ({','.join(names)}) VALUES ({','.join('?' * len(names))})", rows)
db.commit()
import trackio
def search():
    runs = list(trackio.Api().runs("bench"))
    return [(run.config, SQLiteStorage.get_logs("bench", run.name, run_id=run.id)[-1]["loss"]) for run in runs]
wall, used, found = timed(search, 1)
assert len(found) == n and found[-1][1] == 0.5
print(json.dumps({"wall": wall, "cpu": used, "n": n}))
'''
VALUES = '''
import numpy, sys
n, folder = int(sys.argv[1]), sys.argv[2]
values = numpy.exp(-numpy.arange(n) / n) + numpy.random.default_rng(1).normal(0, 0.01, n)
numpy.save(folder + "/big.npy", values)
with open(folder + "/big.csv", "w") as file:
    file.write("step,loss\\n")
    for at in range(0, n, 100000):
        part = values[at:at + 100000].tolist()
        file.write("".join(f"{i},{x!r}\\n" for i, x in enumerate(part, at)))
'''


def row(what, value, about=""):
    print(f"  {what:<52} {value:>14}  {about}", flush=True)


def ms(seconds):
    return f"{seconds * 1000:,.0f} ms" if seconds >= 0.1 else f"{seconds * 1000:.1f} ms"


class Environment:
    """A virtual environment with the package, and what the rows need."""

    def __init__(self, build):
        self.at = os.path.join(ROOT, "build", "bench", "python")
        self.python = os.path.join(self.at, "bin", "python")
        if not os.path.exists(self.python):
            subprocess.run([sys.executable, "-m", "venv", self.at], check=True)
        pip = [self.python, "-m", "pip", "install", "-q", "--disable-pip-version-check"]
        subprocess.run([*pip, "setuptools>=70.1", "wheel", "numpy", "polars"], check=True)
        self.trackio = subprocess.run([*pip, "trackio"], capture_output=True).returncode == 0
        self.mlflow = subprocess.run([*pip, "mlflow-skinny", "pandas", "sqlalchemy", "alembic"], capture_output=True).returncode == 0
        for leftover in glob.glob(os.path.join(ROOT, "python", "build")):
            shutil.rmtree(leftover)
        subprocess.run([*pip, "--no-build-isolation", "--no-deps", "--force-reinstall", os.path.join(ROOT, "python")], check=True,
                       env={**os.environ, "TSCOPE_WITH_PROGRAM": "no"})
        self.env = {**os.environ, "TSCOPE": os.path.join(os.path.abspath(build), "tscope"), "TSCOPE_PROJECT": "default"}

    def run(self, text, *words, **env):
        done = subprocess.run([self.python, "-c", text, *words], capture_output=True, text=True, env={**self.env, **env})
        if done.returncode:
            raise RuntimeError(done.stderr[-400:])
        return json.loads(done.stdout.splitlines()[-1]) if done.stdout.strip() else None

    def imports(self, module, times=10):
        """Returns the least seconds that an import adds to an empty program, and the least of its CPU."""
        def least(code):
            found = []
            for _ in range(times):
                text = f"import resource, time; t = time.perf_counter(); {code}; u = resource.getrusage(resource.RUSAGE_SELF); print([time.perf_counter() - t, u.ru_utime + u.ru_stime])"
                found.append(self.run(text))
            return [min(part) for part in zip(*found)]
        bare, full = least("pass"), least(f"import {module}")
        return full[0], full[1] - bare[1]


def main():
    build = sys.argv[1]
    runs, values = (int(sys.argv[i]) if len(sys.argv) > i else default for i, default in ((2, 100000), (3, 10000000)))
    peers = int(sys.argv[4]) if len(sys.argv) > 4 else max(runs // 10, 1)
    environment = Environment(build)
    print("tscope from Python", flush=True)
    for module in ("tscope", "mlflow" if environment.mlflow else None):
        if module:
            wall, cpu = environment.imports(module)
            row(f"import {module}", ms(wall), f"the least of 10; {ms(cpu)} of a core beyond an empty program; goal of tscope: 30 ms" if module == "tscope" else "")
    with tempfile.TemporaryDirectory(prefix="tscope-bench-", dir=os.environ.get("TMPDIR")) as work:
        store = os.path.join(work, "store")
        subprocess.run([os.path.join(build, "bench_list"), store, str(runs), "1"], check=True, stdout=subprocess.DEVNULL)
        project = next((p["project"] for p in json.loads(subprocess.run([environment.env["TSCOPE"], "projects", "--json", "--store", store],
                                                                        capture_output=True, check=True).stdout)["projects"] if p["name_count"]), "default")
        got = environment.run(RUNS, TSCOPE_STORE=store, TSCOPE_PROJECT=project)
        row("the first answer, with the start of the program", ms(got["first"]))
        row(f"tscope.runs() over {got['n']:,} runs, 7 columns", ms(got["wall"]), f"{ms(got['cpu'])} of cores; {got['wall'] / got['n'] * 1e6:.1f} us a run")
        row("  polars.DataFrame of it", ms(got["arrow"]))
        if environment.mlflow:
            try:
                peer = environment.run(MLFLOW, os.path.join(work, "mlflow.db"), str(peers), MLFLOW_ENABLE_ASYNC_LOGGING="false")
                ratio = (peer["wall"] / peer["n"]) / (got["wall"] / got["n"])
                row(f"mlflow.search_runs over {peer['n']:,} runs, SQLite", ms(peer["wall"]), f"{peer['wall'] / peer['n'] * 1e6:.1f} us a run, {ratio:.1f} times tscope's")
            except RuntimeError as why:
                row("mlflow.search_runs", "-", f"it does not run here: {str(why).splitlines()[-1][:80]}")
        if environment.trackio:
            some = max(peers // 10, 1)
            try:
                peer = environment.run(TRACKIO, str(some), TRACKIO_DIR=os.path.join(work, "trackio"))
                ratio = (peer["wall"] / peer["n"]) / (got["wall"] / got["n"])
                row(f"trackio: configuration and last loss of {peer['n']:,} runs", ms(peer["wall"]), f"{peer['wall'] / peer['n'] * 1e6:.1f} us a run, {ratio:.1f} times tscope's")
            except RuntimeError as why:
                row("trackio", "-", f"it does not run here: {str(why).splitlines()[-1][:80]}")
        row("wandb.Api().runs", "-", "it asks a server of W&B's, and reads no runs that were recorded offline")
        environment.run(VALUES, str(values), work)
        subprocess.run([environment.env["TSCOPE"], "push", "-q", "-p", "default", "-n", "big", "--store", os.path.join(work, "values"), os.path.join(work, "big.csv")], check=True,
                       stdout=subprocess.DEVNULL)
        got = environment.run(COLUMN, os.path.join(work, "big.npy"), TSCOPE_STORE=os.path.join(work, "values"))
        row(f"a column of {values:,} values", ms(got["wall"]), f"the least of 5; {ms(got['cpu'])} of cores; goal: 300 ms")
        row("  with its steps", ms(got["series"]))
        row("  numpy.load of the same values", ms(got["load"]), f"tscope takes {got['wall'] / got['load']:.1f} times as long")


main()
