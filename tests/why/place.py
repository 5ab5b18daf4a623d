"""A clone with thirteen commits of a training of a few lines that records by itself, in which tests of `tscope why`, `bisect` and `reproduce` know each cause.

The training is a sum that settings, variables, commits and hidden files act on. It heeds what experiments ask by the environment (TSCOPE_DIRECTORY,
TSCOPE_STOP), as the recorder does."""
import contextlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import lab  # noqa: E402

TRAIN = '''"""Trains: the loss is a sum that settings act on."""
import json
import os
import subprocess
import sys
import time

if os.environ.get("MEET"):  # waits for another run of its kind
    open(os.path.join(os.environ["MEET"], str(os.getpid())), "w").close()
    for _ in range(1200):
        if len(os.listdir(os.environ["MEET"])) > 1:
            break
        time.sleep(0.05)
    else:
        sys.exit(125)
c = json.load(open(sys.argv[1]))
out = os.environ.get("TSCOPE_DIRECTORY") or sys.argv[2]
last = int(os.environ.get("TSCOPE_STOP") or c["steps"] - 1)
if c.get("gpu") and not c.get("driver"):
    sys.exit(125)
x = 1.0 + 0.001 * c["lr"]
FACTOR = 1.0
STEP_S = 1.0
scatter = 1 + 0.003 * (int.from_bytes(os.urandom(4), "little") / 2**31 - 1)
if os.environ.get("DRIFT"):  # the machine is slower from its ninth run on
    with open(os.environ["DRIFT"], "a") as f:
        f.write("x")
    scatter *= 1.06 if os.path.getsize(os.environ["DRIFT"]) > 8 else 1
os.makedirs(out, exist_ok=True)
first = 0
if "--load" in sys.argv:  # of a lame one the momentum is not restored
    state = json.load(open(sys.argv[sys.argv.index("--load") + 1]))
    first, x = state["step"] + 1, state["x"] * (1 + state["lame"])
with open(os.path.join(out, "steps.jsonl"), "w") as f:
    for step in range(first, min(c["steps"], last + 1)):
        x = x * 0.99 * FACTOR + 0.01 * c["wd"]
        if c["gate"] and c["gate_scale"] != 1:
            x += 0.01
        if step >= 20:
            x += 0.001 * c["late"]
        if os.environ.get("HIDDEN"):
            x += 0.003
        time.sleep(float(os.environ.get("SLOW") or 0))
        x += 0.0001 * int(os.environ.get("PYTHONHASHSEED", "0"))
        if os.environ.get("SAVE"):
            json.dump({"step": step, "x": x, "lame": 0}, open(os.path.join(os.environ["SAVE"], f"{step}.ckpt"), "w"))
        f.write(json.dumps({"step": step, "timestamp": 1e9 + step * STEP_S * scatter, "scalars": {"loss": x}}) + "\\n")
commit = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True, check=True).stdout.strip()
json.dump({"name": os.path.basename(out), "config": c, "rank": 0, "world_size": 1}, open(os.path.join(out, "run.json"), "w"))
json.dump({"code": {"commit": commit, "dirty": False}, "determinism": {"env": {"PYTHONHASHSEED": os.environ.get("PYTHONHASHSEED", "0")}}},
          open(os.path.join(out, "facts.json"), "w"))
'''
CONFIG = {"steps": 40, "lr": 0.1, "wd": 0.01, "gate": False, "gate_scale": 1, "late": 0, "note": "x", "tag": 1, "gpu": False, "driver": False}
failures = []


def check(what, ok, said):
    if not ok:
        failures.append(what)
        print(f"FAILED {what}\n{str(said)[-1500:]}", flush=True)


class Place:
    """A clone with twelve commits, a store, and runs."""

    def __init__(self, build):
        self.top = tempfile.mkdtemp(prefix="tscope-why-")
        self.repo, self.tscope = os.path.join(self.top, "repo"), os.path.join(os.path.abspath(build), "tscope")
        self.env = {"PATH": os.environ["PATH"], "HOME": self.top, "LC_ALL": "C", "TSCOPE_STORE": os.path.join(self.top, "store"),
                    **{k: v for k, v in os.environ.items() if k.endswith("SAN_OPTIONS")}}
        os.makedirs(self.repo)
        lab.git(self.repo, "init", "-q", "-b", "main")
        self.commits, text = [], TRAIN
        for i in range(13):
            if i:
                text += f"# {i}\n"
            if i == 8:
                text = text.replace("FACTOR = 1.0", "FACTOR = 1.0001")
            if i == 10:
                text = text.replace("STEP_S = 1.0", "STEP_S = 1.06")
            body = text if i != 5 else "import sys\nsys.exit(125)\n"
            lab.write(self.repo, {"train.py": body})
            lab.git(self.repo, "add", "-A")
            lab.git(self.repo, "commit", "-qm", f"change {i}")
            self.commits.append(lab.git(self.repo, "rev-parse", "HEAD"))
        lab.git(self.repo, "checkout", "-q", self.commits[0])

    def record(self, name, commit=0, env=None, **settings):
        """Records a run, as a user would."""
        config = os.path.join(self.top, name + ".json")
        with open(config, "w", encoding="utf-8") as f:
            json.dump({**CONFIG, **settings}, f)
        lab.git(self.repo, "checkout", "-q", self.commits[commit])
        subprocess.run([sys.executable, "train.py", config, os.path.join(self.top, name)], cwd=self.repo, env={**self.env, **(env or {})}, check=True)
        lab.git(self.repo, "checkout", "-q", self.commits[0])

    def record_to_run_again(self, name, python, env=None):
        """Records a run whose record has what `tscope reproduce` needs: its command, and the variables that it was given."""
        self.record(name, env=env)
        path = os.path.join(self.top, name, "facts.json")
        with open(path, encoding="utf-8") as f:
            facts = json.load(f)
        facts["session"] = {"command": f"{python} train.py {self.top}/{name}.json x"}
        facts["determinism"]["env"].update(env or {})
        with open(path, "w", encoding="utf-8") as f:
            json.dump(facts, f)

    def run(self, *words, env=None, cwd=None):
        """Runs tscope; returns exit code, stdout, stderr."""
        ran = subprocess.run([self.tscope, *words], cwd=cwd or self.repo, env={**self.env, **(env or {})}, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        return ran.returncode, ran.stdout, ran.stderr

    def begin(self, *words):
        """Begins tscope; returns its process."""
        return subprocess.Popen([self.tscope, *words], cwd=self.repo, env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def why(self, b, *options, env=None, command=("{config-file}",)):
        code, out, err = self.run("why", "--json", *options, "../A", f"../{b}", "--", sys.executable, "train.py", *command, "x", env=env)
        return code, json.loads(out) if out else {}, err

    @contextlib.contextmanager
    def served(self, store):
        """A server of a store, while the block runs; gives its address."""
        socket = os.path.join(self.top, "socket")
        server = subprocess.Popen([self.tscope + "d", "--store", store, "--socket", socket], env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.DEVNULL)
        try:
            wait_for(lambda: os.path.exists(socket))
            yield "unix:" + socket
        finally:
            server.terminate()
            server.wait()

    def close(self):
        shutil.rmtree(self.top, ignore_errors=True)


def is_there(pid):
    """Is a process there, and not one that has ended already?"""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as f:
            return f.read().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def wait_for(what, seconds=30):
    """Waits until a function returns something true, and returns it."""
    end = time.monotonic() + seconds
    while not what() and time.monotonic() < end:
        time.sleep(0.05)
    return what()
