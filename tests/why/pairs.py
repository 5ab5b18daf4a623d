#!/usr/bin/env python3
"""A hundred pairs of real small trainings with planted causes, drawn by somebody who had not seen the driver: pairs.py BUILD [--seed N] [KIND...].

    PYTHON=... python3 tests/why/pairs.py build/release --seed 20261129 --half unseen

The labels are drawn first; then each pair is made in a repository of its own, `tscope why --yes` is asked about it, and its answer is held against the label: right, wrong, or
undecided (which has to name what lacks). A third of the pairs is hidden (variables and files that are gone or were put back, libraries), noisy, or had a fault that came once.
Each kind is cut into two halves; the rules were mended on seeing one of them. PYTHON names a Python with the package and numpy; pairs of torch are left out where it has none.
Beside that stand medians: runs, steps, `times`, which is all steps beside those of a run to four steps behind the first difference, `short`, the same without runs to the end, of
which one alone is `end`; and `own`, the seconds of a run that tscope took for itself, from a clock around it: all of its time but that of the runs."""
import argparse
import array
import json
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from pairs_sources import CULPRITS, DATA, KERNELS, MATHLIB, MODEL, NEUTRAL, NOISE, OPTIM, SETTINGS, TCULPRITS, TNEUTRAL, TRAIN, TTRAIN  # noqa: E402

PY = os.environ.get("PYTHON", sys.executable)
PLACE = {}


def environment():
    """What every program of a pair is started with, so that nothing differs but what was planted."""
    return {"PATH": f"{os.path.dirname(PY)}:/usr/bin:/bin", "HOME": PLACE["top"], "LANG": "C.UTF-8", "TSCOPE_STORE": PLACE["top"] + "/store",
            "GIT_AUTHOR_NAME": "x", "GIT_AUTHOR_EMAIL": "x@x", "GIT_COMMITTER_NAME": "x", "GIT_COMMITTER_EMAIL": "x@x"}


INERT = {"log_level": ("info", "debug"), "run_tag": ("a", "b"), "cache_mb": (64, 128), "retries": (3, 5), "owner": ("u1", "u2"), "color": ("red", "blue"),
         "queue_depth": (4, 8), "alpha_note": (0.1, 0.2), "mix_label": ("x", "y"), "hist_bins": (10, 30), "report_to": ("csv", "none"), "tune_id": (1, 9),
         "dropout_log": (False, True), "lr_note": ("none", "swept")}
ACT = {"lr": (0.05, 0.051), "momentum": (0.9, 0.91), "wd": (0.001, 0.002), "init": (1.0, 1.01), "hidden": (16, 17), "clip": (1.0, 0.2), "smooth": (0.0, 0.01),
       "batch": (16, 15), "warmup": (8, 9), "decay_at": (20, 19), "decay_by": (0.5, 0.6), "drop": (0.0, 0.1), "seed_init": (1, 2), "seed_data": (1, 3)}
BASE = {**{k: v[0] for k, v in ACT.items()}, **{k: v[0] for k, v in INERT.items()}, "din": 8, "mix_on": False, "mix_scale": 1.0, "seed_drop": 1, "data": "",
        "resume": None, "save": 0, "save_to": "", "steps": 40, "atomics": 0.0, "atomics_size": 1e-6}
TACT = {"lr": (0.003, 0.0031), "b2": (0.95, 0.96), "wd": (0.1, 0.2), "eps": (1e-8, 1e-6), "warmup": (5, 6), "clip": (1.0, 0.1), "smooth": (0.0, 0.01), "seed_init": (1, 2),
        "seed_data": (1, 2), "batch": (8, 7), "d": (16, 20)}
TBASE = {**{k: v[0] for k, v in TACT.items()}, **{k: v[0] for k, v in INERT.items()}, "drop": 0.0, "layers": 2, "gate_on": False, "gate_scale": 1.0, "seed_drop": 1,
         "resume": None, "resume_without": "none", "save": 0, "save_to": "", "steps": 25, "atomics": 0.0, "atomics_size": 1e-5, "recorder": True}

