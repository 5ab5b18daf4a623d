#!/usr/bin/env python3
"""trace.py BUILD [TRACE [MIB]]: how long a trace takes to read, beside other readers. TRACE is a real one (plain or gzip; else that of
tests/golden/torch, which has no work of devices), from which one of MIB (500) is made by repeating its events. Figures are CPU seconds of
whole processes, the best of five, all in one run; a ratio says more than a figure of a machine that others use. `./dev bench trace` builds
and runs it. Of a folder it says what its traces take in a store."""
import gzip
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time

BUILD, HERE = sys.argv[1], os.path.dirname(os.path.abspath(__file__))
TRACE = sys.argv[2] if len(sys.argv) > 2 else os.path.join(HERE, "..", "golden", "torch", "cpu.json.gz")
MIB = int(sys.argv[3]) if len(sys.argv) > 3 else 500
subprocess._USE_VFORK = False  # or each child shows the peak of this process as its own
ROUNDS = 5
PEER_BYTES = 40 << 20
PEERS = os.path.join(HERE, "trace_peers.py")
HTA = "build/bench/hta"  # its packages are installed here, not on the machine
JSON_LOAD = "import json, sys, time\nt = time.process_time()\njson.load(open(sys.argv[1]))\nprint(time.process_time() - t)"


def parts(path):
    """Returns what stands before the events, the events, and what stands behind them."""
    data = open(path, "rb").read()
    data = gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data
    begin = data.index(b"[", data.index(b'"traceEvents"')) + 1
    end = data.rindex(b"}", 0, data.rindex(b"]")) + 1
    return data[:begin], data[begin:end], data[end:]


