#!/usr/bin/env python3
"""What frameworks log through `tscope web`, against what they say themselves: mlflow_frameworks.py BUILD PYTHON [NAME...]. PYTHON is one that has mlflow and the frameworks; what it
lacks is said. Each framework trains for some steps with its own integration for MLflow, switched on as its documents say, and says from its own history (not from MLflow's calls)
which values it has seen. Prints a row for each: how many of these values the store has, at their step and bit for bit. Exits 1 if one is missing or another. No test: it needs GB of packages."""
import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from served import Store, Web, until  # noqa: E402

# Each is run as a program of its own. It calls said(experiment, run name, {metric: [(step, value)]}, {param: text}); a step of None: at any step.
PROGRAMS = {
    "Trainer of transformers": ("transformers", """
import torch
from transformers import Trainer, TrainingArguments
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.line = torch.nn.Linear(4, 1)
    def forward(self, x, labels):
        out = self.line(x).squeeze(-1)
        return {"loss": ((out - labels) ** 2).mean(), "logits": out}
torch.manual_seed(1)
data = [{"x": torch.randn(4), "labels": torch.randn(())} for _ in range(96)]
os.environ["MLFLOW_EXPERIMENT_NAME"] = "trainer"
trainer = Trainer(Net(), TrainingArguments("out", run_name="t1", report_to="mlflow", logging_steps=3, eval_strategy="steps", eval_steps=6, per_device_train_batch_size=8,
                  num_train_epochs=2, save_strategy="no", use_cpu=True, disable_tqdm=True), train_dataset=data, eval_dataset=data[:16])
trainer.train()
series = {}
for row in trainer.state.log_history:
    for key, value in row.items():
        if key != "step" and isinstance(value, (int, float)):
            series.setdefault(key, []).append((row["step"], value))
said("trainer", "t1", series, {"num_train_epochs": "2", "per_device_train_batch_size": "8"})
"""),
    "Lightning, its MLFlowLogger": ("lightning", """
import lightning, torch
from lightning.pytorch.loggers import MLFlowLogger
class Net(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.line, self.seen = torch.nn.Linear(4, 1), []
        self.save_hyperparameters({"width": 4})
    def training_step(self, batch, i):
        loss = (self.line(batch[0]) ** 2).mean()
        self.log("train_loss", loss)
        self.seen.append((self.global_step, float(loss)))
        return loss
    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)
net = Net()
logger = MLFlowLogger("lightning", run_name="l1", tracking_uri=os.environ["MLFLOW_TRACKING_URI"])
data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(64, 4)), 4)
lightning.Trainer(max_epochs=2, accelerator="cpu", logger=logger, log_every_n_steps=2, enable_progress_bar=False, enable_checkpointing=False, enable_model_summary=False).fit(net, data)
said("lightning", "l1", {"train_loss": [(step, value) for step, value in net.seen if (step + 1) % 2 == 0]}, {"width": "4"})
"""),
    "Lightning, autolog with models": ("lightning", """
import lightning, mlflow, torch
class Net(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.line, self.seen = torch.nn.Linear(4, 1), []
    def training_step(self, batch, i):
        loss = (self.line(batch[0]) ** 2).mean()
        self.log("train_loss", loss, on_step=False, on_epoch=True)
        return loss
    def on_train_epoch_end(self):
        self.seen.append((self.current_epoch, float(self.trainer.callback_metrics["train_loss"])))
    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), 0.1)
mlflow.set_experiment("lightning-auto")
mlflow.pytorch.autolog(log_models=True)
net = Net()
data = torch.utils.data.DataLoader(torch.utils.data.TensorDataset(torch.randn(64, 4)), 8)
with mlflow.start_run(run_name="la1"):
    lightning.Trainer(max_epochs=4, accelerator="cpu", logger=False, enable_progress_bar=False, enable_checkpointing=False, enable_model_summary=False).fit(net, data)
said("lightning-auto", "la1", {"train_loss": net.seen}, {"epochs": "4", "optimizer_name": "SGD"}, ["model/MLmodel"])
"""),
    "Accelerate": ("accelerate", """
from accelerate import Accelerator
accelerator = Accelerator(log_with="mlflow", cpu=True)
accelerator.init_trackers("accelerate", config={"lr": 0.1, "layers": 3}, init_kwargs={"mlflow": {"run_name": "a1"}})
values = [(step, 1 / (step + 1)) for step in range(20)]
for step, value in values:
    accelerator.log({"loss": value, "eval/acc": 1 - value}, step=step)
accelerator.end_training()
said("accelerate", "a1", {"loss": values, "eval/acc": [(step, 1 - value) for step, value in values]}, {"lr": "0.1", "layers": "3"})
"""),
    "Keras, callback of MLflow": ("keras", """
import keras, mlflow, numpy
mlflow.set_experiment("keras")
net = keras.Sequential([keras.Input((4,)), keras.layers.Dense(8, "relu"), keras.layers.Dense(1)])
net.compile("sgd", "mse", metrics=["mae"])
x = numpy.random.default_rng(1).normal(size=(64, 4)).astype("float32")
with mlflow.start_run(run_name="k1"):
    history = net.fit(x, x.sum(1), epochs=5, batch_size=16, verbose=0, validation_split=0.25, callbacks=[mlflow.keras.MlflowCallback()])
said("keras", "k1", {key: list(enumerate(values)) for key, values in history.history.items()}, {"optimizer_name": "sgd", "optimizer_momentum": "0.0"}, ["model_summary.txt"])
"""),
    "XGBoost, autolog": ("xgboost", """
import mlflow, numpy, xgboost
mlflow.set_experiment("xgboost")
mlflow.xgboost.autolog(log_models=True, model_format="json")
rng = numpy.random.default_rng(2)
x = rng.normal(size=(200, 4))
train, test, seen = xgboost.DMatrix(x[:150], x[:150].sum(1)), xgboost.DMatrix(x[150:], x[150:].sum(1)), {}
with mlflow.start_run(run_name="x1"):
    xgboost.train({"max_depth": 3, "eta": 0.3, "nthread": 1}, train, 12, evals=[(train, "train"), (test, "test")], evals_result=seen, verbose_eval=False)
said("xgboost", "x1", {f"{part}-{name}": list(enumerate(values)) for part, both in seen.items() for name, values in both.items()}, {"max_depth": "3", "eta": "0.3", "num_boost_round": "12"},
     ["model/MLmodel", "feature_importance_weight.json"])
"""),
    "scikit-learn, autolog": ("sklearn", """
import mlflow, numpy
from sklearn.linear_model import Ridge
mlflow.set_experiment("sklearn")
mlflow.sklearn.autolog()
rng = numpy.random.default_rng(3)
x = rng.normal(size=(100, 3))
with mlflow.start_run(run_name="s1"):
    model = Ridge(alpha=0.5).fit(x, x.sum(1) + rng.normal(size=100))
rng = numpy.random.default_rng(3)
x = rng.normal(size=(100, 3))
y = x.sum(1) + rng.normal(size=100)
mlflow.sklearn.autolog(disable=True)
error = y - model.predict(x)
said("sklearn", "s1", {"training_r2_score": [(None, model.score(x, y))], "training_mean_squared_error": [(None, float((error ** 2).mean()))]}, {"alpha": "0.5"}, ["model/MLmodel"])
"""),
    "PyTorch, autolog of a loop": ("torch", """
import mlflow
mlflow.set_experiment("loop")
values = []
with mlflow.start_run(run_name="p1", log_system_metrics=False):
    for step in range(250):
        value = (0.1 + step) ** -0.5 if step % 50 else float("nan")
        mlflow.log_metrics({"loss": value, "lr": 1e-3 / (step + 1)}, step=step, synchronous=False)
        values.append((step, value))
    mlflow.flush_async_logging()
said("loop", "p1", {"loss": values, "lr": [(step, 1e-3 / (step + 1)) for step in range(250)]}, {})
"""),
    "Ray Tune, MLflowLoggerCallback": ("ray.tune", """
import ray
from ray import tune
from ray.air.integrations.mlflow import MLflowLoggerCallback
os.environ["RAY_AIR_NEW_OUTPUT"] = "0"
ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, configure_logging=False)
def train(config):
    for i in range(6):
        tune.report({"loss": config["lr"] / (i + 1)})
results = tune.Tuner(train, param_space={"lr": tune.grid_search([0.1, 0.3])}, run_config=tune.RunConfig(name="tuned", storage_path=os.path.abspath("ray"), verbose=0,
                     callbacks=[MLflowLoggerCallback(tracking_uri=os.environ["MLFLOW_TRACKING_URI"], experiment_name="ray", save_artifact=False)])).fit()
for result in results:
    rows = result.metrics_dataframe
    said("ray", "train_" + result.metrics["trial_id"], {"loss": list(zip((int(i) for i in rows["training_iteration"]), (float(v) for v in rows["loss"])))}, {"lr": str(result.config["lr"])})
ray.shutdown()
"""),
}
BEGIN = """
import json, os, sys
def said(experiment, run, series, params, files=()):
    series = {name: [[step, float(value).hex()] for step, value in values] for name, values in series.items()}
    print("SAID " + json.dumps({"experiment": experiment, "run": run, "series": series, "params": params, "files": list(files)}), flush=True)
"""


