#!/usr/bin/env python3
"""Writes the file store, the dump of a database and expected.json of this folder, with MLflow itself.

    pip install mlflow-skinny==3.17.2 sqlalchemy alembic
    python make_mlflow.py

The same runs go to both stores. expected.json is what the script logged, which is compared with what MLflow's own client reads back:
{run: {"metrics": {key: [[step, value, milliseconds], ...]}, "params": {}, "tags": {}, ...}}. Ids of experiments and of the file
store's runs are given by MLflow; the runs are put under the ids below, and times are fixed, so that a second making changes little.
mlflow.db.sql is the database as text, without the tables and rows that no run has a part in.
"""
import json
import math
import os
import re
import shutil
import sqlite3
import struct
import sys
import tempfile

os.environ["MLFLOW_ALLOW_FILE_STORE"] = "true"
os.environ["MLFLOW_DISABLE_TELEMETRY"] = "true"

from mlflow.entities import Metric, Param
from mlflow.tracking import MlflowClient

HERE = os.path.dirname(os.path.abspath(__file__))
T0 = 1795000000000
F32 = lambda x: struct.unpack("<f", struct.pack("<f", x))[0]


def loss(step, seed):
    return 2.0 / (1 + step) + 0.1 * math.sin(step + seed)


# name: (experiment, status, params, tags, {key: [(step, value, ms)]})
def runs():
    plain = {
        "loss": [(s, loss(s, 0), T0 + 1000 * s) for s in range(40)],
        "lr": [(s, 1e-3 * 0.9**s, T0 + 1000 * s + 1) for s in range(40)],
        "eval/acc": [(s, F32(s / 97), T0 + 1000 * s + 500) for s in range(0, 40, 10)],
        # numbered by the sampler: one sample in 7 seconds
        "system/gpu_0_utilization_percentage": [(k, 90.0 + k, T0 + 500 + 7000 * k) for k in range(6)],
        "system/cpu_utilization_percentage": [(k, 10.0 + k, T0 + 500 + 7000 * k) for k in range(6)],
    }
    other = dict(plain, loss=[(s, loss(s, 0) if s < 25 else loss(s, 1), T0 + 1000 * s) for s in range(40)])
    odd = {
        "loss": [(0, 1.5, T0), (1, math.nan, T0 + 1), (2, math.inf, T0 + 2), (3, -math.inf, T0 + 3), (2**62, 1e300, T0 + 4),
                 (-1, 5e-324, T0 + 5)],
        # steps that go back, and one that comes twice
        "val loss: a": [(5, 0.5, T0 + 10), (6, 0.25, T0 + 11), (5, 0.125, T0 + 12)],
    }
    params = {"lr": "0.001", "optimizer": "adamw", "layers": "12", "tied": "True", "seed": "007", "model/dim": "768", "big": "123456789012345678901",
              "betas": "(0.9, 0.95)", "eps": "1e-08", "none": "None", "note": "two\nlines ", "api_key": "do not keep me"}
    tags = {"mlflow.source.git.commit": "0123456789abcdef0123456789abcdef01234567", "mlflow.source.name": "train.py", "mlflow.user": "ann",
            "mlflow.source.git.repoURL": "https://example.org/x.git", "team/area": "vision", "note": "free text: \"quoted\" # not a comment"}
    return {
        "plain": ("gpt", "FINISHED", params, tags, plain),
        "other": ("gpt", "FAILED", dict(params, lr="0.002"), dict(tags, **{"mlflow.parentRunId": "plain"}), other),
        "it's \"odd\": a name that is long enough for PyYAML to break it into two lines, because its lines end at 80 characters": (
            "odd: experiment # 1", "KILLED", {}, {}, odd),
        "gone": ("gpt", "FINISHED", {}, {}, {"loss": [(0, 1.0, T0)]}),
        "lost": ("dropped", "FINISHED", {}, {}, {"loss": [(0, 1.0, T0)]}),
    }


def number(x):
    return x if math.isfinite(x) else str(x)


def log_all(client):
    experiments, ids = {}, {}
    for k, (name, (experiment, status, params, tags, metrics)) in enumerate(runs().items()):
        if experiment not in experiments:
            experiments[experiment] = client.create_experiment(experiment, artifact_location="file:///nowhere")
        tags = {key: ids["plain"] if key == "mlflow.parentRunId" else v for key, v in tags.items()}
        run = client.create_run(experiments[experiment], start_time=T0, run_name=name, tags=tags)
        rid = ids[name] = run.info.run_id
        for key, rows in metrics.items():
            client.log_batch(rid, metrics=[Metric(key, v, ms, s) for s, v, ms in rows])
        client.log_batch(rid, params=[Param(key, v) for key, v in params.items()])
        client.set_terminated(rid, status, end_time=T0 + 60000 + 500 * k)
        check(client, rid, name, params, tags, metrics)
    client.delete_run(ids["gone"])
    client.delete_experiment(experiments["dropped"])
    return ids


