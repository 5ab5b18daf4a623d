#!/usr/bin/env python3
"""Writes trackio.db.sql, the dump of a database of two runs: TRACKIO_DIR=FOLDER python3 make_trackio.py, from this folder.

trackio 0.43.0 wrote the database."""
import math
import os
import sqlite3

import trackio

for name, lr in (("first", 0.01), ("second run", 0.02)):
    trackio.init(project="toy", name=name, config={"lr": lr, "layers": 2, "opt": {"kind": "adam"}, "api_key": "hunter2"},
                 auto_log_gpu=False)
    for i in range(12):
        row = {"train/loss": 2 + 9 * math.exp(-i / 12), "lr": lr}
        if i == 3:
            row["note"] = "x"
        if i == 5:
            row = {"train/loss": float("nan"), "inf": float("inf"), "deep": {"a": 1.5}}
        trackio.log(row)
    trackio.finish()
base = sqlite3.connect(os.path.join(os.environ["TRACKIO_DIR"], "toy.db"))
tables = ("metrics", "configs", "system_metrics")
with open("trackio.db.sql", "w") as out:
    for line in base.iterdump():
        if line in ("BEGIN TRANSACTION;", "COMMIT;") or any(f'INTO "{t}"' in line or f"TABLE {t} " in line for t in tables):
            out.write(line + "\n")
