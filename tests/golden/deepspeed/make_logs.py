#!/usr/bin/env python3
"""Writes csv_monitor/ by DeepSpeed's own class: python3 make_logs.py PATH/TO/deepspeed/monitor/csv_monitor.py, from this folder.

deepspeed 0.19.8 wrote what lies here. The package itself needs torch, so the class is loaded alone; its events are those of
DeepSpeedEngine._write_monitor. The second writer stands for the process that goes on from a checkpoint: it writes the header again."""
import math
import re
import sys
import types


def load(path):
    text = re.sub(r"from \.monitor import Monitor|import deepspeed\.comm as dist", "", open(path).read())
    module = types.SimpleNamespace(Monitor=type("Monitor", (), {"__init__": lambda self, config: None}),
                                   dist=types.SimpleNamespace(get_rank=lambda: 0))
    scope = {"Monitor": module.Monitor, "dist": module.dist}
    exec(text, scope)
    return scope["csvMonitor"]


monitor = load(sys.argv[1])
config = types.SimpleNamespace(enabled=True, output_path=".", job_name="csv_monitor")
for first, last in ((1, 12), (9, 16)):
    writer = monitor(config)
    for step in range(first, last + 1):
        samples = step * 32
        writer.write_events([("Train/Samples/train_loss", 2 + 9 * math.exp(-step / 12) + first / 1024, samples),
                             ("Train/Samples/lr", 1e-4 * step, samples), ("Train/Samples/loss_scale", 65536.0, samples)])
