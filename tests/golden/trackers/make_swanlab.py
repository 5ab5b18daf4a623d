#!/usr/bin/env python3
"""Writes run-toy.swanlab by SwanLab itself, offline: python3 make_swanlab.py, from this folder.

swanlab 0.10.3 wrote what lies here. Its own reader and writer then copy the records without those that name paths of this machine."""
import glob
import math
import os
import tempfile

import swanlab
from swanlab.proto.swanlab.record.v1 import record_pb2
from swanlab.sdk.internal.core_python.store import DataStoreReader, DataStoreWriter

folder = tempfile.mkdtemp()
swanlab.init(project="toy", experiment_name="run-a", config={"lr": 0.01}, logdir=folder, mode="offline")
for i in range(12):
    swanlab.log({"train/loss": 2 + 9 * math.exp(-i / 12), "zero": 0.0})
swanlab.log({"bad": float("nan")}, step=3)
swanlab.finish()
if os.path.exists("run-toy.swanlab"):
    os.remove("run-toy.swanlab")
reader, writer = DataStoreReader(), DataStoreWriter()
reader.open(glob.glob(folder + "/run-*/*.swanlab")[0])
writer.open("run-toy.swanlab")
while (data := reader.scan()) is not None:
    record = record_pb2.Record()
    record.ParseFromString(data)
    if record.WhichOneof("record_type") in ("start", "finish", "column", "scalar"):
        writer.write(data)
writer.close()
