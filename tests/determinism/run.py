#!/usr/bin/env python3
"""check-determinism with a command, from its words to the exit code: run.py BUILD.

The training is a sum that records by itself, and heeds what a short run asks by the environment. What makes two runs of it differ, and in which
operation, is known by hand."""
import json
import os
import shutil
import subprocess
import sys
import tempfile

TSCOPE = os.path.abspath(os.path.join(sys.argv[1], "tscope"))
TRAIN = '''"""Trains: a product and a sum a step, of which FAULT says what does not repeat."""
import hashlib
import json
import os
import sys

from helper import FACTOR

fault = sys.argv[1]
out = os.environ["TSCOPE_DIRECTORY"]
number = int(out.rsplit("/", 1)[1])  # 1 and 2: the run
last = int(os.environ.get("TSCOPE_STOP", "40"))
operations = os.environ.get("TSCOPE_OPERATIONS", "")
if fault == "fails":
    sys.exit(3)
if fault == "second fails" and number == 2:
    sys.exit(3)
if fault == "silent":
    sys.exit(0)
os.makedirs(out, exist_ok=True)


def digest(*values):
    return hashlib.sha256(repr(values).encode()).hexdigest()[:16]


x = 1.0
with open(out + "/steps.jsonl", "w") as steps, open(out + "/digests.jsonl", "w") as digests:
    for step in range(last + 1):
        y = x * 0.9 * FACTOR
        z = y + 0.01 + (1e-16 * 2 ** 6 if fault == "add" and step == 2 and number == 2 else 0.0)
        steps.write(json.dumps({"step": step, "timestamp": 1e9 + step, "scalars": {"loss": z}}) + "\\n")
        for name, given, gave in (("aten.mul.Tensor", (x,), y), ("aten.add.Tensor", (y,), z)):
            if operations:
                digests.write(json.dumps({"step": step, "name": name, "in": digest(given), "out": digest(gave)}) + "\\n")
        x = z
determinism = {"num_threads": 1, "use_deterministic_algorithms": False, "deterministic_warn_only": False, "env": {"PYTHONHASHSEED": "0"}}
facts = {"format": 1, "libraries": {"torch": "2.13.0+cpu", "python": "3.11.7"}, "seeds": {"torch": 0, "python": 0}, "data": {"num_workers": 0}, "determinism": determinism,
         "parallelism": {"world_size": 1}, "session": {"generators": {"torch": "39c606d8b124c0b8"}}}
if fault == "known":
    facts["libraries"]["torch"] = "2.13.0+cu130"
    facts["hardware"] = {"cuda_available": True}
json.dump(facts, open(out + "/facts.json", "w"))
'''
failures = []


def check(what, ok, said):
    if not ok:
        failures.append(what)
        print(f"FAILED {what}\n{str(said)[-1500:]}", flush=True)


class Place:
    """A clone, and a home without anything."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="tscope-determinism-")
        self.clone = os.path.join(self.folder, "clone")
        os.makedirs(os.path.join(self.clone, "sub"))
        self.write("train.py", TRAIN)
        self.write("helper.py", "FACTOR = 1.0\n")
        self.write("sub/readme", "for a folder of its own\n")
        keep = {k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")}
        self.env = {**keep, "PATH": os.environ["PATH"], "HOME": self.folder, "LC_ALL": "C.UTF-8", "NO_COLOR": "1"}
        for words in (("init", "-q"), ("add", "."), ("-c", "user.name=a", "-c", "user.email=a@example.org", "commit", "-qm", "one")):
            subprocess.run(["git", "-C", self.clone, *words], check=True, env=self.env)

    def write(self, name, text):
        with open(os.path.join(self.clone, name), "w", encoding="utf-8") as f:
            f.write(text)

    def ask(self, *words, where="clone", options=()):
        ran = subprocess.run([TSCOPE, "check-determinism", "--json", *options, "--", *words], cwd=os.path.join(self.folder, where), env=self.env,
                             capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=120)
        return ran.returncode, json.loads(ran.stdout) if ran.stdout else {}, ran.stderr

    def tree(self):
        return {name: os.path.getmtime(os.path.join(self.clone, name)) for name in os.listdir(self.clone) if name != ".git"}


def commands(place):
    train = (sys.executable, "train.py")
    before = place.tree()
    code, answer, err = place.ask(*train, "none")
    check("equal", code == 0 and answer["two_runs"] == "equal" and answer["equal_step_count"] == 4, (code, answer, err))
    check("equal: nothing is unproved", answer["unproved_count"] == 0 and answer["operation_kind_count"] == 2, answer)
    check("equal: what is not so is null", answer["first_step"] is None and answer["first_difference"] is None, answer)
    code, answer, err = place.ask(*train, "none", options=("--steps", "9"))
    check("steps", code == 0 and answer["equal_step_count"] == 9, (code, answer, err))
    code, answer, err = place.ask(*train, "add")
    said = answer.get("first_difference") or ""
    check("differ", code == 1 and answer["two_runs"] == "differ" and answer["first_step"] == 2, (code, answer, err))
    check("differ: the operation", "aten.add.Tensor (occurrence 0)" in said and "its inputs agree" in said, said)
    code, answer, err = place.ask(*train, "known")
    check("equal, and known to break it", code == 3 and answer["two_runs"] == "equal" and answer["breaks_count"] > 0, (code, answer, err))
    code, answer, err = place.ask(*train, "second fails")
    check("the second fails", code == 3 and answer["two_runs"] == "unknown" and "exit code 3" in (answer["first_difference"] or ""), (code, answer, err))
    code, answer, err = place.ask(*train, "fails")
    check("both fail", code == 2 and "exit code 3" in answer["error"]["message"], (code, answer, err))
    code, answer, err = place.ask(*train, "silent")
    check("nothing is recorded", code == 2 and "recorded nothing" in answer["error"]["message"], (code, answer, err))
    check("the clone is as it was", place.tree() == before, place.tree())
    left = subprocess.run(["git", "-C", place.clone, "worktree", "list"], capture_output=True, text=True, env=place.env, check=True).stdout
    check("no worktree is left", len(left.strip().split("\n")) == 1, left)


def code_of_the_user(place):
    """Changes of tracked files are in the runs; other files are, once they are named."""
    train = (sys.executable, "train.py", "none")
    place.write("helper.py", "from more import FACTOR\n")
    place.write("more.py", "FACTOR = 0.5\n")
    code, answer, err = place.ask(*train)
    check("what git does not track", code == 2 and "exit code 1" in answer["error"]["message"], (code, answer, err))
    code, answer, err = place.ask(*train, options=("--copy", "more.py"))
    check("--copy", code == 0, (code, answer, err))
    code, answer, err = place.ask(sys.executable, "../train.py", "none", where="clone/sub", options=("--copy", "more.py"))
    check("below the top", code == 0, (code, answer, err))
    code, answer, err = place.ask(*train, where=".")
    check("no clone", code == 2 and "no clone" in answer["error"]["message"], (code, answer, err))
    code, answer, err = place.ask(*train, options=("--steps", "0"))
    check("no step", code == 2, (code, answer, err))
    code, answer, err = place.ask()
    check("no command", code == 2, (code, answer, err))


def main():
    place = Place()
    try:
        commands(place)
        code_of_the_user(place)
    finally:
        shutil.rmtree(place.folder, ignore_errors=True)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
