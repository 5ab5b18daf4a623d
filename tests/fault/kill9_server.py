#!/usr/bin/env python3
"""kill9_server.py BUILD ROUNDS: a whole server under kill -9 (P1 and P2 of store/engine.h). Four clients push to a tscoped that
is killed (SIGKILL) at a random instant, round after round on one store; after each, a new tscoped must open it, verify clean, and show every run
that was acknowledged, under the id it had. Meanwhile a client removes runs and frees everything that has no name."""
import os
import random
import shutil
import signal
import sys
import tempfile
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from programs import Pushers, Server, names_of  # noqa: E402


class Collector(threading.Thread):
    """Removes every third run and sweeps with leases of no length, again and again: a kill often comes in the middle of a sweep."""

    def __init__(self, server, acked):
        super().__init__()
        self.server, self.acked, self.gone, self.sweeps, self.over = server, acked, set(), 0, threading.Event()

    def run(self):
        while not self.over.is_set():
            for name in [n for n in list(self.acked) if n not in self.gone][::3]:
                self.gone.add(name)
                self.server.tscope("rm", name)
            self.sweeps += self.server.tscope("gc", "--lease", "0s", "--removed", "0s").returncode == 0


def main():
    build, rounds = os.path.abspath(sys.argv[1]), int(sys.argv[2])
    work = tempfile.mkdtemp(prefix="tscope-kill9-")
    rnd = random.Random(9)
    acked = {}
    store, socket = os.path.join(work, "store"), os.path.join(work, "s")
    no_lease = {"TSCOPED_GC_LEASE_MIN": "0"}
    server = Server(build, store, socket, no_lease)
    collector = Collector(server, acked)
    collector.start()
    pushers = Pushers(server, work, 0, 4, lambda n, name, run: acked.__setitem__(name, run))
    try:
        for round_ in range(rounds):
            time.sleep(rnd.uniform(0.02, 0.25))
            server.process.send_signal(signal.SIGKILL)
            server.process.wait()
            before = dict(acked)
            server = Server(build, store, socket, no_lease)
            verify = server.tscope("verify")
            if verify.returncode:
                sys.exit(f"round {round_}: verify says {verify.stdout}{verify.stderr}")
            names = names_of(server.tscope)
            lost = [name for name, run in before.items() if name not in collector.gone and names.get(name) != run]
            if lost:
                sys.exit(f"round {round_}: {len(lost)} acknowledged runs are missing, {lost[0]} first")
        pushers.stop()
        collector.over.set()
        collector.join()
        server.process.send_signal(signal.SIGTERM)
        if server.process.wait(timeout=30) != 0:
            sys.exit(f"tscoped ended with {server.process.returncode}")
        print(f"{rounds} kills, {pushers.next} pushes begun, {len(acked)} acknowledged, {len(collector.gone)} removed, {collector.sweeps} sweeps, "
              f"none missing in {rounds} looks, {rounds} verifies clean")
        if len(acked) < rounds or collector.sweeps < rounds // 10:
            sys.exit("too few pushes were acknowledged for this to mean anything")
    finally:
        pushers.over.set()
        collector.over.set()
        server.process.kill()
        for t in pushers.threads + [collector]:
            t.join()
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