def write(path, source, size):
    head, body, tail = source
    with open(path, "wb") as out:
        out.write(head + body)
        for _ in range(max(0, size // len(body) - 1)):
            out.write(b"," + body)
        out.write(tail)
    return os.path.getsize(path)


def run(*command):
    """Returns the CPU seconds of a command, the peak of its memory and the first words that it printed."""
    child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    words = child.stdout.read(4096).decode(errors="replace").split()
    while child.stdout.read(1 << 20):
        pass
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    return None if child.returncode else (usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024, words)


def best(*command, rounds=ROUNDS, key=lambda r: r[0]):
    runs = [run(*command) for _ in range(rounds)]
    return min((r for r in runs if r), default=None, key=key)


def simdjson(work, path):
    """Compiles the peer if its header is installed, and runs it."""
    program = os.path.join(work, "simdjson")
    built = shutil.which("c++") and subprocess.run(["c++", "-O2", "-std=c++17", os.path.join(HERE, "trace_simdjson.cpp"), "-o", program,
                                                    "-lsimdjson"], stderr=subprocess.DEVNULL).returncode == 0
    return best(program, path) if built else None


def hta_python():
    """Returns a Python that has HTA, which is installed once; None where PyPI cannot be reached."""
    python = os.path.join(HTA, "bin", "python")
    if not os.path.exists(python):
        subprocess.run(["/usr/bin/python3", "-m", "venv", HTA], check=True)
    has = [python, "-c", "import hta"]
    if subprocess.run(has, stderr=subprocess.DEVNULL).returncode:
        subprocess.run([python, "-m", "pip", "install", "-q", "HolisticTraceAnalysis"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return python if subprocess.run(has, stderr=subprocess.DEVNULL).returncode == 0 else None


def wall(*command):
    """Returns the least wall time of a command."""
    times = []
    for _ in range(ROUNDS):
        begun = time.monotonic()
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        times.append(time.monotonic() - begun)
    return min(times)


def row(what, got, size, base=None, goal=""):
    if got is None:
        print(f"{what:44} not here")
        return
    speed = size / got[0] / 1e9
    print(f"{what:44} {got[0]:8.3f} s {speed:7.3f} GB/s {'' if base is None else f'{base / got[0]:7.2f}x':8} {got[1] / 1e6:7.0f} MB  {goal}")


def print_analyze(trace, size, read):
    """All of analyze, and its memory beside that of who only reads the trace: its columns, their names and a window of the file."""
    got = best(os.path.join(BUILD, "tscope"), "analyze", trace, "--json")
    row("tscope analyze", got, size, read[0], f"memory {got[1] / read[1]:.2f} of that of the columns: goal <= 1.2" if got else "")


def pushed(work, trace):
    """Pushes a trace into a store of its own: to columns, to blocks, and the file itself."""
    store, folder = os.path.join(work, "store"), os.path.join(work, "run")
    os.mkdir(folder)
    os.link(trace, os.path.join(folder, "trace.json"))
    got = run(os.path.join(BUILD, "tscope"), "push", folder, "--store", store)
    shutil.rmtree(folder)
    shutil.rmtree(store)
    return got


def stored(folder, trace):
    """Pushes the trace alone; returns the bytes that the store counts as new, the CPU seconds of the push and of writing the file back."""
    store, run_folder = os.path.join(folder, "store"), os.path.join(folder, "run")
    name, tscope = os.path.basename(trace), os.path.join(BUILD, "tscope")
    os.mkdir(run_folder)
    shutil.copyfile(trace, os.path.join(run_folder, name))
    command = [tscope, "push", run_folder, "--store", store, "--json"]
    begun = os.times()
    new = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["pushes"][0]["new_bytes"]
    pushed_at = os.times()
    back = subprocess.run([tscope, "export", "run", "--file", name, "--store", store], check=True, capture_output=True).stdout
    ended = os.times()
    if back != open(trace, "rb").read():
        sys.exit(f"{trace} did not come back as it was")
    shutil.rmtree(run_folder)
    shutil.rmtree(store)
    cpu = lambda t: t.children_user + t.children_system  # noqa: E731
    return new, cpu(pushed_at) - cpu(begun), cpu(ended) - cpu(pushed_at)


def print_stored(work, traces):
    """What traces take in a store, the columns beside them included, as a share of their own size, where they are gzip."""
    total = taken = push = export = 0
    shares = []
    for trace in traces:
        new, pushing, exporting = stored(work, trace)
        size = os.path.getsize(trace)
        total, taken, push, export = total + size, taken + new, push + pushing, export + exporting
        shares.append(new / size)
    if shares:
        shares.sort()
        print(f"stored: {len(shares)} files of {total / 1e6:.1f} MB take {taken / total:.2f} of it with their columns (median of a file "
              f"{shares[len(shares) // 2]:.2f}, most {shares[-1]:.2f}), and each came back byte for byte; goal <= 0.8 of gzip; CPU of a push "
              f"{push / total * 1e6:.2f} s a MB, of an export {export / total * 1e6:.2f} s")


def summarized(folder, trace):
    """Pushes the summary of a trace's kernels; returns the bytes that the store counts as new, the run's head and index included, the
    steps, and the share of the kernels' time that has a name; None where the trace has no work of a device."""
    store, run_folder, name = os.path.join(folder, "store"), os.path.join(folder, "run"), os.path.basename(trace)
    tscope = os.path.join(BUILD, "tscope")
    os.mkdir(run_folder)
    shutil.copyfile(trace, os.path.join(run_folder, name))
    new = json.loads(subprocess.run([tscope, "push", run_folder, "--summarize-traces", "--store", store, "--json"], check=True,
                                    capture_output=True).stdout)["pushes"][0]["new_bytes"]
    back = subprocess.run([tscope, "export", "run", "--file", name + ".kernels.json", "--store", store], capture_output=True).stdout
    shutil.rmtree(run_folder)
    shutil.rmtree(store)
    summary = json.loads(back) if back else None
    if summary is None:
        return None
    took = [(isinstance(row[1], str), sum(int(cell[2]) for cell in row[2:])) for row in summary["kernels"]]
    return new, len(summary["steps"]), sum(ns for named, ns in took if named) / max(1, sum(ns for _, ns in took))


def print_summaries(work, traces):
    """What summaries take in a store for each step of a rank, and what share of the kernels' time has a name in them."""
    got = [s for s in (summarized(work, trace) for trace in traces) if s]
    if got:
        sizes, named = sorted(s[0] / s[1] for s in got), sorted(s[2] for s in got)
        print(f"summaries by kernel: {len(got)} of {len(traces)} files have work of a device; bytes in the store a rank and step, the run's "
              f"head and index included: median {sizes[len(got) // 2]:,.0f}, most {sizes[-1]:,.0f}; goal <= 2,700; share of the kernels' "
              f"time that has a name: median {named[len(got) // 2]:.1%}, least {named[0]:.1%}")


def write_after_each_other(path, source, n):
    """A trace of n events: those of the source again and again, each time later and with correlations of their own."""
    data = open(source, "rb").read()
    events = json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
    events = [e for e in (events["traceEvents"] if isinstance(events, dict) else events) if e.get("ph") == "X" and isinstance(e["pid"], int)]
    begin, end = min(e["ts"] for e in events), max(e["ts"] + e["dur"] for e in events)
    most = max(e.get("args", {}).get("correlation") or 0 for e in events) + 1
    with open(path, "w", encoding="utf-8") as out:
        out.write('{"traceEvents": [\n')
        for i in range(n):
            e, again = dict(events[i % len(events)]), i // len(events)
            e["ts"] += again * (end - begin + 100)
            if (e.get("args", {}).get("correlation") or 0) > 0:
                e["args"] = dict(e["args"], correlation=e["args"]["correlation"] + again * most)
            out.write(("," if i else "") + json.dumps(e) + "\n")
        out.write("]}\n")


def main():
    work = tempfile.mkdtemp(prefix="tscope-bench-")
    try:
        if os.path.isdir(TRACE):  # nothing but what its traces take in a store
            found = sorted(os.path.join(at, name) for at, _, names in os.walk(TRACE) for name in names if name.endswith(".gz"))
            print_summaries(work, found)
            return print_stored(work, found)
        source = parts(TRACE)
        big, small, packed = (os.path.join(work, n) for n in ("big.json", "small.json", "big.json.gz"))
        size, peer_size = write(big, source, MIB << 20), write(small, source, PEER_BYTES)
        del source  # a child's peak counts what its parent had when it was forked
        subprocess.run(["gzip", "-k", big], check=True)
        print_stored(work, [packed])
        program = os.path.join(BUILD, "bench_trace")
        ours = best(program, "read", big)
        print(f"{size / 1e6:.0f} MB of JSON, {ours[2][3]} rows, from {os.path.basename(TRACE)}; CPU seconds, the best of {ROUNDS}; "
              f"ratio: to tscope's plain read; memory: the peak")
        row("tscope, to columns in memory", ours, size, ours[0], "goal >= 1.0 GB/s")
        for name in ("sse2", "portable"):
            row(f"tscope, {name}", best(program, "read", big, name), size, ours[0])
        gz = best(program, "read", packed)
        row("tscope, gzip to columns, all threads", gz, size, ours[0])
        row("  the thread that parses", (float(gz[2][1]), gz[1]), size, ours[0])
        row("  the helper that inflates", (gz[0] - float(gz[2][1]), gz[1]), size, ours[0], "both at once: goal >= 0.7 GB/s")
        row("  by the clock, beside what else runs here", (wall(program, "read", packed), gz[1]), size, ours[0])
        print_analyze(big, size, ours)
        row("tscope push, columns and file to blocks", pushed(work, big), size, ours[0])
        row(f"  of {peer_size / 1e6:.0f} MB", pushed(work, small), peer_size, ours[0] * peer_size / size, "goal: memory independent of the file")
        row("gunzip -t", best("gzip", "-t", packed), size, ours[0])
        row("simdjson on demand, nine fields, no columns", simdjson(work, big), size, ours[0])
        row("json.load", best(sys.executable, "-c", JSON_LOAD, small, rounds=1), peer_size, ours[0] * peer_size / size)
        row("Axolotl's script, up to its sums by kernel", best(sys.executable, PEERS, "axolotl", small, rounds=1), peer_size,
            ours[0] * peer_size / size)
        python = hta_python()
        row("HTA, its temporal breakdown", python and best(python, PEERS, "hta", small, rounds=1), peer_size, ours[0] * peer_size / size)
        sys.stdout.flush()
        line = min((run(program, "timeline", big) for _ in range(ROUNDS)), key=lambda r: float(r[2][0]))
        n, took = int(line[2][1]), float(line[2][0])
        scaled = f", {took / n * 300_000:.3f} s for 300,000" if n else ""
        print(f"timelines of {n:,} events: {took:.3f} s{scaled}; goal < 0.1 s for 300,000")
        write_after_each_other(small, TRACE, 1_000_000)
        line = best(program, "path", small, key=lambda r: float(r[2][0]))
        print(f"critical path of {int(line[2][1]):,} events: {float(line[2][0]):.3f} s, {int(line[2][2]):,} stretches, {line[2][3]} what ifs; "
              f"goal < 2 s; {line[1] / 1e6:.0f} MB at the peak, the columns included")
    finally:
        shutil.rmtree(work)


main()
