"""The training that tests of `tscope why` run, in a repository of its own: a small network in numpy, with settings that act, that act only
together, and that do not, and branches of 16 commits with one that changes the result.

    lab.make(folder)      writes the repository; returns its commits by name
    lab.BASE              the settings of a run
"""
import os
import subprocess

MODEL = '''"""A small network: one hidden layer, and a gate that is off."""
import numpy as np


class Net:
    def __init__(self, c):
        r = np.random.default_rng(c["seed_init"])
        n = c["hidden"]
        if n % c["heads"]:
            raise ValueError("hidden is no multiple of heads")
        self.w1 = r.normal(size=(c["inputs"], n)) * c["init_scale"]
        self.w2 = r.normal(size=(n, c["classes"])) * c["init_scale"]
        mult = float(os.environ.get("LAB_INIT_MULT", "1"))
        self.w1 *= mult
        self.c = c

    def forward(self, x, keep):
        pre = x @ self.w1
        self.mask = np.maximum(pre, 0.0) > 0
        h = pre * self.mask
        h = h * keep
        if self.c["gate_on"]:
            h = h * self.c["gate_scale"]
        self.h = h
        return h @ self.w2

    def backward(self, x, dout, keep):
        dw2 = self.h.T @ dout
        dh = dout @ self.w2.T
        if self.c["gate_on"]:
            dh = dh * self.c["gate_scale"]
        return x.T @ (dh * keep * self.mask), dw2
'''
DATA = '''"""Batches from a file of bytes."""
import numpy as np


class Batches:
    def __init__(self, c):
        raw = open(c["data"], "rb").read()
        self.all = np.frombuffer(raw, dtype=np.uint8).astype(np.float64)
        self.c = c
        self.r = np.random.default_rng(c["seed_data"])

    def next(self):
        n, k = self.c["batch"], self.c["inputs"]
        at = self.r.integers(0, len(self.all) - k - 1, n)
        x = np.stack([self.all[i:i + k] for i in at]) / 128.0 - 1.0
        y = np.array([int(self.all[i + k]) for i in at]) % self.c["classes"]
        return x, y
'''
TRAIN = '''"""Trains. python train.py --config FILE --out DIR"""
import argparse
import json
import math
import os
import sys
import numpy as np
import tscope
from data import Batches
from model import Net


def rate(c, step):
    warm = min(1.0, (step + 1) / max(1, c["warmup"]))
    return c["lr"] * warm * (0.5 + 0.5 * math.cos(math.pi * min(1.0, step / c["total"])))


def loss_of(c, out, y):
    z = out - out.max(axis=1, keepdims=True)
    p = np.exp(z)
    p = p / p.sum(axis=1, keepdims=True)
    t = np.eye(c["classes"])[y] * (1 - c["smooth"]) + c["smooth"] / c["classes"]
    loss = -(t * np.log(p + c["eps"])).sum(axis=1).mean()
    return loss, (p - t) / len(y)


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--config", required=True)
    p.add_argument("--out", required=True)
    a = p.parse_args()
    c = json.load(open(a.config))
    net = Net(c)
    batches = Batches(c)
    drop = np.random.default_rng(c["seed_drop"])
    order = sum((i + 1) * hash(s) % 7 for i, s in enumerate(sorted(c["tags"], key=hash))) if c["hash_order"] else 0
    noise = np.random.default_rng(int.from_bytes(os.urandom(8), "little"))
    m1, m2 = np.zeros_like(net.w1), np.zeros_like(net.w2)
    flip = os.environ.get("LAB_FLIP")
    run = tscope.start(a.out, config=c)
    for step in range(c["steps"]):
        x, y = batches.next()
        with run.step(step):
            keep = (drop.random(c["hidden"]) >= c["dropout"]) / (1 - c["dropout"])
            out = net.forward(x, keep) * (1 + order * 1e-6)
            loss, dout = loss_of(c, out, y)
            g1, g2 = net.backward(x, dout, keep)
            g1 = g1 + c["wd"] * net.w1
            if c["late_scale"] != 1 and step >= 25:
                g2 = g2 * c["late_scale"]
            if c["jitter"]:
                g1 = g1 * (1 + c["jitter"] * noise.normal(size=g1.shape))
            norm = math.sqrt((g1 ** 2).sum() + (g2 ** 2).sum())
            scale = min(1.0, c["clip"] / (norm + 1e-12))
            lr = rate(c, step)
            m1 = c["momentum"] * m1 + g1 * scale
            m2 = c["momentum"] * m2 + g2 * scale
            net.w1 -= lr * m1
            net.w2 -= lr * m2
            if flip and step == int(flip.split(",")[0]):
                net.w1[0, 0] += float(flip.split(",")[1])
            if os.environ.get("LAB_LATE") and step >= 12:
                net.w2 *= float(os.environ["LAB_LATE"])
            run.log(loss=float(loss), grad_norm=norm, lr=lr)
    run.finish()


main()
'''
MODEL = MODEL.replace("import numpy as np\n", "import os\nimport numpy as np\n", 1)