def draw(seed):
    r = random.Random(seed); P = []
    def add(kind, group, label, n=1, **k):
        P.append(dict(kind=kind, group=group, label=label, **k))
    def inert(lo=3, hi=11): return {k: INERT[k][1] for k in r.sample(sorted(INERT), r.randint(lo, hi))}
    def keys(n, t=False, no=()):
        a = TACT if t else ACT
        return {k: a[k][1] for k in r.sample(sorted(set(a) - set(no)), n)}
    def style(): return r.choice(["file", "file", "flags"])
    c = lambda d: sorted("config." + k for k in d)
    for i in range(11):
        k = keys(1); add("key_of_twelve", "plain", c(k), b={**inert(11, 11), **k}, style=style())
    for i in range(5):
        k = keys(2); add("two_keys", "plain", c(k), b={**inert(), **k}, style=style())
    for i in range(4):
        k = {"mix_on": True, "mix_scale": r.choice([0.5, 0.9, 1.1])}; add("only_together", "plain", c(k), b={**inert(), **k}, style=style())
    for i in range(2):
        k = {"mix_on": True, "mix_scale": 0.7, **keys(1)}; add("together_and_key", "plain", c(k), b={**inert(), **k}, style="file")
    cul = [x for x in CULPRITS if not x.startswith("resume")]
    r.shuffle(cul)
    for i in range(10):
        add("code_of_16", "plain", ["code:" + cul[i % len(cul)]], b=inert(0, 6), style=style(), culprit=cul[i % len(cul)], at=r.randint(1, 16))
    for i in range(3):
        x = cul[(i * 3) % len(cul)]; k = keys(1); add("code_and_key", "plain", sorted(c(k) + ["code:" + x]), b={**inert(0, 5), **k}, style="file", culprit=x, at=r.randint(1, 16))
    for i in range(2):
        k = keys(1); add("neutral_code_and_key", "plain", c(k), b={**inert(0, 5), **k}, style="file", culprit=None, at=16)
    for i in range(3): add("patch", "plain", ["patch"], b=inert(0, 5), style="file", patch=cul[i])
    for i in range(2):
        add("resume_code", "plain", ["code:" + ["resume_momentum", "resume_sampler"][i]], b=inert(0, 4), style="file", culprit=["resume_momentum", "resume_sampler"][i],
            at=r.randint(1, 16), both_resume=True)
    for i in range(2): add("lib_slot", "plain", ["lib"], b=inert(0, 4), style="file", lib="slot")
    for i in range(2): add("lib", "hidden", ["lib"], b=inert(0, 4), style="file", lib="plain")
    for i in range(2): add("late_key_and_key", "plain", ["config.decay_at", "config.wd"], b={**inert(0, 6), "wd": 0.003, "decay_at": 17 + i}, style="file")
    # hidden, noisy, one-off
    for i in range(3): add("env_here", "hidden", ["env.LAB_GAIN"], b=inert(0, 5), style=style(), envb={"LAB_GAIN": "1.001"}, now="b")
    for i in range(3): add("env_gone", "hidden", ["env.LAB_GAIN"], b=inert(0, 5), style=style(), envb={"LAB_GAIN": "1.001"}, now="a")
    for i in range(2): add("late_env_gone", "hidden", ["env.LAB_LATE"], b=inert(0, 5), style="file", envb={"LAB_LATE": "1.01"}, now="a")
    for i in range(3): add("file_replaced", "hidden", ["file"], b=inert(0, 5), style="file", file="b", now="b")
    for i in range(3): add("file_put_back", "hidden", ["file"], b=inert(0, 5), style="file", file="b", now="a")
    for i in range(3): add("noise_only", "noisy", ["nondeterminism"], b={**inert(0, 5)}, style="file", a={"atomics": 1.0, "atomics_size": r.choice([1e-7, 1e-5, 1e-3])})
    for i in range(3):
        k = keys(1, no=("clip", "decay_at", "decay_by", "warmup", "wd")); add("noise_and_key", "noisy", c(k), b={**inert(0, 5), **k}, style="file", a={"atomics": 1.0, "atomics_size": 1e-6})
    for i in range(2): add("rare_noise", "noisy", ["nondeterminism"], b=inert(0, 5), style="file", a={"atomics": 0.05, "atomics_size": 1e-5})
    for i in range(5): add("flip", "oneoff", ["one_off"], b=inert(0, 5), style=style(), flip=r.randint(2, 35))
    for i in range(2):
        k = keys(1, no=("decay_at", "decay_by")); add("key_then_flip", "oneoff", c(k) + ["second"], b={**inert(0, 5), **k}, style="file", flip=r.randint(22, 35))
    k = keys(1, no=("decay_at", "decay_by")); add("key_then_env_here", "hidden", c(k) + ["env.LAB_LATE"], b={**inert(0, 5), **k}, style="file", envb={"LAB_LATE": "1.02"}, now="b")
    # torch
    for i in range(3):
        k = keys(1, True); add("t_key", "plain", c(k), torch=True, b={**inert(8, 11), **k}, style="file")
    for i in range(2):
        k = keys(1, True, no=("batch", "d")); add("t_key_auto", "plain", c(k), torch=True, auto=True, a={"recorder": False}, b={**inert(3, 5), **k}, style="flags")
    add("t_together", "plain", ["config.gate_on", "config.gate_scale"], torch=True, b={**inert(3, 6), "gate_on": True, "gate_scale": 0.8}, style="file")
    for x in ("eps", "warm", "data"): add("t_code", "plain", ["code:" + x], torch=True, b=inert(0, 4), style="file", culprit=x, at=r.randint(1, 16))
    for i in range(2): add("t_threads", "plain", ["OMP_NUM_THREADS"], torch=True, b=inert(0, 4), style="file", enva={"OMP_NUM_THREADS": "1"}, envb={"OMP_NUM_THREADS": "2"}, now="a")
    for w in ("optimizer", "data"): add("t_resume", "plain", ["resume:" + w], torch=True, b={**inert(0, 4), "resume_without": w}, style="file", resume=12)
    add("t_resume_code", "plain", ["code:resume_opt"], torch=True, b=inert(0, 3), style="file", culprit="resume_opt", at=r.randint(1, 16), both_resume=True)
    add("t_noise_flagged", "noisy", ["nondeterminism"], torch=True, a={"atomics": 1.0}, b=inert(0, 4), style="file")
    k = keys(1, True, no=("eps", "clip")); add("t_noise_flagged_key", "noisy", c(k), torch=True, a={"atomics": 1.0}, b={**inert(0, 4), **k}, style="file")
    add("t_flip", "oneoff", ["one_off"], torch=True, b=inert(0, 3), style="file", flip=r.randint(3, 20))
    for i in range(2):
        k = keys(1, True); add("r_key", "plain", c(k), torch=True, ranks=2, b={**inert(5, 8), **k}, style="file")
    add("r_code", "plain", ["code:gelu"], torch=True, ranks=2, b=inert(0, 3), style="file", culprit="gelu", at=r.randint(2, 15))
    add("r_flip", "oneoff", ["one_off"], torch=True, ranks=2, b=inert(0, 3), style="file", flip=r.randint(3, 20))
    add("r_noise", "noisy", ["nondeterminism"], torch=True, ranks=2, a={"atomics": 1.0, "atomics_size": 1e-4}, b=inert(0, 3), style="file")
    r.shuffle(P)
    for i, p in enumerate(P): p["name"] = f"{i:03d}_{p['kind']}"; p["half"] = "look"
    # halves by kind, alternating, so that each half has each kind that has two
    seen = {}
    for p in P:
        n = seen.get(p["kind"], r.randint(0, 1)); p["half"] = "look" if n % 2 == 0 else "unseen"; seen[p["kind"]] = n + 1
    return P


