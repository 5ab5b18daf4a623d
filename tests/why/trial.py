#!/usr/bin/env python3
"""Asks `tscope why` about pairs of real small trainings whose difference was planted, and prints a table by kind.

    PYTHON=... python3 tests/why/trial.py BUILD [--seed N] [--each N] [KIND...]

The pairs are drawn, with their labels, before anything is asked. PYTHON names a Python with the package and numpy. Each pair has a store and folders of
its own. `runs` and `steps` are medians; `times` is the median of steps beside those of one short run, to four steps behind the first difference.
`own` is the median of the seconds of the search itself, without its runs.
A variable that is gone is to be named, and nothing else; a fault that came once is drawn by one, too. pairs.py has other pairs."""
import argparse
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import lab  # noqa: E402

PYTHON = os.environ.get("PYTHON", sys.executable)
# What acts, and another value of it.
ACTS = {"lr": 0.11, "warmup": 7, "total": 190, "wd": 0.011, "momentum": 0.91, "smooth": 0.01, "eps": 1e-3, "dropout": 0.12, "clip": 0.29,
        "init_scale": 0.31, "seed_init": 11, "seed_data": 12, "seed_drop": 13, "batch": 14, "hidden": 20}
KINDS = {}


def kind(each):
    """Registers a function that draws a pair: (settings of A, of B, more of B's recording, the environment of the search, label)."""
    def put(f):
        KINDS[f.__name__] = (each, f)
        return f
    return put


def harmless(r, least=3):
    """Some settings without effect that differ as well."""
    keys = r.sample(sorted(lab.HARMLESS), r.randint(least, len(lab.HARMLESS)))
    return {k: lab.HARMLESS[k] for k in keys}


def facts(*keys, commit=None, later=None):
    """A label: the facts that make A into B."""
    return {"facts": sorted(("code.commit" if k == "code" else "config." + k if "." not in k else k) for k in keys), "commit": commit, "later": later}


@kind(14)
def one_setting(r, commits):
    key = r.choice(sorted(ACTS))
    return {}, {key: ACTS[key], **harmless(r)}, {}, {}, facts(key)


@kind(8)
def two_settings(r, commits):
    keys = r.sample(sorted(ACTS), 2)
    return {}, {**{k: ACTS[k] for k in keys}, **harmless(r)}, {}, {}, facts(*keys)


@kind(4)
def three_settings(r, commits):
    keys = r.sample(sorted(set(ACTS) - {"hidden"}), 3)
    return {}, {**{k: ACTS[k] for k in keys}, **harmless(r)}, {}, {}, facts(*keys)


@kind(6)
def only_together(r, commits):
    if r.random() < 0.5:
        return {}, {"gate_on": True, "gate_scale": r.choice([0.5, 0.9, 1.01]), **harmless(r)}, {}, {}, facts("gate_on", "gate_scale")
    return {"dropout": 0.0}, {"dropout": 0.1, **harmless(r)}, {}, {}, facts("dropout")


@kind(8)
def commit(r, commits):
    branch = r.choice(sorted(lab.GUILTY))
    return {}, harmless(r, 0) if r.random() < 0.7 else {}, {"commit": branch}, {}, facts("code", commit=commits[branch + ":guilty"])


@kind(6)
def commit_and_setting(r, commits):
    branch, key = r.choice(sorted(lab.GUILTY)), r.choice(sorted(set(ACTS) - {"hidden"}))
    return {}, {key: ACTS[key], **harmless(r)}, {"commit": branch}, {}, facts("code", key, commit=commits[branch + ":guilty"])


@kind(6)
def neutral_commits(r, commits):
    key = r.choice(sorted(ACTS))
    return {}, {key: ACTS[key], **harmless(r)}, {"commit": "neutral"}, {}, facts(key)


@kind(4)
def recorded_variable(r, commits):
    return {"hash_order": True}, {"hash_order": True, **harmless(r)}, {"env": {"PYTHONHASHSEED": str(r.randint(5, 90))}}, {}, facts("determinism.env.PYTHONHASHSEED")


@kind(6)
def two_steps(r, commits):
    key = r.choice(["lr", "wd", "momentum", "dropout", "clip", "seed_drop"])
    return {}, {key: ACTS[key], "late_scale": r.choice([1.1, 0.9]), **harmless(r)}, {}, {}, facts(key, later="config.late_scale")


