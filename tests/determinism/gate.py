#!/usr/bin/env python3
"""gate --repro and golden, from their words to the exit code, JUnit, comment and certificate: gate.py BUILD.

The training is a sum with a momentum that records by itself; what a fault changes, and at which step, is known by hand."""
import json
import math
import os
import subprocess
import sys
import xml.etree.ElementTree as ET

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import run as commands  # noqa: E402

TRAIN = '''"""Trains: FAULT and the number of the run's folder say what is other than it should be."""
import json
import math
import os
import sys

restart, fault = sys.argv[1:3]
load = "--load" in sys.argv
out = os.environ["TSCOPE_DIRECTORY"]
number = int(out.rsplit("/", 1)[1])
last = int(os.environ["TSCOPE_STOP"])
if fault == "fails" and number == 2:
    sys.exit(4)
x, v, start = 1.0, 0.0, 0
if load:
    x, v, start = json.load(open(restart + "/c.json"))
    if fault == "lost":
        v = 0.0
if fault == "seed":
    x = 1.5
os.makedirs(out, exist_ok=True)
with open(out + "/steps.jsonl", "w") as f:
    for step in range(start, last + 1):
        v = 0.9 * v - 0.01 * x
        x = x + v
        if fault == "ulp" and step == 3 and number == 2:
            x = math.nextafter(x, 2)
        if fault == "noise" and step >= 1:
            x *= 1 + number * 1e-5
        row = {"step": step, "timestamp": 1e9 + step, "scalars": {"loss": x, "lr": 0.01, "iteration-time": 1 + 0.01 * number + 0.001 * (step % 3)}}
        f.write(json.dumps(row) + "\\n")
        json.dump([x, v, step + 1], open(restart + "/c.json", "w"))
facts = {"format": 1, "libraries": {"torch": "2.13.0+cpu"}, "session": {"host": "host<&>`1"}}
if load:
    facts["lineage"] = {"resumed_step": start}
json.dump(facts, open(out + "/facts.json", "w"))
'''
check, failures = commands.check, commands.failures


class Place(commands.Place):
    def tscope(self, *words):
        ran = subprocess.run([commands.TSCOPE, *words], cwd=self.clone, env=self.env, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                             timeout=120)
        return ran.returncode, ran.stdout, ran.stderr

    def gate(self, fault, *options, resume="--load"):
        self.n = getattr(self, "n", 0) + 1
        folder = os.path.join(self.folder, f"gate{self.n}")
        words = ["--resume", resume] if resume else []
        code, out, err = self.tscope("gate", "--repro", "--json", "--steps", "8", "-d", folder, *words, *options, "--", sys.executable, "train.py",
                                     "{restart}", fault)
        answer = json.loads(out) if out else {}
        return code, {k: answer[k]["proof"] for k in ("repeatability", "equivalence", "replay")} if "proof" in answer else answer, answer, err


def gates(place):
    golden = os.path.join(place.folder, "golden.json")
    code, proofs, answer, err = place.gate("none", resume=None)
    check("what was not asked for is unproved", code == 3 and proofs == {"repeatability": "green", "equivalence": "unproved", "replay": "unproved"},
          (code, answer, err))
    code, out, err = place.tscope("golden", "make", golden, os.path.join(place.folder, "gate1/1"))
    check("golden needs a reason", code == 2 and "--why" in err, err)
    code, out, err = place.tscope("golden", "make", golden, os.path.join(place.folder, "gate1/1"), "--why", "first", "--by", "ada")
    check("golden make", code == 0, err)
    made = json.load(open(golden, encoding="utf-8"))
    # x after one step: 1 + (0.9 * 0 - 0.01 * 1)
    check("golden: the loss of step 0", made["series"]["scalars.loss"]["values"]["0"] == 0.99, made)
    check("golden: no rate", list(made["series"]) == ["scalars.loss"], list(made["series"]))
    check("golden make does not replace", place.tscope("golden", "make", golden, os.path.join(place.folder, "gate1/1"), "--why", "x")[0] == 2, golden)
    code, proofs, answer, err = place.gate("none", "--golden", golden)
    check("all green", code == 0 and set(proofs.values()) == {"green"}, (code, answer, err))
    check("who accepted it", answer["accepted"]["by"] == "ada" and answer["accepted"]["why"] == "first", answer)
    code, proofs, answer, err = place.gate("ulp", "--golden", golden)
    check("one unit in the last place of run 2", code == 1 and proofs["repeatability"] == "red" and "step 3" in answer["repeatability"]["sentence"],
          (code, answer, err))
    code, proofs, answer, err = place.gate("ulp", "--golden", golden, "--profile", "float32")
    check("and within float32", code == 0, (code, answer, err))
    code, proofs, answer, err = place.gate("seed", "--golden", golden)
    check("another seed", code == 1 and proofs["repeatability"] == "green" and proofs["equivalence"] == "red", (code, answer, err))
    code, proofs, answer, err = place.gate("lost", "--golden", golden)
    check("lost momentum", code == 1 and proofs == {"repeatability": "green", "equivalence": "green", "replay": "red"}, (code, answer, err))
    code, proofs, answer, err = place.gate("fails", "--golden", golden)
    check("a run that fails", code == 3 and set(proofs.values()) == {"unproved"} and "exit code 4" in answer["replay"]["sentence"], (code, answer, err))
    code, proofs, answer, err = place.gate("noise", "--profile", "repeats", "--runs", "4")
    check("repeats that scatter evenly", proofs["repeatability"] == "green", (code, answer, err))
    code, proofs, answer, err = place.gate("noise", "--profile", "repeats", "--runs", "2")
    check("repeats need three", proofs["repeatability"] == "unproved", (code, answer, err))
    code, out, err = place.tscope("golden", "update", golden, os.path.join(place.folder, "gate4/1"), "--why", "another seed", "--by", "bob")
    check("golden update", code == 0 and [a["by"] for a in json.load(open(golden, encoding="utf-8"))["accepted"]] == ["ada", "bob"], err)


