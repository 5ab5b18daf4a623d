#!/usr/bin/env python3
"""Starts several recorders into one directory at the same moment: exactly one records, and the others say why not: race.py BUILD [ROUNDS]."""
import os
import subprocess
import sys
import tempfile

import drive

PROCESSES = 6


def one(build):
    with tempfile.TemporaryDirectory() as top:
        shared, runs = os.path.join(top, "shared", "run"), []
        for i in range(PROCESSES):
            own = os.path.join(top, str(i))
            os.mkdir(own)
            runs.append(drive.Drive(build, own, 5, directory=shared, stderr=subprocess.PIPE))
        errors = [d.process.communicate()[1] for d in runs]
        codes = sorted(d.process.returncode for d in runs)
        assert codes == [0] + [3] * (PROCESSES - 1), (codes, errors)
        assert sum("holds a run already" in e for e in errors) == PROCESSES - 1, errors
        parsed, seen = drive.parse(runs[0].bytes())
        assert seen == set(range(5)) and parsed.end[4] == 1 and not parsed.bad


def main():
    rounds = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    for _ in range(rounds):
        one(sys.argv[1])
    print(f"{rounds} races of {PROCESSES} processes: one recorded each time, and the others were refused")


if __name__ == "__main__":
    main()
