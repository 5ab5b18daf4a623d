"""Ray Train: workers that record what they train."""

import importlib.util
import os
import unittest

import support

THERE = all(importlib.util.find_spec(name) is not None for name in ("torch", "ray"))

# Two workers, each a rank: what Ray prepares is a DDP, which tscope.auto records as any other.
TRAINS = """
import os, sys, ray, torch
import ray.train
from ray.train import ScalingConfig, RunConfig
from ray.train.torch import TorchTrainer

def train(config):
    import tscope
    torch.manual_seed(0)
    model = ray.train.torch.prepare_model(torch.nn.Linear(8, 1))
    optimizer = torch.optim.SGD(model.parameters(), lr=config["lr"])
    run = tscope.auto(model, optimizer, config["directory"], config={"lr": config["lr"]}, digests_every=2)
    for _ in range(5):
        loss = model(torch.randn(4, 8)).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        run.log(loss=loss)
        ray.train.report({"loss": loss.item()})
    run.finish()

ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
TorchTrainer(train, train_loop_config={"lr": 0.1, "directory": os.path.abspath("runs/exp1")},
             scaling_config=ScalingConfig(num_workers=2), run_config=RunConfig(storage_path=os.path.abspath("ray"))).fit()
ray.shutdown()
"""


@unittest.skipUnless(THERE, "ray is not installed")
class Workers(support.Case):
    def test_records_every_worker(self):
        self.script(TRAINS, RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO="0", RAY_TRAIN_ENABLE_V2_MIGRATION_WARNINGS="0", OMP_NUM_THREADS="1")
        for rank in range(2):
            recording = self.read(f"runs/exp1/rank{rank}")
            self.assertEqual((recording.rank, recording.world_size, len(recording.times)), (rank, 2, 5))
            self.assertTrue(all({"scalars.loss", "phases.comm"} < set(cells) for cells in recording.steps.values()))
        self.assertEqual(os.listdir("runs"), ["exp1"])


if __name__ == "__main__":
    unittest.main()
