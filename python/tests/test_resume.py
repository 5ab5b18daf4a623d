"""One training over many jobs: kills and restarts read as one run, whose figures are those that the program itself printed."""

import json
import os
import random
import signal
import subprocess
import sys
import time
import unittest
from unittest import mock

import tscope
from support import Case
from tscope import _recording, _resume

PROGRAM = os.environ.get("TSCOPE_PROGRAM", "")

TRAIN = """
import json, os, sys, time
import tscope
out = open("log.jsonl", "a", buffering=1)
run = tscope.start("runs/exp1", config={"lr": 0.1}, exist="resume")
out.write(json.dumps({"start": time.time()}) + "\\n")
step, w = 0, 1.0
if os.path.exists("c.json"):
    step, w = json.load(open("c.json"))
    run.resumed_from("c.json", step=step)
time.sleep(0.01)
for step in range(step, 60):
    begin = time.time()
    with run.step(step):
        time.sleep(0.003)
        w = w * 0.99 + 0.001 * step
        run.mark("forward")
        run.log(loss=w)
    out.write(json.dumps({"step": step, "begin": begin, "end": time.time(), "loss": w}) + "\\n")
    if step % 7 == 6:
        json.dump([step + 1, w], open("c.new", "w"))
        os.replace("c.new", "c.json")
        run.checkpoint("c.json", step)
"""


def lines():
    try:
        with open("log.jsonl", encoding="utf-8") as file:
            return [json.loads(line) for line in file if line.endswith("\n")]
    except FileNotFoundError:
        return []


def truth(printed):
    """Returns what the program's own lines say: attempts, steps that were made again, and seconds."""
    attempts = []
    for line in printed:
        if "start" in line:
            attempts.append((line["start"], []))
        else:
            attempts[-1][1].append(line)
    last = {line["step"]: number for number, (_, made) in enumerate(attempts) for line in made}
    found = {"attempts": len(attempts), "again": 0, "productive": 0.0, "repeated": 0.0}
    end = attempts[0][0]
    for number, (_, made) in enumerate(attempts):
        before = made[0]["begin"] if made else None
        for line in made:
            counts = last[line["step"]] == number
            found["productive" if counts else "repeated"] += line["end"] - before
            found["again"] += not counts
            before = end = line["end"]
    found["wall"] = end - attempts[0][0]
    return found


class Kills(Case):
    def killed(self, times):
        """Trains with so many kills at steps of chance, and then to the end."""
        chance = random.Random(7)
        for _ in range(times):
            want = len(lines()) + chance.choice((1, 2, 5, 9, 11))
            with subprocess.Popen([sys.executable, "-c", TRAIN]) as process:
                until = time.monotonic() + 60
                while len(lines()) < want and process.poll() is None and time.monotonic() < until:
                    time.sleep(0.002)
                process.send_signal(signal.SIGKILL)
        subprocess.run([sys.executable, "-c", TRAIN], check=True, timeout=60)

    def test_kills_and_restarts_are_one_run(self):
        self.killed(5)
        printed = truth(lines())
        whole = _recording.of_run("runs/exp1", 0, 1)
        self.assertEqual(sorted(whole.times), list(range(60)))
        for line in lines():
            if "step" in line:
                final = line["loss"]
                self.assertTrue(line["step"] in whole.steps)
                self.assertEqual(whole.steps[line["step"]]["scalars.loss"], final)
        recordings = [name for name in os.listdir("runs/exp1") if name.startswith("recording.")]
        self.assertEqual(len(recordings), 6)
        made = sum(len(_recording.read(os.path.join("runs/exp1", name)).times) for name in recordings)
        self.assertGreaterEqual(made, 60 + printed["again"])  # a step may end in the file and not be printed
        self.assertLessEqual(made, 60 + printed["again"] + 5)
        self.assertEqual(tscope._recording.summary("runs/exp1", 0, 1)["steps"], 60)

    @unittest.skipUnless(PROGRAM, "TSCOPE_PROGRAM does not name the program")
    def test_the_program_gives_the_figures_of_the_log(self):
        env = {**os.environ, "TSCOPE_STORE": os.path.abspath("store"), "ASAN_OPTIONS": "detect_leaks=0"}

        def ask(*words):
            return subprocess.run([PROGRAM, *words], env=env, capture_output=True, text=True, timeout=120)

        self.killed(5)
        printed = truth(lines())
        self.assertEqual(ask("push", "-q", "runs/exp1").returncode, 0)
        self.assertEqual(len(json.loads(ask("list", "--json").stdout)["rows"]), 1)
        measured = json.loads(ask("analyze", "exp1", "--json").stdout)["measures"]["efficiency"]["attempts"]
        self.assertEqual(measured["attempts_count"], printed["attempts"])
        self.assertLessEqual(abs(measured["repeated_steps_count"] - printed["again"]), 5)
        self.assertAlmostEqual(measured["productive_s"], printed["productive"], delta=0.03)
        self.assertAlmostEqual(measured["repeated_s"], printed["repeated"], delta=0.03)
        self.assertAlmostEqual(measured["goodput_ratio"], printed["productive"] / printed["wall"], delta=0.05)
        lost = sum(measured[name] for name in ("repeated_s", "startup_s", "unfinished_s", "gaps_s"))
        self.assertAlmostEqual(measured["productive_s"] + lost, measured["wall_s"], places=6)
        self.assertIn("correct", ask("check-resume", "exp1").stdout)
        # Another attempt extends what was pushed.
        subprocess.run([sys.executable, "-c", TRAIN.replace("range(step, 60)", "range(50, 65)")], check=True, timeout=60)
        again = ask("push", "runs/exp1")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(len(json.loads(ask("list", "--json").stdout)["rows"]), 1)


