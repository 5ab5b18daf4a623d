#!/usr/bin/env python3
"""The word on the screen works: names.py [BUILD].

A git repository with the folders that Hydra makes, sweeps, and a folder of runs is pushed to a store, with tags and branches. Then every
name that list prints, and every word that TAB gives in bash, is given to every verb that takes names, against the local store and against a
server: none may be refused, and each has to be the run that it is the name of. Also: ends of names, paths as they are typed, globs,
searches, and what is refused with which hint.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

BUILD = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else os.environ.get("TS_BUILD", "build/dev"))
TSCOPE = os.path.join(BUILD, "tscope")
RUNS = ["outputs/2026-11-28/10-11-12", "outputs/2026-11-28/23-59-01", "outputs/2026-11-29/10-11-12", "multirun/2026-11-29/09-00-00/0",
        "multirun/2026-11-29/09-00-00/1", "multirun/2026-11-29/09-00-00/2", "sweep/lr1/seed0", "sweep/lr1/seed1", "sweep/lr2/seed0", "sweep/a",
        "sweep/b", "runs30/exp23", "runs/exp1", "runs/exp2", "runs/gpt/exp1", "deadbeef", "1234", "lightning_logs/version_0",
        "lightning_logs/version_1", "outputs/vision/exp9"]
failures = []


def expect(holds, what):
    if not holds:
        failures.append(what)


def make(path, n):
    os.makedirs(path)
    with open(os.path.join(path, "steps.jsonl"), "w", encoding="utf-8") as f:
        for step in range(30):
            f.write(json.dumps({"step": step, "timestamp": 1.79e9 + step * 0.1, "scalars": {"loss": 2 - step * 0.01 * (n + 1)}}) + "\n")


class Shell:
    def __init__(self, place, **env):
        self.place = place
        keep = {k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")}
        self.env = dict(keep, PATH=BUILD + ":/usr/bin:/bin", HOME=place, LOGNAME="ada", LC_ALL="C.UTF-8", NO_COLOR="1", **env)

    def run(self, *words, script=None):
        ran = subprocess.run(script or [TSCOPE, *words], cwd=os.path.join(self.place, "lab"), env=self.env, capture_output=True, text=True,
                             stdin=subprocess.DEVNULL, timeout=120)
        return ran.returncode, ran.stdout, ran.stderr

    def out(self, *words):
        code, out, err = self.run(*words)
        expect(code == 0, f"{words}: exit {code}: {err}")
        return out

    def tab(self, line):
        """What bash offers behind the line, as whole words."""
        script = f"""source <({TSCOPE} help --completion bash)
