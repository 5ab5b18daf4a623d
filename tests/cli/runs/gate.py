#!/usr/bin/env python3
"""Runs whose step time is known: gate.py DIR KEY=VALUE... writes 200 steps of two ranks.

time: seconds of a step (0.1); forward: times that phase (1); commit; ancestors: "c1 c2", newest first; session: which machine; started: seconds
since 1970; lr, gpu: a fact of config and of hardware; patch: uncommitted changes; seed: a recorded seed, which moves the loss by a billionth
of it; cpu: seconds of CPU time of a step, on each rank; peak: bytes of
peak memory; log.NAME: a series that rank 0 logs at every tenth step, and that ends at this value. Within a run steps scatter by 1 % around the
time, in a pattern that every window of 32 has.
"""
import json
import os
import sys

out = sys.argv[1]
said = dict(word.split("=", 1) for word in sys.argv[2:])
commit = said.get("commit")
time = float(said.get("time", 0.1))
started = float(said.get("started", 1.7e9))
phases = {"forward": 0.4 * time * float(said.get("forward", 1)), "backward": 0.5 * time, "optimizer": 0.1 * time}
os.makedirs(out, exist_ok=True)
for rank in range(2):
    when = started
    place = os.path.join(out, f"rank{rank}")
    os.makedirs(place, exist_ok=True)
    with open(os.path.join(place, "steps.jsonl"), "w", encoding="utf-8") as f:
        for step in range(200):
            scatter = 1 + 0.01 * ((step * 5) % 8 - 3.5) / 3.5
            row = {name: seconds * scatter for name, seconds in phases.items()}
            when += sum(row.values())
            record = {"step": step, "timestamp": when, "phases": row, "memory": {"peak_alloc": int(said.get("peak", 7 << 30))},
                      "scalars": {"loss": (1 + 1e-9 * int(said.get("seed", 0))) * 4 / (1 + step / 50)}}
            if "cpu" in said:
                record["cpu_time"] = float(said["cpu"]) * scatter
            for name in [word for word in said if word.startswith("log.") and rank == 0 and step % 10 == 9]:
                record["scalars"][name[4:]] = float(said[name]) * (1 + 0.1 * (190 - min(step, 190)) / 190)
            f.write(json.dumps(record) + "\n")
    with open(os.path.join(place, "run.json"), "w", encoding="utf-8") as f:
        json.dump({"name": os.path.basename(out), "config": {"lr": float(said.get("lr", 0.001))}, "rank": rank, "world_size": 2,
                   "started": started, "wall_time": when - started, "n_steps": 200}, f)
facts = {"format": 1, "hardware": {"gpus": [{"name": said.get("gpu", "H100"), "memory": 80 << 30}]}, "session": {}}
if "session" in said:
    facts["session"] = {"host": said["session"], "boot_id": said["session"]}
if "seed" in said:
    facts["seeds"] = {"torch": int(said["seed"])}
if commit:
    facts["code"] = {"commit": commit, "dirty": "patch" in said}
    if "patch" in said:
        facts["code"]["patch_sha256"] = said["patch"]
    if "ancestors" in said:
        facts["code"]["ancestors"] = "\n".join(said["ancestors"].split())
with open(os.path.join(out, "facts.json"), "w", encoding="utf-8") as f:
    json.dump(facts, f)
