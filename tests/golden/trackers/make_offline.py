#!/usr/bin/env python3
"""Writes comet.zip and clearml.zip by the SDKs themselves, offline: python3 make_offline.py, from this folder.

comet_ml 3.58.8 and clearml 2.1.12 wrote what lies here. The messages about this machine (packages, code, output, environment) and the
script in task.json are taken out afterwards, its repository gets another name, and the archives are packed again."""
import glob
import json
import math
import os
import shutil
import tempfile
import zipfile


def comet(folder):
    import comet_ml
    experiment = comet_ml.OfflineExperiment(project_name="toy", workspace="w", offline_directory=folder, log_code=False,
                                            log_env_host=False, log_env_gpu=False, log_env_cpu=False, log_env_details=False)
    experiment.set_name("run-a")
    experiment.log_parameters({"lr": 0.01, "layers": 2, "api_key": "hunter2"})
    for i in range(12):
        experiment.log_metric("train/loss", 2 + 9 * math.exp(-i / 12), step=i)
    experiment.log_metric("bad", float("nan"), step=3)
    experiment.log_other("note", "x")
    experiment.end()
    source = zipfile.ZipFile(glob.glob(folder + "/*.zip")[0])
    kept = [line for line in source.read("messages.json").decode().splitlines()
            if json.loads(line)["type"] in ("metric_msg", "parameter_msg", "log_other") and "sys.disk" not in line]
    with zipfile.ZipFile("comet.zip", "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("experiment.json", source.read("experiment.json"))
        out.writestr("messages.json", "\n".join(kept) + "\n")


def clearml(folder):
    os.environ["CLEARML_CACHE_DIR"] = folder
    from clearml import Task
    Task.set_offline(True)
    task = Task.init(project_name="toy", task_name="run-a", auto_connect_frameworks=False, auto_resource_monitoring=False)
    task.connect({"lr": 0.01, "layers": 2, "deep": True, "api_key": "hunter2"})
    task.connect({"kind": "adam"}, name="Optimizer")
    for i in range(12):
        task.get_logger().report_scalar("loss", "train", 2 + 9 * math.exp(-i / 12), i)
    task.get_logger().report_scalar("accuracy", "accuracy", 0.5, 11)
    task.get_logger().report_single_value("best", 0.75)
    task.close()
    source = zipfile.ZipFile(glob.glob(folder + "/**/*.zip", recursive=True)[0])
    told = json.loads(source.read("task.json"))
    told["offline_folder"] = "/home/user/offline"
    told["script"].update(diff="", requirements={}, working_dir=".", branch="main", version_num="0123456789" * 4,
                          repository="https://example.org/toy.git")
    with zipfile.ZipFile("clearml.zip", "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("metrics.jsonl", source.read("metrics.jsonl"))
        out.writestr("task.json", json.dumps(told))


for make in (comet, clearml):
    folder = tempfile.mkdtemp()
    make(folder)
    shutil.rmtree(folder)
