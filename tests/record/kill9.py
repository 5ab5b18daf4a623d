#!/usr/bin/env python3
"""Kills a recorder at any moment: no step whose end returned is lost, none is wrong: kill9.py BUILD [ROUNDS [FIRST]]."""
import random
import sys
import tempfile
import time

import drive


def one(build, seed):
    rng = random.Random(seed)
    with tempfile.TemporaryDirectory() as top:
        d = drive.Drive(build, top, 10**9, pause_us=rng.choice([0, 0, 1, 50, 1000]), threads=rng.choice([0, 0, 2, 8]),
                        flush_ms=rng.choice([1, 20, 1000]))
        d.wait(0, 1)
        time.sleep(rng.random() * 0.02)
        d.process.kill()
        d.process.communicate()
        steps, regions = d.said()[:2]
        parsed, seen = drive.parse(d.bytes())
        assert set(range(steps)) <= seen, f"seed {seed}: {steps} steps ended, missing {sorted(set(range(steps)) - seen)[:5]}"
        assert max(seen) <= steps, f"seed {seed}: step {max(seen)} is there, {steps} ended"
        assert len(parsed.regions) >= regions, f"seed {seed}: {regions} regions, {len(parsed.regions)} are there"
        assert not parsed.bad, f"seed {seed}: {parsed.bad[:3]}"
        return steps, len(seen), len(parsed.regions), len(parsed.chunks)


def main():
    rounds, first = (int(sys.argv[i]) if len(sys.argv) > i else usual for i, usual in ((2, 300), (3, 0)))
    ended = found = regions = chunks = 0
    for seed in range(first, first + rounds):
        a, b, c, e = one(sys.argv[1], seed)
        ended, found, regions, chunks = ended + a, found + b, regions + c, chunks + e
    print(f"{rounds} kills: {ended} steps had ended, {found} are in the files, 0 lost; {regions} regions; {chunks} chunks, none damaged")


if __name__ == "__main__":
    main()