@kind(5)
def patch(r, commits):
    return {}, harmless(r, 0), {"patch": r.choice(sorted(lab.GUILTY))}, {}, {"patch": True}


@kind(4)
def cannot_be_parted(r, commits):
    return {}, {"hidden": 18, "heads": 6, **harmless(r)}, {}, {}, {"parted": ["config.heads", "config.hidden"]}


@kind(6)
def variable_here(r, commits):
    env = {"LAB_INIT_MULT": r.choice(["1.0005", "0.99"])}
    return {}, harmless(r), {"env": env}, env, facts("session.environment.LAB_INIT_MULT")


@kind(5)
def late_variable_here(r, commits):
    env = {"LAB_LATE": "1.001"}
    return {}, harmless(r), {"env": env}, env, facts("session.environment.LAB_LATE")


@kind(6)
def variable_gone(r, commits):
    name = r.choice(["LAB_INIT_MULT", "LAB_LATE"])
    return {}, harmless(r), {"env": {name: "1.0005"}}, {}, {"gone": name}


@kind(6)
def flipped_once(r, commits):
    return {}, harmless(r), {"env": {"LAB_FLIP": f"{r.randint(0, 50)},{r.choice([1.5, -1.0])}"}}, {}, {"gone": "LAB_FLIP"}


@kind(4)
def setting_then_flip(r, commits):
    key = r.choice(["lr", "wd", "clip", "momentum"])
    return {}, {key: ACTS[key], **harmless(r)}, {"env": {"LAB_FLIP": f"{r.randint(30, 50)},1.5"}}, {}, {**facts(key), "then": True}


@kind(6)
def noise(r, commits):
    return {"jitter": 1e-4}, {"jitter": 1e-4, **harmless(r)}, {}, {}, {"noise": True}


@kind(6)
def noise_and_setting(r, commits):
    key = r.choice(["init_scale", "seed_init", "seed_data", "hidden", "batch"])
    return {"jitter": 1e-4}, {"jitter": 1e-4, key: ACTS[key], **harmless(r)}, {}, {}, facts(key)


def record(place, name, settings, more):
    """Records one side of a pair, as somebody would."""
    repo = os.path.join(place, "repo")
    lab.git(repo, "checkout", "-q", "-f", more.get("commit_id", "base"))
    if "patch" in more:
        name_, old, new = lab.GUILTY[more["patch"]][1]
        path = os.path.join(repo, name_)
        text = open(path, encoding="utf-8").read()
        open(path, "w", encoding="utf-8").write(text.replace(old, new, 1))
    config = os.path.join(place, name + ".json")
    with open(config, "w", encoding="utf-8") as f:
        json.dump(dict(lab.BASE, data=os.path.join(place, "data.bin"), **settings), f)
    env = dict(os.environ, OMP_NUM_THREADS="1", PYTHONHASHSEED="0", XDG_STATE_HOME=os.path.join(place, "state"))
    env.update(more.get("env", {}))
    ran = subprocess.run([PYTHON, "train.py", "--config", config, "--out", os.path.join(place, name)], cwd=repo, env=env, capture_output=True, text=True)
    lab.git(repo, "checkout", "-q", "-f", "base")
    if ran.returncode:
        raise RuntimeError(ran.stdout + ran.stderr)


def ask(build, place, env):
    """tscope why, as JSON."""
    words = [os.path.join(build, "tscope"), "--store", os.path.join(place, "store"), "why", "--json", "--quiet", "--no-push", "--yes",
             "--clone", os.path.join(place, "repo"), "--directory", os.path.join(place, "runs"), os.path.join(place, "A"), os.path.join(place, "B"),
             "--", PYTHON, "train.py", "--config", "{config-file}", "--out", "x"]
    ran = subprocess.run(words, cwd=place, env=dict(os.environ, XDG_STATE_HOME=os.path.join(place, "state"), **env), capture_output=True, text=True)
    if ran.returncode not in (0, 1, 3):
        raise RuntimeError(ran.stdout + ran.stderr)
    return json.loads(ran.stdout)