def nvidia(place):
    """A file as Megatron-LM has them: 5 decimals."""
    path = os.path.join(place.folder, "golden_values.json")
    x, v, values = 1.0, 0.0, {}
    for step in range(8):
        v = 0.9 * v - 0.01 * x
        x = x + v
        values[str(step)] = round(x, 5)
    series = {"lm loss": {"start_step": 0, "end_step": 7, "step_interval": 1, "values": values}, "iteration-time": {"values": {"1": 11.95}}}
    json.dump(series, open(path, "w", encoding="utf-8"))
    code, proofs, answer, err = place.gate("none", "--golden", path)
    check("NVIDIA's file", code == 0 and proofs["equivalence"] == "green" and "8 values of 1 series" in answer["equivalence"]["sentence"], (answer, err))
    values["5"] = round(values["5"] + 1e-5, 5)
    json.dump(series, open(path, "w", encoding="utf-8"))
    code, proofs, answer, err = place.gate("none", "--golden", path)
    check("its fifth decimal", code == 1 and proofs["equivalence"] == "red" and "step 5" in answer["equivalence"]["sentence"], (answer, err))
    values["5"] = "nan"
    json.dump(series, open(path, "w", encoding="utf-8"))
    code, proofs, answer, err = place.gate("none", "--golden", path)
    check("its missing value", code == 3 and proofs["equivalence"] == "unproved", (answer, err))
    code, proofs, answer, err = place.gate("none", "--golden", path, "--metric", "lr")
    check("a series that it has not", code == 3 and proofs["repeatability"] == "green" and proofs["equivalence"] == "unproved", (answer, err))


