#!/usr/bin/env python3
"""Writes the runs of this folder and expected.json with W&B's own library, offline.

    pip install wandb==0.31.0
    python make_wandb.py /home/someone/work

expected.json holds what this script gave to run.log: {run: {column of the log: [[step, value], ...]}}, and what it gave as
configuration. Only times, the machine and the process differ when it runs again; folder names are made the same. The folder named is where the
SDK works; its path is in the logs.
"""
import json
import math
import os
import platform
import shutil
import signal
import struct
import subprocess
import sys
import time
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
ORDER = ["plain001", "kinds002", "media003", "blocks04", "resumed5", "failed07", "crashed6", "hfaxis08", "valaxis9", "hfagain0"]
SETTINGS = dict(console="off", x_stats_sampling_interval=0.2, disable_git=True, save_code=False, host="host-a", username="someone",
                program="train.py", program_abspath="/home/someone/train.py", program_relpath="train.py",
                x_executable="/usr/bin/python3")
platform.platform = lambda *args, **kwargs: "Linux-6.1.0-amd64-x86_64-with-glibc2.36"


def loss(step):
    return 2.0 / (1 + step) + 0.1 * math.sin(step)


def begin(name, run_id, **kwargs):
    import wandb

    return wandb.init(project="golden", name=name, id=run_id, settings=wandb.Settings(**SETTINGS), **kwargs)


def plain():
    config = {"lr": 0.1, "model": {"layers": 3, "name": "gpt-tiny"}, "betas": [0.9, 0.95], "api_key": "not-a-secret", "gone": 1}
    run = begin("plain", "plain001", config=config, tags=["first", "second"], notes="forty steps", group="g", job_type="train")
    for s in range(40):
        run.log({"train/loss": loss(s), "lr": 1e-3 * 0.9**s, "tokens": 8192 * (s + 1)})
    run.config.update({"lr": 0.2, "model": {"layers": 4, "name": "gpt-tiny"}}, allow_val_change=True)
    run.summary["best"] = 0.125
    run.summary["lr"] = 0.5
    run.finish()
    return {"train/loss": [[s, loss(s)] for s in range(40)], "lr": [[s, 1e-3 * 0.9**s] for s in range(40)],
            "tokens": [[s, 8192 * (s + 1)] for s in range(40)]}


def kinds():
    run = begin("kinds", "kinds002")
    odd = [float("nan"), float("inf"), float("-inf"), -0.0, 5e-324, 0.1 + 0.2]
    for s, v in enumerate(odd):
        run.log({"odd": v, "eval": {"acc": s / 8, "deep": {"er": s}}, "note": f"step {s} ü", "flag": s % 2 == 0, "list": [s, 1.5, "x"],
                 "big": 2**60 + s})
    run.log({"odd": 1.0}, step=100)
    run.finish()
    n = range(len(odd))
    return {"odd": [[s, repr(v)] if v != v or v in (math.inf, -math.inf) else [s, v] for s, v in enumerate(odd)] + [[100, 1.0]],
            "eval.acc": [[s, s / 8] for s in n], "eval.deep.er": [[s, s] for s in n], "note": [[s, f"step {s} ü"] for s in n],
            "flag": [[s, s % 2 == 0] for s in n], "list": [[s, [s, 1.5, "x"]] for s in n], "big": [[s, 2**60 + s] for s in n]}


def media():
    import wandb

    run = begin("media", "media003")
    for s in range(3):
        run.log({"loss": loss(s), "weights": wandb.Histogram([1, 2, 3, s])})
    run.finish()
    return {"loss": [[s, loss(s)] for s in range(3)]}


def blocks():
    """Writes several blocks of 32 KiB, with records that lie in more than one block."""
    run = begin("blocks", "blocks04")
    for s in range(12):
        run.log({"loss": loss(s), "long": f"{s}-" * (1400 + s)})
    run.finish()
    return {"loss": [[s, loss(s)] for s in range(12)], "long": [[s, f"{s}-" * (1400 + s)] for s in range(12)]}


def resumed():
    """The same run again: W&B makes a second folder, whose steps begin again, as nothing can be asked offline."""
    for part in range(2):
        run = begin("resumed", "resumed5", resume="allow")
        for s in range(6):
            run.log({"loss": loss(6 * part + s)}, step=6 * part + s)
        run.finish()
    return {"loss": [[s, loss(s)] for s in range(6)]}, {"loss": [[s, loss(s)] for s in range(6, 12)]}


def declare(run):
    """What the callback of transformers 5.23 does (integrations/integration_utils.py, WandbCallback.setup)."""
    run.define_metric("train/global_step")
    run.define_metric("*", step_metric="train/global_step", step_sync=True)


def hf_axis():
    """As transformers' Trainer logs: every 10 steps, an evaluation in a record of its own. W&B gives the first record the global step 0."""
    run = begin("gpt tiny/lr 1e-3", "hfaxis08")
    declare(run)
    run.log({"n_params": 124})
    for s in range(10, 101, 10):
        run.log({"train/loss": loss(s), "train/learning_rate": 1e-3 * (1 - s / 100), "train/epoch": s / 40, "train/global_step": s})
        if s % 50 == 0:
            run.log({"eval/loss": loss(s) + 1, "train/epoch": s / 40, "train/global_step": s})
    run.finish()
    steps = range(10, 101, 10)
    return {"train/loss": [[s, loss(s)] for s in steps], "train/learning_rate": [[s, 1e-3 * (1 - s / 100)] for s in steps],
            "eval/loss": [[s, loss(s) + 1] for s in (50, 100)], "n_params": [[0, 124]]}