RANKS = """
import os, sys, time
import tscope
rank, count = int(os.environ["RANK"]), int(os.environ["TORCHELASTIC_RESTART_COUNT"])
run = tscope.start("runs/exp1")
for step in range(7 * count, 7 * count + 10):
    with run.step(step):
        time.sleep(0.002)
        run.log(loss=1 / (1 + step))
if count < 2:
    os.kill(os.getpid(), 9)
run.finish()
"""


class Ranks(Case):
    def test_two_ranks_that_a_launcher_restarts_are_one_run(self):
        for count in range(3):
            ranks = []
            for rank in range(2):
                env = {**os.environ, "RANK": str(rank), "WORLD_SIZE": "2", "TORCHELASTIC_RESTART_COUNT": str(count)}
                ranks.append(subprocess.Popen([sys.executable, "-c", RANKS], env=env))
            self.assertEqual([process.wait(60) for process in ranks], [-9, -9] if count < 2 else [0, 0])
        for rank in range(2):
            whole = _recording.of_run("runs/exp1", rank, 2)
            self.assertEqual(sorted(whole.times), list(range(24)))
            self.assertTrue(os.path.exists(f"runs/exp1/rank{rank}/recording.3.tscope"))
        if not PROGRAM:
            return
        env = {**os.environ, "TSCOPE_STORE": os.path.abspath("store"), "ASAN_OPTIONS": "detect_leaks=0"}
        for words in (["push", "-q", "runs/exp1"], ["analyze", "exp1", "--rank", "1", "--json"]):
            done = subprocess.run([PROGRAM, *words], env=env, capture_output=True, text=True, timeout=120)
        measured = json.loads(done.stdout)["measures"]["efficiency"]["attempts"]
        self.assertEqual((measured["attempts_count"], measured["repeated_steps_count"]), (3, 6))


class Launchers(Case):
    def test_what_a_launcher_says_decides(self):
        with tscope.start("runs/a"):
            pass
        with self.assertRaises(FileExistsError):
            tscope.start("runs/a", strict=True)
        for name in ("SLURM_RESTART_COUNT", "TORCHELASTIC_RESTART_COUNT"):
            with mock.patch.dict(os.environ, {name: "0"}):
                self.assertFalse(_resume.restarted())
            with mock.patch.dict(os.environ, {name: "1"}), tscope.start("runs/a") as run:
                self.assertGreater(run.attempt, 1)
        with mock.patch.dict(os.environ, {"SLURM_RESTART_COUNT": "1"}), self.assertRaises(FileExistsError):
            tscope.start("runs/a", exist="error", strict=True)
        with self.assertRaises(ValueError):
            tscope.start("runs/b", exist="maybe")

    def test_a_run_that_is_recorded_is_not_resumed(self):
        with tscope.start("runs/a"), self.assertRaises(FileExistsError):
            tscope.start("runs/a", exist="resume", strict=True)

    def test_the_folder_is_that_of_the_job(self):
        def default():
            return "runs/train-20270101-000000"

        with mock.patch.dict(os.environ, {"SLURM_JOB_ID": "7"}), tscope.start("runs/train-20260101-000000"):
            pass
        with mock.patch.dict(os.environ, {"SLURM_JOB_ID": "8"}), tscope.start("runs/train-20260101-000001"):
            pass
        with mock.patch.dict(os.environ, {"SLURM_JOB_ID": "7", "SLURM_RESTART_COUNT": "1"}):
            self.assertEqual(_resume.place(None, None, default), ("runs/train-20260101-000000", "resume"))
            self.assertEqual(_resume.place(None, "new", default), (default(), "new"))
        with mock.patch.dict(os.environ, {"SLURM_JOB_ID": "9", "SLURM_RESTART_COUNT": "1"}):
            self.assertEqual(_resume.place(None, None, default), (default(), "new"))
        self.assertEqual(_resume.place(None, None, default), (default(), "new"))

    def test_a_run_of_several_ranks_goes_on_with_fewer_ranks(self):
        for rank in (0, 1):
            tscope.start("runs/a", rank=rank, world_size=2).finish()
        with tscope.start("runs/a", rank=0, world_size=1, exist="resume") as run:
            self.assertEqual(run.attempt, 2)
        self.assertTrue(os.path.exists("runs/a/rank0/recording.2.tscope"))
        self.assertFalse(os.path.exists("runs/a/recording.tscope"))
        self.assertEqual(run.summary()["steps"], 0)

    def test_a_run_of_one_process_goes_on_with_several(self):
        tscope.start("runs/a").finish()
        runs = [tscope.start("runs/a", rank=rank, world_size=2, exist="resume") for rank in (1, 0)]
        self.assertEqual([run.attempt for run in runs], [1, 2])
        for run in runs:
            with run.step(3):
                pass
            run.finish()
            self.assertEqual(run.summary()["steps"], 1)
        self.assertEqual(sorted(name for name in os.listdir("runs/a") if not name.endswith(".json")),
                         ["rank1", "recording.2.tscope", "recording.tscope"])


if __name__ == "__main__":
    unittest.main()
