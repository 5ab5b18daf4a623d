#!/usr/bin/env python3
"""Memory snapshots beside Python: snapshot.py make PATH MIB writes one as torch does (each event has its own list of shared frames);
snapshot.py load PATH is pickle.load alone; snapshot.py axolotl PATH does what Axolotl's analyze_profile.py does with a snapshot; each prints
the seconds of its processor time. snapshot.py compare BUILD [FILE...] prints a table of the files as they are, and how much of their peaks
tscope has no kind for; without any, the table of one of 100 MB that it makes. `./dev bench snapshot` builds and runs it."""
import collections
import json
import os
import pickle
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time


def make(path, mib):
    rng, time_us, live = random.Random(5), 1_700_000_000_000_000, []
    frames = [{"name": f"at::native::function_{i}(at::Tensor const&)", "filename": "??" if i % 3 else f"/app/model_{i}.py", "line": i % 3 and i} for i in range(540)]
    stacks = [[rng.choice(frames) for _ in range(32)] for _ in range(190)]
    events, blocks, base = [], [], 0x7f0000000000
    for i in range(mib * 2960):
        time_us += rng.randrange(40)
        if live and (len(live) > 2000 or rng.random() < 0.48):
            addr, size = live.pop(rng.randrange(len(live)))
            kinds = ("free_requested", "free_completed")
        else:
            addr, size = base + i * 512, rng.choice((4096, 1 << 20, 16 << 20)) + rng.randrange(8) * 512
            live.append((addr, size))
            kinds = ("alloc",)
        for action in kinds:
            events.append({"action": action, "addr": addr, "size": size, "stream": 0, "time_us": time_us, "compile_context": "N/A",
                           "user_metadata": "", "frames": list(rng.choice(stacks))})
    blocks = [{"address": a, "size": n, "requested_size": n, "state": "active_allocated", "frames": list(stacks[0])} for a, n in sorted(live)]
    total = sum(b["size"] for b in blocks)
    segment = {"device": 0, "address": base, "total_size": total, "allocated_size": total, "active_size": total, "requested_size": total, "stream": 0,
               "segment_type": "large", "segment_pool_id": (0, 0), "is_expandable": False, "frames": [], "blocks": blocks}
    with open(path, "wb") as f:
        pickle.dump({"segments": [segment], "device_traces": [events], "allocator_settings": {}, "external_annotations": []}, f)


def load(path):
    with open(path, "rb") as f:
        return pickle.load(f)


SKIP = ("torch/autograd/", "torch/utils/checkpoint", "torch/nn/modules/module.py", "torch/_dynamo/", "torch/_compile", "torch/_ops",
        "torch/_functorch/", "torch/_inductor/", "torch/library", "torch/cuda", "torch/_C", "<frozen", "<unknown>", "fire/core.py", "runpy")


def axolotl(path):
    """Its method by its description: sums, churn by size, the source of the five largest, and a copy of what lives at every new peak."""
    s = load(path)
    reserved = sum(x["total_size"] for x in s["segments"])
    allocated = sum(x["allocated_size"] for x in s["segments"])
    events = s["device_traces"][0]
    churn = collections.Counter(e["size"] for e in events if e["action"] == "alloc")
    for size, _ in sorted(churn.items(), key=lambda c: -c[0] * c[1])[:5]:
        sources = collections.Counter()
        for e in events:
            if e["action"] == "alloc" and e["size"] == size:
                python = [f for f in e["frames"] if f["filename"].endswith(".py")]
                own = next((f for f in python if not any(p in f["filename"] for p in SKIP)), python[0] if python else None)
                sources[own and (own["filename"], own["name"])] += 1
    live, now, peak, at_peak = {}, 0, 0, {}
    for e in events:
        if e["action"] == "alloc":
            live[e["addr"]] = e
            now += e["size"]
            if now > peak:
                peak, at_peak = now, dict(live)
        elif e["action"] == "free_requested" and e["addr"] in live:
            now -= live.pop(e["addr"])["size"]
    return reserved, allocated, peak, len(at_peak)


def seconds(*command):
    """Processor seconds, and the most memory in MB, of the best of three runs."""
    runs = []
    for _ in range(3):
        r = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        _, status, usage = os.wait4(r.pid, 0)
        if status:
            sys.exit(f"{' '.join(command)} failed")
        runs.append((usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024))
    return min(runs)


def compare(build, files):
    program, me = os.path.join(build, "bench_snapshot"), [sys.executable, os.path.abspath(__file__)]
    print("CPU seconds, the best of three; goals: 100 MB in less than 1 s, and less than 3 times its size in memory")
    print(f"{'MB':>7} {'read s':>8} {'replay s':>8} {'load s':>8} {'axolotl s':>9} {'load/read':>9} {'axolotl/replay':>14} {'MB held':>8} {'/size':>6} {'load MB':>8}")
    for path in files:
        size = os.path.getsize(path) / 1e6
        (read, held), (replay, _) = seconds(program, "read", path), seconds(program, "replay", path)
        (peer, peer_held), (axo, _) = seconds(*me, "load", path), seconds(*me, "axolotl", path)
        print(f"{size:7.1f} {read:8.3f} {replay:8.3f} {peer:8.3f} {axo:9.3f} {peer / read:9.1f} {axo / replay:14.1f} {held:8.1f} {held / size:6.2f} {peer_held:8.1f}  {os.path.basename(path)}")


def unknown(build, path):
    """The share of unknown kind of what a device held at its peak and was recorded, of each device of a snapshot."""
    said = subprocess.run([os.path.join(build, "tscope"), "analyze", "--json", path], stdout=subprocess.PIPE, text=True)
    for device in json.loads(said.stdout)["devices"]:
        held = {kind["kind"]: kind["at_peak_bytes"] for kind in device["kinds"]}
        recorded = sum(held.values()) - held["before recording"]
        if recorded:
            yield held["unknown"] / recorded


def kinds(build, files):
    shares = []
    print("of what was recorded and held at the peak, unknown kind; goal: less than 5 % in the median")
    for path in files:
        for share in unknown(build, path):
            shares.append(share)
            print(f"{share:7.1%}  {os.path.basename(path)}")
    if shares:
        print(f"{statistics.median(shares):7.1%}  the median of {len(shares)}, {max(shares):.1%} at most")


def main():
    began = time.process_time()
    what = sys.argv[1]
    if what == "compare" and len(sys.argv) > 3:
        compare(sys.argv[2], sys.argv[3:])
        return kinds(sys.argv[2], sys.argv[3:])
    if what == "compare":
        with tempfile.TemporaryDirectory(prefix="tscope-bench-") as work:
            path = os.path.join(work, "made.pickle")
            subprocess.run([sys.executable, os.path.abspath(__file__), "make", path, "100"], check=True)
            return compare(sys.argv[2], [path])
    if what == "make":
        return make(sys.argv[2], int(sys.argv[3]))
    (load if what == "load" else axolotl)(sys.argv[2])
    print(f"{time.process_time() - began:.3f} {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024}")


if __name__ == "__main__":
    main()
