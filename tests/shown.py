#!/usr/bin/env python3
"""Every command of tscope that a document shows in a block, or the help of a verb as an example, is run: shown.py BUILD.

They run in a folder in which lies what the documents speak of (runs, traces, snapshots, folders of other tools), each with a store of its
own, in which the names are that they use. A command may answer no, but it may not be refused (exit 2). What cannot run here is in NOT_HERE with the
reason; a line of it that no document has fails the test. Of the commands of other programs, and of ./dev, OTHERS says which test runs them; one that
it does not have fails. tests/readme.py holds what README.md and the tutorial print, and
tests/deploy/documented.py runs the documents for administrators.
"""
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile

BUILD = os.path.abspath(sys.argv[1])
TSCOPE = os.path.join(BUILD, "tscope")
ELSEWHERE = {"deploy/README.md", "docs/operations.md", "docs/security.md", "docs/tutorial.md"}  # documented.py and readme.py run them
STAND_FOR = {"4f1c2a": None, "COMMIT": "3f2a9c81d0"}  # None: an id of the store
NOT_HERE = {
    "tscope token make ci --role push --for speed --expires 30d": "tests/deploy/documented.py runs it on a server",
    "tscope token": "it needs a server",
    "tscope token revoke ci": "it needs a server",
    "tscope login runs.example.org": "it needs that host",
    "tscope export exp1 --file artifacts/model/MLmodel": "tests/web/mlflow_door.py asks it of a run of MLflow's client",
    "tscope login --ca ca.pem tls:host:9000 < token": "tests/deploy/documented.py runs it with the CA of its machine",
    "tscope logout": "nobody is logged in",
    "tscope salvage /var/lib/tscope/store saved": "tests/deploy/documented.py runs it on the store of a server",
    "tscope audit /var/lib/tscope/audit.log --on '*main' --since 7d": "it needs the log of a server; service/audit/test_audit.c reads one",
    "tscope audit /var/lib/tscope/audit.log --check": "it needs the log of a server; service/audit/test_audit.c reads one",
    "tscope show exp1 --output": "tests/launch/run.py asks it of runs that tscope run started",
    "tscope show exp1 --machine": "tests/launch/run.py asks it of runs that tscope run started",
    "tscope why base tuned -- python train.py --config {config-file}": "tests/why/run.py asks it of runs in a clone",
    "tscope why base tuned --runner 'srun -N1' -- python train.py --config {config-file}": "tests/why/runners.py has srun make runs, where it is installed",
    "tscope why base tuned --runner 'deploy/in-container.sh my-image' -- python train.py --config {config-file}": "tests/why/runners.py has podman make runs, where it is installed",
    "tscope why base tuned -- python train.py --lr {config.lr} --wd {config.wd}": "tests/why/run.py asks it of runs in a clone",
    "tscope why base tuned --dry-run -- python train.py --config {config-file}": "tests/why/run.py asks it of runs in a clone",
    "tscope bisect v1.0 main --steps 20 -- python train.py --out x": "tests/why/run.py asks it in a clone",
    "tscope bisect v1.0 main --judge ./final_loss.sh --noise 0.01 -- python train.py --out x": "tests/why/run.py asks it in a clone",
    "tscope bisect 2.1 2.4 --versions 2.1,2.2,2.3,2.4 -- ./in-venv {version} train.py": "tests/why/run.py asks it in a clone",
    "tscope gate --repro --golden golden.json -- python train.py": "tests/determinism/gate.py asks it in a clone",
    "tscope gate --repro --golden accepted.json --resume '--load {restart}' -- python train.py --save {restart}": "tests/determinism/gate.py asks it in a clone",
    "tscope golden update golden.json ./runs/exp2 --why 'larger vocabulary'": "it needs the file that make wrote; tests/determinism/gate.py updates one",
    "tscope repro-op exp1 --at 2:aten.mm.default > op.py": "tests/determinism/repro_op.py asks it of a run with calls",
    "tscope check-determinism -- python train.py": "tests/determinism/run.py asks it of loops in a clone",
    "tscope scaling one-gpu two-gpus eight-gpus": "tests/worlds.py runs it on runs of 1 to 8 ranks",
    "tscope scaling --json ./runs/np1 ./runs/np4": "tests/worlds.py runs it on runs of 1 to 8 ranks",
    "tscope whoami": "it needs a server",
    "tscope push --also tls:backup.example.org:7717 runs/exp1": "it needs that host; tests/engines/mirrors.py pushes into three stores",
    "tscope projects --json | jq '.projects[] | {project, sealed_bytes, sealed_limit_bytes}'": "it needs jq",
}
# The beginnings of commands of other programs, and what runs them.
OTHERS = {
    "sudo apt-get install": "tests/deploy/newcomer.py", "python3 -m venv": "tests/deploy/newcomer.py", "pip install build/release/package/tscope_ml-*.whl": "tests/deploy/newcomer.py", "pip install ./python": "tests/pasted.py",
    "sudo dpkg -i build/release/package/": "tests/deploy/deb.py", "./dev package": "tests/deploy/wheel.py, and tests/deploy/deb.py installs the packages",
    "scp build/static/tscope*": "it needs another host; tests/deploy/static.py runs the file in an empty folder",
    "claude mcp add": "it needs that program; tests/cli/serve.py asks as it asks",
    "./dev install": "tests/install.py", "./dev uninstall": "tests/install.py",
    "./dev demo": "tests/demo.py", "./dev test": "it runs this test", "./dev lint": "the test `lint`", "./dev rooms": "the test `lint` runs tests/rooms.py",
    "./dev attack": "the test `attack` runs its short form", "./dev fuzz": "each target replays its corpus as a test",
    "./dev bench": "it takes minutes, and measures", "./dev format": "it rewrites sources",
    "tscoped --store /srv/tscope &": "tests/demo.py starts a server so", "tscoped --store cluster:": "tests/engines/servers.py starts two so", "tscoped migrate": "tests/engines/migrate.py", "tscoped mirror": "tests/engines/mirrors.py", "export TSCOPE_SERVER=ssh://host": "service/rpc/test_ssh.c, with a daemon of ssh",
    "export TSCOPE_SERVER=tls:a.example.org:7443,": "tests/deploy/balancers.py, with servers of this machine",
    "apt-get install --no-install-recommends postgresql ceph-mon": "tests/deploy/cluster.py starts these packages", "deploy/cluster/cluster.sh": "tests/deploy/cluster.py", "deploy/cluster/backup.py": "tests/deploy/restore.py",
    "cc -O2 -I. -o train_bigram": "tests/record/example.py", "./train_bigram": "tests/record/example.py",
    "python train.py | tee log | tscope watch -": "tests/watch/run.py has watch read a pipe",
    "TSCOPE_PROGRAM=build/release/tscope python3 python/tests/sketch_": "they take hours, and measure",
}
OTHER_PROGRAM = r"(\./dev|deploy/cluster/\S+|\./train_bigram|sudo|apt-get|pip3?|python3?|cc|cmake|scp|export|tscoped|torchrun|docker|podman|curl|git|claude|TSCOPE_\w+=\S+) \S"
COMMITS = ["%010x" % (0x3f2a9c81d0 + i) + "a" * 30 for i in range(8)]


