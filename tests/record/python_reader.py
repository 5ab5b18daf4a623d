#!/usr/bin/env python3
"""python_reader.py BUILD: holds the reader of the Python package (_recording.py) to that of tscope: the cells of each step, and quantiles.

docs/decisions/0017-summary.md says why there are two."""
import csv
import glob
import importlib.util
import io
import json
import math
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def load(path):
    spec = importlib.util.spec_from_file_location("python_reader_module", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


READER = load(os.path.join(ROOT, "python/src/tscope/_recording.py"))


class Program:
    def __init__(self, build, work):
        self.program, self.work = os.path.join(os.path.abspath(build), "tscope"), work
        self.env = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8", "TZ": "UTC", "HOME": work, "XDG_DATA_HOME": work,
                    "XDG_CONFIG_HOME": work, "TSCOPE_STORE": os.path.join(work, "store"), "TSCOPE_PROJECT": "reader"}

    def ask(self, *words):
        done = subprocess.run([self.program, *words], cwd=self.work, env=self.env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, (words, done.returncode, done.stderr)
        return done.stdout


def cell(name, value):
    """A value of the reader as CSV has it: seconds for phases and regions, 16 digits for digests."""
    if name.startswith(("phases.", "regions.")):
        return value / 1e9
    return f"{value:016x}" if name.startswith("digests.") else value


def same(got, want):
    if isinstance(want, str):
        return got == want
    return math.isclose(float(got), want, rel_tol=1e-12, abs_tol=1e-15) or (math.isnan(float(got)) and math.isnan(want))


def check(program, directory, recording):
    """Compares what both say of one rank. Returns the number of cells."""
    read, cells = READER.read(recording), 0
    program.ask("push", "-q", "--force", "--name=run", directory)
    rows = {int(row["step"]): row for row in csv.DictReader(io.StringIO(program.ask("export", "-q", "--format=csv", "run")))
            if int(row["rank"]) == read.rank}
    assert sorted(rows) == sorted(read.times), (directory, sorted(rows)[:5], sorted(read.times)[:5])
    for step, row in rows.items():
        # A region stands in rows of its own in the file; tscope adds them up for the step.
        want = {name: cell(name, value) for name, value in read.steps[step].items()}
        for name, at, took in read.regions:
            if at == step:
                want[name] = want.get(name, 0) + took / 1e9
        got = {name: value for name, value in row.items() if value and name not in ("rank", "step", "timestamp")}
        assert set(got) == set(want), (directory, step, set(got) ^ set(want))
        for name, value in want.items():
            assert same(got[name], value), (directory, step, name, got[name], value)
            cells += 1
    return cells


def check_quantiles(program, directory, recording):
    """The median and the 95th percentile of the sums of phases are those of analyze, which has no warm-up in so few steps."""
    read = READER.read(recording)
    sums = [sum(value for name, value in cells.items() if name.startswith("phases.")) / 1e9 for cells in read.steps.values()]
    said = json.loads(program.ask("analyze", "--json", "--warmup=0", directory))["measures"]["timing"]["step"]
    for key, q in (("median_s", 0.5), ("p95_s", 0.95)):
        assert same(said[key], READER._quantile(sums, q)), (key, said[key], READER._quantile(sums, q))


def main():
    cells, golden = 0, os.path.join(ROOT, "tests/golden/recording")
    with tempfile.TemporaryDirectory() as work:
        program = Program(sys.argv[1], work)
        subprocess.run([os.path.join(os.path.abspath(sys.argv[1]), "tests/record/record_scene"), os.path.join(work, "scene")], check=True,
                       stdout=subprocess.DEVNULL)
        for top in (f"{golden}/run", f"{golden}/growing", os.path.join(work, "scene")):
            for path in glob.glob(f"{top}/**/recording.tscope", recursive=True):
                cells += check(program, os.path.dirname(path), path)
        check_quantiles(program, f"{golden}/run", f"{golden}/run/recording.tscope")
    print(f"{cells} cells and two quantiles are what tscope reads")


if __name__ == "__main__":
    main()
