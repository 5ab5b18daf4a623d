#!/usr/bin/env python3
"""Histories of several clients against one tscoped that is killed, stopped and swept, held to a specification: run.py BUILD HISTORIES [SEED].

SIGTERM ends it early, with the counts of what was done. Exits 77 where a Python package is missing that the test group of deploy/packages has.
"""
import os
import random
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "interop"))
# While calls fail at once, only this timer sees that a connection is there again. At its default, 5 s, a history mostly waits for it.
os.environ["GRPC_CLIENT_CHANNEL_BACKUP_POLL_INTERVAL_MS"] = "10"
try:
    import grpc
    import format_v1
    import sealed_v1  # noqa: F401
    from client import Client
except ImportError as missing:
    print(f"skipped: no Python package {missing.name}; ./dev test installs it")
    sys.exit(77)

import spec  # noqa: E402
from clients import UNKNOWN, Asker  # noqa: E402
from linear import linearize  # noqa: E402

CLIENTS, CALLS, NAMES, RUNS = 4, 14, 2, 4
DISTURB_S, DISTURBED = 0.1, 4  # the longest wait before the next kill or stop is thought of, and how many a history has at most
SOON = (("grpc.initial_reconnect_backoff_ms", 10), ("grpc.min_reconnect_backoff_ms", 10), ("grpc.max_reconnect_backoff_ms", 30))


class Served:
    """A tscoped that is there again after each kill."""

    def __init__(self, build, work):
        self.build, self.work, self.socket, self.kills, self.stops = build, work, os.path.join(work, "s"), 0, 0
        self.start()

    def start(self):
        with open(os.path.join(self.work, "log"), "ab") as log:
            self.process = subprocess.Popen([os.path.join(self.build, "tscoped"), "--socket", self.socket, "--store", os.path.join(self.work, "store"),
                                             "--gc-lease-min", "0", "--log-level", "warning"], stdin=subprocess.DEVNULL, stdout=log, stderr=log)

    def disturb(self, rng):
        if rng.random() < 0.5:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()
            self.kills += 1
            self.start()
        else:
            self.process.send_signal(signal.SIGSTOP)
            time.sleep(rng.random() * 0.1)
            self.process.send_signal(signal.SIGCONT)
            self.stops += 1


def make_run(seed):
    """(id, {id: object}) of a run of some steps."""
    rows = [(i, {(b"scalars.loss", format_v1.C_U64): seed * 8 + i}) for i in range(8)]
    return format_v1.run_objects({0: format_v1.Rank(rows={format_v1.STEPS: rows})})


def until_known(call):
    """Repeats a call that changes nothing until it is answered."""
    for _ in range(600):
        try:
            reply = call()
            return list(reply) if hasattr(reply, "__next__") else reply
        except grpc.RpcError as error:
            if error.code() not in UNKNOWN:
                raise
            time.sleep(0.05)
    raise SystemExit("the server does not answer any more")


def is_whole(client, name, runs):
    """Whether all objects of the run that a name points at are there."""
    try:
        head = until_known(lambda: client.GetRun(spec=name)).run.id
    except grpc.RpcError as error:
        return error.code() == grpc.StatusCode.NOT_FOUND
    ids = list(dict(runs)[head])
    try:
        return sum(len(r.objects) for r in until_known(lambda: client.GetObjects(ids=b"".join(ids)))) == len(ids)
    except grpc.RpcError:
        return False


def one(served, askers, number, rng):
    """One history. Returns its calls by name, and the names that are not whole afterwards."""
    runs = [make_run(number * 100 + i) for i in range(RUNS)]
    names, token = [f"h{number}/n{i}" for i in range(NAMES)], f"t{number}"
    histories = {name: [] for name in (*names, token)}
    failed = []

    def work(asker):
        try:
            for _ in range(CALLS):
                if asker.rng.random() < 0.12:
                    asker.act_on_token(token)
                else:
                    asker.act(asker.rng.choice(names), runs)
        except Exception as error:  # noqa: BLE001 - what a thread raises is the test's failure
            failed.append(error)

    def sweep(client):
        for _ in range(3):
            try:
                client.CollectGarbage(lease_s=0)
            except grpc.RpcError as error:
                if error.code() not in (*UNKNOWN, grpc.StatusCode.ABORTED):
                    failed.append(error)
            time.sleep(0.02)

    threads = []
    for asker in askers:
        asker.histories, asker.rng = histories, random.Random(rng.random())
        threads.append(threading.Thread(target=work, args=(asker,)))
    threads.append(threading.Thread(target=sweep, args=(askers[0].client,)))
    for thread in threads:
        thread.start()
    left = DISTURBED
    while any(thread.is_alive() for thread in threads):
        time.sleep(rng.random() * DISTURB_S)
        if left and rng.random() < 0.6:
            served.disturb(rng)
            left -= 1
    if failed:
        raise failed[0]
    return histories, [name for name in names if not is_whole(askers[0].client, name, runs)]


def main():
    build, count, seed = os.path.abspath(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 1
    rng, calls, lost, violations, over = random.Random(seed), 0, 0, 0, threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: over.set())
    with tempfile.TemporaryDirectory(prefix="tscope-histories-") as work:
        served = Served(build, work)
        askers = [Asker(Client("unix:" + served.socket, work, SOON), rng, {}) for _ in range(CLIENTS)]
        done = 0
        for number in range(count):
            if over.is_set():
                print("ended early")
                break
            try:
                histories, cut = one(served, askers, number, rng)
            except grpc.RpcError as error:  # an answer that no state gives, as of a store that lost something
                violations += 1
                print(f"history {number}: {error.code().name}: {error.details()} (seed {seed})")
                break
            done += 1
            for name, history in histories.items():
                calls, lost = calls + len(history), lost + sum(call.answer is None for call in history)
                state, step = (False, spec.token) if name.startswith("t") else (spec.NO_NAME, spec.name)
                if linearize(history, state, step) is None:
                    violations += 1
                    print(f"history {number}, {name}: no order of these calls gives these answers (seed {seed})")
                    print(*sorted(history, key=lambda c: c.begin), sep="\n")
            violations += len(cut)
            if cut:
                print(f"history {number}: {cut} lack objects (seed {seed})")
        served.process.send_signal(signal.SIGTERM)
        status = served.process.wait(60)
    print(f"{done} histories, {calls} calls, {lost} without an answer, {served.kills} kills, {served.stops} stops: {violations} violations")
    sys.exit(1 if violations or status else 0)


if __name__ == "__main__":
    main()