def megatron(place):
    """Their own comparisons, exact and approximate, of the series that a test's METRICS name: what passes there is worked out by hand."""
    path = os.path.join(place.folder, "golden_values.json")
    ours = {step: round(x, 5) for step, x in losses().items()}
    cases = {  # golden values, whether they pass exactly and approximately; of 8 steps one may differ by more than 5 %
        "equal": (ours, True, True),
        "the fifth decimal": ({**ours, 5: round(ours[5] + 1e-5, 5)}, False, True),
        "4 % at every step": ({step: x * 1.04 for step, x in ours.items()}, False, True),
        "6 % at every step": ({step: x * 1.06 for step, x in ours.items()}, False, False),
        "a spike at one step": ({**ours, 3: 9.0}, False, True),
        "spikes at two": ({**ours, 3: 9.0, 4: 9.0}, False, False),
        "no value where the run has one": ({**ours, 2: "nan"}, False, True),
        "no value on either side": ({**ours, 8: "nan"}, True, True),
        "a value that the run has not": ({**ours, 8: 0.5}, False, True),
    }
    for name, (golden, exact, approximate) in cases.items():
        with open(path, "w", encoding="utf-8") as f:
            json.dump({"lm loss": {"start_step": 1, "end_step": 8, "step_interval": 1, "values": golden}, "iteration-time": {"values": {"6": 9.0}}}, f)
        for profile, passes in (("megatron", exact), ("megatron-approximate", approximate)):
            code, proofs, answer, err = place.gate("none", "--golden", path, "--profile", profile, "--metric", "lm loss")
            check(f"{profile}: {name}", proofs["equivalence"] == ("green" if passes else "red") and (code == 0) == passes and proofs["replay"] == "green",
                  (proofs, answer, err))
    code, proofs, answer, err = place.gate("lost", "--golden", path, "--profile", "megatron", "--metric", "lm loss")
    check("their test of a resumed training", proofs["replay"] == "red" and "step 4" in answer["replay"]["sentence"], answer)
    code, proofs, answer, err = place.gate("none", "--golden", path, "--profile", "megatron", "--metric", "iteration-time")
    check("times of runs differ by 1 %, and those of the golden record by more", proofs == {"repeatability": "green", "equivalence": "red", "replay": "green"} and
          "the median of iteration-time" in answer["equivalence"]["sentence"], (proofs, answer, err))
    code, proofs, answer, err = place.gate("none", "--golden", path, "--profile", "megatron")
    check("num-zeros is asked for, too, where no series is named", proofs["repeatability"] == "unproved" and "1 of the series" in answer["repeatability"]["sentence"], answer)


def losses(fault="none"):
    """The losses of TRAIN by step, with all their digits."""
    x, v, out = 1.5 if fault == "seed" else 1.0, 0.0, {}
    for step in range(8):
        v = 0.9 * v - 0.01 * x
        x = x + v
        out[step] = x
    return out


def torchtitan(place):
    """Files as torchtitan keeps them beside its tests. Its own comparison passes where both have the same steps with equal losses."""
    path = os.path.join(place.folder, "llama3_cuda.txt")
    ours = losses()
    cases = {
        "equal": ours,
        "another seed": losses("seed"),
        "the last digit of one step": {**ours, 5: math.nextafter(ours[5], 2)},
        "a step that the run has not": {**ours, 8: 0.5},
        "no number at one step": {**ours, 3: math.nan},
    }
    for header in ("", "# config: llama3_debugmodel\n# step loss\n"):
        for name, golden in cases.items():
            with open(path, "w", encoding="utf-8") as f:
                f.write(header + "".join(f"{step} {loss!r}\n" for step, loss in golden.items()))
            theirs = golden == ours
            code, proofs, answer, err = place.gate("none", "--golden", path)
            check(f"torchtitan's file, {name}", (code == 0) == theirs and (proofs["equivalence"] == "green") == theirs, (proofs, answer, err))
    with open(path, "w", encoding="utf-8") as f:
        f.write("1 0.5 0.25\n")
    code, proofs, answer, err = place.gate("none", "--golden", path)
    check("columns without names", code == 2, (code, err))


def outputs(place):
    junit, comment, certificate = (os.path.join(place.folder, name) for name in ("gate.xml", "comment.md", "certificate.json"))
    code, proofs, answer, err = place.gate("ulp", "--junit", junit, "--markdown", comment, "--certificate", certificate, resume=None)
    suite = ET.parse(junit).getroot().find("testsuite")
    cases = {case.get("name"): [child.tag for child in case] for case in suite.iter("testcase")}
    check("JUnit", cases == {"repeatability": ["failure"], "equivalence": ["error"], "replay": ["error"]} and suite.get("failures") == "1" and
          suite.get("errors") == "2", cases)
    text = open(comment, encoding="utf-8").read()
    check("comment", text.startswith("<!-- tscope-repro -->") and "**red**" in text and "host<&" not in text and "host&#60;" in text, text)
    check("certificate", json.load(open(certificate, encoding="utf-8")) == answer and answer["not_controlled"] and
          {"name": "session.host", "value": "host<&>`1"} in answer["facts"], answer)
    code, out, err = place.tscope("gate", "--repro", "--json")
    check("no command", code == 2 and "behind --" in out, out)
    code, out, err = place.tscope("gate", "--repro", "--golden", "nothing.json", "--", "true")
    check("no golden record", code == 2, out)


def main():
    place = Place()
    place.write("train.py", TRAIN)
    try:
        gates(place)
        nvidia(place)
        megatron(place)
        torchtitan(place)
        outputs(place)
    finally:
        commands.shutil.rmtree(place.folder, ignore_errors=True)
    print(f"{len(failures)} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