def importer_names():
    """What docs/importers.md says that names of logs are called: {name: (column, factor)}."""
    names = {}
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/importers.md")) as text:
        for line in text:
            row = re.fullmatch(r"\| `([^`]+)` \| `(?:scalars|phases)\.([^`]+)` \| ([0-9.]+) \| .*\|\n", line)
            if row:
                names[row[1]] = (row[2], float(row[3]))
    return names


IMPORTED = importer_names()


def stored(values, name, step):
    """The values of a metric at a step: under its own name, else under the one that the importer of MLflow gives it."""
    column, factor = IMPORTED.get(re.sub("[-/. ]", "_", name.lower()), (name, 1))
    for key, times in ((name, 1), (column, factor)):
        there = [v for (k, s), all_of in values.items() if k == key and step in (None, s) for v in all_of]
        if there:
            return there if times == 1 else [(float.fromhex(v) / times).hex() for v in there]
    return []


def in_store(store, project, wanted):
    """What the store has under what a framework calls the run: {(metric, step): [values as hexadecimal texts]}, params, files; None: no such run."""
    rows = json.loads(store.tscope("list", "--json", "--project", project).stdout)["rows"]
    part = wanted["run"].lower()
    name = next((row["name"] for row in rows if row["name"].split("/")[1] == wanted["experiment"] and row["name"].split("/")[2].lower().startswith(part)
                 and row["values"]["state"] == "finished"), None)
    if not name:
        return None
    folder = os.path.join(store.work, "out-" + name.replace("/", "-"))
    if not os.path.exists(folder):
        store.tscope("export", "project:" + name, folder)
    values = {}
    with open(os.path.join(folder, "steps.jsonl")) as steps:
        for line in steps:
            row = json.loads(line)
            for key, value in {**row, **row.get("scalars", {}), **row.get("phases", {})}.items():
                if isinstance(value, (int, float)):
                    values.setdefault((key, row["step"]), []).append(float(value).hex())
    facts = json.loads(store.tscope("facts", "project:" + name, "--json").stdout)["facts"]
    files = [file["name"] for file in json.loads(store.tscope("show", "--json", "project:" + name).stdout)["files"]]
    return values, {f["path"].removeprefix("config."): f["fact"]["value"] for f in facts if f["path"].startswith("config.")}, files