def steps(path, seed, n=60, start=0, lr=1e-3, commit=COMMITS[0], ranks=1, **run):
    for rank in range(ranks):
        folder = os.path.join(path, f"rank{rank}") if ranks > 1 else path
        os.makedirs(folder, exist_ok=True)
        with open(os.path.join(folder, "steps.jsonl"), "w", encoding="utf-8") as f:
            for step in range(start, n):
                f.write(json.dumps({"step": step, "timestamp": 1.79e9 + step * 0.1, "phases": {"forward": 0.03, "backward": 0.05, "optimizer": 0.01},
                                    "scalars": {"loss": 2 * math.exp(-step * lr * (50 + seed)), "lr": lr, "val_acc": step / 100, "val_bpb": 1 - step / 200,
                                                "reward": step * 0.1, "tokens": 1000 * (step + 1)},
                                    "memory": {"peak_alloc": 1 << 30}}) + "\n")
    with open(os.path.join(path, "run.json"), "w", encoding="utf-8") as f:
        json.dump({"name": os.path.basename(path), "config": {"lr": lr}, "world_size": ranks, "started": 1.79e9, "wall_time": n * 0.1}, f)
    with open(os.path.join(path, "facts.json"), "w", encoding="utf-8") as f:
        json.dump({"code": {"commit": commit}, "work": {"workload": "toy"}, "session": {"id": f"{os.path.basename(path)}", **run}}, f)