def sh(cwd, *w, env=None, ok=True):
    x = subprocess.run(w, cwd=cwd, env={**environment(), **(env or {})}, capture_output=True, text=True)
    if ok and x.returncode: raise SystemExit(f"{cwd}: {w}: {x.stdout}{x.stderr}")
    return x.stdout

def edit(repo, e, must=True):
    f, a, b = e; path = os.path.join(repo, f)
    if a is None:
        os.makedirs(os.path.dirname(path), exist_ok=True); open(path, "w").write(b); return True
    t = open(path).read()
    if a not in t:
        assert not must, e
        return False
    open(path, "w").write(t.replace(a, b)); return True

def make(top, p, r):
    d = f"{top}/{p['name']}"; repo = d + "/repo"; shutil.rmtree(d, ignore_errors=True); os.makedirs(repo)
    t = p.get("torch")
    files = {"train.py": TTRAIN, "kernels.py": KERNELS, "settings.py": SETTINGS} if t else {"data.py": DATA, "model.py": MODEL, "optim.py": OPTIM, "train.py": TRAIN, "settings.py": SETTINGS, "noise.py": NOISE}
    if not t and not p.get("lib"): files["mathlib.py"] = MATHLIB.format(version="1.0", arg="x")
    for f, x in files.items(): open(f"{repo}/{f}", "w").write(x)
    open(f"{repo}/.gitignore", "w").write("runs/\n__pycache__/\n")
    sh(repo, "git", "init", "-q", "-b", "main"); sh(repo, "git", "add", "-A"); sh(repo, "git", "commit", "-qm", "first")
    commit_a = sh(repo, "git", "rev-parse", "HEAD").strip(); commit_b = commit_a; p["commit"] = None
    if "at" in p:
        neutral = [e for e in (TNEUTRAL if t else NEUTRAL)]; r.shuffle(neutral); n = 0
        while n < 16:
            if n + 1 == p["at"] and p["culprit"]:
                edit(repo, (TCULPRITS if t else CULPRITS)[p["culprit"]])
            elif not edit(repo, neutral.pop(), must=False): continue
            n += 1; sh(repo, "git", "add", "-A"); sh(repo, "git", "commit", "-qm", f"change {n}", "--allow-empty")
            if n == p["at"] and p["culprit"]: p["commit"] = sh(repo, "git", "rev-parse", "HEAD").strip()
        commit_b = sh(repo, "git", "rev-parse", "HEAD").strip()
    base = dict(TBASE if t else BASE); ca = {**base, **p.get("a", {})}; cb = {**ca, **p["b"]}
    ea, eb = dict(p.get("enva", {})), dict(p.get("envb", {}))
    if p.get("flip"):
        ea["LAB_MACHINE"] = eb["LAB_MACHINE"] = d + "/machine"
    if p.get("file"):
        os.makedirs(d + "/data"); ca["data"] = cb["data"] = d + "/data/train.bin"
        numbers = array.array("f", (r.gauss(0, 1) for _ in range(256 * 8)))
        open(d + "/data/a", "wb").write(numbers.tobytes())
        numbers[17 * 8 + 3] += 1
        open(d + "/data/b", "wb").write(numbers.tobytes())
        shutil.copy(d + "/data/a", ca["data"])
    cmd = [PY, "-m", "tscope"] if p.get("auto") else [PY]
    if p.get("ranks"): cmd = [PY, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]
    cmd += ["train.py"]
    if p.get("lib"):
        for v, arg in (("1.0", "x"), ("2.0", "x * np.float32(1.0001)")):
            l = f"{d}/lib-{v}"; os.makedirs(f"{l}/mathlib-{v}.dist-info"); open(l + "/mathlib.py", "w").write(MATHLIB.format(version=v, arg=arg))
            open(f"{l}/mathlib-{v}.dist-info/METADATA", "w").write(f"Metadata-Version: 2.1\nName: mathlib\nVersion: {v}\n")
        ea["PYTHONPATH"], eb["PYTHONPATH"] = d + "/lib-1.0", d + "/lib-2.0"
    if p.get("both_resume") or p.get("resume"):
        ck = d + "/at.ckpt"; first = {**ca, "save": p.get("resume", 12), "save_to": ck, "steps": p.get("resume", 12) + 1}
        json.dump(first, open(d + "/first.json", "w"))
        sh(repo, "git", "checkout", "-q", commit_a)
        sh(repo, *cmd, "--config", d + "/first.json", "--out", d + "/runs/first", env=ea)
        if p.get("both_resume"): ca["resume"] = cb["resume"] = ck
        else: cb["resume"] = ck; cb["save"] = 0
    def record(side, c, env, commit):
        json.dump(c, open(f"{d}/{side}.json", "w"))
        sh(repo, "git", "checkout", "-q", commit)
        if side == "B" and p.get("patch"): edit(repo, CULPRITS[p["patch"]])
        words = ["--config", f"{d}/{side}.json"] if p["style"] == "file" else [w for k, v in c.items() for w in ("--" + k, v if isinstance(v, str) else json.dumps(v))]
        words += ["--out", f"{d}/runs/{side}"]
        x = [*cmd, *words]
        if p.get("auto"): x = [PY, "-m", "tscope", "--directory", f"{d}/runs/{side}", "train.py", *words]
        e = {**env}
        if p.get("flip") and side == "B": open(d + "/machine", "wb").write(b"x" * (p["flip"] + 1))
        sh(repo, *x, env=e)
        if os.path.exists(d + "/machine"): os.remove(d + "/machine")
        if side == "B" and p.get("patch"): sh(repo, "git", "checkout", "-q", ".")
    record("A", ca, ea, commit_a)
    if p.get("file"): shutil.copy(d + "/data/b", cb["data"])
    record("B", cb, eb, commit_b)
    if p.get("file") and p["now"] == "a": shutil.copy(d + "/data/a", ca["data"])
    sh(repo, "git", "checkout", "-q", "main")
    slots = ["--config", "{config-file}"] if p["style"] == "file" else [w for k in ca for w in ("--" + k, "{config." + k + "}")]
    p["command"] = (["/usr/bin/env", "PYTHONPATH={session.env.PYTHONPATH}"] if p.get("lib") == "slot" else []) + cmd + slots
    p["now_env"] = eb if p.get("now") == "b" else ea
    if p.get("lib"): p["now_env"] = ea
    return d


