"""Counts how often `tscope analyze` says that a model was trained in evaluation mode: of loops that do so, and of clean ones.

    TSCOPE_PROGRAM=build/release/tscope python3 python/tests/mode_rates.py FOLDER [SEEDS]

It trains small nets through the package, on the CPU, by three doors: steps that the program marks, hooks, and steps whose forward is
called in the program's own way. The loops are those of projects: train() before each epoch or once, an evaluation behind each epoch or
in a step, a frozen teacher beside the model, a pretrained part whose normalization is frozen.
"""

import contextlib
import io
import json
import os
import subprocess
import sys

import torch
from torch import nn

import tscope

NETS = {
    "batch norm": lambda: nn.Sequential(nn.Conv1d(1, 4, 3), nn.BatchNorm1d(4), nn.ReLU(), nn.Flatten(), nn.Linear(24, 1)),
    "dropout": lambda: nn.Sequential(nn.Flatten(), nn.Linear(8, 16), nn.Dropout(0.1), nn.ReLU(), nn.Linear(16, 1)),
    "transformer": lambda: nn.Sequential(nn.TransformerEncoderLayer(8, 2, 16, dropout=0.1, batch_first=True), nn.Flatten(),
                                         nn.Linear(8, 1)),
    "plain": lambda: nn.Sequential(nn.Flatten(), nn.Linear(8, 16), nn.LayerNorm(16), nn.ReLU(), nn.Linear(16, 1)),
}
# What a loop does wrong, or what looks as if it did; and what may be said of a net that has modules which act in training mode alone.
LOOPS = {
    "clean": None, "evaluates between": None, "evaluates in the step": None, "has a teacher": None, "starts in evaluation": None,
    "never train()": "EVAL_MODE", "no train() behind an evaluation": "EVAL_MODE", "a part in evaluation": "EVAL_PART",
}
DOORS = ("start", "auto")
SEVERITIES = {"batch norm": "high", "dropout": "medium", "transformer": "medium", "plain": "low"}


def evaluate(net, x):
    """Evaluates, and leaves the mode as it makes it."""
    net.eval()
    with torch.no_grad():
        net(x)


def train(directory, door, net_name, loop, seed):
    """Trains three epochs of ten steps with a recording."""
    torch.manual_seed(seed)
    net, teacher = NETS[net_name](), NETS[net_name]().eval()
    optimizer = torch.optim.Adam(net.parameters(), lr=1e-3)
    run = tscope.start(directory) if door == "start" else tscope.auto(net, optimizer, directory)
    x = torch.randn(4, 1, 8)
    if loop in ("never train()", "starts in evaluation"):
        net.eval()
    for _ in range(3):
        if loop in ("evaluates between", "evaluates in the step", "starts in evaluation"):
            net.train()
        if loop == "a part in evaluation":
            net[1 if net_name == "batch norm" else 2 if net_name == "dropout" else 0].eval()
        for i in range(10):
            with run.step() if door == "start" else contextlib.nullcontext():
                optimizer.zero_grad()
                loss = net(x).square().mean()
                if loop == "has a teacher":
                    loss = loss + (net(x) - teacher(x)).square().mean()
                loss.backward()
                optimizer.step()
                if loop == "evaluates in the step" and i % 3 == 2:
                    evaluate(net, x)
                    net.train()
        if loop in ("evaluates between", "no train() behind an evaluation"):
            evaluate(net, x)
    run.finish()


def said(directory):
    """Returns the codes of modes that are found, with their severities."""
    words = [os.environ["TSCOPE_PROGRAM"], "analyze", "--json", "--no-pager", os.path.abspath(directory)]
    answer = json.loads(subprocess.run(words, capture_output=True, text=True, check=True).stdout)
    codes = {finding["code"].partition(".")[2]: finding["severity"] for finding in answer["findings"]}
    return {code: severity for code, severity in codes.items() if code.startswith("EVAL_")}


def rates(folder, seeds):
    """Returns, by loop, how many runs there were, of how many the right thing was said, and what was said otherwise."""
    found = {}
    for loop, want in LOOPS.items():
        n, right, wrong = 0, 0, []
        for seed in range(seeds):
            for net in NETS:
                for door in DOORS:
                    at = os.path.join(folder, f"{loop}-{net}-{door}-{seed}".replace(" ", "_").replace("()", ""))
                    with contextlib.redirect_stderr(io.StringIO()):
                        train(at, door, net, loop, seed)
                    acts = net != "plain"
                    expected = {} if want is None or (want == "EVAL_PART" and not acts) else {
                        want: SEVERITIES[net] if want == "EVAL_MODE" else "low"}
                    now = said(at)
                    n, right = n + 1, right + (now == expected)
                    if now != expected:
                        wrong.append((net, door, seed, now))
        found[loop] = (n, right, wrong)
    return found


def main():
    """Prints the rates."""
    seeds = int(sys.argv[2]) if len(sys.argv) > 2 else 5
    for loop, (n, right, wrong) in rates(sys.argv[1], seeds).items():
        print(f"{loop:34} {right} of {n} as they should be{'' if not wrong else f'; first: {wrong[0]}'}")


if __name__ == "__main__":
    main()
