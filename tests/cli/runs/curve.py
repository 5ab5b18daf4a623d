#!/usr/bin/env python3
"""Runs whose loss is known: curve.py DIR KEY=VALUE... writes steps 0 to 199 of one rank, a second apart.

level: the loss falls from level + 3 to level (1); lr: a fact of config; steps: how many; nan, inf: the step whose loss is so; zero: from
that step on the loss is 0; skip: steps A-B are missing; tokens: of each step; again: from step A on it is recorded twice, first with
ten times the loss.
"""
import json
import math
import os
import sys

out = sys.argv[1]
said = dict(word.split("=", 1) for word in sys.argv[2:])
level, n = float(said.get("level", 1)), int(said.get("steps", 200))
first, last = (int(x) for x in said.get("skip", "1-0").split("-"))


def record(step, times):
    loss = times * (level + 3 * math.exp(-step / 30) + 0.05 * ((step * 7) % 10) / 10)
    loss = math.nan if step == int(said.get("nan", -1)) else math.inf if step == int(said.get("inf", -1)) else loss
    loss = 0 if "zero" in said and step >= int(said["zero"]) else loss
    line = {"step": step, "timestamp": 1.7e9 + step + (1000 if times == 1 else 0), "scalars": {"loss": loss}}
    return dict(line, tokens=int(said["tokens"])) if "tokens" in said else line


os.makedirs(out, exist_ok=True)
with open(os.path.join(out, "steps.jsonl"), "w", encoding="utf-8") as f:
    again = int(said.get("again", n))
    order = [(step, 10) for step in range(again, n)] if again < n else []
    for step, times in [(s, 1) for s in range(again)] + order + [(s, 1) for s in range(again, n)]:
        if not first <= step <= last:
            f.write(json.dumps(record(step, times)) + "\n")
with open(os.path.join(out, "run.json"), "w", encoding="utf-8") as f:
    json.dump({"name": os.path.basename(out), "config": {"lr": float(said["lr"])} if "lr" in said else {}}, f)
