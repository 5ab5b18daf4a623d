#!/usr/bin/env python3
"""kill9_server.py BUILD ROUNDS: a whole server under kill -9 (P1 and P2 of store/engine.h). Four clients push to a tscoped that
is killed (SIGKILL) at a random instant, round after round on one store; after each, a new tscoped must open it, verify clean, and show every run
that was acknowledged, under the id it had."""
import os
import random
import shutil
import signal
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from programs import Pushers, Server, names_of  # noqa: E402


def main():
    build, rounds = os.path.abspath(sys.argv[1]), int(sys.argv[2])
    work = tempfile.mkdtemp(prefix="tscope-kill9-")
    rnd = random.Random(9)
    acked = {}
    store, socket = os.path.join(work, "store"), os.path.join(work, "s")
    server = Server(build, store, socket)
    pushers = Pushers(server, work, 0, 4, lambda n, name, run: acked.__setitem__(name, run))
    try:
        for round_ in range(rounds):
            time.sleep(rnd.uniform(0.02, 0.25))
            server.process.send_signal(signal.SIGKILL)
            server.process.wait()
            before = dict(acked)
            server = Server(build, store, socket)
            verify = server.tscope("verify")
            if verify.returncode:
                sys.exit(f"round {round_}: verify says {verify.stdout}{verify.stderr}")
            names = names_of(server.tscope)
            lost = [name for name, run in before.items() if names.get(name) != run]
            if lost:
                sys.exit(f"round {round_}: {len(lost)} acknowledged runs are missing, {lost[0]} first")
        pushers.stop()
        server.process.send_signal(signal.SIGTERM)
        if server.process.wait(timeout=30) != 0:
            sys.exit(f"tscoped ended with {server.process.returncode}")
        print(f"{rounds} kills, {pushers.next} pushes begun, {len(acked)} acknowledged, none missing in {rounds} looks, {rounds} verifies clean")
        if len(acked) < rounds:
            sys.exit("too few pushes were acknowledged for this to mean anything")
    finally:
        pushers.over.set()
        server.process.kill()
        for t in pushers.threads:
            t.join()
        shutil.rmtree(work, ignore_errors=True)


if __name__ == "__main__":
    main()