def same(text, value):
    """A param is a text in MLflow, and a number in the store if it reads as one."""
    return str(value) == text or (isinstance(value, (int, float)) and not isinstance(value, bool) and float(text) == value)


def judge(store, project, wanted):
    """(values said, values equal, params said, params equal, sentences about what is not)."""
    found = in_store(store, project, wanted)
    n = sum(len(values) for values in wanted["series"].values())
    if not found:
        return n, 0, len(wanted["params"]), 0, [f"the store has no finished run {wanted['experiment']}/{wanted['run']}"]
    values, config, files = found
    bad, equal = [], 0
    for name, pairs in wanted["series"].items():
        for step, value in pairs:
            there = stored(values, name, step)
            if value in there:
                equal += 1
            elif len(bad) < 4:
                bad.append(f"{name} at step {step}: said {float.fromhex(value)!r}, stored {[float.fromhex(v) for v in there]}")
    params = sum(name in config and same(text, config[name]) for name, text in wanted["params"].items())
    bad += [f"param {name}: said {text}, stored {config.get(name)!r}" for name, text in wanted["params"].items() if name not in config or not same(text, config[name])]
    bad += [f"no file {name}" for name in wanted["files"] if not any(file.endswith(name.replace("/", "%2F")) or file == name for file in files)]
    return n, equal, len(wanted["params"]), params, bad


def main():
    build, python, only = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2]), sys.argv[3:]
    failed = False
    with tempfile.TemporaryDirectory(prefix="tscope-frameworks-", ignore_cleanup_errors=True) as work:
        store = Store(build, work)
        web = Web(store, "--project", "door")
        env = {**os.environ, "HOME": work, "MLFLOW_TRACKING_URI": "http://" + web.host, "GIT_PYTHON_REFRESH": "quiet", "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1",
               "KERAS_BACKEND": "torch"}
        print("| framework | values said | the same in the store | params said | the same |\n|---|---|---|---|---|", flush=True)
        for name, (package, program) in PROGRAMS.items():
            if only and not any(word.lower() in name.lower() for word in only):
                continue
            if subprocess.run([python, "-c", "import " + package], env=env, capture_output=True).returncode:
                print(f"| {name} | skipped: {package} is not there | | | |", flush=True)
                continue
            done = subprocess.run([python, "-c", BEGIN + program], cwd=work, env=env, capture_output=True, text=True, timeout=900, stdin=subprocess.DEVNULL)
            said = [json.loads(line[5:]) for line in done.stdout.splitlines() if line.startswith("SAID ")]
            if not said:
                failed = True
                print(f"| {name} | it failed | | | |\n{done.stderr[-3000:]}", flush=True)
                continue
            until(30, lambda said=said: all(in_store(store, "door", wanted) for wanted in said))
            judged = [judge(store, "door", wanted) for wanted in said]
            print("| " + " | ".join([name, *(f"{sum(column):,}" for column in list(zip(*judged))[:4])]) + " |", flush=True)
            for sentence in (s for one in judged for s in one[4]):
                failed = True
                print("  " + sentence, flush=True)
        web.end()
    sys.exit(failed)


if __name__ == "__main__":
    main()
