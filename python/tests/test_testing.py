"""tscope.testing and the plugin: profiles, what is not decided, a repository with a planted regression and a resume fault."""

import importlib.util
import os
import random
import subprocess
import sys
import unittest

import test_client
import tscope
from tscope import testing

# A small training: two weights with momentum, in pure Python. What is left out of a checkpoint, and a rounding, are planted.
TRAIN = """
import json, os, random, time

class Model:
    def __init__(self):
        self.weights, self.moments, self.random = [0.5, -0.3], [0.0, 0.0], random.Random(7)

def save(model, path, without=()):
    state = {"weights": model.weights, "moments": model.moments, "random": model.random.getstate()}
    with open(path, "w") as file:
        json.dump({k: v for k, v in state.items() if k not in without}, file)

def load(path):
    model = Model()
    with open(path) as file:
        state = json.load(file)
    model.weights = state["weights"]
    model.moments = state.get("moments", model.moments)
    if "random" in state:
        version, words, gauss = state["random"]
        model.random.setstate((version, tuple(words), gauss))
    return model

def train(model, run, steps, first=0, slow=0.0, off=0.0):
    for step in range(first, first + steps):
        with run.step(step):
            x = [model.random.random(), model.random.random()]
            wrong = sum(w * v for w, v in zip(model.weights, x)) - (2 * x[0] - x[1])
            for i in range(2):
                model.moments[i] = 0.9 * model.moments[i] + 2 * wrong * x[i]
                model.weights[i] -= 0.1 * model.moments[i]
            time.sleep(0.002 + slow * random.uniform(0.9, 1.1))
            run.log(loss=wrong * wrong * (1 + off))
"""
TESTS = """
import pytest
from tscope.testing import assert_no_slower, assert_resumes, assert_same_training
from train import Model, load, save, train

@pytest.mark.parametrize("without", [(), ("moments",), ("random",)])
def test_resume(tscope_record, tmp_path, without):
    train(Model(), whole := tscope_record("whole"), 6)
    train(first := Model(), tscope_record("first"), 3)
    save(first, tmp_path / "checkpoint", without)
    train(load(tmp_path / "checkpoint"), resumed := tscope_record("resumed"), 3, first=3)
    decided = assert_resumes(whole, resumed, steps=3)
    assert decided.profile.name == "bitwise"

@pytest.mark.parametrize("off", [0.0, 1e-9])
def test_same(tscope_record, off):
    train(Model(), a := tscope_record("a"), 5)
    train(Model(), b := tscope_record("b"), 5, off=off)
    assert_same_training(a, b)

def test_same_but_for_rounding(tscope_record):
    train(Model(), a := tscope_record("a"), 5)
    train(Model(), b := tscope_record("b"), 5, off=1e-9)
    assert assert_same_training(a, b, tolerance="float32").profile.name == "float32"

@pytest.mark.parametrize("slow", [0.0, 0.004])
def test_speed(tscope_record, slow):
    base = []
    for i in range(5):
        train(Model(), tscope_record(f"base{i}"), 30)
        base.append(tscope_record.path(f"base{i}"))
    train(Model(), candidate := tscope_record("candidate"), 30, slow=slow)
    assert_no_slower(candidate, base, undecided="pass")
"""


