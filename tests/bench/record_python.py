#!/usr/bin/env python3
"""record_python.py: what recording costs from Python: CPU a step, beside pytscope 0.2.1 in the same process and TraceML beside it.

    python3 tests/bench/record_python.py FOLDER [--steps N] [--rounds N]

FOLDER is where an environment is made with the package, its peers from PyPI and torch; a peer that cannot be had is left out, which is
said. Figures are CPU time of the process with all its threads, medians of the rounds, in which the candidates take turns. What a loop that is not
touched costs is said in instructions, too, counted by valgrind: those are the same on a busy machine.
"""
import argparse
import gc
import importlib.metadata
import os
import shutil
import statistics
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PEERS = ("pytscope==0.2.1", "torch==2.13.0", "traceml-ai")


def cpu(act, n):
    """Returns the CPU nanoseconds of one of n rounds."""
    begin = time.process_time_ns()
    act(n)
    return (time.process_time_ns() - begin) / n


def medians(candidates, n, rounds):
    """Returns the median of each candidate; they take turns, so that a busy machine is as bad for each."""
    found = turns(candidates, n, rounds)
    return {name: statistics.median(values) for name, values in found.items()}


def turns(candidates, n, rounds):
    """Returns the figures of all rounds of each candidate."""
    found = {name: [] for name in candidates}
    for _ in range(rounds):
        for name, act in candidates.items():
            found[name].append(cpu(act, n))
    return found


def added(found, name, base):
    """Returns what a candidate adds: the median over the rounds of its difference from the base beside it."""
    return statistics.median(a - b for a, b in zip(found[name], found[base]))


def with_step(r):
    def train(n):
        for _ in range(n):
            with r.step():
                r.mark("data")
                r.mark("forward")
                r.mark("backward")
                r.mark("optimizer")
                r.log(loss=1.5, lr=0.1, grad_norm=2.0)

    return train


def begin_end(r):
    def train(n):
        for _ in range(n):
            r.begin_step()
            r.mark("data")
            r.mark("forward")
            r.mark("backward")
            r.mark("optimizer")
            r.log(loss=1.5, lr=0.1, grad_norm=2.0)
            r.end_step()

    return train


def readme(r, loss):
    """Returns the loop of the README without its training: three marks and two numbers."""

    def train(n, r=r, loss=loss):
        for _ in range(n):
            with r.step():
                r.mark("forward")
                r.mark("backward")
                r.mark("optimizer")
                r.log(loss=loss, lr=0.1)

    return train


def with_a_mark_more(r, loss):
    """Returns the same with a fourth mark."""

    def train(n, r=r, loss=loss):
        for _ in range(n):
            with r.step():
                r.mark("data")
                r.mark("forward")
                r.mark("backward")
                r.mark("optimizer")
                r.log(loss=loss, lr=0.1)

    return train


def say(what, ns, limit=None):
    print(f"  {what:<58}{ns:>12,.0f} ns{'' if limit is None else f'   limit {limit:,}'}{'' if limit is None or ns <= limit else '   MISSED'}")


