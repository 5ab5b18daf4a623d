#!/usr/bin/env python3
"""repro-op prints a script of at most 40 lines that runs a recorded operation on torch's CPU: repro_op.py BUILD. The scripts are run where
torch is; without it only what is printed is looked at."""
import importlib.util
import json
import os
import subprocess
import sys
import tempfile

TSCOPE = os.path.abspath(os.path.join(sys.argv[1], "tscope"))
CALLS = r'''aten.mm.default [[{"type": "float32", "shape": [2, 3], "device": "cpu"}, {"type": "float32", "shape": [3, 4], "device": "cpu"}], {}]
aten.mm.default [[{"type": "float32", "shape": [5, 6], "device": "cpu"}, {"type": "float32", "shape": [6, 7], "device": "cpu"}], {}]
aten.embedding.default [[{"type": "float32", "shape": [50, 8], "device": "cpu"}, {"type": "int64", "shape": [8, 4], "device": "cpu", "range": [0, 49]}], {}]
aten.randint.low [[0, 50, [8, 4]], {"device": {"torch.device": "cpu"}, "pin_memory": false}]
aten.mul.Tensor [[{"repr": "a \"quote\" and \\ '''+"'''"+r''' \n"}, 2.0], {}]
aten._foreach_add_.Scalar [[[{"type": "float32", "shape": [2, 3], "device": "cpu"}, {"type": "float32", "shape": [4], "device": "cpu"}], 1.0], {}]
aten.relu.default'''
failures = []


def check(what, ok, said):
    if not ok:
        failures.append(what)
        print(f"FAILED {what}\n{str(said)[-1500:]}", flush=True)


def main():
    torch = importlib.util.find_spec("torch") is not None
    with tempfile.TemporaryDirectory(prefix="tscope-repro-op-") as folder:
        with open(os.path.join(folder, "steps.jsonl"), "w", encoding="utf-8") as f:
            f.write(json.dumps({"step": 1, "timestamp": 100, "scalars": {"loss": 1.0}}) + "\n")
        with open(os.path.join(folder, "facts.json"), "w", encoding="utf-8") as f:
            json.dump({"format": 1, "session": {"operations": {"1": CALLS, "2": CALLS + "\n" + "aten.x.y []\n" * 5000}}}, f)

        def ask(at, *words):
            ran = subprocess.run([TSCOPE, "repro-op", folder, "--at", at, *words], capture_output=True, text=True,
                                 env={**os.environ, "HOME": folder, "NO_COLOR": "1"}, timeout=60)
            return ran.returncode, ran.stdout, ran.stderr

        for at, shape in (("1:aten.mm.default", "[2, 3]"), ("1:aten.mm.default#1", "[5, 6]"), ("2:aten.mm.default#1", "[5, 6]"),
                          ("1:aten.embedding.default", "[0, 49]"), ("1:aten.randint.low", "[8, 4]")):
            code, text, err = ask(at)
            check(at, code == 0 and len(text.splitlines()) <= 40 and shape in text, (code, len(text.splitlines()), text, err))
            compile(text, "op.py", "exec")
            if torch:
                ran = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=120)
                check(f"{at}: the script", ran.returncode == 0 and "0 of 20 outputs differ" in ran.stdout, (ran.returncode, ran.stdout, ran.stderr))
        _, text, _ = ask("1:aten._foreach_add_.Scalar")
        if torch:
            ran = subprocess.run([sys.executable, "-c", text.replace("sys.exit(differ > 0)", "sys.exit(10 + len(outputs[0]))")], capture_output=True, text=True, timeout=120)
            check("what an operation writes to is its output where it gives nothing back", ran.returncode == 12, (text, ran))
        saved = [os.path.join(folder, name) for name in ("a.pt", "b.pt", "c.pt", "d.pt")]
        if torch:
            import torch as t
            a, b = t.randn(3, 4), t.randn(4, 5)
            kept = {"name": "aten.mm.default", "device": "cpu", "args": [a, b], "kwargs": {}, "out": a @ b}
            t.save(kept, saved[0])
            t.save({**kept, "args": [2 * a, b], "out": 2 * a @ b}, saved[1])
            t.save({**kept, "out": a @ b + 1}, saved[2])
            t.save({**kept, "name": "aten._foreach_add_.Scalar", "args": [[a, b], 1.0], "out": [[a + 1, b + 1], 1.0]}, saved[3])
        cases = ((saved[:1], 0, "which is that of the run"), (saved[:2], 0, "not the same in all files"),
                 (saved[::2], 1, "which is not that of the run"), (saved[:1] * 2, 0, "is the same in all files"), (saved[3:], 0, "which is that of the run"))
        for files, code, said in cases:
            at = "1:aten._foreach_add_.Scalar" if files == saved[3:] else "1:aten.mm.default"
            got, text, err = ask(at, *(word for file in files for word in ("--inputs", file)))
            check(f"inputs {said}", got == 0 and len(text.splitlines()) <= 40, (got, len(text.splitlines()), text, err))
            compile(text, "op.py", "exec")
            if torch:
                ran = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=120)
                check(f"replayed {said}", ran.returncode == code and said in ran.stdout, (ran.returncode, ran.stdout, ran.stderr))
        code, text, err = ask("1:aten.mul.Tensor")
        check("what was recorded stays a string", code == 0 and len(text.splitlines()) <= 40, text)
        compile(text, "op.py", "exec")
        for at, said in (("1:aten.mm.default#2", "2 recorded calls"), ("1:aten.nothing", "0 recorded calls"), ("1:aten.relu.default", "not recorded"),
                         ("3:aten.mm.default", "no calls of step 3"), ("aten.mm.default", "STEP:OPERATION"), ("1:aten.mm", "0 recorded calls")):
            code, text, err = ask(at)
            check(at, code == 2 and said in err, (code, text, err))
    print(f"{len(failures)} failures{'' if torch else '; there is no torch, so no script was run'}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
