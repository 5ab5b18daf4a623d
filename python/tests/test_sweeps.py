"""Searches for settings: each trial's run says which search it belongs to, so that the program finds them together."""

import importlib.util
import json
import os
import subprocess
import sys
import unittest

import support

PROGRAM = os.environ.get("TSCOPE_PROGRAM", "")
TRAINS = """
def train(directory, lr):
    import tscope
    run = tscope.start(directory, config={"lr": lr})
    for i in range(3):
        with run.step():
            run.log(loss=lr / (i + 1))
    run.finish()
    return lr
"""
# Optuna's trial as it is: an object of a module below optuna.trial with a number and a study, handed to the function.
STANDS_IN = """
import sys, types
optuna = types.ModuleType("optuna")
optuna.trial = types.ModuleType("optuna.trial")
sys.modules["optuna"], sys.modules["optuna.trial"] = optuna, optuna.trial
class Trial:
    def __init__(self, number):
        self.number, self.study = number, types.SimpleNamespace(study_name="widths")
Trial.__module__ = "optuna.trial._trial"
optuna.trial.Trial = Trial
def objective(trial):
    return train(f"runs/t{trial.number}", 0.1 * (trial.number + 1))
for i in range(2):
    objective(Trial(i))
"""
OPTUNA = """
import optuna
optuna.logging.disable_default_handler()
def objective(trial):
    return train(f"runs/t{trial.number}", trial.suggest_float("lr", 0.1, 1.0))
optuna.create_study(study_name="widths").optimize(objective, n_trials=2)
"""
ASKED = """
import optuna
optuna.logging.disable_default_handler()
study = optuna.create_study(study_name="widths")
def one():
    trial = study.ask()
    study.tell(trial, train(f"runs/t{trial.number}", trial.suggest_float("lr", 0.1, 1.0)))
one()
one()
"""
# What a function deletes is gone, though a run was started in it: in Optuna's search, and where it was only imported.
LETS_GO = """
import optuna, weakref
optuna.logging.disable_default_handler()
class Batch:
    pass
def holds(name, trial=None):
    batch = Batch()
    gone = weakref.ref(batch)
    train(f"runs/{name}", 0.1)
    del batch
    return float(gone() is not None)
print(holds("alone"))
study = optuna.create_study(study_name="widths")
study.optimize(lambda trial: holds(f"t{trial.number}", trial), n_trials=2)
print(*(trial.value for trial in study.trials))
"""
HYDRA = """
import hydra, os
@hydra.main(version_base=None, config_path=None)
def main(config):
    train(os.path.join(hydra.utils.get_original_cwd(), "runs", f"t{hydra.core.hydra_config.HydraConfig.get().job.num}"), config.lr)
main()
"""


class Sweeps(support.Case):
    def sweep(self, name):
        with open(f"runs/{name}/facts.json", encoding="utf-8") as file:
            return json.load(file)["session"].get("sweep", {})

    def test_no_search(self):
        self.script(TRAINS + "train('runs/t0', 0.1)")
        self.assertEqual(self.sweep("t0"), {})

    def test_what_optuna_hands_over(self):
        self.script(TRAINS + STANDS_IN)
        self.assertEqual([self.sweep(f"t{i}")["optuna"] for i in range(2)], [{"id": "widths", "trial": i} for i in range(2)])

    @unittest.skipUnless(importlib.util.find_spec("optuna"), "optuna is not installed")
    def test_optuna(self):
        self.script(TRAINS + OPTUNA)
        self.assertEqual([self.sweep(f"t{i}")["optuna"] for i in range(2)], [{"id": "widths", "trial": i} for i in range(2)])

    @unittest.skipUnless(importlib.util.find_spec("optuna"), "optuna is not installed")
    def test_optuna_that_is_asked(self):
        self.script(TRAINS + ASKED)
        self.assertEqual([self.sweep(f"t{i}")["optuna"] for i in range(2)], [{"id": "widths", "trial": i} for i in range(2)])

    @unittest.skipUnless(importlib.util.find_spec("optuna"), "optuna is not installed")
    def test_what_an_objective_deletes_is_gone(self):
        self.assertEqual(self.script(TRAINS + LETS_GO).split(), ["0.0", "0.0", "0.0"])
        self.assertEqual([self.sweep(f"t{i}")["optuna"] for i in range(2)], [{"id": "widths", "trial": i} for i in range(2)])
        self.assertEqual(self.sweep("alone"), {})

    @unittest.skipUnless(importlib.util.find_spec("hydra"), "hydra is not installed")
    def test_hydra(self):
        with open("train.py", "w", encoding="utf-8") as file:
            file.write(TRAINS + HYDRA)
        words = ["train.py", "-m", "+lr=0.1,0.2", "hydra.sweep.dir=multirun/a"]
        subprocess.run([sys.executable, *words], check=True, capture_output=True, timeout=300)
        found = [self.sweep(f"t{i}")["hydra"] for i in range(2)]
        self.assertEqual(found, [{"id": "multirun/a", "trial": i, "settings": [f"+lr=0.{i + 1}"]} for i in range(2)])

    @unittest.skipUnless(PROGRAM, "TSCOPE_PROGRAM names no program")
    def test_runs_are_found_together(self):
        import tscope

        self.script(TRAINS + STANDS_IN)
        self.script(TRAINS + "train('runs/a0', 0.3)", WANDB_SWEEP_ID="x7", WANDB_RUN_GROUP="wide")
        self.script(TRAINS + "train('runs/j0', 0.4)", SLURM_JOB_ID="12", SLURM_ARRAY_JOB_ID="11", SLURM_ARRAY_TASK_ID="1")
        store = os.path.abspath("store")
        subprocess.run([PROGRAM, "push", "-q", "--store", store, "runs"], check=True, capture_output=True, timeout=300)
        tscope.use(store=store)
        self.addCleanup(tscope.use)
        table = tscope.runs(columns=["name", "sweep", "group", "job"], sort="name")
        self.assertEqual([tuple(row.values())[1:] for row in table.rows()],
                         [("x7", "wide", None), ("11", None, "12"), ("widths", None, None), ("widths", None, None)])
        self.assertEqual(len(tscope.runs("sweep=widths and config.lr>0.15")), 1)
        groups = tscope.ask("list", by="sweep", columns="loss.last").to_dict()["groups"]
        self.assertEqual([(group["by"]["sweep"], group["run_count"]) for group in groups], [("11", 1), ("widths", 2), ("x7", 1)])


if __name__ == "__main__":
    unittest.main()