def ask(build, d, p):
    """Returns the exit code and the answer of tscope why."""
    words = [os.path.join(build, "tscope"), "why", "--yes", "--json", "--quiet", "--no-push", "--limit", "120s", "--budget", "60", "-d", d + "/why", d + "/runs/A", d + "/runs/B", "--",
             *p["command"]]
    ran = subprocess.run(words, cwd=d + "/repo", env={**environment(), **p["now_env"]}, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return json.loads(ran.stdout)


def name_of(path):
    """The name that labels have for a recorded path, or for a thing that is gone."""
    variable = re.search(r"(?:session\.environment|session\.env|determinism\.env)\.(\w+)$|^the variable (\w+)$", path)
    if variable:
        name = variable[1] or variable[2]
        return "lib" if name == "PYTHONPATH" else name if name.startswith("OMP") else "env." + name
    if path == "libraries.mathlib" or path == "the package mathlib":
        return "lib"
    return "file" if path.startswith("the file ") else path


def score(p, said):
    """right, wrong or undecided, and what was named."""
    if "causes" not in said:  # refused with a sentence: the record lacks what a slot of the command needs
        return "undecided", []
    named, code = [], [x for x in p["label"] if x.startswith("code:")]
    for c in said["causes"]:
        for f in c["facts"] if c["found"] == "facts" else []:
            if f["path"] not in ("code.commit", "code.patch_sha256"):
                named.append(name_of(f["path"]))
            elif p["kind"] == "patch":
                named.append("patch")
            else:
                named += code if c["commit"] == p["commit"] and not c["commit_last"] else ["another commit"]
        if c["found"] == "gone":
            named += [name_of(g) for g in c["gone"]]
        elif c["found"] != "facts":
            named.append(c["found"])
    named, want = sorted(set(named)), p["label"]
    if "second" in want:  # the later fault that came once
        want = sorted("one_off" if x == "second" else x for x in want)
    if want[0].startswith("resume:"):
        want = ["config.resume", "config.resume_without"]
    if named == want:
        return "right", named
    return "wrong" if said["decided"] and "not_again" not in named and "undecided" not in named else "undecided", named


def cost(p, said):
    """What an answer cost: runs, steps, the same by times of a run to four steps behind the first difference, and the search's own seconds a run."""
    if not said.get("trials"):
        return {}
    steps, once = said["run_step_count"], min(c["step"] for c in said["causes"]) + 4
    ends = sum(t["run_step_count"] for t in said["trials"] if t["reason"] in ("to_the_end", "often"))
    return {"runs": said["run_count"], "steps": steps, "times": steps / once, "short": (steps - ends) / once, "end": max(t["run_step_count"] for t in said["trials"]) / once,
            "own": p["own_s"] / said["run_count"]}


def asked(build, top, i, p):
    """Makes a pair and asks about it. Returns the line that is kept of it."""
    d = make(top, p, random.Random(1000 + i))
    began = time.monotonic()
    said = ask(build, d, p)
    p["own_s"] = time.monotonic() - began - said.get("took_s", 0)
    got, named = score(p, said)
    shutil.rmtree(d)
    return {"name": p["name"], "kind": p["kind"], "group": p["group"], "label": p["label"], "got": got, "named": named, "sentence": said.get("sentence") or str(said),
            "trials": [[t["reason"], t["run_step_count"], t["result"]] for t in said.get("trials", [])], **cost(p, said)}


def kept(path):
    """The lines of a file of answers, by the name of their pair."""
    if not path or not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as f:
        return {line["name"]: line for line in map(json.loads, f)}


COSTS = {"runs": "{:.1f}", "steps": "{:.0f}", "times": "{:.1f}", "short": "{:.1f}", "end": "{:.1f}", "own": "{:.2f}"}


def show(name, group, lines):
    """Prints a row of the table: how many came out how, and the medians of what they cost."""
    found = [sum(line["got"] == word for line in lines) for word in ("right", "wrong", "undecided")]
    costs = [form.format(statistics.median(line[key] for line in lines if key in line)) if any(key in line for line in lines) else "-" for key, form in COSTS.items()]
    print(f"{name:22} {group:8} {found[0]:6} {found[1]:6} {found[2]:10} " + " ".join(f"{c:>6}" for c in costs), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--seed", type=int, default=20261129)
    parser.add_argument("--half", choices=("look", "unseen", "all"), default="all")
    parser.add_argument("--answers", metavar="FILE", help="keep each answer as a line of this file; pairs that it has are not asked again, so many slices make one table")
    parser.add_argument("--most", type=int, help="ask at most so many pairs now")
    parser.add_argument("kinds", nargs="*")
    args = parser.parse_args()
    build, PLACE["top"] = os.path.abspath(args.build), tempfile.mkdtemp(prefix="tscope-pairs-")
    has_torch = subprocess.run([PY, "-c", "import torch"], capture_output=True).returncode == 0
    lines, now = kept(args.answers), 0
    try:
        for i, p in enumerate(draw(args.seed)):
            if (args.half not in ("all", p["half"])) or (args.kinds and p["kind"] not in args.kinds) or (p.get("torch") and not has_torch) or p["name"] in lines:
                continue
            if now == args.most:
                print(f"not all were asked: this is of {len(lines)} pairs", flush=True)
                break
            now += 1
            line = lines[p["name"]] = asked(build, PLACE["top"], i, p)
            if args.answers:
                with open(args.answers, "a", encoding="utf-8") as f:
                    f.write(json.dumps(line) + "\n")
            if line["got"] != "right":
                print(f"  {line['name']}: {line['got']}: label {line['label']}, named {line['named']}: {line['sentence']}", flush=True)
    except KeyboardInterrupt:
        print("interrupted: this is of the pairs that were asked before", flush=True)
    finally:
        shutil.rmtree(PLACE["top"], ignore_errors=True)
    print(f"{'kind':22} {'group':8} {'right':>6} {'wrong':>6} {'undecided':>10} " + " ".join(f"{key:>6}" for key in COSTS))
    of_kind = {}
    for line in lines.values():
        of_kind.setdefault((line["kind"], line["group"]), []).append(line)
    for (kind, group), some in sorted(of_kind.items()):
        show(kind, group, some)
    show("all", "", list(lines.values()))
    # What runs to the end cost is the training's: a run to the end, beside one to four steps behind the first difference.
    costs = [line for line in lines.values() if "end" in line]
    show("end at most 4 times", "", [line for line in costs if line["end"] <= 4])
    show("end further away", "", [line for line in costs if line["end"] > 4])
    return 1 if any(line["got"] == "wrong" for line in lines.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