def check(client, rid, name, params, tags, metrics):
    """What the script logged is what MLflow reads, but for infinities in a database, which it keeps as the largest doubles."""
    run = client.get_run(rid)
    assert run.data.params == params, run.data.params
    assert run.info.run_name == name
    for key, value in tags.items():
        assert run.data.tags[key] == value, key
    for key, rows in metrics.items():
        got = [(m.step, m.value, m.timestamp) for m in client.get_metric_history(rid, key)]
        same = [(s, number(v if not abs(v) >= sys.float_info.max else math.copysign(math.inf, v)), ms) for s, v, ms in got]
        assert sorted(same, key=str) == sorted([(s, number(v), ms) for s, v, ms in rows], key=str), (key, same)


def expected(ids):
    out = {}
    for name, (experiment, status, params, tags, metrics) in runs().items():
        if name in ("gone", "lost"):
            continue
        out[name] = {"experiment": experiment, "status": status.lower(), "params": params, "tags": tags,
                     "metrics": {k: [[s, number(v), ms] for s, v, ms in rows] for k, rows in metrics.items()}}
    return out


def file_store(where):
    client = MlflowClient(tracking_uri="file://" + where)
    ids = log_all(client)
    os.makedirs(os.path.join(where, "models", "gpt", "version-1"))
    with open(os.path.join(where, "models", "gpt", "version-1", "meta.yaml"), "w") as f:
        f.write(f"name: gpt\nrun_id: {ids['plain']}\nversion: 1\n")
    # The directories under names of their own; meta.yaml says the ids.
    numbers = sorted(n for n in os.listdir(where) if n.isdigit() and n != "0")
    metas = {n: open(os.path.join(where, n, "meta.yaml")).read() for n in numbers}
    order = sorted(numbers, key=lambda n: ("gpt" not in metas[n].split("name: ")[1].split("\n")[0], metas[n]))
    rename = {n: str(101 + i) for i, n in enumerate(order)}
    rename.update({rid: f"{i:032x}" for i, rid in enumerate(ids.values(), 0xa1)})
    for n in os.listdir(os.path.join(where, ".trash")) if os.path.isdir(os.path.join(where, ".trash")) else []:
        rename.setdefault(n, "100")
    for directory, _, files in os.walk(where, topdown=False):
        for name in files:
            path = os.path.join(directory, name)
            text = open(path).read()
            new = re.sub(r"\b(\d{18}|[0-9a-f]{32})\b", lambda m: rename.get(m.group(), m.group()), text).replace(where, "/mlruns")
            new = re.sub(r"((creation|last_update)_time|deleted_time): \d+", rf"\1: {T0}", new)
            open(path, "w").write(new)
        base = os.path.basename(directory)
        if base in rename:
            os.rename(directory, os.path.join(os.path.dirname(directory), rename[base]))
    artifact = os.path.join(where, rename[order[0]], f"{0xa1:032x}", "artifacts", "model")
    os.makedirs(artifact)
    for name in ("weights.bin", "config.json"):
        open(os.path.join(artifact, name), "w").write("{}\n")


def dump(path):
    """The tables of runs alone, in the order in which they were made."""
    db = sqlite3.connect(path)
    keep = ("experiments", "runs", "metrics", "latest_metrics", "params", "tags", "alembic_version")
    out = []
    for name, sql in db.execute("SELECT tbl_name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY rowid"):
        if name in keep:
            out.append(re.sub(r"\s+", " ", sql) + ";")
    for table in keep:
        for row in db.execute(f"SELECT * FROM {table}"):
            out.append(f"INSERT INTO {table} VALUES({','.join(literal(v) for v in row)});")
    text = "\n".join(out) + "\n"
    text = re.sub(r"'[^']*(/mlruns/0|/nowhere|/artifacts)[^']*'", "'/mlruns'", text)
    text = re.sub(r"\b17(?!950)\d{11}\b", str(T0), text)
    return text


def literal(v):
    if v is None:
        return "NULL"
    if isinstance(v, (int, float)):
        return repr(v)
    if "\n" in v:
        return "replace(" + literal(v.replace("\n", "\\n")) + ",'\\n',char(10))"
    return "'" + v.replace("'", "''") + "'"


def main():
    os.chdir(HERE)
    shutil.rmtree("mlruns", ignore_errors=True)
    with tempfile.TemporaryDirectory() as tmp:
        where = os.path.join(tmp, "mlruns")
        os.makedirs(where)
        file_store(where)
        shutil.copytree(where, "mlruns")
        path = os.path.join(tmp, "mlflow.db")
        ids = log_all(MlflowClient(tracking_uri="sqlite:///" + path))
        text = dump(path)
        for i, rid in enumerate(ids.values(), 0xa1):
            text = text.replace(rid, f"{i:032x}")
        open("mlflow.db.sql", "w").write(text)
    with open("expected.json", "w") as f:
        json.dump(expected(ids), f, indent=1, sort_keys=True)
        f.write("\n")


main()
