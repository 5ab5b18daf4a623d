#!/usr/bin/env python3
"""How often tscope watch says something of a training that has nothing, and how soon it says what was planted: watch_alarms.py BUILD [HOURS|FIRST-LAST [FAULTS]].
Trainings of an hour are simulated with their clock, looked at every ten seconds as watch does (watch_alarms.c), HOURS (default 200) clean ones and FAULTS
(default 10) of each fault; FIRST-LAST takes some of the same hours, so that 200 can be asked for in pieces. Prints the findings of clean hours by code, with the
rate a day and its bound of 95 %, and for each fault how many of its runs were told, and the seconds from its beginning to that. Exits with 1 where clean hours have more than one finding in a hundred days, as far as they can tell."""
import concurrent.futures
import json
import math
import os
import random
import shutil
import subprocess
import sys
import tempfile

PROGRAM = os.path.join(os.path.abspath(sys.argv[1]), "watch_alarms")
FIRST, LAST = [*map(int, f"0-{sys.argv[2] if len(sys.argv) > 2 else 200}".split("-"))][-2:]
HOURS = LAST - FIRST
FAULTS = int(sys.argv[3]) if len(sys.argv) > 3 else 10
SECONDS, STEP, EVERY = 3600, 2.0, 10
BEGAN = 1.79e9
AT = SECONDS / 2  # when a fault begins


def clean(rnd, kind):
    """What a training of this kind is like."""
    return {"ranks": (1, 1, 4, 8)[kind], "noise": (0.02, 0.1, 0.03, 0.05)[kind], "checkpoint": (0, 300, 0, 600)[kind], "wander": (0.0, 0.0, 0.0, 0.0015)[kind],
            "loss_noise": (0.02, 0.1, 0.05, 0.02)[kind], "scale": rnd.uniform(50, 2000), "memory": rnd.choice((0, 40e9))}


def write(folder, rnd, like, fault=None):
    steps = int(SECONDS / STEP)
    walls = [0.0] * like["ranks"]
    files = []
    for rank in range(like["ranks"]):
        os.makedirs(f"{folder}/whole/rank{rank}")
        files.append(open(f"{folder}/whole/rank{rank}/steps.jsonl", "w", encoding="utf-8"))
        with open(f"{folder}/whole/rank{rank}/run.json", "w", encoding="utf-8") as file:
            json.dump({"rank": rank, "world_size": like["ranks"]}, file)
    drift = 0.0
    for i in range(steps):
        bad = fault if fault and i * STEP >= AT else None
        drift = 0.99 * drift + rnd.gauss(0, like["wander"])  # to and fro by 1 %, as clocks do; a level that leaves for 5 % would be slower indeed
        own = []
        for rank in range(like["ranks"]):
            work = STEP * math.exp(drift + rnd.gauss(0, like["noise"]))
            slow = 1.3 if bad == "slower" or (bad == "straggler" and rank == like["ranks"] - 1) else 1
            own.append({"data": 0.05 * work * (10 if bad == "data" else 1), "forward": 0.3 * work * slow, "backward": 0.55 * work * slow, "optimizer": 0.1 * work})
        slowest = max(sum(phases.values()) for phases in own)
        extra = 8.0 if like["checkpoint"] and i % int(like["checkpoint"] / STEP) == 0 and i else 0.0
        for rank, phases in enumerate(own):
            if like["ranks"] > 1:
                phases["comm"] = slowest - sum(phases.values()) + 0.01
            if extra:
                phases["checkpoint"] = extra
            walls[rank] += sum(phases.values())
            loss = 2 + 3 * math.exp(-i / like["scale"]) + rnd.gauss(0, like["loss_noise"])
            loss = float("nan") if bad == "nan" else loss * 4 if bad == "blow_up" else loss
            row = {"step": i, "timestamp": BEGAN + walls[rank], "phases": phases, "scalars": {"loss": loss, "grad_norm": math.exp(rnd.gauss(0, 0.3)), "lr": 1e-3}}
            if like["memory"]:
                leak = (i * STEP - AT) * 4e6 if bad == "leak" else 0
                row["memory"] = {"alloc": like["memory"] * rnd.uniform(0.98, 1.0) + leak, "peak_alloc": like["memory"] + leak}
            files[rank].write(json.dumps(row) + "\n")
    for file in files:
        file.close()


