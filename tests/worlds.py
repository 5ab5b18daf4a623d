#!/usr/bin/env python3
"""tscope scaling on runs whose laws are known: worlds.py BUILD writes run directories of 1 to 8 ranks, whose steps and phases follow from a serial
share, and holds what is said to them."""
import json
import os
import random
import subprocess
import sys
import tempfile

TSCOPE = os.path.abspath(os.path.join(sys.argv[1], "tscope"))
STEPS = 200
failed = []


def check(what, holds, *more):
    print(f"{what:90} {'holds' if holds else 'BROKEN'}", *([] if holds else map(repr, more)), flush=True)
    if not holds:
        failed.append(what)


def write(path, ranks, step, phases, batch=64, **config):
    """A run of this many ranks. phases: shares of a step, which takes so many seconds with a noise of 2 %."""
    for rank in range(ranks):
        folder = os.path.join(path, f"rank{rank}") if ranks > 1 else path
        os.makedirs(folder)
        now, noise = 1e9, random.Random(ranks)
        with open(os.path.join(folder, "steps.jsonl"), "w", encoding="utf-8") as file:
            for number in range(STEPS):
                took = step * (1 + noise.gauss(0, 0.02))
                now += took
                file.write(json.dumps({"step": number, "timestamp": now, "phases": {name: share * took for name, share in phases.items()},
                                       "scalars": {"loss": 1 / (number + 1)}, "samples": batch / ranks}) + "\n")
        with open(os.path.join(folder, "run.json"), "w", encoding="utf-8") as file:
            json.dump({"name": os.path.basename(path), "config": {"width": 64, "lr": 0.1 * ranks, "batch_size": batch, **config}, "rank": rank,
                       "world_size": ranks, "started": 1e9, "wall_time": now - 1e9}, file)


def scaling(top, *words):
    ran = subprocess.run([TSCOPE, "scaling", *words], cwd=top, capture_output=True, text=True)
    return ran.returncode, ran.stdout + ran.stderr


def main():
    with tempfile.TemporaryDirectory(prefix="tscope-worlds-") as top:
        for ranks in (1, 2, 4, 8):  # Amdahl's law with a tenth that is serial; what is lost goes into communication
            step = 0.1 * (0.1 + 0.9 / ranks)
            comm = 1 - 0.1 / (ranks * step)
            write(os.path.join(top, f"strong{ranks}"), ranks, step, {"data": 0.1 * (1 - comm), "forward": 0.3 * (1 - comm), "backward": 0.6 * (1 - comm), "comm": comm})
            write(os.path.join(top, f"weak{ranks}"), ranks, 0.1 if ranks == 1 else 0.125, {"data": 0.1, "forward": 0.3, "backward": 0.6}, batch=64 * ranks)
        write(os.path.join(top, "slow8"), 8, 0.12, {"forward": 0.1, "backward": 0.1, "comm": 0.8})
        write(os.path.join(top, "wide2"), 2, 0.05, {"forward": 0.4, "backward": 0.6}, width=128)

        code, said = scaling(top, *(f"./strong{ranks}" for ranks in (8, 1, 4, 2)))
        check("strong scaling by Amdahl's law", code == 0 and "Strong scaling: the batch of all ranks stays 64 samples" in said and "a share of 10 %" in said, said)
        answer = json.loads(scaling(top, "./strong1", "./strong8", "--json")[1])
        largest = answer["worlds"][-1]
        lost = largest["lost"]
        check("the losses add up to what the efficiency lacks", abs(sum(lost.values()) - (1 - largest["efficiency_ratio"])) < 1e-9, largest)
        check("and communication is what was put there", abs(lost["communication_ratio"] - (1 - 0.1 / (8 * 0.02125))) < 0.01 and
              all(abs(lost[f"{line}_ratio"]) < 0.02 for line in ("computation", "imbalance", "input", "other")), lost)
        check("the interval of the serial share has it", abs(answer["fit"]["serial_ratio"] - 0.1) <= 3 * answer["fit"]["serial_half"] and answer["fit"]["serial_half"] < 0.01, answer["fit"])
        code, said = scaling(top, *(f"./weak{ranks}" for ranks in (1, 2, 4, 8)))
        check("weak scaling", code == 0 and "Weak scaling: the batch of each rank stays 64 samples" in said and "Gustafson's law" in said, said)
        code, said = scaling(top, "./strong1", "./slow8")
        check("more ranks that are slower", code == 0 and said.startswith("8 ranks are slower than 1: their throughput is 83 % of it; 80 % of its time is lost to communication"), said)
        code, said = scaling(top, "./strong1", "./wide2")
        check("runs that did not do the same work are refused, with the fact", code == 2 and "config.width is 64 and 128" in said, code, said)
        code, said = scaling(top, "./strong1", "./wide2", "--ignore", "config.width")
        check("unless it is said not to matter", code == 0, code, said)
        code, said = scaling(top, "./strong1", "./weak2")
        check("one rank and two with a batch of their own are weak scaling, too", code == 0 and "Weak" in said, said)
        code, said = scaling(top, "./strong1", "./weak2", "./strong4")
        check("neither strong nor weak: no law is fitted", code == 0 and "no law is fitted" in said, said)
    print(f"{len(failed)} checks do not hold")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