line={json.dumps(line)}
COMP_WORDS=($line ''); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); COMP_LINE="$line "; COMP_POINT=${{#COMP_LINE}}
_tscope 2>/dev/null
printf '%s\\n' "${{COMPREPLY[@]}}" """
        code, out, err = self.run(script=["bash", "-c", script])
        expect(code == 0, f"TAB behind {line}: {err}")
        return out.split()


def id_of(shell, word):
    code, out, err = shell.run("show", "--json", word)
    expect(code == 0, f"show {word}: {err}")
    return json.loads(out)["run"]["id"] if code == 0 else None


# Each verb with a name in the place of N. Exit 1, 3 and 4 are answers; 2 is a refusal.
READ = [["show", "N"], ["facts", "N"], ["analyze", "N"], ["plot", "loss", "N"], ["diff", "N", "N"], ["diff", "N", "deadbeef"], ["check-resume", "N"], ["check-determinism", "N"],
        ["gate", "N", "--baseline", "N"], ["baseline", "N", "--baseline", "N"], ["export", "N", "--format", "csv"], ["diff", "N", "N", "--repeats", "N"],
        ["diff", "N", "deadbeef", "--rounding", "N"]]
REFS = [["note", "N", "seen=yes"], ["log", "N"], ["name", "N", "again/N"], ["tag", "N", "pinned/N"]]


def every_name(shell):
    """The names of runs, of tags and of branches go to every verb that takes them. Returns how many pairs there were."""
    pairs = 0
    runs, tags, branches = (shell.out("list", "--names", "--all", *kind).split() for kind in ([], ["--tags"], ["--branches"]))
    ids = {row["name"]: row["id"] for row in json.loads(shell.out("list", "--json", "--all"))["rows"]}
    expect(len(runs) == len(RUNS), f"{len(runs)} names: {runs}")
    for name in runs + tags + branches:
        verbs = READ + (REFS if name in runs else [["log", "N"], ["name", "N", "again/N"], ["tag", "N", "pinned/N"]])
        for verb in verbs + ([["trend", "N"]] if name in branches else []):
            words = [word.replace("N", name) if word in ("N", "again/N", "pinned/N") else word for word in verb]
            code, _, err = shell.run(*words)
            pairs += 1
            expect(code in (0, 1, 3, 4), f"{' '.join(words)}: exit {code}: {err}")
    for name in runs:
        want = next(i for n, i in ids.items() if n == "default/" + name)
        expect(id_of(shell, name) == want, f"show {name} is another run")
        expect(id_of(shell, "default/" + name) == want, f"show default/{name} is another run")
        for text in (f"name={name}", f"name~{name}", f"name='{name}'", f"name=default/{name}"):
            found = [n for n in shell.out("list", "--names", "--all", text).split() if not n.startswith("again/")]
            expect(name in found and (found == [name] or "~" in text), f"list {text}: {found}")
            pairs += 1
    for name in [n for n in shell.out("list", "--names", "--all").split() if n.startswith("again/")]:
        shell.out("rm", name)
        pairs += 1
    for tag in shell.out("list", "--names", "--all", "--tags").split():
        if tag.startswith("pinned/"):
            shell.out("rm", "tag:" + tag)
    for name in runs:
        shell.out("rm", name)
        shell.out("restore", name)
        pairs += 2
        expect(id_of(shell, name) == ids["default/" + name], f"{name} did not come back")
    return pairs


def every_tab(shell):
    pairs = 0
    for line, words in (("tscope show", 24), ("tscope rm", 24), ("tscope trend", 2), ("tscope diff deadbeef", 24)):
        offered = shell.tab(line)
        expect(len(offered) >= words, f"TAB behind '{line}' offers {offered}")
        if line == "tscope rm":
            expect({"tag:best", "tag:release/v1", "branch:main", "branch:feature/one"} <= set(offered), f"TAB behind '{line}' offers {offered}")
        for word in offered:
            verb = line.split()[1:] if line != "tscope rm" else ["log"]
            code, _, err = shell.run(*verb, word)
            pairs += 1
            expect(code in (0, 1, 3), f"{' '.join(verb)} {word}: exit {code}: {err}")
    return pairs


def ends_and_paths(shell):
    code, _, err = shell.run("show", "exp23")
    expect(code == 0 and "tscope: exp23 is runs30/exp23" in err, f"show exp23: {code} {err}")
    expect("exp23 is" not in shell.run("show", "-q", "exp23")[2], "show -q says what it took")
    code, out, err = shell.run("analyze", "exp23")
    expect(out.startswith("runs30/exp23 "), f"analyze exp23: {out[:60]}")
    code, _, err = shell.run("show", "seed0")
    expect(code == 2 and "run:default/sweep/lr1/seed0, run:default/sweep/lr2/seed0" in err, f"show seed0: {code} {err}")
    code, _, err = shell.run("rm", "seed0")
    expect(code == 2 and "ambiguous" in err, f"rm seed0: {code} {err}")
    # runs/exp1 is a path: the name of that run is exp1. What has the name of a path is the name.
    for verb in (["analyze"], ["show"], ["facts"], ["check-resume"], ["plot", "loss"], ["export", "--format", "csv"], ["diff", "exp2"]):
        code, out, err = shell.run(*verb, "runs/exp1")
        expect(code in (0, 1, 3), f"{verb} runs/exp1: exit {code}: {err}")
    expect("\n  b  ./runs/exp1 " in shell.run("diff", "exp2", "runs/exp1")[1], "diff does not show that runs/exp1 is a path")
    expect(shell.run("analyze", "sweep/a")[1].startswith("sweep/a "), "sweep/a is a name before it is a path")
    code, _, err = shell.run("show", "runs/nothing")
    expect(code == 2 and "nothing is named runs/nothing" in err, f"show runs/nothing: {code} {err}")
    code, _, err = shell.run("rm", "runs/exp1")
    expect(code == 2, "rm takes a path")
    code, out, err = shell.run("analyze", "traced.json")
    expect(code in (0, 1, 3) and "trace" in out, f"analyze traced.json: exit {code}: {err}")


def globs_and_searches(shell):
    def names(*words):
        return sorted(shell.out("list", "--names", "--all", *words).split())

    def drawn(*words):
        return len(json.loads(shell.out("plot", "--json", "loss", *words)).get("lines", []))

    expect(names("name~exp*") == ["exp1", "exp2", "gpt/exp1", "runs30/exp23", "vision/exp9"], f"exp*: {names('name~exp*')}")
    expect(names("name=sweep/*") == ["sweep/a", "sweep/b"], f"sweep/*: {names('name=sweep/*')}")
    expect(len(names("name~sweep/**")) == 5 and len(names("name~sweep/")) == 5, "sweep/**")
    expect(drawn("sweep/*") == 2 and drawn("sweep/**") == 5 and drawn("default/sweep/*") == 2 and drawn("exp?") == 4, "globs of plot")
    expect(drawn("exp23", "runs30/*") == 1, "a run by its end and by a glob is one")
    expect(drawn("runs/exp*") == 2, "a glob of paths")
    expect(names("exp") == ["exp1", "exp2", "gpt/exp1", "runs30/exp23", "vision/exp9"], f"a search: {names('exp')}")
    expect(names("SEED and not lr2") == ["sweep/lr1/seed0", "sweep/lr1/seed1"], "a search with conditions")
    expect(names("name=exp23") == ["runs30/exp23"] and names("name=exp1") == ["exp1"], "the end of a name in a filter")
    code, _, err = shell.run("plot", "loss", "nothing*")
    expect(code == 2 and "the name of no run of project default matches nothing*" in err, f"plot nothing*: {err}")


def projects(shell):
    """A project is a prefix only where there is one, or where it is asked for."""
    def push(*words):
        return json.loads(shell.out("push", "--json", "sweep/a", *words)).get("pushes", [{}])[0].get("name")

    expect(push("--name", "cv/x") == "default/cv/x", "cv/x makes a project")
    expect(push("--name", "project:cv/y") == "cv/y", "project: makes none")
    expect(push("-p", "nlp", "--name", "q/z") == "nlp/q/z", "-p is not the project")
    expect(push("--name", "cv/z") == "cv/z", "a project that there is, is none")
    expect(push("--name", "default/w") == "default/w", "the project itself")
    shell.out("name", "deadbeef", "project:cv/x")
    code, _, err = shell.run("show", "cv/x")
    expect(code == 0 and "cv/x is default/cv/x; project:cv/x is another one" in err, f"show cv/x: {code} {err}")
    expect(id_of(shell, "project:cv/x") == id_of(shell, "deadbeef") != id_of(shell, "cv/x"), "project:cv/x is another run")
    expect(shell.run("show", "nlp/z")[0] == 0, "the end of a name of another project")
    expect(push("--name", "v", "--branch", "topic/one") == "default/v" and "default/topic/one" in shell.out("list", "--branches", "--all-projects"),
           "the branch topic/one makes a project")


def hints(shell):
    for verb, hint in (("ls", "tscope list"), ("ui", "--html"), ("tail", "tscope watch"), ("delete", "tscope rm"),
                       ("status", "tscope show"), ("exec", "tscope run"), ("lsit", "'list'")):
        code, _, err = shell.run(verb)
        expect(code == 2 and hint in err, f"{verb}: {err}")
    code, _, err = shell.run("show", "exp24")
    expect(code == 2 and "similar names: default/runs30/exp23" in err or "similar names: default/exp" in err, f"show exp24: {err}")


def fill(shell):
    lab = os.path.join(shell.place, "lab")
    for n, run in enumerate(RUNS):
        make(os.path.join(lab, run), n)
    with open(os.path.join(lab, "traced.json"), "w", encoding="utf-8") as f:
        json.dump({"schemaVersion": 1, "traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 10 * i, "dur": 5,
                                                          "args": {"device": 0, "stream": 7, "correlation": i}} for i in range(9)]}, f)
    subprocess.run(["git", "init", "-q", lab], check=True)
    shell.out("push", "outputs", "multirun", "sweep", "runs30", "runs", "deadbeef", "1234", "lightning_logs")
    shell.out("tag", "exp1", "best")
    shell.out("tag", "exp2", "release/v1")
    for run in ("exp1", "exp2"):
        shell.out("push", "--branch", "main", "runs/" + run)
    shell.out("push", "--branch", "feature/one", "sweep/b")


def all_of(shell):
    fill(shell)
    pairs = every_name(shell), every_tab(shell)
    ends_and_paths(shell)
    globs_and_searches(shell)
    projects(shell)
    hints(shell)
    return pairs


def serve(place):
    socket = os.path.join(place, "s")
    server = subprocess.Popen([os.path.join(BUILD, "tscoped"), "--store", os.path.join(place, "served"), "--socket", socket],
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    for _ in range(200):
        if os.path.exists(socket):
            break
        time.sleep(0.05)
    return server, "unix:" + socket


def main():
    place = tempfile.mkdtemp(prefix="tscope-names-")
    local, far = (os.path.join(place, name) for name in ("local", "far"))
    os.makedirs(os.path.join(local, "lab"))
    os.makedirs(os.path.join(far, "lab"))
    server, address = serve(place)
    try:
        pairs = all_of(Shell(local, TSCOPE_STORE=os.path.join(local, "store"))), all_of(Shell(far, TSCOPE_SERVER=address))
    finally:
        server.terminate()
        server.wait()
        shutil.rmtree(place, ignore_errors=True)
    for where, (names, tabs) in zip(("local store", "server"), pairs):
        print(f"{where}: {names} pairs of a name that list prints and a verb, {tabs} of a word that TAB gives")
    refused = [f for f in failures if re.search(r"exit 2", f)]
    print(f"{len(refused)} refusals, {len(failures)} failures")
    if failures:
        sys.exit("\n".join(failures[:40]))


if __name__ == "__main__":
    main()