def watch(rnd, like, fault=None):
    """Returns the seconds and codes that were said."""
    folder = tempfile.mkdtemp(prefix="tscope-alarms-")
    try:
        write(folder, rnd, like, fault)
        env = {**os.environ, "TSCOPE_STORE": os.path.join(folder, "store"), "TSCOPE_SERVER": ""}
        out = subprocess.run([PROGRAM, folder, str(EVERY)], capture_output=True, text=True, env=env, check=True).stdout.split("\n")
        said = [line.split() for line in out if line and not line.startswith("looks")]
        return [(float(second), code) for second, _, code in said], int(next(line for line in out if line.startswith("looks")).split()[1])
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def upper(k, n):
    """The bound of 95 % for a rate of which k were counted in n (Poisson)."""
    low, high = 0.0, 100.0 + 10 * k
    for _ in range(100):
        mean = (low + high) / 2
        below = sum(math.exp(-mean) * mean ** i / math.factorial(i) for i in range(k + 1))
        low, high = (mean, high) if below > 0.05 else (low, mean)
    return high / n


def clean_hour(hour):
    rnd = random.Random(hour)
    return watch(rnd, clean(rnd, hour % 4))


def planted(i, kind, fault):
    rnd = random.Random(100000 + i)
    return watch(rnd, {**clean(rnd, kind), "memory": 40e9}, fault)[0]


def main():
    false, looks = {}, 0
    pool = concurrent.futures.ThreadPoolExecutor(os.cpu_count() or 1)  # hours need each other for nothing; the work is in processes
    for hour, (said, n) in enumerate(pool.map(clean_hour, range(FIRST, LAST))):
        looks += n
        for _, code in said:
            false[code] = false.get(code, 0) + 1
        if (hour + 1) % 10 == 0 and hour + 1 < HOURS:
            print(f"after {hour + 1} hours: {sum(false.values())} findings said", flush=True)
    days = HOURS / 24
    k = sum(false.values())
    if HOURS:
        print(f"{HOURS} clean hours, {looks} looks: {k} findings said; {k / days:.2f} a day, at most {upper(k, days):.2f} (95 %)")
        for code, n in sorted(false.items()):
            print(f"    {n:4} {code}")
    print(f"{'planted at half of an hour':28} {'told':>8} {'median s':>9} {'worst s':>9}  by")
    for fault, kind, codes in (("nan", 0, ("CONVERGENCE.DIVERGED",)), ("blow_up", 0, ("CONVERGENCE.BLOW_UP", "CONVERGENCE.LEVEL_SHIFT")),
                               ("straggler", 2, ("DIST.STRAGGLER",)), ("data", 0, ("TIMING.DATALOADER_BOUND",)),
                               ("slower", 0, ("TIMING.SLOWDOWN",)), ("leak", 0, ("MEMORY.GROWTH",))):
        took = []
        for said in pool.map(lambda i, kind=kind, fault=fault: planted(i, kind, fault), range(FAULTS)):
            took += [min(seconds)] if (seconds := [s - AT for s, code in said if code in codes and s >= AT]) else []
        took.sort()
        print(f"{fault:28} {len(took):4}/{FAULTS:<3} {took[len(took) // 2] if took else math.nan:9.0f} {took[-1] if took else math.nan:9.0f}  {', '.join(codes)}",
              flush=True)
    # A count of none in 200 hours bounds the rate at 0.36 a day; more than what 0.01 a day makes likely is too much.
    return 1 if HOURS and k > 2 + days * 0.05 else 0


if __name__ == "__main__":
    sys.exit(main())