def steps(folder, n, rounds):
    """A full record of a step, by hand."""
    import tscope

    off = tscope.start(os.path.join(folder, "off"), rank=1, world_size=2, ranks=0)
    silent = medians({"three": readme(off, 1.5), "four": with_a_mark_more(off, 1.5)}, n, rounds)  # before there is a thread that records
    run = tscope.start(os.path.join(folder, "full"), memory_every=0)
    candidates = {"an empty loop": lambda n: [None for _ in range(n)], "with run.step()": with_step(run), "begin_step, end_step": begin_end(run)}
    limits = {"with run.step()": 600, "begin_step, end_step": 600}
    try:
        import torch

        name = "the README's loop, whose loss is a tensor"
        candidates[name], limits[name] = readme(run, torch.tensor(1.5)), 1000
    except ImportError:
        print("torch is not reachable: a loss that is a tensor is left out")
    found = medians(candidates, n, rounds)
    print(f"a step with four marks and three numbers, and the README's with three and two; {n:,} steps, median of {rounds} rounds")
    for name, ns in found.items():
        say(name, ns, limits.get(name))
    say("the README's loop on a rank that does not record", silent["three"], 100)
    say("a further mark there", silent["four"] - silent["three"])
    trouble = run.trouble
    run.finish()
    print(f"  steps that waited for the keeper: {trouble['waits']:,}; frames lost: {trouble['lost_frames']:,}")
    try:
        from pytscope import Profiler
    except ImportError:
        print("  pytscope is not reachable: its side is left out")
        return
    peer = Profiler(os.path.join(folder, "pytscope"))
    peer.start()
    ns = statistics.median(cpu(with_step(peer), n // 20) for _ in range(rounds))
    peer.finish()
    say("pytscope 0.2.1, with prof.step(), in this process", ns)
    print(f"  pytscope / tscope: {ns / found['with run.step()']:.1f}")


def plain(model, optimizer, batch):
    def train(n):
        for _ in range(n):
            optimizer.zero_grad()
            model(batch).sum().backward()
            optimizer.step()

    return train


def toy():
    """Returns a model so small that what is around it shows, its optimizer and a batch."""
    import torch

    torch.set_num_threads(1)
    model = torch.nn.Linear(4, 4)
    return model, torch.optim.SGD(model.parameters(), lr=0.1), torch.ones(2, 4)


def nothing(*_):
    """A hook that does nothing."""


def hooked(model, optimizer, batch):
    """Returns a loop with hooks of the kinds that an instrumented loop has, which do nothing: what torch asks for them."""
    model.register_forward_pre_hook(nothing)
    model.register_forward_hook(nothing, always_call=True)
    optimizer.register_step_pre_hook(nothing)
    optimizer.register_step_post_hook(nothing)
    return plain(model, optimizer, batch)


def loops(folder, rounds):
    """A loop of torch that is not touched: what hooks add to a step."""
    try:
        import torch  # noqa: F401
    except ImportError:
        print("torch is not reachable: instrumented loops are left out")
        return None
    import tscope

    # Each round has one watched step of a hundred, as a run has: of shorter ones the median would be that of rounds with one or with none.
    n, rounds, candidates = 100, 4 * rounds, {"plain loop": plain(*toy()), "empty hooks of torch": hooked(*toy())}
    closing = []
    for name, every in (("tscope.auto", 0), ("tscope.auto, digests every 100 steps", 100)):
        parts = toy()
        run = tscope.auto(parts[0], parts[1], os.path.join(folder, f"auto{every}"), digests_every=every)
        candidates[name] = plain(*parts)
        closing.append(run.finish)
    try:
        from pytscope import AutoProfiler

        parts = toy()
        peer = AutoProfiler(os.path.join(folder, "autoprofiler"), parts[0], parts[1])
        peer.start()
        closing.append(peer.finish)
        candidates["pytscope AutoProfiler"] = plain(*parts)
    except ImportError:
        print("pytscope is not reachable: its side is left out")
    found = turns(candidates, n, rounds)
    for close in closing:
        close()
    print(f"what an instrumented loop of torch adds to a step; {n:,} steps, median of {rounds} rounds, and the least beside the least")
    say("plain loop, itself", statistics.median(found["plain loop"]))
    costs = {name: (added(found, name, "plain loop"), min(found[name]) - min(found["plain loop"])) for name in list(found)[1:]}
    for name, (ns, least) in costs.items():
        print(f"  {name + ' adds':<58}{ns:>12,.0f} ns   least {least:,.0f} ns")
    theirs = costs.get("pytscope AutoProfiler")
    for name, limit in (("tscope.auto", 5), ("tscope.auto, digests every 100 steps", 5)) if theirs else ():
        ratios = [their / max(our, 1) for their, our in zip(theirs, costs[name])]
        print(f"  pytscope / {name}: {ratios[0]:.1f}, of the least {ratios[1]:.1f}{f'; limit at least {limit}' if limit else ''}"
              f"{'' if ratios[0] >= limit else '   MISSED'}")
    return costs["tscope.auto"][0]


def counted(folder, name, steps=100):
    """What runs under valgrind: a loop whose steps are counted by it. Prints how many these were."""
    import tscope
    from tscope import _observed

    # Under valgrind a step takes some fifty times as long; CPU time is then asked for in each, as of a step that is long by itself.
    _observed.CpuTime._LONG_NS, _observed.CpuTime._APART_NS = 1 << 60, 1 << 60
    model, optimizer, batch = toy()
    train = hooked(model, optimizer, batch) if name == "hooks" else plain(model, optimizer, batch)
    if name.startswith("auto"):
        run = tscope.auto(model, optimizer, os.path.join(folder, "counted", name), digests_every=int(name[4:]))
        if not run.enabled:
            sys.exit("nothing is recorded")
    elif name == "pytscope":
        from pytscope import AutoProfiler

        AutoProfiler(os.path.join(folder, "counted", name), model, optimizer).start()
    train(steps + 50)
    gc.collect()
    gc.disable()
    for word in ("on", "off"):
        subprocess.run(["callgrind_control", "-i", word, str(os.getpid())], check=True, capture_output=True)
        if word == "on":
            train(steps)
    print(f"COUNTED {steps}", flush=True)
    os._exit(0)  # the end of a Python that has torch takes minutes under valgrind


def count(folder, name):
    """Returns the instructions of a step, or None and why they cannot be counted."""
    out = os.path.join(folder, f"callgrind.{name}")
    words = ["valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={out}", sys.executable, os.path.abspath(__file__)]
    done = subprocess.run([*words, "--counted", name, folder], capture_output=True, text=True, timeout=1200)
    lines = [line for line in done.stdout.split("\n") if line.startswith("COUNTED")]
    if not lines:
        said = [line for line in done.stderr.split("\n") if line and not line.startswith("==")]
        return None, said[-1] if said else f"exit code {done.returncode}"
    with open(out, encoding="utf-8") as file:
        totals = [int(line.split()[1]) for line in file if line.startswith("totals:")]
    return totals[0] / int(lines[0].split()[1]), ""


def instructions(folder):
    """A loop that is not touched, in instructions: what is added to a step, each in a process of its own."""
    if not shutil.which("valgrind"):
        print("valgrind is not here: instructions are not counted")
        return
    names = {
        "plain": "plain loop, itself", "hooks": "empty hooks of torch add", "auto0": "tscope.auto adds",
        "auto100": "tscope.auto, digests every 100 steps adds", "pytscope": "pytscope AutoProfiler adds",
    }
    found, causes = {}, {}
    for name in names:
        found[name], causes[name] = count(folder, name)
    print("the same in instructions, counted by valgrind over 100 steps, each loop in a process of its own")
    for name, what in names.items():
        if found[name] is None or found["plain"] is None:
            print(f"  {what}: cannot be counted: {causes[name] or causes['plain']}")
        else:
            print(f"  {what:<58}{found[name] - (found['plain'] if name != 'plain' else 0):>12,.0f}")
    if None not in found.values():
        added_by = {name: n - found["plain"] for name, n in found.items()}
        for name in ("auto0", "auto100"):
            ratio = added_by["pytscope"] / max(added_by[name], 1)
            print(f"  pytscope / {names[name][:-5]}: {ratio:.1f}; limit at least 5{'' if ratio >= 5 else '   MISSED'}")


def layers(folder, rounds):
    """What timing the layers adds to a step in which they are timed; other steps have no hook of it."""
    try:
        import torch
    except ImportError:
        return
    import tscope

    depth, candidates, runs = 20, {}, []
    for every in (0, 1):
        model = torch.nn.Sequential(*(torch.nn.Linear(64, 64) for _ in range(depth)))
        optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
        runs.append(tscope.auto(model, optimizer, os.path.join(folder, f"layers{every}"), digests_every=0))
        if every:
            runs[-1].layers(model, every=every)
        candidates[every] = plain(model, optimizer, torch.ones(8, 64))
    found = turns(candidates, 50, 5 * rounds)
    for run in runs:
        run.finish()
    say(f"run.layers adds to a step that it times, a layer ({depth} layers)", added(found, 1, 0) / depth)


def digests(rounds):
    """Digests of parameters beside one pass over the same memory: an exclusive or of its words by NumPy."""
    try:
        import numpy
        import torch
    except ImportError:
        return
    from tscope import _digests

    torch.set_num_threads(1)
    tensor = torch.randn(16 << 20)
    words = tensor.numpy().view(numpy.uint64)
    candidates = {
        "one pass": lambda n: [numpy.bitwise_xor.reduce(words) for _ in range(n)],
        "of the host, in C, which reads them once": lambda n: [_digests.of_host(tensor) for _ in range(n)],
        "by torch's operations, as on a device, which read them twice": lambda n: [int(_digests.sum_of(tensor)[0]) for _ in range(n)],
    }
    found = medians(candidates, 4, rounds)
    print(f"the digest of 64 MiB of parameters; median of {rounds} rounds")
    for name, ns in found.items():
        print(f"  {name:<60}{ns / 1e6:>8.2f} ms {ns / found['one pass']:5.2f}x the time of one pass")


def sketches(rounds):
    """Sketches of tensors of the host beside one pass over the same memory, of as many bytes in each type."""
    try:
        import numpy
        import torch
    except ImportError:
        return
    from tscope import _sketches

    torch.set_num_threads(1)
    words = numpy.ones(8 << 20, numpy.uint64)
    candidates = {"one pass": lambda n: [numpy.bitwise_xor.reduce(words) for _ in range(n)]}
    for dtype in (torch.float64, torch.float32, torch.bfloat16, torch.float16):
        tensor = torch.randn((64 << 20) // dtype.itemsize).to(dtype)
        candidates[str(dtype)[6:]] = lambda n, tensor=tensor: [_sketches.sketched(tensor) for _ in range(n)]
    for act in candidates.values():
        act(1)  # what is kept of signs is made
    found = medians(candidates, 2, rounds)
    print(f"the sketch of 64 MiB of a tensor of the host; median of {rounds} rounds")
    for name, ns in found.items():
        passes = ns / found["one pass"]
        print(f"  {name:<60}{ns / 1e6:>8.2f} ms {passes:5.2f}x the time of one pass{'' if passes <= 4 else '   MISSED 4'}")


def real(folder, pairs=200, milliseconds=50):
    """A step of some 50 ms with everything that `tscope.auto` records, and the same step without, in pairs."""
    try:
        import torch
    except ImportError:
        return
    import tscope

    torch.set_num_threads(1)
    width, sides = 512, []
    for _ in range(2):
        model = torch.nn.Sequential(*(part for _ in range(4) for part in (torch.nn.Linear(width, width), torch.nn.GELU())))
        sides.append((model, torch.optim.AdamW(model.parameters(), lr=1e-4)))
    run = tscope.auto(*sides[1], os.path.join(folder, "real"))

    def step(side, batch):
        model, optimizer = sides[side]
        begin = time.perf_counter_ns()
        loss = model(batch).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if side:
            run.log(loss=loss)
        return time.perf_counter_ns() - begin

    rows = 64
    while rows < 1 << 14 and min(step(0, torch.randn(rows, width)) for _ in range(3)) < milliseconds * 800_000:
        rows = rows * 5 // 4
    differences, plain_steps = [], []
    for i in range(pairs):
        batch = torch.randn(rows, width)
        times = {side: step(side, batch) for side in ((0, 1) if i % 2 else (1, 0))}
        differences.append(times[1] - times[0])
        plain_steps.append(times[0])
    run.finish()
    middle = statistics.median(plain_steps)
    ordered = sorted(differences)
    reach = int(0.98 * pairs**0.5)  # ranks to either side of the median: the sign test at 95 %
    low, high = ordered[pairs // 2 - 1 - reach], ordered[pairs // 2 + reach]
    print(f"a real step of {middle / 1e6:.0f} ms, recorded by tscope.auto and not; {pairs} pairs, digests every 100 steps")
    print(f"  recording adds {statistics.median(differences) / 1e3:+.0f} us, at 95 % {low / 1e3:+.0f} to {high / 1e3:+.0f} us of "
          f"{middle / 1e3:,.0f} us{': not to be told from nothing' if low <= 0 <= high else '' if high < 0 else '   MISSED'}")


def traced(rounds):
    """What runs under `traceml run`: prints what its trace_step adds."""
    import traceml_ai

    model, optimizer, batch = toy()

    def train(n):
        for _ in range(n):
            with traceml_ai.trace_step(model):
                optimizer.zero_grad()
                model(batch).sum().backward()
                optimizer.step()
        time.sleep(0.5)  # it drops steps that come faster than it sends them

    found = turns({"plain": plain(*toy()), "traced": train}, 500, rounds)
    print(f"TRACED {added(found, 'traced', 'plain'):.0f}")


def traceml(folder, rounds, ours):
    program = os.path.join(os.path.dirname(sys.executable), "traceml")
    if not os.path.exists(program):
        print("traceml-ai is not reachable: its side is left out")
        return
    words = [program, "run", os.path.abspath(__file__), "--mode", "summary", "--args", "--traced", "--rounds", str(rounds), folder]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, timeout=300)
    lines = [line for line in done.stdout.split("\n") if line.startswith("TRACED")]
    if lines:
        theirs = float(lines[0].split()[1])
        say(f"traceml-ai {importlib.metadata.version('traceml-ai')} trace_step adds (a process of its own)", theirs)
        if ours is not None:
            print(f"  TraceML / tscope.auto: {theirs / max(ours, 1):.1f}")
    else:
        print(f"traceml run said nothing of its cost: exit {done.returncode}")


def environment(folder):
    """Makes an environment with the package of this tree, and returns its Python."""
    python = os.path.join(folder, "venv", "bin", "python")
    if not os.path.exists(python):
        subprocess.run(["/usr/bin/python3", "-m", "venv", os.path.join(folder, "venv")], check=True)
        for peer in PEERS:
            subprocess.run([python, "-m", "pip", "install", "-q", peer], capture_output=True)
    sys.path.insert(0, os.path.join(ROOT, "python", "tests"))
    import run

    made = run.wheel(os.path.join(folder, "package"), "/usr/bin/python3", False)
    subprocess.run([python, "-m", "pip", "install", "-q", "--no-index", "--force-reinstall", made], check=True)
    return python


def main():
    p = argparse.ArgumentParser()
    p.add_argument("folder")
    p.add_argument("--steps", type=int, default=200_000)
    p.add_argument("--rounds", type=int, default=7)
    p.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    p.add_argument("--traced", action="store_true", help=argparse.SUPPRESS)
    p.add_argument("--counted", help=argparse.SUPPRESS)
    args = p.parse_args()
    folder = os.path.abspath(args.folder)
    if args.traced:
        traced(args.rounds)
        return
    if args.counted:
        counted(folder, args.counted)
        return
    if not args.inside:
        os.makedirs(folder, exist_ok=True)
        python = environment(folder)
        sys.exit(subprocess.run([python, __file__, "--inside", "--steps", str(args.steps), "--rounds", str(args.rounds), folder]).returncode)
    runs = os.path.join(folder, "runs")
    shutil.rmtree(runs, ignore_errors=True)
    os.makedirs(runs)
    steps(runs, args.steps, args.rounds)
    ours = loops(runs, args.rounds)
    instructions(runs)
    layers(runs, args.rounds)
    digests(args.rounds)
    sketches(args.rounds)
    real(runs)
    traceml(runs, args.rounds, ours)
    shutil.rmtree(runs, ignore_errors=True)


if __name__ == "__main__":
    main()
