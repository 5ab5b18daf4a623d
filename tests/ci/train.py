#!/usr/bin/env python3
"""A training whose step time is known: train.py CONFIG.json RUN_DIR writes 200 steps ($STEPS) of one rank.

CONFIG: {"phases": {name: seconds}, "config": {...}, "noise": ratio between runs}, and "loss": [factor of the losses from step 20 on, spread of what
is drawn anew in each training] where they do not only depend on the step. Two runs differ by noise that is drawn from the commit, the
job and the folder's name, so that a test sees the same numbers every time. $TRAIN_SESSION names the machine; else `tscope facts` does.
"""
import json
import os
import random
import subprocess
import sys

with open(sys.argv[1], encoding="utf-8") as f:
    config = json.load(f)
out = sys.argv[2]
if {"TSCOPE_SERVER", "TSCOPE_SSH_KEY", "TSCOPE_GITLAB_TOKEN"} & set(os.environ):
    sys.exit("train.py: the training was told of the server")
if not sys.stdin.closed and sys.stdin.read():
    sys.exit("train.py: the training was given an input that is not its own")
commit = subprocess.run(["git", "rev-parse", "HEAD"], capture_output=True, text=True).stdout
draw = random.Random(f"{commit} {os.environ.get('GITHUB_RUN_ID')} {os.environ.get('CI_JOB_ID')} {os.path.basename(out)}")
luck = 1 + draw.gauss(0, config["noise"])
os.makedirs(out, exist_ok=True)
when = 1.7e9
factor, spread = config.get("loss", [1, 0])
with open(os.path.join(out, "steps.jsonl"), "w", encoding="utf-8") as f:
    for step in range(int(os.environ.get("STEPS", 200))):
        phases = {name: seconds * luck * (1 + abs(draw.gauss(0, 0.01))) for name, seconds in config["phases"].items()}
        when += sum(phases.values()) * 1.001
        loss = 4 / (1 + step / 50) * (factor if step >= 20 else 1) * (1 + spread * random.SystemRandom().random())
        row = {"step": step, "timestamp": when, "phases": phases, "scalars": {"loss": loss}, "memory": {"peak_alloc": 7 << 30}}
        f.write(json.dumps(row) + "\n")
with open(os.path.join(out, "run.json"), "w", encoding="utf-8") as f:
    json.dump({"name": "gpt", "config": config["config"], "rank": 0, "world_size": 1, "wall_time": when - 1.7e9, "n_steps": 200}, f)
if "TRAIN_SESSION" in os.environ:
    with open(os.path.join(out, "facts.json"), "w", encoding="utf-8") as f:
        json.dump({"format": 1, "code": {"commit": os.environ["TRAIN_COMMIT"], "dirty": False},
                   "session": {"host": os.environ["TRAIN_SESSION"], "boot_id": os.environ["TRAIN_SESSION"]}}, f)
