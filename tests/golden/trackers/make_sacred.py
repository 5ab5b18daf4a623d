#!/usr/bin/env python3
"""Writes sacred/1 by sacred's own FileStorageObserver: python3 make_sacred.py, from this folder.

sacred 0.8.7 wrote what lies here; the name of the folder in run.json is replaced afterwards, and sources are not kept."""
import math
import os
import shutil

import numpy
from sacred import Experiment
from sacred.observers import FileStorageObserver

shutil.rmtree("sacred", ignore_errors=True)
ex = Experiment("toy", save_git_info=False, base_dir=os.getcwd())
ex.observers.append(FileStorageObserver("sacred"))


@ex.config
def config():
    lr = 0.01  # noqa: F841
    layers = 2  # noqa: F841
    optimizer = {"kind": "adam", "betas": [0.9, 0.99]}  # noqa: F841
    api_key = "hunter2"  # noqa: F841


@ex.main
def main(_run):
    for i in range(12):
        _run.log_scalar("train.loss", 2 + 9 * math.exp(-i / 12), i * 10)
        if i % 4 == 0:
            _run.log_scalar("eval/acc", numpy.float64(i / 16), i * 10)
    _run.log_scalar("bad", float("nan"), 30)
    return 0.5


ex.run()
shutil.rmtree("sacred/_sources")
text = open("sacred/1/run.json").read().replace(os.getcwd(), "/home/user/toy")
open("sacred/1/run.json", "w").write(text)
