#!/usr/bin/env python3
"""Builds the recording of record_scene.c from docs/recording.md alone and compares every byte: vectors.py BUILD."""
import json
import os
import subprocess
import sys
import tempfile

import recording as r

BEGAN = 1_000_000


def expected():
    first = BEGAN + 500
    second = first + 100 + 11
    ended = second + 10
    steps = r.chunk(0, 0, 0, [
        r.column(1, "phase", "other"),
        r.column(2, "phase", "between"),
        r.column(3, "phase", "step"),
        r.digest(0, 17, None, 1, 0, "layers.0"),
        r.digest(0, 19, 18, 3, 1, "layers.0"),
        r.step(0, first, 100, [(4, r.i64(37)), (5, r.i64(50)), (8, r.f64(2.5)), (9, r.f64(1e9)), (10, r.f64(8192)),
                               (11, (0xFEDCBA9876543210).to_bytes(8, "little")), (1, r.i64(13))]),
        r.late(0, [(8, r.f64(2.25))]),
        r.digest(7, 20, None, 0, 0, "layers.0"),
        r.step(7, second, 10, [(5, r.i64(4 + 4)), (2, r.i64(11 - 4)), (4, r.i64(6)), (6, r.i64(100))]),
        r.end(ended + 1 + 1000, 2, 0, 0, 1),
    ], r.file_header(b"0123456789abcdef", 2, 3, 1795417033083715001, BEGAN, 4711, 250))
    others = r.chunk(1, 1, 0, [
        r.column(4, "phase", "forward"),
        r.column(5, "phase", "backward"),
        r.column(6, "device_phase", "forward"),
        r.column(7, "region", "all-reduce"),
        r.column(8, "number", "loss"),
        r.column(9, "memory", "allocated"),
        r.column(10, "amount", "tokens"),
        r.column(11, "digest", "batch"),
        r.column(12, "event", "größe"),
        r.region(7, 0, 7, second - 3, 3),
        r.late(7, [(6, r.i64(123))]),
        r.late(0, [(10, r.f64(4096))]),
        r.late(7, [(11, r.i64(1))]),
        r.event(12, r.NO_STEP, ended, -0.5),
        r.event(12, r.NO_STEP, ended + 1, b"an evaluation"),
    ])
    return steps + others


def main():
    assert r.crc32c(bytes(range(32))) == 0x46DD794E  # RFC 3720, B.4
    with tempfile.TemporaryDirectory() as top:
        subprocess.run([os.path.join(sys.argv[1], "tests/record/record_scene"), os.path.join(top, "run")], check=True)
        where = os.path.join(top, "run", "rank2")
        with open(os.path.join(where, "recording.tscope"), "rb") as f:
            data = f.read()
        with open(os.path.join(where, "run.json"), encoding="utf-8") as f:
            run = json.load(f)
        with open(os.path.join(where, "facts.json"), encoding="utf-8") as f:
            facts = json.load(f)
        names = sorted(os.listdir(where))
    want = expected()
    assert len(data) == len(want), (len(data), len(want))
    wrong = [i for i in range(len(data)) if data[i] != want[i]]
    assert not wrong, f"{len(wrong)} bytes differ, the first at {wrong[0]}: {data[wrong[0]:][:16].hex()} for {want[wrong[0]:][:16].hex()}"
    parsed = r.parse(data)
    assert not parsed.bad and [s[0] for s in parsed.steps] == [0, 7], parsed.bad
    assert run == {"name": 'a "scene"', "config": {"lr": 0.001}, "rank": 2, "world_size": 3, "started": 1795417033.083715,
                   "wall_time": 0.000001, "n_steps": 2}, run
    assert facts == {"format": 1, "seeds": {"torch": 1, "numpy": 2}, "work": {"tokens_per_step": 8192}}, facts
    assert names == ["facts.json", "recording.tscope", "run.json"], names
    print(f"{len(data)} bytes as specified, {len(parsed.columns)} columns, 2 steps")


if __name__ == "__main__":
    main()