def val_axis():
    """Only one series of three is drawn over an axis of its own, so W&B's step remains."""
    run = begin("valaxis", "valaxis9")
    run.define_metric("epoch")
    run.define_metric("val/*", step_metric="epoch")
    for s in range(12):
        run.log({"loss": loss(s), "lr": 1e-3, **({"val/acc": s / 12, "epoch": s // 4} if s % 4 == 3 else {})})
    run.finish()
    return {"loss": [[s, loss(s)] for s in range(12)], "lr": [[s, 1e-3] for s in range(12)],
            "val/acc": [[s, s / 12] for s in range(3, 12, 4)]}


def hf_again():
    """A training that stopped at step 60 and was resumed from its checkpoint at step 40: two folders of one run."""
    for part in (range(10, 61, 10), range(50, 101, 10)):
        run = begin("hf again", "hfagain0", resume="allow")
        declare(run)
        for s in part:
            run.log({"train/loss": loss(s) + (part[0] == 50), "train/global_step": s})
        run.finish()
    return {"train/loss": [[s, loss(s) + (s >= 50)] for s in range(10, 101, 10)]}


def crashed():
    """Is killed while it trains, so there is no exit record."""
    run = begin("crashed", "crashed6")
    for s in range(80):
        run.log({"loss": loss(s), "lr": 1e-3 * 0.9**s})
    time.sleep(2)
    print("now", flush=True)
    time.sleep(60)


def failed():
    """Ends with an exception: the exit record has code 1."""
    run = begin("failed", "failed07")
    run.log({"loss": 1.0})
    run.finish(exit_code=1)
    return {"loss": [[0, 1.0]]}


def kill_it(env):
    child = subprocess.Popen([sys.executable, __file__, "crashed"], env=env, stdout=subprocess.PIPE, text=True, start_new_session=True)
    while "now" not in child.stdout.readline():
        pass
    os.killpg(child.pid, signal.SIGKILL)
    child.wait()


def histories(path):
    """How many records of the history are whole in the file: the SDK writes when a block of 32 KiB is full."""
    from wandb.proto import wandb_internal_pb2 as pb

    with open(path, "rb") as f:
        data = f.read()
    at, parts, n = 7, b"", 0
    while at + 7 <= len(data):
        left = 32768 - at % 32768
        if left < 7:
            at += left
            continue
        crc, size, kind = struct.unpack("<IHB", data[at:at + 7])
        part = data[at + 7:at + 7 + size]
        if len(part) < size:
            break
        assert zlib.crc32(bytes([kind]) + part) == crc
        parts = part if kind in (1, 2) else parts + part
        if kind in (1, 4):
            n += pb.Record.FromString(parts).HasField("history")
        at += 7 + size
    return n


def collect(work):
    """Folders get the time 20261121_000000 and on, in the order of ORDER; logs of the SDK itself are left out."""
    names = [n for n in os.listdir(os.path.join(work, "wandb")) if n.startswith("offline-run-")]
    names.sort(key=lambda n: (ORDER.index(n.split("-")[3]), n))
    for i, name in enumerate(names):
        to = os.path.join(HERE, "wandb", f"offline-run-20261121_0000{i:02d}-{name.split('-')[3]}")
        shutil.copytree(os.path.join(work, "wandb", name), to,
                        ignore=lambda d, names: [n for n in names if n in ("logs", "tmp", "requirements.txt", "media", "wandb-summary.json")])
        os.makedirs(os.path.join(to, "files"), exist_ok=True)
        with open(os.path.join(to, "files", "requirements.txt"), "w") as f:
            f.write("absl-py==2.5.1\nnumpy==2.2.1\ntorch==2.13.0\ntorch-unknown==1\n")
    return [n for n in os.listdir(os.path.join(HERE, "wandb")) if n.endswith("crashed6")][0]


def main():
    if sys.argv[1:] == ["crashed"]:
        crashed()
        return
    work = sys.argv[1]
    os.makedirs(work)
    os.environ.update(WANDB_MODE="offline", WANDB_DIR=work, WANDB_SILENT="true",
                      WANDB_CONFIG_DIR=work, WANDB_CACHE_DIR=work)
    shutil.rmtree(os.path.join(HERE, "wandb"), ignore_errors=True)
    expected = {"plain001": plain(), "kinds002": kinds(), "media003": media(), "blocks04": blocks()}
    expected["resumed5"], expected["resumed5 again"] = resumed()
    expected["failed07"] = failed()
    expected.update(hfaxis08=hf_axis(), valaxis9=val_axis(), hfagain0=hf_again())
    kill_it(dict(os.environ))
    n = histories(os.path.join(HERE, "wandb", collect(work), "run-crashed6.wandb"))
    expected["crashed6"] = {"loss": [[s, loss(s)] for s in range(n)], "lr": [[s, 1e-3 * 0.9**s] for s in range(n)]}
    shutil.rmtree(work)
    with open(os.path.join(HERE, "expected.json"), "w") as f:
        json.dump(expected, f, indent=None, sort_keys=True)
        f.write("\n")


main()