# Changes without effect: (file, from, to).
NEUTRAL = [
    ("model.py", "n = c[\"hidden\"]", "n = int(c[\"hidden\"])"),
    ("train.py", '"""Trains.', '"""Trains a small network.'),
    ("data.py", "n, k = self.c[\"batch\"], self.c[\"inputs\"]", "n = self.c[\"batch\"]\n        k = self.c[\"inputs\"]"),
    ("model.py", "class Net:", "# the whole model\nclass Net:"),
    ("train.py", "m1, m2 = np.zeros_like(net.w1), np.zeros_like(net.w2)", "m1 = np.zeros_like(net.w1)\n    m2 = np.zeros_like(net.w2)"),
    ("data.py", "raw = open(c[\"data\"], \"rb\").read()", "with open(c[\"data\"], \"rb\") as f:\n            raw = f.read()"),
    ("model.py", "return h @ self.w2", "out = h @ self.w2\n        return out"),
    ("train.py", "net = Net(c)", "net = Net(dict(c))"),
    ("data.py", "self.c = c\n", "self.c = dict(c)\n"),
    ("train.py", "p = argparse.ArgumentParser()", "p = argparse.ArgumentParser(description=\"train\")"),
    ("model.py", '"""A small network:', '"""A small network for tests:'),
    ("data.py", '"""Batches from a file of bytes."""', '"""Batches, drawn at random from a file of bytes."""'),
    ("train.py", "    run.finish()\n\n\nmain()", "    run.finish()\n\n\nif __name__ == \"__main__\":\n    main()"),
    ("model.py", "self.h = h\n", "self.h = h  # for the backward pass\n"),
    ("train.py", "lr = rate(c, step)", "lr = float(rate(c, step))"),
    ("data.py", "return x, y", "return (x, y)"),
]
# One change among them that acts: branch, after how many others, (file, from, to).
GUILTY = {
    "init": (6, ("model.py", "* c[\"init_scale\"]\n        self.w2", "* c[\"init_scale\"] * 1.001\n        self.w2")),
    "range": (11, ("data.py", "self.r.integers(0, len(self.all) - k - 1, n)", "self.r.integers(0, len(self.all) - k - 9, n)")),
    "norm": (2, ("train.py", "norm = math.sqrt((g1 ** 2).sum() + (g2 ** 2).sum())", "norm = math.sqrt((g1 ** 2).sum())")),
    "decay": (14, ("train.py", "g1 = g1 + c[\"wd\"] * net.w1", "g1 = g1 + c[\"wd\"] * np.sign(net.w1)")),
    "mask": (9, ("model.py", "np.maximum(pre, 0.0) > 0", "np.maximum(pre, 0.0) > 1e-3")),
}
BASE = {
    "inputs": 12, "hidden": 16, "heads": 4, "classes": 7, "batch": 16, "steps": 60, "lr": 0.1, "warmup": 5, "total": 200, "wd": 0.01,
    "momentum": 0.9, "smooth": 0.0, "eps": 1e-9, "dropout": 0.1, "clip": 0.3, "init_scale": 0.3, "gate_on": False, "gate_scale": 1.0,
    "seed_init": 1, "seed_data": 2, "seed_drop": 3, "late_scale": 1, "jitter": 0.0, "hash_order": False,
    "tags": ["a", "b", "c", "d", "e", "f", "g"],
    "verbosity": 1, "queue_depth": 4, "owner_group": "a", "hist_bins": 20, "mix_label": "x", "retry_limit": 3, "cache_mb": 64,
    "tune_id": 7, "alpha_note": 0.1, "report_to": "none", "color_map": "blue",
}
HARMLESS = {"verbosity": 2, "queue_depth": 8, "owner_group": "b", "hist_bins": 30, "mix_label": "y", "retry_limit": 5, "cache_mb": 128,
            "tune_id": 9, "alpha_note": 0.2, "report_to": "csv", "color_map": "red"}


def git(folder, *words):
    """Runs git there, and returns what it prints."""
    env = dict(os.environ, GIT_AUTHOR_NAME="lab", GIT_AUTHOR_EMAIL="lab@lab", GIT_COMMITTER_NAME="lab", GIT_COMMITTER_EMAIL="lab@lab",
               GIT_AUTHOR_DATE="2026-01-01T00:00:00Z", GIT_COMMITTER_DATE="2026-01-01T00:00:00Z", GIT_CONFIG_GLOBAL="/dev/null")
    return subprocess.run(["git", "-C", folder, *words], check=True, capture_output=True, text=True, env=env).stdout.strip()


def write(folder, files):
    """Writes the files of a commit."""
    for name, text in files.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
            f.write(text)


def changed(files, change):
    """The files with one change made."""
    name, old, new = change
    assert old in files[name], (name, old)
    return dict(files, **{name: files[name].replace(old, new, 1)})


def make(folder):
    """Writes the repository. Returns the commits: base, each branch's last one, and branch + ":guilty"."""
    os.makedirs(folder)
    git(folder, "init", "-q", "-b", "base")
    first = {"model.py": MODEL, "data.py": DATA, "train.py": TRAIN, ".gitignore": "__pycache__\n"}
    write(folder, first)
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "first")
    commits = {"base": git(folder, "rev-parse", "HEAD")}
    for branch, guilty in {**GUILTY, "neutral": (99, None)}.items():
        files = first
        git(folder, "checkout", "-q", "-B", branch, "base")
        for i, change in enumerate(NEUTRAL):
            files = changed(files, change)
            if i == guilty[0]:
                files = changed(files, guilty[1])
            write(folder, files)
            git(folder, "commit", "-qam", f"tidy up {i + 1}")
            if i == guilty[0]:
                commits[branch + ":guilty"] = git(folder, "rev-parse", "HEAD")
        commits[branch] = git(folder, "rev-parse", "HEAD")
    git(folder, "checkout", "-q", "base")
    return commits