def score(label, said):
    """right, wrong or undecided, by the label."""
    first, last = said["causes"][0], said["causes"][-1]
    # Facts of one label may act from different steps on, and are several causes then.
    sets = said["causes"][:1] if label.get("later") or label.get("then") else said["causes"]
    found = sorted(f["path"] for c in sets for f in c["facts"])
    needed = sorted(f["path"] for c in sets for f in c["facts"] if f["needed"])
    undecided = not said["decided"] or said["only_here"]
    if "gone" in label:
        ok = first["found"] == "gone" and first["gone"] == ["the variable " + label["gone"]]
    elif "noise" in label:
        ok = first["found"] == "nondeterminism"
    elif "parted" in label:
        ok = first["found"] == "facts" and found == label["parted"]
    elif "patch" in label:  # its text may not have been recorded
        ok = first["found"] == "patch" or first["found"] == "facts" and found == ["code.patch_sha256"]
    else:
        ok = all(c["found"] == "facts" and not c["alone"] for c in sets) and found == needed == label["facts"]
        ok = ok and (label["commit"] is None or label["commit"] in [c["commit"] for c in sets])
        if label.get("later"):
            ok = ok and len(said["causes"]) == 2 and [f["path"] for f in last["facts"]] == [label["later"]] and last["step"] > 20
        elif label.get("then"):
            ok = ok and len(said["causes"]) == 2 and last["found"] == "gone" and last["gone"] == ["the variable LAB_FLIP"]
    return "right" if ok else "undecided" if undecided else "wrong"


EMPTY = {"right": 0, "wrong": 0, "undecided": 0, "runs": [], "steps": [], "times": [], "own": []}


def show(name, row):
    """Prints a row of the table."""
    def median(key):
        return statistics.median(row[key] or [0])

    n = row["right"] + row["wrong"] + row["undecided"]
    print(f"{name:22} {n:5} {row['right']:6} {row['wrong']:6} {row['undecided']:10} {median('runs'):5.1f} {max(row['runs'] or [0]):5} "
          f"{median('steps'):6.0f} {median('times'):6.1f} {median('own'):6.2f}", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--each", type=int, help="so many of each kind")
    parser.add_argument("kinds", nargs="*")
    args = parser.parse_intermixed_args()
    build, sums, whole = os.path.abspath(args.build), {}, dict(EMPTY)
    print(f"{'kind':22} {'pairs':>5} {'right':>6} {'wrong':>6} {'undecided':>10} {'runs':>5} {'most':>5} {'steps':>6} {'times':>6} {'own':>6}", flush=True)
    place = tempfile.mkdtemp(prefix="tscope-why-")
    try:
        commits = lab.make(os.path.join(place, "first"))
        for name, (each, draw) in KINDS.items():
            if args.kinds and name not in args.kinds:
                continue
            for i in range(args.each or each):
                r = random.Random(f"{args.seed} {name} {i}")
                pair = os.path.join(place, f"{name}-{i}")
                os.makedirs(pair)
                lab.git(place, "clone", "-q", os.path.join(place, "first"), os.path.join(pair, "repo"))
                with open(os.path.join(pair, "data.bin"), "wb") as f:
                    f.write(bytes((k * k * 31 + k * 7 + (k >> 3)) % 251 for k in range(20000)))
                a, b, more, now, label = draw(r, commits)
                more["commit_id"] = commits.get(more.get("commit", "base"))
                record(pair, "A", a, {})
                record(pair, "B", {**a, **b}, more)
                try:
                    said = ask(build, pair, now)
                except RuntimeError as error:
                    if "do not differ" in str(error):  # what was planted has no effect, as another order of a hash that is the same
                        shutil.rmtree(pair)
                        continue
                    said, got = None, "undecided"
                    print(f"  {name} {i}: {str(error).strip()[-300:]}", flush=True)
                if said:
                    got = score(label, said)
                    if got != "right":
                        print(f"  {name} {i}: {got}: label {label}; said: {said['sentence']} {[c['sentence'] for c in said['causes'][1:]]}", flush=True)
                row = sums.setdefault(name, {key: type(value)(value) for key, value in EMPTY.items()})
                row[got] += 1
                if said:
                    short = max(1, said["trials"][0]["run_step_count"]) if said["trials"] else 1
                    row["runs"].append(said["run_count"])
                    row["steps"].append(said["run_step_count"])
                    row["times"].append(said["run_step_count"] / short)
                    row["own"].append(said["search_s"])
                shutil.rmtree(pair)
            if name in sums:
                show(name, sums[name])
    finally:
        shutil.rmtree(place, ignore_errors=True)
    for row in sums.values():
        for key, value in whole.items():
            whole[key] = value + row[key]
    show("all", whole)
    return 1 if whole["wrong"] else 0


if __name__ == "__main__":
    sys.exit(main())
