#!/usr/bin/env python3
"""Writes the event files of this folder and expected.json, with the libraries that people use.

    pip install torch==2.13.0 tensorboard==2.21.0 tensorboardX==2.6.5
    python make_tensorboard.py

expected.json is what TensorBoard's own EventAccumulator reads from each directory: {run: {tag: [[step, value], ...]}}.
The runs are made with known values and fixed times, but file names and events hold the time and the process that wrote them.
"""
import json
import math
import os
import shutil
import struct

import tensorboardX
import torch
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator
from tensorboard.compat.proto import event_pb2, summary_pb2, tensor_pb2, tensor_shape_pb2, types_pb2
from tensorboard.summary.writer.event_file_writer import EventFileWriter
from torch.utils.tensorboard import SummaryWriter

HERE = os.path.dirname(os.path.abspath(__file__))
T0 = 1795000000.0


def loss(step):
    return 2.0 / (1 + step) + 0.1 * math.sin(step)


def torch_run(path, steps, purge=None, new_style=False):
    w = SummaryWriter(path, purge_step=purge)
    for s in steps:
        w.add_scalar("Loss/train", loss(s), s, walltime=T0 + s, new_style=new_style)
        w.add_scalar("lr", 1e-3 * 0.9**s, s, walltime=T0 + s)
        if s % 10 == 0:
            w.add_scalar("eval/acc", s / 100, s, walltime=T0 + s + 0.5)
    return w


def plain():
    w = torch_run("plain", range(40))
    w.add_histogram("weights", torch.arange(10.0), 0)
    w.add_text("note", "a text", 0)
    w.add_image("img", torch.zeros(3, 2, 2), 0)
    w.close()


def restarted():
    torch_run("restarted", range(30)).close()
    first = os.listdir("restarted")[0]
    os.rename(f"restarted/{first}", "restarted/events.out.tfevents.1795000000.host-a.1.0")
    torch_run("restarted", range(20, 35), purge=20).close()
    second = [n for n in os.listdir("restarted") if "1795000000" not in n][0]
    os.rename(f"restarted/{second}", "restarted/events.out.tfevents.1795000100.host-a.2.0")


def x_hparams():
    w = tensorboardX.SummaryWriter("x")
    for s in range(8):
        w.add_scalar("loss", loss(s), s, walltime=T0 + s)
    w.close()
    w = SummaryWriter("hp")
    w.add_hparams({"lr": 0.125, "model": "gpt-tiny", "tied": True, "layers": 3}, {"final/loss": 0.5}, run_name="trial")
    w.close()


def joined():
    """add_hparams without a name makes a folder whose name is the time."""
    w = tensorboardX.SummaryWriter("joined")
    for s in range(8):
        w.add_scalar("loss", loss(s), s, walltime=T0 + s)
    w.add_hparams({"lr": 0.125, "model": "gpt-tiny", "tied": True}, {"final/loss": 0.5})
    w.close()


def later_tags():
    """Writes all of one series, then all of another, as a job does that evaluates at its end."""
    w = SummaryWriter("later")
    for s in range(12):
        w.add_scalar("train/loss", loss(s), s, walltime=T0 + s)
    for s in range(0, 12, 4):
        w.add_scalar("val/loss", loss(s) + 1, s, walltime=T0 + 100 + s)
    w.close()


def tensors():
    def proto(dtype, **values):
        return tensor_pb2.TensorProto(dtype=dtype, tensor_shape=tensor_shape_pb2.TensorShapeProto(), **values)

    t = types_pb2
    rows = {
        "f32_content": proto(t.DT_FLOAT, tensor_content=struct.pack("<f", 0.1)),
        "f32_val": proto(t.DT_FLOAT, float_val=[0.2]),
        "f64_content": proto(t.DT_DOUBLE, tensor_content=struct.pack("<d", 0.1)),
        "f64_val": proto(t.DT_DOUBLE, double_val=[0.3]),
        "i32_val": proto(t.DT_INT32, int_val=[-7]),
        "i64_content": proto(t.DT_INT64, tensor_content=struct.pack("<q", -(2**40))),
        "i64_val": proto(t.DT_INT64, int64_val=[2**40]),
        "bf16_content": proto(t.DT_BFLOAT16, tensor_content=struct.pack("<H", 0x3FC0)),
        "half_content": proto(t.DT_HALF, tensor_content=struct.pack("<e", 0.333)),
        "half_val": proto(t.DT_HALF, half_val=[0x3C01]),
        "empty_is_zero": proto(t.DT_FLOAT),
        "matrix": tensor_pb2.TensorProto(
            dtype=t.DT_FLOAT, float_val=[1, 2],
            tensor_shape=tensor_shape_pb2.TensorShapeProto(dim=[tensor_shape_pb2.TensorShapeProto.Dim(size=2)])),
    }
    w = EventFileWriter("tensors")
    for step in (5, 6):
        summary = summary_pb2.Summary(value=[summary_pb2.Summary.Value(tag=tag, tensor=v) for tag, v in rows.items()])
        w.add_event(event_pb2.Event(wall_time=T0 + step, step=step, summary=summary))
    w.flush()
    w.close()
    return {"f32_content": struct.unpack("<f", struct.pack("<f", 0.1))[0],
            "f32_val": struct.unpack("<f", struct.pack("<f", 0.2))[0],
            "f64_content": 0.1, "f64_val": 0.3, "i32_val": -7, "i64_content": -(2**40), "i64_val": 2**40, "bf16_content": 1.5,
            "half_content": struct.unpack("<e", struct.pack("<e", 0.333))[0], "half_val": 1.0009765625, "empty_is_zero": 0}


def read(path):
    ea = EventAccumulator(path, size_guidance={"scalars": 0, "tensors": 0})
    ea.Reload()
    return {tag: [[e.step, e.value] for e in ea.Scalars(tag)] for tag in ea.Tags()["scalars"]}


def main():
    os.chdir(HERE)
    for name in ("plain", "restarted", "x", "hp", "joined", "later", "tensors"):
        shutil.rmtree(name, ignore_errors=True)
    plain()
    restarted()
    x_hparams()
    joined()
    later_tags()
    known = tensors()
    expected = {name: read(name) for name in ("plain", "restarted", "x", "joined", "later", "hp/trial")}
    expected["tensors"] = {tag: [[5, v], [6, v]] for tag, v in known.items()}
    with open("expected.json", "w") as f:
        json.dump(expected, f, indent=1, sort_keys=True)
        f.write("\n")


main()
