#!/usr/bin/env python3
"""Bisects real histories of a small training whose steps become slower, or whose numbers become others, at one of 32 commits, and prints a table.

    PYTHON=... python3 tests/why/history.py BUILD [--seed N] [--each N] [--slower SHARE] [JUDGE...]

Each history is a repository of its own: a training that works for a while in each step, 31 commits that rename, comment and reorder, and one that
acts, drawn before anything is asked. The judges are diff, of the numbers, and step_time and cpu_time, of the gate: real times on this machine, as busy as it is.
`refused` is an answer that says why there is none: the ends are not told apart, or the machine drifted. PYTHON names a Python with the package."""
import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import lab  # noqa: E402

PYTHON = os.environ.get("PYTHON", sys.executable)
COMMITS = 32
JUDGES = ("diff", "step_time", "cpu_time")
# What a search that cannot decide says; whatever else ends one without an answer has failed.
REFUSALS = ("does not tell the good version from the bad one", "what is measured has drifted")
TRAIN = '''"""A training whose steps take some milliseconds each."""
import tscope

WORK = {work}
RATE = {rate}


def gradient(x, seed):
    total = 0.0
    for i in range(WORK):
        total += ((x * i + seed) % 7.0) * 1e-6
    return x - 1.0 + total * 1e-3


run = tscope.start("out")
x = 3.0
for step in range(60):
    with run.step(step):
        g = gradient(x, step)
        x -= RATE * g
        run.log(loss=(x - 1.0) ** 2)
run.finish()
{rest}'''


def history(folder, r, judge, slower):
    """Makes the repository; returns its commits, and the number of the one that acts."""
    lab.git(folder, "init", "-q", "-b", "main")
    guilty, commits, rest = r.randint(1, COMMITS), [], ""
    for i in range(COMMITS + 1):
        rest += r.choice(["# a remark {}\n", "UNUSED_{} = 1\n", "\n# {}\n"]).format(i)
        acts = i >= guilty
        text = TRAIN.replace("{work}", str(round(40000 * (1 + slower)) if acts and judge != "diff" else 40000))
        text = text.replace("{rate}", "0.1001" if acts and judge == "diff" else "0.1").replace("{rest}", rest)
        lab.write(folder, {"train.py": text})
        lab.git(folder, "add", "-A")
        lab.git(folder, "commit", "-qm", f"change {i}")
        commits.append(lab.git(folder, "rev-parse", "HEAD"))
    return commits, guilty


def ask(build, seed, judge, slower):
    top = tempfile.mkdtemp(prefix="tscope-history-")
    try:
        repo = os.path.join(top, "repo")
        os.makedirs(repo)
        commits, guilty = history(repo, random.Random(f"{seed} {judge}"), judge, slower)
        env = {**os.environ, "HOME": top, "TSCOPE_STORE": os.path.join(top, "store"), "XDG_STATE_HOME": os.path.join(top, "state")}
        words = ["--judge", "diff"] if judge == "diff" else ["--judge", "gate", "--metric", judge]
        ran = subprocess.run([os.path.join(build, "tscope"), "bisect", commits[0], commits[-1], "--json", "--no-push", *words, "--", PYTHON, "train.py"],
                             cwd=repo, env=env, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        said = json.loads(ran.stdout) if ran.stdout.startswith("{") else {}
        if "first" not in said:
            error = said.get("error")
            told = (error.get("message") if isinstance(error, dict) else error) or said.get("sentence") or ran.stdout[-300:] + ran.stderr[-300:]
            return "refused" if any(text in told for text in REFUSALS) else "failed", 0, told
        first, last = commits.index(said["first"]), commits.index(said["last"])
        kind = "right" if first == last == guilty else "range" if first <= guilty <= last else "wrong"
        return kind, said["run_count"], f"commit {guilty}, answer {first}..{last}: {said['sentence']}"
    finally:
        shutil.rmtree(top, ignore_errors=True)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("build")
    arguments.add_argument("judges", nargs="*", default=list(JUDGES))
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--each", type=int, default=5)
    arguments.add_argument("--slower", type=float, default=0.08)
    asked = arguments.parse_intermixed_args()
    print(f"{COMMITS} commits; times {100 * asked.slower:.0f} % longer from one on; seeds {asked.seed} to {asked.seed + asked.each - 1}")
    failed = 0
    for judge in asked.judges:
        count, runs = {"right": 0, "range": 0, "wrong": 0, "refused": 0, "failed": 0}, []
        for seed in range(asked.seed, asked.seed + asked.each):
            kind, n, told = ask(os.path.abspath(asked.build), seed, judge, asked.slower)
            count[kind] += 1
            runs.append(n)
            print(f"  {judge} {seed}: {kind}, {n} runs: {told}", flush=True)
        made = sorted(n for n in runs if n)
        print(f"{judge:10} " + "  ".join(f"{kind} {count[kind]}" for kind in count) + f"  median of runs {made[len(made) // 2] if made else '-'}", flush=True)
        failed += count["failed"]
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
