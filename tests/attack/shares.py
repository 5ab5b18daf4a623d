#!/usr/bin/env python3
"""How small questions are answered while one user attacks, what memory that takes, and how long SIGTERM takes meanwhile.

    tests/attack/shares.py [--check] [ATTACK...]        TS_BUILD=build/release names the folder with tscoped

--check is the test: fewer questions, and it fails on a refusal, an answer later than LATE seconds, a SIGTERM later than its time to
drain, or memory over the limit. Exits 77 where a Python package is missing that the test group of deploy/packages has.
"""
import os
import re
import signal
import subprocess
import sys
import tempfile
import time

try:
    import grpc  # noqa: F401
    import xxhash  # noqa: F401
    import zstandard  # noqa: F401
except ImportError as missing:
    print(f"skipped: no Python package {missing.name}; ./dev test installs those of the group test")
    sys.exit(77)

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "interop"))
import attackers  # noqa: E402
from client import ROOT, Client  # noqa: E402

BUILD = os.path.abspath(os.environ.get("TS_BUILD", os.path.join(ROOT, "build", "release")))
DRAIN, LATE, MEMORY = 2, 5, 1536
# name: (function of attackers.py or None, needs the run `bomb`, seconds before the questions, what it is)
ATTACKS = {
    "quiet": (None, False, 0, "nobody attacks"),
    "copies": ("copies", False, 1, "4 clients: 16,384 copies of a chunk in a message"),
    "left": ("copies", False, 1, "the same, after the 4 clients were killed"),
    "idle": ("idle", False, 1, "270 uploads on 3 connections that send nothing"),
    "watches": ("watches", False, 1, "270 health watches on 3 connections"),
    "stalled": ("stalled", True, 1, "40 downloads whose clients take nothing"),
    "analyses": ("analyses", True, 3, "8 clients: analyses of 12 million steps from 0.1 MB"),
    "ended": ("analyses", True, 3, "the same, after the 8 clients were killed"),
    "everything": ("everything", True, 3, "copies, stalled downloads, analyses, verify and gc at once"),
}


def memory_of(pid):
    """(anonymous memory now, the most resident ever) in MB."""
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        found = dict(re.findall(r"^(RssAnon|VmHWM):\s+(\d+)", status.read(), re.M))
    return int(found["RssAnon"]) // 1024, int(found["VmHWM"]) // 1024


def questions(client, n, refused):
    """Seconds of each ListRuns, and the slowest ServerInfo and Check."""
    lists, others = [], []
    for _ in range(n):
        for ask, to in ((client.ListRuns, lists), (client.ServerInfo, others), (client.Check, others)):
            began = time.monotonic()
            try:
                ask(timeout=20)
            except grpc.RpcError as error:
                refused[error.code().name] = refused.get(error.code().name, 0) + 1
            to.append(time.monotonic() - began)
        if sum(lists) > 60:
            break
        time.sleep(0.05)
    return sorted(lists), max(others)


def supports(flag):
    return flag in subprocess.run([os.path.join(BUILD, "tscoped"), "--help"], capture_output=True, text=True, check=True).stdout


def run(name, work, check):
    function, needs_bomb, wait, _ = ATTACKS[name]
    flags = ["--drain", str(DRAIN), "--log-level", "warning"] + (["--memory", str(MEMORY)] if supports("--memory") else [])
    with open(os.path.join(work, "log"), "ab") as log:
        server = subprocess.Popen([os.path.join(BUILD, "tscoped"), "--socket", f"{work}/s", "--store", f"{work}/store", *flags],
                                  stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    for _ in range(600):
        if os.path.exists(f"{work}/s"):
            break
        time.sleep(0.05)
    client, attacker, refused = Client(f"unix:{work}/s", work), None, {}
    if needs_bomb:
        attackers.push_bomb(client)
    before = memory_of(server.pid)[0]
    if function:
        os.makedirs(f"{work}/attacker", exist_ok=True)
        attacker = subprocess.Popen([sys.executable, os.path.join(HERE, "attackers.py"), function, f"unix:{work}/s", f"{work}/attacker"],
                                    stdout=subprocess.PIPE, text=True)
        if attacker.stdout.readline() != "attacking\n":
            server.kill()
            sys.exit(f"{name}: the attack did not begin")
        time.sleep(wait)
        if name in ("left", "ended"):
            attacker.kill()
            attacker.wait()
    lists, other = questions(client, 15 if check else 60, refused)
    later, peak = memory_of(server.pid)
    began = time.monotonic()
    server.send_signal(signal.SIGTERM)
    try:
        server.wait(timeout=180)
    except subprocess.TimeoutExpired:
        server.kill()
    ended = time.monotonic() - began
    if attacker:
        attacker.kill()
        attacker.wait()
    return lists, other, refused, (before, peak, later), ended


def main():
    words = sys.argv[1:]
    check = "--check" in words
    names = [w for w in words if w in ATTACKS] or list(ATTACKS)
    failed = []
    print(f"{'attack':10} {'ListRuns p50':>12} {'p99':>8} {'max':>8} {'others max':>11}  {'refused':12} {'MB before':>9} {'peak':>6} {'then':>6} "
          f"{'SIGTERM':>8}   (ms; s)", flush=True)
    for name in names:
        with tempfile.TemporaryDirectory() as work:
            lists, other, refused, (before, peak, later), ended = run(name, work, check)
        said = ", ".join(f"{n} {code}" for code, n in refused.items()) or "none"
        print(f"{name:10} {1e3 * lists[len(lists) // 2]:12.1f} {1e3 * lists[-1 - len(lists) // 100]:8.1f} {1e3 * lists[-1]:8.1f} "
              f"{1e3 * other:11.1f}  {said:12} {before:9} {peak:6} {later:6} {ended:8.2f}   {ATTACKS[name][3]}", flush=True)
        if refused or max(lists[-1], other) > LATE or ended > DRAIN + LATE:
            failed.append(name)
        if "ASAN_OPTIONS" not in os.environ and peak > MEMORY + 256:
            failed.append(f"{name} (memory)")
    if check and failed:
        sys.exit(f"not as docs/security.md promises: {', '.join(failed)}")


if __name__ == "__main__":
    main()
