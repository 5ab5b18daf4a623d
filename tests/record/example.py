#!/usr/bin/env python3
"""Trains with record/example and reads what it recorded: its loss falls, equal seeds give equal digests, and nothing but libc is needed:
example.py BUILD CC."""
import os
import subprocess
import sys
import tempfile

import recording

STEPS = 300


def train(program, top, name, seed):
    out = subprocess.run([program, os.path.join(top, name), str(STEPS), str(seed)], check=True, capture_output=True, text=True).stdout
    with open(os.path.join(top, name, "recording.tscope"), "rb") as f:
        parsed = recording.parse(f.read())
    assert not parsed.bad and parsed.end[1] == STEPS and parsed.end[4] == 1
    rows = [parsed.named(cells) for *_, cells in parsed.steps]
    for row, (_, _, duration, _) in zip(rows, parsed.steps):
        assert sum(v for k, v in row.items() if k.startswith("phase.") and k != "phase.between") == duration
    assert f"step {STEPS - 1}: loss {rows[-1]['number.loss']:.4f}" in out
    return rows


def main():
    build, cc = sys.argv[1:3]
    with tempfile.TemporaryDirectory() as top:
        own = os.path.join(top, "train_bigram")
        files = [os.path.join("record", f) for f in sorted(os.listdir("record"))
                 if f.endswith(".c") and not f.startswith(("test_", "fuzz_")) and not f.endswith("_posix.c")]
        # As a stranger would: C11 without extensions, no flag but -pthread.
        subprocess.run([cc, "-std=c11", "-Wall", "-Wextra", "-Werror", "-O1", "-I.", "-o", own, "record/example/train_bigram.c", *files, "-pthread",
                        "-lm"], check=True)
        first, same, other = (train(p, top, n, s) for p, n, s in ((own, "a", 1), (own, "b", 1), (own, "c", 2)))
        train(os.path.join(build, "train_bigram"), top, "d", 1)
    loss = [r["number.loss"] for r in first]
    assert sum(loss[-50:]) / 50 < 0.7 * sum(loss[:20]) / 20, "the loss does not fall"
    assert first[-1]["digest.params"] == same[-1]["digest.params"] != other[-1]["digest.params"]
    print(f"{STEPS} steps: loss {loss[0]:.3f} to {loss[-1]:.3f}; {len(first[0])} values a step; equal seeds, equal digests")


if __name__ == "__main__":
    main()
