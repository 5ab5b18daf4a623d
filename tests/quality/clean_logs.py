#!/usr/bin/env python3
"""Clean logs of every format that an importer reads, each analyzed: clean_logs.py BUILD [EACH [SEED]] writes EACH logs (8) of each
format below, with intervals, lengths, decays and noise drawn from SEED (0), and prints how many have a finding of severity high. Then it writes
logs of runs that were lost to NaN, and prints how many have such a finding from their first step on, with the same best loss in a list.

A log is clean if its loss decays under noise that does not depend on the step, its learning rate follows a schedule, its step time has one
level with noise of a few percent (and a slow first step), and nothing in it is NaN. In such a log nothing is high. The test fails on one
that is, on a log that is not read as steps, and on fewer than 200 logs. Nothing here is taken from the program that is tested: formats are
written by their documents, or as the program that prints them does."""
import csv
import datetime
import json
import math
import os
import random
import sqlite3
import struct
import subprocess
import sys
import tempfile
import zipfile
import zlib

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "record"))
import recording  # noqa: E402

T0 = 1795877000.0


class Training:
    """A clean training: rows of (step, values), one each `every` steps, as a loop logs them."""

    def __init__(self, r, first=1):
        self.r = r
        n = r.choice([40, 60, 120, 250, 400])
        self.every = r.choice([1, 1, 2, 5, 10])
        self.n, self.total = n, n * self.every
        start, floor, rate = r.uniform(2, 11), r.uniform(0.2, 2), r.uniform(1.5, 8)
        noise = r.choice([0.005, 0.02, 0.05])
        power = r.random() < 0.5
        peak, warm = 10 ** r.uniform(-5, -2), r.choice([0, 0.03, 0.1])
        pace, jitter = 10 ** r.uniform(-1.3, 1), r.choice([0.002, 0.01, 0.03])
        slow_first = r.choice([1, 3, 20])
        norm = r.uniform(0.3, 3)
        tokens = r.choice([2048, 8192, 524288])
        self.rows, now = [], T0
        for i in range(n):
            x = i / n
            loss = floor + start * ((1 + 30 * x) ** -0.7 if power else math.exp(-rate * x))
            lr = peak * (min(1, (x + 1 / n) / warm) if x < warm else 0.5 * (1 + math.cos(math.pi * (x - warm) / (1 - warm))) + 0.01)
            took = pace * math.exp(r.gauss(0, jitter)) * (slow_first if i == 0 else 1)
            now += took * self.every
            self.rows.append(dict(step=first - 1 + (i + 1) * self.every, loss=loss * math.exp(r.gauss(0, noise)), lr=lr, took=took, now=now,
                                  grad_norm=norm * (1 + 2 * math.exp(-3 * x)) * math.exp(r.gauss(0, 0.1)), tokens=tokens, x=x,
                                  eval_loss=loss * 1.05 * math.exp(r.gauss(0, 0.01)) if i % max(n // 8, 1) == n // 8 else None))


    def lose(self, zeros):
        """From a step on, the gradient norm is NaN and so is the loss, for which some trainers write 0. Returns that step and the best loss."""
        at = self.r.randrange(self.n // 4, self.n - 8)
        for q in self.rows[at:]:
            q["loss"], q["grad_norm"] = 0.0 if zeros else math.nan, math.nan
        return self.rows[at]["step"], self.rows[:at]


def write(path, text):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb" if isinstance(text, bytes) else "w") as f:
        f.write(text)
    return path


def stamp(t):
    return datetime.datetime.fromtimestamp(t, datetime.timezone.utc)


# --- text logs ---

def megatron(d, t):
    lines = [f" [{stamp(q['now']):%Y-%m-%d %H:%M:%S}] iteration {q['step']:8d}/{t.total:8d} | consumed samples: {q['step'] * 512:12d} | "
             f"elapsed time per iteration (ms): {1e3 * q['took']:.1f} | throughput per GPU (TFLOP/s/GPU): {300 / q['took'] / 10:.1f} | "
             f"learning rate: {q['lr']:.6E} | global batch size: {512:5d} | lm loss: {q['loss']:.6E} | loss scale: 1.0 | "
             f"grad norm: {q['grad_norm']:.3f} | number of skipped iterations: {0:3d} | number of nan iterations: {0:3d} |" for q in t.rows]
    return write(d + "/train.log", "using world size: 8, data-parallel size: 4\n" + "\n".join(lines) + "\n")


def megatron_deepspeed(d, t):
    lines = [f" iteration {q['step']:8d}/{t.total:8d} | consumed samples: {q['step'] * 8:12d} | consumed tokens: {q['step'] * 8 * 2048:12d} | "
             f"elapsed time per iteration (s): {q['took']:.2f} | learning rate: {q['lr']:.3E} | global batch size: {8:5d} | "
             f"lm loss: {q['loss']:.6E} | loss scale: 1.0 | grad norm: {q['grad_norm']:.3f} | actual seqlen:  2048 | "
             f"number of skipped iterations: {0:3d} | number of nan iterations: {0:3d} | samples per second: {8 / q['took']:.3f} | "
             f"TFLOPs: {70 / q['took']:.2f} |" for q in t.rows]
    return write(d + "/train.log", "\n".join(lines) + "\n")


def nemo(d, t):
    lines = [f"Training epoch 0, iteration {q['step'] - 1}/{t.total} | lr: {q['lr']:.4g} | global_batch_size: 8 | global_step: {q['step'] - 1} | "
             f"reduced_train_loss: {q['loss']:.4g} | train_step_timing in s: {q['took']:.4g} | consumed_samples: {8 * q['step']}" for q in t.rows]
    return write(d + "/nemo.log", "\n".join(lines) + "\n")


def torchtitan(d, t):
    lines = [f"[rank0]:[titan] {stamp(q['now']):%Y-%m-%d %H:%M:%S},123 - root - INFO - \x1b[31mstep: {q['step']:2d}  \x1b[32mloss: {q['loss']:7.4f}  "
             f"\x1b[38;2;180;60;0mgrad_norm: {q['grad_norm']:7.4f}  \x1b[33mmemory: 20.57GiB(21.66%)  \x1b[34mtps: {round(q['tokens'] / q['took']):,}  "
             f"\x1b[36mtflops: {30 / q['took']:,.2f}  \x1b[35mmfu: 30.10%\x1b[39m" for q in t.rows]
    return write(d + "/titan.log", "\n".join(lines) + "\n")


def fairseq(d, t):
    lines = [f"{stamp(q['now']):%Y-%m-%d %H:%M:%S} | INFO | train_inner | epoch 001: {q['step']:6d} / {t.total} loss={q['loss']:.3f}, "
             f"ppl={2 ** q['loss']:.2f}, wps={q['tokens'] / q['took']:.1f}, ups={1 / q['took']:.2f}, wpb={q['tokens']}, bsz=153.4, num_updates={q['step']}, "
             f"lr={q['lr']:.6g}, gnorm={q['grad_norm']:.3f}, train_wall={q['took'] * t.every:.0f}, wall={q['now'] - T0:.0f}" for q in t.rows]
    return write(d + "/fairseq.log", "\n".join(lines) + "\n")


def fairseq_json(d, t):
    lines = [f"{stamp(q['now']):%Y-%m-%d %H:%M:%S} | INFO | train_inner | " +
             json.dumps({"epoch": 1, "update": q["x"], "loss": f"{q['loss']:.3f}", "wps": f"{q['tokens'] / q['took']:.1f}", "num_updates": str(q["step"]),
                         "lr": f"{q['lr']:.6g}", "gnorm": f"{q['grad_norm']:.3f}", "train_wall": "3", "wall": f"{q['now'] - T0:.0f}"}) for q in t.rows]
    return write(d + "/fairseq.log", "\n".join(lines) + "\n")


def trainer_stdout(d, t):
    lines = []
    for q in t.rows:
        lines.append(str({"loss": round(q["loss"], 4), "grad_norm": q["grad_norm"], "learning_rate": q["lr"], "epoch": round(q["x"], 4)}))
        if q["eval_loss"]:
            lines.append(str({"eval_loss": q["eval_loss"], "eval_runtime": 12.3, "eval_samples_per_second": 81.2, "epoch": round(q["x"], 4)}))
    return write(d + "/stdout.log", "loading the data\n" + "\n".join(lines) + "\n")


def trainer_bar(d, t):
    text = f"  0%|          | 0/{t.total} [00:00<?, ?it/s]"
    for q in t.rows:
        text += "\r" + str({"loss": round(q["loss"], 4), "grad_norm": q["grad_norm"], "learning_rate": q["lr"], "epoch": round(q["x"], 4)}) + "\n"
        text += f"\r{100 * q['step'] // t.total:3d}%|#         | {q['step']}/{t.total} [00:{int(q['x'] * 59):02d}<00:01, {1 / q['took']:.2f}it/s]"
    return write(d + "/train.log", text + "\n")


def tqdm(d, t):
    bars = [f"Epoch 0: {100 * q['step'] // t.total:3d}%|#         | {q['step']}/{t.total} [00:{int(q['x'] * 59):02d}<00:01, {1 / q['took']:.2f}it/s, "
            f"loss={q['loss']:.3f}, v_num=0]" for q in t.rows]
    return write(d + "/bar.log", "\r".join(bars) + "\n")


# --- files of trackers ---

def trainer_state(d, t):
    log = []
    for q in t.rows:
        log.append({"epoch": q["x"], "grad_norm": q["grad_norm"], "learning_rate": q["lr"], "loss": round(q["loss"], 4), "step": q["step"]})
        if q["eval_loss"]:
            log.append({"epoch": q["x"], "eval_loss": q["eval_loss"], "eval_runtime": 3.1, "step": q["step"]})
    write(d + "/checkpoint-9/trainer_state.json", json.dumps({"epoch": 1.0, "global_step": t.total, "max_steps": t.total, "num_train_epochs": 1,
                                                              "logging_steps": t.every, "log_history": log}))
    return d


def jsonl(d, t):
    style = t.r.choice(["plain", "titan", "llamafactory", "nanogpt"])
    lines = []
    for q in t.rows:
        if style == "titan":
            lines.append({"step": q["step"], "timestamp": q["now"], "loss_metrics/global_avg_loss": q["loss"], "grad_norm": q["grad_norm"],
                          "throughput(tps)": q["tokens"] / q["took"], "time_metrics/end_to_end(s)": q["took"],
                          "time_metrics/data_loading(s)": 0.004 * q["took"], "time_metrics/data_loading(%)": 0.4, "mfu(%)": 31.5, "lr": q["lr"]})
        elif style == "llamafactory":
            lines.append({"current_steps": q["step"], "total_steps": t.total, "step": q["step"], "loss": round(q["loss"], 4), "lr": q["lr"], "epoch": q["x"],
                          "percentage": round(100 * q["x"], 2)})
        elif style == "nanogpt":
            lines.append({"iter": q["step"], "train/loss": q["loss"], "lr": q["lr"], "step_time_ms": 1e3 * q["took"], "mfu": 0.35})
        else:
            lines.append({"step": q["step"], "loss": q["loss"], "lr": q["lr"], "step_time": q["took"], "timestamp": q["now"]})
    return write(d + "/metrics.jsonl", "".join(json.dumps(x) + "\n" for x in lines))


def table(d, t):
    timed = t.r.choice([[], ["step_time_s"], ["step_time_s", "timestamp"], ["iteration_time"]])
    names = ["step", "loss", "lr", "grad_norm"] + timed
    with open(write(d + "/metrics.csv", ""), "w", newline="") as f:
        out = csv.writer(f)
        out.writerow(names)
        for q in t.rows:
            more = {"step_time_s": q["took"], "iteration_time": q["took"], "timestamp": q["now"]}
            out.writerow([more.get(name, q.get(name)) for name in names])
    return d + "/metrics.csv"


def lightning(d, t):
    rows = []
    for q in t.rows:
        rows.append(f"{int(q['x'] * 4)},{q['step']},{q['loss']},")
        if q["eval_loss"]:
            rows.append(f"{int(q['x'] * 4)},{q['step']},,{q['eval_loss']}")
    write(d + "/hparams.yaml", "lr: 0.001\n")
    write(d + "/metrics.csv", "epoch,step,train_loss,val_loss\n" + "\n".join(rows) + "\n")
    return d


def dvclive(d, t):
    for name in ("train/loss", "lr", "grad_norm"):
        write(f"{d}/plots/metrics/{name}.tsv", "step\t" + name.split("/")[-1] + "\n" + "".join(f"{q['step']}\t{q[name.split('/')[-1]]}\n" for q in t.rows))
    write(d + "/metrics.json", "{}")
    return d


def deepspeed(d, t):
    for name, key in (("Train_Samples_lr", "lr"), ("Train_Samples_train_loss", "loss"), ("Train_Samples_loss_scale", None)):
        write(f"{d}/{name}.csv", f"step,{name[14:]}\n" + "".join(f"{q['step'] * 32},{q[key] if key else 65536.0}\n" for q in t.rows))
    return d


def golden_values(d, t):
    """Each step has a value: the text "nan" where none was recorded, as before a resume, behind the end, or between two that were timed."""
    first, last = t.r.choice([0, t.n // 5]), t.n - t.r.choice([0, 2])
    values = lambda made: {"start_step": t.rows[0]["step"], "end_step": t.rows[-1]["step"], "step_interval": t.every,  # noqa: E731
                           "values": {str(q["step"]): made(i, q) if first <= i < last else "nan" for i, q in enumerate(t.rows)}}
    timed = t.r.choice([1, 3])
    return write(d + "/golden_values.json", json.dumps({
        "lm loss": values(lambda i, q: round(q["loss"], 5)), "num-zeros": values(lambda i, q: 2254 + i % 7),
        "iteration-time": values(lambda i, q: round(q["took"], 5) if i % timed == 0 else "nan"),
        "mem-allocated-bytes": values(lambda i, q: 1752204288.0)}))


def losses(d, t):
    return write(d + "/losses.txt", "".join(f"{q['step']} {q['loss']:.6f}\n" for q in t.rows))


def mlflow(d, t):
    run = d + "/mlruns/7/0123456789abcdef0123456789abcdef"
    write(d + "/mlruns/7/meta.yaml", "experiment_id: '7'\nlifecycle_stage: active\nname: gpt\n")
    write(run + "/meta.yaml", "artifact_uri: file:///nowhere\nend_time: null\nexperiment_id: '7'\nlifecycle_stage: active\n"
          "run_id: 0123456789abcdef0123456789abcdef\nrun_name: a\nsource_type: 4\nstart_time: 1795000000000\nstatus: 3\ntags: []\nuser_id: ann\n")
    for name, key in (("loss", "loss"), ("lr", "lr"), ("grad_norm", "grad_norm"), ("step_time", "took")):
        write(f"{run}/metrics/{name}", "".join(f"{int(q['now'] * 1e3)} {q[key]} {q['step']}\n" for q in t.rows))
    return run


def mlflow_database(d, t):
    base = sqlite3.connect(write(d + "/mlflow.db", b""))
    with open(os.path.join(HERE, "../golden/mlflow/mlflow.db.sql")) as f:
        base.executescript("".join(line for line in f if line.startswith("CREATE")))
    base.execute("INSERT INTO experiments VALUES(0,'Default','/mlruns','active',0,0,'default')")
    base.execute("INSERT INTO runs VALUES('aa','a','UNKNOWN','','','ann','FINISHED',0,1,'','active','/mlruns',0,NULL)")
    for name, key in (("loss", "loss"), ("lr", "lr"), ("grad_norm", "grad_norm"), ("step_time", "took")):
        base.executemany("INSERT INTO metrics VALUES(?,?,?,'aa',?,0)", [(name, q[key], int(q["now"] * 1e3), q["step"]) for q in t.rows])
    base.commit()
    return d + "/mlflow.db#aa"


def trackio(d, t):
    base = sqlite3.connect(write(d + "/toy.db", b""))
    with open(os.path.join(HERE, "../golden/trackers/trackio.db.sql")) as f:
        text = f.read()
    base.executescript("".join(part + ";\n" for part in text.split(";\n") if part.startswith("CREATE")))
    base.executemany("INSERT INTO metrics VALUES(?,'aa',?,'a',?,?,NULL,NULL)",
                     [(i + 1, stamp(q["now"]).isoformat(), q["step"], json.dumps({"train/loss": q["loss"], "lr": q["lr"], "step_time_s": q["took"]}).encode())
                      for i, q in enumerate(t.rows)])
    base.commit()
    return d + "/toy.db#aa"


def sacred(d, t):
    metric = lambda key: {"steps": [q["step"] for q in t.rows], "timestamps": [stamp(q["now"]).strftime("%Y-%m-%dT%H:%M:%S.%f") for q in t.rows],  # noqa: E731
                          "values": [q[key] for q in t.rows]}
    write(d + "/1/metrics.json", json.dumps({"train.loss": metric("loss"), "lr": metric("lr"), "step_time": metric("took")}))
    write(d + "/1/run.json", json.dumps({"status": "COMPLETED", "experiment": {"name": "toy"}, "start_time": "2026-11-23T01:05:27.1", "heartbeat": None}))
    write(d + "/1/config.json", "{}")
    write(d + "/1/cout.txt", "")
    return d + "/1"


def archive(path, members):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        for name, text in members.items():
            out.writestr(name, text)
    return path


def comet(d, t):
    lines = [json.dumps({"payload": {"local_timestamp": int(q["now"] * 1e3), "message_id": i, "metric": {
        "epoch": None, "metricName": name, "metricValue": str(q[key]), "step": q["step"], "timestamp": int(q["now"] * 1e3)}}, "type": "metric_msg"})
        for i, q in enumerate(t.rows) for name, key in (("train/loss", "loss"), ("lr", "lr"), ("step_time", "took"))]
    return archive(d + "/comet.zip", {"experiment.json": json.dumps({"offline_id": "a" * 32, "project_name": "toy", "start_time": 1795396444038,
                                                                     "stop_time": 1795396445371, "workspace": "w"}), "messages.json": "\n".join(lines) + "\n"})


def clearml(d, t):
    told = [{"timestamp": int(q["now"] * 1e3), "type": "training_stats_scalar", "task": "offline-a", "iter": q["step"], "metric": name, "variant": name,
             "value": q[key], "method": "get"} for q in t.rows for name, key in (("loss", "loss"), ("lr", "lr"), ("step_time", "took"))]
    return archive(d + "/offline-a.zip", {"metrics.jsonl": json.dumps(told) + "\n", "task.json": json.dumps({"id": "offline-a", "name": "a"})})


# --- binary files ---

def varint(n):
    out = b""
    while n > 127:
        out, n = out + bytes([n & 127 | 128]), n >> 7
    return out + bytes([n])


def field(number, value):
    if isinstance(value, float):
        return varint(number << 3 | 1) + struct.pack("<d", value)
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    value = value.encode() if isinstance(value, str) else value
    return varint(number << 3 | 2) + varint(len(value)) + value


def tensorboard(d, t):
    def put(event):
        head = struct.pack("<Q", len(event))
        mask = lambda data: struct.pack("<I", ((c := recording.crc32c(data)) >> 15 | c << 17 & 0xFFFFFFFF) + 0xA282EAD8 & 0xFFFFFFFF)  # noqa: E731
        return head + mask(head) + event + mask(event)
    out = [put(field(1, T0) + field(3, "brain.Event:2"))]
    for q in t.rows:
        for name, key in (("Loss/train", "loss"), ("lr", "lr"), ("grad_norm", "grad_norm"), ("iteration-time", "took")):
            value = field(1, name) + varint(2 << 3 | 5) + struct.pack("<f", q[key])
            out.append(put(field(1, q["now"]) + field(2, q["step"]) + field(5, field(1, value))))
    write(d + "/events.out.tfevents.1795877000.host.1.0", b"".join(out))
    return d


def blocks(preamble, records):
    """The frames of W&B's and SwanLab's files: chunks that no block of 32 KiB breaks."""
    out = bytearray(preamble)
    for data in records:
        first = True
        while first or data:
            room = 32768 - len(out) % 32768 - 7
            if room < 0:
                out += bytes(room + 7)
                continue
            part, data = data[:room], data[room:]
            kind = bytes([(1 if first else 4) if not data else (2 if first else 3)])
            out += struct.pack("<IH", zlib.crc32(kind + part), len(part)) + kind + part
            first = False
    return bytes(out)


def wandb(d, t):
    items = lambda q: {"train/loss": q["loss"], "lr": q["lr"], "train/grad_norm": q["grad_norm"], "step_time": q["took"], "_timestamp": q["now"],  # noqa: E731
                       "_runtime": q["now"] - T0, "_step": q["step"]}
    records = [field(1, 1) + field(17, field(1, "abc") + field(2, "e") + field(3, "p"))]
    for i, q in enumerate(t.rows):
        history = b"".join(field(1, field(2, key) + field(16, json.dumps(v))) for key, v in items(q).items()) + field(2, field(1, q["step"]))
        records.append(field(1, i + 2) + field(2, history))
    return write(d + "/run-abc.wandb", blocks(b":W&B\xe1\xbe\x00", records))


def swanlab(d, t):
    records = [field(10, field(1, "toy") + field(4, "a"))]
    for q in t.rows:
        moment = field(1, int(q["now"])) + field(2, int(q["now"] % 1 * 1e9))
        records += [field(13, field(1, name) + field(2, q["step"]) + field(4, moment) + field(5, field(1, float(q[key]))))
                    for name, key in (("train/loss", "loss"), ("lr", "lr"), ("step_time", "took"))]
    return write(d + "/run-a.swanlab", blocks(b":SWL\xd6\xe1\x02", records))


# --- runs of tscope and pytscope ---

def run_directory(d, t):
    kind = t.r.choice(["step", "iteration", "none", "parts", "data and step", "own names"])
    parts = {"step": {"step": 1}, "iteration": {"iteration": 1}, "none": {}, "data and step": {"data": 0.03, "step": 0.97},
             "parts": {"data": 0.02, "forward": 0.3, "backward": 0.55, "optimizer": 0.1, "other": 0.03},
             "own names": {"rollout": 0.6, "update_actor": 0.3, "save_checkpoint": 0.02}}[kind]
    lines = [{"step": q["step"], "timestamp": q["now"], "phases": {k: v * q["took"] for k, v in parts.items()},
              "scalars": {"loss": q["loss"], "lr": q["lr"], "grad_norm": q["grad_norm"]}} for q in t.rows]
    write(d + "/steps.jsonl", "".join(json.dumps(x) + "\n" for x in lines))
    return d


def recorded(d, t):
    """A loop that was recorded without marks, by the recorder of this version (`step`) or an older one (`other`), with waits for data or none."""
    whole, waits = t.r.choice(["step", "other"]), t.r.random() < 0.5
    columns = [recording.column(1, "phase", "other"), recording.column(2, "phase", "between"), recording.column(3, "phase", "step"),
               recording.column(4, "number", "loss"), recording.column(5, "phase", "data")]
    frames, out, at = columns, [], 10 ** 9
    head, size = recording.file_header(b"0123456789abcdef", 0, 1, int(T0 * 1e9), at, 1, 1000), 0
    for i, q in enumerate(t.rows):
        wait, took = int(0.03e9 * q["took"]) if waits else 0, int(1e9 * q["took"])
        cells = [(3 if whole == "step" else 1, recording.i64(took)), (4, recording.f64(q["loss"])), (2, recording.i64(20000))]
        frame = recording.step(i, at + 20000 + wait, took, cells + ([(5, recording.i64(wait))] if waits else []))
        if size + len(frame) > 60000:
            out.append((frames, len(out)))
            frames, size = [], 0
        frames, size, at = frames + [frame], size + len(frame), at + 20000 + wait + took
    out.append((frames + [recording.end(at, t.n, 0, 0, 1)], len(out)))
    write(d + "/recording.tscope", b"".join(recording.chunk(n, 0, n, f, head if n == 0 else b"") for f, n in out))
    write(d + "/run.json", "{}")
    return d


def exported(d, t):
    names = ["rank", "step", "timestamp", "phases.step", "scalars.loss", "scalars.lr"]
    with open(write(d + "/run.csv", ""), "w", newline="") as f:
        out = csv.writer(f)
        out.writerow(names)
        out.writerows([0, q["step"], q["now"], q["took"], q["loss"], q["lr"]] for q in t.rows)
    return d + "/run.csv"


FORMATS = [megatron, megatron_deepspeed, nemo, torchtitan, fairseq, fairseq_json, trainer_stdout, trainer_bar, tqdm, trainer_state, jsonl, table, lightning,
           dvclive, deepspeed, golden_values, losses, mlflow, mlflow_database, trackio, sacred, comet, clearml, tensorboard, wandb, swanlab, run_directory,
           recorded, exported]


# With whether the program writes 0 for a loss that is NaN.
LOST = [(megatron, False), (trainer_bar, True), (trainer_state, True), (table, False), (mlflow, False), (wandb, False), (tensorboard, False)]


def lost(program, top, make, zeros, r, wrong):
    """Whether a lost run has a high finding of its first step, and a list has the best loss that it could still compute."""
    t, folder = Training(r), tempfile.mkdtemp(dir=top)
    step, before = t.lose(zeros)
    path = make(folder, t)
    got = subprocess.run([program, "--store", top + "/none", "analyze", "--json", path], stdout=subprocess.PIPE, text=True)
    high = {f["code"] for f in json.loads(got.stdout)["findings"] if f["severity"] == "high" and f["first_step"] == step}
    store = ["--store", folder + "/store"]
    subprocess.run([program, *store, "push", "-q", path, "-n", "a"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=True)
    listed = subprocess.run([program, *store, "list", "--json", "-c", "loss.best,loss.last"], stdout=subprocess.PIPE, text=True, check=True)
    best = min(q["loss"] for q in before)
    values = json.loads(listed.stdout)["rows"][0]["values"]
    agree = abs(values["loss.best"] - best) <= 1e-4 * best + 6e-5 and values["loss.last"] > 0
    if not {"CONVERGENCE.DIVERGED", "CONVERGENCE.NONFINITE"} & high or not agree:
        wrong.append(f"lost {make.__name__}: at step {step}, best {best}: {high} {values}")
        return False
    return True


def bound(bad, n):
    """The 95 % upper bound (Clopper and Pearson) of a share of which `bad` of n were seen."""
    def below(p):
        logs = (math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1) + k * math.log(p) + (n - k) * math.log1p(-p) for k in range(bad + 1))
        return sum(map(math.exp, logs))

    lo, hi = 0.0, 1.0
    for _ in range(60):
        lo, hi = ((lo + hi) / 2, hi) if below((lo + hi) / 2) > 0.05 else (lo, (lo + hi) / 2)
    return hi


def odd(series):
    """What a clean log cannot have: a learning rate that improves or has a best value, and a series above 0 that loses more than all of itself."""
    for name, rows in series.items():
        if name in ("lr", "learning_rate") and (rows["trend"] in ("improving", "worsening") or "best" in rows):
            yield name, rows["trend"], rows.get("best")
        for key, value in rows.items():
            if key.endswith("_low_ratio") and isinstance(value, float) and value < -1:
                yield name, key, value


def main():
    build, each, seed = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 8, int(sys.argv[3]) if len(sys.argv) > 3 else 0
    program, wrong, high, n, dips, listed = os.path.join(build, "tscope"), [], [], 0, 0, {}
    with tempfile.TemporaryDirectory() as top:
        for make in FORMATS:
            for k in range(each):
                folder = f"{top}/{make.__name__}/{k}"
                os.makedirs(folder)
                path = make(folder, Training(random.Random(f"{seed} {make.__name__} {k}")))
                got = subprocess.run([program, "--store", top + "/none", "analyze", "--json", path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                n += 1
                if got.returncode not in (0, 1):
                    wrong.append(f"{make.__name__} {k}: {got.stderr[-400:]}")
                    continue
                answer = json.loads(got.stdout)
                if answer["run"]["step_count"] < 30:
                    wrong.append(f"{make.__name__} {k}: {answer['run']['step_count']} steps")
                dips += any(e["kind"] == "dip" and e["subject"] == "loss" for e in answer["events"])
                wrong += [f"{make.__name__} {k}: {m}" for m in odd(answer["measures"]["convergence"])]
                for finding in answer["findings"]:
                    key = (finding["severity"], finding["code"])
                    listed[key] = listed.get(key, 0) + 1
                    if finding["severity"] == "high":
                        high.append(f"{make.__name__} {k}: {finding['code']}: {finding['detail']}")
    print(f"clean logs of {len(FORMATS)} formats: {len(high)} of {n} have a finding that is high (95 % bound {100 * bound(len(high), n):.2f} %)")
    print(f"a dip in the loss: {dips} of {n}")
    for (severity, code), count in sorted(listed.items()):
        print(f"  {severity:6} {code:36} {count}")
    with tempfile.TemporaryDirectory() as top:
        found = [lost(program, top, make, zeros, random.Random(f"{seed} lost {make.__name__} {k}"), wrong)
                 for make, zeros in LOST for k in range(max(each // 4, 1))]
    print(f"lost logs of {len(LOST)} formats: {sum(found)} of {len(found)} are high from their first step on, and listed with the best loss before")
    for line in wrong + high:
        print(line)
    return 1 if wrong or high or dips > 0.01 * n or (each >= 7 and n < 200) else 0


if __name__ == "__main__":
    sys.exit(main())