class Testing(test_client.Client):
    """Of Client only what it makes ready is used."""

    def written(self, name, **how):
        test_client.write(os.path.join("t", name), **how)
        return os.path.join(".", "t", name)

    def test_bitwise(self):
        a, b, c = self.written("a"), self.written("b"), self.written("c", shift=1e-12)
        decided = testing.assert_same_training(a, b)
        self.assertEqual((decided.profile.name, decided.report.verdict), ("bitwise", "same"))
        with self.assertRaisesRegex(AssertionError, r"decided by the profile bitwise: every bit(.|\n)*loss"):
            testing.assert_same_training(a, c)
        with self.assertRaises(AssertionError) as said:
            testing.assert_same_training(a, c)
        above = str(said.exception).split("decided by")[0].splitlines()
        self.assertEqual(len(above), len(set(above)), above)

    def test_profiles(self):
        a = self.written("a")
        for name, shift, passes in (
            ("float32", 1e-9, True),
            ("float32", 1e-3, False),
            ("bf16", 1e-4, True),
            ("bf16", 0.5, False),
            (0.2, 1e-3, True),
            (1e-9, 1e-4, False),
        ):
            b = self.written(f"b{name}{shift}", shift=shift)
            with self.subTest(f"{name} {shift}"):
                if passes:
                    self.assertEqual(testing.assert_same_training(a, b, tolerance=name).report.verdict, "different")
                else:
                    with self.assertRaisesRegex(AssertionError, "scalars.loss.* is allowed"):
                        testing.assert_same_training(a, b, tolerance=name)
        with self.assertRaisesRegex(ValueError, "there is no profile 'fp8'"):
            testing.assert_same_training(a, a, tolerance="fp8")
        with self.assertRaises(ValueError):
            testing.assert_same_training(a, a, tolerance="repeats")

    def test_a_length_is_no_rounding(self):
        with self.assertRaisesRegex(testing.Undecided, "10 steps .50 to 59. that the second lacks"):
            testing.assert_same_training(self.written("a"), self.written("b", n=50), tolerance="bf16")

    def test_repeats(self):
        draw = random.Random(5)
        noisy = [self.written(f"r{i}", shift=draw.uniform(0, 1e-3)) for i in range(6)]
        with self.assertRaises(AssertionError):
            testing.assert_same_training(noisy[0], self.written("far", shift=0.3), tolerance="repeats", repeats=noisy[1:])

    def test_resumes(self):
        testing.assert_resumes(self.written("p", n=80), self.written("c", start=50, n=80), steps=30)
        with self.assertRaisesRegex(testing.Undecided, "30 steps in common, and 31 are wanted"):
            testing.assert_resumes("./t/p", "./t/c", steps=31)
        with self.assertRaisesRegex(AssertionError, "decided by the profile bitwise"):
            testing.assert_resumes("./t/p", self.written("wrong", start=50, n=80, shift=0.1))
        with self.assertRaises(AssertionError):
            testing.assert_resumes("./t/p", self.written("apart", start=200, n=220))

    def test_speed(self):
        base = [self.written(f"s{i}", slow=1 + i / 500) for i in range(6)]
        with self.assertRaisesRegex(AssertionError, "regression|slower|longer"):
            testing.assert_no_slower(self.written("slow", slow=2.0), base)
        self.assertEqual(testing.assert_no_slower(self.written("even", slow=1.005), base, undecided="pass").profile.name, "gate")
        with self.assertRaises(testing.Undecided):
            testing.assert_no_slower("./t/even", base[:1])
        with self.assertRaises(tscope.NotFound):
            testing.assert_no_slower("./t/even", "./t/nowhere")

    @unittest.skipUnless(importlib.util.find_spec("pytest"), "pytest is not installed")
    def test_a_repository_with_planted_faults(self):
        os.mkdir("repository")
        for name, text in (("train.py", TRAIN), ("test_train.py", TESTS)):
            with open(os.path.join("repository", name), "w", encoding="utf-8") as file:
                file.write(text)
        env = {**os.environ, "PYTHONPATH": ".", "PYTHONDONTWRITEBYTECODE": "1"}
        words = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "-rA", "--tb=short", "."]
        done = subprocess.run(words, cwd="repository", env=env, capture_output=True, text=True)
        said = done.stdout + done.stderr
        outcomes = {
            line.split("::")[1].split(" - ")[0]: line.split()[0]
            for line in done.stdout.splitlines()
            if line.startswith(("PASSED", "FAILED", "ERROR")) and "::" in line
        }
        fails = ("test_resume[without1]", "test_resume[without2]", "test_same[1e-09]", "test_speed[0.004]")
        holds = ("test_resume[without0]", "test_same[0.0]", "test_same_but_for_rounding", "test_speed[0.0]")
        self.assertEqual(outcomes, {**dict.fromkeys(fails, "FAILED"), **dict.fromkeys(holds, "PASSED")}, said)
        self.assertIn("The optimizer state was not restored", said)
        self.assertIn("decided by the profile bitwise", said)


for _name in [name for name in dir(test_client.Client) if name.startswith("test_")]:
    if _name not in vars(Testing):
        setattr(Testing, _name, None)  # they run where they are


if __name__ == "__main__":
    unittest.main()
