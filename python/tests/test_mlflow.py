"""Trainers that log to MLflow log into `tscope web`, with no change of their code."""

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = os.environ.get("TSCOPE_PROGRAM", "")


def there(*names):
    return all(importlib.util.find_spec(name) is not None for name in names)


TRAINER = """
import torch, transformers

class Data(torch.utils.data.Dataset):
    def __len__(self):
        return 32

    def __getitem__(self, i):
        tokens = torch.randint(0, 64, (16,), generator=torch.Generator().manual_seed(i))
        return {"input_ids": tokens, "labels": tokens}

transformers.set_seed(0)
model = transformers.GPT2LMHeadModel(transformers.GPT2Config(vocab_size=64, n_positions=16, n_embd=32, n_layer=1, n_head=2))
args = transformers.TrainingArguments("out", max_steps=6, per_device_train_batch_size=4, logging_steps=1, report_to=["mlflow"],
                                      run_name="tiny", use_cpu=True, disable_tqdm=True, save_strategy="no")
trainer = transformers.Trainer(model, args, train_dataset=Data())
trainer.train()
import json
print(json.dumps([entry["loss"] for entry in trainer.state.log_history if "loss" in entry]))
"""

LIGHTNING = """
import lightning, torch
from lightning.pytorch.loggers import MLFlowLogger
losses = []

class Module(lightning.LightningModule):
    def __init__(self):
        super().__init__()
        self.save_hyperparameters({"lr": 0.1})
        self.net = torch.nn.Linear(8, 1)

    def training_step(self, batch, number):
        loss = self.net(batch).square().mean()
        self.log("train_loss", loss)
        losses.append(loss.item())
        return loss

    def configure_optimizers(self):
        return torch.optim.SGD(self.parameters(), lr=0.1)

torch.manual_seed(0)
logger = MLFlowLogger(experiment_name="lit", run_name="tiny")
trainer = lightning.Trainer(max_steps=6, log_every_n_steps=1, logger=logger, enable_checkpointing=False, enable_progress_bar=False,
                            accelerator="cpu", enable_model_summary=False)
trainer.fit(Module(), torch.utils.data.DataLoader(torch.randn(24, 8), batch_size=4))
import json
print(json.dumps(losses))
"""


@unittest.skipUnless(PROGRAM, "TSCOPE_PROGRAM names no tscope")
@unittest.skipUnless(there("mlflow", "torch"), "mlflow is not installed")
class MlflowClients(unittest.TestCase):
    def setUp(self):
        self.work = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.work, True)
        self.env = {k: v for k, v in os.environ.items() if not k.startswith(("TSCOPE_", "MLFLOW_"))}
        self.env.update(HOME=self.work, XDG_DATA_HOME=self.work, GIT_PYTHON_REFRESH="quiet")
        self.web = subprocess.Popen([PROGRAM, "web", "--port", "0"], cwd=self.work, env=self.env, stdin=subprocess.DEVNULL,
                                    stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.addCleanup(self.end)
        address = re.search(rb"http://127\.0\.0\.1:\d+", self.web.stderr.readline()).group(0).decode()
        self.env["MLFLOW_TRACKING_URI"] = address

    def end(self):
        self.web.terminate()
        self.web.wait(30)
        self.web.stderr.close()

    def tscope(self, *words):
        return subprocess.run([PROGRAM, *words], cwd=self.work, env=self.env, capture_output=True, check=True, timeout=60).stdout

    def trained(self, script):
        """Runs it, and returns the losses that it says it had."""
        done = subprocess.run([sys.executable, "-c", script], cwd=self.work, env=self.env, capture_output=True, text=True, timeout=300)
        self.assertEqual(done.returncode, 0, done.stderr[-3000:])
        return json.loads(done.stdout.strip().splitlines()[-1])

    def finished(self, name):
        """The rows and facts of a run, once it has ended."""
        end = time.monotonic() + 20
        while time.monotonic() < end:
            rows = json.loads(self.tscope("list", "--json"))["rows"]
            if any(row["name"] == "default/" + name and row["values"]["state"] == "finished" for row in rows):
                break
            time.sleep(0.2)
        else:
            self.fail(f"{name} is not there: {rows}")
        self.tscope("export", name, "out-run")
        with open(os.path.join(self.work, "out-run", "steps.jsonl")) as steps:
            rows = [json.loads(line) for line in steps]
        facts = json.loads(self.tscope("facts", name, "--json"))["facts"]
        return rows, {fact["path"]: fact["fact"]["value"] for fact in facts}

    @unittest.skipUnless(there("transformers", "accelerate"), "transformers is not installed")
    def test_trainer(self):
        losses = self.trained(TRAINER)
        rows, facts = self.finished("Default/tiny")
        self.assertEqual([row["scalars"]["loss"] for row in rows if "loss" in row["scalars"]], losses)
        self.assertEqual([row["step"] for row in rows if "loss" in row["scalars"]], list(range(1, 7)))
        self.assertEqual((facts["config.max_steps"], facts["config.n_embd"]), (6, 32))

    @unittest.skipUnless(there("lightning"), "lightning is not installed")
    def test_lightning(self):
        losses = self.trained(LIGHTNING)
        rows, facts = self.finished("lit/tiny")
        self.assertEqual([row["scalars"]["loss"] for row in rows if "loss" in row["scalars"]], losses, "tscope calls a train_loss loss")
        self.assertEqual(facts["config.lr"], 0.1)


if __name__ == "__main__":
    unittest.main()