def lab_of(top):
    """Makes the folder in which commands run, with its store. Returns the environment."""
    lab = os.path.join(top, "lab")
    golden = os.path.join(os.getcwd(), "tests/golden")
    runs = {"exp1": {"ranks": 4}, "exp2": {}, "exp3": {}, "exp4": {}, "exp1-rerun": {"ranks": 4}, "base": {}, "new": {}, "a": {}, "b": {}, "ref": {},
            "ref-perturbed": {}, "base-1": {}, "base-2": {}, "exp9": {"commit": COMMITS[3]}, "pr-97": {"commit": COMMITS[4]},
            "pair-1": {"commit": COMMITS[1]}, "pair-2": {"commit": COMMITS[3]}, "main-812": {"commit": COMMITS[1]}, "nightly-0412": {},
            "reference": {}, "changed": {}, "rounding": {}}
    for seed, (name, more) in enumerate(runs.items()):
        steps(os.path.join(lab, "runs", name), seed % 3, **more)
    for name, parent in (("exp1-resumed", "exp1"), ("resumed", "base")):
        steps(os.path.join(lab, "runs", name), 0, n=80, start=50, parent=parent)
    for i in range(4):
        steps(os.path.join(lab, "branch", f"main-{i}"), i, commit=COMMITS[i % 2])
    for name in ("wandb/wandb", "mlflow/mlruns"):
        shutil.copytree(os.path.join(golden, name), os.path.join(lab, os.path.basename(name)))
    shutil.copytree(os.path.join(golden, "trace/job"), os.path.join(lab, "traces"))
    for folder in ("before", "after"):
        shutil.copytree(os.path.join(golden, "trace/job"), os.path.join(lab, folder))
    for copy, source in (("trace.json.gz", "demo.json.gz"), ("profiler_trace.json", "trace.json"), ("before.json.gz", "demo.json.gz"), ("after.json.gz", "demo.json.gz"),
                         ("before.json", "trace.json"), ("after.json", "slower.json"), ("runs/exp1/rank0/trace.json.gz", "demo.json.gz")):
        shutil.copy(os.path.join(golden, "trace", source), os.path.join(lab, copy))
    for copy, source in (("snapshot.pickle", "oom.pickle"), ("b8.pickle", "batch2.pickle"), ("b16.pickle", "batch4.pickle"), ("before.pickle", "batch2.pickle"),
                         ("after.pickle", "batch4.pickle"), ("runs/exp1/rank0/snapshot.pickle", "oom.pickle")):
        shutil.copy(os.path.join(golden, "snapshot", source), os.path.join(lab, copy))
    for name in ("a", "b"):
        os.makedirs(os.path.join(lab, name))
        summary = os.path.join(golden, "traceml/summary")
        shutil.copy(os.path.join(summary, sorted(os.listdir(summary))[0]), os.path.join(lab, name, "final_summary.json"))
    files = {"ci.policy": "GATE.must_catch = 5 %\n", "keep.policy": "RETENTION.branch = *: last 20, younger 30d\n", "token": "x\n",
             "my.log": "".join(f"step {i} loss {2 - i / 100} lr 0.001\n" + (f"eval at {i}: {2.1 - i / 100}\n" if i % 10 == 0 else "") for i in range(40))}
    for name, text in files.items():
        with open(os.path.join(lab, name), "w", encoding="utf-8") as f:
            f.write(text)
    keep = {k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")}
    env = dict(keep, PATH=BUILD + ":/usr/bin:/bin", HOME=lab, LOGNAME="ada", LC_ALL="C.UTF-8", NO_COLOR="1", COLUMNS="100", GIT_AUTHOR_NAME="ada", GIT_AUTHOR_EMAIL="a@b",
               GIT_COMMITTER_NAME="ada", GIT_COMMITTER_EMAIL="a@b")
    for command in ("git init -q . && git add my.log && git commit -q -m one", "tscope push -q runs", "tscope push -q --branch main branch/*",
                    "tscope push -q --branch nightly runs/nightly-0412", "tscope tag exp1 v1.0", "tscope tag exp4 best", "tscope rm -q branch:nightly",
                    "tscope restore branch:nightly", "tscope baseline --baseline main --bundle baselines.json", "tscope gate exp9 --baseline main --verdict verdict.json || true"):
        ran = run(command, lab, env)
        if ran.returncode:
            sys.exit(f"shown: '{command}' ended with {ran.returncode}: {ran.stdout}{ran.stderr}")
    return lab, env


def run(command, lab, env):
    return subprocess.run(["bash", "-c", command], cwd=lab, env=dict(env, HOME=lab), capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120)


def of_document(path):
    fenced = False
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        fenced ^= line.startswith("```")
        match = re.match(r"(?:    |\t)?(tscope .*)$", line.rstrip())
        if match and (fenced or line[0] in " \t"):
            yield f"{path}:{number}", re.split(r"\s{3,}|\s+# ", match.group(1))[0]


def others(path):
    """The commands of other programs in the blocks of a document."""
    fenced = None
    for number, line in enumerate(open(path, encoding="utf-8"), 1):
        if line.startswith("```"):
            fenced = line.strip("`\n ") if fenced is None else None
        match = re.match(r"(?:    |\t)?(?:host\$ *|you\$ *)?(.*)$", line.rstrip())
        if (fenced in ("", "sh", "bash", "console") or (fenced is None and line[0] in " \t")) and re.match(OTHER_PROGRAM, match.group(1)):
            yield f"{path}:{number}", match.group(1)


def unknown_others():
    used, documents = set(), ["README.md", "CONTRIBUTING.md", "python/README.md", "record/README.md", "record/example/README.md", "tests/gpu/README.md"]
    for document in documents + sorted("docs/" + name for name in os.listdir("docs") if name.endswith(".md")):
        for where, command in others(document) if document not in ELSEWHERE else ():
            known = [begin for begin in OTHERS if command.startswith(begin)]
            used.update(known)
            if not known:
                yield f"{where}: OTHERS does not say what runs '{command}'"
    yield from (f"OTHERS has '{begin}', which no document shows" for begin in OTHERS if begin not in used)


def of_help(verb, lab, env):
    text = run(f"tscope help {verb}", lab, env).stdout
    for line in text.partition("\nExamples\n")[2].split("\n"):
        if line.startswith("  tscope "):
            yield f"tscope help {verb}", re.split(r"\s{3,}", line.strip())[0]


def shown(lab, env):
    documents = ["README.md", "python/README.md", "record/README.md"] + sorted("docs/" + name for name in os.listdir("docs") if name.endswith(".md"))
    for document in documents:
        if document not in ELSEWHERE:
            yield from of_document(document)
    verbs = re.search(r'verbs="([^"]*)"', run("tscope help --completion bash", lab, env).stdout).group(1).split()
    for verb in verbs:
        yield from of_help(verb, lab, env)


# What has to be done before.
BEFORE = {"tscope push wandb/ mlruns/": "tscope rm -q resumed", "tscope restore exp1": "tscope rm -q exp1",
          "tscope restore branch:main --as old-main": "tscope rm -q branch:main",
          "tscope facts --raw exp1 session.patch | git apply": "sed -i 's/step 0 /step 9 /' my.log; tscope facts -o runs/exp1/facts.json --with-patch; "
                                                               "tscope push -q -f runs/exp1; git checkout -q my.log"}


def main():
    seen, failures, unused = {}, [], set(NOT_HERE)
    with tempfile.TemporaryDirectory(prefix="tscope-shown-") as top:
        lab, env = lab_of(top)
        some_id = json.loads(run("tscope show --json exp2", lab, env).stdout)["run"]["id"][:8]
        for where, command in shown(lab, env):
            if command.startswith("tscope reproduce "):
                continue  # it needs a repository, and starts trainings: python/tests/test_reproduce.py runs its forms
            if command.startswith("tscope run "):
                continue  # it starts trainings: tests/launch/run.py and python/tests/test_launch.py run its forms
            if command.startswith("tscope web"):
                continue  # it serves until it is ended: tests/web/run.py runs its forms
            if "tscope watch " in command and "--once" not in command:
                continue  # it goes on until the run ends: tests/watch/run.py runs its forms
            if command in NOT_HERE:
                unused.discard(command)
                continue
            if command in seen:
                continue
            seen[command] = where
            asked = command.replace(" ... ", " ").replace("'old-run' ...", "exp3")
            for word, stands in STAND_FOR.items():
                asked = re.sub(rf"\b{word}\b", stands or some_id, asked)
            here = dict(env, TSCOPE_STORE=os.path.join(top, "here"))
            shutil.copytree(os.path.join(lab, ".local/share/tscope/store"), here["TSCOPE_STORE"])
            for page in (name for name in os.listdir(lab) if name.endswith(".html")):
                os.remove(os.path.join(lab, page))  # it would not be replaced
            if command in BEFORE:
                run(BEFORE[command], lab, here)
            ran = run("set -o pipefail; " + asked, lab, here)
            if ran.returncode not in (0, 1, 3, 4):
                failures.append(f"{where}: '{command}' ended with {ran.returncode}: {(ran.stderr or ran.stdout).strip()}")
            shutil.rmtree(here["TSCOPE_STORE"])
    failures += unknown_others()
    failures += [f"NOT_HERE has '{command}', which nothing shows" for command in sorted(unused)]
    if failures:
        sys.exit("\n".join(failures))
    print(f"{len(seen)} commands of documents and of the help were run, {len(NOT_HERE)} are run elsewhere or need what is not here")


if __name__ == "__main__":
    main()
