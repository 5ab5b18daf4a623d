"""mlflow_client.py - what mlflow_door.py has the real client of MLflow log; runs in an environment that has mlflow.

    mlflow_client.py log	logs two runs and a nested one by the functions that people call; prints their ids as JSON
    mlflow_client.py look RUN	prints what the client reads of a run
    mlflow_client.py fixed	logs the same run each time, its times too; prints its id
    mlflow_client.py resume, delete, restore RUN
"""
import json
import math
import os
import sys
import tempfile

import mlflow
from mlflow import MlflowClient

VALUES = [(step, 2 ** -step + (0.1 if step % 3 else 0)) for step in range(20)]


def log():
    mlflow.set_experiment("bert/fine tune")
    with mlflow.start_run(run_name="first run", tags={"team": "nlp"}) as run:
        mlflow.log_params({"lr": 1e-3, "depth": 12, "bias": True, "model/name": "bert", "model": "b"})
        for step, value in VALUES:
            mlflow.log_metric("loss", value, step=step)
            mlflow.log_metrics({"loss/train": value / 2, "acc": 1 - value}, step=step)
        mlflow.log_metric("odd", float("nan"), step=3)
        mlflow.log_metric("odd", float("inf"), step=4)
        mlflow.log_metric("odd", -0.0, step=5)
        mlflow.set_tag("note", "<script>alert(1)</script>")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "notes.txt")
            with open(path, "w") as out:
                out.write("what was tried\n")
            mlflow.log_artifact(path, "docs")
        mlflow.log_text("a text", "sub/text.txt")
        with mlflow.start_run(run_name="child", nested=True) as child:
            mlflow.log_metric("loss", 1.5, step=0)
    try:
        with mlflow.start_run(run_name="broken") as broken:
            mlflow.log_metric("loss", 3.0, step=0)
            raise RuntimeError("as a training that crashes")
    except RuntimeError:
        pass
    print(json.dumps({"run": run.info.run_id, "child": child.info.run_id, "broken": broken.info.run_id}))


def fixed():
    client = MlflowClient()
    run = client.create_run(client.create_experiment("same"), start_time=1700000000000, run_name="twin", tags={"team": "a b"})
    client.log_batch(run.info.run_id, params=[mlflow.entities.Param("lr", "1e-05"), mlflow.entities.Param("n", "7"), mlflow.entities.Param("s", "a\nb")])
    metrics = [mlflow.entities.Metric(key, 1 / (step + 3) if step % 7 else math.nan, 1700000000000 + 100 * step, step)
               for step in range(-2, 300) for key in ("loss", "eval/acc", "lr 2")]
    metrics += [mlflow.entities.Metric("loss", 5.0, 1700000030000, 10), mlflow.entities.Metric("rare", math.inf, 1700000031000, 2 ** 40)]
    for at in range(0, len(metrics), 100):
        client.log_batch(run.info.run_id, metrics=metrics[at:at + 100])
    client.set_terminated(run.info.run_id, "FAILED", end_time=1700000050000)
    print(run.info.run_id)


def refused(function, *words, **options):
    try:
        function(*words, **options)
    except mlflow.exceptions.MlflowException as err:
        return err.error_code
    return ""


def look(run_id):
    client = MlflowClient()
    run = client.get_run(run_id)
    experiment = client.get_experiment_by_name("bert/fine tune")
    found = client.search_runs([experiment.experiment_id], "metrics.loss < 1 and params.lr = '0.001' and tags.team LIKE 'n%'")
    best = client.search_runs([experiment.experiment_id], order_by=["metrics.loss ASC"])
    history = client.get_metric_history(run_id, "loss")
    with tempfile.TemporaryDirectory() as folder:
        with open(client.download_artifacts(run_id, "docs/notes.txt", folder)) as text:
            notes = text.read()
    print(json.dumps({
        "status": run.info.status, "name": run.info.run_name, "params": run.data.params, "tags": dict(run.data.tags),
        "metrics": {key: str(value) for key, value in run.data.metrics.items()},
        "history": [[m.step, m.value] for m in history], "times": [m.timestamp for m in history],
        "minus": math.copysign(1, client.get_metric_history(run_id, "odd")[2].value),
        "found": [r.info.run_id for r in found], "best": [r.info.run_id for r in best], "notes": notes,
        "artifacts": sorted(f.path for f in client.list_artifacts(run_id)), "inside": [f.path for f in client.list_artifacts(run_id, "sub")],
        "experiments": sorted(e.name for e in client.search_experiments()),
        "refused": {
            "param": refused(client.log_param, run_id, "lr", 5), "run": refused(client.get_run, "0" * 32),
            "filter": refused(client.search_runs, ["0"], "metrics.loss >"), "model": refused(client.create_registered_model, "m"),
            "experiment": refused(client.create_experiment, "bert/fine tune")}}))


def resume(run_id):
    with mlflow.start_run(run_id=run_id):
        for step in range(20, 25):
            mlflow.log_metric("loss", 0.01 * step, step=step)


def delete(run_id):
    MlflowClient().delete_run(run_id)


def restore(run_id):
    MlflowClient().restore_run(run_id)


if __name__ == "__main__":
    {"log": log, "fixed": fixed, "look": look, "resume": resume, "delete": delete, "restore": restore}[sys.argv[1]](*sys.argv[2:])
